import type { HttpServerRequest } from "@effect/platform"
import { Chunk, Effect, Either, Option, type Scope, Stream } from "effect"
import { BadRequest, PayloadTooLarge, Unprocessable, UnsupportedMediaType } from "./Errors.ts"

/**
 * A form with one file (RFC 7578), read as it comes in: fields first, then the file, of which only a few chunks are held at
 * a time. The platform's own parser ends the process when a file's name is wrongly escaped, and hangs when a body breaks
 * off, so this one is used.
 */

export type FormRefusal = BadRequest | PayloadTooLarge | Unprocessable | UnsupportedMediaType

export interface FormFile {
  /** The part's file name, without folders; undefined if it has none. */
  readonly name: string | undefined
  /** In lower case, without parameters. */
  readonly contentType: string
  /** Ends only when the whole form has come in without an error. Run it only once. */
  readonly content: Stream.Stream<Uint8Array, FormRefusal>
}

export interface Form {
  readonly fields: ReadonlyMap<string, string>
  readonly file: FormFile
}

/** Bytes of one field, and of the headers of one part. */
const fieldLimit = 64 * 1024
/** Fields beside the file. */
const mostFields = 100
/** Bytes of everything but the file. */
const restLimit = 1024 * 1024

const malformed = (what: string) => new BadRequest({ code: "INVALID_FORM", message: `The form ${what}.` })

const refused = (field: string, message: string) => new Unprocessable({ errors: { [field]: message } })

const boundaryOf = (contentType: string): string | undefined => {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ?? []
  return quoted ?? plain
}

const utf8 = (bytes: Uint8Array): string | undefined =>
  Either.getOrUndefined(Either.try(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)))

const unescaped = (text: string): string | undefined =>
  Either.getOrUndefined(Either.try(() => decodeURIComponent(text)))

/**
 * Browsers escape three characters in a name (https://url.spec.whatwg.org/#multipart-form-data), other clients quote two.
 */
const browsers: ReadonlyMap<string, string> = new Map([
  ["%22", '"'],
  ["%0D", "\r"],
  ["%0A", "\n"]
])
const unquoted = (text: string) =>
  text.replace(/%22|%0D|%0A/gi, (escape) => browsers.get(escape.toUpperCase()) ?? escape).replace(/\\(["\\])/g, "$1")

interface PartHead {
  readonly name: string
  readonly fileName: string | undefined
  readonly contentType: string
  readonly isEncoded: boolean
}

const headOf = (text: string): PartHead | undefined => {
  const headers = new Map(
    text.split("\r\n").map((line) => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()] as const
    })
  )
  const disposition = headers.get("content-disposition") ?? ""
  const parameters = new Map(
    [...disposition.matchAll(/;\s*([^=;\s]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))/g)].map(
      ([, name = "", quoted, plain = ""]) =>
        [name.toLowerCase(), quoted === undefined ? plain : unquoted(quoted)] as const
    )
  )
  const name = parameters.get("name")
  if (!/^form-data\s*(;|$)/i.test(disposition) || name === undefined || name === "") return undefined
  const [, extended] = /^utf-8'[^']*'(.*)$/i.exec(parameters.get("filename*") ?? "") ?? []
  return {
    name,
    fileName: (extended === undefined ? undefined : unescaped(extended)) ?? parameters.get("filename"),
    contentType: (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "",
    isEncoded: !/^(7bit|8bit|binary|)$/i.test(headers.get("content-transfer-encoding") ?? "")
  }
}

/** Removes folders, which some clients send. */
const baseName = (name: string | undefined) => name?.split(/[/\\]/).at(-1) || undefined

/** Reads a request's body up to delimiters. */
const reader = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, limit: number) {
  const one = Effect.unsafeMakeSemaphore(1)
  // the file's consumer may still be releasing the body when the rest is dropped
  const pull = one.withPermits(1)(yield* Stream.toPull(request.stream))
  let held = Buffer.alloc(0)
  let read = 0

  /** Reads some more of the body; false at its end. */
  const more: Effect.Effect<boolean, FormRefusal> = Effect.matchEffect(pull, {
    onSuccess: (chunks) => {
      held = Buffer.concat([held, ...Chunk.toReadonlyArray(chunks)])
      read += Chunk.reduce(chunks, 0, (sum, chunk) => sum + chunk.length)
      return read > limit + restLimit ? Effect.fail(new PayloadTooLarge({ limit })) : Effect.succeed(true)
    },
    onFailure: (end) => (Option.isNone(end) ? Effect.succeed(false) : Effect.fail(malformed("broke off")))
  })

  const needed = Effect.filterOrFail(
    more,
    (isMore) => isMore,
    () => malformed("ends before its last boundary")
  )

  const cut = (length: number, skipped = 0): Buffer => {
    const taken = held.subarray(0, length)
    held = held.subarray(length + skipped)
    return taken
  }

  /** Reads up to a delimiter; undefined if that is more than `most` bytes. */
  const until = (delimiter: string, most: number): Effect.Effect<Buffer | undefined, FormRefusal> =>
    Effect.suspend(() => {
      const found = held.indexOf(delimiter)
      if (found > most || (found < 0 && held.length > most + delimiter.length)) return Effect.succeed(undefined)
      return found >= 0
        ? Effect.sync(() => cut(found, delimiter.length))
        : Effect.zipRight(needed, until(delimiter, most))
    })

  /** Reads some bytes before a delimiter, and says whether they are the last ones. */
  const some = (delimiter: string): Effect.Effect<readonly [bytes: Buffer, isLast: boolean], FormRefusal> =>
    Effect.suspend(() => {
      const found = held.indexOf(delimiter)
      if (found >= 0) return Effect.sync(() => [cut(found, delimiter.length), true] as const)
      const sure = held.length - delimiter.length + 1
      return sure > 0 ? Effect.sync(() => [cut(sure), false] as const) : Effect.zipRight(needed, some(delimiter))
    })

  /** Reads and drops the rest of the body, up to `most` bytes in all. */
  const drop = (most: number): Effect.Effect<void> =>
    Effect.matchEffect(pull, {
      onSuccess: (chunks) => {
        read += Chunk.reduce(chunks, 0, (sum, chunk) => sum + chunk.length)
        return read > most ? Effect.void : drop(most)
      },
      onFailure: () => Effect.void
    })

  const startsWith = (text: string): Effect.Effect<boolean, FormRefusal> =>
    Effect.suspend(() =>
      held.length >= text.length
        ? Effect.succeed(held.subarray(0, text.length).toString("latin1") === text)
        : Effect.zipRight(needed, startsWith(text))
    )

  return { until, some, startsWith, drop }
})

type Reader = Effect.Effect.Success<ReturnType<typeof reader>>

const fileField = "file"

/** The head of the next part; undefined at the end of the form. */
const nextPart = ({ startsWith, until }: Reader): Effect.Effect<PartHead | undefined, FormRefusal> =>
  Effect.gen(function* () {
    if (yield* startsWith("--")) return undefined
    const padding = yield* until("\r\n", 100)
    const text = yield* until("\r\n\r\n", fieldLimit)
    const decoded = text === undefined || padding?.toString("latin1").trim() !== "" ? undefined : utf8(text)
    const head = decoded === undefined ? undefined : headOf(decoded)
    return head ?? (yield* malformed("has a part without a proper Content-Disposition"))
  })

/** Only the end of the form may follow the file. */
const endAfterFile = (body: Reader, limit: number) =>
  Effect.gen(function* () {
    const head = yield* nextPart(body)
    if (head === undefined) return yield* body.drop(limit + restLimit)
    return yield* head.name === fileField
      ? refused(fileField, "is more than one file")
      : refused(head.name, "stands after the file; fields come first")
  })

/** The file's bytes as they come in. */
const contentOf = (body: Reader, delimiter: string, limit: number) => {
  let size = 0
  return Effect.gen(function* () {
    const [bytes, isLast] = yield* body.some(delimiter)
    size += bytes.length
    if (size > limit) return yield* new PayloadTooLarge({ limit })
    if (isLast && size === 0) return yield* refused(fileField, "is empty")
    if (isLast) yield* endAfterFile(body, limit)
    return [bytes, isLast] as const
  })
}

const readForm = (body: Reader, boundary: string, limit: number): Effect.Effect<Form, FormRefusal> =>
  Effect.gen(function* () {
    const fields = new Map<string, string>()
    const delimiter = `\r\n--${boundary}`
    // text for people may come before the first part
    if ((yield* body.until(delimiter.slice(2), fieldLimit)) === undefined) return yield* malformed("has no parts")
    while (true) {
      const head = yield* nextPart(body)
      if (head === undefined) return yield* refused(fileField, "is required")
      if (head.isEncoded) return yield* refused(head.name, "must be sent as it is, without a transfer encoding")
      if (head.name === fileField) {
        const next = contentOf(body, delimiter, limit)
        const [first, isAll] = yield* next
        const rest = Stream.unfoldEffect(isAll, (isDone) =>
          isDone ? Effect.succeedNone : Effect.map(next, ([bytes, isLast]) => Option.some([bytes, isLast] as const))
        )
        const content = Stream.concat(Stream.make(first), rest)
        return { fields, file: { name: baseName(head.fileName), contentType: head.contentType, content } }
      }
      if (head.fileName !== undefined) return yield* refused(head.name, `is a file; send it as ${fileField}`)
      if (fields.size === mostFields)
        return yield* refused(head.name, `is one field too many: a form has at most ${mostFields}`)
      if (fields.has(head.name)) return yield* refused(head.name, "is given twice")
      const value = yield* body.until(delimiter, fieldLimit)
      if (value === undefined) return yield* refused(head.name, `is longer than ${fieldLimit} bytes`)
      const text = utf8(value)
      if (text === undefined) return yield* refused(head.name, "is not UTF-8")
      fields.set(head.name, text)
    }
  })

/**
 * Reads a form and passes it on. On any failure the rest of the body is read and dropped, up to twice the limit, since a
 * client that still sends would not see the answer. `limit`: bytes of the file. The body stays open until the request is
 * answered.
 */
export const withForm = <A, E, R>(
  request: HttpServerRequest.HttpServerRequest,
  limit: number,
  use: (form: Form) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | FormRefusal, R | Scope.Scope> =>
  Effect.gen(function* () {
    const boundary = boundaryOf(request.headers["content-type"] ?? "")
    if (boundary === undefined || request.headers["content-encoding"] !== undefined) {
      return yield* new UnsupportedMediaType({ expected: "multipart/form-data with a boundary, not compressed" })
    }
    if (Number(request.headers["content-length"] ?? 0) > limit + restLimit) return yield* new PayloadTooLarge({ limit })
    const body = yield* reader(request, limit)
    return yield* Effect.flatMap(readForm(body, boundary, limit), use).pipe(
      Effect.tapError(() => Effect.timeoutOption(body.drop(2 * limit), "10 seconds"))
    )
  })
