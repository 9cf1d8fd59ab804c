import { Effect, Either, JSONSchema, Schema } from "effect"
import type { ApiError, FieldErrors } from "../platform/Errors.ts"
import { decoder, fieldErrorsOf } from "../platform/Issues.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import type { ProviderError } from "../providers/ProviderError.ts"

/**
 * Behaviour of a tool that clients may rely on, as MCP names it
 * (https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations). Every tool says all four.
 */
export interface Hints {
  /** It changes nothing. */
  readonly readOnly: boolean
  /** It changes or removes what is there, rather than only adding. */
  readonly destructive: boolean
  /** The same call again changes nothing more. */
  readonly idempotent: boolean
  /** It reaches people or systems beyond the connected account's own data. */
  readonly openWorld: boolean
}

/** The usual combinations. */
export const hints = {
  read: { readOnly: true, destructive: false, idempotent: true, openWorld: true },
  create: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  update: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  remove: { readOnly: false, destructive: true, idempotent: true, openWorld: true },
  send: { readOnly: false, destructive: true, idempotent: false, openWorld: true }
} as const satisfies { readonly [name: string]: Hints }

/** The arguments do not fit the tool's input; `errors` by dotted path. */
export class InvalidArguments extends Schema.TaggedError<InvalidArguments>()("InvalidArguments", {
  tool: Schema.String,
  errors: Schema.Record({ key: Schema.String, value: Schema.String })
}) {
  override get message() {
    return `The arguments do not fit ${this.tool}.`
  }
}

/** An action for an agent; `Context` says for whom and with what it runs. */
export interface Tool<Context> {
  /** `{toolkit}_{action}` in lower snake case, such as `github_create_issue`. */
  readonly name: string
  readonly title: string
  /** For a model: what it does, when to use it, what it answers. */
  readonly description: string
  /** Other words that people ask for it with; search finds it by them too. */
  readonly keywords: ReadonlyArray<string>
  readonly hints: Hints
  /** OAuth scopes the connection must have, by the provider's names. */
  readonly scopes: ReadonlyArray<string>
  /** Its answer holds files, whose comments are content: they are not taken out as hidden text. */
  readonly verbatim?: true
  /** JSON Schema 2020-12 of the arguments: an object without further properties. */
  readonly inputSchema: () => JsonObject
  /** Whether the arguments fit, without running. */
  readonly check: (args: unknown) => Either.Either<unknown, InvalidArguments>
  /** Decodes the arguments, all issues at once, and runs. The answer is JSON, small enough for a context window. */
  readonly call: (
    context: Context,
    args: unknown
  ) => Effect.Effect<unknown, InvalidArguments | ProviderError | ApiError>
}

/** A tool of a connected account. */
export type ConnectionTool = Tool<ConnectionRef>

export interface JsonObject {
  readonly [name: string]: unknown
}

const nothing: JsonObject = { type: "object", properties: {}, additionalProperties: false }

/** The JSON Schema of a tool's input, without members that models and gateways do not need. */
const inputSchemaOf = <A, I>(input: Schema.Schema<A, I>): JsonObject => {
  const made: JsonObject = { ...JSONSchema.make(input, { target: "jsonSchema2020-12" }) }
  // an empty struct means "anything but null" to JSON Schema's maker
  return made["type"] === "object"
    ? Object.fromEntries(Object.entries(made).filter(([name]) => name !== "$schema"))
    : nothing
}

/** Declares a tool; `input` is a struct of described fields, and `run` gets it decoded. */
export const tool = <Context, A, I>(declared: {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly keywords?: ReadonlyArray<string>
  readonly hints: Hints
  readonly scopes?: ReadonlyArray<string>
  readonly verbatim?: true
  readonly input: Schema.Schema<A, I>
  readonly run: (context: Context, input: A) => Effect.Effect<unknown, ProviderError | ApiError>
}): Tool<Context> => {
  const { hints, input, keywords = [], name, run, scopes = [], title, description, verbatim } = declared
  const decode = decoder(input.annotations({ parseOptions: { errors: "all", onExcessProperty: "error" } }))
  const invalid = (errors: FieldErrors) => new InvalidArguments({ tool: name, errors })
  const check = (args: unknown) => Either.mapLeft(decode(args), (error) => invalid(fieldErrorsOf(error)))
  let schema: JsonObject | undefined
  return {
    name,
    title,
    description,
    keywords,
    hints,
    scopes,
    ...(verbatim === undefined ? {} : { verbatim }),
    inputSchema: () => (schema ??= inputSchemaOf(input)),
    check,
    call: (context, args) => Effect.flatMap(check(args), (decoded) => run(context, decoded))
  }
}
