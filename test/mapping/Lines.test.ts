import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { Contact } from "../../src/canonical/crm/Contact.ts"
import { compile } from "../../src/mapping/Compile.ts"
import type { Body } from "../../src/mapping/Encode.ts"
import type { Native } from "../../src/mapping/Mapping.ts"
import { plainMapping } from "../../src/mapping/PlainMapping.ts"
import { text } from "../../src/mapping/Transform.ts"
import { allBut } from "../support/NotHeld.ts"

const mapping = plainMapping(Contact, (of) => [
  of.variant({
    nativeType: "person",
    entries: [
      of.readField("remote_id", "id", text),
      of.lines("email_addresses", {
        native: "emails",
        key: "email_address",
        forms: ({ field }) => [
          {
            where: {},
            entries: [field("email_address", "email", text), field("email_address_type", "type", text)]
          }
        ]
      })
    ],
    notHeld: allBut(Contact, "remote_id", "email_addresses")
  })
])

const variant = compile("acme", Contact, mapping).variants[0]

const a = { email: "a@acme.example", type: "WORK", verified: true }
const b = { email: "b@acme.example", type: "HOME", verified: false }
const held = { id: "1", emails: [a, b] }

const entry = (email_address: string, email_address_type: string | null = null) => ({
  email_address,
  email_address_type
})

/** The native list that a patch with these addresses writes. */
const written = (...addresses: ReadonlyArray<Body>): unknown => {
  const context = { reference: () => "", line: () => "" }
  const current: Native = held
  return variant
    ?.encode({ email_addresses: addresses }, "patch", {
      resolve: () => undefined,
      lookups: {},
      current: { record: current },
      handling: "strict" as const,
      today: "2026-03-02",
      currentRecord: variant.decode({ record: current }, context)
    })
    .pipe(Either.match({ onLeft: (refusals) => refusals, onRight: ({ record }) => record.emails }))
}

describe("lines without ids", () => {
  const [readA, readB] = [entry("a@acme.example", "WORK"), entry("b@acme.example", "HOME")]

  it("stay as they are, in any order, when what was read is sent back", () => {
    assert.deepStrictEqual(written(readA, readB), [a, b])
    assert.deepStrictEqual(written(readB, readA), [b, a])
  })

  it("keep what the model does not hold by their key when one before them is deleted", () => {
    assert.deepStrictEqual(written(readB), [b])
  })

  it("lose what is left out, and nothing that the model does not hold", () => {
    assert.deepStrictEqual(
      JSON.stringify(written({ email_address: "a@acme.example" }, readB)),
      JSON.stringify([{ email: a.email, verified: true }, b])
    )
  })

  it("are matched by position where the key matches none and as many are left", () => {
    assert.deepStrictEqual(written(readB, entry("new@acme.example", "WORK")), [b, { ...a, email: "new@acme.example" }])
  })

  it("are new where more are given than are left", () => {
    assert.deepStrictEqual(written(readA, entry("new@acme.example", "WORK"), entry("c@acme.example", "HOME")), [
      a,
      { email: "new@acme.example", type: "WORK" },
      { email: "c@acme.example", type: "HOME" }
    ])
  })
})
