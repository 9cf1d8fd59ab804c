import { Either, Schema } from "effect"
import type { Doc } from "../../simulation/Account.ts"
import { type Answered, choiceIn, integerIn, type Query, refuse } from "./Answers.ts"

// https://pipedrive.readme.io/docs/core-api-concepts-pagination

/** A cursor names the first record of the next page by its place in the order. */
const Cursor = Schema.parseJson(
  Schema.Struct({
    field: Schema.String,
    fieldValue: Schema.NullOr(Schema.Union(Schema.String, Schema.Number)),
    sortDirection: Schema.Literal("asc", "desc"),
    id: Schema.Union(Schema.Number, Schema.String)
  })
)

const readCursor = (text: string) => Schema.decodeEither(Cursor)(Buffer.from(text, "base64url").toString("utf8"))

const writeCursor = (cursor: typeof Cursor.Type) =>
  Buffer.from(Schema.encodeSync(Cursor)(cursor), "utf8").toString("base64url")

export const cursorParameters = ["limit", "cursor"]

type Place = Pick<typeof Cursor.Type, "fieldValue" | "id">

const valueAt = (record: Doc, field: string) => {
  const value = record[field]
  if (typeof value === "boolean") return Number(value)
  return typeof value === "number" || typeof value === "string" ? value : null
}

/** Absent values come first. */
const order = (a: Place, b: Place): number => {
  const [left, right] = a.fieldValue === b.fieldValue ? [a.id, b.id] : [a.fieldValue ?? "", b.fieldValue ?? ""]
  return left < right ? -1 : left > right ? 1 : 0
}

/** A page of API v2, sorted by a field and then by id. */
export const cursorPage = (
  query: Query,
  records: ReadonlyArray<Doc>,
  sorts: ReadonlyArray<string>
): Answered<{ readonly slice: ReadonlyArray<Doc>; readonly next_cursor: string | null }> =>
  Either.gen(function* () {
    const limit = (yield* integerIn(query, "limit", 1, 500)) ?? 100
    const field = (yield* choiceIn(query, "sort_by", sorts)) ?? sorts[0] ?? "id"
    const sortDirection = (yield* choiceIn(query, "sort_direction", ["asc", "desc"])) ?? "asc"
    const sign = sortDirection === "asc" ? 1 : -1
    const placed = records.map((record) => ({
      record,
      fieldValue: valueAt(record, field),
      id: valueAt(record, "id") ?? valueAt(record, "field_code") ?? ""
    }))
    const sorted = placed.toSorted((a, b) => sign * order(a, b))
    const text = query("cursor")
    const cursor = text === undefined ? undefined : Either.getOrUndefined(readCursor(text))
    if (text !== undefined && (cursor?.field !== field || cursor.sortDirection !== sortDirection)) {
      return yield* refuse("cursor", "is not valid")
    }
    const rest = cursor === undefined ? sorted : sorted.filter((one) => sign * order(one, cursor) >= 0)
    const first = rest[limit]
    return {
      slice: rest.slice(0, limit).map(({ record }) => record),
      next_cursor:
        first === undefined ? null : writeCursor({ field, fieldValue: first.fieldValue, sortDirection, id: first.id })
    }
  })

export const offsetParameters = ["start", "limit"]

/** `field_1 ASC, field_2 DESC` of API v1; records that it does not tell apart stay as they are. */
export const sortedBy = (
  query: Query,
  allowed: ReadonlyArray<string>,
  records: ReadonlyArray<Doc>
): Answered<ReadonlyArray<Doc>> =>
  Either.gen(function* () {
    const keys: Array<readonly [field: string, sign: number]> = []
    for (const part of query("sort")?.split(",") ?? []) {
      const [field = "", direction = "asc", ...rest] = part.trim().toLowerCase().split(/\s+/)
      if (!allowed.includes(field) || !["asc", "desc"].includes(direction) || rest.length > 0) {
        return yield* refuse("sort", `must name fields of [${allowed.join(", ")}], each with ASC or DESC`)
      }
      keys.push([field, direction === "asc" ? 1 : -1])
    }
    return records.toSorted((a, b) => {
      for (const [field, sign] of keys) {
        const difference = order({ fieldValue: valueAt(a, field), id: 0 }, { fieldValue: valueAt(b, field), id: 0 })
        if (difference !== 0) return sign * difference
      }
      return 0
    })
  })

/** A page of API v1. */
export const offsetPage = <A>(query: Query, all: ReadonlyArray<A>) =>
  Either.gen(function* () {
    const start = (yield* integerIn(query, "start", 0)) ?? 0
    const limit = (yield* integerIn(query, "limit", 1, 500)) ?? 100
    const hasMore = all.length > start + limit
    return {
      slice: all.slice(start, start + limit),
      pagination: {
        start,
        limit,
        more_items_in_collection: hasMore,
        ...(hasMore ? { next_start: start + limit } : {})
      }
    }
  })
