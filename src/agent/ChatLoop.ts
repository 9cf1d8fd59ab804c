import {
  convertToModelMessages,
  stepCountIs,
  streamText,
  type StepResult,
  type ToolSet,
  type UIMessage,
  type UIMessageChunk
} from "ai"
import { Deferred, Effect, FiberSet, Option, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { Shutdown } from "../platform/Shutdown.ts"
import { factsOf, wordsOf } from "./ChatFailures.ts"
import { chatTools, type Pending } from "./ChatTools.ts"
import type { ChatModel } from "./LanguageModel.ts"
import { watched } from "./ModelCalls.ts"
import type { Session } from "./ToolGate.ts"
import type { ToolRouter } from "./ToolRouter.ts"

export { readMessages, withConsents } from "./ChatMessages.ts"

/** Tokens that the calls of one turn may take together, after which it comes to its end. */
const tokenBudget = 200_000

/** Repeats of a call of the model that failed before it answered. */
const maxRetries = 2

/** What one turn is made of. */
export interface Turn {
  readonly sessionId: string
  readonly session: Session
  readonly router: ToolRouter["Type"]
  readonly model: ChatModel
  readonly system: string
  readonly messages: Array<UIMessage>
  /** Calls of the model; in the last it has to answer in words. */
  readonly maxSteps: number
  /** Signs a question for the user; undefined: nobody is asked. */
  readonly ask: ((pending: Pending) => Effect.Effect<string>) | undefined
  /** Gets the conversation with what the turn added, also when it was stopped. */
  readonly onFinish: (messages: ReadonlyArray<UIMessage>) => void
}

/**
 * Lets the model answer, with tools, and gives what a client is shown as it comes
 * (https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol#data-stream-protocol). A failure is a part of it like any other. When
 * the scope closes, the call of the model and the tools that run are stopped.
 */
export const answer = Effect.fnUntraced(function* ({ maxSteps, messages, model, onFinish, system, ...turn }: Turn) {
  let chunks: ReadableStream<UIMessageChunk> | undefined
  // of a turn that its client left, what was said until then
  yield* Effect.addFinalizer(() => Effect.suspend(() => (chunks === undefined ? Effect.void : readToItsEnd(chunks))))
  const run = yield* FiberSet.makeRuntimePromise<never, unknown, Error>()
  const controller = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  // a service that stops does not wait for a model
  const stop = yield* Effect.serviceOption(Shutdown)
  if (Option.isSome(stop)) {
    const abort = Effect.sync(() => controller.abort("The service is being stopped."))
    yield* Effect.forkScoped(Effect.zipRight(Deferred.await(stop.value), abort))
  }
  const { goesRoundInCircles, repair, signatureOf, tools } = chatTools(turn.router, turn.session, run, turn.ask)

  /** Why no more tools may be called in this turn. */
  const endOf = (steps: ReadonlyArray<StepResult<ToolSet>>) => {
    if (goesRoundInCircles()) return "The same call failed again and again."
    if (tokensOf(steps) >= tokenBudget) return "This turn has used up its tokens."
    return steps.length >= maxSteps - 1 ? "This turn has used up its steps." : undefined
  }

  const prompt = yield* Effect.promise(() =>
    convertToModelMessages(messages, { tools, ignoreIncompleteToolCalls: true })
  )
  const result = streamText({
    model: watched(model.model, run),
    ...(model.maxOutputTokens === undefined ? {} : { maxOutputTokens: model.maxOutputTokens }),
    // what is said here is not kept by the provider
    providerOptions: { openai: { store: false } },
    system,
    messages: prompt,
    tools,
    experimental_repairToolCall: repair,
    // files are in the messages: nothing is fetched
    experimental_download: (files) => Promise.resolve(files.map(() => null)),
    prepareStep: ({ steps }) => {
      const end = endOf(steps)
      return end === undefined
        ? {}
        : {
            toolChoice: "none",
            system: `${system}\n\n${end} Call no more tools: answer now, in words, with what you have.`
          }
    },
    stopWhen: stepCountIs(maxSteps),
    maxRetries,
    abortSignal: controller.signal,
    onError: ({ error }) => void run(Effect.annotateLogs(Effect.logWarning("the model failed"), factsOf(error)))
  })

  const shown = (chunks = result.toUIMessageStream({
    originalMessages: messages,
    generateMessageId: () => `msg_${randomUUID()}`,
    messageMetadata: ({ part }) => {
      if (part.type === "start") return { sessionId: turn.sessionId }
      if (part.type !== "finish") return undefined
      const { inputTokens, outputTokens } = part.totalUsage
      return { usage: { inputTokens, outputTokens } }
    },
    onError: wordsOf,
    onFinish: ({ messages }) => onFinish(messages)
  }))
  return Stream.fromReadableStream({
    evaluate: () => shown,
    onError: (error) => error,
    releaseLockOnEnd: true
  }).pipe(
    Stream.map((chunk): UIMessageChunk => {
      // of a tool that is not listed the SDK does not know that it is one of ours
      if (chunk.type === "tool-input-start") return { ...chunk, dynamic: true }
      if (chunk.type !== "tool-approval-request") return chunk
      const signature = signatureOf(chunk.toolCallId)
      return signature === undefined ? chunk : { ...chunk, signature }
    }),
    Stream.catchAll((error) =>
      Stream.fromEffect(
        Effect.as(Effect.annotateLogs(Effect.logError("a turn broke off"), factsOf(error)), {
          type: "error" as const,
          errorText: wordsOf(error)
        })
      )
    )
  )
})

const tokensOf = (steps: ReadonlyArray<StepResult<ToolSet>>) =>
  steps.reduce((sum, { usage }) => sum + (usage.totalTokens ?? 0), 0)

const readToItsEnd = (chunks: ReadableStream<unknown>) =>
  Stream.fromReadableStream({ evaluate: () => chunks, onError: (error) => error }).pipe(
    Stream.runDrain,
    Effect.timeout("1 second"),
    Effect.ignore
  )
