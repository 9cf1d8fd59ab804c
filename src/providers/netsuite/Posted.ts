import { Effect } from "effect"
import { computed, type ComputedEntry, type Mapping, type Native, natives } from "../../mapping/Mapping.ts"
import type { DecodeContext } from "../../mapping/Transform.ts"
import { inOrder } from "../axes/Paginator.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing } from "../ProviderError.ts"
import { created } from "./Common.ts"
import type { OneWorld } from "./OneWorld.ts"
import { failure, isId, isWithin, type RecordType, rowsOf, suite } from "./Records.ts"

/**
 * Transactions with what they put on accounts, which only queries tell: the primary book.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_158618434012.html
 */

const nativeType = "transaction"

const instant = (column: string) => `TO_CHAR(SYS_EXTRACT_UTC(t.${column}), 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

const heads = (where: string) =>
  `SELECT t.id, t.type, t.tranid, TO_CHAR(t.trandate, 'YYYY-MM-DD') AS trandate, t.postingperiod, t.entity, ` +
  `e.type AS entitytype, t.foreigntotal, t.currency, t.exchangerate, ` +
  `${instant("createddate")} AS createddate, ${instant("lastmodifieddate")} AS lastmodifieddate ` +
  `FROM transaction t LEFT JOIN entity e ON e.id = t.entity WHERE ${where} ORDER BY t.id`

const postings = (where: string, range: string, isOneWorld: boolean) =>
  `SELECT a.transaction, a.transactionline, a.account, a.debit, a.credit, l.foreignamount, l.entity, ` +
  `e.type AS entitytype, l.mainline, l.taxline, l.iscogs, l.item, l.quantity, l.rate, l.memo, l.class, l.department, ` +
  `l.location${isOneWorld ? ", l.subsidiary" : ""} ` +
  `FROM transactionaccountingline a ` +
  `INNER JOIN transaction t ON t.id = a.transaction ` +
  `INNER JOIN transactionline l ON l.transaction = a.transaction AND l.id = a.transactionline ` +
  `LEFT JOIN entity e ON e.id = l.entity ` +
  `WHERE a.posting = 'T' AND a.accountingbook = 1 AND a.transaction ${range} AND ${where} ` +
  `ORDER BY a.transaction, a.transactionline`

export const idIn = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined)

export const symbolOf = (lookups: Native | undefined, id: unknown) =>
  natives(lookups?.currencies).find((one) => one.id === id)?.symbol ?? null

/** The currency of a transaction, also on its lines. */
export const currencyOf = (canonical: "currency" | "transaction_currency") =>
  computed({
    canonical,
    native: ["currency"],
    lookups: ["currencies"],
    decode: ({ lookups, record }) => symbolOf(lookups, record.currency)
  })

/** Types of entities as queries call them, by resource. */
const entities: ReadonlyArray<readonly [canonical: string, types: { readonly [code: string]: string }]> = [
  ["contact", { CustJob: "customer", Customer: "customer", Vendor: "vendor" }],
  ["employee", { Employee: "employee" }],
  ["project", { Job: "job" }]
]

const party = ([canonical, types]: (typeof entities)[number]): ComputedEntry =>
  computed({
    canonical,
    native: ["entity", "entitytype"],
    decode: ({ record }, context) => {
      const [id, nativeType] = [idIn(record.entity), types[String(record.entitytype)]]
      return id === undefined || nativeType === undefined ? null : context.reference(canonical, nativeType, id)
    }
  })

/** Who a transaction or a line is about: a contact, an employee or a project. */
export const parties = entities.map(party)

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
export const companyOf = (of: (record: Native) => unknown, native: string): ComputedEntry =>
  computed({
    canonical: "company",
    native: [native],
    decode: ({ record }, context) => {
      const id = idIn(of(record))
      return id === undefined ? null : context.reference("company_info", "subsidiary", id)
    }
  })

/** A resource of posting transactions; `types` is what holds for their type. */
export const posted = (call: Caller, oneWorld: OneWorld, mapping: Mapping, types?: string): ResourceAdapter => {
  const own = suite(call)
  const where = (of: string) => `${of}posting = 'T'${types === undefined ? "" : ` AND ${of}type ${types}`}`
  const type: RecordType = {
    name: nativeType,
    table: "transaction",
    where: where(""),
    created: created.ofTransactions
  }

  /** Transactions by their ids, which are in order: one range, of which a page leaves out few. */
  const load = Effect.fnUntraced(function* (connection: ConnectionRef, all: ReadonlyArray<string>) {
    const ids = all.filter(isId)
    const [first, last] = [ids[0], ids.at(-1)]
    if (first === undefined || last === undefined) return []
    const range = `BETWEEN ${first} AND ${last}`
    const isOneWorld = yield* oneWorld(connection)
    const [found, lines] = yield* Effect.all(
      [
        own.query(connection, "transaction", heads(`${where("t.")} AND t.id ${range}`)),
        own.query(connection, "transactionaccountingline", postings(where("t."), range, isOneWorld))
      ],
      { concurrency: "unbounded" }
    )
    const linesOf = new Map<unknown, Array<Native>>()
    for (const line of lines) {
      const known = linesOf.get(line.transaction) ?? []
      known.push(line)
      linesOf.set(line.transaction, known)
    }
    return found
      .filter(({ id }) => ids.includes(String(id)))
      .map((head): NativeRecord => {
        const { createddate, currency, exchangerate, id, lastmodifieddate } = head
        return {
          nativeType,
          record: {
            ...head,
            createdDate: createddate,
            lastModifiedDate: lastmodifieddate,
            lines: (linesOf.get(id) ?? []).map((line) => ({ ...line, currency, exchangerate }))
          }
        }
      })
  })

  return {
    mapping,
    consistency: "exact",
    list: Effect.fnUntraced(function* (request) {
      const { connection, limit, position } = request
      const page = yield* inOrder("netsuite", [rowsOf(own, request, type)])(position, limit)
      const records = yield* load(
        connection,
        page.records.map(({ record }) => String(record.id))
      )
      return { records: records.filter(({ record }) => isWithin(request, type, record)), next: page.next }
    }),
    get: Effect.fnUntraced(function* ({ connection, id }) {
      const [found] = yield* load(connection, [id])
      return found ?? (yield* failure("transaction.get", new Missing()))
    })
  }
}
