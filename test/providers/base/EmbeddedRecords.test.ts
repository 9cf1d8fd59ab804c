import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import { type Fetch, keyset, type Slice } from "../../../src/providers/base/Paginator.ts"
import { within } from "../../../src/providers/base/EmbeddedRecords.ts"
import type { NativeRecord } from "../../../src/providers/ProviderAdapter.ts"
import { full } from "../../support/Full.ts"

interface Parent {
  readonly id: string
  readonly slots: number
}

const idOf = ({ record }: NativeRecord) => String(record.id)

const recordsIn = ({ record }: NativeRecord): ReadonlyArray<NativeRecord> =>
  Array.from({ length: Number(record.slots) }, (_, i) => ({
    nativeType: "slot",
    record: { id: `${String(record.id)}:${i}` }
  }))

/** A list of slots over parents that a test may change between pages, and how often it was asked; it may tell their places. */
const listOver = (parents: ReadonlyArray<Parent>, tells = true) => {
  const held = new Map(parents.map((parent) => [parent.id, parent]))
  let asked = 0
  const parentsFrom = keyset(1000, idOf, (after = "", size) =>
    Effect.sync(() => {
      asked += 1
      const ids = [...held.keys()].toSorted().filter((id) => id > after)
      return ids.slice(0, size).map((id) => ({ nativeType: "parent", record: { id, slots: held.get(id)?.slots } }))
    })
  )
  const untold: Fetch = (position, limit) =>
    Effect.map(parentsFrom(position, limit), ({ next, records }) => ({ next, records }))
  const fetch = within(idOf, recordsIn, tells ? parentsFrom : untold)
  return { held, fetch, calls: () => asked }
}

const parentsOf = (slots: ReadonlyArray<number>): ReadonlyArray<Parent> =>
  slots.map((count, i) => ({ id: String(i).padStart(3, "0"), slots: count }))

const slots = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 15 })
const limits = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 })

/** Walks to the end, page by page; `between` may change the parents. */
const walk = Effect.fnUntraced(function* (
  { fetch }: ReturnType<typeof listOver>,
  sizes: ReadonlyArray<number>,
  between: (page: number) => void = () => {}
) {
  const seen: Array<string> = []
  let position: string | null = null
  for (let page = 0; page < 1000; page += 1) {
    const limit: number = sizes[page % sizes.length] ?? 1
    const slice: Slice = yield* fetch(position, limit)
    assert.isAtMost(slice.records.length, limit)
    seen.push(...slice.records.map(idOf))
    position = slice.next
    if (position === null) return seen
    between(page)
  }
  return assert.fail("no end")
})

describe("records inside others", () => {
  full(it).effect.prop(
    "come once each, in their order, at any page size",
    [slots, limits, fc.boolean()],
    ([counts, sizes, tells]) =>
      Effect.gen(function* () {
        const parents = parentsOf(counts)
        const expected = parents.flatMap(({ id, slots }) => Array.from({ length: slots }, (_, i) => `${id}:${i}`))
        assert.deepStrictEqual(yield* walk(listOver(parents, tells), sizes), expected)
      })
  )

  full(it).effect.prop(
    "that are there throughout come once while parents come and go",
    [slots, limits, fc.array(fc.integer({ min: 0, max: 14 })), fc.boolean()],
    ([counts, sizes, changes, tells]) =>
      Effect.gen(function* () {
        const list = listOver(parentsOf(counts), tells)
        const touched = new Set<string>()
        const seen = yield* walk(list, sizes, (page) => {
          const change = changes[page]
          if (change === undefined) return
          const id = String(change).padStart(3, "0")
          touched.add(id)
          if (!list.held.delete(id)) list.held.set(id, { id, slots: 2 })
        })
        assert.strictEqual(new Set(seen).size, seen.length)
        const lasting = parentsOf(counts)
          .filter(({ id }) => !touched.has(id))
          .flatMap(({ id, slots }) => Array.from({ length: slots }, (_, i) => `${id}:${i}`))
        assert.deepStrictEqual(
          lasting.filter((id) => !seen.includes(id)),
          []
        )
      })
  )

  it.effect("come once where a page ended in the midst of a parent before which another has come in", () =>
    Effect.gen(function* () {
      const list = listOver([{ id: "005", slots: 4 }])
      const seen = yield* walk(list, [2], (page) => {
        if (page === 0) list.held.set("003", { id: "003", slots: 1 })
      })
      assert.deepStrictEqual(seen, ["005:0", "005:1", "003:0", "005:2", "005:3"])
    })
  )

  it.effect("are looked for among so many parents for one page, which says then that there may be more", () =>
    Effect.gen(function* () {
      const list = listOver(parentsOf(Array.from({ length: 100 }, () => 0)))
      const slice = yield* list.fetch(null, 1)
      assert.deepStrictEqual([slice.records, slice.sparse], [[], true])
      assert.isNotNull(slice.next)
      assert.isAtMost(list.calls(), 20)
    })
  )

  it.effect.each([
    [true, 4],
    [false, 8]
  ] as const)("take one call a page where parents tell their places (%s), else two", ([tells, calls]) =>
    Effect.gen(function* () {
      const list = listOver(parentsOf(Array.from({ length: 200 }, () => 2)), tells)
      const seen = yield* walk(list, [100])
      assert.strictEqual(seen.length, 400)
      assert.isAtMost(list.calls(), calls)
    })
  )
})
