import { Effect, Schema } from "effect"

/** A JSON object whose members are looked at one by one. */
export type Doc = { readonly [name: string]: unknown }

/** An answer; `body` is the parsed JSON, or the text when it is none. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

export interface Options {
  /** Sent as JSON; a string, bytes or a stream as they are. */
  readonly body?: unknown
  /** Laid on the caller's own; undefined leaves one out. */
  readonly headers?: { readonly [name: string]: string | undefined }
  /** The test's clock stands still, whatever the application sleeps for. */
  readonly timeStands?: boolean
}

/** A request of the API; `path` is under the base path. */
export type Call = (method: string, path: string, options?: Options) => Effect.Effect<Answer>

const record = Schema.Record({ key: Schema.String, value: Schema.Unknown })

const Found = Schema.decodeUnknownSync(Schema.Struct({ data: record }))
const Page = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Struct({
      data: Schema.Array(record),
      pagination: Schema.Struct({
        cursor: Schema.NullOr(Schema.String),
        hasMore: Schema.Boolean,
        limit: Schema.Int
      }),
      errors: Schema.optional(Schema.Array(record))
    })
  })
)
const Failure = Schema.decodeUnknownSync(
  Schema.Struct({
    success: Schema.Literal(false),
    statusCode: Schema.Int,
    message: Schema.String,
    code: Schema.String,
    requestId: Schema.NonEmptyString,
    timestamp: Schema.String,
    path: Schema.String,
    duplicate_of: Schema.optional(Schema.NonEmptyArray(Schema.String)),
    merged_into: Schema.optional(Schema.String),
    errors: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
    limit: Schema.optional(
      Schema.Struct({ name: Schema.String, requests: Schema.Int, seconds: Schema.optional(Schema.Int) })
    ),
    provider: Schema.optional(
      Schema.Struct({
        slug: Schema.String,
        status: Schema.optional(Schema.Int),
        message: Schema.optional(Schema.String),
        done: Schema.optional(Schema.Array(Schema.String))
      })
    )
  }),
  { onExcessProperty: "error" }
)

const Entries = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Array(
      Schema.Struct({
        index: Schema.Int,
        status: Schema.Int,
        data: Schema.optional(record),
        warnings: Schema.optional(Schema.Array(record)),
        code: Schema.optional(Schema.String),
        message: Schema.optional(Schema.String),
        errors: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String })),
        provider: Schema.optional(record),
        duplicate_of: Schema.optional(Schema.NonEmptyArray(Schema.String)),
        merged_into: Schema.optional(Schema.String),
        retryAfter: Schema.optional(Schema.Number),
        retryable: Schema.optional(Schema.Boolean)
      })
    )
  })
)

const insist = (answer: Answer, expected: ReadonlyArray<number>) => {
  if (!expected.includes(answer.status)) {
    throw new Error(`${answer.status} where ${expected.join(" or ")} was expected: ${JSON.stringify(answer.body)}`)
  }
}

/** The record of a successful answer. */
export const recordOf = (answer: Answer): Doc => {
  insist(answer, [200, 201])
  return Found(answer.body).data
}

/** Outcomes of the records of a batch. */
export const entriesOf = (answer: Answer) => {
  insist(answer, [200])
  return Entries(answer.body).data
}

/** A page of a list. */
export const pageOf = (answer: Answer) => {
  insist(answer, [200])
  return Page(answer.body).data
}

/** The envelope of a failure, which has every member it must have and no other. */
export const failureOf = (answer: Answer) => {
  const failure = Failure(answer.body)
  if (failure.statusCode !== answer.status) throw new Error(`statusCode ${failure.statusCode} on a ${answer.status}`)
  if (answer.headers.get("x-request-id") !== failure.requestId) throw new Error("X-Request-Id is not the requestId")
  return failure
}

/** `[status, code]` of a failure: what most tests assert. */
export const refusalOf = (answer: Answer): readonly [status: number, code: string] => [
  answer.status,
  failureOf(answer).code
]

/** The fields that a 422 names. */
export const errorsOf = (answer: Answer) => {
  insist(answer, [422])
  return failureOf(answer).errors ?? {}
}

/** The objects of a list member of a record. */
export const listOf = (value: unknown): ReadonlyArray<Doc> => Schema.decodeUnknownSync(Schema.Array(record))(value)

/** Follows a list to its end; `limit` may differ from page to page. `lacks`: why kinds of records were left out. */
export const walk = Effect.fnUntraced(function* (
  call: Call,
  path: string,
  limit: number | ((page: number) => number) = 100
) {
  const records: Array<Doc> = []
  const sizes: Array<number> = []
  const lacks: Array<string> = []
  let cursor: string | null = null
  for (let page = 0; page < 5000; page += 1) {
    const size = typeof limit === "number" ? limit : limit(page)
    const query: string = `${path.includes("?") ? "&" : "?"}limit=${size}`
    const { data, errors, pagination } = pageOf(
      yield* call("GET", `${path}${query}${cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`}`)
    )
    for (const error of errors ?? []) {
      if (error.code !== "PROVIDER_FEATURE_MISSING") throw new Error(`a page with an error: ${JSON.stringify(error)}`)
      lacks.push(String(error.message))
    }
    if (pagination.limit !== size || data.length > size) throw new Error(`a page of ${data.length} at limit ${size}`)
    if (pagination.hasMore !== (pagination.cursor !== null)) throw new Error("hasMore and cursor disagree")
    records.push(...data)
    sizes.push(data.length)
    cursor = pagination.cursor
    if (cursor === null) return { records, sizes, lacks }
  }
  throw new Error(`${path} does not end`)
})
