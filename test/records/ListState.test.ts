import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc, Schema } from "effect"
import { createHash } from "node:crypto"
import type { ProviderError } from "../../src/providers/ProviderError.ts"
import { fill, ListState, step } from "../../src/records/ListState.ts"
import { full } from "../support/Full.ts"

/** Service ids are hashes, and so are these. */
const recordOf = (n: number) => {
  const hex = createHash("sha1").update(String(n)).digest("hex")
  const id = `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
  return { id, n }
}
type Record = ReturnType<typeof recordOf>

interface NativePage {
  readonly records: ReadonlyArray<number>
  readonly next: string | null
  readonly sparse?: boolean
}
type Pager = (position: string | null, size: number) => NativePage

/** A cursor is kept by the caller in between. */
const inCursor = Schema.parseJson(ListState)

/** Follows a list to its end, or to its failure. */
const walk = (pager: Pager, limits: ReadonlyArray<number>, most = 5000) =>
  Effect.gen(function* () {
    let asked = 0
    const source = {
      provider: "careless",
      memory: 100,
      fetch: (position: string | null, size: number) =>
        Effect.sync(() => {
          asked += 1
          return pager(position, size)
        }),
      show: (found: ReadonlyArray<number>) => Effect.succeed(found.map(recordOf))
    }
    const given: Array<Record> = []
    let cursor = yield* Schema.encode(inCursor)({ position: null })
    for (let i = 0; i < most; i += 1) {
      const limit = limits[i % limits.length] ?? 1
      const state = yield* Schema.decode(inCursor)(cursor)
      const gone: Either.Either<
        Effect.Effect.Success<ReturnType<typeof step<number, Record, never>>>,
        ProviderError
      > = yield* Effect.either(step(source, state, limit))
      if (Either.isLeft(gone)) return { given, asked, calls: i + 1, failure: gone.left }
      assert.isAtMost(gone.right.records.length, limit)
      given.push(...gone.right.records)
      if (gone.right.next === null) return { given, asked, calls: i + 1, failure: undefined }
      cursor = yield* Schema.encode(inCursor)(gone.right.next)
      assert.isBelow(cursor.length, 1500)
    }
    throw new Error(`the walk did not end in ${most} calls`)
  })

const numbers = (given: ReadonlyArray<Record>) => given.map(({ n }) => n)

const limits = fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 4 })

describe("a walk through the list of a provider", () => {
  full(it).effect.prop(
    "that gives pages too large, empty or overlapping has every record once",
    [
      fc.record({
        count: fc.integer({ min: 0, max: 400 }),
        /** Records of a page, whatever was asked for; undefined: as many as asked for. */
        fixed: fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined }),
        overlap: fc.integer({ min: 0, max: 20 }),
        /** Empty pages before each with records. */
        empty: fc.integer({ min: 0, max: 6 }),
        twice: fc.boolean()
      }),
      limits
    ],
    ([{ count, empty, fixed, overlap, twice }, sizes]) =>
      Effect.gen(function* () {
        const pager: Pager = (position, size) => {
          const [at = 0, waited = 0] = (position ?? "0/0").split("/").map(Number)
          if (waited < empty) return { records: [], next: `${at}/${waited + 1}` }
          const end = at + (fixed ?? size)
          const all = Array.from({ length: count }, (_, n) => n).slice(Math.max(0, at - overlap), end)
          return { records: twice ? all.flatMap((n) => [n, n]) : all, next: end < count ? `${end}/0` : null }
        }
        const { failure, given } = yield* walk(pager, sizes)
        assert.isUndefined(failure)
        assert.deepStrictEqual(
          numbers(given),
          Array.from({ length: count }, (_, n) => n)
        )
      })
  )

  full(it).effect.prop(
    "that goes in a circle has every record, and ends with a reason",
    [
      fc.record({
        pages: fc.integer({ min: 1, max: 40 }),
        back: fc.nat(39),
        size: fc.integer({ min: 1, max: 100 }),
        /** Whether it gives the same position for the same page. */
        isFresh: fc.boolean()
      })
    ],
    ([{ back, isFresh, pages, size }]) =>
      Effect.gen(function* () {
        const first = back % pages
        let nonce = 0
        const pager: Pager = (position) => {
          const page = Number((position ?? "0").split("/")[0])
          const next = page + 1 < pages ? page + 1 : first
          return {
            records: Array.from({ length: size }, (_, i) => page * size + i),
            next: isFresh ? `${next}/${(nonce += 1)}` : String(next)
          }
        }
        const { asked, failure, given } = yield* walk(pager, [size])
        assert.strictEqual(failure?.reason._tag, "ListBroken")
        assert.isBelow(asked, 5 * pages + 30)
        assert.strictEqual(new Set(numbers(given)).size, pages * size)
        // a short circle is seen before anything comes again
        if (pages - first <= 4) assert.lengthOf(given, pages * size)
      })
  )

  it.effect("that gives new records at the same position ends with a reason", () =>
    Effect.gen(function* () {
      let n = 0
      const { calls, failure, given } = yield* walk(() => ({ records: [(n += 1)], next: "same" }), [1])
      assert.strictEqual(failure?.reason._tag, "ListBroken")
      assert.include(failure?.detail, "a position in the list that it had given before")
      assert.deepStrictEqual([calls, numbers(given)], [3, [1, 2]])
    })
  )

  it.effect.each([
    { kind: "empty", page: [], most: 20 },
    { kind: "filled with the same records under new positions", page: [1, 2, 3], most: 21 }
  ])("whose pages are $kind without end ends with a reason", ({ most, page }) =>
    Effect.gen(function* () {
      const pager: Pager = (position) => ({ records: page, next: String(Number(position) + 1) })
      const { asked, calls, failure, given } = yield* walk(pager, [25])
      assert.strictEqual(failure?.reason._tag, "ListBroken")
      assert.lengthOf(given, page.length)
      assert.isAtMost(asked, most)
      assert.isAtMost(calls, 6)
    })
  )

  it.effect("in which records are looked through goes on for long, one page a call, and not for ever", () =>
    Effect.gen(function* () {
      const found: Pager = (position) => {
        const at = Number(position)
        return at === 1500 ? { records: [1], next: null } : { records: [], next: String(at + 1), sparse: true }
      }
      const { asked, calls, failure, given } = yield* walk(found, [25])
      assert.isUndefined(failure)
      assert.deepStrictEqual([asked, calls, numbers(given)], [1501, 1501, [1]])
      const never = yield* walk((position) => ({ records: [], next: String(Number(position) + 1), sparse: true }), [25])
      assert.strictEqual(never.failure?.reason._tag, "ListBroken")
    })
  )

  it.effect("goes on after the same record when a page too large has changed in between", () =>
    Effect.gen(function* () {
      let all = [1, 2, 3, 4, 5, 6]
      const { given } = yield* walk(() => {
        const page = { records: all, next: null }
        all = all.filter((n) => n !== 1)
        return page
      }, [2])
      assert.deepStrictEqual(numbers(given), [1, 2, 3, 4, 5, 6])
    })
  )
})

describe("a walk that is sifted", () => {
  const sifting = (pager: Pager, keeps: (record: Record) => boolean) => ({
    provider: "careful",
    memory: 100,
    fetch: (position: string | null, size: number) => Effect.sync(() => pager(position, size)),
    show: (found: ReadonlyArray<number>) => Effect.succeed(found.map(recordOf)),
    keeps
  })

  it.effect("loses no record when the one where it stands goes, or is no longer meant", () =>
    Effect.gen(function* () {
      let there = [1, 2, 3, 4, 5, 6]
      const source = sifting(
        () => ({ records: there, next: null }),
        ({ n }) => n !== 5
      )
      const first = yield* fill(source, { position: null }, 2)
      assert.deepStrictEqual(numbers(first.records), [1, 2])
      there = [1, 3, 4, 5, 6]
      const given: Array<Record> = []
      let next = first.next
      while (next !== null) {
        const page: typeof first = yield* fill(source, next, 2)
        given.push(...page.records)
        next = page.next
      }
      assert.deepStrictEqual(numbers(given), [3, 4, 6])
    })
  )

  full(it).effect.prop(
    "gives what is meant once and in its order, also where not all is shown",
    [fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 150 }), fc.integer({ min: 1, max: 30 })],
    ([all, limit]) =>
      Effect.gen(function* () {
        // 0 is shown nowhere, and 1 is not meant
        const there = all.map((_, n) => n)
        const source = {
          ...sifting(
            () => ({ records: there, next: null }),
            ({ n }) => all[n] !== 1
          ),
          show: (found: ReadonlyArray<number>) => Effect.succeed(found.filter((n) => all[n] !== 0).map(recordOf))
        }
        const given: Array<Record> = []
        let next: ListState | null = { position: null }
        while (next !== null) {
          const page: Effect.Effect.Success<ReturnType<typeof fill<number, Record, never>>> = yield* fill(
            source,
            next,
            limit
          )
          assert.isAtMost(page.records.length, limit)
          given.push(...page.records)
          next = page.next
        }
        assert.deepStrictEqual(
          numbers(given),
          there.filter((n) => (all[n] ?? 0) > 1)
        )
      })
  )

  it.effect("shows many at a time, though one is wanted", () =>
    Effect.gen(function* () {
      const steps: Array<number> = []
      const source = {
        ...sifting(
          () => ({ records: Array.from({ length: 100 }, (_, n) => n), next: null }),
          ({ n }) => n === 99
        ),
        show: (found: ReadonlyArray<number>) => {
          steps.push(found.length)
          return Effect.succeed(found.map(recordOf))
        }
      }
      assert.deepStrictEqual(numbers((yield* fill(source, { position: null }, 1)).records), [99])
      assert.deepStrictEqual(steps, [25, 25, 25, 25])
    })
  )

  it.effect("comes to what is far down a long list", () =>
    Effect.gen(function* () {
      const pages = 3000
      const source = sifting(
        (position) => {
          const at = Number(position ?? 0)
          return { records: [at], next: at + 1 < pages ? String(at + 1) : null }
        },
        ({ n }) => n === pages - 1
      )
      const given: Array<Record> = []
      let next: ListState | null = { position: null }
      while (next !== null) {
        const page: Effect.Effect.Success<ReturnType<typeof fill<number, Record, never>>> = yield* fill(
          source,
          next,
          10
        )
        given.push(...page.records)
        next = page.next
      }
      assert.deepStrictEqual(numbers(given), [pages - 1])
    })
  )
})
