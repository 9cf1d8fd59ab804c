import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { bearer, identify, type OAuth2 } from "../base/Authorization.ts"
import { type Endpoint, Upstream } from "../base/Upstream.ts"
import type { Following } from "../Following.ts"
import type { ProviderAdapter } from "../ProviderAdapter.ts"
import { provider } from "../Providers.ts"
import { company } from "./Company.ts"
import { contact } from "./Contact.ts"
import { deal, loadCurrency, loadMember } from "./Deal.ts"
import { doubts } from "./Doubts.ts"
import { fieldsOf } from "./Fields.ts"
import { note } from "./Note.ts"
import { owner } from "./Owner.ts"
import { loadStages, pipeline } from "./Pipeline.ts"
import { readError } from "./ReadError.ts"
import { task } from "./Task.ts"

const baseUrl = "https://api.attio.com"

/**
 * OAuth 2 authorisation code flow. An application's scopes are set where it is registered and not asked for; tokens do not end.
 * https://docs.attio.com/rest-api/tutorials/connect-an-app-through-oauth
 */
const authorization: OAuth2 = {
  kind: "oauth2",
  authorizeUrl: "https://app.attio.com/authorize",
  tokenUrl: "https://app.attio.com/oauth/token",
  scopes: [],
  clientAuthentication: "body",
  tokenBody: "form",
  pkce: false,
  // Attio documents no refresh tokens. The simulator refuses them with these words.
  tokenRefusals: {
    answers: [{ code: "invalid_grant", says: "refresh token is invalid", status: 400, means: "person" }],
    source: "https://docs.attio.com/rest-api/tutorials/connect-an-app-through-oauth"
  },
  // https://docs.attio.com/rest-api/endpoint-reference/meta/identify
  identify: identify(
    () => HttpClientRequest.get(`${baseUrl}/v2/self`),
    Schema.Struct({
      active: Schema.Literal(true),
      scope: Schema.String,
      workspace_id: Schema.String,
      workspace_name: Schema.String
    }),
    ({ scope, workspace_id, workspace_name }) => [
      { id: workspace_id, name: workspace_name, scopes: scope.split(" ").filter((one) => one !== "") }
    ]
  ),
  apply: bearer
}

/** 100 reads and 25 writes a second. https://docs.attio.com/rest-api/guides/rate-limiting */
const endpoint: Endpoint = { slug: "attio", authorization, baseUrl, concurrency: 8, readError, timeout: 30_000 }

/**
 * 100 reads a second; lists of all records, over and over, are kept to a tenth of that.
 * https://docs.attio.com/rest-api/guides/rate-limiting
 */
const following: Following = { limit: { calls: 10, seconds: 1, of: "account" }, lag: 60 }

export const Attio = provider(
  Effect.gen(function* () {
    const upstream = yield* Upstream
    const call = yield* upstream.caller(endpoint)
    return {
      slug: endpoint.slug,
      name: "Attio",
      category: "crm",
      authorization,
      api: { call, root: baseUrl },
      resources: {
        contact: contact(call),
        company: company(call),
        deal: deal(call),
        note: note(call),
        task: task(call),
        owner: owner(call),
        pipeline: pipeline(call)
      },
      lookups: {
        stages: { ttl: 300, load: (connection) => loadStages(call, connection) },
        deal_currency: { ttl: 3600, load: (connection) => loadCurrency(call, connection) },
        member: { ttl: 3600, load: (connection) => loadMember(call, connection) }
      },
      fieldsOf: fieldsOf(call),
      // all are UUIDs, but for words in lower case
      idAsHeld: (id) => id.toLowerCase(),
      following,
      doubts
    } satisfies ProviderAdapter
  })
)
