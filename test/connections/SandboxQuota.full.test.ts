import { HttpClient } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { All } from "../../src/All.ts"
import { Sandbox } from "../../src/connections/Sandbox.ts"
import { application, InProcess } from "../../src/InProcess.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { layer as simulatorLayer } from "../../src/providers/simulation/Simulator.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { simulators } from "../../src/Simulators.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

/** MiB. */
const limit = 4

const services = application(Layer.mergeAll(All, ...simulators.map(simulatorLayer), Sandbox.layer(simulators))).pipe(
  Layer.provideMerge(Layer.mergeAll(SimulationStore.layerSql, Faults.layer)),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(
    Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make(() => Effect.dieMessage("no network"))
    )
  ),
  Layer.provide(
    Layer.setConfigProvider(
      ConfigProvider.fromMap(
        new Map([
          ["RATE_LIMIT", "0"],
          ["QUOTA_SANDBOX_DATA", String(limit)]
        ])
      )
    )
  )
)

const Answered = Schema.decodeUnknownSync(
  Schema.Struct({
    code: Schema.optional(Schema.String),
    message: Schema.String,
    data: Schema.optional(Schema.Struct({ remote_id: Schema.String }))
  })
)

describe("the data of a sandbox connection", () => {
  layer(services, { timeout: "60 seconds" })((it) => {
    it.effect("has a quota: what would exceed it is refused, and nothing of it is kept", () =>
      Effect.gen(function* () {
        const app = yield* InProcess
        const sql = yield* SqlClient.SqlClient
        const tenancy = yield* app.tenancy("Hoarder")
        const user = yield* (yield* EndUsers).ensure(tenancy.organisation, "sandbox", "u-1")
        const { id } = yield* (yield* Sandbox).connect(user, "hubspot")
        yield* (yield* Sandbox).connect(user, "zoho_crm")
        const send = (method: string, path: string, provider: string, body?: object, key?: string) =>
          Effect.promise(async () => {
            const answer = await app.handle(
              new Request(`http://localhost/api/v1${path}?provider=${provider}`, {
                method,
                headers: {
                  authorization: `Bearer ${Redacted.value(tenancy.key)}`,
                  "x-end-user-id": "u-1",
                  "content-type": "application/json",
                  ...(key === undefined ? {} : { "idempotency-key": key })
                },
                ...(body === undefined ? {} : { body: JSON.stringify(body) })
              })
            )
            return { status: answer.status, ...Answered(await answer.json()) }
          })
        const note = (bytes: number) => ({ content: randomBytes(bytes).toString("base64") })
        const held = Effect.map(
          sql<{ readonly bytes: number }>`
            select sum(pg_column_size(body))::int as bytes from simulated_records where account = ${id}`,
          ([row]) => row?.bytes ?? 0
        )

        const made: Array<string> = []
        for (let round = 0; round < 12; round += 1) {
          const answers = yield* Effect.all(
            Array.from({ length: 10 }, () => send("POST", "/crm/note", "hubspot", note(40_000))),
            { concurrency: "unbounded" }
          )
          made.push(...answers.flatMap(({ data }) => data?.remote_id ?? []))
          const refused = answers.filter(({ status }) => status !== 201)
          for (const { code, message, status } of refused) {
            assert.deepStrictEqual([status, code], [409, "QUOTA_EXCEEDED"])
            assert.include(message, `less than ${limit} MiB (QUOTA_SANDBOX_DATA)`)
          }
          if (refused.length > 0) break
        }
        assert.isAbove(made.length, 10)
        assert.isBelow(yield* held, limit * 1024 * 1024)
        assert.isAbove(yield* held, (limit - 1) * 1024 * 1024)

        // refused for good, not of an unknown outcome
        const large = note(45_000)
        for (let tried = 0; tried < 2; tried += 1) {
          assert.strictEqual((yield* send("POST", "/crm/note", "hubspot", large, "large")).code, "QUOTA_EXCEEDED")
        }
        assert.strictEqual((yield* send("POST", "/crm/company", "zoho_crm", { name: "Roomy" })).status, 201)
        for (const one of made.slice(0, 3)) {
          assert.strictEqual((yield* send("PATCH", `/crm/note/${one}`, "hubspot", { content: "x" })).status, 200)
        }
        assert.strictEqual((yield* send("POST", "/crm/note", "hubspot", note(40_000))).status, 201)
      })
    )
  })
})
