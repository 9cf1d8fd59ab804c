import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, partsAt } from "../../simulation/Docs.ts"
import { type Column, column, id, own, someOf, type Source, sources, type Table, table } from "./Columns.ts"
import { type Fields, idAt, nameOf, targetOf } from "./Fields.ts"
import { itemTypes } from "./Items.ts"
import { labelOf, titles } from "./Labels.ts"
import { isPosting, linesOf } from "./Postings.ts"
import { titleOfCode, transactions } from "./Transactions.ts"

// Transactions, their lines, what these post, and how transactions hang together.

const allFields = transactions.reduce<Fields>((fields, type) => ({ ...fields, ...type.fields }), {})

const status: Column = {
  value: ({ doc }) => idAt(doc, "status") ?? null,
  label: ({ doc, type }) => {
    const field = type?.fields.status
    const name = field === undefined ? undefined : nameOf(field, idAt(doc, "status") ?? "")
    return `${titles[type?.name ?? ""] ?? ""} : ${name ?? ""}`
  }
}

const party = (doc: Doc) => idAt(doc, "entity") ?? idAt(doc, "customer")
const currency = (doc: Doc) => idAt(doc, "currency") ?? idAt(doc, "expensereportcurrency")
const rate = (doc: Doc) => doc.exchangeRate ?? doc.expensereportexchangerate

/** Sales and what is earned by them are negative on their lines; so is the total of what is owed or paid out. */
const totalOf = (doc: Doc, { type }: Source): unknown => {
  const negative = [
    "creditMemo",
    "vendorBill",
    "vendorPayment",
    "customerPayment",
    "check",
    "creditCardCharge",
    "expenseReport",
    "purchaseOrder"
  ]
  const total = type?.name === "journalEntry" ? undefined : doc.total
  return typeof total === "number" && negative.includes(type?.name ?? "") ? -total : total
}

const isParty = ["customer", "job", "vendor", "employee"]

const transactionColumns: Table["columns"] = {
  ...someOf(allFields, [
    "externalId",
    "tranId",
    "transactionNumber",
    "tranDate",
    "dueDate",
    "memo",
    "otherRefNum",
    "email",
    "shipDate",
    "terms",
    "approvalStatus",
    "postingPeriod",
    "createdDate",
    "lastModifiedDate",
    "custbody_project_code"
  ]),
  type: {
    value: ({ type }) => type?.code ?? null,
    label: ({ type }) => titleOfCode.get(type?.code ?? "")
  },
  recordtype: column((_, { type }) => type?.name.toLowerCase()),
  trandisplayname: column((doc, { type }, account) => labelOf(account, type?.name ?? "", doc)),
  entity: id(party, isParty),
  status,
  currency: id(currency, ["currency"]),
  exchangerate: column(rate),
  employee: id((doc) => idAt(doc, "salesRep") ?? idAt(doc, "employee"), ["employee"]),
  posting: column((doc, { type }) => isPosting(type?.name ?? "", doc)),
  voided: column((doc) => idAt(doc, "status") === "V"),
  foreigntotal: column(totalOf),
  foreignamountpaid: column((doc) => doc.amountPaid),
  foreignamountunpaid: column((doc) => doc.amountRemaining),
  foreignpaymentamountused: column((doc) => doc.applied),
  foreignpaymentamountunused: column((doc) => doc.unapplied)
}

const postingSources = (account: Account): ReadonlyArray<Source> =>
  sources(account, transactions).flatMap(({ doc, type }) =>
    linesOf(account, String(doc.id)).map((posting) => ({ doc, ...(type === undefined ? {} : { type }), posting }))
  )

const lineOf = ({ posting }: Source): Doc => posting?.source ?? {}

const isMain = ({ posting, type }: Source) => posting?.line === 0 && type?.name !== "journalEntry"

/** A segment of a line, or of the whole transaction. */
const segment = (name: string, to: string) => id((doc, source) => idAt(lineOf(source), name) ?? idAt(doc, name), [to])

const foreign = ({ posting }: Source) => posting?.foreign

const flow = (source: Source, member: string): unknown => {
  const value = lineOf(source)[member]
  const isOut = (source.posting?.foreign ?? 0) < 0
  return typeof value === "number" && member === "quantity" && isOut ? -value : value
}

const lineColumns: Table["columns"] = {
  uniquekey: column((doc, { posting }) => `${String(doc.id)}${posting?.line ?? 0}`),
  transaction: own,
  id: column((_, { posting }) => posting?.line),
  linesequencenumber: column((_, { posting }) => posting?.line),
  mainline: column((_, source) => isMain(source)),
  taxline: column((_, { posting }) => posting?.isTax === true),
  iscogs: column((_, { posting }) => posting?.isCost === true),
  item: id((_, source) => idAt(lineOf(source), "item"), itemTypes),
  itemtype: column((_, source) => lineOf(source).itemType),
  memo: column((doc, source) => (isMain(source) ? doc.memo : (lineOf(source).memo ?? lineOf(source).description))),
  quantity: column((_, source) => flow(source, "quantity")),
  rate: column((_, source) => lineOf(source).rate),
  foreignamount: column((_, source) => foreign(source)),
  netamount: column((_, { posting }) => posting?.amount),
  expenseaccount: id(
    (_, source) => idAt(lineOf(source), "account") ?? idAt(lineOf(source), "expenseaccount"),
    ["account"]
  ),
  entity: id(
    (doc, source) => idAt(lineOf(source), "customer") ?? idAt(lineOf(source), "entity") ?? party(doc),
    isParty
  ),
  subsidiary: segment("subsidiary", "subsidiary"),
  department: segment("department", "department"),
  class: segment("class", "classification"),
  location: segment("location", "location"),
  isclosed: column((_, source) => lineOf(source).isClosed === true),
  isbillable: column((_, source) => lineOf(source).isBillable === true),
  quantitybilled: column((_, source) => lineOf(source).quantityBilled),
  createdfrom: id(
    (doc, source) => idAt(lineOf(source), "orderDoc") ?? idAt(doc, "createdFrom"),
    ["salesOrder", "purchaseOrder", "invoice"]
  )
}

const amountOf = ({ posting }: Source): number => posting?.amount ?? 0

const accountingColumns: Table["columns"] = {
  transaction: own,
  transactionline: column((_, { posting }) => posting?.line),
  accountingbook: column(() => 1),
  account: id((_, { posting }) => posting?.account, ["account"]),
  amount: column((_, source) => amountOf(source)),
  netamount: column((_, source) => amountOf(source)),
  debit: column((_, source) => (amountOf(source) > 0 ? amountOf(source) : undefined)),
  credit: column((_, source) => (amountOf(source) < 0 ? -amountOf(source) : undefined)),
  posting: column((doc, { posting, type }) => posting?.account !== undefined && isPosting(type?.name ?? "", doc)),
  exchangerate: column(rate),
  amountpaid: column((doc, source) => (isMain(source) ? doc.amountPaid : undefined)),
  amountunpaid: column((doc, source) => (isMain(source) ? doc.amountRemaining : undefined)),
  lastmodifieddate: column((doc) => doc.lastModifiedDate, true)
}

/** Which transactions came of which: payments of what they pay, bills and fulfilments of their orders. */
const links = (account: Account): ReadonlyArray<Source> =>
  sources(account, transactions).flatMap(({ doc, type }) => {
    const link = (previous: string | undefined, more: Doc): ReadonlyArray<Source> =>
      previous === undefined ? [] : [{ doc: { ...doc, previous, ...more }, ...(type === undefined ? {} : { type }) }]
    const applied = partsAt(doc, "apply").flatMap((line) =>
      link(idAt(line, "doc"), { linkType: "Payment", amount: line.amount, nextLine: 0, previousLine: 0 })
    )
    const kind = type?.name === "itemFulfillment" ? "ShipRcpt" : "OrdBill"
    const ordered = [...partsAt(doc, "item"), ...partsAt(doc, "expense")].flatMap((line) =>
      link(type?.name === "itemFulfillment" ? idAt(doc, "createdFrom") : idAt(line, "orderDoc"), {
        linkType: kind,
        amount: line.amount,
        nextLine: line.line,
        previousLine: line.orderLine
      })
    )
    return [...applied, ...ordered]
  })

const previous = (doc: Doc, account: Account) =>
  targetOf(
    account,
    transactions.map(({ name }) => name),
    String(doc.previous)
  )

const linkColumns: Table["columns"] = {
  previousdoc: id((doc) => doc.previous),
  nextdoc: own,
  previoustype: column(
    (doc, _, account) => transactions.find(({ name }) => name === previous(doc, account)?.type)?.code
  ),
  nexttype: column((_, { type }) => type?.code),
  linktype: column((doc) => doc.linkType),
  previousdate: column((doc, _, account) => previous(doc, account)?.doc.tranDate, true),
  nextdate: column((doc) => doc.tranDate, true)
}

const linkLineColumns: Table["columns"] = {
  ...linkColumns,
  previousline: column((doc) => doc.previousLine),
  nextline: column((doc) => doc.nextLine),
  foreignamount: column((doc) => doc.amount),
  amount: column((doc) =>
    typeof doc.amount === "number"
      ? amountAt(doc, "amount")
          .times(amountAt({ rate: rate(doc) ?? 1 }, "rate"))
          .toDecimalPlaces(2)
          .toNumber()
      : undefined
  )
}

export const transactionTables: ReadonlyArray<readonly [name: string, table: Table]> = [
  ["transaction", table(transactions, transactionColumns)],
  ["transactionline", { columns: lineColumns, rows: postingSources }],
  ["transactionaccountingline", { columns: accountingColumns, rows: postingSources }],
  ["nexttransactionlink", { columns: linkColumns, rows: links }],
  ["previoustransactionlink", { columns: linkColumns, rows: links }],
  ["nexttransactionlinelink", { columns: linkLineColumns, rows: links }],
  ["previoustransactionlinelink", { columns: linkLineColumns, rows: links }]
]
