import { Effect } from "effect"
import { Address } from "../../canonical/accounting/Address.ts"
import type { Entries } from "../../mapping/Entries.ts"
import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { remoteIdOf } from "../../mapping/Transform.ts"
import { embeddedReader } from "../base/EmbeddedRecords.ts"
import type { BodyRequest } from "../ProviderAdapter.ts"
import { addressBooks } from "./AddressBooks.ts"
import { addressAt, uses } from "./Addresses.ts"
import { inParents, type Slot, slotEntries, slotsIn } from "./Parents.ts"
import { orNone, type Suite } from "./Suite.ts"

/**
 * Addresses of customers and vendors stand in their address books, those of a subsidiary in members of its own. An order
 * holds a copy of the one that goods go to.
 */

const places: { readonly [type: string]: ReadonlyArray<readonly [slot: string, member: string, type: string | null]> } =
  {
    subsidiary: [
      ["main", "mainAddress", null],
      ["shipping", "shippingAddress", "SHIPPING"],
      ["return", "returnAddress", null]
    ],
    purchaseOrder: [["shipping", "shippingAddress", "SHIPPING"]],
    salesOrder: [["shipping", "shippingAddress", "SHIPPING"]]
  }

const isFilled = (address: unknown) =>
  isNative(address) && Object.entries(address).some(([name, value]) => name !== "links" && typeof value === "string")

const recordsIn = (type: string, parent: Native): ReadonlyArray<Slot> =>
  (
    places[type]?.map(([slot, member, type]) => ({ slot, type, value: parent[member] })) ??
    natives(getPath(parent, "addressBook.items")).flatMap((entry): ReadonlyArray<Slot> => {
      const value = entry.addressBookAddress
      const usual = uses.filter(({ flag }) => entry[flag] === true)
      return usual.length === 0
        ? [{ slot: `book-${String(entry.id)}`, type: null, value }]
        : usual.map(({ type }) => ({ slot: type.toLowerCase(), type, value }))
    })
  ).filter(({ value }) => isFilled(value))

const nativeType = "address"

const mapping = plainMapping(Address, (of) => [
  of.variant({ nativeType, entries: [...slotEntries(of), ...addressAt(of, "value")], notHeld: {} })
])

export const address = (own: Suite) => inParents(own, mapping, recordsIn, addressBooks)

const members = ["addressee", "attention", "addr1", "addr2", "addr3", "city", "state", "zip"]

/** The address an order's goods go to; one of another record is copied. */
export const shipsTo = <N extends "delivery_address" | "shipping_address">(
  of: Entries<N>,
  canonical: N,
  type: "purchaseOrder" | "salesOrder"
) => {
  const own = (record: unknown) => `${type}:${String(getPath(record, "id"))}:shipping`
  return of.computed({
    canonical,
    native: ["shippingAddress"],
    needsCurrent: true,
    decode: ({ record }, context) =>
      isFilled(record.shippingAddress) ? context.reference("address", nativeType, own(record)) : null,
    encode: (value, encoding) => {
      const { current, lookups, prefix, refuse, set, warn } = encoding
      const path = prefix + canonical
      const id = value === null ? null : remoteIdOf(value, "address", [nativeType], encoding, path)
      if (id === null) set("shippingAddress", null)
      if (id === null || id === undefined || id === own(current?.record)) return
      const { shipping } = lookups
      if (!isNative(shipping)) refuse(path, "is an address that is there no more")
      else {
        const country = { id: getPath(shipping, "country.id") ?? null }
        const lines = members.map((member) => [member, shipping[member] ?? null] as const)
        set("shippingAddress", { ...Object.fromEntries(lines), country })
        warn(path, "CHANGED", "is held as the order's own copy of it")
      }
    }
  })
}

/** The address that a body names. */
export const withShipping = (own: Suite, canonical: string) => {
  const read = embeddedReader(slotsIn(own, nativeType, recordsIn))
  return ({ body, connection, resolve }: BodyRequest) => {
    const uuid = body[canonical]
    const found = typeof uuid === "string" ? resolve(uuid) : undefined
    if (found?.resource !== "address") return Effect.succeed({})
    return Effect.map(orNone(read(connection, found.remoteId)), (held) => ({ shipping: held?.record.value }))
  }
}
