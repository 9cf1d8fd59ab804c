import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Call,
  errorsOf,
  failureOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  whileTimePasses
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const limit = 1024 * 1024

layer(sandboxApplication(), { timeout: "60 seconds" })("bodies", (it) => {
  const hubspot = Effect.flatMap(SandboxApplication, (app) => app.caller(["hubspot"]))
  const quickbooks = Effect.flatMap(SandboxApplication, (app) => app.caller(["quickbooks"]))

  /** The verbs that take a body. */
  const sending = (call: Call, options: Parameters<Call>[2]) =>
    Effect.all([
      call("POST", "/crm/contact?provider=hubspot", options),
      call("PUT", "/crm/contact/1?provider=hubspot", options),
      call("PATCH", "/crm/contact/1?provider=hubspot", options),
      call("PUT", "/field-mappings", options)
    ])

  it.effect.each([
    ["malformed", '{"last_name": '],
    ["cut off", '{"last_name": "Love'],
    ["no JSON", "last_name=Lovelace"],
    ["empty", ""],
    ["blank", "   "]
  ])("a body that is %s is 400", ([, body]) =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      for (const answer of yield* sending(call, { body, headers: { "content-type": "application/json" } })) {
        assert.deepStrictEqual(refusalOf(answer), [400, "INVALID_JSON"])
        assert.notInclude(failureOf(answer).message, "Love")
      }
    })
  )

  it.effect.each(["null", "[]", '"text"', "12", "true"])("the body %s is 422", (body) =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      for (const answer of yield* sending(call, { body }))
        assert.deepStrictEqual(Object.keys(errorsOf(answer)), ["body"])
    })
  )

  full(it).effect("another content type is 415", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "",
        undefined
      ]) {
        const headers = { "content-type": type }
        for (const answer of yield* sending(call, { body: '{"last_name":"x"}', headers })) {
          assert.deepStrictEqual(refusalOf(answer), [415, "UNSUPPORTED_MEDIA_TYPE"], String(type))
        }
      }
      for (const type of ["application/json; charset=utf-8", "APPLICATION/JSON", "application/merge-patch+json"]) {
        const headers = { "content-type": type }
        const answer = yield* call("POST", "/crm/contact?provider=hubspot", { body: { last_name: "x" }, headers })
        assert.strictEqual(answer.status, 201, type)
      }
    })
  )

  it.effect("a body that is too large is 413, told by its length or while it comes in", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      const declared = { "content-type": "application/json", "content-length": String(limit + 1) }
      for (const answer of yield* sending(call, { body: "{}", headers: declared })) {
        assert.deepStrictEqual(refusalOf(answer), [413, "PAYLOAD_TOO_LARGE"])
      }
      const chunk = new TextEncoder().encode(" ".repeat(64 * 1024))
      let pulled = 0
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pulled += 1
          controller.enqueue(chunk)
        }
      })
      const headers = { "content-type": "application/json" }
      const streamed = yield* call("POST", "/crm/contact?provider=hubspot", { body: endless, headers })
      assert.deepStrictEqual(refusalOf(streamed), [413, "PAYLOAD_TOO_LARGE"])
      assert.isBelow(pulled, 80)
      const largest = JSON.stringify({ last_name: "x" }).padEnd(limit, " ")
      assert.strictEqual((yield* call("POST", "/crm/contact?provider=hubspot", { body: largest })).status, 201)
    })
  )

  it.effect("a body that does not come in is not waited for longer than a minute", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      const stuck = new ReadableStream<Uint8Array>()
      const headers = { "content-type": "application/json" }
      const answer = yield* whileTimePasses(60_000)(
        call("POST", "/crm/contact?provider=hubspot", { body: stuck, headers, timeStands: true })
      )
      assert.deepStrictEqual(refusalOf(answer), [400, "INVALID_JSON"])
    })
  )

  it.effect("unknown fields are refused by name, at every depth, with everything else that is wrong", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      const body = {
        lastname: "Lovelace",
        last_name: 12,
        first_name: ["Ada"],
        addresses: [{ street_1: "1 Dorset Street", steet_2: "x" }, "London"],
        email_addresses: [{ email_address_type: "WORK" }],
        phone_numbers: { phone_number: "1" },
        integration_params: "no",
        custom_fields: []
      }
      assert.deepStrictEqual(
        Object.keys(errorsOf(yield* call("POST", "/crm/contact?provider=hubspot", { body }))).toSorted(),
        [
          "addresses.0.steet_2",
          "addresses.1",
          "custom_fields",
          "email_addresses.0.email_address",
          "first_name",
          "integration_params",
          "last_name",
          "lastname",
          "phone_numbers"
        ]
      )
    })
  )

  it.effect("what a create needs is asked for; a patch needs nothing", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      for (const body of [{}, { last_name: "" }, { last_name: null }]) {
        for (const [method, path] of [
          ["POST", "/crm/contact"],
          ["PUT", "/crm/contact/1"]
        ] as const) {
          const errors = errorsOf(yield* call(method, `${path}?provider=hubspot`, { body }))
          assert.deepStrictEqual(Object.keys(errors), ["last_name"])
        }
      }
      const lead = errorsOf(yield* call("POST", "/crm/lead?provider=hubspot", { body: { title: "x" } }))
      assert.deepStrictEqual(lead, {
        last_name: "one of last_name, first_name, email_addresses, contact is required"
      })
    })
  )

  it.effect("values of the wrong kind are refused by their path", () =>
    Effect.gen(function* () {
      const { call } = yield* quickbooks
      const body = {
        type: "ACCOUNTS",
        contact: "Harborline",
        issue_date: "31/01/2026",
        due_date: "2026-02-30",
        exchange_rate: 1.5,
        status: "paid",
        total_discount: "5",
        tracking_categories: ["x"],
        inclusive_of_tax: "yes",
        line_items: [{ quantity: "2", item: 12 }, { is_billable: 1, unit_price: null }, 7]
      }
      const errors = errorsOf(yield* call("POST", "/accounting/invoice?provider=quickbooks", { body }))
      assert.deepStrictEqual(Object.keys(errors).toSorted(), [
        "contact",
        "due_date",
        "exchange_rate",
        "inclusive_of_tax",
        "issue_date",
        "line_items.0.item",
        "line_items.0.quantity",
        "line_items.1.is_billable",
        "line_items.2",
        "status",
        "total_discount",
        "tracking_categories.0",
        "type"
      ])
      assert.include(errors.status, "PAID")
      assert.include(errors.due_date, "2026-01-31")
      for (const message of Object.values(errors)) assert.notMatch(message, /undefined|Expected|readonly|\{/)
    })
  )

  it.effect("what only the provider decides, and what a record came with, is accepted and ignored", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      const body = {
        last_name: "Lovelace",
        id: "urn:uuid:x",
        remote_id: 12,
        remote_was_deleted: true,
        created_at: "whenever",
        providerSlug: "xero",
        last_activity_at: {},
        remote_data: { any: "thing" }
      }
      const made = recordOf(yield* call("POST", "/crm/contact?provider=hubspot", { body }))
      assert.strictEqual(made.providerSlug, "hubspot")
      assert.isFalse(made.remote_was_deleted)
      assert.isNull(made.last_activity_at)
      assert.notStrictEqual(made.remote_id, 12)
    })
  )

  it.effect("keys that JavaScript treats specially are unknown fields like others", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      const body = '{"last_name":"x","__proto__":{"first_name":"y"},"constructor":1}'
      const answer = yield* call("POST", "/crm/contact?provider=hubspot", { body })
      assert.strictEqual(answer.status, 422)
      assert.includeMembers(Object.keys(errorsOf(answer)), ["constructor", "body.__proto__"])
      const nested = '{"last_name":"x","integration_params":{"__proto__":{"polluted":"yes"}}}'
      const refused = yield* call("POST", "/crm/contact?provider=hubspot", { body: nested })
      assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["integration_params.__proto__"])
      assert.isUndefined(Object.getOwnPropertyDescriptor(Object.prototype, "polluted"))
    })
  )

  it.effect("what no provider can hold is refused where it stands", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      const headers = { "content-type": "application/json" }
      const make = (body: unknown, more = {}) =>
        call("POST", "/crm/contact?provider=hubspot", { body, headers: { ...headers, ...more } })
      for (const text of ["\\u0000", "half \\ud83d"]) {
        const body = `{"last_name":"x","addresses":[{"city":"${text}"}]}`
        assert.deepStrictEqual(Object.keys(errorsOf(yield* make(body))), ["addresses.0.city"])
      }
      const deep = `{"last_name":"x","integration_params":${'{"a":'.repeat(5000)}1${"}".repeat(5000)}}`
      assert.strictEqual((yield* make(deep)).status, 422)
      const latin = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(Buffer.from('{"last_name":"Lovelæce"}', "latin1"))
          controller.close()
        }
      })
      assert.deepStrictEqual(refusalOf(yield* make(latin)), [400, "INVALID_JSON"])
      for (const more of [{ "content-type": "application/json; charset=latin1" }, { "content-encoding": "gzip" }]) {
        assert.deepStrictEqual(refusalOf(yield* make("{}", more)), [415, "UNSUPPORTED_MEDIA_TYPE"])
      }
    })
  )

  it.effect("of many wrong fields the first 100 are named, and the answer says so", () =>
    Effect.gen(function* () {
      const { call } = yield* quickbooks
      const make = (body: object) => call("POST", "/accounting/invoice?provider=quickbooks", { body })
      const answer = yield* make({ line_items: Array.from({ length: 900 }, () => ({ quantity: "1", wrong: 1 })) })
      const errors = errorsOf(answer)
      assert.deepStrictEqual(refusalOf(answer), [422, "VALIDATION_FAILED"])
      assert.lengthOf(Object.keys(errors), 100)
      assert.strictEqual(
        failureOf(answer).message,
        "Many fields of the body are not valid; errors names the first 100."
      )
      assert.isBelow(JSON.stringify(answer.body).length, 20_000)
      const few = yield* make({ line_items: [{ quantity: "1" }] })
      assert.strictEqual(failureOf(few).message, "Some fields of the body are not valid.")
    })
  )

  it.effect("a body has at most 40,000 values, and 1,000 fields or entries in a place", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 0]))
      const make = (body: object) => call("POST", "/crm/contact?provider=hubspot", { body })
      const lists = (count: number) => ({
        a: Array.from({ length: count }, () => Array.from({ length: 999 }, () => 0))
      })
      for (const [body, errors] of [
        [{ last_name: "x", remote_data: lists(41) }, { body: "holds more than 40000 values" }],
        [names(1001), { body: "has more than 1000 fields" }],
        [{ last_name: "x", custom_fields: names(1001) }, { custom_fields: "has more than 1000 fields" }],
        [
          { last_name: "x", addresses: Array.from({ length: 1001 }, () => ({})) },
          { addresses: "has more than 1000 entries" }
        ]
      ] as const) {
        const answer = yield* make(body)
        assert.deepStrictEqual(refusalOf(answer), [422, "VALIDATION_FAILED"])
        assert.deepStrictEqual<unknown>(errorsOf(answer), errors)
      }
      assert.strictEqual((yield* make({ last_name: "x", remote_data: lists(39) })).status, 201)
      const long = "k".repeat(500_000)
      const answer = yield* make({ last_name: "x", [long]: 1 })
      assert.deepStrictEqual(errorsOf(answer), { [`${long.slice(0, 300)}…`]: "is not known here" })
    })
  )

  it.effect("of many wrong parameters the first 100 are named", () =>
    Effect.gen(function* () {
      const { call } = yield* hubspot
      const query = Array.from({ length: 500 }, (_, n) => `k${n}=`).join("&")
      for (const path of [`/crm/contact?provider=hubspot&${query}`, `/connections?${query}`]) {
        const { message } = failureOf(yield* call("GET", path))
        assert.match(message, /k0: .*k90: .*; only the first 100 problems are named$/)
        assert.notInclude(message, "k101")
      }
    })
  )
})
