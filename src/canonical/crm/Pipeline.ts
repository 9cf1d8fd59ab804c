import { boolean, integer, list, readOnly, resource, text } from "../Resource.ts"
import { begins } from "../Filter.ts"
import { PipelineStage } from "./Nested.ts"

/** Deal pipeline with its stages. */
export const Pipeline = resource({
  category: "crm",
  name: "pipeline",
  class: "read-only",
  description: "deal pipeline with its stages",
  fields: {
    name: readOnly(text("display name")),
    is_default: readOnly(boolean("used when none is named")),
    is_active: readOnly(boolean("usable for new records")),
    display_order: readOnly(integer("position")),
    stages: readOnly(list("ordered", PipelineStage))
  },
  filters: { name: begins("name") }
})
