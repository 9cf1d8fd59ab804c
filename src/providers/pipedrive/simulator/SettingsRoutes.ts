import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { accountNumber } from "../../simulation/AccountNumber.ts"
import { settings } from "../../simulation/table/Kind.ts"
import { whole } from "../../simulation/table/Pages.ts"
import { anyText, equal, oneOf, parameter, where } from "../../simulation/table/Query.ts"
import { asked, list, listRoute, none, readRoutes, type Style } from "../../simulation/table/Routes.ts"
import { failure, ok, v1Style, v2Style } from "./Answers.ts"
import { v1 } from "./Limits.ts"
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
  timeZoneOf,
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
  timezone_name: timeZoneOf(account),
  company_id: accountNumber(account, 8),
  company_name: company.name,
  company_domain: company.domain,
  company_country: company.country,
  company_industry: "Wholesale",
  language: { language_code: "en", country_code: "GB" }
})

const wholeStyle: Style = {
  ...v1Style,
  pages: whole,
  missing: () => failure(404, "User not found or not accessible."),
  many: (records) => ok(records)
}

/** Users come with the company that they are of; one that is read alone does too. */
const userStyle: Style = {
  ...wholeStyle,
  pages: () => ({
    names: [],
    read: (_, account) => Either.right((records) => ({ records, place: { company_id: accountNumber(account, 8) } }))
  }),
  many: (records, company) => ok(records, company)
}

const wholeList = (path: string, cost: number, all: ReadonlyArray<Doc>) =>
  v1("GET", path, cost, list(wholeStyle, settings(path, all)))

const byEmail = parameter("search_by_email", oneOf(["0", "1"]))

const search: Style["pages"] = () => ({
  names: ["term", ...byEmail.names],
  read: (query, account) =>
    Either.gen(function* () {
      const term = query("term")?.toLowerCase() ?? ""
      if (term === "") return yield* Either.left([{ path: "term", complaint: { is: "required" } } as const])
      const field = (yield* byEmail.read(query, account)) === "1" ? "email" : "name"
      return (records) => ({
        records: records.filter((user) => String(user[field]).toLowerCase().includes(term)),
        place: {}
      })
    })
})

const userViews = users.map(userView)

const v1Routes = [
  ...v1("GET", "users/me", 2, (request, account) =>
    Either.map(asked(v1Style, none, request, account), () => ok(meView(account)))
  ),
  ...v1("GET", "users/find", 40, list({ ...wholeStyle, pages: search }, settings("users", userViews))),
  ...listRoute(userStyle, settings("users", userViews)),
  ...v1("GET", "users/:id", 2, (request, account) =>
    Either.flatMap(asked(v1Style, none, request, account), () => {
      const found = userViews.find(({ id }) => String(id) === request.params.id)
      return found === undefined
        ? Either.left(wholeStyle.missing("users"))
        : Either.right(ok(found, { company_id: accountNumber(account, 8) }))
    })
  ),
  ...wholeList("activityTypes", 20, activityTypes),
  ...wholeList("leadLabels", 10, leadLabels),
  ...wholeList("leadSources", 2, leadSources),
  ...v1(
    "GET",
    "currencies",
    20,
    list(
      wholeStyle,
      settings("currencies", currencies, {
        filters: [
          where("term", anyText, ({ code, name }, term) =>
            `${String(code)} ${String(name)}`.toLowerCase().includes(term.toLowerCase())
          )
        ]
      })
    )
  )
]

// Pipelines and stages: https://developers.pipedrive.com/docs/api/v1/Pipelines

const style = v2Style({ list: 5, get: 1 })

const sorts = ["id", "update_time", "add_time"]

export const settingsRoutes = [
  ...v1Routes,
  ...readRoutes(style, settings("pipelines", pipelines, { sorts })),
  ...readRoutes(style, settings("stages", stages, { sorts: [...sorts, "order_nr"], filters: [equal("pipeline_id")] }))
]
