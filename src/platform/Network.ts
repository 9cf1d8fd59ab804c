import {
  Cookies,
  Headers,
  HttpClient,
  HttpClientError,
  type HttpClientRequest,
  HttpClientResponse,
  HttpIncomingMessage,
  UrlParams
} from "@effect/platform"
import { NodeStream, Undici } from "@effect/platform-node"
import { Effect, Inspectable, Layer, Option, type Stream } from "effect"
import { EventEmitter } from "node:events"
import type { Readable } from "node:stream"
import { answerLimit, AnswerTooLarge } from "./AnswerLimit.ts"

/**
 * An answer of undici's. Its body can be read once, and reading that is interrupted gives the connection up. As a whole no
 * more than `limit` bytes are read, of what is in the answer: undici unpacks nothing. The stream has no limit.
 */
class Answer extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpClientResponse.TypeId]: HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly request: HttpClientRequest.HttpClientRequest
  readonly status: number
  readonly headers: Headers.Headers
  readonly cookies: Cookies.Cookies
  readonly remoteAddress = Option.none()
  readonly #body: Body
  readonly #limit: number

  constructor(request: HttpClientRequest.HttpClientRequest, source: Undici.Dispatcher.ResponseData, limit: number) {
    super()
    this.#limit = limit
    this.request = request
    this.status = source.statusCode
    this.headers = Headers.fromInput(source.headers)
    this.cookies = Cookies.fromSetCookie(source.headers["set-cookie"] ?? [])
    this.#body = source.body
    // whoever reads is told; that nobody does is no reason to end the process
    source.body.on("error", () => {})
  }

  get text() {
    return Effect.map(this.#bytes, textOf)
  }
  get arrayBuffer() {
    // the bytes may stand in a larger piece of memory that is not theirs
    return Effect.map(this.#bytes, (bytes) => new Uint8Array(bytes).buffer)
  }
  get json(): Effect.Effect<unknown, HttpClientError.ResponseError> {
    return this.#understood((text): unknown => (text === "" ? null : JSON.parse(text)))
  }
  get urlParamsBody() {
    return this.#understood((text) => UrlParams.fromInput(new URLSearchParams(text)))
  }
  get formData() {
    return Effect.fail(this.#failure("forms are not read from answers"))
  }
  get stream(): Stream.Stream<Uint8Array, HttpClientError.ResponseError> {
    return NodeStream.fromReadable(() => this.#body, this.#failure)
  }

  /** Gives the connection up when the body was not read to its end. */
  close() {
    this.#body.destroy()
  }

  #failure = (cause: unknown): HttpClientError.ResponseError =>
    new HttpClientError.ResponseError({ request: this.request, response: this, reason: "Decode", cause })

  get #bytes(): Effect.Effect<Buffer, HttpClientError.ResponseError> {
    return Effect.async((resume) => {
      const body = this.#body
      const fail = (cause: unknown) => resume(Effect.fail(this.#failure(cause)))
      const giveUp = () => {
        fail(new AnswerTooLarge({ limit: this.#limit }))
        body.destroy()
      }
      if (body.bodyUsed) return fail("the answer was read before")
      if (Number(this.headers["content-length"]) > this.#limit) return giveUp()
      const chunks: Array<Buffer> = []
      let size = 0
      body.on("data", (chunk: Buffer) => {
        size += chunk.length
        if (size > this.#limit) giveUp()
        else chunks.push(chunk)
      })
      body.on("end", () =>
        resume(Effect.succeed(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)))
      )
      body.on("error", fail)
      return Effect.sync(() => body.destroy())
    })
  }

  #understood<A>(understand: (text: string) => A): Effect.Effect<A, HttpClientError.ResponseError> {
    return Effect.flatMap(this.text, (text) => Effect.try({ try: () => understand(text), catch: this.#failure }))
  }

  override toJSON() {
    return { _id: "tributary/platform/Network/Answer", request: this.request.toJSON(), status: this.status }
  }
}

/** UTF-8, without the mark that some put in front of it. */
const textOf = (bytes: Buffer) => bytes.toString("utf8", bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0)
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** Why an answer could not be read. */
export const whyUnread = ({ cause }: HttpClientError.ResponseError) =>
  cause instanceof AnswerTooLarge ? cause.message : "the answer broke off"

/** Gives up what is left of an answer, and the connection with it. */
export const close = (answer: HttpClientResponse.HttpClientResponse): Effect.Effect<void> =>
  Effect.sync(() => {
    if (answer instanceof Answer) answer.close()
  })

type Body = Undici.Dispatcher.ResponseData["body"]

/** `UrlParams.makeUrl` would take the whole address apart again for each parameter. */
const placeOf = ({ url, urlParams }: HttpClientRequest.HttpClientRequest) => {
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
        agent.request({ ...placeOf(request), signal, method: request.method, headers: request.headers, body }).then(
          (source) => resume(Effect.succeed(new Answer(request, source, limit))),
          (cause: unknown) => resume(fail("Transport", cause))
        )
        return Effect.sync(() => signal.emit("abort"))
      })
    )
  }

/**
 * The way out to the network: connections are kept and shared. How long a call may take is its caller's to say; how much of
 * an answer is read, the operator's (`ANSWER_LIMIT`).
 *
 * The platform's own client of undici keeps every text for a second reading, watches every answer until it is collected and
 * makes an abort controller for each call: together a sixth of what a unified list costs (`npm run bench`).
 */
export const layer = Layer.scoped(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const limit = yield* answerLimit
    const agent = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new Undici.Agent({
            // to one host; more than calls and downloads may run, so that token endpoints are reached whatever hangs
            connections: 1280,
            pipelining: 1,
            keepAliveTimeout: 30_000,
            headersTimeout: 0,
            bodyTimeout: 0,
            connect: { timeout: 5_000 }
          })
      ),
      (agent) => Effect.promise(() => agent.close())
    )
    return HttpClient.makeWith(
      (request: Effect.Effect<HttpClientRequest.HttpClientRequest>) => Effect.flatMap(request, send(agent, limit)),
      Effect.succeed<HttpClientRequest.HttpClientRequest>
    )
  })
)
