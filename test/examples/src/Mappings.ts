import {
  type CommonEntries,
  crm,
  dateTime,
  type Entries,
  enumeration,
  type Lines,
  plainMapping,
  text
} from "tributary/provider"

const stamps = (of: CommonEntries) => [
  of.readField("remote_id", "id", text),
  of.readField("remote_created_at", "date_created", dateTime),
  of.readField("remote_updated_at", "date_updated", dateTime),
  of.constant("remote_was_deleted", false)
]

const noOwner = "Rolodex records have no responsible user."
const noActivity = "Rolodex does not say when somebody last dealt with a record."

export const company = plainMapping(crm.company, (of) => [
  of.partialVariant({
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
              of.field("country", "country", text)
            ]
          }
        ]
      })
    ],
    notHeld: {
      industry: "Rolodex leads have no industry.",
      number_of_employees: "Rolodex leads have no number of employees.",
      owner: noOwner,
      phone_numbers: "In Rolodex the contacts of a lead have phone numbers, not the lead itself.",
      last_activity_at: noActivity
    },
    rest: "Rolodex has no such field."
  })
])

const label = enumeration("label", {
  office: "WORK",
  mobile: "MOBILE",
  home: "HOME",
  direct: "DIRECT",
  fax: "FAX",
  other: "OTHER"
})

/** E-mail addresses or phone numbers, each with its label. */
const contactPoints = <N extends "email_address" | "phone_number">(
  one: N,
  native: string,
  value: string
): Lines<N | `${N}_type`> => ({
  native,
  forms: (of) => [{ where: {}, entries: [of.field(one, value, text), of.field(`${one}_type`, "type", label)] }]
})

/** Rolodex has names in one; who has a single name has a last one. */
const name = (of: Entries<"first_name" | "last_name">) =>
  of.group({
    canonical: ["first_name", "last_name"],
    native: ["name"],
    decode: ([whole]) => {
      const [, first = null, last = null] = /^(?:(\S+)\s+)?(.+)$/s.exec(typeof whole === "string" ? whole : "") ?? []
      return [first, last]
    },
    encode: (names) => [names.filter((one) => typeof one === "string" && one !== "").join(" ")]
  })

/** A contact is of one lead, always. */
export const contact = plainMapping(crm.contact, (of) => [
  of.partialVariant({
    nativeType: "contact",
    entries: [
      ...stamps(of),
      name(of),
      of.field("title", "title", text),
      of.lasting("account", "lead_id", text),
      of.lines("email_addresses", contactPoints("email_address", "emails", "email")),
      of.lines("phone_numbers", contactPoints("phone_number", "phones", "phone"))
    ],
    notHeld: {
      owner: noOwner,
      addresses: "In Rolodex the lead has the addresses, not its contacts.",
      last_activity_at: noActivity
    },
    rest: "Rolodex has no such field."
  })
])

export const owner = plainMapping(crm.owner, (of) => [
  of.partialVariant({
    nativeType: "user",
    entries: [
      ...stamps(of),
      of.readField("first_name", "first_name", text),
      of.readField("last_name", "last_name", text),
      of.readField("email", "email", text)
    ],
    notHeld: {
      name: "Rolodex has no full name of a user; see `first_name` and `last_name`.",
      is_active: "Rolodex lists only the users who can sign in."
    },
    rest: "Rolodex has no such field."
  })
])
