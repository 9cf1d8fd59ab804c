import { Either } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import { dailySample } from "../../simulation/DailySample.ts"
import type { Method, Reply, Route, SimulatedRequest, Simulator } from "../../simulation/Simulator.ts"
import {
  type Checked,
  type Fault,
  idInPath,
  internalError,
  invalidModule,
  invalidToken,
  missingParam,
  noPermission,
  noRelatedList,
  noSuchUrl,
  nothing,
  notDeleted,
  ok,
  overLimit,
  refusal,
  refusedRows,
  rows,
  unchanged,
  wrongMethod
} from "./Answers.ts"
import { features } from "./Features.ts"
import { bigint, idOf, type Module } from "./Fields.ts"
import { limited, limitHeaders, limits } from "./Limits.ts"
import { deleted, isAsked, list, page, search, timeIn } from "./Lists.ts"
import { moduleNamed, modules } from "./Modules.ts"
import { details, disabled, enabled, pushes, updated as renewed } from "./Notifications.ts"
import { oauth } from "./OAuth.ts"
import { organisation, user, users } from "./Organisation.ts"
import { query } from "./Query.ts"
import { enter, named, recordsIn, remove, update } from "./Records.ts"
import { shown } from "./Rows.ts"
import { seed } from "./Seed.ts"
import { allModules, field, fields, layout, layouts, oneModule, pipeline, pipelineList } from "./Settings.ts"
import { isId } from "./Stamps.ts"

type Handle = (org: Org, request: SimulatedRequest) => Checked<Reply>

const api = (method: Method, path: string, handle: Handle, refuse: (fault: Fault) => Reply = refusal): Route => ({
  method,
  path: `/crm/v8${path}`,
  handle: (request, org) => Either.getOrElse(handle(org, request), refuse)
})

const param = ({ params }: SimulatedRequest, name: string) => params[name] ?? ""

type HandleOf = (org: Org, request: SimulatedRequest, module: Module) => Checked<Reply>

/** Of the module in the path. */
const ofModule = (method: Method, path: string, handle: HandleOf, refuse?: (fault: Fault) => Reply): Route =>
  api(
    method,
    `/:module${path}`,
    (org, request) =>
      Either.flatMap(
        Either.fromNullable(moduleNamed(param(request, "module")), () => invalidModule),
        (module) => handle(org, request, module)
      ),
    refuse
  )

/** The record of a path; undefined when there is none. */
const recordOf = (org: Org, request: SimulatedRequest, module: Module): Checked<Doc | undefined> => {
  const id = param(request, "id")
  return isId(id) ? Either.right(org.get(module.name, id)) : Either.left(idInPath)
}

const read: HandleOf = (org, request, module) =>
  Either.gen(function* () {
    const doc = yield* recordOf(org, request, module)
    const isShown = yield* isAsked(request.query)
    if (doc === undefined || !isShown(doc)) return nothing
    const since = timeIn(request, "if-modified-since")
    if (since !== undefined && Date.parse(String(doc.Modified_Time)) <= since) return unchanged
    const names = request.query.get("fields")?.split(",")
    return ok({ data: [shown(org, module, doc, names)] })
  })

const created: HandleOf = (org, request, module) =>
  Either.gen(function* () {
    const records = yield* recordsIn(request, module.batch ?? 100)
    return rows(
      records.map((body, row) => enter(org, module, body, row)),
      "record added",
      201
    )
  })

const updatedMany: HandleOf = (org, request, module) =>
  Either.gen(function* () {
    const records = yield* recordsIn(request, module.batch ?? 100)
    return rows(
      records.map((body, row) =>
        Either.flatMap(named(org, module, body, row), (before) =>
          update(org, module, { before, body, row, since: timeIn(request, "if-unmodified-since") })
        )
      ),
      "record updated",
      200
    )
  })

const updated: HandleOf = (org, request, module) =>
  Either.gen(function* () {
    const before = yield* recordOf(org, request, module)
    const [body] = yield* recordsIn(request, 1)
    if (before === undefined || body === undefined) return refusal(idInPath)
    return rows(
      [update(org, module, { before, body, row: 0, since: timeIn(request, "if-unmodified-since") })],
      "record updated",
      200
    )
  })

const deletedMany: HandleOf = (org, request, module) =>
  Either.gen(function* () {
    const ids = (request.query.get("ids") ?? "").split(",").filter((id) => id !== "")
    if (ids.length === 0) return yield* Either.left(missingParam("ids"))
    if (ids.length > 100) return yield* Either.left(overLimit("ids", 100))
    return rows(
      ids.map((id) => remove(org, module, id)),
      "record deleted",
      200
    )
  })

const deletedOne: HandleOf = (org, request, module) =>
  Either.gen(function* () {
    const doc = yield* recordOf(org, request, module)
    if (doc === undefined) return yield* Either.left(notDeleted)
    return rows([remove(org, module, String(doc.id))], "record deleted", 200)
  })

/** Fields by which the records of a related list lead to what they are related to. */
const links: { readonly [list: string]: ReadonlyArray<string> } = {
  Notes: ["Parent_Id"],
  Contacts: ["Account_Name"],
  Deals: ["Account_Name", "Contact_Name"],
  Tasks: ["What_Id", "Who_Id"],
  Events: ["What_Id", "Who_Id"],
  Calls: ["What_Id", "Who_Id"]
}

/** The record of a path and the module of its related list. */
const relation = (org: Org, request: SimulatedRequest, module: Module) =>
  Either.gen(function* () {
    const doc = yield* recordOf(org, request, module)
    const related = moduleNamed(param(request, "list"))
    const fields = related?.fields.filter(
      ({ code, to }) => links[related.name]?.includes(code) === true && to?.includes(module.name) === true
    )
    if (doc === undefined) return yield* Either.left(idInPath)
    if (related === undefined || fields === undefined || fields.length === 0) return yield* Either.left(noRelatedList)
    return { doc, related, fields }
  })

/** https://www.zoho.com/crm/developer/docs/api/v8/get-related-records.html */
const relatedList: HandleOf = (org, request, module) =>
  Either.flatMap(relation(org, request, module), ({ doc, fields, related }) =>
    page(
      org,
      request,
      related,
      org.all(related.name).filter((one) => fields.some(({ code }) => idOf(one[code]) === doc.id))
    )
  )

/** https://www.zoho.com/crm/developer/docs/api/v8/create-specific-notes.html: the path says what the note is on. */
const relatedNotes: HandleOf = (org, request, module) =>
  Either.gen(function* () {
    const { doc, related } = yield* relation(org, request, module)
    if (related.name !== "Notes") return yield* Either.left(noRelatedList)
    const records = yield* recordsIn(request, 100)
    const parent = { module: { api_name: module.name }, id: doc.id }
    return rows(
      records.map((body, row) => enter(org, related, { ...body, Parent_Id: parent }, row)),
      "record added",
      201
    )
  })

const routes: ReadonlyArray<Route> = [
  ...oauth.routes,
  api("GET", "/org", organisation),
  api("GET", "/users", users),
  api("GET", "/users/:id", user),
  api("GET", "/settings/modules", allModules),
  api("GET", "/settings/modules/:module", oneModule),
  api("GET", "/settings/fields", fields),
  api("GET", "/settings/fields/:id", field),
  api("GET", "/settings/layouts", layouts),
  api("GET", "/settings/layouts/:id", layout),
  api("GET", "/settings/pipeline", pipelineList),
  api("GET", "/settings/pipeline/:id", pipeline),
  api("POST", "/coql", query),
  api("GET", "/actions/watch", details),
  api("POST", "/actions/watch", enabled),
  api("PUT", "/actions/watch", renewed),
  api("DELETE", "/actions/watch", disabled),
  ofModule("GET", "", list),
  ofModule("POST", "", created, refusedRows),
  ofModule("PUT", "", updatedMany, refusedRows),
  ofModule("DELETE", "", deletedMany),
  ofModule("GET", "/deleted", deleted, refusedRows),
  // a write takes a moment to be in the index
  { ...ofModule("GET", "/search", search), lag: 60_000 },
  ofModule("GET", "/:id", read),
  ofModule("PUT", "/:id", updated),
  ofModule("DELETE", "/:id", deletedOne),
  ofModule("GET", "/:id/:list", relatedList),
  ofModule("POST", "/:id/:list", relatedNotes)
]

const broken = (status: number): Reply =>
  refusal(
    status === 401 ? invalidToken : status === 403 ? noPermission : status === 404 ? noSuchUrl : internalError(status)
  )

/**
 * Zoho CRM: REST API v8 and OAuth, over an organisation with pipelines and several currencies.
 * https://www.zoho.com/crm/developer/docs/api/v8/
 */
export const simulator: Simulator = {
  slug: "zoho_crm",
  routes,
  kinds: modules.map((one) => ({ ...one, fields: [bigint("id"), ...one.fields] })),
  tokenOf: ({ headers }) => /^Zoho-oauthtoken\s+(\S+)$/i.exec(headers["authorization"] ?? "")?.[1],
  accountOf: oauth.accountOf,
  sample: dailySample(seed),
  features,
  pushes,
  values: () => ({ apiDomain: "https://www.zohoapis.com" }),
  failures: {
    unauthorized: refusal(invalidToken),
    badGrant: oauth.badGrant,
    notFound: () => refusal(noSuchUrl),
    methodNotAllowed: () => refusal(wrongMethod),
    rateLimited: limited,
    broken
  },
  limits,
  headers: limitHeaders
}
