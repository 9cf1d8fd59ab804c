import { Deal } from "../../canonical/crm/Deal.ts"
import { placed } from "../../mapping/Stages.ts"
import { dateTime, number, numericString, text } from "../../mapping/Transform.ts"
import type { Caller } from "../base/Upstream.ts"
import type { ResourceAdapter } from "../ProviderAdapter.ts"
import { association } from "./Association.ts"
import { closeDate } from "./CloseDate.ts"
import { begins, common, holdsName, inState, linkedTo, stamped } from "./Clauses.ts"
import { objectMapping } from "./ObjectMapping.ts"
import type { LinkTypes } from "./LinkTypes.ts"
import { objects } from "./Objects.ts"
import { inStatus, placing } from "./Stages.ts"

// https://developers.hubspot.com/docs/guides/api/crm/objects/deals
// https://knowledge.hubspot.com/properties/hubspots-default-deal-properties

const mapping = objectMapping(Deal, (of) => [
  of.variant({
    nativeType: "deals",
    entries: [
      of.field("name", "properties.dealname", text),
      of.field("description", "properties.description", text),
      of.field("amount", "properties.amount", numericString),
      of.field("currency", "properties.deal_currency_code", text),
      ...placed(of, placing),
      closeDate(of),
      // computed by HubSpot from the stage
      of.readField("probability", "properties.hs_deal_stage_probability", number),
      of.field("owner", "properties.hubspot_owner_id", text),
      association(of, "account", { to: "companies", type: "deal_to_company", primary: true }),
      association(of, "contact", { to: "contacts", type: "deal_to_contact" }),
      of.readField("last_activity_at", "properties.notes_last_updated", dateTime)
    ],
    notHeld: {}
  })
])

const filters = {
  deals: {
    ...stamped("createdate", "hs_lastmodifieddate"),
    ...common,
    name: begins("dealname"),
    account: linkedTo("company"),
    contact: linkedTo("contact"),
    pipeline: holdsName("pipeline"),
    stage: holdsName("dealstage"),
    status: inState(inStatus)
  }
}

export const deal = (call: Caller, typeOf: LinkTypes): ResourceAdapter => objects(call, typeOf, mapping, { filters })
