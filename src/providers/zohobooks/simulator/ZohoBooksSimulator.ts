import { dailySample } from "../../simulation/DailySample.ts"
import type { Simulator } from "../../simulation/Simulator.ts"
import type { Kind } from "../../simulation/table/Kind.ts"
import { listRoute } from "../../simulation/table/Routes.ts"
import { failure, notFound, organizationOf, styleOf, unauthorized } from "./Answers.ts"
import { bills, invoices } from "./Documents.ts"
import { expenses, journals, purchaseOrders } from "./Entries.ts"
import { own } from "./Fields.ts"
import { accounts, contacts, type Defined, items, taxes } from "./Lists.ts"
import { withFilters } from "./Filters.ts"
import { limited, limits } from "./Limits.ts"
import { oauth } from "./OAuth.ts"
import { organizationRoutes } from "./Organization.ts"
import { routesOf } from "./Routes.ts"
import { seedIn } from "./Seed.ts"
import { type WorldName, worlds } from "./World.ts"
import { applicationRoutes, creditNotes, customerPayments, settlementRoutes, vendorPayments } from "./Settlements.ts"

export const modules: ReadonlyArray<Defined> = [
  accounts,
  contacts,
  items,
  taxes,
  invoices,
  bills,
  creditNotes,
  customerPayments,
  vendorPayments,
  expenses,
  journals,
  purchaseOrders
].map(withFilters)

const listed = [
  "currency_id",
  "currency_code",
  "currency_name",
  "currency_symbol",
  "price_precision",
  "currency_format",
  "is_base_currency",
  "exchange_rate",
  "effective_date"
]

/** Currencies stay as they are. */
const currencies: Kind = {
  name: "settings/currencies",
  id: "currency_id",
  fields: listed.map(own),
  stamps: () => ({}),
  sorts: []
}

/** Zoho Books: REST API v3 and OAuth, over an organisation of a country, with several currencies. */
export const simulatorIn = (world: WorldName): Simulator => ({
  slug: "zoho_books",
  routes: [
    ...organizationRoutes,
    ...listRoute(styleOf({ one: "currency", list: "currencies", noun: "Currency", listed }), currencies),
    ...applicationRoutes,
    ...settlementRoutes,
    ...modules.flatMap(routesOf),
    ...oauth.routes
  ],
  kinds: [currencies, ...modules.map(({ kind }) => kind)],
  tokenOf: ({ headers }) => /^Zoho-oauthtoken\s+(\S+)$/i.exec(headers.authorization ?? "")?.[1],
  accountOf: oauth.accountOf,
  sample: dailySample(seedIn(worlds[world])),
  values: (name) => ({ apiDomain: "https://www.zohoapis.com", organizationId: organizationOf({ name }) }),
  limits,
  failures: {
    unauthorized,
    badGrant: oauth.badGrant,
    notFound: () => notFound,
    methodNotAllowed: () => failure(405, 37, "The HTTP method GET is not allowed for the requested resource"),
    rateLimited: limited,
    broken: (status) =>
      status === 401
        ? unauthorized
        : status === 403
          ? failure(403, 57, "You are not authorized to perform this operation")
          : failure(status, 1000, "Internal error")
  }
})

export const simulator: Simulator = simulatorIn("US")
