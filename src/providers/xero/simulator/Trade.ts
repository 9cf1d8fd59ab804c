import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, money, partAt } from "../../simulation/Docs.ts"
import { pick, random } from "../../simulation/SampleCompany.ts"
import { runningCosts, tracking } from "./Chart.ts"
import { invoices } from "./Invoices.ts"
import { enter } from "./Kind.ts"
import { regionOf } from "./Organisation.ts"
import { payments } from "./Payments.ts"
import { dateOf, type On, type Stage } from "./Stage.ts"
import { sundries } from "./Sundries.ts"

const dayLength = 86_400_000
const sales = 170
const bills = 90

const later = (account: Account, days: number) => dateOf({ ...account, now: account.now + days * dayLength })

/** Those of the sales that are made void. */
const voids = new Set([21, 58, 97, 133])

/** How much of a document of an age (days) is paid: all, some or nothing. */
const paidShare = (age: number, chance: number): number => {
  const all = age > 75 ? 0.86 : age > 35 ? 0.55 : 0.18
  return chance < all ? 1 : chance < all + 0.1 ? 0.4 : 0
}

/** A year of sales and purchases from `start`, in the order of their days, so that times of change grow with them. */
export const trade = (account: Account, start: number, stage: Stage): void => {
  const next = random(1884)
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  const any = (list: ReadonlyArray<Doc>): Doc => list[Math.floor(next() * list.length)] ?? {}
  const span = account.now - start
  const happenings: Array<{ readonly time: number; readonly act: (then: Account) => unknown }> = []
  const on: On = (time, act) => {
    happenings.push({ time, act })
  }
  const goods = stage.items.filter(({ IsPurchased }) => IsPurchased === true)
  const customers = [...stage.contacts.slice(0, 150), ...stage.contacts.slice(-40)]
  const suppliers = stage.contacts.slice(150, 225)

  const tracked = () =>
    next() < 0.4
      ? [{ Name: tracking[0][0], Option: pick(next, tracking[0][1]) }]
      : next() < 0.2
        ? [{ Name: tracking[1][0], Option: pick(next, tracking[1][1]) }]
        : []

  const saleLine = (): Doc => {
    const item = any(stage.items)
    const Quantity = String(item.Code).startsWith("SV") ? whole(1, 6) / 2 : whole(1, 4)
    return {
      ItemCode: item.Code,
      Quantity,
      Tracking: tracked(),
      ...(next() < 0.08 ? { DiscountRate: pick(next, [5, 10, 12.5]) } : {})
    }
  }

  const billLine = (): Doc => {
    if (next() < 0.5) {
      const item = any(goods)
      return { ItemCode: item.Code, Quantity: whole(2, 20), UnitAmount: partAt(item, "PurchaseDetails").UnitPrice }
    }
    const [AccountCode, Description] = pick(next, runningCosts)
    return { Description, AccountCode, Quantity: 1, UnitAmount: whole(4000, 96_000) / 100, Tracking: tracked() }
  }

  /** Pays a share of what is open of a document, some days after it was made. */
  const pay = (time: number, made: () => Doc | undefined, share: number, reference: string) => {
    const paidAt = time + whole(3, 40) * dayLength
    if (share === 0 || paidAt >= account.now) return
    on(paidAt, (then) => {
      const doc = then.get("Invoice", String(made()?.InvoiceID)) ?? {}
      const Amount = money(amountAt(doc, "AmountDue").times(share))
      if (doc.Status !== "AUTHORISED" || Amount === 0) return
      const bank = stage.banks.get(doc.CurrencyCode === regionOf(account).secondCurrency ? "092" : "090")
      const { InvoiceID } = doc
      const Account = { AccountID: bank?.AccountID }
      enter(then, payments, { Invoice: { InvoiceID }, Account, Date: dateOf(then), Amount, Reference: reference })
    })
  }

  for (let index = 0; index < sales; index++) {
    const time = start + (span * (index + 0.3)) / sales
    const age = (account.now - time) / dayLength
    const { ContactID } = any(customers)
    const body: Doc = {
      Type: "ACCREC",
      Contact: { ContactID },
      LineItems: Array.from({ length: whole(1, 4) }, saleLine),
      ...(next() < 0.3 ? { Reference: `Order ${4000 + index}` } : {}),
      ...(next() < 0.25 ? { LineAmountTypes: "Inclusive" } : {}),
      Status: age < 12 ? (["DRAFT", "SUBMITTED", "AUTHORISED"][index % 3] ?? "DRAFT") : "AUTHORISED"
    }
    let made: Doc | undefined
    on(time, (then) => {
      made = enter(then, invoices, { ...body, Date: dateOf(then), DueDate: later(then, 30) })
    })
    if (voids.has(index)) on(time + dayLength, (then) => enter(then, invoices, { Status: "VOIDED" }, made))
    else pay(time, () => made, paidShare(age, next()), `Transfer ${7000 + index}`)
  }

  for (let index = 0; index < bills; index++) {
    const time = start + (span * (index + 0.6)) / bills
    const { ContactID } = any(suppliers)
    const body: Doc = {
      Type: "ACCPAY",
      Contact: { ContactID },
      InvoiceNumber: `${pick(next, ["R", "INV-", "F-"])}${whole(1000, 9999)}`,
      LineItems: Array.from({ length: whole(1, 3) }, billLine),
      Status: "AUTHORISED"
    }
    let made: Doc | undefined
    on(time, (then) => {
      made = enter(then, invoices, { ...body, Date: dateOf(then), DueDate: later(then, 21) })
    })
    pay(time, () => made, paidShare((account.now - time) / dayLength, next()), `Run ${300 + index}`)
  }

  sundries(account, start, { ...stage, customers, suppliers, goods }, on)
  for (const { act, time } of happenings.toSorted((a, b) => a.time - b.time)) act({ ...account, now: Math.floor(time) })
}
