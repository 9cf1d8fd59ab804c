import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { crm } from "../../../src/canonical/Catalogue.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import { getPath, type Native } from "../../../src/mapping/Mapping.ts"
import { plainMapping } from "../../../src/mapping/PlainMapping.ts"
import { text } from "../../../src/mapping/Transform.ts"
import { atOnce } from "../../../src/providers/base/Paging.ts"
import { type Rest, rest } from "../../../src/providers/base/Rest.ts"
import type { Call } from "../../../src/providers/base/Upstream.ts"
import { Missing, ProviderError } from "../../../src/providers/ProviderError.ts"
import { allBut } from "../../support/NotHeld.ts"

const connection = { id: "c", provider: "any", environment: "sandbox", organisation: "o" } as const
const mapping = plainMapping(crm.task, (of) => [
  of.variant({
    nativeType: "things",
    entries: [of.readField("content", "words", text)],
    notHeld: allBut(crm.task, "content")
  })
])
const compiled = compile("any", crm.task, mapping)
const [variant = assert.fail("no variant")] = compiled.variants

const facts: Rest = {
  mapping,
  envelope: {
    provider: "any",
    many: ({ body }) => getPath(body, "items"),
    one: ({ body }) => getPath(body, "item"),
    isGone: ({ gone }) => gone === true
  },
  path: (type) => `/v1/${type}`,
  paging: atOnce,
  id: /^\d+$/,
  fields: ({ reads }) => ({ only: reads.join(",") }),
  body: (item) => ({ item })
}

/** A provider that answers any call with the same body; the calls that it was sent. */
const answering = (body: unknown) => {
  const calls: Array<Call> = []
  const call = (_: unknown, sent: Call) => {
    calls.push(sent)
    return Effect.succeed({ status: 200, headers: {}, body })
  }
  return { call, calls }
}

const encoded = (record: Native) => ({ nativeType: "things", record, steps: {} })
const thing = { id: 7, words: "seven" }
const request = {
  connection,
  mapping: compiled,
  position: null,
  limit: 9,
  createdAfter: undefined,
  createdBefore: undefined,
  wanted: {}
}
const target = { connection, variant, id: "7", current: undefined }
const reasonOf = <A>(effect: Effect.Effect<A, ProviderError>) =>
  Effect.map(Effect.either(effect), Either.match({ onLeft: ({ reason }) => reason._tag, onRight: () => "fine" }))

describe("an adapter of records with an address each", () => {
  it("has the verbs that it names, and its type says so", () => {
    const some = rest(answering({}).call, { ...facts, verbs: ["list", "get"] })
    expectTypeOf(some).not.toHaveProperty("create")
    expectTypeOf(some.get).toBeFunction()
    assert.sameMembers(Object.keys(some), ["mapping", "consistency", "finds", "list", "get"])
    assert.isFunction(rest(answering({}).call, facts).remove)
  })

  it.effect("asks for a list and for a record with their fields", () =>
    Effect.gen(function* () {
      const { call, calls } = answering({ items: [thing, { id: 8, gone: true }], item: thing })
      const page = yield* rest(call, facts).list(request)
      assert.deepStrictEqual(page, { records: [{ nativeType: "things", record: thing }], next: null })
      assert.deepStrictEqual(yield* rest(call, facts).get(target), { nativeType: "things", record: thing })
      yield* rest(call, { ...facts, search: { path: "/query", body: { sort: "id" } } }).list(request)
      assert.deepStrictEqual(calls, [
        { operation: "things.list", method: "GET", path: "/v1/things", query: { only: "words" } },
        {
          operation: "things.get",
          method: "GET",
          path: "/v1/things/:id",
          params: { id: "7" },
          query: { only: "words" }
        },
        {
          operation: "things.list",
          method: "POST",
          path: "/v1/things/query",
          json: { sort: "id", only: "words" },
          reads: true
        }
      ])
    })
  )

  it.effect("writes a record in its envelope, and answers with it where the answer is whole", () =>
    Effect.gen(function* () {
      const { call, calls } = answering({ item: thing })
      const whole = rest(call, facts)
      const part = rest(call, { ...facts, method: "PUT", isWhole: () => false })
      const made = { connection, variant, encoded: encoded({ words: "seven" }), idempotencyKey: undefined }
      const record = { nativeType: "things", record: thing }
      assert.deepStrictEqual(yield* whole.create(made), { id: "7", record })
      assert.deepStrictEqual(yield* part.create(made), { id: "7" })
      const update = { ...target, encoded: encoded({ words: "7" }), mode: "patch" } as const
      assert.deepStrictEqual(yield* whole.patch(update), { id: "7", record })
      assert.deepStrictEqual(yield* part.patch(update), { id: "7" })
      assert.deepStrictEqual(
        calls.map(({ json, method, path }) => [method, path, json]),
        [
          ["POST", "/v1/things", { item: { words: "seven" } }],
          ["POST", "/v1/things", { item: { words: "seven" } }],
          ["PATCH", "/v1/things/:id", { item: { words: "7" } }],
          ["PUT", "/v1/things/:id", { item: { words: "7" } }]
        ]
      )
    })
  )

  it.effect("sends nothing for an update that changes nothing", () =>
    Effect.gen(function* () {
      const { call, calls } = answering({ item: thing })
      const update = { ...target, encoded: encoded({}), mode: "patch" } as const
      const record = { nativeType: "things", record: thing }
      assert.deepStrictEqual(yield* rest(call, facts).patch(update), { id: "7" })
      assert.deepStrictEqual(yield* rest(call, facts).patch({ ...update, current: record }), { id: "7", record })
      assert.isEmpty(calls)
    })
  )

  it.effect("makes no call for an id that cannot be one", () =>
    Effect.gen(function* () {
      const { call, calls } = answering({ item: thing })
      const adapter = rest(call, facts)
      const other = { ...target, id: "../users" }
      assert.strictEqual(yield* reasonOf(adapter.get(other)), "Missing")
      assert.strictEqual(yield* reasonOf(adapter.remove(other)), "Missing")
      const update = { ...other, encoded: encoded({ words: "7" }), mode: "patch" } as const
      assert.strictEqual(yield* reasonOf(adapter.patch(update)), "Missing")
      assert.isEmpty(calls)
    })
  )

  it.effect("tells what is gone, what is no answer, and what a body names that is not there", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* reasonOf(rest(answering({ item: { id: 7, gone: true } }).call, facts).get(target)),
        "Missing"
      )
      assert.strictEqual(yield* reasonOf(rest(answering({ item: {} }).call, facts).get(target)), "Malformed")
      assert.strictEqual(yield* reasonOf(rest(answering({ things: [] }).call, facts).list(request)), "Malformed")
      const failing = () => new ProviderError({ provider: "any", operation: "things.create", reason: new Missing() })
      const made = { connection, variant, encoded: encoded({ words: "seven" }), idempotencyKey: undefined }
      assert.strictEqual(yield* reasonOf(rest(failing, facts).create(made)), "Invalid")
    })
  )
})
