import { HttpLayerRouter, HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Context, Effect, Layer, Redacted } from "effect"
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request, type ServerResponse } from "node:http"
import { connect } from "node:net"
import { gzipSync } from "node:zlib"
import { Connections } from "../../src/connections/Connections.ts"
import { routes } from "../../src/Http.ts"
import { routerConfig } from "../../src/RouteTable.ts"
import { application, InProcess } from "../../src/InProcess.ts"
import * as Network from "../../src/platform/Network.ts"
import { HubSpot } from "../../src/providers/hubspot/HubSpot.ts"
import { NetSuite } from "../../src/providers/netsuite/NetSuite.ts"
import { Xero } from "../../src/providers/xero/Xero.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { formBody, formType } from "../support/Forms.ts"
import { nextTick } from "../support/SandboxApplication.ts"
import { listen } from "../support/Served.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { full } from "../support/Full.ts"

/** A request as the provider got it; `end` is undefined until its body is there, and "broken" where it never is. */
interface Got {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  body: Buffer
  end: "whole" | "broken" | undefined
}

const packed = gzipSync(JSON.stringify({ message: "a long text ".repeat(50) }))

/** How the provider answers, by the first segment of the path. */
const answers: { readonly [name: string]: (response: ServerResponse, got: Got) => void } = {
  echo: (response) =>
    response
      .writeHead(200, {
        "content-type": "application/vnd.acme+json; charset=utf-8",
        "cache-control": "public, max-age=60",
        "x-acme": "kept",
        etag: '"1"',
        "set-cookie": ["session=1", "other=2"],
        "strict-transport-security": "max-age=1",
        "access-control-allow-origin": "*",
        "alt-svc": 'h3=":443"',
        "keep-alive": "timeout=5",
        connection: "keep-alive, x-hop",
        "x-hop": "dropped",
        "x-request-id": "the-providers-own",
        ratelimit: '"acme";r=1'
      })
      .end('{"odd":  "spacing"}'),
  redirect: (response) => response.writeHead(302, { location: "https://files.acme.example/1?signature=x" }).end(),
  unchanged: (response) => response.writeHead(304, { etag: '"1"' }).end(),
  gzip: (response) =>
    response
      .writeHead(200, {
        "content-type": "application/json",
        "content-encoding": "gzip",
        "content-length": packed.length
      })
      .end(packed),
  "gzip-limit": (response) => {
    const body = gzipSync(JSON.stringify({ errorType: "RATE_LIMIT", policyName: "TEN_SECONDLY_ROLLING" }))
    response.writeHead(429, { "content-type": "application/json", "content-encoding": "gzip" }).end(body)
  },
  quoting: (response, { headers }) =>
    response.writeHead(400, { "content-type": "text/plain" }).end(`no good: ${String(headers.authorization)}`),
  early: (response) => response.writeHead(409, { "content-type": "text/plain" }).end("not now"),
  hanging: () => {},
  half: (response) => {
    response.writeHead(200, { "content-length": 100 }).write("some of it")
    setTimeout(() => response.destroy(), 20)
  }
}

const startProvider = Effect.gen(function* () {
  const got: Array<Got> = []
  const port = yield* listen((asked, response) => {
    const { headers, method = "", url = "" } = asked
    const one: Got = { method, url, headers, body: Buffer.alloc(0), end: undefined }
    got.push(one)
    const answer = answers[/^\/([\w-]+)/.exec(url)?.[1] ?? ""] ?? answers.echo
    const chunks: Array<Buffer> = []
    asked.on("data", (chunk: Buffer) => chunks.push(chunk))
    asked.on("close", () => (one.end ??= "broken"))
    asked.on("end", () => {
      one.body = Buffer.concat(chunks)
      one.end = "whole"
      if (!url.startsWith("/early")) answer?.(response, one)
    })
    if (url.startsWith("/early")) answer?.(response, one)
  })
  return { origin: `http://127.0.0.1:${port}`, got }
})

const secret = "a-secret-token"
const tenantId = "8a1c5b56-4d1f-4b83-9d0e-0f6f2f6d5a11"

const values: { readonly [slug: string]: { readonly [name: string]: string } } = {
  hubspot: {},
  xero: { tenantId },
  netsuite: { accountId: "1234567", consumerKey: "consumer", tokenId: "token" }
}

interface Sent {
  readonly headers?: OutgoingHttpHeaders
  readonly body?: Uint8Array | string
  /** Bytes that follow, of which nothing was said. */
  readonly chunked?: number
}

interface Answered {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly bytes: Buffer
  readonly isWhole: boolean
}

/** The service on one port and a provider on another, both real. */
class Ports extends Context.Tag("tributary/test/PassthroughPorts")<
  Ports,
  {
    readonly provider: Effect.Effect.Success<typeof startProvider>
    /** Sends a request through for an end user with a connection of their own; gives what the provider got with the answer. */
    readonly pass: (
      method: string,
      path: string,
      sent?: Sent
    ) => Effect.Effect<{ readonly answer: Answered; readonly got: ReadonlyArray<Got> }>
    /** The same, by a client that goes away once the provider has the request. */
    readonly abandon: (method: string, path: string) => Effect.Effect<Got>
    /** Writes a request line as it is. */
    readonly raw: (target: string) => Effect.Effect<string>
  }
>() {}

const read = (response: IncomingMessage) =>
  Effect.async<Answered>((resume) => {
    const chunks: Array<Buffer> = []
    const end = (isWhole: boolean) =>
      resume(
        Effect.succeed({
          status: response.statusCode ?? 0,
          headers: response.headers,
          bytes: Buffer.concat(chunks),
          isWhole
        })
      )
    response.on("data", (chunk: Buffer) => chunks.push(chunk))
    response.on("end", () => end(true))
    response.on("error", () => end(false))
  })

const make = (provider: Effect.Effect.Success<typeof startProvider>) =>
  Effect.gen(function* () {
    const app = yield* InProcess
    const endUsers = yield* EndUsers
    const connections = yield* Connections
    const server = yield* NodeHttpServer.make(createServer, { host: "127.0.0.1", port: 0 })
    yield* server.serve(
      yield* Effect.provideService(HttpLayerRouter.toHttpEffect(routes), HttpLayerRouter.RouterConfig, routerConfig)
    )
    const { port } = server.address as { readonly port: number }
    const tenancy = yield* app.tenancy("Wire", "production")
    let made = 0

    /** A new end user, so that nothing that happened before is held against the connection. */
    const newcomer = Effect.fnUntraced(function* () {
      made += 1
      const name = `user-${made}`
      const user = yield* endUsers.ensure(tenancy.organisation, "production", name)
      for (const [slug, own] of Object.entries(values)) {
        yield* connections.create({
          organisation: tenancy.organisation,
          environment: "production",
          endUser: user.id,
          provider: slug,
          credentials: {
            kind: "accessToken",
            secret: Redacted.make(secret),
            refreshToken: undefined,
            expiresAt: undefined,
            values: own
          }
        })
      }
      return { authorization: `Bearer ${Redacted.value(tenancy.key)}`, "x-end-user-id": name }
    }, Effect.orDie)

    const open = (own: OutgoingHttpHeaders, method: string, path: string, { body, chunked, headers }: Sent) => {
      const sent = request({
        port,
        method,
        path: `/api/v1/passthrough${path}`,
        headers: { ...own, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }), ...headers }
      })
      sent.on("error", () => {})
      if (chunked === undefined) return sent.end(body)
      sent.setHeader("transfer-encoding", "chunked")
      const piece = Buffer.alloc(64 * 1024)
      let left = chunked
      const write = () => {
        while (left > 0) {
          left -= piece.length
          if (!sent.write(piece)) return void sent.once("drain", write)
        }
        sent.end()
      }
      write()
      return sent
    }

    return Ports.of({
      provider,
      pass: Effect.fnUntraced(function* (method, path, sent = {}) {
        const own = yield* newcomer()
        const before = provider.got.length
        const response = yield* Effect.async<IncomingMessage>((resume) => {
          open(own, method, path, sent).once("response", (response) => resume(Effect.succeed(response)))
        })
        const answer = yield* read(response)
        return { answer, got: provider.got.slice(before) }
      }),
      abandon: Effect.fnUntraced(function* (method, path) {
        const own = yield* newcomer()
        const before = provider.got.length
        const sent = open(own, method, path, method === "GET" ? {} : { body: "{}" })
        yield* Effect.repeat(nextTick, { until: () => provider.got.length > before })
        sent.destroy()
        const [got] = provider.got.slice(before)
        return got ?? (yield* Effect.dieMessage("the provider got nothing"))
      }),
      raw: Effect.fnUntraced(function* (target) {
        const own = yield* newcomer()
        return yield* Effect.async<string>((resume) => {
          const socket = connect(port, "127.0.0.1")
          let text = ""
          socket.on("data", (chunk: Buffer) => (text += chunk.toString()))
          socket.on("close", () => resume(Effect.succeed(text)))
          socket.write(
            `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${Object.entries(own)
              .map(([name, value]) => `${name}: ${value}\r\n`)
              .join("")}\r\n`
          )
        })
      })
    })
  })

const ports = Layer.unwrapScoped(
  Effect.map(startProvider, (running) =>
    Layer.scoped(Ports, make(running)).pipe(
      Layer.provide(application(Layer.mergeAll(HubSpot, Xero, NetSuite))),
      Layer.provide(HttpServer.layerContext),
      Layer.provide(Layer.mergeAll(TestDatabase.layer, Network.layer)),
      Layer.provide(
        Layer.setConfigProvider(
          ConfigProvider.fromMap(
            new Map([
              ["RATE_LIMIT", "0"],
              ...["HUBSPOT", "XERO", "NETSUITE"].map((slug) => [`PROVIDER_${slug}_BASE_URL`, running.origin] as const)
            ])
          )
        )
      )
    )
  )
)

const mebibyte = 1024 * 1024

layer(ports, { timeout: "60 seconds" })("passthrough over the network", (it) => {
  it.effect("sends path, query, body and the headers that matter, and nothing else", () =>
    Effect.gen(function* () {
      const { pass } = yield* Ports
      const body = '{"odd":  "spacing", "é": 1}'
      const { answer, got } = yield* pass("POST", "/hubspot/echo/a%2Fb/%D1%84?x=1&x=2&q=a%20b+c&empty=", {
        body,
        headers: {
          "content-type": "application/json;odata=verbose",
          accept: "application/vnd.acme+json",
          "accept-language": "de",
          "idempotency-key": "order-1",
          "if-match": '"7"',
          prefer: "respond-async",
          cookie: "console=secret",
          origin: "https://app.example.com",
          "user-agent": "customer/1",
          "x-forwarded-for": "10.0.0.1",
          "x-http-method-override": "DELETE",
          "x-request-id": "request-of-a-test",
          "x-secret": "1",
          te: "trailers",
          "proxy-authorization": "Basic eA=="
        }
      })
      const [one] = got
      assert.lengthOf(got, 1)
      assert.deepStrictEqual([one?.method, one?.url], ["POST", "/echo/a%2Fb/%D1%84?x=1&x=2&q=a%20b+c&empty="])
      assert.strictEqual(one?.body.toString(), body)
      const { host, traceparent, "user-agent": agent, ...headers } = one?.headers ?? {}
      assert.match(agent ?? "", /^Tributary\//)
      assert.notInclude(traceparent ?? "", "4bf92f3577b34da6a3ce929d0e0e4736")
      assert.match(host ?? "", /^127\.0\.0\.1:/)
      assert.deepStrictEqual(headers, {
        accept: "application/vnd.acme+json",
        "accept-language": "de",
        authorization: `Bearer ${secret}`,
        connection: "keep-alive",
        "content-length": String(Buffer.byteLength(body)),
        "content-type": "application/json;odata=verbose",
        "idempotency-key": "order-1",
        "if-match": '"7"',
        prefer: "respond-async"
      })

      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.bytes.toString(), '{"odd":  "spacing"}', "as it is")
      const { date, vary: _, ...back } = answer.headers
      assert.isDefined(date)
      assert.deepStrictEqual(back, {
        "cache-control": "no-store",
        connection: "keep-alive",
        "content-type": "application/vnd.acme+json; charset=utf-8",
        etag: '"1"',
        "keep-alive": back["keep-alive"],
        "provider-status": "200",
        "transfer-encoding": "chunked",
        "x-acme": "kept",
        "x-content-type-options": "nosniff",
        "x-request-id": "request-of-a-test"
      })
    })
  )

  full(it).effect("has every method, and bodies of every kind", () =>
    Effect.gen(function* () {
      const { pass } = yield* Ports
      for (const method of ["GET", "DELETE", "POST", "PUT", "PATCH"]) {
        const { answer, got } = yield* pass(method, "/hubspot/echo")
        assert.deepStrictEqual([answer.status, got.map((one) => one.method)], [200, [method]])
        assert.strictEqual(got[0]?.headers["content-type"], undefined)
      }
      const head = yield* pass("HEAD", "/hubspot/gzip")
      assert.deepStrictEqual([head.answer.status, head.answer.bytes.length, head.got[0]?.method], [200, 0, "HEAD"])
      assert.strictEqual(head.answer.headers["content-length"], String(packed.length))
      assert.strictEqual(head.answer.headers["provider-status"], "200")

      const form = formBody([
        ["title", "Receipt"],
        ["file", { name: "a.pdf", type: "application/pdf", content: Buffer.alloc(3 * mebibyte, "x") }]
      ])
      const uploaded = yield* pass("POST", "/hubspot/echo", { body: form, headers: { "content-type": formType } })
      assert.strictEqual(uploaded.answer.status, 200)
      assert.isTrue(uploaded.got[0]?.body.equals(form))
      assert.strictEqual(uploaded.got[0]?.headers["content-type"], formType)
      assert.strictEqual(uploaded.got[0]?.headers["content-length"], String(form.length))

      const refused = yield* pass("GET", "/hubspot/echo", { body: "{}" })
      assert.deepStrictEqual([refused.answer.status, refused.got.length], [400, 0])
    })
  )

  full(it).effect("takes 25 MiB and no more, whether they are announced or not", () =>
    Effect.gen(function* () {
      const { pass } = yield* Ports
      const chunked = yield* pass("PUT", "/hubspot/echo", { chunked: 25 * mebibyte })
      assert.deepStrictEqual([chunked.answer.status, chunked.got[0]?.body.length], [200, 25 * mebibyte])
      const announced = yield* pass("PUT", "/hubspot/echo", {
        headers: { "content-length": 25 * mebibyte + 1 },
        body: ""
      })
      assert.deepStrictEqual([announced.answer.status, announced.got.length], [413, 0])
      const { answer, got } = yield* pass("PUT", "/hubspot/echo", { chunked: 26 * mebibyte })
      assert.strictEqual(answer.status, 413)
      assert.isUndefined(answer.headers["provider-status"])
      yield* Effect.repeat(nextTick, { until: () => got[0]?.end !== undefined })
      assert.strictEqual(got[0]?.end, "broken", "the provider never has the end of it")
    })
  )

  it.effect("hands back redirections, what is unchanged, and what is packed, as they are", () =>
    Effect.gen(function* () {
      const { pass } = yield* Ports
      const moved = yield* pass("GET", "/hubspot/redirect")
      assert.deepStrictEqual(
        [moved.answer.status, moved.answer.headers.location, moved.got.length],
        [302, "https://files.acme.example/1?signature=x", 1]
      )
      const unchanged = yield* pass("GET", "/hubspot/unchanged", { headers: { "if-none-match": '"1"' } })
      assert.deepStrictEqual([unchanged.answer.status, unchanged.answer.headers.etag], [304, '"1"'])
      assert.strictEqual(unchanged.got[0]?.headers["if-none-match"], '"1"')
      const zipped = yield* pass("GET", "/hubspot/gzip", { headers: { "accept-encoding": "gzip" } })
      assert.strictEqual(zipped.got[0]?.headers["accept-encoding"], "gzip")
      assert.strictEqual(zipped.answer.headers["content-encoding"], "gzip")
      assert.isTrue(zipped.answer.bytes.equals(packed))
      const limited = yield* pass("POST", "/hubspot/gzip-limit", { body: "{}" })
      assert.deepStrictEqual([limited.answer.status, limited.got.length], [429, 1])
      assert.strictEqual(limited.answer.headers["content-encoding"], "gzip")
    })
  )

  it.effect("hides a token that a refusal quotes", () =>
    Effect.gen(function* () {
      const { answer } = yield* (yield* Ports).pass("GET", "/hubspot/quoting")
      assert.deepStrictEqual([answer.status, answer.bytes.toString()], [400, "no good: Bearer [redacted]"])
    })
  )

  it.effect("hands back an answer that comes before the body is sent", () =>
    Effect.gen(function* () {
      const { answer } = yield* (yield* Ports).pass("POST", "/hubspot/early", { chunked: 4 * mebibyte })
      assert.deepStrictEqual([answer.status, answer.bytes.toString()], [409, "not now"])
    })
  )

  it.effect("does not take half an answer for a whole one", () =>
    Effect.gen(function* () {
      const { answer } = yield* (yield* Ports).pass("GET", "/hubspot/half")
      assert.isFalse(answer.isWhole)
    })
  )

  it.effect("breaks off at the provider when the caller goes away, whatever was asked", () =>
    Effect.gen(function* () {
      const { abandon, provider } = yield* Ports
      for (const method of ["GET", "POST"]) {
        yield* abandon(method, "/hubspot/hanging")
        const last = provider.got.at(-1)
        assert.strictEqual(last?.method, method)
        yield* Effect.repeat(nextTick, { until: () => last?.end !== undefined })
      }
    })
  )

  it.effect("is of the connection's tenant", () =>
    Effect.gen(function* () {
      const { pass } = yield* Ports
      const { got } = yield* pass("GET", "/xero/api.xro/2.0/Invoices?page=1", { headers: { "if-modified-since": "x" } })
      assert.strictEqual(got[0]?.headers["xero-tenant-id"], tenantId)
      assert.strictEqual(got[0]?.headers["if-modified-since"], "x")
    })
  )

  it.effect("is signed with its query where the provider asks for signatures, and has the provider's own headers", () =>
    Effect.gen(function* () {
      const { pass } = yield* Ports
      const query = "q=tranId%20IS%20%22x%22&limit=5&a=1&a=2"
      const { got } = yield* pass("GET", `/netsuite/services/rest/record/v1/invoice?${query}`, {
        headers: { "x-netsuite-propertynamevalidation": "Error", "x-netsuit": "1" }
      })
      assert.strictEqual(got[0]?.url, `/services/rest/record/v1/invoice?${query}`)
      assert.match(got[0]?.headers.authorization ?? "", /^OAuth realm="1234567", .*oauth_signature="/)
      assert.strictEqual(got[0]?.headers["x-netsuite-propertynamevalidation"], "Error")
      assert.notProperty(got[0]?.headers, "x-netsuit")
    })
  )

  full(it).effect("sends nothing for paths that lead elsewhere, however they are written", () =>
    Effect.gen(function* () {
      const { provider, raw } = yield* Ports
      const before = provider.got.length
      const base = "/api/v1/passthrough/hubspot"
      for (const [target, status] of [
        [`${base}/../x`, 400],
        [`${base}/a/../../x`, 400],
        [`${base}/%2e%2e/x`, 400],
        [`${base}//evil.example/x`, 400],
        [`${base}/https://evil.example/x`, 400],
        [`${base}/a\\..\\b`, 400],
        [`${base}/%5cevil.example`, 400],
        [`${base}/a%00b`, 400],
        [`${base}/a%zz`, 400],
        [`${base}/a%ff`, 400],
        [`${base}/a;%zz`, 400],
        [`${base}/oauth/v1/token`, 403],
        [`${base}@evil.example/x`, 404],
        [`${base}:443/x`, 404],
        [base, 404],
        [`/api/v1/passthrough/../x`, 404],
        [`http://evil.example${base}/../x`, 400]
      ] as const) {
        assert.match(yield* raw(target), new RegExp(`^HTTP/1.1 ${status} `), target)
      }
      assert.lengthOf(provider.got.slice(before), 0)
    })
  )
})
