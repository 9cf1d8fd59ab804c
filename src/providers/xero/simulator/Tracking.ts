import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { textAt } from "../../simulation/Docs.ts"
import type { Route } from "../../simulation/Simulator.ts"
import { answer, type Checked, complain, invalid, messagesOf, notFound, type Outcome } from "./Answers.ts"
import { accounting, bodyOf, find, route } from "./Collections.ts"
import { type Fields, flag, id, one, own, parts, read, text } from "./Fields.ts"
import { cleared, type Depth, idOf, isWhole, type Kind } from "./Kind.ts"

// https://developer.xero.com/documentation/api/accounting/trackingcategories

const optionFields: Fields = {
  TrackingOptionID: id,
  TrackingCategoryID: own(id),
  Name: text(100),
  Status: one("ACTIVE", "ARCHIVED", "DELETED"),
  HasValidationErrors: own(flag),
  IsDeleted: own(flag),
  IsArchived: own(flag),
  IsActive: own(flag)
}

const fields: Fields = {
  TrackingCategoryID: id,
  TrackingOptionID: own(id),
  Name: text(100),
  Option: own(text()),
  Status: one("ACTIVE", "ARCHIVED", "DELETED"),
  Options: own(parts(optionFields))
}

const mostActive = 2

const optionsOf = (account: Account, category: unknown): ReadonlyArray<Doc> =>
  account.all("TrackingOption").filter((option) => option.TrackingCategoryID === category)

const optionView = ({ TrackingCategoryID: _category, ...option }: Doc): Doc => ({
  ...option,
  HasValidationErrors: false,
  IsDeleted: false,
  IsArchived: option.Status === "ARCHIVED",
  IsActive: option.Status === "ACTIVE"
})

const named = (list: ReadonlyArray<Doc>, name: unknown): Doc | undefined =>
  list.find((held) => String(held.Name).toLowerCase() === String(name).toLowerCase())

const save = (account: Account, given: Doc, current: Doc | undefined): Checked<() => Doc> => {
  const TrackingCategoryID = idOf(trackingCategories, current)
  const draft: Doc = cleared({ Status: "ACTIVE", ...current, ...given, TrackingCategoryID })
  const others = account.all("TrackingCategory").filter((one) => one.TrackingCategoryID !== TrackingCategoryID)
  if (draft.Name === undefined) return complain("The tracking category name must be specified.")
  if (named(others, draft.Name) !== undefined) return complain("A tracking category with this name already exists.")
  if (draft.Status === "DELETED") return complain("Use DELETE to delete a tracking category.")
  if (draft.Status === "ACTIVE" && others.filter(({ Status }) => Status === "ACTIVE").length >= mostActive) {
    return complain("The maximum number of active tracking categories (2) has been reached.")
  }
  return Either.right(() => {
    account.put("TrackingCategory", TrackingCategoryID, draft)
    return draft
  })
}

const tracked = ["Journal", "Invoice", "CreditNote", "PurchaseOrder", "BankTransaction", "ManualJournal"]

/** Whether any line names it, posted or not. */
const isUsed = (account: Account, member: string, id: unknown): boolean =>
  tracked
    .flatMap((type) => account.all(type))
    .some(({ JournalLines, LineItems, Status }) => {
      const lines = Status === "DELETED" ? [] : [JournalLines, LineItems]
      return JSON.stringify(lines).includes(`"${member}":"${String(id)}"`)
    })

const remove = (account: Account, current: Doc): Checked<() => Doc> => {
  if (isUsed(account, "TrackingCategoryID", current.TrackingCategoryID)) {
    return complain("This tracking category is used in transactions and cannot be deleted.")
  }
  return Either.right(() => {
    for (const { TrackingOptionID } of optionsOf(account, current.TrackingCategoryID)) {
      account.remove("TrackingOption", String(TrackingOptionID))
    }
    account.remove("TrackingCategory", String(current.TrackingCategoryID))
    return { ...current, Status: "DELETED" }
  })
}

export const trackingCategories: Kind = {
  name: "TrackingCategories",
  entity: "TrackingCategory",
  id: "TrackingCategoryID",
  fields,
  parameters: ["includeArchived"],
  listed: ({ Status }, query) => Status === "ACTIVE" || query.get("includeArchived") === "true",
  view: (account, doc) => ({
    ...doc,
    Options: optionsOf(account, doc.TrackingCategoryID).map(optionView)
  }),
  creates: true,
  updates: "one",
  save,
  remove
}

const saveOption = (account: Account, category: Doc, body: Doc, current: Doc | undefined): Outcome<Doc> =>
  Either.gen(function* () {
    const { doc, messages } = yield* read(optionFields, body)
    const { TrackingCategoryID } = category
    const TrackingOptionID = textAt(current ?? {}, "TrackingOptionID") ?? crypto.randomUUID()
    const draft: Doc = cleared({ Status: "ACTIVE", ...current, ...doc, TrackingOptionID, TrackingCategoryID })
    const others = optionsOf(account, TrackingCategoryID).filter((one) => one.TrackingOptionID !== TrackingOptionID)
    const wrong = [
      ...messages,
      ...(draft.Name === undefined ? ["The tracking option name must be specified."] : []),
      ...(named(others, draft.Name) === undefined ? [] : ["A tracking option with this name already exists."]),
      ...(draft.Status === "DELETED" ? ["Use DELETE to delete a tracking option."] : [])
    ]
    if (wrong.length > 0) return yield* Either.left(invalid([{ ...doc, ValidationErrors: messagesOf(wrong) }]))
    account.put("TrackingOption", TrackingOptionID, draft)
    return optionView(draft)
  })

const optionIn = (account: Account, category: Doc, option: string): Outcome<Doc> =>
  Either.fromNullable(
    optionsOf(account, category.TrackingCategoryID).find((one) => one.TrackingOptionID === option),
    () => notFound
  )

const options = `${accounting}/TrackingCategories/:key/Options`

export const optionRoutes: ReadonlyArray<Route> = [
  route("PUT", options, [], (request, account) =>
    Either.gen(function* () {
      const category = yield* find(account, trackingCategories, request.params.key ?? "")
      const option = yield* saveOption(account, category, yield* bodyOf(request), undefined)
      return answer(account, { Options: [option] })
    })
  ),
  route("POST", `${options}/:option`, [], (request, account) =>
    Either.gen(function* () {
      const category = yield* find(account, trackingCategories, request.params.key ?? "")
      const current = yield* optionIn(account, category, request.params.option ?? "")
      return answer(account, { Options: [yield* saveOption(account, category, yield* bodyOf(request), current)] })
    })
  ),
  route("DELETE", `${options}/:option`, [], (request, account) =>
    Either.gen(function* () {
      const category = yield* find(account, trackingCategories, request.params.key ?? "")
      const current = yield* optionIn(account, category, request.params.option ?? "")
      if (isUsed(account, "TrackingOptionID", current.TrackingOptionID)) {
        const wrong = "This tracking option is used in transactions and cannot be deleted."
        return yield* Either.left(invalid([{ ...current, ValidationErrors: messagesOf([wrong]) }]))
      }
      account.remove("TrackingOption", String(current.TrackingOptionID))
      const gone = { ...optionView({ ...current, Status: "DELETED" }), IsDeleted: true, IsActive: false }
      return answer(account, { Options: [gone] })
    })
  )
]

/** Finds the categories and options that a line names by id or name. */
export const trackingOf = (account: Account, given: ReadonlyArray<Doc>): Checked<ReadonlyArray<Doc>> => {
  if (given.length > mostActive) return complain("A line can have at most 2 tracking categories.")
  const found = given.map((one) => {
    const category =
      account.get("TrackingCategory", textAt(one, "TrackingCategoryID") ?? "") ??
      named(account.all("TrackingCategory"), one.Name)
    const options = category === undefined ? [] : optionsOf(account, category.TrackingCategoryID)
    const option =
      options.find(({ TrackingOptionID }) => TrackingOptionID === one.TrackingOptionID) ?? named(options, one.Option)
    return { TrackingCategoryID: category?.TrackingCategoryID, TrackingOptionID: option?.TrackingOptionID }
  })
  if (found.some(({ TrackingOptionID }) => TrackingOptionID === undefined)) {
    return complain("The tracking category or option of a line does not exist.")
  }
  return new Set(found.map(({ TrackingCategoryID }) => TrackingCategoryID)).size < found.length
    ? complain("A line can have one option of each tracking category.")
    : Either.right(found)
}

/** The tracking of a line as responses show it, with current names. Pages name an option without its id. */
export const trackingView = (account: Account, tracking: ReadonlyArray<Doc>, depth: Depth): ReadonlyArray<Doc> =>
  tracking.map(({ TrackingCategoryID, TrackingOptionID }) => ({
    Name: account.get("TrackingCategory", String(TrackingCategoryID))?.Name,
    Option: account.get("TrackingOption", String(TrackingOptionID))?.Name,
    TrackingCategoryID,
    ...(isWhole(depth) ? { TrackingOptionID } : { Options: [] })
  }))
