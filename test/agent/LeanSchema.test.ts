import { assert, describe, it } from "@effect/vitest"
import { lean } from "../../src/agent/LeanSchema.ts"

describe("a JSON Schema for a model", () => {
  it("has a single condition in one piece with what stands beside it, and two of one name apart", () => {
    const short = { type: "string", allOf: [{ maxLength: 5 }] }
    assert.deepStrictEqual(lean(short), { type: "string", maxLength: 5 })
    const twice = { type: "string", pattern: "^a", allOf: [{ pattern: "z$" }] }
    assert.deepStrictEqual(lean(twice), twice)
  })
})
