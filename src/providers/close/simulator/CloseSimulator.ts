import { Either } from "effect"
import { accountNumber } from "../../simulation/AccountNumber.ts"
import { dailySample } from "../../simulation/DailySample.ts"
import { basicOf, type Reply, type Simulator } from "../../simulation/Simulator.ts"
import { settings } from "../../simulation/table/Kind.ts"
import { whole } from "../../simulation/table/Pages.ts"
import { asked, listRoute, none, readRoutes, routesOf, type Style } from "../../simulation/table/Routes.ts"
import { counted, failure, style } from "./Answers.ts"
import { contact, customFieldSchema, kinds, lead, opportunity, sumsOf, task } from "./Kinds.ts"
import { searchRoutes } from "./Search.ts"
import { seed } from "./Seed.ts"
import { leadStatuses, me, opportunityStatuses, organization, pipelines, users } from "./Settings.ts"

const wholeStyle: Style = { ...style, pages: whole, many: (data) => ({ status: 200, body: { has_more: false, data } }) }

const styles = new Map([
  [lead, counted()],
  [task, counted()],
  [opportunity, counted(sumsOf)]
])

/** An account is an organisation, with an id of its own. */
const organizationOf = (account: { readonly name: string }) => ({
  ...organization,
  id: `orga_${accountNumber(account, 12)}`
})

/** Calls of a key in eight seconds, as others recorded them: https://github.com/nested-tech/closex */
const mostCalls = 320

const limited = (retryAfter: number): Reply => ({
  status: 429,
  headers: { ratelimit: `limit=${mostCalls}, remaining=0, reset=${retryAfter}` },
  body: { message: "API call count exceeded for this period", rate_reset: String(retryAfter), rate_window: 8 }
})

/** Close's API, which is entered with an API key. https://developer.close.com/api */
export const simulator: Simulator = {
  slug: "close",
  kinds,
  routes: [
    ...kinds.flatMap((kind) => routesOf(styles.get(kind) ?? style, kind)),
    ...searchRoutes,
    ...readRoutes(style, settings("user", users)),
    ...listRoute(wholeStyle, settings("pipeline", pipelines)),
    ...listRoute(wholeStyle, settings("status/lead", leadStatuses)),
    ...listRoute(wholeStyle, settings("status/opportunity", opportunityStatuses)),
    ...[lead, contact, opportunity].flatMap((kind) =>
      style.route("GET", `custom_field_schema/${kind.name}`, "get", (request, account) =>
        Either.map(asked(style, none, request, account), () => ({
          status: 200,
          body: customFieldSchema(account, kind)
        }))
      )
    ),
    ...style.route("GET", "me", "get", (request, account) =>
      Either.map(asked(style, none, request, account), () => ({
        status: 200,
        body: { ...me, organizations: [organizationOf(account)] }
      }))
    )
  ],
  tokenOf: (request) => basicOf(request)?.user,
  sample: dailySample(seed),
  limits: { windows: [{ name: "eight seconds", most: mostCalls, window: 8000, refuse: limited }] },
  failures: {
    unauthorized: failure(
      401,
      "The server could not verify that you are authorized to access the URL requested. You either supplied the wrong credentials (e.g. a bad password), or your browser doesn't understand how to supply the credentials required."
    ),
    notFound: () => failure(404, "Not found"),
    methodNotAllowed: () => failure(405, "The method is not allowed for the requested URL."),
    // https://developer.close.com/api/overview/rate-limits
    rateLimited: limited,
    broken: (status) => failure(status, status === 403 ? "Forbidden" : "Something went wrong.")
  }
}
