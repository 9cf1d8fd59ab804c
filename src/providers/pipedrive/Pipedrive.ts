import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { bearer, identify, type OAuth2 } from "../base/Authorization.ts"
import { numberIn, type ReadLimits, remainingIn } from "../base/Limits.ts"
import { type Call, type Caller, type Endpoint, Upstream } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { Following } from "../Following.ts"
import type { ProviderAdapter } from "../ProviderAdapter.ts"
import { provider } from "../Providers.ts"
import { activity } from "./Activity.ts"
import { company } from "./Company.ts"
import { contact } from "./Contact.ts"
import { deal } from "./Deal.ts"
import { doubts } from "./Doubts.ts"
import { fieldsOf } from "./Fields.ts"
import { searchText } from "./Filters.ts"
import { lead } from "./Lead.ts"
import { meeting } from "./Meeting.ts"
import { note } from "./Note.ts"
import { all, recordOf, recordsOf } from "./Objects.ts"
import { owner } from "./Owner.ts"
import { pipeline } from "./Pipeline.ts"
import { push } from "./Push.ts"
import { readError } from "./ReadError.ts"
import { activities, leads, namingScopes, users } from "./Scopes.ts"
import { task } from "./Task.ts"
import { isZone } from "../../mapping/Zones.ts"

/**
 * OAuth 2 authorisation code flow; the token answer names the company's own host. Refresh tokens last 60 days and are
 * exchanged on each use. https://pipedrive.readme.io/docs/marketplace-oauth-authorization
 * Scopes: https://pipedrive.readme.io/docs/marketplace-scopes-and-permissions-explanations
 */
const authorization: OAuth2 = {
  kind: "oauth2",
  authorizeUrl: "https://oauth.pipedrive.com/oauth/authorize",
  tokenUrl: "https://oauth.pipedrive.com/oauth/token",
  revokeUrl: "https://oauth.pipedrive.com/oauth/revoke",
  refreshEnd: { after: 60 * 24 * 3600, isRenewed: true },
  rotation: {
    onReuse: "refuses",
    source: "https://pipedrive.readme.io/docs/marketplace-oauth-and-api-proxy-status-codes"
  },
  tokenRefusals: {
    answers: [{ code: "invalid_grant", says: "refresh_token is invalid", status: 400, means: "person" }],
    source: "https://pipedrive.readme.io/docs/marketplace-oauth-and-api-proxy-status-codes"
  },
  scopes: ["base", "deals:full", "contacts:full", "leads:full", "activities:full", "users:read", "webhooks:full"],
  clientAuthentication: "basic",
  tokenBody: "form",
  pkce: false,
  keep: { api_domain: "apiDomain" },
  values: {
    apiDomain: {
      pattern: /^https:\/\/[a-z0-9-]+\.pipedrive\.com\/?$/,
      expected: "must be the address of a company such as https://mycompany.pipedrive.com",
      needed: true
    }
  },
  // https://developers.pipedrive.com/docs/api/v1/Users#getCurrentUser
  identify: identify(
    ({ values }) => HttpClientRequest.get(`${values.apiDomain?.replace(/\/+$/, "") ?? ""}/api/v1/users/me`),
    Schema.Struct({ data: Schema.Struct({ company_id: Schema.Number, company_name: Schema.String }) }),
    ({ data }) => [{ id: String(data.company_id), name: data.company_name }]
  ),
  apply: bearer
}

// https://pipedrive.readme.io/docs/core-api-concepts-rate-limiting
const readLimits: ReadLimits = (headers) =>
  remainingIn({
    burst: { header: "x-ratelimit-remaining", resetAfter: numberIn(headers["x-ratelimit-reset"]) ?? 2 },
    daily: { header: "x-daily-ratelimit-token-remaining" }
  })(headers)

/**
 * The smallest plan allows an application 20 requests in two seconds.
 * https://pipedrive.readme.io/docs/core-api-concepts-rate-limiting
 */
const endpoint: Endpoint = {
  slug: "pipedrive",
  authorization,
  baseUrl: ({ apiDomain }) => apiDomain?.replace(/\/+$/, ""),
  concurrency: 8,
  readError,
  readLimits,
  timeout: 30_000
}

/**
 * A company has at least 30,000 tokens a day, and a list of API v1 costs 20. Deleted deals are listed for 30 days.
 * https://pipedrive.readme.io/docs/core-api-concepts-rate-limiting
 */
const following: Following = {
  limit: { calls: 1500, seconds: 86_400, of: "account" },
  lag: 60,
  deletions: { days: 30, told: "dated" }
}

/**
 * The time zone in which the account reckons days; null for a connection that may not read it.
 * https://developers.pipedrive.com/docs/api/v1/Users#getCurrentUser
 */
const timeZone = (call: Caller) => (connection: ConnectionRef) => {
  const request: Call = { operation: "users.me", method: "GET", path: "/api/v1/users/me" }
  return call(connection, request).pipe(
    Effect.flatMap((answer) => recordOf(request, answer)),
    Effect.map(({ timezone_name }) => (isZone(timezone_name) ? timezone_name : null)),
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotPermitted",
      () => Effect.succeed(null)
    )
  )
}

/** Pipedrive has no appointments: its calendar holds activities. */
export const Pipedrive = provider(
  Effect.gen(function* () {
    const upstream = yield* Upstream
    const plain = yield* upstream.caller(endpoint)
    const call = namingScopes(plain)
    return {
      slug: endpoint.slug,
      name: "Pipedrive",
      category: "crm",
      authorization,
      api: {
        call: plain,
        root: "https://{company}.pipedrive.com",
        closed: ["/oauth"],
        // https://developers.pipedrive.com/docs/api/v1
        credentials: ["api_token"]
      },
      resources: {
        contact: contact(call),
        company: company(call),
        deal: deal(call),
        lead: { ...lead(call), requires: [leads] },
        note: note(call),
        task: { ...task(call), requires: [activities] },
        meeting: { ...meeting(call), requires: [activities] },
        activity: { ...activity(call), requires: [activities] },
        owner: { ...owner(call), requires: [users] },
        pipeline: pipeline(call)
      },
      lookups: {
        organizationFields: { ttl: 300, load: (connection) => all(call, connection, "organizationFields") },
        activityFields: { ttl: 300, load: (connection) => all(call, connection, "activityFields") },
        timeZone: { ttl: 3600, load: timeZone(call) },
        activityTypes: {
          ttl: 300,
          load: (connection) => {
            const request: Call = { operation: "activityTypes.list", method: "GET", path: "/api/v1/activityTypes" }
            return Effect.flatMap(call(connection, request), (answer) => recordsOf(request, answer))
          }
        }
      },
      fieldsOf: fieldsOf(call),
      searchText,
      push: push(call),
      following,
      doubts
    } satisfies ProviderAdapter
  })
)
