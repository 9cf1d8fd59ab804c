import { computed, constant, type Entry, field, getPath, labelled, slots } from "../../mapping/Mapping.ts"
import { plainMapping } from "../../mapping/PlainMapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { activity, addressAt, company, currency, identity } from "./Common.ts"
import { entities } from "./Entities.ts"

/**
 * Customers and vendors; names are unique over both and employees. Sub-customers (jobs, projects) are left out of lists:
 * they belong to `project`. A document may still name one, so reading one by its id works.
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/customer
 * https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/vendor
 */

const address = (is: string, native: string) => ({ is, entries: addressAt(native) })

/** Countries keep tax numbers in different members; the one that is filled, else the first, is written. */
const taxNumber = (...members: readonly [string, ...ReadonlyArray<string>]) => {
  const filled = (get: (native: string) => unknown) =>
    members.find((member) => {
      const value = get(member)
      return typeof value === "string" && value !== ""
    })
  return computed({
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

const shared: ReadonlyArray<Entry> = [
  ...identity,
  field("name", "DisplayName", text),
  field("email_address", "PrimaryEmailAddr.Address", text),
  activity("ARCHIVED"),
  currency({ isFixed: true }),
  company,
  labelled(
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

const mapping = plainMapping([
  {
    nativeType: "Customer",
    when: { is_customer: true },
    entries: [
      ...shared,
      constant("is_customer", true),
      constant("is_supplier", false),
      taxNumber("PrimaryTaxIdentifier", "GSTIN", "BusinessNumber"),
      slots("addresses", "type", [address("BILLING", "BillAddr"), address("SHIPPING", "ShipAddr")])
    ]
  },
  {
    nativeType: "Vendor",
    when: { is_supplier: true },
    entries: [
      ...shared,
      constant("is_customer", false),
      constant("is_supplier", true),
      taxNumber("TaxIdentifier", "GSTIN", "BusinessNumber"),
      slots("addresses", "type", [address("BILLING", "BillAddr")])
    ]
  }
])

export const contact = (call: Caller): ResourceAdapter => ({
  ...entities(call, mapping, [
    { name: "Customer", removal: "deactivate", where: ["Job = false"] },
    { name: "Vendor", removal: "deactivate" }
  ]),
  rules: [{ rule: "exactlyOneTrue", fields: ["is_customer", "is_supplier"] }]
})
