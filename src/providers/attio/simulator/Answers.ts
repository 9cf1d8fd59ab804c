import { Either, Option, Schema } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import type { Method, Reply, Route, SimulatedRequest } from "../../simulation/Simulator.ts"
import type { Complaint, Problem } from "../../simulation/table/Complaint.ts"
import { offsetPages, type Sorting } from "../../simulation/table/Pages.ts"
import { oneOf, parameter } from "../../simulation/table/Query.ts"
import type { Handler, Style } from "../../simulation/table/Routes.ts"

/** How Attio answers. https://docs.attio.com/rest-api/endpoint-reference/openapi */

export const failure = (status_code: number, code: string, message: string, rest: Doc = {}): Reply => ({
  status: status_code,
  body: {
    status_code,
    type: status_code === 401 || status_code === 403 ? "auth_error" : "invalid_request_error",
    code,
    message,
    ...rest
  }
})

const said = (complaint: Complaint): string => {
  switch (complaint.is) {
    case "own":
    case "refused":
      return complaint.words
    case "member":
      return `${complaint.name}: ${said(complaint.complaint)}`
    case "type":
      return `Expected ${complaint.type}`
    case "form":
      return `Expected a ${complaint.form}`
    case "length":
      return `String must contain at most ${complaint.bound} character(s)`
    case "required":
      return "Required"
    case "choice":
      return `Expected one of ${complaint.choices.join(", ")}`
    default:
      return "Invalid input"
  }
}

/** Refuses values that do not fit the description, by their place. */
const unfit = (problems: ReadonlyArray<Problem>, root: ReadonlyArray<string>) =>
  failure(400, "validation_type", "Request body did not match the expected schema.", {
    validation_errors: problems.map(({ complaint, path }) => ({
      code: complaint.is === "type" ? "invalid_type" : "custom",
      path: [...root, path],
      message: said(complaint)
    }))
  })

export const notFound = (what: string): Reply => failure(404, "not_found", `The referenced ${what} was not found.`)

/** How the values of a record are refused, one attribute at a time. */
const refuseValue: Style["refuse"] = (problems, place) => {
  const [problem] = problems
  if (problem === undefined) return unfit(problems, [])
  const { complaint, path } = problem
  if (place === "query") return failure(400, "filter_error", `Error in ${path}: ${said(complaint)}.`)
  const named = `attribute with slug "${path}"`
  switch (complaint.is) {
    case "not allowed":
      return failure(400, "value_not_found", `Cannot find ${named}.`)
    case "required":
      return failure(400, "missing_value", `Required value for ${named} was not provided.`)
    case "absent":
      return failure(400, "value_not_found", `The value of the ${named} refers to something that does not exist.`)
    case "refused":
      return complaint.words === "uniqueness_conflict"
        ? failure(400, "uniqueness_conflict", `The value of the ${named} is used by another record.`)
        : failure(400, "system_edit_unauthorized", complaint.words)
    default:
      return failure(400, "validation_type", `An invalid value was passed to ${named}: ${said(complaint)}.`)
  }
}

export const route = (method: Method, path: string, handle: Handler): Route => ({
  method,
  path,
  handle: (request: SimulatedRequest, account: Account) => Either.merge(handle(request, account))
})

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** `created_at:asc` in a parameter. */
const byColon: Sorting = (sorts) => {
  const choices = sorts.flatMap((field) => [`${field}:asc`, `${field}:desc`])
  const { names, read } = parameter("sort", oneOf(choices))
  return {
    names: sorts.length === 0 ? [] : names,
    read: (query, account) =>
      Either.map(read(query, account), (sort = "created_at:asc") => {
        const [field = "", direction] = sort.split(":")
        return [[field, direction === "desc" ? -1 : 1] as const]
      })
  }
}

const pages = (usual: number, most: number) =>
  offsetPages({ start: "offset", size: "limit", usual, most, sorting: byColon, place: () => ({}) })

const data = (body: Doc): Doc => (isDoc(body.data) ? body.data : { data: body.data ?? null })

const isDoc = Schema.is(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

const plain = {
  id: uuid,
  missing: (name: string) => notFound(name.replace(/s$/, "")),
  one: (record: Doc, verb: string): Reply => ({ status: 200, body: verb === "remove" ? {} : { data: record } }),
  many: (records: ReadonlyArray<Doc>): Reply => ({ status: 200, body: { data: records } })
}

/** Notes and tasks. */
export const workStyle = (usual: number, most: number, refuses: ReadonlyArray<Method> = []): Style => ({
  ...plain,
  route: (method, path, _, handle) => (refuses.includes(method) ? [] : [route(method, `/v2/${path}`, handle)]),
  update: "PATCH",
  pages: pages(usual, most),
  refuse: (problems, place) =>
    problems[0]?.complaint.is === "absent" ? notFound("record") : unfit(problems, place === "body" ? ["data"] : []),
  body: data
})

/** Puts the parameters of a query of records, which are in its body, into the address. */
const asParameters = (request: SimulatedRequest): SimulatedRequest => {
  const { limit, offset, sorts, ...others } = Option.getOrElse(readQuery(request.text), (): Doc => ({ body: null }))
  const [sort] = Array.isArray(sorts) ? sorts.filter(isDoc) : []
  const named = {
    limit,
    offset,
    ...others,
    ...(sort === undefined ? {} : { sort: `${String(sort.attribute)}:${String(sort.direction)}` })
  }
  const query = new URLSearchParams(
    Object.entries(named).flatMap(([name, value]): ReadonlyArray<[string, string]> =>
      value === undefined ? [] : [[name, typeof value === "object" ? JSON.stringify(value) : String(value)]]
    )
  )
  return { ...request, query }
}

const readQuery = Schema.decodeOption(Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

/** Records of objects. A PUT replaces the values of an attribute, a PATCH adds to them. */
export const recordStyle = (update: "PUT" | "PATCH"): Style => ({
  ...plain,
  route: (method, path, verb, handle) => {
    const place = `/v2/objects/${path.replace(/^[^/]+/, "$&/records")}`
    if (update === "PATCH" && verb !== "update") return []
    return verb === "list"
      ? [route("POST", `${place}/query`, (request, account) => handle(asParameters(request), account))]
      : [route(method, place, handle)]
  },
  update,
  pages: pages(500, 500),
  refuse: refuseValue,
  missing: () => notFound("record"),
  body: (body) => {
    const { values } = data(body)
    return isDoc(values) ? values : { values }
  }
})
