import { assert, describe, layer } from "@effect/vitest"
import { HttpClient, HttpClientError, HttpClientResponse } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import {
  Clock,
  ConfigProvider,
  Context,
  Deferred,
  Duration,
  Effect,
  Either,
  Fiber,
  Layer,
  Redacted,
  type Scope,
  TestClock,
  TestServices
} from "effect"
import { Connections, associatedDataOf } from "../../src/connections/Connections.ts"
import { Integrations } from "../../src/connections/Integrations.ts"
import type { StoredCredentials } from "../../src/connections/StoredCredentials.ts"
import * as TokenRefresh from "../../src/connections/TokenRefresh.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import type { Authorization } from "../../src/providers/base/Authorization.ts"
import { bearer } from "../../src/providers/base/Authorization.ts"
import { Credentials } from "../../src/providers/Credentials.ts"
import { Busy } from "../../src/providers/ProviderError.ts"
import { provider, Providers } from "../../src/providers/Providers.ts"
import { Transport } from "../../src/providers/Transport.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import { Toolkits } from "../../src/toolkits/Toolkits.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { full } from "../support/Full.ts"

const base = Layer.mergeAll(EndUsers.layer, Organisations.layer).pipe(
  Layer.provideMerge(Encryption.layerTest),
  Layer.provideMerge(TestDatabase.layer)
)

const oauth: Authorization = {
  kind: "oauth2",
  authorizeUrl: "https://provider.example/authorize",
  tokenUrl: "https://provider.example/token",
  revokeUrl: "https://provider.example/revoke",
  scopes: [],
  clientAuthentication: "basic",
  tokenBody: "form",
  pkce: false,
  keep: { instance_url: "instanceUrl" },
  tokenRefusals: {
    answers: [
      { code: "BAD_REFRESH_TOKEN", means: "person" },
      { code: "invalid_grant", says: "token is revoked", means: "person" },
      { code: "invalid_grant", says: "token request is already being processed", means: "retry" },
      { code: "Access Denied", says: "too many requests", means: "wait" }
    ],
    source: "https://provider.example/errors"
  },
  apply: bearer
}

const adapter = (slug: string, authorization: Authorization) =>
  provider(Effect.succeed({ slug, name: slug, category: "crm", authorization, resources: {}, lookups: {} }))

const config = new Map([
  ["PROVIDER_ACME_CLIENT_ID", "client"],
  ["PROVIDER_ACME_CLIENT_SECRET", "client-secret"],
  ["PROVIDER_ROTATING_CLIENT_ID", "client"],
  ["PROVIDER_ROTATING_CLIENT_SECRET", "client-secret"]
])

/** A token request as the endpoint got it. */
interface Asked {
  readonly authorization: string | undefined
  readonly form: { readonly [name: string]: string }
}

type Answer =
  | { readonly status: number; readonly body: unknown; readonly headers?: { readonly [name: string]: string } }
  | "hangs"
  | "refuses connections"

const tokens = (n: number, more: object = {}) => ({
  status: 200,
  body: { access_token: `at${n}`, refresh_token: `rt${n}`, expires_in: 1800, ...more }
})

/** A token endpoint: what it was asked, and what it answers by the number of the call. */
const endpoint = (answer: (call: number) => Effect.Effect<Answer> | Answer) => {
  const asked: Array<Asked> = []
  const client = HttpClient.make((request) =>
    Effect.gen(function* () {
      const form = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      asked.push({
        authorization: request.headers["authorization"],
        form: Object.fromEntries(new URLSearchParams(form))
      })
      const given = answer(asked.length)
      const reply = Effect.isEffect(given) ? yield* given : given
      if (reply === "hangs") return yield* Effect.never
      if (reply === "refuses connections")
        return yield* new HttpClientError.RequestError({ request, reason: "Transport" })
      const text = typeof reply.body === "string" ? reply.body : JSON.stringify(reply.body)
      return HttpClientResponse.fromWeb(
        request,
        new Response(text, { status: reply.status, ...(reply.headers === undefined ? {} : { headers: reply.headers }) })
      )
    })
  )
  return { asked, client }
}

/** One process's services, on the suite's database. */
const process = (client: HttpClient.HttpClient) =>
  Effect.gen(function* () {
    const database = yield* Effect.context<SqlClient.SqlClient | Encryption>()
    const built = yield* Layer.build(
      Layer.mergeAll(
        TokenRefresh.layer,
        adapter("acme", oauth),
        adapter("rotating", {
          ...oauth,
          rotation: { onReuse: "revokes", source: "https://provider.example/rotation" }
        }),
        adapter("keyed", { kind: "key", help: "", apply: bearer })
      ).pipe(
        Layer.provideMerge(Integrations.layer),
        Layer.provideMerge(Layer.mergeAll(Connections.layer, Providers.layer, Toolkits.layer, Transport.layer)),
        Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
        Layer.provide(Layer.succeedContext(database))
      )
    )
    return { connections: Context.get(built, Connections), credentials: Context.get(built, Credentials) }
  })

const configured = Effect.withConfigProvider(ConfigProvider.fromMap(config))

/** A connection with a token that expired an hour ago, by the test's clock, unless told otherwise. */
const connected = (given: Partial<StoredCredentials> & { readonly provider?: string } = {}) =>
  Effect.gen(function* () {
    const { connections } = yield* process(HttpClient.make(() => Effect.dieMessage("not needed")))
    const { id: organisation } = yield* (yield* Organisations).create(crypto.randomUUID().replaceAll("-", ""))
    const endUser = yield* (yield* EndUsers).ensure(organisation, "production", "u1")
    const { provider = "acme", ...credentials } = given
    return yield* connections
      .create({
        organisation,
        environment: "production",
        endUser: endUser.id,
        provider,
        credentials: {
          kind: "accessToken",
          secret: Redacted.make("at0"),
          refreshToken: Redacted.make("rt0"),
          expiresAt: -3_600_000,
          values: { realmId: "9130" },
          ...credentials
        }
      })
      .pipe(Effect.map((connection) => ({ ...connection, organisation })))
  })

const secretOf = Effect.map((held: { readonly secret: Redacted.Redacted }) => Redacted.value(held.secret))

const statusOf = (connection: Effect.Effect.Success<ReturnType<typeof connected>>) =>
  Effect.gen(function* () {
    const { connections } = yield* process(HttpClient.make(() => Effect.dieMessage("not needed")))
    const found = yield* connections.get(connection, connection.id)
    return { status: found.status, reason: found.statusReason }
  })

/** The decrypted row of a connection. */
const storedOf = (connection: { readonly id: string }) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ credentials: string; version: number; lease_id: string | null }>`
      select credentials, version, lease_id from connections where id = ${connection.id}`
    const opened = yield* (yield* Encryption).decrypt(row?.credentials ?? "", associatedDataOf(connection.id))
    return { version: row?.version, lease: row?.lease_id, ...JSON.parse(Redacted.value(opened)) }
  })

/** Runs on the real clock: processes that wait for each other look at the database every 100 ms. */
const onRealClock = TestServices.provideLive

const run = <A, E, R>(test: Effect.Effect<A, E, R | Scope.Scope>) => configured(Effect.scoped(test))

describe("TokenRefresh", () => {
  layer(base)((it) => {
    it.effect("fifty callers on an expired token make one token call", () =>
      run(
        Effect.gen(function* () {
          const called = yield* Deferred.make<void>()
          const gate = yield* Deferred.make<void>()
          const { asked, client } = endpoint((n) =>
            Deferred.succeed(called, undefined).pipe(Effect.zipRight(Deferred.await(gate)), Effect.as(tokens(n)))
          )
          const { credentials } = yield* process(client)
          const connection = yield* connected()
          const callers = yield* Effect.fork(
            Effect.all(
              Array.from({ length: 50 }, () => secretOf(credentials.current(connection))),
              { concurrency: "unbounded" }
            )
          )
          yield* Deferred.await(called)
          yield* Deferred.succeed(gate, undefined)
          assert.deepStrictEqual(new Set(yield* Fiber.join(callers)), new Set(["at1"]))
          assert.strictEqual(yield* secretOf(credentials.current(connection)), "at1")
          assert.deepStrictEqual(asked, [
            {
              authorization: `Basic ${btoa("client:client-secret")}`,
              form: { grant_type: "refresh_token", refresh_token: "rt0" }
            }
          ])
          assert.deepInclude(yield* storedOf(connection), {
            version: 2,
            lease: null,
            accessToken: "at1",
            refreshToken: "rt1",
            expiresAt: new Date(1_800_000).toISOString(),
            realmId: "9130"
          })
        })
      )
    )

    for (const [name, answer, reason] of [
      ["fails", { status: 500, body: "" }, "Down"],
      ["does not answer", "hangs", "Busy"]
    ] as const) {
      it.effect(`fifty callers on a token endpoint that ${name} make one token call`, () =>
        run(
          Effect.gen(function* () {
            const called = yield* Deferred.make<void>()
            const { asked, client } = endpoint(() => Effect.as(Deferred.succeed(called, undefined), answer))
            const { credentials } = yield* process(client)
            const connection = yield* connected()
            const callers = yield* Effect.fork(
              Effect.all(
                Array.from({ length: 50 }, () => Effect.flip(credentials.current(connection))),
                { concurrency: "unbounded" }
              )
            )
            yield* Deferred.await(called)
            yield* until(callers)
            const reasons = (yield* Fiber.join(callers)).map((error) => error.reason._tag)
            assert.deepStrictEqual(new Set(reasons), new Set([reason]))
            assert.strictEqual(asked.length, 1)
            assert.strictEqual((yield* statusOf(connection)).status, "active")
            yield* TestClock.adjust("1 minute")
          })
        )
      )
    }

    it.effect("so do two processes", () =>
      onRealClock(
        run(
          Effect.gen(function* () {
            const { asked, client } = endpoint((n) => Effect.as(Effect.sleep("250 millis"), tokens(n)))
            const [first, second] = yield* Effect.all([process(client), process(client)])
            const connection = yield* connected()
            const calls = Array.from({ length: 50 }, (_, i) =>
              secretOf((i % 2 === 0 ? first : second).credentials.current(connection))
            )
            const got = yield* Effect.all(calls, { concurrency: "unbounded" })
            assert.deepStrictEqual(new Set(got), new Set(["at1"]))
            assert.strictEqual(asked.length, 1)
          })
        )
      )
    )

    it.effect("a rotated refresh token replaces the old one, which stays when none is sent", () =>
      run(
        Effect.gen(function* () {
          const { asked, client } = endpoint((n) =>
            n === 2 ? { status: 200, body: { access_token: "at2", instance_url: "https://eu" } } : tokens(n)
          )
          const { credentials } = yield* process(client)
          const connection = yield* connected()
          const first = yield* credentials.current(connection)
          const second = yield* credentials.refresh(connection, first)
          assert.deepStrictEqual(second.values, { realmId: "9130", instanceUrl: "https://eu" })
          yield* credentials.refresh(connection, second)
          assert.deepStrictEqual(
            asked.map(({ form }) => form["refresh_token"]),
            ["rt0", "rt1", "rt1"]
          )
          assert.deepInclude(yield* storedOf(connection), { accessToken: "at3", refreshToken: "rt3", version: 4 })
        })
      )
    )

    it.effect("a rotated token is stored although the database fails for a moment", () =>
      onRealClock(
        run(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const { asked, client } = endpoint((n) => tokens(n))
            const { credentials } = yield* process(client)
            const connection = yield* connected()
            // a sequence counts on where a statement is undone
            yield* sql`create sequence stores`
            yield* sql`
            create function fail_at_first() returns trigger language plpgsql as $$
            begin
              if nextval('stores') < 3 then raise exception 'gone for a moment' using errcode = '57P01'; end if;
              return new;
            end $$`
            yield* sql`
            create trigger stores before update of credentials on connections
            for each row execute function fail_at_first()`
            const renewed = yield* Effect.ensuring(
              credentials.current(connection),
              Effect.orDie(sql`drop function fail_at_first cascade`)
            )
            assert.strictEqual(Redacted.value(renewed.secret), "at1")
            assert.deepInclude(yield* storedOf(connection), { accessToken: "at1", refreshToken: "rt1", version: 2 })
            assert.lengthOf(asked, 1)
          })
        )
      )
    )

    it.effect("whoever asks for a version that was replaced gets the new one without a token call", () =>
      run(
        Effect.gen(function* () {
          const { asked, client } = endpoint((n) => tokens(n))
          const [first, second] = yield* Effect.all([process(client), process(client)])
          const connection = yield* connected({ expiresAt: undefined })
          const held = yield* first.credentials.current(connection)
          yield* second.credentials.current(connection)
          assert.strictEqual(yield* secretOf(first.credentials.refresh(connection, held)), "at1")
          assert.strictEqual(yield* secretOf(second.credentials.refresh(connection, held)), "at1")
          assert.strictEqual(asked.length, 1)
        })
      )
    )

    for (const [code, body] of [
      ["invalid_grant", { error: "invalid_grant", error_description: "Token is revoked: rt0, hushed" }],
      ["BAD_REFRESH_TOKEN", { status: "BAD_REFRESH_TOKEN" }],
      ["BAD_REFRESH_TOKEN", { status: "BAD_REFRESH_TOKEN", error: "invalid_request" }]
    ] as const) {
      it.effect(`a refusal (${Object.values(body).join(", ")}) asks the end user to connect again, once`, () =>
        run(
          Effect.gen(function* () {
            const { asked, client } = endpoint(() => ({ status: 400, body }))
            const { credentials } = yield* process(client)
            const connection = yield* connected()
            for (const call of [credentials.current(connection), credentials.current(connection)]) {
              const error = yield* Effect.flip(call)
              assert.strictEqual(error.reason._tag, "Unauthenticated")
              assert.notInclude(error.message, "hushed")
            }
            assert.strictEqual(asked.length, 1)
            assert.deepStrictEqual(yield* statusOf(connection), {
              status: "needs_reauth",
              reason: `acme refuses to renew the access (${code}).`
            })
          })
        )
      )
    }

    const passing: ReadonlyArray<readonly [name: string, answer: Answer, reason: string]> = [
      ["an error of its own", { status: 500, body: { error: "server_error" } }, "Down"],
      ["too many requests", { status: 429, body: {} }, "LimitReached"],
      ["a proxy's page", { status: 200, body: "<html>" }, "Malformed"],
      ["no connection", "refuses connections", "Down"],
      ["our client refused", { status: 401, body: { error: "invalid_client" } }, "Down"],
      ["an unknown 400", { status: 400, body: { error: "something_new" } }, "Down"],
      ["a refusal in unknown words", { status: 400, body: { error: "invalid_grant" } }, "Down"],
      [
        "a limit with status 200",
        { status: 200, body: { error: "Access Denied", error_description: "You have made too many requests." } },
        "LimitReached"
      ]
    ]
    for (const [name, answer, reason] of passing) {
      it.effect(
        `the connection stays active after ${name}, which is remembered for a while, and is asked again then`,
        () =>
          run(
            Effect.gen(function* () {
              const { asked, client } = endpoint((n) => (n === 1 ? answer : tokens(n)))
              const { credentials } = yield* process(client)
              const connection = yield* connected()
              const error = yield* Effect.flip(credentials.current(connection))
              assert.strictEqual(error.reason._tag, reason)
              assert.strictEqual((yield* statusOf(connection)).status, "active")
              const seconds =
                name.includes("unknown") || name.includes("status 200") ? 60 : reason === "LimitReached" ? 10 : 1
              yield* TestClock.adjust(Duration.millis(seconds * 1000 - 1))
              assert.strictEqual((yield* Effect.flip(credentials.current(connection))).reason._tag, reason)
              assert.strictEqual(asked.length, 1)
              yield* TestClock.adjust("1 millis")
              assert.strictEqual(yield* secretOf(credentials.current(connection)), "at2")
              assert.strictEqual(asked[1]?.form["refresh_token"], "rt0")
            })
          )
      )
    }

    for (const [status, said, seconds] of [
      [429, "60", 60],
      [429, "1e12", 900],
      [429, "Fri, 01 Jan 2099 00:00:00 GMT", 900],
      [429, "-5", 10],
      [429, "soon", 10],
      [503, "60", 60],
      [503, "86400", 900],
      [503, "-5", 1]
    ] as const) {
      it.effect(
        `a token endpoint that answers ${status} with Retry-After: ${said} is asked again after ${seconds} s`,
        () =>
          run(
            Effect.gen(function* () {
              const { asked, client } = endpoint((n) =>
                n === 1 ? { status, body: {}, headers: { "retry-after": said } } : tokens(n)
              )
              const { credentials } = yield* process(client)
              const connection = yield* connected()
              yield* Effect.flip(credentials.current(connection))
              yield* TestClock.adjust(Duration.millis(seconds * 1000 - 1))
              const { reason } = yield* Effect.flip(credentials.current(connection))
              assert.deepStrictEqual([reason._tag, asked.length], [status === 429 ? "LimitReached" : "Down", 1])
              if (reason._tag === "LimitReached") assert.isAtMost(reason.retryAfter, 0.001)
              yield* TestClock.adjust("1 millis")
              assert.strictEqual(yield* secretOf(credentials.current(connection)), "at2")
            })
          )
      )
    }

    it.effect("callers of all processes share a failure, and what was refused elsewhere is asked again after it", () =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { asked, client } = endpoint((n) => (n === 1 ? { status: 500, body: "" } : tokens(n)))
          const [first, second] = yield* Effect.all([process(client), process(client)])
          const connection = yield* connected()
          const failed = yield* Effect.flip(first.credentials.current(connection))
          assert.strictEqual(yield* Effect.flip(first.credentials.current(connection)), failed)
          const { reason } = yield* Effect.flip(second.credentials.current(connection))
          assert.isTrue(reason._tag === "Busy" && reason.retryAfter > 0 && reason.retryAfter <= 1, String(reason))
          assert.strictEqual(asked.length, 1)
          yield* sql`update connections set lease_until = now() where id = ${connection.id}`
          assert.strictEqual(yield* secretOf(second.credentials.current(connection)), "at2")
        })
      )
    )

    it.effect("a refresher that dies holds up others for as long as a token endpoint may take", () =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const called = yield* Deferred.make<void>()
          const { client } = endpoint(() => Effect.as(Deferred.succeed(called, undefined), "hangs"))
          const { credentials } = yield* process(client)
          const connection = yield* connected()
          const caller = yield* Effect.fork(Effect.flip(credentials.current(connection)))
          yield* Deferred.await(called)
          const [lease] = yield* sql<{ left: number }>`
            select extract(epoch from lease_until - now())::float8 as left from connections where id = ${connection.id}`
          assert.isTrue(lease !== undefined && lease.left > 9 && lease.left <= 12, String(lease?.left))
          yield* until(caller)
          yield* TestClock.adjust("1 minute")
        })
      )
    )

    full(it).effect("who waits for another process's refresh is told to come again when it takes too long", () =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { asked, client } = endpoint((n) => tokens(n))
          const { credentials } = yield* process(client)
          const connection = yield* connected()
          yield* sql`
            update connections set lease_id = gen_random_uuid(), lease_until = now() + interval '1 hour'
            where id = ${connection.id}`
          const caller = yield* Effect.fork(Effect.flip(credentials.current(connection)))
          yield* until(caller)
          const { reason } = yield* Fiber.join(caller)
          assert.deepStrictEqual(reason, new Busy({ retryAfter: 5, why: "its access token is still being renewed" }))
          assert.strictEqual(asked.length, 0)
          yield* sql`update connections set lease_until = now() - interval '1 second' where id = ${connection.id}`
          yield* eventually(credentials.current(connection))
        })
      )
    )

    it.effect("tokens that arrive after another process was refused with the old ones are the good ones", () =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const called = yield* Deferred.make<void>()
          const gate = yield* Deferred.make<void>()
          const slow = endpoint((n) =>
            Deferred.succeed(called, undefined).pipe(Effect.zipRight(Deferred.await(gate)), Effect.as(tokens(n)))
          )
          const refusing = endpoint(() => ({ status: 400, body: { error: "invalid_grant" } }))
          const [first, second] = yield* Effect.all([process(slow.client), process(refusing.client)])
          const connection = yield* connected()
          const waiting = yield* Effect.fork(secretOf(first.credentials.current(connection)))
          yield* Deferred.await(called)
          yield* sql`update connections set lease_until = now() - interval '1 second' where id = ${connection.id}`
          assert.strictEqual((yield* Effect.flip(second.credentials.current(connection))).reason._tag, "Down")
          assert.strictEqual((yield* statusOf(connection)).status, "active")
          yield* Deferred.succeed(gate, undefined)
          assert.strictEqual(yield* Fiber.join(waiting), "at1")
          assert.deepInclude(yield* storedOf(connection), { accessToken: "at1", refreshToken: "rt1" })
          assert.strictEqual((yield* statusOf(connection)).status, "active")
        })
      )
    )

    it.effect("a token endpoint that does not answer fails the call, not the connection", () =>
      run(
        Effect.gen(function* () {
          const { client } = endpoint((n) => (n === 1 ? "hangs" : tokens(n)))
          const { credentials } = yield* process(client)
          const connection = yield* connected()
          const call = yield* Effect.fork(Effect.flip(credentials.current(connection)))
          yield* until(call)
          assert.strictEqual((yield* Fiber.join(call)).reason._tag, "Busy")
          assert.strictEqual((yield* statusOf(connection)).status, "active")
          yield* TestClock.adjust("50 seconds")
          assert.strictEqual(yield* secretOf(eventually(credentials.current(connection))), "at2")
        })
      )
    )

    it.effect("a token call that is slower than its callers goes on without them, and its tokens are kept", () =>
      run(
        Effect.gen(function* () {
          const called = yield* Deferred.make<void>()
          const { asked, client } = endpoint((n) =>
            Deferred.succeed(called, undefined).pipe(Effect.zipRight(Effect.sleep("14 seconds")), Effect.as(tokens(n)))
          )
          const { credentials } = yield* process(client)
          const connection = yield* connected()
          const first = yield* Effect.fork(Effect.flip(credentials.current(connection)))
          yield* Deferred.await(called)
          yield* TestClock.adjust("10 seconds")
          const { reason } = yield* Fiber.join(first)
          assert.isTrue(reason._tag === "Busy" && reason.retryAfter > 0, String(reason))
          const later = yield* Effect.flip(credentials.current(connection))
          assert.strictEqual(later.reason._tag, "Busy")
          yield* TestClock.adjust("4 seconds")
          assert.strictEqual(yield* secretOf(eventually(credentials.current(connection))), "at1")
          assert.strictEqual(asked.length, 1)
          assert.deepInclude(yield* storedOf(connection), { accessToken: "at1", refreshToken: "rt1", version: 2 })
        })
      )
    )

    it.effect(
      "a token endpoint that is still at an earlier request is asked again, and the connection stays active",
      () =>
        run(
          Effect.gen(function* () {
            const { asked, client } = endpoint((n) =>
              n < 3
                ? {
                    status: 400,
                    body: { error: "invalid_grant", error_description: "token request is already being processed" }
                  }
                : tokens(n)
            )
            const { credentials } = yield* process(client)
            const connection = yield* connected()
            const caller = yield* Effect.fork(secretOf(eventually(credentials.current(connection))))
            yield* until(caller)
            assert.strictEqual(yield* Fiber.join(caller), "at3")
            assert.strictEqual(asked.length, 3)
            assert.strictEqual((yield* statusOf(connection)).status, "active")
          })
        )
    )

    it.effect("a refusal in words that no table knows ends a connection the third time within minutes", () =>
      run(
        Effect.gen(function* () {
          const { asked, client } = endpoint(() => ({
            status: 400,
            body: { error: "invalid_grant", error_description: "expired authorization code" }
          }))
          const { credentials } = yield* process(client)
          const connection = yield* connected()
          const sql = yield* SqlClient.SqlClient
          for (const count of [1, 2, 3]) {
            const error = yield* Effect.flip(credentials.current(connection))
            assert.strictEqual(error.reason._tag, count === 3 ? "Unauthenticated" : "Down")
            assert.strictEqual(asked.length, count)
            assert.strictEqual((yield* statusOf(connection)).status, count === 3 ? "needs_reauth" : "active")
            yield* Effect.flip(credentials.current(connection))
            assert.strictEqual(asked.length, count)
            yield* sql`update connections set lease_until = null where id = ${connection.id}`
            yield* TestClock.adjust("1 minute")
          }
        })
      )
    )

    it.effect("a rotated refresh token whose answer is lost is not sent again where that would end all tokens", () =>
      run(
        Effect.gen(function* () {
          const { asked, client } = endpoint((n) => (n === 1 ? "hangs" : tokens(n)))
          const { credentials } = yield* process(client)
          const connection = yield* connected({ provider: "rotating" })
          const caller = yield* Effect.fork(Effect.flip(credentials.current(connection)))
          yield* until(caller)
          assert.strictEqual((yield* Fiber.join(caller)).reason._tag, "Busy")
          assert.strictEqual((yield* statusOf(connection)).status, "active")
          yield* TestClock.adjust("1 minute")
          const refused = yield* eventually(
            Effect.filterOrFail(
              Effect.flip(credentials.current(connection)),
              ({ reason }) => reason._tag === "Unauthenticated"
            )
          )
          assert.strictEqual(refused.reason._tag, "Unauthenticated")
          assert.strictEqual(asked.length, 1)
          assert.match((yield* statusOf(connection)).reason ?? "", /did not answer the last renewal/)
        })
      )
    )

    it.effect("without the operator's client nothing is asked and the connection stays active", () =>
      Effect.scoped(
        Effect.gen(function* () {
          const { asked, client } = endpoint((n) => tokens(n))
          const { credentials } = yield* process(client)
          const connection = yield* connected()
          const error = yield* Effect.flip(credentials.current(connection))
          assert.strictEqual(error.reason._tag, "Down")
          assert.strictEqual((yield* statusOf(connection)).status, "active")
          assert.strictEqual(asked.length, 0)
        })
      ).pipe(Effect.withConfigProvider(ConfigProvider.fromMap(new Map())))
    )

    it.effect("a lease that lapsed with its process is taken over", () =>
      onRealClock(
        run(
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const { client } = endpoint((n) => tokens(n))
            const { credentials } = yield* process(client)
            const connection = yield* connected()
            const lease = (seconds: number) => sql`
            update connections set lease_id = gen_random_uuid(), lease_until = now() + ${seconds} * interval '1 second'
            where id = ${connection.id}`
            yield* lease(60)
            const waiting = yield* Effect.fork(secretOf(credentials.current(connection)))
            yield* Effect.sleep("300 millis")
            assert.isNull(yield* Effect.map(Fiber.poll(waiting), (exit) => (exit._tag === "None" ? null : exit.value)))
            yield* lease(-1)
            assert.strictEqual(yield* Fiber.join(waiting), "at1")
          })
        )
      )
    )

    it.effect("tokens that arrive after another process took over do not replace its newer ones", () =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const called = yield* Deferred.make<void>()
          const gate = yield* Deferred.make<void>()
          const slow = endpoint((n) =>
            Deferred.succeed(called, undefined).pipe(Effect.zipRight(Deferred.await(gate)), Effect.as(tokens(n)))
          )
          const quick = endpoint(() => tokens(7))
          const [first, second] = yield* Effect.all([process(slow.client), process(quick.client)])
          const connection = yield* connected()
          const waiting = yield* Effect.fork(secretOf(first.credentials.current(connection)))
          yield* Deferred.await(called)
          yield* sql`update connections set lease_until = now() - interval '1 second' where id = ${connection.id}`
          assert.strictEqual(yield* secretOf(second.credentials.current(connection)), "at7")
          yield* Deferred.succeed(gate, undefined)
          assert.strictEqual(yield* Fiber.join(waiting), "at7")
          assert.deepInclude(yield* storedOf(connection), { accessToken: "at7", refreshToken: "rt7", version: 2 })
        })
      )
    )

    it.effect("a token is replaced before it expires, while callers still use it", () =>
      run(
        Effect.gen(function* () {
          const { asked, client } = endpoint((n) => (n === 1 ? { status: 500, body: "" } : tokens(n)))
          const { credentials } = yield* process(client)
          const expiresAt = (yield* Clock.currentTimeMillis) + 100_000
          const connection = yield* connected({ expiresAt })
          assert.strictEqual(yield* secretOf(credentials.current(connection)), "at0")
          assert.strictEqual(asked.length, 0)
          yield* TestClock.adjust("40 seconds")
          const seen = yield* TestClock.adjust("1 second").pipe(
            Effect.zipRight(secretOf(credentials.current(connection))),
            Effect.tap((secret) => assert.include(["at0", "at2"], secret)),
            Effect.repeat({ until: (secret) => secret === "at2" }),
            Effect.zipRight(Clock.currentTimeMillis)
          )
          assert.isBelow(seen, expiresAt)
          assert.strictEqual(asked.length, 2)
        })
      )
    )

    it.effect("a refresh goes on when its caller goes away, and its tokens are kept", () =>
      run(
        Effect.gen(function* () {
          const called = yield* Deferred.make<void>()
          const gate = yield* Deferred.make<void>()
          const { asked, client } = endpoint((n) =>
            Deferred.succeed(called, undefined).pipe(Effect.zipRight(Deferred.await(gate)), Effect.as(tokens(n)))
          )
          const { credentials } = yield* process(client)
          const connection = yield* connected()
          const caller = yield* Effect.fork(credentials.current(connection))
          yield* Deferred.await(called)
          yield* Fiber.interrupt(caller)
          yield* Deferred.succeed(gate, undefined)
          assert.strictEqual(yield* secretOf(credentials.current(connection)), "at1")
          assert.strictEqual(asked.length, 1)
        })
      )
    )

    it.effect.each(["removed", "erased"])("tokens that arrive for a connection that was %s are taken back", (how) =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const called = yield* Deferred.make<void>()
          const gate = yield* Deferred.make<void>()
          const { asked, client } = endpoint((n) =>
            Deferred.succeed(called, undefined).pipe(Effect.zipRight(Deferred.await(gate)), Effect.as(tokens(n)))
          )
          const { connections, credentials } = yield* process(client)
          const connection = yield* connected()
          const caller = yield* Effect.fork(Effect.flip(credentials.current(connection)))
          yield* Deferred.await(called)
          if (how === "removed") yield* connections.remove(connection, connection.id)
          else yield* sql`delete from end_users where id = ${connection.endUser}`
          yield* Deferred.succeed(gate, undefined)
          assert.strictEqual((yield* Fiber.join(caller)).reason._tag, "Unauthenticated")
          const left = yield* sql`select status, credentials from connections where id = ${connection.id}`
          assert.deepStrictEqual(left, how === "removed" ? [{ status: "revoked", credentials: "" }] : [])
          assert.deepStrictEqual(
            asked.map(({ form }) => form),
            [{ grant_type: "refresh_token", refresh_token: "rt0" }, { token: "rt1" }]
          )
        })
      )
    )

    it.effect("a key is asked with once more; what is refused twice needs connecting again", () =>
      run(
        Effect.gen(function* () {
          const { asked, client } = endpoint((n) => tokens(n))
          const { credentials } = yield* process(client)
          const keyed = yield* connected({
            provider: "keyed",
            kind: "apiKey",
            refreshToken: undefined,
            expiresAt: undefined
          })
          const key = yield* credentials.current(keyed)
          assert.deepStrictEqual(yield* credentials.refresh(keyed, key), key)
          assert.strictEqual((yield* statusOf(keyed)).status, "active")
          yield* credentials.refused(keyed, key)
          assert.strictEqual((yield* statusOf(keyed)).status, "needs_reauth")

          const connection = yield* connected()
          yield* credentials.refused(connection, yield* credentials.current(connection))
          assert.strictEqual((yield* Effect.flip(credentials.current(connection))).reason._tag, "Unauthenticated")
          assert.strictEqual((yield* statusOf(connection)).status, "needs_reauth")
          assert.strictEqual(asked.length, 1)
        })
      )
    )

    it.effect("an expired token that cannot be renewed is tried: only the provider knows", () =>
      run(
        Effect.gen(function* () {
          const { asked, client } = endpoint((n) => tokens(n))
          const { credentials } = yield* process(client)
          const connection = yield* connected({ refreshToken: undefined })
          assert.strictEqual(yield* secretOf(credentials.current(connection)), "at0")
          assert.strictEqual(asked.length, 0)
        })
      )
    )

    it.effect("credentials that were read a moment ago are not given for a newer version", () =>
      run(
        Effect.gen(function* () {
          const { client } = endpoint((n) => tokens(n))
          const [first, second] = yield* Effect.all([process(client), process(client)])
          const connection = yield* connected({ expiresAt: undefined })
          const held = yield* first.credentials.current(connection)
          const { version } = yield* second.credentials.refresh(connection, held)
          assert.strictEqual(yield* secretOf(first.credentials.current(connection)), "at0")
          assert.strictEqual(yield* secretOf(first.credentials.current({ ...connection, version })), "at1")
          assert.strictEqual(yield* secretOf(first.credentials.current(connection)), "at1")
        })
      )
    )

    it.effect("a connection is read once in a while, and only in its own environment", () =>
      run(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const { client } = endpoint((n) => tokens(n))
          const { credentials } = yield* process(client)
          const connection = yield* connected({ expiresAt: undefined })
          const { id, version = 1 } = connection
          assert.strictEqual(yield* secretOf(credentials.current(connection)), "at0")
          yield* sql`update connections set status = 'needs_reauth', version = ${version + 1} where id = ${id}`
          assert.strictEqual(yield* secretOf(credentials.current(connection)), "at0")
          yield* TestClock.adjust("1 second")
          // whoever read the connection now knows that what is remembered holds no longer
          assert.strictEqual(yield* secretOf(credentials.current(connection)), "at0")
          const changed = credentials.current({ ...connection, version: version + 1 })
          assert.isTrue(Either.isLeft(yield* Effect.either(changed)))
          const elsewhere = credentials.current({ ...connection, environment: "sandbox" })
          assert.strictEqual((yield* Effect.flip(elsewhere)).reason._tag, "Unauthenticated")
        })
      )
    )
  })
})

/** Lets time pass until a call succeeds. */
const eventually = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.either(call).pipe(
    Effect.zipLeft(TestClock.adjust("1 second")),
    Effect.repeat({ until: Either.isRight }),
    Effect.flatMap((result) => (Either.isRight(result) ? Effect.succeed(result.right) : Effect.die("not reached")))
  )

/** Lets time pass until a fiber is done. */
const until = <A, E>(fiber: Fiber.RuntimeFiber<A, E>): Effect.Effect<void> =>
  Effect.flatMap(Fiber.poll(fiber), (exit) =>
    exit._tag === "Some" ? Effect.void : Effect.zipRight(TestClock.adjust("1 second"), until(fiber))
  )
