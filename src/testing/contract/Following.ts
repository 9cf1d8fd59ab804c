import { Clock, Effect, Schema, TestClock } from "effect"
import { type Call, type Doc, pageOf, recordOf } from "./Answers.ts"
import { aWhile, nextTick } from "./Time.ts"

/** An event of a record, as tests look at it. */
export interface Told {
  readonly type: string
  readonly resource: string
  readonly remote_id: string
  readonly modified_at: string | null
  readonly connectionId: string
  readonly merged_into?: string
}

const Record = Schema.decodeUnknownSync(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

const toldOf = (event: Doc): Told => {
  const data = Record(event.data)
  return {
    type: String(event.type).replace("record.", ""),
    resource: `${String(data.category)}/${String(data.resource)}`,
    remote_id: String(data.remote_id),
    modified_at: data.modified_at === null ? null : String(data.modified_at),
    connectionId: String(data.connectionId),
    ...(data.merged_into === undefined ? {} : { merged_into: String(data.merged_into) })
  }
}

/** Reads the feed on from where it was read before. */
export const feedOf = (call: Call) => {
  let cursor = ""
  return Effect.gen(function* () {
    const told: Array<Told> = []
    let isMore = true
    while (isMore) {
      const { data, pagination }: ReturnType<typeof pageOf> = pageOf(
        yield* call(
          "GET",
          `/events?types=record.created,record.updated,record.deleted&limit=100${cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`}`,
          { timeStands: true }
        )
      )
      told.push(...data.map(toldOf))
      cursor = pagination.cursor ?? cursor
      isMore = pagination.hasMore
    }
    return told
  })
}

/** Events in short, in one order. */
export const brief = (told: ReadonlyArray<Told>) => told.map(({ remote_id, type }) => `${type} ${remote_id}`).toSorted()

/** Watches resources; gives the answer. */
export const watch = (call: Call, resources: ReadonlyArray<string>, more: Doc = {}) =>
  Effect.map(call("PUT", "/watches", { body: { resources, interval: 5, ...more } }), recordOf)

const Followed = Schema.decodeUnknownSync(
  Schema.Array(
    Schema.Struct({
      resource: Schema.String,
      connectionId: Schema.String,
      state: Schema.String,
      since: Schema.String,
      lag: Schema.Number,
      polledAt: Schema.NullOr(Schema.String),
      dueAt: Schema.String,
      error: Schema.NullOr(Schema.String)
    })
  )
)

/** How far the connections were followed. */
export const followed = (call: Call) =>
  Effect.map(call("GET", "/watches/connections?limit=100", { timeStands: true }), (answer) =>
    Followed(pageOf(answer).data)
  )

/** Lets time pass in steps, in which what is due is polled. */
export const passing = (seconds: number) =>
  Effect.gen(function* () {
    for (let passed = 0; passed < seconds; passed += 1) {
      yield* TestClock.adjust("1 second")
      yield* nextTick
      yield* nextTick
    }
  })

/**
 * A second, with some of the machine's time, the more the longer it takes: on a machine that is busy, a poll takes longer than
 * seconds that pass by themselves.
 */
const slowSecond = (passed: number) => Effect.zipRight(passing(1), Effect.repeatN(aWhile, passed < 20 ? 2 : 5))

/** Lets time pass until something holds, for so many seconds at most. */
export const until = <E, R>(holds: Effect.Effect<boolean, E, R>, seconds = 300) =>
  Effect.gen(function* () {
    for (let passed = 0; passed < seconds; passed += 1) {
      if (yield* holds) return
      yield* slowSecond(passed)
    }
    return yield* Effect.dieMessage(`it did not hold within ${seconds} seconds`)
  })

/** Reads a feed on until it has told so many events, which takes seconds alone, or some polls. */
export const soonTold = <E, R>(events: Effect.Effect<ReadonlyArray<Told>, E, R>, count: number) =>
  Effect.gen(function* () {
    const told: Array<Told> = []
    for (let passed = 0; passed < 120 && told.length < count; passed += 1) {
      yield* slowSecond(passed)
      told.push(...(yield* events))
    }
    return told
  })

/** How often it is looked whether what is due was polled, and between how many looks a second passes. */
const looks = { most: 2000, aSecond: 4 }

/**
 * Waits until none is left of what is followed, undefined while it is not there: goes from one time at which some of it is due
 * to the next, in between which there is nothing to see.
 */
const none = (
  call: Call,
  left: (all: ReturnType<typeof Followed>, now: number) => ReturnType<typeof Followed> | undefined
) =>
  Effect.gen(function* () {
    for (let looked = 1; looked <= looks.most; looked += 1) {
      const now = yield* Clock.currentTimeMillis
      const those = left(yield* followed(call), now)
      if (those?.length === 0) return
      const due = Math.min(...(those ?? []).map(({ dueAt }) => Date.parse(dueAt)))
      // a poll takes the machine's time: what passes while it does has more of them due
      if (those !== undefined && due > now) yield* TestClock.setTime(due)
      else if (looked % looks.aSecond === 0) yield* TestClock.adjust("1 second")
      yield* Effect.repeatN(aWhile, 2)
    }
    return yield* Effect.dieMessage("what is followed is not polled")
  })

/** Waits for the first walks to end. */
export const walked = (call: Call, count: number) =>
  none(call, (all) => (all.length === count ? all.filter(({ state }) => state !== "following") : undefined))

/** Waits until everything that is watched was polled since now, and is not being polled. */
export const polled = (call: Call) =>
  Effect.flatMap(Clock.currentTimeMillis, (begun) =>
    none(call, (all, now) =>
      all.filter(
        ({ dueAt, polledAt }) => polledAt === null || Date.parse(polledAt) <= begun || Date.parse(dueAt) <= now
      )
    )
  )
