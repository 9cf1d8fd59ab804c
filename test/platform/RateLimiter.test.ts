import { assert, describe, it } from "@effect/vitest"
import {
  Array as Arr,
  Clock,
  ConfigProvider,
  Context,
  Duration,
  Effect,
  Layer,
  Logger,
  Schedule,
  TestClock
} from "effect"
import { randomUUID } from "node:crypto"
import { headers, type Policy, RateLimiter } from "../../src/platform/RateLimiter.ts"
import { Redis } from "../../src/platform/Redis.ts"
import { redisProxy } from "../support/RedisProxy.ts"
import { full } from "../support/Full.ts"

const perMinute: Policy = { name: "default", limit: 600, window: "1 minute" }
const five: Policy = { name: "five", limit: 5, window: "10 seconds" }

/** A long script of takes at odd moments: the moment of each, and what was decided. */
const walk = Effect.gen(function* () {
  const limiter = yield* RateLimiter
  const key = randomUUID()
  const policy: Policy = { name: "walk", limit: 10, window: "2 seconds" }
  // Batches are aligned to the clock, so two walks compare only from the same place in a window.
  yield* TestClock.adjust(Duration.millis(2000 - ((yield* Clock.currentTimeMillis) % 2000)))
  const start = yield* Clock.currentTimeMillis
  return yield* Effect.forEach(
    Array.from({ length: 200 }, (_, i) => i),
    (i) =>
      Effect.gen(function* () {
        yield* TestClock.adjust(Duration.millis((i * 137) % 400))
        const tokens = (i * 7) % 4
        const at = (yield* Clock.currentTimeMillis) - start
        return { at, tokens, ...(yield* limiter.take(key, policy, tokens)) }
      })
  )
})

/** A limit of five and one of two, on their own and together. */
const takesAll = Effect.gen(function* () {
  const limiter = yield* RateLimiter
  const of = (policy: Policy, key: string) => ({ key, policy, tokens: 1 })
  const two: Policy = { name: "two", limit: 2, window: "10 seconds" }
  const key = randomUUID()
  const both = Effect.map(limiter.takeAll([of(five, key), of(two, key)]), (decisions) =>
    decisions.map(({ allowed, remaining }) => [allowed, remaining])
  )
  assert.deepStrictEqual(yield* both, [
    [true, 4],
    [true, 1]
  ])
  yield* both
  for (let tried = 0; tried < 3; tried += 1) {
    assert.deepStrictEqual(yield* both, [
      [true, 3],
      [false, 0]
    ])
  }
  assert.strictEqual((yield* limiter.take(key, five)).remaining, 2)
})

describe("RateLimiter", () => {
  describe("in memory", () => {
    it.effect("allows the limit, refuses with when to come back, and allows then", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        const first = yield* limiter.take("a", five)
        assert.deepStrictEqual(first, { allowed: true, limit: 5, remaining: 4, resetAfter: 10, retryAfter: 0 })
        yield* TestClock.adjust("4 seconds")
        const second = yield* limiter.take("a", five, 4)
        assert.deepStrictEqual(second, { allowed: true, limit: 5, remaining: 0, resetAfter: 6, retryAfter: 0 })

        const refused = yield* limiter.take("a", five)
        assert.deepStrictEqual(refused, { allowed: false, limit: 5, remaining: 0, resetAfter: 6, retryAfter: 6 })
        assert.strictEqual((yield* limiter.take("a", five, 2)).retryAfter, 10, "two tokens are back later than one")
        assert.isTrue((yield* limiter.take("b", five)).allowed, "another key is not concerned")
        assert.isTrue((yield* limiter.take("a", { ...five, name: "other" })).allowed, "nor another policy")

        yield* TestClock.adjust(Duration.subtract(Duration.seconds(refused.retryAfter), "1 millis"))
        assert.isFalse((yield* limiter.take("a", five)).allowed)
        yield* TestClock.adjust("1 millis")
        assert.isTrue((yield* limiter.take("a", five)).allowed)
        assert.isFalse((yield* limiter.take("a", five)).allowed)
      }).pipe(Effect.provide(RateLimiter.layerMemory))
    )

    it.effect("keeps takes of a twentieth of a window together, until the later of them is over", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        yield* TestClock.setTime(20_000)
        yield* limiter.take("a", five, 2)
        yield* TestClock.adjust("400 millis")
        yield* limiter.take("a", five)
        yield* TestClock.adjust("100 millis")
        yield* limiter.take("a", five)
        yield* TestClock.setTime(30_399)
        assert.strictEqual((yield* limiter.take("a", five, 0)).remaining, 1)
        yield* TestClock.setTime(30_400)
        assert.strictEqual((yield* limiter.take("a", five, 0)).remaining, 4)
      }).pipe(Effect.provide(RateLimiter.layerMemory))
    )

    it.effect("takes from several limits or, when one refuses, from none", () =>
      takesAll.pipe(Effect.provide(RateLimiter.layerMemory))
    )

    it.effect("says without taking whether one could be taken", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        assert.deepInclude(yield* limiter.take("a", five, 0), { allowed: true, remaining: 5 })
        yield* limiter.take("a", five, 5)
        assert.deepInclude(yield* limiter.take("a", five, 0), { allowed: false, remaining: 0, retryAfter: 10 })
      }).pipe(Effect.provide(RateLimiter.layerMemory))
    )

    it.effect("forgets no take when the clock is set back a little, and keeps none when it is set back a lot", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        yield* TestClock.setTime(3_600_000)
        yield* limiter.take("a", five, 5)
        yield* TestClock.setTime(3_600_000 - 2_000)
        assert.isFalse((yield* limiter.take("a", five)).allowed)
        yield* TestClock.setTime(0)
        assert.isTrue((yield* limiter.take("a", five, 5)).allowed)
        assert.isFalse((yield* limiter.take("a", five)).allowed)
      }).pipe(Effect.provide(RateLimiter.layerMemory))
    )

    full(it).effect("never passes more than the limit in any window, and uses nearly all of it", () =>
      Effect.gen(function* () {
        const steps = yield* walk
        const passed = steps.filter(({ allowed, tokens }) => allowed && tokens > 0)
        for (const { at } of passed) {
          const inWindow = passed.filter((step) => step.at > at - 2000 && step.at <= at)
          assert.isAtMost(
            inWindow.reduce((sum, { tokens }) => sum + tokens, 0),
            10
          )
        }
        for (const { allowed, at, tokens } of steps) {
          const recent = passed.filter((step) => step.at > at - 2100 && step.at < at)
          const used = recent.reduce((sum, { tokens }) => sum + tokens, 0)
          if (used + Math.max(tokens, 1) <= 10) assert.isTrue(allowed, `refused too early at ${at}`)
        }
        assert.isTrue(steps.some(({ allowed }) => !allowed))
      }).pipe(Effect.provide(RateLimiter.layerMemory))
    )

    full(it).effect("forgets the key taken from longest ago beyond 100,000 keys", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        yield* limiter.take("first", five)
        yield* limiter.takeAll(Arr.makeBy(99_999, (i) => ({ key: `${i}`, policy: five, tokens: 1 })))
        assert.strictEqual((yield* limiter.take("first", five, 0)).remaining, 4)
        yield* limiter.take("99999", five)
        assert.strictEqual((yield* limiter.take("first", five, 0)).remaining, 5)
        assert.strictEqual((yield* limiter.take("99999", five, 0)).remaining, 4)
      }).pipe(Effect.provide(RateLimiter.layerMemory))
    )
  })

  it("writes the headers of the IETF draft", () => {
    const allowed = { allowed: true, limit: 600, remaining: 599, resetAfter: 59.2, retryAfter: 0 }
    assert.deepStrictEqual(headers([allowed, perMinute]), {
      "ratelimit-policy": '"default";q=600;w=60',
      ratelimit: '"default";r=599;t=60'
    })
    const perHour: Policy = { name: "hour", limit: 700, window: "1 hour" }
    assert.deepStrictEqual(headers([{ ...allowed, remaining: 0 }, perMinute], [allowed, perHour]), {
      "ratelimit-policy": '"default";q=600;w=60, "hour";q=700;w=3600',
      ratelimit: '"default";r=0;t=60, "hour";r=599;t=60'
    })
    const refused = { allowed: false, limit: 600, remaining: 0, resetAfter: 0.02, retryAfter: 0.02 }
    assert.deepStrictEqual(headers([refused, perMinute]), {
      "ratelimit-policy": '"default";q=600;w=60',
      ratelimit: '"default";r=0;t=1',
      "retry-after": "1"
    })
  })

  const { REDIS_URL } = process.env
  describe.skipIf(REDIS_URL === undefined)("in Redis", () => {
    it.effect(
      "decides as the memory limiter does",
      () =>
        Effect.gen(function* () {
          const viaMemory = yield* walk.pipe(Effect.provide(RateLimiter.layerMemory))
          const viaRedis = yield* walk.pipe(
            Effect.provide(RateLimiter.layerRedis.pipe(Layer.provide(redisByTestClock), Layer.provide(Redis.layer)))
          )
          assert.deepStrictEqual(viaRedis, viaMemory)
        }),
      // Redis counts as away where the machine is too busy to answer within 100 ms, and a bucket there fills by its own time
      { retry: 3 }
    )

    it.live("takes from several limits or, when one refuses, from none", () =>
      takesAll.pipe(Effect.provide(RateLimiter.layerRedis.pipe(Layer.provide(Redis.layer))))
    )

    it.live("lets exactly 100 of 300 concurrent takes through, shared by two processes", () =>
      Effect.gen(function* () {
        const key = randomUUID()
        const policy: Policy = { name: "race", limit: 100, window: "1 hour" }
        const one = yield* limiterOf(Redis.layer)
        const other = yield* limiterOf(Layer.fresh(Redis.layer))
        const decisions = yield* Effect.forEach(
          Array.from({ length: 300 }, (_, i) => (i % 2 === 0 ? one : other)),
          (limiter) => limiter.take(key, policy),
          { concurrency: 50 }
        )
        assert.strictEqual(decisions.filter(({ allowed }) => allowed).length, 100)
        assert.isFalse((yield* one.take(key, policy)).allowed)
        assert.isFalse((yield* other.take(key, policy)).allowed)
      }).pipe(Effect.scoped)
    )

    it.scopedLive("keeps its keys no longer than the window", () =>
      Effect.gen(function* () {
        const redis = yield* Redis
        const key = randomUUID()
        yield* (yield* RateLimiter).take(key, five)
        const ttl = yield* redis.use((client) => client.pttl(`tributary:limit:five:${key}`))
        assert.isTrue(ttl > 0 && ttl <= 10_000, `${ttl}`)
      }).pipe(Effect.provide(Layer.provideMerge(RateLimiter.layerRedis, Redis.layer)))
    )

    it.live("answers through an outage and a silence, warns once for each, and comes back", () => {
      const logs: Array<string> = []
      const logger = Logger.make(({ message }) => {
        logs.push(String(Array.isArray(message) ? message[0] : message))
      })
      return Effect.gen(function* () {
        const proxy = yield* redisProxy
        const key = randomUUID()
        const limiter = yield* limiterOf(Redis.layer).pipe(
          Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["REDIS_URL", proxy.url]])))
        )
        const shared = Effect.repeat(limiter.take(key, five, 0), {
          schedule: Schedule.spaced("20 millis"),
          until: ({ remaining }) => remaining === 3
        }).pipe(Effect.timeout("8 seconds"))

        yield* limiter.take(key, five, 2)
        yield* proxy.stop
        assert.strictEqual((yield* limiter.take(key, five)).remaining, 4, "limited per process")
        assert.strictEqual((yield* limiter.take(key, five)).remaining, 3)
        assert.isFalse((yield* limiter.take(key, five, 4)).allowed, "not unlimited")
        yield* limiter.take(key, five, 2)
        yield* proxy.start
        yield* shared
        assert.deepStrictEqual(logs, [
          "Redis is away: rate limits hold per process",
          "Redis is back: rate limits are shared again"
        ])

        yield* proxy.silence
        const [waited] = yield* Effect.timed(limiter.take(key, five, 0))
        assert.isBelow(Duration.toMillis(waited), 250)
        yield* proxy.stop
        yield* proxy.start
        yield* shared
        assert.strictEqual(logs.length, 4, logs.join(", "))
      }).pipe(Effect.scoped, Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
    })
  })

  full(it).live("starts and answers when Redis was never there", () =>
    Effect.gen(function* () {
      const limiter = yield* RateLimiter
      assert.strictEqual((yield* limiter.take("a", five)).remaining, 4)
    }).pipe(
      Effect.provide(RateLimiter.layer),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["REDIS_URL", "redis://127.0.0.1:1"]]))),
      Effect.provide(Logger.remove(Logger.defaultLogger))
    )
  )

  it.effect("refuses a REDIS_URL that is none, without repeating it", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Layer.launch(RateLimiter.layer))
      assert.include(String(error), "REDIS_URL")
      assert.include(String(error), "redis://")
      assert.notInclude(String(error), "hunter2")
    }).pipe(Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["REDIS_URL", "http://:hunter2@host"]]))))
  )
})

const limiterOf = (redis: typeof Redis.layer) =>
  Layer.fresh(RateLimiter.layerRedis).pipe(
    Layer.provide(redis),
    Layer.build,
    Effect.map((context) => Context.get(context, RateLimiter))
  )

/** Redis with the test's clock in place of its own. */
const redisByTestClock = Layer.effect(
  Redis,
  Effect.map(Redis, (redis) =>
    Redis.of({
      ...redis,
      script: (lua) => (keys, args) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          redis.script(lua.replace('redis.call("TIME")', `{ ${Math.floor(now / 1000)}, ${(now % 1000) * 1000} }`))(
            keys,
            args
          )
        )
    })
  )
)
