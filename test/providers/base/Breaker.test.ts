import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Logger, TestClock } from "effect"
import { makeBreaker } from "../../../src/providers/base/Breaker.ts"
import * as RequestDeadline from "../../../src/platform/Deadline.ts"
import type { ConnectionRef } from "../../../src/providers/ConnectionRef.ts"
import {
  Down,
  LimitReached,
  Malformed,
  Missing,
  ProviderError,
  type Reason,
  TimedOut
} from "../../../src/providers/ProviderError.ts"
import { full } from "../../support/Full.ts"

const acme: ConnectionRef = { id: "c1", provider: "acme", environment: "sandbox", organisation: "org" }
const list = { operation: "contacts.list", path: "/contacts" }
const get = (id: string) => ({ operation: "contacts.get", path: "/contacts/:id", params: { id } })

const failing = (reason: Reason, status?: number) =>
  Effect.suspend(() =>
    Effect.fail(
      new ProviderError({ provider: "acme", operation: "test", reason, ...(status === undefined ? {} : { status }) })
    )
  )

const works = Effect.succeed("worked")

type Sending = Effect.Effect<string, ProviderError>

/** A breaker and what came of calls through it: `worked`, or the reason of the failure. */
const make = () => {
  const guarded = makeBreaker()
  const ends = (
    sending: Sending,
    { call = list, connection = acme }: { call?: typeof list; connection?: ConnectionRef } = {}
  ) =>
    guarded(connection, call, (mayGo) => Effect.zipRight(mayGo, sending)).pipe(
      Effect.catchAll(({ reason }) => Effect.succeed(reason._tag)),
      Effect.provide(Logger.remove(Logger.defaultLogger))
    )
  const pauseOf = Effect.map(Effect.flip(guarded(acme, list, () => works)), ({ reason }) =>
    reason._tag === "Busy" ? reason.retryAfter : reason._tag
  )
  return {
    guarded,
    ends,
    pauseOf,
    many: (times: number, sending: Sending) => Effect.replicateEffect(ends(sending), times)
  }
}

describe("a breaker", () => {
  for (const [name, failure] of [
    ["is away", failing(new Down())],
    ["is late", failing(new TimedOut())],
    ["talks something else", failing(new Malformed(), 200)],
    ["answers 503", failing(new Down(), 503)]
  ] as const) {
    it.effect(`opens after five calls in a row when the provider ${name}, and asks nobody then`, () =>
      Effect.gen(function* () {
        const { ends, many, pauseOf } = make()
        assert.notInclude(yield* many(5, failure), "Busy")
        const asked = Effect.dieMessage("asked")
        assert.strictEqual(yield* ends(asked), "Busy")
        assert.strictEqual(yield* pauseOf, 1)
        assert.strictEqual(yield* ends(works, { connection: { ...acme, id: "c2" } }), "worked")
      })
    )
  }

  it.effect("does not open for what the provider refuses, limits or never got", () =>
    Effect.gen(function* () {
      const { many } = make()
      for (const failure of [
        failing(new Missing(), 404),
        failing(new LimitReached({ retryAfter: 1 }), 429),
        failing(new TimedOut(), 400),
        failing(new TimedOut({ isCutShort: true })),
        failing(new LimitReached({ retryAfter: 1 }))
      ]) {
        assert.notInclude(yield* many(30, failure), "Busy")
      }
    })
  )

  it.effect("refuses nothing of a request that has changed something", () =>
    Effect.gen(function* () {
      const { ends, many } = make()
      yield* many(5, failing(new Down()))
      const begun = { ...RequestDeadline.from(0n, 30), changed: "acme" }
      const finished = Effect.locally(ends(failing(new Down())), RequestDeadline.current, begun)
      assert.strictEqual(yield* finished, "Down")
      assert.strictEqual(yield* ends(works), "Busy")
    })
  )

  it.effect("stays closed for one record that fails, however slowly it is tried again", () =>
    Effect.gen(function* () {
      const { ends } = make()
      for (let i = 0; i < 20; i += 1) {
        assert.strictEqual(yield* ends(failing(new Down(), 500), { call: get("1") }), "Down")
        yield* TestClock.adjust("35 seconds")
      }
    })
  )

  it.effect("lets one call at a time through when its time is over, and closes with the first success", () =>
    Effect.gen(function* () {
      const { ends, many } = make()
      yield* many(5, failing(new Down()))
      yield* TestClock.adjust("999 millis")
      assert.strictEqual(yield* ends(works), "Busy")
      yield* TestClock.adjust("1 millis")
      const answer = yield* Deferred.make<string>()
      const probe = yield* Effect.fork(ends(Deferred.await(answer)))
      yield* Effect.yieldNow()
      assert.deepStrictEqual(yield* many(3, works), ["Busy", "Busy", "Busy"])
      yield* Deferred.succeed(answer, "worked")
      assert.strictEqual(yield* Fiber.join(probe), "worked")
      assert.deepStrictEqual(yield* many(4, failing(new Down())), ["Down", "Down", "Down", "Down"])
      assert.strictEqual(yield* ends(works), "worked")
    })
  )

  it.effect("stays open twice as long with each probe that fails, a minute at most", () =>
    Effect.gen(function* () {
      const { ends, many, pauseOf } = make()
      yield* many(5, failing(new Down()))
      const pauses: Array<unknown> = []
      for (let i = 0; i < 8; i += 1) {
        const pause = yield* pauseOf
        pauses.push(pause)
        yield* TestClock.adjust(Number(pause) * 1000)
        assert.strictEqual(yield* ends(failing(new TimedOut())), "TimedOut")
      }
      assert.deepStrictEqual(pauses, [1, 2, 4, 8, 16, 32, 60, 60])
    })
  )

  it.effect("takes another probe when one is broken off, or says nothing about the provider", () =>
    Effect.gen(function* () {
      const { ends, many } = make()
      yield* many(5, failing(new Down()))
      yield* TestClock.adjust("1 second")
      const probe = yield* Effect.fork(ends(Effect.never))
      yield* Effect.yieldNow()
      assert.strictEqual(yield* ends(works), "Busy")
      yield* Fiber.interrupt(probe)
      assert.strictEqual(yield* ends(failing(new LimitReached({ retryAfter: 1 }))), "LimitReached")
      assert.strictEqual(yield* ends(failing(new Missing(), 404)), "Missing")
      assert.strictEqual(yield* ends(failing(new Down())), "Down")
      assert.strictEqual(yield* ends(works), "worked")
    })
  )

  it.effect("opens at once when a provider that is down says for how long, and is a probe away from closing then", () =>
    Effect.gen(function* () {
      const { ends, pauseOf } = make()
      const answer = yield* Deferred.make<string>()
      const before = yield* Effect.fork(ends(Deferred.await(answer)))
      yield* Effect.yieldNow()
      assert.strictEqual(yield* ends(failing(new Down({ retryAfter: 120 }), 503)), "Down")
      assert.strictEqual(yield* pauseOf, 120)
      yield* Deferred.succeed(answer, "worked")
      assert.strictEqual(yield* Fiber.join(before), "worked")
      assert.strictEqual(yield* pauseOf, 120, "what was sent before is no reason to come back")
      yield* TestClock.adjust("120 seconds")
      assert.strictEqual(yield* ends(works), "worked")
      assert.strictEqual(yield* ends(failing(new Down())), "Down")
      assert.strictEqual(yield* ends(works), "worked")
    })
  )

  it.effect("stays away 15 minutes at most, whatever the provider says", () =>
    Effect.gen(function* () {
      const { ends, pauseOf } = make()
      yield* ends(failing(new Down({ retryAfter: 1e9 }), 503))
      assert.strictEqual(yield* pauseOf, 900)
    })
  )

  it.effect("lets a file through when its time is over, and another call be the probe", () =>
    Effect.gen(function* () {
      const { ends, many } = make()
      yield* many(5, failing(new Down()))
      const file = { ...list, content: "a file" }
      assert.strictEqual(yield* ends(works, { call: file }), "Busy")
      yield* TestClock.adjust("1 second")
      yield* Effect.fork(ends(Effect.never, { call: file }))
      yield* Effect.yieldNow()
      assert.strictEqual(yield* ends(works), "worked")
    })
  )

  it.effect("opens when half of many calls fail", () =>
    Effect.gen(function* () {
      const { ends } = make()
      const seen: Array<string> = []
      for (let i = 0; i < 11; i += 1) seen.push(yield* ends(works), yield* ends(failing(new TimedOut())))
      assert.strictEqual(seen.filter((end) => end === "TimedOut").length, 10)
      assert.deepStrictEqual(seen.slice(-2), ["Busy", "Busy"])
    })
  )

  it.effect("does not open when few of many calls fail, or many over a long time", () =>
    Effect.gen(function* () {
      const { ends, many } = make()
      for (let i = 0; i < 50; i += 1) {
        yield* many(2, works)
        assert.strictEqual(yield* ends(failing(new TimedOut())), "TimedOut")
      }
      for (let i = 0; i < 50; i += 1) {
        yield* TestClock.adjust("4 seconds")
        assert.strictEqual(yield* ends(works), "worked")
        assert.strictEqual(yield* ends(failing(new TimedOut())), "TimedOut")
      }
    })
  )

  it.effect("does not open for one record that the provider chokes on, but for several", () =>
    Effect.gen(function* () {
      const { ends, many } = make()
      const chokes = (id: string) => ends(failing(new Down(), 500), { call: get(id) })
      for (let i = 0; i < 100; i += 1) {
        assert.strictEqual(yield* chokes("bad"), "Down")
        if (i % 10 === 0) assert.strictEqual(yield* ends(works), "worked")
      }
      yield* Effect.forEach(["1", "2", "3", "4", "5"], chokes)
      assert.strictEqual(yield* ends(works), "Busy")
      yield* TestClock.adjust("1 second")
      yield* many(1, works)
      yield* Effect.replicateEffect(ends(failing(new Malformed()), { call: get("broken") }), 20)
      assert.strictEqual(yield* ends(works), "worked", "a broken record counts once too")
      yield* Effect.replicateEffect(ends(failing(new Down(), 503), { call: get("bad") }), 5)
      assert.strictEqual(yield* ends(works), "Busy", "a gateway's 503 is about no record")
    })
  )

  it.effect("counts a gateway's 502 to 504 each time, and any other failure of one record once", () =>
    Effect.gen(function* () {
      for (const [status, isGateways] of [
        [501, false],
        [502, true],
        [504, true],
        [505, false]
      ] as const) {
        const { ends } = make()
        yield* Effect.replicateEffect(ends(failing(new Down(), status), { call: get("bad") }), 5)
        assert.strictEqual(yield* ends(works), isGateways ? "Busy" : "worked", `${status}`)
      }
    })
  )

  it.effect("counts records once more that failed again after a while in which others worked", () =>
    Effect.gen(function* () {
      const { ends } = make()
      const chokes = (ids: ReadonlyArray<string>) =>
        Effect.forEach(ids, (id) => ends(failing(new Down(), 500), { call: get(id) }))
      yield* chokes(["1", "2", "3", "4"])
      assert.strictEqual(yield* ends(works), "worked")
      yield* TestClock.adjust("1 minute")
      yield* chokes(["1", "2", "3", "4"])
      assert.notInclude(yield* chokes(["4"]), "Busy")
      yield* chokes(["5"])
      assert.strictEqual(yield* ends(works), "Busy")
    })
  )

  it.effect("refuses those too who waited for their turn when it opened, but not its probe", () =>
    Effect.gen(function* () {
      const { guarded, many } = make()
      const turn = yield* Deferred.make<void>()
      const waiting = guarded(acme, list, (mayGo) =>
        Deferred.await(turn).pipe(Effect.zipRight(mayGo), Effect.zipRight(works))
      )
      const before = yield* Effect.fork(Effect.flip(waiting))
      yield* Effect.yieldNow()
      yield* many(5, failing(new Down()))
      yield* TestClock.adjust("1 second")
      const probe = yield* Effect.fork(waiting)
      yield* Effect.yieldNow()
      yield* Deferred.succeed(turn, undefined)
      assert.strictEqual((yield* Fiber.join(before)).reason._tag, "Busy")
      assert.strictEqual(yield* Fiber.join(probe), "worked")
    })
  )

  it.effect("counts a failure once that several callers share", () =>
    Effect.gen(function* () {
      const { ends, many } = make()
      const shared = Effect.fail(new ProviderError({ provider: "acme", operation: "credentials", reason: new Down() }))
      yield* many(50, shared)
      assert.strictEqual(yield* ends(works), "worked")
    })
  )

  full(it).effect("forgets the connection that failed longest ago beyond 10,000", () =>
    Effect.gen(function* () {
      const { ends, many } = make()
      yield* many(5, failing(new Down()))
      const down = Effect.fail(yield* Effect.flip(failing(new Down())))
      yield* Effect.forEach(
        Array.from({ length: 10_000 }, (_, i) => ({ ...acme, id: `other${i}` })),
        (connection) => ends(down, { connection }),
        { discard: true }
      )
      assert.strictEqual(yield* ends(works), "worked")
    })
  )
})
