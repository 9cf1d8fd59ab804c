import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { type ApiKey, bearer, type Endpoint, identify, provider, remainingIn, Upstream } from "tributary/provider"
import { contact } from "./crm/Contact.ts"
import { doubts } from "./Doubts.ts"
import { readError } from "./ReadError.ts"

const baseUrl = "https://api.acme.example"

/** How an end user's account is opened. https://developer.acme.example/authentication */
const authorization: ApiKey = {
  kind: "key",
  help: "In Acme under Settings, API keys.",
  identify: identify(
    () => HttpClientRequest.get(`${baseUrl}/v1/me`),
    Schema.Struct({ data: Schema.Struct({ account_id: Schema.String, account_name: Schema.String }) }),
    ({ data }) => [{ id: data.account_id, name: data.account_name }]
  ),
  apply: bearer
}

/** What every call needs. Limits: https://developer.acme.example/limits */
const endpoint: Endpoint = {
  slug: "acme",
  authorization,
  baseUrl,
  concurrency: 4,
  readError,
  readLimits: remainingIn({ minute: { header: "x-ratelimit-remaining", resetAfter: 60 } }),
  timeout: 30_000
}

export const Acme = provider(
  Effect.gen(function* () {
    const call = yield* (yield* Upstream).caller(endpoint)
    return {
      slug: endpoint.slug,
      name: "Acme",
      category: "crm",
      authorization,
      api: { call, root: baseUrl },
      resources: { contact: contact(call) },
      lookups: {},
      doubts
    }
  })
)
