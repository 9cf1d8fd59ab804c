import { HttpLayerRouter, type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Either, Schema } from "effect"
import { accounting, resourcesOf } from "../canonical/Catalogue.ts"
import type { Resource } from "../canonical/Resource.ts"
import type { Body } from "../mapping/Encode.ts"
import * as Deadline from "../platform/Deadline.ts"
import { defaultLimit } from "../platform/Envelope.ts"
import { type ApiError, BadRequest } from "../platform/Errors.ts"
import { runToCompletion } from "../platform/RunToCompletion.ts"
import { basePath } from "../platform/Paths.ts"
import { relay } from "../platform/Relay.ts"
import { noting } from "../platform/RequestNotes.ts"
import { jsonBody, requestDecoder } from "../platform/Requests.ts"
import { Authentication } from "../tenancy/Authentication.ts"
import type { Subject } from "./Access.ts"
import { Attachments, type Found } from "./Attachments.ts"
import { getQueryOf, Headers, listQueryOf, Path, UploadHeaders, WriteHeaders, WriteQuery } from "./Api.ts"
import { Batch } from "./Batch.ts"
import { batchRoutes } from "./BatchHttp.ts"
import { parse } from "./Expansion.ts"
import { wantedOf } from "./FilterParameters.ts"
import { type Answer, Idempotency } from "./Idempotency.ts"
import type { Held } from "./OneRecord.ts"
import { applying, attemptOf, receiving, refusal, respond, success } from "./Receiving.ts"
import { Records } from "./Records.ts"
import type { FieldSelection } from "./FieldSelection.ts"

const NoPath = Schema.Struct({})

const successWith = (status: number, message: string, { record, warnings }: Held) =>
  success(status, message, record, warnings.length === 0 ? {} : { warnings })

interface GetQuery {
  readonly provider: string
  readonly fields?: ReadonlyArray<string> | undefined
  readonly expand?: string | undefined
  readonly include_remote_data?: "true" | "false" | undefined
}

interface ListQuery extends Omit<GetQuery, "provider"> {
  readonly provider?: string | undefined
  readonly cursor?: string | undefined
  readonly limit?: number | undefined
  /** Values of filters. */
  readonly [filter: string]: unknown
}

const invalidParameter = (message: string) => new BadRequest({ code: "INVALID_PARAMETER", message })

const shownOf = (
  resource: Resource,
  { expand, fields, include_remote_data }: Omit<GetQuery, "provider">
): Either.Either<FieldSelection, BadRequest> =>
  Either.mapBoth(expand === undefined ? Either.right(undefined) : parse(resource, expand), {
    onLeft: (wrong) => invalidParameter(`expand: ${wrong}`),
    onRight: (expansion) => ({ fields, expand: expansion, includeRemoteData: include_remote_data === "true" })
  })

/** Queries of all resources read alike, as data. */
const listQuery = (resource: Resource): Schema.Schema<ListQuery, unknown> => Schema.make(listQueryOf(resource).ast)
const getQuery = (resource: Resource): Schema.Schema<GetQuery, unknown> => Schema.make(getQueryOf(resource).ast)

/** Readers of requests, made once: to make one takes longer than to use it. */
const decodes = {
  single: requestDecoder(Path, WriteQuery, Headers),
  upload: requestDecoder(NoPath, WriteQuery, UploadHeaders),
  create: requestDecoder(NoPath, WriteQuery, WriteHeaders),
  update: requestDecoder(Path, WriteQuery, WriteHeaders)
}

const bodyOf = ({ ast }: Schema.Schema.AnyNoContext) => jsonBody<Body, unknown>(Schema.make(ast))

/** Every resource of the catalogue, with the readers of its queries and bodies. */
const served = [...resourcesOf("crm"), ...resourcesOf("accounting")].map((resource) => ({
  resource,
  readList: requestDecoder(NoPath, listQuery(resource), Headers),
  readGet: requestDecoder(Path, getQuery(resource), Headers),
  readFull: bodyOf(resource.createBody),
  readPatch: bodyOf(resource.patchBody)
}))

/** Headers of a file that a browser saves and never shows, whatever it is. */
const fileHeaders = ({ contentType, name }: { readonly contentType: string; readonly name: string }) => ({
  "content-type": /^[\w.+-]+\/[\w.+-]+(;|$)/.test(contentType) ? contentType : "application/octet-stream",
  "content-disposition": `attachment; filename*=UTF-8''${escaped(name)}`,
  "x-content-type-options": "nosniff"
})

/** Fetches a file for a client, who has until the request's deadline to read it. */
const sendFile = Effect.fnUntraced(function* (file: Found, request: HttpServerRequest.HttpServerRequest) {
  const { content, contentType = file.contentType, size } = yield* relay(file.open, request, Deadline.left)
  const { "content-type": type, ...headers } = fileHeaders({ name: file.name, contentType })
  return HttpServerResponse.stream(content, {
    contentType: type,
    headers,
    ...(size === undefined ? {} : { contentLength: size })
  })
})

/** A name as RFC 8187 has it in a header; half a character has no UTF-8. */
const escaped = (name: string) =>
  encodeURIComponent(Buffer.from(name).toString("utf8")).replace(
    /['()*]/g,
    (letter) => `%${Buffer.from(letter).toString("hex").toUpperCase()}`
  )

const keyOnUpload = new BadRequest({
  code: "INVALID_PARAMETER",
  message:
    "idempotency-key: an upload takes none, since what a file holds is not known before it is passed on. List the attachments to see whether it took effect."
})

/** The routes of files: what makes an attachment, and what it holds. */
const filesOf = (attachments: Attachments["Type"], received: ReturnType<typeof receiving>) => {
  const upload = Effect.gen(function* () {
    const got = yield* received
    const { headers, query } = yield* decodes.upload(got)
    yield* applying(headers)
    if (got.headers["idempotency-key"] !== undefined) return yield* keyOnUpload
    const handling = headers.prefer ?? "lenient"
    const held = yield* attachments.upload(got.subjectOf(headers), query.provider, handling, got.request)
    return respond(successWith(201, "attachment created", held))
  })
  const content = Effect.gen(function* () {
    const got = yield* received
    const { headers, path, query } = yield* decodes.single(got)
    const which = { provider: query.provider, id: path.id }
    const file = yield* attachments.find(got.subjectOf(headers), which)
    return got.request.method === "HEAD"
      ? HttpServerResponse.empty({ status: 200, headers: fileHeaders(file) })
      : yield* sendFile(file, got.request)
  })
  const collection = `${basePath}/accounting/attachment` as const
  return [
    HttpLayerRouter.route("POST", collection, upload),
    HttpLayerRouter.route("GET", `${collection}/:id/content`, content)
  ]
}

/** The routes of one resource: what its class allows, over the one generic service. */
const routesOf = (
  { readFull, readGet, readList, readPatch, resource }: (typeof served)[number],
  records: Records["Type"],
  idempotency: Idempotency["Type"],
  received: ReturnType<typeof receiving>,
  batch: ReturnType<ReturnType<typeof batchRoutes>>
) => {
  const collection = `${basePath}/${resource.category}/${resource.name}` as const
  const single = `${collection}/:id` as const
  const label = resource.name.replaceAll("_", " ")

  const list = Effect.gen(function* () {
    const got = yield* received
    const { headers, query } = yield* readList(got)
    const wanted = yield* Either.mapLeft(wantedOf(resource, query), invalidParameter)
    const listed = records.list(got.subjectOf(headers), resource, {
      provider: query.provider,
      cursor: query.cursor,
      limit: query.limit ?? defaultLimit,
      wanted,
      ...(yield* shownOf(resource, query))
    })
    return Effect.map(listed, (data) => respond(success(200, `${label} list`, data)))
  }).pipe(Effect.flatten)

  const get = Effect.gen(function* () {
    const got = yield* received
    const { headers, path, query } = yield* readGet(got)
    const which = { provider: query.provider, id: path.id }
    const record = yield* records.get(got.subjectOf(headers), resource, which, yield* shownOf(resource, query))
    return respond(success(200, `${label} found`, record))
  })

  const remove = Effect.gen(function* () {
    const got = yield* received
    const { headers, path, query } = yield* decodes.single(got)
    const which = { provider: query.provider, id: path.id }
    const removed = yield* runToCompletion(records.remove(got.subjectOf(headers), resource, which))
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
    const attempt = attemptOf(subject, headers, request, text)
    return Effect.map(
      runToCompletion(attempt === undefined ? write : idempotency.once({ ...attempt, repeats }, write, refusal)),
      respond
    )
  }

  const create = Effect.gen(function* () {
    const got = yield* received
    const { headers, query } = yield* decodes.create(got)
    yield* applying(headers)
    yield* records.supports(resource, query.provider, "create")
    const { body, text } = yield* readFull(got.request)
    const subject = got.subjectOf(headers)
    return yield* written(
      subject,
      headers,
      got.request,
      text,
      records.repeatsCreates(resource, query.provider),
      Effect.map(
        Effect.tap(
          records.create(subject, resource, query.provider, {
            body,
            handling: headers.prefer ?? "lenient",
            idempotencyKey: headers["idempotency-key"]
          }),
          ({ record: { remote_id: id } }) =>
            noting((notes) => {
              if (typeof id === "string") notes.record = id
            })
        ),
        (held) => successWith(201, `${label} created`, held)
      )
    )
  })

  const update = (mode: "replace" | "patch") => {
    const read = mode === "replace" ? readFull : readPatch
    return Effect.gen(function* () {
      const got = yield* received
      const { headers, path, query } = yield* decodes.update(got)
      yield* applying(headers)
      yield* records.supports(resource, query.provider, mode)
      const { body, text } = yield* read(got.request)
      const subject = got.subjectOf(headers)
      const which = { provider: query.provider, id: path.id }
      return yield* written(
        subject,
        headers,
        got.request,
        text,
        true,
        Effect.map(
          records.update(subject, resource, which, { body, handling: headers.prefer ?? "lenient", mode }),
          (held) => successWith(200, `${label} updated`, held)
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
  const removable = [...updatable, HttpLayerRouter.route("DELETE", single, remove)]
  // files are made by their upload
  return resource === accounting.attachment
    ? removable
    : [...removable, HttpLayerRouter.route("POST", collection, create), batch]
}

/** `/crm` and `/accounting`: every resource of the catalogue. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const records = yield* Records
    const idempotency = yield* Idempotency
    const attachments = yield* Attachments
    const received = receiving(yield* Authentication)
    const batchOf = batchRoutes(records, yield* Batch, idempotency, received)
    const ofRecords = served.flatMap((one) => routesOf(one, records, idempotency, received, batchOf(one.resource)))
    return [...ofRecords, ...filesOf(attachments, received)]
  })
)
