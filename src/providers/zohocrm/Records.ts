import { Array, Effect } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { isNative, type Mapping, type Native } from "../../mapping/Mapping.ts"
import { type Fetch, inOrder } from "../axes/Paginator.ts"
import type { Call, Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter, Target, UpdateRequest, Written } from "../ProviderAdapter.ts"
import { Malformed, Missing, type ProviderError } from "../ProviderError.ts"
import { type Finding, idOf, idPages } from "./IdPages.ts"
import { modulesOf } from "./Lacks.ts"
import { refusalOf } from "./ReadError.ts"
import { api, failure, isId, rowOf, rowsOf } from "./Rows.ts"

/** Most ids that records can be asked for by: the list of them may have 1,024 characters. */
const idsAtOnce = 50
/** Most fields that can be asked for at once. */
const fieldsAtOnce = 50

/** The fields of a variant, as many together as can be asked for. */
const fieldsOf = ({ reads }: CompiledVariant): ReadonlyArray<string> => {
  const fields = Array.dedupe(reads.map((path) => path.replace(/\..*$/, "")))
  return Array.chunksOf(fields, fieldsAtOnce).map((some) => some.join(","))
}

/** Where modules differ. */
interface Facts extends Finding {
  /** Of every read. */
  readonly parameters?: { readonly [name: string]: string }
}

/**
 * What Zoho CRM does alike with the records of any module; the module is the native type of the mapping's variant.
 * Reading: https://www.zoho.com/crm/developer/docs/api/v8/get-records.html
 * Writing: https://www.zoho.com/crm/developer/docs/api/v8/insert-records.html and `update-records.html`
 */
export const records = (
  call: Caller,
  mapping: Mapping,
  { parameters = {}, ...finding }: Facts = {}
): ResourceAdapter => {
  /** Those records that still are there, in the order of their ids. */
  const byIds = (connection: ConnectionRef, variant: CompiledVariant, wanted: ReadonlyArray<string>) => {
    const { nativeType } = variant
    const asked = Array.cartesian(Array.chunksOf(wanted, idsAtOnce), fieldsOf(variant))
    const parts = Effect.forEach(asked, ([ids, fields]) => {
      const request: Call = {
        operation: `${nativeType}.list`,
        method: "GET",
        path: `${api}/${nativeType}`,
        query: { ids: ids.join(","), fields, per_page: idsAtOnce, ...parameters }
      }
      return Effect.flatMap(call(connection, request), (answer) => rowsOf(request, "data", answer))
    })
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
    (connection: ConnectionRef, variant: CompiledVariant): Fetch =>
    (position, limit) =>
      Effect.flatMap(idPages(call, connection, variant.nativeType, finding)(position, limit), (slice) =>
        slice.records.length === 0
          ? Effect.succeed(slice)
          : Effect.map(byIds(connection, variant, slice.records.map(idOf)), (found) => ({ ...slice, records: found }))
      )

  /** Zoho answers for each record, also where the answer as a whole is a success. */
  const write = (connection: ConnectionRef, request: Call) =>
    call(connection, request).pipe(
      Effect.flatMap((answer) => rowsOf(request, "data", answer)),
      Effect.flatMap(([row]): Effect.Effect<unknown, ProviderError> => {
        if (row?.status !== "error") return Effect.succeed(row?.details)
        const { detail, reason } = refusalOf(row)
        return failure(request.operation, reason, detail)
      })
    )

  const known = <A>(
    { id, variant }: Target,
    operation: string,
    effect: Effect.Effect<A, ProviderError>
  ): Effect.Effect<A, ProviderError> =>
    isId(id) ? effect : failure(`${variant.nativeType}.${operation}`, new Missing())

  const update = (request: UpdateRequest): Effect.Effect<Written, ProviderError> => {
    const { connection, encoded, id, variant } = request
    const sent =
      Object.keys(encoded.record).length === 0
        ? Effect.void
        : write(connection, {
            operation: `${variant.nativeType}.update`,
            method: "PUT",
            path: `${api}/${variant.nativeType}/:id`,
            params: { id },
            json: { data: [encoded.record] }
          })
    // the answer holds the id and stamps only: the record is read back
    return known(request, "update", Effect.as(sent, { id }))
  }

  return {
    mapping,
    consistency: "exact",
    requires: modulesOf(mapping),
    list: ({ connection, limit, mapping: wanted, position }) =>
      inOrder(
        "zoho_crm",
        wanted.variants.map((variant) => pages(connection, variant))
      )(position, limit),
    get: (target) => {
      const { nativeType } = target.variant
      const parts = Effect.forEach(fieldsOf(target.variant), (fields) => {
        const request: Call = {
          operation: `${nativeType}.get`,
          method: "GET",
          path: `${api}/${nativeType}/:id`,
          params: { id: target.id },
          query: { fields, ...parameters }
        }
        return Effect.flatMap(call(target.connection, request), (answer) => rowOf(request, "data", answer))
      })
      const found = Effect.map(parts, (rows): NativeRecord => {
        const record = Object.fromEntries(rows.flatMap((row) => Object.entries(row)))
        return { nativeType, record }
      })
      return known(target, "get", found)
    },
    create: ({ connection, encoded, variant }) => {
      const operation = `${variant.nativeType}.create`
      const request: Call = {
        operation,
        method: "POST",
        path: `${api}/${variant.nativeType}`,
        json: { data: [encoded.record] }
      }
      return Effect.flatMap(write(connection, request), (details): Effect.Effect<Written, ProviderError> =>
        isNative(details) && typeof details.id === "string"
          ? Effect.succeed({ id: details.id })
          : failure(operation, new Malformed(), "the answer has no id")
      )
    },
    // an update is sparse: a full body comes with null for what it leaves out
    replace: update,
    patch: update,
    remove: (target) => {
      const { nativeType } = target.variant
      const sent = write(target.connection, {
        operation: `${nativeType}.remove`,
        method: "DELETE",
        path: `${api}/${nativeType}/:id`,
        params: { id: target.id }
      })
      return known(target, "remove", Effect.asVoid(sent))
    }
  }
}
