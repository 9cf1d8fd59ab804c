import { Either } from "effect"
import type { Doc } from "../../simulation/Account.ts"
import type { Reply } from "../../simulation/Simulator.ts"
import type { Complaint } from "../../simulation/table/Complaint.ts"
import { type Field, type Show, shown } from "../../simulation/table/Kind.ts"
import { offsetPages, sortedBySigns, unsorted } from "../../simulation/table/Pages.ts"
import { listed, type Parameters, parameter } from "../../simulation/table/Query.ts"
import type { Style } from "../../simulation/table/Routes.ts"

export const failure = (status: number, error: string): Reply => ({ status, body: { error } })

/** Words for a value, as others recorded it: https://github.com/nested-tech/closex, https://github.com/closeio/cleancat */
const said = (complaint: Complaint): string => {
  switch (complaint.is) {
    case "type":
      return `Value must be of ${{ string: "basestring", integer: "int", boolean: "bool", array: "list", object: "dict" }[complaint.type] ?? complaint.type} type.`
    case "form":
      return "Invalid ISO 8601 datetime."
    case "empty":
    case "required":
      return "This field is required."
    case "absent":
      return "Object does not exist."
    case "length":
      return `The value must be no longer than ${complaint.bound} characters.`
    case "least":
      return `The value must be at least ${complaint.bound}.`
    case "most":
      return `The value must not be larger than ${complaint.bound}.`
    case "choice":
    case "unknown":
      return "Not a valid choice."
    case "member":
      return `${complaint.name}: ${said(complaint.complaint)}`
    case "own":
    case "refused":
      return complaint.words
    default:
      return "This field is not allowed."
  }
}

/** Links are named without their `_id`. */
const nameOf = (path: string) => path.replace(/^(lead|contact|status|pipeline|user)_id$/, "$1")

const names: { readonly [type: string]: string } = {
  lead: "Lead",
  contact: "Contact",
  opportunity: "Opportunity",
  task: "Task",
  "activity/note": "Activity"
}

/** https://developer.close.com/api/overview/pagination */
export const style: Style = {
  route: (method, path, _verb, handle) => [
    { method, path: `/api/v1/${path}/`, handle: (request, account) => Either.merge(handle(request, account)) }
  ],
  update: "PUT",
  id: /./,
  pages: (sorts) =>
    offsetPages({
      start: "_skip",
      size: "_limit",
      usual: 100,
      most: 200,
      // in its usual order unless some other can be asked for
      sorting: sorts.length === 0 ? unsorted : sortedBySigns("_order_by"),
      place: (start, limit, total) => ({ has_more: total > start + limit })
    })(sorts),
  refuse: (problems) => ({
    status: 400,
    body: {
      errors: [],
      "field-errors": Object.fromEntries(problems.map(({ complaint, path }) => [nameOf(path), said(complaint)]))
    }
  }),
  missing: (name) => failure(404, `Empty query: ${names[name] ?? "Object"} matching query does not exist.`),
  one: (record, verb) => ({ status: 200, body: verb === "remove" ? {} : record }),
  many: (data, place) => ({ status: 200, body: { ...place, data } })
}

/** Lists that say how many records there are in all, and what else `more` finds in them. */
export const counted = (more: (records: ReadonlyArray<Doc>) => Doc = () => ({})): Style => ({
  ...style,
  pages: (sorts) => {
    const { names, read } = style.pages(sorts)
    return {
      names,
      read: (query, account) =>
        Either.map(read(query, account), (cut) => (records) => {
          const page = cut(records)
          return { ...page, place: { ...page.place, total_results: records.length, ...more(records) } }
        })
    }
  }
})

const isCustom = (code: string) => code.startsWith("custom.")

/** Custom fields without a value are not shown. https://developer.close.com/api/resources/custom-fields */
export const withoutUnset = (record: Doc): Doc =>
  Object.fromEntries(Object.entries(record).filter(([code, value]) => !isCustom(code) || value !== null))

/** Records with the fields that `_fields` names, or all. https://developer.close.com/api/overview/fields */
export const someFields = (fields: ReadonlyArray<Field>): Parameters<Show> => {
  const asked = parameter("_fields", listed(200, Either.right<string>))
  return {
    names: asked.names,
    read: (query, account) =>
      Either.map(asked.read(query, account), (codes): Show => {
        const includes = ({ code }: Field) =>
          codes === undefined || codes.includes(code) || (isCustom(code) && codes.includes("custom"))
        return (from, record) => withoutUnset(shown(from, fields, record, includes))
      })
  }
}
