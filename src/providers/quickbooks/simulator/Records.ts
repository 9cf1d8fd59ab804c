import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { entities } from "./Entities.ts"
import type { Entity, Operation } from "./Entity.ts"
import {
  deposited,
  listRecordNotFound,
  missing,
  type Outcome,
  periodClosed,
  refuse,
  stale,
  timestamp,
  transactionNotFound,
  unsupported
} from "./Faults.ts"
import { absent, compact, type Fields, inactiveIn, partAt, partsAt, read, refAt, shown, textAt } from "./Fields.ts"
import { post, release, remove, stockAdjusted } from "./Ledger.ts"
import { deposit, inventoryAdjustment, journalEntry, transfer } from "./Entries.ts"
import { withInternals, withoutLinks } from "./Internals.ts"
import { listRules, type Rule } from "./Lists.ts"
import { billPayment, payment, voidPayment } from "./Payments.ts"
import { directPurchase, purchase, purchaseOrder } from "./Purchases.ts"
import { sale, voidSale } from "./Sales.ts"
import { withSampleTaxes } from "./World.ts"

const rules: { readonly [entity: string]: Rule } = {
  ...listRules,
  Invoice: sale("Invoice"),
  CreditMemo: sale("CreditMemo"),
  SalesReceipt: sale("SalesReceipt"),
  RefundReceipt: sale("RefundReceipt"),
  Bill: purchase("Bill"),
  VendorCredit: purchase("VendorCredit"),
  Payment: payment,
  BillPayment: billPayment,
  Purchase: directPurchase,
  PurchaseOrder: purchaseOrder,
  JournalEntry: journalEntry,
  Deposit: deposit,
  Transfer: transfer,
  InventoryAdjustment: inventoryAdjustment
}

/** A record as Intuit returns it. */
export const present = (account: Account, entity: Entity, doc: Doc): Doc => ({
  ...withInternals(entity.name, withoutLinks(entity.name, shown(account, entity.fields, doc))),
  domain: "QBO",
  sparse: false
})

export const find = (account: Account, entity: Entity, id: string): Outcome<Doc> => {
  const doc = account.get(entity.name, id)
  return doc === undefined
    ? refuse(entity.kind === "transaction" ? transactionNotFound : listRecordNotFound)
    : Either.right(doc)
}

/** Returns the record that a body names, if its SyncToken is current. */
const known = (account: Account, entity: Entity, body: Doc): Outcome<Doc> => {
  const id = textAt(body, "Id")
  if (id === undefined) return refuse(missing("Id"))
  return Either.flatMap(find(account, entity, id), (current) =>
    body.SyncToken === current.SyncToken ? Either.right(current) : refuse(stale)
  )
}

/** Whether any of these is in a closed period, which never applies to orders. */
const isClosed = (account: Account, { kind, name }: Entity, docs: ReadonlyArray<Doc | undefined>): boolean => {
  const end = textAt(partAt(account.get("Preferences", "1") ?? {}, "AccountingInfoPrefs"), "BookCloseDate")
  return (
    kind === "transaction" &&
    name !== "PurchaseOrder" &&
    docs.some((doc) => end !== undefined && (textAt(doc ?? {}, "TxnDate") ?? "9") <= end)
  )
}

/** Returns the record if it may be removed; a deposited one may not. */
const free = (account: Account, entity: Entity, body: Doc): Outcome<Doc> =>
  Either.flatMap(known(account, entity, body), (current) => {
    if (isClosed(account, entity, [current])) return refuse(periodClosed)
    return isDeposited(current) ? refuse(deposited) : Either.right(current)
  })

const isDeposited = (doc: Doc) => partsAt(doc, "LinkedTxn").some(({ TxnType }) => TxnType === "Deposit")

/** Fields of a deposited transaction that its deposit depends on. */
const kept = ["TotalAmt", "DepositToAccountRef", "CurrencyRef"]

const flat = (doc: Doc, name: string) => refAt(doc, name) ?? doc[name]

const pickFields = (doc: Doc, fields: Fields): Doc =>
  Object.fromEntries(Object.entries(doc).filter(([name]) => fields[name]?.readOnly === true))

/** Merges a body into the record: a sparse update keeps fields that it omits, a full one keeps only read-only fields. */
const merged = (entity: Entity, given: Doc, current: Doc | undefined): Doc => {
  const { Id: _id, SyncToken: _token, sparse, ...members } = given
  const base = current === undefined ? {} : sparse === true ? current : pickFields(current, entity.fields)
  const draft = { ...base, ...members }
  const filled = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== ""))
  return { ...entity.defaults, ...filled }
}

const stamped = (account: Account, doc: Doc, id: string, current: Doc | undefined): Doc => {
  const now = timestamp(account.now)
  return {
    ...doc,
    Id: id,
    SyncToken: current === undefined ? "0" : String(Number(current.SyncToken) + 1),
    MetaData: {
      CreateTime: current === undefined ? now : partAt(current, "MetaData").CreateTime,
      LastUpdatedTime: now
    }
  }
}

const keep = (account: Account, entity: Entity, id: string, doc: Doc, current: Doc | undefined): Doc => {
  if (entity.kind === "transaction") post(account, entity.name, id, doc)
  else account.put(entity.name, id, doc)
  if (entity.name === "Item") stockAdjusted(account, doc, current)
  return account.get(entity.name, id) ?? doc
}

const saved = (account: Account, entity: Entity, given: Doc, current: Doc | undefined): Outcome<Doc> =>
  Either.gen(function* () {
    const draft = merged(entity, given, current)
    const [first, ...rest] = [
      ...absent(entity.fields, draft),
      ...inactiveIn(account, entity.fields, draft, current ?? {})
    ]
    if (first !== undefined) return yield* refuse(first, ...rest)
    if (isClosed(account, entity, [current, draft])) return yield* refuse(periodClosed)
    const doc = yield* rules[entity.name]?.(account, draft, current) ?? Either.right(draft)
    if (current !== undefined && isDeposited(current) && kept.some((name) => flat(doc, name) !== flat(current, name))) {
      return yield* refuse(deposited)
    }
    const id = textAt(current ?? {}, "Id") ?? String(account.nextId())
    return keep(account, entity, id, stamped(account, compact(doc), id, current), current)
  })

const removed = (account: Account, entity: Entity, current: Doc): Doc => {
  const id = String(current.Id)
  release(account, id, current)
  remove(account, entity.name, id)
  if (entity.name === "Attachable") account.remove("file", id)
  return { status: "Deleted", domain: "QBO", Id: id }
}

const makeVoid = (account: Account, entity: Entity, current: Doc): Doc => {
  const id = String(current.Id)
  release(account, id, current)
  const voided = entity.name === "Payment" || entity.name === "BillPayment" ? voidPayment : voidSale
  return keep(account, entity, id, stamped(account, voided(current), id, current), current)
}

/** Operation that a write asks for; `save` creates when the body has no id, and updates otherwise. */
export type Asked = Operation | "save"

/** Performs a write on an entity; returns the record or the refusal. A refused write changes nothing. */
export const write = (account: Account, entity: Entity, asked: Asked, body: Doc): Outcome<Doc> =>
  Either.gen(function* () {
    const operation = asked !== "save" ? asked : body.Id === undefined ? "create" : "update"
    if (!entity.can.includes(operation)) {
      return yield* refuse(unsupported(`${operation} of ${entity.name}`))
    }
    if (operation === "delete") return removed(account, entity, yield* free(account, entity, body))
    if (operation === "void" || operation === "void update") {
      return present(account, entity, makeVoid(account, entity, yield* free(account, entity, body)))
    }
    const { complaints, doc } = read(account, entity.name, entity.fields, body)
    const [first, ...rest] = complaints
    if (first !== undefined) return yield* refuse(first, ...rest)
    const current = operation === "create" ? undefined : yield* known(account, entity, doc)
    return present(account, entity, yield* saved(account, entity, doc, current))
  })

/** For sample data: writes a record as a client would. */
export const enter = (account: Account, name: string, body: Doc): Doc => {
  const entity = entities.get(name)
  const taxed = withSampleTaxes(account, body)
  const written = entity === undefined ? refuse(unsupported(name)) : write(account, entity, "save", taxed)
  return Either.getOrThrowWith(written, ([{ Detail }]) => new Error(`sample ${name}: ${Detail}`))
}

/** For sample data: voids a sale. */
export const cancel = (account: Account, name: string, doc: Doc | undefined): void => {
  const entity = entities.get(name)
  const current = account.get(name, String(doc?.Id))
  if (entity !== undefined && current !== undefined) makeVoid(account, entity, current)
}
