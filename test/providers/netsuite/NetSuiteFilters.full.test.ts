import { assert, layer } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { NotedRequests } from "../../../src/testing/contract/NotedRequests.ts"
import {
  type Call,
  type Doc,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"

const of = (resource: string, wanted: { readonly [filter: string]: string } = {}) =>
  `/accounting/${resource}?${new URLSearchParams({ provider: "netsuite", ...wanted }).toString()}`

const at = (resource: string, { remote_id }: Doc) => `/accounting/${resource}/${String(remote_id)}?provider=netsuite`

const idsOf = (records: ReadonlyArray<Doc>) => records.map(({ id }) => String(id)).toSorted()

const namesOf = (records: ReadonlyArray<Doc>) => records.map(({ name }) => name)

const uuidOf = (record: Doc | undefined) => String(record?.id).replace("urn:uuid:", "")

layer(sandboxApplication(), { timeout: "60 seconds" })("NetSuite filters", (it) => {
  const connected = Effect.gen(function* () {
    const { call, connections } = yield* (yield* SandboxApplication).caller(["netsuite"])
    const store = yield* SimulationStore
    const alter = (
      change: (account: {
        readonly all: (type: string) => ReadonlyArray<Doc>
        readonly put: (type: string, id: string, doc: Doc) => void
      }) => void
    ) => store.run("netsuite", String(connections.netsuite), change)
    return { call, alter, all: (resource: string) => Effect.map(walk(call, of(resource)), ({ records }) => records) }
  })

  /** How many requests a page leads to, once what the account is like is known. */
  const asked = Effect.fnUntraced(function* (call: Call, path: string) {
    yield* call("GET", path)
    return (yield* (yield* NotedRequests).during(call("GET", path))).length
  })

  it.effect("the kind of a record, and whose it is, say which types are asked for, and none for nothing", () =>
    Effect.gen(function* () {
      const { all, call } = yield* connected
      const contacts = yield* all("contact")
      const supplier = uuidOf(contacts.find(({ is_supplier }) => is_supplier === true))
      for (const [resource, wanted, most] of [
        ["invoice", { contact: supplier, fields: "number" }, 1],
        ["invoice", { type: "ACCOUNTS_PAYABLE", limit: "100", fields: "number" }, 1],
        ["invoice", { contact: supplier, type: "ACCOUNTS_RECEIVABLE" }, 0],
        ["contact", { is_supplier: "true", is_customer: "true" }, 0],
        ["purchase_order", { contact: supplier, fields: "purchase_order_number" }, 1],
        ["phone_number", { contact: supplier }, 1],
        ["account", { type: "EXPENSE" }, 1],
        ["item_fulfillment", { status: "CANCELLED" }, 0]
      ] as const) {
        const label = `${resource} ${JSON.stringify(wanted)}`
        assert.strictEqual(yield* asked(call, of(resource, wanted)), most, label)
      }
    })
  )

  it.effect("a name is found among hundreds with one query of each type", () =>
    Effect.gen(function* () {
      const { all, alter, call } = yield* connected
      yield* all("contact")
      yield* alter(({ all, put }) => {
        const [one] = all("customer")
        for (let i = 0; i < 700; i += 1) {
          const id = String(900_000 + i)
          put("customer", id, { ...one, id, entityId: id, companyName: `Member ${i}`, isPerson: false })
        }
      })
      const path = of("contact", { name: "mEMBER 69", limit: "100", fields: "name" })
      const { data, pagination } = pageOf(yield* call("GET", path))
      assert.deepStrictEqual(namesOf(data), ["Member 69", ...Array.from({ length: 10 }, (_, i) => `Member 69${i}`)])
      assert.isFalse(pagination.hasMore)
      assert.strictEqual(yield* asked(call, path), 2)
    })
  )

  it.effect("a person is found by both names, and who has no name by what stands for it", () =>
    Effect.gen(function* () {
      const { all, alter, call } = yield* connected
      yield* all("contact")
      yield* alter(({ all, put }) => {
        const { companyName: _, ...one } = all("customer")[0] ?? {}
        const person = { ...one, isPerson: true }
        put("customer", "900001", { ...person, id: "900001", firstName: "Ada", lastName: "Lovelace" })
        put("customer", "900002", { ...person, id: "900002", lastName: "Lovelace" })
        put("customer", "900003", { ...person, id: "900003", entityId: "Lovelace 3" })
      })
      const cases: ReadonlyArray<readonly [name: string, meant: ReadonlyArray<string>]> = [
        ["ada love", ["Ada Lovelace"]],
        ["lovelace", ["Lovelace", "Lovelace 3"]]
      ]
      for (const [name, meant] of cases) {
        assert.deepStrictEqual(namesOf((yield* walk(call, of("contact", { name }))).records), [...meant])
      }
    })
  )

  it.effect("signs of the language in a value are its own", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const names = ["O'Neil", "O''Neil", "a :book b", "1 > 5", "x IN (1, 2)", "50%", "5_0", "a\\", "'; --", "Üsküdar"]
      for (const name of names) {
        recordOf(yield* call("POST", of("contact"), { body: { name, is_customer: true, is_supplier: false } }))
      }
      for (const name of names) {
        const { records } = yield* walk(call, of("contact", { name: name.toUpperCase() }))
        assert.deepStrictEqual(namesOf(records), [name])
      }
      const long = yield* walk(call, of("contact", { name: "x".repeat(3000) }))
      assert.deepStrictEqual(long.records, [])
    })
  )

  it.effect("what changed in the second of a bound is told, at every page size", () =>
    Effect.gen(function* () {
      const { all, call } = yield* connected
      const items = yield* all("item")
      yield* TestClock.adjust("1 hour")
      const changed = items.slice(0, 3)
      for (const record of changed) {
        recordOf(yield* call("PATCH", at("item", record), { body: { description: "changed" }, timeStands: true }))
      }
      const [stamp = "", ...others] = new Set(
        yield* Effect.forEach(changed, (record) =>
          Effect.map(call("GET", at("item", record)), (answer) => String(recordOf(answer).modified_at))
        )
      )
      assert.deepStrictEqual(others, [])
      for (const size of [1, 2, 100]) {
        const { records } = yield* walk(call, of("item", { modified_after: stamp }), size)
        assert.deepStrictEqual(idsOf(records), idsOf(changed))
      }
      const later = new Date(Date.parse(stamp) + 1).toISOString()
      assert.deepStrictEqual((yield* walk(call, of("item", { modified_after: later }))).records, [])
      const before = yield* walk(call, of("item", { modified_before: stamp }))
      assert.strictEqual(before.records.length, items.length - changed.length)
    })
  )

  it.effect("an account that lacks a column ignores no filter", () =>
    Effect.gen(function* () {
      const { all, alter, call } = yield* connected
      yield* alter(({ put }) => {
        put("feature", "currencies", { isOff: true })
        put("feature", "role", { columns: ["item.upccode", "item.lastmodifieddate"] })
      })
      assert.isAbove((yield* all("item")).length, 0)
      // the service sifts by what no record tells
      assert.deepStrictEqual((yield* walk(call, of("item", { code: "12345" }))).records, [])
      assert.deepStrictEqual((yield* walk(call, of("invoice", { currency: "USD" }))).records, [])
      const refused = yield* call("GET", of("item", { modified_after: "2020-01-01" }))
      assert.strictEqual(refusalOf(refused)[0], 403)
    })
  )

  it.effect("what was deleted is listed with what is there, where the role may know", () =>
    Effect.gen(function* () {
      const { all, alter, call } = yield* connected
      const [contacts, items] = [yield* all("contact"), yield* all("item")]
      const vendor = uuidOf(contacts.find(({ is_supplier, status }) => is_supplier === true && status === "ACTIVE"))
      const item = uuidOf(items.find(({ status, type }) => type === "SERVICE" && status === "ACTIVE"))
      const order = (): Effect.Effect<Doc> =>
        Effect.map(
          call("POST", of("purchase_order"), { body: { vendor, line_items: [{ item, quantity: 1, unit_price: 5 }] } }),
          recordOf
        )
      const [kept, gone, last] = [yield* order(), yield* order(), yield* order()]
      for (const record of [gone, last]) {
        assert.strictEqual((yield* call("DELETE", at("purchase_order", record))).status, 200)
      }
      const there = yield* all("purchase_order")
      assert.include(idsOf(there), kept.id)
      for (const size of [1, 100]) {
        const { records } = yield* walk(call, of("purchase_order", { include_deleted: "true" }), size)
        assert.deepStrictEqual(idsOf(records), idsOf([...there, gone, last]))
        const told = records.filter(({ remote_was_deleted }) => remote_was_deleted === true)
        assert.deepStrictEqual(idsOf(told), idsOf([gone, last]))
        for (const one of told) assert.deepInclude(one, { status: null, vendor: null, line_items: [] })
      }
      const since = String(kept.modified_at)
      const after = (days: number) => new Date(Date.parse(since) + days * 86_400_000).toISOString()
      const cases: ReadonlyArray<readonly [{ readonly [filter: string]: string }, ReadonlyArray<Doc>]> = [
        [{ modified_after: since }, [kept, gone, last]],
        // in which time zone deletions are told is not known
        [{ modified_after: after(1) }, [gone, last]],
        [{ modified_after: after(3) }, []],
        [{ modified_after: since, contact: vendor }, [kept]],
        [{ modified_after: since, status: "AUTHORIZED", fields: "status" }, kept.status === "AUTHORIZED" ? [kept] : []]
      ]
      for (const [wanted, meant] of cases) {
        const { records } = yield* walk(call, of("purchase_order", { include_deleted: "true", ...wanted }))
        assert.deepStrictEqual(idsOf(records), idsOf(meant), JSON.stringify(wanted))
      }
      yield* alter(({ put }) => put("feature", "role", { tables: ["deletedrecord"] }))
      const refused = yield* call("GET", of("purchase_order", { include_deleted: "true", limit: "100" }))
      assert.deepStrictEqual(refusalOf(refused), [403, "PROVIDER_FEATURE_MISSING"])
      assert.strictEqual((yield* all("purchase_order")).length, there.length)
    })
  )
})
