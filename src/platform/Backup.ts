import * as NodeStream from "@effect/platform-node/NodeStream"
import { SqlClient, type SqlError, SqlSchema } from "@effect/sql"
import { Effect, Either, Schema, Stream } from "effect"
import { createReadStream } from "node:fs"
import { open, rename, rm } from "node:fs/promises"
import { pipeline } from "node:stream"
import { createGunzip, gzipSync } from "node:zlib"
import packageJson from "../../package.json" with { type: "json" }

/**
 * A backup is all rows of all tables as they stood at one moment, in lines of JSON, compressed: a header, and for each table its
 * name and its rows. Encryption keys are not in it, so whoever finds it has no credentials.
 */
const Header = Schema.Struct({
  tributary: Schema.String,
  /** Number of the last migration. */
  migration: Schema.Int,
  sequences: Schema.Array(Schema.Struct({ name: Schema.String, last: Schema.NullOr(Schema.String) }))
})

const TableLine = Schema.Struct({ table: Schema.String, columns: Schema.Array(Schema.String) })

const readHeader = Schema.decodeUnknownEither(Schema.parseJson(Header))
const readTable = Schema.decodeUnknownEither(Schema.parseJson(TableLine))

/** Why a backup was not made, or not restored. */
export class BackupFailed extends Schema.TaggedError<BackupFailed>()("BackupFailed", { message: Schema.String }) {}

/** The content of a backup. */
export interface Held {
  readonly tables: number
  readonly rows: number
}

/** Rows that are read, and written, at a time. */
const atOnce = 500

const failing = (what: string) => (cause: unknown) =>
  new BackupFailed({ message: `${what}: ${cause instanceof Error ? cause.message : String(cause)}` })

const attempt = <A>(what: string, run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: failing(what) })

const queries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Tables with the columns that hold values of their own. */
  tables: SqlSchema.findAll({
    Request: Schema.Void,
    Result: TableLine,
    execute: () => sql`
      select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname <> 'migrations'
        and not a.attisdropped and a.attgenerated = ''
      group by c.relname order by c.relname`
  }),
  header: SqlSchema.single({
    Request: Schema.Void,
    Result: Schema.Struct({ migration: Schema.Int, sequences: Header.fields.sequences }),
    execute: () => sql`
      select (select max(migration_id) from migrations) as migration, coalesce(
        (select jsonb_agg(jsonb_build_object('name', sequencename, 'last', last_value::text))
          from pg_sequences where schemaname = 'public'), '[]'::jsonb) as sequences`
  }),
  /** The next rows of the cursor, as JSON. */
  next: SqlSchema.findAll({
    Request: Schema.Void,
    Result: Schema.Struct({ row: Schema.String }),
    execute: () => sql`fetch ${sql.literal(String(atOnce))} from backed_up`
  })
}))

/** Database failures are defects here: whoever runs the command is told what the database said. */
const told = <A, R>(effect: Effect.Effect<A, BackupFailed | SqlError.SqlError | { readonly _tag: string }, R>) =>
  Effect.mapError(effect, (error) => (error instanceof BackupFailed ? error : failing("the database")(error)))

/** Writes all that the database holds into a new file. Those who use an embedded database meanwhile wait for it. */
export const backup = Effect.fn("Backup.backup")(function* (file: string) {
  const sql = yield* SqlClient.SqlClient
  const { header, next, tables } = yield* queries
  const unfinished = `${file}.part`
  const write = (handle: Awaited<ReturnType<typeof open>>, lines: ReadonlyArray<string>) =>
    attempt(`${file} cannot be written`, () => handle.write(gzipSync(`${lines.join("\n")}\n`)))

  const copy = (handle: Awaited<ReturnType<typeof open>>) =>
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`set transaction isolation level repeatable read, read only`
        yield* write(handle, [JSON.stringify({ tributary: packageJson.version, ...(yield* header()) })])
        const all = yield* tables()
        let rows = 0
        for (const one of all) {
          yield* write(handle, [JSON.stringify(one)])
          yield* sql`declare backed_up no scroll cursor for select to_jsonb(t)::text as row from ${sql(one.table)} t`
          for (let some = atOnce; some === atOnce; rows += some) {
            const read = yield* next()
            some = read.length
            if (some > 0) {
              yield* write(
                handle,
                read.map(({ row }) => row)
              )
            }
          }
          yield* sql`close backed_up`
        }
        return { tables: all.length, rows } satisfies Held
      })
    )

  const held = yield* Effect.acquireUseRelease(
    attempt(`${file} cannot be made`, () => open(unfinished, "wx", 0o600)),
    copy,
    (handle) => Effect.promise(() => handle.close())
  ).pipe(Effect.tapError(() => Effect.promise(() => rm(unfinished, { force: true }))))
  yield* attempt(`${file} cannot be written`, () => rename(unfinished, file))
  return { file, ...held }
}, told)

/** The lines of a backup. */
const linesOf = (file: string) =>
  NodeStream.fromReadable<BackupFailed>(
    // whoever reads is told what went wrong
    () => pipeline(createReadStream(file), createGunzip(), () => {}),
    failing(`${file} cannot be read`)
  ).pipe(Stream.decodeText(), Stream.splitLines)

/**
 * Puts what a backup holds into a database of the same schema in which there is no organisation. It takes the rights of a
 * superuser, which the embedded database gives: rows refer to one another before all of them are there.
 */
export const restore = Effect.fn("Backup.restore")(function* (file: string) {
  const sql = yield* SqlClient.SqlClient
  const { header, tables } = yield* queries
  const [organisation] = yield* sql`select id from organisations limit 1`
  if (organisation !== undefined) {
    return yield* new BackupFailed({
      message: "This database is in use. Restore into a new one: another DATA_DIR, or another database."
    })
  }
  const present = yield* header()
  const known = new Map((yield* tables()).map(({ columns, table }) => [table, columns]))
  let table: string | undefined
  let rows = 0
  let waiting: Array<string> = []

  const flush = Effect.gen(function* () {
    const some = waiting
    waiting = []
    const columns = table === undefined ? undefined : known.get(table)
    if (some.length === 0 || table === undefined || columns === undefined) return
    rows += some.length
    const listed = sql.literal(columns.map((column) => `"${column}"`).join(", "))
    yield* sql`
      insert into ${sql(table)} (${listed}) overriding system value
      select ${listed} from jsonb_populate_recordset(${sql.literal(`null::"${table}"`)}, ${`[${some.join(",")}]`}::jsonb)`
  })

  const take = (line: string, at: number) =>
    Effect.gen(function* () {
      if (at === 0) {
        const made = readHeader(line)
        if (Either.isLeft(made)) return yield* new BackupFailed({ message: `${file} is not a backup of Tributary.` })
        if (made.right.migration !== present.migration) {
          return yield* new BackupFailed({
            message: `${file} was made by version ${made.right.tributary}, which has a different schema. Restore it with that version, then start this one.`
          })
        }
        const all = sql.literal([...known.keys()].map((name) => `"${name}"`).join(", "))
        yield* sql`set local session_replication_role = replica`
        yield* sql`truncate ${all} cascade`
        for (const { last, name } of made.right.sequences) {
          if (last !== null) yield* sql`select setval(format('%I', ${name}::text)::regclass, ${last}::bigint)`
        }
        return
      }
      // a row begins otherwise, since its columns are in their order
      const next = line.startsWith('{"table":') ? readTable(line) : undefined
      if (next !== undefined && Either.isRight(next)) {
        yield* flush
        table = next.right.table
        return
      }
      waiting.push(line)
      if (waiting.length === atOnce) yield* flush
    })

  yield* sql.withTransaction(
    linesOf(file).pipe(
      Stream.zipWithIndex,
      Stream.runForEach(([line, at]) => take(line, at)),
      Effect.zipRight(Effect.suspend(() => flush))
    )
  )
  return { file, tables: known.size, rows } satisfies Held & { readonly file: string }
}, told)
