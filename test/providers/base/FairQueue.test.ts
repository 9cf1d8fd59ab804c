import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Scheduler } from "effect"
import { makeFairQueue } from "../../../src/providers/base/FairQueue.ts"
import type { ConnectionRef } from "../../../src/providers/ConnectionRef.ts"
import { full } from "../../support/Full.ts"

const slots = 1024

const at = (organisation: string, id: string, provider = "acme"): ConnectionRef => ({
  id: `${organisation}/${id}`,
  provider,
  environment: "production",
  organisation
})

/** Calls that run until they are let go, counted by organisation. */
const make = Effect.gen(function* () {
  const turns = makeFairQueue()
  const running = new Map<string, number>()
  const begun: Array<string> = []
  const ends: Array<{ readonly connection: ConnectionRef; readonly end: Deferred.Deferred<void> }> = []
  const count = (connection: ConnectionRef, change: number) =>
    Effect.sync(() => {
      for (const name of [connection.organisation, connection.id]) running.set(name, (running.get(name) ?? 0) + change)
    })
  const call = (connection: ConnectionRef) =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<void>()
      ends.push({ connection, end })
      begun.push(connection.id)
      yield* count(connection, 1)
      yield* Effect.ensuring(Deferred.await(end), count(connection, -1))
    })
  const take = (connection: ConnectionRef, concurrency = 8) =>
    Effect.fork(Effect.either(turns.take(connection, concurrency, call(connection), false)))
  return {
    turns,
    begun,
    runningOf: (name: string) => running.get(name) ?? 0,
    /** Has so many calls made by each of these connections. */
    hang: (connections: ReadonlyArray<ConnectionRef>, each: number, concurrency?: number) =>
      Effect.zipRight(
        Effect.forEach(connections, (one) => Effect.replicateEffect(take(one, concurrency), each), { discard: true }),
        Effect.yieldNow()
      ),
    /** Ends the oldest call of an organisation. */
    end: (organisation: string) =>
      Effect.suspend(() => {
        const i = ends.findIndex(({ connection }) => connection.organisation === organisation)
        const [first] = ends.splice(i, 1)
        return first === undefined
          ? Effect.dieMessage(`${organisation} has none running`)
          : Effect.zipRight(Deferred.succeed(first.end, undefined), Effect.repeatN(Effect.yieldNow(), 10))
      }),
    take
  }
})

const many = (organisation: string, count: number) =>
  Array.from({ length: count }, (_, i) => at(organisation, String(i)))

describe("the turns of calls to a provider", () => {
  it.scoped("leave half to others when one organisation hangs, a third when two do", () =>
    Effect.gen(function* () {
      const { hang, runningOf } = yield* make
      yield* hang(many("a", 100), 10)
      assert.isAtMost(runningOf("a"), slots / 2)
      yield* hang(many("b", 100), 10)
      const [a, b] = [runningOf("a"), runningOf("b")]
      assert.isAtLeast(b, (slots - a) / 2 - 8)
      yield* hang([at("healthy", "one")], 8)
      assert.strictEqual(runningOf("healthy"), 8)
    })
  )

  it.scoped("leave a share to a healthy connection of an organisation whose others hang", () =>
    Effect.gen(function* () {
      const { hang, runningOf } = yield* make
      yield* hang(many("a", 20), 25, 25)
      const before = runningOf("a")
      yield* hang([at("a", "healthy")], 4, 25)
      assert.isAtLeast(runningOf("a/healthy"), 4)
      assert.isBelow(before, slots / 2)
    })
  )

  it.scoped("are set aside for nobody: one alone has all that its connection may have", () =>
    Effect.gen(function* () {
      const { hang, runningOf } = yield* make
      yield* hang(many("a", 5), 40, 25)
      assert.strictEqual(runningOf("a"), 125)
    })
  )

  it.scoped("are another provider's own, and the sandbox counts connections only", () =>
    Effect.gen(function* () {
      const { hang, runningOf } = yield* make
      yield* hang(many("a", 100), 8)
      yield* hang([at("a", "elsewhere", "other")], 8)
      assert.strictEqual(runningOf("a/elsewhere"), 8)
      const sandbox = many("s", 100).map((one) => ({ ...one, environment: "sandbox" as const }))
      yield* hang(sandbox, 10)
      assert.strictEqual(runningOf("s"), 800)
    })
  )

  full(it).scoped("go round among organisations that wait, and among the connections of each", () =>
    Effect.gen(function* () {
      const { begun, end, hang, runningOf } = yield* make
      for (const name of ["full", "a", "b"]) yield* hang(many(name, 100), 10)
      begun.length = 0
      for (let i = 0; i < 500; i += 1) yield* end("full")
      for (const name of ["full", "a", "b"]) assert.closeTo(runningOf(name), slots / 4, 16, name)
      const ofB = begun.filter((id) => id.startsWith("b/"))
      assert.isAtLeast(new Set(ofB).size, 30)
    })
  )

  it.scoped("are waited for by 200 calls of a connection and 1000 of an organisation, and by no more", () =>
    Effect.gen(function* () {
      const { hang, take } = yield* make
      const [one] = many("a", 1)
      if (one === undefined) return
      yield* hang([one], 208)
      const refused = yield* Effect.flatMap(take(one), Fiber.join)
      assert.deepInclude(refused, { _tag: "Left" })
      assert.include(JSON.stringify(refused), "200 calls of this connection")
      yield* hang(many("b", 5), 208)
      const further = yield* Effect.flatMap(take(at("b", "further"), 0), Fiber.join)
      assert.include(JSON.stringify(further), "1000 calls of this organisation")
      // nobody else is refused
      const other = yield* take(at("c", "one"))
      yield* Effect.yieldNow()
      assert.strictEqual((yield* Fiber.poll(other))._tag, "None")
    })
  )

  it.scoped("a call that finishes what was begun is not refused, and waits", () =>
    Effect.gen(function* () {
      const { hang, turns } = yield* make
      const [one] = many("a", 1)
      if (one === undefined) return
      yield* hang([one], 208)
      const finishing = yield* Effect.fork(turns.take(one, 8, Effect.void, true))
      yield* Effect.yieldNow()
      assert.strictEqual((yield* Fiber.poll(finishing))._tag, "None")
    })
  )

  it.scoped("are given back when calls end or their callers go away", () =>
    Effect.gen(function* () {
      const { runningOf, take, turns } = yield* make
      const [one] = many("a", 1)
      if (one === undefined) return
      const fibers = yield* Effect.replicateEffect(take(one), 100)
      yield* Effect.yieldNow()
      yield* Fiber.interruptAll(fibers)
      assert.strictEqual(runningOf("a"), 0)
      assert.strictEqual(turns.running(one), 0)
      yield* take(one)
      yield* Effect.yieldNow()
      assert.strictEqual(turns.running(one), 1)
    })
  )

  it.scoped("come to a caller who joins the line the moment the last call before it ends", () =>
    Effect.gen(function* () {
      const [one] = many("a", 1)
      if (one === undefined) return
      for (let step = 1; step <= 40; step += 1) {
        const turns = makeFairQueue()
        const end = yield* Deferred.make<void>()
        const before = yield* Effect.fork(turns.take(one, 1, Deferred.await(end), false))
        yield* Effect.yieldNow()
        let taken = 0
        // hands over to other fibers once, between any two of the caller's steps
        const scheduler: Scheduler.Scheduler = {
          shouldYield: () => ((taken += 1) === step ? 0 : false),
          scheduleTask: (task, priority, fiber) => Scheduler.defaultScheduler.scheduleTask(task, priority, fiber)
        }
        const joining = yield* Effect.fork(
          Effect.withScheduler(turns.take(one, 1, Effect.succeed("ran"), false), scheduler)
        )
        yield* Deferred.succeed(end, undefined)
        yield* Fiber.join(before)
        yield* Effect.repeatN(Effect.yieldNow(), 50)
        assert.strictEqual((yield* Fiber.poll(joining))._tag, "Some", `after ${step} steps`)
      }
    })
  )
})
