import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Context, Deferred, Duration, Effect, Fiber, Layer, Logger, Schedule } from "effect"
import { spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { Redis } from "../../src/platform/Redis.ts"
import { Budget } from "../../src/providers/base/Budget.ts"
import type { ConnectionRef } from "../../src/providers/ConnectionRef.ts"
import { bundled } from "../support/BundledProcess.ts"
import { redisProxy } from "../support/RedisProxy.ts"

const newConnection = (): ConnectionRef => ({
  id: randomUUID(),
  provider: "acme",
  environment: "sandbox",
  organisation: "org"
})

/** The shares of one process. */
const processOf = <E>(redis: Layer.Layer<Redis, E>) =>
  Layer.build(Layer.provide(Layer.fresh(Budget.layerRedis), redis)).pipe(
    Effect.map((context) => Context.get(context, Budget)),
    Effect.orDie
  )

const own = processOf(Layer.fresh(Redis.layer))

/** Connections to Redis by way of a proxy. */
const through = ({ url }: { readonly url: string }) =>
  Layer.provide(
    Layer.fresh(Redis.layer),
    Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["REDIS_URL", url]])))
  )

/** The calls of a connection that Redis counts as running, each with when its lease ends. */
const counted = ({ id }: ConnectionRef) =>
  Effect.flatMap(Redis, (redis) =>
    redis.use((client) => client.zrange(`tributary:budget:${id}:running`, "0", "-1", "WITHSCORES"))
  ).pipe(Effect.retry({ times: 20, schedule: Schedule.spaced("50 millis") }), Effect.orDie)

const becomesFree = (connection: ConnectionRef) =>
  Effect.repeat(counted(connection), {
    schedule: Schedule.spaced("20 millis"),
    until: (slots) => slots.length === 0
  })

const quietly = Effect.provide(Logger.remove(Logger.defaultLogger))

/** Calls that run as long as they are let. */
const gated = (budget: Budget["Type"], connection: ConnectionRef, concurrency: number, count: number) =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    let running = 0
    const call = Effect.zipRight(
      Effect.suspend(() => (++running === count ? Deferred.succeed(begun, undefined) : Effect.void)),
      Deferred.await(gate)
    )
    const fiber = yield* Effect.fork(
      Effect.replicateEffect(budget.spend(connection, concurrency, call), count, { concurrency: "unbounded" })
    )
    yield* Deferred.await(begun)
    return { fiber, end: Effect.zipRight(Deferred.succeed(gate, undefined), Fiber.await(fiber)) }
  })

describe.skipIf(process.env.REDIS_URL === undefined)("slots shared through Redis", () => {
  it.scopedLive("are given back though Redis answered too late, and when the caller went away meanwhile", () =>
    Effect.gen(function* () {
      const proxy = yield* redisProxy
      const budget = yield* processOf(through(proxy))
      const connection = newConnection()
      yield* budget.spend(connection, 8, Effect.void)
      const call = budget.spend(connection, 8, Effect.sleep("20 millis"))
      yield* proxy.stall
      const calls = yield* Effect.fork(Effect.replicateEffect(call, 20, { concurrency: "unbounded" }))
      const gone = yield* Effect.fork(budget.spend(newConnection(), 8, Effect.never))
      yield* Effect.sleep("50 millis")
      yield* Fiber.interrupt(gone)
      yield* Effect.sleep("250 millis")
      yield* proxy.goOn
      yield* Fiber.join(calls)
      yield* Effect.timeout(becomesFree(connection), "2 seconds")
      const [took] = yield* Effect.timed(Effect.replicateEffect(call, 100, { concurrency: "unbounded" }))
      assert.isBelow(Duration.toMillis(took), 3_000)
    }).pipe(Effect.provide(Redis.layer), quietly)
  )

  it.scopedLive("are not waited for while Redis is silent or away: each process keeps to its own share", () =>
    Effect.gen(function* () {
      const proxy = yield* redisProxy
      const budget = yield* processOf(through(proxy))
      const connection = newConnection()
      let running = 0
      let most = 0
      const call = budget.spend(
        connection,
        3,
        Effect.acquireUseRelease(
          Effect.sync(() => (most = Math.max(most, (running += 1)))),
          () => Effect.sleep("5 millis"),
          () => Effect.sync(() => (running -= 1))
        )
      )
      yield* call
      for (const fails of [proxy.silence, proxy.stop]) {
        yield* fails
        const [took] = yield* Effect.timed(Effect.replicateEffect(call, 90, { concurrency: "unbounded" }))
        // one time limit of a command, and thirty turns
        assert.isBelow(Duration.toMillis(took), 1_500)
      }
      assert.strictEqual(most, 3)
      yield* proxy.start
      const here = yield* Redis
      const isCounted = Effect.zipRight(
        call,
        Effect.zipLeft(budget.spend(connection, 3, counted(connection)), Effect.void)
      )
      yield* Effect.repeat(isCounted, {
        schedule: Schedule.spaced("50 millis"),
        until: (slots) => slots.length > 0
      }).pipe(Effect.provideService(Redis, here), Effect.timeout("10 seconds"))
    }).pipe(Effect.provide(Redis.layer), quietly)
  )

  it.scopedLive("stay held while their calls run, also those that began while Redis was away", () =>
    Effect.gen(function* () {
      const proxy = yield* redisProxy
      const budget = yield* processOf(through(proxy))
      const connection = newConnection()
      const before = yield* gated(budget, connection, 4, 1)
      const [, first = ""] = yield* counted(connection)
      yield* proxy.stop
      const meanwhile = yield* gated(budget, connection, 4, 2)
      yield* proxy.start
      yield* Effect.repeat(counted(connection), {
        schedule: Schedule.spaced("50 millis"),
        until: (slots) => slots.length === 6 && slots.every((score, i) => i % 2 === 0 || Number(score) > Number(first))
      }).pipe(Effect.timeout("10 seconds"))
      yield* Effect.all([before.end, meanwhile.end])
      yield* Effect.timeout(becomesFree(connection), "5 seconds")
    }).pipe(Effect.provide(Redis.layer), quietly)
  )

  it.scopedLive("of calls that ended while Redis was away are free once it is back, before their lease is over", () =>
    Effect.gen(function* () {
      const proxy = yield* redisProxy
      const budget = yield* processOf(through(proxy))
      const connection = newConnection()
      const calls = yield* gated(budget, connection, 4, 2)
      assert.lengthOf(yield* counted(connection), 4)
      yield* proxy.stop
      yield* calls.end
      // it is noticed, and tried again in vain
      yield* Effect.sleep("3 seconds")
      yield* proxy.start
      yield* Effect.timeout(becomesFree(connection), "2 seconds")
    }).pipe(Effect.provide(Redis.layer), quietly)
  )

  it.scopedLive("of a killed process are free when their lease is over", () =>
    Effect.gen(function* () {
      const connection = newConnection()
      const program = yield* bundled(join(import.meta.dirname, "BudgetProcess.ts"))
      const child = yield* Effect.acquireRelease(
        Effect.sync(() =>
          spawn(process.execPath, [program, connection.id, "4"], { stdio: ["ignore", "pipe", "inherit"] })
        ),
        (child) => Effect.sync(() => child.kill("SIGKILL"))
      )
      yield* Effect.async<void>((resume) => void child.stdout.once("data", () => resume(Effect.void)))
      const budget = yield* own
      const waiting = yield* Effect.fork(budget.spend(connection, 4, Effect.succeed("ran")))
      yield* Effect.sleep("200 millis")
      assert.isTrue((yield* Fiber.poll(waiting))._tag === "None", "the slots are held")
      child.kill("SIGKILL")
      assert.strictEqual(yield* Effect.timeout(Fiber.join(waiting), "9 seconds"), "ran")
    }).pipe(Effect.provide(Redis.layer))
  )

  for (const concurrency of [1, 2, 5]) {
    it.scopedLive(`go to whoever has fewer: one call is not held up by another process's many (${concurrency})`, () =>
      Effect.gen(function* () {
        const [busy, quiet] = yield* Effect.all([own, own])
        const connection = newConnection()
        let ended = 0
        const call = busy.spend(
          connection,
          concurrency,
          Effect.zipRight(
            Effect.sleep("10 millis"),
            Effect.sync(() => ended++)
          )
        )
        const many = yield* Effect.fork(Effect.replicateEffect(Effect.forever(call), 40, { concurrency: "unbounded" }))
        for (let i = 0; i < 5; i += 1) {
          yield* Effect.sleep("50 millis")
          const before = ended
          yield* Effect.timeout(quiet.spend(connection, concurrency, Effect.void), "5 seconds")
          // it looks ten times a second at least, and a call of the other takes 10 ms
          assert.isBelow(ended - before, 20 * concurrency)
        }
        yield* Fiber.interrupt(many)
      }).pipe(Effect.provide(Redis.layer))
    )
  }

  it.scopedLive(
    "are looked for by one caller of a process, and given in the order in which they came",
    () =>
      Effect.gen(function* () {
        const there = yield* own
        const connection = newConnection()
        let looks = 0
        const counting = Layer.map(Redis.layer, (context) => {
          const redis = Context.get(context, Redis)
          return Context.make(Redis, {
            ...redis,
            script: (lua: string) => {
              const run = redis.script(lua)
              return (keys: ReadonlyArray<string>, args: ReadonlyArray<string | number>) =>
                Effect.suspend(() => {
                  looks += 1
                  return run(keys, args)
                })
            }
          })
        })
        const here = yield* processOf(Layer.fresh(counting))
        const holding = yield* gated(there, connection, 8, 8)
        const begun: Array<number> = []
        const waiting = yield* Effect.fork(
          Effect.forEach(
            Array.from({ length: 50 }, (_, i) => i),
            (i) =>
              here.spend(
                connection,
                8,
                Effect.sync(() => begun.push(i))
              ),
            { concurrency: "unbounded" }
          )
        )
        yield* Effect.sleep("500 millis")
        assert.deepStrictEqual(begun, [])
        // eight at once, then one of them
        assert.isBelow(looks, 24)
        yield* holding.end
        yield* Effect.timeout(Fiber.join(waiting), "5 seconds")
        assert.deepStrictEqual(
          begun,
          Array.from({ length: 50 }, (_, i) => i)
        )
      }).pipe(Effect.provide(Redis.layer)),
    // on a machine that is too busy to answer within 100 ms Redis counts as away, and nobody waits in line
    { retry: 3 }
  )
})
