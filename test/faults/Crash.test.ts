import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { proxyTo } from "../support/TcpProxy.ts"
import { createDatabase, scratchDirectory } from "../support/TestDatabase.ts"
import { at, call, type Caller, command, type ServiceProcess, type Settings, start } from "./ServiceProcess.ts"

const stamp = "2026-01-01T00:00:00.000Z"
const pipelines = [{ id: "sales", label: "Sales", stages: [{ id: "open", label: "Open", metadata: {} }] }]

/** HubSpot, which keeps calls waiting as long as it is told to. */
const provider = Effect.acquireRelease(
  Effect.async<ReturnType<typeof createServer> & { received: Array<string>; release: () => void }>((resume) => {
    const received: Array<string> = []
    let held: Array<() => void> | undefined = []
    const server = createServer((request, response) => {
      const path = `${request.method} ${request.url?.split("?")[0]}`
      request.resume()
      received.push(path)
      const answer = () => {
        const body = path.includes("pipelines")
          ? { results: pipelines }
          : { id: "1", properties: {}, createdAt: stamp, updatedAt: stamp, archived: false }
        response
          .writeHead(request.method === "POST" ? 201 : 200, { "content-type": "application/json" })
          .end(JSON.stringify(body))
      }
      if (held === undefined) answer()
      else held.push(answer)
    })
    const release = () => {
      const waiting = held ?? []
      held = undefined
      for (const answer of waiting) answer()
    }
    server.listen(0, "127.0.0.1", () => resume(Effect.succeed(Object.assign(server, { received, release }))))
  }),
  (server) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)

const addressOf = (server: ReturnType<typeof createServer>) =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** A customer with a connection to HubSpot. */
const connected = Effect.fnUntraced(function* (service: ServiceProcess, settings: Settings) {
  yield* command(settings, "organisations", "create", "--name", "Acme")
  const made = yield* command(settings, "keys", "create", "--organisation", "Acme", "--environment", "live")
  const caller: Caller = { key: String(at(made, "key")), endUser: "ann" }
  const { status } = yield* call(service, caller, "POST", "/connections", {
    endUserId: "ann",
    provider: "hubspot",
    credentials: { accessToken: "token" }
  })
  assert.strictEqual(status, 201)
  return caller
})

const writes = {
  unsent: { path: "/crm/deal?provider=hubspot", body: { name: "Unsent", stage: "open" } },
  sent: { path: "/crm/contact?provider=hubspot", body: { last_name: "Sent" } }
}

const write = (service: ServiceProcess, caller: Caller, which: keyof typeof writes) =>
  call(service, caller, "POST", writes[which].path, writes[which].body, { "idempotency-key": which })

/** Repeats a write as it is told to, until it is answered otherwise than that it is still running. */
const repeated = (
  service: ServiceProcess,
  caller: Caller,
  which: keyof typeof writes
): Effect.Effect<Effect.Effect.Success<ReturnType<typeof write>>> =>
  Effect.flatMap(write(service, caller, which), (answer) => {
    if (at(answer.json, "code") !== "IDEMPOTENCY_CONFLICT") return Effect.succeed(answer)
    const wait = Number(answer.headers.get("retry-after"))
    assert.isTrue(wait >= 1 && wait <= 10, `Retry-After: ${wait}`)
    return Effect.delay(repeated(service, caller, which), `${wait} seconds`)
  })

describe("a process killed in the midst of writes", () => {
  it.scopedLive("leaves the way free for what it had not sent, and says what may have been done", () =>
    Effect.gen(function* () {
      const hubspot = yield* provider
      const settings = {
        DATA_DIR: yield* scratchDirectory,
        RATE_LIMIT: "0",
        PROVIDER_HUBSPOT_BASE_URL: addressOf(hubspot)
      }
      const first = yield* start(settings)
      const caller = yield* connected(first, settings)
      yield* Effect.fork(write(first, caller, "unsent"))
      yield* Effect.fork(write(first, caller, "sent"))
      yield* Effect.void.pipe(
        Effect.delay("20 millis"),
        Effect.repeat({
          until: () =>
            hubspot.received.some((path) => path.includes("pipelines")) &&
            hubspot.received.includes("POST /crm/v3/objects/contacts")
        })
      )
      first.signal("SIGKILL")
      yield* Effect.promise(() => first.ended)
      hubspot.release()

      const second = yield* start(settings)
      const [unsent, sent] = yield* Effect.all([repeated(second, caller, "unsent"), repeated(second, caller, "sent")], {
        concurrency: "unbounded"
      }).pipe(Effect.timeout("25 seconds"))
      assert.strictEqual(unsent.status, 201)
      assert.deepStrictEqual([sent.status, at(sent.json, "code")], [409, "IDEMPOTENCY_OUTCOME_UNKNOWN"])
      const sentTo = (type: string) => hubspot.received.filter((path) => path === `POST /crm/v3/objects/${type}`)
      assert.lengthOf(sentTo("deals"), 1)
      assert.lengthOf(sentTo("contacts"), 1)
    })
  )
})

const server = process.env["TEST_DATABASE_URL"]

describe.runIf(server !== undefined)("a database server that goes silent", () => {
  it.scopedLive("costs seconds, and service goes on by itself", () =>
    Effect.gen(function* () {
      const url = new URL(Redacted.value(yield* createDatabase(Redacted.make(server ?? ""))))
      const proxy = yield* proxyTo({ host: url.hostname, port: Number(url.port || "5432") })
      url.host = `127.0.0.1:${proxy.port}`
      const settings = {
        DATABASE_URL: url.href,
        ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
        RATE_LIMIT: "0"
      }
      const service = yield* start(settings)
      const caller = yield* connected(service, settings)
      const read = call(service, caller, "GET", "/connections")
      assert.strictEqual((yield* read).status, 200)
      proxy.silence()
      const answers = yield* Effect.all(
        Array.from({ length: 40 }, () => read),
        { concurrency: "unbounded" }
      ).pipe(Effect.timeout("12 seconds"))
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([503]))
      proxy.speak()
      assert.strictEqual((yield* read).status, 200)
    })
  )
})
