import type { Effect } from "effect"
import { Lead } from "../../canonical/crm/Lead.ts"
import { elsewhere, type Native } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"
import { association } from "./Association.ts"
import { begins, common, linkedTo, stamps } from "./Clauses.ts"
import type { LinkTypes } from "./LinkTypes.ts"
import { placeLead, statusOfLead } from "./LeadStages.ts"
import { objectMapping } from "./ObjectMapping.ts"
import { person } from "./Person.ts"
import { throughContact, toContact } from "./ThroughContact.ts"

// https://developers.hubspot.com/docs/guides/api/crm/objects/leads

const mapping = objectMapping(Lead, (of) => [
  of.variant({
    nativeType: "leads",
    entries: [
      of.lasting("name", "properties.hs_lead_name", text),
      ...elsewhere([...person(of, "contact.properties"), of.field("company", "contact.properties.company", text)]),
      of.readField("lead_source", "contact.properties.hs_analytics_source", text),
      of.computed({
        canonical: "status",
        native: ["properties.hs_pipeline_stage", "properties.hs_pipeline"],
        lookups: ["lead_pipelines"],
        encodeLookups: ["lead_pipelines"],
        needsCurrent: true,
        decode: ({ lookups, record }) => statusOfLead(record, lookups?.lead_pipelines),
        encode: placeLead
      }),
      of.field("owner", "properties.hubspot_owner_id", text),
      association(of, "contact", toContact, true),
      association(of, "account", { to: "companies", type: "lead_to_primary_company", primary: true })
    ],
    notHeld: {
      converted_date: "HubSpot does not convert leads: a qualified lead stays a lead.",
      converted_contact: "A HubSpot lead belongs to a contact from the start, so none is made from it.",
      converted_account: "A HubSpot lead is linked to an existing company, so none is made from it."
    }
  })
])

const filters = {
  ...stamps,
  ...common,
  name: begins("hs_lead_name", "hs_associated_contact_firstname", "hs_associated_contact_lastname"),
  account: linkedTo("company")
}

/** Leads come with Sales Hub: an account without it cannot grant their scopes. https://developers.hubspot.com/docs/api/crm/leads */
export const lead = (
  call: Caller,
  typeOf: LinkTypes,
  pipelines: (connection: ConnectionRef) => Effect.Effect<ReadonlyArray<Native>, ProviderError>
): ResourceAdapter => ({
  ...throughContact(call, typeOf, mapping, { filters, pipelines }),
  rules: [{ rule: "oneOf", fields: ["last_name", "first_name", "email_addresses", "contact"] }],
  requires: [
    { kind: "scope", name: "crm.objects.leads.read" },
    { kind: "scope", name: "crm.objects.leads.write" },
    { kind: "tier", name: "Sales Hub Professional" }
  ]
})
