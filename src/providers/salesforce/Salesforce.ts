import { HttpClientRequest } from "@effect/platform"
import { Effect, Record, Schema } from "effect"
import { bearer, identify, type OAuth2, type Place } from "../base/Authorization.ts"
import { joining } from "../base/Bulk.ts"
import type { ReadLimits } from "../base/Limits.ts"
import { type Endpoint, Upstream } from "../base/Upstream.ts"
import type { Following } from "../Following.ts"
import type { ProviderAdapter, ResourceAdapter } from "../ProviderAdapter.ts"
import { provider } from "../Providers.ts"
import { activity } from "./Activity.ts"
import { allowanceIn } from "./Allowance.ts"
import { appointment } from "./Appointment.ts"
import { bulks } from "./Bulks.ts"
import { company } from "./Company.ts"
import { contact } from "./Contact.ts"
import { currency } from "./Currency.ts"
import { deal } from "./Deal.ts"
import { doubts } from "./Doubts.ts"
import { edition } from "./Lacks.ts"
import { lead } from "./Lead.ts"
import { meeting } from "./Meeting.ts"
import { note } from "./Note.ts"
import { api, makeOrg } from "./Org.ts"
import { owner } from "./Owner.ts"
import { pipeline } from "./Pipeline.ts"
import { readError } from "./ReadError.ts"
import { searchText } from "./Search.ts"
import { withChecksum } from "./Soql.ts"
import { stages } from "./Stages.ts"
import { leadStatuses, taskStatuses } from "./Statuses.ts"
import { task } from "./Task.ts"

/**
 * A path where the end user logs in.
 * https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_oauth_endpoints.htm
 */
const atLogin =
  (path: string): Place =>
  ({ loginHost = "login.salesforce.com" }) =>
    `https://${loginHost}${path}`

/**
 * Web server flow with PKCE. The token answer names the org's own host and no lifetime: sessions end as the org decides,
 * which a 401 tells.
 * https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_oauth_web_server_flow.htm
 */
const authorization: OAuth2 = {
  kind: "oauth2",
  authorizeUrl: atLogin("/services/oauth2/authorize"),
  tokenUrl: atLogin("/services/oauth2/token"),
  revokeUrl: atLogin("/services/oauth2/revoke"),
  fields: [
    {
      name: "loginHost",
      label: "My Domain",
      optional: true,
      placeholder: "mycompany.my.salesforce.com",
      help: "Where you log in, when it is not login.salesforce.com; test.salesforce.com for a sandbox."
    }
  ],
  values: {
    loginHost: {
      pattern: /^(?:(?:login|test)\.salesforce\.com|[a-z0-9-]+(?:\.[a-z0-9-]+){0,2}\.my\.salesforce\.com)$/,
      expected: "must be a host such as mycompany.my.salesforce.com, in small letters, or test.salesforce.com"
    },
    instanceUrl: {
      pattern: /^https:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+){0,3}\.(?:salesforce|force|cloudforce)\.com\/?$/,
      expected: "must be the address of an organisation such as https://mycompany.my.salesforce.com",
      needed: true
    }
  },
  scopes: ["api", "refresh_token"],
  clientAuthentication: "body",
  tokenBody: "form",
  pkce: true,
  // "token request is already being processed": https://help.salesforce.com/s/articleView?id=release-notes.rn_security_refresh_token_requests.htm&release=250&type=5
  tokenRefusals: {
    answers: [
      { code: "invalid_grant", says: "token request is already being processed", means: "retry" },
      { code: "invalid_grant", says: "expired authorization code", means: "refresh" },
      { code: "invalid_grant", says: "authentication failure", means: "refresh" },
      { code: "invalid_grant", says: "ip restricted", means: "refresh" },
      { code: "invalid_grant", says: "login rate exceeded", means: "wait" },
      { code: "rate_limit_exceeded", means: "wait" },
      { code: "invalid_grant", says: "expired access/refresh token", means: "person" },
      { code: "invalid_grant", says: "inactive user", means: "person" },
      { code: "invalid_grant", says: "inactive org", means: "person" },
      { code: "inactive_user", means: "person" },
      { code: "inactive_org", means: "person" }
    ],
    source: "https://help.salesforce.com/s/articleView?id=xcloud.remoteaccess_oauth_flow_errors.htm&type=5"
  },
  rotation: {
    onReuse: "revokes",
    isOptional: true,
    source: "https://help.salesforce.com/s/articleView?id=005316711&type=1"
  },
  keep: { instance_url: "instanceUrl" },
  identify: identify(
    ({ values }) =>
      HttpClientRequest.get(`${values.instanceUrl ?? ""}${api}/query`, {
        urlParams: { q: "SELECT Id, Name FROM Organization" }
      }),
    Schema.Struct({ records: Schema.Array(Schema.Struct({ Id: Schema.String, Name: Schema.String })) }),
    ({ records }) => records.map(({ Id, Name }) => ({ id: Id, name: Name }))
  ),
  apply: bearer
}

const readLimits: ReadLimits = (headers) => {
  const said = allowanceIn(headers)
  return said === undefined ? [] : [{ name: "daily", remaining: Math.max(0, said.allowed - said.used) }]
}

/**
 * 25 calls of 20 seconds or more may run at once in an org, so no call is waited for longer, and no more run.
 * https://developer.salesforce.com/docs/atlas.en-us.salesforce_app_limits_cheatsheet.meta/salesforce_app_limits_cheatsheet/salesforce_app_limits_platform_api.htm
 */
const endpoint: Endpoint = {
  slug: "salesforce",
  authorization,
  baseUrl: ({ instanceUrl }) => instanceUrl?.replace(/\/+$/, ""),
  // an organisation moves to another instance or takes another My Domain; its old host then redirects, or is a web page
  // https://help.salesforce.com/s/articleView?id=xcloud.domain_name_redirections_manage.htm
  movesHosts: true,
  concurrency: 25,
  readError,
  readLimits,
  timeout: 20_000
}

/**
 * An org has 15,000 calls a day at least. A transaction may take ten minutes, and its stamps are of its beginning; what was
 * deleted stays in the bin for 15 days.
 * https://developer.salesforce.com/docs/atlas.en-us.salesforce_app_limits_cheatsheet.meta/salesforce_app_limits_cheatsheet/salesforce_app_limits_platform_api.htm
 */
const following: Following = {
  limit: { calls: 15_000, seconds: 86_400, of: "account" },
  lag: 600,
  deletions: { days: 15, told: "dated" }
}

/** Salesforce, Sales Cloud: https://developer.salesforce.com/docs/platform/api-rest/guide */
export const Salesforce = provider(
  Effect.gen(function* () {
    const upstream = yield* Upstream
    const call = yield* upstream.caller(endpoint)
    const org = yield* makeOrg(joining(endpoint, bulks, call))
    return {
      slug: endpoint.slug,
      name: "Salesforce",
      category: "crm",
      authorization,
      api: {
        call,
        root: "https://{instance}.my.salesforce.com",
        // SOAP has the session in its body, and pages of the application have it in the query
        closed: ["/secur", "/services/oauth2", "/services/soap"],
        credentials: ["sid"],
        // https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/headers.htm
        headers: ["sforce-*", "x-sfdc-packageversion-*", "x-prettyprint"]
      },
      resources: Record.map<string, ResourceAdapter, ResourceAdapter>(
        {
          contact: contact(org),
          company: company(org),
          lead: lead(org),
          deal: deal(org),
          note: note(org),
          task: task(org),
          meeting: meeting(org),
          activity: activity(org),
          appointment: appointment(org),
          owner: owner(org),
          pipeline: pipeline(org)
        },
        (resourceAdapter) => ({ ...resourceAdapter, requires: [edition, ...(resourceAdapter.requires ?? [])] })
      ),
      lookups: {
        currency: currency(org),
        stages: stages(org),
        taskStatuses: taskStatuses(org),
        leadStatuses: leadStatuses(org)
      },
      idAsHeld: withChecksum,
      fieldsOf: org.describe,
      held: org.held,
      searchText,
      following,
      doubts
    } satisfies ProviderAdapter
  })
)
