import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { request } from "node:http"
import { type HostileRequest, hostileRequests } from "../bench/HostileBodies.ts"
import { scratchDirectory } from "../support/TestDatabase.ts"
import { at, call, type Caller, command, type ServiceProcess, start } from "./ServiceProcess.ts"

/** One request as it is; status 0 when the connection failed. */
const send = (
  { port }: Pick<ServiceProcess, "port">,
  { body, headers, method, path }: HostileRequest,
  more: { readonly [name: string]: string }
) =>
  Effect.async<{ readonly status: number; readonly size: number }>((resume) => {
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) }
    const sent = request({ host: "127.0.0.1", port, method, path, headers: { ...more, ...headers, ...length } })
    sent.on("response", (response) => {
      let size = 0
      response.on("data", (chunk: Buffer) => (size += chunk.length))
      response.on("close", () => resume(Effect.succeed({ status: response.statusCode ?? 0, size })))
    })
    sent.on("error", () => resume(Effect.succeed({ status: 0, size: 0 })))
    sent.end(body)
  })

/** Processor time of some work of this process, in milliseconds: the least of some tries. */
const costOf = (work: () => unknown) =>
  Math.min(
    ...Array.from({ length: 5 }, () => {
      const before = process.cpuUsage()
      work()
      const { system, user } = process.cpuUsage(before)
      return (system + user) / 1000
    })
  )

/**
 * How much longer than a fast machine this one takes for everything: by what it takes to read 1 MiB of JSON, for which 15 ms
 * are usual.
 */
const slowness = () => {
  const text = JSON.stringify(Array.from({ length: 40_000 }, (_, n) => ({ key: `value ${n}` })))
  return Math.max(1, costOf(() => JSON.parse(text)) / 15)
}

const running = Effect.gen(function* () {
  const settings = { DATA_DIR: yield* scratchDirectory, RATE_LIMIT: "0" }
  const service = yield* start(settings)
  const caller: Caller = { key: /sk_test_\w+/.exec(service.printed())?.[0] ?? "", endUser: "demo" }
  const made = (path: string, body: object) => Effect.map(call(service, caller, "POST", path, body), ({ json }) => json)
  const workspace = String(at(yield* made("/mcp/workspaces", { name: "Any" }), "data.id"))
  const token = String(at(yield* made("/connect/token", { endUserId: "demo" }), "data.token"))
  const headersFor = (one: HostileRequest) => ({
    authorization: `Bearer ${one.token === true ? token : caller.key}`,
    "x-end-user-id": caller.endUser
  })
  return { settings, service, caller, workspace, headersFor }
})

describe("hostile requests", () => {
  it.scopedLive("cost little, and are answered briefly", () =>
    Effect.gen(function* () {
      const { headersFor, service, workspace } = yield* running
      // processor time of all threads, and of a service that has just started: more than the event loop is blocked for
      const budget = 200 * slowness()
      for (const one of hostileRequests(workspace)) {
        let least = Infinity
        for (let round = 0; round < 4 && least > budget; round += 1) {
          const before = yield* service.processor
          const { size, status } = yield* send(service, one, headersFor(one))
          least = Math.min(least, (yield* service.processor) - before)
          assert.isTrue(status >= 200 && status < 500, `${one.name}: ${status}`)
          assert.isBelow(size, 50_000, one.name)
        }
        assert.isAtMost(least, budget, `${one.name}, in ms`)
      }
    })
  )

  it.scopedLive("from a connect token do not delay another organisation", () =>
    Effect.gen(function* () {
      const { caller, headersFor, service, settings, workspace } = yield* running
      const id = String(at(yield* command(settings, "organisations", "create", "--name", "Other"), "id"))
      const made = yield* command(settings, "keys", "create", "--organisation", id, "--environment", "sandbox")
      const other: Caller = { key: String(at(made, "key")), endUser: caller.endUser }
      const hostile = hostileRequests(workspace).filter(({ token }) => token === true)
      const list = Effect.gen(function* () {
        const started = performance.now()
        assert.strictEqual((yield* call(service, other, "GET", "/connections")).status, 200)
        return performance.now() - started
      })
      yield* Effect.repeatN(list, 20)
      const lists = Effect.map(Effect.replicateEffect(list, 20), (times) => Math.max(...times))
      const [slowest, answers] = yield* Effect.all(
        [
          lists,
          Effect.forEach(
            [...hostile, ...hostile, ...hostile].slice(0, 6),
            (one) => send(service, one, headersFor(one)),
            {
              concurrency: "unbounded"
            }
          )
        ],
        { concurrency: "unbounded" }
      )
      assert.includeMembers([413, 422], [...new Set(answers.map(({ status }) => status))])
      assert.isBelow(slowest, 500 * slowness())
    })
  )
})
