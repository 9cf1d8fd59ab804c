import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { NotFound } from "../platform/Errors.ts"
import { Providers } from "../providers/Providers.ts"
import { SimulationStore } from "../providers/simulation/SimulationStore.ts"
import { connect, type Simulator } from "../providers/simulation/Simulator.ts"
import type { EndUser } from "../tenancy/EndUsers.ts"
import { type Connection, Connections } from "./Connections.ts"

/** Connects end users of the sandbox to simulated accounts. */
export class Sandbox extends Context.Tag("tributary/connections/Sandbox")<
  Sandbox,
  {
    /**
     * Makes a simulated account, named by the new connection's id, and connects it like any other: its token expires and
     * is refreshed.
     */
    readonly connect: (endUser: EndUser, provider: string) => Effect.Effect<Connection, NotFound>
  }
>() {
  static readonly layer = (simulators: ReadonlyArray<Simulator>) =>
    Layer.effect(
      Sandbox,
      Effect.gen(function* () {
        const connections = yield* Connections
        const providers = yield* Providers
        const store = yield* SimulationStore

        return Sandbox.of({
          connect: Effect.fn("Sandbox.connect")(function* (endUser, provider) {
            const simulator = simulators.find(({ slug }) => slug === provider)
            const adapter = providers.get(provider)
            if (simulator === undefined || adapter === undefined) {
              return yield* new NotFound({
                code: "PROVIDER_NOT_FOUND",
                message: `The sandbox has no provider "${provider}".`
              })
            }
            const id = randomUUID()
            const now = yield* Clock.currentTimeMillis
            const isKey = adapter.authorization.kind === "key"
            const made = connect(simulator, id, isKey ? keyLifetime : tokenLifetime)
            const tokens = yield* Effect.provideService(made, SimulationStore, store)
            return yield* connections.create({
              id,
              organisation: endUser.organisation,
              environment: "sandbox",
              endUser: endUser.id,
              provider,
              accountName: `${adapter.name} sandbox`,
              credentials: {
                kind: isKey ? "apiKey" : "accessToken",
                secret: Redacted.make(tokens.accessToken),
                refreshToken: isKey ? undefined : Redacted.make(tokens.refreshToken),
                expiresAt: isKey ? undefined : now + tokens.expiresIn * 1000,
                values: simulator.values?.(id) ?? {}
              }
            })
          })
        })
      })
    )
}

/** Seconds a simulated account's first token lives; later ones live as long as the simulator says. */
const tokenLifetime = 3600

/** Keys do not expire; a simulator's live for a century. */
const keyLifetime = 100 * 365 * 24 * 3600
