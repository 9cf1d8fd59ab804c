import { Decimal } from "decimal.js"
import { Either, Option, Predicate, Schema } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { partsAt, textAt } from "../../simulation/Docs.ts"
import { remembered } from "../../simulation/Remembered.ts"
import type { Method, Reply, Route, SimulatedRequest } from "../../simulation/Simulator.ts"
import {
  answer,
  invalid,
  invalidData,
  messagesOf,
  notFound,
  nothingToDo,
  type Outcome,
  unknownError
} from "./Answers.ts"
import { read, uuid } from "./Fields.ts"
import { filter, ordering } from "./Filter.ts"
import { type Kind, viewOf } from "./Kind.ts"
import { yearLock } from "./Organisation.ts"

// https://developer.xero.com/documentation/api/accounting/requests-and-responses

export type Handle = (request: SimulatedRequest, account: Account) => Outcome<Reply>

/** https://developer.xero.com/documentation/guides/idempotent-requests/idempotency/ */
const once = (request: SimulatedRequest, account: Account, reply: () => Reply): Reply => {
  const key = request.headers["idempotency-key"]
  if (key === undefined || request.method === "GET") return reply()
  if (key.length > 128) return invalidData("The Idempotency-Key must not exceed 128 characters.")
  const before = account.get("idempotency", key)
  const asked = `${request.method} ${request.path} ${request.text}`
  if (before !== undefined) {
    return before.asked === asked
      ? { status: Number(before.status), body: before.body }
      : invalidData("The Idempotency-Key was used for another request.")
  }
  const given = reply()
  account.put("idempotency", key, { asked, status: given.status, body: given.body })
  return given
}

/** Parameter names are case-insensitive. */
const calledOf = (parameters: ReadonlyArray<string>, name: string): string | undefined =>
  parameters.find((one) => one.toLowerCase() === name.toLowerCase())

/** Characters of the longest query; a longer one finds nothing. https://github.com/XeroAPI/Xero-NetStandard/issues/471 */
const longestQuery = 2048

/** A route of one of the APIs; it refuses other parameters than these. */
export const route = (method: Method, path: string, parameters: ReadonlyArray<string>, handle: Handle): Route => ({
  method,
  path,
  handle: (request, account) => {
    if (request.query.toString().length > longestQuery) return notFound
    const asked = [...request.query].map(([name, value]) => [calledOf(parameters, name), value, name] as const)
    const strange = asked.find(([called]) => called === undefined)?.[2]
    const query = new URLSearchParams()
    for (const [called = "", value] of asked) query.append(called, value)
    return strange === undefined
      ? once(request, account, () => Either.merge(handle({ ...request, query }, account)))
      : invalidData(`The parameter '${strange}' is not supported.`)
  }
})

export const accounting = "/api.xro/2.0"

const parseJson = Schema.decodeUnknownOption(Schema.parseJson())

export const bodyOf = (request: SimulatedRequest): Outcome<Doc> => {
  const body = Option.getOrUndefined(parseJson(request.text))
  return Predicate.isRecord(body)
    ? Either.right(body)
    : Either.left(invalidData("The post data could not be read as JSON."))
}

/** Returns the records of a body: the list under a name, or the body itself. */
export const elementsOf = (name: string, body: Doc): Outcome<ReadonlyArray<Doc>> => {
  const elements = Array.isArray(body[name]) ? partsAt(body, name) : [body]
  return elements.length === 0 || Object.keys(body).length === 0 ? Either.left(nothingToDo) : Either.right(elements)
}

export const find = (account: Account, kind: Kind, key: string): Outcome<Doc> =>
  Either.fromNullable(
    account.get(kind.entity, uuid.test(key) ? key.toLowerCase() : key) ?? kind.named?.(account, key),
    () => notFound
  )

const decimalsOf = ({ query }: SimulatedRequest): number => (query.get("unitdp") === "4" ? 4 : 2)

/**
 * Rounds unit prices, in requests and responses, to the decimals that a request asks for.
 * https://developer.xero.com/documentation/guides/how-to-guides/rounding-in-xero/
 */
const priced = (value: unknown, decimals: number, name = ""): unknown => {
  if (Array.isArray(value)) return value.map((one) => priced(one, decimals))
  if (Predicate.isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, priced(of, decimals, key)]))
  return typeof value === "number" && (name === "UnitAmount" || name === "UnitPrice")
    ? new Decimal(value).toDecimalPlaces(decimals, Decimal.ROUND_HALF_UP).toNumber()
    : value
}

interface Element {
  readonly given: Doc
  readonly current: Doc | undefined
  readonly messages: ReadonlyArray<string>
}

type How = "create" | "create or update" | "update"

/** Reads a record of a body, with the stored record that it changes. */
const elementOf = (account: Account, kind: Kind, how: How, raw: Doc, key: string | undefined): Outcome<Element> =>
  Either.gen(function* () {
    const { doc, messages } = yield* read(kind.fields, raw)
    if (how === "create") return { given: doc, current: undefined, messages }
    const id = key ?? textAt(doc, kind.id)
    const current = id === undefined ? kind.matching?.(account, doc) : yield* find(account, kind, id)
    return { given: doc, current, messages }
  })

const calendar = new Intl.DateTimeFormat("en-GB", { day: "2-digit", month: "short", year: "numeric", timeZone: "UTC" })

/** Refuses records on locked dates, except orders. https://central.xero.com/s/article/Set-up-and-work-with-lock-dates */
const lockComplaints = (account: Account, kind: Kind, docs: ReadonlyArray<Doc | undefined>): ReadonlyArray<string> => {
  const end = yearLock(account)
  const isLocked = docs.some((doc) => typeof doc?.Date === "string" && doc.Date <= end)
  if (kind.entity === "PurchaseOrder" || !isLocked) return []
  const until = calendar.format(Date.parse(end)).replaceAll(" ", "-")
  return [`The document date cannot be before the end of year lock date, currently set at ${until}`]
}

const check = (account: Account, kind: Kind, { current, given, messages }: Element) => {
  const wrong = messages.length > 0 ? messages : lockComplaints(account, kind, [current, given])
  return wrong.length > 0 ? Either.left(wrong) : (kind.save?.(account, given, current) ?? Either.left([]))
}

const failed = (kind: Kind, { current, given }: Element, messages: ReadonlyArray<string>): Doc => ({
  ...given,
  [kind.id]: given[kind.id] ?? current?.[kind.id] ?? "00000000-0000-0000-0000-000000000000",
  ValidationErrors: messagesOf(messages)
})

const truth = (written: string | null, usual: boolean) => (written === null ? usual : written.toLowerCase() === "true")

const write =
  (kind: Kind, how: How): Handle =>
  (request, account) =>
    Either.gen(function* () {
      const asked = yield* elementsOf(kind.name, yield* bodyOf(request))
      const raw = asked.map((one) => priced(one, decimalsOf(request))).filter(Predicate.isRecord)
      const { key } = request.params
      if (key !== undefined && raw.length > 1) return yield* Either.left(invalidData("Only one record can be updated."))
      const elements = yield* Either.all(raw.map((one) => elementOf(account, kind, how, one, key)))
      if (truth(request.query.get("summarizeErrors"), true)) {
        const wrong = elements.flatMap((one) =>
          Either.match(check(account, kind, one), {
            onLeft: (messages) => [failed(kind, one, messages)],
            onRight: () => []
          })
        )
        if (wrong.length > 0) return yield* Either.left(invalid(wrong))
      }
      // a later record of the body cannot have what an earlier one took, such as a name
      const done = elements.map((one) =>
        Either.match(check(account, kind, one), {
          onLeft: (messages): Doc => ({ ...failed(kind, one, messages), StatusAttributeString: "ERROR" }),
          onRight: (save): Doc => ({ ...viewOf(kind, account, save(), "written"), StatusAttributeString: "OK" })
        })
      )
      return answer(account, { [kind.name]: done })
    })

const remove =
  (kind: Kind): Handle =>
  (request, account) =>
    Either.gen(function* () {
      const current = yield* find(account, kind, request.params.key ?? "")
      const done = kind.remove?.(account, current) ?? Either.left([])
      if (Either.isLeft(done)) {
        return yield* Either.left(invalid([failed(kind, { given: {}, current, messages: [] }, done.left)]))
      }
      const removed = done.right()
      return kind.removedSilently === true
        ? { status: 204 }
        : answer(account, { [kind.name]: [viewOf(kind, account, removed, "written")] })
    })

const get =
  (kind: Kind): Handle =>
  (request, account) =>
    Either.map(find(account, kind, request.params.key ?? ""), (doc) =>
      answer(account, { [kind.name]: [viewOf(kind, account, doc, "alone")] })
    )

export const whole = (written: string | null, usual: number, most: number, name: string): Outcome<number> => {
  const value = written === null ? usual : Number(written)
  return Number.isInteger(value) && value >= 1 && value <= most
    ? Either.right(value)
    : Either.left(invalidData(`The ${name} must be a whole number from 1 to ${most}.`))
}

/** Milliseconds of an `If-Modified-Since`, which is in UTC and whole seconds. */
export const since = (request: SimulatedRequest): Outcome<number> => {
  const written = request.headers["if-modified-since"]
  if (written === undefined) return Either.right(Number.NEGATIVE_INFINITY)
  const at = Date.parse(/^\d{4}-\d{2}-\d{2}T[\d:.]+$/.test(written) ? `${written}Z` : written)
  return Number.isNaN(at)
    ? Either.left(invalidData("The If-Modified-Since header is not a date."))
    : Either.right(Math.floor(at / 1000) * 1000)
}

const byChange = (left: Doc, right: Doc) => Number(left.UpdatedDateUTC ?? 0) - Number(right.UpdatedDateUTC ?? 0)

const list = (kind: Kind): Handle => {
  const shown = {
    page: remembered((account, doc) => viewOf(kind, account, doc, "page")),
    list: remembered((account, doc) => viewOf(kind, account, doc, "list"))
  }
  return (request, account) =>
    Either.gen(function* () {
      const { query } = request
      const from = kind.modifiedSince === true ? yield* since(request) : Number.NEGATIVE_INFINITY
      const [where, order] = [query.get("where"), query.get("order")]
      const test = where === null ? () => true : yield* filter(kind.entity, kind.fields, where)
      const compare = order === null ? byChange : yield* ordering(kind.entity, kind.fields, order)
      const found = account
        .all(kind.entity)
        .filter((doc) => Number(doc.UpdatedDateUTC ?? 0) >= from && kind.listed?.(doc, query) !== false)
        .map((doc) => ({ doc, row: where === null && order === null ? doc : shown.page(account, doc) }))
        .map((one) => ({ ...one, is: test(one.row) }))
      if (found.some(({ is }) => is === undefined)) return yield* Either.left(unknownError)
      const rows = found
        .filter(({ is }) => is === true)
        .toSorted((a, b) => compare(a.row, b.row) || (String(a.doc[kind.id]) < String(b.doc[kind.id]) ? -1 : 1))
      const isPaged = kind.pages === "always" || query.has("page") || query.has("pageSize")
      if (!isPaged) return answer(account, { [kind.name]: rows.map(({ doc }) => shown.list(account, doc)) })
      const page = yield* whole(query.get("page"), 1, Number.MAX_SAFE_INTEGER, "page")
      const pageSize = yield* whole(query.get("pageSize"), 100, 1000, "pageSize")
      return answer(account, {
        pagination: { page, pageSize, pageCount: Math.ceil(rows.length / pageSize), itemCount: rows.length },
        [kind.name]: rows.slice((page - 1) * pageSize, page * pageSize).map(({ doc }) => shown.page(account, doc))
      })
    })
}

/** The routes of a kind of record. */
export const routesOf = (kind: Kind): ReadonlyArray<Route> => {
  const priceRoute = (method: Method, path: string, parameters: ReadonlyArray<string>, handle: Handle) =>
    route(method, path, parameters, (request, account) =>
      Either.map(handle(request, account), (reply) => ({ ...reply, body: priced(reply.body, decimalsOf(request)) }))
    )
  const path = `${accounting}/${kind.name}`
  const options = ["summarizeErrors", "unitdp"]
  const pages = kind.pages === undefined ? [] : ["page", "pageSize"]
  const filters = kind.where === false ? ["order"] : ["where", "order"]
  return [
    priceRoute("GET", path, ["unitdp", ...filters, ...pages, ...(kind.parameters ?? [])], list(kind)),
    priceRoute("GET", `${path}/:key`, ["unitdp"], get(kind)),
    ...(kind.creates === true ? [priceRoute("PUT", path, options, write(kind, "create"))] : []),
    ...(kind.updates === "all" || kind.updates === "both"
      ? [priceRoute("POST", path, options, write(kind, "create or update"))]
      : []),
    ...(kind.updates === "one" || kind.updates === "both"
      ? [priceRoute("POST", `${path}/:key`, options, write(kind, "update"))]
      : []),
    ...(kind.remove === undefined ? [] : [route("DELETE", `${path}/:key`, [], remove(kind))])
  ]
}

/** Whether any of the members contains the search term, in any case. */
export const isFound = (doc: Doc, members: ReadonlyArray<string>, query: URLSearchParams): boolean => {
  const term = query.get("searchTerm")?.trim().toLowerCase() ?? ""
  return members.some((name) => (textAt(doc, name) ?? "").toLowerCase().includes(term))
}

/** The values of a parameter that takes several. */
export const listIn = (query: URLSearchParams, name: string): ReadonlyArray<string> | undefined => {
  const words = query.getAll(name).flatMap((written) => written.split(",").map((word) => word.trim()))
  return words.length === 0 ? undefined : words
}
