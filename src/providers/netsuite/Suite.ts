import { Array as Arr, Effect, Option, Schema } from "effect"
import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import * as SingleFlightCache from "../../platform/SingleFlightCache.ts"
import { everything } from "../base/Paginator.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { keeping, nativeRecord, noting } from "../KeptValues.ts"
import type { ProviderAdapter } from "../ProviderAdapter.ts"
import { Malformed, Missing, ProviderError } from "../ProviderError.ts"
import type { Body } from "./Bodies.ts"
import { fieldsByLabel } from "./ErrorLabels.ts"
import { fieldsOf } from "./Fields.ts"
import { failure } from "./ReadError.ts"
import { moduleOf, moduleOfTable, requiredTypes, typeOf, without } from "./Requires.ts"
import { type Conditions, lackOf, mainTable, recordOf, type Select, write } from "./Select.ts"

/**
 * Calls to an account: SuiteQL tells of many records at once, `/record/v1/{type}/{id}` reads and writes each. What is found
 * out about an account on the way is kept for a day.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/book_1559132836.html
 */

/** Rows a query answers at most. https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157909186990.html */
export const pageSize = 1000

/** Ids in one `IN (…)`, which takes a thousand values. */
const idsAtOnce = 500

/** A member that NetSuite does not know is refused. https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1545141500.html */
const strict = { "x-netsuite-propertynamevalidation": "Error" }

/** Seconds that something is kept: what an account has, and records of which there are few. */
const aDay = 86_400
const anHour = 3600
const fiveMinutes = 300

/** Types of fields, by their paths in records. */
const FieldTypes = Schema.ReadonlyMap({ key: Schema.String, value: Schema.String })
type FieldTypes = typeof FieldTypes.Type

/** Ids are numbers; nothing else ever stands in a query or a path. */
export const isId = (id: unknown): id is string => typeof id === "string" && /^\d{1,18}$/.test(id)

/** `IN (1, 2)` of ids; what is no id is left out. */
const inIds = (ids: ReadonlyArray<string>): string => `IN (${ids.filter(isId).join(", ")})`

/** Gives undefined for a record that is not there any more. */
export const orNone = <A, R>(effect: Effect.Effect<A, ProviderError, R>) =>
  Effect.catchIf(
    effect,
    ({ reason }) => reason._tag === "Missing",
    () => Effect.succeed(undefined)
  )

/** The record that a new one is made of, by a transformation. https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157901123882.html */
export interface Source {
  readonly from: string
  readonly id: string
}

/**
 * A query is this service's own, so a refusal of it says nothing of the caller's values: a table or column that the account
 * or the role lacks, or else a fault.
 */
const ofQuery = (error: ProviderError) => {
  if (error.reason._tag !== "Invalid") return error
  const detail = error.detail ?? ""
  const [, table = ""] = /Record '(\w+)'/i.exec(detail) ?? []
  const isLack = /(Record|Field|identifier) '/i.test(detail)
  return new ProviderError({ ...error, reason: isLack ? without(moduleOfTable(table)) : new Malformed() })
}

/** The query with the id of a book where `:book` stands, save in texts. */
const withBook = (q: string, id: string) =>
  q.replace(/'(?:[^']|'')*'|:book/g, (found) => (found === ":book" ? id : found))

const isLacking = ({ reason }: ProviderError) => reason._tag === "NotPermitted" || reason._tag === "Missing"

export type Suite = Effect.Effect.Success<ReturnType<typeof makeSuite>>

export const makeSuite = (call: Caller) =>
  Effect.gen(function* () {
    const lacks = yield* noting("lacks", aDay)
    const books = yield* keeping(Schema.String)
    const tables = yield* keeping(Schema.Boolean)
    const refusals = yield* keeping(Schema.NullOr(ProviderError))
    const catalogues = yield* keeping(Schema.ReadonlySet(Schema.String))
    const fields = yield* keeping(FieldTypes, 1_000)
    const singles = yield* keeping(nativeRecord)
    const answers = yield* keeping(Schema.Array(nativeRecord))
    /** Types in paths of records whose native type covers several. */
    const kinds = SingleFlightCache.make<string, ProviderError>({ capacity: 100_000, ttl: aDay })
    const describe = fieldsOf(call)
    const naming = yield* fieldsByLabel(describe)

    /** One page of a query. */
    const page = (connection: ConnectionRef, table: string, q: string, limit: number, offset = 0) => {
      const operation = `${table}.query`
      return call(connection, {
        operation,
        method: "POST",
        path: "/services/rest/query/v1/suiteql",
        query: { limit, offset },
        // the result is not kept: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157909186990.html
        headers: { prefer: "transient" },
        json: { q },
        reads: true
      }).pipe(
        Effect.mapError(ofQuery),
        Effect.flatMap(({ body, status }) => {
          const items = getPath(body, "items")
          return Array.isArray(items)
            ? Effect.succeed({ items: natives(items), hasMore: getPath(body, "hasMore") === true })
            : Effect.fail(failure(operation, new Malformed(), { status, detail: "no items in the answer" }))
        })
      )
    }

    /** Every row of a query that puts them into an order. */
    const query = (connection: ConnectionRef, table: string, q: string) =>
      everything("netsuite", `${table}.query`, (position) => {
        const offset = Number(position ?? 0)
        return Effect.map(page(connection, table, q, pageSize, offset), ({ hasMore, items }) => ({
          records: items,
          next: hasMore ? String(offset + pageSize) : null
        }))
      })

    /** The rows of the one such query for a table, as they were some minutes ago, or are: of settings that seldom change. */
    const settled = (connection: ConnectionRef, table: string, q: string) =>
      answers.get(connection, `rows/${table}`, fiveMinutes, query(connection, table, q))

    /** The id of the account's primary book; the first, where it has one only. */
    const book = (connection: ConnectionRef) =>
      books.get(
        connection,
        "primary book",
        aDay,
        page(connection, "accountingbook", "SELECT id FROM accountingbook WHERE isprimary = 'T' ORDER BY id", 1).pipe(
          Effect.map(({ items: [row] }) => (isId(row?.id) ? row.id : "1")),
          Effect.catchIf(isLacking, () => Effect.succeed("1"))
        )
      )

    /** Whether queries know a column of a table. */
    const has = (connection: ConnectionRef, table: string, column: string) =>
      tables.get(
        connection,
        `columns/${table}.${column}`,
        aDay,
        page(connection, table, `SELECT ${column} FROM ${table} ORDER BY ${column}`, 1).pipe(
          Effect.as(true),
          Effect.catchIf(isLacking, () => Effect.succeed(false))
        )
      )

    /**
     * Whether an account has subsidiaries that the role may see: without OneWorld queries know neither their table nor the
     * columns that lead to them. https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_N256997.html
     */
    const oneWorld = (connection: ConnectionRef) => has(connection, "subsidiary", "id")

    const rowsOf = Effect.fnUntraced(function* (
      connection: ConnectionRef,
      select: Select,
      where: Conditions,
      run: (table: string, q: string) => Effect.Effect<ReadonlyArray<Native>, ProviderError>,
      needed: Conditions = []
    ) {
      const table = mainTable(select)
      for (;;) {
        const lacking = yield* lacks.of(connection)
        const written = write(select, where, lacking, needed)
        const q = written.q.includes(":book") ? withBook(written.q, yield* book(connection)) : written.q
        const found = yield* Effect.either(run(table, q))
        if (found._tag === "Right") return found.right.map((row) => recordOf(written, row))
        const lack = isLacking(found.left) ? lackOf(select, written, found.left.detail ?? "") : []
        if (lack.every((name) => lacking.has(name))) return yield* found.left
        yield* lacks.add(connection, lack)
      }
    })

    /** The first so many records of a select; not without what is `needed`. */
    const first = (
      connection: ConnectionRef,
      select: Select,
      where: Conditions,
      limit: number,
      needed: Conditions = []
    ) =>
      rowsOf(
        connection,
        select,
        where,
        (table, q) => Effect.map(page(connection, table, q, limit), ({ items }) => items),
        needed
      )

    /** All records of a select. */
    const all = (connection: ConnectionRef, select: Select, where: Conditions) =>
      rowsOf(connection, select, where, (table, q) => query(connection, table, q))

    /** All records of a select whose `column` is one of some ids. */
    const allOf = (
      connection: ConnectionRef,
      select: Select,
      column: string,
      ids: Iterable<unknown>,
      where: Conditions = []
    ) =>
      Effect.map(
        Effect.forEach(
          Arr.chunksOf([...new Set(ids)].filter(isId), idsAtOnce),
          (some) => all(connection, select, [`${column} ${inIds(some)}`, ...where]),
          { concurrency: "unbounded" }
        ),
        Arr.flatten
      )

    const at = (
      connection: ConnectionRef,
      type: string,
      id: string,
      verb: string,
      more: Omit<Call, "operation" | "path" | "params">
    ) =>
      isId(id)
        ? call(connection, {
            operation: `${type}.${verb}`,
            path: "/services/rest/record/v1/:type/:id",
            params: { type, id },
            ...more
          })
        : Effect.fail(failure(`${type}.${verb}`, new Missing()))

    /** One record with its sublists and subrecords. */
    const read = (connection: ConnectionRef, type: string, id: string) =>
      Effect.flatMap(
        at(connection, type, id, "get", { method: "GET", query: { expandSubResources: "true" } }),
        ({ body, status }) =>
          isNative(body)
            ? Effect.succeed(body)
            : Effect.fail(failure(`${type}.get`, new Malformed(), { status, detail: "no record in the answer" }))
      )

    /** Ids of some records of a type, in the record service's order. */
    const idsOf = (connection: ConnectionRef, type: string, limit: number, offset: number) =>
      Effect.map(
        call(connection, {
          operation: `${type}.list`,
          method: "GET",
          path: "/services/rest/record/v1/:type",
          params: { type },
          query: { limit, offset }
        }),
        ({ body }) => ({
          records: natives(getPath(body, "items")).flatMap(({ id }) => (isId(id) ? [id] : [])),
          next: getPath(body, "hasMore") === true ? String(offset + limit) : null
        })
      )

    /** Ids of all records of a type that no query knows, in ascending order. */
    const everyId = (connection: ConnectionRef, type: string) =>
      Effect.map(
        everything("netsuite", `${type}.list`, (position) => idsOf(connection, type, pageSize, Number(position ?? 0))),
        (ids) => ids.toSorted((a, b) => Number(a) - Number(b))
      )

    const refusalName = (type: string) => `refusals/${type}`

    /** Why the role may see no records of a type; null where it may, or where that is not known now. */
    const refusalOf = (connection: ConnectionRef, type: string) =>
      refusals
        .get(
          connection,
          refusalName(type),
          aDay,
          idsOf(connection, type, 1, 0).pipe(
            Effect.as(null),
            Effect.catchIf(isLacking, (error) =>
              Effect.succeed(new ProviderError({ ...error, reason: without(moduleOf(type)) }))
            )
          )
        )
        .pipe(Effect.orElseSucceed(() => null))

    /**
     * Names of the types of records that there are, in lower case: the catalogue is of what this account has and its role may
     * see. https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/chapter_1540810168.html
     */
    const catalogue = (connection: ConnectionRef) =>
      catalogues.get(
        connection,
        "catalogue",
        anHour,
        Effect.map(
          call(connection, {
            operation: "metadata-catalog.list",
            method: "GET",
            path: "/services/rest/record/v1/metadata-catalog"
          }),
          ({ body }) => new Set(natives(getPath(body, "items")).map(({ name }) => String(name).toLowerCase()))
        )
      )

    /** Why some types cannot be had: the catalogue leaves them out, and the record service refuses them. */
    const refusalsOf = Effect.fnUntraced(function* (connection: ConnectionRef, types: ReadonlyArray<string>) {
      const names = yield* Effect.option(catalogue(connection))
      const untold = types.filter((type) => Option.isSome(names) && !names.value.has(type.toLowerCase()))
      const found = yield* Effect.forEach(
        untold,
        (type) => Effect.map(refusalOf(connection, type), (refusal) => [type, refusal] as const),
        { concurrency: "unbounded" }
      )
      return new Map(found.flatMap(([type, refusal]) => (refusal === null ? [] : [[type, refusal] as const])))
    })

    /** Which types there are, by the catalogue and by what was refused already. */
    const held: NonNullable<ProviderAdapter["held"]> = Effect.fnUntraced(function* (connection) {
      const names = yield* catalogue(connection)
      const isThere = new Map<string, boolean>()
      for (const type of requiredTypes) {
        const refusal = yield* refusals.known(connection, refusalName(type))
        isThere.set(type, names.has(type.toLowerCase()) && Option.getOrNull(refusal) === null)
      }
      return (requirement) => isThere.get(typeOf(requirement) ?? "")
    })

    const singleName = (type: string, id: string) => `records/${type}/${id}`

    /** One record as it was some minutes ago, or is. */
    const kept = (connection: ConnectionRef, type: string, id: string) =>
      singles.get(connection, singleName(type, id), fiveMinutes, read(connection, type, id))

    /** Types of the fields of some record types; nothing of a type that the account does not describe. */
    const typesOf = (connection: ConnectionRef, types: ReadonlyArray<string>): Effect.Effect<FieldTypes> =>
      Effect.map(
        Effect.forEach(types, (type) =>
          fields
            .get(
              connection,
              `fields/${type}`,
              aDay,
              Effect.map(
                describe(connection, type),
                (found) => new Map(found?.fields.map(({ name, type }) => [name, type]))
              )
            )
            .pipe(Effect.orElseSucceed((): FieldTypes => new Map()))
        ),
        (all) => new Map(all.flatMap((one) => [...one]))
      )

    /** After a record was written. */
    const forgotten = (connection: ConnectionRef, type: string, id: string) =>
      Effect.ensuring(singles.forget(connection, singleName(type, id)))

    const change = (connection: ConnectionRef, type: string, id: string, { body, replaced }: Body) =>
      at(connection, type, id, "update", {
        method: "PATCH",
        json: body,
        headers: strict,
        ...(replaced.length === 0 ? {} : { query: { replace: replaced.join(",") } })
      }).pipe(naming(connection, type), forgotten(connection, type, id))

    const remove = (connection: ConnectionRef, type: string, id: string) =>
      at(connection, type, id, "remove", { method: "DELETE" }).pipe(forgotten(connection, type, id))

    /** Makes a record, out of another one where there is one; its id stands at the end of `Location`. */
    const create = (connection: ConnectionRef, type: string, body: Native, source: Source | undefined) => {
      const operation = `${type}.create`
      return Effect.flatMap(
        call(connection, {
          operation,
          method: "POST",
          json: body,
          headers: strict,
          ...(source === undefined
            ? { path: "/services/rest/record/v1/:type", params: { type } }
            : { path: "/services/rest/record/v1/:from/:id/!transform/:type", params: { ...source, type } })
        }),
        ({ headers, status }) => {
          const id = headers.location?.split("/").at(-1)
          return isId(id)
            ? Effect.succeed(id)
            : Effect.fail(failure(operation, new Malformed(), { status, detail: "the answer does not say the id" }))
        }
      ).pipe(naming(connection, type))
    }

    return {
      query,
      settled,
      first,
      all,
      allOf,
      book,
      has,
      oneWorld,
      read,
      everyId,
      kept,
      kinds,
      refusalOf,
      refusalsOf,
      held,
      typesOf,
      change,
      remove,
      create
    }
  })
