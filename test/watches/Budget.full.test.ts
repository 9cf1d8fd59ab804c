import { HttpClient, HttpClientResponse } from "@effect/platform"
import { assert, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Clock, Effect, Layer, TestClock } from "effect"
import { All } from "../../src/All.ts"
import { simulators } from "../../src/Simulators.ts"
import { usualFollowing } from "../../src/providers/Following.ts"
import { Providers } from "../../src/providers/Providers.ts"
import { followed, walked, watch } from "../../src/testing/contract/Following.ts"
import { ahead, share } from "../../src/watches/Intervals.ts"
import { planOf } from "../../src/watches/Plan.ts"
import { Watcher } from "../../src/watches/Watcher.ts"
import { nextTick, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"

const pipedrive = {
  /** How far its clock is behind, in milliseconds. */
  behind: 0,
  persons: new Map<number, { readonly name: string; readonly at: number }>(),
  /** How often it was asked for something. */
  calls: 0,
  /** It answers no more. */
  hangs: false
}

const stamp = (time: number) => `${new Date(time).toISOString().slice(0, 19)}Z`

const network = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request, url) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      // subscriptions to its pushes are no polls
      if (!url.pathname.includes("/webhooks")) pipedrive.calls += 1
      if (pipedrive.hangs) return Effect.never
      const since = Date.parse(url.searchParams.get("updated_since") ?? "1970-01-01T00:00:00Z")
      const data = url.pathname.endsWith("/persons")
        ? [...pipedrive.persons].flatMap(([id, { at, name }]) =>
            at < since ? [] : [{ id, name, last_name: name, add_time: stamp(at), update_time: stamp(at) }]
          )
        : []
      const headers = { "content-type": "application/json", date: new Date(now - pipedrive.behind).toUTCString() }
      const body = JSON.stringify({ success: true, data, additional_data: { next_cursor: null } })
      return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(body, { headers })))
    })
  )
)

const hour = 3_600_000

layer(sandboxApplication({ PROVIDER_PIPEDRIVE_BASE_URL: "https://pipedrive.test" }, All, simulators, network), {
  timeout: "60 seconds"
})("watches in production", (it) => {
  const begun = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const caller = yield* (yield* SandboxApplication).caller(["pipedrive"], { environment: "production" })
    const connection = caller.connections["pipedrive"] ?? ""
    /** Waits until nothing that is due now is left. */
    const settled = Effect.gen(function* () {
      for (let waited = 1; waited < 2000; waited += 1) {
        yield* nextTick
        const now = new Date(yield* Clock.currentTimeMillis)
        const [left] = yield* sql<{ readonly isPolled: boolean }>`
          select lease_id is not null as "isPolled" from watched_connections
          where connection_id = ${connection} and (due_at <= ${now} or lease_id is not null)`
        if (left === undefined) return
        // one that was asked for while it was polled has its turn a second later; none passes during a poll
        if (!left.isPolled && waited % 10 === 0) yield* TestClock.adjust("1 second")
      }
      return yield* Effect.dieMessage("what is due is not polled")
    })
    const passing = (milliseconds: number) => Effect.zipRight(TestClock.adjust(milliseconds), settled)
    return { ...caller, connection, passing, settled }
  })

  it.effect("spend a fifth of what the provider allows, however often it pushes", () =>
    Effect.gen(function* () {
      const { call, connection, passing, settled, tenancy } = yield* begun
      const { poke } = yield* Watcher
      const adapter = (yield* Providers).get("pipedrive")
      assert(adapter !== undefined)
      const { limit } = adapter.following ?? usualFollowing
      const resources = ["crm/contact", "crm/company", "crm/deal"]
      yield* watch(call, resources)
      pipedrive.calls = 0
      const asked = Effect.zipRight(
        Effect.forEach(resources, (resource) => poke({ id: connection, ...tenancy }, resource)),
        settled
      )
      const aPoll = resources.reduce((sum, name) => sum + (planOf(adapter, name)?.calls ?? 0), 0)
      let atOnce = -1
      while (atOnce < pipedrive.calls) {
        atOnce = pipedrive.calls
        yield* asked
      }
      // with the first walk, and the poll with which it is all spent
      assert.isAtMost(atOnce, (ahead + 3) * aPoll)
      // each is asked for twice as often as may be
      const hours = 2
      yield* Effect.repeatN(Effect.zipRight(passing(hour / 8), asked), hours * 8 - 1)
      const allowed = hours * share * ((limit.calls / limit.seconds) * 3600)
      const spent = pipedrive.calls - atOnce
      assert.isAtMost(spent, allowed + aPoll, "once that is spent")
      assert.isAbove(spent, 0.8 * allowed, "what may be spent is")
      yield* call("DELETE", "/watches")
    })
  )

  it.effect("of an organisation whose calls hang hold up no other's", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const greedy = yield* app.caller(["pipedrive"], { environment: "production" })
      for (let made = 1; made < 40; made += 1) yield* app.caller(["pipedrive"], { tenancy: greedy.tenancy })
      const other = yield* begun
      pipedrive.hangs = true
      pipedrive.calls = 0
      yield* watch(greedy.call, ["crm/contact"])
      for (let waited = 0; waited < 2000 && pipedrive.calls < 8; waited += 1) yield* nextTick
      yield* Effect.repeatN(nextTick, 20)
      assert.strictEqual(pipedrive.calls, 8, "a quarter of what a process polls at a time")
      pipedrive.hangs = false
      yield* watch(other.call, ["crm/contact"])
      yield* other.settled
      const [{ state } = { state: "" }] = yield* followed(other.call)
      assert.strictEqual(state, "following")
      assert.isAtLeast((yield* followed(greedy.call)).filter((one) => one.state !== "following").length, 1)
      yield* greedy.call("DELETE", "/watches")
      yield* other.call("DELETE", "/watches")
    })
  )

  it.effect("miss nothing where the service's clock is ahead of the provider's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { call, connection, passing, settled } = yield* begun
      pipedrive.behind = hour
      pipedrive.persons.clear()
      const set = (id: number, name: string) =>
        Effect.map(Clock.currentTimeMillis, (now) => pipedrive.persons.set(id, { name, at: now - pipedrive.behind }))
      const told = Effect.map(
        sql<{ readonly type: string; readonly id: string }>`
          select type, data->>'remote_id' as id from events
          where data->>'connectionId' = ${connection} and type like 'record.%' order by sequence`,
        (rows) => rows.map(({ id, type }) => `${type} ${id}`)
      )
      yield* set(1, "Old")
      yield* TestClock.adjust("5 minutes")
      yield* watch(call, ["crm/contact"])
      yield* set(2, "New")
      // on a slow machine there is nothing of it to wait for yet, and time would pass in the middle of the walk
      yield* walked(call, 1)
      yield* settled
      yield* passing(hour / 6)
      yield* passing(hour / 6)
      yield* set(1, "Changed")
      yield* passing(hour / 6)
      yield* set(3, "Newer")
      // on a slow machine a poll is a little late, and the next one due
      for (let turns = 0; turns < 6 && (yield* told).length < 3; turns += 1) yield* passing(hour / 6)
      assert.deepStrictEqual(yield* told, ["record.created 2", "record.updated 1", "record.created 3"])
      yield* call("DELETE", "/watches")
      pipedrive.behind = 0
    })
  )
})
