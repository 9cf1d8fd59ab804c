import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Warning } from "../../src/mapping/Warning.ts"
import {
  type Answer,
  errorsOf,
  failureOf,
  listOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { said } from "../support/Warnings.ts"

const warningsOf = (answer: Answer) =>
  Schema.decodeUnknownSync(Schema.Struct({ warnings: Schema.optional(Schema.Array(Warning)) }))(answer.body).warnings

const contacts = "/crm/contact?provider=salesforce"

const phone = (phone_number: string, phone_number_type: string | null) => ({ phone_number, phone_number_type })

const address = (city: string, address_type?: string) => ({ city, ...(address_type && { address_type }) })

layer(sandboxApplication(), { timeout: "60 seconds" })("lenient and strict writes", (it) => {
  const connected = Effect.flatMap(SandboxApplication, (app) => app.caller(["salesforce", "quickbooks"]))

  it.effect("a write that is held as it was sent warns of nothing", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const answer = yield* call("POST", contacts, {
        body: { first_name: "Ada", last_name: "Lovelace", phone_numbers: [phone("1", "WORK")] }
      })
      assert.strictEqual(answer.status, 201)
      assert.isUndefined(warningsOf(answer))
      assert.isNull(answer.headers.get("preference-applied"))
    })
  )

  it.effect("labels are advice: the next place is taken, but none for faxes, and what is too many is named", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const body = {
        last_name: "Labels",
        phone_numbers: [phone("1", "PAGER"), phone("2", "WORK"), phone("3", null)],
        addresses: [address("Bath"), address("Cork"), address("Derby")]
      }
      const answer = yield* call("POST", contacts, { body })
      const record = recordOf(answer)
      const labels = new Map(
        listOf(record.phone_numbers).map((one) => [String(one.phone_number), String(one.phone_number_type)])
      )
      assert.deepStrictEqual([...labels.keys()].toSorted(), ["1", "2", "3"])
      assert.strictEqual(labels.get("2"), "WORK")
      assert.notInclude([...labels.values()], "FAX")
      assert.deepStrictEqual(said(answer), ["addresses.2 NOT_HELD", "phone_numbers.0.phone_number_type CHANGED"])
      assert.deepStrictEqual(
        listOf(record.addresses).map(({ city }) => city),
        ["Bath", "Cork"]
      )
    })
  )

  it.effect("strict handling refuses the same, names every field and writes nothing", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const body = {
        last_name: "Strict",
        phone_numbers: [phone("1", "PAGER")],
        addresses: [1, 2, 3].map(() => address("Bath"))
      }
      for (const prefer of ["handling=strict", 'respond-async, handling="strict"; foo=bar', "HANDLING=Strict"]) {
        const answer = yield* call("POST", contacts, { body, headers: { prefer } })
        assert.strictEqual(answer.headers.get("preference-applied"), "handling=strict")
        assert.deepStrictEqual(Object.keys(errorsOf(answer)).toSorted(), [
          "addresses.2",
          "phone_numbers.0.phone_number_type"
        ])
      }
      const held = yield* call("POST", contacts, {
        body: { last_name: "Kept" },
        headers: { prefer: "handling=strict" }
      })
      assert.strictEqual(held.status, 201)
      assert.strictEqual(held.headers.get("preference-applied"), "handling=strict")
      const lenient = yield* call("POST", contacts, { body, headers: { prefer: "handling=lenient" } })
      assert.strictEqual(lenient.headers.get("preference-applied"), "handling=lenient")
      const other = yield* call("POST", contacts, { body, headers: { prefer: "handling=loose" } })
      assert.deepStrictEqual(refusalOf(other), [400, "INVALID_PARAMETER"])
      assert.include(failureOf(other).message, "strict or lenient")
      // preferences that are not ours have no effect
      const unknown = yield* call("POST", contacts, { body: { last_name: "Kept" }, headers: { prefer: "wait=10" } })
      assert.deepStrictEqual([unknown.status, unknown.headers.get("preference-applied")], [201, null])
    })
  )

  it.effect("a repeated key answers the warnings again, and means the same handling", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const body = { last_name: "Replayed", addresses: ["a", "b", "c"].map((city) => address(city)) }
      const send = (prefer?: string) => call("POST", contacts, { body, headers: { "idempotency-key": "once", prefer } })
      const first = yield* send()
      const again = yield* send()
      assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
      assert.deepStrictEqual(again.body, first.body)
      assert.deepStrictEqual(said(again), ["addresses.2 NOT_HELD"])
      assert.deepStrictEqual(refusalOf(yield* send("handling=strict")), [409, "IDEMPOTENCY_CONFLICT"])
    })
  )

  it.effect("a change of which nothing can be held is refused", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const activity_date = "2026-11-20T10:00:00Z"
      const made = yield* call("POST", "/crm/meeting?provider=salesforce", {
        body: {
          subject: "M",
          start_time: activity_date,
          end_time: "2026-11-20T11:00:00Z",
          meeting_url: "https://x.example"
        }
      })
      assert.deepStrictEqual(said(made), ["meeting_url NOT_HELD"])
      const one = `/crm/meeting/${String(recordOf(made).remote_id)}?provider=salesforce`
      const refused = yield* call("PATCH", one, { body: { meeting_url: "https://y.example" } })
      assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["meeting_url"])
      const held = yield* call("PATCH", one, { body: { meeting_url: "https://y.example", subject: "N" } })
      assert.deepStrictEqual([recordOf(held).subject, said(held)], ["N", ["meeting_url NOT_HELD"]])
      // what a record came back with is sent back in peace
      assert.isUndefined(warningsOf(yield* call("PATCH", one, { body: recordOf(held) })))
    })
  )

  it.effect("what no leniency covers stays refused: misspelt, mistyped, unknown", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const answer = yield* call("POST", contacts, { body: { last_name: 7, frist_name: "x", phone_numbers: "1" } })
      assert.deepStrictEqual(Object.keys(errorsOf(answer)).toSorted(), ["frist_name", "last_name", "phone_numbers"])
      const invoice = yield* call("POST", "/accounting/invoice?provider=quickbooks", {
        body: {
          type: "ACCOUNTS_RECEIVABLE",
          contact: "11111111-2222-5333-8444-555555555555",
          line_items: [{ unit_price: 1, quantity: 1, item: "11111111-2222-5333-8444-555555555556" }]
        }
      })
      assert.deepStrictEqual(Object.keys(errorsOf(invoice)).toSorted(), ["contact", "line_items.0.item"])
    })
  )

  it.effect("a reference to nothing is refused where the provider has no place for it, too", () =>
    Effect.gen(function* () {
      const { call } = yield* connected
      const unknown = "11111111-2222-5333-8444-555555555555"
      const body = { type: "ACCOUNTS_RECEIVABLE", contact: unknown, employee: unknown, line_items: [{ item: unknown }] }
      const invoice = yield* call("POST", "/accounting/invoice?provider=quickbooks", { body })
      assert.deepStrictEqual(Object.keys(errorsOf(invoice)).toSorted(), ["contact", "employee", "line_items.0.item"])
      const deal = (pipeline: string | null) =>
        call("POST", "/crm/deal?provider=salesforce", { body: { name: "Piped", close_date: "2026-12-01", pipeline } })
      assert.deepStrictEqual(Object.keys(errorsOf(yield* deal("nowhere"))), ["pipeline"])
      assert.strictEqual((yield* deal(null)).status, 201)
    })
  )
})
