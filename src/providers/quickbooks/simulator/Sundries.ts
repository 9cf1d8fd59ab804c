import type { Account, Doc } from "../../simulation/Account.ts"
import { pick, random } from "../../simulation/SampleCompany.ts"
import { runningCosts } from "./Chart.ts"
import { timestamp } from "./Faults.ts"
import { amountAt, currencyOf, homeOf, money, partsAt, refAt } from "./Fields.ts"
import { systemAccount } from "./Postings.ts"
import { enter } from "./Records.ts"
import type { On, Stage } from "./Stage.ts"

const ref = (doc: Doc | undefined): Doc => (doc === undefined ? {} : { value: doc.Id })
const today = (then: Account) => timestamp(then.now).slice(0, 10)

/** Schedules events besides invoices, bills and their payments: direct purchases, orders, cash sales, entries, the bank. */
export const sundries = (account: Account, start: number, stage: Stage, on: On): void => {
  const next = random(1201)
  const whole = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  const any = (list: ReadonlyArray<Doc>): Doc => list[Math.floor(next() * list.length)] ?? {}
  const isHome = (one: Doc) => currencyOf(one) === homeOf(account)
  const vendors = stage.vendors.slice(0, -2).filter(isHome)
  const customers = stage.customers.slice(0, -3).filter(isHome)
  const goods = stage.items.filter(({ Type }) => Type !== "Service")
  const inStock = stage.items.filter(({ Type }) => Type === "Inventory")
  const of = (name: string) => ref([...stage.ledger].find(([full]) => full === name || full.endsWith(`:${name}`))?.[1])

  /** Schedules `count` events evenly over the year. */
  const spread = (count: number, plan: (index: number) => (then: Account) => void) => {
    for (let index = 0; index < count; index++) {
      on(start + ((account.now - start) * (index + 0.5)) / count, plan(index))
    }
  }

  const cost = (): Doc => {
    const [name, Description] = pick(next, runningCosts)
    return {
      Description,
      Amount: whole(900, 42_000) / 100,
      DetailType: "AccountBasedExpenseLineDetail",
      AccountBasedExpenseLineDetail: {
        AccountRef: of(name),
        ...(next() < 0.3 ? { ClassRef: ref(any(stage.classes)) } : {})
      }
    }
  }

  const piece = (item: Doc, detailType: string, price: string): Doc => {
    const Qty = whole(1, 6)
    return {
      Description: String(item.Name),
      Amount: money(amountAt(item, price).times(Qty)),
      DetailType: detailType,
      [detailType]: { ItemRef: ref(item), UnitPrice: amountAt(item, price).toNumber(), Qty }
    }
  }

  spread(36, (index) => {
    const payee = any(vendors)
    const method = any(stage.methods)
    const isCard = index % 3 === 0
    const isNamed = next() < 0.85
    const Line = [cost(), ...(next() < 0.2 ? [piece(any(goods), "ItemBasedExpenseLineDetail", "PurchaseCost")] : [])]
    return (then) =>
      enter(then, "Purchase", {
        PaymentType: isCard ? "CreditCard" : index % 3 === 1 ? "Check" : "Cash",
        AccountRef: of(isCard ? "Visa" : index % 3 === 1 ? "Checking" : "Petty Cash"),
        ...(isNamed ? { EntityRef: { ...ref(payee), type: "Vendor" } } : {}),
        ...(isCard ? { PaymentMethodRef: ref(method) } : {}),
        TxnDate: today(then),
        Line
      })
  })

  spread(12, () => (then) => {
    const side = (PostingType: string, name: string): Doc => ({
      Description: "Insurance, monthly share",
      Amount: 150,
      DetailType: "JournalEntryLineDetail",
      JournalEntryLineDetail: { PostingType, AccountRef: of(name) }
    })
    enter(then, "JournalEntry", {
      TxnDate: today(then),
      DocNumber: `A-${today(then).slice(0, 7)}`,
      PrivateNote: "Accrual",
      Line: [side("Debit", "Insurance"), side("Credit", "Prepaid Expenses")]
    })
  })

  const orders: Array<Doc> = []
  spread(10, (index) => {
    const vendor = any(vendors)
    const Line = [piece(any(goods), "ItemBasedExpenseLineDetail", "PurchaseCost"), cost()]
    return (then) => {
      orders[index] = enter(then, "PurchaseOrder", {
        VendorRef: ref(vendor),
        DocNumber: `PO-${2001 + index}`,
        TxnDate: today(then),
        SalesTermRef: vendor.TermRef,
        ...(index % 2 === 0 ? { PrivateNote: "Deliver to the workshop" } : {}),
        Line
      })
    }
  })
  // some orders are billed
  spread(4, (index) => (then) => {
    const order = orders[index]
    if (order === undefined) return
    const Line = partsAt(order, "Line").map(({ CustomExtensions: _, Id: __, LineNum: ___, ...line }) => line)
    const LinkedTxn = [{ TxnId: order.Id, TxnType: "PurchaseOrder" }]
    enter(then, "Bill", { VendorRef: order.VendorRef, TxnDate: today(then), LinkedTxn, Line })
  })

  spread(16, () => {
    const customer = any(customers)
    const Line = [piece(any(goods), "SalesItemLineDetail", "UnitPrice")]
    const isBanked = next() < 0.5
    const method = any(stage.methods)
    return (then) =>
      enter(then, "SalesReceipt", {
        CustomerRef: ref(customer),
        TxnDate: today(then),
        PaymentMethodRef: ref(method),
        ...(isBanked ? { DepositToAccountRef: of("Checking") } : {}),
        Line
      })
  })
  spread(3, () => {
    const customer = any(customers)
    const Line = [piece(any(inStock), "SalesItemLineDetail", "UnitPrice")]
    return (then) =>
      enter(then, "RefundReceipt", {
        CustomerRef: ref(customer),
        TxnDate: today(then),
        DepositToAccountRef: of("Checking"),
        Line
      })
  })

  // deposit the takings, with a little interest
  spread(8, () => (then) => {
    const undeposited = systemAccount(then, "UndepositedFunds")
    const waiting = (["Payment", "SalesReceipt"] as const).flatMap((TxnType) =>
      then
        .all(TxnType)
        .filter(
          (one) =>
            isHome(one) &&
            refAt(one, "DepositToAccountRef") === undeposited &&
            amountAt(one, "TotalAmt").gt(0) &&
            !partsAt(one, "LinkedTxn").some((link) => link.TxnType === "Deposit")
        )
        .slice(0, 3)
        .map((one) => ({ Amount: one.TotalAmt, LinkedTxn: [{ TxnId: one.Id, TxnType }] }))
    )
    const interest = { AccountRef: of("Interest Earned") }
    enter(then, "Deposit", {
      DepositToAccountRef: of("Checking"),
      TxnDate: today(then),
      Line: [...waiting, { Amount: 1.25, DetailType: "DepositLineDetail", DepositLineDetail: interest }]
    })
  })
  spread(
    6,
    (index) => (then) =>
      enter(then, "Transfer", {
        FromAccountRef: of("Checking"),
        ToAccountRef: of(index % 3 === 2 ? "Mastercard" : "Savings"),
        Amount: 500 + 25 * index,
        TxnDate: today(then)
      })
  )
  spread(3, () => {
    const item = any(inStock)
    return (then) =>
      enter(then, "InventoryAdjustment", {
        AdjustAccountRef: of("Cost of Goods Sold"),
        TxnDate: today(then),
        PrivateNote: "Count",
        Line: [
          { DetailType: "ItemAdjustmentLineDetail", ItemAdjustmentLineDetail: { ItemRef: ref(item), QtyDiff: -1 } }
        ]
      })
  })
}
