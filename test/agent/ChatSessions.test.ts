import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { InProcess } from "../../src/InProcess.ts"
import {
  type Doc,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  whileTimePasses,
  inProduction
} from "../support/SandboxApplication.ts"
import { turn } from "./ChatFrames.ts"
import { chattingApplication, FakeModel, promptOf } from "./FakeModel.ts"
import { workspaceOf } from "./McpClient.ts"
import { full } from "../support/Full.ts"

const talking = Effect.gen(function* () {
  const app = yield* SandboxApplication
  const caller = yield* app.caller([])
  const workspace = yield* workspaceOf(caller, { integrations: ["helpdesk"] })
  return {
    app,
    caller,
    workspace,
    list: (query = "") => Effect.map(caller.call("GET", `/chat-sessions${query}`), pageOf),
    say: (session: string, message: string | Doc, headers: { readonly [name: string]: string | undefined } = {}) =>
      turn(caller, workspace, message, { "x-session-id": session, ...headers })
  }
})

const textsOf = (messages: ReadonlyArray<Doc>) =>
  messages.map(({ parts }) => /"text":"([^"]*)"/.exec(JSON.stringify(parts))?.[1])

layer(chattingApplication(), { timeout: "60 seconds" })("chat sessions", (it) => {
  full(it).effect("are listed newest first, page by page, with the tokens that they took", () =>
    Effect.gen(function* () {
      const { caller, list, say, workspace } = yield* talking
      const ids = Array.from({ length: 3 }, () => randomUUID())
      for (const id of ids) yield* say(id, "text one")
      const [first = ""] = ids
      yield* say(first.toUpperCase(), "tool")
      yield* caller.call("PUT", `/chat-sessions/${first}/context`, { body: { context: "The user is Ada." } })
      const page = yield* list("?limit=2")
      assert.deepStrictEqual(
        page.data.map(({ id }) => id),
        [ids[2], ids[1]]
      )
      const rest = yield* list(`?limit=2&cursor=${encodeURIComponent(String(page.pagination.cursor))}`)
      assert.deepStrictEqual([rest.data.map(({ id }) => id), rest.pagination.hasMore], [[first], false])
      // one call of the model for the words, two for the tool
      const [session = {}] = rest.data
      assert.deepInclude(session, {
        environment: "sandbox",
        workspaceId: workspace,
        endUserId: caller.endUser,
        hasContext: true,
        usage: { inputTokens: 60, cachedInputTokens: 15, outputTokens: 30 }
      })
      assert.isAbove(Date.parse(String(session.updatedAt)), Date.parse(String(session.createdAt)))
      assert.deepStrictEqual(recordOf(yield* caller.call("GET", `/chat-sessions/${first.toUpperCase()}`)), session)
      assert.deepInclude(page.data[0], {
        hasContext: false,
        usage: { inputTokens: 20, cachedInputTokens: 5, outputTokens: 10 }
      })
    })
  )

  it.effect("are narrowed to a workspace and an end user", () =>
    Effect.gen(function* () {
      const { caller, list, say, workspace } = yield* talking
      const [own, bobs, nobodys, other] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
      yield* say(own, "text")
      yield* say(bobs, "text", { "x-end-user-id": "bob" })
      yield* say(nobodys, "text", { "x-end-user-id": undefined })
      const elsewhere = yield* workspaceOf(caller)
      yield* turn(caller, elsewhere, "text", { "x-session-id": other })
      for (const [query, ids] of [
        ["", [other, nobodys, bobs, own]],
        [`?workspaceId=${workspace}`, [nobodys, bobs, own]],
        [`?endUserId=${caller.endUser}`, [other, own]],
        [`?endUserId=${caller.endUser}&workspaceId=${elsewhere}`, [other]],
        ["?endUserId=carol", []]
      ] as const) {
        assert.deepStrictEqual(
          (yield* list(query)).data.map(({ id }) => id),
          [...ids],
          query
        )
      }
      assert.isNull((yield* list(`?workspaceId=${workspace}&limit=1`)).data[0]?.endUserId)
      for (const query of ["?workspaceId=1", "?limit=0", "?user=bob", "?cursor=x"]) {
        assert.strictEqual((yield* caller.call("GET", `/chat-sessions${query}`)).status, 400, query)
      }
    })
  )

  it.effect("show what was said, newest first", () =>
    Effect.gen(function* () {
      const { caller, say } = yield* talking
      const id = randomUUID()
      yield* say(id, "text one")
      yield* say(id, "text two")
      const path = `/chat-sessions/${id}/messages`
      const all = pageOf(yield* caller.call("GET", path))
      assert.deepStrictEqual(textsOf(all.data), ["Hello there.", "text two", "Hello there.", "text one"])
      assert.deepStrictEqual(
        all.data.map(({ role }) => role),
        ["assistant", "user", "assistant", "user"]
      )
      const first = pageOf(yield* caller.call("GET", `${path}?limit=3`))
      yield* say(id, "text three")
      const cursor = encodeURIComponent(String(first.pagination.cursor))
      const rest = pageOf(yield* caller.call("GET", `${path}?limit=3&cursor=${cursor}`))
      assert.deepStrictEqual([first.pagination.hasMore, rest.pagination.hasMore], [true, false])
      assert.deepStrictEqual([...first.data, ...rest.data], all.data)
      // a client can go on with them
      const messages = [
        ...pageOf(yield* caller.call("GET", path)).data.toReversed(),
        { id: "next", role: "user", parts: [{ type: "text", text: "text four" }] }
      ]
      yield* say(id, { messages })
      const { requests } = yield* FakeModel
      assert.deepStrictEqual(
        promptOf(requests.at(-1)).said.map(({ content }) => content),
        ["text one", "Hello there.", "text two", "Hello there.", "text three", "Hello there.", "text four"]
      )
    })
  )

  it.effect("are deleted with history and context, and a turn under way brings nothing back", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { caller, list, say, workspace } = yield* talking
      const [id, other] = [randomUUID(), randomUUID()]
      yield* say(id, "text one")
      yield* say(other, "text other")
      yield* caller.call("PUT", `/chat-sessions/${id}/context`, { body: { context: "The user is Ada." } })
      const { open } = yield* FakeModel
      const { handle } = yield* InProcess
      const headers = {
        authorization: `Bearer ${Redacted.value(caller.tenancy.key)}`,
        "x-end-user-id": caller.endUser,
        "x-session-id": id,
        "content-type": "application/json"
      }
      const url = `http://localhost/api/v1/mcp/${workspace}/chat`
      const late = yield* Effect.promise(async () => {
        const { body } = await handle(
          new Request(url, { method: "POST", headers, body: JSON.stringify({ message: "slow" }) })
        )
        const reader = body?.getReader()
        for (let text = ""; !text.includes("word ");) text += new TextDecoder().decode((await reader?.read())?.value)
        return reader
      })
      const gone = yield* caller.call("DELETE", `/chat-sessions/${id.toUpperCase()}`)
      assert.deepStrictEqual([gone.status, gone.body], [204, ""])
      yield* Effect.promise(async () => {
        await late?.cancel()
        while (open() > 0) await new Promise((done) => setTimeout(done, 5))
      }).pipe(whileTimePasses(0))
      for (const [method, path] of [
        ["GET", ""],
        ["GET", "/messages"],
        ["DELETE", ""]
      ] as const) {
        const answer = yield* caller.call(method, `/chat-sessions/${id}${path}`)
        assert.deepStrictEqual(refusalOf(answer), [404, "CHAT_SESSION_NOT_FOUND"])
      }
      assert.isNull(recordOf(yield* caller.call("GET", `/chat-sessions/${id}/context`)).context)
      assert.deepStrictEqual(
        (yield* list()).data.map((one) => one.id),
        [other]
      )
      assert.deepStrictEqual(
        yield* sql`select session_id from session_contexts where organisation_id = ${caller.tenancy.organisation}`,
        []
      )
      yield* say(id, "text again")
      assert.deepStrictEqual(textsOf(pageOf(yield* caller.call("GET", `/chat-sessions/${id}/messages`)).data), [
        "Hello there.",
        "text again"
      ])
      // one that has only a context yet
      const bare = randomUUID()
      yield* caller.call("PUT", `/chat-sessions/${bare}/context`, { body: { context: "The user is Ada." } })
      assert.strictEqual((yield* caller.call("DELETE", `/chat-sessions/${bare}`)).status, 204)
    })
  )

  it.effect("are there for their organisation and environment alone", () =>
    Effect.gen(function* () {
      const { app, caller, say } = yield* talking
      const id = randomUUID()
      yield* say(id, "text")
      for (const { call } of [yield* app.caller([]), yield* inProduction(caller)]) {
        assert.deepStrictEqual(pageOf(yield* call("GET", "/chat-sessions")).data, [])
        for (const [method, path] of [
          ["GET", `/chat-sessions/${id}`],
          ["GET", `/chat-sessions/${id}/messages`],
          ["DELETE", `/chat-sessions/${id}`]
        ] as const) {
          assert.deepStrictEqual(refusalOf(yield* call(method, path)), [404, "CHAT_SESSION_NOT_FOUND"])
        }
      }
      assert.strictEqual((yield* caller.call("GET", `/chat-sessions/${id}`)).status, 200)
      assert.deepStrictEqual(refusalOf(yield* caller.call("GET", "/chat-sessions/1")), [400, "INVALID_PARAMETER"])
      yield* caller.call("DELETE", `/end-users/${caller.endUser}`)
      assert.deepStrictEqual(pageOf(yield* caller.call("GET", "/chat-sessions")).data, [])
    })
  )
})
