import type { HttpServerRequest } from "@effect/platform"
import { Effect, ExecutionStrategy, Exit, Scope, Stream } from "effect"
import { IncomingMessage } from "node:http"

/** Breaks the client's connection off: the server would end an answer that is not whole as if it were. */
const breakOff = ({ source }: HttpServerRequest.HttpServerRequest) =>
  Effect.sync(() => {
    if (source instanceof IncomingMessage) source.socket.destroy()
  })

/**
 * Opens what comes in from elsewhere for the client of a request, who has some milliseconds to read it, as `time` says once it
 * is open. What is not whole by then, or breaks off, ends the client's connection.
 */
export const relay = Effect.fnUntraced(function* <
  A extends { readonly content: Stream.Stream<Uint8Array, unknown> },
  E,
  R
>(open: Effect.Effect<A, E, R>, request: HttpServerRequest.HttpServerRequest, time: Effect.Effect<number>) {
  const scope = yield* Effect.flatMap(Effect.scope, (all) => Scope.fork(all, ExecutionStrategy.sequential))
  const opened = yield* Scope.extend(open, scope)
  yield* Scope.close(scope, Exit.void).pipe(
    Effect.zipRight(breakOff(request)),
    Effect.delay(yield* time),
    Effect.forkScoped
  )
  return { ...opened, content: Stream.onError(opened.content, () => breakOff(request)) }
})
