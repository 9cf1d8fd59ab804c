import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { crm } from "../../../src/canonical/Catalogue.ts"
import type { Resource } from "../../../src/canonical/Resource.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import { getPath } from "../../../src/mapping/Mapping.ts"
import type { Answer, Call, Caller } from "../../../src/providers/base/Upstream.ts"
import type { ResourceAdapter } from "../../../src/providers/ProviderAdapter.ts"
import { Invalid, NotPermitted, ProviderError, type Reason } from "../../../src/providers/ProviderError.ts"
import { appointment } from "../../../src/providers/zohocrm/Appointment.ts"
import { company as companyBy } from "../../../src/providers/zohocrm/Company.ts"
import { contact as contactBy } from "../../../src/providers/zohocrm/Contact.ts"
import { deal as dealBy } from "../../../src/providers/zohocrm/Deal.ts"
import { lead as leadBy } from "../../../src/providers/zohocrm/Lead.ts"
import { note } from "../../../src/providers/zohocrm/Note.ts"
import { readError } from "../../../src/providers/zohocrm/ReadError.ts"
import { task } from "../../../src/providers/zohocrm/Task.ts"
import { NotedRequests } from "../../../src/testing/contract/NotedRequests.ts"
import {
  type Doc,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"

const connection = { id: "acme", provider: "zoho_crm", environment: "sandbox", organisation: "org" } as const

type Told = Pick<Answer, "status" | "body"> | { readonly status: number; readonly reason: Reason }

const nothing: Told = { status: 204, body: undefined }

/** The calls of a filtered list to an account, which answers with `answer`. */
const asked = (
  resource: Resource,
  adapterOf: (call: Caller) => ResourceAdapter,
  wanted: { readonly [filter: string]: string },
  answer: (call: Call) => Told = () => nothing,
  position: string | null = null
) =>
  Effect.gen(function* () {
    const calls: Array<Call> = []
    const adapter = adapterOf((_, call) =>
      Effect.suspend(() => {
        calls.push(call)
        const told = answer(call)
        return "reason" in told
          ? new ProviderError({ provider: "zoho_crm", operation: call.operation, ...told })
          : Effect.succeed({ ...told, headers: {} })
      })
    )
    const page = yield* (adapter.list ?? (() => Effect.dieMessage("no list")))({
      connection,
      mapping: compile("zoho_crm", resource, adapter.mapping),
      position,
      limit: 2,
      wanted: Object.fromEntries(
        Object.entries(wanted).map(([name, text]) => [name, { text, values: text.split(",") }] as const)
      )
    })
    const queries = calls.flatMap(({ json }) => {
      const query = getPath(json, "select_query")
      return typeof query === "string" ? [/ where (.*) order by id asc limit \d+$/.exec(query)?.[1] ?? query] : []
    })
    return { calls, page, queries }
  })

const where = (...args: Parameters<typeof asked>) => Effect.map(asked(...args), ({ queries }) => queries)

const pipelines = [
  {
    id: "1",
    actual_value: "Standard",
    display_value: "Standard",
    maps: [
      { actual_value: "Offer", display_value: "Quote", forecast_type: "Open" },
      { actual_value: "Closed Won", display_value: "Closed Won", forecast_type: "Closed Won" }
    ]
  }
]

/** An account that does not show what fields it has: queries give ids. */
const lacking = () => new ProviderError({ provider: "zoho_crm", operation: "fields.list", reason: new NotPermitted() })
const company = (call: Caller) => companyBy(call, lacking)
const contact = (call: Caller) => contactBy(call, lacking)
const lead = (call: Caller) => leadBy(call, lacking)
const deal = (call: Caller) => dealBy(call, () => Effect.succeed(pipelines), lacking)

describe("filters of Zoho CRM in COQL", () => {
  it.effect("have text as text, and look themselves at what a pattern cannot say", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* where(crm.company, company, { name: "o'hara" }), [
        "(id is not null and Account_Name like 'o''hara%')"
      ])
      assert.deepEqual(yield* where(crm.contact, contact, { email: "x' or id is not null" }), [
        "(id is not null and (Email = 'x'' or id is not null' or Secondary_Email = 'x'' or id is not null'))"
      ])
      assert.deepEqual(yield* where(crm.company, company, { domain: "https://www.Acme.example/x" }), [
        "(id is not null and Website like '%Acme.example%')"
      ])
      const rows = [
        { id: "1", Account_Name: "100% Pure" },
        { id: "2", Account_Name: "100 others" }
      ]
      const { calls, page, queries } = yield* asked(crm.company, company, { name: "100% P" }, () => ({
        status: 200,
        body: { data: rows }
      }))
      assert.deepEqual(queries, ["(id is not null and Account_Name like '100%')"])
      assert.deepEqual(
        page.records.map(({ record }) => record.id),
        ["1"]
      )
      assert.include(String(getPath(calls[1]?.query, "fields")), "Account_Name")
      assert.deepEqual(yield* where(crm.company, company, { name: "\\" }), [
        "(id is not null and Account_Name is not null)"
      ])
      for (const name of ["x".repeat(256), "two\nlines"]) {
        assert.deepEqual(yield* where(crm.company, company, { name }), [])
      }
    })
  )

  it.effect("stand in brackets by two, seconds as whole ones and days as days", () =>
    Effect.gen(function* () {
      const bounds = { created_after: "2026-03-01T10:00:00.001Z", modified_before: "2026-03-01T10:00:00.000Z" }
      assert.deepEqual(yield* where(crm.contact, contact, bounds), [
        "((id is not null and Created_Time >= '2026-03-01T10:00:01+00:00') and Modified_Time < '2026-03-01T10:00:00+00:00')"
      ])
      assert.deepEqual(yield* where(crm.contact, contact, { modified_before: "9999-12-31T23:59:59.999Z" }), [
        "(id is not null and Modified_Time < '9999-12-31T23:59:59+00:00')"
      ])
      const due = { due_after: "2026-03-01T00:00:00.000Z", due_before: "2026-03-01T00:00:01.000Z" }
      assert.deepEqual(yield* where(crm.task, task, due), [
        "((id is not null and Due_Date >= '2026-03-01') and Due_Date < '2026-03-02')"
      ])
    })
  )

  it.effect("ask nothing where no record can be meant", () =>
    Effect.gen(function* () {
      for (const wanted of [{ account: "12' or id is not null" }, { owner: "abc" }]) {
        const { calls, page } = yield* asked(crm.contact, contact, wanted)
        assert.deepEqual([calls, page.records, page.next], [[], [], null])
      }
      assert.deepEqual(yield* where(crm.lead, lead, { status: "CLOSED" }), [])
      assert.deepEqual(yield* where(crm.deal, deal, { pipeline: "2" }), [])
    })
  )

  it.effect("pass over a field that the account has no more", () =>
    Effect.gen(function* () {
      const refuse = (call: Call): Told =>
        String(getPath(call.json, "select_query")).includes("Secondary_Email")
          ? { status: 400, reason: new Invalid({ fields: { Secondary_Email: "unsupported column" } }) }
          : nothing
      assert.deepEqual((yield* where(crm.contact, contact, { email: "a@example.com" }, refuse)).slice(1), [
        "(id is not null and Email = 'a@example.com')"
      ])
      const none = (): Told => ({ status: 400, reason: new Invalid({ fields: { Website: "unsupported column" } }) })
      assert.deepEqual((yield* asked(crm.company, company, { domain: "a.example" }, none)).page.records, [])
      // another failure stays one
      const wrong = (): Told => ({ status: 400, reason: new Invalid({ fields: { Owner: "unsupported column" } }) })
      assert.strictEqual((yield* Effect.flip(asked(crm.company, company, { owner: "1" }, wrong))).status, 400)
      const { reason } = readError({
        status: 400,
        body: { code: "INVALID_QUERY", message: "unsupported column", details: { column_name: "Website" } },
        headers: {},
        now: 0
      })
      assert.deepEqual(reason, new Invalid({ fields: { Website: "unsupported column" } }))
    })
  )

  it.effect("name stages as the account does, and look at where a deal stands", () =>
    Effect.gen(function* () {
      const rows = [
        { id: "1", Pipeline: "Standard", Stage: "Quote" },
        { id: "2", Pipeline: "Standard", Stage: "offer" },
        { id: "3", Pipeline: "Standard", Stage: "Closed Won" }
      ]
      const found = (wanted: { readonly [filter: string]: string }, from = 0) =>
        Effect.map(
          asked(crm.deal, deal, wanted, () => ({ status: 200, body: { data: rows.slice(from, from + 2) } })),
          ({ page, queries }) => [queries[0], page.records.map(({ record }) => record.id)]
        )
      assert.deepEqual(yield* found({ stage: "offer" }), [
        "(id is not null and (Stage = 'offer' or Stage in ('Offer', 'Quote')))",
        ["1", "2"]
      ])
      assert.deepEqual(yield* found({ status: "WON", pipeline: "1" }, 1), [
        "((id is not null and Stage in ('Closed Won')) and (Pipeline in ('Standard') or Pipeline is null))",
        ["3"]
      ])
    })
  )

  it.effect("search, and ask which of what is found is meant", () =>
    Effect.gen(function* () {
      const found = ["5", "3", "4"]
      const answer = ({ path }: Call): Told =>
        path.endsWith("/search")
          ? { status: 200, body: { data: found.map((id) => ({ id })), info: { more_records: true } } }
          : path.endsWith("/coql")
            ? { status: 200, body: { data: [{ id: "3" }] } }
            : { status: 200, body: { data: [{ id: "3" }, { id: "5" }] } }
      const { calls, page, queries } = yield* asked(crm.contact, contact, { q: "a' b", owner: "1" }, answer)
      assert.deepInclude(calls[0], { path: "/crm/v8/:module/search".replace(":module", "Contacts") })
      assert.deepInclude(calls[0]?.query, { word: "a' b", fields: "id", page: 1 })
      assert.deepEqual(queries, ["((id is not null and id in ('5', '3')) and Owner = '1')"])
      assert.deepEqual(
        page.records.map(({ record }) => record.id),
        ["3"]
      )
      const rest = yield* asked(crm.contact, contact, { q: "a' b" }, answer, page.next)
      assert.strictEqual(getPath(rest.calls[1]?.query, "ids"), "4")
      assert.strictEqual(
        getPath((yield* asked(crm.contact, contact, { q: "a b" }, answer, rest.page.next)).calls[0]?.query, "page"),
        2
      )
    })
  )

  it.effect("read the notes of a record from its list, and others since a little before", () =>
    Effect.gen(function* () {
      const on = yield* asked(crm.note, note, { account: "12" })
      assert.deepEqual([on.calls[0]?.path, on.calls[0]?.params], ["/crm/v8/Accounts/:id/Notes", { id: "12" }])
      assert.strictEqual(on.calls.length, 1)
      // it is on one record alone
      assert.deepEqual((yield* asked(crm.note, note, { account: "12", contact: "13" })).calls, [])
      const refuse = ({ path }: Call): Told =>
        path.endsWith("/coql") ? { status: 400, reason: new NotPermitted() } : nothing
      const since = { modified_after: "2026-03-01T10:00:00.000Z" }
      const { calls } = yield* asked(crm.note, note, since, refuse)
      assert.deepEqual(calls[1]?.headers, { "if-modified-since": "2026-03-01T09:59:59+00:00" })
      const { reason } = readError({ status: 304, body: undefined, headers: {}, now: 0 })
      const unchanged = ({ path }: Call): Told =>
        path.endsWith("/coql")
          ? { status: 400, reason: new NotPermitted() }
          : { status: 304, reason: reason ?? new NotPermitted() }
      assert.deepEqual((yield* asked(crm.note, note, since, unchanged)).page.records, [])
      assert.notInclude(note(() => Effect.dieMessage("no call")).finds ?? [], "modified_after")
      assert.notInclude(appointment(() => Effect.dieMessage("no call")).finds ?? [], "status")
    })
  )
})

// ---------------------------------------------------------------------------------------------------------------------

layer(sandboxApplication(), { timeout: "60 seconds" })("filters of Zoho CRM", (it) => {
  const connected = Effect.flatMap(SandboxApplication, (application) => application.caller(["zoho_crm"]))
  const pathOf = (resource: string, wanted: { readonly [name: string]: string } = {}) =>
    `/crm/${resource}?${new URLSearchParams({ provider: "zoho_crm", ...wanted }).toString()}`
  const oneOf = (resource: string, { remote_id }: Doc) => `/crm/${resource}/${String(remote_id)}?provider=zoho_crm`
  const idsOf = (records: ReadonlyArray<Doc>) => records.map(({ remote_id }) => String(remote_id)).toSorted()

  it.effect("cost no more calls than lists that are whole", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const all = (resource: string) => Effect.map(walk(call, pathOf(resource)), ({ records }) => records)
      const valueIn = (records: ReadonlyArray<Doc>, field: string) =>
        String(records.map((record) => record[field]).find((value) => value !== null && value !== undefined))
      const requests = yield* NotedRequests
      const costs = (resource: string, wanted: { readonly [name: string]: string }) =>
        Effect.map(
          requests.during(
            Effect.map(call("GET", pathOf(resource, { limit: "50", ...wanted })), (answer) => {
              assert.isNotEmpty(pageOf(answer).data, `${resource} ${JSON.stringify(wanted)}`)
            })
          ),
          (made) => made.length
        )
      const [contacts, deals, tasks, notes] = yield* Effect.all([all("contact"), all("deal"), all("task"), all("note")])
      const year = { created_after: "2020-01-01", modified_after: "2020-01-01T00:00:00Z" }
      yield* call("GET", pathOf("contact", year))
      assert.strictEqual(yield* costs("contact", { ...year, owner: valueIn(contacts, "owner") }), 1)
      assert.strictEqual(yield* costs("contact", { name: valueIn(contacts, "last_name") }), 1)
      yield* call("GET", pathOf("deal", { status: "OPEN" }))
      assert.strictEqual(yield* costs("deal", { ...year, contact: valueIn(deals, "contact") }), 1)
      // fields and pipelines are known by now
      assert.strictEqual(yield* costs("deal", { ...year, status: "WON,LOST" }), 1)
      assert.strictEqual(yield* costs("task", { ...year, opportunity: valueIn(tasks, "opportunity") }), 2)
      assert.strictEqual(yield* costs("contact", { q: valueIn(contacts, "last_name") }), 2)
      assert.strictEqual(yield* costs("contact", { ...year, q: valueIn(contacts, "last_name") }), 3)
      assert.strictEqual(yield* costs("note", { account: valueIn(notes, "account") }), 1)
    })
  )

  it.effect("give the records that lists without filters give, as the provider has them", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      for (const resource of ["contact", "company", "lead", "deal"]) {
        const asked = { limit: "100", include_remote_data: "true" }
        const page = (wanted: { readonly [name: string]: string }) =>
          Effect.map(call("GET", pathOf(resource, { ...asked, ...wanted })), (answer) => pageOf(answer).data)
        const all = yield* page({})
        assert.lengthOf(all, 100)
        assert.deepStrictEqual(yield* page({ created_after: "2000-01-01" }), all)
      }
    })
  )

  it.effect("go on where they are when other fields or more records are asked for", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      for (const resource of ["contact", "note"]) {
        const all = (yield* walk(call, pathOf(resource))).records
        const found: Array<Doc> = []
        const asked = [
          { limit: "30" },
          { limit: "40", fields: "owner" },
          { limit: "100" },
          { limit: "100", fields: "owner" }
        ]
        let cursor: string | null = null
        do {
          const page: ReturnType<typeof pageOf> = pageOf(
            yield* call("GET", pathOf(resource, { ...asked.shift(), ...(cursor === null ? {} : { cursor }) }))
          )
          found.push(...page.data)
          cursor = page.pagination.cursor
        } while (cursor !== null)
        assert.deepStrictEqual(
          found.map(({ remote_id }) => remote_id),
          all.map(({ remote_id }) => remote_id)
        )
      }
    })
  )

  it.effect("find what changed in a second", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      for (const [resource, body] of [
        ["contact", { last_name: "Stays" }],
        ["note", { content: "Stays" }]
      ] as const) {
        const [account] = pageOf(yield* call("GET", pathOf("company", { limit: "1" }))).data
        const sent = resource === "note" ? { ...body, account: account?.remote_id } : body
        const made = recordOf(yield* call("POST", pathOf(resource), { body: sent }))
        const at = String(made.modified_at)
        const changed = (wanted: { readonly [name: string]: string }) =>
          Effect.map(walk(call, pathOf(resource, wanted)), ({ records }) =>
            idsOf(records).includes(String(made.remote_id))
          )
        assert.isTrue(yield* changed({ modified_after: at }), resource)
        assert.isFalse(yield* changed({ modified_after: at.replace(".000Z", ".001Z") }), resource)
        assert.isFalse(yield* changed({ modified_before: at }), resource)
        assert.isTrue(yield* changed({ modified_before: at.replace(".000Z", ".001Z") }), resource)
      }
    })
  )

  it.effect("add what was deleted, with the time of it", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      for (const [resource, body] of [
        ["contact", { last_name: "Leaver" }],
        ["task", { subject: "Leave" }],
        ["activity", { activity_type: "CALL", subject: "Leave", start_time: "2026-11-01T10:00:00.000Z" }]
      ] as const) {
        const made = [1, 2, 3].map(() => body)
        const ids: Array<string> = []
        for (const one of made)
          ids.push(String(recordOf(yield* call("POST", pathOf(resource), { body: one })).remote_id))
        const all = yield* walk(call, pathOf(resource))
        yield* TestClock.adjust("10 seconds")
        for (const id of ids) {
          assert.strictEqual((yield* call("DELETE", oneOf(resource, { remote_id: id }))).status, 200)
        }
        assert.isEmpty(idsOf((yield* walk(call, pathOf(resource))).records).filter((id) => ids.includes(id)))
        const whole = yield* walk(call, pathOf(resource, { include_deleted: "true" }), 7)
        assert.deepEqual(idsOf(whole.records), idsOf(all.records))
        const gone = whole.records.filter(({ remote_id }) => ids.includes(String(remote_id)))
        assert.isTrue(gone.every(({ remote_was_deleted }) => remote_was_deleted))
        const at = String(gone[0]?.modified_at)
        const found = (wanted: { readonly [name: string]: string }) =>
          Effect.map(walk(call, pathOf(resource, { include_deleted: "true", ...wanted }), 2), ({ records }) =>
            idsOf(records).filter((id) => ids.includes(id))
          )
        assert.deepEqual(yield* found({ modified_after: at }), ids.toSorted())
        assert.deepEqual(yield* found({ modified_after: at.replace(".000Z", ".001Z") }), [])
        assert.deepEqual(yield* found({ modified_before: at }), [])
        // nothing else is known of them
        assert.deepEqual(yield* found({ created_after: "2020-01-01" }), [])
      }
      for (const resource of ["note", "appointment", "owner"]) {
        assert.strictEqual((yield* call("GET", pathOf(resource, { include_deleted: "true" }))).status, 400, resource)
      }
    })
  )

  it.effect("find by a word", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      for (const [resource, body] of [
        ["contact", { last_name: "Quixote", title: "Knight errant" }],
        ["company", { name: "Quixote & Sons", description: "A knight errant's" }],
        ["lead", { last_name: "Quixote", company: "Knight errant" }],
        ["task", { subject: "Knight Quixote", content: "errant" }],
        [
          "activity",
          { activity_type: "CALL", subject: "Quixote, knight errant", start_time: "2026-11-01T10:00:00.000Z" }
        ]
      ] as const) {
        const made = recordOf(yield* call("POST", pathOf(resource), { body }))
        for (const q of ["QUIXOTE", "knight errant"]) {
          const found = yield* walk(call, pathOf(resource, { q, modified_after: "2020-01-01" }), 1)
          assert.deepEqual(idsOf(found.records), [String(made.remote_id)], `${resource} ${q}`)
        }
        assert.deepEqual((yield* walk(call, pathOf(resource, { q: "quixote windmill" }))).records, [])
        const both = { q: "quixote", created_before: "2020-01-01" }
        assert.deepEqual((yield* walk(call, pathOf(resource, both))).records, [])
      }
    })
  )

  it.effect("find odd names, whatever the case", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      for (const name of [`O'Hara "and" Sons`, "100%_of\\it", "Söhne & Töchter 'GmbH'"]) {
        const made = recordOf(yield* call("POST", pathOf("company"), { body: { name } }))
        for (const asked of [name, name.toUpperCase(), name.slice(0, 7)]) {
          const { records } = yield* walk(call, pathOf("company", { name: asked }))
          assert.include(idsOf(records), String(made.remote_id), asked)
          assert.isTrue(records.every((one) => String(one.name).toLowerCase().startsWith(asked.toLowerCase())))
        }
      }
    })
  )
})
