import { assert, describe, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, TestClock } from "effect"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import type { Account } from "../../../src/providers/simulation/Account.ts"
import { dailySample } from "../../../src/providers/simulation/DailySample.ts"
import { connect } from "../../../src/providers/simulation/Simulator.ts"
import { simulators } from "../../../src/Simulators.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { full } from "../../support/Full.ts"

const services = SimulationStore.layerSql.pipe(Layer.provideMerge(TestDatabase.layer))

/** The same database as another process sees it. */
const elsewhere = Effect.provide(SimulationStore, Layer.fresh(SimulationStore.layerSql))

const ledger = {
  sample: dailySample((account) => {
    for (let id = 1; id <= 3; id += 1) account.put("entry", String(id), { text: `sample ${id}`, at: account.now })
  })
}

const texts = (account: Account) => account.all("entry").map(({ text }) => text)

const kept = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ account: string; type: string; id: string }>`
    select account, type, id from simulated_records where provider = 'ledger' order by account, type, id`
})

describe("a simulated account", () => {
  layer(services)((it) => {
    it.effect("is kept as its differences from a sample that accounts share", () =>
      Effect.gen(function* () {
        const store = yield* SimulationStore
        const sql = yield* SqlClient.SqlClient
        for (const name of ["a", "b"]) yield* store.make("ledger", name, (account) => account.put("token", name, {}))
        assert.deepStrictEqual(yield* store.run("ledger", "a", texts, ledger), ["sample 1", "sample 2", "sample 3"])
        yield* store.run("ledger", "b", texts, ledger)
        yield* store.run("ledger", "a", (account) => {
          account.put("entry", "2", { text: "changed" })
          account.remove("entry", "1")
          account.put("entry", "4", { text: "added" })
        })
        const expected = ["changed", "sample 3", "added"]
        assert.deepStrictEqual(yield* store.run("ledger", "a", texts, ledger), expected)
        assert.deepStrictEqual(yield* (yield* elsewhere).run("ledger", "a", texts, ledger), expected)
        assert.deepStrictEqual(yield* (yield* elsewhere).run("ledger", "b", texts, ledger), [
          "sample 1",
          "sample 2",
          "sample 3"
        ])
        assert.deepStrictEqual(
          (yield* kept).map(({ account, id, type }) => `${account} ${type} ${id}`),
          ["a entry 2", "a entry 4", "a token a", "b token b"]
        )
        assert.lengthOf(yield* sql`select id from simulated_samples where provider = 'ledger'`, 1)
      })
    )

    it.effect("keeps what was removed from the sample away until it is put back", () =>
      Effect.gen(function* () {
        const store = yield* SimulationStore
        yield* store.make("ledger", "c", (account) => account.put("token", "c", {}))
        yield* store.run("ledger", "c", (account) => account.remove("entry", "1"), ledger)
        assert.deepStrictEqual(yield* (yield* elsewhere).run("ledger", "c", texts), ["sample 2", "sample 3"])
        yield* store.run("ledger", "c", (account) => account.put("entry", "1", { text: "back" }))
        assert.deepStrictEqual(yield* (yield* elsewhere).run("ledger", "c", texts), ["back", "sample 2", "sample 3"])
      })
    )

    it.effect("stays on the sample of the day on which it began, and gives none of its ids again", () =>
      Effect.gen(function* () {
        const store = yield* SimulationStore
        yield* store.make("ledger", "d", (account) => account.put("token", "d", {}))
        const first = (account: Account) => account.get("entry", "1")?.at
        const began = yield* store.run("ledger", "d", first, ledger)
        yield* TestClock.adjust("3 days")
        yield* store.make("ledger", "e", (account) => account.put("token", "e", {}))
        assert.strictEqual(yield* (yield* elsewhere).run("ledger", "d", first, ledger), began)
        const later = yield* store.run("ledger", "e", first, ledger)
        assert.strictEqual(Number(later) - Number(began), 3 * 86_400_000)
        assert.isAbove((yield* store.run("ledger", "e", (account) => account.nextId(), ledger)) ?? 0, 1000)
      })
    )

    it.effect("that version 0.1.0 stored as a whole goes on unchanged", () =>
      Effect.gen(function* () {
        const store = yield* SimulationStore
        const sql = yield* SqlClient.SqlClient
        yield* sql`
          insert into simulated_accounts (provider, account, version, last_id) values ('ledger', 'whole', 7, 1200)`
        const rows = [
          { type: "seed", id: "done", body: {} },
          { type: "entry", id: "2", body: { text: "old" } }
        ]
        yield* sql`
          insert into simulated_records (provider, account, type, id, body)
          select 'ledger', 'whole', x.type, x.id, x.body
          from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(type text, id text, body jsonb)`
        assert.deepStrictEqual(yield* store.run("ledger", "whole", texts, ledger), ["old"])
        yield* store.run("ledger", "whole", (account) => account.put("entry", "3", { text: "new" }), ledger)
        assert.deepStrictEqual(yield* (yield* elsewhere).run("ledger", "whole", texts, ledger), ["old", "new"])
      })
    )

    it.effect("to which version 0.1.0 added sample data of its own is a whole one from then on", () =>
      Effect.gen(function* () {
        const store = yield* SimulationStore
        const sql = yield* SqlClient.SqlClient
        yield* store.make("ledger", "both", (account) => account.put("token", "both", {}))
        yield* store.run("ledger", "both", (account) => account.put("entry", "4", { text: "added" }), ledger)
        // what it finds, and what it stores: it knows neither samples nor what is missing of them
        const found = yield* sql`select type from simulated_records where provider = 'ledger' and account = 'both'`
        assert.notInclude(
          found.map(({ type }) => type),
          "seed"
        )
        yield* sql`
          insert into simulated_records (provider, account, type, id, body)
          values ('ledger', 'both', 'seed', 'done', '{}'), ('ledger', 'both', 'entry', '1', '{"text": "its own"}')`
        yield* sql`update simulated_accounts set version = version + 1 where account = 'both'`
        assert.deepStrictEqual(yield* store.run("ledger", "both", texts, ledger), ["its own", "added"])
      })
    )

    it.effect("that is removed is gone with all its records, also for a request that had read it", () =>
      Effect.gen(function* () {
        const store = yield* SimulationStore
        const other = yield* elsewhere
        yield* store.make("ledger", "gone", (account) => account.put("token", "gone", {}))
        yield* store.run("ledger", "gone", (account) => account.remove("entry", "1"), ledger)
        assert.strictEqual(yield* other.remove("ledger", ["gone", "never there"]), 1)
        assert.isUndefined(yield* store.run("ledger", "gone", (account) => account.put("entry", "9", {}), ledger))
        const sql = yield* SqlClient.SqlClient
        for (const table of ["simulated_accounts", "simulated_records", "simulated_removals"]) {
          assert.isEmpty(yield* sql`select 1 from ${sql(table)} where account = 'gone'`)
        }
      })
    )

    full(it).effect(
      "of the real simulators costs little: 30 take less than 80 kB for each simulator, samples and all",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const store = yield* SimulationStore
          yield* TestClock.setTime(Date.UTC(2026, 10, 20, 9))
          // what the suite before deleted still takes its place
          yield* sql`vacuum full simulated_accounts, simulated_records, simulated_removals, simulated_samples`
          const loaded = yield* Effect.forEach(simulators, ({ load }) => load)
          for (let made = 0; made < 30; made += 1) {
            const simulator = loaded[made % loaded.length]
            if (simulator === undefined) continue
            yield* connect(simulator, `size ${made}`)
            yield* store.run(simulator.slug, `size ${made}`, () => {}, simulator)
          }
          const [size] = yield* sql<{ readonly bytes: number }>`
            select sum(pg_total_relation_size(name))::int as bytes
            from unnest(array['simulated_accounts', 'simulated_records', 'simulated_removals', 'simulated_samples']) as t(name)`
          assert.isBelow(size?.bytes ?? Infinity, simulators.length * 80 * 1024)
        }),
      120_000
    )
  })
})
