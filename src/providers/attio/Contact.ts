import { field, group, natives, readField } from "../../mapping/Mapping.ts"
import { dateTime, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { location } from "./Location.ts"
import { records } from "./Records.ts"
import { linkTo, many, objectMapping, only } from "./Values.ts"

const notTold = "must be left out: Attio does not tell them apart"

const company = linkTo("companies")

// https://docs.attio.com/docs/standard-objects/standard-objects-people
const mapping = objectMapping("people", [
  // all three must be there; https://docs.attio.com/docs/attribute-types/attribute-types-personal-name
  group({
    canonical: ["first_name", "last_name"],
    native: ["values.name"],
    decode: ([name]) => {
      const [held] = natives(name)
      return [held?.first_name || null, held?.last_name || null]
    },
    encode: ([first, last]) => [
      [
        {
          first_name: first ?? "",
          last_name: last ?? "",
          full_name: [first, last].filter((part) => typeof part === "string" && part !== "").join(" ")
        }
      ]
    ]
  }),
  field("account", "values.company", {
    name: "company",
    decode: (native) => natives(native).map(company.decode)[0] ?? null,
    encode: (id) => [company.encode(id)]
  }),
  field("title", "values.job_title", only("value", text)),
  location,
  // as they were entered; https://docs.attio.com/docs/attribute-types/attribute-types-email-address
  many(
    "email_addresses",
    "email_addresses",
    ({ original_email_address }) => ({ email_address: original_email_address, email_address_type: null }),
    ({ email_address, email_address_type }, refuse) => {
      if (typeof email_address_type === "string") refuse("email_address_type", notTold)
      return { email_address }
    }
  ),
  // https://docs.attio.com/docs/attribute-types/attribute-types-phone-number
  many(
    "phone_numbers",
    "phone_numbers",
    ({ original_phone_number }) => ({ phone_number: original_phone_number, phone_number_type: null }),
    ({ phone_number, phone_number_type }, refuse) => {
      if (typeof phone_number_type === "string") refuse("phone_number_type", notTold)
      return { original_phone_number: phone_number }
    }
  ),
  readField("last_activity_at", "values.last_interaction", only("interacted_at", dateTime))
])

export const contact = (call: Caller) => records(call, mapping)
