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

const encode = (value: unknown, { current, prefix, set, warn }: Encoding, paths: Paths) => {
  const path = `${prefix}email_addresses`
  const [first, ...further] = natives(value).flatMap(({ email_address, email_address_type }, i) =>
    typeof email_address === "string" && email_address !== ""
      ? [{ address: email_address, label: email_address_type ?? null, path: `${path}.${i}` }]
      : []
  )
  if (first !== undefined && first.label !== null) {
    warn(
      `${first.path}.email_address_type`,
      "NOT_HELD",
      "is held without it: HubSpot has no label on the first address"
    )
  }
  const held = furtherOf(current?.record, paths)
  const isSame = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
  const left = held.filter((one) => !further.some(({ address }) => isSame(address, one)))
  if (left.length > 0) {
    warn(path, "CHANGED", `keeps ${left.join(", ")}: HubSpot removes further addresses only in its own pages`)
  }
  for (const { address, label, path } of further) {
    if (!held.some((one) => isSame(one, address))) {
      warn(path, "NOT_HELD", "is not held: HubSpot takes one address here, further ones only in its own pages")
    } else if (label !== null && label !== secondary) {
      warn(`${path}.email_address_type`, "CHANGED", `is held as ${secondary}`)
    }
  }
  set(paths.first, first?.address ?? "")
}

/**
 * The addresses of a contact: the first one is written, further ones stay as they are. `properties`
 * is the native path that the contact's properties are under.
 * https://developers.hubspot.com/docs/guides/api/crm/objects/contacts
 */
export const emailAddresses = (
  of: Entries<"email_addresses">,
  properties: string
): ComputedEntry<"email_addresses"> => {
  const paths: Paths = { first: `${properties}.email`, further: `${properties}.hs_additional_emails` }
  return of.computed({
    canonical: "email_addresses",
    native: Object.values(paths),
    needsCurrent: true,
    decode: ({ record }) => decode(record, paths),
    encode: (value, encoding) => encode(value, encoding, paths)
  })
}
