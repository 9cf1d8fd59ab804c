import { Contact } from "../../canonical/crm/Contact.ts"
import { natives } from "../../mapping/Mapping.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { calledSo, created, email, link, phone } from "./Filters.ts"
import { location } from "./Location.ts"
import { records } from "./Records.ts"
import { linkTo, listOf, notDated, objectMapping, only, type TextList } from "./Values.ts"

const needsCountry =
  "is not held: Attio needs to know the country of a phone number. Send it with its calling code, such as +44 20 7946 0101."

/**
 * Attio needs a calling code or a country. A national number keeps the country it has. A new one gets the country of the
 * contact's other numbers if they all share one, with a warning.
 * https://docs.attio.com/docs/attribute-types/attribute-types-phone-number
 */
const writeNumber: TextList["write"] = (text, { held, warn }) => {
  if (text.trim().startsWith("+")) return { original_phone_number: text, country_code: null }
  const same = held.find(({ original_phone_number }) => original_phone_number === text)
  if (same !== undefined) return { original_phone_number: text, country_code: same.country_code ?? null }
  const [country, other] = new Set(held.map(({ country_code }) => country_code ?? null))
  if (typeof country !== "string" || other !== undefined) return needsCountry
  warn(
    "ASSUMED",
    `is held as a number of ${country}, like the others of this contact; send its calling code to change it`
  )
  return { original_phone_number: text, country_code: country }
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
        write: (email_address) => ({ email_address })
      }),
      listOf(of, "phone_numbers", "values.phone_numbers", {
        name: "phone_number",
        label: "phone_number_type",
        read: "original_phone_number",
        write: writeNumber
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
