import { Effect } from "effect"
import { bearer, type OAuth2 } from "../axes/Authorization.ts"
import { type Endpoint, Upstream } from "../axes/Upstream.ts"
import type { ProviderAdapter } from "../ProviderAdapter.ts"
import { provider } from "../Providers.ts"
import { company } from "./Company.ts"
import { contact } from "./Contact.ts"
import { deal } from "./Deal.ts"
import { makeOrg } from "./Org.ts"
import { owner } from "./Owner.ts"
import { pipeline } from "./Pipeline.ts"
import { readError } from "./ReadError.ts"
import { stages } from "./Stages.ts"

/**
 * Web server flow with PKCE. The token answer names the org's own host and no lifetime: sessions end as the org decides,
 * which a 401 tells.
 * https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_oauth_web_server_flow.htm
 */
const authorization: OAuth2 = {
  kind: "oauth2",
  authorizeUrl: "https://login.salesforce.com/services/oauth2/authorize",
  tokenUrl: "https://login.salesforce.com/services/oauth2/token",
  revokeUrl: "https://login.salesforce.com/services/oauth2/revoke",
  scopes: ["api", "refresh_token"],
  clientAuthentication: "body",
  tokenBody: "form",
  pkce: true,
  keep: { instance_url: "instanceUrl" },
  apply: bearer
}

/**
 * 25 calls of 20 seconds or more may run at once in an org, so no call is waited for longer, and no more run.
 * https://developer.salesforce.com/docs/atlas.en-us.salesforce_app_limits_cheatsheet.meta/salesforce_app_limits_cheatsheet/salesforce_app_limits_platform_api.htm
 */
const endpoint: Endpoint = {
  slug: "salesforce",
  authorization,
  baseUrl: ({ instanceUrl }) => instanceUrl?.replace(/\/+$/, ""),
  concurrency: 25,
  readError,
  timeout: 20_000
}

/** Salesforce, Sales Cloud: https://developer.salesforce.com/docs/platform/api-rest/guide */
export const Salesforce = provider(
  Effect.gen(function* () {
    const upstream = yield* Upstream
    const org = yield* makeOrg(yield* upstream.caller(endpoint))
    return {
      slug: endpoint.slug,
      name: "Salesforce",
      category: "crm",
      authorization,
      resources: {
        contact: contact(org),
        company: company(org),
        deal: deal(org),
        owner: owner(org),
        pipeline: pipeline(org)
      },
      lookups: { stages: stages(org) }
    } satisfies ProviderAdapter
  })
)
