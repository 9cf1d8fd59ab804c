import { type Context, Effect, Schema } from "effect"
import { Missing, ProviderError } from "../../providers/ProviderError.ts"
import { filled } from "../Answers.ts"
import { flag, limit, optional, otherwise, text } from "../Fields.ts"
import { type ConnectionTool, hints, type JsonObject, tool } from "../Tool.ts"
import type { PostgresAccess } from "./PostgresAccess.ts"
import type { Rows } from "./Session.ts"

// Tools that describe a database: https://www.postgresql.org/docs/current/catalogs.html

/** Rows as objects by the names of their columns, without nulls. */
const objects = ({ fields, rows }: Rows): ReadonlyArray<JsonObject> =>
  rows.map((row) => filled(Object.fromEntries(fields.map(({ name }, at) => [name, row[at]]))))

const schemas = `select n.nspname::text as name, pg_catalog.obj_description(n.oid, 'pg_namespace') as comment,
    (select count(*)::int from pg_catalog.pg_class c
     where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v', 'm', 'f')
       and pg_catalog.has_any_column_privilege(c.oid, 'select')) as tables
  from pg_catalog.pg_namespace n
  where pg_catalog.has_schema_privilege(n.oid, 'usage')
    and ($1 or (n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'))
  order by n.nspname limit 500`

const kinds = `case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table'
  when 'p' then 'partitioned table' else 'table' end`

/** Tables that the role may read: of one schema ($1), or of all but the system's; named like $2; after `schema.name` $3. */
const tables = `select n.nspname::text as schema, c.relname::text as name, ${kinds} as kind,
    case when c.reltuples >= 0 and c.relkind <> 'v' then c.reltuples::bigint end as estimated_rows,
    pg_catalog.obj_description(c.oid, 'pg_class') as comment
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') and not c.relispartition
    and pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_any_column_privilege(c.oid, 'select')
    and case when $1::text is null then n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_(toast|temp)'
             else n.nspname = $1 end
    and ($2::text is null or pg_catalog.strpos(pg_catalog.lower(c.relname), pg_catalog.lower($2)) > 0)
    and ($3::text is null or (n.nspname || '.' || c.relname) collate "C" > $3)
  order by (n.nspname || '.' || c.relname) collate "C" limit $4`

const table = `select c.oid::text as oid, ${kinds} as kind,
    case when c.reltuples >= 0 and c.relkind <> 'v' then c.reltuples::bigint end as estimated_rows,
    pg_catalog.obj_description(c.oid, 'pg_class') as comment
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relname = $2 and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and pg_catalog.has_schema_privilege(n.oid, 'usage') and pg_catalog.has_any_column_privilege(c.oid, 'select')`

const columns = `select a.attname::text as name, pg_catalog.format_type(a.atttypid, a.atttypmod) as type,
    not a.attnotnull as nullable, pg_catalog.left(pg_catalog.pg_get_expr(d.adbin, d.adrelid), 300) as default,
    case when a.attidentity <> '' then true end as identity, case when a.attgenerated <> '' then true end as generated,
    pg_catalog.col_description(a.attrelid, a.attnum) as comment
  from pg_catalog.pg_attribute a left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped
    and pg_catalog.has_column_privilege(a.attrelid, a.attnum, 'select')
  order by a.attnum limit 400`

const constraints = `select conname::text as name, pg_catalog.pg_get_constraintdef(oid) as definition
  from pg_catalog.pg_constraint where conrelid = $1::oid and contype in ('p', 'u', 'f', 'c')
  order by pg_catalog.strpos('pufc', contype::text), conname limit 100`

const referencing = `select r.conrelid::regclass::text as table, pg_catalog.pg_get_constraintdef(r.oid) as definition
  from pg_catalog.pg_constraint r where r.confrelid = $1::oid and r.contype = 'f' order by 1 limit 100`

const indexes = `select pg_catalog.pg_get_indexdef(indexrelid) as definition
  from pg_catalog.pg_index where indrelid = $1::oid order by 1 limit 100`

const name = (what: string) => text(`Name of the ${what}, as it is written in the database, without quotes.`, 63)

export const catalogueTools = ({ read }: Context.Tag.Service<typeof PostgresAccess>): ReadonlyArray<ConnectionTool> => [
  tool({
    name: "postgres_list_schemas",
    title: "List schemas",
    description:
      "Lists the schemas of the database that the connection may use, each with how many tables and views can be read in it. Start here when you do not know the database.",
    keywords: ["namespaces", "explore database", "what is in the database", "sql"],
    hints: hints.read,
    input: Schema.Struct({
      system: otherwise(flag("Whether PostgreSQL's own schemas are listed too; false when left out."), false)
    }),
    run: (connection, { system }) =>
      read(connection, "schemas.list", ({ run }) =>
        Effect.map(run(schemas, [system]), (found) => ({ schemas: objects(found) }))
      )
  }),
  tool({
    name: "postgres_list_tables",
    title: "List tables",
    description:
      "Lists tables and views that can be read, with their kind, comment and an estimate of their rows, in order of schema and name. For columns and keys use postgres_describe_table.",
    keywords: ["find table", "relations", "views", "data model", "sql"],
    hints: hints.read,
    input: Schema.Struct({
      schema: optional(name("schema; all but the system's own when left out")),
      search: optional(text("Only tables with this in their name, in upper or lower case.", 63)),
      limit,
      cursor: optional(text("Where to go on: `next_cursor` of the answer before.", 200))
    }),
    run: (connection, { cursor, limit, schema, search }) =>
      read(connection, "tables.list", ({ run }) =>
        Effect.map(run(tables, [schema ?? null, search ?? null, cursor ?? null, limit + 1]), (found) => {
          const all = objects(found)
          const last = all.length > limit ? all[limit - 1] : undefined
          return {
            tables: all.slice(0, limit),
            next_cursor: last === undefined ? null : `${String(last["schema"])}.${String(last["name"])}`
          }
        })
      )
  }),
  tool({
    name: "postgres_describe_table",
    title: "Describe a table",
    description:
      "Describes a table or view: columns with type, default and comment; primary, unique and foreign keys and checks; tables that refer to it; indexes. Use it before writing SQL about the table.",
    keywords: ["columns", "fields", "schema of table", "foreign keys", "indexes", "structure"],
    hints: hints.read,
    input: Schema.Struct({ schema: otherwise(name("schema; `public` when left out"), "public"), table: name("table") }),
    run: (connection, { schema, table: relation }) =>
      read(connection, "tables.describe", ({ run }) =>
        Effect.gen(function* () {
          const [found] = objects(yield* run(table, [schema, relation]))
          if (found === undefined) {
            return yield* new ProviderError({
              provider: "postgres",
              operation: "tables.describe",
              reason: new Missing(),
              detail: `there is no table "${schema}"."${relation}" that this connection may read`
            })
          }
          const { oid, ...about } = found
          const of = (query: string) => Effect.map(run(query, [oid]), objects)
          return {
            schema,
            table: relation,
            ...about,
            ...filled({
              columns: yield* of(columns),
              constraints: yield* of(constraints),
              referenced_by: yield* of(referencing),
              indexes: (yield* of(indexes)).map(({ definition }) => definition)
            })
          }
        })
      )
  })
]
