import { Effect } from "effect"
import { TrackingCategory } from "../../canonical/accounting/TrackingCategory.ts"
import { computed, type EntriesOf } from "../../mapping/Entries.ts"
import { type Native, natives } from "../../mapping/Mapping.ts"
import { reference, remoteIdOf, text } from "../../mapping/Transform.ts"
import { wholeById } from "../base/Paginator.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter, UpdateRequest, Written } from "../ProviderAdapter.ts"
import { changesOf } from "./Changes.ts"
import { archiving, company, mappingOf, unstampedIdentity } from "./Common.ts"
import { accounting, atOnce, endpoints, isThere, missing, repeatable, type Request } from "./Objects.ts"

/**
 * Tracking categories, at most two of them active, and their options, which lines name. An option is a child category of its
 * category.
 * https://developer.xero.com/documentation/api/accounting/trackingcategories
 */

const shared = (of: EntriesOf<typeof TrackingCategory>) => [
  of.field("name", "Name", text),
  archiving(of, "Status", "ARCHIVED"),
  company(of)
]

const toCategory = reference("tracking_category", "TrackingCategory")

/** An option stays in its category. */
const parent = computed({
  canonical: "parent_category",
  native: ["TrackingCategoryID"],
  needsCurrent: true,
  decode: ({ record }, context) =>
    typeof record.TrackingCategoryID === "string" ? toCategory.decode(record.TrackingCategoryID, context) : null,
  encode: (value, encoding) => {
    const { current, prefix, set, warn } = encoding
    const path = `${prefix}parent_category`
    if (value === null) return
    const id = remoteIdOf(value, "tracking_category", ["TrackingCategory"], encoding, path)
    if (current === undefined) set("TrackingCategoryID", id)
    else if (id !== undefined && id !== current.record.TrackingCategoryID)
      warn(path, "CHANGED", "stays the one it was made in")
  }
})

const noTimes = "Xero states no timestamps for tracking categories and their options."

const neverHeld = {
  remote_created_at: noTimes,
  remote_updated_at: noTimes,
  category_type: "Xero has one kind of tracking category, which people name as they like."
} as const

const mapping = mappingOf(TrackingCategory, (of) => [
  of.variant({
    nativeType: "TrackingCategory",
    when: { parent_category: null },
    entries: [...unstampedIdentity(of, "TrackingCategoryID"), ...shared(of)],
    notHeld: {
      ...neverHeld,
      parent_category: "A tracking category of Xero is at the top; only its options are below one."
    }
  }),
  of.variant({
    nativeType: "TrackingOption",
    entries: [...unstampedIdentity(of, "TrackingOptionID"), ...shared(of), parent(of)],
    notHeld: neverHeld
  })
])

/** Lists each category followed by its options; options carry the id of their category. */
const flattened = (categories: ReadonlyArray<Native>): ReadonlyArray<NativeRecord> =>
  categories.filter(isThere).flatMap((category) => [
    { nativeType: "TrackingCategory", record: category },
    ...natives(category.Options)
      .filter(isThere)
      .map((option) => ({
        nativeType: "TrackingOption",
        record: { ...option, TrackingCategoryID: category.TrackingCategoryID }
      }))
  ])

const idOf = ({ nativeType, record }: NativeRecord) =>
  String(nativeType === "TrackingOption" ? record.TrackingOptionID : record.TrackingCategoryID)

/** Returns the written record; Xero's response to an option leaves out its category, so adds that. */
const answer = (nativeType: string, written: Native, TrackingCategoryID: unknown): Written => {
  const record = { nativeType, record: nativeType === "TrackingOption" ? { ...written, TrackingCategoryID } : written }
  return { id: idOf(record), record }
}

const tree = `${accounting}/TrackingCategories`

/** Reads every category and option. */
const readAll = (call: Caller) => {
  const { ask } = endpoints(call)
  return (connection: ConnectionRef) =>
    Effect.map(
      ask(connection, "TrackingCategories", {
        operation: "TrackingCategories.list",
        method: "GET",
        path: tree,
        query: { includeArchived: "true" }
      }),
      ({ records }) => flattened(records)
    )
}

/** Reads the options that lines can name, each with its own name as `Option` and its category's as `Name`. */
export const trackingOptions = (call: Caller) => {
  const all = readAll(call)
  return (connection: ConnectionRef) =>
    Effect.map(all(connection), (found) => {
      const names = new Map(
        found.flatMap(({ nativeType, record }) =>
          nativeType === "TrackingCategory" ? [[record.TrackingCategoryID, record.Name]] : []
        )
      )
      return found.flatMap(({ nativeType, record: { Name, TrackingCategoryID, TrackingOptionID } }) =>
        nativeType === "TrackingOption"
          ? [{ TrackingCategoryID, TrackingOptionID, Name: names.get(TrackingCategoryID), Option: Name }]
          : []
      )
    })
}

export const trackingCategory = (call: Caller): ResourceAdapter => {
  const { askOne } = endpoints(call)
  const all = readAll(call)

  const get = Effect.fnUntraced(function* (connection: ConnectionRef, nativeType: string, id: string) {
    const found = (yield* all(connection)).find((one) => one.nativeType === nativeType && idOf(one) === id)
    return found ?? (yield* missing(`${nativeType}.get`))
  })

  /** The address of one category or option. */
  const addressOf = ({ nativeType, record }: NativeRecord) => {
    const params = { category: String(record.TrackingCategoryID), option: String(record.TrackingOptionID) }
    return nativeType === "TrackingOption"
      ? { member: "Options", path: `${tree}/:category/Options/:option`, params }
      : { member: "TrackingCategories", path: `${tree}/:category`, params }
  }

  const save = Effect.fnUntraced(function* ({ connection, current, encoded, id, variant }: UpdateRequest) {
    const held = current ?? (yield* get(connection, variant.nativeType, id))
    const json = changesOf(held.record, encoded.record)
    if (Object.keys(json).length === 0) return { id }
    const { member, ...address } = addressOf(held)
    // Xero requires the name
    const body = { Name: held.record.Name, ...json }
    const record = yield* askOne(connection, member, {
      operation: `${variant.nativeType}.update`,
      method: "POST",
      ...address,
      json: body
    })
    return answer(variant.nativeType, record, held.record.TrackingCategoryID)
  })

  return {
    mapping,
    consistency: "exact",
    updates: "whole",
    repeatsCreates: true,
    list: (request) => wholeById(idOf, all(request.connection))(request.position, atOnce(request)),
    get: ({ connection, id, variant }) => get(connection, variant.nativeType, id),
    getMany: ({ connection, ids, variant }) =>
      Effect.map(all(connection), (found) =>
        found.filter((one) => one.nativeType === variant.nativeType && ids.includes(idOf(one)))
      ),

    create: Effect.fnUntraced(function* ({ connection, encoded, idempotencyKey, variant: { nativeType } }) {
      const { TrackingCategoryID, ...json } = encoded.record
      const request: Omit<Request, "path"> = {
        operation: `${nativeType}.create`,
        method: "PUT",
        json,
        ...repeatable(connection, nativeType, idempotencyKey)
      }
      const made = yield* nativeType === "TrackingOption"
        ? askOne(connection, "Options", {
            ...request,
            path: `${tree}/:category/Options`,
            params: { category: String(TrackingCategoryID) }
          })
        : askOne(connection, "TrackingCategories", { ...request, path: tree })
      return answer(nativeType, made, TrackingCategoryID)
    }),

    replace: save,
    patch: save,

    remove: Effect.fnUntraced(function* ({ connection, current, id, variant: { nativeType } }) {
      const { member: _, ...address } = addressOf(current ?? (yield* get(connection, nativeType, id)))
      yield* call(connection, { operation: `${nativeType}.remove`, method: "DELETE", ...address })
    })
  }
}
