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

/** Members of contact persons and addresses that Zoho takes; it sets the others. */
const personMembers = new Set([
  "contact_person_id",
  "salutation",
  "first_name",
  "last_name",
  "email",
  "phone",
  "mobile",
  "designation",
  "department",
  "skype",
  "is_primary_contact",
  "communication_preference",
  "enable_portal"
])
const addressMembers = new Set([
  "attention",
  "address",
  "street2",
  "city",
  "state",
  "state_code",
  "zip",
  "country",
  "fax",
  "phone"
])

const sentPart = (held: unknown, members: ReadonlySet<string>): Native =>
  isNative(held)
    ? Object.fromEntries(Object.entries(held).filter(([name, value]) => members.has(name) && value !== ""))
    : {}

/** A state and a country have codes beside their names, which must not outlive a change of the name. */
const changedAddress = (held: unknown, given: Native): Native => {
  const { state_code, ...rest } = sentPart(held, addressMembers)
  const isSameState = given.state === undefined || given.state === rest.state
  return { ...rest, ...(isSameState && state_code !== undefined ? { state_code } : {}), ...given }
}

/** People are written all at once, and an address as a whole: what a body does not mention goes back as it was read. */
const write = ({ person, ...record }: Native, held: Native | undefined): Native => {
  const addresses = Object.fromEntries(
    ["billing_address", "shipping_address"].flatMap((name) => {
      const given = record[name]
      return isNative(given) ? [[name, changedAddress(held?.[name], given)]] : []
    })
  )
  if (!isNative(person)) return { ...record, ...addresses }
  const all = natives(held?.contact_persons)
  const sent = (one: Native) => sentPart(one, personMembers)
  const primary = { ...sent(all.find(isPrimary) ?? {}), ...person, is_primary_contact: true }
  return {
    ...record,
    ...addresses,
    contact_persons: [primary, ...all.filter((one) => !isPrimary(one)).map(sent)]
  }
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
  dependent: ["person", "billing_address", "shipping_address"]
}

export const contact = (call: Caller): ResourceAdapter => ({
  ...records(call, mapping, [contacts]),
  nullInLists: ["addresses"]
})
