// Error answers of token services, as data.

/**
 * What an error answer means for a connection.
 *
 * - `retry`: the same request succeeds in a moment
 * - `wait`: a limit is reached
 * - `refresh`: the stored tokens may be old; read them again and refresh once more, and count the refusal
 * - `person`: access is gone for good, so the end user must connect again
 */
export type RefusalMeaning = "retry" | "wait" | "refresh" | "person"

/** One error answer of a token service. */
export interface TokenRefusal {
  /** `error`, or `status` where the code stands there. */
  readonly code: string
  /** Text that the description contains, ignoring case. Null: no description. Absent: any description. */
  readonly says?: string | null
  /** HTTP status; absent: any. */
  readonly status?: number
  readonly means: RefusalMeaning
}

/** Documented error answers. Any other refusal ends a connection only if it is repeated. */
export interface TokenRefusals {
  readonly answers: ReadonlyArray<TokenRefusal>
  readonly source: string
}

/** Refresh token rotation. */
export interface Rotation {
  /** What happens to a replaced token that is sent again: it still works for a while, is refused, or revokes all tokens. */
  readonly onReuse: "answers" | "refuses" | "revokes"
  /** Seconds for which a replaced token still works. */
  readonly graceSeconds?: number
  /** True if rotation is a setting of the application. An answer with a new refresh token shows that it is on. */
  readonly isOptional?: boolean
  readonly source: string
}

/** An error answer as it came. */
interface ErrorAnswer {
  readonly status: number
  /** Values of `error` and `status`. */
  readonly codes: ReadonlyArray<string>
  readonly description: string
}

/** Finds the row that matches an answer, by description first and then by code alone. */
export const findRefusal = (
  table: TokenRefusals | undefined,
  { codes, description, status }: ErrorAnswer
): TokenRefusal | undefined => {
  const text = description.toLowerCase()
  const rows = (table?.answers ?? []).filter(
    (row) => codes.includes(row.code) && (row.status === undefined || row.status === status)
  )
  return (
    rows.find(({ says }) => typeof says === "string" && text.includes(says.toLowerCase())) ??
    rows.find(({ says }) => says === null && text === "") ??
    rows.find(({ says }) => says === undefined)
  )
}
