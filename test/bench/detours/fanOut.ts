import { Effect, Either } from "effect"
import { gather, type Asked, type Share, shares } from "../../../src/records/FanOut.ts"
import { agentOf, clientOf } from "../../../src/platform/Network.ts"
import { type Detour, many } from "./compare.ts"
import { reading } from "./network.ts"

const walk = { turn: 0, connections: [{ id: "one", position: null }] }

/** A list of one connection, asked in the fiber of the request, beside one that is asked in a fiber of its own. */
export const fanOut = (origin: string) =>
  Effect.gen(function* () {
    const client = clientOf(yield* agentOf({ connections: 64 }), Infinity)
    const detour = (records: number, calls: number): Detour => {
      const ask = (_: Share): Effect.Effect<Asked<unknown>, unknown> =>
        Effect.map(reading(client, origin, records), (text) => ({ records: [JSON.parse(text)], next: null }))
      const plain = Effect.suspend(() =>
        Effect.map(
          Effect.forEach(shares(walk, 100), (share) => Effect.either(ask(share)), { concurrency: "unbounded" }),
          (all) => all.flatMap(Either.match({ onLeft: () => [], onRight: ({ records }) => records }))
        )
      )
      return {
        name: `one connection of a list: ${records} records, 16 at once`,
        calls,
        shipped: many(
          Effect.suspend(() => gather(walk, 100, ask, () => false)),
          calls,
          16
        ),
        plain: many(plain, calls, 16)
      }
    }
    return [detour(100, 16), detour(1, 64)]
  })
