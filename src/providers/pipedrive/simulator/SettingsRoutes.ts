import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { accountNumber } from "../../simulation/AccountNumber.ts"
import type { Route } from "../../simulation/Simulator.ts"
import { choiceIn, failure, idIn, integerIn, notFound, ok, queryOf, refuse } from "./Answers.ts"
import { v1, v2 } from "./Limits.ts"
import { cursorPage, cursorParameters } from "./Paging.ts"
import {
  activityTypes,
  company,
  currencies,
  keyOf,
  leadLabels,
  leadSources,
  me,
  pipelines,
  stages,
  type User,
  users,
  uuidOf
} from "./Settings.ts"

// Users: https://developers.pipedrive.com/docs/api/v1/Users

const userView = (user: User) => ({
  id: user.id,
  name: user.name,
  default_currency: company.currency,
  locale: "en_GB",
  lang: 1,
  email: user.email,
  phone: user.phone,
  activated: true,
  last_login: user.isActive ? "2026-10-29 07:52:10" : "2025-02-27 16:03:44",
  created: `2021-03-${String(8 + (user.id % 17)).padStart(2, "0")} 09:30:00`,
  modified: user.isActive ? "2026-09-14 11:20:37" : "2025-03-03 08:11:05",
  has_created_company: user.id === me.id,
  access: [{ app: "sales", admin: user.isAdmin, permission_set_id: uuidOf(`permissions ${String(user.isAdmin)}`) }],
  active_flag: user.isActive,
  timezone_name: user.timezone[0],
  timezone_offset: user.timezone[1],
  role_id: 1,
  icon_url:
    user.id % 2 === 0 ? `https://cdn.fernhill-supply.example/faces/${keyOf(user.email).slice(0, 12)}.jpg` : null,
  is_you: user.id === me.id,
  is_deleted: false
})

const meView = (account: Account) => ({
  ...userView(me),
  company_id: accountNumber(account, 8),
  company_name: company.name,
  company_domain: company.domain,
  company_country: company.country,
  company_industry: "Wholesale",
  language: { language_code: "en", country_code: "GB" }
})

/** A list of API v1 that is always whole. */
const whole = (path: string, cost: number, all: ReadonlyArray<unknown>) =>
  v1("GET", path, cost, (request) => Either.map(queryOf(request, []), () => ok(all)))

const v1Routes = [
  whole("users", 20, users.map(userView)),
  v1("GET", "users/me", 2, (request, account) => Either.map(queryOf(request, []), () => ok(meView(account)))),
  v1("GET", "users/find", 40, (request) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, ["term", "search_by_email"])
      const term = query("term")?.toLowerCase()
      if (term === undefined || term === "") return yield* refuse("term", "is required")
      const byEmail = (yield* choiceIn(query, "search_by_email", ["0", "1"])) === "1"
      return ok(users.filter((user) => (byEmail ? user.email : user.name).toLowerCase().includes(term)).map(userView))
    })
  ),
  v1("GET", "users/:id", 2, (request) =>
    Either.gen(function* () {
      yield* queryOf(request, [])
      const user = users.find(({ id }) => String(id) === idIn(request))
      return user === undefined
        ? yield* Either.left(failure(404, "User not found or not accessible."))
        : ok(userView(user))
    })
  ),
  whole("activityTypes", 20, activityTypes),
  whole("leadLabels", 10, leadLabels),
  whole("leadSources", 2, leadSources),
  v1("GET", "currencies", 20, (request) =>
    Either.map(queryOf(request, ["term"]), (query) => {
      const term = query("term")?.toLowerCase() ?? ""
      return ok(currencies.filter(({ code, name }) => `${code} ${name}`.toLowerCase().includes(term)))
    })
  )
]

// Pipelines and stages: https://developers.pipedrive.com/docs/api/v1/Pipelines

const v2Routes = (
  path: string,
  all: ReadonlyArray<Doc>,
  sorts: ReadonlyArray<string>,
  filters: ReadonlyArray<string>
) => [
  v2("GET", path, 5, (request) =>
    Either.gen(function* () {
      const query = yield* queryOf(request, [...filters, "sort_by", "sort_direction", ...cursorParameters])
      for (const name of filters) yield* integerIn(query, name)
      const listed = all.filter((one) =>
        filters.every((name) => query(name) === undefined || query(name) === String(one[name]))
      )
      const { next_cursor, slice } = yield* cursorPage(query, listed, sorts)
      return ok(slice, { next_cursor })
    })
  ),
  v2("GET", `${path}/:id`, 1, (request) =>
    Either.gen(function* () {
      yield* queryOf(request, [])
      const found = all.find(({ id }) => String(id) === idIn(request))
      return found === undefined ? yield* Either.left(notFound) : ok(found)
    })
  )
]

export const settingsRoutes: ReadonlyArray<Route> = [
  ...v1Routes.flat(),
  ...v2Routes("pipelines", pipelines, ["id", "update_time", "add_time"], []),
  ...v2Routes("stages", stages, ["id", "update_time", "add_time", "order_nr"], ["pipeline_id"])
]
