import { assert, describe, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Deferred, Effect, Fiber } from "effect"
import { randomUUID } from "node:crypto"
import { Connections } from "../../src/connections/Connections.ts"
import { Watches } from "../../src/watches/Watches.ts"
import { nextTick, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"

const wish = (providers: ReadonlyArray<string> | null) => ({ resources: ["crm/contact"], providers, interval: 3600 })

// the embedded database does one thing after the other
describe.runIf(process.env["TEST_DATABASE_URL"] !== undefined)("several watched connections", () => {
  layer(sandboxApplication(), { timeout: "60 seconds" })((it) => {
    /** Connections of a watch, the one with the greatest id first, and what holds the one that is locked first of all. */
    const begun = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { tenancy } = yield* (yield* SandboxApplication).caller(["hubspot"])
      const { environment, organisation } = tenancy
      yield* sql`
        insert into watches (organisation_id, environment, resources, interval, hash_key)
        values (${organisation}, ${environment}, '{}', 60, '')`
      const [user] = yield* sql<{
        readonly id: string
      }>`select id from end_users where organisation_id = ${organisation}`
      const ids = Array.from({ length: 20 }, () => randomUUID())
        .toSorted()
        .toReversed()
      for (const id of ids) {
        yield* sql`
          insert into connections (id, organisation_id, environment, end_user_id, provider, credentials)
          values (${id}, ${organisation}, ${environment}, ${user?.id ?? ""}, 'hubspot', '')`
        yield* sql`
          insert into watched_connections (connection_id, organisation_id, environment, since, due_at)
          values (${id}, ${organisation}, ${environment}, now(), 'infinity')`
      }
      const least = ids.at(-1) ?? ""
      /** Those that are locked while something waits for the least. */
      const lockedBy = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.gen(function* () {
          const isHeld = yield* Deferred.make<void>()
          const isOver = yield* Deferred.make<void>()
          const holding = yield* Effect.fork(
            sql.withTransaction(
              Effect.gen(function* () {
                yield* sql`select from watched_connections where connection_id = ${least} for update`
                yield* Deferred.succeed(isHeld, undefined)
                yield* Deferred.await(isOver)
              })
            )
          )
          yield* Deferred.await(isHeld)
          const working = yield* Effect.fork(work)
          yield* Effect.repeat(
            Effect.zipRight(
              nextTick,
              sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
            ),
            { until: (waiting) => waiting.length > 0 }
          )
          const free = yield* sql`
            select 1 from watched_connections where connection_id = any(${ids}::uuid[]) for update skip locked`
          yield* Deferred.succeed(isOver, undefined)
          yield* Fiber.join(holding)
          yield* Fiber.join(working)
          return ids.length - free.length
        })
      return { tenancy, lockedBy }
    })

    it.effect("are locked in one order by all who lock several", () =>
      Effect.gen(function* () {
        const watches = yield* Watches
        const connections = yield* Connections
        const order = [
          ["a watch that is replaced", (tenant) => watches.put(tenant, wish(null))],
          ["a watch of others", (tenant) => watches.put(tenant, wish(["xero"]))],
          ["a watch that is ended", (tenant) => watches.remove(tenant)],
          ["a removal", (tenant) => connections.removeAll(tenant)]
        ] satisfies ReadonlyArray<
          readonly [string, (tenant: Parameters<Watches["Type"]["get"]>[0]) => Effect.Effect<unknown>]
        >
        for (const [name, work] of order) {
          const { lockedBy, tenancy } = yield* begun
          // the one that it waits for
          assert.strictEqual(yield* lockedBy(work(tenancy)), 1, name)
        }
      })
    )
  })
})
