import { computed, type Entries } from "../../mapping/Entries.ts"
import { type Draft, getPath, natives, type Native } from "../../mapping/Mapping.ts"
import { spreadLines } from "../../mapping/StreetLines.ts"
import { text } from "../../mapping/Transform.ts"

/**
 * Addresses stand in an address book; two of its entries, or one, are the usual ones for billing and for shipping.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1545142310.html
 */

/** An address under a native member. */
export const addressAt = (
  of: Entries<"street_1" | "street_2" | "city" | "country_subdivision" | "country" | "zip_code">,
  native: string
) => [
  of.field("street_1", `${native}.addr1`, text),
  spreadLines(of, "street_2", [`${native}.addr2`, `${native}.addr3`]),
  of.field("city", `${native}.city`, text),
  of.field("country_subdivision", `${native}.state`, text),
  of.field("country", `${native}.country.id`, text),
  of.field("zip_code", `${native}.zip`, text)
]

/** The uses an entry may be the usual one for. */
export const uses = [
  { type: "BILLING", flag: "defaultBilling" },
  { type: "SHIPPING", flag: "defaultShipping" }
] as const

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : null)

const canonicalOf = (type: string | null, address: unknown): Native => ({
  type,
  street_1: textOf(getPath(address, "addr1")),
  street_2:
    [getPath(address, "addr2"), getPath(address, "addr3")].flatMap((line) => textOf(line) ?? []).join("\n") || null,
  city: textOf(getPath(address, "city")),
  country_subdivision: textOf(getPath(address, "state")),
  country: textOf(getPath(address, "country.id")),
  zip_code: textOf(getPath(address, "zip"))
})

const nativeOf = (address: Native): Native => {
  const [second = null, ...further] = String(address.street_2 ?? "")
    .split("\n")
    .map(textOf)
  return {
    addr1: address.street_1 ?? null,
    addr2: second,
    addr3: further.filter((line) => line !== null).join("\n") || null,
    city: address.city ?? null,
    state: address.country_subdivision ?? null,
    country: { id: address.country ?? null },
    zip: address.zip_code ?? null
  }
}

const bookOf = (record: Native) => natives(getPath(record, "addressBook.items"))

/** The addresses of a record; one that serves both uses is two of them. */
const addressesOf = (record: Native): ReadonlyArray<Native> =>
  bookOf(record).flatMap((entry) => {
    const types = uses.flatMap(({ flag, type }) => (entry[flag] === true ? [type] : []))
    return (types.length === 0 ? [null] : types).map((type) => canonicalOf(type, entry.addressBookAddress))
  })

const isEmpty = ({ type: _, ...place }: Native) => Object.values(place).every((part) => textOf(part) === null)

const isSame = (a: Native, b: Native) => JSON.stringify(nativeOf(a)) === JSON.stringify(nativeOf(b))

export const addresses = computed({
  canonical: "addresses",
  native: ["addressBook"],
  needsCurrent: true,
  decode: ({ record }) => addressesOf(record),
  encode: (value, { current, prefix, set, warn }) => {
    const wanted = natives(value)
    const held = current === undefined ? [] : addressesOf(current.record)
    if (
      wanted.length === held.length &&
      wanted.every((one, i) => held[i]?.type === (one.type ?? null) && isSame(held[i], one))
    ) {
      return
    }
    const book = current === undefined ? [] : bookOf(current.record)
    const entries: Array<Draft> = []
    const addresses: Array<Native> = []
    for (const [i, address] of wanted.entries()) {
      if (isEmpty(address)) {
        warn(`${prefix}addresses.${i}`, "NOT_HELD", "is not held: it names no place")
        continue
      }
      const said = uses.find(({ type }) => type === address.type)
      const isSecond = said !== undefined && entries.some((entry) => entry[said.flag] === true)
      if (isSecond) {
        warn(`${prefix}addresses.${i}.type`, "NOT_HELD", `is held without it: NetSuite has one ${said.type} address`)
      }
      const use = isSecond ? undefined : said
      const shared =
        use === undefined ? -1 : addresses.findIndex((one) => (one.type ?? null) !== null && isSame(one, address))
      const entry = entries[shared]
      if (use !== undefined && entry !== undefined) {
        entry[use.flag] = true
        continue
      }
      // the entry that has this use stays the entry of it
      const before = use === undefined ? undefined : book.find((one) => one[use.flag] === true)
      const isTaken = entries.some((one) => one.id !== undefined && one.id === before?.id)
      addresses.push(address)
      entries.push({
        ...(before === undefined || isTaken ? {} : { id: before.id }),
        defaultBilling: use?.flag === "defaultBilling",
        defaultShipping: use?.flag === "defaultShipping",
        addressBookAddress: nativeOf(address)
      })
    }
    set("addressBook", { items: entries })
  }
})
