import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { crm } from "../../../src/canonical/Catalogue.ts"
import type { Resource } from "../../../src/canonical/Resource.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import { getPath, type Native } from "../../../src/mapping/Mapping.ts"
import { Missing, ProviderError } from "../../../src/providers/ProviderError.ts"
import type { ResourceAdapter } from "../../../src/providers/ProviderAdapter.ts"
import { company } from "../../../src/providers/salesforce/Company.ts"
import { contact } from "../../../src/providers/salesforce/Contact.ts"
import { lead } from "../../../src/providers/salesforce/Lead.ts"
import { meeting } from "../../../src/providers/salesforce/Meeting.ts"
import { note } from "../../../src/providers/salesforce/Note.ts"
import type { Org } from "../../../src/providers/salesforce/Org.ts"
import { task } from "../../../src/providers/salesforce/Task.ts"
import { NotedRequests } from "../../../src/testing/contract/NotedRequests.ts"
import {
  type Doc,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { connection, orgOf } from "./support.ts"

const everyField = [
  ...["Id", "IsDeleted", "IsArchived", "CreatedDate", "LastModifiedDate", "SystemModstamp", "OwnerId", "AccountId"],
  ...["Name", "FirstName", "LastName", "Email", "Phone", "MobilePhone", "Website", "Status", "IsConverted", "Title"],
  ...["WhoId", "WhatId", "ActivityDate", "StartDateTime", "IsClosed", "ParentId"]
]

/** The calls of a filtered list to an org with these fields, which answers a search with some ids. */
const asked = (
  resource: Resource,
  adapterOf: (org: Org) => ResourceAdapter,
  wanted: { readonly [filter: string]: string },
  {
    fields = everyField,
    position = null,
    found = []
  }: {
    readonly fields?: ReadonlyArray<string>
    readonly position?: string | null
    readonly found?: ReadonlyArray<Native>
  } = {}
) =>
  Effect.gen(function* () {
    const { calls, org } = yield* orgOf((call) =>
      call.path.endsWith("/describe")
        ? { status: 200, body: { fields: fields.map((name) => ({ name })) } }
        : call.path.endsWith("/search")
          ? { status: 200, body: { searchRecords: found } }
          : { status: 200, body: { done: true, records: [] } }
    )
    const adapter = adapterOf(org)
    const page = yield* (adapter.list ?? (() => Effect.dieMessage("no list")))({
      connection,
      mapping: compile("salesforce", resource, adapter.mapping).only(["custom_fields"]),
      position,
      limit: 2,
      wanted: Object.fromEntries(
        Object.entries(wanted).map(([name, text]) => [name, { text, values: text.split(",") }] as const)
      )
    })
    const queries = calls.flatMap(({ query }) => {
      const q = getPath(query, "q")
      return typeof q === "string" ? [q] : []
    })
    return { calls, page, queries }
  })

/** The conditions of the one query that an org is asked. */
const where = (...args: Parameters<typeof asked>) =>
  Effect.map(asked(...args), ({ queries }) =>
    queries.map((query) => /WHERE (.*) ORDER BY Id LIMIT 3$/.exec(query)?.[1] ?? query)
  )

describe("filters of Salesforce in SOQL", () => {
  it.effect("have text as text, whatever it looks like", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* where(crm.company, company, { name: "100%_o'\\" }), ["Name LIKE '100\\%\\_o\\'\\\\%'"])
      assert.deepEqual(yield* where(crm.contact, contact, { email: "o'hara@example.com' OR Id != '" }), [
        "Email = 'o\\'hara@example.com\\' OR Id != \\''"
      ])
      assert.deepEqual(yield* where(crm.company, company, { domain: "https://www.a_b.example/x" }), [
        "Website LIKE '%a\\_b.example%'"
      ])
      // no field holds a longer one, and no address
      assert.deepEqual(yield* where(crm.company, company, { name: "x".repeat(256) }), [])
    })
  )

  it.effect("look for a name in its parts: there may be a middle name and a suffix", () =>
    Effect.gen(function* () {
      assert.deepEqual(yield* where(crm.contact, contact, { name: "Mary Ann L" }), [
        "(FirstName LIKE 'Mary Ann L%' OR LastName LIKE 'Mary Ann L%' OR " +
          "(FirstName = 'Mary' AND LastName LIKE 'Ann L%') OR (FirstName = 'Mary Ann' AND LastName LIKE 'L%'))"
      ])
      // what the user does not see is in no record
      const fields = ["Id", "LastName"]
      assert.deepEqual(yield* where(crm.contact, contact, { name: "Mary L" }, { fields }), ["LastName LIKE 'Mary L%'"])
      assert.deepEqual(yield* where(crm.contact, contact, { email: "a@example.com" }, { fields }), [])
      const many = "a ".repeat(127)
      assert.isBelow(encodeURIComponent(String((yield* where(crm.contact, contact, { name: many }))[0])).length, 12_000)
    })
  )

  it.effect("look for a telephone number by its last digits, as it may be written in any way", () =>
    Effect.gen(function* () {
      const pattern = "'%2%3%4%5%6%7%'"
      assert.deepEqual(yield* where(crm.lead, lead, { phone: "+1 (0)1-234567" }), [
        `(Phone LIKE ${pattern} OR MobilePhone LIKE ${pattern})`
      ])
    })
  )

  it.effect("compare with the next whole second, and with days that fields can hold", () =>
    Effect.gen(function* () {
      const bounds = { modified_after: "2026-03-01T10:00:00.001Z", created_before: "2026-03-01T10:00:00.000Z" }
      assert.deepEqual(yield* where(crm.contact, contact, bounds), [
        "SystemModstamp >= 2026-03-01T10:00:01.000Z AND CreatedDate < 2026-03-01T10:00:00.000Z"
      ])
      const odd = { modified_after: "0001-01-01T00:00:00.000Z", modified_before: "9999-12-31T23:59:59.999Z" }
      assert.deepEqual(yield* where(crm.contact, contact, odd), [
        "SystemModstamp >= 1700-01-01T00:00:00.000Z AND SystemModstamp < 4000-12-31T00:00:00.000Z"
      ])
      const due = { due_after: "2026-03-01T00:00:00.000Z", due_before: "2026-03-01T00:00:01.000Z" }
      assert.deepEqual(yield* where(crm.task, task, due), [
        "(TaskSubtype = 'Task' OR TaskSubtype = null) AND ActivityDate >= 2026-03-01 AND ActivityDate < 2026-03-02"
      ])
      assert.include(String((yield* where(crm.task, task, { due_before: odd.modified_before }))[0]), "< 4000-12-31")
    })
  )

  it.effect("ask nothing where no record can be meant", () =>
    Effect.gen(function* () {
      for (const wanted of [{ account: "12" }, { owner: "x' OR Id != null" }, { name: "a", account: "" }]) {
        const { page, queries } = yield* asked(crm.contact, contact, wanted)
        assert.deepEqual([page.records, page.next, queries], [[], null, []])
      }
      assert.deepEqual(yield* where(crm.task, task, { contact: "001000000000001AAA" }), [])
      // of another kind, but an id
      assert.deepEqual(yield* where(crm.contact, contact, { account: "001000000000001" }), [
        "AccountId = '001000000000001'"
      ])
    })
  )

  it.effect("find nothing by an id that Salesforce takes for none; another failure stays one", () =>
    Effect.gen(function* () {
      const listed = (status: number) =>
        Effect.gen(function* () {
          const { org } = yield* orgOf((call) =>
            call.path.endsWith("/describe")
              ? { status: 200, body: { fields: everyField.map((name) => ({ name })) } }
              : new ProviderError({ provider: "salesforce", operation: call.operation, reason: new Missing(), status })
          )
          const adapter = contact(org)
          const account = "001zzzzzzzzzzzzAAA"
          return yield* (adapter.list ?? (() => Effect.dieMessage("no list")))({
            connection,
            mapping: compile("salesforce", crm.contact, adapter.mapping),
            position: null,
            limit: 2,
            wanted: { account: { text: account, values: [account] } }
          })
        })
      assert.deepEqual((yield* listed(400)).records, [])
      assert.strictEqual((yield* Effect.flip(listed(404))).status, 404)
    })
  )

  it.effect("ask twice for the events of a contact: a query within one stands under no OR", () =>
    Effect.gen(function* () {
      const who = "003000000000001AAA"
      assert.deepEqual(
        yield* where(crm.meeting, meeting, { contact: who, modified_after: "2026-01-01T00:00:00.000Z" }),
        [
          `WhoId = '${who}'`,
          `Id IN (SELECT EventId FROM EventRelation WHERE RelationId = '${who}' AND IsDeleted = false)`
        ].map((one) => `IsChild = false AND ${one} AND SystemModstamp >= 2026-01-01T00:00:00.000Z`)
      )
    })
  )

  it.effect("search for words, none of which is an operator, and read what is found in the order of ids", () =>
    Effect.gen(function* () {
      const found = [5, 3, 1, 4].map((n) => ({ Id: `00300000000000${n}AAA` }))
      const q = 'AND "O\'Hara" * a {x}y-z'
      const first = yield* asked(crm.contact, contact, { q, owner: "005000000000001AAA" }, { found })
      assert.deepEqual(first.queries, [
        'FIND {"AND" AND "\\"O\\\'Hara\\"" AND "\\{x\\}y\\-z"} IN ALL FIELDS RETURNING Contact(Id) LIMIT 2000',
        "SELECT Id, CreatedDate, SystemModstamp, IsDeleted FROM Contact WHERE OwnerId = '005000000000001AAA' AND " +
          "Id IN ('003000000000001AAA', '003000000000003AAA') ORDER BY Id LIMIT 2"
      ])
      assert.deepEqual([first.page.next, first.page.sparse], ["003000000000003AAA", true])
      const last = yield* asked(crm.contact, contact, { q }, { found, position: first.page.next })
      assert.include(last.queries[1], "Id IN ('003000000000004AAA', '003000000000005AAA') ORDER BY Id LIMIT 2")
      assert.isNull(last.page.next)
    })
  )

  it.effect("find the notes of a record by its links", () =>
    Effect.gen(function* () {
      const { calls, queries } = yield* asked(crm.note, note, { account: "001000000000001AAA" })
      assert.deepEqual(
        queries.map((query) => / FROM (.*)/.exec(query)?.[1]),
        [
          "ContentDocumentLink WHERE LinkedEntityId = '001000000000001AAA' AND ContentDocument.FileType = 'SNOTE' ORDER BY Id",
          "Note WHERE ParentId = '001000000000001AAA' ORDER BY Id LIMIT 3"
        ]
      )
      assert.isFalse(calls.some(({ path }) => path.endsWith("/Content")))
    })
  )

  it.effect("with the deleted ones, ask for all but old activities", () =>
    Effect.gen(function* () {
      const { calls, queries } = yield* asked(crm.meeting, meeting, { include_deleted: "true" })
      assert.include(queries[0], "WHERE IsChild = false AND (IsDeleted = true OR IsArchived = false) ORDER BY")
      assert.match(String(calls.at(-1)?.path), /\/queryAll$/)
    })
  )
})

// ---------------------------------------------------------------------------------------------------------------------

layer(sandboxApplication(), { timeout: "60 seconds" })("filters of Salesforce", (it) => {
  const connected = Effect.flatMap(SandboxApplication, (application) => application.caller(["salesforce"]))
  const pathOf = (resource: string, wanted: { readonly [name: string]: string } = {}) =>
    `/crm/${resource}?${new URLSearchParams({ provider: "salesforce", ...wanted }).toString()}`
  const oneOf = (resource: string, { remote_id }: Doc) => `/crm/${resource}/${String(remote_id)}?provider=salesforce`
  const idsOf = (records: ReadonlyArray<Doc>) => records.map(({ remote_id }) => String(remote_id)).toSorted()

  it.effect("cost a call, or as many more as are promised", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const all = (resource: string) => Effect.map(walk(call, pathOf(resource)), ({ records }) => records)
      const valueIn = (records: ReadonlyArray<Doc>, field: string) => {
        const found = records.map((record) => record[field]).find((value) => value !== null && !Array.isArray(value))
        const listed = records.flatMap((record) => (Array.isArray(record[field]) ? record[field].map(String) : []))
        return String(found ?? listed[0])
      }
      const requests = yield* NotedRequests
      const costs = (resource: string, wanted: { readonly [name: string]: string }) =>
        Effect.map(
          requests.during(
            Effect.map(call("GET", pathOf(resource, { limit: "100", ...wanted })), (answer) => {
              assert.isNotEmpty(pageOf(answer).data, `${resource} ${JSON.stringify(wanted)}`)
            })
          ),
          (made) => made.length
        )
      const [contacts, deals, meetings] = yield* Effect.all([all("contact"), all("deal"), all("meeting")])
      for (const resource of ["task", "lead", "owner"]) yield* all(resource)
      const year = { created_after: "2020-01-01", modified_after: "2020-01-01T00:00:00Z" }
      assert.strictEqual(yield* costs("contact", { ...year, owner: valueIn(contacts, "owner") }), 1)
      assert.strictEqual(yield* costs("contact", { ...year, name: valueIn(contacts, "last_name") }), 1)
      assert.strictEqual(yield* costs("deal", { ...year, contact: valueIn(deals, "contact"), pipeline: "default" }), 1)
      assert.strictEqual(yield* costs("deal", { status: "WON,LOST" }), 1)
      assert.strictEqual(yield* costs("task", { ...year, status: "OPEN" }), 1)
      assert.strictEqual(yield* costs("meeting", { ...year, contact: valueIn(meetings, "contacts") }), 2)
      assert.strictEqual(yield* costs("lead", { status: "OPEN" }), 1)
      assert.strictEqual(yield* costs("owner", year), 1)
      assert.strictEqual(yield* costs("contact", { q: valueIn(contacts, "last_name") }), 2)
      const notes = (yield* all("note")).filter(({ remote_id }) => String(remote_id).startsWith("069"))
      // the links of the record, the notes, their links; classic notes
      assert.strictEqual(yield* costs("note", { contact: valueIn(notes, "contact"), fields: "contact" }), 4)
    })
  )

  it.effect("find the same by an id of 15 characters, with regard to case, as by all 18", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      for (const [resource, filter] of [
        ["note", "account"],
        ["note", "contact"],
        ["meeting", "contact"],
        ["deal", "account"],
        ["task", "owner"]
      ] as const) {
        const found = (id: string) =>
          Effect.map(walk(call, pathOf(resource, { [filter]: id })), ({ records }) => idsOf(records))
        const { records } = yield* walk(call, pathOf(resource))
        const id = records
          .map(({ contacts, [filter]: held }) =>
            filter === "contact" && resource === "meeting" ? [contacts].flat()[0] : held
          )
          .find((one) => typeof one === "string")
        const all = yield* found(String(id))
        assert.isNotEmpty(all, `${resource} ${filter}`)
        assert.deepStrictEqual(yield* found(String(id).slice(0, 15)), all, `${resource} ${filter}`)
        assert.deepStrictEqual(yield* found(String(id).slice(0, 15).toLowerCase()), [], `${resource} ${filter}`)
      }
    })
  )

  it.effect("find what changed in a second, also where Salesforce changed it itself", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const person = recordOf(yield* call("POST", pathOf("contact"), { body: { last_name: "Gone soon" } }))
      const made = recordOf(
        yield* call("POST", pathOf("task"), { body: { subject: "Stays", contact: person.remote_id } })
      )
      assert.strictEqual(made.contact, person.remote_id)
      yield* TestClock.adjust("90 seconds")
      assert.strictEqual((yield* call("DELETE", oneOf("contact", person))).status, 200)
      const after = recordOf(yield* call("GET", oneOf("task", made)))
      assert.isNull(after.contact)
      assert.isAbove(Date.parse(String(after.modified_at)), Date.parse(String(made.modified_at)))
      const at = String(after.modified_at)
      const changed = (wanted: { readonly [name: string]: string }) =>
        Effect.map(walk(call, pathOf("task", wanted)), ({ records }) => idsOf(records).includes(String(made.remote_id)))
      assert.isTrue(yield* changed({ modified_after: at }))
      assert.isFalse(yield* changed({ modified_after: at.replace(".000Z", ".001Z") }))
      assert.isFalse(yield* changed({ modified_before: at }))
      assert.isTrue(yield* changed({ modified_before: at.replace(".000Z", ".001Z") }))
    })
  )

  it.effect("show what is in the recycle bin, with the time at which it was deleted", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const start = "2026-11-20T09:00:00.000Z"
      for (const [resource, body] of [
        ["contact", { last_name: "Leaver" }],
        ["task", { subject: "Leave" }],
        ["note", { content: "Left", title: "Left" }]
      ] as const) {
        const made = recordOf(yield* call("POST", pathOf(resource), { body }))
        yield* TestClock.adjust("10 seconds")
        const all = yield* walk(call, pathOf(resource))
        assert.strictEqual((yield* call("DELETE", oneOf(resource, made))).status, 200)
        const id = String(made.remote_id)
        const without = yield* walk(call, pathOf(resource))
        assert.notInclude(idsOf(without.records), id)
        const whole = yield* walk(call, pathOf(resource, { include_deleted: "true" }), 7)
        assert.deepEqual(idsOf(whole.records), idsOf(all.records))
        const changed = yield* walk(call, pathOf(resource, { include_deleted: "true", modified_after: start }))
        const gone = changed.records.find(({ remote_id }) => remote_id === id)
        assert.isTrue(gone?.remote_was_deleted, resource)
        assert.isAbove(Date.parse(String(gone?.modified_at)), Date.parse(String(made.modified_at)))
        const earlier = { include_deleted: "true", modified_before: String(gone?.modified_at) }
        assert.notInclude(idsOf((yield* walk(call, pathOf(resource, earlier))).records), id)
        assert.include(
          idsOf((yield* walk(call, pathOf(resource, { include_deleted: "false" }))).records),
          String(all.records[0]?.remote_id)
        )
      }
      assert.strictEqual((yield* call("GET", pathOf("owner", { include_deleted: "true" }))).status, 400)
    })
  )

  it.effect("with what was deleted, a meeting has the contacts that it has", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const [one, two] = pageOf(yield* call("GET", pathOf("contact", { limit: "2" }))).data.map(
        ({ remote_id }) => remote_id
      )
      const body = {
        subject: "Fewer",
        start_time: "2027-01-01T10:00:00.000Z",
        end_time: "2027-01-01T11:00:00.000Z",
        contacts: [one, two]
      }
      const made = recordOf(yield* call("POST", pathOf("meeting"), { body }))
      yield* call("PATCH", oneOf("meeting", made), { body: { contacts: [one] } })
      const found = (wanted: { readonly [name: string]: string }) =>
        Effect.map(walk(call, pathOf("meeting", { include_deleted: "true", ...wanted })), ({ records }) =>
          records.find(({ remote_id }) => remote_id === made.remote_id)
        )
      assert.deepEqual((yield* found({}))?.contacts, [one])
      assert.isDefined(yield* found({ contact: String(one) }))
      assert.isUndefined(yield* found({ contact: String(two) }))
    })
  )

  it.effect("find by a word", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      for (const [resource, body] of [
        ["contact", { last_name: "Quixote", title: "Knight errant" }],
        ["company", { name: "Quixote & Sons", description: "A knight errant's" }],
        ["lead", { last_name: "Quixote", company: "Knight errant" }],
        ["deal", { name: "Quixote's knight errant", stage: "Prospecting", close_date: "2027-01-01" }],
        ["task", { subject: "Knight Quixote", content: "errant" }],
        ["note", { title: "Quixote", content: "<p>Knight</p><p>errant</p>" }]
      ] as const) {
        const made = recordOf(yield* call("POST", pathOf(resource), { body }))
        for (const q of ["QUIXOTE", "knight errant", "errant quixote"]) {
          const found = yield* walk(call, pathOf(resource, { q }), 1)
          assert.deepEqual(idsOf(found.records), [String(made.remote_id)], `${resource} ${q}`)
        }
        assert.deepEqual((yield* walk(call, pathOf(resource, { q: "quixote windmill" }))).records, [])
        const both = { q: "quixote", created_before: "2020-01-01" }
        assert.deepEqual((yield* walk(call, pathOf(resource, both))).records, [])
      }
    })
  )
})
