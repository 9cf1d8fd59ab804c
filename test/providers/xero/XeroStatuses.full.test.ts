import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { find } from "../../../src/canonical/Catalogue.ts"
import { type Doc, errorsOf, pageOf, recordOf, sandboxApplication } from "../../support/SandboxApplication.ts"
import { said } from "../../support/Warnings.ts"
import { organisation, uuidOf } from "./organisation.ts"

/** The words that the catalogue has for a state. */
const wordsOf = (resource: string, field: string): ReadonlyArray<string> => {
  const found = find("accounting", resource)?.fields[field]?.values ?? []
  assert.isAbove(found.length, 0, resource)
  return found
}

layer(sandboxApplication(), { timeout: "60 seconds" })("Xero's states", (it) => {
  const bodies = Effect.gen(function* () {
    const own = yield* organisation
    const { account, contact, cost, sales } = own
    const lines = [{ description: "Work", account: sales, total_amount: 10 }]
    const costs = [{ description: "Brass", account: cost, total_line_amount: 10 }]
    const other = account((one) => one.type === "EXPENSE" && uuidOf(one) !== cost)
    const category = pageOf(yield* own.call("GET", own.path("tracking_category"))).data.find(
      (one) => one.parent_category === null
    )
    const bodyOf: { readonly [resource: string]: (index: number) => Doc } = {
      invoice: () => ({ type: "ACCOUNTS_RECEIVABLE", contact, line_items: lines }),
      credit_note: () => ({ contact, line_items: costs }),
      purchase_order: () => ({ vendor: contact, line_items: costs }),
      journal_entry: () => ({
        transaction_date: "2026-11-12",
        memo: "Turn",
        lines: [
          { account: cost, net_amount: 5 },
          { account: other, net_amount: -5 }
        ]
      }),
      account: (index) => ({ name: `Looms ${index}`, type: "INCOME", account_number: `90${index}` }),
      contact: (index) => ({ name: `Engines ${index}` }),
      item: (index) => ({ name: `Cog ${index}` }),
      tracking_category: (index) => ({ name: `Hall ${index}`, parent_category: uuidOf(category) }),
      tax_rate: (index) => ({ name: `Tax ${index}`, tax_components: [{ name: "State", rate: 5 }] })
    }
    return { ...own, bodyOf }
  })

  it.effect.each([
    ["invoice", "status"],
    ["credit_note", "status"],
    ["purchase_order", "status"],
    ["journal_entry", "posting_status"],
    ["account", "status"],
    ["contact", "status"],
    ["item", "status"],
    ["tax_rate", "status"],
    ["tracking_category", "status"]
  ] as const)("%s: every %s is taken, of a new record and of one in any state", ([resource, field]) =>
    Effect.gen(function* () {
      const { bodyOf, call, create, patch, path } = yield* bodies
      const words = wordsOf(resource, field)
      const count = Effect.map(call("GET", `${path("payment")}&limit=100`), (answer) => pageOf(answer).data.length)
      const payments = yield* count
      let index = 10
      for (const from of words) {
        for (const to of words) {
          index += 1
          const made = yield* create(resource, { ...bodyOf[resource]?.(index), [field]: from })
          // a document that was meant void would be in force
          if (from === "VOID" || from === "DELETED") {
            assert.deepStrictEqual(Object.keys(errorsOf(made)), [field], from)
            continue
          }
          assert.strictEqual(made.status, 201, `${from}: ${JSON.stringify(made.body)}`)
          const record = recordOf(made)
          assert.include(words, record[field])
          assert.strictEqual(said(made).length, record[field] === from ? 0 : 1, `${from}: ${said(made).join()}`)
          const changed = yield* patch(resource, record, { [field]: to })
          if (changed.status === 200) {
            const held = recordOf(changed)[field]
            assert.include(words, held)
            assert.strictEqual(said(changed).length, held === to ? 0 : 1, `${from} to ${to}: ${said(changed).join()}`)
          } else assert.deepStrictEqual(Object.keys(errorsOf(changed)), [field], `${from} to ${to}`)
        }
      }
      assert.strictEqual(yield* count, payments)
    })
  )

  it.effect("a state is the nearest one that makes no other record", () =>
    Effect.gen(function* () {
      const { bodyOf, call, create, make, patch, path } = yield* bodies
      const made = (status: string) =>
        Effect.map(create("invoice", { ...bodyOf.invoice?.(0), status }), (answer) => recordOf(answer).status)
      assert.deepStrictEqual(yield* Effect.forEach(["DRAFT", "SUBMITTED", "OPEN", "PARTIALLY_PAID", "PAID"], made), [
        "DRAFT",
        "SUBMITTED",
        "OPEN",
        "OPEN",
        "OPEN"
      ])
      // before it is approved, to make a document void is to delete it
      const draft = yield* make("invoice", { ...bodyOf.invoice?.(0), status: "DRAFT" })
      const gone = recordOf(yield* patch("invoice", draft, { status: "VOID" }))
      assert.deepStrictEqual([gone.status, gone.remote_was_deleted], ["VOID", true])
      assert.strictEqual((yield* call("GET", path("invoice", draft.remote_id))).status, 404)
      // the rest of a body is written whatever becomes of its state
      const open = yield* make("invoice", { ...bodyOf.invoice?.(0), status: "OPEN" })
      const same = recordOf(yield* patch("invoice", open, { status: "DRAFT", reference: "Order 7" }))
      assert.deepStrictEqual([same.status, same.reference], ["OPEN", "Order 7"])
      const order = yield* make("purchase_order", { ...bodyOf.purchase_order?.(0), status: "BILLED" })
      assert.strictEqual(recordOf(yield* patch("purchase_order", order, { status: "AUTHORIZED" })).status, "AUTHORIZED")
    })
  )
})
