import type { Native } from "../../mapping/Mapping.ts"
import { setPath } from "../../mapping/Mapping.ts"

/**
 * Queries whose columns may be missing. Which tables and columns SuiteQL knows depends on an account's features, its tax
 * regime and the role, and no catalogue of them is to be had: a query is refused for the first it does not know.
 * https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_156257790831.html
 */

/** A member of the records that a query makes. */
export interface Column {
  /** Expressions over `alias.column`; the first one is asked for that the account knows all columns of. */
  readonly sql: ReadonlyArray<string>
  /** Makes a value of the text that answers have. */
  readonly read: (text: string) => unknown
}

export interface Columns {
  /** By dotted path. */
  readonly [member: string]: Column
}

/** A table besides the first one; it is left out where nothing is read of it. */
export interface Join {
  readonly alias: string
  /** `LEFT JOIN entity e ON e.id = t.entity`; `:book` is the primary accounting book. */
  readonly sql: string
  /** It says which rows there are. */
  readonly isNeeded?: true
}

export interface Select {
  /** `transaction t`. */
  readonly from: string
  readonly joins?: ReadonlyArray<Join>
  readonly columns: Columns
  /** Columns that no two rows share, by which pages neither repeat nor leave out rows; of a list, its ids. */
  readonly order: string
}

/** Conditions that all hold; one about a column that the account does not know is left out. */
export type Conditions = ReadonlyArray<string>

/** Names of what an account lacks: `currency`, `transaction.exchangerate`. */
export type Lacking = ReadonlySet<string>

const column =
  (read: Column["read"]) =>
  (...sql: ReadonlyArray<string>): Column => ({ sql, read })

export const text = column((value) => value)
export const number = column((value) => {
  const found = Number(value)
  return Number.isFinite(found) ? found : null
})
export const flag = column((value) => value === "T")

/** A reference to a record of a type, where only one is possible. */
export const to = (recordType: string, ...sql: ReadonlyArray<string>): Column => ({
  sql,
  read: (id) => ({ id, recordType })
})

/** A reference that says no type; also the value of a list. */
export const ref = column((id) => ({ id }))

/** A type by what queries call it; undefined where nothing here goes by that type. */
export const typed = (types: ReadonlyMap<string, string>, ...sql: ReadonlyArray<string>): Column => ({
  sql,
  read: (code) => types.get(code)
})

/** Ids of several records, joined by commas. */
export const refs = column((ids) => ({ items: ids.split(/\s*,\s*/).map((id) => ({ id })) }))

/** Dates come in the user's format, and without a time, unless they are made text: as they are, or in UTC. */
export const day = (name: string) => text(`TO_CHAR(${name}, 'YYYY-MM-DD')`)
export const instant = (name: string) => text(`TO_CHAR(SYS_EXTRACT_UTC(${name}), 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`)

/** The name of a state; that of a transaction has the type before it (`Sales Order : Billed`). */
export const stateName = (name: string): Column => ({
  sql: [`BUILTIN.DF(${name})`],
  read: (label) => label.split(" : ").at(-1)
})

const literals = /'(?:[^']|'')*'/g
const names = /\b([a-z]\w*)\.([a-z]\w*)/g

/** The columns that an expression reads. */
const readsOf = (sql: string) =>
  [...sql.replace(literals, "''").matchAll(names)].map(([, alias = "", name = ""]) => ({ alias, name }))

const tableIn = (sql: string) => {
  const [, table = "", alias = ""] = /^(?:.* JOIN )?(\w+) (\w+)/.exec(sql) ?? []
  return { table, alias }
}

const tablesOf = ({ from, joins = [] }: Select): ReadonlyMap<string, string> =>
  new Map([from, ...joins.map(({ sql }) => sql)].map((sql) => [tableIn(sql).alias, tableIn(sql).table]))

/** The first table of a select: what failures are called by. */
export const mainTable = ({ from }: Select) => tableIn(from).table

/** A query in words, and the members that its columns are. */
export interface Written {
  readonly q: string
  readonly chosen: ReadonlyArray<readonly [member: string, sql: string, read: Column["read"]]>
}

/** Writes the query that an account can answer; it is refused where it cannot tell by what is `needed`. */
export const write = (select: Select, where: Conditions, lacking: Lacking, needed: Conditions = []): Written => {
  const { columns, from, joins = [], order } = select
  const tables = tablesOf(select)
  const knows = (sql: string): boolean =>
    readsOf(sql).every(({ alias, name }) => {
      const table = tables.get(alias) ?? ""
      const join = joins.find((one) => one.alias === alias)
      const isThere = !lacking.has(table) && !lacking.has(`${table}.${name}`)
      return isThere && (join === undefined || join.isNeeded === true || tail(join).every((on) => knows(on)))
    })
  // what a join is about besides its own table
  const tail = (join: Join) =>
    readsOf(join.sql).flatMap(({ alias, name }) =>
      alias === join.alias ? (lacking.has(`${tables.get(alias) ?? ""}.${name}`) ? ["?.?"] : []) : [`${alias}.${name}`]
    )
  const chosen = Object.entries(columns).flatMap(([member, { read, sql }]) => {
    const found = sql.find(knows)
    return found === undefined ? [] : [[member, found, read] as const]
  })
  const conditions = [...where.filter(knows), ...needed]
  const places = order.split(", ").filter(knows).join(", ")
  const wanted = new Set<string>()
  const want = (sql: string): void => {
    for (const { alias } of readsOf(sql)) {
      const join = joins.find((one) => one.alias === alias)
      if (wanted.has(alias)) continue
      wanted.add(alias)
      if (join !== undefined) want(join.sql)
    }
  }
  for (const sql of [...chosen.map(([, sql]) => sql), ...conditions, places]) want(sql)
  for (const join of joins) if (join.isNeeded === true) want(join.sql)
  const parts = [
    `SELECT ${chosen.map(([, sql], i) => `${sql} AS c${i}`).join(", ")} FROM ${from}`,
    ...joins.filter(({ alias }) => wanted.has(alias)).map(({ sql }) => sql),
    ...(conditions.length === 0 ? [] : [`WHERE ${conditions.join(" AND ")}`]),
    `ORDER BY ${places}`
  ]
  return { q: parts.join(" "), chosen }
}

/** The record that a row tells of; what is null is no member of it. */
export const recordOf = ({ chosen }: Written, row: Native): Native => {
  const record = {}
  for (const [i, [member, , read]] of chosen.entries()) {
    const text = row[`c${i}`]
    const value = typeof text === "string" ? read(text) : undefined
    if (value !== undefined && value !== null) setPath(record, member, value)
  }
  return record
}

/**
 * Finds in a refusal what the account lacks of the things asked for; nothing where it is about something else. A table that
 * the role may not see is answered like one that is not there.
 */
export const lackOf = (select: Select, { chosen, q }: Written, words: string): ReadonlyArray<string> => {
  const tables = tablesOf(select)
  const main = mainTable(select)
  const needed = (select.joins ?? []).flatMap((join) => (join.isNeeded === true ? [tables.get(join.alias)] : []))
  const [, record] = /Record '(\w+)' was not found/i.exec(words) ?? []
  const table = record?.toLowerCase()
  if (table !== undefined) {
    return table !== main && !needed.includes(table) && [...tables.values()].includes(table) ? [table] : []
  }
  const [, field, of] = /(?:Field|identifier) '(?:\w+\.)?(\w+)'(?: for record '(\w+)')?/i.exec(words) ?? []
  if (field === undefined) return []
  const name = field.toLowerCase()
  const asked = [q, ...chosen.map(([, sql]) => sql)].flatMap(readsOf).filter((one) => one.name === name)
  const among = [...new Set(asked.map(({ alias }) => tables.get(alias) ?? ""))]
  const said = among.filter((one) => one === of?.toLowerCase())
  return (said.length > 0 ? said : among).map((one) => `${one}.${name}`)
}
