import { Company } from "../../canonical/crm/Company.ts"
import { countryCode } from "../../mapping/Country.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { noLastActivity, stamps } from "./Common.ts"
import { closeMapping, objects } from "./Objects.ts"
import { anywhere, named, searchable, stamped } from "./Search.ts"

/** Close calls companies leads. https://developer.close.com/api/resources/leads */
const mapping = closeMapping(Company, (of) => [
  of.variant({
    nativeType: "lead",
    entries: [
      ...stamps(of),
      of.field("name", "name", text),
      of.field("description", "description", text),
      of.field("website", "url", text),
      of.lines("addresses", {
        native: "addresses",
        forms: (of) => [
          {
            where: {},
            entries: [
              of.field("street_1", "address_1", text),
              of.field("street_2", "address_2", text),
              of.field("city", "city", text),
              of.field("state", "state", text),
              of.field("postal_code", "zipcode", text),
              of.field("country", "country", countryCode)
            ]
          }
        ]
      })
    ],
    notHeld: {
      industry: "A Close lead has no industry; accounts that need one add a custom field.",
      number_of_employees: "A Close lead has no number of employees; accounts that need one add a custom field.",
      owner: "A Close lead has no owner; accounts that need one add a custom field.",
      phone_numbers: "Close holds phone numbers of the contacts of a lead, not of the lead.",
      last_activity_at: noLastActivity
    }
  })
])

export const company = (call: Caller) =>
  searchable(call, "lead", objects(call, mapping), { ...stamped("lead"), name: named("lead"), q: anywhere })
