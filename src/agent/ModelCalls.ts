import { wrapLanguageModel } from "ai"
import { Cause, type Clock, Duration, Effect, Exit, FiberId } from "effect"
import { factsOf, ModelDeclined, ModelStalled, wordsOf } from "./ChatFailures.ts"
import type { Run } from "./McpBridge.ts"
import type { Model } from "./Model.ts"
import { acceptable } from "./Prompts.ts"

/** Time that a model may be silent, before its answer and within it. */
const silence = Duration.seconds(60)

const stalled = () => new ModelStalled({ seconds: Duration.toSeconds(silence) })

/**
 * A model whose calls are traced, without any of the conversation, and end when it falls silent. A failure within an answer
 * becomes a part of the answer, so that the parts before it count. A caller may repeat a call that has not begun to answer,
 * but never one that has. `conversation`: id of the chat session.
 */
export const watched = (model: Model, conversation: string, run: Run<never>): Model =>
  wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: "v3",
      transformParams: ({ params }) => Promise.resolve(acceptable(model, params)),
      wrapStream: ({ doStream }) => run(call(model, conversation, doStream, run))
    }
  })

type Answer = Awaited<ReturnType<Model["doStream"]>>
type Part = Answer["stream"] extends ReadableStream<infer P> ? P : never

/** Span attributes by OpenTelemetry's names (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/). */
const call = Effect.fnUntraced(function* (
  { modelId, provider }: Model,
  conversation: string,
  doStream: () => PromiseLike<Answer>,
  run: Run<never>
) {
  const span = yield* Effect.makeSpan(`chat ${modelId}`, {
    kind: "client",
    attributes: {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": provider.replace(/\..*/, ""),
      "gen_ai.request.model": modelId,
      "gen_ai.conversation.id": conversation
    }
  })
  const clock = yield* Effect.clock
  const end = (exit: Exit.Exit<unknown, unknown>) => {
    if (Exit.isFailure(exit) && !Cause.isInterruptedOnly(exit.cause)) {
      const { failure = "", status = failure } = factsOf(Cause.squash(exit.cause))
      span.attribute("error.type", String(status))
    }
    // a provider's own words may hold keys and the conversation
    const told = Exit.mapError(exit, (error) => new Error(wordsOf(error)))
    span.end(clock.unsafeCurrentTimeNanos(), told)
  }
  const answer = yield* Effect.tryPromise({ try: doStream, catch: thrown }).pipe(
    Effect.timeoutFail({ duration: silence, onTimeout: stalled }),
    Effect.onError((cause) => Effect.sync(() => end(Exit.failCause(cause))))
  )
  const heard = (part: Part) => {
    if (part.type === "error") span.attribute("error.type", "model")
    if (part.type !== "finish") return
    span.attribute("gen_ai.response.finish_reasons", [part.finishReason.unified])
    span.attribute("gen_ai.usage.input_tokens", part.usage.inputTokens.total)
    span.attribute("gen_ai.usage.cache_read.input_tokens", part.usage.inputTokens.cacheRead)
    span.attribute("gen_ai.usage.cache_creation.input_tokens", part.usage.inputTokens.cacheWrite)
    span.attribute("gen_ai.usage.output_tokens", part.usage.outputTokens.total)
  }
  return { ...answer, stream: unbroken({ stream: answer.stream, clock, run, heard, end }) }
})

/** Some providers end a refused answer without saying why. */
const isRefusal = (part: Part) => part.type === "finish" && part.finishReason.unified === "content-filter"

/** The error that a library's promise was rejected with. */
export const thrown = (error: unknown) => (error instanceof Error ? error : new Error(String(error)))

/**
 * An answer that never fails: it ends with an error part instead. Models write thousands of small parts, so they are passed
 * on directly, and one timer watches all of them.
 */
const unbroken = ({
  clock,
  end,
  heard,
  run,
  stream
}: {
  readonly stream: ReadableStream<Part>
  readonly clock: Clock.Clock
  readonly run: Run<never>
  readonly heard: (part: Part) => void
  readonly end: (exit: Exit.Exit<unknown, unknown>) => void
}): ReadableStream<Part> => {
  const reader = stream.getReader()
  const now = () => clock.unsafeCurrentTimeMillis()
  /** Time since which the model has been waited for; undefined: it is not. */
  let waiting: number | undefined
  let isOver = false

  const close = (controller: ReadableStreamDefaultController<Part>, error?: unknown) => {
    isOver = true
    if (error !== undefined) controller.enqueue({ type: "error", error })
    controller.close()
    end(error === undefined ? Exit.void : Exit.fail(error))
  }

  const watch = (controller: ReadableStreamDefaultController<Part>): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (isOver) return Effect.void
      const left = (waiting ?? now()) + Duration.toMillis(silence) - now()
      if (left > 0) return Effect.zipRight(Effect.sleep(left), watch(controller))
      close(controller, stalled())
      return Effect.ignore(Effect.tryPromise(() => reader.cancel()))
    })

  return new ReadableStream({
    start: (controller) => {
      // ends with the turn
      run(watch(controller)).catch(() => {})
    },
    pull: async (controller) => {
      waiting = now()
      try {
        const { done, value } = await reader.read()
        if (isOver) return
        if (done) return close(controller)
        heard(value)
        if (isRefusal(value)) controller.enqueue({ type: "error", error: new ModelDeclined() })
        controller.enqueue(value)
      } catch (error) {
        if (!isOver) close(controller, error)
      } finally {
        waiting = undefined
      }
    },
    cancel: (reason) => {
      isOver = true
      end(Exit.failCause(Cause.interrupt(FiberId.none)))
      return reader.cancel(reason)
    }
  })
}
