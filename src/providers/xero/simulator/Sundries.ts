import { Decimal } from "decimal.js"
import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { money } from "../../simulation/Docs.ts"
import { random } from "../../simulation/SampleCompany.ts"
import { allocate } from "./Allocations.ts"
import { attach } from "./Attachments.ts"
import { bankTransactions } from "./BankTransactions.ts"
import { bankTransfers } from "./BankTransfers.ts"
import { contacts } from "./Contacts.ts"
import { creditNotes } from "./CreditNotes.ts"
import { enter } from "./Kind.ts"
import { manualJournals } from "./ManualJournals.ts"
import { baseCurrencyOf, regionOf } from "./Organisation.ts"
import { purchaseOrders } from "./PurchaseOrders.ts"
import { overpayments, prepayments } from "./PaidAhead.ts"
import { openOf, settlementsOf } from "./Settlements.ts"
import { dateOf, type On, type Stage } from "./Stage.ts"

/** Customers, suppliers and goods to trade with. */
export interface Parties extends Stage {
  readonly customers: ReadonlyArray<Doc>
  readonly suppliers: ReadonlyArray<Doc>
  readonly goods: ReadonlyArray<Doc>
}

const months = 12
const dayLength = 86_400_000

/** Schedules the events in the books besides sales and purchases on account. */
export const sundries = (account: Account, start: number, parties: Parties, on: On): void => {
  const next = random(77)
  const { address, phone, usual } = regionOf(account)
  const untaxed = usual.none
  const delivery = {
    DeliveryAddress: [address.AddressLine1, address.City, address.PostalCode, ""].join("\r\n"),
    AttentionTo: "Stores",
    Telephone: `${phone.PhoneAreaCode} ${phone.PhoneNumber}`,
    DeliveryInstructions: "Ring at the gate"
  }
  const span = account.now - start
  const any = (list: ReadonlyArray<Doc>): Doc => list[Math.floor(next() * list.length)] ?? {}
  const cents = (from: number, to: number) => Math.round((from + next() * (to - from)) * 100) / 100
  const { banks, customers, goods, suppliers } = parties
  const bank = (code: string) => ({ AccountID: banks.get(code)?.AccountID })
  const domestic = (list: ReadonlyArray<Doc>) =>
    list.filter((one) => (one.DefaultCurrency ?? baseCurrencyOf(account)) === baseCurrencyOf(account))
  const idOf = ({ ContactID }: Doc) => ({ ContactID })

  const cash =
    (Type: string, code: string, Contact: Doc, LineItems: ReadonlyArray<Doc>, more: Doc = {}) =>
    (then: Account) =>
      enter(then, bankTransactions, { Type, BankAccount: bank(code), Contact, LineItems, Date: dateOf(then), ...more })

  for (let month = 0; month < months; month++) {
    const at = start + (span * (month + 0.9)) / months
    const fee = { Description: "Account fees", AccountCode: "404", TaxType: untaxed, UnitAmount: cents(8, 31) }
    on(at, cash("SPEND", "090", { Name: "Bank of the Liffey" }, [fee], { IsReconciled: month < 10 }))
    const fuel = { Description: "Van fuel", AccountCode: "493", UnitAmount: cents(40, 120) }
    on(at - 5e8, cash("SPEND", "095", idOf(any(domestic(suppliers))), [fuel], { LineAmountTypes: "Inclusive" }))
    const till = { Description: "Counter sales", AccountCode: "220", UnitAmount: cents(300, 1900) }
    const taken = { LineAmountTypes: "Inclusive", Reference: `Till ${month + 1}` }
    on(at - 3e8, cash("RECEIVE", "090", { Name: "Walk-in customers" }, [till], taken))
    if (month % 3 === 2) {
      const interest = { Description: "Interest", AccountCode: "270", TaxType: untaxed, UnitAmount: cents(20, 60) }
      on(at, cash("RECEIVE", "091", { Name: "Bank of the Liffey" }, [interest]))
      on(at - 1e8, (then) =>
        enter(then, bankTransfers, {
          FromBankAccount: bank("090"),
          ToBankAccount: bank("091"),
          Amount: 2500,
          Date: dateOf(then),
          Reference: "To savings"
        })
      )
    }
    const journal = (
      Narration: string,
      lines: ReadonlyArray<readonly [code: string, amount: number]>,
      Status = "POSTED"
    ) =>
      on(at, (then) =>
        enter(then, manualJournals, {
          Narration: `${Narration} ${dateOf(then).slice(0, 7)}`,
          Date: dateOf(then),
          Status,
          JournalLines: lines.map(([AccountCode, LineAmount]) => ({ AccountCode, LineAmount, Description: Narration }))
        })
      )
    journal("Depreciation", [
      ["416", 525],
      ["711", -87.5],
      ["721", -437.5]
    ])
    journal(
      "Wages",
      [
        ["477", 11_840],
        ["803", -8215],
        ["825", -3625]
      ],
      month === months - 1 ? "DRAFT" : "POSTED"
    )
    const run = (code: string, amount: number) => ({
      Description: "Payroll run",
      AccountCode: code,
      TaxType: untaxed,
      UnitAmount: amount
    })
    if (month > 0)
      on(
        at + 1e8 > account.now ? at : at + 1e8,
        cash("SPEND", "090", { Name: "Staff" }, [run("803", 8215), run("825", 3625)])
      )
  }

  for (let index = 0; index < 24; index++) {
    const Contact = idOf(any(suppliers))
    const LineItems = Array.from({ length: 1 + (index % 3) }, () => ({
      ItemCode: any(goods).Code,
      Quantity: 4 + Math.floor(next() * 20),
      ...(index % 12 === 3 ? { DiscountRate: 10 } : {})
    }))
    const Status = index < 16 ? "BILLED" : (["AUTHORISED", "SUBMITTED", "DRAFT"][index % 3] ?? "DRAFT")
    on(start + (span * (index + 0.5)) / 24, (then) =>
      enter(then, purchaseOrders, {
        Contact,
        LineItems,
        Status,
        Date: dateOf(then),
        ...(index % 5 === 0 ? { DeliveryDate: dateOf({ ...then, now: then.now + 7 * dayLength }) } : {}),
        ...(index % 2 === 0 ? delivery : {})
      })
    )
  }

  // goods returned to suppliers
  for (let index = 0; index < 5; index++) {
    const Contact = idOf(any(suppliers))
    const LineItems = [{ ItemCode: any(goods).Code, Quantity: 1 + (index % 3) }]
    on(start + (span * (index + 0.4)) / 5, (then) =>
      enter(then, creditNotes, { Type: "ACCPAYCREDIT", Contact, LineItems, Status: "AUTHORISED", Date: dateOf(then) })
    )
  }

  const ahead = domestic(customers)
  on(
    account.now - 3e9,
    cash("RECEIVE-OVERPAYMENT", "090", idOf(any(ahead)), [
      { Description: "Paid twice", AccountCode: "610", UnitAmount: 129, TaxType: untaxed }
    ])
  )
  on(
    account.now - 2e9,
    cash("RECEIVE-PREPAYMENT", "090", idOf(any(ahead)), [
      { Description: "Deposit, custom frame", AccountCode: "200", UnitAmount: 300 }
    ])
  )
  on(
    account.now - 2.5e9,
    cash("SPEND-PREPAYMENT", "090", idOf(any(domestic(suppliers))), [
      { Description: "Deposit, trade fair stand", AccountCode: "400", UnitAmount: 450 }
    ])
  )
  on(account.now - 2e8, (then) => credits(then, parties))
  on(account.now - 1.5e8, (then) => settleAhead(then, parties))
  on(account.now - 1.4e8, archiveOldest)
  on(account.now - 1.3e8, batchPayments)
  on(account.now - 1e8, (then) => files(then))
  on(account.now - 9e8, (then) => {
    for (const one of parties.contacts.slice(225, 230))
      enter(then, contacts, { ContactStatus: "ARCHIVED" }, then.get("Contact", String(one.ContactID)))
  })
}

/** Credits customers with open invoices; allocates two thirds of the credits to these. */
const credits = (account: Account, { items }: Parties): void => {
  const open = account
    .all("Invoice")
    .filter((one) => one.Type === "ACCREC" && one.Status === "AUTHORISED" && openOf(one).gt(300))
    .toSorted((a, b) => (String(a.InvoiceNumber) < String(b.InvoiceNumber) ? -1 : 1))
  for (const [index, invoice] of open.slice(-9).entries()) {
    const credit = enter(account, creditNotes, {
      Type: "ACCRECCREDIT",
      Contact: { ContactID: invoice.ContactID },
      CurrencyCode: invoice.CurrencyCode,
      Date: dateOf({ ...account, now: account.now - 12 * dayLength }),
      Reference: "Goodwill",
      Status: "AUTHORISED",
      LineItems: [{ ItemCode: items[index]?.Code, Quantity: 1 }]
    })
    if (index % 3 === 2) continue
    const Amount = money(Decimal.min(openOf(credit), openOf(invoice)))
    const allocated = allocate(account, { kind: creditNotes, entity: "CreditNote" }, credit, {
      Invoice: { InvoiceID: invoice.InvoiceID },
      Amount,
      Date: dateOf(account)
    })
    Either.getOrThrowWith(allocated, (messages) => new Error(`sample allocation: ${messages.join(" ")}`))()
  }
}

/** Settles an open invoice by money that was paid ahead, and another one in part by money that was paid too much. */
const settleAhead = (account: Account, { banks }: Parties): void => {
  const open = account
    .all("Invoice")
    .filter(
      (one) => one.Type === "ACCREC" && one.Status === "AUTHORISED" && one.CurrencyCode === baseCurrencyOf(account)
    )
    .filter((one) => settlementsOf(one).length === 0)
    .toSorted((a, b) => (String(a.InvoiceNumber) < String(b.InvoiceNumber) ? -1 : 1))
  const untaxed = regionOf(account).usual.none
  const settle = (invoice: Doc | undefined, type: "Prepayment" | "Overpayment", share: number) => {
    if (invoice === undefined) return
    const Amount = money(openOf(invoice).times(share))
    const transaction = enter(account, bankTransactions, {
      Type: `RECEIVE-${type.toUpperCase()}`,
      BankAccount: { AccountID: banks.get("090")?.AccountID },
      Contact: { ContactID: invoice.ContactID },
      Date: dateOf(account),
      LineAmountTypes: "NoTax",
      LineItems: [
        {
          Description: type === "Prepayment" ? "Deposit" : "Paid twice",
          AccountCode: type === "Prepayment" ? "200" : "610",
          TaxType: untaxed,
          UnitAmount: money(openOf(invoice).times(share === 1 ? 1 : 2 * share))
        }
      ]
    })
    const kind = type === "Prepayment" ? prepayments : overpayments
    const credit = account.get(type, String(transaction[`${type}ID`])) ?? {}
    const allocated = allocate(account, { kind, entity: type }, credit, {
      Invoice: { InvoiceID: invoice.InvoiceID },
      Amount,
      Date: dateOf(account)
    })
    Either.getOrThrowWith(allocated, (messages) => new Error(`sample allocation: ${messages.join(" ")}`))()
  }
  settle(open[0], "Prepayment", 1)
  settle(open[1], "Overpayment", 0.5)
}

/** Archives the oldest posted journal, which stays on the ledger. The API cannot do that. */
const archiveOldest = (account: Account): void => {
  const [oldest] = account
    .all("ManualJournal")
    .filter(({ Status }) => Status === "POSTED")
    .toSorted((a, b) => (String(a.Date) < String(b.Date) ? -1 : 1))
  if (oldest !== undefined) {
    const archived = { ...oldest, Status: "ARCHIVED", UpdatedDateUTC: account.now }
    account.put("ManualJournal", String(oldest.ManualJournalID), archived)
  }
}

/** Joins payments of bills that were made on one day to batches. */
const batchPayments = (account: Account): void => {
  const bills = account
    .all("Payment")
    .filter(({ PaymentType, Status }) => PaymentType === "ACCPAYPAYMENT" && Status === "AUTHORISED")
  for (let index = 0; index + 1 < bills.length; index += 6) {
    const members = bills.slice(index, index + 2)
    const BatchPaymentID = crypto.randomUUID()
    for (const one of members) {
      account.put("Payment", String(one.PaymentID), { ...one, BatchPaymentID })
    }
    account.put("BatchPayment", BatchPaymentID, {
      AccountID: members[0]?.AccountID,
      BatchPaymentID,
      Date: members[0]?.Date,
      Type: "PAYBATCH",
      Status: "AUTHORISED",
      TotalAmount: money(Decimal.sum(0, ...members.map(({ Amount }) => Number(Amount)))),
      IsReconciled: false,
      UpdatedDateUTC: account.now
    })
  }
}

/** Attaches files to the newest invoices and to some contacts. */
const files = (account: Account): void => {
  const newest = account.all("Invoice").toSorted((a, b) => (String(a.Date) < String(b.Date) ? 1 : -1))
  for (const [index, { InvoiceID }] of newest.slice(0, 6).entries()) {
    const note = Buffer.from(`Delivery note ${index + 1}\nSigned at the door.\n`)
    attach(account, String(InvoiceID), `delivery-note-${index + 1}.txt`, "text/plain", note)
  }
  for (const [index, { ContactID }] of account.all("Contact").slice(0, 2).entries()) {
    const terms = Buffer.from("clause,days\npayment,30\n")
    attach(account, String(ContactID), `terms-${index + 1}.csv`, "text/csv", terms)
  }
}
