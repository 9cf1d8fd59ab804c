import { Either } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { accountNumber } from "../../simulation/AccountNumber.ts"
import { dailySample } from "../../simulation/DailySample.ts"
import type { Method, Reply, Route, SimulatedRequest, Simulator } from "../../simulation/Simulator.ts"
import { having } from "../../simulation/table/Kind.ts"
import { seed } from "./Seed.ts"
import { createMany, deleteMany, readMany, updateMany } from "./Collections.ts"
import { composite } from "./Composite.ts"
import { allowsSave } from "./Duplicates.ts"
import { describe, summary } from "./Describe.ts"
import {
  deletedRecord,
  type Fault,
  invalidSession,
  malformedQuery,
  noRecordAt,
  noResource,
  refusal,
  wrongParameter
} from "./Faults.ts"
import { features, isThere } from "./Features.ts"
import type { SObject } from "./Fields.ts"
import { idOf, stampOf } from "./Ids.ts"
import { dailyRequests, limited, limitHeaders, limits } from "./Limits.ts"
import { instanceUrl, oauth, userInfo } from "./OAuth.ts"
import { answer, more, recordOf } from "./Query.ts"
import { search } from "./Search.ts"
import { create, objectIn, remove, update } from "./Records.ts"
import { fieldNamed, sObjectNamed, sObjects } from "./Schema.ts"

type Checked<A> = Either.Either<A, Fault>

interface Asked {
  readonly org: Org
  readonly request: SimulatedRequest
  /** Such as `v59.0`. */
  readonly version: string
}

/** Versions in service: v20.0 and below were retired. */
const isVersion = (version: string) => /^v(?:2\d|[345]\d|6[0-7])\.0$/.test(version)

/** A resource of the data API. */
const data = (method: Method, path: string, handle: (asked: Asked) => Checked<Reply>): Route => ({
  method,
  path: `/services/data/:version${path}`,
  handle: (request, org) => {
    const version = request.params["version"] ?? ""
    if (!isVersion(version)) return refusal(noResource)
    // the web server in front counts the address: 16,384 bytes (Salesforce Help 000386264)
    if (request.path.length + request.query.toString().length > 16_384) {
      return { status: 414, headers: { "content-type": "text/html" }, body: "<h1>Bad Message 414</h1>" }
    }
    return Either.getOrElse(handle({ org, request, version }), refusal)
  }
})

const ok = (body: unknown): Reply => ({ status: 200, body })
const done: Reply = { status: 204 }
const made = (id: string, more: Doc = {}) => ({ id, success: true, errors: [], ...more })

const param = ({ request }: Asked, name: string) => request.params[name] ?? ""

/** A resource of the object that the path names. */
const ofType = (method: Method, path: string, handle: (asked: Asked, object: SObject) => Checked<Reply>): Route =>
  data(method, path, (asked) =>
    Either.flatMap(
      Either.fromNullable(sObjectNamed(param(asked, "type")), () => noResource),
      (object) => handle(asked, object)
    )
  )

/** The id of a path, of the object of the path. */
const idIn = (asked: Asked, object: SObject): Checked<string> => {
  const recordId = idOf(param(asked, "id"))
  return recordId?.startsWith(object.prefix) === true
    ? Either.right(recordId)
    : Either.left(noRecordAt(param(asked, "id")))
}

// Queries

/** Rows of an answer: 2,000, or from 200 on as asked; a smaller number is raised. */
const batchOf = ({ request }: Asked): number => {
  const asked = /batchSize\s*=\s*(\d+)/i.exec(request.headers["sforce-query-options"] ?? "")?.[1]
  return asked === undefined ? 2000 : Math.min(2000, Math.max(200, Number(asked)))
}

const query =
  (deleted: boolean) =>
  (asked: Asked): Checked<Reply> => {
    const text = asked.request.query.get("q") ?? ""
    return text.trim() === ""
      ? Either.left(malformedQuery("", "SOQL statements cannot be empty or null"))
      : Either.map(answer({ ...asked, deleted }, text, batchOf(asked)), ok)
  }

const find = (asked: Asked): Checked<Reply> => Either.map(search(asked, asked.request.query.get("q") ?? ""), ok)

const nextRows = (asked: Asked) =>
  Either.map(more(asked.org, asked.version, param(asked, "locator"), batchOf(asked)), ok)

// Records

const optionsOf = ({ request: { headers } }: Pick<Asked, "request">) => ({ allowSave: allowsSave(headers) })

const createOne = (asked: Asked, object: SObject): Checked<Reply> =>
  Either.gen(function* () {
    const { commit, id } = yield* create(asked.org, object, yield* objectIn(asked.request.text), optionsOf(asked))
    commit()
    const location = `/services/data/${asked.version}/sobjects/${object.name}/${id}`
    return { status: 201, headers: { location }, body: made(id) }
  })

const shown = (asked: Asked, object: SObject, doc: Doc): Checked<Reply> => {
  const names = asked.request.query
    .get("fields")
    ?.split(",")
    .map((name) => name.trim())
  return Either.map(recordOf({ ...asked, deleted: false }, { object, doc }, names), ok)
}

const readOne = (asked: Asked, object: SObject): Checked<Reply> =>
  Either.gen(function* () {
    const doc = asked.org.get(object.name, yield* idIn(asked, object))
    if (doc === undefined) return yield* Either.left(noResource)
    return doc.IsDeleted === true ? yield* Either.left(deletedRecord) : yield* shown(asked, object, doc)
  })

const updateOne = (asked: Asked, object: SObject): Checked<Reply> =>
  Either.gen(function* () {
    const recordId = yield* idIn(asked, object)
    const { commit } = yield* update(asked.org, object, recordId, yield* objectIn(asked.request.text), optionsOf(asked))
    commit()
    return done
  })

const deleteOne = (asked: Asked, object: SObject): Checked<Reply> =>
  Either.gen(function* () {
    const { commit } = yield* remove(asked.org, object, yield* idIn(asked, object))
    commit()
    return done
  })

/** The record an external id leads to, and the field that holds such ids. */
const external = (asked: Asked, object: SObject) =>
  Either.gen(function* () {
    const field = fieldNamed(object, param(asked, "id"))
    if (field?.isUnique !== true) return yield* Either.left(noRecordAt(param(asked, "id")))
    return { field, doc: having(asked.org, object, field.code, param(asked, "value")) }
  })

const upsert = (asked: Asked, object: SObject): Checked<Reply> =>
  Either.gen(function* () {
    const { doc, field } = yield* external(asked, object)
    const body = yield* objectIn(asked.request.text)
    if (Object.keys(body).some((name) => name.toLowerCase() === field.code.toLowerCase())) {
      return yield* Either.left(wrongParameter(`The ${field.code} field should not be specified in the sobject data.`))
    }
    const planned =
      doc === undefined
        ? yield* create(asked.org, object, { ...body, [field.code]: param(asked, "value") }, optionsOf(asked))
        : yield* update(asked.org, object, String(doc.Id), body, optionsOf(asked))
    planned.commit()
    return { status: doc === undefined ? 201 : 200, body: made(planned.id, { created: doc === undefined }) }
  })

/** Content under a record's address, or the record an external id leads to. */
const readUnder = (asked: Asked, object: SObject): Checked<Reply> =>
  Either.gen(function* () {
    const recordId = idOf(param(asked, "id"))
    const content = fieldNamed(object, param(asked, "value"))
    if (recordId !== undefined && content?.type === "base64") {
      const held = asked.org.get(object.name, recordId)?.[content.code]
      return typeof held === "string"
        ? {
            status: 200,
            headers: { "content-type": "application/octetstream" },
            body: Buffer.from(held, "base64").toString("utf8")
          }
        : yield* Either.left(noResource)
    }
    const { doc } = yield* external(asked, object)
    return doc === undefined ? yield* Either.left(noResource) : yield* shown(asked, object, doc)
  })

/** Ids changed or deleted in a span of time. */
const changed = (deleted: boolean) => (asked: Asked, object: SObject) =>
  Either.gen(function* () {
    const [start, end] = ["start", "end"].map((name) => Date.parse(asked.request.query.get(name) ?? ""))
    if (start === undefined || end === undefined || !(start < end)) {
      return yield* Either.left(wrongParameter("start and end take date-times, start before end"))
    }
    const rows = asked.org.all(object.name).filter(({ IsDeleted, SystemModstamp: stamp }) => {
      const at = Date.parse(String(stamp).replace("+0000", "Z"))
      return (IsDeleted === true) === deleted && at >= start && at <= end
    })
    const latestDateCovered = stampOf(Math.min(end, asked.org.now))
    return ok(
      deleted
        ? {
            deletedRecords: rows.map((doc) => ({ deletedDate: doc.SystemModstamp, id: doc.Id })),
            earliestDateAvailable: stampOf(asked.org.now - 15 * 24 * 3_600_000),
            latestDateCovered
          }
        : { ids: rows.map(({ Id }) => Id), latestDateCovered }
    )
  })

// The organisation

const allowances = ({ org }: Asked) =>
  Either.right(
    ok({
      DailyApiRequests: dailyRequests(org),
      DailyBulkV2QueryJobs: { Max: 10_000, Remaining: 10_000 },
      DataStorageMB: { Max: 1024, Remaining: 1000 },
      FileStorageMB: { Max: 1024, Remaining: 1024 }
    })
  )

/** https://developer.salesforce.com/docs/atlas.en-us.chatterapi.meta/chatterapi/connect_responses_organization.htm */
const organization = ({ org }: Asked) => {
  const [one] = org.all("Organization")
  return Either.right(
    ok({
      accessTimeout: 120,
      features: { chatter: true, defaultCurrencyIsoCode: "USD", multiCurrency: false },
      name: one?.Name,
      orgId: one?.Id
    })
  )
}

/** Records by `ids`, with `fields`. */
const readAll = (asked: Asked, object: SObject, list: (name: string) => ReadonlyArray<string>) =>
  Either.map(readMany({ ...asked, deleted: false }, object, list("ids"), list("fields")), ok)

const resources = ["composite", "connect", "limits", "query", "queryAll", "search", "sobjects"]

const dataRoutes: ReadonlyArray<Route> = [
  {
    method: "GET",
    path: "/services/data",
    handle: () =>
      ok(
        Array.from({ length: 48 }, (_, index) => {
          const version = `${20 + index}.0`
          return { label: `API ${version}`, url: `/services/data/v${version}`, version }
        })
      )
  },
  data("GET", "", ({ version }) =>
    Either.right(ok(Object.fromEntries(resources.map((name) => [name, `/services/data/${version}/${name}`]))))
  ),
  data("GET", "/connect/organization", organization),
  data("GET", "/limits", allowances),
  data("GET", "/query", query(false)),
  data("GET", "/queryAll", query(true)),
  // a write takes one to three minutes to be in the index
  { ...data("GET", "/search", find), lag: 60_000 },
  data("GET", "/query/:locator", nextRows),
  data("GET", "/queryAll/:locator", nextRows),
  data("GET", "/sobjects", ({ org, version }) => {
    const shown = sObjects.filter(({ name }) => isThere(org, name))
    return Either.right(
      ok({ encoding: "UTF-8", maxBatchSize: 200, sobjects: shown.map((object) => summary(version, object)) })
    )
  }),
  ofType("GET", "/sobjects/:type", ({ version }, object) =>
    Either.right(ok({ objectDescribe: summary(version, object), recentItems: [] }))
  ),
  ofType("POST", "/sobjects/:type", createOne),
  ofType("GET", "/sobjects/:type/describe", ({ org, version }, object) =>
    Either.right(ok(describe(org, version, object)))
  ),
  ofType("GET", "/sobjects/:type/updated", changed(false)),
  ofType("GET", "/sobjects/:type/deleted", changed(true)),
  ofType("GET", "/sobjects/:type/:id", readOne),
  ofType("PATCH", "/sobjects/:type/:id", updateOne),
  ofType("DELETE", "/sobjects/:type/:id", deleteOne),
  ofType("GET", "/sobjects/:type/:id/:value", readUnder),
  ofType("PATCH", "/sobjects/:type/:id/:value", upsert),
  data("POST", "/composite/sobjects", ({ org, request }) =>
    Either.map(createMany(org, request.text, optionsOf({ request })), ok)
  ),
  data("PATCH", "/composite/sobjects", ({ org, request }) =>
    Either.map(updateMany(org, request.text, optionsOf({ request })), ok)
  ),
  data("DELETE", "/composite/sobjects", ({ org, request }) => Either.map(deleteMany(org, request.query), ok)),
  ofType("GET", "/composite/sobjects/:type", (asked, object) =>
    readAll(asked, object, (name) => asked.request.query.get(name)?.split(",") ?? [])
  ),
  ofType("POST", "/composite/sobjects/:type", (asked, object) =>
    Either.flatMap(objectIn(asked.request.text), (body) =>
      readAll(asked, object, (name) => {
        const given = body[name]
        return Array.isArray(given) ? given.map(String) : []
      })
    )
  )
]

const inOne = composite(dataRoutes)

const routes: ReadonlyArray<Route> = [
  ...dataRoutes,
  {
    method: "POST",
    path: "/services/data/:version/composite",
    handle: (request, org, features) =>
      isVersion(request.params["version"] ?? "") ? inOne(request, org, features) : refusal(noResource)
  },
  ...oauth.routes,
  { method: "GET", path: "/services/oauth2/userinfo", handle: userInfo }
]

/** Salesforce's error for a failure of the gateway, by status. */
const broken = (status: number): Reply => {
  const [code, message] =
    status === 401
      ? [invalidSession.code, invalidSession.message]
      : status === 403
        ? ["INSUFFICIENT_ACCESS_OR_READONLY", "insufficient access rights on object id"]
        : status === 404
          ? [noResource.code, noResource.message]
          : status === 503
            ? ["SERVER_UNAVAILABLE", "Service unavailable, please try again later"]
            : ["UNKNOWN_EXCEPTION", "An unexpected error occurred. Please include this ErrorId if you contact support"]
  return refusal({ code, message, status })
}

/** Gives an organisation an id of its own. */
const found = (org: Org): void => {
  const [made] = org.all("Organization")
  const id = idOf(`00DWS${accountNumber(org, 12).toString(36).toUpperCase().padStart(10, "0")}`)
  if (made === undefined || id === undefined) return
  org.remove("Organization", String(made.Id))
  org.put("Organization", id, { ...made, Id: id })
}

/**
 * Salesforce: REST API v20.0 to v67.0 and OAuth, over an organisation with one currency.
 * https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/resources_list.htm
 */
export const simulator: Simulator = {
  slug: "salesforce",
  routes,
  kinds: sObjects,
  tokenOf: ({ headers }) => /^(?:Bearer|OAuth)\s+(\S+)$/i.exec(headers["authorization"] ?? "")?.[1],
  accountOf: oauth.accountOf,
  sample: dailySample(seed),
  features,
  begin: found,
  values: (account) => ({ instanceUrl: instanceUrl(account) }),
  failures: {
    unauthorized: refusal(invalidSession),
    badGrant: oauth.badGrant,
    notFound: () => refusal(noResource),
    methodNotAllowed: ({ method }) =>
      refusal({ code: "METHOD_NOT_ALLOWED", message: `HTTP Method '${method}' not allowed.`, status: 405 }),
    rateLimited: limited,
    broken
  },
  limits,
  headers: limitHeaders
}
