import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema } from "effect"
import { bearer, identify, type OAuth2 } from "../../providers/base/Authorization.ts"
import { type Endpoint, Upstream } from "../../providers/base/Upstream.ts"
import { toolkit } from "../Toolkits.ts"
import { calls, modify } from "./Calls.ts"
import { labelTools } from "./LabelTools.ts"
import { readError } from "./ReadError.ts"
import { readTools } from "./ReadTools.ts"
import { writeTools } from "./WriteTools.ts"

/**
 * Google gives a refresh token only for offline access, and again only when consent is asked for again. Access tokens live
 * for an hour; refresh tokens are not replaced. https://developers.google.com/identity/protocols/oauth2/web-server
 */
const authorization: OAuth2 = {
  kind: "oauth2",
  authorizeUrl: "https://accounts.google.com/o/oauth2/v2/auth",
  tokenUrl: "https://oauth2.googleapis.com/token",
  // only where the end user gave access for a time: https://developers.google.com/identity/protocols/oauth2#expiration
  refreshEnd: { told: "refresh_token_expires_in" },
  revokeUrl: "https://oauth2.googleapis.com/revoke",
  // https://developers.google.com/identity/protocols/oauth2/web-server#tokenrevoke
  revokesAll: true,
  scopes: [modify],
  clientAuthentication: "body",
  tokenBody: "form",
  pkce: true,
  tokenRefusals: {
    answers: [
      { code: "invalid_grant", says: "token has been expired or revoked", status: 400, means: "person" },
      { code: "invalid_grant", says: "account has been deleted", status: 400, means: "person" },
      { code: "invalid_grant", says: "bad request", status: 400, means: "refresh" }
    ],
    source: "https://developers.google.com/identity/protocols/oauth2/web-server#authorization-errors-invalid-grant"
  },
  authorizeParameters: { access_type: "offline", prompt: "consent" },
  // https://developers.google.com/workspace/gmail/api/reference/rest/v1/users/getProfile
  identify: identify(
    () => HttpClientRequest.get("https://gmail.googleapis.com/gmail/v1/users/me/profile"),
    Schema.Struct({ emailAddress: Schema.String }),
    ({ emailAddress }) => [{ id: emailAddress, name: emailAddress }]
  ),
  apply: bearer
}

const endpoint: Endpoint = {
  slug: "gmail",
  authorization,
  baseUrl: "https://gmail.googleapis.com",
  // of one mailbox; more at a time are refused: https://developers.google.com/workspace/gmail/api/reference/quota
  concurrency: 8,
  readError,
  timeout: 30_000
}

export const Gmail = toolkit(
  Effect.gen(function* () {
    const upstream = yield* Upstream
    const gmail = calls(yield* upstream.caller(endpoint))
    return {
      slug: endpoint.slug,
      name: "Gmail",
      description:
        "Search, read, draft, send and label mail in Gmail: messages, conversations, drafts, attachments by name, labels.",
      authorization,
      tools: [...readTools(gmail), ...writeTools(gmail), ...labelTools(gmail)]
    }
  })
)
