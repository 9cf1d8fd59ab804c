import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, compact, partsAt, textAt } from "../../simulation/Docs.ts"
import { dueOn } from "../../simulation/SampleTrade.ts"
import { invalidValue, type Outcome, refuse, userError } from "./Answers.ts"
import { idAt, targetOf } from "./Fields.ts"
import { itemTypes } from "./Items.ts"

// Helpers that the rules of transactions share.

/** Completes a draft into the record to store, or returns the refusal. `current` is the record it replaces. */
export type Rule = (account: Account, draft: Doc, current: Doc | undefined) => Outcome<Doc>

export const today = (account: Account): string => new Date(account.now).toISOString().slice(0, 10)

/** The next number of a kind of record. */
export const nextNumber = (account: Account, kind: string, prefix: string): string => {
  const last = amountAt(account.get("counter", kind) ?? { last: 1000 }, "last").toNumber() + 1
  account.put("counter", kind, { last })
  return `${prefix}${last}`
}

/** An account that serves a purpose of its own, such as `AcctRec`. */
export const specialAccount = (account: Account, purpose: string): Doc => {
  const found = account.all("account").find((doc) => idAt(doc, "sSpecAcct") === purpose)
  return { id: found?.id }
}

/** The account with a name, which records of items use where they name none. */
export const accountNamed = (account: Account, name: string): Doc => ({
  id: account.all("account").find((doc) => doc.acctName === name)?.id
})

export const accountType = (account: Account, doc: Doc, name: string): string | undefined =>
  idAt(account.get("account", idAt(doc, name) ?? "") ?? {}, "acctType")

const baseCurrency = (account: Account, subsidiary: string | undefined): string =>
  idAt(account.get("subsidiary", subsidiary ?? "") ?? {}, "currency") ?? "1"

const rateOf = (account: Account, currency: string): Decimal =>
  new Decimal(amountAt(account.get("currency", currency) ?? { exchangeRate: 1 }, "exchangeRate"))

/** The period that contains a day. */
const periodOf = (account: Account, date: string): Doc | undefined =>
  account
    .all("accountingPeriod")
    .find(
      (doc) =>
        doc.isYear !== true &&
        doc.isQuarter !== true &&
        doc.isAdjust !== true &&
        String(doc.startDate) <= date &&
        date <= String(doc.endDate)
    )

/** The due date of a transaction, by its date and terms. */
export const dueDate = (account: Account, tranDate: string, term: string | undefined): string => {
  const found = account.get("term", term ?? "") ?? {}
  const at = (name: string) => amountAt(found, name).toNumber()
  return dueOn(
    tranDate,
    found.dateDriven === true
      ? { dayOfMonth: at("dayOfMonthNetDue"), nextMonthWithin: at("dueNextMonthIfWithinDays") }
      : { days: at("daysUntilNetDue") }
  )
}

const foreignNames = { currency: "currency", rate: "exchangeRate" }

/** Sets date, period, subsidiary, currency and rate, which all transactions have; the party gives what the draft omits. */
export const withHead = (account: Account, draft: Doc, party: Doc | undefined, names = foreignNames): Outcome<Doc> =>
  Either.gen(function* () {
    const tranDate = textAt(draft, "tranDate") ?? today(account)
    const period = periodOf(account, tranDate)
    if (period === undefined || period.closed === true) {
      return yield* refuse(
        userError("The transaction date you specified is not within the date range of your accounting period.")
      )
    }
    const chosen = account.get("accountingPeriod", idAt(draft, "postingPeriod") ?? "")
    if (chosen !== undefined && (chosen.closed === true || chosen.isYear === true || chosen.isQuarter === true)) {
      return yield* refuse(invalidValue(chosen.id, "postingPeriod"))
    }
    const subsidiary = idAt(draft, "subsidiary") ?? idAt(party ?? {}, "subsidiary") ?? "1"
    if (party?.subsidiary !== undefined && idAt(party, "subsidiary") !== subsidiary) {
      return yield* refuse(invalidValue(subsidiary, "subsidiary"))
    }
    const base = baseCurrency(account, subsidiary)
    const currency = idAt(draft, names.currency) ?? idAt(party ?? {}, "currency") ?? base
    const isBase = currency === base
    return {
      ...draft,
      tranDate,
      postingPeriod: { id: chosen?.id ?? period.id },
      subsidiary: { id: subsidiary },
      [names.currency]: { id: currency },
      [names.rate]: isBase
        ? 1
        : (draft[names.rate] ?? rateOf(account, currency).div(rateOf(account, base)).toDecimalPlaces(8).toNumber())
    }
  })

/** Numbers the lines that have no number yet; numbers are unique in the record, across its sublists. */
export const numbered = (lines: ReadonlyArray<Doc>, besides: ReadonlyArray<Doc> = []): ReadonlyArray<Doc> => {
  let last = Math.max(0, ...[...lines, ...besides].map((line) => amountAt(line, "line").toNumber()))
  return lines.map((line) => ({ ...line, line: line.line ?? (last += 1) }))
}

export const itemOf = (account: Account, line: Doc) => targetOf(account, itemTypes, idAt(line, "item") ?? "")

/** Percent of a tax item, or of a whole group. */
export const taxRateOf = (account: Account, code: string | undefined): Decimal => {
  const found = code === undefined ? undefined : targetOf(account, ["salesTaxItem", "taxGroup"], code)
  return found === undefined ? new Decimal(0) : amountAt(found.doc, "rate")
}

/** Rounds an amount to the smallest unit of its currency. */
export const inUnits = (account: Account, currency: string | undefined, amount: Decimal): number => {
  const held = account.get("currency", currency ?? "") ?? { currencyPrecision: 2 }
  return amount.toDecimalPlaces(amountAt(held, "currencyPrecision").toNumber(), Decimal.ROUND_HALF_UP).toNumber()
}

const withTax = (account: Account, line: Doc, currency: string | undefined): Doc => {
  const code = idAt(line, "taxCode")
  if (code === undefined) return { ...line, taxRate1: undefined, tax1Amt: undefined, grossAmt: undefined }
  const rate = taxRateOf(account, code)
  const tax = inUnits(account, currency, amountAt(line, "amount").times(rate).div(100))
  return { ...line, taxRate1: rate.toNumber(), tax1Amt: tax, grossAmt: amountAt(line, "amount").plus(tax).toNumber() }
}

/** The price of an item at a level, in a currency. */
export const priceOf = (item: Doc, currency: string | undefined): number | undefined => {
  const page = partsAt(item, "price").find((one) => idAt(one, "currencyPage") === currency)
  return typeof page?.price === "number" ? page.price : undefined
}

/** Quantity, rate and amount of an item's line; missing ones follow from the others, or from the item. */
export const itemLine = (
  account: Account,
  line: Doc,
  before: Doc | undefined,
  currency: string | undefined,
  side: "sale" | "purchase"
): Doc => {
  const found = itemOf(account, line)
  const item = found?.doc ?? {}
  const quantity = line.quantity === undefined ? new Decimal(1) : amountAt(line, "quantity")
  const isChanged = before !== undefined && (before.rate !== line.rate || before.quantity !== line.quantity)
  const given = isChanged && before.amount === line.amount ? undefined : line.amount
  const listed = side === "sale" ? priceOf(item, currency) : item.cost
  const rate =
    line.rate ??
    (given !== undefined && !quantity.isZero()
      ? amountAt(line, "amount").div(quantity).toDecimalPlaces(8).toNumber()
      : (listed ?? 0))
  const amount = given ?? inUnits(account, currency, new Decimal(typeof rate === "number" ? rate : 0).times(quantity))
  return withTax(
    account,
    compact({
      ...line,
      itemType: item.itemType,
      description: line.description ?? item[side === "sale" ? "salesDescription" : "purchaseDescription"],
      quantity: quantity.toNumber(),
      rate,
      amount,
      ...(side === "sale" ? { account: item.incomeAccount ?? item.account } : {})
    }),
    currency
  )
}

/** A line that is posted to an account, given directly or by its category. */
export const expenseLine = (
  account: Account,
  line: Doc,
  currency: string | undefined,
  member = "account"
): Outcome<Doc> => {
  const category = account.get("expenseCategory", idAt(line, "category") ?? "")
  const chosen = line[member] ?? category?.expenseAcct
  return chosen === undefined
    ? refuse(userError("Please enter value(s) for: Account"))
    : Either.right(withTax(account, { ...line, [member]: chosen }, currency))
}

export const sum = (lines: ReadonlyArray<Doc>, member = "amount"): Decimal =>
  lines.reduce((total, line) => total.plus(amountAt(line, member)), new Decimal(0))

/** The line of `current` that a line replaces. */
export const lineBefore = (current: Doc | undefined, sublist: string, line: Doc) =>
  partsAt(current ?? {}, sublist).find((one) => one.line !== undefined && one.line === line.line)

export const noLines = userError("You must enter at least one line item for this transaction.")
