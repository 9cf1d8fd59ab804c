import { assert } from "@effect/vitest"
import { Clock, Duration, Effect, TestClock } from "effect"
import { isReport } from "../../canonical/Resource.ts"
import { elsewhereIn } from "../../watches/Digest.ts"
import { intervalsOf } from "../../watches/Intervals.ts"
import { planOf } from "../../watches/Plan.ts"
import { type Call, type Doc, recordOf } from "./Answers.ts"
import { brief, feedOf, polled, walked, watch } from "./Following.ts"
import { NotedRequests } from "./NotedRequests.ts"
import type { Sample } from "./Sample.ts"
import { SandboxApplication } from "./SandboxApplication.ts"
import type { Kind, Row, Subject } from "./Subject.ts"
import type { Suite } from "./Suite.ts"

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

export const hasWatches = (subject: Subject) => watchableKinds(subject).length > 0

/** What is watched is told once each, and nothing else. */
export const watches: Suite = (it, subject) => {
  it.effect.each(watchableKinds(subject))("%s: what happens is told once", ([, row, sampleOf]) =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller([row.provider])
      const plan = planOf(subject.adapter, row.name)
      assert(plan !== undefined)
      // in the sandbox, to which the shortest interval is granted
      const { idle, sweep } = intervalsOf(plan, { environment: "sandbox", wish: 5, resources: 1, connections: 1 })
      const looked = Effect.zipRight(TestClock.adjust(Duration.seconds(idle)), polled(call))
      const swept = Effect.zipRight(TestClock.adjust(Duration.seconds(sweep ?? idle)), looked)
      const sample = yield* sampleOf(call)
      const { change, make, remove, touch } = writing(call, row, sample)
      const another = Effect.map(Effect.either(Effect.catchAllDefect(make, Effect.fail)), (made) =>
        made._tag === "Right" ? made.right : undefined
      )
      const old = yield* make
      const gone = yield* another
      yield* TestClock.adjust("1 hour")

      const events = feedOf(call)
      yield* watch(call, [row.name])
      const own = elsewhereIn(row.part)
      const isOwn =
        sample.text === ""
          ? !Object.keys(sample.change).every((name) => own.includes(name))
          : !own.includes(sample.text)
      const isChanged = (yield* change(old)) && isOwn
      const removed = gone === undefined ? undefined : yield* remove(gone)
      const first = yield* another
      yield* walked(call, 1)
      yield* swept
      const told = brief(yield* events)
      // what only the list shows is not known to have been otherwise before it was read first
      const hasStamps = plan.how === "changes"
      const expected = [
        ...(first === undefined ? [] : [`created ${first}`]),
        ...(isChanged && hasStamps ? [`updated ${old}`] : []),
        ...(removed === "deleted" && plan.deletions?.told === "dated" ? [`deleted ${gone}`] : [])
      ]
      assert.includeMembers(told, expected, "while the first walk ran")
      const possible = [...expected, `updated ${old}`, `${removed} ${gone}`]
      assert.deepStrictEqual(
        told.filter((one) => !possible.includes(one)),
        []
      )
      assert.lengthOf(new Set(told), told.length)

      const one = first ?? old
      const isOneChanged = (yield* change(one)) && isOwn
      yield* looked
      assert.deepStrictEqual(brief(yield* events), isOneChanged ? [`updated ${one}`] : [])

      yield* touch(one)
      yield* looked
      const isWhole = (row.part.nullInLists ?? []).length === 0
      if (isWhole) assert.deepStrictEqual(brief(yield* events), [], "a touch")
      else yield* events

      const end = yield* remove(one)
      const last = yield* another
      yield* swept
      assert.deepStrictEqual(
        brief(yield* events),
        [...(last === undefined ? [] : [`created ${last}`]), ...(end === undefined ? [] : [`${end} ${one}`])].toSorted()
      )
      yield* call("DELETE", "/watches")
    })
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
