import { Contact } from "../../canonical/crm/Contact.ts"
import { type Encoding, natives } from "../../mapping/Mapping.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { calledSo, created, email, link, phone } from "./Filters.ts"
import { location } from "./Location.ts"
import { records } from "./Records.ts"
import { linkTo, listOf, notDated, objectMapping, only } from "./Values.ts"

/** A number is of a country: https://docs.attio.com/docs/attribute-types/attribute-types-phone-number */
const isInternational = (number: string, path: string, { warn }: Encoding) => {
  const isSo = number.trim().startsWith("+")
  if (!isSo) warn(path, "NOT_HELD", "is not held: Attio takes numbers with their country, such as +44 20 7946 0101")
  return isSo
}

// https://docs.attio.com/docs/standard-objects/standard-objects-people
const mapping = objectMapping(Contact, (of) => [
  of.variant({
    nativeType: "people",
    entries: [
      // all three members must be there; https://docs.attio.com/docs/attribute-types/attribute-types-personal-name
      of.group({
        canonical: ["first_name", "last_name"],
        native: ["values.name"],
        decode: ([name]) =>
          natives(name).flatMap(({ first_name, last_name }) => [first_name || null, last_name || null]),
        encode: ([first, last]) => {
          const full_name = [first, last].filter((part) => typeof part === "string" && part !== "").join(" ")
          return [[{ first_name: first ?? "", last_name: last ?? "", full_name }]]
        }
      }),
      of.field("account", "values.company", linkTo("companies")),
      of.field("title", "values.job_title", only("value", text)),
      location(of),
      // e-mail addresses and numbers as they were entered, which Attio also has in a form of its own
      listOf(of, "email_addresses", "values.email_addresses", {
        name: "email_address",
        label: "email_address_type",
        read: "original_email_address",
        write: "email_address"
      }),
      listOf(of, "phone_numbers", "values.phone_numbers", {
        name: "phone_number",
        label: "phone_number_type",
        read: "original_phone_number",
        write: "original_phone_number",
        takes: isInternational
      }),
      of.readField("last_activity_at", "values.last_interaction", only("interacted_at", dateTime))
    ],
    notHeld: {
      ...notDated,
      owner: "Attio people have no owner attribute unless a workspace adds one."
    }
  })
])

export const contact = (call: Caller) =>
  records(call, mapping, { ...created, email, phone, name: calledSo, account: link("company", "companies") })
