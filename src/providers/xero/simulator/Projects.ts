import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { compact, partsAt, textAt } from "../../simulation/Docs.ts"
import type { Reply, Route } from "../../simulation/Simulator.ts"
import { notFound, type Outcome } from "./Answers.ts"
import { bodyOf, listIn, route } from "./Collections.ts"
import { type Fields, id, number, one, read, text } from "./Fields.ts"
import { baseCurrencyOf } from "./Organisation.ts"
import { inOrder, paged } from "./Pages.ts"

// https://developer.xero.com/documentation/api/projects/projects

const path = "/projects.xro/2.0/Projects"

const fields: Fields = { contactId: id, name: text(), estimateAmount: number, deadlineUtc: text() }

const refused = (member: string, message: string): Reply => ({
  status: 400,
  body: { message: "The request is invalid.", modelState: { [member]: [message] } }
})

const amount = (currency: string, value: unknown) => ({ currency, value: typeof value === "number" ? value : 0 })

/** Amounts logged and invoiced on a project. */
const amounts = [
  "totalTaskAmount",
  "totalExpenseAmount",
  "taskAmountToBeInvoiced",
  "taskAmountInvoiced",
  "expenseAmountToBeInvoiced",
  "expenseAmountInvoiced",
  "projectAmountInvoiced",
  "deposit",
  "depositApplied",
  "creditNoteAmount",
  "totalInvoiced",
  "totalToBeInvoiced"
]

const view = (account: Account, { estimateAmount, ordinal: _ordinal, ...doc }: Doc): Doc => {
  const currencyCode = baseCurrencyOf(account)
  return {
    ...doc,
    currencyCode,
    minutesLogged: 0,
    minutesToBeInvoiced: 0,
    ...Object.fromEntries(amounts.map((name) => [name, amount(currencyCode, 0)])),
    ...(estimateAmount === undefined ? {} : { estimate: amount(currencyCode, estimateAmount) })
  }
}

const find = (account: Account, projectId: string | undefined): Outcome<Doc> =>
  Either.fromNullable(account.get("Project", projectId ?? ""), () => notFound)

/** Writes a project; a change replaces name, estimate and deadline, and keeps the contact. */
const save = (account: Account, body: Doc, current: Doc | undefined): Outcome<Doc> =>
  Either.gen(function* () {
    const { doc } = yield* read(fields, body)
    const contactId = textAt(current ?? doc, "contactId")
    if (doc.name === undefined || doc.name === "") return yield* Either.left(refused("name", "The name is required."))
    if (account.get("Contact", contactId ?? "") === undefined) {
      return yield* Either.left(refused("contactId", "The contact could not be found."))
    }
    if (doc.deadlineUtc !== undefined && Number.isNaN(Date.parse(String(doc.deadlineUtc)))) {
      return yield* Either.left(refused("deadlineUtc", "The deadline is not a date."))
    }
    const projectId = textAt(current ?? {}, "projectId") ?? crypto.randomUUID()
    const kept = compact({
      projectId,
      contactId,
      name: doc.name,
      estimateAmount: doc.estimateAmount,
      deadlineUtc: doc.deadlineUtc,
      status: current?.status ?? "INPROGRESS",
      ordinal: current?.ordinal ?? account.nextId()
    })
    account.put("Project", projectId, kept)
    return kept
  })

/** For sample data. */
export const addProject = (account: Account, contactId: unknown, name: string): void => {
  Either.getOrThrowWith(save(account, { contactId, name }, undefined), () => new Error(`sample project: ${name}`))
}

export const projectRoutes: ReadonlyArray<Route> = [
  route("GET", path, ["projectIds", "contactID", "states", "page", "pageSize"], ({ query }, account) =>
    Either.gen(function* () {
      const rows = account
        .all("Project")
        .filter(
          (one) =>
            listIn(query, "projectIds")?.includes(String(one.projectId)) !== false &&
            (query.get("contactID") ?? one.contactId) === one.contactId &&
            listIn(query, "states")?.includes(String(one.status)) !== false
        )
      const page = yield* paged(inOrder(rows), query, 500)
      return {
        status: 200,
        body: { ...page, items: partsAt(page, "items").map((one) => view(account, one)) }
      }
    })
  ),
  route("GET", `${path}/:key`, [], ({ params }, account) =>
    Either.map(find(account, params.key), (doc) => ({ status: 200, body: view(account, doc) }))
  ),
  route("POST", path, [], (request, account) =>
    Either.gen(function* () {
      return { status: 201, body: view(account, yield* save(account, yield* bodyOf(request), undefined)) }
    })
  ),
  route("PUT", `${path}/:key`, [], (request, account) =>
    Either.gen(function* () {
      const current = yield* find(account, request.params.key)
      yield* save(account, yield* bodyOf(request), current)
      return { status: 204 }
    })
  ),
  route("PATCH", `${path}/:key`, [], (request, account) =>
    Either.gen(function* () {
      const current = yield* find(account, request.params.key)
      const { doc } = yield* read({ status: one("INPROGRESS", "CLOSED") }, yield* bodyOf(request))
      if (doc.status === undefined) return yield* Either.left(refused("status", "The status is required."))
      account.put("Project", String(current.projectId), { ...current, ...doc })
      return { status: 204 }
    })
  )
]
