import { assert, describe, it as test, layer } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { Connections } from "../../src/connections/Connections.ts"
import { Faults, type Misbehaviour } from "../../src/providers/simulation/Faults.ts"
import { gather, shares } from "../../src/records/FanOut.ts"
import {
  type Call,
  type Doc,
  failureOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../support/SandboxApplication.ts"

const keysOf = (records: ReadonlyArray<Doc>) => records.map(({ id }) => String(id)).toSorted()

const countBy = (records: ReadonlyArray<Doc>, connections: ReadonlyArray<string>) =>
  connections.map((id) => records.filter(({ providerId }) => providerId === id).length)

const next = (call: Call, path: string, cursor: string | null) =>
  Effect.map(call("GET", cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`), pageOf)

layer(sandboxApplication(), { timeout: "60 seconds" })("a list without provider", (it) => {
  const fails = (provider: string, does: Misbehaviour, times = 1) =>
    Effect.flatMap(Faults, (faults) => faults.add({ provider, does, times, path: listPath[provider] ?? "" }))

  it.effect("is shared by turns, and ends with everything of every connection once", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["hubspot", "salesforce"])
      const { call } = caller
      const second = yield* app.connect(caller, "hubspot")
      const first = String(caller.connections.hubspot)
      const ids = [first, String(caller.connections.salesforce), second]
      let cursor: string | null = null
      const counts: Array<ReadonlyArray<number>> = []
      for (let i = 0; i < 3; i += 1) {
        const page: ReturnType<typeof pageOf> = yield* next(call, "/crm/company?limit=4", cursor)
        counts.push(countBy(page.data, ids))
        cursor = page.pagination.cursor
      }
      assert.deepStrictEqual(
        counts.map((count) => count.toSorted((a, b) => a - b)),
        [
          [1, 1, 2],
          [1, 1, 2],
          [1, 1, 2]
        ]
      )
      assert.deepStrictEqual(
        [0, 1, 2].map((i) => counts.reduce((sum, count) => sum + (count[i] ?? 0), 0)),
        [4, 4, 4]
      )

      const whole = yield* walk(call, "/crm/company", 50)
      const each = yield* Effect.forEach(ids, (id) =>
        walk((method, path) => call(method, path, { headers: { "x-connection-id": id } }), "/crm/company")
      )
      const together = each.flatMap(({ records }) => records)
      assert.deepStrictEqual(keysOf(whole.records), keysOf(together))
      assert.deepStrictEqual(new Set(keysOf(together)).size, together.length)
    })
  )

  it.effect("with a limit below the number of connections asks so many, in turn", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["hubspot", "salesforce"])
      const ids = Object.values(caller.connections)
      const pages: Array<ReadonlyArray<number>> = []
      let cursor: string | null = null
      for (let i = 0; i < 4; i += 1) {
        const page: ReturnType<typeof pageOf> = yield* next(caller.call, "/crm/owner?limit=1", cursor)
        pages.push(countBy(page.data, ids))
        cursor = page.pagination.cursor
      }
      assert.deepStrictEqual(pages, [
        [1, 0],
        [0, 1],
        [1, 0],
        [0, 1]
      ])
      const one = yield* walk(caller.call, "/crm/owner", 1)
      const all = yield* walk(caller.call, "/crm/owner", 100)
      assert.deepStrictEqual(keysOf(one.records), keysOf(all.records))
    })
  )

  it.effect("says which connection failed for now, and following the cursor gets its records", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call, connections } = yield* app.caller(["hubspot", "salesforce"])
      const whole = yield* walk(call, "/crm/company", 100)
      const first = yield* next(call, "/crm/company?limit=20", null)
      yield* fails("hubspot", { kind: "status", status: 500 }, 3)
      const second = yield* next(call, "/crm/company?limit=20", first.pagination.cursor)
      assert.deepStrictEqual(
        countBy(second.data, [String(connections.hubspot), String(connections.salesforce)]),
        [0, 10]
      )
      assert.isTrue(second.pagination.hasMore)
      assert.lengthOf(second.errors ?? [], 1)
      const [error] = second.errors ?? []
      assert.deepInclude(error, {
        provider: "hubspot",
        connectionId: connections.hubspot,
        code: "PROVIDER_ERROR",
        retryable: true
      })
      const seen = [...first.data, ...second.data]
      let cursor = second.pagination.cursor
      while (cursor !== null) {
        const page: ReturnType<typeof pageOf> = yield* next(call, "/crm/company?limit=20", cursor)
        assert.isUndefined(page.errors)
        seen.push(...page.data)
        cursor = page.pagination.cursor
      }
      assert.deepStrictEqual(keysOf(seen), keysOf(whole.records))
    })
  )

  it.effect("lets go of a connection that will not get better, and ends", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call, connections } = yield* app.caller(["hubspot", "salesforce"])
      yield* walk(call, "/crm/company", 100)
      yield* fails("hubspot", { kind: "status", status: 403 })
      const first = yield* next(call, "/crm/company?limit=40", null)
      assert.deepInclude(first.errors?.[0], {
        provider: "hubspot",
        connectionId: connections.hubspot,
        code: "FORBIDDEN",
        retryable: false
      })
      const seen = [...first.data]
      let cursor = first.pagination.cursor
      while (cursor !== null) {
        const page: ReturnType<typeof pageOf> = yield* next(call, "/crm/company?limit=40", cursor)
        assert.isUndefined(page.errors)
        seen.push(...page.data)
        cursor = page.pagination.cursor
      }
      assert.isTrue(seen.every(({ providerSlug }) => providerSlug === "salesforce"))
      const salesforce = yield* walk(call, "/crm/company?provider=salesforce")
      assert.deepStrictEqual(keysOf(seen), keysOf(salesforce.records))
    })
  )

  it.effect("fails when all connections do: with their common status, else 502", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller(["hubspot", "salesforce"])
      yield* walk(call, "/crm/company", 100)
      yield* fails("hubspot", { kind: "status", status: 403 })
      yield* fails("salesforce", { kind: "status", status: 403 })
      assert.deepStrictEqual(refusalOf(yield* call("GET", "/crm/company")), [403, "FORBIDDEN"])
      yield* fails("hubspot", { kind: "status", status: 403 })
      yield* fails("salesforce", { kind: "limit", retryAfter: 60 })
      const answer = yield* call("GET", "/crm/company")
      assert.deepStrictEqual(refusalOf(answer), [502, "PROVIDER_ERROR"])
      assert.isString(failureOf(answer).message)
    })
  )

  it.effect("is empty where nothing of the category is connected", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      for (const providers of [[], ["quickbooks"]]) {
        const { call } = yield* app.caller(providers)
        assert.deepStrictEqual(recordOf(yield* call("GET", "/crm/contact?limit=7")), {
          data: [],
          pagination: { cursor: null, hasMore: false, limit: 7 }
        })
      }
    })
  )

  it.effect("goes on with the connections of its first page, less those that are gone", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["hubspot", "salesforce"])
      const first = yield* next(caller.call, "/crm/owner?limit=2", null)
      const late = yield* app.connect(caller, "hubspot")
      const connections = yield* Connections
      yield* Effect.orDie(connections.remove(caller.tenancy, String(caller.connections.salesforce)))
      const seen: Array<Doc> = []
      let cursor = first.pagination.cursor
      while (cursor !== null) {
        const page: ReturnType<typeof pageOf> = yield* next(caller.call, "/crm/owner?limit=2", cursor)
        seen.push(...page.data)
        cursor = page.pagination.cursor
      }
      assert.isTrue(seen.every(({ providerId }) => providerId === caller.connections.hubspot))
      assert.isFalse(seen.some(({ providerId }) => providerId === late))
      const fresh = yield* walk(caller.call, "/crm/owner")
      assert.isTrue(fresh.records.some(({ providerId }) => providerId === late))
    })
  )
})

const listPath: { readonly [provider: string]: string } = { hubspot: "/crm/v3/objects", salesforce: "/query" }

describe("shares", () => {
  const walks = fc.record({
    count: fc.integer({ min: 1, max: 12 }),
    turn: fc.nat(20),
    limit: fc.integer({ min: 1, max: 100 })
  })
  const walkOf = (count: number, turn: number) => ({
    connections: Array.from({ length: count }, (_, i) => ({ id: String(i), position: null })),
    turn: turn % count
  })

  test.prop("use up the limit and differ by one at most", [walks], ([{ count, limit, turn }]) => {
    const sizes = shares(walkOf(count, turn), limit).map(({ size }) => size)
    assert.strictEqual(
      sizes.reduce((a, b) => a + b, 0),
      limit
    )
    assert.isAtMost(Math.max(...sizes) - Math.min(...sizes), 1)
  })

  test.effect.prop("are fair over as many pages as there are connections", [walks], ([{ count, limit, turn }]) =>
    Effect.gen(function* () {
      const got = new Map<string, number>()
      let walk = walkOf(count, turn)
      for (let page = 0; page < count; page += 1) {
        const gathered = yield* gather(
          walk,
          limit,
          ({ id, size }) => {
            got.set(id, (got.get(id) ?? 0) + size)
            return Effect.succeed({ records: [], next: { position: "on" } })
          },
          () => true
        )
        assert.isDefined(gathered.walk)
        if (gathered.walk === undefined) return
        walk = { ...gathered.walk, connections: walk.connections }
      }
      assert.deepStrictEqual(new Set(got.values()), new Set([limit]))
    })
  )
})
