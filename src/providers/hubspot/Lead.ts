import { Lead } from "../../canonical/crm/Lead.ts"
import { elsewhere } from "../../mapping/Mapping.ts"
import { text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { association } from "./Association.ts"
import type { LinkTypes } from "./LinkTypes.ts"
import { placeLead, statusOfLead } from "./LeadStages.ts"
import { objectMapping } from "./ObjectMapping.ts"
import { person } from "./Person.ts"
import { throughContact, toContact } from "./ThroughContact.ts"

// https://developers.hubspot.com/docs/guides/api/crm/objects/leads

const mapping = objectMapping(Lead, (of) => [
  {
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
    ]
  }
])

/** Leads come with Sales Hub: an account without it cannot grant their scopes. https://developers.hubspot.com/docs/api/crm/leads */
export const lead = (call: Caller, typeOf: LinkTypes): ResourceAdapter => ({
  ...throughContact(call, typeOf, mapping),
  rules: [{ rule: "oneOf", fields: ["last_name", "first_name", "email_addresses", "contact"] }],
  requires: [
    { kind: "scope", name: "crm.objects.leads.read" },
    { kind: "scope", name: "crm.objects.leads.write" },
    { kind: "tier", name: "Sales Hub Professional" }
  ]
})
