import { Effect, FiberRef, Ref } from "effect"
import type { ProviderError } from "./ProviderError.ts"

const noted = FiberRef.unsafeMake<Ref.Ref<ReadonlyArray<ProviderError>> | undefined>(undefined)

/** Notes why a list leaves out kinds of records that the account lacks, where it goes on with the other kinds. */
export const noteLeftOut = (refusals: ReadonlyArray<ProviderError>) =>
  Effect.flatMap(FiberRef.get(noted), (notes) =>
    notes === undefined || refusals.length === 0 ? Effect.void : Ref.update(notes, (all) => [...all, ...refusals])
  )

/** Runs a list, and gives what it left out to `tell`. */
export const collectingLeftOut =
  <R2>(tell: (refusals: ReadonlyArray<ProviderError>) => Effect.Effect<void, never, R2>) =>
  <A, E, R>(list: Effect.Effect<A, E, R>): Effect.Effect<A, E, R | R2> =>
    Effect.flatMap(Ref.make<ReadonlyArray<ProviderError>>([]), (notes) =>
      list.pipe(
        Effect.locally(noted, notes),
        Effect.tap(() =>
          Effect.flatMap(Ref.get(notes), (refusals) => (refusals.length > 0 ? tell(refusals) : Effect.void))
        )
      )
    )
