import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { bearer, identify, type OAuth2 } from "../../providers/base/Authorization.ts"
import { type Endpoint, Upstream } from "../../providers/base/Upstream.ts"
import { toolkit } from "../Toolkits.ts"
import { blockTools } from "./BlockTools.ts"
import { calls } from "./Calls.ts"
import { dataTools } from "./DataTools.ts"
import { pageTools } from "./PageTools.ts"
import { readError } from "./ReadError.ts"

/** The first version with data sources. https://developers.notion.com/reference/versioning */
const headers = { "notion-version": "2025-09-03" }

/**
 * Rights are set where the connection is registered, and pages are picked by the user: there are no scopes. Each refresh
 * replaces the refresh token. https://developers.notion.com/docs/authorization
 */
const authorization: OAuth2 = {
  kind: "oauth2",
  authorizeUrl: "https://api.notion.com/v1/oauth/authorize",
  tokenUrl: "https://api.notion.com/v1/oauth/token",
  revokeUrl: "https://api.notion.com/v1/oauth/revoke",
  revokeBody: "json",
  scopes: [],
  clientAuthentication: "basic",
  tokenBody: "json",
  pkce: false,
  rotation: { onReuse: "refuses", source: "https://developers.notion.com/reference/refresh-a-token" },
  tokenRefusals: {
    answers: [{ code: "invalid_grant", says: "refresh token", status: 400, means: "person" }],
    source: "https://developers.notion.com/reference/refresh-a-token"
  },
  authorizeParameters: { owner: "user" },
  // a bot is one connection's way into one workspace: https://developers.notion.com/reference/get-self
  identify: identify(
    () => HttpClientRequest.get("https://api.notion.com/v1/users/me", { headers }),
    Schema.Struct({
      id: Schema.String,
      bot: Schema.Struct({ workspace_name: Schema.NullishOr(Schema.String) })
    }),
    ({ bot, id }) => [{ id, name: bot.workspace_name ?? "Notion workspace" }]
  ),
  apply: bearer
}

const endpoint: Endpoint = {
  slug: "notion",
  authorization,
  baseUrl: "https://api.notion.com",
  headers: () => headers,
  // three requests a second on average: https://developers.notion.com/reference/request-limits
  concurrency: 3,
  readError,
  timeout: 60_000
}

export const Notion = toolkit(
  Effect.gen(function* () {
    const upstream = yield* Upstream
    const notion = calls(yield* upstream.caller(endpoint))
    return {
      slug: endpoint.slug,
      name: "Notion",
      description:
        "Search, read, write and extend pages in Notion, and query databases: properties, text as Markdown, data sources, people.",
      authorization,
      tools: [...pageTools(notion), ...blockTools(notion), ...dataTools(notion)]
    }
  })
)
