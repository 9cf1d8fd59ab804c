import { assert, describe, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const services = Layer.mergeAll(Organisations.layer, EndUsers.layer).pipe(Layer.provideMerge(TestDatabase.layer))

describe("Organisations", () => {
  layer(services)((it) => {
    it.effect("are found by id and by name, which nobody else may have", () =>
      Effect.gen(function* () {
        const organisations = yield* Organisations
        const made = yield* organisations.create(" Acme ")
        assert.strictEqual(made.name, "Acme")
        assert.deepStrictEqual(yield* organisations.find("Acme"), made)
        assert.deepStrictEqual(yield* organisations.find(made.id), made)
        assert.strictEqual((yield* Effect.flip(organisations.create("Acme")))._tag, "Conflict")
        assert.strictEqual((yield* Effect.flip(organisations.find("Acm")))._tag, "NotFound")
      })
    )

    it.effect("refuse names that could not be found again", () =>
      Effect.gen(function* () {
        const organisations = yield* Organisations
        for (const name of ["", "  ", "x".repeat(101), "0b0d2f6c-6a55-4a7b-9d6e-5f5f0a3c1f11"]) {
          const error = yield* Effect.flip(organisations.create(name))
          assert.isTrue(error._tag === "Unprocessable" && "name" in error.errors, name)
        }
      })
    )

    it.effect("count what is stored of them alone, and connections as long as they are in use", () =>
      Effect.gen(function* () {
        const organisations = yield* Organisations
        const sql = yield* SqlClient.SqlClient
        const store = Effect.fnUntraced(function* (name: string) {
          const { id } = yield* organisations.create(name)
          const endUser = yield* (yield* EndUsers).ensure(id, "sandbox", "u")
          yield* sql`
            insert into connections (id, organisation_id, environment, end_user_id, provider, status, credentials)
            select gen_random_uuid(), ${id}, 'sandbox', ${endUser.id}, 'acme', status, ''
            from unnest(${["active", "needs_reauth", "revoked"]}::text[]) as given (status)`
          yield* sql`
            insert into api_keys (id, organisation_id, environment, prefix, hash)
            values (gen_random_uuid(), ${id}, 'sandbox', 'sk_test', ${name}::bytea)`
          yield* sql`
            with workspace as (
              insert into workspaces (id, organisation_id, environment, name, toolkit_filter, confirm)
              values (gen_random_uuid(), ${id}, 'sandbox', 'w', '{}', 'never') returning id)
            insert into chat_sessions (organisation_id, environment, session_id, workspace_id, end_user)
            select ${id}, 'sandbox', gen_random_uuid(), id, 'u' from workspace`
          return id
        })
        const id = yield* store("counted")
        yield* store("not counted")
        assert.deepStrictEqual(yield* organisations.counts(id), {
          endUsers: 1,
          connections: 2,
          apiKeys: 1,
          workspaces: 1,
          chats: 1
        })
      })
    )

    it.effect("keep the origins that may embed the widget", () =>
      Effect.gen(function* () {
        const organisations = yield* Organisations
        const { id } = yield* organisations.create("origins")
        const change = (allow: ReadonlyArray<string>, disallow: ReadonlyArray<string> = []) =>
          organisations.changeOrigins(id, { allow, disallow })
        yield* change(["https://b.example.com", "http://localhost:3000"])
        assert.deepStrictEqual((yield* change(["https://b.example.com"])).allowedOrigins, [
          "http://localhost:3000",
          "https://b.example.com"
        ])
        assert.deepStrictEqual((yield* change([], ["http://localhost:3000"])).allowedOrigins, ["https://b.example.com"])
        for (const wrong of ["https://b.example.com/", "b.example.com", "*", "ftp://b.example.com", "null"]) {
          assert.strictEqual((yield* Effect.flip(change([wrong])))._tag, "Unprocessable", wrong)
        }
        assert.deepStrictEqual((yield* organisations.find(id)).allowedOrigins, ["https://b.example.com"])
        const nobodys = organisations.changeOrigins(randomUUID(), { allow: ["https://b.example.com"], disallow: [] })
        assert.strictEqual((yield* Effect.flip(nobodys))._tag, "NotFound")
      })
    )
  })
})

describe("EndUsers", () => {
  layer(services)((it) => {
    it.effect("are made once, and details that are given replace the old ones", () =>
      Effect.gen(function* () {
        const endUsers = yield* EndUsers
        const { id } = yield* (yield* Organisations).create("end users")
        const made = yield* endUsers.ensure(id, "sandbox", "u/1", { displayName: "Ann" })
        const again = yield* endUsers.ensure(id, "sandbox", "u/1", { email: "ann@example.com" })
        assert.deepStrictEqual(again, { ...made, email: "ann@example.com" })
        const renamed = yield* endUsers.ensure(id, "sandbox", "u/1", { displayName: "Anne" })
        assert.deepStrictEqual(renamed, { ...again, displayName: "Anne" })
      })
    )

    it.effect("are others in another organisation or environment", () =>
      Effect.gen(function* () {
        const endUsers = yield* EndUsers
        const organisations = yield* Organisations
        const { id } = yield* organisations.create("owner")
        const other = yield* organisations.create("not owner")
        const made = yield* Effect.all([
          endUsers.ensure(id, "sandbox", "u"),
          endUsers.ensure(id, "production", "u"),
          endUsers.ensure(other.id, "sandbox", "u")
        ])
        assert.strictEqual(new Set(made.map((one) => one.id)).size, 3)
      })
    )
  })
})
