import { accountNumber } from "../../simulation/AccountNumber.ts"
import { dailySample } from "../../simulation/DailySample.ts"
import type { Simulator } from "../../simulation/Simulator.ts"
import { seed } from "./Seed.ts"
import { failure } from "./Answers.ts"
import { associationRoutes } from "./AssociationRoutes.ts"
import { features } from "./Features.ts"
import { limited, limitHeaders, limits } from "./Limits.ts"
import { accountOf, badGrant, oauthRoutes, scopesOf } from "./OAuth.ts"
import { objectRoutes } from "./Objects.ts"
import { pushes } from "./Push.ts"
import { settingsRoutes } from "./Settings.ts"
import { types } from "./Types.ts"

/** HubSpot's CRM: records, search, associations, owners, pipelines, properties, OAuth tokens. */
export const simulator: Simulator = {
  slug: "hubspot",
  kinds: types,
  routes: [...objectRoutes, ...associationRoutes, ...settingsRoutes, ...oauthRoutes],
  tokenOf: (request) => /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1],
  accountOf,
  sample: dailySample(seed),
  features,
  scopes: scopesOf,
  accountId: (name) => String(accountNumber({ name }, 8)),
  pushes,
  limits,
  headers: limitHeaders,
  failures: {
    unauthorized: failure(
      401,
      "EXPIRED_AUTHENTICATION",
      "The OAuth token used to make this call expired 2 second(s) ago."
    ),
    badGrant,
    notFound: (request) => failure(404, "OBJECT_NOT_FOUND", `Unable to find a resource at ${request.path}`),
    methodNotAllowed: () => failure(405, "VALIDATION_ERROR", "HTTP 405 Method Not Allowed"),
    rateLimited: limited,
    broken: (status) =>
      status === 403
        ? failure(
            403,
            "MISSING_SCOPES",
            "This app hasn't been granted all required scopes to make this call. Read more about required scopes here: https://developers.hubspot.com/scopes.",
            { errors: [{ message: "One or more of the following scopes are required." }] }
          )
        : failure(status, status >= 500 ? "INTERNAL_ERROR" : "VALIDATION_ERROR", "internal error")
  }
}
