import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { type ApiKey, basic, type Endpoint, identify, provider, Upstream } from "tributary/provider"
import { company, contact, owner } from "./Mappings.ts"
import { objects } from "./Objects.ts"
import { readError } from "./ReadError.ts"

/** The key is the user of basic authentication. */
const authorization: ApiKey = {
  kind: "key",
  help: "In Rolodex under Settings, Keys.",
  identify: identify(
    () => HttpClientRequest.get("https://rolodex.example/api/v1/me/"),
    Schema.Struct({ organizations: Schema.Array(Schema.Struct({ id: Schema.String, name: Schema.String })) }),
    ({ organizations }) => organizations.slice(0, 1)
  ),
  apply: basic({ key: "user" })
}

const endpoint: Endpoint = {
  slug: "rolodex",
  authorization,
  baseUrl: "https://rolodex.example",
  concurrency: 4,
  readError,
  timeout: 30_000
}

/** A CRM that a company wrote for itself; it calls companies leads. */
export const Rolodex = provider(
  Effect.gen(function* () {
    const call = yield* (yield* Upstream).caller(endpoint)
    const { consistency, get, list, mapping } = objects(call, owner)
    return {
      slug: endpoint.slug,
      name: "Rolodex",
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
