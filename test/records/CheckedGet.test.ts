import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Owner } from "../../src/canonical/crm/Owner.ts"
import { compile } from "../../src/mapping/Compile.ts"
import { owner } from "../../src/providers/hubspot/Owner.ts"
import { Malformed } from "../../src/providers/ProviderError.ts"
import { checkedGet } from "../../src/records/BatchReads.ts"

const connection = { id: "c", provider: "acme", environment: "sandbox", organisation: "org" } as const

const mapping = compile("acme", Owner, owner(() => Effect.dieMessage("a mapping calls nobody")).mapping)

describe("a read of one record", () => {
  const read = (asked: string, answered: string, idAsHeld?: (id: string) => string) => {
    const [variant] = mapping.variants
    if (variant === undefined) throw new Error("no variant")
    const adapter = { slug: "acme", ...(idAsHeld === undefined ? {} : { idAsHeld }) }
    const get = checkedGet({ adapter, mapping }, () =>
      Effect.succeed({ nativeType: variant.nativeType, record: { id: answered } })
    )
    return get({ connection, variant, id: asked })
  }

  it.effect("answered with another record fails as malformed, and names the provider and both ids", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* read("1", "1")).record.id, "1")
      const { detail, provider, reason } = yield* Effect.flip(read("1", "2"))
      assert.deepStrictEqual(reason, new Malformed())
      assert.deepStrictEqual([provider, detail], ["acme", "the answer for 1 is record 2"])
    })
  )

  it.effect("takes an id in another form, where the provider has several forms", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* read("ABC", "abc", (id) => id.toLowerCase())).record.id, "abc")
    })
  )
})
