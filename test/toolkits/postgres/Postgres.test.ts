import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema } from "effect"
import { Budget } from "../../../src/providers/base/Budget.ts"
import { Credentials } from "../../../src/providers/Credentials.ts"
import { Postgres } from "../../../src/toolkits/postgres/Postgres.ts"
import { PostgresAccess } from "../../../src/toolkits/postgres/PostgresAccess.ts"
import { Toolkits } from "../../../src/toolkits/Toolkits.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"
import { checkTable, type Doc, listIn, tools } from "../../support/Toolbox.ts"
import { harmless, hostile } from "./Statements.ts"

const noCredentials = Layer.succeed(Credentials, {
  current: () => Effect.dieMessage("the sandbox needs no credentials"),
  refresh: () => Effect.dieMessage("the sandbox needs no credentials"),
  refused: () => Effect.void
})

const services = Layer.provideMerge(Layer.mergeAll(Postgres, PostgresAccess.layer), Toolkits.layer).pipe(
  Layer.provide(Layer.mergeAll(noCredentials, Budget.layerMemory, TestDatabase.layer))
)

const { call, misfit, refusal, toolkit, uncalled } = tools("postgres")
const query = (sql: string, more: Doc = {}) => call("postgres_query", { sql, ...more })

const rowsOf = ({ rows }: Doc) => Schema.decodeUnknownSync(Schema.Array(Schema.Array(Schema.Unknown)))(rows)

const inCompany = (sql: string) => sql.replaceAll(/\bt\b/g, "company.customers")

describe("Postgres, in the sandbox", () => {
  layer(services, { timeout: "60 seconds" })((it) => {
    it.effect("shows what is in the database", () =>
      Effect.gen(function* () {
        assert.deepInclude(listIn(yield* call("postgres_list_schemas"), "schemas")[0], { name: "company", tables: 6 })
        const all = yield* call("postgres_list_schemas", { system: true })
        assert.isTrue(listIn(all, "schemas").some(({ name }) => name === "pg_catalog"))

        const first = yield* call("postgres_list_tables", { limit: 4 })
        const rest = yield* call("postgres_list_tables", { limit: 4, cursor: first["next_cursor"] })
        assert.deepStrictEqual(
          [...listIn(first, "tables"), ...listIn(rest, "tables")].map(({ name }) => name),
          ["customers", "order_lines", "orders", "products", "revenue_by_month", "tickets"]
        )
        assert.isNull(rest["next_cursor"])
        const found = yield* call("postgres_list_tables", { schema: "company", search: "ORDER" })
        assert.lengthOf(listIn(found, "tables"), 2)
        assert.deepInclude(listIn(found, "tables")[1], { kind: "table", estimated_rows: "600" })
      })
    )

    it.effect("describes a table", () =>
      Effect.gen(function* () {
        const about = yield* call("postgres_describe_table", { schema: "company", table: "orders" })
        assert.deepStrictEqual(
          listIn(about, "columns").map(({ name, type }) => `${String(name)} ${String(type)}`),
          ["id bigint", "customer_id integer", "status text", "ordered_on date"]
        )
        assert.deepStrictEqual(listIn(about, "constraints")[0], { name: "orders_pkey", definition: "PRIMARY KEY (id)" })
        assert.match(JSON.stringify(about["constraints"]), /FOREIGN KEY \(customer_id\) REFERENCES company.customers/)
        assert.match(JSON.stringify(about["referenced_by"]), /order_lines/)
        assert.lengthOf(JSON.stringify(about["indexes"]).match(/CREATE/g) ?? [], 2)

        const error = yield* refusal("postgres_describe_table", { table: "nobody" })
        assert.strictEqual(error.reason._tag, "Missing")
        assert.include(error.detail, "nobody")
      })
    )

    it.effect("answers rows as JSON holds them", () =>
      Effect.gen(function* () {
        const answer = yield* query("select id, sku, price, features, icon from company.products order by id", {
          limit: 2
        })
        assert.deepStrictEqual(answer, {
          columns: [
            { name: "id", type: "integer" },
            { name: "sku", type: "text" },
            { name: "price", type: "numeric" },
            { name: "features", type: "jsonb" },
            { name: "icon", type: "bytea" }
          ],
          rows: [
            [1, "LK-START", "19.00", { sso: false, seats: 3 }, { bytes: 160 }],
            [2, "LK-TEAM", "79.00", { sso: false, seats: 20 }, { bytes: 208 }]
          ],
          row_count: 2,
          more: true
        })
        const { rows } = yield* query(
          "select id, true, null, 'NaN'::float8, 0.5::float4 from company.orders order by id",
          {
            limit: 1
          }
        )
        assert.deepStrictEqual(rows, [["9007199254740993", true, null, "NaN", 0.5]])
        assert.deepInclude(yield* query("select 1 where false"), { rows: [], row_count: 0, more: false })
      })
    )

    it.effect("answers no more than fits", () =>
      Effect.gen(function* () {
        const long = yield* query("select repeat('é', 5000)")
        assert.match(String(rowsOf(long)[0]?.[0]), /^é{2048}… \(5000 characters\)$/)
        const many = yield* query("select repeat('x', 1500) from generate_series(1, 1000)", { limit: 100 })
        assert.isBelow(JSON.stringify(many).length, 40_000)
        assert.isAbove(rowsOf(many).length, 10)
        assert.isTrue(many["more"])
        const { rows } = yield* query(
          `select '{"n": 9007199254740993}'::jsonb, json_agg(n) from generate_series(1, 3) n`
        )
        assert.deepStrictEqual(rows, [['{"n": 9007199254740993}', [1, 2, 3]]])
        const huge = yield* refusal("postgres_query", { sql: "select repeat('x', 60000000)" })
        assert.include(JSON.stringify(huge), "more than 8 MB")
      })
    )

    it.effect("explains without running", () =>
      Effect.gen(function* () {
        const { plan } = yield* call("postgres_explain", {
          sql: "select * from company.orders where customer_id = 7"
        })
        assert.include(JSON.stringify(plan), '"Relation Name":"orders"')
        const wide = yield* call("postgres_explain", {
          sql: "select month, segment from company.revenue_by_month, company.customers join company.tickets t on t.customer_id = customers.id"
        })
        assert.isAbove(JSON.stringify(wide).length, 2048)
        for (const sql of ["analyze delete from company.orders", "select 1; drop table company.orders", "vacuum"]) {
          assert.strictEqual((yield* refusal("postgres_explain", { sql })).reason._tag, "Invalid", sql)
        }
      })
    )

    for (const sql of hostile) {
      it.effect(`refuses: ${sql}`, () =>
        Effect.gen(function* () {
          const error = yield* refusal("postgres_query", { sql: inCompany(sql) })
          assert.include(["Invalid", "NotPermitted"], error.reason._tag)
          assert.deepStrictEqual((yield* query("select count(*)::int from company.customers"))["rows"], [[80]])
        })
      )
    }

    for (const sql of harmless) {
      it.effect(`answers: ${sql}`, () =>
        Effect.map(query(inCompany(sql)), (answer) => assert.isNotEmpty(rowsOf(answer)))
      )
    }

    it.effect("lets nobody become more than a reader", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          (yield* query("select current_user, current_setting('transaction_read_only')"))["rows"],
          [["analyst", "on"]]
        )
        for (const sql of [
          "select set_config('role', 'postgres', false)",
          "select query_to_xml($$select set_config('role', 'postgres', false)$$, true, true, '')",
          "select query_to_xml('reset role', true, true, '')",
          "select pg_read_file('PG_VERSION')",
          "select lo_create(0)",
          "select rolpassword from pg_authid"
        ]) {
          assert.include(["Invalid", "NotPermitted"], (yield* refusal("postgres_query", { sql })).reason._tag, sql)
        }
        const { detail } = yield* refusal("postgres_execute", { sql: "delete from company.tickets" })
        assert.include(detail, "for reading only")
      })
    )

    it.effect("names arguments that do not fit", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* misfit("postgres_query", { sql: "", limit: 101, rows: 1 }), {
          sql: "must not be empty",
          limit: "must be a whole number from 1 to 100",
          rows: "is not known here"
        })
      })
    )

    it.effect("keeps no connection string but the sandbox's own", () =>
      Effect.gen(function* () {
        const { check } = yield* PostgresAccess
        assert.strictEqual((yield* check(Redacted.make("sandbox"), "sandbox")).id, "sandbox")
        const error = yield* Effect.flip(check(Redacted.make("postgresql://a:b@db.example.com/c"), "sandbox"))
        assert.include(error.detail, "no database but its own")
        for (const host of ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0x7f.1"]) {
          const refused = yield* Effect.flip(check(Redacted.make(`postgresql://a:hush@${host}:5432/c`), "production"))
          assert.strictEqual(refused.reason._tag, "NotPermitted")
          assert.notInclude(JSON.stringify(refused), "hush")
        }
      })
    )

    it.effect("has a table that keeps to the rules, and every tool that reads was called", () =>
      Effect.gen(function* () {
        checkTable(yield* toolkit)
        assert.deepStrictEqual(yield* uncalled, ["postgres_execute"])
      })
    )
  })
})
