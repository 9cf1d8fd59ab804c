import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { randomUUID } from "node:crypto"
import { All } from "../../src/providers/All.ts"
import {
  type Doc,
  errorsOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  inProduction
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

layer(sandboxApplication({}, All), { timeout: "60 seconds" })("the context of a chat session", (it) => {
  it.effect("is set, read, replaced and removed", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([])
      const sessionId = randomUUID()
      const path = `/chat-sessions/${sessionId}/context`
      const none = { sessionId, context: null, createdAt: null, updatedAt: null }
      assert.deepStrictEqual(recordOf(yield* call("GET", path)), none)
      const set = yield* call("PUT", path, { body: { context: "Answer in Dutch." } })
      assert.strictEqual(set.status, 200)
      const made = recordOf(set)
      assert.deepInclude(made, { sessionId, context: "Answer in Dutch.", createdAt: made.updatedAt })
      assert.deepStrictEqual(recordOf(yield* call("GET", path)), made)
      const replaced = recordOf(yield* call("PUT", path, { body: { context: "" } }))
      assert.deepInclude(replaced, { context: "", createdAt: made.createdAt })
      // a UUID is the same in capitals
      assert.deepStrictEqual(recordOf(yield* call("GET", path.replace(sessionId, sessionId.toUpperCase()))), replaced)
      for (let i = 0; i < 2; i += 1) {
        const removed = yield* call("DELETE", path)
        assert.deepStrictEqual([removed.status, removed.body], [204, ""])
      }
      assert.deepStrictEqual(recordOf(yield* call("GET", path)), none)
    })
  )

  full(it).effect("has at most 8000 characters, counted as a reader would", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([])
      const path = `/chat-sessions/${randomUUID()}/context`
      const put = (context: unknown) => call("PUT", path, { body: { context } })
      for (const character of ["x", "é", "e\u0301", "👨‍👩‍👧‍👦", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "한", "\r\n"]) {
        const full = character.repeat(8000)
        assert.strictEqual(recordOf(yield* put(full)).context, full, character)
        assert.strictEqual(recordOf(yield* call("GET", path)).context, full, character)
        assert.deepStrictEqual(
          errorsOf(yield* put(`${full}x`)),
          { context: "must be at most 8000 characters" },
          character
        )
      }
      // heaps of accents are not a way around it
      assert.hasAllKeys(errorsOf(yield* put(`x${"\u0301".repeat(200_000)}`)), ["context"])
      for (const [body, field] of [
        [{}, "context"],
        [{ context: null }, "context"],
        [{ context: 5 }, "context"],
        [{ context: "x", ttl: 5 }, "ttl"]
      ] as const) {
        assert.hasAllKeys(errorsOf(yield* call("PUT", path, { body })), [field])
      }
    })
  )

  it.effect("a session is a UUID", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([])
      for (const [method, options] of [
        ["GET", {}],
        ["DELETE", {}],
        ["PUT", { body: { context: "x" } }]
      ] as const) {
        const answer = yield* call(method, "/chat-sessions/mine/context", options)
        assert.deepStrictEqual(refusalOf(answer), [400, "INVALID_PARAMETER"], method)
      }
    })
  )

  it.effect("another organisation and another environment have their own", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const mine = yield* app.caller([])
      const callers = [mine, yield* app.caller([]), yield* inProduction(mine)]
      const path = `/chat-sessions/${randomUUID()}/context`
      for (const [i, { call }] of callers.entries()) {
        assert.isNull(recordOf(yield* call("GET", path)).context)
        yield* call("PUT", path, { body: { context: `secret ${i}` } })
      }
      for (const [i, { call }] of callers.entries()) {
        assert.strictEqual(recordOf(yield* call("GET", path)).context, `secret ${i}`)
      }
      yield* mine.call("DELETE", path)
      for (const [i, { call }] of [...callers.entries()].slice(1)) {
        assert.strictEqual(recordOf(yield* call("GET", path)).context, `secret ${i}`)
      }
    })
  )

  full(it).effect("is forgotten 90 days after it was used last", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const sql = yield* SqlClient.SqlClient
      const { call } = yield* app.caller([])
      const [read, replaced, old] = [randomUUID(), randomUUID(), randomUUID()]
      const at = (id: string) => `/chat-sessions/${id}/context`
      for (const id of [read, replaced, old]) yield* call("PUT", at(id), { body: { context: "x" } })
      const before = recordOf(yield* call("GET", at(read)))
      yield* sql`update session_contexts set used_at = now() - interval '91 days'`
      // to read it is to use it, and not to change it
      assert.deepStrictEqual(recordOf(yield* call("GET", at(read))), before)
      yield* call("PUT", at(replaced), { body: { context: "y" } })
      yield* TestClock.adjust("2 hours")
      const left = sql<Doc>`select session_id from session_contexts where session_id in (${read}, ${replaced}, ${old})`
      const ids = (yield* Effect.repeat(left, { until: (rows) => rows.length < 3 })).map(({ session_id }) => session_id)
      assert.sameMembers(ids, [read, replaced])
    })
  )

  it.effect("rests encrypted, and does not open elsewhere", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const sql = yield* SqlClient.SqlClient
      const { call } = yield* app.caller([])
      const [mine, other] = [randomUUID(), randomUUID()]
      for (const id of [mine, other]) {
        yield* call("PUT", `/chat-sessions/${id}/context`, { body: { context: "plainly visible" } })
      }
      const rows = yield* sql<Doc>`select * from session_contexts where session_id in (${mine}, ${other})`
      assert.lengthOf(rows, 2)
      assert.notMatch(JSON.stringify(rows), /plainly/)
      yield* sql`
        update session_contexts set context = (select context from session_contexts where session_id = ${other})
        where session_id = ${mine}`
      const moved = yield* call("GET", `/chat-sessions/${mine}/context`)
      assert.deepStrictEqual(refusalOf(moved), [500, "INTERNAL_ERROR"])
      assert.notMatch(JSON.stringify(moved.body), /plainly/)
    })
  )
})
