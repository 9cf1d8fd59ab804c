import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Doc,
  errorsOf,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication
} from "../../support/SandboxApplication.ts"
import { firstOf, isFull } from "../../support/Full.ts"
import { assertSentBackUnchanged } from "../../support/SentBack.ts"
import { said, strictly } from "../../support/Warnings.ts"

const at = (resource: string, id?: unknown) =>
  `/crm/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=close`

layer(sandboxApplication(), { timeout: "60 seconds" })("writes to Close", (it) => {
  const connected = Effect.gen(function* () {
    const { call } = yield* (yield* SandboxApplication).caller(["close"])
    return {
      post: (resource: string, body: Doc) => call("POST", at(resource), { body }),
      patch: (resource: string, { remote_id }: Doc, body: Doc) => call("PATCH", at(resource, remote_id), { body }),
      refused: (resource: string, body: Doc) =>
        Effect.map(call("POST", at(resource), { body, headers: strictly }), (answer) => Object.keys(errorsOf(answer))),
      first: (resource: string) =>
        Effect.map(call("GET", `${at(resource)}&limit=1`), (answer) => pageOf(answer).data[0] ?? assert.fail(resource))
    }
  })

  it.effect("a note or task without an account is on that of its opportunity or contact", () =>
    Effect.gen(function* () {
      const { first, post, refused } = yield* connected
      const contact = yield* first("contact")
      const deal = yield* first("deal")
      const note = yield* post("note", { content: "Rang", contact: contact.remote_id })
      assert.deepInclude(recordOf(note), { contact: contact.remote_id, account: contact.account })
      assert.deepStrictEqual(said(note), ["account CHANGED"])
      const task = yield* post("task", { subject: "Ring back", opportunity: deal.remote_id })
      assert.strictEqual(recordOf(task).account, deal.account)
      assert.deepStrictEqual(said(task), ["account CHANGED", "opportunity NOT_HELD"])
      assert.deepStrictEqual(yield* refused("note", { content: "Rang", contact: contact.remote_id }), ["account"])
      assert.deepStrictEqual(Object.keys(errorsOf(yield* post("note", { content: "Rang" }))), ["account"])
      const unknown = yield* post("task", { subject: "Ring back", contact: "cont_gone" })
      assert.deepStrictEqual(Object.keys(errorsOf(unknown)), ["contact"])
    })
  )

  it.effect("a deal of a contact is on the contact's account", () =>
    Effect.gen(function* () {
      const { first, post } = yield* connected
      const contact = yield* first("contact")
      const deal = yield* post("deal", { name: "Bakery", contact: contact.remote_id })
      assert.deepInclude(recordOf(deal), { contact: contact.remote_id, account: contact.account })
    })
  )

  it.effect(
    "a status is the first stage that has it; a stage, a currency and a record's own account are not made up",
    () =>
      Effect.gen(function* () {
        const { first, patch, post } = yield* connected
        const account = (yield* first("company")).remote_id
        const deal = yield* post("deal", { name: "Bakery", account, status: "WON", currency: "EUR" })
        assert.deepInclude(recordOf(deal), { status: "WON", currency: "EUR" })
        assert.deepStrictEqual(said(deal), [])
        const lost = yield* patch("deal", recordOf(deal), { status: "LOST" })
        assert.strictEqual(recordOf(lost).status, "LOST")
        const wrong = yield* patch("deal", recordOf(deal), { stage: recordOf(deal).stage, status: "OPEN" })
        assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["status"])
        const dollars = yield* post("deal", { name: "Bakery", account, amount: 10, currency: "USD" })
        assert.deepStrictEqual(Object.keys(errorsOf(dollars)), ["currency"])
        const moved = yield* patch("deal", recordOf(deal), { name: "Bakeries", account: null })
        assert.deepInclude(recordOf(moved), { name: "Bakeries", account })
        assert.deepStrictEqual(said(moved), ["account CHANGED"])
      })
  )

  it.effect("labels that Close does not have are said, and what stays in a PATCH with null", () =>
    Effect.gen(function* () {
      const { first, patch, post } = yield* connected
      const account = (yield* first("company")).remote_id
      const email_addresses = [{ email_address: "ada@king.example", email_address_type: "SECONDARY" }]
      const contact = yield* post("contact", { account, last_name: "King", email_addresses })
      assert.nestedPropertyVal(recordOf(contact), "email_addresses[0].email_address_type", "WORK")
      assert.deepStrictEqual(said(contact), ["email_addresses.0.email_address_type NOT_HELD"])
      const task = recordOf(yield* post("task", { account, subject: "Ring back" }))
      const kept = yield* patch("task", task, { subject: "Write back", owner: null })
      assert.deepInclude(recordOf(kept), { subject: "Write back", owner: task.owner })
      assert.deepStrictEqual(said(kept), ["owner CHANGED"])
    })
  )

  it.effect(
    "a contact or deal without an account names the company that Close creates for it, and strict refuses it",
    () =>
      Effect.gen(function* () {
        const { first, post, refused } = yield* connected
        for (const [resource, body] of [
          ["contact", { first_name: "Zed", last_name: "Amara" }],
          ["deal", { name: "Bakery" }]
        ] as const) {
          const made = yield* post(resource, body)
          const { account } = recordOf(made)
          assert.deepStrictEqual(said(made), ["account ALSO_CREATED"])
          assert.nestedPropertyVal(made, "body.warnings[0].remote_id", account)
          assert.deepStrictEqual(yield* refused(resource, body), ["account"])
          const own = (yield* first("company")).remote_id
          assert.deepStrictEqual(said(yield* post(resource, { ...body, account: own })), [])
        }
      })
  )

  for (const resource of firstOf(["company", "contact", "deal", "note", "task"])) {
    it.effect(`a ${resource} sent back as it was read changes nothing at Close`, () =>
      assertSentBackUnchanged("close", resource, isFull ? Infinity : 3)
    )
  }
})
