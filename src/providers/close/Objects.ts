import type { CompiledVariant } from "../../mapping/Compile.ts"
import type { Fields, Shape } from "../../canonical/Resource.ts"
import type { MakeVariants } from "../../mapping/Entries.ts"
import { flatKey, getPath, isNative, type Mapping, shownPath } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { byOffset } from "../base/Paging.ts"
import { type Envelope, rest, type Rest, type Verb } from "../base/Rest.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter, UpdateRequest } from "../ProviderAdapter.ts"
import { changesOf } from "../base/Changes.ts"

export const envelope: Envelope = {
  provider: "close",
  many: ({ body }) => getPath(body, "data"),
  // an object without an id was not found
  one: ({ body }) => (isNative(body) ? body : undefined)
}

/** https://developer.close.com/api/overview/pagination */
const counted = { start: "_skip", size: "_limit", most: 100, more: "has_more" }

/** In an order that the description does not tell. */
export const anchored = byOffset(counted)

/** From the oldest to the newest. */
export const byCreation = byOffset({
  ...counted,
  order: { _order_by: "date_created" },
  key: ({ record }) => String(record.date_created)
})

/**
 * A mapping of Close's objects. Custom fields are flat keys beside the others, `custom.cf_AbC123`; a write that names one
 * leaves the others. https://developer.close.com/api/resources/leads/update
 */
export const closeMapping = <F extends Fields>(resource: Shape<F>, make: MakeVariants<F>): Mapping => ({
  ...plainMapping(resource, make),
  nativePath: (named) => (/^custom\.cf_\w+$/.test(named) ? flatKey(named) : named)
})

/** Names of the fields to read. A custom field is requested by its own name and with all custom fields. */
export const namesRead = ({ reads }: CompiledVariant) => [
  ...new Set([
    "id",
    ...reads.flatMap((path) => {
      const shown = shownPath(path)
      const top = shown.split(".")[0] ?? shown
      return shown === path ? [top] : [top, shown]
    })
  ])
]

/** Names the fields that the mapping reads, and no more. https://developer.close.com/api/overview/fields */
export const fieldsRead = (variant: CompiledVariant) => ({ _fields: namesRead(variant).join(",") })

/** Leaves out the fields that the record has already. */
const withoutUnchanged = (request: UpdateRequest): UpdateRequest => {
  const { current, encoded } = request
  if (current === undefined) return request
  return { ...request, encoded: { ...encoded, record: changesOf(encoded.record, current.record) } }
}

/** Records of Close. A PUT leaves fields that it does not name as they are. */
export const objects = <const V extends Verb = Verb>(
  call: Caller,
  mapping: Mapping,
  more: Partial<Rest<V>> & { readonly verbs?: ReadonlyArray<V> } = {}
) => {
  const plain = rest<V>(call, {
    envelope,
    mapping,
    consistency: "anchored",
    path: (type) => `/api/v1/${type}/`,
    one: (path) => `${path}:id/`,
    paging: anchored,
    id: /^\w+$/,
    method: "PUT",
    fields: fieldsRead,
    ...more
  })
  const { patch, replace }: ResourceAdapter = plain
  return {
    ...plain,
    ...(replace === undefined ? {} : { replace: (request: UpdateRequest) => replace(withoutUnchanged(request)) }),
    ...(patch === undefined ? {} : { patch: (request: UpdateRequest) => patch(withoutUnchanged(request)) })
  }
}
