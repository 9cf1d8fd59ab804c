import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { identify, type OAuth2, scheme } from "../axes/Authorization.ts"
import { remainingIn } from "../axes/Limits.ts"
import { type Endpoint, Upstream } from "../axes/Upstream.ts"
import type { ProviderAdapter } from "../ProviderAdapter.ts"
import { provider } from "../Providers.ts"
import { activity } from "./Activity.ts"
import { appointment } from "./Appointment.ts"
import { company } from "./Company.ts"
import { contact } from "./Contact.ts"
import { accountsServer, dataCentres } from "./DataCentre.ts"
import { deal } from "./Deal.ts"
import { doubts } from "./Doubts.ts"
import { fieldsOf } from "./Fields.ts"
import { held, namingLacks } from "./Lacks.ts"
import { lead } from "./Lead.ts"
import { meeting } from "./Meeting.ts"
import { note } from "./Note.ts"
import { owner } from "./Owner.ts"
import { pipeline } from "./Pipeline.ts"
import { readError } from "./ReadError.ts"
import { pipelines } from "./Stages.ts"
import { task } from "./Task.ts"

/**
 * The token answer names the host of the account's data centre. A refresh token comes only with offline access, and only
 * when the end user is asked; refreshing does not replace it.
 * https://www.zoho.com/crm/developer/docs/api/v8/auth-request.html
 * https://www.zoho.com/crm/developer/docs/api/v8/refresh.html
 */
const authorization: OAuth2 = {
  kind: "oauth2",
  authorizeUrl: (values) => `${accountsServer(values)}/oauth/v2/auth`,
  tokenUrl: (values) => `${accountsServer(values)}/oauth/v2/token`,
  revokeUrl: (values) => `${accountsServer(values)}/oauth/v2/token/revoke`,
  scopes: [
    "ZohoCRM.modules.ALL",
    "ZohoCRM.modules.notes.ALL",
    "ZohoCRM.modules.appointments.ALL",
    "ZohoCRM.coql.READ",
    "ZohoCRM.settings.fields.READ",
    "ZohoCRM.settings.layouts.READ",
    "ZohoCRM.settings.modules.READ",
    "ZohoCRM.settings.pipeline.READ",
    "ZohoCRM.users.READ",
    "ZohoCRM.org.READ"
  ],
  scopeSeparator: ",",
  clientAuthentication: "body",
  tokenBody: "form",
  pkce: false,
  authorizeParameters: { access_type: "offline", prompt: "consent" },
  keep: { api_domain: "apiDomain", location: "location" },
  fields: [
    {
      name: "location",
      label: "Data centre",
      optional: true,
      help: "Leave it open: Zoho finds it, unless your account is in China.",
      options: dataCentres
    }
  ],
  values: {
    apiDomain: {
      pattern: /^https:\/\/www\.zohoapis\.(?:com|eu|in|com\.au|jp|ca|sa|uk|com\.cn)\/?$/,
      expected: "must be the address of a data centre such as https://www.zohoapis.eu",
      needed: true
    },
    location: { pattern: /^[a-z]{2}$/, expected: "must be a data centre such as us or eu" }
  },
  // https://www.zoho.com/crm/developer/docs/api/v8/get-org-data.html
  identify: identify(
    ({ values }) => HttpClientRequest.get(`${values.apiDomain?.replace(/\/+$/, "") ?? ""}/crm/v8/org`),
    Schema.Struct({ org: Schema.Array(Schema.Struct({ zgid: Schema.String, company_name: Schema.String })) }),
    ({ org }) => org.map(({ company_name, zgid }) => ({ id: zgid, name: company_name }))
  ),
  // errors come with status 200
  refusals: ["invalid_code", "invalid_token"],
  apply: scheme("Zoho-oauthtoken")
}

/** Credits of the day; said once half of them are gone. */
const readLimits = remainingIn({ daily: { header: "x-api-credits-remaining" } })

/**
 * Ten calls may run at once in most editions, more in some.
 * https://www.zoho.com/crm/developer/docs/api/v8/api-limits.html
 */
const endpoint: Endpoint = {
  slug: "zoho_crm",
  authorization,
  baseUrl: ({ apiDomain }) => apiDomain?.replace(/\/+$/, ""),
  concurrency: 10,
  readError,
  readLimits,
  timeout: 20_000
}

/** Zoho CRM: https://www.zoho.com/crm/developer/docs/api/v8/ */
export const ZohoCrm = provider(
  Effect.gen(function* () {
    const upstream = yield* Upstream
    const call = namingLacks(yield* upstream.caller(endpoint))
    return {
      slug: endpoint.slug,
      name: "Zoho CRM",
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
      lookups: { pipelines: pipelines(call) },
      fieldsOf: fieldsOf(call),
      held: held(call),
      doubts
    } satisfies ProviderAdapter
  })
)
