import type { SqlClient } from "@effect/sql"
import { type ConfigError, Effect, Layer } from "effect"
import { Sandbox } from "./connections/Sandbox.ts"
import { InvalidPart, inOrder, slugTaken } from "./platform/Registry.ts"
import type { Budget } from "./providers/base/Budget.ts"
import type { Upstream } from "./providers/base/Upstream.ts"
import type { Credentials } from "./providers/Credentials.ts"
import type { KeptValues } from "./providers/KeptValues.ts"
import { Providers } from "./providers/Providers.ts"
import { layer, type Simulator, type SimulatorSource } from "./providers/simulation/Simulator.ts"
import { Toolkits } from "./toolkits/Toolkits.ts"

/** Services that providers and toolkits may use. */
type Foundation = Providers | Toolkits | Upstream | Budget | Credentials | KeptValues | SqlClient.SqlClient

/** A provider, as `provider(...)` makes it. */
export type ProviderLayer = Layer.Layer<never, InvalidPart | ConfigError.ConfigError, Foundation>

/** A toolkit, as `toolkit(...)` makes it. */
export type ToolkitLayer = Layer.Layer<never, InvalidPart | ConfigError.ConfigError, Foundation>

/** The parts that a service is made of; those left out are none. */
export interface Parts {
  readonly providers?: ReadonlyArray<ProviderLayer>
  /** Of providers and toolkits: what their sandbox runs on. */
  readonly simulators?: ReadonlyArray<Simulator | SimulatorSource>
  readonly toolkits?: ReadonlyArray<ToolkitLayer>
}

/** The simulators of some parts, as far as possible not loaded yet; the last of a slug counts. */
export const sourcesOf = ({ simulators = [] }: Parts): ReadonlyArray<SimulatorSource> => {
  const sources = simulators.map((one) => ("load" in one ? one : { slug: one.slug, load: Effect.succeed(one) }))
  return [...new Map(sources.map((source) => [source.slug, source])).values()]
}

const ofKind = (kind: string, parts: ReadonlyArray<{ readonly slug: string }>) =>
  parts.map(({ slug }) => ({ kind, slug }))

/** The toolkits that the canonical resources make. */
const unified = [{ slug: "crm" }, { slug: "accounting" }]

/** Connections, settings and tools name providers and toolkits alike by slug. */
const apart = Layer.effectDiscard(
  Effect.gen(function* () {
    const providers = ofKind("provider", (yield* Providers).all())
    const all = [...ofKind("toolkit", unified), ...providers, ...ofKind("toolkit", (yield* Toolkits).all())]
    for (const [at, { kind, slug }] of all.entries()) {
      const holder = all.slice(0, at).find((other) => other.slug === slug)
      if (holder !== undefined) return yield* slugTaken(kind, slug, holder.kind)
    }
  })
)

/** Parts as they are given; a Layer that comes twice would else be built once, and pass for one. */
const given = <E, R>(name: "providers" | "toolkits", parts: ReadonlyArray<Layer.Layer<never, E, R>>) =>
  parts.map((part, at) => {
    const isLayer: boolean = Layer.isLayer(part)
    if (!isLayer) {
      return Layer.fail(
        new InvalidPart({
          message: `${name}[${at}] is not a Layer: give it what provider, toolkit or mockProvider made`
        })
      )
    }
    return parts.indexOf(part) < at ? Layer.fresh(part) : part
  })

/** Registers providers and toolkits. */
export const registered = ({ providers = [], toolkits = [] }: Parts) =>
  inOrder([...given("providers", providers), ...given("toolkits", toolkits), apart])

/** The sandbox over the simulators of some parts: connects end users, and makes their calls reach the simulators. */
export const sandbox = (parts: Parts) => {
  const sources = sourcesOf(parts)
  return Layer.mergeAll(Sandbox.layer(sources), ...sources.map(layer))
}
