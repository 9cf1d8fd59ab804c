import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Redacted, Schema, TestClock } from "effect"
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { WorkspaceFacts } from "../../src/agent/WorkspaceFacts.ts"
import * as AccessTokens from "../../src/authorization/AccessTokens.ts"
import { type Answered, AuthorizationServer } from "../../src/authorization/AuthorizationServer.ts"
import { Grants } from "../../src/authorization/Grants.ts"
import { OAuthRecords } from "../../src/authorization/OAuthRecords.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import { GuardedClient } from "../../src/platform/GuardedClient.ts"
import { RateLimiter } from "../../src/platform/RateLimiter.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { EndUserTokens } from "../../src/tenancy/EndUserTokens.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import { publicUrl } from "../support/Connecting.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { redirect, resourceOf } from "./Flow.ts"

// Authorization by several processes over one database, of which one may be killed.

const noDocuments = Layer.succeed(GuardedClient, {
  check: () => Effect.void,
  send: () => Effect.dieMessage("no document is fetched here")
})

const common = Layer.mergeAll(
  Organisations.layer,
  EndUsers.layer,
  Encryption.layerTest,
  RateLimiter.layerMemory,
  noDocuments
).pipe(Layer.provideMerge(TestDatabase.layer))

const services = AuthorizationServer.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(OAuthRecords.layer, WorkspaceFacts.layer, Grants.layer, AccessTokens.layer))
)

/** A process's own services: all but the database, and the key to it. */
const started = Effect.map(Layer.build(Layer.fresh(services)), (context) => ({
  server: Context.get(context, AuthorizationServer),
  grants: Context.get(context, Grants),
  tokens: Context.get(context, EndUserTokens)
}))
type Process = Effect.Effect.Success<typeof started>

const Json = Schema.decodeSync(Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

const posted = ({ server }: Process, path: string, type: string, body: string) =>
  Effect.map(server.answer({ method: "POST", path, headers: { "content-type": type }, body }), (answer) => ({
    status: answer.status,
    body: Json(answer.body)
  }))

const tokensOf = (at: Process, fields: { readonly [name: string]: string }) =>
  posted(at, "/oauth/token", "application/x-www-form-urlencoded", new URLSearchParams(fields).toString())

const cookieOf = ({ cookies }: Answered) => cookies.map((line) => line.split(";")[0]).join("; ")

/** A code for an end user who agreed, on whose way two processes took turns. */
const coded = Effect.fnUntraced(function* (one: Process, other: Process) {
  const sql = yield* SqlClient.SqlClient
  const { id: organisation } = yield* (yield* Organisations).create(`Organisation ${randomUUID()}`)
  const endUser = yield* (yield* EndUsers).ensure(organisation, "sandbox", "alice")
  const workspaceId = randomUUID()
  yield* sql`
    insert into workspaces (id, organisation_id, environment, name, toolkit_filter, confirm)
    values (${workspaceId}, ${organisation}, 'sandbox', 'Agents', '{}', 'never')`
  const registered = yield* posted(
    one,
    "/oauth/register",
    "application/json",
    JSON.stringify({ client_name: "Example host", redirect_uris: [redirect], application_type: "native" })
  )
  const client_id = String(registered.body["client_id"])
  const code_verifier = randomBytes(32).toString("base64url")
  const query = new URLSearchParams({
    client_id,
    response_type: "code",
    redirect_uri: redirect,
    code_challenge: createHash("sha256").update(code_verifier).digest("base64url"),
    code_challenge_method: "S256",
    resource: resourceOf(workspaceId),
    scope: "tools:read tools:write"
  })
  const begun = yield* one.server.answer({
    method: "GET",
    path: `/oauth/authorize?${query.toString()}`,
    headers: {}
  })
  const headers = { cookie: cookieOf(begun) }
  const grant = yield* other.grants.begin({
    organisation,
    environment: "sandbox",
    workspaceId,
    endUser: endUser.id,
    origin: "host",
    client: { id: client_id, name: "Example host", redirectHost: "127.0.0.1" },
    scopes: ["tools:read", "tools:write"],
    key: null,
    lifetime: 3600
  })
  const consented = yield* Effect.flatten(other.grants.consent(grant))
  const path = (begun.headers["location"] ?? "").replace(publicUrl, "")
  const onward = yield* other.server.finish({ method: "GET", path, headers }, { grant: consented })
  const ended = yield* one.server.answer({ method: "GET", path: onward.replace(publicUrl, ""), headers })
  const code = new URL(ended.headers["location"] ?? "").searchParams.get("code") ?? ""
  const tenant = { organisation, environment: "sandbox" as const }
  return {
    grant,
    tenant,
    redeem: (at: Process) =>
      tokensOf(at, { grant_type: "authorization_code", client_id, code, code_verifier, redirect_uri: redirect }),
    refresh: (at: Process, token: string) =>
      tokensOf(at, { grant_type: "refresh_token", client_id, refresh_token: token }),
    /** Tokens that there are, and whether the grant was ended. */
    state: Effect.map(
      sql<{ readonly tokens: number; readonly is_ended: boolean }>`
        select (select count(*)::int from oauth_records where grant_id = g.id and kind like '%Token') as tokens,
          revoked_at is not null as is_ended from mcp_grants g where id = ${grant}`,
      ([row]) => row
    )
  }
})

/** Has a process fail between what it used up and the token that it was to give for it, as if it were killed there. */
const killedBeforeToken = <A, E, R>(use: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.acquireUseRelease(
      Effect.zipRight(
        sql`
          create function no_token() returns trigger language plpgsql as $$
            begin if new.kind = 'AccessToken' then raise exception 'killed'; end if; return new; end $$`,
        sql`create trigger killed before insert on oauth_records for each row execute function no_token()`
      ),
      () => Effect.exit(use),
      () => Effect.orDie(sql`drop function no_token cascade`)
    )
  )

layer(common, { timeout: "60 seconds" })("authorization by several processes", (it) => {
  const two = Effect.all([started, started])

  it.scoped("a code that is redeemed in both at once gives tokens once, and is good for nothing afterwards", () =>
    Effect.gen(function* () {
      const [one, other] = yield* two
      const { redeem, state } = yield* coded(one, other)
      const answers = yield* Effect.forEach([one, other, one, other], redeem, { concurrency: "unbounded" })
      const given = answers.filter(({ status }) => status === 200)
      assert.isAtMost(given.length, 1)
      for (const { body, status } of answers) {
        if (status !== 200) assert.deepStrictEqual([status, body["error"]], [400, "invalid_grant"])
      }
      assert.strictEqual((yield* redeem(other)).status, 400)
      assert.deepInclude(yield* state, { is_ended: true })
      for (const { body } of given) {
        const token = Redacted.make(String(body["access_token"]))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(one.tokens.authenticate(token))))
      }
    })
  )

  it.scoped("a code that was used up by one that was killed gives no tokens, and the program begins again", () =>
    Effect.gen(function* () {
      const [killed, other] = yield* two
      const { redeem, state } = yield* coded(killed, other)
      assert.isTrue(Exit.isFailure(yield* killedBeforeToken(redeem(killed))))
      const again = yield* redeem(other)
      assert.deepStrictEqual([again.status, again.body["error"]], [400, "invalid_grant"])
      // never two grants: the one that was begun is over
      assert.deepStrictEqual(yield* state, { tokens: 0, is_ended: true })
      const anew = yield* coded(other, other)
      assert.strictEqual((yield* anew.redeem(other)).status, 200)
    })
  )

  it.scoped("a refresh token that was used up by one that was killed is taken once more", () =>
    Effect.gen(function* () {
      const [killed, other] = yield* two
      const { redeem, refresh, state } = yield* coded(killed, other)
      const token = String((yield* redeem(killed)).body["refresh_token"])
      assert.isTrue(Exit.isFailure(yield* killedBeforeToken(refresh(killed, token))))
      assert.strictEqual((yield* refresh(other, token)).status, 200)
      assert.deepInclude(yield* state, { is_ended: false })
    })
  )

  it.scoped("what one ended is over in the other within a second", () =>
    Effect.gen(function* () {
      const [one, other] = yield* two
      const { grant, redeem, tenant } = yield* coded(one, other)
      const token = Redacted.make(String((yield* redeem(one)).body["access_token"]))
      assert.strictEqual((yield* other.tokens.authenticate(token)).grant?.endUserId, "alice")
      yield* one.grants.end(tenant, grant)
      yield* TestClock.adjust("1 second")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(other.tokens.authenticate(token))))
    })
  )

  it.scoped("of an end user who was erased nothing is renewed", () =>
    Effect.gen(function* () {
      const [one, other] = yield* two
      const { redeem, refresh, tenant } = yield* coded(one, other)
      const token = String((yield* redeem(one)).body["refresh_token"])
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from end_users where organisation_id = ${tenant.organisation}`
      const refused = yield* refresh(other, token)
      assert.deepStrictEqual([refused.status, refused.body["error"]], [400, "invalid_grant"])
    })
  )
})
