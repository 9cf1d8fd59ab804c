import { Contact } from "../../canonical/accounting/Contact.ts"
import type { Entries, EntriesOf } from "../../mapping/Entries.ts"
import { getPath } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { activity, addressAt, type AddressEntries, company, currency, identity } from "./Common.ts"
import { active, always, beginning, equal } from "./Conditions.ts"
import type { Books } from "./Books.ts"
import { entities } from "./Entities.ts"
import { isProject } from "./Project.ts"

/**
 * Customers and vendors; names are unique over both and employees. Sub-customers are contacts. Projects are customers too, and
 * lists leave them to `project`; a document may still name one, so reading one by its id works.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/customer
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/vendor
 */

const address = (of: AddressEntries, is: string, native: string) => ({ is, entries: addressAt(of, native) })

/** Countries keep tax numbers in different members; the one that is filled, else the first, is written. */
const taxNumber = (of: Entries<"tax_number">, ...members: readonly [string, ...ReadonlyArray<string>]) => {
  const filled = (get: (native: string) => unknown) =>
    members.find((member) => {
      const value = get(member)
      return typeof value === "string" && value !== ""
    })
  return of.computed({
    canonical: "tax_number",
    native: members,
    needsCurrent: true,
    decode: ({ record }) => {
      const member = filled((native) => getPath(record, native))
      return member === undefined ? null : record[member]
    },
    encode: (value, { get, set }) => set(filled(get) ?? members[0], value)
  })
}

const shared = (of: EntriesOf<typeof Contact>) => [
  ...identity(of),
  of.field("name", "DisplayName", text),
  of.field("email_address", "PrimaryEmailAddr.Address", text),
  activity(of, "ARCHIVED"),
  currency(of, { isFixed: true }),
  company(of),
  of.labelled(
    "phone_numbers",
    "type",
    "number",
    {
      MAIN: "PrimaryPhone.FreeFormNumber",
      MOBILE: "Mobile.FreeFormNumber",
      OTHER: "AlternatePhone.FreeFormNumber",
      FAX: "Fax.FreeFormNumber"
    },
    text
  )
]

const mapping = plainMapping(Contact, (of) => [
  of.variant({
    nativeType: "Customer",
    when: { is_customer: true },
    isDefault: true,
    entries: [
      ...shared(of),
      of.constant("is_customer", true),
      of.constant("is_supplier", false),
      taxNumber(of, "PrimaryTaxIdentifier", "GSTIN", "BusinessNumber"),
      of.slots("addresses", "type", (of) => [address(of, "BILLING", "BillAddr"), address(of, "SHIPPING", "ShipAddr")])
    ],
    notHeld: {}
  }),
  of.variant({
    nativeType: "Vendor",
    when: { is_supplier: true },
    entries: [
      ...shared(of),
      of.constant("is_customer", false),
      of.constant("is_supplier", true),
      taxNumber(of, "TaxIdentifier", "GSTIN", "BusinessNumber"),
      of.slots("addresses", "type", (of) => [address(of, "BILLING", "BillAddr")])
    ],
    notHeld: {}
  })
])

const filters = { name: beginning("DisplayName"), status: active("ARCHIVED") }

export const contact = (books: Books): ResourceAdapter =>
  entities(books, mapping, [
    {
      name: "Customer",
      removal: "deactivate",
      isListed: (record) => !isProject(record),
      filters: {
        ...filters,
        is_customer: always("true"),
        is_supplier: always("false"),
        email_address: equal("PrimaryEmailAddr")
      }
    },
    {
      name: "Vendor",
      removal: "deactivate",
      // its e-mail address cannot be queried
      filters: { ...filters, is_customer: always("false"), is_supplier: always("true") }
    }
  ])
