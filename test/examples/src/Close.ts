import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { type ApiKey, basic, type Endpoint, identify, provider, Upstream } from "tributary/provider"
import { company, contact, owner } from "./Mappings.ts"
import { objects } from "./Objects.ts"
import { readError } from "./ReadError.ts"

/** The key is the user of basic authentication. https://developer.close.com/api/overview/api-key-authentication */
const authorization: ApiKey = {
  kind: "key",
  help: "In Close under Settings, Developer, API Keys.",
  identify: identify(
    () => HttpClientRequest.get("https://api.close.com/api/v1/me/"),
    Schema.Struct({ organizations: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String })) }),
    ({ organizations }) => organizations.slice(0, 1)
  ),
  apply: basic({ key: "user" })
}

const endpoint: Endpoint = {
  slug: "close",
  authorization,
  baseUrl: "https://api.close.com",
  concurrency: 4,
  readError,
  timeout: 30_000
}

/** Close calls companies leads. https://developer.close.com/api */
export const Close = provider(
  Effect.gen(function* () {
    const call = yield* (yield* Upstream).caller(endpoint)
    const { consistency, get, list, mapping } = objects(call, owner)
    return {
      slug: endpoint.slug,
      name: "Close",
      category: "crm",
      authorization,
      resources: {
        company: objects(call, company),
        contact: objects(call, contact),
        owner: { mapping, consistency, list, get }
      },
      lookups: {}
    }
  })
)
