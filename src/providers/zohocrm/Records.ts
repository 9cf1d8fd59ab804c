import { Array, Effect } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { getPath, type Mapping, type Native, natives } from "../../mapping/Mapping.ts"
import { type Fetch, inOrder } from "../axes/Paginator.ts"
import { type Envelope, rest } from "../axes/Rest.ts"
import type { Answer, Call, Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { Missing, type ProviderError } from "../ProviderError.ts"
import { type Finding, idOf, idPages } from "./IdPages.ts"
import { modulesOf } from "./Lacks.ts"
import { refusalOf } from "./ReadError.ts"
import { api, failure, idForm, rowOf, rowsOf } from "./Rows.ts"

/** Most ids that records can be asked for by: the list of them may have 1,024 characters. */
const idsAtOnce = 50
/** Most fields that can be asked for at once. */
const fieldsAtOnce = 50

/** The fields of a variant, as many together as can be asked for. */
const fieldsOf = ({ reads }: CompiledVariant): ReadonlyArray<string> => {
  const fields = Array.dedupe(reads.map((path) => path.replace(/\..*$/, "")))
  return Array.chunksOf(fields, fieldsAtOnce).map((some) => some.join(","))
}

const rowIn = ({ body }: Answer) => natives(getPath(body, "data"))[0]

const envelope: Envelope = {
  provider: "zoho_crm",
  many: ({ body }) => getPath(body, "data"),
  one: (answer) => rowIn(answer)?.details
}

/** Zoho answers for each record, also where the answer as a whole is a success. */
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

  return {
    ...facts,
    requires: modulesOf(mapping),
    list: ({ connection, limit, mapping: wanted, position }) =>
      inOrder(
        "zoho_crm",
        wanted.variants.map((variant) => pages(connection, variant))
      )(position, limit),
    get: ({ connection, id, variant }) => {
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
    },
    // an update is sparse: a full body comes with null for what it leaves out
    create,
    replace: patch,
    patch,
    remove
  }
}
