import { Duration, Option, Schema } from "effect"
import type { Rotation } from "../providers/base/TokenRefusals.ts"
import { answerLimit } from "./OAuth.ts"

/** Refusals after which a connection needs to be connected again. */
export const refusalLimit = 3

/** Refusals closer together than this count once. */
export const refusalInterval = Duration.minutes(1)

/** Refusals this soon after an unanswered token request are ignored, because that request may have caused them. */
export const unjudgedDuration = Duration.minutes(2)

/** Times are milliseconds since the epoch. */
const RefreshState = Schema.Struct({
  /** Version of the credentials that this state belongs to. */
  version: Schema.Int,
  /** Number of refusals that count. */
  refusals: Schema.Int,
  refusedAt: Schema.optionalWith(Schema.Number, { exact: true }),
  /** When the refresh token was sent; removed once the answer is read. */
  sentAt: Schema.optionalWith(Schema.Number, { exact: true }),
  /** When a refresh token was sent that got no answer. */
  lostAt: Schema.optionalWith(Schema.Number, { exact: true }),
  /** Whether the last answer contained a new refresh token. */
  rotates: Schema.optionalWith(Schema.Boolean, { exact: true })
})
export type RefreshState = typeof RefreshState.Type

const decode = Schema.decodeUnknownOption(RefreshState)

/** Reads the stored state of a version. From the state of another version, only `rotates` is kept. */
export const refreshStateOf = (stored: unknown, version: number): RefreshState =>
  Option.match(decode(stored), {
    onNone: () => ({ version, refusals: 0 }),
    onSome: (state) => (state.version === version ? state : startOf(version, state.rotates))
  })

const startOf = (version: number, rotates: boolean | undefined): RefreshState => ({
  version,
  refusals: 0,
  ...(rotates === undefined ? {} : { rotates })
})

/** State after new tokens are stored as the next version. */
export const afterRefresh = ({ version }: RefreshState, rotates: boolean): RefreshState => startOf(version + 1, rotates)

/** State while a token request is in flight. An earlier request without an answer is lost. */
export const whileSent = ({ sentAt, ...state }: RefreshState, now: number): RefreshState => ({
  ...state,
  ...(sentAt === undefined ? {} : { lostAt: sentAt }),
  sentAt: now
})

/** State after an answer without tokens. */
export const afterAnswer = ({ sentAt: _, ...state }: RefreshState): RefreshState => state

/** State after a refusal, and whether the end user has to connect again. */
export const afterRefusal = (
  sent: RefreshState,
  now: number,
  isFinal: boolean
): { readonly state: RefreshState; readonly isGone: boolean } => {
  const state = afterAnswer(sent)
  if (state.lostAt !== undefined && now < state.lostAt + Duration.toMillis(unjudgedDuration)) {
    return { state, isGone: false }
  }
  if (isFinal) return { state, isGone: true }
  const isCounted = state.refusedAt === undefined || now >= state.refusedAt + Duration.toMillis(refusalInterval)
  const counted = isCounted ? { ...state, refusals: state.refusals + 1, refusedAt: now } : state
  return { state: counted, isGone: counted.refusals >= refusalLimit }
}

/** Whether the stored refresh token may be sent now, after some seconds, or never again. */
export const resendOf = (
  rotation: Rotation | undefined,
  state: RefreshState,
  now: number
): "send" | "lost" | { readonly waitSeconds: number } => {
  const rotates = rotation !== undefined && (rotation.isOptional !== true || state.rotates === true)
  if (!rotates || state.sentAt === undefined) return "send"
  const since = now - state.sentAt
  switch (rotation.onReuse) {
    case "refuses":
      return "send"
    case "answers":
      return since < (rotation.graceSeconds ?? 0) * 1000 ? "send" : "lost"
    case "revokes":
      return since >= answerLimit ? "lost" : { waitSeconds: Math.ceil((answerLimit - since) / 1000) }
  }
}
