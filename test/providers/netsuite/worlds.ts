import { assert } from "@effect/vitest"
import { Decimal } from "decimal.js"
import { Effect } from "effect"
import type { Account } from "../../../src/providers/simulation/Account.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { type Doc, listOf, SandboxApplication } from "../../support/SandboxApplication.ts"

/** Accounts that differ in what NetSuite answers, by what a test puts into the sample's account. */

export interface Features {
  readonly [feature: string]: Doc
}

export const worlds: { readonly [name: string]: Features } = {
  "an English user": {},
  "a German user": { language: { is: "de" } },
  "an Italian user with SuiteTax": { language: { is: "it" }, suiteTax: { isOn: true } },
  "a Japanese user without subsidiaries": { language: { is: "ja" }, subsidiaries: { isOff: true } }
}

export const of = (resource: string, id?: unknown) =>
  `/accounting/${resource}${id === undefined ? "" : `/${encodeURIComponent(String(id))}`}?provider=netsuite`

/** A connection to an account with some features, and a way to change what is in it. */
export const connectTo = (features: Features) =>
  Effect.gen(function* () {
    const { call, connections } = yield* Effect.flatMap(SandboxApplication, (app) => app.caller(["netsuite"]))
    const store = yield* SimulationStore
    const alter = <A>(change: (account: Account) => A) => store.run("netsuite", connections.netsuite ?? "", change)
    yield* alter(({ put }) => {
      for (const [name, doc] of Object.entries(features)) put("feature", name, doc)
    })
    return { call, alter }
  })

const sumOf = (entries: ReadonlyArray<Doc>, member: string) =>
  entries.reduce((sum: Decimal, entry) => sum.plus(Number(entry[member])), new Decimal(0))

/** Fails unless the amounts of an invoice or bill agree with each other. */
export const assertAddsUp = (invoice: Doc, about: string) => {
  const at = `${about}: invoice ${String(invoice.remote_id)}`
  const { balance, sub_total, total_amount, total_discount, total_tax_amount } = invoice
  const lines = sumOf(listOf(invoice.line_items), "total_amount")
  assert.strictEqual(lines.toNumber(), sub_total, `${at}: lines and sub_total`)
  const total = new Decimal(Number(sub_total)).minus(Number(total_discount ?? 0)).plus(Number(total_tax_amount))
  assert.strictEqual(total.toNumber(), total_amount, `${at}: sub_total, discount, tax and total_amount`)
  const applied = ["applied_payments", "applied_credit_notes", "applied_vendor_credits"]
    .map((name) => sumOf(listOf(invoice[name]), "applied_amount"))
    .reduce((sum, one) => sum.plus(one), new Decimal(0))
  assert.strictEqual(
    new Decimal(Number(total_amount)).minus(applied).toNumber(),
    balance,
    `${at}: total_amount, applied amounts and balance`
  )
}
