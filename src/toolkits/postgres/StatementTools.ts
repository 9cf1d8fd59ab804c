import { type Context, Effect, Option, Schema } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import { Invalid, ProviderError } from "../../providers/ProviderError.ts"
import { limit, otherwise, text, whole } from "../Fields.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { cell } from "./Cells.ts"
import type { PostgresAccess } from "./PostgresAccess.ts"
import type { Rows, Session } from "./Session.ts"

/** Characters of JSON that the rows of an answer have. */
const answerLength = 36_000

const typesOf = Effect.fnUntraced(function* ({ run }: Session, { fields }: Rows) {
  const oids = [...new Set(fields.map(({ dataTypeID }) => dataTypeID))]
  const { rows } = yield* run(
    "select oid::text, pg_catalog.format_type(oid, null) from pg_catalog.pg_type where oid = any($1::oid[])",
    [`{${oids.join(",")}}`]
  )
  const names = new Map(rows.map(([oid, name]) => [Number(oid), String(name)]))
  return fields.map(({ dataTypeID, name }) => ({ name, type: names.get(dataTypeID) ?? "unknown" }))
})

/** The first rows, as many as fit into an answer. */
const fitting = (rows: Rows["rows"]) => {
  const fit: Array<ReadonlyArray<unknown>> = []
  let length = 0
  for (const row of rows) {
    const shown = row.map(cell)
    length += JSON.stringify(shown).length
    if (length > answerLength && fit.length > 0) break
    fit.push(shown)
  }
  return fit
}

const refuse = (operation: string, what: string) =>
  new ProviderError({ provider: "postgres", operation, reason: new Invalid({ fields: { sql: what } }), detail: what })

const Explained = Schema.Tuple(Schema.Struct({ Plan: Schema.Unknown }))
const decodePlan = Schema.decodeUnknownOption(Schema.Union(Explained, Schema.parseJson(Explained)))

/** EXPLAIN takes a query or a change of rows, and runs neither. https://www.postgresql.org/docs/current/sql-explain.html */
const planOf = (operation: string, { run }: Session, sql: string) =>
  Effect.flatMap(run(`explain (format json) ${sql}`), ({ rows: [row] }) =>
    Option.match(decodePlan(row?.[0]), {
      onNone: () => refuse(operation, "has no plan"),
      onSome: ([{ Plan }]) => Effect.succeed(Plan)
    })
  )

const sql = (what: string) => text(`${what}. Names with capitals or spaces need double quotes.`, 20_000)

export const statementTools = ({
  read,
  write
}: Context.Tag.Service<typeof PostgresAccess>): ReadonlyArray<ConnectionTool> => [
  tool({
    name: "postgres_query",
    title: "Query with SQL",
    description:
      "Runs one SELECT (or WITH … SELECT, VALUES, TABLE) in a read-only transaction and answers its first rows as lists, with the columns' names and types. bigint and numeric values come as texts, bytea as its length, texts are cut after 2,048 characters. `more` says that there are further rows: use LIMIT and OFFSET, or aggregate in SQL. Changes, EXPLAIN and SHOW are refused by the server; for plans use postgres_explain. Ends after 20 seconds.",
    keywords: ["select", "run sql", "report", "count rows", "analytics", "read data"],
    hints: hints.read,
    input: Schema.Struct({ sql: sql("One SELECT statement"), limit }),
    run: (connection, { limit, sql }) =>
      read(connection, "query", (session) =>
        Effect.gen(function* () {
          yield* session.run(`declare answer no scroll cursor for ${sql}`)
          const found = yield* session.run(`fetch forward ${limit + 1} from answer`)
          const rows = fitting(found.rows.slice(0, limit))
          return {
            columns: yield* typesOf(session, found),
            rows,
            row_count: rows.length,
            more: found.rows.length > rows.length
          }
        })
      )
  }),
  tool({
    name: "postgres_explain",
    title: "Explain a query",
    description:
      "Answers the plan that PostgreSQL makes for a statement, with estimated costs and rows. The statement is not run. Use it to find out why a query is slow or which index it uses.",
    keywords: ["query plan", "slow query", "performance", "index use", "cost"],
    hints: hints.read,
    input: Schema.Struct({ sql: sql("One SELECT, INSERT, UPDATE, DELETE or MERGE statement") }),
    run: (connection, { sql }) =>
      read(connection, "explain", (session) => Effect.map(planOf("explain", session, sql), (plan) => ({ plan })))
  }),
  tool({
    name: "postgres_execute",
    title: "Change rows with SQL",
    description:
      "Runs one INSERT, UPDATE, DELETE or MERGE and commits it; RETURNING answers rows. Works only where the connection's owner allowed writes. Nothing is changed when more than `max_rows` rows would be. No other statements (no DDL, COPY, DO, SET). Look with postgres_query first.",
    keywords: ["insert row", "update rows", "delete rows", "write sql", "modify data"],
    hints: hints.send,
    input: Schema.Struct({
      sql: sql("One INSERT, UPDATE, DELETE or MERGE statement"),
      max_rows: otherwise(whole("The most rows it may change, 1 to 1,000. 100 when left out.", 1, 1000), 100)
    }),
    run: (connection, { max_rows, sql }) =>
      write(connection, "execute", (session) =>
        Effect.gen(function* () {
          const plan = yield* planOf("execute", session, sql)
          if (getPath(plan, "Node Type") !== "ModifyTable") {
            return yield* refuse("execute", "must be one INSERT, UPDATE, DELETE or MERGE statement")
          }
          const done = yield* session.run(sql)
          if (done.count > max_rows) {
            return yield* refuse("execute", `would change ${done.count} rows, more than max_rows; nothing was changed`)
          }
          const rows = fitting(done.rows)
          return {
            changed_rows: done.count,
            ...(done.fields.length === 0
              ? {}
              : { columns: yield* typesOf(session, done), rows, more: done.rows.length > rows.length })
          }
        })
      )
  })
]
