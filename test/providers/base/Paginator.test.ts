import { assert, describe, it } from "@effect/vitest"
import { Effect, FastCheck as fc } from "effect"
import {
  anchored,
  everything,
  type Fetch,
  keyset,
  offset,
  sifted,
  since,
  type Slice,
  wholeById
} from "../../../src/providers/base/Paginator.ts"
import type { NativeRecord } from "../../../src/providers/ProviderAdapter.ts"

/** A record of a provider's list, which is in the order of `at`; where that is the same, as the records came. */
interface Held {
  readonly id: number
  readonly at: number
}

const native = (held: Held): NativeRecord => ({ nativeType: "thing", record: { ...held } })
const numberOf = ({ record }: NativeRecord) => Number(record.id)
const idOf = ({ record }: NativeRecord) => String(record.id)
const keyOf = ({ record }: NativeRecord) => String(record.at).padStart(6, "0")

/** A page's limit, and what comes (by its `at`) and goes (by its place) after it. */
const step = fc.record({
  limit: fc.integer({ min: 1, max: 9 }),
  come: fc.array(fc.nat(300), { maxLength: 3 }),
  go: fc.array(fc.nat(15), { maxLength: 8 })
})
type Step = typeof step extends fc.Arbitrary<infer A> ? A : never

const inOrder = (held: ReadonlyArray<Held>) => held.toSorted((a, b) => a.at - b.at)

/** Walks a list that changes from page to page: ids that were given, and those of records that were there all the time. */
const walk = (
  start: ReadonlyArray<Held>,
  steps: ReadonlyArray<Step>,
  pagesOf: (list: () => ReadonlyArray<Held>) => Fetch,
  keyOfNew: (at: number, number: number) => number = (at) => at
) => {
  let list = start
  const gone = new Set<number>()
  const given: Array<number> = []
  const fetch = pagesOf(() => list)
  return Effect.gen(function* () {
    let position: string | null = null
    for (let i = 0; i < 1000; i += 1) {
      const { come, go, limit } = steps[i] ?? { come: [], go: [], limit: 1 + (i % 9) }
      const slice: Slice = yield* fetch(position, limit)
      assert.isAtMost(slice.records.length, limit)
      given.push(...slice.records.map(numberOf))
      if (slice.next === null) {
        return { given, throughout: start.map(({ id }) => id).filter((id) => !gone.has(id)) }
      }
      position = slice.next
      const going = new Set(go.flatMap((place) => list[place]?.id ?? []))
      for (const id of going) gone.add(id)
      const coming = come.map((at, j) => ({ id: 1000 + i * 10 + j, at: keyOfNew(at, 1000 + i * 10 + j) }))
      list = inOrder([...list.filter(({ id }) => !going.has(id)), ...coming])
    }
    return yield* Effect.dieMessage("the walk does not end")
  })
}

/** Records that came twice, and those that existed throughout and did not come. */
const faultsOf = ({
  given,
  throughout
}: {
  readonly given: ReadonlyArray<number>
  readonly throughout: ReadonlyArray<number>
}) => ({
  twice: given.filter((id, i) => given.indexOf(id) < i),
  missed: throughout.filter((id) => !given.includes(id))
})
const exact = { twice: [], missed: [] }

describe("offset", () => {
  const pages = (max: number) => (list: () => ReadonlyArray<Held>) =>
    offset(max, idOf, keyOf, (start, size) =>
      Effect.sync(() => ({
        records: list()
          .slice(start, start + size)
          .map(native),
        more: list().length > start + size
      }))
    )

  it("is exact while records come and go, many of them at the same key", async () => {
    // keys that differ, and keys that many share
    const held = fc
      .constantFrom(5, 300)
      .chain((most) => fc.array(fc.nat(most), { minLength: 30, maxLength: 80 }))
      .map((keys) => inOrder(keys.map((at, id) => ({ id, at }))))
    await fc.assert(
      fc.asyncProperty(
        held,
        fc.array(step, { minLength: 5, maxLength: 30 }),
        fc.constantFrom(3, 10, 500),
        async (start, steps, max) =>
          assert.deepStrictEqual(faultsOf(await Effect.runPromise(walk(start, steps, pages(max)))), exact)
      )
    )
  })

  it.effect("asks once for a page when nothing moved", () =>
    Effect.gen(function* () {
      const list = Array.from({ length: 20 }, (_, id) => ({ id, at: id }))
      const asked: Array<readonly [start: number, size: number]> = []
      const fetch = offset(500, idOf, keyOf, (start, size) =>
        Effect.sync(() => {
          asked.push([start, size])
          return { records: list.slice(start, start + size).map(native), more: list.length > start + size }
        })
      )
      const first = yield* fetch(null, 5)
      const second = yield* fetch(first.next, 5)
      assert.deepStrictEqual(second.records.map(numberOf), [5, 6, 7, 8, 9])
      assert.strictEqual(asked.length, 2)
      const last = yield* fetch(second.next, 10)
      assert.deepStrictEqual([last.records.length, last.next], [10, null])
      assert.strictEqual(asked.length, 3, "the provider said that nothing follows")
    })
  )
})

/** Walks a list to its end with one limit: the numbers of each page. */
const pagesBy = (limit: number, fetch: Fetch) =>
  Effect.gen(function* () {
    const pages: Array<ReadonlyArray<number>> = []
    let position: string | null = null
    do {
      const slice: Slice = yield* fetch(position, limit)
      pages.push(slice.records.map(numberOf))
      position = slice.next
    } while (position !== null)
    return pages
  })

describe("keyset", () => {
  const list = Array.from({ length: 9 }, (_, id) => ({ id: id + 1, at: 0 }))

  it.effect("asks for one more than it gives, and never for more than the provider allows", () =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const fetch = keyset(4, idOf, (after, size) =>
        Effect.sync(() => {
          asked.push(size)
          return list
            .filter(({ id }) => id > Number(after ?? 0))
            .slice(0, size)
            .map(native)
        })
      )
      assert.deepStrictEqual(yield* pagesBy(50, fetch), [
        [1, 2, 3],
        [4, 5, 6],
        [7, 8, 9]
      ])
      assert.deepStrictEqual(yield* pagesBy(2, fetch), [[1, 2], [3, 4], [5, 6], [7, 8], [9]])
      assert.deepStrictEqual(asked, [4, 4, 4, 3, 3, 3, 3, 3])
    })
  )
})

describe("since", () => {
  const pages = (list: ReadonlyArray<Held>, max: number) =>
    since(max, idOf, keyOf, (from, size) =>
      Effect.succeed(
        list
          .map(native)
          .filter((record) => keyOf(record) >= (from ?? ""))
          .slice(0, size)
      )
    )

  it.effect("gives records that share a time once each, on pages of any size", () =>
    Effect.gen(function* () {
      const list = [1, 1, 1, 2, 3, 3, 3, 3, 4].map((at, id) => ({ id, at }))
      for (const limit of [1, 2, 3, 4, 8, 9, 20]) {
        const given = yield* pagesBy(limit, pages(list, 100))
        assert.deepStrictEqual(given.flat(), [0, 1, 2, 3, 4, 5, 6, 7, 8], `pages of ${limit}`)
        assert.isAtMost(Math.max(...given.map((page) => page.length)), limit)
      }
    })
  )

  it.effect("says so where more records share a time than the provider gives at once", () =>
    Effect.gen(function* () {
      const list = Array.from({ length: 6 }, (_, id) => ({ id, at: 1 }))
      const cause = yield* Effect.sandbox(pagesBy(4, pages(list, 4))).pipe(Effect.flip)
      assert.include(String(cause), "more records share a creation time")
    })
  )
})

describe("sifted", () => {
  const pages = (isWanted: (id: number) => boolean) => (list: () => ReadonlyArray<Held>) =>
    sifted(
      (record) => isWanted(numberOf(record)),
      numberOf,
      // a cursor names the first record of the next page
      (page, limit) =>
        Effect.sync(() => {
          const rest = list().filter(({ id }) => page === null || id >= Number(page))
          const next = rest[limit * 2]
          return { records: rest.slice(0, limit * 2).map(native), next: next === undefined ? null : String(next.id) }
        })
    )

  it("is exact while records come and go", async () => {
    const held = fc.nat(80).map((count) => Array.from({ length: count }, (_, id) => ({ id, at: id })))
    await fc.assert(
      fc.asyncProperty(
        held,
        fc.array(step, { minLength: 5, maxLength: 30 }),
        fc.integer({ min: 1, max: 12 }),
        async (start, steps, nth) => {
          const isWanted = (id: number) => id % nth === 0
          // new records have new numbers
          const { given, throughout } = await Effect.runPromise(
            walk(start, steps, pages(isWanted), (_, number) => number)
          )
          assert.isTrue(given.every(isWanted))
          assert.deepStrictEqual(faultsOf({ given, throughout: throughout.filter(isWanted) }), exact)
        }
      )
    )
  })

  it("misses nothing where numbers are shared, whatever comes and goes", async () => {
    const held = fc.nat(80).map((count) => Array.from({ length: count }, (_, id) => ({ id, at: id })))
    const numbered = (list: () => ReadonlyArray<Held>) =>
      sifted(
        (record) => numberOf(record) % 2 === 0,
        (record) => Math.floor(numberOf(record) / 5),
        (page, limit) =>
          Effect.sync(() => {
            const rest = list().filter(({ id }) => page === null || id >= Number(page))
            const next = rest[limit * 3]
            return { records: rest.slice(0, limit * 3).map(native), next: next === undefined ? null : String(next.id) }
          }),
        idOf
      )
    await fc.assert(
      fc.asyncProperty(held, fc.array(step, { maxLength: 30 }), async (start, steps) => {
        const { given, throughout } = await Effect.runPromise(walk(start, steps, numbered, (_, number) => number))
        const faults = faultsOf({ given, throughout: throughout.filter((id) => id % 2 === 0) })
        assert.deepStrictEqual(faults.missed, [])
        if (steps.every(({ go }) => go.length === 0)) assert.deepStrictEqual(faults, exact)
      })
    )
  })

  it.effect("gives up after some pages without a find, and goes on from there", () =>
    Effect.gen(function* () {
      const list = Array.from({ length: 75 }, (_, id) => ({ id, at: id }))
      const fetch = pages((id) => id === 72)(() => list)
      const first = yield* fetch(null, 5)
      assert.deepStrictEqual(first.records, [])
      const second = yield* fetch(first.next, 5)
      assert.deepStrictEqual([second.records.map(numberOf), second.next], [[72], null])
    })
  )
})

describe("anchored", () => {
  const pages = (max: number) => (list: () => ReadonlyArray<Held>) =>
    anchored(max, idOf, (start, size) =>
      Effect.sync(() => ({
        records: list()
          .slice(start, start + size)
          .map(native),
        more: list().length > start + size
      }))
    )
  const held = fc
    .array(fc.nat(300), { minLength: 30, maxLength: 80 })
    .map((keys) => inOrder(keys.map((at, id) => ({ id, at }))))

  it("is exact while records come anywhere, and some go", async () => {
    const gentle = fc.record({
      limit: fc.integer({ min: 2, max: 9 }),
      come: fc.array(fc.nat(300), { maxLength: 3 }),
      go: fc.array(fc.nat(40), { maxLength: 1 })
    })
    await fc.assert(
      fc.asyncProperty(
        held,
        fc.array(gentle, { minLength: 5, maxLength: 30 }),
        fc.constantFrom(20, 500),
        async (start, steps, max) =>
          assert.deepStrictEqual(faultsOf(await Effect.runPromise(walk(start, steps, pages(max)))), exact)
      )
    )
  })

  it("is exact while records go, however many", async () => {
    const shrinking = fc.record({
      limit: fc.integer({ min: 1, max: 9 }),
      come: fc.constant([]),
      go: fc.array(fc.nat(4), { maxLength: 1 })
    })
    await fc.assert(
      fc.asyncProperty(held, fc.array(shrinking, { minLength: 5, maxLength: 30 }), async (start, steps) =>
        assert.deepStrictEqual(faultsOf(await Effect.runPromise(walk(start, steps, pages(500)))), exact)
      )
    )
  })

  it.effect("asks once for a page when nothing moved, and goes on where all it held on to is gone", () =>
    Effect.gen(function* () {
      let list = Array.from({ length: 30 }, (_, id) => ({ id, at: id }))
      let asked = 0
      const fetch = anchored(500, idOf, (start, size) =>
        Effect.sync(() => {
          asked += 1
          return { records: list.slice(start, start + size).map(native), more: list.length > start + size }
        })
      )
      const first = yield* fetch(null, 10)
      const second = yield* fetch(first.next, 10)
      assert.deepStrictEqual(second.records.map(numberOf), [10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
      assert.strictEqual(asked, 2)
      list = list.filter(({ id }) => id < 15 || id > 19)
      const third = yield* fetch(second.next, 10)
      assert.deepStrictEqual(third.records.map(numberOf), [20, 21, 22, 23, 24, 25, 26, 27, 28, 29])
    })
  )
})

describe("wholeById", () => {
  it("is exact while records come and go", async () => {
    const held = fc.nat(80).map((count) => Array.from({ length: count }, (_, id) => ({ id, at: id })))
    await fc.assert(
      fc.asyncProperty(held, fc.array(step, { minLength: 5, maxLength: 30 }), async (start, steps) => {
        const pages = (list: () => ReadonlyArray<Held>) =>
          wholeById(
            idOf,
            Effect.sync(() => list().map(native))
          )
        assert.deepStrictEqual(faultsOf(await Effect.runPromise(walk(start, steps, pages))), exact)
      })
    )
  })
})

describe("a list read as a whole", () => {
  const broken = (fetch: (position: string | null) => { records: ReadonlyArray<number>; next: string | null }) =>
    Effect.map(
      Effect.flip(everything("careless", "things.list", (position) => Effect.sync(() => fetch(position)))),
      ({ reason }) => assert.strictEqual(reason._tag, "ListBroken")
    )

  it.effect("has all of its pages", () =>
    Effect.gen(function* () {
      const all = yield* everything("careful", "things.list", (position) => {
        const at = Number(position)
        return Effect.succeed({ records: [at, at + 1], next: at < 6 ? String(at + 2) : null })
      })
      assert.deepStrictEqual(all, [0, 1, 2, 3, 4, 5, 6, 7])
    })
  )

  it.effect("ends where a position, or a page, comes again, and where empty pages do not end", () =>
    Effect.gen(function* () {
      let n = 0
      yield* broken(() => ({ records: [(n += 1)], next: String(n % 3) }))
      yield* broken((position) => ({ records: [1, 2], next: String(Number(position) + 1) }))
      yield* broken((position) => ({ records: [], next: String(Number(position) + 1) }))
    })
  )
})

describe("pages of a provider that gives the same ones wherever it is asked", () => {
  const same = Array.from({ length: 5 }, (_, id) => native({ id, at: id }))
  const idOf = ({ record }: NativeRecord) => String(record.id)
  const fetch = () => Effect.succeed({ records: same, more: true })

  it.effect.each<readonly [string, Fetch]>([
    ["by offset", offset(100, idOf, ({ record }) => String(record.at), fetch)],
    ["by offset and anchor", anchored(100, idOf, fetch)]
  ])("%s stand still", ([, pages]) =>
    Effect.gen(function* () {
      let position: string | null = null
      for (let i = 0; i < 10; i += 1) {
        const slice: Slice = yield* pages(position, 10)
        if (slice.next === position) return
        position = slice.next
      }
      assert.fail("the walk goes on")
    })
  )
})
