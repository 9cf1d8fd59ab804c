import { Effect } from "effect"
import type { CommonFields } from "../../canonical/Resource.ts"
import type { Entries } from "../../mapping/Entries.ts"
import { getPath, isNative, type Mapping, type Native } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import { embeddedReader, type EmbeddedRecords, embeddedResource } from "../base/EmbeddedRecords.ts"
import type { NativeRecord, ResourceAdapter } from "../ProviderAdapter.ts"
import { company, identity } from "./Common.ts"
import { never, refersTo } from "./Conditions.ts"
import type { Books } from "./Books.ts"
import { allOf, type Entity, findsOf } from "./Entity.ts"
import { listing } from "./Listing.ts"
import { isProject } from "./Project.ts"

/**
 * Records inside customers, vendors and the company: addresses and phone numbers. Their ids are like `customer:58:billing`.
 * Intuit gives them no timestamps, so they have those of the record they are in.
 */

const parents: ReadonlyArray<Entity> = [
  {
    name: "Customer",
    removal: "deactivate",
    isListed: (record) => !isProject(record),
    filters: { contact: refersTo("Id", "Customer") }
  },
  { name: "Vendor", removal: "deactivate", filters: { contact: refersTo("Id", "Vendor") } },
  // not a name list, so never inactive
  { name: "CompanyInfo", removal: "delete", filters: { contact: never } }
]

/** Where they are, by entity and slot: the native member and its type. */
export interface Places {
  readonly [entity: string]: { readonly [slot: string]: readonly [native: string, type: string | null] }
}

/** Builds the record of a slot; `Value` holds its content. */
const slotRecord = (parent: Native, entity: string, slot: string, type: string | null, value: unknown): Native => ({
  Id: `${entity.toLowerCase()}:${String(parent.Id)}:${slot}`,
  Parent: { type: entity, value: String(parent.Id) },
  MetaData: parent.MetaData,
  Type: type,
  Value: value
})

/** Fields of every such record; the owner is a contact or the company. */
export const slotEntries = (of: Entries<keyof CommonFields | "company" | "contact" | "type">) => [
  ...identity(of),
  of.readField("type", "Type", text),
  of.computed({
    canonical: "contact",
    native: ["Parent"],
    decode: ({ record }, context) => {
      const [type, id] = [getPath(record, "Parent.type"), getPath(record, "Parent.value")]
      return type === "Customer" || type === "Vendor" ? context.reference("contact", type, String(id)) : null
    }
  }),
  company(of)
]

/** A kind of record held in slots; a value that `isFilled` rejects is not a record. */
interface Kind {
  readonly nativeType: string
  readonly places: Places
  readonly isFilled: (value: Native) => boolean
}

const recordsIn = (
  { isFilled, nativeType, places }: Kind,
  entity: string,
  parent: Native
): ReadonlyArray<NativeRecord> =>
  Object.entries(places[entity] ?? {}).flatMap(([slot, [native, type]]) => {
    const value = parent[native]
    return isNative(value) && isFilled(value)
      ? [{ nativeType, record: slotRecord(parent, entity, slot, type, value) }]
      : []
  })

/** Addresses of documents can be read but are not listed: they are copies. */
const slots = ({ byIds, company, read }: Books, kind: Kind): EmbeddedRecords => {
  const entityOf = (type: string) => Object.keys(kind.places).find((name) => name.toLowerCase() === type.toLowerCase())
  return {
    provider: "quickbooks",
    nativeType: kind.nativeType,
    idMember: "Id",
    read: (connection, type, id) => {
      const entity = entityOf(type)
      if (entity === undefined) return Effect.succeed(undefined)
      return entity === "CompanyInfo" ? company(connection) : read(connection, entity, id)
    },
    readMany: (connection, type, ids) => {
      const name = entityOf(type)
      const entity = parents.find((one) => one.name === name)
      if (name === undefined) return Effect.succeed([])
      if (name === "CompanyInfo") return Effect.map(company(connection), (own) => [own])
      return byIds(connection, name, ids, entity === undefined ? [] : allOf(entity))
    },
    recordsIn: (type, parent) => recordsIn(kind, entityOf(type) ?? type, parent)
  }
}

/** Reads the record in a slot by its id. */
export const readSlot = (books: Books, kind: Kind) => embeddedReader(slots(books, kind))

export const inParents = (books: Books, mapping: Mapping, kind: Kind): ResourceAdapter => {
  const list = embeddedResource(mapping, "exact", slots(books, kind), (request) =>
    Effect.sync(() => {
      const { fetches } = listing(books, request, parents)
      return parents.flatMap(({ name }, i) => {
        const fetch = fetches[i]
        return fetch === undefined ? [] : [[name, fetch] as const]
      })
    })
  )
  return { ...list, finds: findsOf(parents) }
}
