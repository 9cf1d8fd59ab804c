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
export interface Places {
  readonly member: "AddressOf" | "PhoneOf"
  readonly types: { readonly [type: string]: string }
  /** Values that this is false for are not records. */
  readonly isFilled: (value: Native) => boolean
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

export const inParents = (
  call: Caller,
  { organisation }: Pick<Kept, "organisation">,
  mapping: Mapping,
  { isFilled, member, types }: Places
): ResourceAdapter => {
  const { pages, read } = endpoints(call)
  const readOwn = readOrganisation(call)
  const nativeType = mapping.variants[0]?.nativeType ?? ""
  const slots: EmbeddedRecords = {
    provider: "xero",
    nativeType,
    idMember: "Id",
    read: (connection, type, id) => {
      if (type === "organisation") return readOwn(connection)
      return type === "contact"
        ? Effect.map(read(connection, contacts, id), ({ record }) => record)
        : Effect.succeed(undefined)
    },
    recordsIn: (type, parent) =>
      Object.entries(types).flatMap(([slot, name]) => {
        const value = getPath(parent, `${member}.${slot}`)
        if (!isNative(value) || !isFilled(value)) return []
        const id = type === "contact" ? parent.ContactID : parent.OrganisationID
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
  const adapter = embeddedResource(mapping, "anchored", slots, ({ connection, wanted }) => {
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
