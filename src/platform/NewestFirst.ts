import type { SqlClient } from "@effect/sql"
import { Schema } from "effect"

/** Where a list of the newest first stands: behind the row of these microseconds since 1970, with this UUID. */
export const Position = Schema.String.pipe(Schema.pattern(/^\d{1,16}\/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/))

/** SQL of a row's position, by its stamp and its id; to the microsecond, which a date would lose. */
export const positionOf = (sql: SqlClient.SqlClient, stamp: string, id: string) =>
  sql.literal(`(extract(epoch from ${stamp}) * 1000000)::bigint || '/' || ${id}`)

/** SQL of the rows behind a position in the order of `stamp desc, id desc`, whether its row is still there or not. */
export const isAfter = (sql: SqlClient.SqlClient, stamp: string, id: string, position: typeof Position.Type) => {
  const [micros = "", uuid = ""] = position.split("/")
  return sql`
    (${sql.literal(stamp)}, ${sql.literal(id)}) <
      (to_timestamp(0) + ${micros}::bigint * interval '1 microsecond', ${uuid}::uuid)`
}
