import { Effect } from "effect"

/** Runs an effect the first time and gives its value from then on: tests of a file, which run in turn, share it. */
export const once = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  let known: { readonly value: A } | undefined
  return Effect.suspend(() =>
    known === undefined
      ? Effect.tap(effect, (value) => {
          known = { value }
        })
      : Effect.succeed(known.value)
  )
}
