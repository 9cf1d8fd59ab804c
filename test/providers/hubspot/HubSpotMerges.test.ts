import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Native } from "../../../src/mapping/Mapping.ts"
import { checkId, mergedAway, withMerged } from "../../../src/providers/hubspot/Merges.ts"
import { Malformed, Missing } from "../../../src/providers/ProviderError.ts"

const survivor = (id: string, ids: string | null): Native => ({
  id,
  updatedAt: "2026-03-02T09:00:00.000Z",
  properties: { hs_merged_object_ids: ids }
})

describe("HubSpot merges", () => {
  it.effect("an answer with another id is a merge only where the record names the id, and else no answer", () =>
    Effect.gen(function* () {
      const failed = (id: string, record: Native) =>
        Effect.map(Effect.flip(checkId("contacts.get", id)(record)), ({ reason }) => reason)
      assert.deepStrictEqual(yield* failed("1", survivor("3", "1;2")), new Missing({ mergedInto: "3" }))
      for (const ids of [null, "", "2", "11;2", "1 2"]) {
        assert.deepStrictEqual(yield* failed("1", survivor("3", ids)), new Malformed(), String(ids))
      }
      assert.deepStrictEqual(yield* failed("1", { id: "3" }), new Malformed())
      assert.deepStrictEqual(yield* checkId("contacts.get", "3")(survivor("3", "1;2")), survivor("3", "1;2"))
    })
  )

  it("a record names those that were merged into it, and not itself", () => {
    const native = (record: Native) => ({ nativeType: "contacts", record })
    assert.deepStrictEqual(withMerged(native(survivor("3", "1;3;2"))).merge, { absorbs: ["1", "2"] })
    assert.isUndefined(withMerged(native(survivor("3", null))).merge)
  })

  it.effect("a list of merged records has each once, whatever the size of its pages", () =>
    Effect.gen(function* () {
      const pages = [
        { records: [survivor("30", "1;2;3"), survivor("31", "4")], next: "second page" },
        { records: [survivor("32", "5;6")], next: null }
      ]
      const survivors = (position: string | null) => {
        const page = pages[position === null ? 0 : 1] ?? { records: [], next: null }
        return Effect.succeed({ ...page, records: page.records.map((record) => ({ nativeType: "contacts", record })) })
      }
      for (const limit of [1, 2, 4, 100]) {
        const ids: Array<unknown> = []
        let position: string | null = null
        do {
          const page: Effect.Effect.Success<ReturnType<ReturnType<typeof mergedAway>>> = yield* mergedAway(
            survivors,
            100
          )(position, limit)
          assert.isAtMost(page.records.length, limit)
          ids.push(...page.records.map(({ merge, record }) => `${String(record.id)} ${String(merge?.into)}`))
          position = page.next
        } while (position !== null)
        assert.deepStrictEqual(ids, ["1 30", "2 30", "3 30", "4 31", "5 32", "6 32"])
      }
    })
  )
})
