import { Either } from "effect"
import type { Doc } from "../../simulation/Account.ts"
import type { Route } from "../../simulation/Simulator.ts"
import { answer } from "./Answers.ts"
import { accounting, route } from "./Collections.ts"
import { currencies, organisation } from "./Organisation.ts"

const currencyList = (): ReadonlyArray<Doc> =>
  Object.entries(currencies).map(([Code, { name }]) => ({ Code, Description: name }))

/** https://developer.xero.com/documentation/api/accounting/organisation and .../currencies */
export const organisationRoutes: ReadonlyArray<Route> = [
  route("GET", `${accounting}/Organisation`, [], (_, account) =>
    Either.right(answer(account, { Organisations: [organisation(account)] }))
  ),
  route("GET", `${accounting}/Currencies`, [], (_, account) =>
    Either.right(answer(account, { Currencies: currencyList() }))
  )
]
