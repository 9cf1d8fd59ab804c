import { HttpBody, HttpClient, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit, Fiber, Layer, Stream } from "effect"
import type { IncomingMessage, RequestListener } from "node:http"
import { gzipSync } from "node:zlib"
import { limitedFetch } from "../../src/platform/AnswerLimit.ts"
import { close, whyUnread } from "../../src/platform/Answer.ts"
import * as Network from "../../src/platform/Network.ts"
import { listen } from "../support/Served.ts"

/** A host that answers as told, the requests it got, and what became of their connections. */
const host = (listener: RequestListener) =>
  Effect.gen(function* () {
    const requests: Array<IncomingMessage> = []
    const gone: Array<string> = []
    const port = yield* listen((request, response) => {
      requests.push(request)
      response.on("close", () => {
        if (!response.writableFinished) gone.push(request.url ?? "")
      })
      listener(request, response)
    })
    return { origin: `http://127.0.0.1:${port}`, requests, gone }
  })

const until = (condition: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (condition() ? Effect.void : Effect.zipRight(Effect.sleep("5 millis"), until(condition)))).pipe(
    Effect.timeoutFail({ duration: "3 seconds", onTimeout: () => new Error("it did not come true") }),
    Effect.orDie
  )

const send = (request: HttpClientRequest.HttpClientRequest) =>
  Effect.flatMap(HttpClient.HttpClient, (client) => client.execute(request))

const echo: RequestListener = (request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () =>
    response
      .writeHead(201, [
        ["content-type", "application/json"],
        ["Set-Cookie", "a=1; Path=/"],
        ["Set-Cookie", "b=2"],
        ["X-Limit", "7"]
      ])
      .end(JSON.stringify({ method: request.method, url: request.url, body: Buffer.concat(chunks).toString() }))
  )
}

describe("the network", () => {
  it.scopedLive("sends a call as it is, and gives the answer", () =>
    Effect.gen(function* () {
      const { origin, requests } = yield* host(echo)
      const answer = yield* send(
        HttpClientRequest.post(`${origin}/a%20b?x=1`, {
          urlParams: [
            ["q", "å & b"],
            ["q", "2"]
          ],
          headers: { "X-Of-Mine": "yes" },
          body: HttpBody.text("Göteborg", "text/plain")
        })
      )
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.headers["x-limit"], "7")
      assert.deepStrictEqual(Object.keys(answer.cookies.cookies), ["a", "b"])
      assert.deepStrictEqual(yield* answer.json, {
        method: "POST",
        url: "/a%20b?x=1&q=%C3%A5+%26+b&q=2",
        body: "Göteborg"
      })
      const [sent] = requests
      assert.strictEqual(sent?.headers["x-of-mine"], "yes")
      assert.strictEqual(sent?.headers["content-type"], "text/plain")
      assert.notProperty(sent?.headers, "traceparent")
    }).pipe(Effect.provide(Network.layer))
  )

  it.scopedLive("reads a body in every way there is", () =>
    Effect.gen(function* () {
      const { origin } = yield* host(
        (request, response) =>
          void response.end(
            { "/nothing": "", "/marked": "\u{FEFF}{}", "/alike": "\u{FEFE}" }[request.url ?? ""] ?? "a=1&b=ö"
          )
      )
      const read = <A, E>(path: string, how: (answer: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, E>) =>
        Effect.flatMap(send(HttpClientRequest.get(origin + path)), how)
      assert.strictEqual(yield* read("/", ({ text }) => text), "a=1&b=ö")
      assert.strictEqual(Buffer.from(yield* read("/", (answer) => answer.arrayBuffer)).toString(), "a=1&b=ö")
      assert.deepStrictEqual(
        [...(yield* read("/", (answer) => answer.urlParamsBody))],
        [
          ["a", "1"],
          ["b", "ö"]
        ]
      )
      const streamed = yield* read("/", ({ stream }) => Stream.runCollect(stream))
      assert.strictEqual(Buffer.concat([...streamed]).toString(), "a=1&b=ö")
      assert.isNull(yield* read("/nothing", ({ json }) => json))
      assert.strictEqual(yield* read("/nothing", ({ text }) => text), "")
      assert.deepStrictEqual(yield* read("/marked", ({ json }) => json), {}, "the mark in front of UTF-8 is no text")
      assert.strictEqual(yield* read("/alike", ({ text }) => text), "\u{FEFE}")
      const refused = yield* Effect.flip(read("/", ({ json }) => json))
      assert.deepInclude(refused, { _tag: "ResponseError", reason: "Decode" })
      assert.strictEqual((yield* Effect.flip(read("/", ({ formData }) => formData)))._tag, "ResponseError")
    }).pipe(Effect.provide(Network.layer))
  )

  it.scopedLive("sends a stream as it comes in, and nothing that it cannot", () =>
    Effect.gen(function* () {
      const { origin, requests } = yield* host(echo)
      const stream = Stream.make("one ", "two").pipe(Stream.encodeText)
      const answer = yield* send(HttpClientRequest.post(origin, { body: HttpBody.stream(stream, "text/plain") }))
      assert.deepInclude(yield* answer.json, { body: "one two" })
      const form = HttpClientRequest.post(origin, { body: HttpBody.formData(new FormData()) })
      assert.deepInclude(yield* Effect.flip(send(form)), { _tag: "RequestError", reason: "Encode" })
      const nowhere = yield* Effect.flip(send(HttpClientRequest.get("acme.example")))
      assert.deepInclude(nowhere, { _tag: "RequestError", reason: "InvalidUrl" })
      const split = HttpClientRequest.get(origin, { headers: { authorization: "Bearer a\nb" } })
      assert.deepInclude(yield* Effect.flip(send(split)), { _tag: "RequestError", reason: "Transport" })
      assert.strictEqual(requests.length, 1)
    }).pipe(Effect.provide(Network.layer))
  )

  it.effect("closes no answer of another client, which the platform closes itself", () =>
    Effect.gen(function* () {
      const answer = HttpClientResponse.fromWeb(HttpClientRequest.get("https://api.example.com"), new Response("all"))
      yield* close(answer)
      assert.strictEqual(yield* answer.text, "all")
    })
  )

  it.scopedLive("tells of a host that is not there, and of an answer that breaks off", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.scoped(listen(() => {}))
      const away = yield* Effect.flip(send(HttpClientRequest.get(`http://127.0.0.1:${closed}`)))
      assert.deepInclude(away, { _tag: "RequestError", reason: "Transport" })
      const { origin } = yield* host((_, response) => {
        response.writeHead(200, { "content-length": 100 }).write("half")
        setTimeout(() => response.destroy(), 20)
      })
      const half = HttpClientRequest.get(origin)
      assert.strictEqual((yield* Effect.flip(Effect.flatMap(send(half), ({ text }) => text)))._tag, "ResponseError")
      const streamed = Effect.flatMap(send(half), ({ stream }) => Stream.runDrain(stream))
      assert.strictEqual((yield* Effect.flip(streamed))._tag, "ResponseError")
      // nobody reads this one, and nothing comes of it
      yield* send(half)
      yield* Effect.sleep("50 millis")
    }).pipe(Effect.provide(Network.layer))
  )

  it.scopedLive("gives up the connection of a call that is interrupted, before its answer and within it", () =>
    Effect.gen(function* () {
      const { gone, origin, requests } = yield* host((request, response) => {
        if (request.url === "/within") response.writeHead(200).write("one")
      })
      const calls = [
        send(HttpClientRequest.get(`${origin}/before`)),
        Effect.flatMap(send(HttpClientRequest.get(`${origin}/within`)), ({ text }) => text),
        Effect.flatMap(send(HttpClientRequest.get(`${origin}/within`)), ({ stream }) => Stream.runDrain(stream))
      ]
      for (const [i, call] of calls.entries()) {
        const fiber = yield* Effect.fork(call)
        yield* until(() => requests.length === i + 1)
        yield* Effect.sleep("30 millis")
        yield* Fiber.interrupt(fiber)
        yield* until(() => gone.length === i + 1)
      }
      assert.deepStrictEqual(gone, ["/before", "/within", "/within"])
    }).pipe(Effect.provide(Network.layer))
  )

  const mebibyte = 1024 * 1024
  const limitedTo = (mebibytes: string) =>
    Network.layer.pipe(
      Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["ANSWER_LIMIT", mebibytes]]))))
    )

  /** Sends in pieces for as long as anybody reads; `taken`: bytes that were. */
  const endless = Effect.gen(function* () {
    let taken = 0
    const piece = Buffer.alloc(64 * 1024, "x")
    const { gone, origin } = yield* host((request, response) => {
      response.writeHead(request.url === "/refused" ? 500 : 200, { "content-type": "application/json" })
      const send = () => {
        while (!response.destroyed) {
          taken += piece.length
          if (!response.write(piece)) return void response.once("drain", send)
        }
      }
      send()
    })
    return { gone, origin, taken: () => taken }
  })

  const causeOf = (error: unknown) =>
    String(typeof error === "object" && error !== null && "cause" in error ? error.cause : undefined)

  const ways: ReadonlyArray<
    readonly [string, (answer: HttpClientResponse.HttpClientResponse) => Effect.Effect<unknown, unknown>]
  > = [
    ["text", (answer) => answer.text],
    ["json", (answer) => answer.json],
    ["arrayBuffer", (answer) => answer.arrayBuffer],
    ["urlParamsBody", (answer) => answer.urlParamsBody]
  ]

  it.scopedLive.each(ways)("reads no more than the limit of an answer that never ends: %s", ([, read]) =>
    Effect.gen(function* () {
      const { gone, origin, taken } = yield* endless
      for (const [i, path] of ["/", "/refused"].entries()) {
        const before = taken()
        const error = yield* Effect.flip(Effect.flatMap(send(HttpClientRequest.get(origin + path)), read))
        assert.propertyVal(error, "_tag", "ResponseError")
        assert.strictEqual(causeOf(error), "Error: it answered more than 1 MiB")
        yield* until(() => gone.length === i + 1)
        // what stands in buffers between the two is sent, but not read
        assert.isBelow(taken() - before, 16 * mebibyte)
      }
    }).pipe(Effect.provide(limitedTo("1")))
  )

  it.scopedLive("reads nothing of an answer that is declared larger, and all of one as large as the limit", () =>
    Effect.gen(function* () {
      const { gone, origin } = yield* host((request, response) => {
        const size = request.url === "/larger" ? mebibyte + 1 : mebibyte
        if (request.url !== "/chunked") response.setHeader("content-length", size)
        response.write("x".repeat(1000))
        if (request.url !== "/larger") response.end("y".repeat(size - 1000))
      })
      const read = (path: string) => Effect.flatMap(send(HttpClientRequest.get(origin + path)), ({ text }) => text)
      const refused = yield* Effect.flip(read("/larger"))
      assert.isTrue(refused._tag === "ResponseError")
      assert.strictEqual(refused._tag === "ResponseError" ? whyUnread(refused) : "", "it answered more than 1 MiB")
      yield* until(() => gone.length === 1)
      for (const path of ["/", "/chunked"]) assert.lengthOf(yield* read(path), mebibyte)
    }).pipe(Effect.provide(limitedTo("1")))
  )

  it.scopedLive("streams what is larger, and unpacks nothing", () =>
    Effect.gen(function* () {
      const packed = gzipSync(Buffer.alloc(3 * mebibyte))
      const { origin } = yield* host((request, response) => {
        if (request.url === "/file") response.end(Buffer.alloc(3 * mebibyte))
        else response.writeHead(200, { "content-encoding": "gzip" }).end(packed)
      })
      const { stream } = yield* send(HttpClientRequest.get(`${origin}/file`))
      assert.strictEqual(yield* Stream.runFold(stream, 0, (size, chunk) => size + chunk.length), 3 * mebibyte)
      const answer = yield* send(HttpClientRequest.get(origin))
      assert.strictEqual((yield* answer.arrayBuffer).byteLength, packed.length)
    }).pipe(Effect.provide(limitedTo("1")))
  )

  it.effect.each(["0", "257", "1.5", "much"])("ANSWER_LIMIT=%s is refused by name", (mebibytes) =>
    Effect.gen(function* () {
      const failure = yield* Effect.exit(Effect.scoped(Layer.build(limitedTo(mebibytes))))
      assert.include(Exit.isFailure(failure) ? String(failure.cause) : "", "ANSWER_LIMIT")
    })
  )

  it.scopedLive("a library's fetch stops at the limit too, also of what it unpacks", () =>
    Effect.gen(function* () {
      const { gone, origin, taken } = yield* endless
      const packed = yield* host((_, response) =>
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(8 * mebibyte)))
      )
      const fetch = limitedFetch(mebibyte)
      const outcome = (address: string) =>
        Effect.promise(() =>
          fetch(address)
            .then((response) => response.text())
            .then((text) => `${text.length} characters`, String)
        )
      assert.strictEqual(yield* outcome(origin), "Error: it answered more than 1 MiB")
      yield* until(() => gone.length === 1)
      assert.isBelow(taken(), 16 * mebibyte)
      assert.strictEqual(yield* outcome(packed.origin), "Error: it answered more than 1 MiB")
      const small = yield* host((_, response) =>
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("ok"))
      )
      assert.strictEqual(yield* outcome(small.origin), "2 characters")
    })
  )
})
