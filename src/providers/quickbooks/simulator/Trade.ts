import type { Account, Doc } from "../../simulation/Account.ts"
import { pick, random } from "../../simulation/SampleCompany.ts"
import { happen, type Happening, paidShare } from "../../simulation/SampleTrade.ts"
import { runningCosts } from "./Chart.ts"
import { timestamp } from "./Faults.ts"
import { amountAt, currencyOf, homeOf, money } from "./Fields.ts"
import { cancel, enter } from "./Records.ts"
import type { On, Stage } from "./Stage.ts"
import { sundries } from "./Sundries.ts"

const dayLength = 86_400_000
const invoices = 160
const bills = 90
/** Those of the 160 that are made void. */
const voids = new Set([18, 63, 104, 139])

const ref = (doc: Doc | undefined): Doc => (doc === undefined ? {} : { value: doc.Id })
const dateOf = (account: Account) => timestamp(account.now).slice(0, 10)

/**
 * A year of sales and purchases from `start`, in the order of their days, so that ids and times of change grow together.
 */
export const trade = (account: Account, start: number, stage: Stage): void => {
  const next = random(2024)
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  const any = (list: ReadonlyArray<Doc>): Doc => list[Math.floor(next() * list.length)] ?? {}
  const span = account.now - start
  const happenings: Array<Happening> = []
  const on: On = (time, act) => {
    happenings.push({ time, act })
  }

  /** The document as it is now, and what is open of it. */
  const openOf = (entity: string, doc: Doc | undefined) =>
    amountAt(account.get(entity, String(doc?.Id)) ?? {}, "Balance")

  const saleLine = (isTaxed: boolean): Doc => {
    const item = any(stage.items)
    const isService = item.Type === "Service"
    const Qty = isService ? whole(1, 12) / 2 : whole(1, 4)
    const price = amountAt(item, "UnitPrice")
    return {
      Description: String(item.Name),
      Amount: money(price.times(Qty)),
      DetailType: "SalesItemLineDetail",
      SalesItemLineDetail: {
        ItemRef: ref(item),
        UnitPrice: price.toNumber(),
        Qty,
        TaxCodeRef: { value: isTaxed && !isService ? "TAX" : "NON" },
        ...(next() < 0.4 ? { ClassRef: ref(any(stage.classes)) } : {})
      }
    }
  }

  const discount = (): Doc => {
    const DiscountPercent = pick(next, [5, 10, 12.5])
    return next() < 0.7
      ? { DetailType: "DiscountLineDetail", DiscountLineDetail: { PercentBased: true, DiscountPercent } }
      : { DetailType: "DiscountLineDetail", Amount: 25, DiscountLineDetail: { PercentBased: false } }
  }

  const customers = stage.customers.slice(0, -3)
  const vendors = stage.vendors.slice(0, -2)
  const made: Array<Doc> = []

  for (let index = 0; index < invoices; index++) {
    const time = start + (span * (index + 0.3)) / invoices
    const customer = any(customers)
    const lines = [
      ...Array.from({ length: whole(1, 5) }, () => saleLine(customer.Taxable === true)),
      ...(next() < 0.12 ? [discount()] : [])
    ]
    const share = paidShare((account.now - time) / dayLength, next())
    const delay = whole(3, 40) * dayLength
    const body: Doc = {
      CustomerRef: ref(customer),
      CurrencyRef: { value: currencyOf(customer) },
      SalesTermRef: customer.SalesTermRef ?? ref(stage.terms[1]),
      BillEmail: customer.PrimaryEmailAddr,
      EmailStatus: next() < 0.6 ? "EmailSent" : "NotSet",
      ...(next() < 0.5 ? { DepartmentRef: ref(any(stage.departments)) } : {}),
      ...(next() < 0.3 ? { PrivateNote: `Order ${4000 + index}` } : {}),
      CustomerMemo: { value: "Thank you for your business." },
      Line: lines
    }
    const method = any(stage.methods)
    const isBanked = next() < 0.6
    on(time, (then) => {
      made[index] = enter(then, "Invoice", { ...body, TxnDate: dateOf(then) })
    })
    if (voids.has(index)) on(time + dayLength, (then) => cancel(then, "Invoice", made[index]))
    else if (share > 0 && time + delay < account.now) {
      on(time + delay, (then) => {
        const TotalAmt = money(openOf("Invoice", made[index]).times(share))
        if (TotalAmt === 0) return
        enter(then, "Payment", {
          CustomerRef: ref(customer),
          CurrencyRef: { value: currencyOf(customer) },
          TxnDate: dateOf(then),
          TotalAmt,
          PaymentMethodRef: ref(method),
          PaymentRefNum: String(7000 + index),
          ...(isBanked ? { DepositToAccountRef: ref(stage.ledger.get("Checking")) } : {}),
          Line: [{ Amount: TotalAmt, LinkedTxn: [{ TxnId: made[index]?.Id, TxnType: "Invoice" }] }]
        })
      })
    }
  }

  const billLine = (isStock: boolean): Doc => {
    if (isStock) {
      const item = any(stage.items.filter(({ Type }) => Type === "Inventory"))
      const Qty = whole(8, 25)
      const price = amountAt(item, "PurchaseCost")
      return {
        Description: String(item.Name),
        Amount: money(price.times(Qty)),
        DetailType: "ItemBasedExpenseLineDetail",
        ItemBasedExpenseLineDetail: { ItemRef: ref(item), UnitPrice: price.toNumber(), Qty }
      }
    }
    const [name, Description] = pick(next, runningCosts)
    const found = [...stage.ledger].find(([full]) => full === name || full.endsWith(`:${name}`))
    return {
      Description,
      Amount: whole(4000, 96_000) / 100,
      DetailType: "AccountBasedExpenseLineDetail",
      AccountBasedExpenseLineDetail: {
        AccountRef: ref(found?.[1]),
        ...(next() < 0.3 ? { ClassRef: ref(any(stage.classes)) } : {}),
        ...(next() < 0.1
          ? { CustomerRef: ref(any(customers)), BillableStatus: "Billable" }
          : { BillableStatus: "NotBillable" })
      }
    }
  }

  const owed: Array<Doc> = []
  for (let index = 0; index < bills; index++) {
    const time = start + (span * (index + 0.6)) / bills
    const vendor = any(vendors)
    const Line = Array.from({ length: whole(1, 3) }, () => billLine(next() < 0.35))
    const share = paidShare((account.now - time) / dayLength, next())
    const delay = whole(5, 35) * dayLength
    const isCard = next() < 0.08
    const body: Doc = {
      VendorRef: ref(vendor),
      CurrencyRef: { value: currencyOf(vendor) },
      DocNumber: `${pick(next, ["R", "INV-", "F-"])}${whole(1000, 9999)}`,
      SalesTermRef: vendor.TermRef,
      ...(next() < 0.4 ? { DepartmentRef: ref(any(stage.departments)) } : {}),
      ...(next() < 0.2 ? { PrivateNote: "Checked against delivery note" } : {}),
      Line
    }
    on(time, (then) => {
      owed[index] = enter(then, "Bill", { ...body, TxnDate: dateOf(then) })
    })
    if (share > 0 && time + delay < account.now) {
      on(time + delay, (then) => {
        const TotalAmt = money(openOf("Bill", owed[index]).times(share))
        enter(then, "BillPayment", {
          VendorRef: ref(vendor),
          CurrencyRef: { value: currencyOf(vendor) },
          TxnDate: dateOf(then),
          DocNumber: String(300 + index),
          PayType: isCard ? "CreditCard" : "Check",
          ...(isCard
            ? { CreditCardPayment: { CCAccountRef: ref(stage.ledger.get("Mastercard")) } }
            : { CheckPayment: { BankAccountRef: ref(stage.ledger.get("Checking")), PrintStatus: "NotSet" } }),
          TotalAmt,
          Line: [{ Amount: TotalAmt, LinkedTxn: [{ TxnId: owed[index]?.Id, TxnType: "Bill" }] }]
        })
      })
    }
  }

  // goods that went back
  for (let index = 0; index < 4; index++) {
    const vendor = any(vendors.filter((one) => currencyOf(one) === homeOf(account)))
    const Line = [billLine(false)]
    on(start + (span * (index + 0.4)) / 4, (then) => {
      enter(then, "VendorCredit", { VendorRef: ref(vendor), TxnDate: dateOf(then), Line })
    })
  }

  // a customer who pays ahead
  const ahead = any(customers.filter((one) => currencyOf(one) === homeOf(account)))
  on(account.now - 9 * dayLength, (then) => {
    const paid = { TotalAmt: 250, PaymentMethodRef: ref(stage.methods[1]), PaymentRefNum: "1188" }
    enter(then, "Payment", { CustomerRef: ref(ahead), TxnDate: dateOf(then), ...paid })
  })

  sundries(account, start, stage, on)
  happen(account, happenings)
  giveCredits({ ...account, now: account.now - dayLength }, stage)
}

/** Credits to customers with open invoices: half of them set against these, as Intuit does: with a payment of nothing. */
const giveCredits = (account: Account, { items }: Stage) => {
  const isOpen = (one: Doc) => currencyOf(one) === homeOf(account) && amountAt(one, "Balance").gt(500)
  for (const [index, target] of account.all("Invoice").filter(isOpen).slice(-6).entries()) {
    const item = items[index] ?? {}
    const UnitPrice = amountAt(item, "UnitPrice").toNumber()
    const detail = { ItemRef: ref(item), UnitPrice, Qty: 1 }
    const { CustomerRef } = target
    const credit = enter(account, "CreditMemo", {
      CustomerRef,
      TxnDate: dateOf(account),
      PrivateNote: "Goodwill",
      Line: [{ Amount: UnitPrice, DetailType: "SalesItemLineDetail", SalesItemLineDetail: detail }]
    })
    if (index % 2 === 1) continue
    const Amount = amountAt(credit, "Balance").toNumber()
    enter(account, "Payment", {
      CustomerRef,
      TxnDate: dateOf(account),
      TotalAmt: 0,
      Line: [
        { Amount, LinkedTxn: [{ TxnId: target.Id, TxnType: "Invoice" }] },
        { Amount, LinkedTxn: [{ TxnId: credit.Id, TxnType: "CreditMemo" }] }
      ]
    })
  }
}
