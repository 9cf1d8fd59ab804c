import { SqlClient } from "@effect/sql"
import { Clock, Effect, Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { brotliDecompressSync } from "node:zlib"

const folder = fileURLToPath(new URL("../fixtures", import.meta.url))

const Doc = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/** Facts of the database that a release left behind, written by `test/fixtures/make.mjs`. */
const Facts = Schema.Struct({
  version: Schema.String,
  /** The commit that it was made on. */
  commit: Schema.String,
  madeAt: Schema.DateFromString,
  encryptionKeys: Schema.String,
  callers: Schema.Record({
    key: Schema.String,
    value: Schema.Struct({ key: Schema.String, endUser: Schema.String })
  }),
  /** Access token of the connection in production that works. */
  liveToken: Schema.String,
  reads: Schema.Array(
    Schema.Struct({ as: Schema.String, path: Schema.String, status: Schema.Int, answer: Schema.Unknown })
  ),
  /** Writes with their idempotency keys. */
  writes: Schema.Array(
    Schema.Struct({
      as: Schema.String,
      method: Schema.String,
      path: Schema.String,
      body: Schema.optional(Doc),
      key: Schema.String,
      status: Schema.Int,
      answer: Schema.Unknown
    })
  ),
  workspace: Schema.String,
  archived: Schema.String,
  /** Chat session of the end user `ann` in that workspace. */
  chat: Schema.String,
  /** Connect session of the end user `bob`, with an attempt in which he has yet to choose. */
  session: Schema.Struct({
    token: Schema.String,
    attempt: Schema.String,
    choice: Schema.Struct({ value: Schema.String, label: Schema.String })
  }),
  console: Schema.Struct({ cookie: Schema.String })
})
export type Facts = typeof Facts.Type

const readFacts = Schema.decodeUnknownSync(Schema.parseJson(Facts))

/** Every release that has a fixture. */
export const releases: ReadonlyArray<Facts> = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => readFacts(readFileSync(`${folder}/${name}/facts.json`, "utf8")))

const tables = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly name: string }>`
    select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1`
)

/** Rows of each table. */
export const rowCounts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const counts = yield* Effect.forEach(yield* tables, ({ name }) =>
    Effect.map(
      sql.unsafe<{ readonly count: number }>(`select count(*)::int as count from ${name}`),
      ([row]) => [name, row?.count ?? 0] as const
    )
  )
  return new Map(counts)
})

/**
 * Puts a release's database in place of what is in this one, not migrated, as it would be had the release been in use until
 * now. Gives the milliseconds that it is from when it was made: what it says of times has moved on by so much.
 */
export const restore = Effect.fnUntraced(function* ({ madeAt, version }: Facts) {
  const sql = yield* SqlClient.SqlClient
  const dump = brotliDecompressSync(readFileSync(`${folder}/${version}/database.sql.br`)).toString()
  const moved = (yield* Clock.currentTimeMillis) - madeAt.getTime()
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`drop schema public cascade`
      yield* sql`create schema public`
      // no text in it has a line that ends with a semicolon
      yield* Effect.forEach(dump.split(/;\n/), (statement) => sql.unsafe(statement), { discard: true })
      const stamps = yield* sql<{ readonly table: string; readonly columns: string }>`
        select quote_ident(table_name) as table,
          string_agg(format('%1$I = %1$I + ''%2$s milliseconds''', column_name, ${moved}::text), ', ') as columns
        from information_schema.columns
        where table_schema = 'public' and data_type = 'timestamp with time zone' group by table_name`
      yield* Effect.forEach(stamps, ({ columns, table }) => sql.unsafe(`update public.${table} set ${columns}`), {
        discard: true
      })
    })
  )
  // the dump's own settings
  yield* sql.unsafe("reset all")
  return moved
})

/** Differ from answer to answer, by their nature. */
const passing = new Set(["requestId", "timestamp", "cursor"])

/** Values of 0.1.0 that read otherwise since 0.2.0, as the changelog says. */
const isMeant = (path: string, before: unknown, now: unknown): boolean =>
  typeof before === "string" &&
  typeof now === "string" &&
  // countries are codes
  ((path.endsWith(".country") && /^[A-Z]{2}$/.test(now)) ||
    (path.endsWith(".transform") && before === "text" && now === "countryCode") ||
    // the day of a Xero document is not when it was made
    (path.endsWith(".created_at") && before.endsWith("T00:00:00.000Z")) ||
    // days of HubSpot deals are those of the account's time zone
    (path.endsWith(".close_date") && Math.abs(Date.parse(now) - Date.parse(before)) === 86_400_000))

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const stamp = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Where an answer lacks something of an earlier one; it may say more. Times may have moved on by `moved`. */
export const losses = (before: unknown, now: unknown, moved: number, path = "answer"): ReadonlyArray<string> => {
  if (isObject(before)) {
    if (!isObject(now)) return [path]
    return Object.entries(before).flatMap(([name, value]) =>
      passing.has(name) && typeof value === typeof now[name] ? [] : losses(value, now[name], moved, `${path}.${name}`)
    )
  }
  if (Array.isArray(before)) {
    if (!Array.isArray(now) || now.length !== before.length) return [path]
    return before.flatMap((value, index) => losses(value, now[index], moved, `${path}.${index}`))
  }
  const isSame = before === now
  const hasMovedOn =
    typeof before === "string" &&
    typeof now === "string" &&
    stamp.test(before) &&
    Date.parse(now) - Date.parse(before) === moved
  return isSame || hasMovedOn || isMeant(path, before, now)
    ? []
    : [`${path}: ${JSON.stringify(before)} became ${JSON.stringify(now)}`]
}
