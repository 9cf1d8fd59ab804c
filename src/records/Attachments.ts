import type { HttpServerRequest } from "@effect/platform"
import { Context, Effect, Either, Layer, type Scope } from "effect"
import { accounting, find } from "../canonical/Catalogue.ts"
import type { Handling } from "../mapping/Warning.ts"
import { type ApiError, MethodNotAllowed, Unprocessable } from "../platform/Errors.ts"
import { type Form, type FormFile, withForm } from "../platform/Form.ts"
import { decoder, fieldErrorsOf } from "../platform/Issues.ts"
import { unfitIn } from "../platform/JsonBounds.ts"
import { fileLimit } from "../platform/Requests.ts"
import { unlessBroken } from "../platform/UnlessBroken.ts"
import type { Download, Upload, UploadRequest } from "../providers/ProviderAdapter.ts"
import type { ProviderError } from "../providers/ProviderError.ts"
import { Access, type ResourceAccess, type Subject } from "./Access.ts"
import { UploadFields } from "./Api.ts"
import { Identities } from "./Identities.ts"
import { type Held, OneRecord } from "./OneRecord.ts"
import { answersFor, recordNotFound } from "./ProviderFailures.ts"
import type { Which } from "./Records.ts"
import { violations } from "./Rules.ts"
import { Writes } from "./Writes.ts"

const resource = accounting.attachment

/** A file that was found, as its record names it. */
export interface Found {
  readonly name: string
  readonly contentType: string
  /** Fetches the file, which comes in as long as the scope lives. */
  readonly open: Effect.Effect<Download, ApiError, Scope.Scope>
}

type Failure = ApiError | ProviderError

const refused = (field: string, message: string) => new Unprocessable({ errors: { [field]: message } })

const decodeFields = decoder(UploadFields)

/** The fields of a form, and the name of its file where they do not say one. */
const bodyOf = ({ fields, file }: Form): Effect.Effect<typeof UploadFields.Type, Unprocessable> => {
  const named = new Map(file.name === undefined ? [] : [["file_name", file.name]])
  const given = Object.fromEntries([...named, ...fields])
  return Either.match(decodeFields(given), {
    onLeft: (error) => Effect.fail(new Unprocessable({ errors: fieldErrorsOf(error) })),
    onRight: (body) => {
      const unfit = unfitIn(body)
      return unfit === undefined ? Effect.succeed(body) : Effect.fail(new Unprocessable({ errors: unfit }))
    }
  })
}

/** Says nothing of what a file is. */
const isVague = (contentType: string) => contentType === "" || contentType === "application/octet-stream"

/** The content type that the provider is told: the one it takes for such a name. */
const typeOf = (
  { types }: Upload,
  slug: string,
  name: string,
  { contentType }: FormFile
): Effect.Effect<string, Unprocessable> => {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ""
  const taken = Object.hasOwn(types, extension) ? types[extension] : undefined
  if (taken === undefined) {
    const known = Object.keys(types).join(", ")
    return Effect.fail(
      refused("file", `${slug} does not take such a file; the name's extension must be one of ${known}`)
    )
  }
  if (isVague(contentType)) return Effect.succeed(taken[0])
  return taken.includes(contentType)
    ? Effect.succeed(contentType)
    : Effect.fail(refused("file", `is ${contentType}, which does not match its name; .${extension} is ${taken[0]}`))
}

/** The files of attachments, on their way to a provider and back; what is said of them is a record like others. */
export class Attachments extends Context.Tag("tributary/records/Attachments")<
  Attachments,
  {
    /** Reads a form and sends its file on while it comes in. */
    readonly upload: (
      subject: Subject,
      provider: string,
      handling: Handling,
      request: HttpServerRequest.HttpServerRequest
    ) => Effect.Effect<Held, ApiError, Scope.Scope>
    /** Finds a file that can be fetched. */
    readonly find: (subject: Subject, which: Which) => Effect.Effect<Found, ApiError>
  }
>() {
  static readonly layer = Layer.effect(
    Attachments,
    Effect.gen(function* () {
      const access = yield* Access
      const identities = yield* Identities
      const one = yield* OneRecord
      const writes = yield* Writes

      /** The record that a file is to hang on; reading it also shows, before anything is sent, that the token is good. */
      const parentOf = Effect.fn("Attachments.parent")(function* (
        subject: Subject,
        { connection }: ResourceAccess,
        { parents }: Upload,
        body: typeof UploadFields.Type
      ): Effect.fn.Return<UploadRequest["parent"], Failure> {
        const { related_object_id: id, related_object_type: type } = body
        if (id === undefined && type === undefined) return undefined
        if (type === undefined) return yield* refused("related_object_type", "is required with related_object_id")
        if (id === undefined) return yield* refused("related_object_id", "is required with related_object_type")
        const about = find("accounting", type)
        if (about === undefined) return yield* refused("related_object_type", "is not a resource of accounting")
        const uuid = id.replace("urn:uuid:", "").toLowerCase()
        const known = (yield* identities.resolve(connection, [uuid]))(uuid)
        if (known === undefined) {
          return yield* refused("related_object_id", `does not name a known ${type}; list or get it first`)
        }
        if (known.resource !== type) return yield* refused("related_object_id", `is a ${known.resource}, not a ${type}`)
        const { nativeType, remoteId } = known
        const slug = connection.provider
        if (!parents.includes(nativeType)) {
          return yield* refused("related_object_type", `${slug} keeps no files with a ${nativeType}`)
        }
        const reached = yield* access.reach({ ...subject, connection: connection.id }, about, slug, "get")
        yield* one.locate(reached, `urn:uuid:${uuid}`).pipe(
          Effect.catchIf(
            (error) => (error._tag === "ProviderError" ? error.reason._tag === "Missing" : error.status === 404),
            () => Effect.fail(refused("related_object_id", `is a ${type} that ${slug} no longer has`))
          )
        )
        return { resource: type, nativeType, id: remoteId }
      })

      const send = Effect.fn("Attachments.send")(function* (
        subject: Subject,
        reached: ResourceAccess,
        upload: Upload,
        form: Form,
        handling: Handling
      ): Effect.fn.Return<Held, Failure> {
        const { connection, mapping } = reached
        const body = yield* bodyOf(form)
        const errors = violations(
          resource,
          { slug: connection.provider, resourceAdapter: reached.resourceAdapter },
          body
        )
        if (Object.keys(errors).length > 0) return yield* new Unprocessable({ errors })
        const name = body.file_name
        const contentType = yield* typeOf(upload, connection.provider, name, form.file)
        const parent = yield* parentOf(subject, reached, upload, body)
        const { related_object_id: _, related_object_type: __, ...said } = body
        const variant = mapping.choose(said)
        if (variant === undefined) return yield* recordNotFound(resource, "")
        const { warnings, ...encoded } = yield* one.encode(reached, variant, said, "create", handling, undefined)
        const written = yield* unlessBroken(form.file.content, (content) =>
          upload.send({ connection, variant, encoded, parent, file: { name, contentType, content } })
        )
        yield* writes.tell(connection, resource)
        return yield* one.afterWrite(reached, variant, written, { body, mode: "create", warnings })
      })

      const upload = Effect.fn("Attachments.upload")(function* (
        subject: Subject,
        slug: string,
        handling: Handling,
        request: HttpServerRequest.HttpServerRequest
      ) {
        const reached = yield* access.reach(subject, resource, slug, "create")
        const { mapping, resourceAdapter } = reached
        const takes = resourceAdapter.upload
        if (takes === undefined) {
          return yield* new MethodNotAllowed({ message: `${slug} takes no files.`, allow: ["GET"] })
        }
        const limit = Math.min(fileLimit, takes.limit ?? fileLimit)
        return yield* withForm(request, limit, (form) =>
          send(subject, reached, takes, form, handling).pipe(answersFor(mapping))
        )
      })

      const findFile = Effect.fn("Attachments.find")(function* (
        subject: Subject,
        which: Which
      ): Effect.fn.Return<Found, ApiError> {
        const reached = yield* access.reach(subject, resource, which.provider, "download")
        const { connection, mapping, resourceAdapter } = reached
        const answering = answersFor(mapping, { id: which.id, reads: true })
        const { found, id, variant } = yield* answering(one.locate(reached, which.id))
        const { content_type, file_name } = yield* answering(one.present(reached, found))
        return {
          name: String(file_name ?? id),
          contentType: String(content_type ?? "application/octet-stream"),
          open: Effect.suspend(
            (): Effect.Effect<Download, Failure, Scope.Scope> =>
              resourceAdapter.download?.({ connection, variant, id }) ?? recordNotFound(resource, which.id)
          ).pipe(answering, Effect.withSpan("Attachments.download"))
        }
      })

      return { upload, find: findFile }
    })
  )
}
