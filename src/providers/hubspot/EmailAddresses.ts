import type { Entries } from "../../mapping/Entries.ts"
import { type ComputedEntry, type Encoding, getPath, type Native, natives } from "../../mapping/Mapping.ts"

const secondary = "SECONDARY"

/** Native paths. */
interface Paths {
  readonly first: string
  readonly further: string
}

/** Further addresses, separated by semicolons; HubSpot takes none through the objects API. */
const furtherOf = (record: Native | undefined, { further }: Paths): ReadonlyArray<string> => {
  const all = getPath(record, further)
  return typeof all === "string" ? all.split(";").filter((address) => address !== "") : []
}

const decode = (record: Native, paths: Paths) => {
  const first = getPath(record, paths.first)
  return [
    ...(typeof first === "string" && first !== "" ? [{ email_address: first, email_address_type: null }] : []),
    ...furtherOf(record, paths).map((address) => ({ email_address: address, email_address_type: secondary }))
  ]
}

const isLabel = (label: unknown, allowed: string | null) => label === undefined || label === null || label === allowed

const encode = (value: unknown, { current, prefix, refuse, set }: Encoding, paths: Paths) => {
  const [first, ...further] = natives(value)
  const path = `${prefix}email_addresses`
  if (!isLabel(first?.email_address_type, null)) {
    refuse(`${path}.0.email_address_type`, "must be left out: HubSpot has no label on the first address")
  }
  const held = furtherOf(current?.record, paths)
  const named = (address: unknown) => String(address).toLowerCase()
  const left = held.filter((address) => !further.some((entry) => named(entry.email_address) === named(address)))
  if (left.length > 0) {
    refuse(
      path,
      `must hold ${left.join(", ")} after the first: HubSpot removes further addresses only in its own pages`
    )
  }
  for (const [i, entry] of further.entries()) {
    if (!held.some((address) => named(address) === named(entry.email_address))) {
      refuse(`${path}.${i + 1}`, "cannot be added: HubSpot takes one address here, further ones only in its own pages")
    } else if (!isLabel(entry.email_address_type, secondary)) {
      refuse(`${path}.${i + 1}.email_address_type`, `must be ${secondary}`)
    }
  }
  set(paths.first, first === undefined ? "" : first.email_address)
}

/**
 * The addresses of a contact: the first one is written, further ones have to be sent back as they were read. `properties`
 * is the native path that the contact's properties are under.
 * https://developers.hubspot.com/docs/guides/api/crm/objects/contacts
 */
export const emailAddresses = (of: Entries<"email_addresses">, properties: string): ComputedEntry => {
  const paths: Paths = { first: `${properties}.email`, further: `${properties}.hs_additional_emails` }
  return of.computed({
    canonical: "email_addresses",
    native: Object.values(paths),
    needsCurrent: true,
    decode: ({ record }) => decode(record, paths),
    encode: (value, encoding) => encode(value, encoding, paths)
  })
}
