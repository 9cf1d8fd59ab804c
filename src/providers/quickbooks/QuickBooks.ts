import { Effect } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import { bearer, type OAuth2 } from "../axes/Authorization.ts"
import { type Endpoint, Upstream } from "../axes/Upstream.ts"
import type { ProviderAdapter } from "../ProviderAdapter.ts"
import { provider } from "../Providers.ts"
import { account } from "./Account.ts"
import { contact } from "./Contact.ts"
import { books } from "./Entities.ts"
import { invoice } from "./Invoice.ts"
import { item } from "./Item.ts"
import { readError } from "./ReadError.ts"

/**
 * Authorization code flow; the redirect back names the company (`realmId`). A refresh may answer a new refresh token.
 * https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0
 */
const authorization: OAuth2 = {
  kind: "oauth2",
  authorizeUrl: "https://appcenter.intuit.com/connect/oauth2",
  tokenUrl: "https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer",
  revokeUrl: "https://developer.api.intuit.com/v2/oauth2/tokens/revoke",
  scopes: ["com.intuit.quickbooks.accounting"],
  clientAuthentication: "basic",
  tokenBody: "form",
  pkce: false,
  keep: { realmId: "realmId" },
  apply: bearer
}

/**
 * 10 calls at a time and 500 a minute for each company. Intuit gives up on a call after 120 seconds.
 * https://developer.intuit.com/app/developer/qbo/docs/learn/limits-and-throttles
 */
const endpoint: Endpoint = {
  slug: "quickbooks",
  authorization,
  baseUrl: ({ realmId }) => (realmId === undefined ? undefined : "https://quickbooks.api.intuit.com"),
  concurrency: 10,
  readError,
  timeout: 30_000
}

/** QuickBooks Online, Accounting API v3: https://developer.intuit.com/app/developer/qbo/docs/api/accounting/all-entities/account */
export const QuickBooks = provider(
  Effect.gen(function* () {
    const call = yield* (yield* Upstream).caller(endpoint)
    const { askOne, queryAll } = books(call)
    return {
      slug: endpoint.slug,
      name: "QuickBooks Online",
      category: "accounting",
      authorization,
      resources: {
        invoice: invoice(call),
        contact: contact(call),
        account: account(call),
        item: item(call)
      },
      lookups: {
        /** The company's settings: its home currency, and whether it uses others. */
        preferences: {
          ttl: 3600,
          load: (connection) =>
            askOne(connection, "Preferences", { operation: "Preferences.get", method: "GET", path: "preferences" })
        },
        /** Active items, reduced to what they post to. */
        items: {
          ttl: 300,
          load: (connection) =>
            Effect.map(queryAll(connection, "Item", []), (items) =>
              items.map((one) => ({
                Id: String(one.Id),
                Type: one.Type,
                IncomeAccountRef: { value: getPath(one, "IncomeAccountRef.value") }
              }))
            )
        }
      }
    } satisfies ProviderAdapter
  })
)
