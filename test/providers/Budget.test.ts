import { HttpClient, HttpClientResponse } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Fiber, Layer, Option, Redacted, TestClock } from "effect"
import { randomUUID } from "node:crypto"
import { Redis } from "../../src/platform/Redis.ts"
import { bearer } from "../../src/providers/base/Authorization.ts"
import { Budget } from "../../src/providers/base/Budget.ts"
import { makeMetLimits, remainingIn } from "../../src/providers/base/Limits.ts"
import * as Calls from "../../src/providers/base/Calls.ts"
import { Upstream } from "../../src/providers/base/Upstream.ts"
import type { ConnectionRef } from "../../src/providers/ConnectionRef.ts"
import { Credentials } from "../../src/providers/Credentials.ts"
import { Transport } from "../../src/providers/Transport.ts"

const newConnection = (): ConnectionRef => ({
  id: randomUUID(),
  provider: "acme",
  environment: "sandbox",
  organisation: "org"
})

/** Seconds to stay away, asked from within a call, where a share exists. */
const away = (budget: Budget["Type"], connection: ConnectionRef) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    budget.spend(
      connection,
      4,
      Effect.sync(() => budget.take(connection, now))
    )
  )

const told = (budget: Budget["Type"], connection: ConnectionRef, remaining: number, resetAfter?: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    budget.spend(
      connection,
      4,
      budget.note(connection, now, [{ name: "burst", remaining, ...(resetAfter === undefined ? {} : { resetAfter }) }])
    )
  )

/** The most calls of a connection that ran at once, of twelve spread over budgets. */
const mostAtOnce = (budgets: ReadonlyArray<Budget["Type"]>, concurrency: number) =>
  Effect.gen(function* () {
    const connection = newConnection()
    let running = 0
    let most = 0
    const call = Effect.gen(function* () {
      running += 1
      most = Math.max(most, running)
      yield* Effect.sleep("20 millis")
      running -= 1
    })
    const all = Array.from({ length: 12 }, (_, i) => budgets[i % budgets.length])
    yield* Effect.forEach(
      all,
      (budget) => (budget === undefined ? Effect.void : budget.spend(connection, concurrency, call)),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(running, 0)
    return most
  })

describe("Budget", () => {
  it.live("runs so many calls of a connection at once and no more", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* mostAtOnce([yield* Budget], 3), 3)
    }).pipe(Effect.provide(Budget.layerMemory))
  )

  it.live("lets calls run in the order in which they came, and who comes meanwhile does not get ahead", () =>
    Effect.gen(function* () {
      const budget = yield* Budget
      const connection = newConnection()
      const begun: Array<number> = []
      let came = 0
      const call = Effect.suspend(() => {
        const number = came++
        return budget.spend(
          connection,
          2,
          Effect.zipRight(
            Effect.sync(() => begun.push(number)),
            Effect.sleep("1 millis")
          )
        )
      })
      // each caller comes again the moment its call has ended
      const caller = Effect.repeatN(call, 9)
      yield* Effect.all(
        Array.from({ length: 8 }, () => caller),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        begun,
        Array.from({ length: 80 }, (_, i) => i)
      )
    }).pipe(Effect.provide(Budget.layerMemory))
  )

  it.live("a caller who goes away while it waits, or as its turn comes, keeps no place", () =>
    Effect.gen(function* () {
      const budget = yield* Budget
      const connection = newConnection()
      for (let i = 0; i < 50; i += 1) {
        const turn = yield* Deferred.make<void>()
        const running = yield* Effect.fork(budget.spend(connection, 1, Deferred.await(turn)))
        yield* Effect.yieldNow()
        const waiting = yield* Effect.fork(budget.spend(connection, 1, Effect.void))
        yield* Effect.yieldNow()
        // before, at and after the moment at which the place is handed over
        running.addObserver(() => {
          const later = (ticks: number): void =>
            ticks === 0 ? waiting.unsafeInterruptAsFork(waiting.id()) : queueMicrotask(() => later(ticks - 1))
          later(i % 10)
        })
        yield* Deferred.succeed(turn, undefined)
        yield* Fiber.await(running)
        yield* Fiber.await(waiting)
        const next = yield* Effect.timeoutOption(budget.spend(connection, 1, Effect.succeed("ran")), "1 second")
        assert.deepStrictEqual(next, Option.some("ran"), `round ${i}`)
      }
    }).pipe(Effect.provide(Budget.layerMemory))
  )

  it.live("calls that wait take nothing of a limit yet", () =>
    Effect.gen(function* () {
      const budget = yield* Budget
      const connection = newConnection()
      const call = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const seconds = budget.take(connection, now)
        yield* Effect.sleep("2 millis")
        yield* budget.note(connection, now, [{ name: "burst", remaining: 60, resetAfter: 10 }])
        return seconds
      })
      const waits = yield* Effect.all(
        Array.from({ length: 50 }, () => budget.spend(connection, 4, call)),
        {
          concurrency: "unbounded"
        }
      )
      assert.deepStrictEqual(new Set(waits), new Set([0]))
    }).pipe(Effect.provide(Budget.layerMemory))
  )

  it.effect("stays away as long as the provider said, and no other connection does", () =>
    Effect.gen(function* () {
      const budget = yield* Budget
      const connection = newConnection()
      const now = yield* Clock.currentTimeMillis
      yield* budget.spend(connection, 4, budget.stayAway(connection, now, 7))
      assert.strictEqual(yield* away(budget, connection), 7)
      assert.strictEqual(yield* away(budget, newConnection()), 0)
      yield* TestClock.adjust("6999 millis")
      assert.isAbove(yield* away(budget, connection), 0)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* away(budget, connection), 0)
    }).pipe(Effect.provide(Budget.layerMemory))
  )

  it.effect("stays away 15 minutes at most, whatever the provider said", () =>
    Effect.gen(function* () {
      const budget = yield* Budget
      const now = yield* Clock.currentTimeMillis
      for (const [said, seconds] of [
        [1e12, 900],
        [Infinity, 900],
        [-5, 0],
        [NaN, 1]
      ] as const) {
        const connection = newConnection()
        yield* budget.spend(connection, 4, budget.stayAway(connection, now, said))
        assert.strictEqual(yield* away(budget, connection), seconds)
      }
    }).pipe(Effect.provide(Budget.layerMemory))
  )

  it.effect("keeps to a limit before it is passed: calls since the last answer count", () =>
    Effect.gen(function* () {
      const budget = yield* Budget
      const connection = newConnection()
      yield* told(budget, connection, 2, 10)
      assert.strictEqual(yield* away(budget, connection), 0)
      assert.strictEqual(yield* away(budget, connection), 0)
      assert.strictEqual(yield* away(budget, connection), 10)
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(yield* away(budget, connection), 6)
      yield* told(budget, connection, 90, 6)
      assert.strictEqual(yield* away(budget, connection), 0)
    }).pipe(Effect.provide(Budget.layerMemory))
  )

  it.effect("counts calls that are under way as spent: what an answer says was left before they came", () =>
    Effect.gen(function* () {
      const budget = yield* Budget
      const connection = newConnection()
      const end = yield* Deferred.make<void>()
      const running = yield* Effect.replicateEffect(Effect.fork(budget.spend(connection, 4, Deferred.await(end))), 2)
      yield* Effect.yieldNow()
      yield* told(budget, connection, 3, 10)
      assert.strictEqual(yield* away(budget, connection), 0)
      assert.strictEqual(yield* away(budget, connection), 10)
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.joinAll(running)
    }).pipe(Effect.provide(Budget.layerMemory))
  )

  it.effect("asks again within a minute about a limit whose end is far or unknown", () =>
    Effect.gen(function* () {
      const budget = yield* Budget
      const [daily, unknown] = [newConnection(), newConnection()]
      yield* told(budget, daily, 0, 86_400)
      yield* told(budget, unknown, 0)
      assert.strictEqual(yield* away(budget, daily), 60)
      assert.strictEqual(yield* away(budget, unknown), 60)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* away(budget, daily), 0)
      assert.strictEqual(yield* away(budget, unknown), 0)
    }).pipe(Effect.provide(Budget.layerMemory))
  )

  it.effect("keeps no connection away for longer when the clock is set back", () =>
    Effect.gen(function* () {
      const day = 86_400_000
      let [wall, monotonic] = [day, 0n]
      const clock = Object.assign(Clock.make(), {
        currentTimeMillis: Effect.sync(() => wall),
        unsafeCurrentTimeMillis: () => wall,
        unsafeCurrentTimeNanos: () => monotonic
      })
      const answers = [new Response("{}", { status: 429, headers: { "retry-after": "5" } }), Response.json({})]
      const client = HttpClient.make((request) =>
        Effect.sync(() => HttpClientResponse.fromWeb(request, answers.shift() ?? Response.error()))
      )
      const services = Calls.layer.pipe(
        Layer.provide(
          Layer.mergeAll(
            Budget.layerMemory,
            Layer.mock(Transport, { to: () => client }),
            Layer.mock(Credentials, {
              current: () => Effect.succeed({ version: 1, secret: Redacted.make("token"), values: {} })
            })
          )
        )
      )
      yield* Effect.gen(function* () {
        const call = yield* (yield* Upstream).caller({
          slug: "acme",
          authorization: { kind: "key", help: "", apply: bearer },
          baseUrl: "https://api.acme.example",
          concurrency: 4,
          readError: () => ({}),
          timeout: 30_000
        })
        const connection = newConnection()
        const one = call(connection, { operation: "contacts.list", method: "GET", path: "/contacts" })
        assert.deepInclude((yield* Effect.flip(one)).reason, { _tag: "LimitReached", retryAfter: 5 })
        wall = 0
        monotonic = 6_000_000_000n
        assert.strictEqual((yield* one).status, 200)
      }).pipe(Effect.provide(services), Effect.withClock(clock))
    })
  )

  const { REDIS_URL } = process.env
  describe.skipIf(REDIS_URL === undefined)("in Redis", () => {
    const processOf = Effect.map(Layer.build(Layer.fresh(Budget.layerRedis)), (context) => Context.get(context, Budget))
    const two = Effect.all([processOf, processOf])

    it.scopedLive("two processes share the calls that may run at once", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* mostAtOnce(yield* two, 3), 3)
      }).pipe(Effect.provide(Redis.layer))
    )

    it.scopedLive("a pause and a used-up limit hold for both", () =>
      Effect.gen(function* () {
        const [here, there] = yield* two
        const [paused, usedUp] = [newConnection(), newConnection()]
        const now = yield* Clock.currentTimeMillis
        yield* here.spend(paused, 4, here.stayAway(paused, now, 5))
        yield* told(here, usedUp, 0, 5)
        for (const connection of [paused, usedUp]) {
          const seconds = yield* away(there, connection)
          assert.isTrue(seconds > 3 && seconds < 5.5, String(seconds))
        }
        assert.strictEqual(yield* away(there, newConnection()), 0)
      }).pipe(Effect.provide(Redis.layer))
    )

    it.scopedLive("a pause is 15 minutes at most, also one that another version left there", () =>
      Effect.gen(function* () {
        const [here, there] = yield* two
        const redis = yield* Redis
        const now = yield* Clock.currentTimeMillis
        for (const said of [1e12, NaN, -5]) {
          const connection = newConnection()
          yield* here.spend(connection, 4, here.stayAway(connection, now, said))
          const left = yield* redis.use((client) => client.pttl(`tributary:budget:${connection.id}:pause`))
          assert.isAtMost(left, 900_000)
        }
        const left = newConnection()
        yield* redis.use((client) => client.set(`tributary:budget:${left.id}:pause`, "1", "EX", 86_400))
        assert.isBelow(yield* away(there, left), 901)
      }).pipe(Effect.provide(Redis.layer))
    )

    it.scopedLive("a caller who goes away while waiting leaves no call counted", () =>
      Effect.gen(function* () {
        const [here, there] = yield* two
        const connection = newConnection()
        const started = yield* Deferred.make<void>()
        const holding = yield* Effect.fork(
          here.spend(connection, 1, Effect.zipRight(Deferred.succeed(started, undefined), Effect.never))
        )
        yield* Deferred.await(started)
        const waiting = yield* Effect.fork(there.spend(connection, 1, Effect.void))
        yield* Effect.sleep("60 millis")
        yield* Fiber.interrupt(waiting)
        yield* Fiber.interrupt(holding)
        yield* there.spend(connection, 1, Effect.void).pipe(Effect.timeout("1 second"))
      }).pipe(Effect.provide(Redis.layer))
    )
  })
})

describe("limits", () => {
  const read = remainingIn({ burst: { header: "x-left", resetAfter: 10 }, daily: { header: "x-left-today" } })

  it("are read from headers that are there and are numbers", () => {
    assert.deepStrictEqual(read({ "x-left": "98", "x-left-today": "200" }), [
      { name: "burst", remaining: 98, resetAfter: 10 },
      { name: "daily", remaining: 200 }
    ])
    assert.deepStrictEqual(read({ "x-left": "many" }), [])
  })

  it("are shown as the lowest that was met", () => {
    const met = makeMetLimits()
    assert.isUndefined(met.header())
    met.note("acme", read({ "x-left": "98", "x-left-today": "200" }))
    met.note("acme", read({ "x-left": "97" }))
    met.note("acme", read({ "x-left": "99" }))
    assert.strictEqual(met.header(), '"acme.burst";r=97;t=10, "acme.daily";r=200')
  })
})
