import { assert, describe, it } from "@effect/vitest"
import { Either, Schema } from "effect"
import { sentence } from "../../src/platform/Errors.ts"
import { decoder, fieldErrorsOf, issuesOf } from "../../src/platform/Issues.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

/** A text that counts how often it is looked at. */
const counted = () => {
  let looks = 0
  const text = Schema.String.pipe(Schema.filter((value) => ((looks += 1), value !== "wrong")))
  return { text, looks: () => looks }
}

const refusedBy = <A, I>(schema: Schema.Schema<A, I>, input: unknown) => {
  const decoded = decoder(schema)(input)
  assert.isTrue(Either.isLeft(decoded))
  return Either.isLeft(decoded) ? fieldErrorsOf(decoded.left) : {}
}

const wrongs = (count: number) => Array.from({ length: count }, () => "wrong")

describe("decoding", () => {
  it("names the first 100 issues and does not read on", () => {
    const { looks, text } = counted()
    const errors = refusedBy(Schema.Struct({ list: Schema.Array(text) }).annotations(strict), { list: wrongs(50_000) })
    assert.lengthOf(Object.keys(errors), 100)
    assert.property(errors, "list.99")
    assert.isAtMost(looks(), 100)
  })

  it("names all of 99, wherever they stand", () => {
    const { text } = counted()
    const schema = Schema.Struct({
      entries: Schema.Array(Schema.Struct({ name: text, tags: Schema.NullOr(Schema.Array(text)) }).annotations(strict)),
      open: Schema.Record({ key: Schema.String, value: text })
    }).annotations(strict)
    const errors = refusedBy(schema, {
      entries: Array.from({ length: 30 }, () => ({ name: "wrong", tags: ["right", "wrong"], other: 1 })),
      open: Object.fromEntries(wrongs(9).map((value, n) => [`k${n}`, value]))
    })
    assert.lengthOf(Object.keys(errors), 99)
    assert.includeMembers(Object.keys(errors), ["entries.29.tags.1", "entries.29.other", "open.k8"])
  })

  it("counts what is wrong within entries, whatever the schema around them is", () => {
    const { looks, text } = counted()
    const entry = Schema.Struct({ tags: Schema.NonEmptyArray(text).pipe(Schema.maxItems(1000)) })
    const schema = Schema.Struct({
      list: Schema.optionalWith(Schema.Array(entry), { default: () => [] })
    }).annotations(strict)
    const errors = refusedBy(schema, { list: Array.from({ length: 500 }, () => ({ tags: wrongs(30) })) })
    assert.lengthOf(Object.keys(errors), 100)
    assert.isAtMost(looks(), 130)
  })

  it("takes what fits the second of two lists, however much is wrong with it as the first", () => {
    const either = Schema.Union(Schema.Array(Schema.Number), Schema.Array(Schema.String))
    const texts = wrongs(500)
    const decode = decoder(Schema.Struct({ list: either, other: Schema.Array(Schema.String) }).annotations(strict))
    assert.deepStrictEqual(decode({ list: texts, other: texts }), Either.right({ list: texts, other: texts }))
  })

  it("says what is expected in the words of a schema, or else by what its kinds are called", () => {
    const colour = Schema.Literal("red", "blue").annotations({ message: () => "must be a colour" })
    const shape = Schema.Union(
      Schema.Struct({ kind: Schema.Literal("round"), radius: Schema.Number }),
      Schema.Struct({ kind: Schema.Literal("square"), side: Schema.Number })
    )
    const errors = refusedBy(Schema.Struct({ colour, shape }).annotations(strict), {
      colour: "loud",
      shape: { kind: "flat" }
    })
    assert.deepStrictEqual(errors, { colour: "must be a colour", "shape.kind": 'must be "round" | "square"' })
  })

  it("starts again with every value", () => {
    const decode = decoder(Schema.Array(Schema.String))
    for (const wrong of [Array.from({ length: 500 }, () => 1), [1]]) {
      assert.isTrue(Either.isLeft(decode(wrong)))
      assert.deepStrictEqual(decode(["right"]), Either.right(["right"]))
    }
  })

  it("says in a message that there may be more", () => {
    const said = (count: number) => {
      const decoded = decoder(Schema.Array(Schema.String).annotations(strict))(Array.from({ length: count }, () => 1))
      return Either.isLeft(decoded) ? sentence(issuesOf(decoded.left), ({ path }) => path) : ""
    }
    assert.strictEqual(said(2), "0; 1")
    assert.isTrue(said(5000).endsWith("; 99; only the first 100 problems are named"))
  })
})
