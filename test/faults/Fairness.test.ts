import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { scratchDirectory } from "../support/TestDatabase.ts"
import { at, call, type Caller, command, type ServiceProcess, start } from "./ServiceProcess.ts"

/** HubSpot's list of contacts, empty; an access token "hangs" is never answered. */
const provider = Effect.acquireRelease(
  Effect.async<{ readonly address: string; readonly hanging: () => number; readonly close: () => void }>((resume) => {
    let hanging = 0
    const server = createServer((request, response) => {
      if (request.headers.authorization === "Bearer hangs") {
        hanging += 1
        request.socket.once("close", () => (hanging -= 1))
        return
      }
      response.writeHead(200, { "content-type": "application/json" }).end('{"results":[]}')
    })
    server.listen(0, "127.0.0.1", 1024, () => {
      const { port } = server.address() as AddressInfo
      const close = () => {
        server.closeAllConnections()
        server.close()
      }
      resume(Effect.succeed({ address: `http://127.0.0.1:${port}`, hanging: () => hanging, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const organisation = Effect.fnUntraced(function* (settings: { readonly [name: string]: string }, name: string) {
  yield* command(settings, "organisations", "create", "--name", name)
  const made = yield* command(settings, "keys", "create", "--organisation", name, "--environment", "live")
  return String(at(made, "key"))
})

const connect = (service: ServiceProcess, key: string, endUser: string, accessToken: string) =>
  Effect.map(
    call(service, { key, endUser }, "POST", "/connections", {
      endUserId: endUser,
      provider: "hubspot",
      credentials: { accessToken }
    }),
    ({ status }): Caller => {
      assert.strictEqual(status, 201)
      return { key, endUser }
    }
  )

const list = (service: ServiceProcess, caller: Caller) => call(service, caller, "GET", "/crm/contact?provider=hubspot")

/** The 95th percentile of sixty lists, in milliseconds. */
const p95 = (service: ServiceProcess, caller: Caller) =>
  Effect.map(
    Effect.replicateEffect(
      Effect.map(Effect.timed(list(service, caller)), ([took, { status }]) => {
        assert.strictEqual(status, 200)
        return Duration.toMillis(took)
      }),
      60
    ),
    (times) => times.toSorted((a, b) => a - b)[57] ?? Infinity
  )

/** Twice the quiet value; below half a second the machine's own noise is as large. */
const bearable = (quiet: number) => Math.max(2 * quiet, 500)

describe("calls that hang at a provider", () => {
  it.scopedLive("hold up neither another organisation nor a healthy account of the same one", () =>
    Effect.gen(function* () {
      const { address, hanging } = yield* provider
      const settings = {
        DATA_DIR: yield* scratchDirectory,
        RATE_LIMIT: "0",
        PROVIDER_HUBSPOT_BASE_URL: address
      }
      const service = yield* start(settings)
      const greedy = yield* organisation(settings, "Greedy")
      const other = yield* connect(service, yield* organisation(settings, "Other"), "other", "token")
      const healthy = yield* connect(service, greedy, "healthy", "token")
      const slow = yield* Effect.forEach(Array.from({ length: 25 }), (_, i) =>
        connect(service, greedy, `slow-${i}`, "hangs")
      )
      const quiet = { other: yield* p95(service, other), healthy: yield* p95(service, healthy) }

      const hangs = (callers: ReadonlyArray<Caller>, each: number, reaching: number) =>
        Effect.gen(function* () {
          const calls = callers.flatMap((caller) => Array.from({ length: each }, () => list(service, caller)))
          const fiber = yield* Effect.fork(Effect.all(calls, { concurrency: "unbounded" }))
          yield* Effect.iterate(hanging(), {
            while: (count) => count < reaching,
            body: () => Effect.as(Effect.sleep("20 millis"), 0).pipe(Effect.map(hanging))
          })
          return fiber
        })

      // nine accounts, with more callers than their provider is asked by at once
      const nine = yield* hangs(slow.slice(0, 9), 20, 72)
      assert.isAtMost(yield* p95(service, healthy), bearable(quiet.healthy))
      yield* Fiber.interrupt(nine)

      const all = yield* hangs(slow, 8, 200)
      assert.isAtMost(yield* p95(service, other), bearable(quiet.other))
      assert.isAtMost(yield* p95(service, healthy), bearable(quiet.healthy))
      yield* Fiber.interrupt(all)
    })
  )
})
