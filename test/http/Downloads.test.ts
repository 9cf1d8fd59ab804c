import { HttpLayerRouter, HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer, Redacted, TestClock } from "effect"
import { once } from "node:events"
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { Connections } from "../../src/connections/Connections.ts"
import { routes } from "../../src/Http.ts"
import { routerConfig } from "../../src/RouteTable.ts"
import { application, InProcess } from "../../src/InProcess.ts"
import * as Network from "../../src/platform/Network.ts"
import { Xero } from "../../src/providers/xero/Xero.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { nextTick } from "../support/SandboxApplication.ts"
import { listen } from "../support/Served.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { full } from "../support/Full.ts"

/** Sends each of the provider's files. */
const files: { readonly [name: string]: (response: ServerResponse) => void } = {
  whole: (response) => response.end("all of it"),
  hanging: (response) => response.write("some of it"),
  endless: (response) => {
    const piece = Buffer.alloc(64 * 1024)
    const send = () => {
      while (!response.destroyed) if (!response.write(piece)) return void response.once("drain", send)
    }
    send()
  },
  half: (response) => {
    response.writeHead(200, { "content-length": 100 }).write("some of it")
    setTimeout(() => response.destroy(), 20)
  },
  "half-of-unknown-length": (response) => {
    response.write("some of it")
    setTimeout(() => response.destroy(), 20)
  }
}

const tenantId = "8a1c5b56-4d1f-4b83-9d0e-0f6f2f6d5a11"

/** Xero with an invoice that has these files; `sending` are those on their way. */
const xero = Effect.gen(function* () {
  const sending = new Set<ServerResponse>()
  let begun = 0
  const port = yield* listen((asked, response) => {
    const [, invoice = "", , file] = /\/Invoices\/([^/?]+)(\/Attachments)?\/?([^/?]+)?/.exec(asked.url ?? "") ?? []
    if (file !== undefined) {
      begun += 1
      sending.add(response)
      response.once("close", () => sending.delete(response))
      return files[file]?.(response)
    }
    response.setHeader("content-type", "application/json")
    const Attachments = Object.keys(files).map((name) => ({
      AttachmentID: name,
      FileName: `${name}.pdf`,
      MimeType: "application/pdf",
      ContentLength: 100
    }))
    const invoices = [{ InvoiceID: invoice, Type: "ACCREC", Status: "AUTHORISED", HasAttachments: true }]
    const Organisations = [{ OrganisationID: tenantId, Name: "Acme", BaseCurrency: "EUR" }]
    response.end(JSON.stringify({ Invoices: invoices, Attachments, Organisations }))
  })
  return { origin: `http://127.0.0.1:${port}`, sending, begun: () => begun }
})

interface Person {
  readonly key: Redacted.Redacted
  readonly endUser: string
}

/** The service on one port and a provider on another, both real. */
class Ports extends Context.Tag("tributary/test/Ports")<
  Ports,
  {
    readonly provider: Effect.Effect.Success<typeof xero>
    /** So many end users of a new organisation, each with a connection. */
    readonly people: (organisation: string, count: number) => Effect.Effect<ReadonlyArray<Person>>
    /** Asks for an attachment, or its content, and gives the answer before anything of its body is read. */
    readonly ask: (person: Person, file: string, how?: "GET" | "HEAD" | "record") => Effect.Effect<IncomingMessage>
  }
>() {}

const make = (provider: Effect.Effect.Success<typeof xero>) =>
  Effect.gen(function* () {
    const app = yield* InProcess
    const endUsers = yield* EndUsers
    const connections = yield* Connections
    const server = yield* NodeHttpServer.make(createServer, { host: "127.0.0.1", port: 0 })
    const handler = yield* Effect.provideService(
      HttpLayerRouter.toHttpEffect(routes),
      HttpLayerRouter.RouterConfig,
      routerConfig
    )
    yield* server.serve(handler)
    const address = HttpServer.formatAddress(server.address)
    const agent = new Agent()
    return Ports.of({
      provider,
      people: (organisation, count) =>
        Effect.gen(function* () {
          const tenancy = yield* app.tenancy(organisation, "production")
          return yield* Effect.forEach(Array.from({ length: count }), (_, i) =>
            Effect.gen(function* () {
              const user = yield* endUsers.ensure(tenancy.organisation, "production", `user-${i}`)
              yield* connections.create({
                organisation: tenancy.organisation,
                environment: "production",
                endUser: user.id,
                provider: "xero",
                credentials: {
                  kind: "accessToken",
                  secret: Redacted.make("token"),
                  refreshToken: undefined,
                  expiresAt: undefined,
                  values: { tenantId }
                }
              })
              return { key: tenancy.key, endUser: `user-${i}` }
            })
          )
        }).pipe(Effect.orDie),
      ask: ({ endUser, key }, file, how = "GET") =>
        Effect.async<IncomingMessage>((resume) => {
          const place = `${address}/api/v1/accounting/attachment/Invoices:1:${file}`
          const sent = request(`${place}${how === "record" ? "" : "/content"}?provider=xero`, {
            agent,
            method: how === "HEAD" ? "HEAD" : "GET",
            headers: { authorization: `Bearer ${Redacted.value(key)}`, "x-end-user-id": endUser }
          })
          sent.on("error", () => {})
          sent.once("response", (response) => resume(Effect.succeed(response)))
          sent.end()
          return Effect.sync(() => sent.destroy())
        })
    })
  })

const ports = Layer.unwrapScoped(
  Effect.map(xero, (provider) =>
    Layer.scoped(Ports, make(provider)).pipe(
      Layer.provide(application(Xero)),
      Layer.provide(HttpServer.layerContext),
      Layer.provide(Layer.mergeAll(TestDatabase.layer, Network.layer)),
      Layer.provide(
        Layer.setConfigProvider(
          ConfigProvider.fromMap(
            new Map([
              ["RATE_LIMIT", "0"],
              ["PROVIDER_XERO_BASE_URL", provider.origin]
            ])
          )
        )
      )
    )
  )
)

const until = (condition: () => boolean) => Effect.repeat(nextTick, { until: condition }).pipe(Effect.asVoid)

/** Reads an answer: its text, or that it broke off. */
const read = (response: IncomingMessage) =>
  Effect.promise(() => {
    const chunks: Array<string> = []
    response.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk))
    return Promise.race([
      once(response, "end").then(() => chunks.join("")),
      once(response, "close").then(() => "broke off")
    ]).catch(() => "broke off")
  })

layer(ports, { timeout: "60 seconds" })("downloads over the network", (it) => {
  full(it).scoped("that nobody reads hold up their own organisation's downloads, and nothing else", () =>
    Effect.gen(function* () {
      const { ask, people, provider } = yield* Ports
      const greedy = yield* people("Greedy", 25)
      const [other] = yield* people("Other", 1)
      const [first] = greedy
      if (other === undefined || first === undefined) return
      let answered = 0
      for (const person of greedy) {
        const asking = Effect.tap(ask(person, "hanging"), (response) => {
          assert.strictEqual(response.statusCode, 200)
          answered += 1
          return Effect.addFinalizer(() => Effect.sync(() => response.destroy()))
        })
        yield* Effect.replicateEffect(Effect.forkScoped(asking), 8)
      }
      yield* until(() => answered >= 50)
      yield* Effect.repeatN(nextTick, 100)
      assert.isAtMost(provider.sending.size, 64)
      for (const person of [other, first]) assert.strictEqual((yield* ask(person, "whole", "record")).statusCode, 200)
      assert.strictEqual(yield* Effect.flatMap(ask(other, "whole"), read), "all of it")
    })
  )

  it.effect("end at the provider when their readers go away", () =>
    Effect.gen(function* () {
      const { ask, people, provider } = yield* Ports
      yield* until(() => provider.sending.size === 0)
      const [one] = yield* people("Away", 1)
      if (one === undefined) return
      const response = yield* ask(one, "hanging")
      assert.strictEqual(provider.sending.size, 1)
      response.destroy()
      yield* until(() => provider.sending.size === 0)
    })
  )

  it.effect("are not begun for who asks for the headers alone", () =>
    Effect.gen(function* () {
      const { ask, people, provider } = yield* Ports
      const [one] = yield* people("Head", 1)
      if (one === undefined) return
      const before = provider.begun()
      const response = yield* ask(one, "whole", "HEAD")
      assert.strictEqual(response.statusCode, 200)
      assert.strictEqual(response.headers["content-type"], "application/pdf")
      assert.strictEqual(response.headers["content-disposition"], "attachment; filename*=UTF-8''whole.pdf")
      assert.strictEqual(provider.begun(), before)
      assert.strictEqual((yield* ask(one, "nothing", "HEAD")).statusCode, 404)
    })
  )

  it.effect("that break off are not taken for whole", () =>
    Effect.gen(function* () {
      const { ask, people } = yield* Ports
      const [one] = yield* people("Half", 1)
      if (one === undefined) return
      for (const file of ["half", "half-of-unknown-length"]) {
        assert.strictEqual(yield* Effect.flatMap(ask(one, file), read), "broke off", file)
      }
    })
  )

  full(it).effect("have five minutes, then they are ended on both sides", () =>
    Effect.gen(function* () {
      const { ask, people, provider } = yield* Ports
      yield* until(() => provider.sending.size === 0)
      const [one] = yield* people("Slow", 1)
      if (one === undefined) return
      const response = yield* ask(one, "endless")
      const cut = once(response, "error").catch(() => {})
      const [sending] = provider.sending
      // until nobody takes any more
      yield* until(() => sending?.writableNeedDrain === true)
      yield* TestClock.adjust("290 seconds")
      yield* Effect.repeatN(nextTick, 10)
      assert.strictEqual(provider.sending.size, 1)
      yield* TestClock.adjust("10 seconds")
      yield* until(() => provider.sending.size === 0)
      response.resume()
      yield* Effect.promise(() => cut)
    })
  )
})
