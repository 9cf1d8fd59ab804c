import { SqlClient } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { Duplex } from "node:stream"
import { MessageChannel, type MessagePort, type Worker } from "node:worker_threads"
import * as DatabasePool from "./DatabasePool.ts"
import { DatabaseUnavailable } from "./DatabaseUnavailable.ts"
import * as EmbeddedDatabase from "./EmbeddedDatabase.ts"

/**
 * PostgreSQL in memory, for tests: nothing is written or listened on. A process has one, in a thread that does not keep the
 * process alive, since one takes a second to start. Whoever uses it has a schema of its own, which is emptied for the next.
 */

/** The end of a message port that the driver is at, as the socket that it takes it for. */
class PortStream extends Duplex {
  private readonly port: MessagePort

  constructor(port: MessagePort) {
    super()
    this.port = port
    port.on("message", (chunk: Uint8Array) => this.push(Buffer.from(chunk)))
    port.on("close", () => this.destroy())
  }

  connect() {
    process.nextTick(() => this.emit("connect"))
    return this
  }

  setNoDelay() {}
  setKeepAlive() {}

  /** The pool waits for answers, and lets the process end when it rests. */
  ref() {
    this.port.ref()
  }

  unref() {
    this.port.unref()
  }

  override _read() {}

  override _write(chunk: Uint8Array, _: BufferEncoding, done: () => void) {
    // a part of a larger buffer would be sent with all of it
    this.port.postMessage(Uint8Array.from(chunk))
    done()
  }

  override _writev(chunks: ReadonlyArray<{ readonly chunk: Uint8Array }>, done: () => void) {
    this.port.postMessage(Uint8Array.from(Buffer.concat(chunks.map(({ chunk }) => chunk))))
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void) {
    this.port.close()
    done(error)
  }
}

const snapshot = Effect.filterOrFail(
  EmbeddedDatabase.availableSnapshot,
  (file) => existsSync(file),
  (file) =>
    new DatabaseUnavailable({ message: `There is no database to start from at ${file}: build the package first.` })
)

/** The thread, and the schemas in it. */
interface Thread {
  readonly worker: Worker
  /** Schemas that nobody uses now. */
  readonly free: Array<string>
  /** Schemas there are. */
  made: number
}

let running: Thread | undefined

const started = Effect.gen(function* () {
  const worker = EmbeddedDatabase.thread({ snapshot: yield* snapshot })
  worker.postMessage("open")
  const report = yield* EmbeddedDatabase.nextReport(worker)
  if (report.type === "failed") {
    return yield* new DatabaseUnavailable({ message: `The database in memory does not start: ${report.message}` })
  }
  worker.unref()
  worker.once("exit", () => {
    running = undefined
  })
  running = { worker, free: [], made: 0 }
  return running
})

const oneAtATime = Effect.unsafeMakeSemaphore(1).withPermits(1)

/** The thread of this process, started when there is none. */
const thread = oneAtATime(
  Effect.uninterruptible(Effect.suspend(() => (running === undefined ? started : Effect.succeed(running))))
)

/** The schema of the archive, which has this version's tables. */
const original = "public"

/** A schema for as long as the scope lives. */
const lent = (thread: Thread) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const used = thread.free.pop()
      if (used !== undefined) return { schema: used, isUsed: true }
      thread.made += 1
      return { schema: thread.made === 1 ? original : `copy_${thread.made}`, isUsed: false }
    }),
    ({ schema }) => Effect.sync(() => void thread.free.push(schema))
  )

/** Makes the schema of the session, where there is none yet. */
const make = `
do $$
declare
  schema text := trim('"' from current_setting('search_path'));
  statement text;
  constraints text[];
begin
  if to_regnamespace(schema) is not null then return; end if;
  execute format('create schema %I', schema);
  for statement in
    select format('create table %I (like ${original}.%I including all)', tablename, tablename)
    from pg_tables where schemaname = '${original}'
  loop
    execute statement;
  end loop;
  execute format('insert into %I.migrations select * from ${original}.migrations', schema);
  -- a definition names tables without their schema where they are found so
  perform set_config('search_path', '${original}', true);
  constraints := array(
    -- there are no rows yet to hold against it, and looking takes half of the time
    select format('alter table %I add constraint %I %s not valid', relname, conname, pg_get_constraintdef(c.oid))
    from pg_constraint c join pg_class t on t.oid = conrelid
    where contype = 'f' and connamespace = '${original}'::regnamespace
  );
  perform set_config('search_path', quote_ident(schema), true);
  foreach statement in array constraints loop
    execute statement;
  end loop;
end $$`

/** Deletes, which takes a small part of the time that truncating does. */
const empty = `
do $$
declare one record;
begin
  set local session_replication_role = replica;
  for one in select tablename as name from pg_tables where schemaname = current_schema and tablename <> 'migrations' loop
    execute format('delete from %I', one.name);
  end loop;
  perform setval(oid, 1, false) from pg_class where relkind = 'S' and relnamespace = current_schema::regnamespace;
end $$`

/** An empty database with this version's tables, apart from every other that is in use. */
export const layer: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> = Layer.unwrapScoped(
  Effect.gen(function* () {
    const used = yield* thread
    const { isUsed, schema } = yield* lent(used)
    const stream = () => {
      const { port1, port2 } = new MessageChannel()
      used.worker.postMessage({ port: port2, schema }, [port2])
      return new PortStream(port1)
    }
    const prepared = Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(isUsed ? `${make}; ${empty}` : make))
    return Layer.effectDiscard(prepared).pipe(
      Layer.provideMerge(
        PgClient.layerFromPool({
          // as on disk: one session
          acquire: DatabasePool.make(
            { stream, user: "postgres", database: "postgres", ssl: false, max: 1, allowExitOnIdle: true },
            { connect: 10_000, wait: 10_000, silence: 30_000 }
          )
        })
      ),
      Layer.mapError(({ cause }) => new DatabaseUnavailable({ message: `The database in memory: ${String(cause)}` }))
    )
  })
)
