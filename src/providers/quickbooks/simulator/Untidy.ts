import type { Account, Doc } from "../../simulation/Account.ts"
import { timestamp } from "./Faults.ts"
import { amountAt, homeOf, currencyOf, money, refAt, shippingItem } from "./Fields.ts"
import { systemAccount } from "./Postings.ts"
import { enter } from "./Records.ts"
import type { Stage } from "./Stage.ts"
import { isUnitedStates } from "./World.ts"

// What real books have besides plain documents: bundles, shipping, deposits, sub-customers, credits from journal entries.

const ref = (doc: Doc | undefined): Doc => (doc === undefined ? {} : { value: doc.Id })
const dateOf = (account: Account) => timestamp(account.now).slice(0, 10)

/** A bundle of the sample's items. Only QuickBooks itself makes bundles. */
const putBundle = (account: Account, items: ReadonlyArray<Doc>): Doc => {
  const id = String(account.nextId())
  const now = timestamp(account.now)
  const members = items.filter(({ Type }) => Type === "Service").slice(0, 2)
  const bundle: Doc = {
    Id: id,
    SyncToken: "0",
    MetaData: { CreateTime: now, LastUpdatedTime: now },
    Name: "Kitchen refresh",
    FullyQualifiedName: "Kitchen refresh",
    Description: "Design and installation together",
    Active: true,
    Taxable: false,
    Type: "Group",
    TrackQtyOnHand: false,
    PrintGroupedItems: true,
    ItemGroupDetail: { ItemGroupLine: members.map((item, i) => ({ ItemRef: ref(item), Qty: i + 2 })) }
  }
  account.put("Item", id, bundle)
  return bundle
}

const itemLine = (item: Doc | undefined, Qty: number): Doc => {
  const price = amountAt(item ?? {}, "UnitPrice")
  return {
    Amount: money(price.times(Qty)),
    DetailType: "SalesItemLineDetail",
    SalesItemLineDetail: { ItemRef: ref(item), UnitPrice: price.toNumber(), Qty }
  }
}

/** An amount without a quantity, as older lines have it. */
const amountLine = (item: Doc | undefined, Amount: number): Doc => ({
  Amount,
  DetailType: "SalesItemLineDetail",
  SalesItemLineDetail: { ItemRef: ref(item) }
})

/** Documents whose amounts include tax, and one without any. */
const addTaxed = (account: Account, { customers, items, ledger, vendors }: Stage): void => {
  const isHome = (one: Doc) => currencyOf(one) === homeOf(account)
  const [customer, vendor] = [customers.find(isHome), vendors.find(isHome)]
  const [service, other] = items.filter(({ Type }) => Type === "Service")
  const sale = { CustomerRef: ref(customer), TxnDate: dateOf(account) }
  const bought = {
    DetailType: "AccountBasedExpenseLineDetail",
    AccountBasedExpenseLineDetail: { AccountRef: ref(ledger.get("Advertising")) }
  }
  const inclusive = { GlobalTaxCalculation: "TaxInclusive" }
  enter(account, "Invoice", { ...sale, ...inclusive, Line: [itemLine(service, 1), itemLine(other, 3)] })
  enter(account, "Invoice", {
    ...sale,
    ...inclusive,
    Line: [
      itemLine(service, 2),
      { DetailType: "DiscountLineDetail", DiscountLineDetail: { PercentBased: true, DiscountPercent: 10 } }
    ]
  })
  enter(account, "Invoice", { ...sale, GlobalTaxCalculation: "NotApplicable", Line: [itemLine(service, 1)] })
  enter(account, "CreditMemo", { ...sale, ...inclusive, Line: [amountLine(other, 45)] })
  const purchase = { VendorRef: ref(vendor), TxnDate: dateOf(account), Line: [{ ...bought, Amount: 80 }] }
  enter(account, "Bill", { ...purchase, ...inclusive })
  enter(account, "VendorCredit", { ...purchase, ...inclusive, Line: [{ ...bought, Amount: 20 }] })
  enter(account, "Purchase", {
    PaymentType: "Cash",
    AccountRef: ref(ledger.get("Checking")),
    TxnDate: dateOf(account),
    ...inclusive,
    Line: [{ ...bought, Amount: 33.33 }]
  })
}

export const addUntidy = (account: Account, stage: Stage): void => {
  const { customers, items, ledger } = stage
  if (!isUnitedStates(account)) addTaxed(account, stage)
  const isHome = (one: Doc) => currencyOf(one) === homeOf(account)
  const [first, second, third] = customers.slice(0, -3).filter(isHome)
  const [service, other] = items.filter(({ Type }) => Type === "Service")
  const bundle = putBundle(account, items)
  const invoice = (customer: Doc | undefined, Line: ReadonlyArray<Doc>, more: Doc = {}) =>
    enter(account, "Invoice", { CustomerRef: ref(customer), TxnDate: dateOf(account), Line, ...more })

  invoice(first, [
    { DetailType: "GroupLineDetail", GroupLineDetail: { GroupItemRef: ref(bundle), Quantity: 1 } },
    itemLine(other, 2),
    { DetailType: "DiscountLineDetail", DiscountLineDetail: { PercentBased: true, DiscountPercent: 10 } }
  ])
  invoice(second, [
    amountLine(service, 240),
    {
      Amount: 18.5,
      DetailType: "SalesItemLineDetail",
      SalesItemLineDetail: { ItemRef: { value: shippingItem } }
    }
  ])
  invoice(third, [itemLine(service, 3)], { Deposit: 50 })
  // nothing was void here, whatever the note says
  invoice(
    third,
    [{ ...itemLine(service, 1), Amount: 0, SalesItemLineDetail: { ItemRef: ref(service), UnitPrice: 0, Qty: 1 } }],
    {
      PrivateNote: "Voided cheque returned, work done for free"
    }
  )

  const sub = account.all("Customer").find(({ IsProject, Job }) => Job === true && IsProject !== true)
  invoice(sub, [itemLine(other, 1), { Description: "Second visit", DetailType: "DescriptionOnly" }])

  // a journal entry in favour of a customer, set off against an invoice by a payment of nothing
  const credited = invoice(second, [amountLine(service, 60)])
  const Amount = amountAt(credited, "TotalAmt").toNumber()
  const side = (PostingType: string, AccountRef: Doc, more: Doc = {}): Doc => ({
    Amount,
    DetailType: "JournalEntryLineDetail",
    JournalEntryLineDetail: { PostingType, AccountRef, ...more }
  })
  const entry = enter(account, "JournalEntry", {
    TxnDate: dateOf(account),
    PrivateNote: "Complaint settled",
    Line: [
      side("Debit", ref(ledger.get("Discounts given"))),
      side(
        "Credit",
        { value: systemAccount(account, "AccountsReceivable") },
        { Entity: { Type: "Customer", EntityRef: ref(second) } }
      )
    ]
  })
  enter(account, "Payment", {
    CustomerRef: { value: refAt(credited, "CustomerRef") },
    TxnDate: dateOf(account),
    TotalAmt: 0,
    Line: [
      { Amount, LinkedTxn: [{ TxnId: credited.Id, TxnType: "Invoice" }] },
      { Amount, LinkedTxn: [{ TxnId: entry.Id, TxnType: "JournalEntry" }] }
    ]
  })
}
