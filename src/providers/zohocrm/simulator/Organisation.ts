import { Either } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { accountNumber } from "../../simulation/AccountNumber.ts"
import type { Reply, SimulatedRequest } from "../../simulation/Simulator.ts"
import { type Checked, idInPath, nothing, ok } from "./Answers.ts"
import { choiceParam, numbered, timeIn } from "./Lists.ts"
import { byline, isId, me } from "./Stamps.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/get-users.html

const isAdministrator = (user: Doc) => user.profile === "Administrator"

const types: { readonly [type: string]: (user: Doc, org: Org) => boolean } = {
  AllUsers: ({ status }) => status !== "deleted",
  AllActiveUsers: ({ status }) => status === "active",
  ActiveUsers: ({ status }) => status === "active",
  DeactiveUsers: ({ status }) => status === "disabled",
  DeletedUsers: ({ status }) => status === "deleted",
  ConfirmedUsers: ({ confirm, status }) => confirm === true && status !== "deleted",
  NotConfirmedUsers: ({ confirm, status }) => confirm === false && status !== "deleted",
  ActiveConfirmedUsers: ({ confirm, status }) => confirm === true && status === "active",
  AdminUsers: isAdministrator,
  ActiveConfirmedAdmins: (user) => isAdministrator(user) && user.status === "active" && user.confirm === true,
  DeveloperUsers: () => false,
  ActiveLiteUser: () => false,
  CurrentUser: ({ id }, org) => id === me(org)
}

const shownUser = (org: Org, user: Doc): Doc => ({
  ...user,
  created_by: byline(org, user.created_by),
  Modified_By: byline(org, user.Modified_By),
  profile: { name: user.profile, id: user.profile === "Administrator" ? "554023000000015972" : "554023000000015975" },
  role: { name: user.role, id: user.role === "CEO" ? "554023000000015969" : "554023000000015966" },
  alias: null,
  phone: null,
  mobile: null,
  microsoft: false,
  sandboxDeveloper: false,
  locale: "en_US",
  country_locale: "en_US",
  language: "en_US",
  time_zone: "Asia/Kolkata",
  time_format: "hh:mm a",
  date_format: "MM/dd/yyyy",
  decimal_separator: "Period",
  type__s: "Regular User",
  $current_shift: null,
  $next_shift: null,
  $shift_effective_from: null
})

export const users = (org: Org, request: SimulatedRequest): Checked<Reply> =>
  Either.gen(function* () {
    const type = yield* choiceParam(request.query, "type", ["AllUsers", ...Object.keys(types)])
    const since = timeIn(request, "if-modified-since") ?? 0
    const found = org
      .all("users")
      .filter((user) => types[type]?.(user, org) === true && Date.parse(String(user.Modified_Time)) > since)
    const { info, rows } = yield* numbered(request.query, found)
    return rows.length === 0 ? nothing : ok({ users: rows.map((user) => shownUser(org, user)), info })
  })

export const user = (org: Org, request: SimulatedRequest): Checked<Reply> => {
  const id = request.params["id"] ?? ""
  if (!isId(id)) return Either.left(idInPath)
  const found = org.get("users", id)
  return Either.right(found === undefined ? nothing : ok({ users: [shownUser(org, found)] }))
}

/** https://www.zoho.com/crm/developer/docs/api/v8/get-org-data.html */
export const organisation = (org: Org): Checked<Reply> => {
  const [first] = org.all("users")
  return Either.right(
    ok({
      org: [
        {
          id: "554023000000000225",
          zgid: String(accountNumber(org, 11)),
          ezgid: null,
          type: "production",
          company_name: "Northwind Instruments",
          alias: null,
          domain_name: `org_${org.name}`,
          primary_email: first?.email,
          primary_zuid: first?.zuid,
          phone: "+91 44 0000 0100",
          mobile: null,
          fax: null,
          website: "https://www.northwind-instruments.example",
          street: "12 Anna Salai",
          city: "Chennai",
          state: "Tamil Nadu",
          zip: "600002",
          country: "India",
          country_code: "IN",
          iso_code: "USD",
          currency: "US Dollar - USD",
          currency_symbol: "$",
          currency_locale: "en_US",
          time_zone: "Asia/Kolkata",
          employee_count: "48",
          description: null,
          created_time: first?.created_time,
          max_per_page: 200,
          mc_status: true,
          gapps_enabled: false,
          translation_enabled: false,
          privacy_settings: false,
          hipaa_compliance_enabled: false,
          lite_users_enabled: false,
          oauth_presence: true,
          deletable_org_account: false,
          photo_id: null,
          license_details: {
            paid: true,
            paid_type: "enterprise",
            paid_expiry: null,
            trial_type: null,
            trial_expiry: null,
            trial_action: null,
            users_license_purchased: 6,
            portal_users_license_purchased: 0
          },
          hierarchy_preferences: { type: "Role_Hierarchy", strictly_reporting: false }
        }
      ]
    })
  )
}
