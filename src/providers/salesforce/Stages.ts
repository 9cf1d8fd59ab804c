import { Effect } from "effect"
import type { Native } from "../../mapping/Mapping.ts"
import type { Lookup } from "../ProviderAdapter.ts"
import type { Org } from "./Org.ts"
import { soql } from "./Soql.ts"

/** Id of the one pipeline: which sales process has which stages is metadata, the API has one list of stages. */
export const pipelineId = "default"

const fields = ["Id", "ApiName", "MasterLabel", "IsActive", "IsClosed", "IsWon", "SortOrder", "DefaultProbability"]

/**
 * Every stage, also the inactive ones, in order; `index` is their position, as `SortOrder` starts anywhere.
 * https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_opportunitystage.htm
 */
export const stages = (org: Org): Lookup => ({
  ttl: 600,
  load: (connection) =>
    org
      .query(connection, "OpportunityStage.list", soql(fields, "OpportunityStage", [], "ORDER BY SortOrder"))
      .pipe(Effect.map((found) => found.map((stage, index) => ({ ...stage, index }))))
})

/** Status of a stage, or of an opportunity: both have the flags. */
export const statusOf = ({ IsClosed, IsWon }: Native): "OPEN" | "WON" | "LOST" | null => {
  if (IsWon === true) return "WON"
  return IsClosed === true ? "LOST" : IsClosed === false ? "OPEN" : null
}
