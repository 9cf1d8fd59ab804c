import { Effect, Option } from "effect"
import { getPath, isNative, type Mapping, type Native, natives } from "../../mapping/Mapping.ts"
import { byOffset } from "../base/Paging.ts"
import { type Envelope, reader, type Rest, rest } from "../base/Rest.ts"
import type { Caller } from "../base/Upstream.ts"
import { type Clauses, clausesFor, foundBy } from "../Filtering.ts"
import type { CreateRequest, ListRequest, NativeRecord, UpdateRequest } from "../ProviderAdapter.ts"
import { namingHolders } from "./Holders.ts"
import { type Conditions, uuid } from "./Filters.ts"

/** Ids are objects, with the workspace's among others: `{workspace_id, object_id, record_id}`. */
const envelope = (id: string): Envelope => ({
  provider: "attio",
  many: ({ body }) => getPath(body, "data"),
  one: ({ body }) => getPath(body, "data"),
  idOf: (record) => getPath(record, `id.${id}`)
})

/** Facts that Attio's endpoints share; `id` is the member of ids that is a record's own. */
export const endpoint = (id: string) => ({ envelope: envelope(id), id: uuid }) satisfies Partial<Rest>

/** From the oldest to the newest; times have nine digits of a second, so they sort as texts. */
export const byCreation = ({ record }: NativeRecord) => String(record.created_at)

/** https://docs.attio.com/rest-api/guides/pagination */
export const offsets = { start: "offset", size: "limit" }

const path = (object: string) => `/v2/objects/${object}/records`

const { ask, idOf } = reader(endpoint("record_id").envelope)

const paging = byOffset({ ...offsets, most: 500, key: byCreation })

const sorts = [{ attribute: "created_at", direction: "asc" }]

/** Whether Attio derives the member from others. It is sent only because it is required. */
const isWorkedOut = (value: Native, member: string) =>
  member === "full_name" || (member === "country_code" && value[member] === null && "original_phone_number" in value)

/** Members that Attio normalises, with the member that keeps the original. */
const shownAs: { readonly [member: string]: string } = { email_address: "original_email_address" }

const isHeld = (written: unknown, held: Native) =>
  isNative(written)
    ? Object.entries(written).every(
        ([member, value]) =>
          isWorkedOut(written, member) || JSON.stringify(held[shownAs[member] ?? member]) === JSON.stringify(value)
      )
    : held.value === written

const isUnchanged = (written: unknown, held: ReadonlyArray<Native>) => {
  const all: ReadonlyArray<unknown> = Array.isArray(written) ? written : [written]
  return all.length === held.length && held.every((one, i) => isHeld(all[i], one))
}

/** Omits attributes whose values are unchanged. */
const withoutUnchanged = ({ current, encoded, ...rest }: UpdateRequest): UpdateRequest => {
  const { values, ...others } = encoded.record
  if (current === undefined || !isNative(values)) return { ...rest, current, encoded }
  const changed = Object.fromEntries(
    Object.entries(values).filter(
      ([slug, written]) => !isUnchanged(written, natives(getPath(current.record, `values.${slug}`)))
    )
  )
  const record = { ...others, ...(Object.keys(changed).length === 0 ? {} : { values: changed }) }
  return { ...rest, current, encoded: { ...encoded, record } }
}

/**
 * The records of an object, whose slug is the native type. A PUT leaves the attributes that it does not name as they are,
 * and replaces all values of the others, where a PATCH adds to them.
 * https://docs.attio.com/rest-api/endpoint-reference/records/update-a-record-overwrite-multiselect-values
 */
export const records = (call: Caller, mapping: Mapping, filters: Clauses<Conditions>) => {
  const plain = rest(call, {
    ...endpoint("record_id"),
    mapping,
    verbs: ["get", "create", "replace", "patch", "remove"],
    path,
    method: "PUT",
    body: (record) => ({ data: record })
  })
  const naming = ({ connection, encoded, variant }: CreateRequest | UpdateRequest, id?: string) =>
    namingHolders(call, connection, variant.nativeType, encoded.record, id)
  return {
    ...plain,
    create: (request: CreateRequest) => plain.create(request).pipe(naming(request)),
    replace: (request: UpdateRequest) => plain.replace(withoutUnchanged(request)).pipe(naming(request, request.id)),
    patch: (request: UpdateRequest) => plain.patch(withoutUnchanged(request)).pipe(naming(request, request.id)),
    finds: foundBy(filters),
    list: ({ connection, limit, mapping: { variants }, position, wanted }: ListRequest) => {
      const clauses = clausesFor(filters, { wanted })
      const [variant] = variants
      if (variant === undefined || Option.isNone(clauses)) return Effect.succeed({ records: [], next: null })
      const conditions = clauses.value.flat()
      const { nativeType } = variant
      const query = `${path(nativeType)}/query`
      const body = { sorts, ...(conditions.length === 0 ? {} : { filter: { $and: conditions } }) }
      const asked = ask(call, connection, { nativeType, path: query, search: { path: query, body } })
      return paging(asked, ({ record }) => idOf(record))(position, limit)
    }
  }
}
