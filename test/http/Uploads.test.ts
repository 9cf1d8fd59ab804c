import { HttpLayerRouter, HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer, Redacted } from "effect"
import { once } from "node:events"
import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { Connections } from "../../src/connections/Connections.ts"
import { routes } from "../../src/Http.ts"
import { routerConfig } from "../../src/RouteTable.ts"
import { application, InProcess } from "../../src/InProcess.ts"
import * as Network from "../../src/platform/Network.ts"
import { QuickBooks } from "../../src/providers/quickbooks/QuickBooks.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { formBody, formType } from "../support/Forms.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { full } from "../support/Full.ts"

const megabyte = 1024 * 1024

const portOf = (server: Server) => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** The service on one port and a provider on another, both real. */
class Ports extends Context.Tag("tributary/test/Ports")<
  Ports,
  {
    /** Sets how the provider handles the next upload. */
    readonly onUpload: (does: (request: IncomingMessage, response: ServerResponse) => void) => void
    /** Begins an upload; the caller writes its body. */
    readonly begin: (agent?: Agent) => ReturnType<typeof request>
  }
>() {}

const make = (provider: Server, state: { does: (request: IncomingMessage, response: ServerResponse) => void }) =>
  Effect.gen(function* () {
    provider.on("request", (asked: IncomingMessage, response: ServerResponse) => {
      if (asked.url?.includes("/upload") === true) return state.does(asked, response)
      response.setHeader("content-type", "application/json")
      response.end(JSON.stringify({ CompanyInfo: { Id: "1" } }))
    })
    const app = yield* InProcess
    const tenancy = yield* app.tenancy("Uploads", "production")
    const user = yield* (yield* EndUsers).ensure(tenancy.organisation, "production", "someone")
    yield* (yield* Connections).create({
      organisation: tenancy.organisation,
      environment: "production",
      endUser: user.id,
      provider: "quickbooks",
      credentials: {
        kind: "accessToken",
        secret: Redacted.make("token"),
        refreshToken: undefined,
        expiresAt: undefined,
        values: { realmId: "9130" }
      }
    })
    const server = yield* NodeHttpServer.make(createServer, { host: "127.0.0.1", port: 0 })
    const handler = yield* Effect.provideService(
      HttpLayerRouter.toHttpEffect(routes),
      HttpLayerRouter.RouterConfig,
      routerConfig
    )
    yield* server.serve(handler)
    const address = HttpServer.formatAddress(server.address)
    return Ports.of({
      onUpload: (does) => {
        state.does = does
      },
      begin: (agent) =>
        request(`${address}/api/v1/accounting/attachment?provider=quickbooks`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${Redacted.value(tenancy.key)}`,
            "x-end-user-id": "someone",
            "content-type": formType
          },
          ...(agent === undefined ? {} : { agent })
        })
    })
  })

const ports = Layer.unwrapScoped(
  Effect.gen(function* () {
    const provider = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const made = createServer().listen(0, "127.0.0.1")
        await once(made, "listening")
        return made
      }),
      (made) => Effect.sync(() => made.close() && made.closeAllConnections())
    )
    const config = new Map([
      ["RATE_LIMIT", "0"],
      ["PROVIDER_QUICKBOOKS_BASE_URL", `http://127.0.0.1:${portOf(provider)}`]
    ])
    return Layer.scoped(Ports, make(provider, { does: (_, response) => response.end() })).pipe(
      Layer.provide(application(QuickBooks)),
      Layer.provide(HttpServer.layerContext),
      Layer.provide(Layer.mergeAll(TestDatabase.layer, Network.layer)),
      Layer.provide(
        Layer.setConfigProvider(ConfigProvider.orElse(ConfigProvider.fromMap(config), () => ConfigProvider.fromEnv()))
      )
    )
  })
)

const attachable = (size: number) =>
  JSON.stringify({ AttachableResponse: [{ Attachable: { Id: "7", SyncToken: "0", FileName: "x.pdf", Size: size } }] })

/** Takes all of an upload and says how long the file was. */
const takesAll = (asked: IncomingMessage, response: ServerResponse) => {
  let size = 0
  asked.on("data", (chunk: Buffer) => {
    size += chunk.length
  })
  asked.on("end", () => {
    response.setHeader("content-type", "application/json")
    response.end(attachable(size))
  })
}

const head = formBody([["file", { name: "x.pdf", type: "application/pdf", content: "" }]], true).slice(0, -2)
const end = Buffer.concat([Buffer.from("\r\n"), formBody([])])

const answerTo = (sent: ReturnType<typeof request>) =>
  Effect.promise(async () => {
    const [response] = await once(sent, "response")
    return { status: Number(response.statusCode), body: JSON.parse(await text(response)) }
  })

/** Writes `most` bytes as fast as they are read, until none is for `patience` milliseconds; gives what was written. */
const pour = (sent: ReturnType<typeof request>, most: number, patience = 30_000) =>
  Effect.promise(async () => {
    let written = 0
    const piece = new Uint8Array(64 * 1024)
    while (written < most) {
      written += piece.length
      if (sent.write(piece)) continue
      const isDrained = await Promise.race([
        once(sent, "drain").then(() => true),
        new Promise<boolean>((resolve) => setTimeout(() => resolve(false), patience).unref())
      ])
      if (!isDrained) break
    }
    return written
  })

layer(ports, { excludeTestServices: true, timeout: "60 seconds" })("uploads over the network", (it) => {
  full(it).effect("a file goes through as it comes in, no faster than the provider takes it", () =>
    Effect.gen(function* () {
      const { begin, onUpload } = yield* Ports
      const seen = new Promise<readonly [IncomingMessage, ServerResponse]>((resolve) =>
        onUpload((...both) => resolve(both))
      )
      const sent = begin()
      sent.write(head)
      const stuck = yield* pour(sent, 25 * megabyte, 500)
      // what two connections hold in their buffers, and no file
      assert.isBelow(stuck, 20 * megabyte)
      const [asked, response] = yield* Effect.promise(() => seen)
      takesAll(asked, response)
      const rest = yield* pour(sent, 25 * megabyte - stuck)
      assert.strictEqual(stuck + rest, 25 * megabyte)
      sent.end(end)
      const { body, status } = yield* answerTo(sent)
      assert.strictEqual(status, 201)
      assert.isAbove(body.data.file_size, 25 * megabyte)
    })
  )

  it.effect("a caller who goes away leaves nothing behind", () =>
    Effect.gen(function* () {
      const { begin, onUpload } = yield* Ports
      const ended = new Promise<boolean>((resolve) =>
        onUpload((asked) => {
          asked.resume()
          asked.on("error", () => {})
          asked.on("close", () => resolve(asked.complete))
        })
      )
      const sent = begin().on("error", () => {})
      sent.write(head)
      yield* pour(sent, megabyte)
      sent.destroy()
      assert.isFalse(yield* Effect.promise(() => ended))
    })
  )

  it.effect.each([
    ["breaks off", ""],
    ["has a field after the file", formBody([["file_name", "y.pdf"]]).toString()],
    ["has a second file", formBody([["file", { name: "y.pdf", content: "y" }]]).toString()]
  ])("a form that %s after much of it was passed on never gets to its end", ([, rest]) =>
    Effect.gen(function* () {
      const { begin, onUpload } = yield* Ports
      const ended = new Promise<boolean>((resolve) =>
        onUpload((asked) => {
          asked.resume()
          asked.on("error", () => {})
          asked.on("close", () => resolve(asked.complete))
        })
      )
      const sent = begin()
      sent.write(head)
      yield* pour(sent, megabyte)
      sent.end(rest === "" ? "" : `\r\n${rest}`)
      const { status } = yield* answerTo(sent)
      assert.strictEqual(status, rest === "" ? 400 : 422)
      assert.isFalse(yield* Effect.promise(() => ended))
    })
  )

  it.effect("a provider that fails in the middle is told to a caller who still sends, and the connection goes on", () =>
    Effect.gen(function* () {
      const { begin, onUpload } = yield* Ports
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      onUpload((asked, response) => {
        asked.once("data", () => {
          response.writeHead(503, { "content-type": "application/json" })
          response.end("{}")
        })
      })
      const sent = begin(agent)
      const answer = answerTo(sent)
      sent.write(head)
      const [{ status }] = yield* Effect.all(
        [
          answer,
          Effect.andThen(
            pour(sent, 10 * megabyte),
            Effect.sync(() => sent.end(end))
          )
        ],
        { concurrency: "unbounded" }
      )
      assert.strictEqual(status, 502)

      onUpload(takesAll)
      const again = begin(agent)
      again.end(Buffer.concat([head, Buffer.from("x"), end]))
      const second = yield* answerTo(again)
      assert.strictEqual(second.status, 201)
      assert.isTrue(again.reusedSocket)
      agent.destroy()
    })
  )

  it.effect("names that are wrongly escaped do no harm", () =>
    Effect.gen(function* () {
      const { begin, onUpload } = yield* Ports
      onUpload(takesAll)
      const sent = begin()
      const name = "x.pdf\"; filename*=UTF-8''%E0%A4%A"
      sent.end(formBody([["file", { name, type: "application/pdf", content: "x" }]]))
      assert.strictEqual((yield* answerTo(sent)).status, 201)
    })
  )
})
