import { assert } from "@effect/vitest"
import { Clock, Effect, TestClock } from "effect"
import { filtersOf } from "../../providers/Filtering.ts"
import { elsewhereIn } from "../../watches/Digest.ts"
import { type Call, type Doc, pageOf, recordOf, walk } from "./Answers.ts"
import { once } from "./Once.ts"
import type { Sample } from "./Sample.ts"
import type { Row, Subject } from "./Subject.ts"
import type { Suite } from "./Suite.ts"

/** How far a run looks back before the one it follows, in minutes: as the README advises. */
const overlap = 10

const rounds = 2

const minute = 60_000

/** Numbers from 0 to 1, the same in every run: a linear congruential generator. */
const randomOf = (seed: number) => {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}

/** Some made record that goes on changing. */
interface Living {
  readonly id: string
  readonly sample: Sample
}

/** Makes, changes and deletes records of a resource at random, and keeps a copy of them by reading lists alone. */
const syncing = (call: Call, row: Row, samples: ReadonlyArray<Sample>, hasDeleted: boolean) => {
  const random = randomOf(row.name.length)
  const pick = <A>(all: ReadonlyArray<A>): A | undefined => all[Math.floor(random() * all.length)]
  const of = `provider=${row.provider}`
  const living: Array<Living> = []
  const made = new Set<Sample>()
  const copy = new Map<string, Doc>()
  let last: number | undefined

  const make = Effect.gen(function* () {
    const sample = pick(samples)
    if (sample === undefined) return
    const answer = yield* call("POST", `${row.path}?${of}`, { body: random() < 0.5 ? sample.full : sample.least })
    // some records have to differ from all others; the first one does
    const isTaken = made.has(sample) && (answer.status === 409 || answer.status === 422)
    made.add(sample)
    if (!isTaken) living.push({ id: String(recordOf(answer).remote_id), sample })
  })

  const change = Effect.gen(function* () {
    const one = pick(living)
    if (one === undefined || one.sample.text === "") return
    const body = { [one.sample.text]: `Changed ${Math.floor(random() * 1e6)}` }
    recordOf(yield* call("PATCH", `${row.path}/${encodeURIComponent(one.id)}?${of}`, { body }))
  })

  const remove = Effect.gen(function* () {
    const one = pick(living)
    if (one === undefined || !row.has("remove")) return
    living.splice(living.indexOf(one), 1)
    yield* call("DELETE", `${row.path}/${encodeURIComponent(one.id)}?${of}`)
  })

  const something = Effect.suspend(() => {
    const way = random()
    return way < 0.4 ? make : way < 0.85 ? change : remove
  })

  /** Reads what changed since the last run, while more changes. */
  const run = Effect.fnUntraced(function* (isDisturbed: boolean) {
    const begun = yield* Clock.currentTimeMillis
    const since = last === undefined ? "" : `&modified_after=${new Date(last - overlap * minute).toISOString()}`
    const path = `${row.path}?${of}${since}${hasDeleted ? "&include_deleted=true" : ""}`
    let cursor: string | null = ""
    while (cursor !== null) {
      const limit = 1 + Math.floor(random() * (last === undefined ? 100 : 4))
      const { data, pagination }: ReturnType<typeof pageOf> = pageOf(
        yield* call("GET", `${path}&limit=${limit}${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`)
      )
      for (const record of data) copy.set(String(record.remote_id), record)
      cursor = pagination.cursor
      if (isDisturbed && random() < 0.3) yield* something
    }
    last = begun
  })

  return {
    copy,
    make,
    run,
    something,
    passing: Effect.suspend(() => TestClock.adjust(Math.floor(random() * 30 * minute)))
  }
}

/** The resources that can be changed, and whose provider tells when that was. */
const syncable = ({ kindsHaving }: Subject) => {
  const kinds = kindsHaving("list", "create", "patch")
  return [...new Set(kinds.map(([, row]) => row))].flatMap((row) => {
    const filters = filtersOf(row.provider, row.resource, row.resourceAdapter)
    return filters.modified_after === undefined
      ? []
      : [[row.name, row, kinds.filter(([, of]) => of === row), filters.include_deleted !== undefined] as const]
  })
}

/** Whether the provider has anything of which a copy can be kept. */
export const hasSync = (subject: Subject) => syncable(subject).length > 0

/** A copy of a provider's records can be kept by asking for what was modified since the last time, and nothing is missed. */
export const sync: Suite = (it, subject) => {
  const account = once(subject.newAccount)
  it.effect.each(syncable(subject))("%s: what changed since the last run is all there", ([, row, ofRow, hasDeleted]) =>
    Effect.gen(function* () {
      const { call } = yield* account
      const samples = yield* Effect.forEach(ofRow, ([, , sampleOf]) => sampleOf(call))
      const { copy, make, passing, run, something } = syncing(call, row, samples, hasDeleted)
      for (let round = 0; round < rounds; round += 1) {
        yield* make
        yield* something
        // the second one may be within the same second
        yield* something
        yield* run(true)
        yield* passing
        yield* something
      }
      yield* TestClock.adjust(2 * minute)
      yield* run(false)
      const { records } = yield* walk(call, `${row.path}?provider=${row.provider}`)
      const now = new Map(records.map((record) => [String(record.remote_id), record]))
      const elsewhere = new Set(elsewhereIn(row.resourceAdapter))
      const own = (record: Doc | undefined) =>
        Object.fromEntries(Object.entries(record ?? {}).filter(([name]) => !elsewhere.has(name)))
      for (const [id, record] of now) assert.deepStrictEqual(own(copy.get(id)), own(record), id)
      if (!hasDeleted) return
      for (const [id, record] of copy) {
        if (!now.has(id)) assert.isTrue(record.remote_was_deleted, `${id} is deleted`)
      }
    })
  )
}
