import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { identify } from "../base/Authorization.ts"
import { joining } from "../base/Bulk.ts"
import { remainingIn } from "../base/Limits.ts"
import { type Endpoint, Upstream } from "../base/Upstream.ts"
import { apiOf, zohoOAuth, zohoRoot } from "../base/ZohoAccounts.ts"
import type { Following } from "../Following.ts"
import { keeping } from "../KeptValues.ts"
import type { ProviderAdapter } from "../ProviderAdapter.ts"
import { provider } from "../Providers.ts"
import { activity } from "./Activity.ts"
import { appointment } from "./Appointment.ts"
import { bulks } from "./Bulks.ts"
import { loadMetadata, type Metadata } from "./Columns.ts"
import { company } from "./Company.ts"
import { contact } from "./Contact.ts"
import { searchText } from "./Criteria.ts"
import { organisationCurrency } from "./Currency.ts"
import { deal } from "./Deal.ts"
import { doubts } from "./Doubts.ts"
import { fieldsOf } from "./Fields.ts"
import { held, namingLacks } from "./Lacks.ts"
import { lead } from "./Lead.ts"
import { meeting } from "./Meeting.ts"
import { note } from "./Note.ts"
import { owner } from "./Owner.ts"
import { pipeline } from "./Pipeline.ts"
import { push } from "./Push.ts"
import { readError } from "./ReadError.ts"
import { pipelines } from "./Stages.ts"
import { task } from "./Task.ts"

/**
 * https://www.zoho.com/crm/developer/docs/api/v8/auth-request.html
 * https://www.zoho.com/crm/developer/docs/api/v8/refresh.html
 */
const authorization = zohoOAuth({
  scopes: [
    "ZohoCRM.modules.ALL",
    "ZohoCRM.modules.notes.ALL",
    "ZohoCRM.modules.appointments.ALL",
    "ZohoCRM.coql.READ",
    "ZohoSearch.securesearch.READ",
    "ZohoCRM.settings.fields.READ",
    "ZohoCRM.settings.layouts.READ",
    "ZohoCRM.settings.modules.READ",
    "ZohoCRM.settings.pipeline.READ",
    "ZohoCRM.users.READ",
    "ZohoCRM.org.READ",
    "ZohoCRM.notifications.ALL"
  ],
  // https://www.zoho.com/crm/developer/docs/api/v8/get-org-data.html
  identify: identify(
    ({ values }) => HttpClientRequest.get(`${apiOf(values) ?? ""}/crm/v8/org`),
    Schema.Struct({ org: Schema.Array(Schema.Struct({ zgid: Schema.String, company_name: Schema.String })) }),
    ({ org }) => org.map(({ company_name, zgid }) => ({ id: zgid, name: company_name }))
  )
})

/** Credits of the day; said once half of them are gone. */
const readLimits = remainingIn({ daily: { header: "x-api-credits-remaining" } })

/**
 * Ten calls may run at once in most editions, more in some.
 * https://www.zoho.com/crm/developer/docs/api/v8/api-limits.html
 */
const endpoint: Endpoint = {
  slug: "zoho_crm",
  authorization,
  baseUrl: apiOf,
  concurrency: 10,
  readError,
  readLimits,
  timeout: 20_000
}

/**
 * An organisation has 5,000 credits in 24 hours at least. Deleted records are told for the 60 days that they are in the bin.
 * https://www.zoho.com/crm/developer/docs/api/v8/api-limits.html
 */
const following: Following = {
  limit: { calls: 5000, seconds: 86_400, of: "account" },
  lag: 60,
  deletions: { days: 60, told: "dated" }
}

/** Zoho CRM: https://www.zoho.com/crm/developer/docs/api/v8/ */
export const ZohoCrm = provider(
  Effect.gen(function* () {
    const upstream = yield* Upstream
    const plain = yield* upstream.caller(endpoint)
    const call = namingLacks(joining(endpoint, bulks, plain))
    const { load, ttl } = pipelines(call)
    const kept = yield* keeping(Schema.Unknown, 2500)
    const loadFields = loadMetadata(call)
    const metadata: Metadata = (connection, module) =>
      kept.get(connection, `fields/${module}`, ttl, loadFields(connection, module))
    return {
      slug: endpoint.slug,
      name: "Zoho CRM",
      category: "crm",
      authorization,
      api: {
        call: plain,
        root: zohoRoot,
        // https://www.zoho.com/crm/developer/docs/functions/serverless-fn-rest-api.html
        credentials: ["authtoken", "zapikey"],
        // fields that hold ids of other systems: https://www.zoho.com/developer/docs/vertical-solutions/api/v3/records-api-ext-id-overview.html
        headers: ["x-external"]
      },
      resources: {
        contact: contact(call, metadata),
        company: company(call, metadata),
        lead: { ...lead(call, metadata), looks: 2 },
        deal: deal(call, (connection) => kept.get(connection, "pipelines", ttl, load(connection)), metadata),
        note: note(call),
        task: task(call),
        meeting: meeting(call),
        activity: activity(call),
        appointment: appointment(call),
        owner: owner(call),
        pipeline: pipeline(call)
      },
      lookups: { pipelines: { load, ttl }, organisationCurrency: organisationCurrency(call, metadata) },
      fieldsOf: fieldsOf(call),
      held: held(call),
      searchText,
      push: push(call),
      following,
      doubts
    } satisfies ProviderAdapter
  })
)
