import { Either, Schema } from "effect"
import type { Doc } from "../Account.ts"
import { type Parameters, formed, integer, oneOf, parameter, type Reader } from "./Query.ts"

/** A page of records, and what the answer says about its place. */
export interface Page {
  readonly records: ReadonlyArray<Doc>
  readonly place: Doc
}

export type Cut = (records: ReadonlyArray<Doc>) => Page

/** How a list is sorted and cut, of records that can be sorted by some fields. */
export type Pages = (sorts: ReadonlyArray<string>) => Parameters<Cut>

/** A parameter for how many records a page has. */
interface Size {
  readonly size: string
  readonly usual: number
  readonly most: number
}

const sizeOf = ({ most, size, usual }: Size) => sometimes(size, integer(1, most), usual)

/** A parameter that means something where it is left out. */
const sometimes = <A>(name: string, reader: Reader<A>, usual: A): Parameters<A> => {
  const { names, read } = parameter(name, reader)
  return { names, read: (query, account) => Either.map(read(query, account), (value) => value ?? usual) }
}

// Order ---------------------------------------------------------------------------------------------------------------

type Sign = 1 | -1

/** A field to sort by, and in which direction. */
export type Key = readonly [field: string, sign: Sign]

type Scalar = string | number | null

const valueAt = (record: Doc, field: string): Scalar => {
  const value = record[field]
  if (typeof value === "boolean") return Number(value)
  return typeof value === "number" || typeof value === "string" ? value : null
}

/** Absent values come first. */
const compare = (a: Scalar, b: Scalar): number => {
  if (a === b) return 0
  return (a ?? "") < (b ?? "") ? -1 : (a ?? "") > (b ?? "") ? 1 : 0
}

/** Records by fields, one after the other; those that these do not tell apart stay as they are. */
export const sortedBy = (records: ReadonlyArray<Doc>, keys: ReadonlyArray<Key>): ReadonlyArray<Doc> =>
  keys.length === 0
    ? records
    : records.toSorted((a, b) => {
        for (const [field, sign] of keys) {
          const difference = compare(valueAt(a, field), valueAt(b, field))
          if (difference !== 0) return sign * difference
        }
        return 0
      })

/** Which fields a list is to be sorted by. */
export type Sorting = (sorts: ReadonlyArray<string>) => Parameters<ReadonlyArray<Key>>

/** Several fields with commas between them; `key` reads one, undefined where it is none. */
const keysIn =
  (name: string, key: (part: string) => Key | undefined): Sorting =>
  (sorts) => {
    const reader: Reader<ReadonlyArray<Key>> = (text) => {
      const keys = text.split(",").map((part) => key(part.trim()))
      return Either.all(
        keys.map((found) =>
          found === undefined || !sorts.includes(found[0])
            ? Either.left({ is: "choice", choices: sorts } as const)
            : Either.right(found)
        )
      )
    }
    return sometimes(name, reader, [])
  }

/** `field_1 ASC, field_2 DESC` in a parameter. */
export const sortedByWords = (name: string): Sorting =>
  keysIn(name, (part) => {
    const [, field = "", direction] = /^(\S+)(?:\s+(asc|desc))?$/.exec(part.toLowerCase()) ?? []
    return field === "" ? undefined : [field, direction === "desc" ? -1 : 1]
  })

/** `field_1,-field_2` in a parameter. */
export const sortedBySigns = (name: string): Sorting =>
  keysIn(name, (part) => (part.startsWith("-") ? [part.slice(1), -1] : [part, 1]))

/** Never sorted by request. */
export const unsorted: Sorting = () => ({ names: [], read: () => Either.right([]) })

// Pages by position ----------------------------------------------------------------------------------------------------

interface Position extends Size {
  readonly sorting?: Sorting
}

const cutAt =
  (
    sorting: Sorting,
    start: Parameters<number>,
    limit: Parameters<number>,
    offsetOf: (start: number, limit: number) => number,
    place: (start: number, limit: number, total: number) => Doc
  ): Pages =>
  (sorts) => {
    const order = sorting(sorts)
    return {
      names: [...start.names, ...limit.names, ...order.names],
      read: (query, account) =>
        Either.gen(function* () {
          const from = yield* start.read(query, account)
          const size = yield* limit.read(query, account)
          const keys = yield* order.read(query, account)
          const offset = offsetOf(from, size)
          return (records) => ({
            records: sortedBy(records, keys).slice(offset, offset + size),
            place: place(from, size, records.length)
          })
        })
    }
  }

/** Pages by the number of records before them. */
export const offsetPages = (
  options: Position & {
    readonly start: string
    readonly place: (start: number, limit: number, total: number) => Doc
  }
): Pages =>
  cutAt(
    options.sorting ?? unsorted,
    sometimes(options.start, integer(0), 0),
    sizeOf(options),
    (start) => start,
    options.place
  )

/** Pages by their number, from 1. */
export const numberedPages = (
  options: Position & {
    readonly page: string
    readonly place: (page: number, size: number, total: number) => Doc
  }
): Pages =>
  cutAt(
    options.sorting ?? unsorted,
    sometimes(options.page, integer(1), 1),
    sizeOf(options),
    (page, size) => (page - 1) * size,
    options.place
  )

// Pages by a cursor ------------------------------------------------------------------------------------------------------

/** A cursor names the first record of the next page by its place in the order. */
const Cursor = Schema.parseJson(
  Schema.Struct({
    field: Schema.String,
    fieldValue: Schema.NullOr(Schema.Union(Schema.String, Schema.Number)),
    sortDirection: Schema.Literal("asc", "desc"),
    id: Schema.NullOr(Schema.Union(Schema.Number, Schema.String))
  })
)

const readCursor = (text: string) => Schema.decodeEither(Cursor)(Buffer.from(text, "base64url").toString("utf8"))

const writeCursor = (cursor: typeof Cursor.Type) =>
  Buffer.from(Schema.encodeSync(Cursor)(cursor), "utf8").toString("base64url")

type Place = Pick<typeof Cursor.Type, "fieldValue" | "id">

/** Pages by a field and then by the id: what is added or removed before a page does not move it. */
export const cursorPages =
  (
    options: Size & {
      readonly cursor: string
      readonly by: string
      readonly direction: string
      readonly id: string
      readonly place: (next: string | null) => Doc
    }
  ): Pages =>
  (sorts) => {
    const limit = sizeOf(options)
    const by = sometimes(options.by, oneOf(sorts), sorts[0] ?? "id")
    const direction = sometimes(options.direction, oneOf<"asc" | "desc">(["asc", "desc"]), "asc")
    return {
      // a list with one order has nothing to choose
      names: [options.cursor, ...limit.names, ...(sorts.length > 1 ? [options.by, options.direction] : [])],
      read: (query, account) =>
        Either.gen(function* () {
          const size = yield* limit.read(query, account)
          const field = yield* by.read(query, account)
          const sortDirection = yield* direction.read(query, account)
          const given = formed("cursor", (text) => {
            const cursor = Either.getOrUndefined(readCursor(text))
            return cursor?.field === field && cursor.sortDirection === sortDirection ? cursor : undefined
          })
          const cursor = yield* parameter(options.cursor, given).read(query, account)
          const sign = sortDirection === "asc" ? 1 : -1
          const order = (a: Place, b: Place) => sign * (compare(a.fieldValue, b.fieldValue) || compare(a.id, b.id))
          return (records) => {
            const sorted = records
              .map((record) => ({
                record,
                fieldValue: valueAt(record, field),
                id: valueAt(record, options.id)
              }))
              .sort(order)
            const rest = cursor === undefined ? sorted : sorted.filter((one) => order(one, cursor) >= 0)
            const next = rest[size]
            return {
              records: rest.slice(0, size).map(({ record }) => record),
              place: options.place(
                next === undefined
                  ? null
                  : writeCursor({ field, fieldValue: next.fieldValue, sortDirection, id: next.id })
              )
            }
          }
        })
    }
  }

/** Lists that are always whole. */
export const whole: Pages = () => ({
  names: [],
  read: () => Either.right((records) => ({ records, place: {} }))
})
