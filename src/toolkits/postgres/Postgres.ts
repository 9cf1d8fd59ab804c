import { Effect, Layer } from "effect"
import { toolkit } from "../Toolkits.ts"
import { catalogueTools } from "./CatalogueTools.ts"
import { PostgresAccess } from "./PostgresAccess.ts"
import { statementTools } from "./StatementTools.ts"

/**
 * PostgreSQL, over its own protocol. Every call is a connection of its own, in a transaction that cannot write unless the
 * end user allowed it.
 */
export const Postgres = toolkit(
  Effect.map(PostgresAccess, (access) => ({
    slug: "postgres",
    name: "PostgreSQL",
    description:
      "Explore and query a PostgreSQL database: schemas, tables and views, columns and keys, SQL queries and their plans.",
    authorization: {
      kind: "connectionString",
      help: "It looks like postgresql://user:password@host:5432/database, with ?sslmode=require where the server's certificate is not a public one. Use a role that may only read, such as a member of pg_read_all_data; superusers are refused.",
      fields: [
        {
          name: "allowWrites",
          label: "What agents may do",
          help: "Reading only, unless you say otherwise.",
          options: [
            { value: "false", label: "Read" },
            { value: "true", label: "Read and write" }
          ],
          optional: true
        }
      ],
      values: { allowWrites: { pattern: /^(true|false)$/, expected: "must be true or false" } },
      check: access.check
    },
    tools: [...catalogueTools(access), ...statementTools(access)]
  }))
).pipe(Layer.provide(PostgresAccess.layer))
