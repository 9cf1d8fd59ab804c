import { Either, Option, Predicate, Schema } from "effect"
import type { Account, Doc } from "../../simulation/Account.ts"
import {
  expireAccessTokens,
  isTokenGood,
  issueTokens,
  type Reply,
  revokeToken,
  type Route,
  type SimulatedRequest,
  type Simulator
} from "../../simulation/Simulator.ts"
import { seed } from "./Seed.ts"
import { type Entity, entityOf } from "./Entities.ts"
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
import { partsAt, textAt } from "./Fields.ts"
import { changes, query } from "./Queries.ts"
import { type Asked, find, present, write } from "./Records.ts"

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
        onRight: (body) => answer(account, body)
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

const entityIn = (request: SimulatedRequest): Outcome<Entity> => {
  const entity = entityOf(request.params.entity ?? "")
  return entity === undefined ? refuse(noResource(request)) : Either.right(entity)
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
    const entity = yield* entityIn(request)
    const operation = yield* operationOf(request.query.get("operation"))
    const body = yield* bodyOf(request)
    return { [entity.name]: yield* write(account, entity, operation, body) }
  })

/** A company has one record of its own kind, and calls it by its realm. */
const ownId = (entity: Entity, request: SimulatedRequest, id: string) =>
  entity.name === "CompanyInfo" && id === request.params.realmId ? "1" : id

const get: Handle = (request, account) =>
  Either.gen(function* () {
    const entity = yield* entityIn(request)
    const doc = yield* find(account, entity, ownId(entity, request, request.params.id ?? ""))
    return { [entity.name]: present(account, entity, doc) }
  })

const getOwn: Handle = (request, account) =>
  Either.gen(function* () {
    const entity = yield* entityIn(request)
    if (entity.name !== "Preferences" && entity.name !== "CompanyInfo") return yield* refuse(noResource(request))
    return { [entity.name]: present(account, entity, yield* find(account, entity, "1")) }
  })

// https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/batch-operations

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
    const asked = yield* operationOf(optionsData === "void" ? "void" : operation)
    return { [entity.name]: yield* write(account, entity, asked, subject[1]) }
  })

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
    return {
      BatchItemResponse: items.map((item) => ({
        ...Either.getOrElse(batchItem(account, item), (errors): Doc => ({ Fault: faultOf(errors) })),
        bId: item.bId
      }))
    }
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
  route("POST", "/:entity", ["operation"], save),
  route("GET", "/:entity", [], getOwn),
  route("GET", "/:entity/:id", [], get)
]

// Tokens: https://developer.intuit.com/app/developer/qbo/docs/develop/authentication-and-authorization/oauth-2.0

const accessLifetime = 3600
const refreshLifetime = 8_726_400
/** A refresh token that was replaced is good for a day more (".../authentication-and-authorization/faq"). */
const grace = 86_400_000

const formOf = (request: SimulatedRequest): URLSearchParams => {
  if (!(request.headers["content-type"] ?? "").includes("json")) return new URLSearchParams(request.text)
  return new URLSearchParams(
    Either.match(bodyOf(request), { onLeft: () => ({}), onRight: (body) => ({ token: textAt(body, "token") ?? "" }) })
  )
}

const refused = (status: number, error: string): Reply => ({ status, body: { error } })

const hasClient = ({ headers }: SimulatedRequest): boolean => {
  const credentials = /^Basic ([\w+/=-]+)$/i.exec(headers.authorization ?? "")?.[1] ?? ""
  return /^.+:.+$/s.test(Buffer.from(credentials, "base64").toString("utf8"))
}

const refresh = (request: SimulatedRequest, account: Account): Reply => {
  const form = formOf(request)
  const token = form.get("refresh_token") ?? ""
  if (!hasClient(request)) return refused(401, "invalid_client")
  if (form.get("grant_type") !== "refresh_token") return refused(400, "unsupported_grant_type")
  const until = account.get("replaced", token)?.until
  const isPast = typeof until === "number" && until <= account.now
  if (!isTokenGood(account, "refresh", token) || isPast) return refused(400, "invalid_grant")
  if (until === undefined) account.put("replaced", token, { until: account.now + grace })
  const issued = issueTokens(account, accessLifetime)
  return {
    status: 200,
    body: {
      token_type: "bearer",
      access_token: issued.accessToken,
      refresh_token: issued.refreshToken,
      expires_in: issued.expiresIn,
      x_refresh_token_expires_in: refreshLifetime
    }
  }
}

const revoke = (request: SimulatedRequest, account: Account): Reply => {
  const token = formOf(request).get("token") ?? ""
  if (!hasClient(request)) return refused(401, "invalid_client")
  if (!isTokenGood(account, "access", token) && !isTokenGood(account, "refresh", token)) {
    return refused(400, "invalid_request")
  }
  revokeToken(account, token)
  expireAccessTokens(account)
  return { status: 200 }
}

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

/** QuickBooks Online's accounting API, version 3. */
export const simulator: Simulator = {
  slug: "quickbooks",
  routes: [
    ...routes,
    { method: "POST", path: "/oauth2/v1/tokens/bearer", open: true, handle: refresh },
    { method: "POST", path: "/v2/oauth2/tokens/revoke", open: true, handle: revoke }
  ],
  tokenOf: ({ headers }) => /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1],
  accountOf: (request) => {
    const form = formOf(request)
    return form.get("refresh_token") ?? form.get("token") ?? undefined
  },
  seed,
  // a company id is digits; the account's name makes them
  values: (account) => ({ realmId: `9${Number.parseInt(account.replace(/[^0-9a-f]/g, "").slice(0, 12) || "0", 16)}` }),
  failures: {
    badGrant: refused(400, "invalid_grant"),
    get unauthorized() {
      return gatewayFault(401, "AuthenticationFailed", "3200", "AUTHENTICATION", "Token expired")
    },
    notFound: (request) => unsupportedPath(400, request),
    methodNotAllowed: (request) => unsupportedPath(405, request),
    rateLimited: () =>
      gatewayFault(429, "ThrottleExceeded", "3001", "SERVICE", "The request limit was reached.  Try again later"),
    broken: (status) =>
      status === 403 ? gatewayFault(403, "AuthorizationFailed", "3100", "SERVICE", null) : systemFault(status)
  },
  headers: tid
}
