// Error answers of token services, as data beside each authorisation.

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
  /** Text within the description, in any case; null: an answer without one; absent: any description. */
  readonly says?: string | null
  /** HTTP status; absent: any. */
  readonly status?: number
  readonly means: RefusalMeaning
}

/** The error answers that a provider documents. Any other refusal counts, and ends a connection only when repeated. */
export interface TokenRefusals {
  readonly answers: ReadonlyArray<TokenRefusal>
  readonly source: string
}

/** Refresh tokens that are replaced by each use. */
export interface Rotation {
  /** A replaced token that is sent again is answered for a while, refused, or ends all tokens of the consent. */
  readonly onReuse: "answers" | "refuses" | "revokes"
  /** Seconds for which a replaced token is answered. */
  readonly graceSeconds?: number
  /** True where the application's settings turn it on; a token answer with a new refresh token shows that. */
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

/** The row of a table that an answer matches: first by its text, then by its code alone. */
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
