import { assert, describe, layer } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import {
  failureOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"

const providerOf = (data: unknown) =>
  Schema.decodeUnknownSync(Schema.Struct({ provider: Schema.String }))(data).provider

const typesOf = (page: ReturnType<typeof pageOf>) => page.data.map(({ type }) => type)

describe("/events", () => {
  layer(sandboxApplication(), { timeout: "60 seconds" })((it) => {
    it.effect("are read oldest first, page by page, and go on when something happens", () =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const caller = yield* app.caller(["hubspot", "pipedrive", "xero"])
        const get = (query: string) => Effect.map(caller.call("GET", `/events?${query}`), pageOf)
        const first = yield* get("limit=2")
        assert.deepStrictEqual(
          first.data.map(({ data }) => providerOf(data)),
          ["hubspot", "pipedrive"]
        )
        assert.deepInclude(first.pagination, { hasMore: true, limit: 2 })
        const second = yield* get(`limit=2&cursor=${first.pagination.cursor}`)
        assert.lengthOf(second.data, 1)
        assert.isFalse(second.pagination.hasMore)
        const nothing = yield* get(`cursor=${second.pagination.cursor}`)
        assert.deepStrictEqual(nothing.data, [])
        recordOf(yield* caller.call("DELETE", `/connections/${caller.connections["xero"]}`))
        const third = yield* get(`cursor=${nothing.pagination.cursor}`)
        assert.deepStrictEqual(typesOf(third), ["connection.removed"])
        assert.deepInclude(third.data[0]?.["data"], {
          connectionId: caller.connections["xero"],
          provider: "xero",
          endUserId: caller.endUser
        })
        assert.deepStrictEqual(typesOf(yield* get("types=connection.removed,record.created")), ["connection.removed"])
      })
    )

    it.effect("are nobody else's", () =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const caller = yield* app.caller(["hubspot"])
        const { pagination } = pageOf(yield* caller.call("GET", "/events"))
        const stranger = yield* app.caller([])
        const elsewhere = yield* app.caller([], {
          environment: "production",
          tenancy: {
            ...caller.tenancy,
            environment: "production",
            key: (yield* (yield* ApiKeys).create(caller.tenancy.organisation, "production")).key
          }
        })
        for (const other of [stranger, elsewhere]) {
          const seen = pageOf(yield* other.call("GET", "/events"))
          assert.deepStrictEqual([seen.data, seen.pagination.cursor], [[], null])
          assert.deepStrictEqual(refusalOf(yield* other.call("GET", `/events?cursor=${pagination.cursor}`)), [
            400,
            "INVALID_CURSOR"
          ])
        }
      })
    )

    it.effect("refuse what they do not know by name, and keys without the scope", () =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const caller = yield* app.caller(["hubspot"])
        const refused = yield* caller.call("GET", "/events?types=record.made")
        assert.deepStrictEqual(refusalOf(refused), [400, "INVALID_PARAMETER"])
        assert.match(failureOf(refused).message, /^types: must be some of .*record\.created/)
        assert.strictEqual((yield* caller.call("GET", "/events?type=record.created")).status, 400)
        const { pagination } = pageOf(yield* caller.call("GET", "/events"))
        assert.deepStrictEqual(
          refusalOf(yield* caller.call("GET", `/events?types=record.created&cursor=${pagination.cursor}`)),
          [400, "INVALID_CURSOR"]
        )
        const narrow = yield* (yield* ApiKeys).create(caller.tenancy.organisation, "sandbox", {
          scopes: ["records:read", "admin"]
        })
        const other = yield* app.caller([], {
          tenancy: { ...caller.tenancy, key: Redacted.make(Redacted.value(narrow.key)) }
        })
        assert.deepStrictEqual(refusalOf(yield* other.call("GET", "/events")), [403, "FORBIDDEN"])
      })
    )
  })
})
