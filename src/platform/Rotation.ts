import { SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Either, Schema } from "effect"
import { Encryption } from "./Encryption.ts"

/** A column of sealed values; null or empty where a row has none. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The columns of the primary key. */
  readonly key: ReadonlyArray<string>
  /** The associated data of a row's value, by the row's key as PostgreSQL writes it. */
  readonly associatedDataOf: (key: ReadonlyArray<string>) => string
  /** SQL of the time at which a row's value is forgotten; absent: it stays. */
  readonly until?: string
}

/** The result of a rotation, and the values still under older keys. */
export interface Rotated {
  readonly rotated: number
  readonly remaining: ReadonlyArray<{
    /** Id of the key. */
    readonly key: string
    readonly count: number
    /** ISO 8601 date-time at which the last of them will have been forgotten; null: they stay. */
    readonly until: string | null
    /** `ENCRYPTION_KEYS` lacks the key, so that nothing opens them. */
    readonly isMissing: boolean
  }>
}

const Held = Schema.Struct({ key: Schema.Array(Schema.String), sealed: Schema.String })
const Left = Schema.Struct({ key: Schema.String, count: Schema.Int, until: Schema.NullOr(Schema.ValidDateFromSelf) })

/** Rows that are read at a time. */
const batch = 50

/**
 * Re-encrypts the values of a column that are not under the first key. It may run while services use the table, and several
 * times at once: each value is replaced by itself, and only while it is the one that was read. Values that do not open stay.
 */
export const rotate = Effect.fn("Rotation.rotate")(function* ({
  column,
  key,
  associatedDataOf,
  table,
  until
}: SealedColumn) {
  const sql = yield* SqlClient.SqlClient
  const encryption = yield* Encryption
  const [first] = encryption.keys
  const columns = sql.literal(key.join(", "))
  const sealedBy = sql.literal(`split_part(left(${column}, 33), '.', 1)`)
  const isOld = sql`${sql(column)} <> '' and ${sealedBy} <> ${first}`
  const these = (values: ReadonlyArray<string>) => sql`(${sql.join(", ", false)(values.map((value) => sql`${value}`))})`

  const next = SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Held,
    execute: (after) => sql`
      select array[${sql.literal(key.map((name) => `${name}::text`).join(", "))}] as key, ${sql(column)} as sealed
      from ${sql(table)}
      where ${isOld} ${after.length === 0 ? sql`` : sql`and (${columns}) > ${these(after)}`}
      order by ${columns} limit ${batch}`
  })

  const replace = Effect.fnUntraced(function* ({ key, sealed }: typeof Held.Type) {
    const text = encryption.decrypt(sealed, associatedDataOf(key))
    if (Either.isLeft(text)) {
      // a missing key is told of at the end, once for all
      if (text.left.reason !== "unknown key") yield* Effect.logError(`${associatedDataOf(key)}: ${text.left.message}`)
      return 0
    }
    const anew = yield* encryption.encrypt(text.right, associatedDataOf(key))
    const rows = yield* sql`
      update ${sql(table)} set ${sql(column)} = ${anew}
      where (${columns}) = ${these(key)} and ${sql(column)} = ${sealed} returning 1`
    return rows.length
  })

  let rotated = 0
  let held = yield* next([])
  for (; held.length > 0; held = yield* next(held.at(-1)?.key ?? [])) {
    for (const one of held) rotated += yield* replace(one)
  }

  const left = yield* SqlSchema.findAll({
    Request: Schema.Void,
    Result: Left,
    execute: () => sql`
      select ${sealedBy} as key, count(*)::int as count, max(${sql.literal(until ?? "null::timestamptz")}) as until
      from ${sql(table)} where ${isOld} group by 1 order by 1`
  })()
  return {
    rotated,
    remaining: left.map(({ count, key, until }) => ({
      key,
      count,
      until: until?.toISOString() ?? null,
      isMissing: !encryption.keys.includes(key)
    }))
  } satisfies Rotated
}, Effect.orDie)
