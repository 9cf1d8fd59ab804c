import { Contact } from "../../canonical/crm/Contact.ts"
import { enumeration, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import { noLastActivity, stamps } from "./Common.ts"
import { link } from "./Filters.ts"
import { closeMapping, objects } from "./Objects.ts"
import { lead } from "./OnLead.ts"
import { email, named, searchable, stamped } from "./Search.ts"

const label = enumeration("label", {
  office: "WORK",
  mobile: "MOBILE",
  home: "HOME",
  direct: "DIRECT",
  fax: "FAX",
  other: "OTHER"
})

/**
 * A contact is of one lead, which is made when none is named. Names are in one; who has a single name has a last one.
 * https://developer.close.com/api/resources/contacts
 */
const mapping = closeMapping(Contact, (of) => [
  of.variant({
    nativeType: "contact",
    entries: [
      ...stamps(of),
      of.group({
        canonical: ["first_name", "last_name"],
        native: ["name"],
        decode: ([whole]) => {
          const [, first = null, last = null] =
            /^(?:(.+)\s+)?(\S+)$/s.exec(typeof whole === "string" ? whole.trim() : "") ?? []
          return [first, last]
        },
        encode: (names) => [names.filter((name) => typeof name === "string" && name !== "").join(" ")]
      }),
      of.field("title", "title", text),
      lead(of, false),
      of.lines("email_addresses", {
        native: "emails",
        forms: (of) => [
          {
            where: {},
            entries: [of.field("email_address", "email", text), of.field("email_address_type", "type", label)]
          }
        ]
      }),
      of.lines("phone_numbers", {
        native: "phones",
        forms: (of) => [
          {
            where: {},
            entries: [of.field("phone_number", "phone", text), of.field("phone_number_type", "type", label)]
          }
        ]
      })
    ],
    notHeld: {
      owner: "A Close contact has no owner.",
      addresses: "Close holds addresses of a lead, not of its contacts.",
      last_activity_at: noLastActivity
    }
  })
])

export const contact = (call: Caller) =>
  searchable(call, "contact", objects(call, mapping, { filters: { account: link("lead", "lead_id") } }), {
    ...stamped("contact"),
    email,
    name: named("contact")
  })
