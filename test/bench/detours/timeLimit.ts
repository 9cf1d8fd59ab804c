import { Effect } from "effect"
import { agentOf, clientOf } from "../../../src/platform/Network.ts"
import { makeTimeLimit } from "../../../src/platform/TimeLimit.ts"
import { type Detour, many } from "./compare.ts"
import { reading } from "./network.ts"

const second = 1_000_000_000n

/**
 * Limits of calls, moved when an attempt is sent and when it is answered, as those of providers are, beside one that cannot be
 * moved.
 */
export const timeLimit = (origin: string) =>
  Effect.gen(function* () {
    const client = clientOf(yield* agentOf({ connections: 64 }), Infinity)
    const within = yield* makeTimeLimit
    const clock = yield* Effect.clock
    const shipped = <E>(call: Effect.Effect<unknown, E>) =>
      Effect.suspend(() => {
        const now = clock.unsafeCurrentTimeNanos()
        return within(now + 30n * second, ({ move }) => ({
          run: Effect.zipRight(move(now + 25n * second), Effect.zipLeft(call, move(now + 30n * second))),
          late: Effect.fail("late")
        }))
      })
    const plain = <E>(call: Effect.Effect<unknown, E>) =>
      Effect.timeoutFail(call, { duration: "30 seconds", onTimeout: () => "late" })
    const detour = (name: string, call: Effect.Effect<unknown, unknown>, calls: number): Detour => ({
      name: `time limit: ${name}, 16 at once`,
      calls,
      shipped: many(shipped(call), calls, 16),
      plain: many(plain(call), calls, 16)
    })
    return [
      detour("100 records", reading(client, origin, 100), 16),
      detour("1 record", reading(client, origin, 1), 64),
      detour("nothing but a yield", Effect.yieldNow(), 320)
    ]
  })
