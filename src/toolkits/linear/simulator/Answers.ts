import { Either } from "effect"
import type { Reply } from "../../../providers/simulation/Simulator.ts"

/** One of the errors of an answer. https://linear.app/developers/graphql */
export interface Failure {
  readonly message: string
  readonly code: string
  readonly type: string
  readonly status: number
  /** Linear's words for people. */
  readonly words: string
}

export type Answered<A> = Either.Either<A, Failure>

/** A failure's particulars, beside its message. */
export const extensionsOf = ({ code, status, type, words }: Failure) => ({
  type,
  code,
  statusCode: status,
  userError: status < 500,
  userPresentableMessage: words
})

export const refusal = (failures: ReadonlyArray<Failure>, status: number): Reply => ({
  status,
  body: { errors: failures.map((failure) => ({ message: failure.message, extensions: extensionsOf(failure) })) }
})

/** The operation is not one of the schema: nothing of it ran. */
export const notOfSchema = (message: string): Failure => ({
  message,
  code: "GRAPHQL_VALIDATION_FAILED",
  type: "graphql error",
  status: 400,
  words: message
})

export const invalid = (message: string, words = message): Failure => ({
  message,
  code: "INPUT_ERROR",
  type: "invalid input",
  status: 400,
  words
})

export const notFound = (what: string): Failure =>
  invalid(`Entity not found: ${what}`, `Could not find referenced ${what}.`)

export const fail = (failure: Failure) => Either.left(failure)
