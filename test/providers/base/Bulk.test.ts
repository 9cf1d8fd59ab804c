import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Exit } from "effect"
import { natives } from "../../../src/mapping/Mapping.ts"
import { type Bulks, isRefused, joining, type Share } from "../../../src/providers/base/Bulk.ts"
import { gatheringOf } from "../../../src/providers/base/BatchedWrites.ts"
import type { Answer, Call } from "../../../src/providers/base/Upstream.ts"
import { beforeChange } from "../../../src/providers/BeforeChange.ts"
import {
  Clash,
  Down,
  Invalid,
  LimitReached,
  Malformed,
  Missing,
  ProviderError,
  type Reason,
  TimedOut,
  Unsupported
} from "../../../src/providers/ProviderError.ts"

const connection = { id: "c", provider: "acme", environment: "sandbox", organisation: "o" } as const

const write = (name: string): Call => ({ operation: "thing.create", method: "POST", path: "/things", json: { name } })

const refusal = new ProviderError({ provider: "acme", operation: "thing.create", reason: new Invalid({ fields: {} }) })

/** Things by the list; `lost` have no result, `wrong` are refused alone, and `fatal` with all that goes with them. */
const acme = () => {
  const sent: Array<ReadonlyArray<unknown>> = []
  const bulks: Bulks = {
    of: ({ path }) =>
      path !== "/things"
        ? undefined
        : {
            key: path,
            most: 40,
            joint: (calls) => ({ ...write(""), path: "/things/list", json: calls.map(({ json }) => json) }),
            shares: ({ body }, calls) => {
              const results = natives(body)
              return calls.map((_, i): Share | undefined => {
                const name = results[i]?.name
                if (name === "lost") return undefined
                return name === "wrong" ? { status: 400, body: undefined } : { status: 201, body: results[i] }
              })
            }
          }
  }
  const alone = (_: unknown, { json, path }: Call): Effect.Effect<Answer, ProviderError> => {
    const things = path === "/things/list" ? natives(json) : natives([json])
    sent.push(things.map(({ name }) => name))
    return things.some(({ name }) => name === "fatal")
      ? Effect.fail(refusal)
      : Effect.succeed({ status: 201, headers: {}, body: path === "/things/list" ? things : things[0] })
  }
  return { sent, call: joining({ slug: "acme", readError: () => ({}) }, bulks, alone) }
}

/** Writes things as a batch does: one of them each. */
const together = <A>(writes: ReadonlyArray<Effect.Effect<A, ProviderError>>) => {
  const attended = gatheringOf(writes.length)
  return Effect.forEach(writes, (one) => Effect.exit(attended(one)), { concurrency: "unbounded" })
}

describe("calls that a provider takes several of as one", () => {
  it.effect("go together for a batch, as many as it takes, and each has its own answer", () =>
    Effect.gen(function* () {
      const { call, sent } = acme()
      const names = Array.from({ length: 100 }, (_, i) => `thing ${i}`)
      const exits = yield* together(names.map((name) => call(connection, write(name))))
      assert.deepStrictEqual(
        sent.map(({ length }) => length),
        [40, 40, 20]
      )
      assert.deepStrictEqual(
        exits.map(Exit.match({ onFailure: () => undefined, onSuccess: ({ body }) => body })),
        names.map((name) => ({ name }))
      )
    })
  )

  it.effect("go alone otherwise", () =>
    Effect.gen(function* () {
      const { call, sent } = acme()
      yield* Effect.all([call(connection, write("a")), call(connection, write("b"))], { concurrency: "unbounded" })
      assert.deepStrictEqual(sent, [["a"], ["b"]])
    })
  )

  it.effect("cost no other its answer where one is refused, or has no result", () =>
    Effect.gen(function* () {
      const { call } = acme()
      const names = ["a", "wrong", "b", "lost", "c"]
      const exits = yield* together(names.map((name) => Effect.either(call(connection, write(name)))))
      const reasons = exits.map((exit) =>
        Exit.isSuccess(exit) && Either.isLeft(exit.value) ? exit.value.left.reason._tag : "done"
      )
      assert.deepStrictEqual(reasons, ["done", "Invalid", "done", "Malformed", "done"])
    })
  )

  it.effect("are sent in parts where one has all refused, and at last alone", () =>
    Effect.gen(function* () {
      const { call, sent } = acme()
      const names = Array.from({ length: 30 }, (_, i) => (i === 11 ? "fatal" : `thing ${i}`))
      const exits = yield* together(names.map((name) => call(connection, write(name))))
      assert.deepStrictEqual(
        exits.flatMap((exit, i) => (Exit.isFailure(exit) ? [i] : [])),
        [11]
      )
      const made = sent.filter((some) => !some.includes("fatal")).flat()
      assert.strictEqual(new Set(made).size, made.length)
      assert.isAtMost(sent.length, 1 + 10 + 3)
    })
  )

  it.effect("leave without one whose write another request has taken over", () =>
    Effect.gen(function* () {
      const { call, sent } = acme()
      const over = Effect.locally(call(connection, write("over")), beforeChange, Effect.dieMessage("taken over"))
      const exits = yield* together([call(connection, write("a")), over, call(connection, write("b"))])
      assert.deepStrictEqual(sent, [["a", "b"]])
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
    })
  )

  it.effect("wait for those who are busy, and go when they have gone", () =>
    Effect.gen(function* () {
      const { call, sent } = acme()
      const late = Effect.zipRight(Effect.repeatN(Effect.yieldNow(), 50), call(connection, write("late")))
      yield* together([call(connection, write("a")), late, Effect.fail(refusal)])
      assert.deepStrictEqual(sent, [["a", "late"]])
    })
  )

  it("are sent again only where the provider did nothing of them", () => {
    const after = (reason: Reason) => isRefused(new ProviderError({ provider: "acme", operation: "create", reason }))
    for (const reason of [new Invalid({ fields: {} }), new Missing(), new Clash(), new Unsupported()]) {
      assert.isTrue(after(reason), reason._tag)
    }
    for (const reason of [new Down({}), new TimedOut({}), new Malformed(), new LimitReached({ retryAfter: 1 })]) {
      assert.isFalse(after(reason), reason._tag)
    }
  })
})
