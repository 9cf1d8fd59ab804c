import {
  convertToModelMessages,
  jsonSchema,
  type LanguageModelUsage,
  type ModelMessage,
  Output,
  stepCountIs,
  streamText,
  type StepResult,
  type ToolSet,
  type UIMessage,
  type UIMessageChunk
} from "ai"
import { Deferred, Effect, FiberSet, Option } from "effect"
import { randomUUID } from "node:crypto"
import type { JsonObject } from "../toolkits/Tool.ts"
import { withFiles } from "./Attachments.ts"
import { factsOf, wordsOf } from "./ChatFailures.ts"
import { asMessages, fitting, type Recalled, sumUp } from "./ChatMemory.ts"
import { bytesInToken, type Room } from "./ChatRoom.ts"
import type { Usage } from "./ChatSessionsApi.ts"
import { type Asking, chatTools } from "./ChatTools.ts"
import { isObject, parsed } from "./Json.ts"
import type { ChatModel } from "./LanguageModel.ts"
import { thrown, watched } from "./ModelCalls.ts"
import type { Session } from "./ToolGate.ts"
import type { ToolRouter } from "./ToolRouter.ts"

export { recalled } from "./ChatMemory.ts"
export { readMessages, withConsents } from "./ChatMessages.ts"

/** Tokens that the calls of one turn may take together before it has to end. */
const tokenBudget = 200_000

/** Repeats of a call of the model that failed before it answered. */
const maxRetries = 2

/** Everything that one turn needs. */
export interface Turn extends Asking {
  readonly sessionId: string
  readonly session: Session
  readonly router: ToolRouter["Type"]
  readonly model: ChatModel
  readonly system: string
  readonly messages: Array<UIMessage>
  /** The part of the messages that is sent to the model. */
  readonly memory: Recalled
  readonly room: Room
  /** Called with the summary of the oldest turns. */
  readonly onSummary: (summary: UIMessage) => void
  /** Calls of the model; in the last it has to answer. */
  readonly maxSteps: number
  /** JSON Schema of the answer; undefined: it is in words. */
  readonly outputSchema: JsonObject | undefined
  /** Done when streams have to end, because the service stops. */
  readonly stop: Option.Option<Deferred.Deferred<void>>
  /** Called with the tokens of each completed call of the model. */
  readonly onStep: (usage: Usage) => void
  /** Called with the conversation and what the turn added, also when it was stopped. */
  readonly onFinish: (messages: ReadonlyArray<UIMessage>) => void
}

/**
 * Reads the next part of what a client is shown; none after the last. Nothing is lost when it is interrupted: the next read
 * gets the part. It is not a `Stream`, since everyone who chats has one, and each stage of one takes 10 to 40 KB.
 */
export type Next = Effect.Effect<Option.Option<UIMessageChunk>>

/**
 * Lets the model answer, with tools, and returns what a client is shown as it comes
 * (https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol#data-stream-protocol). A failure is a part of it like any other. When
 * the scope closes, the call of the model and the tools that run are stopped.
 */
export const answer = Effect.fnUntraced(function* ({
  maxSteps,
  messages,
  model,
  onFinish,
  onStep,
  outputSchema,
  system,
  ...turn
}: Turn) {
  let read: Read | undefined
  // of a turn that its client left, what was said until then
  yield* Effect.addFinalizer(() => Effect.suspend(() => (read === undefined ? Effect.void : readToItsEnd(read))))
  // failures are reported where they are awaited; logged as unhandled, they would be in providers' words
  const run = yield* Effect.withUnhandledErrorLogLevel(
    FiberSet.makeRuntimePromise<never, unknown, Error>(),
    Option.none()
  )
  const controller = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  // a service that stops does not wait for a model
  if (Option.isSome(turn.stop)) {
    const abort = Effect.sync(() => controller.abort("The service is being stopped."))
    yield* Effect.forkScoped(Effect.zipRight(Deferred.await(turn.stop.value), abort))
  }
  const { endOfCalls, repair, signatureOf, tools } = chatTools(turn.router, turn.session, run, turn)

  /** Why no more tools may be called in this turn. */
  const endOf = (steps: ReadonlyArray<StepResult<ToolSet>>) => {
    const end = endOfCalls()
    if (end !== undefined) return end
    if (tokensOf(steps) >= tokenBudget) return "This turn has used up its tokens."
    return steps.length >= maxSteps - 1 ? "This turn has used up its steps." : undefined
  }

  const { memory, onSummary, room } = turn
  const recent = withFiles(memory.recent, room.said)
  const prompt = yield* Effect.promise(() =>
    convertToModelMessages(recent.messages, { tools, ignoreIncompleteToolCalls: true })
  )
  let lastText = ""
  const answering = { ...model, model: watched(model.model, turn.sessionId, run) }
  /** Tokens that a summary took; they count as the turn's. */
  let summing: Usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0 }
  // within the stream, so that nothing else waits for it
  const beginning = Effect.gen(function* () {
    if (memory.old.length === 0) return asMessages(memory.summary, false)
    const summary = yield* sumUp(memory, messages, answering, room, controller.signal, (usage) => {
      summing = usageOf(usage)
      onStep(summing)
    })
    if (summary !== undefined) onSummary(summary)
    return asMessages(summary ?? memory.summary, summary === undefined)
  })
  let before: ReadonlyArray<ModelMessage> | undefined
  const result = streamText({
    model: answering.model,
    ...(model.maxOutputTokens === undefined ? {} : { maxOutputTokens: model.maxOutputTokens }),
    providerOptions: {
      // the provider does not store the conversation; the cache key lets each turn reuse its beginning
      openai: { store: false, promptCacheKey: turn.sessionId },
      // https://platform.claude.com/docs/en/build-with-claude/prompt-caching#automatic-caching
      anthropic: { cacheControl: { type: "ephemeral" } }
    },
    system,
    messages: prompt,
    tools,
    experimental_repairToolCall: repair,
    // files are in the messages: nothing is fetched
    experimental_download: (files) => Promise.resolve(files.map(() => null)),
    prepareStep: async ({ messages: since, steps }) => {
      before ??= await run(beginning)
      const sent = fitting([...before, ...since], room.messages - recent.tokens * bytesInToken)
      const end = endOf(steps)
      return end === undefined
        ? { messages: sent }
        : {
            messages: sent,
            toolChoice: "none",
            system: `${system}\n\n${end} Call no more tools: answer now with what you have.`
          }
    },
    stopWhen: stepCountIs(maxSteps),
    maxRetries,
    abortSignal: controller.signal,
    ...(outputSchema === undefined ? {} : { output: Output.object({ schema: jsonSchema({ ...outputSchema }) }) }),
    onStepFinish: ({ text, usage }) => {
      lastText = text
      onStep(usageOf(usage))
    },
    onError: ({ error }) => void run(Effect.annotateLogs(Effect.logWarning("the model failed"), factsOf(error)))
  })

  const shown = result.toUIMessageStream({
    originalMessages: messages,
    generateMessageId: () => `msg_${randomUUID()}`,
    messageMetadata: ({ part }) => {
      if (part.type === "start") return { sessionId: turn.sessionId }
      if (part.type !== "finish") return undefined
      return { usage: together(summing, usageOf(part.totalUsage)) }
    },
    onError: wordsOf,
    // providers go on refusing while the message they refused is there
    // (https://platform.claude.com/docs/en/test-and-evaluate/strengthen-guardrails/handle-streaming-refusals)
    onFinish: ({ finishReason, messages: all }) =>
      onFinish(finishReason === "content-filter" ? all.slice(0, all.findLastIndex(isUsers)) : all)
  })
  const chunk = (read = readerOf(shown))

  let isBroken = false
  const next: Next = Effect.suspend(() => (isBroken ? Effect.succeedNone : chunk)).pipe(
    Effect.map(
      Option.map((chunk): UIMessageChunk => {
        // the SDK does not know that a tool that is not listed is one of ours
        if (chunk.type === "tool-input-start") return { ...chunk, dynamic: true }
        if (chunk.type === "finish" && chunk.finishReason === "stop" && outputSchema !== undefined) {
          return Option.exists(parsed(lastText), isObject) ? chunk : { type: "error", errorText: notAsAsked }
        }
        if (chunk.type !== "tool-approval-request") return chunk
        const signature = signatureOf(chunk.toolCallId)
        return signature === undefined ? chunk : { ...chunk, signature }
      })
    ),
    Effect.catchAll((error) => {
      isBroken = true
      return Effect.as(
        Effect.annotateLogs(Effect.logError("a turn broke off"), factsOf(error)),
        Option.some({ type: "error" as const, errorText: wordsOf(error) })
      )
    })
  )
  return next
})

const usageOf = ({ inputTokenDetails, inputTokens = 0, outputTokens = 0 }: LanguageModelUsage): Usage => ({
  inputTokens,
  cachedInputTokens: inputTokenDetails.cacheReadTokens ?? 0,
  outputTokens
})

/** Adds up the usage of two calls of the model. */
export const together = (one: Usage, other: Usage): Usage => ({
  inputTokens: one.inputTokens + other.inputTokens,
  cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
  outputTokens: one.outputTokens + other.outputTokens
})

const notAsAsked = "The model did not answer with a JSON object, as outputSchema asks."

const isUsers = ({ role }: UIMessage) => role === "user"

const tokensOf = (steps: ReadonlyArray<StepResult<ToolSet>>) =>
  steps.reduce((sum, { usage }) => sum + (usage.totalTokens ?? 0), 0)

type Read = Effect.Effect<Option.Option<UIMessageChunk>, Error>

/** Reads one chunk after the other; an interrupted read goes on for the next reader. */
const readerOf = (chunks: ReadableStream<UIMessageChunk>): Read => {
  const reader = chunks.getReader()
  let coming: ReturnType<typeof reader.read> | undefined
  return Effect.tryPromise({
    try: () =>
      (coming ??= reader.read().finally(() => {
        coming = undefined
      })),
    catch: thrown
  }).pipe(Effect.map(({ done, value }) => (done ? Option.none() : Option.some(value))))
}

const readToItsEnd = (read: Read) =>
  Effect.repeat(read, { until: Option.isNone }).pipe(Effect.timeout("1 second"), Effect.ignore)
