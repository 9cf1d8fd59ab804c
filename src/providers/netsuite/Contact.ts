import { Contact } from "../../canonical/accounting/Contact.ts"
import { computed, type EntriesOf } from "../../mapping/Entries.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { addresses } from "./Addresses.ts"
import { activity, currency, identity, ownCompany } from "./Common.ts"
import { active, always, equal, nearly } from "./Conditions.ts"
import { addressBooks } from "./AddressBooks.ts"
import { entities, ownSubsidiary, partyColumns } from "./Entities.ts"
import { records } from "./Records.ts"
import type { RecordType } from "./RecordType.ts"
import type { Suite } from "./Suite.ts"

/**
 * Customers and vendors. NetSuite's own `contact` records are people at them and have no counterpart.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1559733468.html
 */

/** A company has a name; a person has two, the last word of a name being the last. */
const name = computed({
  canonical: "name",
  native: ["isPerson", "companyName", "firstName", "lastName", "entityId"],
  needsCurrent: true,
  decode: ({ record: { companyName, entityId, firstName, isPerson, lastName } }) =>
    (isPerson === true ? [firstName, lastName].filter((part) => typeof part === "string").join(" ") : companyName) ||
    entityId,
  encode: (value, { current, set }) => {
    if (current?.record.isPerson !== true) {
      set("companyName", value)
      return
    }
    const words = String(value ?? "")
      .trim()
      .split(/\s+/)
    set("lastName", words.pop() ?? null)
    set("firstName", words.join(" ") || null)
  }
})

/** Members with phone numbers, by what they are. */
export const phones = { MAIN: "phone", MOBILE: "mobilePhone", OTHER: "altPhone", HOME: "homePhone", FAX: "fax" }

const shared = (of: EntriesOf<typeof Contact>) => [
  ...identity(of, "dateCreated"),
  name(of),
  of.field("email_address", "email", text),
  activity(of, "ARCHIVED"),
  currency(of),
  ownCompany(of),
  addresses(of),
  of.labelled("phone_numbers", "type", "number", phones, text)
]

const mapping = plainMapping(Contact, (of) => [
  of.variant({
    nativeType: "customer",
    when: { is_customer: true },
    isDefault: true,
    entries: [
      ...shared(of),
      of.constant("is_customer", true),
      of.constant("is_supplier", false),
      of.field("tax_number", "vatRegNumber", text)
    ],
    notHeld: {}
  }),
  of.variant({
    nativeType: "vendor",
    when: { is_supplier: true },
    entries: [
      ...shared(of),
      of.constant("is_customer", false),
      of.constant("is_supplier", true),
      of.field("tax_number", "taxIdNum", text)
    ],
    notHeld: {}
  })
])

const columns = { ...partyColumns, ...ownSubsidiary }

const person = "c.firstname || CASE WHEN c.firstname IS NOT NULL AND c.lastname IS NOT NULL THEN ' ' END || c.lastname"

const filters = {
  name: nearly.beginning(`COALESCE(CASE WHEN c.isperson = 'T' THEN ${person} ELSE c.companyname END, c.entityid)`),
  email_address: equal("c.email"),
  status: active("c.isinactive", "ARCHIVED")
}

/** Both kinds, also where what stands in them is listed. */
export const contactTypes: ReadonlyArray<RecordType> = [
  {
    name: "customer",
    // leads and prospects stand among customers
    list: {
      ...entities("customer", columns, {
        ...filters,
        is_customer: always("true"),
        is_supplier: always("false")
      }),
      listed: ["c.searchstage = 'Customer'"]
    },
    retires: true
  },
  {
    name: "vendor",
    list: entities("vendor", columns, {
      ...filters,
      is_customer: always("false"),
      is_supplier: always("true")
    }),
    retires: true
  }
]

export const contact = (own: Suite): ResourceAdapter =>
  records(
    own,
    mapping,
    contactTypes.map((type) => ({ ...type, list: { ...type.list, beside: addressBooks(type.name) } })),
    ["tax_number"]
  )
