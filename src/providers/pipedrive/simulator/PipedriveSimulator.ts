import { dailySample } from "../../simulation/DailySample.ts"
import type { Simulator } from "../../simulation/Simulator.ts"
import { failure, gatewayFailure } from "./Answers.ts"
import { fieldRoutes } from "./FieldRoutes.ts"
import { leadRoutes } from "./Leads.ts"
import { burstHeaders, limitHeaders, limits } from "./Limits.ts"
import { noteRoutes } from "./Notes.ts"
import { apiDomain, oauth } from "./OAuth.ts"
import { objectRoutes } from "./Objects.ts"
import { seed } from "./Seed.ts"
import { settingsRoutes } from "./SettingsRoutes.ts"

/** Pipedrive's CRM: API v2 where it exists, v1 for leads, notes, users and settings, OAuth tokens. */
export const simulator: Simulator = {
  slug: "pipedrive",
  routes: [...objectRoutes, ...leadRoutes, ...noteRoutes, ...settingsRoutes, ...fieldRoutes, ...oauth.routes],
  tokenOf: ({ headers }) => /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? headers["x-api-token"],
  accountOf: oauth.accountOf,
  values: (account) => ({ apiDomain: apiDomain(account) }),
  sample: dailySample(seed),
  limits,
  headers: limitHeaders,
  // statuses: https://pipedrive.readme.io/docs/core-api-concepts-http-status-codes
  failures: {
    unauthorized: gatewayFailure(401, "unauthorized access"),
    badGrant: oauth.badGrant,
    notFound: () => failure(404, "Unknown method."),
    methodNotAllowed: () => failure(405, "Method not allowed"),
    rateLimited: (retryAfter) => ({
      ...gatewayFailure(429, "Rate limit exceeded"),
      headers: burstHeaders(0, retryAfter)
    }),
    broken: (status) =>
      status === 403
        ? failure(403, "You do not have permissions to do this.")
        : status >= 500
          ? { status, body: { success: false, error: "Internal Server Error", code: "ERR_UNKNOWN" } }
          : failure(status, "Bad request")
  }
}
