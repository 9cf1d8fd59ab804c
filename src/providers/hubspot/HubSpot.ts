import { Effect, Schema } from "effect"
import { bearer, identify, type OAuth2 } from "../base/Authorization.ts"
import { joining } from "../base/Bulk.ts"
import { remainingIn } from "../base/Limits.ts"
import { type Endpoint, Upstream } from "../base/Upstream.ts"
import type { Following } from "../Following.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { keeping, nativeRecord } from "../KeptValues.ts"
import { provider } from "../Providers.ts"
import { activity } from "./Activity.ts"
import { appointment } from "./Appointment.ts"
import { bulks } from "./Bulks.ts"
import { loadTimeZone } from "./CloseDate.ts"
import { company } from "./Company.ts"
import { contact } from "./Contact.ts"
import { deal } from "./Deal.ts"
import { doubts } from "./Doubts.ts"
import { lead } from "./Lead.ts"
import { linkTypes } from "./LinkTypes.ts"
import { meeting } from "./Meeting.ts"
import { note } from "./Note.ts"
import { owner } from "./Owner.ts"
import { loadPipelines, pipeline } from "./Pipeline.ts"
import { fieldsOf, loadProperties } from "./Properties.ts"
import { push } from "./Push.ts"
import { readError } from "./ReadError.ts"
import { searchText } from "./Search.ts"
import { task } from "./Task.ts"

const baseUrl = "https://api.hubapi.com"

const tokenUrl = `${baseUrl}/oauth/2026-03/token`

/**
 * OAuth 2 authorisation code flow; access tokens live 30 minutes, a refresh answers the refresh token again. Refresh tokens
 * of version 1, which ends on 2027-02-16, are good here too. The guide knows no PKCE for applications with a client secret.
 * Notes, tasks, meetings, calls and messages are read and written with the scopes of contacts; the text of e-mails has one
 * of its own.
 * https://developers.hubspot.com/docs/api-reference/latest/authentication/manage-oauth-tokens
 * https://developers.hubspot.com/docs/api-reference/legacy/authentication/oauth-tokens/v1/migration-guide
 * Scopes: https://developers.hubspot.com/docs/guides/apps/authentication/scopes
 */
const authorization: OAuth2 = {
  kind: "oauth2",
  authorizeUrl: "https://app.hubspot.com/oauth/authorize",
  tokenUrl,
  tokensFromApi: true,
  scopes: [
    "oauth",
    "crm.objects.contacts.read",
    "crm.objects.contacts.write",
    "crm.objects.companies.read",
    "crm.objects.companies.write",
    "crm.objects.deals.read",
    "crm.objects.deals.write",
    "crm.objects.owners.read"
  ],
  clientAuthentication: "body",
  tokenBody: "form",
  pkce: false,
  optionalScopes: {
    parameter: "optional_scope",
    scopes: [
      "crm.objects.leads.read",
      "crm.objects.leads.write",
      "crm.objects.appointments.read",
      "crm.objects.appointments.write",
      "sales-email-read"
    ]
  },
  // stand in `status`: `error` says `invalid_grant` of them, or `invalid_request`; a hub that is gone is `access_denied`
  tokenRefusals: {
    answers: [
      { code: "BAD_REFRESH_TOKEN", means: "person" },
      { code: "BAD_HUB", means: "person" }
    ],
    source: "https://developers.hubspot.com/changelog/new-oauth-v3-api-endpoints-and-standardized-error-responses"
  },
  // https://developers.hubspot.com/docs/api-reference/latest/authentication/oauth-tokens/revoke-token
  revokeUrl: `${tokenUrl}/revoke`,
  // https://developers.hubspot.com/docs/api-reference/2026-03/authentication/oauth-tokens/token-introspect
  introspectUrl: `${tokenUrl}/introspect`,
  identify: identify(
    undefined,
    Schema.Struct({
      active: Schema.Literal(true),
      hub_id: Schema.Number,
      hub_domain: Schema.optional(Schema.String),
      scopes: Schema.Array(Schema.String)
    }),
    ({ hub_domain, hub_id, scopes }) => [{ id: String(hub_id), name: hub_domain ?? `Hub ${hub_id}`, scopes }]
  ),
  apply: bearer
}

/**
 * An application may send 110 requests in 10 seconds to an account; answers to searches do not tell what is left, and no
 * answer tells an application what is left of a day.
 * https://developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines
 */
const readLimits = remainingIn({
  burst: { header: "x-hubspot-ratelimit-remaining", resetAfter: 10 },
  daily: { header: "x-hubspot-ratelimit-daily-remaining" }
})

const endpoint: Endpoint = {
  slug: "hubspot",
  authorization,
  baseUrl,
  concurrency: 8,
  readError,
  readLimits,
  timeout: 30_000
}

/** Seconds that settings of an account stay good. */
const lookupTtl = 300

/**
 * Searches, which tell changes, have 5 calls a second to themselves, and find a write within a minute. Archived records are
 * listed for 90 days, without a filter by when they were archived.
 * https://developers.hubspot.com/docs/api-reference/search/guide
 */
const following: Following = {
  limit: { calls: 5, seconds: 1, of: "account" },
  lag: 120,
  deletions: { days: 90, told: "whole" }
}

export const HubSpot = provider(
  Effect.gen(function* () {
    const upstream = yield* Upstream
    const plain = yield* upstream.caller(endpoint)
    const call = joining(endpoint, bulks, plain)
    const typeOf = yield* linkTypes(call)
    const pipelinesOf = (connection: ConnectionRef, type: "deals" | "leads") =>
      Effect.map(loadPipelines(call, connection, type), (found) => found.map(({ record }) => record))
    const kept = yield* keeping(Schema.Array(nativeRecord))
    const leadPipelines = (connection: ConnectionRef) =>
      kept.get(connection, "lead_pipelines", lookupTtl, pipelinesOf(connection, "leads"))
    return {
      slug: endpoint.slug,
      name: "HubSpot",
      category: "crm",
      authorization,
      api: {
        call: plain,
        root: baseUrl,
        closed: ["/oauth"],
        // of developer accounts: https://developers.hubspot.com/docs/guides/apps/api-key
        credentials: ["hapikey"]
      },
      resources: {
        contact: contact(call, typeOf),
        company: company(call, typeOf),
        lead: lead(call, typeOf, leadPipelines),
        deal: deal(call, typeOf),
        note: note(call, typeOf),
        task: task(call, typeOf),
        meeting: meeting(call, typeOf),
        activity: activity(call, typeOf),
        appointment: appointment(call, typeOf),
        owner: owner(call),
        pipeline: pipeline(call)
      },
      lookups: {
        pipelines: { ttl: lookupTtl, load: (connection) => pipelinesOf(connection, "deals") },
        lead_pipelines: { ttl: lookupTtl, load: (connection) => pipelinesOf(connection, "leads") },
        time_zone: { ttl: lookupTtl, load: (connection) => loadTimeZone(call, connection) },
        /** The property that holds the industry of a company. */
        industries: {
          ttl: lookupTtl,
          load: (connection) =>
            Effect.map(loadProperties(call, connection, "companies"), (found) =>
              found.find(({ name }) => name === "industry")
            )
        },
        /** Names of the properties that appointments have in an account. */
        appointment_properties: {
          ttl: lookupTtl,
          load: (connection) =>
            Effect.map(loadProperties(call, connection, "appointments"), (found) => found.map(({ name }) => name))
        }
      },
      fieldsOf: fieldsOf(call),
      searchText,
      push,
      following,
      doubts
    }
  })
)
