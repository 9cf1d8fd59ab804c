import { Effect } from "effect"
import { bearer, type OAuth2 } from "../axes/Authorization.ts"
import { type Endpoint, Upstream } from "../axes/Upstream.ts"
import { provider } from "../Providers.ts"
import { company } from "./Company.ts"
import { contact } from "./Contact.ts"
import { deal } from "./Deal.ts"
import { readError } from "./ReadError.ts"
import { owner } from "./Owner.ts"
import { loadPipelines, pipeline } from "./Pipeline.ts"

/**
 * OAuth 2 authorisation code flow; access tokens live 30 minutes, a refresh answers the refresh token again. The guide
 * knows no PKCE for applications with a client secret.
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
  refusals: ["BAD_REFRESH_TOKEN"],
  apply: bearer
}

/**
 * An application may send 110 requests in 10 seconds to an account.
 * https://developers.hubspot.com/docs/developer-tooling/platform/usage-guidelines
 */
const endpoint: Endpoint = {
  slug: "hubspot",
  authorization,
  baseUrl: "https://api.hubapi.com",
  concurrency: 8,
  readError,
  timeout: 30_000
}

export const HubSpot = provider(
  Effect.gen(function* () {
    const upstream = yield* Upstream
    const call = yield* upstream.caller(endpoint)
    return {
      slug: endpoint.slug,
      name: "HubSpot",
      category: "crm",
      authorization,
      resources: {
        contact: contact(call),
        company: company(call),
        deal: deal(call),
        owner: owner(call),
        pipeline: pipeline(call)
      },
      lookups: {
        pipelines: {
          ttl: 300,
          load: (connection) =>
            Effect.map(loadPipelines(call, connection), (found) => found.map(({ record }) => record))
        }
      }
    }
  })
)
