import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { crm } from "../../../src/canonical/Catalogue.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import type { Body } from "../../../src/mapping/Encode.ts"
import type { Caller } from "../../../src/providers/base/Upstream.ts"
import { company } from "../../../src/providers/close/Company.ts"
import { fieldsRead } from "../../../src/providers/close/Objects.ts"

const noCall: Caller = () => Effect.dieMessage("a mapping calls nobody")

describe("Close custom fields", () => {
  const override = { field: "tier", nativeField: "custom.cf_AbC123", transform: undefined, nativeType: undefined }
  const { rows, variants } = compile("close", crm.company, company(noCall).mapping, [override])
  const [variant] = variants

  const encode = (body: Body) =>
    variant
      ?.encode(body, "patch", {
        resolve: () => undefined,
        lookups: {},
        current: undefined,
        handling: "strict",
        today: "2026-03-02",
        currentRecord: undefined
      })
      .pipe(
        Either.map(({ record }) => record),
        Either.merge
      )

  it("are read and written under their flat key, so that the others stay", () => {
    const record = { id: "lead_1", "custom.cf_AbC123": "Gold", "custom.cf_Other": "kept" }
    const read = variant?.decode({ record }, { reference: () => "", line: () => "" })
    assert.deepStrictEqual(read?.custom_fields, { tier: "Gold" })
    assert.deepStrictEqual(encode({ custom_fields: { tier: "Silver" } }), { "custom.cf_AbC123": "Silver" })
    assert.deepStrictEqual(encode({ custom_fields: { tier: null } }), { "custom.cf_AbC123": null })
  })

  it("are asked for and listed by the name that Close has for them", () => {
    const names = variant === undefined ? [] : fieldsRead(variant)._fields.split(",")
    assert.includeMembers(names, ["custom", "custom.cf_AbC123"])
    assert.deepInclude(
      rows.find(({ field }) => field === "custom_fields.tier"),
      { native_field: "custom.cf_AbC123" }
    )
  })
})
