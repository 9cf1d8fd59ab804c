import { Decimal } from "decimal.js"
import { Either, Predicate } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { amountAt, compact, money, partsAt } from "../../simulation/Docs.ts"
import { missingRecord, notAllowed, type Outcome, refuse, userError } from "./Answers.ts"
import { reapply } from "./Applications.ts"
import { asKept } from "./Editions.ts"
import { complete, idAt, read, recordsUrl, shown, titleOf, type View } from "./Fields.ts"
import { isOneWorld } from "./Founding.ts"
import { labelOf } from "./Labels.ts"
import { redeposit } from "./Movements.ts"
import { billingLines } from "./Notes.ts"
import { reorder } from "./Orders.ts"
import { balanceOf, book } from "./Postings.ts"
import { type RecordType, stamps } from "./RecordType.ts"
import { recordTypes, rules, typeOf } from "./Types.ts"

const pathOf = (type: RecordType, id: string) => `/services/rest/record/v1/${type.name}/${id}`

export const find = (account: Account, type: RecordType, id: string): Outcome<Doc> => {
  const external = id.startsWith("eid:") ? id.slice(4) : undefined
  const doc =
    external === undefined
      ? account.get(type.name, id)
      : account.all(type.name).find(({ externalId }) => externalId === external)
  return doc === undefined ? refuse(missingRecord(pathOf(type, id))) : Either.right(doc)
}

const signs: { readonly [type: string]: number } = {
  AcctPay: -1,
  CredCard: -1,
  OthCurrLiab: -1,
  LongTermLiab: -1,
  DeferRevenue: -1,
  Equity: -1,
  Income: 0,
  OthIncome: 0,
  COGS: 0,
  Expense: 0,
  OthExpense: 0
}

/** Total open amount, named `member`, of a party's documents of some types. */
const open = (account: Account, party: unknown, types: ReadonlyArray<string>, member: string): Decimal =>
  types
    .flatMap((type) => account.all(type))
    .filter((doc) => idAt(doc, "entity") === party || idAt(doc, "customer") === party)
    .reduce((sum, doc) => sum.plus(amountAt(doc, member)), new Decimal(0))

/** Sums that are computed when a record is read. */
const reckoned: { readonly [type: string]: (account: Account, doc: Doc) => Doc } = {
  account: (account, doc) => {
    const sign = signs[idAt(doc, "acctType") ?? ""] ?? 1
    return sign === 0 ? {} : { balance: money(balanceOf(account, doc.id).times(sign)) }
  },
  customer: (account, { id }) => ({
    balance: open(account, id, ["invoice"], "amountRemaining")
      .minus(open(account, id, ["creditMemo", "customerPayment"], "unapplied"))
      .toNumber(),
    unbilledOrders: 0
  }),
  vendor: (account, { id }) => ({
    balance: open(account, id, ["vendorBill"], "amountRemaining")
      .minus(open(account, id, ["vendorCredit"], "unapplied"))
      .toNumber()
  }),
  vendorBill: (account, doc) => ({
    balance: open(account, idAt(doc, "entity"), ["vendorBill"], "amountRemaining").toNumber()
  })
}

/** A record as a response shows it. */
export const present = (view: View, type: RecordType, doc: Doc): Doc =>
  shown(
    view,
    type.fields,
    {
      ...asKept(view.account, type.name, { ...doc, ...reckoned[type.name]?.(view.account, doc) }),
      ...(isOneWorld(view.account) ? {} : { subsidiary: undefined })
    },
    `${recordsUrl(view.account)}/${type.name}/${String(doc.id)}`
  )

const uniqueness = (account: Account, type: RecordType, doc: Doc, id: string): Outcome<Doc> => {
  const kinds = type.family === "item" ? recordTypes.filter(({ family }) => family === "item") : [type]
  const same = (other: Doc, name: string) => String(other[name]).toLowerCase() === String(doc[name]).toLowerCase()
  const taken = [...type.unique, "externalId"]
    .filter((name) => doc[name] !== undefined)
    .find((name) => kinds.some((kind) => account.all(kind.name).some((other) => other.id !== id && same(other, name))))
  if (taken === undefined) return Either.right(doc)
  return refuse(
    userError(
      `Uniqueness error- There is already a ${titleOf(type.name).toLowerCase()} with that ${titleOf(taken).toLowerCase()}.`
    )
  )
}

const nowOf = (account: Account) => `${new Date(account.now).toISOString().slice(0, 19)}Z`

/** Stores a record, or removes it, with its effects on other records. */
const keep = (account: Account, type: RecordType, id: string, doc: Doc | undefined, current: Doc | undefined): void => {
  const now = nowOf(account)
  if (doc === undefined) account.remove(type.name, id)
  else account.put(type.name, id, doc)
  if (type.family !== "transaction") return
  book(account, type.name, id, doc)
  reapply(account, current, doc, now)
  reorder(account, type.name, current, doc, now)
  redeposit(account, current, doc, now)
}

export interface Writing {
  readonly isStrict: boolean
  /** Sublists that the body has all of. */
  readonly replaced: ReadonlySet<string>
}

/** How sample data is written. */
const exact: Writing = { isStrict: true, replaced: new Set() }

/** Creates a record, or updates `current`; returns its id or the refusal. A refused write changes nothing. */
export const write = (
  account: Account,
  type: RecordType,
  body: Doc,
  current: Doc | undefined,
  writing: Writing = exact
): Outcome<string> =>
  Either.gen(function* () {
    if (!type.can.includes(current === undefined ? "create" : "update"))
      return yield* refuse(notAllowed(`/services/rest/record/v1/${type.name}`))
    const reading = { ...writing, account, isNew: current === undefined }
    const draft = yield* read(reading, type.fields, body, current ?? type.defaults)
    yield* complete(type.fields, draft)
    const id = typeof current?.id === "string" ? current.id : String(account.nextId())
    yield* uniqueness(account, type, draft, id)
    const doc = yield* rules[type.name]?.(account, draft, current) ?? Either.right(draft)
    keep(account, type, id, compact({ ...doc, id, ...stamps(type, current, nowOf(account)) }), current)
    return id
  })

const mentions = (value: unknown, id: string): boolean =>
  Array.isArray(value)
    ? value.some((one) => mentions(one, id))
    : Predicate.isRecord(value) && (value.id === id || Object.values(value).some((one) => mentions(one, id)))

/** Whether another record refers to one. */
const isUsed = (account: Account, type: RecordType, id: string): boolean =>
  recordTypes.some(({ name }) =>
    account.all(name).some((doc) => !(name === type.name && doc.id === id) && mentions({ ...doc, id: undefined }, id))
  )

/** The type under which traces of deleted records are kept. */
export const deleted = "deletedrecord"

export const remove = (account: Account, type: RecordType, doc: Doc): Outcome<void> => {
  const id = String(doc.id)
  if (!type.can.includes("delete")) return refuse(notAllowed(pathOf(type, id)))
  if (isUsed(account, type, id))
    return refuse(userError("This record cannot be deleted because it has dependent records."))
  keep(account, type, id, undefined, doc)
  account.put(deleted, id, { id, type: type.name, name: labelOf(account, type.name, doc), deletedDate: nowOf(account) })
  return Either.right(undefined)
}

const linesFrom = (order: Doc, sublist: string, taken: string): ReadonlyArray<Doc> =>
  billingLines(partsAt(order, sublist))
    .filter((line) => line.isClosed !== true)
    .map(({ isClosed: _closed, isOpen: _open, line, quantityBilled, quantityFulfilled, ...rest }) => ({
      ...rest,
      ...(sublist === "item"
        ? {
            quantity: amountAt(rest, "quantity")
              .minus(amountAt({ quantityBilled, quantityFulfilled }, taken))
              .toNumber()
          }
        : {}),
      orderDoc: { id: order.id },
      orderLine: line,
      amount: sublist === "item" ? undefined : rest.amount
    }))
    .filter((line) => sublist !== "item" || amountAt(line, "quantity").gt(0))
    .map(compact)

const copied = ({
  class: segment,
  currency,
  department,
  entity,
  exchangeRate,
  id,
  location,
  memo,
  subsidiary,
  terms
}: Doc): Doc =>
  compact({
    class: segment,
    currency,
    department,
    entity,
    exchangeRate,
    location,
    memo,
    subsidiary,
    terms,
    createdFrom: { id }
  })

const items = (lines: ReadonlyArray<Doc>) => ({ items: lines })

/** Default bodies of records that are made from another record. */
const transforms: { readonly [name: string]: (source: Doc) => Doc } = {
  "salesOrder/invoice": (order) => ({ ...copied(order), item: items(linesFrom(order, "item", "quantityBilled")) }),
  "salesOrder/itemFulfillment": (order) => ({
    createdFrom: { id: order.id },
    item: items(
      linesFrom(order, "item", "quantityFulfilled").map(({ orderLine, quantity }) => ({ orderLine, quantity }))
    )
  }),
  "purchaseOrder/vendorBill": (order) => ({
    ...copied(order),
    item: items(linesFrom(order, "item", "quantityBilled")),
    expense: items(linesFrom(order, "expense", "quantityBilled"))
  }),
  "invoice/customerPayment": ({ amountRemaining, currency, entity, id }) => ({
    customer: entity,
    currency,
    payment: amountRemaining,
    apply: items([{ doc: { id }, apply: true, amount: amountRemaining }])
  }),
  "invoice/creditMemo": (source) => ({
    ...copied(source),
    item: items(
      billingLines(partsAt(source, "item")).map(({ item, quantity, rate, amount, description }) =>
        compact({ item, quantity, rate, amount, description })
      )
    ),
    apply: items([{ doc: { id: source.id }, apply: true, amount: source.amountRemaining }])
  }),
  "vendorBill/vendorPayment": ({ amountRemaining, currency, entity, id }) => ({
    entity,
    currency,
    apply: items([{ doc: { id }, apply: true, amount: amountRemaining }])
  })
}

/**
 * Merges a body into a transform's: lines that name a line of the order change it, or leave it out with a quantity of 0;
 * others are added.
 */
const mergedLines = (made: Doc, body: Doc): Doc => {
  const merged = Object.entries(body).map(([name, value]) => {
    const [own, given] = [made[name], value]
    if (!Predicate.isRecord(own) || !Array.isArray(own.items) || !Predicate.isRecord(given))
      return [name, value] as const
    const changes = partsAt(given, "items")
    if (name !== "item" && name !== "expense") return [name, value] as const
    const lines = partsAt(own, "items")
      .map((line): Doc => ({ ...line, ...changes.find((one) => one.orderLine === line.orderLine) }))
      // of shipments `itemreceive` says which lines are left out
      .filter((line) => line.quantity !== 0)
    return [name, items([...lines, ...changes.filter(({ orderLine }) => orderLine === undefined)])] as const
  })
  return { ...made, ...Object.fromEntries(merged) }
}

/** https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157901123882.html */
export const transform = (
  account: Account,
  source: RecordType,
  doc: Doc,
  target: string,
  body: Doc,
  writing: Writing
): Outcome<string> => {
  const type = typeOf(target)
  const make = transforms[`${source.name}/${type?.name ?? target}`]
  return type === undefined || make === undefined
    ? refuse(notAllowed(`${pathOf(source, String(doc.id))}/!transform/${target}`))
    : write(account, type, mergedLines(make(doc), body), undefined, writing)
}

/** For sample data: writes a record as a client would. */
export const enter = (account: Account, name: string, body: Doc, id?: string): Doc => {
  const type = typeOf(name)
  const current = id === undefined ? undefined : account.get(name, id)
  const written = type === undefined ? refuse(missingRecord(name)) : write(account, type, body, current)
  const made = Either.getOrThrowWith(
    written,
    ({ detail, path }) => new Error(`sample ${name}: ${detail} ${path ?? ""}`)
  )
  return account.get(name, made) ?? {}
}
