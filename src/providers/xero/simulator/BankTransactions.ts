import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, partAt, textAt } from "../../simulation/Docs.ts"
import { accountFields, accountIn, accountRef, systemAccount } from "./Accounts.ts"
import { type Checked, complain } from "./Answers.ts"
import { documentFields, documentOf, documentView, type Statuses, statusOf } from "./Documents.ts"
import { type Fields, flag, id, one, own, part } from "./Fields.ts"
import { idOf, keep, type Kind } from "./Kind.ts"
import { lineSides, post, unpost } from "./Ledger.ts"
import { plainAccount } from "./LineItems.ts"
import { baseCurrencyOf } from "./Organisation.ts"
import { balanced, settlementsOf } from "./Settlements.ts"
import { type Carrier, moveStock, restock, shortages } from "./Stock.ts"

// https://developer.xero.com/documentation/api/accounting/banktransactions

const fields: Fields = {
  ...documentFields,
  BankTransactionID: id,
  Type: one(
    "RECEIVE",
    "RECEIVE-OVERPAYMENT",
    "RECEIVE-PREPAYMENT",
    "SPEND",
    "SPEND-OVERPAYMENT",
    "SPEND-PREPAYMENT",
    "RECEIVE-TRANSFER",
    "SPEND-TRANSFER"
  ),
  BankAccount: part(accountFields),
  IsReconciled: flag,
  Status: one("AUTHORISED", "DELETED", "VOIDED"),
  PrepaymentID: own(id),
  OverpaymentID: own(id)
}

const statuses: Statuses = { new: ["AUTHORISED"], AUTHORISED: ["AUTHORISED", "DELETED"] }

const isReceived = (doc: Doc) => String(doc.Type).startsWith("RECEIVE")

/** The credit that a payment in advance creates besides its bank transaction. */
const aheadOf = (type: string): "Overpayment" | "Prepayment" | undefined =>
  type.endsWith("-OVERPAYMENT") ? "Overpayment" : type.endsWith("-PREPAYMENT") ? "Prepayment" : undefined

const control = (doc: Doc) => (isReceived(doc) ? "DEBTORS" : "CREDITORS")

const sourceTypes = { Overpayment: ["AROVERPAYMENT", "APOVERPAYMENT"], Prepayment: ["ARPREPAYMENT", "APPREPAYMENT"] }

const carrier = (doc: Doc): Carrier => ({
  id: String(doc.BankTransactionID),
  doc,
  direction: isReceived(doc) ? -1 : 1,
  isSale: isReceived(doc)
})

const postTransaction = (account: Account, doc: Doc): void => {
  const ahead = aheadOf(String(doc.Type))
  const sign = isReceived(doc) ? 1 : -1
  const [received, spent] = ahead === undefined ? ["CASHREC", "CASHPAID"] : sourceTypes[ahead]
  const total = amountAt(doc, "Total")
  const source = {
    id: String(doc.BankTransactionID),
    type: String(isReceived(doc) ? received : spent),
    date: String(doc.Date),
    reference: doc.Reference,
    rate: amountAt(doc, "CurrencyRate")
  }
  post(account, source, [
    { account: String(doc.AccountID), amount: total.times(sign) },
    // a payment in advance is owed until it is allocated
    ...(ahead === undefined
      ? [...lineSides(account, doc, isReceived(doc) ? -1 : 1), ...moveStock(account, carrier(doc))]
      : [{ account: systemAccount(account, control(doc)), amount: total.times(-sign) }])
  ])
}

/** Stores the credit of a payment in advance. */
const keepAhead = (account: Account, doc: Doc, entity: "Overpayment" | "Prepayment", key: string): void => {
  const {
    AccountID: _account,
    BankTransactionID: _id,
    IsReconciled: _flag,
    OverpaymentID: _o,
    PrepaymentID: _p,
    ...members
  } = doc
  const before = account.get(entity, key)
  const settlements = settlementsOf(before ?? {})
  account.put(entity, key, { ...balanced(entity, { ...members, settlements }), [`${entity}ID`]: key })
}

const kept = (account: Account, draft: Doc, current: Doc | undefined): Doc => {
  const entity = aheadOf(String(draft.Type))
  const key = entity === undefined ? undefined : (textAt(current ?? {}, `${entity}ID`) ?? crypto.randomUUID())
  const doc = keep(account, bankTransactions, {
    ...draft,
    ...(entity === undefined ? {} : { [`${entity}ID`]: key })
  })
  if (entity !== undefined && key !== undefined) keepAhead(account, doc, entity, key)
  postTransaction(account, doc)
  return doc
}

const end = (account: Account, current: Doc): Doc => {
  unpost(account, String(current.BankTransactionID))
  restock(account, String(current.BankTransactionID))
  for (const entity of ["Overpayment", "Prepayment"]) {
    const key = textAt(current, `${entity}ID`)
    const ahead = key === undefined ? undefined : account.get(entity, key)
    if (key !== undefined && ahead !== undefined) {
      account.put(entity, key, { ...ahead, Status: "VOIDED", RemainingCredit: 0, UpdatedDateUTC: account.now })
    }
  }
  return keep(account, bankTransactions, { ...current, Status: "DELETED" })
}

const isUsed = (account: Account, current: Doc): boolean =>
  ["Overpayment", "Prepayment"].some(
    (entity) => settlementsOf(account.get(entity, String(current[`${entity}ID`])) ?? {}).length > 0
  )

const bankOf = (account: Account, given: Doc, current: Doc | undefined): Doc | undefined =>
  given.BankAccount === undefined
    ? account.get("Account", String(current?.AccountID))
    : accountIn(account, partAt(given, "BankAccount"))

const complaints = (draft: Doc, current: Doc | undefined): ReadonlyArray<string> => [
  ...(draft.Type === undefined ? ["A Type must be specified."] : []),
  ...(String(draft.Type).endsWith("-TRANSFER") ? ["Transfers are made as bank transfers."] : []),
  ...(current !== undefined && draft.Type !== current.Type ? ["The bank transaction type cannot be changed."] : []),
  ...(aheadOf(String(draft.Type)) !== undefined && draft.Reference !== undefined
    ? ["Reference is supported on SPEND and RECEIVE transactions only."]
    : [])
]

const save = (account: Account, { BankAccount, ...rest }: Doc, current: Doc | undefined): Checked<() => Doc> =>
  Either.gen(function* () {
    if (
      current !== undefined &&
      current.IsReconciled === true &&
      current.Status === "AUTHORISED" &&
      rest.IsReconciled !== false
    ) {
      return yield* complain("This Bank Transaction cannot be edited as it has been reconciled with a Bank Statement.")
    }
    if (current !== undefined && isUsed(account, current)) {
      return yield* complain("This document cannot be edited as it has a payment or credit note allocated to it.")
    }
    // a body replaces the whole record, unless it ends it
    const whole = { BankAccount, LineItems: rest.LineItems, Type: rest.Type }
    const lacking = Object.entries(whole).flatMap(([name, value]) => (value === undefined ? [name] : []))
    if (current !== undefined && rest.Status !== "DELETED" && lacking.length > 0) {
      return yield* complain(...lacking.map((name) => `${name} must be specified.`))
    }
    const Status = yield* statusOf(statuses, rest, current, "Bank transaction not of valid status for modification")
    if (current !== undefined && Status === "DELETED") return () => end(account, current)
    const bank = bankOf(account, BankAccount === undefined ? {} : { BankAccount }, current)
    if (bank?.Type !== "BANK" || bank.Status !== "ACTIVE") return yield* complain("The bank account is not valid.")
    const type = String(rest.Type ?? current?.Type)
    const write = yield* documentOf(account, {
      given: rest,
      current,
      own: { Status, AccountID: bank.AccountID, BankTransactionID: idOf(bankTransactions, current) },
      currency: textAt(bank, "CurrencyCode") ?? baseCurrencyOf(account),
      rules: {
        side: type.startsWith("RECEIVE") ? "SalesDetails" : "PurchaseDetails",
        discounts: false,
        isApproved: true,
        fits: (one) =>
          aheadOf(type) === "Overpayment" ? one.SystemAccount === control({ Type: type }) : plainAccount(one)
      },
      complaints: (draft) => complaints(draft, current),
      lineComplaints: (doc) => (aheadOf(type) === undefined ? shortages(account, carrier(doc)) : [])
    })
    return () => kept(account, { IsReconciled: false, ...write() }, current)
  })

export const bankTransactions: Kind = {
  name: "BankTransactions",
  entity: "BankTransaction",
  id: "BankTransactionID",
  fields,
  pages: "asked",
  modifiedSince: true,
  view: (account, { AccountID, ...doc }, depth) => ({
    ...documentView(account, doc, depth, doc.BankTransactionID),
    BankAccount: accountRef(account, AccountID)
  }),
  creates: true,
  updates: "both",
  save
}
