import {
  APICallError,
  InvalidToolInputError,
  NoOutputGeneratedError,
  NoSuchToolError,
  RetryError,
  ToolCallRepairError,
  ToolChoiceViolationError
} from "ai"
import { Option, Schema } from "effect"
import { isObject } from "./Json.ts"

/** The model was silent for longer than a stream may be. */
export class ModelStalled extends Schema.TaggedError<ModelStalled>()("ModelStalled", { seconds: Schema.Int }) {
  override get message() {
    return `The model was silent for ${this.seconds} seconds.`
  }
}

/** The model, or its provider's safety filter, refuses to answer. */
export class ModelDeclined extends Schema.TaggedError<ModelDeclined>()("ModelDeclined", {}) {
  override get message() {
    return "The model declined to answer this, and it is not kept in the session. Ask in another way."
  }
}

const Failure = Schema.Struct({ message: Schema.String, approval_url: Schema.optional(Schema.String) })
const One = Schema.decodeUnknownOption(Schema.Struct({ error: Failure }))
const Several = Schema.decodeUnknownOption(
  Schema.Struct({ results: Schema.Array(Schema.Struct({ error: Schema.optional(Failure) })) })
)

/** A call of a tool that failed. Its message is the whole answer as JSON, which a model needs to do better. */
export class ToolCallFailed extends Schema.TaggedError<ToolCallFailed>()("ToolCallFailed", { answer: Schema.Unknown }) {
  override get message() {
    return JSON.stringify(this.answer)
  }

  /** For a person. */
  get words() {
    const several = Option.match(Several(this.answer), {
      onNone: () => [],
      onSome: ({ results }) => results.flatMap(({ error }) => (error === undefined ? [] : told(error)))
    })
    return Option.match(One(this.answer), {
      onNone: () => [...new Set(several)].join(" "),
      onSome: ({ error }) => told(error)
    })
  }
}

/** Includes the link to a consent, so that it reaches the user even when the model does not pass it on. */
const told = ({ approval_url, message }: typeof Failure.Type) =>
  approval_url === undefined ? message : `${message} Approve it at ${approval_url} and ask for it again.`

/** Describes a failure to the user. The model provider's own words may hold keys and prompts, so they are not passed on. */
export const wordsOf = (error: unknown): string => {
  if (typeof error === "string") return error
  if (error instanceof ToolCallFailed) return error.words
  if (error instanceof ModelStalled || error instanceof ModelDeclined) return error.message
  if (InvalidToolInputError.isInstance(error) || NoSuchToolError.isInstance(error)) return error.message
  if (ToolCallRepairError.isInstance(error)) return "The model's call of a tool cannot be read."
  if (RetryError.isInstance(error)) return wordsOf(error.lastError)
  if (NoOutputGeneratedError.isInstance(error)) return "The model answered nothing."
  if (ToolChoiceViolationError.isInstance(error)) return "The model went on calling tools where it had to answer."
  if (!APICallError.isInstance(error)) return "The model's answer broke off."
  switch (error.statusCode) {
    case undefined:
      return "The model cannot be reached."
    case 200:
      return "The model's answer broke off."
    case 401:
    case 403:
      return "The model's provider refused this service's credentials. Its operator checks LLM_API_KEY and LLM_MODEL."
    case 404:
      return "The model's provider has no such model. The operator of this service checks LLM_MODEL and LLM_BASE_URL."
    case 413:
      return "The conversation is longer than the model takes. Begin a new session."
    case 429:
      return "The model is used too much at the moment. Try again later."
    default:
      return error.statusCode < 500
        ? "The model refused the conversation: it may be too long, or hold something that the model does not take."
        : "The model's provider has a failure. Try again later."
  }
}

/** Facts of a failure for the operator: nobody's own words, since they may quote the conversation. */
export const factsOf = (error: unknown): { readonly [name: string]: string | number } => {
  if (RetryError.isInstance(error)) return { ...factsOf(error.lastError), attempts: error.errors.length }
  // an error event within an answer is not an Error
  if (!APICallError.isInstance(error)) {
    return error instanceof Error ? { failure: error.name } : { failure: "error event", ...codesOf(error) }
  }
  const said = isObject(error.data) ? error.data["error"] : undefined
  return { failure: error.name, status: error.statusCode ?? 0, ...codesOf(said) }
}

const codesOf = (said: unknown): { readonly [name: string]: string } =>
  Object.fromEntries(
    ["code", "type"].flatMap((key) => {
      const value = isObject(said) ? said[key] : undefined
      return typeof value === "string" && /^[\w.-]{1,64}$/.test(value) ? [[key, value] as const] : []
    })
  )
