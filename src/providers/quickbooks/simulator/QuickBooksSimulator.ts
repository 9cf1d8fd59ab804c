import { Either, Option, Predicate, Schema } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import { dailySample } from "../../simulation/DailySample.ts"
import { type Reply, type Route, type SimulatedRequest, type Simulator } from "../../simulation/Simulator.ts"
import { seedIn } from "./Seed.ts"
import { entityOf } from "./Entities.ts"
import type { Entity } from "./Entity.ts"
import {
  answer,
  business,
  faultOf,
  gatewayFault,
  missing,
  type Outcome,
  refusal,
  refuse,
  tid,
  timestamp,
  unknownParameter,
  unreadable,
  unsupported
} from "./Faults.ts"
import { begin, entitled, plus } from "./Features.ts"
import { partsAt } from "./Fields.ts"
import { addressOf, temporary, upload } from "./Files.ts"
import { limited, limits } from "./Limits.ts"
import { oauth, realmId } from "./OAuth.ts"
import { pushes } from "./Push.ts"
import { changes, query } from "./Queries.ts"
import { type Asked, find, present, write } from "./Records.ts"
import { report, reportParameters } from "./Reports.ts"
import { addTaxCode } from "./TaxService.ts"
import { type WorldName, worlds } from "./World.ts"

// https://developer.intuit.com/app/developer/qbo/docs/learn/rest-api-features

type Handle = (request: SimulatedRequest, account: Account) => Outcome<{ readonly [key: string]: unknown }>

const company = "/v3/company/:realmId"

const noResource = ({ path }: SimulatedRequest) => unsupported(`Could not find resource for relative : ${path}`)

/** Every request takes these parameters. */
const general = ["minorversion", "format", "requestid"]

/** The first thing wrong with a request's parameters. */
const parameterComplaint = (request: SimulatedRequest, known: ReadonlyArray<string>) => {
  const { query } = request
  const strange = [...query.keys()].find((name) => ![...general, ...known].includes(name))
  if (strange !== undefined) return unknownParameter(strange)
  if (!/^\d*$/.test(query.get("minorversion") ?? "")) return unknownParameter("minorversion")
  if ((query.get("format") ?? "json") !== "json") return unsupported(`format ${query.get("format")}`)
  if ((query.get("requestid") ?? "").length > 50) return unknownParameter("requestid")
  return /^\d+$/.test(request.params.realmId ?? "") ? undefined : noResource(request)
}

/**
 * A request with a `requestid` that was answered before gets that answer again.
 * https://developer.intuit.com/app/developer/qbo/docs/learn/rest-api-features#request-id
 */
const once = (request: SimulatedRequest, account: Account, reply: () => Reply): Reply => {
  const id = request.query.get("requestid")
  if (id === null || request.method === "GET") return reply()
  const before = account.get("requestid", id)
  if (before !== undefined) return { status: 200, body: before.body }
  const given = reply()
  if (given.status === 200) account.put("requestid", id, { body: given.body })
  return given
}

const route = (method: "GET" | "POST", path: string, parameters: ReadonlyArray<string>, handle: Handle): Route => ({
  method,
  path: company + path,
  handle: (request, account) => {
    const complaint = parameterComplaint(request, parameters)
    if (complaint !== undefined) return refusal(account, [complaint])
    return once(request, account, () =>
      Either.match(handle(request, account), {
        onLeft: (errors) => refusal(account, errors),
        // a report is the whole answer, without an envelope
        onRight: (body) => ("Header" in body ? { status: 200, body } : answer(account, body))
      })
    )
  }
})

const parseJson = Schema.decodeUnknownOption(Schema.parseJson())

const bodyOf = (request: SimulatedRequest): Outcome<Doc> =>
  Option.match(parseJson(request.text), {
    onNone: () => refuse(unreadable),
    onSome: (body) => (Predicate.isRecord(body) ? Either.right(body) : refuse(unreadable))
  })

const entityIn = (request: SimulatedRequest, account: Account): Outcome<Entity> => {
  const entity = entityOf(request.params.entity ?? "")
  return entity === undefined
    ? refuse(noResource(request))
    : entitled(account, entity, request.method === "GET" ? "read" : "write")
}

const handleQuery = (text: string, account: Account) =>
  Either.map(query(account, text), (QueryResponse) => ({ QueryResponse }))

const operations: { readonly [parameter: string]: Asked } = {
  create: "create",
  update: "update",
  delete: "delete",
  void: "void"
}

const operationOf = (written: string | null | undefined): Outcome<Asked> => {
  if (written === null || written === undefined) return Either.right("save")
  const operation = operations[written]
  return operation === undefined ? refuse(unsupported(written)) : Either.right(operation)
}

const save: Handle = (request, account) =>
  Either.gen(function* () {
    const entity = yield* entityIn(request, account)
    const named = yield* operationOf(request.query.get("operation"))
    const include = request.query.get("include")
    if (include !== null && (include !== "void" || named !== "update"))
      return yield* refuse(unknownParameter("include"))
    const operation = include === null ? named : "void update"
    const body = yield* bodyOf(request)
    return { [entity.name]: yield* write(account, entity, operation, body) }
  })

/** A company has one record of its own kind, and calls it by its realm. */
const ownId = (entity: Entity, request: SimulatedRequest, id: string) =>
  entity.name === "CompanyInfo" && id === request.params.realmId ? "1" : id

const get: Handle = (request, account) =>
  Either.gen(function* () {
    const entity = yield* entityIn(request, account)
    const doc = yield* find(account, entity, ownId(entity, request, request.params.id ?? ""))
    return { [entity.name]: present(account, entity, doc) }
  })

const getOwn: Handle = (request, account) =>
  Either.gen(function* () {
    const entity = yield* entityIn(request, account)
    if (entity.name !== "Preferences" && entity.name !== "CompanyInfo") return yield* refuse(noResource(request))
    return { [entity.name]: present(account, entity, yield* find(account, entity, "1")) }
  })

// https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/batch
// https://blogs.intuit.com/2017/07/27/batch-operations-important

const largestBatch = 30

const batchItem = (account: Account, item: Doc): Outcome<Doc> =>
  Either.gen(function* () {
    const { bId: _id, operation, optionsData, Query, ...subjects } = item
    if (typeof Query === "string") return { QueryResponse: yield* query(account, Query) }
    const [subject, ...more] = Object.entries(subjects)
    const entity = subject === undefined ? undefined : entityOf(subject[0])
    if (subject === undefined || entity?.name !== subject[0] || more.length > 0 || !Predicate.isRecord(subject[1])) {
      return yield* refuse(unsupported("a batch item without one entity or Query"))
    }
    if (typeof operation !== "string") return yield* refuse(missing("operation"))
    if (optionsData !== undefined && optionsData !== "void") return yield* refuse(unsupported(String(optionsData)))
    const isVoid = optionsData === "void"
    const asked =
      isVoid && entity.can.includes("void update") ? "void update" : yield* operationOf(isVoid ? "void" : operation)
    return { [entity.name]: yield* write(account, yield* entitled(account, entity, "write"), asked, subject[1]) }
  })

const isQuery = ({ Query }: Doc) => typeof Query === "string"

const batch: Handle = (request, account) =>
  Either.gen(function* () {
    const body = yield* bodyOf(request)
    const strange = Object.keys(body).find((name) => name !== "BatchItemRequest")
    if (strange !== undefined) return yield* refuse(unknownParameter(strange))
    const items = partsAt(body, "BatchItemRequest")
    if (items.length === 0) return yield* refuse(missing("BatchItemRequest"))
    if (items.length > largestBatch) {
      return yield* refuse(business(`A batch takes at most ${largestBatch} items; this one has ${items.length}.`))
    }
    const done = new Map<Doc, Doc>()
    // no item sees what another one does, so what is only read goes first
    for (const item of items.toSorted((a, b) => Number(isQuery(b)) - Number(isQuery(a)))) {
      const outcome = Either.getOrElse(batchItem(account, item), (errors): Doc => ({ Fault: faultOf(errors) }))
      done.set(item, { ...outcome, bId: item.bId })
    }
    return { BatchItemResponse: items.map((item) => done.get(item)) }
  })

const routes: ReadonlyArray<Route> = [
  route("GET", "/query", ["query"], (request, account) => handleQuery(request.query.get("query") ?? "", account)),
  route("POST", "/query", [], (request, account) => handleQuery(request.text, account)),
  route("GET", "/cdc", ["entities", "changedSince"], (request, account) =>
    Either.map(changes(account, request.query.get("entities"), request.query.get("changedSince")), (CDCResponse) => ({
      CDCResponse
    }))
  ),
  route("POST", "/batch", [], batch),
  route("POST", "/upload", [], upload),
  {
    method: "GET",
    path: `${company}/download/:id`,
    handle: (request, account) => {
      const complaint = parameterComplaint(request, [])
      return complaint === undefined
        ? Either.getOrElse(addressOf(account, request.params.id ?? ""), (errors) => refusal(account, errors))
        : refusal(account, [complaint])
    }
  },
  ...Object.entries(reportParameters).map(([name, parameters]) =>
    route("GET", `/reports/${name}`, parameters, (request, account) => report(account, name, request.query))
  ),
  route("POST", "/taxservice/taxcode", [], (request, account) =>
    Either.flatMap(bodyOf(request), (body) => addTaxCode(account, body))
  ),
  route("POST", "/:entity", ["operation", "include"], save),
  route("GET", "/:entity", [], getOwn),
  route("GET", "/:entity/:id", [], get)
]

const systemFault = (status: number): Reply => ({
  status,
  headers: tid(),
  body: {
    Fault: {
      Error: [
        {
          Message: "An application error has occurred while processing your request",
          Detail: `System Failure Error: status ${status}`,
          code: "10000",
          element: ""
        }
      ],
      type: "SystemFault"
    },
    time: timestamp(Date.now())
  }
})

const unsupportedPath = (status: number, request: SimulatedRequest): Reply => ({
  status,
  headers: tid(),
  body: { Fault: faultOf([noResource(request)]), time: timestamp(Date.now()) }
})

/** QuickBooks Online's accounting API, version 3, for companies that are all of one country. */
export const simulatorIn = (name: WorldName): Simulator => ({
  slug: "quickbooks",
  routes: [...routes, temporary, ...oauth.routes],
  tokenOf: ({ headers }) => /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1],
  accountOf: (request) => request.params.ticket ?? oauth.accountOf(request),
  sample: dailySample(seedIn(worlds[name])),
  begin,
  features: [plus],
  accountId: realmId,
  pushes,
  // a company id is digits; the account's name makes them
  values: (account) => ({ realmId: realmId(account) }),
  failures: {
    badGrant: oauth.badGrant,
    get unauthorized() {
      return gatewayFault(401, "AuthenticationFailed", "3200", "AUTHENTICATION", "Token expired")
    },
    notFound: (request) => unsupportedPath(400, request),
    methodNotAllowed: (request) => unsupportedPath(405, request),
    rateLimited: limited,
    broken: (status) =>
      status === 403 ? gatewayFault(403, "AuthorizationFailed", "3100", "SERVICE", null) : systemFault(status)
  },
  limits,
  headers: tid
})

/** Companies of the United States that choose their tax codes themselves. */
export const simulator: Simulator = simulatorIn("US")
