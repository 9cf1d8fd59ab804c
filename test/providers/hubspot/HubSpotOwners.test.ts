import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Owner } from "../../../src/canonical/crm/Owner.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import { getPath } from "../../../src/mapping/Mapping.ts"
import type { Call, Caller } from "../../../src/providers/base/Upstream.ts"
import { owner } from "../../../src/providers/hubspot/Owner.ts"
import { Missing, ProviderError } from "../../../src/providers/ProviderError.ts"

const connection = { id: "c", provider: "hubspot", environment: "sandbox", organisation: "org" } as const

const owners = [
  { id: "1", firstName: "Ada", archived: false },
  { id: "2", firstName: "Jonas", archived: true }
]

/** HubSpot with an active owner and one who was deactivated, whom it gives only when asked for archived ones. */
const account = (isWhole = true) => {
  const calls: Array<Call> = []
  const call: Caller = (_, asked) => {
    calls.push(asked)
    const isArchived = getPath(asked.query, "archived") === true
    const found = owners.filter(({ archived }) => archived === isArchived)
    const id = asked.params?.id
    const paging = isWhole ? {} : { paging: { next: { after: "9" } } }
    const body = id === undefined ? { results: isWhole ? found : [], ...paging } : found.find((one) => one.id === id)
    return body === undefined
      ? Effect.fail(new ProviderError({ provider: "hubspot", operation: asked.operation, reason: new Missing() }))
      : Effect.succeed({ status: 200, headers: {}, body })
  }
  const adapter = owner(call)
  const mapping = compile("hubspot", Owner, adapter.mapping)
  const [variant] = mapping.variants
  const { get, getMany } = adapter
  if (variant === undefined || get === undefined || getMany === undefined) throw new Error("no verbs")
  return {
    calls,
    get: (id: string) => get({ connection, variant, id }),
    many: (ids: ReadonlyArray<string>) =>
      Effect.map(getMany({ connection, mapping, variant, ids }), (all) => all.map(({ record }) => record.id))
  }
}

describe("HubSpot owners", () => {
  it.effect("a deactivated owner is found by id, and marked as archived", () =>
    Effect.gen(function* () {
      const { get } = account()
      assert.deepInclude((yield* get("2")).record, { firstName: "Jonas", archived: true })
      assert.deepInclude((yield* get("1")).record, { firstName: "Ada", archived: false })
      assert.deepStrictEqual((yield* Effect.flip(get("3"))).reason, new Missing())
    })
  )

  it.effect("deactivated owners of records are expanded, with one call more, and with none where all are active", () =>
    Effect.gen(function* () {
      const { calls, many } = account()
      assert.deepStrictEqual(yield* many(["1"]), ["1"])
      assert.strictEqual(calls.length, 1)
      assert.deepStrictEqual(yield* many(["2", "1", "3"]), ["1", "2"])
      assert.strictEqual(calls.length, 3)
      // in an account with more owners than one page has
      assert.sameMembers([...(yield* account(false).many(["2", "1", "3"]))], ["1", "2"])
    })
  )
})
