import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Either, Fiber, Layer, TestClock } from "effect"
import * as LookupStore from "../../src/records/LookupStore.ts"
import { All } from "../../src/All.ts"
import { KeptValues } from "../../src/providers/KeptValues.ts"
import { Providers } from "../../src/providers/Providers.ts"
import { Connections } from "../../src/connections/Connections.ts"
import { SandboxApplication, sandboxApplication, whileTimePasses } from "../support/SandboxApplication.ts"

layer(sandboxApplication({}, All), { timeout: "60 seconds" })("looked up values", (it) => {
  const connected = Effect.gen(function* () {
    const app = yield* SandboxApplication
    const caller = yield* app.caller(["quickbooks"])
    const ref = {
      id: String(caller.connections.quickbooks),
      provider: "quickbooks",
      environment: "sandbox" as const,
      organisation: caller.tenancy.organisation
    }
    return { caller, ref }
  })

  /** Another instance, on the same database. */
  const instance = Effect.map(Layer.build(Layer.fresh(LookupStore.layer)), Context.get(KeptValues))

  const counted = () => {
    const loads = { count: 0 }
    const load = Effect.sync(() => {
      loads.count += 1
      return { value: { stages: [`load ${loads.count}`] }, ttl: 300 }
    })
    return { load, loads }
  }

  it.scoped("are loaded once between instances, until they are no longer good", () =>
    Effect.gen(function* () {
      const { ref } = yield* connected
      const [one, other] = [yield* instance, yield* instance]
      const { load, loads } = counted()
      const begun = yield* Deferred.make<void>()
      const slow = Effect.zipRight(Deferred.await(begun), load)
      const first = yield* Effect.fork(one.get(ref, "stages", slow))
      // the claim is there before the other looks
      yield* Effect.repeat(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1 from lookups where connection_id = ${ref.id}`),
        { until: (rows) => rows.length > 0 }
      )
      const second = yield* Effect.fork(other.get(ref, "stages", load))
      yield* Deferred.succeed(begun, undefined)
      const values = yield* whileTimePasses(1000)(Effect.all([Fiber.join(first), Fiber.join(second)]))
      assert.deepStrictEqual(
        values.map(({ value }) => value),
        [{ stages: ["load 1"] }, { stages: ["load 1"] }]
      )
      yield* TestClock.adjust("100 seconds")
      const { ttl } = yield* other.get(ref, "stages", load)
      assert.isAtMost(ttl, 200)
      assert.strictEqual(loads.count, 1)
      yield* TestClock.adjust("201 seconds")
      assert.deepStrictEqual((yield* one.get(ref, "stages", load)).value, { stages: ["load 2"] })
      yield* other.forget(ref, "stages")
      assert.deepStrictEqual((yield* one.get(ref, "stages", load)).value, { stages: ["load 3"] })
    })
  )

  it.scoped("rest encrypted, are a connection's own, and go with it", () =>
    Effect.gen(function* () {
      const { caller, ref } = yield* connected
      const { ref: stranger } = yield* connected
      const store = yield* instance
      const secret = Effect.succeed({ value: "a pipeline's name", ttl: 300 })
      yield* store.get(ref, "pipelines", secret)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`select value from lookups where connection_id = ${ref.id}`
      assert.lengthOf(rows, 1)
      assert.notInclude(JSON.stringify(rows), "pipeline's")
      assert.strictEqual(
        (yield* store.get(stranger, "pipelines", Effect.succeed({ value: "other", ttl: 1 }))).value,
        "other"
      )
      // moved to another connection, it does not open
      yield* sql`
        update lookups set value = (select value from lookups where connection_id = ${ref.id}), good_until = '2030-01-01'
        where connection_id = ${stranger.id}`
      assert.strictEqual(
        (yield* store.get(stranger, "pipelines", Effect.succeed({ value: "own", ttl: 1 }))).value,
        "own"
      )
      yield* (yield* Connections).remove({ organisation: caller.tenancy.organisation, environment: "sandbox" }, ref.id)
      assert.deepStrictEqual(yield* sql`select name from lookups where connection_id = ${ref.id}`, [])
      assert.strictEqual((yield* store.get(ref, "pipelines", Effect.succeed({ value: "last", ttl: 9 }))).value, "last")
      assert.deepStrictEqual(yield* sql`select name from lookups where connection_id = ${ref.id}`, [])
    })
  )

  it.scoped("are not kept of a load that fails, and the next one loads", () =>
    Effect.gen(function* () {
      const { ref } = yield* connected
      const store = yield* instance
      const failed = yield* Effect.either(store.get(ref, "stages", Effect.fail("down")))
      assert.deepStrictEqual(failed, Either.left("down"))
      const { load } = counted()
      assert.deepStrictEqual((yield* store.get(ref, "stages", load)).value, { stages: ["load 1"] })
    })
  )

  it.scoped("of every provider can be shared: they are JSON", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const sql = yield* SqlClient.SqlClient
      const apart: Array<string> = []
      for (const { lookups, slug } of (yield* Providers).all()) {
        const caller = yield* app.caller([slug])
        const ref = {
          id: String(caller.connections[slug]),
          provider: slug,
          environment: "sandbox" as const,
          organisation: caller.tenancy.organisation
        }
        const store = yield* instance
        for (const [name, { load, ttl }] of Object.entries(lookups)) {
          yield* whileTimePasses(60_000)(
            store.get(
              ref,
              name,
              Effect.map(load(ref), (value) => ({ value, ttl }))
            )
          )
          const [row] =
            yield* sql`select value is not null as kept from lookups where connection_id = ${ref.id} and name = ${name}`
          if (row?.kept !== true) apart.push(`${slug} ${name}`)
        }
      }
      assert.deepStrictEqual(apart, [])
    })
  )
})
