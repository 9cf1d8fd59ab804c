import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Route } from "../../simulation/Simulator.ts"
import { answer, bareDate } from "./Answers.ts"
import { accounting, route } from "./Collections.ts"
import { currenciesOf, organisation } from "./Organisation.ts"

const currencyList = (account: Account): ReadonlyArray<Doc> =>
  Object.entries(currenciesOf(account)).map(([Code, { name }]) => ({ Code, Description: name }))

const organisationView = (account: Account): Doc => {
  const { CreatedDateUTC, ...members } = organisation(account)
  return { ...members, CreatedDateUTC: bareDate(CreatedDateUTC) }
}

/** https://developer.xero.com/documentation/api/accounting/organisation and .../currenciesOf(account) */
export const organisationRoutes: ReadonlyArray<Route> = [
  route("GET", `${accounting}/Organisation`, [], (_, account) =>
    Either.right(answer(account, { Organisations: [organisationView(account)] }))
  ),
  route("GET", `${accounting}/Currencies`, [], (_, account) =>
    Either.right(answer(account, { Currencies: currencyList(account) }))
  )
]
