import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Redacted } from "effect"
import { randomBytes, randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { proxyTo } from "../support/TcpProxy.ts"
import { createDatabase, scratchDirectory } from "../support/TestDatabase.ts"
import { at, call, type Caller, command, type ServiceProcess, type Settings, start } from "./ServiceProcess.ts"

const stamp = "2026-01-01T00:00:00.000Z"
const pipelines = [{ id: "sales", label: "Sales", stages: [{ id: "open", label: "Open", metadata: {} }] }]

/** HubSpot, which keeps calls waiting from the start, or from when it is told to, until it is told not to. */
const provider = Effect.acquireRelease(
  Effect.async<ReturnType<typeof createServer> & { received: Array<string>; hold: () => void; release: () => void }>(
    (resume) => {
      const received: Array<string> = []
      let held: Array<() => void> | undefined = []
      const hold = () => (held ??= [])
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
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(Object.assign(server, { received, hold, release }))))
    }
  ),
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

const contacts = "/crm/contact?provider=hubspot"

const writes = {
  unsent: { path: "/crm/deal?provider=hubspot", body: { name: "Unsent", stage: "open" } },
  sent: { path: contacts, body: { last_name: "Sent" } },
  late: { path: contacts, body: { last_name: "Late" } }
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

type HubSpot = Effect.Effect.Success<typeof provider>

/** Counts the writes of a type that have reached the provider. */
const sentTo = ({ received }: HubSpot, type: string) =>
  received.filter((path) => path === `POST /crm/v3/objects/${type}`).length

const until = (holds: () => boolean) =>
  Effect.void.pipe(Effect.delay("20 millis"), Effect.repeat({ until: holds }), Effect.timeout("60 seconds"))

/** Kills a service while one write waits for what it needs to be sent, and another for its answer. */
const killWriting = Effect.fnUntraced(function* (service: ServiceProcess, caller: Caller, hubspot: HubSpot) {
  const before = sentTo(hubspot, "contacts")
  yield* Effect.fork(write(service, caller, "unsent"))
  yield* Effect.fork(write(service, caller, "sent"))
  yield* until(
    () => hubspot.received.some((path) => path.includes("pipelines")) && sentTo(hubspot, "contacts") > before
  )
  service.signal("SIGKILL")
  yield* Effect.promise(() => service.ended)
  hubspot.release()
})

/** A repeat runs a write that was not sent, but does not send one again that was, since it may have been done. */
const isToldTruly = Effect.fnUntraced(function* (service: ServiceProcess, caller: Caller, hubspot: HubSpot) {
  const before = sentTo(hubspot, "contacts")
  const [unsent, sent] = yield* Effect.all([repeated(service, caller, "unsent"), repeated(service, caller, "sent")], {
    concurrency: "unbounded"
  }).pipe(Effect.timeout("25 seconds"))
  assert.strictEqual(unsent.status, 201)
  assert.deepStrictEqual([sent.status, at(sent.json, "code")], [409, "IDEMPOTENCY_OUTCOME_UNKNOWN"])
  assert.deepStrictEqual([sentTo(hubspot, "deals"), sentTo(hubspot, "contacts")], [1, before])
})

const server = process.env["TEST_DATABASE_URL"]

const onPostgres = Effect.map(
  Effect.suspend(() => createDatabase(Redacted.make(server ?? ""))),
  (url) => ({
    DATABASE_URL: Redacted.value(url),
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    RATE_LIMIT: "0"
  })
)

// they wait for leases and time limits, most of the time
describe.concurrent("writes and the database", () => {
  it.scopedLive(
    "a process that is killed leaves the way free for what it had not sent, and says what may be done",
    () =>
      Effect.gen(function* () {
        const hubspot = yield* provider
        const settings = {
          DATA_DIR: yield* scratchDirectory,
          RATE_LIMIT: "0",
          PROVIDER_HUBSPOT_BASE_URL: addressOf(hubspot)
        }
        const first = yield* start(settings)
        const caller = yield* connected(first, settings)
        yield* killWriting(first, caller, hubspot)
        yield* isToldTruly(yield* start(settings), caller, hubspot)
      })
  )

  describe.runIf(server !== undefined)("on PostgreSQL", () => {
    it.scopedLive("another instance tells what became of a write, late or cut short", () =>
      Effect.gen(function* () {
        const hubspot = yield* provider
        const settings = {
          ...(yield* onPostgres),
          REQUEST_TIMEOUT: "2",
          PROVIDER_HUBSPOT_BASE_URL: addressOf(hubspot)
        }
        const one = yield* start(settings)
        const other = yield* start(settings)
        const caller = yield* connected(one, settings)

        const late = yield* write(one, caller, "late")
        assert.deepStrictEqual([late.status, at(late.json, "code")], [504, "PROVIDER_TIMEOUT"])
        const meanwhile = yield* write(other, caller, "late")
        assert.deepStrictEqual([meanwhile.status, at(meanwhile.json, "code")], [409, "IDEMPOTENCY_CONFLICT"])
        hubspot.release()
        const done = yield* repeated(other, caller, "late")
        assert.deepStrictEqual([done.status, done.headers.get("idempotency-replayed")], [201, "true"])
        assert.strictEqual(at(done.json, "data.remote_id"), "1")
        assert.strictEqual(sentTo(hubspot, "contacts"), 1)

        hubspot.hold()
        yield* killWriting(one, caller, hubspot)
        yield* isToldTruly(other, caller, hubspot)
      })
    )

    it.scopedLive("a server that goes silent costs seconds, and service goes on by itself", () =>
      Effect.gen(function* () {
        const given = yield* onPostgres
        const url = new URL(given.DATABASE_URL)
        const proxy = yield* proxyTo({ host: url.hostname, port: Number(url.port || "5432") })
        url.host = `127.0.0.1:${proxy.port}`
        const settings = { ...given, DATABASE_URL: url.href }
        const service = yield* start(settings)
        const caller = yield* connected(service, settings)
        const read = call(service, caller, "GET", "/connections")
        assert.strictEqual((yield* read).status, 200)
        const requests = [
          read,
          call(service, caller, "GET", "/end-users"),
          call(service, caller, "DELETE", "/end-users/nobody"),
          call(service, caller, "POST", "/mcp/workspaces", { name: "Silent" }),
          call(service, caller, "PUT", `/chat-sessions/${randomUUID()}/context`, { context: "Silent" })
        ]
        const probe = (name: string) =>
          Effect.promise(() => fetch(`${service.address}/health/${name}`).then(({ status }) => status))

        proxy.silence()
        const answering = yield* Effect.fork(
          Effect.forEach(Array.from({ length: 8 }, () => requests).flat(), (request) => Effect.timed(request), {
            concurrency: "unbounded"
          })
        )
        assert.deepStrictEqual([yield* probe("live"), yield* probe("ready")], [200, 503])
        const answers = yield* Fiber.join(answering)
        assert.deepStrictEqual(new Set(answers.map(([, { status }]) => status)), new Set([503]))
        // 5 s, and what the machine makes of them
        assert.isBelow(Math.max(...answers.map(([took]) => Duration.toSeconds(took))), 7)
        proxy.speak()
        assert.strictEqual((yield* read).status, 200)
        assert.strictEqual(yield* probe("ready"), 200)
      })
    )
  })
})
