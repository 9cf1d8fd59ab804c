import { Array, Effect, Option, Record } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { getPath, type Mapping, type Native, natives } from "../../mapping/Mapping.ts"
import { type Fetch, inOrder } from "../base/Paginator.ts"
import { type Envelope, rest } from "../base/Rest.ts"
import type { Answer, Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { type Clauses, clausesFor, foundBy, wide } from "../Filtering.ts"
import type { ListRequest, NativeRecord, Page, ResourceAdapter, Target, UpdateRequest } from "../ProviderAdapter.ts"
import { Missing, type ProviderError } from "../ProviderError.ts"
import { type Said, type Saying, stampClauses } from "./Criteria.ts"
import { columnsOf, type Metadata } from "./Columns.ts"
import { deletedPages } from "./Deleted.ts"
import { type Finding, idOf, idPages } from "./IdPages.ts"
import { modulesOf } from "./Lacks.ts"
import { refusalOf } from "./ReadError.ts"
import { api, failure, idForm, rowOf, rowsOf } from "./Rows.ts"
import { searchPages } from "./Search.ts"
import { changesOf } from "../base/Changes.ts"
import { together } from "./Together.ts"

/** Most ids of records to ask for at once: their list may have 1,024 characters. */
const idsAtOnce = 50
/** A longer body may be a record as it was read. */
const fewFields = 3
/** Most fields to ask for at once. */
const fieldsAtOnce = 50

/** The fields of a variant, in groups small enough to ask for. */
const fieldsOf = ({ reads }: CompiledVariant, besides: ReadonlyArray<string> = []): ReadonlyArray<string> => {
  const fields = Array.dedupe([...reads.map((path) => path.replace(/\..*$/, "")), ...besides])
  return Array.chunksOf(fields, fieldsAtOnce).map((some) => some.join(","))
}

const rowIn = ({ body }: Answer) => natives(getPath(body, "data"))[0]

const envelope: Envelope = {
  provider: "zoho_crm",
  many: ({ body }) => getPath(body, "data"),
  one: (answer) => rowIn(answer)?.details
}

/** Zoho answers for each record, even if the answer as a whole is a success. */
const perRecord =
  (call: Caller): Caller =>
  (connection, request) =>
    Effect.flatMap(call(connection, request), (answer): Effect.Effect<Answer, ProviderError> => {
      const row = rowIn(answer)
      if (row?.status !== "error") return Effect.succeed(answer)
      const { detail, reason } = refusalOf(row)
      return failure(request.operation, reason, detail)
    })

/** Where modules differ. */
interface Facts extends Finding {
  /** Query parameters of every read. */
  readonly parameters?: { readonly [name: string]: string }
  /** Fields of modules whose records a query gives whole; absent: queries give ids. */
  readonly metadata?: Metadata
  /** How lists of the modules are filtered, beside the stamps that each has. */
  readonly clauses?: { readonly [module: string]: Clauses<Saying> }
}

const none: Page = { records: [], next: null }

const deletedToo = "include_deleted"

/**
 * Operations on records of any module; the module is the native type of the mapping's variant.
 * Reading: https://www.zoho.com/crm/developer/docs/api/v8/get-records.html
 * Writing: https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html and `update-records.html`
 */
export const records = (
  call: Caller,
  mapping: Mapping,
  { clauses = {}, metadata, parameters = {}, ...finding }: Facts = {}
): ResourceAdapter => {
  /** A list in place of queries knows no filters, so their clauses then find more than is meant. */
  const clausesOf = (module: string): Clauses<Saying> =>
    finding.listed === true
      ? { ...Record.map(stampClauses, ({ say }) => wide(say)), ...clauses[module] }
      : { ...stampClauses, ...clauses[module] }

  /** The records that still exist, in the order of their ids. */
  const byIds = (
    connection: ConnectionRef,
    variant: CompiledVariant,
    wanted: ReadonlyArray<string>,
    besides: ReadonlyArray<string> = []
  ) => {
    const { nativeType } = variant
    const asked = Array.cartesian(Array.chunksOf(wanted, idsAtOnce), fieldsOf(variant, besides))
    const ask = ([ids, fields]: readonly [ReadonlyArray<string>, string]) => {
      const request: Call = {
        operation: `${nativeType}.list`,
        method: "GET",
        path: `${api}/${nativeType}`,
        query: { ids: ids.join(","), fields, per_page: idsAtOnce, ...parameters }
      }
      return Effect.flatMap(call(connection, request), (answer) => rowsOf(request, "data", answer))
    }
    const parts = Effect.forEach(asked, ask, { concurrency: "unbounded" })
    return Effect.map(parts, (found) => {
      const byId = new Map<string, Native>()
      for (const row of found.flat()) byId.set(String(row.id), { ...byId.get(String(row.id)), ...row })
      return wanted.flatMap((id): ReadonlyArray<NativeRecord> => {
        const record = byId.get(id)
        return record === undefined ? [] : [{ nativeType, record }]
      })
    })
  }

  const pages =
    ({ connection, wanted }: ListRequest, variant: CompiledVariant): Fetch =>
    (position, limit) =>
      Effect.gen(function* () {
        const { nativeType: module } = variant
        const saying = clausesFor(clausesOf(module), { wanted })
        if (Option.isNone(saying)) return none
        const said: ReadonlyArray<Said> = yield* Effect.forEach(saying.value, (one) =>
          typeof one === "function" ? one(connection) : Effect.succeed(one)
        )
        const words = said.flatMap(({ word }) => word ?? [])
        const checks = said.flatMap((one) => one.checks ?? [])
        const besides = checks.flatMap(({ fields }) => fields)
        const [fields, ...more] = fieldsOf(variant, besides)
        const isFiltered = said.some(({ anyOf }) => anyOf !== undefined)
        const columns =
          metadata === undefined || !isFiltered || words.length > 0
            ? Option.none()
            : // without metadata, records are read by their ids
              yield* metadata(connection, module).pipe(
                Effect.map((known) => columnsOf(variant, besides, natives(known))),
                Effect.catchIf(
                  ({ reason }) => reason._tag === "NotPermitted" || reason._tag === "Invalid",
                  () => Effect.succeedNone
                )
              )
        const whole = {
          parameters,
          ...(fields === undefined || more.length > 0 ? {} : { fields }),
          ...(Option.isSome(columns) ? { columns: columns.value } : {})
        }
        const fetch: ReturnType<typeof idPages> =
          words[0] === undefined
            ? idPages(call, connection, module, finding, said, whole)
            : searchPages(call, connection, module, { word: words[0], parameters, ...finding }, said)
        const { isWhole = false, ...slice } = yield* fetch(position, limit)
        if (slice.records.length === 0) return slice
        const found = isWhole ? slice.records : yield* byIds(connection, variant, slice.records.map(idOf), besides)
        const records = found.filter(({ record }) => checks.every(({ holds }) => holds(record)))
        return { ...slice, records, ...(records.length < found.length ? { sparse: true } : {}) }
      })

  const { create, patch, remove, ...facts } = rest(perRecord(call), {
    envelope,
    mapping,
    path: (type) => `${api}/${type}`,
    id: idForm,
    method: "PUT",
    body: (record) => ({ data: [record] }),
    // the answer holds the id and stamps only
    isWhole: () => false
  })

  const get = ({ connection, id, variant }: Target): Effect.Effect<NativeRecord, ProviderError> => {
    const { nativeType } = variant
    const operation = `${nativeType}.get`
    if (!idForm.test(id)) return failure(operation, new Missing())
    const parts = Effect.forEach(fieldsOf(variant), (fields) => {
      const request: Call = {
        operation,
        method: "GET",
        path: `${api}/${nativeType}/:id`,
        params: { id },
        query: { fields, ...parameters }
      }
      return Effect.flatMap(call(connection, request), (answer) => rowOf(request, "data", answer))
    })
    return Effect.map(parts, (rows): NativeRecord => {
      const record = Object.fromEntries(rows.flatMap((row) => Object.entries(row)))
      return { nativeType, record }
    })
  }

  /** Writes what differs from the record. An edit of a few fields is written without reading it first. */
  const update = (request: UpdateRequest) => {
    const { current, encoded } = request
    if (current === undefined && Object.keys(encoded.record).length <= fewFields) return patch(request)
    return Effect.flatMap(current === undefined ? get(request) : Effect.succeed(current), (held) => {
      const record = changesOf(encoded.record, held.record, together)
      return patch({ ...request, current: held, encoded: { ...encoded, record } })
    })
  }

  const finds = mapping.variants
    .map(({ nativeType }) => foundBy(clausesOf(nativeType)))
    .reduce((some, more) => Array.intersection(some, more))

  return {
    ...facts,
    requires: modulesOf(mapping),
    finds: [...finds, ...(finding.listed === true ? [] : [deletedToo])],
    list: (request) => {
      const { limit, mapping: read, position, wanted } = request
      const isWhole = wanted[deletedToo] !== undefined
      return inOrder("zoho_crm", [
        ...read.variants.map((variant) => pages(request, variant)),
        ...(isWhole ? read.variants.map(({ nativeType }) => deletedPages(call, request, nativeType)) : [])
      ])(position, limit)
    },
    get,
    getMany: ({ connection, ids, variant }) =>
      byIds(
        connection,
        variant,
        ids.filter((id) => idForm.test(id))
      ),
    // an update is sparse: a full body comes with null for what it leaves out
    create,
    replace: update,
    patch: update,
    remove
  }
}
