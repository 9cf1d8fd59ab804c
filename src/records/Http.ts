import { HttpLayerRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Fiber, Schema } from "effect"
import { resourcesOf } from "../canonical/Catalogue.ts"
import type { Category, Resource } from "../canonical/Resource.ts"
import type { Body } from "../mapping/Encode.ts"
import { type ApiError, toBody } from "../platform/Errors.ts"
import { basePath } from "../platform/Paths.ts"
import { jsonBody, requestDecoder } from "../platform/Requests.ts"
import { Authentication } from "../tenancy/Authentication.ts"
import type { Subject } from "./Access.ts"
import { GetQuery, Headers, ListQuery, Path, WriteHeaders, WriteQuery } from "./Api.ts"
import { type Answer, Idempotency } from "./Idempotency.ts"
import { Records } from "./Records.ts"

const NoPath = Schema.Struct({})

/** Header values arrive byte by byte; clients mean UTF-8. */
const utf8 = (value: string) => {
  const text = Buffer.from(value, "latin1").toString("utf8")
  return text.includes("\uFFFD") ? value : text
}

/** The parts of the request being answered, undecoded, and who sends it. 401 comes before everything else. */
const receiving = Effect.fnUntraced(function* (authentication: Authentication["Type"]) {
  const caller = yield* authentication.admit
  const request = yield* HttpServerRequest.HttpServerRequest
  const query = yield* HttpServerRequest.ParsedSearchParams
  const path = yield* HttpLayerRouter.params
  const subjectOf = (headers: typeof Headers.Type): Subject => ({
    caller,
    endUser: utf8(headers["x-end-user-id"]),
    connection: headers["x-connection-id"]?.toLowerCase()
  })
  return { request, query, path, headers: request.headers, subjectOf }
})

const success = (status: number, message: string, data: unknown): Answer => ({
  status,
  body: { success: true, statusCode: status, message, data }
})

const respond = (answer: Answer & { readonly replayed?: boolean }) =>
  HttpServerResponse.unsafeJson(answer.body, {
    status: answer.status,
    ...(answer.replayed === true ? { headers: { "idempotency-replayed": "true" } } : {})
  })

/** A write that has begun is finished, whether its caller waits for it or not. */
const finishing = <A, E, R>(write: Effect.Effect<A, E, R>) => Effect.flatMap(Effect.forkDaemon(write), Fiber.join)

const refusal = (error: ApiError): Effect.Effect<Answer> =>
  Effect.map(toBody(error), (body) => ({ status: error.status, body }))

/** Records of a page when the request does not say. */
const pageSize = 25

/** A day is its midnight in UTC. */
const instantOf = (text: string) => new Date(text.length === 10 ? `${text}T00:00:00Z` : text).toISOString()

const readFull = (resource: Resource) => jsonBody<Body, unknown>(Schema.make(resource.createBody.ast))
const readPatch = (resource: Resource) => jsonBody<Body, unknown>(Schema.make(resource.patchBody.ast))

/** The routes of one resource: what its class allows, over the one generic service. */
const routesOf = (
  resource: Resource,
  records: Records["Type"],
  idempotency: Idempotency["Type"],
  received: ReturnType<typeof receiving>
) => {
  const collection = `${basePath}/${resource.category}/${resource.name}` as const
  const single = `${collection}/:id` as const
  const label = resource.name.replaceAll("_", " ")

  const decodeList = requestDecoder(NoPath, listQueryOf(resource.category), Headers)
  const decodeGet = requestDecoder(Path, GetQuery, Headers)
  const decodeRemove = requestDecoder(Path, WriteQuery, Headers)
  const decodeCreate = requestDecoder(NoPath, WriteQuery, WriteHeaders)
  const decodeUpdate = requestDecoder(Path, WriteQuery, WriteHeaders)

  const list = Effect.gen(function* () {
    const got = yield* received
    const { headers, query } = yield* decodeList(got)
    const data = yield* records.list(got.subjectOf(headers), resource, {
      provider: query.provider,
      cursor: query.cursor,
      limit: query.limit ?? pageSize,
      createdAfter: query.created_after === undefined ? undefined : instantOf(query.created_after),
      createdBefore: query.created_before === undefined ? undefined : instantOf(query.created_before),
      includeRemoteData: query.include_remote_data === "true"
    })
    return respond(success(200, `${label} list`, data))
  })

  const get = Effect.gen(function* () {
    const got = yield* received
    const { headers, path, query } = yield* decodeGet(got)
    const which = { provider: query.provider, id: path.id }
    const record = yield* records.get(got.subjectOf(headers), resource, which, query.include_remote_data === "true")
    return respond(success(200, `${label} found`, record))
  })

  const remove = Effect.gen(function* () {
    const got = yield* received
    const { headers, path, query } = yield* decodeRemove(got)
    const which = { provider: query.provider, id: path.id }
    const removed = yield* finishing(records.remove(got.subjectOf(headers), resource, which))
    return respond(success(200, `${label} deleted`, removed))
  })

  /** A write under its `Idempotency-Key`, where it has one. */
  const written = (
    subject: Subject,
    headers: typeof WriteHeaders.Type,
    request: HttpServerRequest.HttpServerRequest,
    text: string,
    repeats: boolean,
    write: Effect.Effect<Answer, ApiError>
  ) => {
    const key = headers["idempotency-key"]
    if (key === undefined) return Effect.map(finishing(write), respond)
    const [path = "", query = ""] = request.originalUrl.split("?", 2)
    const content = `${query}\n${subject.connection ?? ""}\n${text}`
    return Effect.map(
      finishing(idempotency.once({ subject, key, method: request.method, path, content, repeats }, write, refusal)),
      respond
    )
  }

  const readCreate = readFull(resource)
  const create = Effect.gen(function* () {
    const got = yield* received
    const { headers, query } = yield* decodeCreate(got)
    const { body, text } = yield* readCreate(got.request)
    const subject = got.subjectOf(headers)
    return yield* written(
      subject,
      headers,
      got.request,
      text,
      records.repeatsCreates(resource, query.provider),
      Effect.map(records.create(subject, resource, query.provider, body, headers["idempotency-key"]), (record) =>
        success(201, `${label} created`, record)
      )
    )
  })

  const update = (mode: "replace" | "patch") => {
    const read = mode === "replace" ? readFull(resource) : readPatch(resource)
    return Effect.gen(function* () {
      const got = yield* received
      const { headers, path, query } = yield* decodeUpdate(got)
      const { body, text } = yield* read(got.request)
      const subject = got.subjectOf(headers)
      const which = { provider: query.provider, id: path.id }
      return yield* written(
        subject,
        headers,
        got.request,
        text,
        true,
        Effect.map(records.update(subject, resource, which, body, mode), (record) =>
          success(200, `${label} updated`, record)
        )
      )
    })
  }

  const readable = [HttpLayerRouter.route("GET", collection, list), HttpLayerRouter.route("GET", single, get)]
  if (resource.class === "read-only") return readable
  const updatable = [
    ...readable,
    HttpLayerRouter.route("PUT", single, update("replace")),
    HttpLayerRouter.route("PATCH", single, update("patch"))
  ]
  if (resource.class === "update-only") return updatable
  return [
    ...updatable,
    HttpLayerRouter.route("POST", collection, create),
    HttpLayerRouter.route("DELETE", single, remove)
  ]
}

/** Both categories' list queries read alike: CRM's has no dates. */
const listQueryOf = (category: Category): Schema.Schema<typeof ListQuery.accounting.Type, unknown> =>
  Schema.make(ListQuery[category].ast)

/** `/crm` and `/accounting`: every resource of the catalogue. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const records = yield* Records
    const idempotency = yield* Idempotency
    const received = receiving(yield* Authentication)
    return [...resourcesOf("crm"), ...resourcesOf("accounting")].flatMap((resource) =>
      routesOf(resource, records, idempotency, received)
    )
  })
)
