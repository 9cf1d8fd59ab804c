import { Config, ConfigError, Context, Effect, Layer, Option, Redacted } from "effect"
import { answerLimit, limitedFetch } from "../platform/AnswerLimit.ts"
import { Unavailable } from "../platform/Errors.ts"
import type { Environment } from "../tenancy/CurrentCaller.ts"
import type { Model } from "./Model.ts"
import { scriptedModel } from "./ScriptedModel.ts"

/** What answers in chat. */
export interface ChatModel {
  /** @internal */
  readonly model: Model
  /** Most tokens of one answer of the model; undefined: as many as its provider lets it. */
  readonly maxOutputTokens: number | undefined
}

/** The model behind chat: the operator's, or, for the sandbox alone, a built-in one that follows a script. */
export class LanguageModel extends Context.Tag("tributary/agent/LanguageModel")<
  LanguageModel,
  {
    /** The operator's model, or of the same provider the one that is named. */
    readonly of: (environment: Environment, name: string | null) => Effect.Effect<ChatModel, Unavailable>
    /** Why there is none to be named; undefined: there may be. */
    readonly isOnly: string | undefined
  }
>() {
  /** From `LLM_PROVIDER`, `LLM_BASE_URL`, `LLM_API_KEY`, `LLM_MODEL` and `LLM_MAX_TOKENS`. */
  static readonly layer = Layer.effect(
    LanguageModel,
    Effect.gen(function* () {
      // the SDK would print what a model does not support
      yield* Effect.sync(() => {
        globalThis.AI_SDK_LOG_WARNINGS = false
      })
      const maxOutputTokens = Option.getOrUndefined(yield* maxTokens)
      const provider = yield* Config.option(Config.literal(...providers)("LLM_PROVIDER"))
      if (Option.isNone(provider)) {
        yield* withoutProvider
        const scripted: ChatModel = { model: scriptedModel, maxOutputTokens: undefined }
        return {
          of: (environment: Environment, name: string | null) =>
            environment === "sandbox" && name === null ? Effect.succeed(scripted) : Effect.fail(notConfigured),
          isOnly: "cannot be chosen here: the operator of this service has set no LLM_PROVIDER"
        }
      }
      const usual = yield* Config.nonEmptyString("LLM_MODEL")
      const modelOf = yield* modelsOf(provider.value)
      const configured = { model: modelOf(usual), maxOutputTokens }
      return {
        of: (_, name) => Effect.succeed(name === null ? configured : { model: modelOf(name), maxOutputTokens }),
        isOnly: undefined
      }
    })
  )
}

const providers = ["anthropic", "openai", "openai-compatible"] as const

const notConfigured = new Unavailable({
  message: "Chat has no language model. The operator of this service sets LLM_PROVIDER, LLM_MODEL and LLM_API_KEY."
})

const maxTokens = Config.integer("LLM_MAX_TOKENS").pipe(
  Config.validate({ message: "Expected 1 or more tokens", validation: (tokens) => tokens > 0 }),
  Config.option
)

/** Settings that mean nothing without a provider were meant for one. */
const withoutProvider = Effect.forEach(["LLM_MODEL", "LLM_API_KEY", "LLM_BASE_URL"], (name) =>
  Effect.flatMap(Config.option(Config.redacted(name)), (value) =>
    Option.isNone(value)
      ? Effect.void
      : Effect.fail(
          ConfigError.MissingData(
            ["LLM_PROVIDER"],
            `Expected ${providers.join(", ")} to go with the ${name} that is set`
          )
        )
  )
)

const baseUrl = Config.url("LLM_BASE_URL").pipe(Config.map(({ href }) => href.replace(/\/$/, "")))

/** A header takes no spaces and no line ends, and says the key where it complains of one. */
const apiKey = Config.string().pipe(
  Config.map((key) => key.trim()),
  Config.validate({
    message: "Expected a key: characters of ASCII without spaces",
    validation: (key) => /^[!-~]+$/.test(key)
  }),
  Config.map(Redacted.make),
  Config.nested("LLM_API_KEY")
)

/** Only the SDK of the provider that is used is loaded. What it would look for in the environment is given to it. */
const modelsOf = Effect.fnUntraced(function* (
  provider: (typeof providers)[number]
): Effect.fn.Return<(name: string) => Model, ConfigError.ConfigError> {
  const fetch = limitedFetch(yield* answerLimit)
  if (provider === "openai-compatible") {
    const baseURL = yield* baseUrl
    const key = yield* Config.option(apiKey)
    const { createOpenAICompatible } = yield* Effect.promise(() => import("@ai-sdk/openai-compatible"))
    return createOpenAICompatible({
      name: "openai-compatible",
      baseURL,
      fetch,
      includeUsage: true,
      ...(Option.isNone(key) ? {} : { apiKey: Redacted.value(key.value) })
    })
  }
  const key = Redacted.value(yield* apiKey)
  if (provider === "anthropic") {
    const baseURL = yield* Config.withDefault(baseUrl, "https://api.anthropic.com/v1")
    const { createAnthropic } = yield* Effect.promise(() => import("@ai-sdk/anthropic"))
    return createAnthropic({ apiKey: key, baseURL, fetch })
  }
  const baseURL = yield* Config.withDefault(baseUrl, "https://api.openai.com/v1")
  const { createOpenAI } = yield* Effect.promise(() => import("@ai-sdk/openai"))
  return createOpenAI({ apiKey: key, baseURL, fetch })
})
