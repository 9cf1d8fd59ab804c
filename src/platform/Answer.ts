import {
  Cookies,
  Headers,
  HttpClientError,
  type HttpClientRequest,
  HttpClientResponse,
  HttpIncomingMessage,
  UrlParams
} from "@effect/platform"
import * as NodeStream from "@effect/platform-node/NodeStream"
import type { Dispatcher } from "@effect/platform-node/Undici"
import { Effect, Inspectable, Option, type Stream } from "effect"
import { AnswerTooLarge } from "./AnswerLimit.ts"

type Body = Dispatcher.ResponseData["body"]

/**
 * An answer of undici's. Its body can be read once, and reading that is interrupted gives the connection up. As a whole no
 * more than `limit` bytes are read, of what is in the answer: undici unpacks nothing. The stream has no limit.
 */
export class Answer extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpClientResponse.TypeId]: HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly request: HttpClientRequest.HttpClientRequest
  readonly status: number
  readonly headers: Headers.Headers
  readonly cookies: Cookies.Cookies
  readonly remoteAddress = Option.none()
  readonly #body: Body
  readonly #limit: number

  constructor(request: HttpClientRequest.HttpClientRequest, source: Dispatcher.ResponseData, limit: number) {
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
