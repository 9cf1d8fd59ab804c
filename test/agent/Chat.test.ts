import { SqlClient } from "@effect/sql"
import { assert, it as plain, layer } from "@effect/vitest"
import { ConfigProvider, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { LanguageModel } from "../../src/agent/LanguageModel.ts"
import { InProcess } from "../../src/InProcess.ts"
import { Shutdown } from "../../src/platform/Shutdown.ts"
import {
  type Doc,
  errorsOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  whileTimePasses,
  inProduction
} from "../support/SandboxApplication.ts"
import { turn, typesOf, wordsOf } from "./ChatFrames.ts"
import { chattingApplication, FakeModel, promptOf } from "./FakeModel.ts"
import { doc, workspaceOf } from "./McpClient.ts"
import { full } from "../support/Full.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("chat without a model", (it) => {
  it.effect("in the sandbox a script answers from the end user's records, and says that it is one", () =>
    Effect.gen(function* () {
      const caller = yield* (yield* SandboxApplication).caller(["hubspot", "quickbooks"])
      const workspace = yield* workspaceOf(caller)
      const contacts = pageOf(yield* caller.call("GET", "/crm/contact?provider=hubspot&limit=2")).data
      const frames = yield* turn(caller, workspace, "list 2 contacts")
      const called = frames.flatMap(({ toolName, type }) => (type === "tool-input-available" ? [toolName] : []))
      assert.deepStrictEqual(called, ["search_tools", "execute_read_tools"])
      const words = wordsOf(frames)
      assert.match(words, /scripted model/)
      for (const { first_name } of contacts) assert.include(words, String(first_name))
      assert.isAbove(frames.filter(({ type }) => type === "text-delta").length, 20)
      assert.strictEqual(wordsOf(yield* turn(caller, workspace, "list 2 contacts")), words)
      assert.match(wordsOf(yield* turn(caller, workspace, "show unpaid invoices")), /accounting_list_invoices answered/)
    })
  )

  full(it).effect("the script says what is missing", () =>
    Effect.gen(function* () {
      const caller = yield* (yield* SandboxApplication).caller(["hubspot"])
      const workspace = yield* workspaceOf(caller)
      assert.match(wordsOf(yield* turn(caller, workspace, "xyzzy")), /no tool/)
      const nobody = yield* turn(caller, workspace, "list contacts", { "x-end-user-id": undefined })
      assert.match(wordsOf(nobody), /not connected for this end user \(the X-End-User-Id header\)/)
      assert.match(wordsOf(yield* turn(caller, workspace, "get a contact")), /crm_/)
    })
  )

  it.effect("with a live key there is none", () =>
    Effect.gen(function* () {
      const caller = yield* (yield* SandboxApplication).caller([], { environment: "production" })
      const workspace = yield* workspaceOf(caller)
      const answer = yield* caller.call("POST", `/mcp/${workspace}/chat`, { body: { message: "hello" } })
      assert.deepStrictEqual(refusalOf(answer), [503, "UNAVAILABLE"])
      assert.match(String(doc(answer.body).message), /LLM_PROVIDER/)
    })
  )
})

const said = Effect.map(FakeModel, ({ requests }) => promptOf(requests.at(-1)))

const contentsOf = (prompt: Effect.Effect.Success<typeof said>) => prompt.said.map(({ content }) => content)

/** Opens streams on which the model says nothing, until they are left. */
const silent = Effect.gen(function* () {
  const app = yield* SandboxApplication
  const caller = yield* app.caller([])
  const workspace = yield* workspaceOf(caller)
  const { handle } = yield* InProcess
  const open = (tenancy = caller.tenancy, id = workspace) =>
    handle(
      new Request(`http://localhost/api/v1/mcp/${id}/chat`, {
        method: "POST",
        headers: { authorization: `Bearer ${Redacted.value(tenancy.key)}`, "content-type": "application/json" },
        body: JSON.stringify({ message: "silent" })
      })
    )
  return { app, open }
})

layer(chattingApplication(), { timeout: "60 seconds" })("chat", (it) => {
  const talking = Effect.gen(function* () {
    const app = yield* SandboxApplication
    const caller = yield* app.caller([])
    const session = randomUUID()
    const workspace = yield* workspaceOf(caller, { integrations: ["helpdesk"] })
    const post = (body: unknown, headers: { readonly [name: string]: string | undefined } = {}) =>
      caller.call("POST", `/mcp/${workspace}/chat`, { body, headers: { "x-session-id": session, ...headers } })
    return {
      app,
      caller,
      session,
      workspace,
      post,
      say: (message: string) => turn(caller, workspace, message, { "x-session-id": session })
    }
  })

  it.effect("answers as the stream of the AI SDK, which no proxy keeps back", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* talking
      const answer = yield* caller.call("POST", `/mcp/${workspace}/chat`, {
        body: { message: "text", id: "x", trigger: "y" }
      })
      const headers = Object.fromEntries(answer.headers)
      assert.deepInclude(headers, {
        "content-type": "text/event-stream",
        "cache-control": "no-store, no-transform",
        "x-accel-buffering": "no",
        "x-vercel-ai-ui-message-stream": "v1"
      })
      const session = headers["x-session-id"] ?? ""
      assert.match(session, /^[0-9a-f-]{36}$/)
      // the session that was made up goes on under the id that was told
      yield* turn(caller, workspace, "text again", { "x-session-id": session.toUpperCase() })
      assert.deepStrictEqual(contentsOf(yield* said).slice(0, 1), ["text"])
    })
  )

  it.effect("what was said is there in the next turn, and nowhere else", () =>
    Effect.gen(function* () {
      const { caller, say, workspace } = yield* talking
      yield* say("text one")
      yield* say("text two")
      assert.deepStrictEqual(contentsOf(yield* said), ["text one", "Hello there.", "text two"])
      yield* turn(caller, workspace, "text three", { "x-session-id": randomUUID() })
      assert.deepStrictEqual(contentsOf(yield* said), ["text three"])
    })
  )

  it.effect("what was said until the client left is kept", () =>
    Effect.gen(function* () {
      const { caller, say, session, workspace } = yield* talking
      const { handle } = yield* InProcess
      const { open } = yield* FakeModel
      yield* Effect.promise(async () => {
        const { body } = await handle(
          new Request(`http://localhost/api/v1/mcp/${workspace}/chat`, {
            method: "POST",
            headers: {
              authorization: `Bearer ${Redacted.value(caller.tenancy.key)}`,
              "x-end-user-id": caller.endUser,
              "x-session-id": session,
              "content-type": "application/json"
            },
            body: JSON.stringify({ message: "slow" })
          })
        )
        const reader = body?.getReader()
        for (let text = ""; !/(word [^]*){3}/.test(text);) {
          text += new TextDecoder().decode((await reader?.read())?.value)
        }
        await reader?.cancel()
        while (open() > 0) await new Promise((done) => setTimeout(done, 5))
      }).pipe(whileTimePasses(0))
      yield* say("text")
      const [slow, words, ...rest] = contentsOf(yield* said)
      assert.deepStrictEqual([slow, ...rest], ["slow", "text"])
      assert.match(String(words), /^(word ){3,}$/)
    })
  )

  it.effect("turns of a session at the same moment are all kept", () =>
    Effect.gen(function* () {
      const { say } = yield* talking
      yield* Effect.forEach(["text a", "text b", "text c", "text d"], say, { concurrency: "unbounded" })
      yield* say("text last")
      assert.includeMembers(contentsOf(yield* said), ["text a", "text b", "text c", "text d"])
    })
  )

  it.effect("a conversation that the client keeps takes the place of what was said", () =>
    Effect.gen(function* () {
      const { post, say } = yield* talking
      yield* say("text server")
      const message = (role: string, text: string) => ({ id: randomUUID(), role, parts: [{ type: "text", text }] })
      const messages = [message("user", "mine"), message("assistant", "yes"), message("user", "text now")]
      assert.strictEqual((yield* post({ messages })).status, 200)
      assert.deepStrictEqual(contentsOf(yield* said), ["mine", "yes", "text now"])
      yield* say("text then")
      assert.deepStrictEqual(contentsOf(yield* said), ["mine", "yes", "text now", "Hello there.", "text then"])
    })
  )

  it.effect("the context stands in front on every turn, and the rules stay behind it", () =>
    Effect.gen(function* () {
      const { caller, post, say, session } = yield* talking
      const place = `/chat-sessions/${session}/context`
      yield* caller.call("PUT", place, { body: { context: "The user is Ada." } })
      for (const message of ["text 1", "text 2"]) {
        yield* say(message)
        const { system } = yield* said
        assert.isTrue(system.startsWith("The user is Ada.\n\nYou are an agent"))
        assert.match(system, /helpdesk .*not connected/)
        assert.match(system, /never instructions/)
      }
      assert.strictEqual((yield* post({ message: "text", context: "The user is Bob." })).status, 200)
      assert.isTrue((yield* said).system.startsWith("The user is Bob.\n\n"))
      assert.strictEqual(recordOf(yield* caller.call("GET", place)).context, "The user is Bob.")
      yield* post({ message: "text", context: null })
      assert.isTrue((yield* said).system.startsWith("You are an agent"))
      assert.isNull(recordOf(yield* caller.call("GET", place)).context)
    })
  )

  it.effect("a session belongs to the workspace and the end user it was begun with, and to nobody else", () =>
    Effect.gen(function* () {
      const { app, caller, post, say, session } = yield* talking
      yield* say("text")
      const refused = [404, "CHAT_SESSION_NOT_FOUND"] as const
      assert.deepStrictEqual(refusalOf(yield* post({ message: "text" }, { "x-end-user-id": "another" })), refused)
      assert.deepStrictEqual(refusalOf(yield* post({ message: "text" }, { "x-end-user-id": undefined })), refused)
      const other = yield* workspaceOf(caller)
      const elsewhere = yield* caller.call("POST", `/mcp/${other}/chat`, {
        body: { message: "text", context: "not to be written" },
        headers: { "x-session-id": session }
      })
      assert.deepStrictEqual(refusalOf(elsewhere), refused)
      assert.isNull(recordOf(yield* caller.call("GET", `/chat-sessions/${session}/context`)).context)
      // another organisation has a session of its own under the same id
      const stranger = yield* app.caller([])
      yield* turn(stranger, yield* workspaceOf(stranger), "text stranger", { "x-session-id": session })
      assert.deepStrictEqual(contentsOf(yield* said), ["text stranger"])
      const { key, organisation } = { ...caller.tenancy, key: Redacted.value(caller.tenancy.key) }
      assert.isDefined(key)
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`select 1 from chat_sessions where organisation_id = ${organisation}`
      assert.lengthOf(rows, 1)
    })
  )

  it.effect("a workspace of others, or of the other environment, is not there", () =>
    Effect.gen(function* () {
      const { app, caller, workspace } = yield* talking
      const stranger = yield* app.caller([])
      const live = yield* inProduction(caller)
      for (const who of [stranger, live]) {
        const answer = yield* who.call("POST", `/mcp/${workspace}/chat`, { body: { message: "text" } })
        assert.deepStrictEqual(refusalOf(answer), [404, "WORKSPACE_NOT_FOUND"])
      }
      const nobody = yield* app.send("POST", `/api/v1/mcp/${workspace}/chat`, { body: { message: "text" } })
      assert.deepStrictEqual(refusalOf(nobody), [401, "INVALID_API_KEY"])
    })
  )

  it.effect("what was said cannot be read in the database", () =>
    Effect.gen(function* () {
      const { caller, post, session } = yield* talking
      yield* post({ message: "text of the treasure", context: "buried deep" })
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`
        select s.history, c.context from chat_sessions s join session_contexts c using (organisation_id, session_id)
        where s.organisation_id = ${caller.tenancy.organisation} and session_id = ${session}`
      assert.lengthOf(rows, 1)
      assert.isAbove(String(rows[0]?.history).length, 100)
      assert.notMatch(JSON.stringify(rows), /treasure|Hello|buried/)
      // nor be moved to another session
      const moved = randomUUID()
      yield* sql`
        insert into chat_sessions (organisation_id, environment, session_id, workspace_id, end_user, history)
        select organisation_id, environment, ${moved}, workspace_id, end_user, history
        from chat_sessions where session_id = ${session}`
      assert.deepStrictEqual(refusalOf(yield* post({ message: "text" }, { "x-session-id": moved })), [
        500,
        "INTERNAL_ERROR"
      ])
    })
  )

  it.effect("what is wrong with a request is said before the stream begins", () =>
    Effect.gen(function* () {
      const { caller, post, workspace } = yield* talking
      const user = { id: "1", role: "user", parts: [{ type: "text", text: "text" }] }
      const file = { type: "file", mediaType: "text/plain", url: "http://169.254.169.254/" }
      const bodies: ReadonlyArray<readonly [body: Doc, field: string]> = [
        [{}, "message"],
        [{ message: "a", messages: [user] }, "message"],
        [{ message: " " }, "message"],
        [{ message: 1 }, "message"],
        [{ messages: [] }, "messages"],
        [{ messages: "text" }, "messages"],
        [{ messages: [{ ...user, role: "system" }] }, "messages.0.role"],
        [{ messages: [{ role: "user" }] }, "messages.0.parts"],
        [{ messages: [{ ...user, parts: [{ type: "text" }] }] }, "messages"],
        [{ messages: [{ ...user, parts: [] }] }, "messages"],
        [{ messages: [user, { ...user, role: "assistant" }] }, "messages"],
        [{ messages: [{ ...user, parts: [file] }] }, "messages.0.parts.0.url"],
        [{ message: "text", context: "c".repeat(8001) }, "context"],
        [{ message: "text", toolApproval: "maybe" }, "toolApproval"],
        [{ message: "text", outputSchema: "object" }, "outputSchema"],
        [{ message: "text", outputSchema: { type: "array", items: {} } }, "outputSchema"]
      ]
      for (const [body, field] of bodies) {
        const answer = yield* post(body)
        assert.strictEqual(answer.status, 422, JSON.stringify(body).slice(0, 200))
        assert.include(Object.keys(errorsOf(answer)), field, JSON.stringify(body).slice(0, 200))
      }
      const parameter = [400, "INVALID_PARAMETER"] as const
      assert.deepStrictEqual(refusalOf(yield* post({ message: "text" }, { "x-session-id": "1" })), parameter)
      assert.deepStrictEqual(refusalOf(yield* post({ message: "text" }, { "x-connection-id": "1" })), parameter)
      assert.deepStrictEqual(
        refusalOf(yield* caller.call("POST", `/mcp/${workspace}/chat?stream=1`, { body: { message: "text" } })),
        parameter
      )
      assert.deepStrictEqual(
        refusalOf(yield* caller.call("POST", "/mcp/x/chat", { body: { message: "text" } })),
        parameter
      )
      assert.deepStrictEqual(refusalOf(yield* post("{")), [400, "INVALID_JSON"])
      assert.match(
        errorsOf(yield* post({ message: "x".repeat(200_000) })).message ?? "",
        /too long for the model.*187 KB/
      )
      assert.deepStrictEqual(refusalOf(yield* post({ message: "x".repeat(4 * 1024 * 1024) })), [
        413,
        "PAYLOAD_TOO_LARGE"
      ])
      assert.strictEqual((yield* post("message=x", { "content-type": "text/plain" })).status, 415)
      assert.strictEqual((yield* caller.call("GET", `/mcp/${workspace}/chat`)).status, 405)
    })
  )

  full(it).effect("signs of life come every 15 seconds", () =>
    Effect.gen(function* () {
      const { open } = yield* silent
      yield* Effect.promise(async () => {
        const reader = (await open()).body?.getReader()
        let text = ""
        while ((text.match(/^: keep-alive$/gm) ?? []).length < 3) {
          text += new TextDecoder().decode((await reader?.read())?.value)
        }
        await reader?.cancel()
        assert.match(text, /^data: .*"start".*\n\n(: keep-alive\n\n){3}$/)
      }).pipe(whileTimePasses(15_000))
    })
  )

  full(it).effect("an organisation has only so many turns at a time", () =>
    Effect.gen(function* () {
      const { app, open } = yield* silent
      const stranger = yield* app.caller([])
      const elsewhere = yield* workspaceOf(stranger)
      yield* Effect.promise(async () => {
        const streams = new Array<Response>()
        while (streams.length < 100) streams.push(...(await Promise.all(Array.from({ length: 10 }, () => open()))))
        assert.deepStrictEqual([...new Set(streams.map(({ status }) => status))], [200])
        const refused = await open()
        assert.strictEqual(refused.status, 429)
        assert.strictEqual(refused.headers.get("retry-after"), "1")
        const other = await open(stranger.tenancy, elsewhere)
        assert.strictEqual(other.status, 200)
        for (const { body } of [...streams, other]) await body?.cancel()
        const again = await open()
        assert.strictEqual(again.status, 200)
        await again.body?.cancel()
      }).pipe(whileTimePasses(0))
    })
  )
})

layer(chattingApplication({ AGENT_MAX_TURNS: "3" }), { timeout: "60 seconds" })("a process that is full", (it) => {
  it.effect("says when to come again, and takes a turn as soon as another ends", () =>
    Effect.gen(function* () {
      const { app, open } = yield* silent
      const stranger = yield* app.caller([])
      const elsewhere = yield* workspaceOf(stranger)
      yield* Effect.promise(async () => {
        const streams = await Promise.all([open(), open(), open(stranger.tenancy, elsewhere)])
        assert.deepStrictEqual(
          streams.map(({ status }) => status),
          [200, 200, 200]
        )
        const refused = await open(stranger.tenancy, elsewhere)
        assert.strictEqual(refused.status, 503)
        assert.strictEqual(refused.headers.get("retry-after"), "5")
        assert.match(await refused.text(), /as many conversations as it can/)
        await streams[0]?.body?.cancel()
        const again = await open(stranger.tenancy, elsewhere)
        assert.strictEqual(again.status, 200)
        for (const { body } of [...streams.slice(1), again]) await body?.cancel()
      }).pipe(whileTimePasses(0))
    })
  )

  it.effect("serves a burst one after the other", () =>
    Effect.gen(function* () {
      const caller = yield* (yield* SandboxApplication).caller([])
      const workspace = yield* workspaceOf(caller)
      const turns = yield* Effect.all(
        [1, 2, 3].map((n) => turn(caller, workspace, `text ${n}`)),
        {
          concurrency: "unbounded"
        }
      )
      assert.deepStrictEqual(turns.map(wordsOf), ["Hello there.", "Hello there.", "Hello there."])
    })
  )
})

const stopping = Layer.effect(Shutdown, Deferred.make<void>())

layer(Layer.provideMerge(chattingApplication(), stopping), { timeout: "60 seconds" })("a service that stops", (it) => {
  it.effect("ends what is being said, and says so", () =>
    Effect.gen(function* () {
      const caller = yield* (yield* SandboxApplication).caller([])
      const workspace = yield* workspaceOf(caller)
      const stop = yield* Shutdown
      const { open } = yield* FakeModel
      const answering = yield* Effect.fork(turn(caller, workspace, "slow"))
      yield* Effect.promise(async () => {
        while (open() === 0) await new Promise((done) => setTimeout(done, 10))
        await new Promise((done) => setTimeout(done, 100))
      }).pipe(whileTimePasses(0))
      yield* Deferred.succeed(stop, undefined)
      const frames = yield* Fiber.join(answering)
      assert.deepStrictEqual(typesOf(frames).slice(-2), ["text-delta", "abort"])
    })
  )
})

plain.effect("settings of a model that make no sense are refused by name", () =>
  Effect.gen(function* () {
    const wrong: ReadonlyArray<readonly [config: { readonly [name: string]: string }, name: string]> = [
      [{ LLM_PROVIDER: "aol" }, "LLM_PROVIDER"],
      [{ LLM_MODEL: "gpt" }, "LLM_PROVIDER"],
      [{ LLM_PROVIDER: "openai", LLM_API_KEY: "k" }, "LLM_MODEL"],
      [{ LLM_PROVIDER: "anthropic", LLM_MODEL: "m" }, "LLM_API_KEY"],
      [{ LLM_PROVIDER: "openai-compatible", LLM_MODEL: "m" }, "LLM_BASE_URL"],
      [{ LLM_MAX_TOKENS: "0" }, "LLM_MAX_TOKENS"]
    ]
    for (const [config, name] of wrong) {
      const configured = Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(config))))
      const failed = yield* Effect.flip(Effect.scoped(Layer.build(Layer.provide(LanguageModel.layer, configured))))
      assert.include(String(failed), name)
    }
  })
)
