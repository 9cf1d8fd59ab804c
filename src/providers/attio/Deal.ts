import { Deal } from "../../canonical/crm/Deal.ts"
import { getPath, natives } from "../../mapping/Mapping.ts"
import { number, text } from "../../mapping/Transform.ts"
import type { Caller } from "../axes/Upstream.ts"
import { pipelineId, statusOf } from "./Pipeline.ts"
import { records } from "./Records.ts"
import { firstOf, kept, linkTo, member, objectMapping, one, only } from "./Values.ts"

const stage = one(
  "stage",
  ({ status }) => getPath(status, "id.status_id"),
  (id) => ({ status: id })
)

// https://docs.attio.com/docs/standard-objects/standard-objects-deals
const mapping = objectMapping(Deal, "deals", (of) => [
  kept(of, "name", "values.name", only("value", text)),
  of.field("amount", "values.value", only("currency_value", number)),
  // an attribute has one currency for all deals
  of.readField("currency", "values.value", only("currency_code", text)),
  of.constant("pipeline", pipelineId),
  kept(of, "stage", "values.stage", stage),
  of.computed({
    canonical: "status",
    native: ["values.stage"],
    decode: ({ record }) => statusOf(getPath(natives(getPath(record, "values.stage"))[0], "status.title"))
  }),
  kept(of, "owner", "values.owner", member),
  of.field("account", "values.associated_company", linkTo("companies")),
  firstOf(of, "contact", "values.associated_people", linkTo("people"))
])

export const deal = (call: Caller) => ({ ...records(call, mapping), needs: ["stage", "owner"] })
