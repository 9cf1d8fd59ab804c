import { describe, layer } from "@effect/vitest"
import type { SqlClient } from "@effect/sql"
import { ConfigProvider, Duration, Effect, Layer, ManagedRuntime, TestClock } from "effect"
import * as MemoryDatabase from "../../platform/MemoryDatabase.ts"
import { SimulationStore } from "../../providers/simulation/SimulationStore.ts"
import type { Simulator, SimulatorSource } from "../../providers/simulation/Simulator.ts"
import { days, lastDay } from "./Days.ts"
import { basics } from "./Basics.ts"
import { batches } from "./Batches.ts"
import { declarations } from "./Declarations.ts"
import { failures } from "./Failures.ts"
import { filters } from "./Filters.ts"
import { limits } from "./Limits.ts"
import { lists } from "./Lists.ts"
import type { Samples } from "./Sample.ts"
import * as SandboxApplication from "./SandboxApplication.ts"
import { type ProviderLayer, subjectOf } from "./Subject.ts"
import { values } from "./Values.ts"
import { hasSync, sync } from "./Sync.ts"
import { verbs } from "./Verbs.ts"
import { hasWatches, watches } from "./Watches.ts"
import { writes } from "./Writes.ts"

/** The provider to hold to the contract. */
export interface ContractOptions {
  readonly provider: ProviderLayer
  readonly simulator: Simulator | SimulatorSource
  /** Bodies in place of those that are derived from the mapping. */
  readonly samples?: Samples
}

/** Of a hook, and of a test, which a busy machine takes far longer for than an idle one. */
const timeout = "60 seconds"

/** The day that most tests are about. */
const someDay = Date.UTC(2026, 10, 20, 9)

const suites = {
  basics,
  declarations,
  verbs,
  lists,
  filters,
  values,
  writes,
  batches,
  "a provider that fails": failures
}

/** Suites in which time goes on, with whether the provider has anything for them. */
const ofTime = [
  ["sync", hasSync, sync],
  ["watches", hasWatches, watches]
] as const

/** `contract`, on databases of one kind. */
export const contractOn =
  <D>(database: Layer.Layer<SqlClient.SqlClient | D>) =>
  ({ provider, samples = {}, simulator }: ContractOptions): void => {
    describe(simulator.slug, { timeout: Duration.toMillis(timeout) }, async () => {
      // tests are named for what the adapter declares, so it is made before they are
      const { runPromise } = ManagedRuntime.make(Layer.empty)
      const subject = await runPromise(subjectOf(simulator.slug, provider, samples))
      const loaded = "load" in simulator ? await runPromise(simulator.load) : simulator
      const source = { slug: loaded.slug, load: Effect.succeed(loaded) }
      const application = SandboxApplication.layer({
        now: lastDay,
        isStrict: true,
        config: ConfigProvider.fromMap(
          new Map([
            ["RATE_LIMIT", "0"],
            ["STRICT_RESPONSES", "1"]
          ])
        ),
        providers: provider,
        simulators: [source],
        database,
        network: SandboxApplication.noNetwork,
        store: SimulationStore.layerMemory
      })
      layer(application, { timeout })((it) => {
        describe("days", () => {
          days(it, subject)
        })
        it.layer(Layer.effectDiscard(TestClock.setTime(someDay)), { timeout })("any day", (it) => {
          for (const [name, suite] of Object.entries({
            ...suites,
            ...(loaded.limits === undefined ? {} : { limits: limits(loaded) })
          })) {
            describe(name, () => {
              suite(it, subject)
            })
          }
        })
        // last, since time goes on
        for (const [name, has, suite] of ofTime) {
          if (!has(subject)) continue
          it.layer(Layer.effectDiscard(TestClock.setTime(someDay)), { timeout })(name, (it) => {
            suite(it, subject)
          })
        }
      })
    })
  }

/**
 * Declares the tests that every provider of this service passes, over the whole application with the provider's simulator
 * behind it: call it in a test file, once for each provider.
 */
export const contract = contractOn(Layer.orDie(MemoryDatabase.layer))
