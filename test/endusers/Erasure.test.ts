import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Chunk, Clock, Deferred, Effect, Fiber, Redacted, Schema, TestClock } from "effect"
import type { UIMessage } from "ai"
import { randomUUID } from "node:crypto"
import { ChatSessions } from "../../src/agent/ChatSessions.ts"
import { SessionContexts } from "../../src/agent/SessionContexts.ts"
import { ToolCalls } from "../../src/audit/ToolCalls.ts"
import { Connections } from "../../src/connections/Connections.ts"
import { RequestLog } from "../../src/requests/RequestLog.ts"
import { newNotes, requestNotes } from "../../src/platform/RequestNotes.ts"
import { Erasure } from "../../src/endusers/Erasure.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { Identities } from "../../src/records/Identities.ts"
import { Idempotency } from "../../src/records/Idempotency.ts"
import { turn } from "../agent/ChatFrames.ts"
import { workspaceOf } from "../agent/McpClient.ts"
import { consent, session } from "../support/Connecting.ts"
import { loggedRequest } from "../support/LoggedRequests.ts"
import {
  type Caller,
  failureOf,
  nextTick,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication
} from "../support/SandboxApplication.ts"
import { application, everyRow, logWritten, storeEverything, stored } from "./Everything.ts"
import { full } from "../support/Full.ts"

const path = ({ endUser }: Caller, more = "") => `/end-users/${encodeURIComponent(endUser)}${more}`

const erase = (caller: Caller) => caller.call("DELETE", path(caller), { headers: { "x-end-user-id": undefined } })

const Erased = Schema.decodeUnknownSync(
  Schema.Struct({
    endUserId: Schema.String,
    erased: Schema.Record({ key: Schema.String, value: Schema.Int }),
    notRevoked: Schema.Array(Schema.Struct({ connectionId: Schema.UUID, provider: Schema.String }))
  }),
  { onExcessProperty: "error" }
)

/** Runs an effect as a request that came in at `startedAt`. */
const asRequest = <A, E, R>(effect: Effect.Effect<A, E, R>, startedAt: number) => {
  const notes = newNotes({ id: randomUUID(), startedAt, needs: undefined, endUser: undefined })
  return Effect.locally(effect, requestNotes, notes)
}

layer(application, { timeout: "120 seconds" })("erasing an end user", (it) => {
  full(it).effect("leaves nothing of theirs in any table, and everything of everybody else", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const theirs = yield* app.caller(["hubspot", "quickbooks"], { endUser: "erika@example.com/ü" })
      const others = [
        // the same name in another organisation, in the other environment; another end user of the organisation
        yield* app.caller(["hubspot", "quickbooks"], { endUser: theirs.endUser }),
        yield* app.caller(["hubspot", "quickbooks"], { endUser: "other", tenancy: theirs.tenancy })
      ]
      for (const caller of [theirs, ...others]) yield* storeEverything(caller)
      yield* logWritten
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into end_users (id, organisation_id, environment, external_id)
        values (${randomUUID()}, ${theirs.tenancy.organisation}, 'production', ${theirs.endUser})`
      const counts = yield* stored(theirs)
      assert.deepStrictEqual(
        Object.entries(
          Schema.decodeUnknownSync(Schema.Record({ key: Schema.String, value: Schema.Int }))(counts.stored)
        )
          .filter(([, count]) => count === 0)
          .map(([kind]) => kind),
        []
      )
      const before = yield* Effect.forEach(others, stored)

      const answer = yield* erase(theirs)
      assert.strictEqual(answer.status, 200)
      const { endUserId, erased, notRevoked } = Erased(recordOf(answer))
      assert.strictEqual(endUserId, theirs.endUser)
      assert.deepInclude(erased, { connections: 2, chats: 1, sessionContexts: 1, idempotentAnswers: 1 })
      assert.deepStrictEqual(notRevoked, [])

      yield* logWritten
      // the namesake's are told apart by their organisation, and what has none by its account
      const namesake = [others[0]?.tenancy.organisation ?? "", ...Object.values(others[0]?.connections ?? {})]
      const traces = [theirs.endUser, ...Object.values(theirs.connections)]
      const left = (yield* everyRow).filter(
        (row) => traces.some((trace) => row.includes(trace)) && !namesake.some((id) => row.includes(id))
      )
      assert.deepStrictEqual(
        left.filter((row) => !row.includes('"environment": "production"')),
        []
      )
      const after = yield* Effect.forEach(others, stored)
      // looking is logged too
      for (const [place, one] of after.entries()) {
        assert.deepStrictEqual(
          Object.assign({}, one.stored, { requests: 0 }),
          Object.assign({}, before[place]?.stored, { requests: 0 })
        )
      }
      assert.lengthOf(pageOf(yield* (others[0] ?? theirs).call("GET", "/crm/contact?limit=5")).data, 5)
      const production = yield* sql`
        select id from end_users where external_id = ${theirs.endUser} and environment = 'production'`
      assert.lengthOf(production, 1)

      for (const [method, of] of [
        ["GET", ""],
        ["DELETE", ""],
        ["GET", "/export"]
      ] as const) {
        const gone = yield* theirs.call(method, path(theirs, of), { headers: { "x-end-user-id": undefined } })
        assert.deepStrictEqual(refusalOf(gone), [404, "END_USER_NOT_FOUND"])
      }
      assert.deepStrictEqual(refusalOf(yield* theirs.call("GET", "/crm/contact")), [404, "END_USER_NOT_FOUND"])
    })
  )

  it.effect("is not held up by a provider that is away, and says what was not taken back", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["pipedrive"])
      yield* (yield* Faults).add({ provider: "pipedrive", path: "/oauth/revoke", does: { kind: "drop" } })
      const { erased, notRevoked } = Erased(recordOf(yield* erase(caller)))
      assert.deepInclude(erased, { connections: 1, sandboxAccounts: 1 })
      assert.deepStrictEqual(notRevoked, [
        { connectionId: caller.connections["pipedrive"] ?? "", provider: "pipedrive" }
      ])
    })
  )

  full(it).effect("reaches those who only chatted", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller([])
      const nobody = { ...caller, endUser: "never connected" }
      const call: Caller["call"] = (method, path, options = {}) =>
        caller.call(method, path, { ...options, headers: { "x-end-user-id": nobody.endUser, ...options.headers } })
      yield* turn({ ...nobody, call }, yield* workspaceOf(caller), "list contacts")
      assert.deepInclude(yield* stored({ ...nobody, call: caller.call }), { createdAt: null, displayName: null })
      assert.deepInclude(Erased(recordOf(yield* erase(nobody))).erased, { chats: 1, connections: 0 })
      assert.deepStrictEqual(refusalOf(yield* erase(nobody)), [404, "END_USER_NOT_FOUND"])
    })
  )

  full(it).effect("takes a name of any form, percent-encoded, and begins again when it is used again", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      for (const endUser of ["a/b?c#d%20", "李".repeat(255), "🙂", "export", "a b+c"]) {
        const made = yield* app.caller(["hubspot"], { endUser })
        // headers carry bytes
        const header = Buffer.from(endUser, "utf8").toString("latin1")
        const call: Caller["call"] = (method, path, options = {}) =>
          made.call(method, path, { ...options, headers: { "x-end-user-id": header, ...options.headers } })
        const caller = { ...made, call }
        assert.strictEqual((yield* stored(caller)).endUserId, endUser)
        // the log, which is written a little later, holds nothing of requests from before
        yield* TestClock.adjust("1 seconds")
        assert.strictEqual((yield* erase(caller)).status, 200, endUser)
        assert.deepStrictEqual(refusalOf(yield* erase(caller)), [404, "END_USER_NOT_FOUND"])
        yield* app.connect(caller, "hubspot")
        assert.lengthOf(pageOf(yield* caller.call("GET", "/crm/contact?limit=3")).data, 3)
      }
    })
  )

  full(it).effect("ends what they may still do: connect links, and turns, calls and answers that are under way", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["hubspot"])
      const { environment, organisation } = caller.tenancy
      const tenant = { organisation, environment }
      const workspace = yield* workspaceOf(caller)
      const opened = yield* session(caller)
      const [connection] = yield* (yield* Connections).list(tenant, { endUserId: caller.endUser })
      if (connection === undefined) return assert.fail("there is no connection")
      const [sessions, contexts, calls] = [yield* ChatSessions, yield* SessionContexts, yield* ToolCalls]
      const [log, identities, idempotency] = [yield* RequestLog, yield* Identities, yield* Idempotency]
      const begun = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const chat = { tenant, id: randomUUID(), workspace, endUser: caller.endUser }
      const history = yield* sessions.open(chat)
      yield* TestClock.adjust("10 seconds")

      assert.strictEqual((yield* erase(caller)).status, 200)
      yield* TestClock.adjust("1 seconds")
      const again = { ...chat, id: randomUUID() }
      const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 }
      const message: UIMessage = { id: "m", role: "user", parts: [{ type: "text", text: "brought back" }] }
      const subject = { ...tenant, key: randomUUID(), scopes: null, mappingRevision: "0" }
      const late = Effect.gen(function* () {
        yield* sessions.append(chat, history, [message], usage)
        yield* sessions.replace(chat, [message], usage)
        assert.strictEqual((yield* Effect.flip(sessions.open(again))).code, "CHAT_SESSION_NOT_FOUND")
        yield* contexts.putFor(tenant, caller.endUser, again.id, "brought back")
        yield* calls.note({
          caller: subject,
          workspace,
          via: "chat",
          endUser: caller.endUser,
          connection: connection.id,
          toolkit: "crm",
          tool: "crm_list_contacts",
          args: {},
          decision: "allowed",
          outcome: "ok",
          approval: undefined,
          content: undefined,
          milliseconds: 1
        })
        const late = { at: begun, route: "/late", key: subject.key, endUser: caller.endUser }
        yield* log.note(tenant, loggedRequest(late))
        const sighting = identities.sight(connection, "crm")
        sighting.idOf("contact", "contacts", "1")
        yield* sighting.keep
        yield* idempotency
          .once(
            {
              subject: { caller: subject, endUser: caller.endUser, connection: undefined },
              key: "late",
              method: "POST",
              path: "/late",
              content: "",
              repeats: false
            },
            Effect.succeed({ status: 201, body: {} }),
            (error) => Effect.succeed({ status: error.status, body: {} })
          )
          .pipe(Effect.either)
      })
      yield* asRequest(late, begun)
      // the end user was to be connected by whoever holds the link
      assert.strictEqual((yield* opened.call("GET", "")).status, 401)
      const made = yield* Effect.flip(
        (yield* Connections).create({
          ...tenant,
          endUser: connection.endUser,
          provider: "hubspot",
          credentials: {
            kind: "accessToken",
            secret: Redacted.make("x"),
            refreshToken: undefined,
            expiresAt: undefined,
            values: {}
          }
        })
      )
      assert.strictEqual(made.code, "END_USER_NOT_FOUND")
      yield* logWritten
      assert.deepStrictEqual(
        (yield* everyRow).filter((row) => [caller.endUser, connection.id, chat.id].some((id) => row.includes(id))),
        []
      )
      // a request that comes in later begins again
      const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      yield* asRequest(sessions.open(again), now)
      assert.deepInclude((yield* stored(caller)).stored, { chats: 1 })
    })
  )

  for (const [path, more] of [
    ["/connections", { provider: "hubspot", credentials: { accessToken: "from elsewhere" } }],
    ["/connect/token", {}]
  ] as const) {
    it.effect(`is not undone by POST ${path} that came in before, only by one that comes later`, () =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const caller = yield* app.caller([])
        const body = { endUserId: caller.endUser, ...more }
        const [reached, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const slow = new ReadableStream<Uint8Array>(
          {
            pull: async (controller) => {
              Deferred.unsafeDone(reached, Effect.void)
              await Effect.runPromise(Deferred.await(goOn))
              controller.enqueue(new TextEncoder().encode(JSON.stringify(body)))
              controller.close()
            }
          },
          { highWaterMark: 0 }
        )
        const late = yield* Effect.fork(caller.call("POST", path, { body: slow, timeStands: true }))
        yield* Deferred.await(reached)
        yield* TestClock.adjust("1 seconds")
        yield* erase(caller)
        yield* Deferred.succeed(goOn, undefined)
        assert.deepStrictEqual(refusalOf(yield* Fiber.join(late)), [404, "END_USER_NOT_FOUND"])
        const sql = yield* SqlClient.SqlClient
        assert.isEmpty(yield* sql`select 1 from end_users where external_id = ${caller.endUser}`)
        yield* TestClock.adjust("1 seconds")
        assert.isBelow((yield* caller.call("POST", path, { body })).status, 300)
        assert.lengthOf(yield* sql`select 1 from end_users where external_id = ${caller.endUser}`, 1)
      })
    )
  }

  full(it).effect("takes back consent that waits for an account to be chosen", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller([])
      const opened = yield* session(caller)
      const state = yield* consent(opened, "xero")
      assert.strictEqual(state.status, "choose", state.message ?? "")
      yield* (yield* Faults).add({ provider: "xero", does: { kind: "drop" }, times: 20 })
      const { notRevoked } = Erased(recordOf(yield* erase(caller)))
      assert.deepStrictEqual(
        notRevoked.map(({ provider }) => provider),
        ["xero"]
      )
      yield* (yield* Faults).clear
      const sql = yield* SqlClient.SqlClient
      assert.isEmpty(yield* sql`select 1 from simulated_accounts where provider = 'xero' and end_user_id is not null`)
      assert.isEmpty(yield* sql`select 1 from connect_attempts where secrets <> '' and integration = 'xero'`)
    })
  )
})

layer(application, { timeout: "120 seconds" })("removing a connection", (it) => {
  full(it).effect("removes its account's names and ids, the ids of its records and what the sandbox holds of it", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["hubspot", "quickbooks"])
      const kept = yield* app.caller(["quickbooks"])
      for (const one of [caller, kept]) {
        pageOf(yield* one.call("GET", "/accounting/invoice?provider=quickbooks&limit=5"))
      }
      const sql = yield* SqlClient.SqlClient
      const id = caller.connections.quickbooks ?? ""
      yield* sql`update connections set account_id = 'realm', scopes = '{a}' where id = ${id}`
      const of = (table: string, column: string, id: string) =>
        Effect.map(sql`select 1 from ${sql(table)} where ${sql(column)}::text = ${id}`, (rows) => rows.length > 0)
      const held = (id: string) =>
        Effect.all([
          of("identities", "connection_id", id),
          of("simulated_accounts", "account", id),
          of("simulated_records", "account", id)
        ])
      assert.deepStrictEqual(yield* held(id), [true, true, true])
      assert.strictEqual((yield* caller.call("DELETE", `/connections/${id}`)).status, 200)
      assert.deepStrictEqual(yield* held(id), [false, false, false])
      assert.deepStrictEqual(yield* held(kept.connections.quickbooks ?? ""), [true, true, true])
      const [row] = yield* sql`
        select status, credentials, account_name, account_id, scopes, status_reason from connections where id = ${id}`
      assert.deepStrictEqual(row, {
        status: "revoked",
        credentials: "",
        account_name: null,
        account_id: null,
        scopes: null,
        status_reason: null
      })
      assert.lengthOf(pageOf(yield* caller.call("GET", "/crm/contact?limit=3")).data, 3)
    })
  )

  full(it).effect("by the version before is completed: nothing is left of its account", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["quickbooks", "hubspot"])
      pageOf(yield* caller.call("GET", "/accounting/invoice?provider=quickbooks&limit=5"))
      pageOf(yield* caller.call("GET", "/crm/contact?limit=5"))
      const sql = yield* SqlClient.SqlClient
      const { hubspot = "", quickbooks = "" } = caller.connections
      yield* sql`
        update connections set status = 'revoked', credentials = '', status_reason = 'refused', account_id = 'realm'
        where id = ${quickbooks}`
      const counts = sql<{ readonly id: string; readonly count: number }>`
        select c.id, num_nonnulls(account_name, account_id, scopes, status_reason)
          + (select count(*) from identities i where i.connection_id = c.id)::int
          + (select count(*) from simulated_accounts a where a.account = c.id::text)::int as count
        from connections c where id in (${quickbooks}, ${hubspot})`
      const left = Effect.map(counts, (rows) => new Map(rows.map(({ count, id }) => [id, count])))
      const before = yield* left
      assert.isAbove(before.get(quickbooks) ?? 0, 4)
      yield* TestClock.adjust("1 hour")
      yield* Effect.repeat(Effect.zipRight(nextTick, left), { until: (now) => now.get(quickbooks) === 0 })
      assert.strictEqual((yield* left).get(hubspot), before.get(hubspot))
    })
  )

  it.effect("of an account that consent was renewed for removes the account that it opens now", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller([])
      const sql = yield* SqlClient.SqlClient
      const state = yield* consent(yield* session(caller), "hubspot", {
        decides: { decision: "allow", account: "another" }
      })
      const accounts = sql<{ account: string }>`
        select a.account from simulated_accounts a join end_users u on u.id = a.end_user_id
        where u.external_id = ${caller.endUser} and a.provider = 'hubspot'`
      const [opened] = yield* accounts
      assert.notStrictEqual(opened?.account, state.connectionId)
      assert.strictEqual((yield* caller.call("DELETE", `/connections/${state.connectionId}`)).status, 200)
      assert.isEmpty(yield* accounts)
    })
  )
})

layer(application, { timeout: "60 seconds" })("erasing an organisation", (it) => {
  it.effect("ends its keys first, and takes back what is connected until it is gone", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["pipedrive"])
      const other = yield* app.caller(["pipedrive"])
      const { organisation } = caller.tenancy
      const faults = yield* Faults
      yield* faults.add({
        provider: "pipedrive",
        path: "/oauth/revoke",
        does: { kind: "latency", milliseconds: 3_777 }
      })
      const due = (yield* Clock.currentTimeMillis) + 3_777
      const deleting = yield* Effect.fork((yield* Erasure).organisation(organisation))
      yield* Effect.repeat(Effect.zipRight(nextTick, TestClock.sleeps()), { until: Chunk.contains(due) })
      assert.strictEqual((yield* caller.call("GET", "/connections", { timeStands: true })).status, 401)
      assert.strictEqual((yield* other.call("GET", "/connections", { timeStands: true })).status, 200)
      // of a request that is under way
      const late = yield* app.connect(caller, "hubspot")
      yield* faults.add({
        provider: "hubspot",
        path: "/oauth/2026-03/token/revoke",
        does: { kind: "drop" },
        times: 5
      })
      yield* TestClock.setTime(due)
      const { erased, notRevoked } = yield* Fiber.join(deleting)
      assert.deepInclude(erased, { connections: 1, apiKeys: 1 })
      assert.deepStrictEqual(notRevoked, [{ connectionId: late, provider: "hubspot" }])
      yield* faults.clear
      const sql = yield* SqlClient.SqlClient
      assert.isEmpty(yield* sql`select 1 from organisations where id = ${organisation}`)
      assert.isEmpty(yield* sql`select 1 from simulated_accounts where account = ${late}`)
      assert.lengthOf(pageOf(yield* other.call("GET", "/crm/contact?limit=3")).data, 3)
    })
  )
})

layer(application, { timeout: "60 seconds" })("the list of end users", (it) => {
  it.effect("has those of the key's environment, newest first, page by page", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const first = yield* app.caller([], { endUser: "first" })
      for (const endUser of ["second", "third", "fourth"]) yield* app.caller([], { tenancy: first.tenancy, endUser })
      yield* app.caller([], { endUser: "of another organisation" })
      // two may be made within one tick of the clock
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        update end_users set created_at = now() + array_position(array['first', 'second', 'third', 'fourth'], external_id)
          * interval '1 millisecond'
        where organisation_id = ${first.tenancy.organisation}`
      const page = (query: string) => Effect.map(first.call("GET", `/end-users${query}`), pageOf)
      const one = yield* page("?limit=2")
      assert.deepStrictEqual(
        one.data.map(({ endUserId }) => endUserId),
        ["fourth", "third"]
      )
      assert.deepInclude(one.data[0], { environment: "sandbox", displayName: null, email: null })
      // the one that the next page goes on after may be gone
      yield* erase({ ...first, endUser: "third" })
      const two = yield* page(`?limit=2&cursor=${encodeURIComponent(one.pagination.cursor ?? "")}`)
      assert.deepStrictEqual(
        [two.data.map(({ endUserId }) => endUserId), two.pagination],
        [["second", "first"], { cursor: null, hasMore: false, limit: 2 }]
      )
      for (const query of ["?limit=0", "?limit=101", "?limit=x", "?offset=3", "?cursor=x"]) {
        const refused = yield* first.call("GET", `/end-users${query}`)
        assert.strictEqual(refused.status, 400, query)
        assert.include(failureOf(refused).message, query.slice(1).split("=")[0] ?? "")
      }
    })
  )
})
