import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, partsAt } from "../../simulation/Docs.ts"
import { type Column, column, id, ofType, own, someOf, type Source, sourceOf, sources, type Table } from "./Columns.ts"
import { booksOf, hasCurrencies, isHiddenType } from "./Editions.ts"
import { type Fields, idAt, nameOf, targetOf } from "./Fields.ts"
import { itemTypes } from "./Items.ts"
import { labelOf, titles } from "./Labels.ts"
import { inLanguage } from "./Languages.ts"
import { isPosting, linesOf, type Posting } from "./Postings.ts"
import type { RecordType } from "./RecordType.ts"
import { titleOfCode, transactions } from "./Transactions.ts"

// Transactions, their lines, what these post, and how transactions hang together.

const allFields = transactions.reduce<Fields>((fields, type) => ({ ...fields, ...type.fields }), {})

const status: Column = {
  value: ({ doc }) => idAt(doc, "status") ?? null,
  label: ({ doc, type }, account) => {
    const field = type?.fields.status
    const name = field === undefined ? undefined : nameOf(field, idAt(doc, "status") ?? "")
    return `${inLanguage(account, titles[type?.name ?? ""] ?? "")} : ${inLanguage(account, name ?? "")}`
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

const taxTypes = ["salesTaxItem", "taxGroup"]

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
    label: ({ type }, account) => inLanguage(account, titleOfCode.get(type?.code ?? "") ?? "")
  },
  recordtype: column((_, { type }) => type?.name.toLowerCase()),
  trandisplayname: column((doc, { type }, account) => labelOf(account, type?.name ?? "", doc)),
  entity: id(party, isParty),
  status,
  currency: id(currency, ["currency"]),
  exchangerate: column(rate),
  // the key of a copy that the transaction has of its own
  shippingaddress: id((doc) => (doc.shippingAddress === undefined ? undefined : doc.id)),
  employee: id((doc) => idAt(doc, "salesRep") ?? idAt(doc, "employee"), ["employee"]),
  posting: column((doc, { type }) => isPosting(type?.name ?? "", doc)),
  voided: column((doc) => idAt(doc, "status") === "V"),
  foreigntotal: column(totalOf),
  foreignamountpaid: column((doc) => doc.amountPaid),
  foreignamountunpaid: column((doc) => doc.amountRemaining),
  foreignpaymentamountused: column((doc) => doc.applied),
  foreignpaymentamountunused: column((doc) => doc.unapplied)
}

/** Lines of a transaction as it is and is booked, made once. */
const made = new WeakMap<Doc, { readonly postings: ReadonlyArray<Posting>; readonly rows: ReadonlyArray<Source> }>()

const linesIn = (account: Account, source: Source): ReadonlyArray<Source> => {
  const postings = linesOf(account, String(source.doc.id))
  const known = made.get(source.doc)
  if (known !== undefined && known.postings === postings) return known.rows
  const rows = postings.map((posting) => ({ ...source, posting }))
  made.set(source.doc, { postings, rows })
  return rows
}

const allLines = (account: Account) => sources(account, transactions).flatMap((source) => linesIn(account, source))

const linesOfOne = (account: Account, id: string) =>
  sourceOf(account, transactions, id).flatMap((source) => linesIn(account, source))

/** A row for each book. */
const inBooks = (account: Account, rows: ReadonlyArray<Source>): ReadonlyArray<Source> => {
  const books = booksOf(account)
  return books.length === 1 ? rows : rows.flatMap((row) => books.map((book) => ({ ...row, book })))
}

const lineOf = ({ posting }: Source): Doc => posting?.source ?? {}

const isMain = ({ posting, type }: Source) => posting?.line === 0 && type?.name !== "journalEntry"

/** A segment of a line; the main line has those of the whole transaction. */
const segment = (name: string, to: string) =>
  id((doc, source) => (isMain(source) ? idAt(doc, name) : idAt(lineOf(source), name)), [to])

const foreign = ({ posting }: Source) => posting?.foreign

/** Units of which an item's base unit is the measure, whatever unit the line has. */
const inBase = (account: Account, source: Source): number =>
  Number(account.get("unit", idAt(lineOf(source), "units") ?? "")?.conversionRate ?? 1)

const quantityOf = (account: Account, source: Source): unknown => {
  const { quantity } = lineOf(source)
  if (typeof quantity !== "number") return undefined
  const isOut = (source.posting?.foreign ?? 0) < 0 || source.type?.name === "itemFulfillment"
  return quantity * inBase(account, source) * (isOut ? -1 : 1)
}

const rateOf = (account: Account, source: Source): unknown => {
  const { rate } = lineOf(source)
  return typeof rate === "number" ? rate / inBase(account, source) : undefined
}

const lineColumns: Table["columns"] = {
  uniquekey: column((doc, { posting }) => `${String(doc.id)}${posting?.line ?? 0}`),
  transaction: own,
  id: column((_, { posting }) => posting?.line),
  linesequencenumber: column((_, { posting }) => posting?.place),
  mainline: column((_, source) => isMain(source)),
  taxline: column((_, { posting }) => posting?.isTax === true),
  iscogs: column((_, { posting }) => posting?.isCost === true),
  kitcomponent: column(() => false),
  transactiondiscount: column((_, { posting }) => posting?.isDiscount === true),
  taxcode: id((_, source) => idAt(lineOf(source), "taxCode") ?? idAt(lineOf(source), "taxcode"), taxTypes),
  taxrate1: column((_, source) => {
    const { taxRate1 } = lineOf(source)
    return typeof taxRate1 === "number" ? taxRate1 / 100 : undefined
  }),
  category: id((_, source) => idAt(lineOf(source), "category"), ["expenseCategory"]),
  units: id((_, source) => idAt(lineOf(source), "units"), ["unit"]),
  paymentmethod: id((doc, source) => (isMain(source) ? idAt(doc, "paymentOption") : undefined), ["paymentMethod"]),
  item: id((_, source) => idAt(lineOf(source), "item"), itemTypes),
  itemtype: column((_, source) => lineOf(source).itemType),
  memo: column((doc, source) => (isMain(source) ? doc.memo : (lineOf(source).memo ?? lineOf(source).description))),
  quantity: column((_, source, account) => quantityOf(account, source)),
  rate: column((_, source, account) => rateOf(account, source)),
  foreignamount: column((_, source) => foreign(source)),
  // without other currencies both are one
  netamount: column((_, { posting }, account) => (hasCurrencies(account) ? posting?.amount : posting?.foreign)),
  expenseaccount: id(
    (_, source) => {
      const line = lineOf(source)
      return idAt(line, "item") === undefined ? (idAt(line, "account") ?? idAt(line, "expenseaccount")) : undefined
    },
    ["account"]
  ),
  entity: id(
    (doc, source) =>
      ["customer", "entity", "job"].map((name) => idAt(lineOf(source), name)).find((id) => id !== undefined) ??
      party(doc),
    isParty
  ),
  subsidiary: id((doc) => idAt(doc, "subsidiary"), ["subsidiary"]),
  department: segment("department", "department"),
  class: segment("class", "classification"),
  location: segment("location", "location"),
  isclosed: column((_, source) => lineOf(source).isClosed === true),
  isbillable: column((_, source) => lineOf(source).isBillable ?? lineOf(source).isbillable),
  quantitybilled: column((_, source) => lineOf(source).quantityBilled),
  createdfrom: id(
    (doc, source) => idAt(lineOf(source), "orderDoc") ?? idAt(doc, "createdFrom"),
    ["salesOrder", "purchaseOrder", "invoice"]
  )
}

/** A book other than the first is kept by a rule of its own: here all is double in it. */
const amountOf = ({ book = "1", posting }: Source): number => (posting?.amount ?? 0) * (book === "1" ? 1 : 2)

const accountingColumns: Table["columns"] = {
  transaction: own,
  transactionline: column((_, { posting }) => posting?.line),
  accountingbook: id((_, { book = "1" }) => book),
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

/** Which transactions a transaction came of: payments of what they pay, bills and fulfilments of their orders. */
const linksOfDoc = (type: RecordType, doc: Doc): ReadonlyArray<Source> => {
  const link = (previous: string | undefined, more: Doc): ReadonlyArray<Source> =>
    previous === undefined ? [] : [{ doc: { ...doc, previous, ...more }, type }]
  const applied = partsAt(doc, "apply").flatMap((line) =>
    link(idAt(line, "doc"), { linkType: "Payment", amount: line.amount, nextLine: 0, previousLine: 0 })
  )
  const isShipment = type.name === "itemFulfillment"
  const ordered = [...partsAt(doc, "item"), ...partsAt(doc, "expense")].flatMap((line) =>
    link(isShipment ? idAt(doc, "createdFrom") : idAt(line, "orderDoc"), {
      linkType: isShipment ? "ShipRcpt" : "OrdBill",
      amount: line.amount,
      nextLine: line.line,
      previousLine: line.orderLine
    })
  )
  return [...applied, ...ordered]
}

const linksOfType = ofType((type, entries) => entries.flatMap(([, doc]) => linksOfDoc(type, doc)))

/** Links of a type by what stands before it. */
const linksTo = ofType((type, entries) => {
  const found = new Map<string, Array<Source>>()
  for (const link of entries.flatMap(([, doc]) => linksOfDoc(type, doc))) {
    const id = String(link.doc.previous)
    found.set(id, [...(found.get(id) ?? []), link])
  }
  return found
})

const visible = (account: Account) => transactions.filter(({ name }) => !isHiddenType(account, name))

const links = (account: Account): ReadonlyArray<Source> =>
  visible(account).flatMap((type) => linksOfType(account, type))

const linkKeys: Table["keys"] = {
  nextdoc: (account, value) =>
    sourceOf(account, transactions, value).flatMap(({ doc, type }) =>
      type === undefined ? [] : linksOfDoc(type, doc)
    ),
  previousdoc: (account, value) => visible(account).flatMap((type) => linksTo(account, type).get(value) ?? [])
}

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

/** Taxes of an account with SuiteTax, a row for each of a line. */
const taxRows = (lines: ReadonlyArray<Source>): ReadonlyArray<Source> =>
  lines.filter((source) => source.posting?.isCost !== true && idAt(lineOf(source), "taxCode") !== undefined)

const taxColumns: Table["columns"] = {
  transaction: own,
  line: column((_, { posting }) => posting?.line),
  taxcode: id((_, source) => idAt(lineOf(source), "taxCode"), taxTypes),
  taxrate: column((_, source) => amountAt(lineOf(source), "taxRate1").div(100).toNumber()),
  taxbasis: column((_, source) => lineOf(source).amount),
  taxamount: column((_, source) => {
    const tax = amountAt(lineOf(source), "tax1Amt")
    return tax.times((source.posting?.foreign ?? 0) < 0 ? -1 : 1).toNumber()
  })
}

/** A type by its code. */
const typeCalled = new Map(transactions.map((type) => [type.code, type]))

const ofOne = { transaction: linesOfOne }

export const transactionTables: ReadonlyArray<readonly [name: string, table: Table]> = [
  [
    "transaction",
    {
      columns: transactionColumns,
      rows: (account) => sources(account, transactions),
      keys: {
        id: (account, value) => sourceOf(account, transactions, value),
        type: (account, code) => {
          const type = typeCalled.get(code)
          return type === undefined ? [] : sources(account, [type])
        }
      }
    }
  ],
  ["transactionline", { columns: lineColumns, rows: allLines, keys: ofOne }],
  [
    "transactionaccountingline",
    {
      columns: accountingColumns,
      rows: (account) => inBooks(account, allLines(account)),
      keys: { transaction: (account, value) => inBooks(account, linesOfOne(account, value)) }
    }
  ],
  [
    "transactiontaxdetail",
    {
      columns: taxColumns,
      rows: (account) => taxRows(allLines(account)),
      keys: { transaction: (account, value) => taxRows(linesOfOne(account, value)) }
    }
  ],
  ["nexttransactionlink", { columns: linkColumns, rows: links, keys: linkKeys }],
  ["previoustransactionlink", { columns: linkColumns, rows: links, keys: linkKeys }],
  ["nexttransactionlinelink", { columns: linkLineColumns, rows: links, keys: linkKeys }],
  ["previoustransactionlinelink", { columns: linkLineColumns, rows: links, keys: linkKeys }]
]
