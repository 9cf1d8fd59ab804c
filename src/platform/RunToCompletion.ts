import { Effect, Fiber } from "effect"
import * as Deadline from "./Deadline.ts"

const underWay = new Set<Fiber.Fiber<unknown, unknown>>()

/** Finishes an effect that has begun, whether its caller waits or not; notes that on the deadline of its request. */
export const runToCompletion = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(
    Effect.forkDaemon(
      Effect.withFiberRuntime<A, E, R>((fiber) => {
        const deadline = fiber.getFiberRef(Deadline.current)
        if (deadline !== undefined) deadline.begun = true
        underWay.add(fiber)
        fiber.addObserver(() => underWay.delete(fiber))
        return effect
      })
    ),
    Fiber.join
  )

/** Waits for what has begun and is not finished: a process must not end before. */
export const allCompleted: Effect.Effect<void> = Effect.suspend(() => Fiber.awaitAll(underWay)).pipe(Effect.asVoid)
