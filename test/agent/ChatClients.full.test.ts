import { HttpLayerRouter, HttpServer } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import {
  AbstractChat,
  type ChatState,
  type ChatStatus,
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage
} from "ai"
import { Effect, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { routes } from "../../src/Http.ts"
import { routerConfig } from "../../src/RouteTable.ts"
import { InProcess } from "../../src/InProcess.ts"
import {
  type Caller,
  type Doc,
  errorsOf,
  type Options,
  refusalOf,
  SandboxApplication,
  whileTimePasses
} from "../support/SandboxApplication.ts"
import { turn } from "./ChatFrames.ts"
import { chattingApplication, FakeModel, promptOf } from "./FakeModel.ts"
import { doc, workspaceOf } from "./McpClient.ts"
import { seen } from "./TestToolkit.ts"

/** A page's state, kept as `useChat` keeps it. */
class Shown implements ChatState<UIMessage> {
  status: ChatStatus = "ready"
  error: Error | undefined = undefined
  messages: Array<UIMessage> = []
  pushMessage = (message: UIMessage) => {
    this.messages = [...this.messages, message]
  }
  popMessage = () => {
    this.messages = this.messages.slice(0, -1)
  }
  replaceMessage = (index: number, message: UIMessage) => {
    this.messages = this.messages.with(index, structuredClone(message))
  }
  snapshot = <T>(thing: T): T => structuredClone(thing)
}

/** The core of `useChat`. */
class Chat extends AbstractChat<UIMessage> {}

const helped = Effect.gen(function* () {
  const caller = yield* (yield* SandboxApplication).caller([])
  yield* (yield* InProcess).connect(caller.tenancy, caller.endUser, "helpdesk")
  return { caller, workspace: yield* workspaceOf(caller, { integrations: ["helpdesk"] }), session: randomUUID() }
})
type Helped = Effect.Effect.Success<typeof helped>

const headersOf = ({ endUser, tenancy }: Caller, session: string | undefined) => ({
  authorization: `Bearer ${Redacted.value(tenancy.key)}`,
  "x-end-user-id": endUser,
  ...(session === undefined ? {} : { "x-session-id": session })
})

/** A page with a chat; `fetch` reaches the application. Without a session it is named by `id` alone, as the stock `useChat` names it. */
const pageOf = (
  { caller, session, workspace }: Pick<Helped, "caller" | "workspace"> & { readonly session?: string },
  fetch: typeof globalThis.fetch,
  options: { readonly address?: string; readonly body?: Doc; readonly id?: string } = {}
) => {
  const { address = "http://localhost", body = {}, id = "chat" } = options
  const ends: Array<{ readonly isAbort: boolean; readonly isError: boolean }> = []
  const chat = new Chat({
    id,
    state: new Shown(),
    transport: new DefaultChatTransport({
      api: `${address}/api/v1/mcp/${workspace}/chat`,
      headers: headersOf(caller, session),
      body,
      fetch
    }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    onError: () => {},
    onFinish: ({ isAbort, isError }) => void ends.push({ isAbort, isError })
  })
  const tools = () => chat.messages.flatMap(({ parts }) => parts.filter(isToolUIPart))
  const text = () => (chat.lastMessage?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("")
  return { chat, ends, text, tools }
}

const inProcess = Effect.map(
  InProcess,
  ({ handle }): typeof globalThis.fetch =>
    (address, init) =>
      handle(new Request(address, init))
)

const waiting = (is: () => boolean, milliseconds = 3000) =>
  Effect.promise(async () => {
    const until = Date.now() + milliseconds
    while (!is() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 5))
    assert.isTrue(is(), `not within ${milliseconds} ms`)
  })

const said = (send: () => void | PromiseLike<void>) =>
  Effect.promise(() => Promise.resolve(send())).pipe(whileTimePasses(2500))

layer(chattingApplication(), { timeout: "60 seconds" })("the core of useChat", (it) => {
  it.effect("shows text and tool calls, and sends the whole conversation", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const { chat, ends, text, tools } = pageOf(all, yield* inProcess)
      yield* said(() => chat.sendMessage({ text: "text" }))
      assert.strictEqual(text(), "Hello there.")
      assert.deepInclude(doc(chat.lastMessage?.metadata), { sessionId: all.session })
      yield* said(() => chat.sendMessage({ text: 'call helpdesk_get_ticket {"id":"5"}' }))
      assert.deepStrictEqual(
        tools().map(({ state }) => state),
        ["output-available"]
      )
      assert.strictEqual(text(), "Done.")
      assert.lengthOf(chat.messages, 4)
      assert.strictEqual(chat.status, "ready")
      assert.deepStrictEqual(
        ends,
        Array.from({ length: 2 }, () => ({ isAbort: false, isError: false }))
      )
      const { requests } = yield* FakeModel
      assert.strictEqual(promptOf(requests.at(-1)).said.filter(({ role }) => role === "user").length, 2)
    })
  )

  it.effect("shows failed calls, a failed model, and goes on", () =>
    Effect.gen(function* () {
      const { chat, text, tools } = pageOf(yield* helped, yield* inProcess)
      yield* said(() => chat.sendMessage({ text: 'call helpdesk_fail {"reason":"down"}' }))
      yield* said(() => chat.sendMessage({ text: "call helpdesk_get_ticket {broken" }))
      yield* said(() => chat.sendMessage({ text: "call helpdesk_no_such {}" }))
      assert.strictEqual(chat.status, "ready", chat.error?.message)
      assert.deepStrictEqual(
        tools().map(({ state }) => state),
        ["output-error", "output-error", "output-error"]
      )
      assert.strictEqual(chat.status, "ready")
      for (const scenario of ["key", "limited", "dies"]) {
        yield* said(() => chat.sendMessage({ text: scenario }))
        assert.strictEqual(chat.status, "error", scenario)
        assert.match(chat.error?.message ?? "", /^The model/)
        yield* said(() => chat.sendMessage({ text: "text" }))
        assert.strictEqual(chat.status, "ready", chat.error?.message)
        assert.strictEqual(text(), "Hello there.")
      }
    })
  )

  it.effect("shows the service's own words when it is refused", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const { chat } = pageOf({ ...all, workspace: randomUUID() }, yield* inProcess)
      yield* said(() => chat.sendMessage({ text: "text" }))
      assert.strictEqual(chat.status, "error")
      assert.deepInclude(doc(JSON.parse(chat.error?.message ?? "{}")), { statusCode: 404, code: "WORKSPACE_NOT_FOUND" })
    })
  )

  it.effect("has nothing to resume", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const { chat } = pageOf(all, yield* inProcess)
      yield* Effect.promise(() => chat.resumeStream())
      assert.strictEqual(chat.status, "ready")
      const gone = yield* all.caller.call("GET", `/mcp/${randomUUID()}/chat/x/stream`)
      assert.deepStrictEqual(refusalOf(gone), [404, "WORKSPACE_NOT_FOUND"])
    })
  )

  it.effect("asks before something is changed, and does it once it is approved", () =>
    Effect.gen(function* () {
      const { chat, text, tools } = pageOf(yield* helped, yield* inProcess, { body: { toolApproval: "writes" } })
      const id = randomUUID()
      yield* said(() => chat.sendMessage({ text: `call helpdesk_close_ticket {"id":"${id}"}` }))
      const [asked] = tools()
      assert.strictEqual(asked?.state, "approval-requested")
      assert.notInclude(seen.written, id)
      const approvalId = asked?.approval?.id ?? ""
      yield* said(() => chat.addToolApprovalResponse({ id: approvalId, approved: true }))
      yield* waiting(() => chat.status === "ready" && text() !== "").pipe(whileTimePasses(2500))
      assert.deepStrictEqual(
        seen.written.filter((one) => one === id),
        [id]
      )
      assert.strictEqual(tools()[0]?.state, "output-available")
      assert.lengthOf(chat.messages, 2)
      assert.strictEqual(text(), "Done.")
    })
  )

  it.effect(
    "without a session in the headers, the chat's own id names it: approved means done, for its end user alone",
    () =>
      Effect.gen(function* () {
        const { caller, workspace } = yield* helped
        const fetch = yield* inProcess
        const others = { ...caller, endUser: "another" }
        yield* (yield* InProcess).connect(caller.tenancy, others.endUser, "helpdesk")
        const open = (caller: Caller, id?: string) =>
          pageOf({ caller, workspace }, fetch, {
            body: { toolApproval: "writes" },
            ...(id === undefined ? {} : { id })
          })
        const sessionOf = ({ chat }: ReturnType<typeof open>) => doc(chat.lastMessage?.metadata).sessionId
        const approved = Effect.fnUntraced(function* ({ chat, text, tools }: ReturnType<typeof open>) {
          yield* said(() => chat.addToolApprovalResponse({ id: tools()[0]?.approval?.id ?? "", approved: true }))
          yield* waiting(() => chat.status === "ready" && text() !== "").pipe(whileTimePasses(2500))
          return tools()[0]?.state
        })

        const first = open(caller)
        const ticket = randomUUID()
        yield* said(() => first.chat.sendMessage({ text: `call helpdesk_close_ticket {"id":"${ticket}"}` }))
        const session = sessionOf(first)
        assert.match(String(session), /^[0-9a-f]{8}-[0-9a-f]{4}-5/)
        // what it was asked there is answered in a chat of somebody else's of the same id, and in another one of their own
        for (const page of [open(others), open(caller, "another")]) {
          page.chat.messages = first.chat.messages
          assert.strictEqual(yield* approved(page), "output-denied")
          yield* said(() => page.chat.sendMessage({ text: "text" }))
          assert.notStrictEqual(sessionOf(page), session)
        }
        assert.notInclude(seen.written, ticket)
        // the page is opened again, with the messages it kept
        const again = open(caller)
        again.chat.messages = first.chat.messages
        assert.strictEqual(yield* approved(again), "output-available")
        assert.strictEqual(sessionOf(again), session)
        assert.deepStrictEqual(
          seen.written.filter((one) => one === ticket),
          [ticket]
        )
      })
  )

  it.effect("the last message alone goes on with the conversation of its chat's id", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* helped
      const post = (body: Doc, headers: Options["headers"] = {}) =>
        caller.call("POST", `/mcp/${workspace}/chat`, { body: { message: "text", ...body }, headers })
      const { requests } = yield* FakeModel
      const turns = Effect.fnUntraced(function* (body: Doc, headers: Options["headers"] = {}) {
        assert.strictEqual((yield* post(body, headers)).status, 200)
        return promptOf(requests.at(-1)).said.filter(({ role }) => role === "user").length
      })
      assert.strictEqual(yield* turns({ id: "a" }), 1)
      assert.strictEqual(yield* turns({ id: "a" }), 2)
      assert.strictEqual(yield* turns({ id: "b" }), 1)
      assert.strictEqual(yield* turns({ id: "a" }, { "x-session-id": randomUUID() }), 1)
      assert.strictEqual(yield* turns({ id: "a" }, { "x-end-user-id": "another" }), 1)
      assert.strictEqual(yield* turns({ id: "a" }, { "x-end-user-id": undefined }), 1)
      assert.strictEqual(yield* turns({}), 1)
      assert.strictEqual(yield* turns({}), 1)
      assert.strictEqual(yield* turns({ id: "a" }), 3)
      for (const id of ["", 5, null]) assert.property(errorsOf(yield* post({ id })), "id")
    })
  )

  it.effect("a page that says nothing of approvals shows the link of a call that needs consent", () =>
    Effect.gen(function* () {
      const mine = yield* helped
      const leash = { body: { confirm: "destructive" } }
      yield* mine.caller.call("PATCH", `/mcp/workspaces/${mine.workspace}`, leash)
      const { chat, text, tools } = pageOf(mine, yield* inProcess)
      const [direct, routed] = [randomUUID(), randomUUID()]
      yield* said(() => chat.sendMessage({ text: `call helpdesk_close_ticket {"id":"${direct}"}` }))
      const calls = [{ tool: "helpdesk_close_ticket", arguments: { id: routed } }]
      yield* said(() => chat.sendMessage({ text: `call execute_destructive_tools ${JSON.stringify({ calls })}` }))
      for (const { errorText, state } of tools()) {
        assert.strictEqual(state, "output-error")
        assert.match(errorText ?? "", /needs consent.*\/approve\/\S+ and ask for it again\.$/)
      }
      assert.lengthOf(tools(), 2)
      assert.strictEqual(text(), "Done.")
      assert.isEmpty(seen.written.filter((one) => one === direct || one === routed))
    })
  )

  it.effect("what is declined is not done; what only reads is not asked about", () =>
    Effect.gen(function* () {
      const { chat, text, tools } = pageOf(yield* helped, yield* inProcess, { body: { toolApproval: "writes" } })
      const subject = randomUUID()
      const calls = [
        { tool: "helpdesk_get_ticket", arguments: { id: "1" } },
        { tool: "helpdesk_create_ticket", arguments: { subject } }
      ]
      yield* said(() => chat.sendMessage({ text: `call execute_tools ${JSON.stringify({ calls })}` }))
      const approvalId = tools()[0]?.approval?.id ?? ""
      yield* said(() => chat.addToolApprovalResponse({ id: approvalId, approved: false, reason: "not now" }))
      yield* waiting(() => chat.status === "ready" && text() !== "").pipe(whileTimePasses(2500))
      assert.strictEqual(tools()[0]?.state, "output-denied")
      assert.notInclude(seen.written, subject)
      const read = JSON.stringify({ calls: calls.slice(0, 1) })
      yield* said(() => chat.sendMessage({ text: `call execute_tools ${read}` }))
      assert.strictEqual(tools().at(-1)?.state, "output-available")
    })
  )

  it.effect("an approval counts once, for the call, the session and the end user it was asked for", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const { caller, workspace } = all
      const { chat, tools } = pageOf(all, yield* inProcess, { body: { toolApproval: "writes" } })
      const id = randomUUID()
      yield* said(() => chat.sendMessage({ text: `call helpdesk_close_ticket {"id":"${id}"}` }))
      const [user, assistant] = chat.messages
      const answering = (change: Doc, approval: Doc = {}) => {
        const parts = (assistant?.parts ?? []).map((part) =>
          isToolUIPart(part)
            ? {
                ...part,
                ...change,
                state: "approval-responded",
                approval: { ...part.approval, approved: true, ...approval }
              }
            : part
        )
        return { messages: [user, { ...assistant, parts }], toolApproval: "writes" }
      }
      const asked = tools()[0]?.approval
      assert.match(asked?.signature ?? "", /^[\w.-]+$/)
      const post = (body: Doc, session: string = all.session) =>
        turn(caller, workspace, body, { "x-session-id": session })
      const denied = Effect.fnUntraced(function* (body: Doc, session?: string) {
        const frames = yield* post(body, session)
        assert.include(
          frames.map(({ type }) => type),
          "tool-output-denied"
        )
        assert.notInclude(seen.written, id)
      })
      yield* denied(answering({ input: { id: "another" } }))
      yield* denied(answering({}, { signature: undefined }))
      yield* denied(answering({}, { signature: `${asked?.signature ?? ""}x` }))
      yield* denied(answering({ toolCallId: "call_99" }))
      yield* denied(answering({}), randomUUID())
      const frames = yield* post(answering({}))
      assert.include(
        frames.map(({ type }) => type),
        "tool-output-available"
      )
      yield* post(answering({}))
      assert.deepStrictEqual(
        seen.written.filter((one) => one === id),
        [id]
      )
    })
  )

  it.effect("an approval of one call does not run another of the same id", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const { chat } = pageOf(all, yield* inProcess, { body: { toolApproval: "writes" } })
      const [approved, other] = [randomUUID(), randomUUID()]
      yield* said(() => chat.sendMessage({ text: `call helpdesk_close_ticket {"id":"${approved}"}` }))
      const [user, assistant] = chat.messages
      const parts = (assistant?.parts ?? []).map((part) =>
        isToolUIPart(part)
          ? { ...part, state: "approval-responded", approval: { ...part.approval, approved: true } }
          : part
      )
      const at = parts.findIndex((part) => "toolCallId" in part)
      const asked = parts[at]
      const forged = { ...asked, input: { calls: [{ tool: "helpdesk_close_ticket", arguments: { id: other } }] } }
      const post = (messages: ReadonlyArray<unknown>) =>
        all.caller.call("POST", `/mcp/${all.workspace}/chat`, {
          body: { messages, toolApproval: "writes" },
          headers: { "x-session-id": all.session }
        })
      // a message of nothing, as clients keep it of a turn that failed, counts all the same
      const empty = { id: "e", role: "assistant", parts: [] }
      for (const [part, field] of [
        [forged, "toolCallId"],
        [{ ...forged, approval: undefined, state: "input-available" }, "toolCallId"],
        [{ ...forged, toolCallId: "call_other" }, "approval.id"]
      ] as const) {
        const beside = yield* post([user, empty, { ...assistant, parts: [...parts, part] }])
        assert.strictEqual(beside.status, 422)
        assert.property(errorsOf(beside), `messages.2.parts.${parts.length}.${field}`)
      }
      assert.notInclude(seen.written, approved)
      // models give an id again in another turn: it is the last one's that counts
      const before = { id: "b", role: "assistant", parts: [{ type: "step-start" }, forged] }
      assert.strictEqual((yield* post([user, before, user, before, user, { ...assistant, parts }])).status, 200)
      assert.deepStrictEqual(
        seen.written.filter((one) => one === approved || one === other),
        [approved]
      )
    })
  )

  it.effect("a question that was left behind does not stop the conversation", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const { chat, text } = pageOf(all, yield* inProcess, { body: { toolApproval: "writes" } })
      yield* said(() => chat.sendMessage({ text: 'call helpdesk_close_ticket {"id":"left"}' }))
      yield* said(() => chat.sendMessage({ text: "text" }))
      assert.strictEqual(text(), "Hello there.")
      assert.notInclude(seen.written, "left")
    })
  )

  it.scoped("leaving stops the model and the tools within a second", () =>
    Effect.gen(function* () {
      const all = yield* helped
      const { open } = yield* FakeModel
      const server = yield* NodeHttpServer.make(createServer, { host: "127.0.0.1", port: 0 })
      const app = yield* HttpLayerRouter.toHttpEffect(routes).pipe(
        Effect.provideService(HttpLayerRouter.RouterConfig, routerConfig)
      )
      yield* server.serve(app)
      const page = () => pageOf(all, globalThis.fetch, { address: HttpServer.formatAddress(server.address) })

      const slow = page()
      const answering = slow.chat.sendMessage({ text: "slow" })
      yield* waiting(() => slow.text().length > 20)
      assert.strictEqual(open(), 1)
      yield* Effect.promise(() => slow.chat.stop())
      yield* waiting(() => open() === 0, 1000)
      yield* Effect.promise(() => answering)
      assert.strictEqual(slow.chat.status, "ready")
      assert.deepStrictEqual(slow.ends, [{ isAbort: true, isError: false }])

      const busy = page()
      const id = randomUUID()
      const calling = busy.chat.sendMessage({ text: `call helpdesk_wait {"id":"${id}"}` })
      yield* waiting(() => seen.started.has(id))
      yield* Effect.promise(() => busy.chat.stop())
      yield* waiting(() => seen.interrupted.has(id), 1000)
      yield* Effect.promise(() => calling)

      // what was said until then is there in the next turn
      yield* turn(all.caller, all.workspace, "text", { "x-session-id": all.session })
      const { requests } = yield* FakeModel
      assert.include(JSON.stringify(promptOf(requests.at(-1)).said), `helpdesk_wait {\\"id\\":\\"${id}`)
    }).pipe(Effect.provide(HttpServer.layerContext))
  )
})
