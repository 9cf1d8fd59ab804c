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
  `/crm/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=attio`

layer(sandboxApplication(), { timeout: "60 seconds" })("writes to Attio", (it) => {
  const connected = Effect.gen(function* () {
    const { call } = yield* (yield* SandboxApplication).caller(["attio"])
    return {
      call,
      post: (resource: string, body: Doc) => call("POST", at(resource), { body }),
      patch: (resource: string, { remote_id }: Doc, body: Doc) => call("PATCH", at(resource, remote_id), { body }),
      refused: (resource: string, body: Doc) =>
        Effect.map(call("POST", at(resource), { body, headers: strictly }), (answer) => Object.keys(errorsOf(answer))),
      first: (resource: string) =>
        Effect.map(call("GET", `${at(resource)}&limit=1`), (answer) => pageOf(answer).data[0] ?? assert.fail(resource))
    }
  })

  it.effect("labels, further addresses and what is no country are said, the rest is held", () =>
    Effect.gen(function* () {
      const { post, refused } = yield* connected
      const body = {
        last_name: "King",
        addresses: [
          { address_type: "BILLING" },
          { city: "Ockham", country: "Ruritania", address_type: "SHIPPING" },
          { city: "London" }
        ],
        email_addresses: [{ email_address: "ada@king.example", email_address_type: "WORK" }],
        phone_numbers: [
          { phone_number: "+44 20 7946 0101", phone_number_type: "MOBILE" },
          { phone_number: "020 7946 0102" }
        ]
      }
      const strict = yield* refused("contact", body)
      const made = yield* post("contact", body)
      const { addresses, email_addresses, phone_numbers } = recordOf(made)
      assert.nestedPropertyVal({ addresses }, "addresses[0].city", "Ockham")
      assert.deepStrictEqual(email_addresses, [{ email_address: "ada@king.example", email_address_type: null }])
      assert.deepStrictEqual(phone_numbers, [{ phone_number: "+44 20 7946 0101", phone_number_type: null }])
      const told = [
        "addresses.1.address_type NOT_HELD",
        "addresses.1.country NOT_HELD",
        "addresses.2 NOT_HELD",
        "email_addresses.0.email_address_type NOT_HELD",
        "phone_numbers.0.phone_number_type NOT_HELD",
        "phone_numbers.1.phone_number NOT_HELD"
      ]
      assert.includeMembers([...said(made)], told)
      assert.sameMembers(
        strict,
        told.map((one) => one.replace(/ .*/, ""))
      )
    })
  )

  it.effect("a website is held as its domain; what has none leaves the domain that is there", () =>
    Effect.gen(function* () {
      const { patch, post } = yield* connected
      const made = yield* post("company", { name: "Fernhill", website: "www.fernhill-shop.example/about" })
      assert.strictEqual(recordOf(made).website, "www.fernhill-shop.example")
      assert.deepStrictEqual(said(made), ["website CHANGED"])
      const other = yield* patch("company", recordOf(made), { name: "Fernhill Shop", website: "none yet" })
      assert.deepInclude(recordOf(other), { name: "Fernhill Shop", website: "www.fernhill-shop.example" })
      assert.deepStrictEqual(said(other), ["website NOT_HELD"])
    })
  )

  it.effect("a deal takes the first open stage and the member who connected, and no other currency", () =>
    Effect.gen(function* () {
      const { patch, post, refused } = yield* connected
      const deal = yield* post("deal", { name: "Bakery", amount: 10 })
      assert.deepInclude(recordOf(deal), { status: "OPEN", currency: "USD" })
      assert.isString(recordOf(deal).owner)
      assert.deepStrictEqual(said(deal), ["owner CHANGED", "stage CHANGED"])
      assert.sameMembers(yield* refused("deal", { name: "Bakery" }), ["owner", "stage"])
      const won = yield* patch("deal", recordOf(deal), { status: "WON" })
      assert.strictEqual(recordOf(won).status, "WON")
      assert.deepStrictEqual(said(won), [])
      const contradiction = yield* patch("deal", recordOf(won), { stage: recordOf(deal).stage, status: "WON" })
      assert.deepStrictEqual(Object.keys(errorsOf(contradiction)), ["status"])
      const euros = yield* post("deal", { name: "Bakery", amount: 10, currency: "EUR" })
      assert.deepStrictEqual(Object.keys(errorsOf(euros)), ["currency"])
      const kept = yield* patch("deal", recordOf(won), { name: "Bakeries", owner: null })
      assert.strictEqual(recordOf(kept).owner, recordOf(deal).owner)
      assert.deepStrictEqual(said(kept), ["owner CHANGED"])
    })
  )

  it.effect("a note is on the most specific of the records it names", () =>
    Effect.gen(function* () {
      const { first, post, refused } = yield* connected
      const links = {
        contact: (yield* first("contact")).remote_id,
        account: (yield* first("company")).remote_id,
        opportunity: (yield* first("deal")).remote_id
      }
      const made = yield* post("note", { content: "Rang", ...links })
      assert.deepInclude(recordOf(made), { contact: null, account: null, opportunity: links.opportunity })
      assert.deepStrictEqual(said(made), ["account NOT_HELD", "contact NOT_HELD"])
      assert.sameMembers(yield* refused("note", { content: "Rang", ...links }), ["account", "contact"])
      assert.deepStrictEqual(Object.keys(errorsOf(yield* post("note", { content: "Rang" }))), ["contact"])
    })
  )

  it.effect("what a task says stays, and is told", () =>
    Effect.gen(function* () {
      const { patch, post } = yield* connected
      const task = recordOf(yield* post("task", { subject: "Ring back" }))
      const changed = yield* patch("task", task, { subject: "Write back", status: "CLOSED" })
      assert.deepInclude(recordOf(changed), { subject: "Ring back", status: "CLOSED" })
      assert.deepStrictEqual(said(changed), ["subject CHANGED"])
      assert.deepStrictEqual(Object.keys(errorsOf(yield* patch("task", task, { subject: "Write back" }))), ["subject"])
    })
  )

  for (const resource of firstOf(["task", "contact", "company", "deal"])) {
    it.effect(`a ${resource} sent back as it was read changes nothing at Attio`, () =>
      assertSentBackUnchanged("attio", resource, isFull ? Infinity : 3)
    )
  }

  it.effect("a national number is of the country of the contact's other numbers, and else leaves them", () =>
    Effect.gen(function* () {
      const { patch, post } = yield* connected
      const numbersOf = (...numbers: ReadonlyArray<string>) => ({
        phone_numbers: numbers.map((phone_number) => ({ phone_number }))
      })
      const made = recordOf(
        yield* post("contact", { last_name: "Cole", ...numbersOf("+1 213 555 0101", "+1 213 555 0102") })
      )
      const changed = yield* patch("contact", made, numbersOf("(213) 555-0188"))
      assert.deepStrictEqual(said(changed), ["phone_numbers.0.phone_number ASSUMED"])
      assert.nestedPropertyVal(recordOf(changed), "phone_numbers[0].phone_number", "(213) 555-0188")
      const mixed = yield* patch("contact", made, numbersOf("+1 213 555 0101", "+44 20 7946 0102"))
      const refused = yield* patch("contact", made, numbersOf("(213) 555-0188"))
      assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["phone_numbers.0.phone_number"])
      const kept = yield* patch("contact", made, { title: "Buyer" })
      assert.deepStrictEqual(recordOf(kept).phone_numbers, recordOf(mixed).phone_numbers)
    })
  )
})
