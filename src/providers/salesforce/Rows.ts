import { Effect } from "effect"
import type { Native } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { Invalid, ProviderError } from "../ProviderError.ts"
import { api, type Org } from "./Org.ts"
import { isId } from "./Soql.ts"

// One record: https://developer.salesforce.com/docs/platform/api-rest/guide/resources-sobject-basic-info

/** What is said of a reference that leads nowhere: not which one it is. */
const leadsNowhere = /^(entity is deleted|invalid cross reference id)$/i

/** Names the field of a reference that leads nowhere, where the record written has only one. */
const named = (json: Native) => (error: ProviderError) => {
  const { detail = "", reason } = error
  const [field, another] = Object.keys(json).filter((name) => name.endsWith("Id") && isId(String(json[name])))
  const isUnnamed = reason._tag === "Invalid" && Object.keys(reason.fields).length === 0 && leadsNowhere.test(detail)
  if (!isUnnamed || field === undefined || another !== undefined) return error
  const { done, operation, provider, status } = error
  return new ProviderError({
    provider,
    operation,
    reason: new Invalid({ fields: { [field]: detail } }),
    status,
    detail,
    done
  })
}

export const insert = (org: Org, connection: ConnectionRef, type: string, json: Native, operation = `${type}.create`) =>
  org
    .call(connection, { operation, method: "POST", path: `${api}/sobjects/:type`, params: { type }, json })
    .pipe(Effect.mapError(named(json)))

export const alter = (
  org: Org,
  connection: ConnectionRef,
  type: string,
  id: string,
  json: Native,
  operation = `${type}.patch`
) =>
  org
    .call(connection, { operation, method: "PATCH", path: `${api}/sobjects/:type/:id`, params: { type, id }, json })
    .pipe(Effect.mapError(named(json)))

export const discard = (org: Org, connection: ConnectionRef, type: string, id: string) => {
  const path = `${api}/sobjects/:type/:id`
  return org.call(connection, { operation: `${type}.remove`, method: "DELETE", path, params: { type, id } })
}
