import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import {
  createMcpHandler,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  validateOriginHeader
} from "@modelcontextprotocol/server"
import { Deferred, Duration, Effect, Fiber, FiberSet, Option, Stream } from "effect"
import { bodyLimit } from "../platform/Requests.ts"

/** Runs an Effect for a handler of a library. It ends when the client goes away. */
export type Run<R> = <A>(effect: Effect.Effect<A, Error, R>) => Promise<A>

/** Host names of a machine itself, as browsers write them. */
const local = ["localhost", "127.0.0.1", "[::1]"]

/** Whether a page of this origin is on this machine, or on these hosts; a client that sends none is no browser. */
export const isOwnOrigin = (origin: string | undefined, hosts: ReadonlyArray<string>) =>
  validateOriginHeader(origin, [...local, ...hosts]).ok

/** How often a slow answer shows a sign of life: proxies close idle connections. */
const signOfLife = Duration.seconds(15)

/** Streams must not be compressed either, or proxies hold back events. */
const notKept = "no-store, no-transform"

const keepAlives = Stream.tick(signOfLife).pipe(
  Stream.map(() => ": keep-alive\n\n"),
  Stream.encodeText
)

/** The rest of an answer as server-sent events; plain JSON becomes the only event. */
const eventsOf = (response: Response): Stream.Stream<Uint8Array> => {
  const { body } = response
  if (body === null) return Stream.empty
  return response.headers.get("content-type")?.startsWith("text/event-stream") === true
    ? Stream.orDie(Stream.fromReadableStream<Uint8Array, unknown>({ evaluate: () => body, onError: (error) => error }))
    : Stream.fromEffect(Effect.promise(() => response.text())).pipe(
        Stream.map((json) => `event: message\ndata: ${json}\n\n`),
        Stream.encodeText
      )
}

/**
 * Revision 2025-06-18 took batches out of the protocol (https://modelcontextprotocol.io/specification/2025-06-18/changelog),
 * and what one request may do is counted by message.
 */
const noBatches = {
  jsonrpc: "2.0",
  id: null,
  error: { code: ProtocolErrorCode.InvalidRequest, message: "Batches are not taken: send each message by itself." }
}

const stopping = new ProtocolError(ProtocolErrorCode.InternalError, "The service is restarting. Try again.")

/** Time that calls have to say that they are ending before their streams are closed. */
const goodbye = Duration.millis(500)

/**
 * Answers one exchange of the Model Context Protocol over Streamable HTTP, without a session: revision 2026-07-28 and those
 * of 2025 alike (https://modelcontextprotocol.io/specification/2026-07-28/basic/transports). `text` is the message, `make`
 * makes the server for it, and handlers are interrupted when the client closes the exchange. `stop`: done when the exchange
 * has to end; calls that are still running then answer an error.
 *
 * An answer that is ready soon keeps its own status; a later one becomes a stream with signs of life.
 */
export const serve = <R>(
  text: string,
  make: (run: Run<R>) => McpServer,
  stop: Option.Option<Deferred.Deferred<void>>
) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    if (text.trimStart().startsWith("[")) return HttpServerResponse.unsafeJson(noBatches, { status: 400 })
    const stopped = Option.match(stop, { onNone: () => Effect.never, onSome: Deferred.await })
    const runPromise = yield* Effect.withUnhandledErrorLogLevel(
      FiberSet.makeRuntimePromise<R, unknown, Error>(),
      // the promise reports failures; a log would hold a provider's own words
      Option.none()
    )
    const run: Run<R> = (effect) =>
      runPromise(Effect.raceFirst(effect, Effect.zipRight(stopped, Effect.fail(stopping))))
    const controller = yield* Effect.acquireRelease(
      Effect.sync(() => new AbortController()),
      (controller) => Effect.sync(() => controller.abort())
    )
    const handler = yield* Effect.acquireRelease(
      Effect.sync(() =>
        createMcpHandler(() => make(run), {
          keepAliveMs: Duration.toMillis(signOfLife),
          maxRequestBodySize: bodyLimit
        })
      ),
      (handler) => Effect.promise(() => handler.close())
    )
    yield* stopped.pipe(
      Effect.zipRight(Effect.sleep(goodbye)),
      Effect.zipRight(Effect.promise(() => handler.close())),
      Effect.forkScoped
    )
    const headers = new Headers(request.headers)
    // the body has been read, and its length as text may differ
    headers.delete("content-length")
    const exchange = new Request(new URL(request.url, "http://localhost"), {
      method: "POST",
      headers,
      body: text,
      // a web server signals by this that the client is gone; Node's does so by ending the scope
      signal:
        request.source instanceof Request
          ? AbortSignal.any([controller.signal, request.source.signal])
          : controller.signal
    })
    const answering = yield* Effect.forkScoped(Effect.promise(() => handler.fetch(exchange)))
    const soon = yield* Effect.timeoutOption(Effect.disconnect(Fiber.join(answering)), signOfLife)
    return Option.match(soon, {
      onSome: (answer) => HttpServerResponse.setHeader(HttpServerResponse.fromWeb(answer), "cache-control", notKept),
      onNone: () =>
        HttpServerResponse.stream(
          Stream.merge(keepAlives, Stream.flatMap(Fiber.join(answering), eventsOf), { haltStrategy: "right" }),
          {
            contentType: "text/event-stream",
            headers: { "cache-control": notKept, "x-accel-buffering": "no" }
          }
        )
    })
  })
