import type { Doc } from "../../simulation/Account.ts"
import { dailySample } from "../../simulation/DailySample.ts"
import type { Simulator } from "../../simulation/Simulator.ts"
import { list, routesOf } from "../../simulation/table/Routes.ts"
import { failure, v2Style } from "./Answers.ts"
import { entities } from "./Entities.ts"
import { features, scopesOf } from "./Features.ts"
import { fieldRoutes } from "./FieldRoutes.ts"
import { gatewayFailure } from "./Gateway.ts"
import { leadRoutes, leads } from "./Leads.ts"
import { limited, limitHeaders, limits, v2 } from "./Limits.ts"
import { mergeRoutes } from "./Merge.ts"
import { noteRoutes, notes } from "./Notes.ts"
import { apiDomain, oauth } from "./OAuth.ts"
import { searches } from "./Search.ts"
import { seed } from "./Seed.ts"
import { settingsRoutes } from "./SettingsRoutes.ts"
import { pushes, webhookRoutes } from "./Webhooks.ts"

const style = v2Style({ list: 10, get: 1, create: 5, update: 5, remove: 3 })

const archivedDeals = { ...entities.deals, isListed: ({ is_archived }: Doc) => is_archived === true }

/** Pipedrive's CRM: API v2 where it exists, v1 for leads, notes, users and settings, OAuth tokens. */
export const simulator: Simulator = {
  slug: "pipedrive",
  kinds: [...Object.values(entities), leads, notes],
  routes: [
    ...searches,
    v2("GET", "deals/archived", 20, list(style, archivedDeals)),
    ...Object.values(entities).flatMap((kind) => routesOf(style, kind)),
    ...mergeRoutes,
    ...leadRoutes,
    ...noteRoutes,
    ...settingsRoutes,
    ...fieldRoutes,
    ...webhookRoutes,
    ...oauth.routes
  ],
  tokenOf: ({ headers }) => /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? headers["x-api-token"],
  accountOf: oauth.accountOf,
  values: (account) => ({ apiDomain: apiDomain(account) }),
  sample: dailySample(seed),
  limits,
  features,
  scopes: scopesOf,
  pushes,
  headers: limitHeaders,
  // statuses: https://pipedrive.readme.io/docs/core-api-concepts-http-status-codes
  failures: {
    unauthorized: gatewayFailure(401, "unauthorized access"),
    badGrant: oauth.badGrant,
    notFound: () => failure(404, "Unknown method."),
    methodNotAllowed: () => failure(405, "Method not allowed"),
    rateLimited: limited,
    broken: (status) =>
      status === 403
        ? failure(403, "You do not have permissions to do this.")
        : status >= 500
          ? { status, body: { success: false, error: "Internal Server Error", code: "ERR_UNKNOWN" } }
          : failure(status, "Bad request")
  }
}
