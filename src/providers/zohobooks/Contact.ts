import { Contact } from "../../canonical/accounting/Contact.ts"
import type { Entries } from "../../mapping/Entries.ts"
import { isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { exact } from "../Filtering.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { activity, addressAt, company, currency, identity, mappingOf } from "./Common.ts"
import { type Asked, beginning, oneOf, search } from "./Filters.ts"
import { type Kind, records } from "./Records.ts"

/**
 * Customers and vendors, which a contact is one of, for good. Its e-mail address and phones are those of its primary person,
 * which lists show beside its own members.
 * https://www.zoho.com/books/api/v3/contacts/
 */

/** `is_customer` and `is_supplier` are two sides of one member: who is both, or neither, is a customer. */
const typeOf = ({ is_customer, is_supplier }: { readonly [field: string]: unknown }): string =>
  is_customer !== true && is_supplier === true ? "vendor" : "customer"

const role = <N extends "is_customer" | "is_supplier">(of: Entries<N>, canonical: N, type: string) =>
  of.computed({
    canonical,
    native: ["contact_type"],
    needsCurrent: true,
    fills: true,
    decode: ({ record }) => record.contact_type === type,
    encode: (value, encoding) => {
      const { body, current, prefix, set, warn } = encoding
      const isSaid = body.is_customer === true || body.is_supplier === true
      if (current === undefined) {
        const made = typeOf(body)
        set("contact_type", made)
        if (value === null ? !isSaid && canonical === "is_customer" : value !== (made === type)) {
          warn(prefix + canonical, "CHANGED", `is ${String(made === type)}: a contact is a customer or a vendor here`)
        }
      } else if (value !== null && value !== (current.record.contact_type === type)) {
        warn(prefix + canonical, "CHANGED", "stays what it was made with")
      }
    }
  })

const mapping = mappingOf(Contact, (of) => [
  of.variant({
    nativeType: "contact",
    entries: [
      ...identity(of, "contact_id"),
      of.field("name", "contact_name", text),
      role(of, "is_customer", "customer"),
      role(of, "is_supplier", "vendor"),
      of.field("email_address", "person.email", text),
      activity(of, "ARCHIVED", ({ status }) => status !== "inactive"),
      currency(of),
      company(of),
      of.labelled("phone_numbers", "type", "number", { MAIN: "person.phone", MOBILE: "person.mobile" }, text),
      of.slots("addresses", "type", (of) => [
        { is: "BILLING", entries: addressAt(of, "billing_address") },
        { is: "SHIPPING", entries: addressAt(of, "shipping_address") }
      ])
    ],
    notHeld: {
      tax_number: "Zoho Books keeps a contact's tax number in a field of its own in each country's edition."
    }
  })
])

const isPrimary = ({ is_primary_contact }: Native) => is_primary_contact === true

/** With the primary person apart. */
const read = (record: Native): Native => {
  const { email, mobile, phone } = record
  const person = natives(record.contact_persons).find(isPrimary)
  return { ...record, person: record.contact_persons === undefined ? { email, phone, mobile } : (person ?? {}) }
}

const members = ["contact_person_id", "salutation", "first_name", "last_name", "email", "phone", "mobile"]

const picked = (person: Native) => Object.fromEntries(Object.entries(person).filter(([name]) => members.includes(name)))

/** People are written all at once. */
const write = ({ person, ...record }: Native, held: Native | undefined): Native => {
  if (!isNative(person)) return record
  const all = natives(held?.contact_persons)
  const primary = { ...picked(all.find(isPrimary) ?? {}), ...person, is_primary_contact: true }
  return { ...record, contact_persons: [primary, ...all.filter((one) => !isPrimary(one)).map(picked)] }
}

const ofType = (type: string, other: string) =>
  exact<Asked>(({ text }) => ({
    query: { contact_type: text === "true" ? type : other },
    keeps: ({ contact_type }) => (contact_type === type) === (text === "true")
  }))

export const contacts: Kind = {
  nativeType: "contact",
  path: "contacts",
  id: "contact_id",
  sort: "created_time",
  filters: {
    name: beginning("contact_name"),
    email_address: beginning("email"),
    is_customer: ofType("customer", "vendor"),
    is_supplier: ofType("vendor", "customer"),
    // there are others than active and inactive ones, which count as active
    status: oneOf("filter_by", { ARCHIVED: "Status.Inactive" }),
    q: search
  },
  read,
  write,
  dependent: ["person"]
}

export const contact = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping, [contacts]),
  nullInLists: ["addresses"]
})
