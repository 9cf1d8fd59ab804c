import { Effect } from "effect"
import type { Native } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { Invalid, ProviderError } from "../ProviderError.ts"
import { api, type Org } from "./Org.ts"
import { isId } from "./Soql.ts"

/** A call of its own, or a part of a composite request. */
export interface Part {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** Below the version of the API, with `:name` places for `params`. */
  readonly path: string
  readonly params?: { readonly [name: string]: string }
  readonly query?: { readonly [name: string]: string }
  readonly json?: Native
  readonly headers?: { readonly [name: string]: string }
  /** Names the field that a refusal of the part is about. */
  readonly blame?: (error: ProviderError) => ProviderError
}

// One record: https://developer.salesforce.com/docs/platform/api-rest/guide/resources-sobject-basic-info

/** Salesforce's words for a reference that leads nowhere, which do not tell which one it is. */
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

export const insertion = (type: string, json: Native, headers?: Part["headers"]): Part => ({
  method: "POST",
  path: "/sobjects/:type",
  params: { type },
  json,
  ...(headers === undefined ? {} : { headers }),
  blame: named(json)
})

export const change = (type: string, id: string, json: Native, headers?: Part["headers"]): Part => ({
  method: "PATCH",
  path: "/sobjects/:type/:id",
  params: { type, id },
  json,
  ...(headers === undefined ? {} : { headers }),
  blame: named(json)
})

export const removal = (type: string, id: string): Part => ({
  method: "DELETE",
  path: "/sobjects/:type/:id",
  params: { type, id }
})

/** https://developer.salesforce.com/docs/platform/api-rest/guide/resources-query */
export const query = (soql: string): Part => ({ method: "GET", path: "/query", query: { q: soql } })

/** Sends a part as a call of its own. */
export const send = (
  org: Org,
  connection: ConnectionRef,
  operation: string,
  { blame = (error) => error, path, ...part }: Part
) => org.call(connection, { ...part, operation, path: api + path }).pipe(Effect.mapError(blame))
