import {
  HttpClient,
  HttpClientError,
  type HttpClientRequest,
  type HttpClientResponse,
  UrlParams
} from "@effect/platform"
import * as NodeStream from "@effect/platform-node/NodeStream"
import * as Undici from "@effect/platform-node/Undici"
import { Effect, Layer } from "effect"
import { EventEmitter } from "node:events"
import type { Readable } from "node:stream"
import { Answer } from "./Answer.ts"
import { answerLimit } from "./AnswerLimit.ts"

/** `UrlParams.makeUrl` would take the whole address apart again for each parameter. */
const targetOf = ({ url, urlParams }: HttpClientRequest.HttpClientRequest) => {
  const { origin, pathname, search } = new URL(url)
  const query = UrlParams.toString(urlParams)
  const joint = query === "" ? "" : search === "" ? "?" : "&"
  return { origin, path: pathname + search + joint + query }
}

const contentOf = ({
  body
}: HttpClientRequest.HttpClientRequest): Effect.Effect<Uint8Array | Readable | null> | undefined => {
  if (body._tag === "Empty") return Effect.succeed(null)
  if (body._tag === "Uint8Array") return Effect.succeed(body.body)
  return body._tag === "Stream" ? NodeStream.toReadable(body.stream) : undefined
}

const send =
  (agent: Undici.Agent, limit: number) =>
  (
    request: HttpClientRequest.HttpClientRequest
  ): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> => {
    const fail = (reason: HttpClientError.RequestError["reason"], cause: unknown) =>
      Effect.fail(new HttpClientError.RequestError({ request, reason, cause }))
    if (!URL.canParse(request.url)) return fail("InvalidUrl", "not an address")
    const content = contentOf(request)
    if (content === undefined) return fail("Encode", "a body is bytes or a stream")
    return Effect.flatMap(content, (body) =>
      Effect.async((resume) => {
        // what undici takes in place of an AbortSignal, at a fraction of its cost
        // oxlint-disable-next-line unicorn/prefer-event-target
        const signal = new EventEmitter()
        agent.request({ ...targetOf(request), signal, method: request.method, headers: request.headers, body }).then(
          (source) => resume(Effect.succeed(new Answer(request, source, limit))),
          (cause: unknown) => resume(fail("Transport", cause))
        )
        return Effect.sync(() => signal.emit("abort"))
      })
    )
  }

/** A client over connections of its own; `limit`: bytes of an answer that are read as a whole. */
export const clientOf = (agent: Undici.Agent, limit: number): HttpClient.HttpClient =>
  HttpClient.makeWith(
    (request: Effect.Effect<HttpClientRequest.HttpClientRequest>) => Effect.flatMap(request, send(agent, limit)),
    Effect.succeed<HttpClientRequest.HttpClientRequest>
  )

/** Connections that are kept and shared, until the scope ends. */
export const agentOf = (options: Undici.Agent.Options) =>
  Effect.acquireRelease(
    Effect.sync(() => new Undici.Agent({ pipelining: 1, headersTimeout: 0, bodyTimeout: 0, ...options })),
    (agent) => Effect.promise(() => agent.close())
  )

/**
 * The way out to the network: connections are kept and shared. How long a call may take is its caller's to say; how much of
 * an answer is read, the operator's (`ANSWER_LIMIT`).
 *
 * The platform's own client of undici keeps every text for a second reading, watches every answer until it is collected and
 * makes an abort controller for each call: a third of what a short call costs (`docs/decisions/0002-http-client.md`).
 */
export const layer = Layer.scoped(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const agent = yield* agentOf({
      // to one host; more than calls and downloads may run, so that token endpoints are reached whatever hangs
      connections: 1280,
      keepAliveTimeout: 30_000,
      connect: { timeout: 5_000 }
    })
    return clientOf(agent, yield* answerLimit)
  })
)
