import { Effect } from "effect"
import { computed, type Entries } from "../../mapping/Entries.ts"
import { type ComputedEntry, type Mapping, type Native, natives } from "../../mapping/Mapping.ts"
import type { DecodeContext } from "../../mapping/Transform.ts"
import { inOrder } from "../base/Paginator.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { noteLeftOut } from "../LeftOut.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing } from "../ProviderError.ts"
import { byTransaction } from "./BulkLines.ts"
import { currencyJoin, type Filters } from "./Conditions.ts"
import { entityJoin, kindOfEntity } from "./Heads.ts"
import { heads, readsBeside } from "./Listing.ts"
import { failure } from "./ReadError.ts"
import { requiring } from "./Requires.ts"
import { findsOf } from "./Records.ts"
import type { RecordType } from "./RecordType.ts"
import { day, instant, type Select, text } from "./Select.ts"
import type { Suite } from "./Suite.ts"

/**
 * Transactions with their postings to accounts in the primary book, which only queries return.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158618434012.html
 */

const nativeType = "transaction"

const entityType = text("e.type", kindOfEntity)

const select: Select = {
  from: "transaction t",
  joins: [entityJoin, currencyJoin],
  columns: {
    id: text("t.id"),
    type: text("t.type"),
    tranid: text("t.tranid"),
    trandate: day("t.trandate"),
    postingperiod: text("t.postingperiod"),
    entity: text("t.entity"),
    entitytype: entityType,
    foreigntotal: text("t.foreigntotal", "t.total"),
    currency: text("t.currency"),
    exchangerate: text("t.exchangerate"),
    createdDate: instant("t.createddate"),
    lastModifiedDate: instant("t.lastmodifieddate")
  },
  order: "t.id"
}

const postings: Select = {
  from: "transactionline l",
  joins: [
    {
      alias: "a",
      sql: "INNER JOIN transactionaccountingline a ON a.transaction = l.transaction AND a.transactionline = l.id",
      isNeeded: true
    },
    { alias: "e", sql: "LEFT JOIN entity e ON e.id = l.entity" }
  ],
  columns: {
    transaction: text("l.transaction"),
    transactionline: text("l.id"),
    account: text("a.account"),
    debit: text("a.debit"),
    credit: text("a.credit"),
    foreignamount: text("l.foreignamount", "l.netamount"),
    entity: text("l.entity"),
    entitytype: entityType,
    mainline: text("l.mainline"),
    taxline: text("l.taxline"),
    iscogs: text("l.iscogs"),
    item: text("l.item"),
    quantity: text("l.quantity"),
    rate: text("l.rate"),
    memo: text("l.memo"),
    class: text("l.class"),
    department: text("l.department"),
    location: text("l.location"),
    subsidiary: text("l.subsidiary")
  },
  order: "l.transaction, l.id"
}

export const idIn = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined)

export const symbolOf = (lookups: Native | undefined, id: unknown) =>
  natives(lookups?.currencies).find((one) => one.id === id)?.symbol ?? null

/** The currency of a transaction, also on its lines. */
export const currencyOf = <N extends "currency" | "transaction_currency">(of: Entries<N>, canonical: N) =>
  of.computed({
    canonical,
    native: ["currency"],
    lookups: ["currencies"],
    decode: ({ lookups, record }) => symbolOf(lookups, record.currency)
  })

type Party = "contact" | "employee" | "project"

/** Entity types in queries, by resource. */
const entities: { readonly [N in Party]: { readonly [code: string]: string } } = {
  contact: { CustJob: "customer", Customer: "customer", Vendor: "vendor" },
  employee: { Employee: "employee" },
  project: { Job: "job" }
}

export const party = <N extends Party>(of: Entries<N>, canonical: N): ComputedEntry<N> =>
  of.computed({
    canonical,
    native: ["entity", "entitytype"],
    decode: ({ record }, context) => {
      const [id, nativeType] = [idIn(record.entity), entities[canonical][String(record.entitytype)]]
      return id === undefined || nativeType === undefined ? null : context.reference(canonical, nativeType, id)
    }
  })

/** The contact, employee or project of a transaction or line. */
export const parties = (of: Entries<Party>) => [party(of, "contact"), party(of, "employee"), party(of, "project")]

/** The tracking categories of a line. */
export const categoriesOf = (record: Native, context: DecodeContext): ReadonlyArray<string> =>
  [
    ["classification", record.class] as const,
    ["department", record.department] as const,
    ["location", record.location] as const
  ].flatMap(([nativeType, id]) =>
    idIn(id) === undefined ? [] : [context.reference("tracking_category", nativeType, String(id))]
  )

export const categories = computed({
  canonical: "tracking_categories",
  native: ["class", "department", "location"],
  decode: ({ record }, context) => categoriesOf(record, context)
})

/** The company that a transaction or a line belongs to. */
export const companyOf = (of: Entries<"company">, read: (record: Native) => unknown, native: string) =>
  of.computed({
    canonical: "company",
    native: [native],
    decode: ({ record }, context) => {
      const id = idIn(read(record))
      return id === undefined ? null : context.reference("company_info", "subsidiary", id)
    }
  })

/** A resource of posting transactions; `names` are their record types, `types` is the condition on their type in queries. */
export const posted = (
  own: Suite,
  mapping: Mapping,
  {
    filters,
    names,
    types
  }: { readonly filters: Filters; readonly names: ReadonlyArray<string>; readonly types?: string }
): ResourceAdapter => {
  const where = ["t.posting = 'T'", ...(types === undefined ? [] : [`t.type ${types}`])]
  const type: RecordType = { name: nativeType, list: { select, where, filters } }

  /** Adds its postings to each transaction; amounts of lines are in the transaction's currency. */
  const withLines = (connection: ConnectionRef, records: ReadonlyArray<Native>) =>
    Effect.map(
      own.allOf(
        connection,
        postings,
        "l.transaction",
        records.map(({ id }) => id),
        ["a.posting = 'T'", "a.accountingbook = :book"]
      ),
      (rows) => {
        const linesOf = byTransaction(rows)
        return records.map((record): NativeRecord => {
          const { currency, exchangerate, id } = record
          const lines = (linesOf.get(id) ?? []).map((line) => ({ ...line, currency, exchangerate }))
          return { nativeType, record: { ...record, lines } }
        })
      }
    )

  const some = (connection: ConnectionRef, ids: ReadonlyArray<string>) =>
    Effect.flatMap(own.allOf(connection, select, "t.id", ids, where), (found) => withLines(connection, found))

  return {
    mapping,
    consistency: "exact",
    finds: findsOf([type]),
    requires: requiring(names),
    list: Effect.fnUntraced(function* (request) {
      const { connection, limit, position } = request
      // queries silently leave out what the role may not see
      if (position === null) {
        const refusals = yield* own.refusalsOf(connection, names)
        yield* noteLeftOut([...refusals.values()])
      }
      const page = yield* inOrder("netsuite", [heads(own, request, type)])(position, limit)
      if (!readsBeside(type, request.mapping.variant(nativeType))) return page
      const records = yield* withLines(
        connection,
        page.records.map(({ record }) => record)
      )
      return { ...page, records }
    }),
    get: Effect.fnUntraced(function* ({ connection, id }) {
      const [record] = yield* some(connection, [id])
      return record ?? (yield* failure("transaction.get", new Missing()))
    }),
    getMany: ({ connection, ids }) => some(connection, ids)
  }
}
