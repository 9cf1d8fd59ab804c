import type { Clock } from "effect"

/** Milliseconds of the monotonic clock: nobody sets it back. */
export const monotonic = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)
