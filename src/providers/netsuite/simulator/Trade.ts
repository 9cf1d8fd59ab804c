import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, money } from "../../simulation/Docs.ts"
import { pick, random } from "../../simulation/SampleCompany.ts"
import { happen, type Happening, paidShare } from "../../simulation/SampleTrade.ts"
import { runningCosts } from "./Chart.ts"
import { priceOf } from "./Books.ts"
import { idAt } from "./Fields.ts"
import { enter } from "./Records.ts"

/** Records that the sample trade draws on. */
export interface Stage {
  readonly ledger: ReadonlyMap<string, Doc>
  readonly taxes: ReadonlyMap<string, Doc>
  readonly classes: ReadonlyArray<Doc>
  readonly departments: ReadonlyArray<Doc>
  readonly locations: ReadonlyArray<Doc>
  readonly methods: ReadonlyArray<Doc>
  readonly categories: ReadonlyArray<Doc>
  readonly items: ReadonlyArray<Doc>
  readonly staff: ReadonlyArray<Doc>
  readonly customers: ReadonlyArray<Doc>
  readonly vendors: ReadonlyArray<Doc>
}

const dayLength = 86_400_000
const ref = (doc: Doc | undefined): Doc => ({ id: doc?.id })
const dateOf = (account: Account) => new Date(account.now).toISOString().slice(0, 10)

/** A year of sales and purchases from `start`, in the order of their days, so that ids and times grow together. */
export const trade = (account: Account, start: number, stage: Stage): void => {
  const next = random(2026)
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  const any = (list: ReadonlyArray<Doc>): Doc => list[Math.floor(next() * list.length)] ?? {}
  const span = account.now - start
  const happenings: Array<Happening> = []
  const on = (time: number, act: Happening["act"]) => {
    if (time < account.now) happenings.push({ time, act })
  }
  const ledger = (name: string) => ref(stage.ledger.get(name))
  const customers = stage.customers.slice(0, -3)
  const vendors = stage.vendors.slice(0, -2)
  const dollarCustomers = customers.filter((one) => idAt(one, "currency") === "1")

  /** The open amount of a document as it is now. */
  const openOf = (type: string, doc: Doc | undefined) =>
    amountAt(account.get(type, String(doc?.id)) ?? {}, "amountRemaining")

  const saleLine = (customer: Doc): Doc => {
    const item = any(stage.items)
    const price = priceOf(item, "1") ?? 0
    return {
      item: ref(item),
      quantity: price > 1000 ? whole(1, 2) : whole(1, 8),
      rate: price,
      taxCode: ref(
        stage.taxes.get(
          customer.taxable === true && next() < 0.6 ? pick(next, ["Austin TX", "Seattle WA"]) : "Not Taxable"
        )
      ),
      ...(next() < 0.5 ? { class: ref(any(stage.classes)) } : {})
    }
  }

  const saleOf = (customer: Doc, lines: number): Doc => ({
    entity: ref(customer),
    item: { items: Array.from({ length: lines }, () => saleLine(customer)) },
    ...(next() < 0.4 ? { department: ref(any(stage.departments)) } : {}),
    ...(next() < 0.5 ? { location: ref(any(stage.locations)) } : {})
  })

  const made: Array<Doc> = []
  for (let index = 0; index < 90; index++) {
    const time = start + (span * (index + 0.3)) / 90
    const customer = any(customers)
    const body = {
      ...saleOf(customer, whole(1, 4)),
      otherRefNum: `PO-${whole(10_000, 99_999)}`,
      ...(next() < 0.3 ? { memo: `Quote ${3000 + index}` } : {})
    }
    const share = paidShare((account.now - time) / dayLength, next())
    const method = any(stage.methods)
    const isBanked = next() < 0.7
    on(time, (then) => {
      made[index] = enter(then, "invoice", {
        ...body,
        tranDate: dateOf(then),
        ...(index % 30 === 29 ? { approvalStatus: { id: "1" } } : {})
      })
    })
    if (share === 0 || index % 30 === 29) continue
    on(time + whole(3, 40) * dayLength, (then) => {
      const amount = money(openOf("invoice", made[index]).times(share))
      if (amount === 0) return
      enter(then, "customerPayment", {
        customer: ref(customer),
        tranDate: dateOf(then),
        payment: amount,
        paymentOption: ref(method),
        checkNumber: String(7000 + index),
        ...(isBanked ? { account: ledger("Operating Account") } : {}),
        apply: { items: [{ doc: ref(made[index]), apply: true, amount }] }
      })
    })
  }

  const expense = (): Doc => {
    const [name, memo] = pick(next, runningCosts)
    return {
      account: ledger(name),
      memo,
      amount: whole(4000, 96_000) / 100,
      ...(next() < 0.3 ? { class: ref(any(stage.classes)) } : {})
    }
  }
  const stocked = stage.items.filter(({ itemType }) => itemType === "InvtPart")
  const supply = (): Doc => {
    const item = any(stocked)
    return { item: ref(item), quantity: whole(4, 15), rate: amountAt(item, "cost").toNumber() }
  }

  const owed: Array<Doc> = []
  for (let index = 0; index < 40; index++) {
    const time = start + (span * (index + 0.6)) / 40
    const vendor = any(vendors)
    const items = next() < 0.4 ? [supply()] : []
    const body = {
      entity: ref(vendor),
      tranId: `${pick(next, ["R", "INV-", "F-"])}${whole(1000, 9999)}`,
      expense: { items: Array.from({ length: whole(items.length === 0 ? 1 : 0, 2) }, expense) },
      item: { items }
    }
    const share = paidShare((account.now - time) / dayLength, next())
    const isCard = next() < 0.1
    on(time, (then) => {
      owed[index] = enter(then, "vendorBill", { ...body, tranDate: dateOf(then) })
    })
    if (share === 0) continue
    on(time + whole(5, 35) * dayLength, (then) => {
      const amount = money(openOf("vendorBill", owed[index]).times(share))
      enter(then, "vendorPayment", {
        entity: ref(vendor),
        tranDate: dateOf(then),
        account: ledger(isCard ? "Corporate Card" : "Operating Account"),
        apply: { items: [{ doc: ref(owed[index]), apply: true, amount }] }
      })
    })
  }

  for (let index = 0; index < 36; index++) {
    const time = start + (span * (index + 0.45)) / 36
    const order = saleOf(any(dollarCustomers), whole(1, 3))
    const purchase = { entity: ref(any(vendors)), item: { items: [supply(), supply()] } }
    const charge = {
      entity: ref(any(vendors)),
      account: ledger(index % 2 === 0 ? "Corporate Card" : "Travel Card"),
      expense: { items: [expense()] }
    }
    const check = {
      entity: ref(any(vendors)),
      account: ledger("Operating Account"),
      expense: { items: [expense(), expense()] }
    }
    const report = {
      entity: ref(any(stage.staff)),
      memo: "Customer visits",
      complete: index % 3 !== 0,
      supervisorapproval: index % 3 === 2,
      accountingapproval: index % 3 === 2,
      expense: {
        items: Array.from({ length: whole(1, 3) }, () => ({
          category: ref(any(stage.categories)),
          amount: whole(1200, 48_000) / 100,
          memo: "Receipt attached"
        }))
      }
    }
    on(time, (then) => {
      const tranDate = dateOf(then)
      const made = enter(then, "salesOrder", { ...order, tranDate, orderStatus: { id: index % 5 === 4 ? "A" : "B" } })
      if (index % 3 === 0 && index % 5 !== 4) {
        enter({ ...then, now: then.now + dayLength / 2 }, "itemFulfillment", {
          createdFrom: ref(made),
          tranDate,
          item: { items: [{ orderLine: 1 }] }
        })
      }
      enter(then, "purchaseOrder", { ...purchase, tranDate, approvalStatus: { id: index % 9 === 8 ? "1" : "2" } })
      enter(then, "creditCardCharge", { ...charge, tranDate })
      enter(then, "check", { ...check, tranDate })
      enter(then, "expenseReport", { ...report, tranDate })
    })
  }

  for (let index = 0; index < 14; index++) {
    const time = start + (span * (index + 0.8)) / 14
    const customer = any(dollarCustomers)
    const credit = {
      entity: ref(customer),
      memo: "Returned goods",
      item: { items: [{ ...saleLine(customer), quantity: 1 }] }
    }
    const returned = { entity: ref(any(vendors)), memo: "Sent back", expense: { items: [expense()] } }
    const wages = whole(38_000, 52_000)
    on(time, (then) => {
      const tranDate = dateOf(then)
      enter(then, "creditMemo", { ...credit, tranDate })
      enter(then, "vendorCredit", { ...returned, tranDate })
      enter(then, "journalEntry", {
        subsidiary: { id: "1" },
        tranDate,
        memo: "Payroll",
        line: {
          items: [
            { account: ledger("Salaries and Wages"), debit: wages, memo: "Gross pay" },
            {
              account: ledger("Payroll Taxes"),
              debit: money(amountAt({ wages }, "wages").times("0.0765")),
              memo: "Employer's share"
            },
            {
              account: ledger("Payroll Liabilities"),
              credit: money(amountAt({ wages }, "wages").times("0.0765")),
              memo: "Employer's share"
            },
            { account: ledger("Operating Account"), credit: wages, memo: "Net pay" }
          ]
        }
      })
    })
  }

  const stockTaken = stage.ledger.get("Purchases")
  for (let index = 0; index < 12; index++) {
    const time = start + (span * (index + 0.7)) / 12
    const sale = saleOf(any(dollarCustomers), whole(1, 2))
    const prepayment = { customer: ref(any(dollarCustomers)), payment: whole(200, 2_000), undepFunds: { id: "true" } }
    const moved = whole(20, 45) * 1_000
    const interest = whole(400, 9_000) / 100
    const counted = { item: ref(any(stocked)), adjustQtyBy: whole(1, 4) * (index % 3 === 0 ? 1 : -1), memo: "Counted" }
    on(time, (then) => {
      const tranDate = dateOf(then)
      enter(then, "cashSale", { ...sale, tranDate, account: ledger("Operating Account") })
      enter(then, "customerDeposit", { ...prepayment, tranDate })
      enter(then, "transfer", {
        tranDate,
        account: ledger("Operating Account"),
        toAccount: ledger("Payroll Account"),
        total: moved
      })
      if (index % 2 === 0) {
        enter(then, "inventoryAdjustment", {
          subsidiary: { id: "1" },
          tranDate,
          account: ref(stockTaken),
          inventory: { items: [counted] }
        })
      }
      const waiting = (["customerPayment", "customerDeposit"] as const)
        .flatMap((type) => then.all(type))
        .filter((doc) => idAt(doc, "status") === "B" && idAt(doc, "currency") === "1")
      enter(then, "deposit", {
        tranDate,
        account: ledger("Operating Account"),
        payment: { items: waiting.map(({ id }) => ({ id, deposit: true })) },
        other: { items: [{ account: ledger("Interest Income"), amount: interest, memo: "Interest" }] }
      })
    })
  }

  happen(account, happenings)
}
