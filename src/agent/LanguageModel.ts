import { Config, ConfigError, Context, Effect, Layer, Option, Redacted } from "effect"
import { answerLimit, limitedFetch } from "../platform/AnswerLimit.ts"
import { Unavailable, Unprocessable } from "../platform/Errors.ts"
import type { Environment } from "../tenancy/CurrentCaller.ts"
import type { Model } from "./Model.ts"
import { scriptedModel } from "./ScriptedModel.ts"

/** A model for chat. */
export interface ChatModel {
  /** @internal */
  readonly model: Model
  /** Most tokens of one answer of the model; undefined: as many as its provider allows. */
  readonly maxOutputTokens: number | undefined
}

/** The model behind chat: the operator's, or, for the sandbox alone, a built-in one that follows a script. */
export class LanguageModel extends Context.Tag("tributary/agent/LanguageModel")<
  LanguageModel,
  {
    /** The operator's usual model, or the named one. */
    readonly of: (
      environment: Environment,
      name: string | null
    ) => Effect.Effect<ChatModel, Unavailable | Unprocessable>
    /** Names of the models that the operator allows, the usual one first; none where no provider is set. */
    readonly names: ReadonlyArray<string>
    /** Why a model may not be chosen; undefined: it may. */
    readonly refusalOf: (name: string) => string | undefined
  }
>() {
  /** From `LLM_PROVIDER`, `LLM_BASE_URL`, `LLM_API_KEY`, `LLM_MODEL`, `LLM_MODELS` and `LLM_MAX_TOKENS`. */
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
          of: (environment, name) =>
            name !== null
              ? refused(withoutChoice)
              : environment === "sandbox"
                ? Effect.succeed(scripted)
                : Effect.fail(notConfigured),
          names: [],
          refusalOf: () => withoutChoice
        }
      }
      const usual = yield* Config.nonEmptyString("LLM_MODEL")
      const names = [...new Set([usual, ...(yield* moreModels)])]
      const modelOf = yield* modelsOf(provider.value)
      const models = new Map(names.map((name) => [name, { model: modelOf(name), maxOutputTokens }]))
      const refusal = `must be one of the models that the operator of this service allows: ${names.join(", ")}`
      return {
        of: (_, name) =>
          Option.match(Option.fromNullable(models.get(name ?? usual)), {
            onNone: () => refused(refusal),
            onSome: Effect.succeed
          }),
        names,
        refusalOf: (name) => (models.has(name) ? undefined : refusal)
      }
    })
  )
}

const providers = ["anthropic", "openai", "openai-compatible"] as const

const notConfigured = new Unavailable({
  message: "Chat has no language model. The operator of this service sets LLM_PROVIDER, LLM_MODEL and LLM_API_KEY."
})

const withoutChoice = "cannot be chosen here: the operator of this service has set no LLM_PROVIDER"

const refused = (message: string) => Effect.fail(new Unprocessable({ errors: { model: message } }))

/** The models that may be chosen beside the usual one. */
const moreModels = Config.string("LLM_MODELS").pipe(
  Config.map((names) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "")
  ),
  Config.validate({
    message: "Expected names of models with commas between them",
    validation: (names) => names.every((name) => /^[!-~]{1,200}$/.test(name))
  }),
  Config.withDefault([])
)

const maxTokens = Config.integer("LLM_MAX_TOKENS").pipe(
  Config.validate({ message: "Expected 1 or more tokens", validation: (tokens) => tokens > 0 }),
  Config.option
)

/** Fails for settings that only make sense with a provider when none is set. */
const withoutProvider = Effect.forEach(["LLM_MODEL", "LLM_MODELS", "LLM_API_KEY", "LLM_BASE_URL"], (name) =>
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

/** A header takes no spaces or line ends, and its error message would show the key. */
const apiKey = Config.string().pipe(
  Config.map((key) => key.trim()),
  Config.validate({
    message: "Expected a key: characters of ASCII without spaces",
    validation: (key) => /^[!-~]+$/.test(key)
  }),
  Config.map(Redacted.make),
  Config.nested("LLM_API_KEY")
)

/** Loads only the SDK of the provider in use, and passes it what it would otherwise read from the environment. */
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
      supportsStructuredOutputs: true,
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
