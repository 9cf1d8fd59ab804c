import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { compact, partsAt } from "../../simulation/Docs.ts"
import type { Route } from "../../simulation/Simulator.ts"
import { answer, invalidData, notFound } from "./Answers.ts"
import { accounting, route, since } from "./Collections.ts"
import { trackingView } from "./Tracking.ts"

// https://developer.xero.com/documentation/api/accounting/journals

const most = 100

const view = (account: Account, journal: Doc): Doc => ({
  ...journal,
  JournalLines: partsAt(journal, "JournalLines").map(({ Tracking, ...line }) => {
    const held = account.get("Account", String(line.AccountID)) ?? {}
    return compact({
      ...line,
      AccountCode: held.Code,
      AccountType: held.Type,
      AccountName: held.Name,
      TaxName: line.TaxType === undefined ? undefined : account.get("TaxRate", String(line.TaxType))?.Name,
      TrackingCategories: trackingView(account, partsAt({ Tracking }, "Tracking"), "alone")
    })
  })
})

export const journalRoutes: ReadonlyArray<Route> = [
  route("GET", `${accounting}/Journals`, ["offset", "paymentsOnly"], (request, account) =>
    Either.gen(function* () {
      const from = yield* since(request)
      const offset = Number(request.query.get("offset") ?? 0)
      if (!Number.isInteger(offset) || offset < 0) return yield* Either.left(invalidData("The offset is not valid."))
      if (request.query.get("paymentsOnly") === "true") {
        return yield* Either.left(invalidData("Journals on a cash basis are not available."))
      }
      const found = account
        .all("Journal")
        .filter((one) => Number(one.JournalNumber) > offset && Number(one.CreatedDateUTC) >= from)
      return answer(account, { Journals: found.slice(0, most).map((one) => view(account, one)) })
    })
  ),
  route("GET", `${accounting}/Journals/:key`, [], (request, account) => {
    const { key = "" } = request.params
    const found = account.get("Journal", key) ?? account.all("Journal").find(({ JournalID }) => JournalID === key)
    return found === undefined
      ? Either.left(notFound)
      : Either.right(answer(account, { Journals: [view(account, found)] }))
  })
]
