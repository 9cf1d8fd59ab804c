import { type ComputedEntry, computed, type Encoding, getPath, isNative, type Native } from "../../mapping/Mapping.ts"

const secondary = "SECONDARY"

/** Further addresses, separated by semicolons; HubSpot takes none through the objects API. */
const furtherOf = (record: Native | undefined): ReadonlyArray<string> => {
  const all = getPath(record, "properties.hs_additional_emails")
  return typeof all === "string" ? all.split(";").filter((address) => address !== "") : []
}

const decode = (record: Native) => {
  const first = getPath(record, "properties.email")
  return [
    ...(typeof first === "string" && first !== "" ? [{ email_address: first, email_address_type: null }] : []),
    ...furtherOf(record).map((address) => ({ email_address: address, email_address_type: secondary }))
  ]
}

const isLabel = (label: unknown, allowed: string | null) => label === undefined || label === null || label === allowed

const encode = (value: unknown, { current, prefix, refuse, set }: Encoding) => {
  const [first, ...further] = Array.isArray(value) ? value.filter(isNative) : []
  const path = `${prefix}email_addresses`
  if (!isLabel(first?.email_address_type, null)) {
    refuse(`${path}.0.email_address_type`, "must be left out: HubSpot has no label on the first address")
  }
  const held = furtherOf(current?.record).map((address) => address.toLowerCase())
  for (const [i, entry] of further.entries()) {
    if (!held.includes(String(entry.email_address).toLowerCase())) {
      refuse(`${path}.${i + 1}`, "cannot be added: HubSpot takes one address here, further ones only in its own pages")
    } else if (!isLabel(entry.email_address_type, secondary)) {
      refuse(`${path}.${i + 1}.email_address_type`, `must be ${secondary}`)
    }
  }
  set("properties.email", first === undefined ? "" : first.email_address)
}

/**
 * The addresses of a contact: the first one is written, further ones may be sent back as they were read.
 * https://developers.hubspot.com/docs/guides/api/crm/objects/contacts
 */
export const emailAddresses: ComputedEntry = computed({
  canonical: "email_addresses",
  native: ["properties.email", "properties.hs_additional_emails"],
  needsCurrent: (value) => Array.isArray(value) && value.length > 1,
  decode: ({ record }) => decode(record),
  encode
})
