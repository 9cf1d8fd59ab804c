import { memoize } from "./Memoize.ts"

/** The operation of a statement, in the words of OpenTelemetry's conventions for databases. */
export interface QueryNames {
  /** Such as `SELECT`. */
  readonly operation: string
  /** The table it is about. */
  readonly table: string | undefined
  /** Such as `SELECT connections`. */
  readonly summary: string
}

/** Words that stand where a table might. */
const noTables = new Set(["select", "lateral", "only", "unnest", "generate_series", "jsonb_to_recordset"])

/** The names that a statement gives itself: they are no tables. */
const named = (text: string) =>
  new Set(
    [...text.matchAll(/\b([a-z_]+)\s+(?:\([^)]*\)\s+)?as\s+(?:not\s+)?(?:materialized\s+)?\(/g)].map(([, name]) => name)
  )

const read = (sql: string): QueryNames => {
  const text = sql
    .replaceAll(/--[^\n]*/g, " ")
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/"/g, "")
    .toLowerCase()
  const [, first = "execute"] = /^[\s(]*([a-z]+)/.exec(text) ?? []
  const own = first === "with" ? named(text) : new Set<string | undefined>()
  const changes =
    /\b(insert)\s+into\s+([\w.]+)|\b(update)\s+(?!set\b|skip\b|of\b)([\w.]+)\s|\b(delete)\s+from\s+([\w.]+)/.exec(text)
  // what a statement that begins otherwise does is what it changes
  const verb = first === "with" ? (changes?.[1] ?? changes?.[3] ?? changes?.[5] ?? "select") : first
  const target = ["insert", "update", "delete"].includes(verb)
    ? (changes?.[2] ?? changes?.[4] ?? changes?.[6])
    : undefined
  const tables = [...text.matchAll(/\b(?:from|join|table(?: if not exists)?)\s+([a-z_][\w.]*)(?!\s*\(|\w)/g)].map(
    ([, name]) => name
  )
  const table = target ?? tables.find((name) => name !== undefined && !own.has(name) && !noTables.has(name))
  const operation = verb.toUpperCase()
  return { operation, table, summary: table === undefined ? operation : `${operation} ${table}` }
}

/** Reads a statement with its parameters as `$1`. Statements are few; those that are made of parts may be many. */
export const queryOf = memoize(2000, read)
