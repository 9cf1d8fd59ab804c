import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { Events } from "../../src/events/Events.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { followed, passing, until, walked, watch } from "../../src/testing/contract/Following.ts"
import { type Caller, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { pathFrom, signIn } from "./Visitor.ts"
import { full } from "../support/Full.ts"

/** The same organisation's other environment, and another organisation. */
const othersOf = Effect.fnUntraced(function* ({ tenancy }: Caller) {
  const { caller } = yield* SandboxApplication
  const live = yield* (yield* ApiKeys).create(tenancy.organisation, "production")
  return [yield* signIn(live.key), yield* signIn((yield* caller([])).tenancy.key)]
})

/** Where a link of a page leads to. */
const linkOf = (page: string, body: unknown, rel: "next" | "prev") => {
  const address = new RegExp(`rel="${rel}"\\s+href="([^"]+)"`).exec(String(body))?.[1]
  return address === undefined ? undefined : pathFrom(page, address.replaceAll("&#38;", "&"))
}

const removed = (endUserId: string) =>
  ({
    type: "connection.removed",
    data: { connectionId: "00000000-0000-4000-8000-000000000000", provider: "hubspot", endUserId }
  }) as const

layer(sandboxApplication(), { timeout: "60 seconds" })("the console", (it) => {
  it.effect("shows events with their data, newest first, by their type and page by page", () =>
    Effect.gen(function* () {
      const { caller } = yield* SandboxApplication
      const events = yield* Events
      const mine = yield* caller([])
      const own = yield* signIn(mine.tenancy.key)
      const page = "/console/events"
      assert.include(yield* own.read(page), "Nothing has happened yet")

      yield* events.publish(mine.tenancy, [
        { ...removed("<b>first</b>"), type: "connection.created" },
        ...Array.from({ length: 51 }, (_, at) => removed(`user ${at}.`))
      ])
      const newest = yield* own.read(page)
      assert.match(newest, /connection\.removed 2026-11-20 09:.*"endUserId":"user 50\.".*"endUserId":"user 49\."/)
      assert.notInclude(newest, "user 0.")
      const next = linkOf(page, (yield* own.get(page)).body, "next") ?? ""
      const older = yield* own.read(next)
      assert.match(older, /user 0\..*connection\.created .*"endUserId":"<b>first<\/b>"/)
      assert.notInclude(older, "user 1.")
      assert.notInclude(String((yield* own.get(next)).body), "<b>first")
      assert.isUndefined(linkOf(page, (yield* own.get(next)).body, "next"))

      const typed = `${page}?type=connection.created`
      assert.match(yield* own.read(typed), /"endUserId":"<b>first/)
      assert.notInclude(yield* own.read(typed), `"user`)
      assert.include(yield* own.read(`${page}?type=record.deleted`), "No event is like that")
      const second = linkOf(page, (yield* own.get(`${page}?type=connection.removed`)).body, "next") ?? ""
      const rest = yield* own.read(second)
      assert.include(rest, "user 0.")
      assert.notInclude(rest, "<b>first")

      const wrong = yield* own.get(`${page}?type=record.made`)
      assert.strictEqual(wrong.status, 400)
      assert.include(String(wrong.body), "type: must be one of connection.created, ")
      for (const other of yield* othersOf(mine)) {
        assert.include(yield* other.read(page), "Nothing has happened yet")
        assert.include(yield* other.read(next), "No event is like that")
      }
    })
  )

  full(it).effect("shows what is watched and how far each connection is followed, page by page", () =>
    Effect.gen(function* () {
      const { caller } = yield* SandboxApplication
      const sql = yield* SqlClient.SqlClient
      const mine = yield* caller(["hubspot"])
      const own = yield* signIn(mine.tenancy.key)
      const page = "/console/watches"
      assert.include(yield* own.read(page), "Nothing is watched")

      yield* watch(mine.call, ["crm/contact", "crm/lead"], { providers: ["hubspot", "attio"], interval: 20 })
      const begun = yield* own.read(page)
      assert.match(begun, /At HubSpot, Attio, every 20s where .* crm\/lead 2026-11-20 09:\S+ UTC Attio /)
      yield* walked(mine.call, 2)
      const walkedPage = yield* own.read(page)
      assert.match(walkedPage, /HubSpot user-\d+ crm\/contact Following 20s 1m 20s when quiet \d+s? 2026-/)
      assert.notInclude(walkedPage, "FORBIDDEN")

      yield* (yield* Faults).add({ provider: "hubspot", does: { kind: "limit", retryAfter: 40 }, times: 1 })
      yield* until(Effect.map(followed(mine.call), (all) => all.some(({ error }) => error === "RATE_LIMITED")))
      assert.match(yield* own.read(page), /Following RATE_LIMITED/)

      yield* sql`update connections set status = 'needs_reauth' where id = ${mine.connections["hubspot"]}`
      yield* TestClock.adjust("2 hours")
      yield* passing(2)
      assert.match(yield* own.read(page), /crm\/contact Paused until the end user connects again .* 2h /)

      yield* sql`
        insert into watched_resources (connection_id, resource, due_at, free_at, progress)
        select connection_id, 'crm/a' || n, due_at, free_at, progress from watched_resources, generate_series(1, 50) as n
        where connection_id = ${mine.connections["hubspot"]} and resource = 'crm/contact'`
      const next = linkOf(page, (yield* own.get(page)).body, "next") ?? ""
      const [first, second] = [yield* own.read(page), yield* own.read(next)]
      assert.notMatch(first, /crm\/a10 /)
      assert.match(second, /crm\/a10 .*None yet/)
      assert.notInclude(second, "crm/contact")
      assert.isUndefined(linkOf(page, (yield* own.get(next)).body, "next"))

      for (const other of yield* othersOf(mine)) {
        assert.include(yield* other.read(page), "Nothing is watched")
        assert.notInclude(yield* other.read(page), "crm/")
        assert.strictEqual((yield* other.get(next)).status, 400)
      }
    })
  )
})
