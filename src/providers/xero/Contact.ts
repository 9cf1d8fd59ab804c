import type { Address } from "../../canonical/accounting/Nested.ts"
import { country } from "../../mapping/Country.ts"
import { Contact } from "../../canonical/accounting/Contact.ts"
import type { Entries, EntriesOf } from "../../mapping/Entries.ts"
import { isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { spreadLines } from "../../mapping/StreetLines.ts"
import { text, type Transform } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { exact, wide } from "../Filtering.ts"
import { archiving, company, identity, mappingOf, reasons } from "./Common.ts"
import { holds } from "./Changes.ts"
import { beginning, search } from "./Filters.ts"
import { type Kind, objects } from "./Objects.ts"

/**
 * Contacts are customers, suppliers, both or neither, which Xero tells by their documents. Their addresses and phones are
 * lists with one of each type, read and written here by their types.
 * https://developer.xero.com/documentation/api/accounting/contacts
 */

/** Members by their types, beside the lists of them: `AddressOf.POBOX`, `PhoneOf.DDI`. */
export const byType = (record: Native): Native => ({
  ...record,
  AddressOf: Object.fromEntries(natives(record.Addresses).map((one) => [one.AddressType, one])),
  PhoneOf: Object.fromEntries(natives(record.Phones).map((one) => [one.PhoneType, one]))
})

export const addressAt = (of: Entries<keyof typeof Address.fields>, native: string) => [
  of.field("street_1", `${native}.AddressLine1`, text),
  spreadLines(
    of,
    "street_2",
    [2, 3, 4].map((line) => `${native}.AddressLine${line}`)
  ),
  of.field("city", `${native}.City`, text),
  of.field("country_subdivision", `${native}.Region`, text),
  of.field("country", `${native}.Country`, country),
  of.field("zip_code", `${native}.PostalCode`, text)
]

/** A number in three parts; written, it is one. */
export const phone: Transform = {
  name: "phone",
  decode: (native) =>
    isNative(native)
      ? [native.PhoneCountryCode, native.PhoneAreaCode, native.PhoneNumber]
          .filter((part) => typeof part === "string" && part !== "")
          .join(" ") || null
      : null,
  encode: (canonical) => canonical
}

/** Xero prints the postal address on documents. https://developer.xero.com/documentation/api/accounting/types#address-types */
export const addressTypes = { POBOX: "BILLING", STREET: "SHIPPING" } as const

/** https://developer.xero.com/documentation/api/accounting/types#phone-types */
export const phoneTypes = { DEFAULT: "MAIN", DDI: "DIRECT", MOBILE: "MOBILE", FAX: "FAX", OFFICE: "OFFICE" } as const

export const places = (of: EntriesOf<typeof Contact, "addresses" | "phone_numbers">) => [
  of.slots("addresses", "type", (of) =>
    Object.entries(addressTypes).map(([type, is]) => ({ is, entries: addressAt(of, `AddressOf.${type}`) }))
  ),
  of.labelled(
    "phone_numbers",
    "type",
    "number",
    Object.fromEntries(Object.entries(phoneTypes).map(([type, is]) => [is, `PhoneOf.${type}`])),
    phone
  )
]

const membersOf = (value: unknown) => Object.entries(isNative(value) ? value : {})

/** The lists that a body has to hold; of phones those whose number is another one. */
const listed = ({ AddressOf, PhoneOf, ...record }: Native, current: Native | undefined): Native => {
  const held = byType(current ?? {})
  const heldPhones = isNative(held.PhoneOf) ? held.PhoneOf : {}
  const heldAddresses = isNative(held.AddressOf) ? held.AddressOf : {}
  const isHeld = (type: string, number: unknown) =>
    (phone.decode(heldPhones[type], { reference: () => "" }) ?? "") === number
  const addresses = membersOf(AddressOf).flatMap(([AddressType, address]) =>
    isNative(address) && !holds(heldAddresses[AddressType], address) ? [{ AddressType, ...address }] : []
  )
  const phones = membersOf(PhoneOf).flatMap(([PhoneType, PhoneNumber]) =>
    isHeld(PhoneType, PhoneNumber) ? [] : [{ PhoneType, PhoneNumber, PhoneAreaCode: "", PhoneCountryCode: "" }]
  )
  return {
    ...record,
    ...(addresses.length === 0 ? {} : { Addresses: addresses }),
    ...(phones.length === 0 ? {} : { Phones: phones })
  }
}

/** Follows from the documents there are. */
const flag = <N extends string>(of: Entries<N>, canonical: N, native: string) =>
  of.computed({ canonical, native: [native], decode: ({ record }) => record[native] === true })

const mapping = mappingOf(Contact, (of) => [
  of.variant({
    nativeType: "Contact",
    entries: [
      ...identity(of, "ContactID"),
      of.field("name", "Name", text),
      flag(of, "is_customer", "IsCustomer"),
      flag(of, "is_supplier", "IsSupplier"),
      of.field("email_address", "EmailAddress", text),
      of.field("tax_number", "TaxNumber", text),
      archiving(of, "ContactStatus", "ARCHIVED"),
      of.field("currency", "DefaultCurrency", text),
      company(of),
      ...places(of)
    ],
    notHeld: { remote_created_at: reasons.created }
  })
])

const isSo = (member: string) => exact(({ text }) => ({ where: `${member}==${text}` }))

export const contacts: Kind = {
  nativeType: "Contact",
  endpoint: "Contacts",
  id: "ContactID",
  pages: true,
  byIds: true,
  listQuery: { includeArchived: "true" },
  filters: {
    name: beginning("Name"),
    email_address: beginning("EmailAddress"),
    tax_number: beginning("TaxNumber"),
    is_customer: isSo("IsCustomer"),
    is_supplier: isSo("IsSupplier"),
    // what is not archived is not active yet, where someone asked for its deletion
    status: wide(({ values }) => (values.includes("ARCHIVED") ? {} : { query: { includeArchived: "false" } })),
    q: search
  },
  stamp: "UpdatedDateUTC",
  read: byType,
  write: listed,
  ending: () => ({ ContactStatus: "ARCHIVED" })
}

export const contact = (call: Caller) => objects(call, mapping, contacts)
