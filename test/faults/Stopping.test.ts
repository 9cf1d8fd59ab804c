import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { request } from "node:http"
import { scratchDirectory } from "../support/TestDatabase.ts"
import { heldServer } from "./HeldServer.ts"
import { at, call, type Caller, command, type ServiceProcess, type Settings, start } from "./ServiceProcess.ts"

/** A service with a provider and a model that keep it waiting, and callers of its sandbox and of that provider. */
const waitingService = Effect.fnUntraced(function* (given: Settings) {
  const upstream = yield* heldServer
  const settings = {
    DATA_DIR: yield* scratchDirectory,
    PROVIDER_HUBSPOT_BASE_URL: upstream.url,
    LLM_PROVIDER: "openai-compatible",
    LLM_MODEL: "m",
    LLM_BASE_URL: `${upstream.url}/v1`,
    ...given
  }
  const service = yield* start(settings)
  const sandbox: Caller = { key: /sk_test_[\w-]+/.exec(service.printed())?.[0] ?? "", endUser: "demo" }
  const live = ["--organisation", "Demo", "--environment", "live"]
  const made = yield* command(settings, "keys", "create", ...live)
  const account = ["--end-user", "u", "--provider", "hubspot", "--credentials", '{"accessToken":"held"}']
  yield* command(settings, "connections", "import", ...live, ...account)
  return { service, settings, upstream, sandbox, held: { key: String(at(made, "key")), endUser: "u" } satisfies Caller }
})

const eventually = (condition: () => boolean | Promise<boolean>) =>
  Effect.promise(() => Promise.resolve(condition())).pipe(
    Effect.repeat({ until: (holds) => holds, schedule: Schedule.spaced("50 millis") }),
    Effect.timeoutFail({ duration: "60 seconds", onTimeout: () => new Error(`It never holds: ${String(condition)}`) }),
    Effect.orDie
  )

interface Look {
  readonly status: number
  readonly connection: string | undefined
  readonly keepAlive: string | ReadonlyArray<string> | undefined
  readonly body: string
}

/** Looks at a path on a connection of its own; undefined where nothing listens. */
const look = ({ port }: ServiceProcess, path: string) =>
  new Promise<Look | undefined>((resolve) => {
    const sent = request({ host: "127.0.0.1", port, path, agent: false, headers: { connection: "keep-alive" } })
    sent.on("error", () => resolve(undefined))
    sent.on("response", (answer) => {
      let body = ""
      answer.on("data", (chunk: Buffer) => (body += chunk.toString()))
      const { connection } = answer.headers
      const keepAlive = answer.headers["keep-alive"]?.toString()
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, connection, keepAlive, body }))
    })
    sent.end()
  })

const untilDeaf = (service: ServiceProcess) =>
  eventually(async () => (await look(service, "/health/live")) === undefined)

/** Opens a stream and reads it to its end. */
const stream = (service: ServiceProcess, { endUser, key }: Caller, path: string, body: unknown) => {
  let text = ""
  const ended = fetch(`${service.address}/api/v1${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "x-end-user-id": endUser,
      "content-type": "application/json",
      accept: "application/json, text/event-stream"
    },
    body: JSON.stringify(body)
  }).then(async (answer) => {
    const reader = (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())
    for await (const chunk of reader) text += chunk
    return text
  })
  return { ended: Effect.promise(() => ended), text: () => text }
}

const workspaceOf = (service: ServiceProcess, caller: Caller) =>
  Effect.map(call(service, caller, "POST", "/mcp/workspaces", { name: "Stopped" }), ({ json }) =>
    String(at(json, "data.id"))
  )

const sayHello = { message: "Say hello" }

describe("a service that is told to stop", () => {
  it.scopedLive("serves on for the delay, then finishes what is under way", () =>
    Effect.gen(function* () {
      const { held, sandbox, service, upstream } = yield* waitingService({ DRAIN_DELAY: "3" })
      const slow = yield* Effect.fork(call(service, held, "GET", "/crm/contact?provider=hubspot"))
      yield* eventually(() => upstream.received.length > 0)
      const before = yield* Effect.promise(() => look(service, "/health/ready"))
      // longer than load balancers', which have to be the ones to end a connection
      assert.deepStrictEqual([before?.connection, before?.keepAlive], ["keep-alive", "timeout=65"])

      const told = performance.now()
      service.signal("SIGTERM")
      yield* eventually(async () => (await look(service, "/health/ready"))?.status === 503)
      const ready = yield* Effect.promise(() => look(service, "/health/ready"))
      assert.deepStrictEqual(JSON.parse(ready?.body ?? ""), {
        ready: false,
        checks: { database: "ok", disk: "ok", serving: "failing" },
        reason: "The service is stopping."
      })
      assert.strictEqual(ready?.connection, "close")
      assert.strictEqual((yield* call(service, sandbox, "GET", "/crm/contact?limit=1")).status, 200)
      yield* untilDeaf(service)
      assert.isAtLeast(performance.now() - told, 2900)

      yield* upstream.release
      const answer = yield* slow
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("connection"), "close")
      assert.strictEqual(yield* Effect.promise(() => service.ended), 0)
    })
  )

  it.scopedLive("finishes and notes a write whose caller is gone", () =>
    Effect.gen(function* () {
      const { held, service, settings, upstream } = yield* waitingService({ DRAIN_DELAY: "0" })
      const create = (of: ServiceProcess) =>
        call(of, held, "POST", "/crm/contact?provider=hubspot", { last_name: "Held" }, { "idempotency-key": "once" })
      const gone = yield* Effect.fork(create(service))
      const writes = () =>
        upstream.received.filter(({ method, path }) => method === "POST" && !path.endsWith("/search"))
      yield* eventually(() => writes().length > 0)
      yield* gone.interruptAsFork(gone.id())
      service.signal("SIGTERM")
      yield* untilDeaf(service)
      yield* upstream.release
      assert.strictEqual(yield* Effect.promise(() => service.ended), 0)

      const again = yield* create(yield* start(settings))
      assert.strictEqual(again.status, 201, JSON.stringify(again.json))
      assert.lengthOf(writes(), 1)
    })
  )

  it.scopedLive("ends streams 10 s later, in their own words", () =>
    Effect.gen(function* () {
      const { held, service, upstream } = yield* waitingService({ DRAIN_DELAY: "0" })
      const workspace = yield* workspaceOf(service, held)
      const chat = stream(service, held, `/mcp/${workspace}/chat`, sayHello)
      const tool = { name: "crm_list_contacts", arguments: { limit: 1 } }
      const exchange = stream(service, held, `/mcp/${workspace}`, {
        ...{ jsonrpc: "2.0", id: 7, method: "tools/call", params: tool }
      })
      yield* eventually(() => chat.text().includes("Hello"))
      yield* eventually(() => upstream.received.some(({ path }) => path !== "/v1/chat/completions"))
      const told = performance.now()
      service.signal("SIGTERM")
      assert.match(yield* chat.ended, /data: \{"type":"abort".*\}\n\ndata: \[DONE\]\n\n$/)
      assert.match(yield* exchange.ended, /"id":7.*"error":\{.*The service is restarting\. Try again\./)
      assert.isAtLeast(performance.now() - told, 9900)
      assert.strictEqual(yield* Effect.promise(() => service.ended), 0)
      assert.notInclude(service.printed(), "Cut ")
    })
  )

  it.scopedLive("skips a wait with each further signal", () =>
    Effect.gen(function* () {
      const { held, service } = yield* waitingService({ DRAIN_DELAY: "120" })
      const chat = stream(service, held, `/mcp/${yield* workspaceOf(service, held)}/chat`, sayHello)
      yield* eventually(() => chat.text().includes("Hello"))
      const told = performance.now()
      service.signal("SIGTERM")
      yield* eventually(() => service.printed().includes("Stopping"))
      yield* Effect.sleep("300 millis")
      assert.strictEqual((yield* Effect.promise(() => look(service, "/health/live")))?.status, 200)
      service.signal("SIGTERM")
      yield* untilDeaf(service)
      yield* Effect.sleep("300 millis")
      service.signal("SIGTERM")
      assert.include(yield* chat.ended, '"type":"abort"')
      assert.strictEqual(yield* Effect.promise(() => service.ended), 0)
      assert.isBelow(performance.now() - told, 9000)
    })
  )
})
