import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Ref, Schedule } from "effect"
import { randomBytes } from "node:crypto"
import { Agent, request } from "node:http"
import { createDatabase } from "../support/TestDatabase.ts"
import * as Balancer from "./Balancer.ts"
import { type Caller, freePort, sandboxCaller, type ServiceProcess, start } from "./ServiceProcess.ts"

const database = process.env["TEST_DATABASE_URL"]
const redis = process.env["REDIS_URL"]

/** Callers at a time, and milliseconds between an answer and their next request. */
const load = { callers: 8, pause: 20 }

const agent = new Agent({ keepAlive: true })

/** One request over connections that are kept; gives the status, or how the connection failed. */
const send = (address: string, { endUser, key }: Caller, turn: number) =>
  Effect.async<number | string>((resume) => {
    const isWrite = turn % 4 === 0
    const body = isWrite ? JSON.stringify({ name: `Turn ${turn}` }) : undefined
    // neither calls a provider, whose limits are not what this is about
    const path = `/api/v1/${isWrite ? "mcp/workspaces" : "connections"}`
    const sent = request(`${address}${path}`, {
      agent,
      method: isWrite ? "POST" : "GET",
      headers: {
        authorization: `Bearer ${key}`,
        "x-end-user-id": endUser,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      }
    })
    sent.on("error", (error) => resume(Effect.succeed(`${sent.method}: ${error.message}`)))
    sent.on("response", (answer) => {
      const status = answer.statusCode ?? 0
      let text = ""
      answer.on("data", (chunk: Buffer) => (text += chunk.toString()))
      answer.on("error", (error) => resume(Effect.succeed(`${sent.method}: ${error.message}`)))
      answer.on("end", () => resume(Effect.succeed(status < 400 ? status : `${sent.method}: ${status} ${text}`)))
    })
    sent.end(body)
  })

/** Requests of the load that an instance has answered since it started. */
const answeredBy = (instance: ServiceProcess) =>
  Effect.promise(() => fetch(`${instance.address}/metrics`).then((answer) => answer.text())).pipe(
    Effect.map((text) =>
      [
        ...text.matchAll(/^http_requests_total\{.*route="\/api\/v1\/(?:connections|mcp\/workspaces)".*\} (\d+)$/gm)
      ].reduce((sum, [, count]) => sum + Number(count), 0)
    )
  )

/** Waits until the balancer passes requests to an instance. */
const taken = (instance: ServiceProcess) =>
  answeredBy(instance).pipe(
    Effect.repeat({ until: (count) => count > 0, schedule: Schedule.spaced("100 millis") }),
    Effect.timeoutFail({ duration: "60 seconds", onTimeout: () => new Error("The balancer leaves an instance out") }),
    Effect.orDie
  )

describe.skipIf(database === undefined || redis === undefined || !Balancer.isInstalled)("a rolling restart", () => {
  it.scopedLive("behind the compose file's balancer fails no request", () =>
    Effect.gen(function* () {
      const settings = {
        DATABASE_URL: Redacted.value(yield* createDatabase(Redacted.make(database ?? ""))),
        REDIS_URL: redis ?? "",
        ENCRYPTION_KEYS: `first:${randomBytes(32).toString("base64")}`,
        RATE_LIMIT: "0",
        // a slow restart leaves time for many writes
        QUOTA_WORKSPACES: "1000000"
      }
      const caller = yield* sandboxCaller(settings)
      const ports = [yield* freePort, yield* freePort]
      const run = (port: number) => start({ ...settings, PORT: String(port) })
      const instances = yield* Effect.forEach(ports, run, { concurrency: 2 })
      const balancer = yield* Balancer.start(ports)

      const answers = new Map<number | string, number>()
      const turns = yield* Ref.make(0)
      yield* Ref.getAndUpdate(turns, (turn) => turn + 1).pipe(
        Effect.flatMap((turn) => send(balancer.address, caller, turn)),
        Effect.tap((outcome) => Effect.sync(() => answers.set(outcome, (answers.get(outcome) ?? 0) + 1))),
        Effect.delay(load.pause),
        Effect.forever,
        Effect.forkScoped,
        Effect.replicateEffect(load.callers)
      )
      yield* Effect.forEach(instances, taken)
      const restart = Effect.fnUntraced(function* (instance: ServiceProcess) {
        instance.signal("SIGTERM")
        assert.strictEqual(yield* Effect.promise(() => instance.ended), 0)
        const next = yield* run(instance.port)
        yield* taken(next)
        return next
      })
      yield* Effect.forEach(instances, restart)

      assert.sameMembers([...answers.keys()], [200, 201], JSON.stringify([...answers]))
      assert.isAbove(answers.get(200) ?? 0, 100)
      assert.isAbove(answers.get(201) ?? 0, 30)
      const scrape = yield* Effect.promise(() => fetch(`${balancer.address}/metrics`))
      assert.strictEqual(scrape.status, 404)
    })
  )
})
