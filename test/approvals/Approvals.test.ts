import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { randomUUID } from "node:crypto"
import { InProcess } from "../../src/InProcess.ts"
import {
  type Doc,
  errorsOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  walk,
  inProduction
} from "../support/SandboxApplication.ts"
import { turn } from "../agent/ChatFrames.ts"
import { chattingApplication, FakeModel, promptOf } from "../agent/FakeModel.ts"
import { connected, doc, docs, workspaceOf } from "../agent/McpClient.ts"
import { seen } from "../agent/TestToolkit.ts"
import { full } from "../support/Full.ts"

layer(chattingApplication(), { timeout: "60 seconds" })("a call that needs consent where nobody can be asked", (it) => {
  /** A caller whose end user has connected the help desk, and a workspace that asks before it destroys. */
  const leashed = Effect.gen(function* () {
    const caller = yield* (yield* SandboxApplication).caller([])
    const connection = yield* (yield* InProcess).connect(caller.tenancy, caller.endUser, "helpdesk")
    const workspace = yield* workspaceOf(caller, { confirm: "destructive" })
    return { caller, connection, workspace, ...(yield* connected(caller, workspace)) }
  })
  type Leashed = Effect.Effect.Success<typeof leashed>

  const close = ({ callTool }: Pick<Leashed, "callTool">, args: Doc) => callTool("helpdesk_close_ticket", args)

  const errorOf = ({ content, isError }: { readonly content: Doc; readonly isError: boolean }) => {
    assert.isTrue(isError, JSON.stringify(content))
    return doc(content.error)
  }

  /** The path of the page to which a call that did not run leads. */
  const pathOf = (answer: Parameters<typeof errorOf>[0]) => {
    const error = errorOf(answer)
    assert.strictEqual(error.code, "approval_required")
    return new URL(String(error.approval_url)).pathname
  }

  const open = (path: string) =>
    Effect.flatMap(SandboxApplication, ({ send }) => Effect.map(send("GET", path), ({ body }) => String(body)))

  const press = (path: string, form: string, headers: { readonly [name: string]: string } = {}) =>
    Effect.flatMap(SandboxApplication, ({ send }) =>
      send("POST", path, {
        body: form,
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers }
      })
    )

  const times = (id: string) => seen.written.filter((one) => one === id).length

  const waiting = ({ caller }: Pick<Leashed, "caller">, query = "?status=pending") =>
    Effect.map(caller.call("GET", `/approvals${query}`), (answer) => pageOf(answer).data)

  /** The calls of tools, newest first, as the audit tells them. */
  const audited = ({ caller, workspace }: Pick<Leashed, "caller" | "workspace">) =>
    Effect.map(caller.call("GET", `/tool-calls?workspaceId=${workspace}`), (answer) =>
      pageOf(answer).data.map(({ approvalId, decision, outcome }) => [decision, outcome, approvalId])
    )

  it.scoped("runs once after the end user has pressed the button behind its link", () =>
    Effect.gen(function* () {
      const all = yield* leashed
      const id = randomUUID()
      const path = pathOf(yield* close(all, { id }))
      const page = yield* open(path)
      for (const shown of ["Close ticket", "helpdesk_close_ticket", id, "Help desk", all.caller.endUser]) {
        assert.include(page, shown)
      }
      // opening it approves nothing, however often
      yield* open(path)
      assert.strictEqual(pathOf(yield* close(all, { id })), path)
      assert.strictEqual(times(id), 0)

      const pressed = yield* press(path, "decision=approve", { "sec-fetch-site": "same-origin" })
      assert.strictEqual(pressed.status, 303)
      assert.strictEqual(new URL(pressed.headers.get("location") ?? "", `http://localhost${path}`).pathname, path)
      assert.include(yield* open(path), "Approved")
      assert.strictEqual(times(id), 0)

      assert.isFalse((yield* close(all, { id })).isError)
      assert.strictEqual(times(id), 1)
      assert.include(yield* open(path), "Done")
      const [approval = {}] = yield* waiting(all, "?status=used")
      assert.deepStrictEqual(yield* audited(all), [
        ["allowed", "ok", approval.id],
        ["pending", "approval_required", approval.id],
        ["pending", "approval_required", approval.id]
      ])
      // the next is another call
      assert.notStrictEqual(pathOf(yield* close(all, { id })), path)
      assert.strictEqual(times(id), 1)
    })
  )

  it.scoped("an approval is for exactly this call, whatever the order of its arguments", () =>
    Effect.gen(function* () {
      const all = yield* leashed
      const { caller, connection, workspace } = all
      const id = randomUUID()
      const approve = (answer: Parameters<typeof errorOf>[0]) => press(pathOf(answer), "decision=approve")
      yield* approve(yield* close(all, { id }))
      const other = randomUUID()
      pathOf(yield* close(all, { id: other }))
      const elsewhere = yield* connected(caller, yield* workspaceOf(caller, { confirm: "destructive" }))
      pathOf(yield* close(elsewhere, { id }))
      const app = yield* SandboxApplication
      const neighbour = yield* app.caller([], { tenancy: caller.tenancy, endUser: randomUUID() })
      yield* (yield* InProcess).connect(caller.tenancy, neighbour.endUser, "helpdesk")
      pathOf(yield* close(yield* connected(neighbour, workspace), { id }))
      assert.strictEqual(times(id), 0)
      // which connection is meant may be said or not: it is the same one
      assert.isFalse((yield* close(all, { connection_id: connection, id })).isError)
      assert.deepStrictEqual([times(id), times(other)], [1, 0])

      // once there is another connection, it is another call
      yield* approve(yield* close(all, { id: other }))
      const second = yield* (yield* InProcess).connect(caller.tenancy, caller.endUser, "helpdesk")
      pathOf(yield* close(all, { id: other, connection_id: second }))
      assert.strictEqual(times(other), 0)
      assert.isFalse((yield* close(all, { id: other, connection_id: connection })).isError)
    })
  )

  full(it).scoped(
    "a decision holds for 15 minutes, and the question for a day",
    () =>
      Effect.gen(function* () {
        const all = yield* leashed
        const id = randomUUID()
        const first = pathOf(yield* close(all, { id }))
        yield* TestClock.adjust("23 hours")
        yield* press(first, "decision=approve")
        yield* TestClock.adjust("15 minutes")
        const second = pathOf(yield* close(all, { id }))
        assert.notStrictEqual(second, first)
        assert.include(yield* open(first), "Too late")
        assert.strictEqual(times(id), 0)

        yield* press(second, "decision=refuse")
        assert.include(yield* open(second), "Refused")
        const refused = errorOf(yield* close(all, { id }))
        assert.strictEqual(refused.code, "not_permitted")
        assert.notProperty(refused, "approval_url")
        const [approval = {}] = yield* waiting(all, "?status=refused")
        assert.deepStrictEqual((yield* audited(all)).slice(0, 2), [
          ["denied", "not_permitted", approval.id],
          ["pending", "approval_required", approval.id]
        ])
        yield* TestClock.adjust("15 minutes")
        const third = pathOf(yield* close(all, { id }))

        yield* TestClock.adjust("24 hours")
        yield* press(third, "decision=approve")
        assert.include(yield* open(third), "Too late")
        pathOf(yield* close(all, { id }))
        assert.strictEqual(times(id), 0)
      }),
    // two days of the clock, with all that is done in them
    180_000
  )

  it.scoped("a decision is final, and is not taken from other sites, other words or other links", () =>
    Effect.gen(function* () {
      const all = yield* leashed
      const id = randomUUID()
      const path = pathOf(yield* close(all, { id }))
      const elsewhere = yield* press(path, "decision=approve", { "sec-fetch-site": "cross-site" })
      assert.deepStrictEqual(refusalOf(elsewhere), [403, "FORBIDDEN"])
      for (const form of ["", "decision=yes", "decision=approve&tool=x"]) {
        assert.strictEqual((yield* press(path, form)).status, 422, form)
      }
      const { send } = yield* SandboxApplication
      const [uuid = "", mac = ""] = path.replace("/approve/", "").split(".")
      for (const token of [
        uuid,
        `${randomUUID()}.${mac}`,
        `${uuid}.${mac.replace(/^./, (a) => (a === "A" ? "B" : "A"))}`,
        "x"
      ]) {
        assert.strictEqual((yield* send("GET", `/approve/${token}`)).status, 404, token)
        assert.strictEqual((yield* press(`/approve/${token}`, "decision=approve")).status, 404, token)
      }
      pathOf(yield* close(all, { id }))
      yield* press(path, "decision=refuse")
      yield* press(path, "decision=approve")
      assert.include(yield* open(path), "Refused")
      assert.strictEqual(errorOf(yield* close(all, { id })).code, "not_permitted")
      assert.strictEqual(times(id), 0)
    })
  )

  it.effect("its page loads nothing of others, is framed by nobody, and hides nothing", () =>
    Effect.gen(function* () {
      const caller = yield* (yield* SandboxApplication).caller([])
      yield* (yield* InProcess).connect(caller.tenancy, caller.endUser, "helpdesk")
      const workspace = yield* workspaceOf(caller, { confirm: "destructive" })
      const all = yield* Effect.scoped(
        Effect.flatMap(connected(caller, workspace), (client) =>
          close(client, { id: "<script>1</script>\u202E\u{E0041}\u200Bend" })
        )
      )
      const { send } = yield* SandboxApplication
      const page = yield* send("GET", pathOf(all))
      const policy = page.headers.get("content-security-policy") ?? ""
      for (const rule of ["default-src 'none'", "form-action 'self'", "frame-ancestors 'none'"]) {
        assert.include(policy, rule)
      }
      assert.strictEqual(page.headers.get("cache-control"), "no-store")
      assert.notMatch(String(page.body), /<script/)
      assert.include(String(page.body), "\\u{202e}\\u{e0041}\\u{200b}end")
    })
  )

  it.scoped("the same call made many times at once is asked about once, and consent is used once", () =>
    Effect.gen(function* () {
      const all = yield* leashed
      const id = randomUUID()
      const calls = Array.from({ length: 6 }, () => ({ tool: "helpdesk_close_ticket", arguments: { id } }))
      const many = Effect.map(all.callTool("execute_destructive_tools", { calls }), ({ content }) =>
        docs(content.results)
      )
      const urls = new Set((yield* many).map(({ error }) => doc(error).approval_url))
      assert.strictEqual(urls.size, 1)
      assert.lengthOf(yield* waiting(all), 1)
      yield* press(new URL(String([...urls][0])).pathname, "decision=approve")
      assert.lengthOf(
        (yield* many).filter(({ ok }) => ok === true),
        1
      )
      assert.strictEqual(times(id), 1)
    })
  )

  it.scoped("a write sent again under its key is answered, and needs no second consent", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* leashed
      const all = yield* connected(caller, workspace, { headers: { "idempotency-key": randomUUID() } })
      const id = randomUUID()
      yield* press(pathOf(yield* close(all, { id })), "decision=approve")
      const first = yield* close(all, { id })
      assert.isFalse(first.isError)
      assert.deepStrictEqual(yield* close(all, { id }), first)
      assert.strictEqual(times(id), 1)
    })
  )

  full(it).scoped("the organisation can decide too", () =>
    Effect.gen(function* () {
      const all = yield* leashed
      const { caller, connection, workspace } = all
      const [one, other] = [randomUUID(), randomUUID()]
      const path = pathOf(yield* close(all, { id: one }))
      yield* close(all, { id: other })
      const [second, first] = yield* waiting(all)
      assert.deepInclude(first, {
        status: "pending",
        tool: "helpdesk_close_ticket",
        title: "Close ticket",
        arguments: { id: one },
        connectionId: connection,
        provider: "helpdesk",
        workspaceId: workspace,
        endUserId: caller.endUser,
        decidedBy: null,
        decidedAt: null
      })
      assert.strictEqual(new URL(String(first?.approvalUrl)).pathname, path)
      const decide = (approval: Doc | undefined, decision: unknown) =>
        caller.call("POST", `/approvals/${String(approval?.id)}`, { body: { decision } })
      const approved = recordOf(yield* decide(first, "approve"))
      assert.deepInclude(approved, { status: "approved", decidedBy: "organisation" })
      assert.strictEqual(Date.parse(String(approved.expiresAt)) - Date.parse(String(approved.decidedAt)), 900_000)
      assert.deepStrictEqual(recordOf(yield* caller.call("GET", `/approvals/${String(first?.id)}`)), approved)
      assert.deepInclude(recordOf(yield* decide(second, "refuse")), { status: "refused" })
      for (const [approval, decision] of [
        [first, "approve"],
        [first, "refuse"],
        [second, "approve"]
      ] as const) {
        assert.deepStrictEqual(refusalOf(yield* decide(approval, decision)), [409, "CONFLICT"])
      }
      assert.isFalse((yield* close(all, { id: one })).isError)
      assert.strictEqual(errorOf(yield* close(all, { id: other })).code, "not_permitted")
      assert.deepStrictEqual([times(one), times(other)], [1, 0])
      assert.deepStrictEqual(
        (yield* waiting(all, "")).map(({ status }) => status),
        ["refused", "used"]
      )
      // a workspace that runs unattended
      yield* caller.call("PATCH", `/mcp/workspaces/${workspace}`, { body: { confirm: "never" } })
      const free = yield* connected(caller, workspace)
      assert.isFalse((yield* close(free, { id: other })).isError)
    })
  )

  full(it).scoped("approvals are listed newest first, of their environment, to those who may", () =>
    Effect.gen(function* () {
      const all = yield* leashed
      const { caller } = all
      for (let i = 0; i < 5; i += 1) yield* close(all, { id: `listed ${i}` })
      const { records } = yield* walk(caller.call, "/approvals", 2)
      assert.deepStrictEqual(
        records.map((one) => doc(one.arguments).id),
        [4, 3, 2, 1, 0].map((i) => `listed ${i}`)
      )
      const id = String(records[0]?.id)
      const app = yield* SandboxApplication
      for (const { call } of [yield* app.caller([]), yield* inProduction(caller)]) {
        assert.deepStrictEqual(pageOf(yield* call("GET", "/approvals")).data, [])
        assert.deepStrictEqual(refusalOf(yield* call("GET", `/approvals/${id}`)), [404, "APPROVAL_NOT_FOUND"])
        const decided = yield* call("POST", `/approvals/${id}`, { body: { decision: "approve" } })
        assert.deepStrictEqual(refusalOf(decided), [404, "APPROVAL_NOT_FOUND"])
      }
      const cursor = pageOf(yield* caller.call("GET", "/approvals?limit=2")).pagination.cursor ?? ""
      for (const query of ["?status=open", "?limit=0", "?size=1", "?cursor=x", `?status=used&cursor=${cursor}`]) {
        assert.strictEqual((yield* caller.call("GET", `/approvals${query}`)).status, 400, query)
      }
      assert.strictEqual((yield* caller.call("GET", "/approvals/mine")).status, 400)
      const wrong = (body: unknown) => Effect.map(caller.call("POST", `/approvals/${id}`, { body }), errorsOf)
      assert.deepStrictEqual(yield* wrong({}), { decision: "is required" })
      assert.deepStrictEqual(yield* wrong({ decision: "yes" }), { decision: "must be approve or refuse" })
      assert.deepStrictEqual(Object.keys(yield* wrong({ decision: "approve", args: {} })), ["args"])
      yield* TestClock.adjust("24 hours")
      assert.deepStrictEqual(yield* waiting(all), [])
      assert.lengthOf(yield* waiting(all, "?status=expired"), 5)
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        update approvals set created_at = created_at - interval '30 days'
        where organisation_id = ${caller.tenancy.organisation}`
      yield* TestClock.adjust("2 hours")
      const left = yield* Effect.repeat(waiting(all, ""), { until: (rows) => rows.length === 0, times: 100 })
      assert.deepStrictEqual(left, [])
    })
  )

  it.scoped("a key of agents alone does not decide for itself", () =>
    Effect.gen(function* () {
      const all = yield* leashed
      yield* close(all, { id: randomUUID() })
      const [approval] = yield* waiting(all)
      const { key } = recordOf(
        yield* all.caller.call("POST", "/api-keys", { body: { name: "Agent", scopes: ["agents"] } })
      )
      const headers = { authorization: `Bearer ${String(key)}` }
      const decided = yield* all.caller.call("POST", `/approvals/${String(approval?.id)}`, {
        body: { decision: "approve" },
        headers
      })
      assert.deepStrictEqual(refusalOf(decided), [403, "FORBIDDEN"])
    })
  )

  it.scoped("is told as an event, once, with nothing of its arguments", () =>
    Effect.gen(function* () {
      const all = yield* leashed
      const { caller, connection, workspace } = all
      const id = randomUUID()
      yield* close(all, { id })
      yield* close(all, { id })
      const [approval] = yield* waiting(all)
      const { data } = pageOf(yield* caller.call("GET", "/events?types=approval.requested"))
      assert.lengthOf(data, 1)
      assert.deepStrictEqual(doc(data[0]?.data), {
        approvalId: approval?.id,
        workspaceId: workspace,
        endUserId: caller.endUser,
        connectionId: connection,
        provider: "helpdesk",
        tool: "helpdesk_close_ticket"
      })
      assert.notInclude(JSON.stringify(data), id)
    })
  )

  it.scoped("rests encrypted, and goes with its end user", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const all = yield* leashed
      const { caller } = all
      const id = randomUUID()
      const path = pathOf(yield* close(all, { id }))
      const [row] = yield* sql`select * from approvals where organisation_id = ${caller.tenancy.organisation}`
      assert.notInclude(JSON.stringify(row), id)
      const exported = recordOf(yield* caller.call("GET", `/end-users/${caller.endUser}/export`))
      assert.deepInclude(docs(doc(exported.stored).approvals)[0], { arguments: { id }, status: "pending" })
      const erased = recordOf(yield* caller.call("DELETE", `/end-users/${caller.endUser}`))
      assert.deepInclude(doc(erased.erased), { approvals: 1 })
      assert.include(yield* open(path), "leads nowhere")
      assert.deepStrictEqual(yield* waiting(all, ""), [])
    })
  )

  it.scoped("is not asked about when its arguments do not fit", () =>
    Effect.gen(function* () {
      const all = yield* leashed
      const error = errorOf(yield* close(all, { ticket: "7" }))
      assert.deepInclude(error, { code: "invalid_arguments" })
      assert.hasAllKeys(error.errors, ["id", "ticket"])
      assert.deepStrictEqual(yield* waiting(all, ""), [])
    })
  )

  it.scoped("so many that nobody reads them are not asked about", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const all = yield* leashed
      yield* close(all, { id: "first" })
      yield* sql`
        insert into approvals (id, organisation_id, environment, workspace_id, end_user, tool, title, arguments, digest,
          status, created_at, expires_at)
        select gen_random_uuid(), organisation_id, environment, workspace_id, end_user, tool, title, arguments,
          convert_to(n::text, 'UTF8'), status, created_at, expires_at
        from approvals, generate_series(1, 99) n where organisation_id = ${all.caller.tenancy.organisation}`
      const error = errorOf(yield* close(all, { id: "one too many" }))
      assert.strictEqual(error.code, "not_permitted")
      assert.match(String(error.message), /too many/)
      // what was asked before still is
      pathOf(yield* close(all, { id: "first" }))
    })
  )

  it.scoped("in chat the model is told what to hand on, and goes on once it is approved", () =>
    Effect.gen(function* () {
      const { caller, workspace } = yield* leashed
      const id = randomUUID()
      const session = { "x-session-id": randomUUID() }
      const ask = `call helpdesk_close_ticket ${JSON.stringify({ id })}`
      yield* turn(caller, workspace, ask, session)
      const { requests } = yield* FakeModel
      const told = promptOf(requests.at(-1)).said.at(-1)
      const [url = ""] = /http[^"\\]+\/approve\/[\w.-]+/.exec(JSON.stringify(told)) ?? []
      yield* press(new URL(url).pathname, "decision=approve")
      yield* turn(caller, workspace, ask, session)
      assert.strictEqual(times(id), 1)
    })
  )
})
