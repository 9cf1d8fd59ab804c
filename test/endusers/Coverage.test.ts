import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PersonalData } from "../../src/tenancy/PersonalData.ts"
import { application } from "./Everything.ts"

/** Columns by which a row is an end user's or a connection's. */
const personal = /end_user|external_id|connection|account/

/** Tables with such a column that hold nothing of end users, and why. */
const exempt: { readonly [table: string]: string } = {
  end_users: "the end users themselves, erased last",
  erasures: "what keeps requests that are under way from storing more, for a day, as a digest"
}

layer(application)("every table that holds something of end users", (it) => {
  it.effect("is taken care of by a holding", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = yield* sql<{ readonly table: string; readonly column: string }>`
        select table_name as table, column_name as column from information_schema.columns where table_schema = 'public'`
      const references = yield* sql<{ readonly table: string; readonly target: string }>`
        select conrelid::regclass::text as table, confrelid::regclass::text as target
        from pg_constraint where contype = 'f'`
      const named = columns.flatMap(({ column, table }) => (personal.test(column) ? [table] : []))
      const found = new Set(["end_users", ...named])
      // and whatever hangs on those
      for (let size = -1; size !== found.size;) {
        size = found.size
        for (const { table, target } of references) if (found.has(target)) found.add(table)
      }
      const covered = new Set((yield* PersonalData).all().flatMap(({ tables }) => tables))
      assert.deepStrictEqual(
        [...found].filter((table) => !covered.has(table) && exempt[table] === undefined),
        []
      )
      assert.deepStrictEqual(
        [...covered].filter((table) => !columns.some((one) => one.table === table)),
        [],
        "holdings name tables that there are not"
      )
    })
  )
})
