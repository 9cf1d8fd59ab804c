import { Effect } from "effect"
import type { CommonFields } from "../../canonical/Resource.ts"
import type { Entries } from "../../mapping/Entries.ts"
import { getPath, isNative, type Mapping, type Native } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Fetch } from "../base/Paginator.ts"
import { type EmbeddedRecords, embeddedResource } from "../base/EmbeddedRecords.ts"
import type { Caller } from "../base/Upstream.ts"
import { foundBy } from "../Filtering.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { company, identity, toContact } from "./Common.ts"
import { readOrganisation } from "./CompanyInfo.ts"
import { contacts } from "./Contact.ts"
import { refersTo } from "./Filters.ts"
import type { Kept } from "./Kept.ts"
import { endpoints, type Kind } from "./Objects.ts"

/**
 * Records inside contacts and the organisation: addresses and phone numbers. Their ids are `contact:<id>:POBOX`. Xero gives
 * them no timestamps, so they have those of the record they are in.
 */

const filters = { contact: refersTo((id) => ({ query: { IDs: id } })) }

const holders: Kind = { ...contacts, filters }

/** Where they are: the member that holds them by type, and the names of the types. */
export interface Slots {
  readonly member: "AddressOf" | "PhoneOf"
  readonly types: { readonly [type: string]: string }
  /** Values that this is false for are not records. */
  readonly isFilled: (value: Native) => boolean
  /** Records besides contacts and the organisation that hold some, by the word for them in ids. */
  readonly others?: {
    readonly [type: string]: {
      readonly kind: Kind
      readonly slots: (parent: Native) => { readonly [slot: string]: { readonly type: string; readonly value: Native } }
    }
  }
}

export const noCreationTime = "Xero states no time of creation for addresses and phone numbers."

/** Fields of every such record; the owner is a contact or the organisation. */
export const slotEntries = (of: Entries<keyof CommonFields | "company" | "contact" | "type">) => [
  ...identity(of, "Id"),
  of.readField("type", "Type", text),
  of.computed({
    canonical: "contact",
    native: ["Owner"],
    decode: ({ record }, context) => {
      const [type, id] = [getPath(record, "Owner.type"), getPath(record, "Owner.id")]
      return type === "contact" && typeof id === "string" ? toContact.decode(id, context) : null
    }
  }),
  company(of)
]

/** The records in each parent. */
export const slotsIn = (
  call: Caller,
  { organisation }: Pick<Kept, "organisation">,
  mapping: Mapping,
  { isFilled, member, others = {}, types }: Slots
): EmbeddedRecords => {
  const { read } = endpoints(call)
  const nativeType = mapping.variants[0]?.nativeType ?? ""
  const ofMember = (parent: Native) =>
    Object.fromEntries(
      Object.entries(types).map(([slot, type]) => [slot, { type, value: getPath(parent, `${member}.${slot}`) }])
    )
  return {
    provider: "xero",
    nativeType,
    idMember: "Id",
    read: (connection, type, id) => {
      if (type === "organisation") return organisation(connection)
      const kind = type === "contact" ? contacts : others[type]?.kind
      return kind === undefined
        ? Effect.succeed(undefined)
        : Effect.map(read(connection, kind, id), ({ record }) => record)
    },
    recordsIn: (type, parent) => {
      const other = others[type]
      const id = type === "contact" ? parent.ContactID : parent[other?.kind.id ?? "OrganisationID"]
      return Object.entries(other?.slots(parent) ?? ofMember(parent)).flatMap(([slot, { type: name, value }]) => {
        if (!isNative(value) || !isFilled(value)) return []
        const record = {
          Id: `${type}:${String(id)}:${slot}`,
          Owner: { type, id },
          UpdatedDateUTC: parent.UpdatedDateUTC,
          Type: name,
          Value: value
        }
        return [{ nativeType, record }]
      })
    }
  }
}

export const inParents = (
  call: Caller,
  { organisation }: Pick<Kept, "organisation">,
  mapping: Mapping,
  slots: Slots
): ResourceAdapter => {
  const { pages } = endpoints(call)
  // a record read alone is as the organisation is now
  const embedded = slotsIn(call, { organisation: readOrganisation(call) }, mapping, slots)
  const adapter = embeddedResource(mapping, "anchored", embedded, ({ connection, wanted }) => {
    const own: Fetch = () =>
      Effect.map(organisation(connection), (record) => ({
        records: [{ nativeType: "Organisation", record }],
        next: null
      }))
    const ofContacts = ["contact", pages({ connection, wanted }, holders)] as const
    return Effect.succeed(wanted.contact === undefined ? [ofContacts, ["organisation", own] as const] : [ofContacts])
  })
  return { ...adapter, finds: foundBy(filters) }
}
