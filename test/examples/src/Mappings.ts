import {
  constant,
  dateTime,
  enumeration,
  field,
  group,
  lasting,
  lines,
  type Mapping,
  plainMapping,
  readField,
  text
} from "tributary/provider"

const stamps = [
  readField("remote_id", "id", text),
  readField("remote_created_at", "date_created", dateTime),
  readField("remote_updated_at", "date_updated", dateTime),
  constant("remote_was_deleted", false)
]

export const company: Mapping = plainMapping([
  {
    nativeType: "lead",
    entries: [
      ...stamps,
      field("name", "name", text),
      field("description", "description", text),
      field("website", "url", text),
      lines({
        canonical: "addresses",
        native: "addresses",
        forms: [
          {
            where: {},
            entries: [
              field("street_1", "address_1", text),
              field("street_2", "address_2", text),
              field("city", "city", text),
              field("state", "state", text),
              field("postal_code", "zipcode", text),
              field("country", "country", text)
            ]
          }
        ]
      })
    ]
  }
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
const contactPoints = (canonical: string, one: string, native: string, value: string) =>
  lines({
    canonical,
    native,
    forms: [{ where: {}, entries: [field(one, value, text), field(`${one}_type`, "type", label)] }]
  })

/** Rolodex has names in one; who has a single name has a last one. */
const name = group({
  canonical: ["first_name", "last_name"],
  native: ["name"],
  decode: ([whole]) => {
    const [, first = null, last = null] = /^(?:(\S+)\s+)?(.+)$/s.exec(typeof whole === "string" ? whole : "") ?? []
    return [first, last]
  },
  encode: (names) => [names.filter((one) => typeof one === "string" && one !== "").join(" ")]
})

/** A contact is of one lead, always. */
export const contact: Mapping = plainMapping([
  {
    nativeType: "contact",
    entries: [
      ...stamps,
      name,
      field("title", "title", text),
      lasting("account", "lead_id", text),
      contactPoints("email_addresses", "email_address", "emails", "email"),
      contactPoints("phone_numbers", "phone_number", "phones", "phone")
    ]
  }
])

export const owner: Mapping = plainMapping([
  {
    nativeType: "user",
    entries: [
      ...stamps,
      readField("first_name", "first_name", text),
      readField("last_name", "last_name", text),
      readField("email", "email", text)
    ]
  }
])
