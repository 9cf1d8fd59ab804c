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

export const refusal = ({ code, message, status, type, words }: Failure, httpStatus: number, path?: string): Reply => ({
  status: httpStatus,
  body: {
    errors: [
      {
        message,
        ...(path === undefined ? {} : { path: [path] }),
        extensions: {
          type,
          code,
          statusCode: status,
          userError: status < 500,
          userPresentableMessage: words
        }
      }
    ],
    ...(path === undefined ? {} : { data: null })
  }
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
