import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Either, Fiber, Layer, Option, Schema, TestClock } from "effect"
import * as LookupStore from "../../src/records/LookupStore.ts"
import { All } from "../../src/All.ts"
import { keeping, KeptValues, noting } from "../../src/providers/KeptValues.ts"
import { Providers } from "../../src/providers/Providers.ts"
import { Connections } from "../../src/connections/Connections.ts"
import { SandboxApplication, sandboxApplication, whileTimePasses } from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

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

  it.scoped("are kept though others of the connection fail to load meanwhile", () =>
    Effect.gen(function* () {
      const { ref } = yield* connected
      const store = yield* instance
      const [begun, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Deferred.succeed(begun, undefined).pipe(
        Effect.zipRight(Deferred.await(end)),
        Effect.as({ value: "kept", ttl: 300 })
      )
      const loading = yield* Effect.fork(store.get(ref, "pipelines", slow))
      yield* Deferred.await(begun)
      yield* Effect.flip(store.get(ref, "stages", Effect.fail("down")))
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(loading)
      assert.strictEqual((yield* (yield* instance).get(ref, "pipelines", Effect.fail("down"))).value, "kept")
    })
  )

  full(it).scoped("of every provider can be shared: they are JSON", () =>
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
          yield* store.get(
            ref,
            name,
            Effect.map(load(ref), (value) => ({ value, ttl }))
          )
          const [row] =
            yield* sql`select value is not null as kept from lookups where connection_id = ${ref.id} and name = ${name}`
          if (row?.kept !== true) apart.push(`${slug} ${name}`)
        }
      }
      assert.deepStrictEqual(apart, [])
    })
  )

  describe("kept by adapters", () => {
    const Names = Schema.ReadonlySet(Schema.String)

    const keeper = Effect.flatMap(instance, (kept) =>
      Effect.provideService(keeping<ReadonlySet<string>, ReadonlyArray<string>, string>(Names), KeptValues, kept)
    )

    /** A load that takes a second. */
    const slow = () => {
      const loads = { count: 0 }
      const load = Effect.sync(() => {
        loads.count += 1
        return new Set([`load ${loads.count}`])
      }).pipe(Effect.delay("1 second"))
      return { load, loads }
    }

    it.scoped("are loaded once by two instances, also when they are no longer good", () =>
      Effect.gen(function* () {
        const { ref } = yield* connected
        const keepers = [yield* keeper, yield* keeper]
        const { load, loads } = slow()
        const both = whileTimePasses(1000)(
          Effect.forEach(keepers, ({ get }) => get(ref, "fields/Lead", 300, load), { concurrency: "unbounded" })
        )
        assert.deepStrictEqual(yield* both, [new Set(["load 1"]), new Set(["load 1"])])
        yield* TestClock.adjust("290 seconds")
        assert.deepStrictEqual(yield* both, [new Set(["load 1"]), new Set(["load 1"])])
        assert.strictEqual(loads.count, 1)
        yield* TestClock.adjust("20 seconds")
        assert.deepStrictEqual(yield* both, [new Set(["load 2"]), new Set(["load 2"])])
        assert.strictEqual(loads.count, 2)
      })
    )

    it.scoped("are a connection's own", () =>
      Effect.gen(function* () {
        const [{ ref }, { ref: stranger }] = [yield* connected, yield* connected]
        const { get, known } = yield* keeper
        yield* get(ref, "fields/Lead", 300, Effect.succeed(new Set(["Ours"])))
        assert.deepStrictEqual(yield* known(stranger, "fields/Lead"), Option.none())
        assert.deepStrictEqual(
          yield* get(stranger, "fields/Lead", 300, Effect.succeed(new Set(["Theirs"]))),
          new Set(["Theirs"])
        )
        assert.deepStrictEqual(yield* (yield* keeper).known(ref, "fields/Lead"), Option.some(new Set(["Ours"])))
      })
    )

    it.scoped("are tried again after a load that failed, by whatever instance", () =>
      Effect.gen(function* () {
        const { ref } = yield* connected
        const [one, other] = [yield* keeper, yield* keeper]
        assert.deepStrictEqual(yield* Effect.flip(one.get(ref, "fields/Lead", 300, Effect.fail("down"))), "down")
        assert.deepStrictEqual(yield* other.known(ref, "fields/Lead"), Option.none())
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(
          yield* other.get(ref, "fields/Lead", 300, Effect.succeed(new Set(["there"]))),
          new Set(["there"])
        )
        assert.deepStrictEqual(yield* one.get(ref, "fields/Lead", 300, Effect.fail("down")), new Set(["there"]))
      })
    )

    it.scoped("are loaded again by all once they are forgotten, and a load that was under way is not kept", () =>
      Effect.gen(function* () {
        const { ref } = yield* connected
        const [one, other, third] = [yield* keeper, yield* keeper, yield* keeper]
        const begun = yield* Deferred.make<void>()
        const end = yield* Deferred.make<void>()
        const old = Deferred.succeed(begun, undefined).pipe(
          Effect.zipRight(Deferred.await(end)),
          Effect.as(new Set(["old"]))
        )
        const first = yield* Effect.fork(one.get(ref, "fields/Lead", 300, old))
        yield* Deferred.await(begun)
        yield* other.forget(ref, "fields/Lead")
        yield* Deferred.succeed(end, undefined)
        assert.deepStrictEqual(yield* Fiber.join(first), new Set(["old"]))
        assert.deepStrictEqual(
          yield* other.get(ref, "fields/Lead", 300, Effect.succeed(new Set(["new"]))),
          new Set(["new"])
        )
        assert.deepStrictEqual(yield* third.known(ref, "fields/Lead"), Option.some(new Set(["new"])))
      })
    )

    it.scoped("are loaded where another version of this service left something else", () =>
      Effect.gen(function* () {
        const { ref } = yield* connected
        yield* (yield* instance).put(ref, "fields/Lead", { value: { unlike: true }, ttl: 300 })
        const { get } = yield* keeper
        assert.deepStrictEqual(
          yield* get(ref, "fields/Lead", 300, Effect.succeed(new Set(["ours"]))),
          new Set(["ours"])
        )
      })
    )

    it.scoped("cost no statement while a process has them", () =>
      Effect.gen(function* () {
        const { ref } = yield* connected
        const { get } = yield* keeper
        const load = Effect.succeed(new Set(["Email"]))
        yield* get(ref, "fields/Lead", 300, load)
        const sql = yield* SqlClient.SqlClient
        yield* sql`delete from lookups where connection_id = ${ref.id}`
        yield* get(ref, "fields/Lead", 300, load)
        assert.deepStrictEqual(yield* sql`select name from lookups where connection_id = ${ref.id}`, [])
      })
    )

    it.scoped("are noted for their time each, and what one instance notes the next one knows", () =>
      Effect.gen(function* () {
        const { ref } = yield* connected
        const notes = Effect.flatMap(instance, (kept) => Effect.provideService(noting("lacks", 100), KeptValues, kept))
        const [one, other] = [yield* notes, yield* notes]
        assert.deepStrictEqual(yield* one.of(ref), new Set())
        assert.deepStrictEqual(yield* other.of(ref), new Set())
        yield* one.add(ref, ["currency"])
        yield* TestClock.adjust("60 seconds")
        yield* other.add(ref, ["subsidiary", "department"])
        assert.deepStrictEqual(yield* one.of(ref), new Set(["currency"]))
        const all = new Set(["currency", "subsidiary", "department"])
        assert.deepStrictEqual(yield* other.of(ref), all)
        assert.deepStrictEqual(yield* (yield* notes).of(ref), all)
        yield* TestClock.adjust("60 seconds")
        assert.deepStrictEqual(yield* (yield* notes).of(ref), new Set(["subsidiary", "department"]))
        assert.deepStrictEqual(yield* one.of(ref), new Set(["subsidiary", "department"]))
      })
    )
  })
})
