import { assert } from "@effect/vitest"
import { Clock, Duration, Effect, Exit, TestClock } from "effect"
import { isReport } from "../../canonical/Resource.ts"
import { elsewhereIn } from "../../watches/Digest.ts"
import { intervalsOf } from "../../watches/Intervals.ts"
import { planOf } from "../../watches/Plan.ts"
import { type Call, type Doc, pageOf, recordOf } from "./Answers.ts"
import { brief, feedOf, polled, type Told, walked, watch } from "./Following.ts"
import { makeMeeting } from "./Meeting.ts"
import { NotedRequests } from "./NotedRequests.ts"
import { once } from "./Once.ts"
import type { Sample } from "./Sample.ts"
import type { Kind, Row, Subject } from "./Subject.ts"
import type { Suite } from "./Suite.ts"

/** Sends a call again after the pause that it was asked for: polls, which run at the same time, spend of the same limits. */
const patient =
  (call: Call): Call =>
  (...request) =>
    call(...request).pipe(
      Effect.tap(({ headers, status }) =>
        status === 429 ? TestClock.adjust(Duration.seconds(Number(headers.get("retry-after")))) : Effect.void
      ),
      Effect.repeat({ until: ({ status }) => status !== 429, times: 5 })
    )

/** Makes, changes and deletes records of a kind. */
const writing = (call: Call, row: Row, sample: Sample) => {
  const of = `?provider=${row.provider}`
  const at = (id: string) => `${row.path}/${encodeURIComponent(id)}${of}`
  let changes = 0
  return {
    make: Effect.map(call("POST", row.path + of, { body: sample.full }), (answer) =>
      String(recordOf(answer).remote_id)
    ),
    /** Whether there was something to change. */
    change: (id: string) =>
      Effect.suspend(() => {
        changes += 1
        const body: Doc = sample.text === "" ? sample.change : { [sample.text]: `Changed ${changes}` }
        if (!row.has("patch") || Object.keys(body).length === 0) return Effect.succeed(false)
        return Effect.map(call("PATCH", at(id), { body }), (answer) => recordOf(answer).remote_id === id)
      }),
    /** Writes what is there. */
    touch: (id: string) =>
      Effect.gen(function* () {
        if (!row.has("patch") || sample.text === "") return
        const { [sample.text]: value } = recordOf(yield* call("GET", at(id)))
        recordOf(yield* call("PATCH", at(id), { body: { [sample.text]: value } }))
      }),
    /** Whether there is nothing left of it: some are only put out of use. */
    remove: (id: string): Effect.Effect<"deleted" | "updated" | undefined> =>
      Effect.gen(function* () {
        if (!row.has("remove")) return undefined
        recordOf(yield* call("DELETE", at(id)))
        const left = yield* call("GET", at(id))
        return left.status === 404 || recordOf(left).remote_was_deleted === true ? "deleted" : "updated"
      })
  }
}

/** The kinds that are watched and can be made, of which several can be alike. */
const watchableKinds = ({ kindsHaving }: Subject): ReadonlyArray<Kind> => kindsHaving("list", "get", "create")

/** Milliseconds that following all of them may take. */
const patience = 300_000

export const hasWatches = (subject: Subject) => watchableKinds(subject).length > 0

/** Takes one of each of some entries out of a list. */
const without = (all: ReadonlyArray<string>, some: ReadonlyArray<string>): ReadonlyArray<string> =>
  some.reduce<ReadonlyArray<string>>((left, one) => {
    const at = left.indexOf(one)
    return at < 0 ? left : left.toSpliced(at, 1)
  }, all)

/** A kind of the records that are watched, with one that is there before and one that goes while the first walk runs. */
const begin = Effect.fnUntraced(function* (call: Call, row: Row, sample: Sample) {
  const { change, make, remove, touch } = writing(call, row, sample)
  const another = Effect.map(Effect.either(Effect.catchAllDefect(make, Effect.fail)), (made) =>
    made._tag === "Right" ? made.right : undefined
  )
  const own = elsewhereIn(row.resourceAdapter)
  const isOwn =
    sample.text === "" ? !Object.keys(sample.change).every((name) => own.includes(name)) : !own.includes(sample.text)
  const old = yield* make
  const gone = yield* another
  return { another, gone, old, remove, touch, changes: (id: string) => Effect.map(change(id), (is) => is && isOwn) }
})

/** Tells each thing that happens to what is watched once, and nothing else; a watch follows all kinds of a resource. */
export const watches: Suite = (it, subject) => {
  const kinds = watchableKinds(subject)
  const watched = [...new Set(kinds.map(([, row]) => row))].map((row) => {
    const plan = planOf(subject.adapter, row.name)
    assert(plan !== undefined)
    return { row, plan, kinds: kinds.filter(([, of]) => of === row) }
  })

  /** All resources are watched in one account, each with a script of its own, so that time passes once for all of them. */
  const followed = once(
    Effect.gen(function* () {
      const call = patient((yield* subject.newAccount).call)
      const events = feedOf(call)
      // in the sandbox, to which the shortest interval is granted
      const intervals = watched.map(({ plan }) =>
        intervalsOf(plan, { environment: "sandbox", wish: 5, resources: watched.length, connections: 1 })
      )
      const idle = Math.max(...intervals.map(({ idle }) => idle))
      const sweep = Math.max(...intervals.map((one) => one.sweep ?? one.idle))
      const looked = Effect.zipRight(TestClock.adjust(Duration.seconds(idle)), polled(call))
      const swept = Effect.zipRight(TestClock.adjust(Duration.seconds(sweep)), looked)
      const watching = watch(
        call,
        watched.map(({ row }) => row.name)
      )
      // made before there are others that they could belong to
      const samples = yield* Effect.forEach(kinds, ([, row, sampleOf]) =>
        Effect.map(Effect.exit(sampleOf(call)), (sample) => [row, sample] as const)
      )
      const { meet, script } = yield* makeMeeting<ReadonlyArray<Told>>(watched.length)

      const follow = Effect.fnUntraced(function* ({ plan, row }: (typeof watched)[number]) {
        const begun = yield* Effect.forEach(
          samples.filter(([of]) => of === row),
          ([, sample]) => Effect.flatMap(sample, (sample) => begin(call, row, sample))
        )
        const { data } = pageOf(yield* call("GET", `${row.path}?provider=${row.provider}&limit=100`))
        const old = new Set(data.map(({ remote_id }) => String(remote_id)))
        const ours = new Set(begun.flatMap(({ gone, old }) => (gone === undefined ? [old] : [old, gone])))
        /** Events of this resource once some time has passed, of records that are this script's own. */
        const after = (passing: Effect.Effect<unknown>) =>
          Effect.map(meet(Effect.zipRight(passing, events)), (all) => {
            const told = all.filter(({ resource }) => resource === row.name)
            const anew = told.filter(({ remote_id, type }) => type === "created" && old.has(remote_id))
            assert.deepStrictEqual(brief(anew), [], "of records that were there before")
            // writes to other resources may do something to these records too
            return brief(told.filter(({ remote_id }) => ours.has(remote_id)))
          })
        const another = ({ another }: (typeof begun)[number]) =>
          Effect.tap(another, (id) => (id === undefined ? undefined : ours.add(id)))

        yield* after(Effect.zipRight(TestClock.adjust("1 hour"), watching))
        const known = yield* Effect.forEach(begun, (one) =>
          Effect.gen(function* () {
            const isChanged = yield* one.changes(one.old)
            const removed = one.gone === undefined ? undefined : yield* one.remove(one.gone)
            return { ...one, isChanged, removed, first: yield* another(one) }
          })
        )
        const told = yield* after(Effect.zipRight(walked(call, watched.length), swept))
        // what only the list shows is not known to have been otherwise, or not there, before it was read first
        const hasStamps = plan.how === "changes"
        const expected = known.flatMap(({ first, gone, isChanged, old, removed }) => [
          ...(first !== undefined && hasStamps ? [`created ${first}`] : []),
          ...(isChanged && hasStamps ? [`updated ${old}`] : []),
          ...(removed === "deleted" && plan.deletions?.told === "dated" ? [`deleted ${gone}`] : [])
        ])
        assert.includeMembers(told, expected, "while the first walk ran")
        const possible = [
          ...expected,
          ...known.flatMap(({ first, gone, old, removed }) => [
            `created ${first}`,
            `updated ${old}`,
            `${removed} ${gone}`
          ])
        ]
        assert.deepStrictEqual(
          told.filter((one) => !possible.includes(one)),
          []
        )
        assert.lengthOf(new Set(told), told.length)

        const left = known.map((one) => ({ ...one, id: one.first ?? one.old }))
        const changed = yield* Effect.filter(left, ({ changes, id }) => changes(id))
        assert.deepStrictEqual(yield* after(looked), changed.map(({ id }) => `updated ${id}`).toSorted())

        yield* Effect.forEach(left, ({ id, touch }) => touch(id))
        const isWhole = (row.resourceAdapter.nullInLists ?? []).length === 0
        // where lists do not tell all of a record, its time of change stands for the rest
        const touches = isWhole ? [] : left.map(({ id }) => `updated ${id}`)
        const touched = yield* after(looked)
        assert.deepStrictEqual(
          touched.filter((one) => !touches.includes(one)),
          [],
          "a touch"
        )

        const ends = yield* Effect.forEach(left, (one) =>
          Effect.gen(function* () {
            const end = yield* one.remove(one.id)
            const last = yield* another(one)
            return [
              ...(last === undefined ? [] : [`created ${last}`]),
              ...(end === undefined ? [] : [`${end} ${one.id}`])
            ]
          })
        )
        const ended = ends.flat()
        const toldLast = yield* after(swept)
        assert.includeMembers(toldLast, ended)
        // on a slow machine a touch is told after it was looked for, and once all the same
        const late = touches.filter((one) => !touched.includes(one))
        const others = without(toldLast, ended)
        assert.deepStrictEqual(without(others, late), [])
      })
      const ends = yield* Effect.forEach(watched, (one) => Effect.exit(script(follow(one))), {
        concurrency: "unbounded"
      })
      yield* call("DELETE", "/watches")
      return new Map(watched.map(({ row }, i) => [row.name, ends[i] ?? Exit.void]))
    })
  )
  it.effect.each(watched.map(({ row }) => row.name))(
    "%s: what happens is told once",
    (name) => Effect.flatMap(followed, (ends) => ends.get(name) ?? Exit.void),
    patience
  )

  const listed = subject.having("list").filter(({ resource }) => !isReport(resource))
  it.effect.each(listed.map((row) => [row.name, row] as const))(
    "%s: a look for changes where there are none takes no more calls than its interval allows for",
    ([name, row]) =>
      Effect.gen(function* () {
        const { call } = yield* subject.reader
        const plan = planOf(subject.adapter, name)
        if (plan?.how !== "changes") return
        const isTold = plan.deletions !== undefined && plan.deletions.told !== "whole"
        const since = new Date(yield* Clock.currentTimeMillis).toISOString()
        const look = call(
          "GET",
          `${row.path}?provider=${row.provider}&limit=100&modified_after=${since}${isTold ? "&include_deleted=true" : ""}`
        )
        recordOf(yield* look)
        const calls = yield* (yield* NotedRequests).during(look)
        assert.isAtMost(calls.length, plan.calls, calls.map(({ path }) => path).join(" "))
      })
  )
}
