import { assert, layer } from "@effect/vitest"
import { All } from "../../src/providers/All.ts"
import { Effect, Schema } from "effect"
import {
  errorsOf,
  failureOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  inProduction
} from "../support/SandboxApplication.ts"

const Page = Schema.decodeUnknownSync(
  Schema.Struct({
    success: Schema.Literal(true),
    statusCode: Schema.Literal(200),
    message: Schema.String,
    data: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
    meta: Schema.Struct({ total: Schema.Int, page: Schema.Int, limit: Schema.Int, totalPages: Schema.Int })
  }),
  { onExcessProperty: "error" }
)

const nowhere = "6f1c2f0e-0000-4000-8000-000000000000"

layer(sandboxApplication({}, All), { timeout: "60 seconds" })("workspaces", (it) => {
  it.effect("one is made, changed and archived", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([])
      const answer = yield* call("POST", "/mcp/workspaces", { body: { name: "Support", integrations: ["crm"] } })
      assert.strictEqual(answer.status, 201)
      const made = recordOf(answer)
      assert.deepInclude(made, {
        name: "Support",
        mode: "router",
        environment: "sandbox",
        toolkitFilter: ["crm"],
        keepContentDays: 0,
        status: "active"
      })
      assert.strictEqual(made.createdAt, made.updatedAt)
      assert.match(String(made.createdAt), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)

      const path = `/mcp/workspaces/${String(made.id)}`
      const renamed = recordOf(yield* call("PATCH", path, { body: { name: "Sales" } }))
      assert.deepInclude(renamed, { id: made.id, name: "Sales", toolkitFilter: ["crm"], createdAt: made.createdAt })
      const opened = recordOf(yield* call("PATCH", path, { body: { integrations: [] } }))
      assert.deepInclude(opened, { name: "Sales", toolkitFilter: [] })
      assert.deepInclude(recordOf(yield* call("PATCH", path, { body: { confirm: "never" } })), { confirm: "never" })
      assert.deepInclude(recordOf(yield* call("PATCH", path, { body: {} })), { name: "Sales", confirm: "never" })

      const gone = yield* call("DELETE", path)
      assert.deepStrictEqual([gone.status, gone.body], [204, ""])
      for (const [method, options] of [
        ["DELETE", {}],
        ["PATCH", { body: { name: "x" } }]
      ] as const) {
        const again = yield* call(method, path, options)
        assert.deepStrictEqual(refusalOf(again), [404, "WORKSPACE_NOT_FOUND"])
        assert.strictEqual(failureOf(again).message, `workspace ${String(made.id)} not found`)
      }
      assert.deepStrictEqual(Page((yield* call("GET", "/mcp/workspaces")).body).data, [])
    })
  )

  it.effect("without integrations it exposes all; each counts once", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([])
      for (const [body, toolkitFilter] of [
        [{ name: "a" }, []],
        [{ name: "b", integrations: [] }, []],
        [{ name: "c", integrations: ["crm", "accounting", "crm"] }, ["crm", "accounting"]]
      ] as const) {
        assert.deepStrictEqual(recordOf(yield* call("POST", "/mcp/workspaces", { body })).toolkitFilter, toolkitFilter)
      }
    })
  )

  it.effect("has a leash, of which only what is sent changes", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([])
      const loose = recordOf(yield* call("POST", "/mcp/workspaces", { body: { name: "loose" } }))
      const usual = {
        readOnly: false,
        tools: { allow: ["*"], deny: [] },
        confirm: "destructive",
        instructions: null,
        model: null
      }
      assert.deepInclude(loose, usual)
      const leash = {
        readOnly: true,
        tools: { allow: ["crm_*", "accounting_list_*"], deny: ["CRM-delete-*"] },
        confirm: "writes",
        instructions: "Answer in French."
      }
      const made = recordOf(yield* call("POST", "/mcp/workspaces", { body: { name: "tight", ...leash } }))
      assert.deepInclude(made, leash)
      const change = (body: object) =>
        Effect.map(call("PATCH", `/mcp/workspaces/${String(made.id)}`, { body }), recordOf)
      const denied = { tools: { allow: leash.tools.allow, deny: ["*_delete_*"] } }
      assert.deepInclude(yield* change({ tools: { deny: ["*_delete_*"] } }), { ...leash, ...denied })
      assert.deepInclude(yield* change({ readOnly: false, instructions: null }), {
        ...leash,
        ...denied,
        readOnly: false,
        instructions: null
      })
      const [listed] = Page((yield* call("GET", "/mcp/workspaces?limit=1")).body).data
      assert.deepInclude(listed, { tools: denied.tools, confirm: "writes" })
    })
  )

  it.effect("a leash that means nothing is refused, field by field", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([])
      const errors = (body: object) =>
        Effect.map(call("POST", "/mcp/workspaces", { body: { name: "x", ...body } }), errorsOf)
      const idle = yield* errors({ tools: { allow: ["crm_*", "crm_list_contact"], deny: ["fax_*"] } })
      assert.deepStrictEqual(idle, {
        "tools.allow.1": 'fits no tool; did you mean "crm_list_contacts"?',
        "tools.deny.0": "fits no tool"
      })
      assert.match((yield* errors({ tools: { allow: [] } }))["tools.allow"] ?? "", /\["\*"\] allows all/)
      assert.deepStrictEqual(yield* errors({ confirm: "always", readOnly: "yes" }), {
        confirm: "must be never, destructive or writes",
        readOnly: "must be true or false"
      })
      assert.deepStrictEqual(Object.keys(yield* errors({ tools: { only: ["crm_*"] } })), ["tools.only"])
      assert.match((yield* errors({ instructions: "x".repeat(8001) }))["instructions"] ?? "", /at most 8000/)
      // here a script answers in place of a model
      assert.match((yield* errors({ model: "gpt-5" }))["model"] ?? "", /LLM_PROVIDER/)
      assert.deepStrictEqual(pageOf(yield* call("GET", "/mcp/models")).data, [])
      assert.match((yield* errors({ model: "two words" }))["model"] ?? "", /ASCII without spaces/)
    })
  )

  it.effect("pages are newest first, with how much there is", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([])
      assert.deepStrictEqual(Page((yield* call("GET", "/mcp/workspaces")).body).meta, {
        total: 0,
        page: 1,
        limit: 20,
        totalPages: 0
      })
      for (let i = 1; i <= 5; i += 1) yield* call("POST", "/mcp/workspaces", { body: { name: `w${i}` } })
      const page = (query: string) => Effect.map(call("GET", `/mcp/workspaces${query}`), ({ body }) => Page(body))
      const names = ({ data }: typeof Page extends (u: unknown) => infer A ? A : never) => data.map(({ name }) => name)
      const first = yield* page("?limit=2")
      assert.deepStrictEqual([names(first), first.meta], [["w5", "w4"], { total: 5, page: 1, limit: 2, totalPages: 3 }])
      assert.deepStrictEqual(names(yield* page("?limit=2&page=3")), ["w1"])
      assert.deepStrictEqual(names(yield* page("?limit=2&page=4")), [])
      assert.deepStrictEqual(names(yield* page("?page=999999999&limit=100")), [])
      assert.lengthOf((yield* page("")).data, 5)
      for (const query of ["?limit=0", "?limit=101", "?page=0", "?page=x", "?limit=1.5", "?size=3", "?limit="]) {
        assert.deepStrictEqual(
          refusalOf(yield* call("GET", `/mcp/workspaces${query}`)),
          [400, "INVALID_PARAMETER"],
          query
        )
      }
    })
  )

  it.effect("a wrong body is told field by field", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([])
      const errors = (body: unknown) => Effect.map(call("POST", "/mcp/workspaces", { body }), errorsOf)
      assert.deepStrictEqual(yield* errors({}), { name: "is required" })
      assert.deepStrictEqual(yield* errors({ name: "" }), { name: "must be 1 to 100 characters" })
      assert.deepStrictEqual(yield* errors({ name: "x".repeat(101) }), { name: "must be 1 to 100 characters" })
      assert.deepStrictEqual(Object.keys(yield* errors({ name: 7, integrations: "crm", mode: "x" })).sort(), [
        "integrations",
        "mode",
        "name"
      ])
      assert.deepStrictEqual(Object.keys(yield* errors({ name: "x", environment: "production" })), ["environment"])
      assert.match(
        (yield* errors({ name: "x", integrations: ["crm", "faxmachine"] }))["integrations.1"] ?? "",
        /no integration "faxmachine"; there are .*accounting/
      )
      // a family is one character
      const family = "👨‍👩‍👧‍👦".repeat(100)
      assert.strictEqual(recordOf(yield* call("POST", "/mcp/workspaces", { body: { name: family } })).name, family)
      const made = recordOf(yield* call("POST", "/mcp/workspaces", { body: { name: "x" } }))
      const path = `/mcp/workspaces/${String(made.id)}`
      assert.deepStrictEqual(Object.keys(errorsOf(yield* call("PATCH", path, { body: { name: null } }))), ["name"])
      assert.deepStrictEqual(Object.keys(errorsOf(yield* call("PATCH", path, { body: { integrations: [1] } }))), [
        "integrations.0"
      ])
    })
  )

  it.effect("another organisation's and another environment's are not there", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const mine = yield* app.caller([])
      const stranger = yield* app.caller([])
      const live = yield* inProduction(mine)
      const made = recordOf(yield* mine.call("POST", "/mcp/workspaces", { body: { name: "mine" } }))
      assert.deepInclude(recordOf(yield* live.call("POST", "/mcp/workspaces", { body: { name: "live" } })), {
        environment: "production"
      })
      for (const { call } of [stranger, live]) {
        const path = `/mcp/workspaces/${String(made.id)}`
        assert.strictEqual((yield* call("DELETE", path)).status, 404)
        assert.strictEqual((yield* call("PATCH", path, { body: { name: "theirs" } })).status, 404)
        assert.notInclude(JSON.stringify((yield* call("GET", "/mcp/workspaces")).body), String(made.id))
      }
      assert.deepStrictEqual(Page((yield* mine.call("GET", "/mcp/workspaces")).body).data, [made])
    })
  )

  it.effect("ids are UUIDs, and methods are those declared", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([])
      assert.deepStrictEqual(refusalOf(yield* call("DELETE", "/mcp/workspaces/1")), [400, "INVALID_PARAMETER"])
      assert.deepStrictEqual(refusalOf(yield* call("PATCH", "/mcp/workspaces/1", { body: {} })), [
        400,
        "INVALID_PARAMETER"
      ])
      assert.deepStrictEqual(refusalOf(yield* call("DELETE", `/mcp/workspaces/${nowhere}`)), [
        404,
        "WORKSPACE_NOT_FOUND"
      ])
      assert.deepStrictEqual(refusalOf(yield* call("PUT", "/mcp/workspaces", { body: {} })), [
        405,
        "OPERATION_NOT_SUPPORTED"
      ])
    })
  )
})
