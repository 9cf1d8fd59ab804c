import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { getPath, natives } from "../../mapping/Mapping.ts"
import { type ApiKey, basic, identify } from "../base/Authorization.ts"
import { type Endpoint, Upstream } from "../base/Upstream.ts"
import type { Following } from "../Following.ts"
import type { ProviderAdapter } from "../ProviderAdapter.ts"
import { provider } from "../Providers.ts"
import { company } from "./Company.ts"
import { contact } from "./Contact.ts"
import { deal } from "./Deal.ts"
import { doubts } from "./Doubts.ts"
import { fieldsOf } from "./Fields.ts"
import { note } from "./Note.ts"
import { owner } from "./Owner.ts"
import { loadPipelines, pipeline } from "./Pipeline.ts"
import { readError } from "./ReadError.ts"
import { searchText } from "./Search.ts"
import { task } from "./Task.ts"

const baseUrl = "https://api.close.com"

/** The key is the user of basic authentication. https://developer.close.com/api/overview/api-key-authentication */
const authorization: ApiKey = {
  kind: "key",
  help: "In Close under Settings, Developer, API Keys.",
  identify: identify(
    () => HttpClientRequest.get(`${baseUrl}/api/v1/me/`),
    Schema.Struct({ organizations: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String })) }),
    ({ organizations }) => organizations.slice(0, 1)
  ),
  apply: basic({ key: "user" })
}

const endpoint: Endpoint = { slug: "close", authorization, baseUrl, concurrency: 4, readError, timeout: 30_000 }

/**
 * Limits are of an endpoint group and differ by account; its answers state them, so the number is our own.
 * https://developer.close.com/topics/rate-limits/
 */
const following: Following = { limit: { calls: 4, seconds: 1, of: "account" }, lag: 60 }

/** Close has companies as leads; what others call a lead is none of its own. https://developer.close.com/api */
export const Close = provider(
  Effect.gen(function* () {
    const call = yield* (yield* Upstream).caller(endpoint)
    return {
      slug: endpoint.slug,
      name: "Close",
      category: "crm",
      authorization,
      api: {
        call,
        root: baseUrl,
        // https://developer.close.com/api/overview/oauth-authentication
        closed: ["/oauth2"],
        credentials: ["api_key"],
        // https://developer.close.com/api/overview/timezone-offsets
        headers: ["x-tz-offset"]
      },
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
        pipelines: {
          ttl: 300,
          load: (connection) => Effect.map(loadPipelines(call, connection), (all) => all.map(({ record }) => record))
        },
        organization: {
          ttl: 3600,
          load: (connection) =>
            Effect.map(
              call(connection, { operation: "me.get", method: "GET", path: "/api/v1/me/" }),
              ({ body }) => natives(getPath(body, "organizations"))[0]
            )
        }
      },
      searchText,
      fieldsOf: fieldsOf(call),
      following,
      doubts
    } satisfies ProviderAdapter
  })
)
