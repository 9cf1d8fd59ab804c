import { HttpApiBuilder, HttpLayerRouter, type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Either, Layer, Schema, Struct } from "effect"
import { accounting, crm } from "../canonical/Catalogue.ts"
import type { Resource } from "../canonical/Resource.ts"
import type { Body } from "../mapping/Encode.ts"
import * as Deadline from "../platform/Deadline.ts"
import { defaultLimit } from "../platform/Envelope.ts"
import { type ApiError, BadRequest } from "../platform/Errors.ts"
import { runToCompletion } from "../platform/RunToCompletion.ts"
import { relay } from "../platform/Relay.ts"
import { noting } from "../platform/RequestNotes.ts"
import { jsonBody } from "../platform/Requests.ts"
import type { Subject } from "./Access.ts"
import { Attachments, type Found } from "./Attachments.ts"
import {
  AccountingApi,
  CrmApi,
  type Headers,
  type Path,
  type SaveQuery,
  type UploadHeaders,
  type WriteHeaders,
  type WriteQuery
} from "./Api.ts"
import { batchHandlers } from "./BatchHttp.ts"
import { parse } from "./Expansion.ts"
import { wantedOf } from "./FilterParameters.ts"
import { type Answer, Idempotency } from "./Idempotency.ts"
import type { Held } from "./OneRecord.ts"
import { applying, attemptOf, type Received, refusal, respond, subjectOf, success } from "./Receiving.ts"
import { Records } from "./Records.ts"
import type { FieldSelection } from "./FieldSelection.ts"

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

const bodyOf = ({ ast }: Schema.Schema.AnyNoContext) => jsonBody<Body, unknown>(Schema.make(ast))

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

/** Makes a defect of a failure that reads do not declare; it is answered all the same. */
const declaredOfReads = <A, R>(read: Effect.Effect<A, ApiError, R>) =>
  Effect.catchTags(read, {
    PayloadTooLarge: Effect.die,
    UnsupportedMediaType: Effect.die,
    Unprocessable: Effect.die
  })

/** The handlers of files: what makes an attachment, and what it holds. */
const fileHandlers = Effect.map(Attachments, (attachments) => ({
  create: Effect.fnUntraced(function* ({
    headers,
    request,
    urlParams
  }: Received<typeof UploadHeaders.Type, typeof WriteQuery.Type>) {
    const subject = yield* subjectOf(headers)
    yield* applying(headers)
    if (request.headers["idempotency-key"] !== undefined) return yield* keyOnUpload
    const held = yield* attachments.upload(subject, urlParams.provider, headers.prefer ?? "lenient", request)
    return respond(successWith(201, "attachment created", held))
  }),
  content: Effect.fnUntraced(function* ({
    headers,
    path,
    request,
    urlParams
  }: ReceivedOfOne<typeof Headers.Type, typeof WriteQuery.Type>) {
    const which = { provider: urlParams.provider, id: path.id }
    const file = yield* attachments.find(yield* subjectOf(headers), which)
    return request.method === "HEAD"
      ? HttpServerResponse.empty({ status: 200, headers: fileHeaders(file) })
      : yield* sendFile(file, request)
  })
}))

interface ReceivedOfOne<H, Q> extends Received<H, Q> {
  readonly path: typeof Path.Type
}

/** Handlers of every operation that a resource may have, over the generic services. */
const recordHandlers = Effect.gen(function* () {
  const records = yield* Records
  const idempotency = yield* Idempotency
  const batchOf = yield* batchHandlers

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

  return (resource: Resource) => {
    const label = resource.name.replaceAll("_", " ")
    const [readFull, readPatch] = [bodyOf(resource.createBody), bodyOf(resource.patchBody)]

    const list = ({ headers, urlParams }: Received<typeof Headers.Type, ListQuery>) =>
      Effect.gen(function* () {
        const subject = yield* subjectOf(headers)
        const wanted = yield* Either.mapLeft(wantedOf(resource, urlParams), invalidParameter)
        const listed = records.list(subject, resource, {
          provider: urlParams.provider,
          cursor: urlParams.cursor,
          limit: urlParams.limit ?? defaultLimit,
          wanted,
          ...(yield* shownOf(resource, urlParams))
        })
        return Effect.map(listed, (data) => respond(success(200, `${label} list`, data)))
      }).pipe(Effect.flatten)

    const get = ({ headers, path, urlParams }: ReceivedOfOne<typeof Headers.Type, GetQuery>) =>
      Effect.gen(function* () {
        const subject = yield* subjectOf(headers)
        const which = { provider: urlParams.provider, id: path.id }
        const record = yield* records.get(subject, resource, which, yield* shownOf(resource, urlParams))
        return respond(success(200, `${label} found`, record))
      })

    const remove = ({ headers, path, urlParams }: ReceivedOfOne<typeof Headers.Type, typeof WriteQuery.Type>) =>
      Effect.gen(function* () {
        const which = { provider: urlParams.provider, id: path.id }
        const removed = yield* runToCompletion(records.remove(yield* subjectOf(headers), resource, which))
        return respond(success(200, `${label} deleted`, removed))
      })

    const create = ({ headers, request, urlParams }: Received<typeof WriteHeaders.Type, typeof SaveQuery.Type>) =>
      Effect.gen(function* () {
        const subject = yield* subjectOf(headers)
        yield* applying(headers)
        yield* records.supports(resource, urlParams.provider, "create")
        const { body, text } = yield* readFull(request)
        return yield* written(
          subject,
          headers,
          request,
          text,
          records.repeatsCreates(resource, urlParams.provider),
          Effect.map(
            Effect.tap(
              records.create(subject, resource, urlParams.provider, {
                body,
                handling: headers.prefer ?? "lenient",
                onDuplicate: urlParams.on_duplicate,
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

    const update =
      (mode: "replace" | "patch") =>
      ({ headers, path, request, urlParams }: ReceivedOfOne<typeof WriteHeaders.Type, typeof SaveQuery.Type>) =>
        Effect.gen(function* () {
          const subject = yield* subjectOf(headers)
          yield* applying(headers)
          yield* records.supports(resource, urlParams.provider, mode)
          const { body, text } = yield* (mode === "replace" ? readFull : readPatch)(request)
          const which = { provider: urlParams.provider, id: path.id }
          return yield* written(
            subject,
            headers,
            request,
            text,
            true,
            Effect.map(
              records.update(subject, resource, which, {
                body,
                handling: headers.prefer ?? "lenient",
                onDuplicate: urlParams.on_duplicate,
                mode
              }),
              (held) => successWith(200, `${label} updated`, held)
            )
          )
        })

    return {
      list: (received: Parameters<typeof list>[0]) => declaredOfReads(list(received)),
      get: (received: Parameters<typeof get>[0]) => declaredOfReads(get(received)),
      replace: update("replace"),
      patch: update("patch"),
      remove,
      create,
      batch: batchOf(resource)
    }
  }
})

// ---------------------------------------------------------------------------------------------------------------------
// groups: those of a class have the same operations, with the types of all its resources

const crmReadOnly = ["owner", "pipeline"] as const
const accountingReadOnly = [
  "address",
  "phone_number",
  "balance_sheet",
  "income_statement",
  "cash_flow_statement",
  "general_ledger_transaction",
  "transaction",
  "bank_feed_account",
  "bank_feed_transaction"
] as const

const merged = <A, E, R>([first, ...others]: ReadonlyArray<Layer.Layer<A, E, R>>) =>
  Layer.mergeAll(first ?? Layer.empty, ...others)

const CrmReadOnlyLive = merged(
  Object.values(Struct.pick(crm, ...crmReadOnly)).map((resource) =>
    HttpApiBuilder.group(CrmApi, `crm_${resource.name}` as const, (handlers) =>
      Effect.map(recordHandlers, (of) => {
        const { get, list } = of(resource)
        return handlers.handleRaw("list", list).handleRaw("get", get)
      })
    )
  )
)

const CrmLive = merged(
  Object.values(Struct.omit(crm, ...crmReadOnly)).map((resource) =>
    HttpApiBuilder.group(CrmApi, `crm_${resource.name}` as const, (handlers) =>
      Effect.map(recordHandlers, (of) => {
        const { batch, create, get, list, patch, remove, replace } = of(resource)
        return handlers
          .handleRaw("list", list)
          .handleRaw("get", get)
          .handleRaw("replace", replace)
          .handleRaw("patch", patch)
          .handleRaw("remove", remove)
          .handleRaw("create", create)
          .handleRaw("batch", batch)
      })
    )
  )
)

const AccountingReadOnlyLive = merged(
  Object.values(Struct.pick(accounting, ...accountingReadOnly)).map((resource) =>
    HttpApiBuilder.group(AccountingApi, `accounting_${resource.name}` as const, (handlers) =>
      Effect.map(recordHandlers, (of) => {
        const { get, list } = of(resource)
        return handlers.handleRaw("list", list).handleRaw("get", get)
      })
    )
  )
)

const CompanyInfoLive = HttpApiBuilder.group(AccountingApi, "accounting_company_info", (handlers) =>
  Effect.map(recordHandlers, (of) => {
    const { get, list, patch, replace } = of(accounting.company_info)
    return handlers
      .handleRaw("list", list)
      .handleRaw("get", get)
      .handleRaw("replace", replace)
      .handleRaw("patch", patch)
  })
)

const AttachmentLive = HttpApiBuilder.group(AccountingApi, "accounting_attachment", (handlers) =>
  Effect.gen(function* () {
    const { get, list, patch, remove, replace } = (yield* recordHandlers)(accounting.attachment)
    const { content, create } = yield* fileHandlers
    return handlers
      .handleRaw("list", list)
      .handleRaw("get", get)
      .handleRaw("replace", replace)
      .handleRaw("patch", patch)
      .handleRaw("remove", remove)
      .handleRaw("create", create)
      .handleRaw("content", content)
  })
)

const AccountingWritableLive = merged(
  Object.values(Struct.omit(accounting, ...accountingReadOnly, "company_info", "attachment")).map((resource) =>
    HttpApiBuilder.group(AccountingApi, `accounting_${resource.name}` as const, (handlers) =>
      Effect.map(recordHandlers, (of) => {
        const { batch, create, get, list, patch, remove, replace } = of(resource)
        return handlers
          .handleRaw("list", list)
          .handleRaw("get", get)
          .handleRaw("replace", replace)
          .handleRaw("patch", patch)
          .handleRaw("remove", remove)
          .handleRaw("create", create)
          .handleRaw("batch", batch)
      })
    )
  )
)

/** `/crm` and `/accounting`: every resource of the catalogue. */
export const routes = Layer.mergeAll(
  HttpLayerRouter.addHttpApi(CrmApi).pipe(Layer.provide([CrmLive, CrmReadOnlyLive])),
  HttpLayerRouter.addHttpApi(AccountingApi).pipe(
    Layer.provide([AccountingWritableLive, AccountingReadOnlyLive, CompanyInfoLive, AttachmentLive])
  )
)
