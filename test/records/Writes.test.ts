import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Schema, TestClock } from "effect"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import {
  errorsOf,
  failureOf,
  listOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  nextTick
} from "../support/SandboxApplication.ts"

const invoices = "/accounting/invoice?provider=quickbooks"
const contacts = "/crm/contact?provider=hubspot"

layer(sandboxApplication(), { timeout: "60 seconds" })("writes that end in more than one way", (it) => {
  const caller = Effect.flatMap(SandboxApplication, (app) => app.caller(["hubspot", "quickbooks"]))

  const invoice = Effect.gen(function* () {
    const { call } = yield* caller
    const [customer] = pageOf(yield* call("GET", "/accounting/contact?provider=quickbooks&limit=1")).data
    const [item] = pageOf(yield* call("GET", "/accounting/item?provider=quickbooks&limit=1")).data
    const made = yield* call("POST", invoices, {
      body: {
        type: "ACCOUNTS_RECEIVABLE",
        contact: customer?.id,
        line_items: [1, 2].map((quantity) => ({ item: item?.id, quantity, unit_price: 10 }))
      }
    })
    return {
      call,
      made: recordOf(made),
      path: `/accounting/invoice/${String(recordOf(made).remote_id)}?provider=quickbooks`
    }
  })

  it.effect("a voided invoice stays void when its memo is written", () =>
    Effect.gen(function* () {
      const { call, path } = yield* invoice
      assert.strictEqual(recordOf(yield* call("PATCH", path, { body: { status: "VOID" } })).status, "VOID")
      const noted = recordOf(yield* call("PATCH", path, { body: { memo: "ordered twice" } }))
      assert.strictEqual(noted.status, "VOID")
      assert.include(String(noted.memo), "ordered twice")
      assert.strictEqual(recordOf(yield* call("PATCH", path, { body: { memo: null } })).status, "VOID")
    })
  )

  it.effect(
    "a line that is sold keeps its amount: it is not made one of words, and a new quantity gives a new price",
    () =>
      Effect.gen(function* () {
        const { call, made, path } = yield* invoice
        const [line, other] = listOf(made.line_items)
        const cleared = yield* call("PATCH", path, {
          body: { line_items: [{ remote_id: line?.remote_id, item: null, account: null }, other] },
          headers: { prefer: "handling=strict" }
        })
        assert.deepStrictEqual(Object.keys(errorsOf(cleared)), ["line_items.0.item"])
        const again = yield* call("PATCH", path, {
          body: { line_items: [{ remote_id: other?.remote_id, quantity: 4, total_amount: other?.total_amount }] }
        })
        const [fewer] = listOf(recordOf(again).line_items)
        assert.deepInclude(fewer, { quantity: 4, unit_price: 5, total_amount: 20 })
      })
  )

  it.effect("two entries that claim one line are refused, and the line stays", () =>
    Effect.gen(function* () {
      const { call, made, path } = yield* invoice
      const [line] = listOf(made.line_items)
      const twice = yield* call("PATCH", path, {
        body: { line_items: [{ remote_id: line?.remote_id, quantity: 5 }, { remote_id: line?.remote_id }] }
      })
      assert.deepStrictEqual(Object.keys(errorsOf(twice)), ["line_items.1.remote_id"])
      assert.strictEqual(listOf(recordOf(yield* call("GET", path)).line_items).length, 2)
    })
  )

  it.effect("a write of which a part took effect says so, and its refusal is not kept", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const { remote_id: id } = recordOf(yield* call("POST", contacts, { body: { last_name: "Partly" } }))
      const path = `/crm/contact/${String(id)}?provider=hubspot`
      const options = { body: { title: "written", account: "999999" }, headers: { "idempotency-key": "partly" } }
      const failed = yield* call("PATCH", path, options)
      assert.strictEqual(failed.status, 422)
      assert.deepStrictEqual(failureOf(failed).provider?.done, ["record"])
      assert.strictEqual(recordOf(yield* call("GET", path)).title, "written")
      // a repeat of a PATCH is safe, so it runs again rather than repeating the old answer
      assert.isNull((yield* call("PATCH", path, options)).headers.get("idempotency-replayed"))
    })
  )

  it.effect("a record that somebody else changes between reading and writing is read and written once more", () =>
    Effect.gen(function* () {
      const { call, path } = yield* invoice
      const faults = yield* Faults
      const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
      const does = { kind: "latency", milliseconds: 8_000 } as const
      yield* faults.add({ provider: "quickbooks", method: "POST", path: "/invoice", does })
      const slow = yield* Effect.fork(call("PATCH", path, { body: { memo: "slow" } }))
      yield* Effect.repeat(Effect.zipRight(nextTick, TestClock.sleeps()), {
        until: (sleeps) => [...sleeps].some((at) => at >= now + does.milliseconds)
      })
      assert.strictEqual((yield* call("PATCH", path, { body: { due_date: "2027-01-31" } })).status, 200)
      yield* TestClock.adjust("8 seconds")
      const answer = yield* Fiber.join(slow)
      assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
      const held = recordOf(yield* call("GET", path))
      assert.include(String(held.memo), "slow")
      assert.include(String(held.due_date), "2027-01-31")
    })
  )

  it.effect("changing what is not there is not found, whatever is changed", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const made = recordOf(yield* call("POST", contacts, { body: { last_name: "Gone" } }))
      const gone = `/crm/contact/${String(made.remote_id)}?provider=hubspot`
      yield* call("DELETE", gone)
      for (const path of ["/crm/contact/123456789?provider=hubspot", gone]) {
        for (const body of [{}, { title: "nobody's" }]) {
          assert.deepStrictEqual(refusalOf(yield* call("PATCH", path, { body })), [404, "CONTACT_NOT_FOUND"])
        }
      }
    })
  )

  it.effect("a changed record that cannot be read back is answered as it was, with what was sent", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const faults = yield* Faults
      const made = recordOf(
        yield* call("POST", contacts, { body: { last_name: "Kept", title: "before", phone_numbers: [] } })
      )
      const path = `/crm/contact/${String(made.remote_id)}?provider=hubspot`
      // the read before the write passes, the one after does not
      yield* faults.add({
        provider: "hubspot",
        method: "GET",
        path: `/contacts/${String(made.remote_id)}`,
        skip: 1,
        times: 3,
        does: { kind: "status", status: 500 }
      })
      const answer = yield* call("PATCH", path, {
        body: { title: "after", email_addresses: [{ email_address: "kept@example.com" }] }
      })
      yield* faults.clear
      assert.strictEqual(answer.status, 200)
      assert.deepInclude(recordOf(answer), { last_name: "Kept", title: "after", created_at: made.created_at })
      const named = notReadBackIn(answer.body)
      assert.include(named, "modified_at")
      for (const field of ["last_name", "title", "created_at", "remote_id"]) assert.notInclude(named, field)
    })
  )

  it.effect("a replaced contact that cannot be read back shows what the full body left out as cleared", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const faults = yield* Faults
      const made = recordOf(yield* call("POST", contacts, { body: { last_name: "Kept", title: "before" } }))
      const path = `/crm/contact/${String(made.remote_id)}?provider=hubspot`
      yield* faults.add({
        provider: "hubspot",
        method: "GET",
        path: `/contacts/${String(made.remote_id)}`,
        skip: 1,
        times: 9,
        does: { kind: "status", status: 503 }
      })
      const answer = yield* call("PUT", path, { body: { last_name: "New" } })
      yield* faults.clear
      assert.deepInclude(recordOf(answer), { last_name: "New", title: null })
      const named = notReadBackIn(answer.body)
      assert.include(named, "modified_at")
      assert.notInclude(named, "title")
    })
  )

  it.effect("a changed note that cannot be read back names each field that is not known", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      const faults = yield* Faults
      const contact = recordOf(yield* call("POST", contacts, { body: { last_name: "Linked" } }))
      const made = recordOf(
        yield* call("POST", "/crm/note?provider=hubspot", { body: { content: "a", contact: contact.remote_id } })
      )
      const path = `/crm/note/${String(made.remote_id)}?provider=hubspot`
      yield* faults.add({ provider: "hubspot", method: "GET", times: 9, does: { kind: "status", status: 503 } })
      const answer = yield* call("PATCH", path, { body: { content: "x" } })
      yield* faults.clear
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(recordOf(answer).content, "x")
      const named = notReadBackIn(answer.body)
      for (const field of ["owner", "contact", "account", "opportunity"]) assert.include(named, field)
      const empty = Object.entries(recordOf(answer)).filter(
        ([, value]) => value === null || (Array.isArray(value) && value.length === 0)
      )
      for (const [field] of empty) assert.include(named, field)
      assert.strictEqual(recordOf(yield* call("GET", path)).contact, contact.remote_id)
    })
  )

  it.effect("a memo of a document is written although NetSuite answers no reads", () =>
    Effect.gen(function* () {
      const { call } = yield* Effect.flatMap(SandboxApplication, (app) => app.caller(["netsuite"]))
      const [expense] = pageOf(yield* call("GET", "/accounting/expense?provider=netsuite&limit=1")).data
      const path = `/accounting/expense/${String(expense?.remote_id)}?provider=netsuite`
      yield* call("GET", path)
      const faults = yield* Faults
      yield* faults.add({ provider: "netsuite", method: "GET", times: 9, does: { kind: "status", status: 503 } })
      const answer = yield* call("PATCH", path, { body: { memo: "Petrol" } })
      yield* faults.clear
      assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
      assert.strictEqual(recordOf(yield* call("GET", path)).memo, "Petrol")
    })
  )

  // HubSpot deletes what is gone already, Salesforce does not find it
  it.effect.each(["hubspot", "salesforce"])("a delete whose answer was lost is a success at %s", (provider) =>
    Effect.gen(function* () {
      const { call } = yield* Effect.flatMap(SandboxApplication, (app) => app.caller([provider]))
      const faults = yield* Faults
      const of = `?provider=${provider}`
      const { remote_id: id } = recordOf(yield* call("POST", `/crm/contact${of}`, { body: { last_name: "Gone" } }))
      yield* faults.add({ provider, method: "DELETE", does: { kind: "drop", after: true } })
      const path = `/crm/contact/${String(id)}${of}`
      assert.strictEqual((yield* call("DELETE", path)).status, 200)
      assert.deepStrictEqual(refusalOf(yield* call("GET", path)), [404, "CONTACT_NOT_FOUND"])
      assert.deepStrictEqual(refusalOf(yield* call("DELETE", path)), [404, "CONTACT_NOT_FOUND"])
    })
  )

  it.effect("a record is changed and deleted by our own id of it as by the provider's", () =>
    Effect.gen(function* () {
      const { call, made, path } = yield* invoice
      const own = `/accounting/invoice/${encodeURIComponent(String(made.id))}?provider=quickbooks`
      const changed = recordOf(yield* call("PATCH", own, { body: { memo: "by our id" } }))
      assert.deepInclude(changed, { id: made.id, remote_id: made.remote_id, memo: "by our id" })
      assert.strictEqual(recordOf(yield* call("GET", path)).memo, "by our id")
      assert.strictEqual(recordOf(yield* call("DELETE", own)).remote_id, made.remote_id)
    })
  )

  it.effect("an id cannot lead out of its place in the provider's address", () =>
    Effect.gen(function* () {
      const { call } = yield* caller
      for (const id of ["..%2fcompanies", "1%2f..%2f..", "%3farchived=true"]) {
        const path = `/crm/contact/${id}?provider=hubspot`
        assert.deepStrictEqual(refusalOf(yield* call("GET", path)), [404, "CONTACT_NOT_FOUND"], id)
        assert.deepStrictEqual(refusalOf(yield* call("DELETE", path)), [404, "CONTACT_NOT_FOUND"], id)
      }
    })
  )
})

const decodeWarned = Schema.decodeUnknownSync(
  Schema.Struct({ warnings: Schema.Array(Schema.Struct({ field: Schema.String, code: Schema.String })) })
)

/** Fields that an answer names as not known. */
const notReadBackIn = (body: unknown) =>
  decodeWarned(body).warnings.flatMap(({ code, field }) => (code === "NOT_READ_BACK" ? [field] : []))
