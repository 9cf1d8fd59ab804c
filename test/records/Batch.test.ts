import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, FastCheck as fc, TestClock } from "effect"
import { type Fault, Faults } from "../../src/providers/simulation/Faults.ts"
import { entriesOf } from "../../src/testing/contract/Answers.ts"
import { NotedRequests } from "../../src/testing/contract/NotedRequests.ts"
import {
  type Answer,
  type Caller,
  type Doc,
  errorsOf,
  failureOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../support/SandboxApplication.ts"
import { said } from "../support/Warnings.ts"
import { full } from "../support/Full.ts"

const people = "/crm/contact/batch?provider=hubspot"
const customers = "/accounting/contact/batch?provider=quickbooks"

const times = <A>(count: number, make: (i: number) => A) => Array.from({ length: count }, (_, i) => make(i))

const person = (i: number): Doc => ({ first_name: "Ada", last_name: `Nr ${i}` })
const customer = (i: number): Doc => ({ name: `Customer ${i}`, is_customer: true })

const statusesOf = (answer: Answer) => entriesOf(answer).map(({ status }) => status)
const idsOf = (answer: Answer) => entriesOf(answer).map(({ data }) => data?.remote_id)

const batch = ({ call }: Caller, path: string, body: unknown, headers: { readonly [name: string]: string } = {}) =>
  call("POST", path, { body, headers })

const keyed = (one: Caller, key: string, path: string, body: unknown) =>
  batch(one, path, body, { "idempotency-key": key })

const caller = (...providers: ReadonlyArray<string>) =>
  Effect.flatMap(SandboxApplication, (app) => app.caller(providers))

const fails = (fault: Fault) => Effect.flatMap(Faults, (faults) => faults.add(fault))

const namesAt = ({ call }: Caller, path: string, name: string) =>
  Effect.map(walk(call, path), ({ records }) =>
    records.map((record) => String(record[name])).filter((one) => /^(Nr|Customer) \d+$/.test(one))
  )

layer(sandboxApplication(), { timeout: "60 seconds" })("a batch", (it) => {
  full(it).effect.each([
    // records are read before they are archived, since one may have been merged
    ["hubspot", "crm", person, { create: 3, update: 3, delete: 3 }],
    ["salesforce", "crm", person, { create: 2, update: 3, delete: 1 }],
    ["zoho_crm", "crm", person, { create: 3, update: 3, delete: 1 }],
    ["quickbooks", "accounting", customer, { create: 4, update: 6, delete: 6 }],
    ["xero", "accounting", customer, { create: 2, update: 5, delete: 5 }]
  ] as const)("of 100 contacts takes few calls to %s", ([provider, category, make, most]) =>
    Effect.gen(function* () {
      const one = yield* caller(provider)
      const notes = yield* NotedRequests
      const path = `/${category}/contact`
      // what is looked up once is there
      yield* one.call("POST", `${path}?provider=${provider}`, { body: make(1000) })
      const counted = Effect.fnUntraced(function* (operation: keyof typeof most, records: ReadonlyArray<Doc>) {
        const answers: Array<Answer> = []
        const requests = yield* notes.during(
          Effect.map(batch(one, `${path}/batch?provider=${provider}`, { operation, records }), (answer) =>
            answers.push(answer)
          )
        )
        assert.isAtMost(requests.length, most[operation], `${operation}: ${JSON.stringify(requests.slice(0, 10))}`)
        return answers.flatMap(entriesOf)
      })
      const name = category === "crm" ? "last_name" : "name"
      const made = yield* counted("create", times(100, make))
      assert.deepStrictEqual(
        made.map(({ data, index, status }) => [index, status, data?.[name]]),
        times(100, (i) => [i, 201, make(i)[name]])
      )
      const ids = made.map(({ data }) => data?.remote_id)
      const changed = yield* counted(
        "update",
        ids.map((id, i) => ({ id, [name]: `${String(make(i)[name])} jr` }))
      )
      assert.deepStrictEqual(
        changed.map(({ data, status }) => [status, data?.remote_id, data?.[name]]),
        ids.map((id, i) => [200, id, `${String(make(i)[name])} jr`])
      )
      const removed = yield* counted(
        "delete",
        ids.map((id) => ({ id }))
      )
      assert.deepStrictEqual(
        removed,
        ids.map((id, index) => ({ index, status: 200, data: { remote_id: id } }))
      )
    })
  )

  it.effect("costs no record its success for the mistake of another", () =>
    Effect.gen(function* () {
      const one = yield* caller("hubspot")
      const wrong: { readonly [i: number]: Doc } = {
        7: { last_name: 7 },
        20: { last_name: "Nr 20", nick_name: "Twenty" },
        31: { last_name: "Nr 31", email_addresses: [{ email_address: "no address" }] },
        64: {},
        80: { last_name: "half a \uD800 character" }
      }
      const answer = yield* batch(one, people, { records: times(100, (i) => wrong[i] ?? person(i)) })
      const entries = entriesOf(answer)
      assert.deepStrictEqual(
        entries.flatMap(({ errors, index, status }) =>
          status === 201 ? [] : [[index, status, Object.keys(errors ?? {})]]
        ),
        [
          [7, 422, ["last_name"]],
          [20, 422, ["nick_name"]],
          [31, 422, ["email_addresses"]],
          [64, 422, ["last_name"]],
          [80, 422, ["last_name"]]
        ]
      )
      assert.deepInclude(entries[7], { code: "VALIDATION_FAILED", retryable: false })
      assert.strictEqual((yield* namesAt(one, "/crm/contact?provider=hubspot", "last_name")).length, 95)
    })
  )

  it.effect("tells of a record that failed unexpectedly, which may be sent again, in no words of ours", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const one = yield* caller("quickbooks")
      yield* sql`alter table identities rename to identities_aside`
      const answer = yield* Effect.ensuring(
        batch(one, customers, { records: [customer(1)] }),
        Effect.orDie(sql`alter table identities_aside rename to identities`)
      )
      const [entry] = entriesOf(answer)
      assert.deepInclude(entry, { index: 0, status: 500, code: "INTERNAL_ERROR", retryable: true })
      assert.notInclude(JSON.stringify(entry), "identities")
    })
  )

  it.effect("is refused as a whole where it is no batch", () =>
    Effect.gen(function* () {
      const one = yield* caller("hubspot")
      const refused = (body: unknown) => Effect.map(batch(one, people, body), (answer) => Object.keys(errorsOf(answer)))
      assert.deepStrictEqual(yield* refused({}), ["records"])
      assert.deepStrictEqual(yield* refused({ records: [] }), ["records"])
      assert.deepStrictEqual(yield* refused({ records: times(101, person) }), ["records"])
      assert.deepStrictEqual(yield* refused({ records: person(1) }), ["records"])
      assert.deepStrictEqual((yield* refused({ operation: "merge", record: [] })).toSorted(), [
        "operation",
        "record",
        "records"
      ])
      const twice = { operation: "delete", records: [{ id: "1" }, { id: "2" }, { id: "1" }] }
      assert.deepStrictEqual(yield* refused(twice), ["records.2.id"])
      assert.deepStrictEqual(refusalOf(yield* batch(one, people, "{")), [400, "INVALID_JSON"])
      assert.strictEqual((yield* namesAt(one, "/crm/contact?provider=hubspot", "last_name")).length, 0)
    })
  )

  full(it).effect("names each record once, by whichever of its ids", () =>
    Effect.gen(function* () {
      for (const [provider, category] of [
        ["quickbooks", "accounting"],
        ["xero", "accounting"],
        ["hubspot", "crm"]
      ] as const) {
        const one = yield* caller(provider)
        const path = `/${category}/contact`
        const make = category === "crm" ? person : customer
        const made = yield* Effect.forEach([1, 2], (i) =>
          Effect.map(one.call("POST", `${path}?provider=${provider}`, { body: make(i) }), recordOf)
        )
        const [first, second] = made.map(({ id, remote_id }) => [String(id), String(remote_id)] as const)
        if (first === undefined || second === undefined) return assert.fail("nothing was made")
        const bare = first[0].replace("urn:uuid:", "")
        const refused = (...ids: ReadonlyArray<string>) =>
          Effect.map(
            batch(one, `${path}/batch?provider=${provider}`, {
              operation: "delete",
              records: ids.map((id) => ({ id }))
            }),
            (answer) => (answer.status === 422 ? Object.keys(errorsOf(answer)) : answer.status)
          )
        const keepsIds = category === "accounting"
        if (keepsIds) {
          assert.deepStrictEqual(yield* refused(second[1], first[1], first[0]), ["records.2.id"], provider)
          assert.deepStrictEqual(yield* refused(first[0], second[0], first[1]), ["records.2.id"], provider)
          assert.deepStrictEqual(yield* refused(bare, first[1]), ["records.1.id"], provider)
        }
        assert.deepStrictEqual(yield* refused(first[0], bare.toUpperCase()), ["records.1.id"], provider)
        // case matters
        assert.strictEqual(yield* refused("AbC", "aBc"), 200)
        assert.strictEqual((yield* one.call("GET", `${path}/${first[1]}?provider=${provider}`)).status, 200)
        assert.strictEqual(yield* refused(first[1], keepsIds ? second[0] : second[1]), 200)
      }
    })
  )

  it.effect("of records that are to be changed says which has no id", () =>
    Effect.gen(function* () {
      const one = yield* caller("hubspot")
      const made = recordOf(yield* one.call("POST", "/crm/contact?provider=hubspot", { body: person(1) }))
      const answer = yield* batch(one, people, {
        operation: "update",
        records: [{ title: "Countess" }, { id: made.remote_id, title: "Countess" }, { id: 3 }]
      })
      assert.deepStrictEqual(
        entriesOf(answer).map(({ errors }) => errors),
        [{ id: "is required" }, undefined, { id: "must be the id of a record" }]
      )
      const strange = yield* batch(one, people, { operation: "delete", records: [{ id: made.remote_id, title: "" }] })
      assert.deepStrictEqual(Object.keys(entriesOf(strange)[0]?.errors ?? {}), ["title"])
    })
  )

  it.effect("of what a provider cannot do is 405, with what can be sent there", () =>
    Effect.gen(function* () {
      const one = yield* caller("attio", "xero")
      const updates = yield* batch(one, "/crm/note/batch?provider=attio", {
        operation: "update",
        records: [{ id: "1" }]
      })
      assert.deepStrictEqual(refusalOf(updates), [405, "OPERATION_NOT_SUPPORTED"])
      assert.strictEqual(updates.headers.get("allow"), "POST")
      assert.include(failureOf(updates).message, "create, delete")
      // whatever the body is: it is not looked at
      const orders = yield* batch(one, "/accounting/sales_order/batch?provider=xero", "{")
      assert.deepStrictEqual(refusalOf(orders), [405, "OPERATION_NOT_SUPPORTED"])
      assert.strictEqual(orders.headers.get("allow"), "")
      const unknown = yield* batch(one, "/crm/note/batch?provider=rolodex", {})
      assert.deepStrictEqual(refusalOf(unknown), [404, "PROVIDER_NOT_FOUND"])
      const nobody = yield* batch(one, people, { records: [person(1)] })
      assert.deepStrictEqual(refusalOf(nobody), [404, "PROVIDER_NOT_CONNECTED"])
    })
  )

  it.effect("takes what cannot be held as single writes do, record by record", () =>
    Effect.gen(function* () {
      const one = yield* caller("xero")
      const body = { records: [{ name: "Plain" }, { name: "Flagged", is_customer: true }] }
      const path = "/accounting/contact/batch?provider=xero"
      const strict = yield* batch(one, path, body, { prefer: "handling=strict" })
      assert.strictEqual(strict.headers.get("preference-applied"), "handling=strict")
      assert.deepStrictEqual(
        entriesOf(strict).map(({ errors, status }) => [status, Object.keys(errors ?? {})]),
        [
          [201, []],
          [422, ["is_customer"]]
        ]
      )
      const [, lenient] = entriesOf(yield* batch(one, path, { records: [{ name: "Plainer" }, body.records[1]] }))
      assert.strictEqual(lenient?.status, 201)
      assert.deepInclude(lenient?.warnings?.[0], { field: "is_customer", code: "NOT_HELD" })
    })
  )

  full(it).effect("equals single writes, whatever the bodies are", () =>
    Effect.gen(function* () {
      const text = fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom("Ada", "Çelik", "🎉 Party", "O'Neil, Jr.", " ") },
        { weight: 2, arbitrary: fc.string({ maxLength: 12 }) },
        { weight: 1, arbitrary: fc.constantFrom(null, "", 7) }
      )
      const address = fc.constantFrom("a@x.example", "b@x.example", "c@x.example", "none", 7)
      const email = fc.record({ email_address: address })
      const body = fc.record(
        { first_name: text, last_name: text, title: text, email_addresses: fc.array(email, { maxLength: 1 }) },
        { requiredKeys: [] }
      )
      const bodies = fc.sample(body, { numRuns: 20, seed: 7 })
      const own = new Set([
        "id",
        "remote_id",
        "providerId",
        "created_at",
        "modified_at",
        "remote_created_at",
        "remote_updated_at"
      ])
      const shown = (record: Doc = {}) => Object.entries(record).filter(([name]) => !own.has(name))
      for (const provider of ["hubspot", "salesforce", "zoho_crm", "pipedrive"]) {
        // each in an account of its own
        const [left, right] = [yield* caller(provider), yield* caller(provider)]
        const path = `/crm/contact?provider=${provider}`
        const together = entriesOf(yield* batch(left, path.replace("?", "/batch?"), { records: bodies }))
        assert.includeMembers(
          together.map(({ status }) => status),
          [201, 422]
        )
        for (const [index, one] of bodies.entries()) {
          const answer = yield* right.call("POST", path, { body: one })
          const { code, data, errors, status, warnings = [] } = together[index] ?? { status: 0 }
          const what = `${provider} ${JSON.stringify(one)}`
          assert.strictEqual(status, answer.status, what)
          if (status !== 201) {
            assert.deepStrictEqual([code, errors], [failureOf(answer).code, failureOf(answer).errors], what)
            continue
          }
          assert.deepStrictEqual(shown(data), shown(recordOf(answer)), what)
          assert.deepStrictEqual(
            warnings.map((of) => `${String(of.field)} ${String(of.code)}`).toSorted(),
            said(answer),
            what
          )
        }
      }
    })
  )
})

layer(sandboxApplication(), { timeout: "60 seconds" })("a batch with an Idempotency-Key", (it) => {
  it.effect("answers a repeat with the first answer, to whoever sent it", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const one = yield* caller("hubspot")
      const body = { records: [person(1), {}, person(2)] }
      const first = yield* keyed(one, "k", people, body)
      assert.deepStrictEqual(statusesOf(first), [201, 422, 201])
      const again = yield* keyed(one, "k", people, body)
      assert.deepStrictEqual(again.body, first.body)
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      const other = yield* keyed(one, "k", people, { records: [person(1)] })
      assert.deepStrictEqual(refusalOf(other), [409, "IDEMPOTENCY_CONFLICT"])
      const colleague = yield* app.caller(["hubspot"], { tenancy: one.tenancy })
      const stranger = yield* app.caller(["hubspot"], { endUser: one.endUser })
      for (const somebody of [colleague, stranger]) {
        const answer = yield* keyed(somebody, "k", people, body)
        assert.isNull(answer.headers.get("idempotency-replayed"))
        assert.deepStrictEqual(statusesOf(answer), [201, 422, 201])
      }
      assert.strictEqual((yield* namesAt(one, "/crm/contact?provider=hubspot", "last_name")).length, 2)
    })
  )

  full(it).effect("goes on after a limit with what was not done", () =>
    Effect.gen(function* () {
      const one = yield* caller("quickbooks")
      const body = { records: times(100, customer) }
      yield* fails({ provider: "quickbooks", path: "/batch", skip: 2, does: { kind: "limit", retryAfter: 60 } })
      const first = entriesOf(yield* keyed(one, "limit", customers, body))
      const done = first.filter(({ status }) => status === 201)
      assert.isAbove(done.length, 0)
      const left = first.filter(({ status }) => status !== 201)
      assert.isAbove(left.length, 0)
      for (const { code, retryable } of left) assert.deepStrictEqual([code, retryable], ["RATE_LIMITED", true])
      yield* TestClock.adjust("61 seconds")
      const again = entriesOf(yield* keyed(one, "limit", customers, body))
      assert.deepStrictEqual(
        again.map(({ data, status }) => [status, data?.name]),
        times(100, (i) => [201, customer(i).name])
      )
      for (const { data, index } of done) assert.deepStrictEqual(again[index]?.data, data)
      assert.strictEqual((yield* namesAt(one, "/accounting/contact?provider=quickbooks", "name")).length, 100)
    })
  )

  full(it).effect("says of which records nobody knows how they ended, and of the others that they are done", () =>
    Effect.gen(function* () {
      const one = yield* caller("quickbooks")
      const body = { records: times(100, customer) }
      yield* fails({ provider: "quickbooks", path: "/batch", skip: 1, does: { kind: "drop", after: true } })
      const first = entriesOf(yield* keyed(one, "drop", customers, body))
      const open = first.filter(({ code }) => code === "PROVIDER_ERROR")
      assert.strictEqual(open.length, 30)
      const again = yield* keyed(one, "drop", customers, body)
      assert.strictEqual(again.status, 200)
      for (const { code, index, status } of entriesOf(again)) {
        const isOpen = open.some((entry) => entry.index === index)
        assert.deepStrictEqual([status, code], isOpen ? [409, "IDEMPOTENCY_OUTCOME_UNKNOWN"] : [201, undefined])
      }
      assert.strictEqual((yield* namesAt(one, "/accounting/contact?provider=quickbooks", "name")).length, 100)
      // nothing is left to do
      assert.strictEqual((yield* keyed(one, "drop", customers, body)).headers.get("idempotency-replayed"), "true")
    })
  )

  it.effect("goes on after a process that was killed: what was kept is answered, what was sent is unknown", () =>
    Effect.gen(function* () {
      const one = yield* caller("hubspot")
      const sql = yield* SqlClient.SqlClient
      const body = { records: times(4, person) }
      const first = yield* keyed(one, "killed", people, body)
      // the batch's own entry is the first that was made; of the others one had not been sent, one had
      yield* sql`
        with entries as (
          select scope, row_number() over (order by created_at, unsent_lease_id nulls first) as place
          from idempotency_entries where organisation_id = ${one.tenancy.organisation}
        )
        update idempotency_entries set answer = null, status = null, lease_until = now() - interval '1 second'
        where scope in (select scope from entries where place in (1, 3))`
      const again = yield* keyed(one, "killed", people, body)
      assert.deepStrictEqual(
        statusesOf(again).toSorted((a, b) => a - b),
        [201, 201, 201, 409]
      )
      for (const { code, data, index } of entriesOf(again)) {
        if (code === undefined) assert.deepStrictEqual(data?.remote_id, idsOf(first)[index])
        else assert.strictEqual(code, "IDEMPOTENCY_OUTCOME_UNKNOWN")
      }
      assert.strictEqual((yield* namesAt(one, "/crm/contact?provider=hubspot", "last_name")).length, 4)
    })
  )
})

layer(sandboxApplication({ REQUEST_TIMEOUT: "20" }), { timeout: "60 seconds" })("a batch at a slow provider", (it) => {
  full(it).effect("answers in time, and goes on with what was not begun", () =>
    Effect.gen(function* () {
      const one = yield* caller("pipedrive")
      const path = "/crm/contact/batch?provider=pipedrive"
      const body = { records: times(100, person) }
      const faults = yield* Faults
      // eight at a time
      yield* faults.add({
        provider: "pipedrive",
        method: "POST",
        path: "/persons",
        times: 1000,
        does: { kind: "latency", milliseconds: 2400 }
      })
      const started = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const first = entriesOf(yield* keyed(one, "late", path, body))
      assert.isBelow((yield* Effect.clockWith((clock) => clock.currentTimeMillis)) - started, 20_000)
      const unsent = first.filter(({ status }) => status === 503)
      const sent = first.filter(({ status }) => status === 504)
      assert.isAbove(unsent.length, 0)
      for (const { code, retryable } of unsent) assert.deepStrictEqual([code, retryable], ["UNAVAILABLE", true])
      for (const { code, retryable } of sent) assert.deepStrictEqual([code, retryable], ["PROVIDER_TIMEOUT", true])
      assert.strictEqual(first.filter(({ status }) => status === 201).length, 100 - unsent.length - sent.length)
      yield* faults.clear
      yield* TestClock.adjust("70 seconds")
      const again = yield* keyed(one, "late", path, body)
      assert.deepStrictEqual(
        statusesOf(again),
        times(100, () => 201)
      )
      assert.strictEqual((yield* namesAt(one, "/crm/contact?provider=pipedrive", "last_name")).length, 100)
    })
  )
})
