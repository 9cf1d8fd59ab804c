import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, money, partAt, partsAt, textAt } from "../../simulation/Docs.ts"
import type { Route } from "../../simulation/Simulator.ts"
import { systemAccount } from "./Accounts.ts"
import { answer, type Checked, complain, invalid, messagesOf, notFound } from "./Answers.ts"
import { accounting, bodyOf, elementsOf, find, route } from "./Collections.ts"
import { allocationsOf, isSales } from "./Credits.ts"
import { day, type Fields, flag, id, number, own, part, parts, read, text } from "./Fields.ts"
import type { Kind } from "./Kind.ts"
import { post, unpost } from "./Ledger.ts"
import { today } from "./Organisation.ts"
import { openOf, settle, type Target, unsettle } from "./Settlements.ts"

// https://developer.xero.com/documentation/api/accounting/creditnotes#allocating-credit-notes

const fields: Fields = {
  AllocationID: own(id),
  Invoice: part({ InvoiceID: id, InvoiceNumber: text() }),
  Amount: number,
  Date: day,
  CreditNote: own(part({})),
  Overpayment: own(part({})),
  Prepayment: own(part({})),
  IsDeleted: own(flag),
  StatusAttributeString: own(text()),
  ValidationErrors: own(parts({}))
}

/** A kind of record that can be allocated to invoices. */
export interface Credit {
  readonly kind: Kind
  readonly entity: Exclude<Target["entity"], "Invoice">
}

/** Between different rates of a currency, what the books hold of it is another amount: that is gained or lost. */
const postGain = (account: Account, id: string, credit: Doc, invoice: Doc, amount: number, date: string) => {
  const sides = amountAt({ amount }, "amount").times(isSales(invoice) ? 1 : -1)
  const control = systemAccount(account, isSales(invoice) ? "DEBTORS" : "CREDITORS")
  const rate = amountAt(invoice, "CurrencyRate")
  if (rate.eq(amountAt(credit, "CurrencyRate"))) return
  post(account, { id, type: String(credit.Type), date, rate, over: "REALISEDCURRENCYGAIN" }, [
    { account: control, amount: sides, rate: amountAt(credit, "CurrencyRate") },
    { account: control, amount: sides.negated() }
  ])
}

/** Uses a credit for an invoice. */
export const allocate = (account: Account, { entity, kind }: Credit, credit: Doc, given: Doc): Checked<() => void> => {
  const invoice = account.get("Invoice", textAt(partAt(given, "Invoice"), "InvoiceID") ?? "")
  if (invoice === undefined) return complain("The invoice to allocate to could not be found.")
  const amount = amountAt(given, "Amount")
  const messages = [
    ...(amount.lte(0) ? ["The allocation amount must be greater than zero."] : []),
    ...(amount.gt(openOf(credit)) ? ["The allocation amount exceeds the remaining credit."] : []),
    ...(amount.gt(openOf(invoice)) ? ["The allocation amount exceeds the amount outstanding on the invoice."] : []),
    ...(credit.ContactID === invoice.ContactID ? [] : ["The invoice is for another contact."]),
    ...(credit.CurrencyCode === invoice.CurrencyCode ? [] : ["The invoice is in another currency."]),
    ...(isSales(credit) === isSales(invoice) ? [] : ["The invoice is not of the type of the credit."])
  ]
  if (messages.length > 0) return complain(...messages)
  return Either.right(() => {
    const [creditId, invoiceId] = [String(credit[kind.id]), String(invoice.InvoiceID)]
    const date = textAt(given, "Date") ?? today(account)
    const shared = { id: crypto.randomUUID(), amount: money(amount), date }
    settle(account, { entity, id: creditId }, { ...shared, member: "Allocations", other: invoiceId })
    settle(account, { entity: "Invoice", id: invoiceId }, { ...shared, member: `${entity}s`, other: creditId })
    postGain(account, shared.id, credit, invoice, shared.amount, date)
  })
}

/** Allocations of a kind of credit: `PUT .../Allocations` and `DELETE .../Allocations/{AllocationID}`. */
export const allocationRoutes = (credit: Credit): ReadonlyArray<Route> => {
  const { entity, kind } = credit
  const path = `${accounting}/${kind.name}/:key/Allocations`
  return [
    route("PUT", path, ["summarizeErrors"], (request, account) =>
      Either.gen(function* () {
        const { key = "" } = request.params
        const asked = yield* elementsOf("Allocations", yield* bodyOf(request))
        const known = new Set(allocationsOf(account, yield* find(account, kind, key)).map((one) => one.AllocationID))
        for (const one of asked) {
          const { doc, messages } = yield* read(fields, one)
          const done =
            messages.length > 0
              ? complain(...messages)
              : allocate(account, credit, yield* find(account, kind, key), doc)
          if (Either.isLeft(done)) {
            return yield* Either.left(invalid([{ ...doc, ValidationErrors: messagesOf(done.left) }]))
          }
          done.right()
        }
        const Allocations = allocationsOf(account, yield* find(account, kind, key))
          .filter(({ AllocationID }) => !known.has(AllocationID))
          .map((one) => ({ ...one, [entity]: { [kind.id]: key, ID: key }, ValidationErrors: [] }))
        return answer(account, { Allocations })
      })
    ),
    route("DELETE", `${path}/:allocation`, [], (request, account) =>
      Either.gen(function* () {
        const { allocation = "", key = "" } = request.params
        const held = yield* Either.fromNullable(
          partsAt(yield* find(account, kind, key), "settlements").find(
            (one) => one.member === "Allocations" && one.id === allocation
          ),
          () => notFound
        )
        unsettle(account, { entity, id: key }, allocation)
        unsettle(account, { entity: "Invoice", id: String(held.other) }, allocation)
        unpost(account, allocation)
        return answer(account, { AllocationID: allocation, IsDeleted: true })
      })
    )
  ]
}
