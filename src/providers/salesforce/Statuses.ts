import { isNative, type Native } from "../../mapping/Mapping.ts"
import type { Lookup } from "../ProviderAdapter.ts"
import type { Org } from "./Org.ts"
import { soql } from "./Soql.ts"

// The statuses of tasks and leads are the org's own; each says what it implies.

const statuses = (org: Org, type: string, flag: string): Lookup => ({
  ttl: 600,
  load: (connection) =>
    org.query(
      connection,
      `${type}.list`,
      soql(["Id", "ApiName", "SortOrder", "IsDefault", flag], type, [], "ORDER BY SortOrder")
    )
})

/** https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_taskstatus.htm */
export const taskStatuses = (org: Org): Lookup => statuses(org, "TaskStatus", "IsClosed")

/** https://developer.salesforce.com/docs/atlas.en-us.object_reference.meta/object_reference/sforce_api_objects_leadstatus.htm */
export const leadStatuses = (org: Org): Lookup => statuses(org, "LeadStatus", "IsConverted")

/** Name of a loaded status that a condition holds for: the default one, else the first. */
export const statusWith = (loaded: unknown, holds: (status: Native) => boolean): unknown => {
  const found = Array.isArray(loaded) ? loaded.filter(isNative).filter(holds) : []
  return (found.find((status) => status.IsDefault === true) ?? found[0])?.ApiName
}

/** Name of a loaded task status by whether a task with it is done. */
export const taskStatus = (loaded: unknown, isClosed: boolean): unknown =>
  statusWith(loaded, (status) => status.IsClosed === isClosed)
