import { assert, describe, it } from "@effect/vitest"
import { hasTooManyValues, overgrownIn, unfitIn } from "../../src/platform/JsonBounds.ts"

const list = (count: number, value = "0") => `[${Array.from({ length: count }, () => value).join(",")}]`

describe("the values of a JSON text", () => {
  it("are counted without parsing it, whatever they are", () => {
    // the list itself is one
    assert.isFalse(hasTooManyValues(list(39_999)))
    assert.isTrue(hasTooManyValues(list(40_000)))
    const object = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":"v"`).join(",")}}`
    assert.isFalse(hasTooManyValues(object(39_999)))
    assert.isTrue(hasTooManyValues(object(40_000)))
    assert.isTrue(hasTooManyValues("[".repeat(40_001)))
  })

  it("are not made of what stands in texts", () => {
    for (const text of [",[{".repeat(20_000), String.raw`\",`.repeat(30_000), String.raw`\\`.repeat(30_000)]) {
      assert.isFalse(hasTooManyValues(`["${text}"]`), text.slice(0, 4))
      assert.isFalse(hasTooManyValues(`["${text}`), `${text.slice(0, 4)}, not ended`)
    }
    // the backslash before the quote is itself escaped, so the text ends there
    assert.isTrue(hasTooManyValues(String.raw`["\\",` + list(40_000) + "]"))
  })
})

describe("an overgrown value", () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })

  it("is nested more than 64 levels deep", () => {
    assert.isUndefined(overgrownIn(nested(64)))
    assert.deepStrictEqual(Object.values(overgrownIn(nested(65)) ?? {}), ["is nested more than 64 levels deep"])
  })

  it("has more than 1,000 fields or entries, at the top or below", () => {
    const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]))
    assert.isUndefined(overgrownIn({ a: fields(1000), b: Array.from({ length: 1000 }) }))
    assert.deepStrictEqual(overgrownIn(fields(1001)), { body: "has more than 1000 fields" })
    assert.deepStrictEqual(overgrownIn({ a: [fields(1001)] }), { "a.0": "has more than 1000 fields" })
    assert.deepStrictEqual(overgrownIn({ a: Array.from({ length: 1001 }) }), { a: "has more than 1000 entries" })
  })

  it("is told of by a short path", () => {
    const [path = ""] = Object.keys(unfitIn({ ["k".repeat(100_000)]: "\0" }) ?? {})
    assert.strictEqual(path, `${"k".repeat(300)}…`)
  })
})
