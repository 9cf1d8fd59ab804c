import type { HttpClient } from "@effect/platform"
import type { SqlClient } from "@effect/sql"
import { ConfigProvider, Effect, type Layer } from "effect"
import { All } from "../../src/All.ts"
import type { SimulatorSource } from "../../src/providers/simulation/Simulator.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { simulators } from "../../src/Simulators.ts"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { type Caller, layer, noNetwork, SandboxApplication } from "../../src/testing/contract/SandboxApplication.ts"
import * as TestDatabase from "./TestDatabase.ts"

export * from "../../src/testing/contract/Answers.ts"
export { type Caller, SandboxApplication } from "../../src/testing/contract/SandboxApplication.ts"
export { nextTick, whileTimePasses } from "../../src/testing/contract/Time.ts"

const withoutRedis = ConfigProvider.fromEnv().pipe(
  ConfigProvider.mapInputPath((path) => (path === "REDIS_URL" ? "REDIS_URL_OF_NO_TEST" : path))
)

/**
 * The application as it starts at a time: a clock that is set later has what is done every hour done for each hour between.
 * `config` is what the operator would set; calls are not limited unless it says so. `providers` and their simulators:
 * instead of all. `network`: what calls in production reach, instead of nothing. `store`: where simulated accounts are kept.
 */
export const sandboxApplicationAt =
  (now: number) =>
  (
    config: { readonly [name: string]: string } = {},
    providers: typeof All = All,
    sources: ReadonlyArray<SimulatorSource> = simulators,
    network: Layer.Layer<HttpClient.HttpClient> = noNetwork,
    store: Layer.Layer<SimulationStore, never, SqlClient.SqlClient> = SimulationStore.layerMemory
  ) =>
    layer({
      now,
      // the pauses of providers go by the test's clock, which Redis does not know
      config: ConfigProvider.fromMap(new Map(Object.entries({ RATE_LIMIT: "0", ...config }))).pipe(
        ConfigProvider.orElse(() => withoutRedis)
      ),
      providers,
      simulators: sources,
      database: TestDatabase.layer,
      network,
      store
    })

/** The application on the day that most tests are about. */
export const sandboxApplication = sandboxApplicationAt(Date.UTC(2026, 10, 20, 9))

/** The production of a caller's own organisation, with an end user of the same name who has connected nothing there. */
export const inProduction = Effect.fnUntraced(function* ({ endUser, tenancy: { organisation } }: Caller) {
  const { key } = yield* (yield* ApiKeys).create(organisation, "production")
  const app = yield* SandboxApplication
  return yield* app.caller([], { endUser, tenancy: { organisation, environment: "production", key } })
})
