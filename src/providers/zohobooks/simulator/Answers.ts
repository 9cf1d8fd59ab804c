import { Either } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { accountNumber } from "../../simulation/AccountNumber.ts"
import type { Method, Reply, SimulatedRequest } from "../../simulation/Simulator.ts"
import type { Complaint, Problem } from "../../simulation/table/Complaint.ts"
import { numberedPages } from "../../simulation/table/Pages.ts"
import type { Key, Sorting } from "../../simulation/table/Pages.ts"
import type { Handler, Style } from "../../simulation/table/Routes.ts"
import { blanksOf, untidy } from "./Untidy.ts"

/** `{code, message}`, where 0 is success: https://www.zoho.com/books/api/v3/errors/ */
export const failure = (status: number, code: number, message: string): Reply => ({ status, body: { code, message } })

export const unauthorized = failure(401, 14, "Invalid value passed for authtoken.")
export const notFound = failure(404, 5, "Invalid URL Passed")
const otherOrganization = failure(401, 6041, "This user is not associated with the CompanyID/CompanyName.")

/** Code and message for a faulty member or parameter. */
const said = (path: string, complaint: Complaint): readonly [code: number, message: string] => {
  switch (complaint.is) {
    case "required":
    case "empty":
      return [4, `Please enter a value for ${path}`]
    case "length":
      return [15, `Please ensure that the ${path} has less than ${complaint.bound + 1} characters.`]
    case "not allowed":
      return [9, `Invalid element ${path}`]
    case "member":
      return said(complaint.name, complaint.complaint)
    case "refused":
      return [complaint.words.includes("already exists") ? 1001 : 1038, complaint.words]
    default:
      return [2, `Invalid value passed for ${path}`]
  }
}

export const refuse = ([first]: ReadonlyArray<Problem>): Reply =>
  failure(400, ...said(first?.path ?? "JSONString", first?.complaint ?? { is: "absent" }))

export const organizationOf = (account: Pick<Account, "name">): string => String(accountNumber(account, 9))

/** Checks the organisation, which every call names; the other parameters belong to the module. */
export const inOrganization = (request: SimulatedRequest, account: Account, handle: Handler): Reply => {
  const { query } = request
  if (query.get("organization_id") !== organizationOf(account)) return otherOrganization
  const own = new URLSearchParams(query)
  own.delete("organization_id")
  // document numbers are always taken as given
  if (request.method !== "GET") own.delete("ignore_auto_number_generation")
  return Either.merge(handle({ ...request, query: own }, account))
}

/** `sort_column` and `sort_order`. */
const sorting: Sorting = (sorts) => ({
  names: sorts.length === 0 ? [] : ["sort_column", "sort_order"],
  read: (query) => {
    const [column, order = "A"] = [query("sort_column"), query("sort_order")]
    const wrong = (path: string, choices: ReadonlyArray<string>) =>
      Either.left([{ path, complaint: { is: "choice", choices } } as const])
    if (column !== undefined && !sorts.includes(column)) return wrong("sort_column", sorts)
    if (order !== "A" && order !== "D") return wrong("sort_order", ["A", "D"])
    const [first] = sorts
    const key: Key | undefined =
      column === undefined && first === undefined ? undefined : [column ?? first ?? "", order === "A" ? 1 : -1]
    return Either.right(key === undefined ? [] : [key])
  }
})

/** https://www.zoho.com/books/api/v3/pagination/ */
export const pages = numberedPages({
  page: "page",
  size: "per_page",
  usual: 200,
  most: 200,
  sorting,
  place: (page, size, total) => ({ page, per_page: size, has_more_page: page * size < total })
})

/** The conventions of a module. */
export interface Module {
  /** Members of responses: for one record, and for a list. */
  readonly one: string
  readonly list: string
  /** Its name in messages. */
  readonly noun: string
  /** Members that lists show. */
  readonly listed: ReadonlyArray<string>
  /** How responses hold one record; absent: under its member. */
  readonly envelope?: (record: Doc, isRead: boolean) => Doc
}

const verbs = { create: "created", update: "updated", remove: "deleted" } as const

/** The members of a record that real answers leave empty, under those that it has. */
const blanks = Object.fromEntries(
  Object.entries(untidy).map(([name, { list, one }]) => [name, { list: blanksOf(list), one: blanksOf(one) }] as const)
)

const picked = (record: Doc, names: ReadonlyArray<string>) =>
  Object.fromEntries(names.flatMap((name) => (record[name] === undefined ? [] : [[name, record[name]]])))

export const styleOf = ({ envelope, list, listed, noun, one }: Module): Style => ({
  route: (method: Method, path, _verb, handle) => [
    { method, path: `/books/v3/${path}`, handle: (request, account) => inOrganization(request, account, handle) }
  ],
  update: "PUT",
  id: /^\d+$/,
  pages,
  refuse,
  missing: () => failure(404, 1002, `${noun} does not exist.`),
  one: ({ state: _, ...held }, verb) => {
    const record = { ...blanks[list]?.one, ...held }
    return {
      status: verb === "create" ? 201 : 200,
      body: {
        code: 0,
        message: verb === "get" || verb === "list" ? "success" : `The ${noun.toLowerCase()} has been ${verbs[verb]}.`,
        ...(verb === "remove" ? {} : (envelope?.(record, verb === "get") ?? { [one]: record }))
      }
    }
  },
  many: (records, place) => ({
    status: 200,
    body: {
      code: 0,
      message: "success",
      [list]: records.map((record) => ({ ...blanks[list]?.list, ...picked(record, listed) })),
      page_context: { ...place, report_name: `${noun}s`, applied_filter: "Status.All", custom_fields: [] }
    }
  })
})
