import { Lead } from "../../canonical/crm/Lead.ts"
import { computed } from "../../mapping/Entries.ts"
import { elsewhere, getPath } from "../../mapping/Mapping.ts"
import { text, type Transform } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { mappingOf, numericId, stamps } from "./Common.ts"
import { leads } from "./Leads.ts"
import { personEntries } from "./Person.ts"

/** A lead is archived or not. A qualified lead is still worked on: a deal made of it is another record. */
const state: Transform = {
  name: "state",
  decode: (archived) => (archived === true ? "CLOSED" : "OPEN"),
  encode: (status) => status === "CLOSED" || status === "UNQUALIFIED"
}

/** Stays when a body leaves it out: the fields of the person are written through it. */
const contact = computed({
  canonical: "contact",
  native: ["person_id"],
  decode: ({ record }) => (typeof record.person_id === "number" ? String(record.person_id) : null),
  encode: (value, encoding) => {
    const isGiven = encoding.body.contact !== undefined
    if (value !== null) encoding.set("person_id", numericId.encode(value, encoding, `${encoding.prefix}contact`))
    else if (isGiven) encoding.set("person_id", null)
  }
})

const account = computed({
  canonical: "account",
  native: ["organization_id"],
  decode: ({ record }) => (typeof record.organization_id === "number" ? String(record.organization_id) : null),
  encode: (value, encoding) => {
    const { body, prefix, set } = encoding
    // without an account, a company is the name of the linked organization
    const isNamed = typeof body.company === "string" && body.account === undefined
    if (value !== null) set("organization_id", numericId.encode(value, encoding, `${prefix}account`))
    else if (!isNamed) set("organization_id", null)
  }
})

/** The name of the linked organization; clearing it takes the link away. */
const company = computed({
  canonical: "company",
  native: ["organization.name"],
  decode: ({ record }) => getPath(record, "organization.name"),
  encode: (value, { body, set }) => {
    if (value !== null) set("organization.name", value)
    else if (body.account === undefined || body.account === null) set("organization_id", null)
  }
})

/** https://developers.pipedrive.com/docs/api/v1/Leads */
const mapping = mappingOf(Lead, "", (of) => [
  of.variant({
    nativeType: "leads",
    entries: [
      ...stamps(of),
      // a deleted lead is gone
      of.constant("remote_was_deleted", false),
      of.lasting("name", "title", text),
      ...elsewhere(personEntries(of, "person.")),
      company(of),
      of.readField("lead_source", "source_name", text),
      of.lasting("status", "is_archived", state),
      of.lasting("owner", "owner_id", numericId),
      contact(of),
      account(of)
    ],
    notHeld: {
      converted_date: "Pipedrive deletes a lead when it turns it into a deal.",
      converted_contact: "Converting a Pipedrive lead makes a deal, not a contact.",
      converted_account: "Converting a Pipedrive lead makes a deal, not a company."
    }
  })
])

export const lead = (call: Caller): ResourceAdapter => ({
  ...leads(call, mapping),
  rules: [{ rule: "oneOf", fields: ["last_name", "first_name", "company", "contact", "account"] }]
})
