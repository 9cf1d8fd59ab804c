import { HttpClientRequest } from "@effect/platform"
import { Effect, Redacted, Schema } from "effect"
import { bearer, identify, type OAuth2 } from "../axes/Authorization.ts"
import { remainingIn } from "../axes/Limits.ts"
import { type Endpoint, Upstream } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { provider } from "../Providers.ts"
import { activity } from "./Activity.ts"
import { appointment } from "./Appointment.ts"
import { company } from "./Company.ts"
import { contact } from "./Contact.ts"
import { deal } from "./Deal.ts"
import { lead } from "./Lead.ts"
import { meeting } from "./Meeting.ts"
import { note } from "./Note.ts"
import { owner } from "./Owner.ts"
import { loadPipelines, pipeline } from "./Pipeline.ts"
import { fieldsOf, loadProperties } from "./Properties.ts"
import { readError } from "./ReadError.ts"
import { task } from "./Task.ts"

/**
 * OAuth 2 authorisation code flow; access tokens live 30 minutes, a refresh answers the refresh token again. The guide
 * knows no PKCE for applications with a client secret. Notes, tasks, meetings, calls and messages are read and written
 * with the scopes of contacts; the text of e-mails has one of its own.
 * https://developers.hubspot.com/docs/guides/apps/authentication/working-with-oauth
 * Scopes: https://developers.hubspot.com/docs/guides/apps/authentication/scopes
 */
const authorization: OAuth2 = {
  kind: "oauth2",
  authorizeUrl: "https://app.hubspot.com/oauth/authorize",
  tokenUrl: "https://api.hubapi.com/oauth/v1/token",
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
  refusals: ["BAD_REFRESH_TOKEN"],
  // https://developers.hubspot.com/docs/api-reference/auth-oauth-v1/tokens/delete-oauth-v1-refresh-tokens-token
  revoke: (token) => HttpClientRequest.del(`https://api.hubapi.com/oauth/v1/refresh-tokens/${Redacted.value(token)}`),
  // https://developers.hubspot.com/docs/api-reference/auth-oauth-v1/tokens/get-oauth-v1-access-tokens-token
  identify: identify(
    ({ secret }) => HttpClientRequest.get(`https://api.hubapi.com/oauth/v1/access-tokens/${Redacted.value(secret)}`),
    Schema.Struct({ hub_id: Schema.Number, hub_domain: Schema.String, scopes: Schema.Array(Schema.String) }),
    ({ hub_domain, hub_id, scopes }) => [{ id: String(hub_id), name: hub_domain, scopes }]
  ),
  apply: bearer
}

/**
 * An application may send 110 requests in 10 seconds to an account; the answers of searches say nothing, and what is left
 * of a day is not told to applications.
 * https://developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines
 */
const readLimits = remainingIn({
  burst: { header: "x-hubspot-ratelimit-remaining", resetAfter: 10 },
  daily: { header: "x-hubspot-ratelimit-daily-remaining" }
})

const endpoint: Endpoint = {
  slug: "hubspot",
  authorization,
  baseUrl: "https://api.hubapi.com",
  concurrency: 8,
  readError,
  readLimits,
  timeout: 30_000
}

export const HubSpot = provider(
  Effect.gen(function* () {
    const upstream = yield* Upstream
    const call = yield* upstream.caller(endpoint)
    const pipelinesOf = (connection: ConnectionRef, type: "deals" | "leads") =>
      Effect.map(loadPipelines(call, connection, type), (found) => found.map(({ record }) => record))
    return {
      slug: endpoint.slug,
      name: "HubSpot",
      category: "crm",
      authorization,
      resources: {
        contact: contact(call),
        company: company(call),
        lead: lead(call),
        deal: deal(call),
        note: note(call),
        task: task(call),
        meeting: meeting(call),
        activity: activity(call),
        appointment: appointment(call),
        owner: owner(call),
        pipeline: pipeline(call)
      },
      lookups: {
        pipelines: { ttl: 300, load: (connection) => pipelinesOf(connection, "deals") },
        lead_pipelines: { ttl: 300, load: (connection) => pipelinesOf(connection, "leads") },
        /** Names of the properties that appointments have in an account. */
        appointment_properties: {
          ttl: 300,
          load: (connection) =>
            Effect.map(loadProperties(call, connection, "appointments"), (found) => found.map(({ name }) => name))
        }
      },
      fieldsOf: fieldsOf(call)
    }
  })
)
