import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { crm } from "../../../src/canonical/Catalogue.ts"
import { compile, type Override } from "../../../src/mapping/Compile.ts"
import type { Body, Mode } from "../../../src/mapping/Encode.ts"
import type { Native } from "../../../src/mapping/Mapping.ts"
import { company } from "../../../src/providers/attio/Company.ts"
import { contact } from "../../../src/providers/attio/Contact.ts"
import { deal } from "../../../src/providers/attio/Deal.ts"
import { note } from "../../../src/providers/attio/Note.ts"
import { task } from "../../../src/providers/attio/Task.ts"
import type { Caller } from "../../../src/providers/base/Upstream.ts"

const noCall: Caller = () => Effect.dieMessage("a mapping calls nobody")

const parts = {
  contact: contact(noCall),
  company: company(noCall),
  deal: deal(noCall),
  note: note(noCall),
  task: task(noCall)
}
type Name = keyof typeof parts

const variantOf = (name: Name, overrides: ReadonlyArray<Override> = []) => {
  const [variant] = compile("attio", crm[name], parts[name].mapping, overrides).variants
  return variant ?? assert.fail("no variant")
}

const context = { reference: () => "", line: () => "" }

/** Encodes a body: the native record, or the refusals by field. */
const encode = (name: Name, body: Body, mode: Mode, before: Native = {}, overrides: ReadonlyArray<Override> = []) => {
  const current = mode === "create" ? undefined : { record: before }
  const input = {
    resolve: () => undefined,
    lookups: {},
    current,
    handling: "strict" as const,
    today: "2026-03-02",
    currentRecord: undefined
  }
  return variantOf(name, overrides)
    .encode(body, mode, input)
    .pipe(
      Either.map(({ record }) => record),
      Either.merge
    )
}

/** Encodes a body leniently: the native record with the codes of the warnings, or the refusals by field. */
const planOf = (name: Name, body: Body, mode: Mode, before: Native) =>
  variantOf(name)
    .encode(body, mode, {
      resolve: () => undefined,
      lookups: {},
      current: { record: before },
      handling: "lenient" as const,
      today: "2026-03-02",
      currentRecord: undefined
    })
    .pipe(
      Either.map(({ record, warnings }) => ({ record, warned: warnings.map(({ code, field }) => `${field} ${code}`) })),
      Either.merge
    )

const member = (id: string) => ({ referenced_actor_type: "workspace-member", referenced_actor_id: id })

describe("Attio's mappings", () => {
  it("leave the values beside the first one", () => {
    const domains = [{ domain: "old.example" }, { domain: "shop.example", root_domain: "shop.example" }]
    assert.deepStrictEqual(
      encode("company", { website: "https://new.example/about" }, "patch", { values: { domains } }),
      {
        values: { domains: [{ domain: "new.example" }, { domain: "shop.example" }] }
      }
    )
    const before = { assignees: [member("a"), member("b")] }
    assert.deepStrictEqual(encode("task", { owner: "c" }, "patch", before), { assignees: [member("c"), member("b")] })
    assert.deepStrictEqual(encode("task", { owner: null }, "patch", before), { assignees: [member("b")] })
    const linked_records = [
      { target_object_id: "people", target_record_id: "p" },
      { target_object_id: "people", target_record_id: "q" },
      { target_object_id: "companies", target_record_id: "f" }
    ]
    assert.deepStrictEqual(encode("task", { contact: "r", account: null }, "patch", { linked_records }), {
      linked_records: [
        { target_object: "people", target_record_id: "r" },
        { target_object: "people", target_record_id: "q" }
      ]
    })
  })

  it("write a name with all its members, and keep the part that a body leaves out", () => {
    const values = { name: [{ first_name: "Ada", last_name: "Byron", full_name: "Ada Byron" }] }
    assert.deepStrictEqual(encode("contact", { last_name: "Lovelace" }, "patch", { values }), {
      values: { name: [{ first_name: "Ada", last_name: "Lovelace", full_name: "Ada Lovelace" }] }
    })
  })

  it("write a country as its code, and refuse what is none", () => {
    const of = (country: string) => encode("contact", { addresses: [{ city: "Paris", country }] }, "patch")
    assert.nestedPropertyVal(of("France"), "values.primary_location[0].country_code", "FR")
    assert.deepStrictEqual(of("Ruritania"), {
      "addresses.0.country": "is not held: Attio takes ISO 3166-1 alpha-2 codes"
    })
  })

  describe("phone numbers without a calling code", () => {
    const held = (...countries: ReadonlyArray<string>) => ({
      values: {
        phone_numbers: countries.map((country_code, i) => ({
          original_phone_number: `(213) 555-010${i}`,
          country_code,
          phone_number: `+1213555010${i}`
        }))
      }
    })
    const patch = (before: Native, ...numbers: ReadonlyArray<string>) =>
      planOf("contact", { phone_numbers: numbers.map((phone_number) => ({ phone_number })) }, "patch", before)

    it("are refused where the country is not known, and the numbers of the record stay", () => {
      for (const before of [held(), held("US", "CA")]) {
        const refused = patch(before, "(213) 555-0188", "020 7946 0102")
        assert.hasAllKeys(refused, ["phone_numbers.0.phone_number", "phone_numbers.1.phone_number"])
        assert.match(String(Object.values(refused)[0]), /calling code/)
      }
    })

    it("are left out with a warning where another number can be held", () => {
      assert.deepStrictEqual(patch(held(), "(213) 555-0188", "+44 20 7946 0102"), {
        record: {
          values: { phone_numbers: [{ original_phone_number: "+44 20 7946 0102", country_code: null }] }
        },
        warned: ["phone_numbers.0.phone_number NOT_HELD"]
      })
    })

    it("are of the country that all numbers of the record have, with a warning", () => {
      assert.deepStrictEqual(patch(held("US", "US"), "(213) 555-0188"), {
        record: { values: { phone_numbers: [{ original_phone_number: "(213) 555-0188", country_code: "US" }] } },
        warned: ["phone_numbers.0.phone_number ASSUMED"]
      })
    })

    it("keep the country that they are held with", () => {
      assert.deepStrictEqual(patch(held("US", "CA"), "(213) 555-0101"), {
        record: { values: { phone_numbers: [{ original_phone_number: "(213) 555-0101", country_code: "CA" }] } },
        warned: []
      })
    })
  })

  it("refuse entries of a list that say nothing, since only an empty list clears", () => {
    assert.hasAllKeys(encode("contact", { email_addresses: [{ email_address: "" }] }, "patch"), [
      "email_addresses.0.email_address"
    ])
    assert.hasAllKeys(encode("contact", { addresses: [{ address_type: "BILLING" }] }, "patch"), ["addresses.0"])
    assert.deepStrictEqual(encode("contact", { email_addresses: [], addresses: [] }, "patch"), {
      values: { email_addresses: [], primary_location: [] }
    })
  })

  it("refuse what Attio cannot hold or change", () => {
    const phone_numbers = [{ phone_number: "+44 20 7946 0101", phone_number_type: "WORK" }]
    assert.hasAllKeys(encode("contact", { phone_numbers }, "patch"), ["phone_numbers.0.phone_number_type"])
    const said = { content_plaintext: "Ring back" }
    assert.hasAllKeys(encode("task", { subject: "Write back" }, "patch", said), ["subject"])
    assert.deepStrictEqual(encode("task", { subject: "Ring back" }, "patch", said), {})
    assert.hasAllKeys(encode("note", { content: "Rang", contact: "p", account: "f" }, "create"), ["account"])
    const owned = { values: { owner: [{ referenced_actor_type: "workspace-member", referenced_actor_id: "u" }] } }
    assert.hasAllKeys(encode("deal", { owner: null, pipeline: "other" }, "patch", owned), ["owner", "pipeline"])
  })

  it("take a deal for won or lost by its stage's title", () => {
    const statusIn = (title: string) =>
      variantOf("deal").decode({ record: { values: { stage: [{ status: { title } }] } } }, context).status
    assert.deepStrictEqual(
      ["Won 🎉", "🏆 won", "Lost", "Lost to a competitor", "Wonder", "In Progress"].map(statusIn),
      ["WON", "WON", "LOST", "LOST", "OPEN", "OPEN"]
    )
  })

  it("read and write an organisation's own attribute by its slug", () => {
    const own = { field: "tier", nativeField: "loyalty_tier", transform: undefined, nativeType: undefined }
    const custom_fields = { tier: "Gold" }
    const written = encode("contact", { custom_fields }, "patch", {}, [own])
    assert.deepStrictEqual(written, { values: { loyalty_tier: "Gold" } })
    const cleared = encode("contact", { custom_fields: { tier: null } }, "patch", {}, [own])
    assert.deepStrictEqual(cleared, { values: { loyalty_tier: [] } })
    const read = (loyalty_tier: unknown) =>
      variantOf("contact", [own]).decode({ record: { values: { loyalty_tier } } }, context).custom_fields
    assert.deepStrictEqual(read([{ value: "Gold", attribute_type: "text" }]), custom_fields)
    assert.deepStrictEqual(read([]), { tier: null })
  })
})
