import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { consent } from "../../../src/providers/xero/simulator/Scopes.ts"
import { scopes } from "../../../src/providers/xero/Scopes.ts"
import {
  failureOf,
  listOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { organisation } from "./organisation.ts"

const cents = (value: unknown) => Math.round(Number(value) * 100)

layer(sandboxApplication(), { timeout: "60 seconds" })("Xero's scopes", (it) => {
  /** An organisation whose end user consented to this and no more. */
  const consenting = (given: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const own = yield* organisation
      const store = yield* SimulationStore
      yield* store.run("xero", own.connection, (account) => consent(account, given))
      return own
    })

  it.effect("what every connection asks for opens all but what Xero gives to partners", () =>
    Effect.gen(function* () {
      const { call, path } = yield* consenting(scopes)
      for (const resource of [
        "account",
        "address",
        "attachment",
        "balance_sheet",
        "company_info",
        "contact",
        "credit_note",
        "expense",
        "income_statement",
        "invoice",
        "item",
        "journal_entry",
        "payment",
        "phone_number",
        "project",
        "purchase_order",
        "tax_rate",
        "tracking_category",
        "transaction",
        "vendor_credit"
      ]) {
        assert.strictEqual((yield* call("GET", `${path(resource)}&limit=1`)).status, 200, resource)
      }
      for (const [resource, scope] of Object.entries({
        bank_feed_account: "bankfeeds",
        bank_feed_transaction: "bankfeeds",
        cash_flow_statement: "finance.statements.read",
        general_ledger_transaction: "accounting.journals.read"
      })) {
        const answer = yield* call("GET", `${path(resource)}&limit=1`)
        assert.deepStrictEqual(refusalOf(answer), [403, "PROVIDER_FEATURE_MISSING"], resource)
        assert.include(failureOf(answer).provider?.message ?? "", `the scope ${scope}:`)
      }
    })
  )

  it.effect("a walk over all providers names the scope that one of them lacks, and ends", () =>
    Effect.gen(function* () {
      const { call } = yield* consenting([...scopes, "bankfeeds"])
      assert.isAbove(pageOf(yield* call("GET", "/accounting/bank_feed_account")).data.length, 0)
      const answer = yield* call("GET", "/accounting/bank_feed_transaction")
      assert.strictEqual(answer.status, 403)
      assert.include(JSON.stringify(answer.body), "finance.bankstatementsplus.read")
    })
  )

  it.effect("accounts are told without their balances where no report may be read", () =>
    Effect.gen(function* () {
      // before anything is read: another consent comes with other credentials, and what was kept is kept with these
      const { call, connections } = yield* (yield* SandboxApplication).caller(["xero"])
      const store = yield* SimulationStore
      yield* store.run("xero", String(connections.xero), (account) => consent(account, ["accounting.settings.read"]))
      const path = (resource: string) => `/accounting/${resource}?provider=xero`
      const { data } = pageOf(yield* call("GET", path("account")))
      assert.isAbove(data.length, 20)
      assert.isTrue(data.every((one) => one.current_balance === null))
      const refused = yield* call("POST", path("account"), {
        body: { name: "Looms", type: "INCOME", account_number: "9001" }
      })
      assert.include(failureOf(refused).provider?.message ?? "", "the scope accounting.settings:")
    })
  )

  it.effect("bank feeds and their lines are read with the scopes for them", () =>
    Effect.gen(function* () {
      const { call, path, own } = yield* organisation
      const { records: feeds } = yield* walk(call, path("bank_feed_account"), 1)
      assert.deepStrictEqual(
        feeds.map((one) => [one.feed_status, one.currency, one.account_type]),
        [
          ["ACTIVE", own?.currency, "BANK"],
          ["ACTIVE", own?.currency, "CREDIT_CARD"]
        ]
      )
      assert.match(String(feeds[0]?.source_account_number), /^\*+\w{4}$/)
      const { records: lines } = yield* walk(call, path("bank_feed_transaction"), 50)
      assert.isAbove(lines.length, 100)
      assert.strictEqual(new Set(lines.map((one) => one.remote_id)).size, lines.length)
      assert.isTrue(lines.every((one) => Number(one.amount) > 0))
      assert.deepStrictEqual(new Set(lines.map((one) => one.credit_or_debit)), new Set(["CREDIT", "DEBIT"]))
      const [first] = lines
      const again = recordOf(yield* call("GET", path("bank_feed_transaction", first?.remote_id)))
      assert.deepStrictEqual(again, first)
    })
  )

  it.effect("a cash flow statement goes from the opening to the closing cash, by its leaves", () =>
    Effect.gen(function* () {
      const { call, path } = yield* organisation
      const bounds = "created_after=2026-01-01&created_before=2026-09-30"
      const [flow] = pageOf(yield* call("GET", `${path("cash_flow_statement")}&${bounds}`)).data
      assert.deepInclude(flow, { start_period: "2026-01-01", end_period: "2026-09-30", name: "Cash Flow" })
      const sum = (rows: unknown): number =>
        listOf(rows).reduce(
          (total, { sub_items, value }) => total + (listOf(sub_items).length > 0 ? sum(sub_items) : cents(value)),
          0
        )
      const moved = [flow?.operating_activities, flow?.investing_activities, flow?.financing_activities].map(sum)
      assert.isAbove(Math.abs(moved[0] ?? 0), 0)
      assert.strictEqual(
        moved.reduce((total, one) => total + one, 0),
        cents(flow?.cash_at_end_of_period) - cents(flow?.cash_at_beginning_of_period)
      )
      assert.deepStrictEqual(recordOf(yield* call("GET", path("cash_flow_statement", flow?.remote_id))), flow)
    })
  )

  it.effect("a year that has only just begun hides no bank lines of those before", () =>
    Effect.gen(function* () {
      const { call, connection, path } = yield* organisation
      const { records: all } = yield* walk(call, path("bank_feed_transaction"))
      const store = yield* SimulationStore
      yield* store.run("xero", connection, (account) => {
        for (const one of account.all("Statement")) {
          if (String(one.startDate) >= "2026") account.remove("Statement", String(one.statementId))
        }
      })
      const { records: left } = yield* walk(call, path("bank_feed_transaction"))
      assert.isNotEmpty(left)
      assert.deepStrictEqual(
        left,
        all.filter((one) => String(one.posted_date) < "2026")
      )
    })
  )
})
