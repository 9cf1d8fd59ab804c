import { assert, layer } from "@effect/vitest"
import { Clock, Effect, TestClock } from "effect"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { enter } from "../../../src/providers/quickbooks/simulator/Records.ts"
import { NotedRequests } from "../../../src/testing/contract/NotedRequests.ts"
import {
  type Call,
  type Doc,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { company } from "./Company.ts"

const of = (resource: string, wanted: { readonly [filter: string]: string } = {}) =>
  `/accounting/${resource}?${new URLSearchParams({ provider: "quickbooks", ...wanted }).toString()}`

const idsOf = (records: ReadonlyArray<Doc>) => records.map(({ id }) => String(id)).toSorted()

const namesOf = (records: ReadonlyArray<Doc>) => records.map(({ name }) => name)

layer(sandboxApplication(), { timeout: "60 seconds" })("QuickBooks Online filters", (it) => {
  const caller = Effect.flatMap(SandboxApplication, (app) => app.caller(["quickbooks"]))

  /** The last step of each request that a page leads to, once what lists look up is known. */
  const asked = Effect.fnUntraced(function* (call: Call, path: string) {
    yield* call("GET", path)
    const requests = yield* (yield* NotedRequests).during(call("GET", path))
    return requests.map((request) => request.path.split("/").at(-1))
  })

  it.effect("the kind of a record, and whose it is, say which entity is asked, and none for nothing", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const { data } = pageOf(yield* call("GET", of("invoice", { type: "ACCOUNTS_PAYABLE", fields: "contact" })))
      const vendor = String(data[0]?.contact)
      const noParts = { fields: "number" }
      for (const [resource, wanted, queries] of [
        ["invoice", { type: "ACCOUNTS_PAYABLE", ...noParts }, 1],
        ["invoice", { contact: vendor, ...noParts }, 1],
        ["invoice", { contact: vendor, type: "ACCOUNTS_RECEIVABLE", ...noParts }, 0],
        ["invoice", { status: "DRAFT", ...noParts }, 0],
        ["payment", { contact: vendor }, 1],
        ["contact", { is_supplier: "true" }, 1],
        ["contact", { is_supplier: "true", is_customer: "true" }, 0],
        ["address", { contact: vendor }, 1],
        ["phone_number", { contact: vendor }, 1],
        ["account", { type: "EXPENSE" }, 1],
        ["item", { status: "ARCHIVED" }, 1]
      ] as const) {
        const label = `${resource} ${JSON.stringify(wanted)}`
        assert.deepStrictEqual(
          yield* asked(call, of(resource, wanted)),
          Array.from({ length: queries }, () => "query"),
          label
        )
      }
    })
  )

  it.effect("a name or a number is found among hundreds with one query of each entity, in one call", () =>
    Effect.gen(function* () {
      const { call, connections } = yield* caller
      yield* call("GET", of("payment_term"))
      const store = yield* SimulationStore
      yield* store.run("quickbooks", String(connections.quickbooks), (account) => {
        const item = account.all("Item").find(({ Type }) => Type === "Service")
        const first = enter(account, "Customer", { DisplayName: "Member 0" })
        for (let i = 1; i < 700; i += 1) enter(account, "Customer", { DisplayName: `Member ${i}` })
        for (let i = 0; i < 600; i += 1) {
          enter(account, "Invoice", {
            DocNumber: `M-${i}`,
            CustomerRef: { value: first.Id },
            Line: [
              {
                Amount: 1,
                DetailType: "SalesItemLineDetail",
                SalesItemLineDetail: { ItemRef: { value: item?.Id } }
              }
            ]
          })
        }
      })
      const name = of("contact", { name: "mEMBER 69", limit: "100" })
      const members = pageOf(yield* call("GET", name))
      assert.deepStrictEqual(namesOf(members.data), [
        "Member 69",
        ...Array.from({ length: 10 }, (_, i) => `Member 69${i}`)
      ])
      assert.isFalse(members.pagination.hasMore)
      assert.deepStrictEqual(yield* asked(call, name), ["batch"])
      const number = of("invoice", { number: "m-599", limit: "100" })
      assert.deepStrictEqual(
        pageOf(yield* call("GET", number)).data.map((one) => one.number),
        ["M-599"]
      )
      assert.deepStrictEqual(yield* asked(call, number), ["batch"])
    })
  )

  it.effect("signs of the language in a value are its own", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const names = [
        "O'Neil",
        "O\\Neil",
        "O%Neil",
        "Ox Neil",
        'O"Neil',
        "O_Neil",
        "' or DisplayName like '%",
        "Üsküdar"
      ]
      for (const name of names) {
        yield* call("POST", of("contact"), { body: { name, is_customer: true, is_supplier: false } })
      }
      for (const name of names) {
        const same = pageOf(yield* call("GET", of("contact", { name: name.toUpperCase() })))
        assert.deepStrictEqual(namesOf(same.data), [name])
      }
      const long = yield* walk(call, of("contact", { name: "x".repeat(3000) }))
      assert.deepStrictEqual(long.records, [])
      const some = pageOf(yield* call("GET", of("contact", { name: "o%" })))
      assert.deepStrictEqual(namesOf(some.data), ["O%Neil"])
    })
  )

  it.effect("an e-mail address is that of a customer or of a vendor, which cannot be queried by it", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      for (const [name, is_customer] of [
        ["Ada", true],
        ["Babbage", false]
      ] as const) {
        const body = { name, is_customer, is_supplier: !is_customer, email_address: "engine@example.com" }
        yield* call("POST", of("contact"), { body })
      }
      const { records } = yield* walk(call, of("contact", { email_address: "Engine@Example.com" }))
      assert.deepStrictEqual(namesOf(records), ["Ada", "Babbage"])
    })
  )

  it.effect("what changed in the second of a bound is told, at every page size", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      yield* call("GET", of("item"))
      yield* TestClock.adjust("1 hour")
      const { records: items } = yield* walk(call, of("item"))
      for (const { remote_id } of items.slice(0, 3)) {
        const path = `/accounting/item/${String(remote_id)}?provider=quickbooks`
        yield* call("PATCH", path, { body: { description: "changed" }, timeStands: true })
      }
      const changed = items.slice(0, 3)
      const [stamp = ""] = [
        ...new Set(
          yield* Effect.forEach(changed, ({ remote_id }) =>
            Effect.map(call("GET", `/accounting/item/${String(remote_id)}?provider=quickbooks`), (answer) =>
              String(recordOf(answer).modified_at)
            )
          )
        )
      ]
      assert.isNotEmpty(stamp)
      for (const size of [1, 2, 100]) {
        const { records } = yield* walk(call, of("item", { modified_after: stamp }), size)
        assert.deepStrictEqual(idsOf(records), idsOf(changed))
      }
      const later = new Date(Date.parse(stamp) + 1).toISOString()
      assert.deepStrictEqual((yield* walk(call, of("item", { modified_after: later }))).records, [])
      const until = yield* walk(call, of("item", { modified_after: stamp, modified_before: later }))
      assert.deepStrictEqual(idsOf(until.records), idsOf(changed))
      assert.strictEqual(
        (yield* walk(call, of("item", { modified_before: stamp }))).records.length,
        items.length - changed.length
      )
    })
  )
})

layer(sandboxApplication(), { timeout: "60 seconds" })("QuickBooks Online deletions", (it) => {
  const remove = (call: Call, resource: string, { remote_id }: Doc) =>
    call("DELETE", `/accounting/${resource}/${String(remote_id)}?provider=quickbooks`)

  it.effect("are listed with what is there, and by when they were", () =>
    Effect.gen(function* () {
      const { bill, call, customer, invoice } = yield* company
      const [gone, owed] = [yield* invoice(20), yield* bill(30)]
      yield* TestClock.adjust("1 hour")
      for (const record of [gone, owed]) yield* remove(call, "invoice", record)
      const { records: there } = yield* walk(call, of("invoice"))
      assert.notInclude(idsOf(there), gone.id)
      for (const size of [1, 100]) {
        const { records } = yield* walk(call, of("invoice", { include_deleted: "true" }), size)
        assert.deepStrictEqual(idsOf(records), idsOf([...there, gone, owed]))
        for (const { id, remote_was_deleted } of records) {
          assert.strictEqual(remote_was_deleted, id === gone.id || id === owed.id)
        }
      }
      const { records } = yield* walk(call, of("invoice", { include_deleted: "true" }))
      const told = records.find(({ id }) => id === gone.id) ?? {}
      assert.strictEqual(told.remote_id, gone.remote_id)
      assert.deepInclude(told, { type: null, currency: null, status: null, total_tax_amount: null, line_items: [] })
      assert.isAbove(Date.parse(String(told.modified_at)), Date.parse(String(gone.modified_at)))

      const at = String(told.modified_at)
      const cases: ReadonlyArray<readonly [{ readonly [filter: string]: string }, ReadonlyArray<Doc>]> = [
        [{ modified_after: at }, [gone, owed]],
        [{ modified_after: at, type: "ACCOUNTS_PAYABLE" }, [owed]],
        [{ modified_after: at, modified_before: at }, []],
        [{ modified_after: new Date(Date.parse(at) + 60_000).toISOString() }, []],
        // of what is gone it is not told whose it was, nor when it was made
        [{ modified_after: at, contact: customer }, []],
        [{ modified_after: at, created_after: "2000-01-01" }, []],
        [{ modified_after: at, currency: "USD" }, []]
      ]
      for (const [wanted, meant] of cases) {
        const { records } = yield* walk(call, of("invoice", { include_deleted: "true", ...wanted }))
        assert.deepStrictEqual(idsOf(records), idsOf(meant), JSON.stringify(wanted))
      }
    })
  )

  it.effect("are found before and behind a thousand changes", () =>
    Effect.gen(function* () {
      const { call, connections } = yield* (yield* SandboxApplication).caller(["quickbooks"])
      const { records: before } = yield* walk(call, of("journal_entry"))
      const [first, last] = [before[0] ?? {}, before[1] ?? {}]
      yield* TestClock.adjust("1 hour")
      const since = new Date(yield* Clock.currentTimeMillis).toISOString()
      yield* remove(call, "journal_entry", first)
      yield* TestClock.adjust("1 hour")
      const store = yield* SimulationStore
      yield* store.run("quickbooks", String(connections.quickbooks), (account) => {
        const [bank, cost] = ["Bank", "Expense"].map((type) =>
          account.all("Account").find(({ AccountType }) => AccountType === type)
        )
        const line = (AccountRef: Doc | undefined, PostingType: string) => ({
          Amount: 1,
          DetailType: "JournalEntryLineDetail",
          JournalEntryLineDetail: { PostingType, AccountRef: { value: AccountRef?.Id } }
        })
        for (let i = 0; i < 1100; i += 1) {
          const then = { ...account, now: account.now + 2000 * i }
          enter(then, "JournalEntry", { Line: [line(cost, "Debit"), line(bank, "Credit")] })
        }
      })
      yield* TestClock.adjust("1 hour")
      yield* remove(call, "journal_entry", last)
      const gone = of("journal_entry", { include_deleted: "true", modified_after: since })
      for (const size of [7, 100]) {
        const { records } = yield* walk(call, gone, size)
        assert.strictEqual(records.length, 1102)
        const deleted = records.filter(({ remote_was_deleted }) => remote_was_deleted === true)
        assert.deepStrictEqual(idsOf(deleted), idsOf([first, last]))
      }
    })
  )
})
