import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Reply, Route } from "../../simulation/Simulator.ts"
import { checked } from "../../simulation/table/Kind.ts"
import { bodyOf } from "../../simulation/table/Routes.ts"
import { inOrganization, organizationOf, refuse, styleOf } from "./Answers.ts"
import { choice, has, opens, text, texts } from "./Fields.ts"

// https://www.zoho.com/books/api/v3/organizations/

const months = "january february march april may june july august september october november december".split(" ")

/** Members of a change; some have another name in answers. */
const fields = [
  has("name", text(200)),
  has("fiscal_year_start_month", choice(...months)),
  has("time_zone", text(50)),
  has("language_code", text(10)),
  opens("contact_name", text()),
  opens("email", text()),
  opens("phone", text(50)),
  opens("fax", text(50)),
  opens("website", text()),
  has("address", texts("street_address1", "street_address2", "city", "state", "country", "zip")),
  opens("taxid_value", text(50))
]

const style = styleOf({ one: "organization", list: "organizations", noun: "Organization", listed: [] })

const held = (account: Account): Doc => ({
  organization_id: organizationOf(account),
  ...account.get("organization", "1")
})

const listed = [
  "organization_id",
  "name",
  "contact_name",
  "email",
  "is_default_org",
  "language_code",
  "fiscal_year_start_month",
  "account_created_date",
  "time_zone",
  "country_code",
  "country_name",
  "tax_id_label",
  "tax_id_value",
  "org_settings",
  "currency_id",
  "currency_code",
  "currency_symbol",
  "price_precision"
]

export const organizationRoutes: ReadonlyArray<Route> = [
  {
    method: "GET",
    path: "/books/v3/organizations",
    // asked before anybody knows an organisation
    handle: (_, account): Reply => ({
      status: 200,
      body: {
        code: 0,
        message: "success",
        organizations: [Object.fromEntries(Object.entries(held(account)).filter(([name]) => listed.includes(name)))]
      }
    })
  },
  {
    method: "GET",
    path: "/books/v3/organizations/:id",
    handle: (request, account) =>
      inOrganization(request, account, ({ params }) =>
        params["id"] === organizationOf(account)
          ? Either.right(style.one(held(account), "get"))
          : Either.left(style.missing("organizations"))
      )
  },
  {
    method: "PUT",
    path: "/books/v3/organizations/:id",
    handle: (request, account) =>
      inOrganization(request, account, (own) =>
        Either.gen(function* () {
          if (own.params["id"] !== organizationOf(account)) return yield* Either.left(style.missing("organizations"))
          const body = yield* bodyOf(style, own)
          const { fiscal_year_start_month, taxid_value, ...given } = yield* Either.mapLeft(
            checked(account, fields, body, false),
            refuse
          )
          const after = {
            ...held(account),
            ...given,
            ...(taxid_value === undefined ? {} : { tax_id_value: taxid_value }),
            ...(fiscal_year_start_month === undefined
              ? {}
              : { fiscal_year_start_month: String(months.indexOf(String(fiscal_year_start_month)) + 1) })
          }
          account.put("organization", "1", after)
          return style.one(after, "update")
        })
      )
  }
]
