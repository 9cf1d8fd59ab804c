import { HttpClient } from "@effect/platform"
import { Effect, Layer, Redacted, Ref } from "effect"
import { Budget } from "../../src/providers/base/Budget.ts"
import * as Calls from "../../src/providers/base/Calls.ts"
import { Credentials, type CredentialValues } from "../../src/providers/Credentials.ts"
import { KeptValues } from "../../src/providers/KeptValues.ts"
import { Providers } from "../../src/providers/Providers.ts"
import { connect, layer as simulatorLayer, type Simulator } from "../../src/providers/simulation/Simulator.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { Transport } from "../../src/providers/Transport.ts"

/** No test reaches the network. */
const noNetwork = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make(() => Effect.dieMessage("a test called the network"))
)

/**
 * Services for adapters, with simulators in memory behind them. A connection is the simulator's account named by its id,
 * made on first use; `values` are the provider's own values in its credentials.
 */
export const harness = (
  simulators: ReadonlyArray<{ readonly simulator: Simulator; readonly values?: { readonly [name: string]: string } }>
) => {
  const credentials = Layer.effect(
    Credentials,
    Effect.gen(function* () {
      const store = yield* SimulationStore
      const held = yield* Ref.make<ReadonlyMap<string, CredentialValues>>(new Map())
      const issue = (connection: { readonly id: string; readonly provider: string }, version: number) =>
        Effect.gen(function* () {
          const found = simulators.find(({ simulator }) => simulator.slug === connection.provider)
          if (found === undefined) return yield* Effect.dieMessage(`no simulator of ${connection.provider}`)
          const tokens = yield* Effect.provideService(connect(found.simulator, connection.id), SimulationStore, store)
          const values: CredentialValues = {
            version,
            secret: Redacted.make(tokens.accessToken),
            values: found.values ?? {}
          }
          yield* Ref.update(held, (all) => new Map(all).set(connection.id, values))
          return values
        })
      return {
        current: (connection) =>
          Effect.flatMap(Ref.get(held), (all) => {
            const known = all.get(connection.id)
            return known === undefined ? issue(connection, 1) : Effect.succeed(known)
          }),
        refresh: (connection, failed) => issue(connection, failed.version + 1),
        refused: () => Effect.void
      }
    })
  )
  return Layer.mergeAll(
    Calls.layer,
    Layer.mergeAll(
      Layer.empty,
      ...simulators.map(({ simulator }) => simulatorLayer({ slug: simulator.slug, load: Effect.succeed(simulator) }))
    )
  ).pipe(
    Layer.provideMerge(
      Layer.mergeAll(credentials, Budget.layer, KeptValues.layerMemory, Providers.layer, Transport.layer)
    ),
    Layer.provideMerge(Layer.mergeAll(SimulationStore.layerMemory, Faults.layer)),
    Layer.provide(noNetwork)
  )
}
