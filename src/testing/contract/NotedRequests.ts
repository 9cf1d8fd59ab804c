import { Context, Effect, Layer } from "effect"
import { Faults } from "../../providers/simulation/Faults.ts"

/** A request that a simulator got. */
export interface NotedRequest {
  readonly method: string
  readonly path: string
}

/** Notes requests to simulators: so a test finds out which request of a provider's to break. */
export class NotedRequests extends Context.Tag("tributary/testing/contract/NotedRequests")<
  NotedRequests,
  {
    /** The requests that an effect leads to, in order. */
    readonly during: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<ReadonlyArray<NotedRequest>, E, R>
  }
>() {
  /** Over `Faults`, which every request of a simulator goes through. */
  static readonly layer = Layer.effectContext(
    Effect.map(Faults, (faults) => {
      let noted: Array<NotedRequest> | undefined
      return Context.make(NotedRequests, {
        during: (effect) =>
          Effect.suspend(() => {
            const requests: Array<NotedRequest> = []
            noted = requests
            return Effect.as(effect, requests)
          }).pipe(
            Effect.ensuring(
              Effect.sync(() => {
                noted = undefined
              })
            )
          )
      }).pipe(
        Context.add(Faults, {
          ...faults,
          take: (provider, method, path) => {
            noted?.push({ method, path })
            return faults.take(provider, method, path)
          }
        })
      )
    })
  ).pipe(Layer.provide(Faults.layer))
}
