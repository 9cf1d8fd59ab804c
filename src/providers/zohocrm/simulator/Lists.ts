import { Either } from "effect"
import { createHash } from "node:crypto"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import type { Reply, SimulatedRequest } from "../../simulation/Simulator.ts"
import {
  ambiguous,
  beyondPages,
  type Checked,
  expiredPageToken,
  fault,
  invalidModule,
  missingParam,
  nothing,
  ok,
  overLimit,
  strangePageToken,
  unchanged,
  wrongParam
} from "./Answers.ts"
import type { Module } from "./Fields.ts"
import { binOf } from "./Records.ts"
import { valueOf } from "./Modules.ts"
import { shown } from "./Rows.ts"
import { byline, me, stampOf } from "./Stamps.ts"

// Lists: https://www.zoho.com/crm/developer/docs/api/v8/get-records.html

const day = 24 * 3_600_000

/** Modules here that have a search. */
const searched = ["Leads", "Contacts", "Accounts", "Deals", "Tasks", "Events", "Calls", "Appointments__s"]

/** Modules here that tell which records were deleted. */
const remembered = ["Leads", "Contacts", "Accounts", "Deals", "Tasks", "Events", "Calls"]

/** Records that `page` reaches. */
const reach = 2000

/** A whole number of the query from 1 to a most. */
const wholeParam = (
  query: URLSearchParams,
  name: string,
  initial: number,
  most = Number.MAX_SAFE_INTEGER
): Checked<number> => {
  const text = query.get(name)
  if (text === null || text === "") return Either.right(initial)
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
  return value >= 1 && value <= most ? Either.right(value) : Either.left(wrongParam(name))
}

/** The rows of a page by its number, and the page's `info`. */
export const numbered = (query: URLSearchParams, all: ReadonlyArray<Doc>) =>
  Either.gen(function* () {
    const perPage = yield* wholeParam(query, "per_page", 200, 200)
    const page = yield* wholeParam(query, "page", 1)
    const rows = all.slice((page - 1) * perPage, page * perPage)
    return { rows, info: { per_page: perPage, count: rows.length, page, more_records: all.length > page * perPage } }
  })

/** One of the values a parameter takes. */
export const choiceParam = (query: URLSearchParams, name: string, choices: readonly [string, ...Array<string>]) => {
  const text = query.get(name) ?? choices[0]
  return choices.includes(text) ? Either.right(text) : Either.left(wrongParam(name, { supported_values: [...choices] }))
}

const listParam = (query: URLSearchParams, name: string): ReadonlyArray<string> =>
  (query.get(name) ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")

/** The fields of a list, which must be said. */
const fieldsOf = (query: URLSearchParams): Checked<ReadonlyArray<string>> => {
  const fields = listParam(query, "fields")
  if (fields.length === 0) return Either.left(missingParam("fields"))
  return fields.length > 50 ? Either.left(overLimit("fields", 50)) : Either.right(fields)
}

/** Milliseconds of a header with a time; undefined without one. */
export const timeIn = ({ headers }: SimulatedRequest, name: string): number | undefined => {
  const at = Date.parse(headers[name] ?? "")
  return Number.isNaN(at) ? undefined : at
}

// Orders: by id, or by a time and then by id. Ids have one length.

interface Order {
  readonly by: string
  readonly order: string
}

type Key = readonly [time: number, id: string]

const keyOf = ({ by }: Order, doc: Doc): Key => [by === "id" ? 0 : Date.parse(String(doc[by])), String(doc.id)]

const compare = ({ order }: Order, [a, one]: Key, [b, other]: Key): number => {
  const difference = a === b ? (one < other ? -1 : one > other ? 1 : 0) : a - b
  return order === "asc" ? difference : -difference
}

// Page tokens: the last row of a page and when the token ends, signed with the query and the user it is for.

const queryMark = (org: Org, request: SimulatedRequest): string => {
  const said = new URLSearchParams(request.query)
  for (const name of ["page", "page_token"]) said.delete(name)
  said.sort()
  return createHash("sha256")
    .update(JSON.stringify([me(org), request.path, said.toString(), request.headers["if-modified-since"]]))
    .digest("hex")
    .slice(0, 24)
}

const pageToken = (mark: string, [time, id]: Key, ends: number) =>
  Buffer.from(`${mark}.${time}.${id}.${ends}`).toString("base64url")

const readPageToken = (mark: string, text: string, now: number): Checked<Key> => {
  const [bound, time, id, ends] = Buffer.from(text, "base64url").toString("utf8").split(".")
  if (bound !== mark || id === undefined) return Either.left(strangePageToken)
  return Number(ends) < now ? Either.left(expiredPageToken) : Either.right([Number(time), id])
}

/** A page of records, with the `info` of where others are. */
export const page = (org: Org, request: SimulatedRequest, module: Module, docs: ReadonlyArray<Doc>): Checked<Reply> =>
  Either.gen(function* () {
    const { query } = request
    const fields = yield* fieldsOf(query)
    const perPage = yield* wholeParam(query, "per_page", 200, 200)
    const number = yield* wholeParam(query, "page", 1)
    const order: Order = {
      by: yield* choiceParam(query, "sort_by", ["id", "Created_Time", "Modified_Time"]),
      order: yield* choiceParam(query, "sort_order", ["desc", "asc"])
    }
    const token = query.get("page_token")
    if (token !== null && query.get("page") !== null) return yield* Either.left(ambiguous("page", "page_token"))
    if (token === null && number * perPage > reach) return yield* Either.left(beyondPages)
    const mark = queryMark(org, request)
    const after = token === null ? undefined : yield* readPageToken(mark, token, org.now)

    const since = timeIn(request, "if-modified-since")
    const found = since === undefined ? docs : docs.filter((doc) => Date.parse(String(doc.Modified_Time)) > since)
    if (since !== undefined && found.length === 0) return unchanged
    const keyed = found
      .map((doc) => ({ doc, key: keyOf(order, doc) }))
      .filter(({ key }) => after === undefined || compare(order, key, after) > 0)
      .toSorted((a, b) => compare(order, a.key, b.key))
    const rows = after === undefined ? keyed.slice((number - 1) * perPage) : keyed
    const shownRows = rows.slice(0, perPage)
    const last = shownRows.at(-1)
    if (last === undefined) return nothing
    const more = rows.length > perPage
    return ok({
      data: shownRows.map(({ doc }) => shown(org, module, doc, fields)),
      info: {
        call: false,
        per_page: perPage,
        next_page_token: more ? pageToken(mark, last.key, org.now + day) : null,
        count: shownRows.length,
        sort_by: order.by,
        page: number,
        previous_page_token: null,
        page_token_expiry: more ? stampOf(org.now + day) : null,
        sort_order: order.order,
        email: false,
        more_records: more
      }
    })
  })

/** Leads that were converted are listed where they are asked for. */
export const isAsked = (query: URLSearchParams): Checked<(doc: Doc) => boolean> =>
  Either.map(
    choiceParam(query, "converted", ["false", "true", "both"]),
    (converted) => (doc) => converted === "both" || (doc.Converted__s === true) === (converted === "true")
  )

/** The records of a module, or those among them that `ids` names. */
export const list = (org: Org, request: SimulatedRequest, module: Module): Checked<Reply> =>
  Either.gen(function* () {
    const ids = listParam(request.query, "ids")
    // of the published description
    if ((request.query.get("ids") ?? "").length > 1024) return yield* Either.left(wrongParam("ids"))
    if (ids.length > 100) return yield* Either.left(overLimit("ids", 100))
    const isShown = yield* isAsked(request.query)
    const docs =
      ids.length === 0 ? org.all(module.name) : org.all(module.name).filter(({ id }) => ids.includes(String(id)))
    return yield* page(org, request, module, docs.filter(isShown))
  })

const wordsOf = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string" ? (value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) : []

/** Records with words that begin as those of `word` do. */
const havingWords = (org: Org, module: Module, word: string) => {
  const wanted = wordsOf(word)
  return (doc: Doc) => {
    const words = module.fields.flatMap((field) => wordsOf(valueOf(org, doc, field)))
    return wanted.length > 0 && wanted.every((one) => words.some((held) => held.startsWith(one)))
  }
}

/**
 * Searches for words, and gives the newest first.
 * https://www.zoho.com/crm/developer/docs/api/v8/search-records.html
 */
export const search = (org: Org, request: SimulatedRequest, module: Module): Checked<Reply> =>
  Either.gen(function* () {
    const { query } = request
    if (!searched.includes(module.name)) return yield* Either.left(invalidModule)
    const word = query.get("word")
    if (word === null) return yield* Either.left(missingParam("word"))
    if ([...word].length < 2) return yield* Either.left(wrongParam("word"))
    const isShown = yield* isAsked(query)
    const found = org.all(module.name).filter((doc) => isShown(doc) && havingWords(org, module, word)(doc))
    const { info, rows } = yield* numbered(query, found.toReversed())
    if (info.page * info.per_page > reach) return yield* Either.left(overLimit("page", reach))
    const fields = listParam(query, "fields")
    const data = rows.map((doc) => shown(org, module, doc, fields.length === 0 ? undefined : fields))
    return rows.length === 0 ? nothing : ok({ data, info })
  })

/** https://www.zoho.com/crm/developer/docs/api/v8/get-deleted-records.html */
export const deleted = (org: Org, request: SimulatedRequest, module: Module): Checked<Reply> =>
  Either.gen(function* () {
    const { query } = request
    if (!remembered.includes(module.name)) return yield* Either.left(invalidModule)
    const type = yield* Either.mapLeft(choiceParam(query, "type", ["all", "recycle", "permanent"]), () =>
      fault("PATTERN_NOT_MATCHED", "Please check whether the input values are correct", { param_name: "type" })
    )
    const since = timeIn(request, "if-modified-since") ?? 0
    const found = org
      .all(binOf(module))
      .filter((doc) => (type === "all" || doc.type === type) && Date.parse(String(doc.deleted_time)) > since)
    const { info, rows } = yield* numbered(query, found.toReversed())
    if (rows.length === 0) return since === 0 ? nothing : unchanged
    const data = rows.map((doc) => ({
      ...doc,
      created_by: byline(org, doc.created_by),
      deleted_by: byline(org, doc.deleted_by)
    }))
    return ok({ data, info })
  })
