import { assert, describe, it } from "@effect/vitest"
import { changesOf } from "../../../src/providers/base/Changes.ts"

describe("changes of a record", () => {
  it("a field that differs is sent, and one that is held is not", () => {
    assert.deepStrictEqual(changesOf({ name: "New", city: "London" }, { name: "Old", city: "London" }), { name: "New" })
  })

  it("null for a field that was not read is sent, since the record may hold a value", () => {
    assert.deepStrictEqual(changesOf({ Custom__c: null }, { name: "Old" }), { Custom__c: null })
  })

  it("null, an empty text and an empty list are alike", () => {
    assert.deepStrictEqual(changesOf({ a: null, b: "", c: [] }, { a: "", b: null, c: null }), {})
  })

  it.each([
    ["2026-03-01T10:00:00Z", "2026-03-01T12:00:00+02:00"],
    ["2026-03-01T10:00:00.000Z", "2026-03-01T10:00:00.000+0000"]
  ])("the moment %s is held as %s", (written, held) => {
    assert.deepStrictEqual(changesOf({ at: written }, { at: held }), {})
  })

  it("a link is held if the members that are written are", () => {
    assert.deepStrictEqual(changesOf({ Owner: { id: "7" } }, { Owner: { id: "7", name: "Ada" } }), {})
    assert.deepStrictEqual(changesOf({ Owner: { id: "8" } }, { Owner: { id: "7", name: "Ada" } }), {
      Owner: { id: "8" }
    })
  })

  it("fields that are written together are sent together", () => {
    const written = { Stage: "Won", Pipeline: "Sales", Name: "Deal" }
    const held = { Stage: "Open", Pipeline: "Sales", Name: "Deal" }
    assert.deepStrictEqual(changesOf(written, held, [["Stage", "Pipeline"]]), { Stage: "Won", Pipeline: "Sales" })
  })
})
