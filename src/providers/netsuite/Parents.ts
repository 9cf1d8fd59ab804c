import { Effect } from "effect"
import type { CommonEntries, Entries } from "../../mapping/Entries.ts"
import { getPath, type Mapping, type Native } from "../../mapping/Mapping.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import { type EmbeddedRecords, embeddedResource } from "../base/EmbeddedRecords.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { toCompany } from "./Common.ts"
import { modified, never, refersTo, stamps } from "./Conditions.ts"
import { contactTypes } from "./Contact.ts"
import { findsOf, reading } from "./Records.ts"
import type { Part, RecordType } from "./RecordType.ts"
import { subsidiaries } from "./Subsidiaries.ts"
import type { Suite } from "./Suite.ts"

/**
 * Records inside customers, vendors and subsidiaries: addresses and phone numbers. Their ids look like
 * `customer:58:billing`; their times are the parent's.
 */

const parents: ReadonlyArray<RecordType> = [
  ...contactTypes.map((type) => ({
    ...type,
    list: {
      ...type.list,
      filters: { ...stamps("c.datecreated", "c.lastmodifieddate"), contact: refersTo("c.id", type.name) }
    }
  })),
  {
    name: "subsidiary",
    list: { select: subsidiaries, filters: { ...modified("s.lastmodifieddate"), contact: never } }
  }
]

/** Parents that hold copies: these can be read, but are not listed. */
const orders = ["purchaseOrder", "salesOrder"]

/** The value in one place of a parent. */
export interface Slot {
  readonly slot: string
  readonly type: string | null
  readonly value: unknown
}

const slotRecord = (parentType: string, parent: Native, { slot, type, value }: Slot): Native => ({
  id: `${parentType}:${String(parent.id)}:${slot}`,
  parent: { type: parentType, id: String(parent.id), subsidiary: parent.subsidiary },
  createdDate: parent.dateCreated ?? parent.createdDate,
  lastModifiedDate: parent.lastModifiedDate,
  type,
  value
})

/** Entries that every such record has; the owner is a contact, unless it is the company. */
export const slotEntries = (of: CommonEntries & Entries<"type" | "contact" | "company">) => [
  of.readField("remote_id", "id", text),
  of.readField("remote_created_at", "createdDate", dateTime),
  of.readField("remote_updated_at", "lastModifiedDate", dateTime),
  of.computed({ canonical: "remote_was_deleted", native: [], decode: () => false }),
  of.readField("type", "type", text),
  of.computed({
    canonical: "contact",
    native: ["parent"],
    decode: ({ record }, context) => {
      const [type, id] = [getPath(record, "parent.type"), getPath(record, "parent.id")]
      return contactTypes.some(({ name }) => name === type)
        ? context.reference("contact", String(type), String(id))
        : null
    }
  }),
  of.computed({
    canonical: "company",
    native: ["parent"],
    decode: ({ record }, context) => {
      const isOwn = getPath(record, "parent.type") === "subsidiary"
      const id = getPath(record, isOwn ? "parent.id" : "parent.subsidiary.id")
      return typeof id === "string" ? toCompany.decode(id, context) : null
    }
  })
]

type SlotsOf = (type: string, parent: Native) => ReadonlyArray<Slot>

/** The slots of parents of several types. */
export const slotsIn = (own: Suite, nativeType: string, recordsIn: SlotsOf): EmbeddedRecords => {
  const types = [...parents.map(({ name }) => name), ...orders]
  return {
    provider: "netsuite",
    nativeType,
    idMember: "id",
    read: (connection, type, id) => (types.includes(type) ? own.read(connection, type, id) : Effect.succeed(undefined)),
    recordsIn: (type, parent) =>
      recordsIn(type, parent).map((slot) => ({ nativeType, record: slotRecord(type, parent, slot) }))
  }
}

/** A resource whose records are slots of parents. */
export const inParents = (
  own: Suite,
  mapping: Mapping,
  recordsIn: SlotsOf,
  beside?: (type: string) => Part<Native>
): ResourceAdapter => {
  const { pages } = reading(own, parents)
  const slots = slotsIn(own, mapping.variants[0]?.nativeType ?? "", recordsIn)
  const adapter = embeddedResource(mapping, "exact", slots, (request) =>
    Effect.map(own.oneWorld(request.connection), (isOneWorld) =>
      parents
        .filter(({ name }) => isOneWorld || name !== "subsidiary")
        .map((type) => {
          const more = type.name === "subsidiary" ? undefined : beside?.(type.name)
          const list = { ...type.list, ...(more === undefined ? {} : { beside: more }) }
          return [type.name, pages(request, { ...type, list })] as const
        })
    )
  )
  return { ...adapter, finds: findsOf(parents) }
}
