import { OpenApi } from "@effect/platform"
import { AgentApi, SessionContextsApi, WorkspacesApi } from "./agent/Api.ts"
import { ConnectApi, ConnectionsApi } from "./connections/Api.ts"
import { EndUsersApi } from "./endusers/Api.ts"
import { FieldMappingsApi } from "./fieldmappings/Api.ts"
import { makeApi } from "./platform/ApiErrors.ts"
import { basePath } from "./platform/Paths.ts"
import { ProvidersApi } from "./providers/Api.ts"
import { AccountingApi, CrmApi } from "./records/Api.ts"
import { ApiKeysApi } from "./tenancy/Api.ts"

/** What a group's `Http.ts` implements handler by handler. */
export class ManagementApi extends makeApi("tributary")
  .add(ProvidersApi)
  .add(FieldMappingsApi)
  .add(ConnectApi)
  .add(ConnectionsApi)
  .add(EndUsersApi)
  .add(WorkspacesApi)
  .add(SessionContextsApi)
  .add(ApiKeysApi)
  .prefix(basePath) {}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Two failures of one status are one schema: `anyOf` of twins becomes the one. */
const untwin = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(untwin)
  if (!isObject(value)) return value
  if (Array.isArray(value.anyOf)) {
    const distinct = [...new Map(value.anyOf.map((one: unknown) => [JSON.stringify(one), one])).values()]
    if (distinct.length === 1 && Object.keys(value).length === 1) return untwin(distinct[0])
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, untwin(one)]))
}

const withoutTwins = (spec: Record<string, unknown>) => ({ ...spec, paths: untwin(spec.paths) })

/** The whole interface: what the OpenAPI shows and typed clients are made of. */
export class Api extends makeApi("tributary")
  .addHttpApi(CrmApi)
  .addHttpApi(AccountingApi)
  .addHttpApi(AgentApi)
  .prefix(basePath)
  .addHttpApi(ManagementApi)
  .annotate(OpenApi.Title, "Tributary")
  .annotate(OpenApi.Version, "1.0")
  .annotate(OpenApi.License, { name: "MIT", url: "https://opensource.org/license/mit" })
  .annotate(OpenApi.Servers, [{ url: "/" }])
  .annotate(OpenApi.Transform, withoutTwins)
  .annotate(
    OpenApi.Description,
    "One API over your customers' CRMs and ledgers. Every answer is an envelope; every failure has a code."
  ) {}
