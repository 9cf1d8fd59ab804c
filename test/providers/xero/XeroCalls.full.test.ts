import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NotedRequests } from "../../../src/testing/contract/NotedRequests.ts"
import { type Doc, pageOf, recordOf, sandboxApplication } from "../../support/SandboxApplication.ts"
import { organisation, uuidOf } from "./organisation.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("calls to Xero", (it) => {
  const counting = Effect.gen(function* () {
    const own = yield* organisation
    const notes = yield* NotedRequests
    const { call } = own
    /** The requests that a call of ours leads to. */
    const of = (method: string, path: string, body?: Doc) =>
      notes.during(call(method, path, body === undefined ? {} : { body }))
    return { ...own, of }
  })

  it.effect("a record that was seen is asked for by its native type alone", () =>
    Effect.gen(function* () {
      const { call, of, path } = yield* counting
      const { data } = pageOf(yield* call("GET", `${path("transaction")}&limit=100&include_remote_data=true`))
      const [one] = data
      assert.strictEqual((yield* of("GET", path("transaction", one?.remote_id))).length, 1)
      const { data: options } = pageOf(yield* call("GET", path("tracking_category")))
      for (const { remote_id } of options) {
        assert.strictEqual((yield* of("GET", path("tracking_category", remote_id))).length, 1)
      }
      const unknown = path("transaction", "11111111-2222-4333-8444-555555555555")
      assert.strictEqual((yield* of("GET", unknown)).length, 4)
      assert.strictEqual((yield* call("GET", unknown)).status, 404)
    })
  )

  it.effect("balances are read once for a while, and again after a posting", () =>
    Effect.gen(function* () {
      const { call, of, owed, path, sales } = yield* counting
      yield* call("GET", path("account"))
      assert.strictEqual((yield* of("GET", path("account"))).length, 1)
      const balance = Effect.map(call("GET", path("account", `urn:uuid:${sales}`)), (answer) =>
        Number(recordOf(answer).current_balance)
      )
      const before = yield* balance
      yield* owed("ACCOUNTS_RECEIVABLE", 12.3)
      // with tax of 23 % within
      assert.closeTo((yield* balance) - before, 10, 0.001)
      assert.strictEqual((yield* of("GET", path("account"))).length, 1)
    })
  )

  it.effect("a write is answered with what it made", () =>
    Effect.gen(function* () {
      const { call, contact, make, of, path } = yield* counting
      const account = { name: "Looms", type: "INCOME", account_number: "9001" }
      assert.strictEqual((yield* of("POST", path("account"), account)).length, 1)
      assert.strictEqual((yield* of("POST", path("project"), { name: "Engine", contact })).length, 1)
      const { data } = pageOf(yield* call("GET", path("tracking_category")))
      const parent_category = uuidOf(data.find((one) => one.parent_category === null))
      const made = yield* make("tracking_category", { name: "East", parent_category })
      assert.deepInclude(made, { name: "East", parent_category, status: "ACTIVE" })
      assert.deepStrictEqual(
        (yield* of("PATCH", path("tracking_category", made.remote_id), { name: "West" })).map(({ method }) => method),
        ["GET", "POST"]
      )
    })
  )

  it.effect("files cost a list for each kind of record and a call for each record that has some", () =>
    Effect.gen(function* () {
      const { call, of, path } = yield* counting
      const list = `${path("attachment")}&limit=100`
      const { data } = pageOf(yield* call("GET", list))
      const records = new Set(data.map(({ related_object_id }) => related_object_id))
      assert.isAbove(records.size, 1)
      assert.strictEqual((yield* of("GET", list)).length, 8 + records.size)
      const onInvoice = data.find(({ related_object_type }) => related_object_type === "invoice")
      assert.strictEqual((yield* of("GET", path("attachment", onInvoice?.remote_id))).length, 1)
    })
  )

  it.effect("the lines of each feed cost a call for each year with some", () =>
    Effect.gen(function* () {
      const { call, of, path } = yield* counting
      const list = `${path("bank_feed_transaction")}&limit=100`
      const { data } = pageOf(yield* call("GET", list))
      const years = new Set(
        data.map(
          ({ bank_feed_account, posted_date }) => `${String(bank_feed_account)} ${String(posted_date).slice(0, 4)}`
        )
      )
      const { length } = yield* of("GET", list)
      assert.isAtMost(length, years.size + 1)
      assert.strictEqual((yield* of("GET", path("bank_feed_transaction", data[0]?.remote_id))).length, 1)
    })
  )
})
