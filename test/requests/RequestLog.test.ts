import { assert, describe, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Clock, Effect, TestClock } from "effect"
import type { RequestFilters } from "../../src/requests/LoggedRequest.ts"
import { RequestLog } from "../../src/requests/RequestLog.ts"
import { type Caller, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { signIn } from "../console/Visitor.ts"
import { loggedRequest } from "../support/LoggedRequests.ts"
import { full } from "../support/Full.ts"

const listed = ({ tenancy }: Caller, filters: RequestFilters = {}) =>
  Effect.flatMap(RequestLog, (log) => log.list(tenancy, filters, { take: 100 }))

const callerOf = (providers: ReadonlyArray<string>) =>
  Effect.flatMap(SandboxApplication, ({ caller }) => caller(providers))

describe("the request log", () => {
  layer(sandboxApplication())((it) => {
    it.effect("has what was asked, how it ended and where it led, and nothing that was sent", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const mine = yield* callerOf(["hubspot", "pipedrive"])
        yield* mine.call("GET", "/crm/contact?limit=2&include_remote_data=true")
        yield* mine.call("POST", "/crm/contact?provider=hubspot", {
          body: { last_name: "Secretive" },
          headers: { "x-request-id": "request-of-a-test" }
        })
        yield* mine.call("GET", "/crm/contact/no-such-record?provider=hubspot")
        yield* mine.call("GET", "/crm/no-such-resource/private")
        const requests = yield* listed(mine)
        assert.deepStrictEqual(
          requests.map(({ code, method, providers, resource, route, status }) => [
            method,
            route,
            status,
            code,
            resource,
            providers.toSorted()
          ]),
          [
            ["GET", "unmatched", 404, "RESOURCE_UNKNOWN", null, []],
            ["GET", "/api/v1/crm/contact/:id", 404, "CONTACT_NOT_FOUND", "crm/contact", ["hubspot"]],
            ["POST", "/api/v1/crm/contact", 201, null, "crm/contact", ["hubspot"]],
            ["GET", "/api/v1/crm/contact", 200, null, "crm/contact", ["hubspot", "pipedrive"]]
          ]
        )
        for (const { keyPrefix, milliseconds, requestId, traceId } of requests) {
          assert.match(traceId ?? "", /^[0-9a-f]{32}$/)
          assert.isNotEmpty(requestId)
          assert.isAtLeast(milliseconds, 0)
          assert.match(keyPrefix ?? "", /^sk_test_/)
        }
        assert.strictEqual(requests[2]?.requestId, "request-of-a-test")
        const rows = JSON.stringify(yield* sql`select l::text as row from request_log l`)
        for (const sent of ["Secretive", "no-such-resource", "private", "limit"]) {
          assert.notInclude(rows, sent)
        }
        // whom a request named is kept, to be erased with them
        const named = yield* sql`select distinct end_user from request_log where end_user is not null`
        assert.deepStrictEqual(named, [{ end_user: mine.endUser }])

        const own = yield* signIn(mine.tenancy.key)
        const page = yield* own.read("/console/requests?status=failed&provider=hubspot")
        assert.match(page, /GET \/crm\/contact\/:id .* 404 CONTACT_NOT_FOUND .* HubSpot \d+ ms/)
        assert.notInclude(page, "POST")
        assert.match(yield* own.read("/console"), / Requests 4 in the last hour.* 4xx: 2/)
        // looking is not among them
        assert.lengthOf(yield* listed(mine), 4)
      })
    )

    it.effect("does not have requests of strangers", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { send } = yield* SandboxApplication
        const mine = yield* callerOf([])
        yield* listed(mine)
        const count = sql`select count(*)::int as count from request_log`
        const before = yield* count
        yield* send("GET", "/api/v1/providers", { headers: { authorization: "Bearer wrong" } })
        yield* send("GET", "/connect")
        assert.isEmpty(yield* listed(mine))
        assert.deepStrictEqual(yield* count, before)
      })
    )

    it.effect("is written by itself within a second or so, while no request waits for it", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const mine = yield* callerOf([])
        const written = sql<{ readonly count: number }>`
          select count(*)::int as count from request_log where organisation_id = ${mine.tenancy.organisation}`
        yield* mine.call("GET", "/providers")
        yield* mine.call("GET", "/connections")
        assert.strictEqual((yield* written)[0]?.count, 0)
        let [row] = yield* written
        for (let waits = 0; waits < 100 && row?.count === 0; waits += 1) {
          yield* Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 50)))
          ;[row] = yield* written
        }
        assert.strictEqual(row?.count, 2)
      })
    )

    full(it).effect("keeps 30 days, and deletes what is older in steps", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [few, many] = [yield* callerOf([]), yield* callerOf([])]
        const now = new Date(yield* Clock.currentTimeMillis)
        const fill = ({ tenancy }: Caller, from: number, to: number, apart: string) => sql`
          insert into request_log (organisation_id, environment, api_key_id, at, method, route, status, providers,
            duration_ms, request_id)
          select ${tenancy.organisation}, 'sandbox', ${tenancy.organisation}, ${now}::timestamptz - place * ${apart}::interval,
            'GET', '/api/v1/providers', 200, '{}', 1, place::text
          from generate_series(${from}::int, ${to}::int) as place`
        yield* fill(few, 1, 40, "23 hours 50 minutes")
        yield* fill(many, 2_592_000, 2_598_000, "1 second")
        const kept = ({ tenancy }: Caller) => sql<{ readonly count: number }>`
          select count(*)::int as count from request_log where organisation_id = ${tenancy.organisation}`
        yield* TestClock.adjust("11 minutes")
        for (let waits = 0; waits < 100 && (yield* kept(many))[0]?.count !== 0; waits += 1) {
          yield* Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 50)))
        }
        assert.deepStrictEqual(yield* kept(few), [{ count: 30 }])
        assert.deepStrictEqual(yield* kept(many), [{ count: 0 }])
      })
    )

    it.effect("keeps what the database would refuse as far as it can, and all that waits beside it", () =>
      Effect.gen(function* () {
        const { tenancy } = yield* callerOf([])
        const log = yield* RequestLog
        for (const record of ["a\0b", "half \uD83E", String.raw`\u0000 and \\u0000`, "whole 🦑"]) {
          yield* log.note(tenancy, loggedRequest({ key: tenancy.organisation, record }))
        }
        const kept = yield* log.list(tenancy, {}, { take: 9 })
        assert.deepStrictEqual(
          kept.map(({ record }) => record),
          ["whole 🦑", String.raw`\u0000 and \\u0000`, "half \uFFFD", "a\uFFFDb"]
        )
      })
    )

    it.effect("leaves requests out when too many wait", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { tenancy } = yield* callerOf([])
        const log = yield* RequestLog
        const request = loggedRequest({ key: tenancy.organisation })
        for (let noted = 0; noted < 5200; noted += 1) yield* log.note(tenancy, { ...request, at: request.at + noted })
        yield* log.list(tenancy, {}, { take: 1 })
        const [kept] = yield* sql<{ readonly count: number }>`
          select count(*)::int as count from request_log where organisation_id = ${tenancy.organisation}`
        assert.strictEqual(kept?.count, 5000)
      })
    )
  })
})
