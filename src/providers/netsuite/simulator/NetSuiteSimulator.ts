import { Either, Option, Predicate, Schema } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { partAt, partsAt } from "../../simulation/Docs.ts"
import type { Reply, Route, SimulatedRequest, Simulator } from "../../simulation/Simulator.ts"
import {
  badParameter,
  type Complaint,
  invalidContent,
  invalidLogin,
  missingType,
  notAllowed,
  type Outcome,
  problem,
  refuse
} from "./Answers.ts"
import { isCatalogued, isHiddenType } from "./Editions.ts"
import { lackable, withoutFeature } from "./Features.ts"
import { accountId, recordsUrl } from "./Fields.ts"
import { filtered } from "./Filter.ts"
import { isOneWorld } from "./Founding.ts"
import { complaintIn } from "./Languages.ts"
import { limited, limits } from "./Limits.ts"
import { schemaOf } from "./Metadata.ts"
import { oauth, tokenOf } from "./OAuth.ts"
import { find, present, remove, transform, write } from "./Records.ts"
import type { RecordType } from "./RecordType.ts"
import { sample } from "./Seed.ts"
import { type Answered, query } from "./SuiteQL.ts"
import { recordTypes, typeOf } from "./Types.ts"

// SuiteTalk REST web services: https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/chapter_1540391670.html

type Handle = (request: SimulatedRequest, account: Account) => Outcome<Reply>

const records = "/services/rest/record/v1"

const badUrl = (url: string): Complaint => ({
  status: 404,
  code: "NONEXISTENT_URL",
  detail: "The resource was not found.",
  url
})

const notPermitted: Complaint = {
  status: 403,
  code: "INSUFFICIENT_PERMISSION",
  detail: "Permission Violation: You need a higher level of permission to access this record."
}

const badHeader = (header: string, detail: string): Complaint => ({
  status: 400,
  code: "INVALID_HEADER",
  detail,
  header
})

const route = (method: Route["method"], path: string, parameters: ReadonlyArray<string>, handle: Handle): Route => ({
  method,
  path,
  handle: (request, account) => {
    const strange = [...request.query.keys()].find((name) => !parameters.includes(name))
    if (strange !== undefined) {
      return problem(
        badParameter(strange, `Invalid query parameter name '${strange}'. Provide a valid query parameter name.`)
      )
    }
    if (/respond-async/i.test(request.headers.prefer ?? "")) {
      return problem(badHeader("Prefer", "Asynchronous requests are not enabled in this account."))
    }
    return Either.match(handle(request, account), {
      onLeft: (complaint) => problem(complaintIn(account, complaint)),
      onRight: (reply) => reply
    })
  }
})

/** Whether an account has a type of records at all. */
const isThere = (account: Account, { isHidden, name }: RecordType): boolean =>
  isHidden !== true && (name !== "subsidiary" || isOneWorld(account)) && !withoutFeature(account, name)

const typeIn = ({ params, path }: SimulatedRequest, account: Account): Outcome<RecordType> => {
  const type = typeOf(params.type ?? "")
  if (type === undefined || !isThere(account, type)) return refuse(missingType(params.type ?? "", path))
  return isHiddenType(account, type.name) ? refuse(notPermitted) : Either.right(type)
}

const parseJson = Schema.decodeUnknownOption(Schema.parseJson())

const bodyOf = ({ text }: SimulatedRequest): Outcome<Doc> =>
  Option.match(parseJson(text), {
    onNone: () => refuse(invalidContent("The request body is not valid JSON.")),
    onSome: (body) =>
      Predicate.isRecord(body) ? Either.right(body) : refuse(invalidContent("The request body must be an object."))
  })

const largestPage = 1000

/**
 * One page of a list, with the links to others. An offset is a multiple of the limit.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_156414087576.html
 */
const page = (request: SimulatedRequest, url: string, { count, rows }: Answered): Outcome<Reply> =>
  Either.gen(function* () {
    const numbers = { limit: largestPage, offset: 0 }
    for (const name of ["limit", "offset"] as const) {
      const given = request.query.get(name)
      if (given === null) continue
      const isRight = /^\d+$/.test(given) && (name === "offset" || (Number(given) > 0 && Number(given) <= largestPage))
      if (!isRight) return yield* refuse(badParameter(name, `Invalid value for the '${name}' query parameter.`))
      numbers[name] = Number(given)
    }
    const { limit, offset } = numbers
    if (offset % limit !== 0)
      return yield* refuse(badParameter("offset", "The offset value must be divisible by limit."))
    const items = rows(offset, offset + limit)
    const hasMore = offset + items.length < count
    const link = (rel: string, from: number) => ({ rel, href: `${url}?limit=${limit}&offset=${from}` })
    const last = Math.floor(Math.max(0, count - 1) / limit) * limit
    return {
      status: 200,
      headers: { "content-type": "application/vnd.oracle.resource+json; type=collection" },
      body: {
        links: [
          ...(offset > 0 ? [link("first", 0), link("previous", offset - limit)] : []),
          ...(hasMore ? [link("next", offset + limit), link("last", last)] : []),
          link("self", offset)
        ],
        count: items.length,
        hasMore,
        items,
        offset,
        totalResults: count
      }
    }
  })

/** How a type of records is told in the catalogue. */
const catalogued = (account: Account, { name }: RecordType): Doc => {
  const href = `${recordsUrl(account)}/metadata-catalog/${name}`
  const forms = ["application/json", "application/swagger+json", "application/schema+json"]
  return {
    name,
    links: ["canonical", "alternate", "alternate"].map((rel, i) => ({ rel, href, mediaType: forms[i] }))
  }
}

/**
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1540810174.html; what it is of depends on the user:
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/chapter_1540810168.html
 */
const catalogue: Handle = (_, account) =>
  Either.right({
    status: 200,
    body: {
      items: recordTypes
        .filter((type) => isThere(account, type) && isCatalogued(account, type.name))
        .map((type) => catalogued(account, type))
    }
  })

const describeType: Handle = (request, account) =>
  Either.map(typeIn(request, account), (type) => ({
    status: 200,
    body:
      request.headers.accept?.includes("application/schema+json") === true
        ? schemaOf(account, type)
        : catalogued(account, type)
  }))

const listRecords: Handle = (request, account) =>
  Either.gen(function* () {
    const type = yield* typeIn(request, account)
    const url = `${recordsUrl(account)}/${type.name}`
    const rows = yield* filtered(account, type, request.query.get("q"))
    return yield* page(request, url, {
      count: rows.length,
      rows: (from, to) =>
        rows.slice(from, to).map(({ id }) => ({ links: [{ rel: "self", href: `${url}/${String(id)}` }], id }))
    })
  })

const flagIn = ({ query }: SimulatedRequest, name: string): boolean => query.get(name)?.toLowerCase() === "true"

const getRecord: Handle = (request, account) =>
  Either.gen(function* () {
    const type = yield* typeIn(request, account)
    const doc = yield* find(account, type, request.params.id ?? "")
    const view = {
      account,
      isExpanded: flagIn(request, "expandSubResources"),
      isSimple: flagIn(request, "simpleEnumFormat")
    }
    const whole = present(view, type, doc)
    const asked = request.query
      .get("fields")
      ?.split(",")
      .map((name) => name.trim())
    const strange = asked?.find((name) => type.fields[name] === undefined)
    if (strange !== undefined)
      return yield* refuse(badParameter("fields", `The record type '${type.name}' has no field '${strange}'.`))
    return {
      status: 200,
      headers: { "content-type": "application/vnd.oracle.resource+json; type=singular" },
      body:
        asked === undefined
          ? whole
          : Object.fromEntries(Object.entries(whole).filter(([name]) => name === "links" || asked.includes(name)))
    }
  })

/**
 * A sublist or subrecord by itself; its lines only as links, unless they are asked for.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_159531460854.html
 */
const getPart: Handle = (request, account) =>
  Either.gen(function* () {
    const type = yield* typeIn(request, account)
    const doc = yield* find(account, type, request.params.id ?? "")
    const name = request.params.part ?? ""
    const kind = type.fields[name]?.kind
    if (kind !== "list" && kind !== "refs" && kind !== "part") {
      return yield* refuse(badUrl(request.path))
    }
    const whole = partAt(present({ account, isExpanded: true, isSimple: false }, type, doc), name)
    const isOpen = kind === "part" || flagIn(request, "expandSubResources")
    const items = partsAt(whole, "items").map(({ links }) => ({ links }))
    return { status: 200, body: isOpen ? whole : { ...whole, items } }
  })

const validations = ["error", "warning", "ignore"]

/** How a write is to be read: unknown members are refused only when a header asks for it. */
const writingOf = (request: SimulatedRequest, type: RecordType) =>
  Either.gen(function* () {
    const asked = request.headers["x-netsuite-propertynamevalidation"]?.toLowerCase() ?? "warning"
    if (!validations.includes(asked)) {
      const name = "X-NetSuite-PropertyNameValidation"
      return yield* refuse(badHeader(name, `Invalid value of the ${name} header.`))
    }
    const replaced = new Set(
      request.query
        .get("replace")
        ?.split(",")
        .map((name) => name.trim())
    )
    const strange = [...replaced].find(
      (name) => type.fields[name]?.kind !== "list" && type.fields[name]?.kind !== "refs"
    )
    if (strange !== undefined) {
      return yield* refuse(badParameter("replace", `'${strange}' is not a sublist of the record type '${type.name}'.`))
    }
    return { isStrict: asked === "error", replaced }
  })

const located = (account: Account, type: RecordType, id: string): Reply => ({
  status: 204,
  headers: { location: `${recordsUrl(account)}/${type.name}/${id}` }
})

const createRecord: Handle = (request, account) =>
  Either.gen(function* () {
    const type = yield* typeIn(request, account)
    const writing = yield* writingOf(request, type)
    const body = yield* bodyOf(request)
    return located(account, type, yield* write(account, type, body, undefined, writing))
  })

const updateRecord: Handle = (request, account) =>
  Either.gen(function* () {
    const type = yield* typeIn(request, account)
    const writing = yield* writingOf(request, type)
    const current = yield* find(account, type, request.params.id ?? "")
    const id = yield* write(account, type, yield* bodyOf(request), current, writing)
    return located(account, type, id)
  })

/** Updates the record of an external id, or creates it. */
const upsertRecord: Handle = (request, account) =>
  Either.gen(function* () {
    const type = yield* typeIn(request, account)
    const external = /^eid:(.+)$/.exec(request.params.id ?? "")?.[1]
    if (external === undefined) return yield* refuse(notAllowed(request.path))
    const writing = yield* writingOf(request, type)
    const body = { ...(yield* bodyOf(request)), externalId: external }
    const current = account.all(type.name).find(({ externalId }) => externalId === external)
    return located(account, type, yield* write(account, type, body, current, writing))
  })

const deleteRecord: Handle = (request, account) =>
  Either.gen(function* () {
    const type = yield* typeIn(request, account)
    yield* remove(account, type, yield* find(account, type, request.params.id ?? ""))
    return { status: 204 }
  })

const transformRecord: Handle = (request, account) =>
  Either.gen(function* () {
    const source = yield* typeIn(request, account)
    const doc = yield* find(account, source, request.params.id ?? "")
    const body = request.text === "" ? {} : yield* bodyOf(request)
    const target = request.params.target ?? ""
    const type = typeOf(target) ?? source
    const writing = yield* writingOf(request, type)
    return located(account, type, yield* transform(account, source, doc, target, body, writing))
  })

/** https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_157909186990.html */
const suiteQL: Handle = (request, account) =>
  Either.gen(function* () {
    if (!/(?:^|[,\s])transient(?:$|[,\s])/i.test(request.headers.prefer ?? "")) {
      const detail = "The required request header 'Prefer' is missing or not set. Set 'Prefer' to 'transient'."
      return yield* refuse(badHeader("Prefer", detail))
    }
    const { q } = yield* bodyOf(request)
    if (typeof q !== "string" || q.trim() === "")
      return yield* refuse(invalidContent("The body must have a query 'q'.", "q"))
    const { count, rows } = yield* query(account, q)
    const url = recordsUrl(account).replace("/record/v1", "/query/v1/suiteql")
    return yield* page(request, url, {
      count,
      rows: (from, to) => rows(from, to).map((row) => ({ links: [], ...row }))
    })
  })

/** NetSuite's record service and SuiteQL. */
export const simulator: Simulator = {
  slug: "netsuite",
  routes: [
    ...oauth.routes,
    route("POST", "/services/rest/query/v1/suiteql", ["limit", "offset"], suiteQL),
    route("GET", `${records}/metadata-catalog`, [], catalogue),
    route("GET", `${records}/metadata-catalog/:type`, [], describeType),
    route("GET", `${records}/:type`, ["q", "limit", "offset"], listRecords),
    route("POST", `${records}/:type`, ["replace"], createRecord),
    route("GET", `${records}/:type/:id`, ["expandSubResources", "simpleEnumFormat", "fields"], getRecord),
    route("GET", `${records}/:type/:id/:part`, ["expandSubResources"], getPart),
    route("PATCH", `${records}/:type/:id`, ["replace"], updateRecord),
    route("PUT", `${records}/:type/:id`, ["replace"], upsertRecord),
    route("DELETE", `${records}/:type/:id`, [], deleteRecord),
    route("POST", `${records}/:type/:id/!transform/:target`, [], transformRecord)
  ],
  tokenOf,
  accountOf: oauth.accountOf,
  values: (account) => ({ accountId: accountId(account) }),
  sample,
  limits,
  features: lackable,
  failures: {
    unauthorized: problem(invalidLogin),
    badGrant: oauth.badGrant,
    notFound: ({ path }) => problem(badUrl(path)),
    methodNotAllowed: ({ path }) => problem(notAllowed(path)),
    // that NetSuite says when to come back is not in its documentation; what asks for this failure does
    rateLimited: (retryAfter) => ({
      ...limited,
      headers: { ...limited.headers, "retry-after": String(retryAfter) }
    }),
    broken: (status) => {
      if (status === 401) return problem(invalidLogin)
      return problem(
        status === 403 ? notPermitted : { status, code: "UNEXPECTED_ERROR", detail: "An unexpected error occurred." }
      )
    }
  }
}
