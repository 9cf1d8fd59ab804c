import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, compact, money, partAt, textAt } from "../../simulation/Docs.ts"
import { accountFields, accountIn, accountRef, systemAccount } from "./Accounts.ts"
import { type Checked, complain, dayString } from "./Answers.ts"
import { contactFields, contactRef } from "./Contacts.ts"
import { creditNotes } from "./CreditNotes.ts"
import { isSales } from "./Credits.ts"
import { common, day, type Fields, flag, id, number, one, own, part, text } from "./Fields.ts"
import { invoices } from "./Invoices.ts"
import { type Depth, isOfApp, isWhole, keep, type Kind } from "./Kind.ts"
import { post, unpost } from "./Ledger.ts"
import { baseCurrencyOf, currenciesOf, today } from "./Organisation.ts"
import { openOf, settle, type Target, unsettle } from "./Settlements.ts"

// https://developer.xero.com/documentation/api/accounting/payments

const shown: Fields = {
  Type: text(),
  Contact: part(contactFields),
  CurrencyCode: text(),
  Reference: text(),
  Status: own(text())
}

const fields: Fields = {
  ...common,
  PaymentID: id,
  BatchPaymentID: own(id),
  BatchPayment: own(part({})),
  Invoice: part({ ...shown, InvoiceID: id, InvoiceNumber: text() }),
  CreditNote: part({ ...shown, CreditNoteID: id, CreditNoteNumber: text() }),
  Overpayment: part({ ...shown, OverpaymentID: id }),
  Prepayment: part({ ...shown, PrepaymentID: id }),
  InvoiceNumber: text(),
  CreditNoteNumber: text(),
  Account: part(accountFields),
  Code: text(),
  Date: day,
  DateString: own(text()),
  CurrencyRate: number,
  Amount: number,
  BankAmount: own(number),
  Reference: text(255),
  IsReconciled: flag,
  Status: one("AUTHORISED", "DELETED"),
  PaymentType: own(text()),
  BankAccountNumber: text(),
  Particulars: text(),
  Details: text(),
  HasAccount: own(flag)
}

/** Types of payments, by what they pay, for sales and for purchases. */
const paymentTypes: { readonly [entity in Target["entity"]]: readonly [sales: string, purchases: string] } = {
  Invoice: ["ACCRECPAYMENT", "ACCPAYPAYMENT"],
  CreditNote: ["ARCREDITPAYMENT", "APCREDITPAYMENT"],
  Overpayment: ["AROVERPAYMENTPAYMENT", "APOVERPAYMENTPAYMENT"],
  Prepayment: ["ARPREPAYMENTPAYMENT", "APPREPAYMENTPAYMENT"]
}

const entities: ReadonlyArray<Target["entity"]> = ["Invoice", "CreditNote", "Overpayment", "Prepayment"]

const held = (account: Account, entity: Target["entity"], given: Doc): Doc | undefined => {
  const named = partAt(given, entity)
  const key = textAt(named, `${entity}ID`)
  if (key !== undefined) return account.get(entity, key)
  const kind = entity === "Invoice" ? invoices : entity === "CreditNote" ? creditNotes : undefined
  const number = textAt(named, `${entity}Number`) ?? textAt(given, `${entity}Number`)
  return number === undefined ? undefined : kind?.named?.(account, number)
}

interface Paid {
  readonly entity: Target["entity"]
  readonly doc: Doc
}

const paidIn = (account: Account, given: Doc): Checked<Paid> => {
  const named = entities.filter((entity) => given[entity] !== undefined || given[`${entity}Number`] !== undefined)
  const [entity, ...more] = named
  if (entity === undefined || more.length > 0) {
    return complain("A payment must be for one invoice, credit note, prepayment or overpayment.")
  }
  const doc = held(account, entity, given)
  if (doc === undefined) return complain(`The ${entity} of the payment could not be found.`)
  return doc.Status === "AUTHORISED" || doc.Status === "PAID"
    ? Either.right({ entity, doc })
    : complain("Payments can only be made against Authorised documents")
}

/** Finds the bank account, which must be in the base currency or that of the paid document. */
const bankIn = (account: Account, given: Doc, currency: unknown): Checked<Doc> => {
  const bank = accountIn(account, given.Account === undefined ? { Code: given.Code } : partAt(given, "Account"))
  if (bank === undefined) return complain("The account of the payment could not be found.")
  if (bank.Status !== "ACTIVE" || (bank.Type !== "BANK" && bank.EnablePaymentsToAccount !== true)) {
    return complain("Account type is invalid for making payments.")
  }
  const own = bank.CurrencyCode ?? baseCurrencyOf(account)
  return own === baseCurrencyOf(account) || own === currency
    ? Either.right(bank)
    : complain("The currency of the bank account does not match that of the document.")
}

const created = (account: Account, given: Doc): Checked<() => Doc> =>
  Either.gen(function* () {
    const { doc, entity } = yield* paidIn(account, given)
    const bank = yield* bankIn(account, given, doc.CurrencyCode)
    const amount = amountAt(given, "Amount")
    if (amount.lte(0)) return yield* complain("The payment amount must be greater than zero.")
    if (amount.gt(openOf(doc))) {
      return yield* complain("Payment amount exceeds the amount outstanding on this document")
    }
    if (given.Status === "DELETED") return yield* complain("A new payment cannot be deleted.")
    return () => {
      const ofCustomer = isSales(doc)
      const PaymentID = crypto.randomUUID()
      const isBase = doc.CurrencyCode === baseCurrencyOf(account)
      const rate = isBase ? 1 : (given.CurrencyRate ?? currenciesOf(account)[String(doc.CurrencyCode)]?.rate ?? 1)
      const date = textAt(given, "Date") ?? today(account)
      const [sales, purchases] = paymentTypes[entity]
      const PaymentType = ofCustomer ? sales : purchases
      const kept = keep(
        account,
        payments,
        compact({
          PaymentID,
          entity,
          target: doc[`${entity}ID`],
          AccountID: bank.AccountID,
          Date: date,
          Amount: money(amount),
          BankAmount: money(
            (bank.CurrencyCode ?? baseCurrencyOf(account)) === doc.CurrencyCode ? amount : amount.div(Number(rate))
          ),
          CurrencyRate: rate,
          Reference: given.Reference === "" ? undefined : given.Reference,
          IsReconciled: given.IsReconciled === true,
          PaymentType,
          Status: "AUTHORISED"
        })
      )
      settle(
        account,
        { entity, id: String(doc[`${entity}ID`]) },
        { member: "Payments", id: PaymentID, amount: money(amount), date }
      )
      // money comes in when customers pay and when suppliers refund
      const into = amount.times(ofCustomer === (entity === "Invoice") ? 1 : -1)
      const control = systemAccount(account, ofCustomer ? "DEBTORS" : "CREDITORS")
      post(
        account,
        {
          id: PaymentID,
          type: PaymentType,
          date,
          reference: given.Reference,
          rate: amountAt(kept, "CurrencyRate"),
          over: "REALISEDCURRENCYGAIN"
        },
        [
          { account: String(bank.AccountID), amount: into },
          { account: control, amount: into.negated(), rate: amountAt(doc, "CurrencyRate") }
        ]
      )
      return kept
    }
  })

/** Deletes a payment, the only change that a payment allows. */
const deleted = (account: Account, given: Doc, current: Doc): Checked<() => Doc> => {
  if (current.Status === "DELETED") return complain("This payment has been deleted.")
  if (given.Status !== "DELETED") return complain("Only the status of a payment can be updated, to DELETED.")
  if (current.IsReconciled === true) return complain("This payment has been reconciled and cannot be deleted.")
  return Either.right(() => {
    const entity = entities.find((one) => one === current.entity) ?? "Invoice"
    unsettle(account, { entity, id: String(current.target) }, String(current.PaymentID))
    unpost(account, String(current.PaymentID))
    return keep(account, payments, { ...current, Status: "DELETED" })
  })
}

/** https://developer.xero.com/documentation/api/accounting/batchpayments */
const batchView = (account: Account, id: unknown): Doc => {
  const batch = id === undefined ? undefined : account.get("BatchPayment", String(id))
  if (batch === undefined) return {}
  const { AccountID, ...members } = batch
  return { BatchPayment: { Account: { AccountID }, ...members, DateString: dayString(batch.Date) } }
}

/** The contact of what was paid; a payment that is read alone leaves out its empty lists. */
const payerView = (account: Account, contactId: unknown, depth: Depth): Doc => {
  const { Addresses, ContactGroups, Phones, ...contact } = contactRef(account, contactId, "page")
  return isWhole(depth) ? contact : { ...contact, Addresses, Phones, ContactGroups }
}

export const payments: Kind = {
  name: "Payments",
  entity: "Payment",
  id: "PaymentID",
  fields,
  pages: "asked",
  modifiedSince: true,
  view: (account, { AccountID, entity, target, ...doc }, depth) => {
    const paid = account.get(String(entity), String(target)) ?? {}
    const isForeign = paid.CurrencyCode !== baseCurrencyOf(account)
    const { Name, ...bank } = accountRef(account, AccountID)
    return {
      ...doc,
      // one in the base currency that was entered in the app has the rate 0
      ...(isForeign || depth === "written" || !isOfApp(doc) ? {} : { CurrencyRate: 0 }),
      ...batchView(account, doc.BatchPaymentID),
      Account: isWhole(depth) ? { ...bank, Name } : bank,
      [String(entity)]: compact({
        [`${String(entity)}ID`]: target,
        InvoiceNumber: paid.InvoiceNumber,
        CreditNoteNumber: paid.CreditNoteNumber,
        Type: paid.Type,
        CurrencyCode: paid.CurrencyCode,
        CurrencyRate: isForeign || depth === "written" ? paid.CurrencyRate : undefined,
        Contact: payerView(account, paid.ContactID, depth),
        HasErrors: false
      }),
      HasAccount: true,
      HasValidationErrors: false
    }
  },
  creates: true,
  updates: "both",
  save: (account, given, current) =>
    current === undefined ? created(account, given) : deleted(account, given, current)
}
