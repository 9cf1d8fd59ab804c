import { type ConfigError, Effect, Layer } from "effect"
import { find } from "../../canonical/Catalogue.ts"
import type { Category, Resource } from "../../canonical/Resource.ts"
import type { InvalidPart } from "../../platform/Registry.ts"
import { Budget } from "../../providers/base/Budget.ts"
import { Upstream } from "../../providers/base/Upstream.ts"
import { Credentials } from "../../providers/Credentials.ts"
import { KeptValues } from "../../providers/KeptValues.ts"
import { has, type Operation, type ProviderAdapter, type ResourceAdapter } from "../../providers/ProviderAdapter.ts"
import { Providers } from "../../providers/Providers.ts"
import { type Call, recordOf } from "./Answers.ts"
import { derived, derivedKinds } from "./DerivedSample.ts"
import { once } from "./Once.ts"
import { isWhole, type Sample, type Samples } from "./Sample.ts"
import { type Caller, SandboxApplication } from "./SandboxApplication.ts"

/** A provider, as `provider(...)` makes it. */
export type ProviderLayer = Layer.Layer<
  never,
  InvalidPart | ConfigError.ConfigError,
  Providers | Upstream | Budget | Credentials | KeptValues
>

/** One resource of the provider, as its adapter declares it. */
export interface Row {
  readonly provider: string
  readonly resource: Resource
  readonly resourceAdapter: ResourceAdapter
  /** Path of its records, under the base path. */
  readonly path: string
  /** `crm/contact` */
  readonly name: string
  readonly has: (operation: Operation) => boolean
}

/** A record that tests change in turn, each from the state that it finds. */
export interface Kept {
  readonly call: Call
  readonly sample: Sample
  /** Native id. */
  readonly id: string
  /** Path of the record, under the base path, with the provider. */
  readonly path: string
}

/**
 * A kind of record that is made and changed by JSON bodies: its title, its row, how its bodies are come by, and one made
 * in full.
 */
export type Kind = readonly [
  title: string,
  row: Row,
  sampleOf: (call: Call) => Effect.Effect<Sample>,
  kept: Effect.Effect<Kept, never, SandboxApplication>
]

/** The provider that a contract is held to. */
export interface Subject {
  readonly slug: string
  readonly category: Category
  readonly adapter: ProviderAdapter
  /** It is opened with a key, which nothing can renew. */
  readonly isKeyed: boolean
  /** An end user with an account of their own. */
  readonly newAccount: Effect.Effect<Caller, never, SandboxApplication>
  /** Reads an account that no test changes. */
  readonly reader: Effect.Effect<Caller, never, SandboxApplication>
  readonly rows: ReadonlyArray<Row>
  /** Rows with some operations by JSON bodies; files come by others. */
  readonly having: (...operations: ReadonlyArray<Operation>) => ReadonlyArray<Row>
  /** The kinds of such rows. */
  readonly kindsHaving: (...operations: ReadonlyArray<Operation>) => ReadonlyArray<Kind>
}

/** The Layer of a provider takes only resources of the catalogue. */
const rowsOf = ({ category, resources, slug }: ProviderAdapter): ReadonlyArray<Row> =>
  Object.entries(resources).flatMap(([name, resourceAdapter]) => {
    const resource = find(category, name)
    const row = { provider: slug, resourceAdapter, path: `/${category}/${name}`, name: `${category}/${name}` }
    return resource === undefined
      ? []
      : [{ ...row, resource, has: (operation: Operation) => has(resourceAdapter, operation) }]
  })

/** The kinds of a row: those that samples are given of, else one for each native type that can be made. */
const kindsOf = (row: Row, samples: Samples, writer: Effect.Effect<Caller, never, SandboxApplication>) => {
  const given = samples[row.resource.name]
  const kinds: Samples[string] = given ?? Object.fromEntries(derivedKinds(row).map((kind) => [kind, {}]))
  return Object.entries(kinds).map(([kind, sample]): Kind => {
    const sampleOf = (call: Call) =>
      Effect.gen(function* () {
        const own = typeof sample === "function" ? yield* sample(call) : sample
        return isWhole(own) ? own : { ...(yield* derived(row, kind, call, own)), ...own }
      })
    const kept = Effect.gen(function* () {
      const { call } = yield* writer
      const sample = yield* sampleOf(call)
      const of = `?provider=${row.provider}`
      const id = String(recordOf(yield* call("POST", row.path + of, { body: sample.full })).remote_id)
      return { call, sample, id, path: `${row.path}/${id}${of}` }
    })
    return [`${row.name} (${kind})`, row, sampleOf, once(kept)]
  })
}

/** Stands behind an adapter whose declarations are only looked at. */
const nothingBehind = Layer.mergeAll(
  Layer.succeed(Upstream, { caller: () => Effect.succeed(() => Effect.dieMessage("the adapter is only looked at")) }),
  Layer.succeed(Credentials, {
    current: () => Effect.dieMessage("the adapter is only looked at"),
    refresh: () => Effect.dieMessage("the adapter is only looked at"),
    refused: () => Effect.void
  }),
  Budget.layerMemory,
  KeptValues.layerMemory
)

/** The provider of a Layer, as its adapter declares itself. */
export const subjectOf = (slug: string, provider: ProviderLayer, samples: Samples) =>
  Effect.gen(function* () {
    const adapter = (yield* Providers).get(slug)
    if (adapter === undefined) {
      return yield* Effect.dieMessage(`the simulator is of ${slug}, which the provider's Layer does not register`)
    }
    const rows = rowsOf(adapter)
    const having = (...operations: ReadonlyArray<Operation>) =>
      rows.filter(({ resourceAdapter }) => operations.every((operation) => resourceAdapter[operation] !== undefined))
    const caller = Effect.flatMap(SandboxApplication, (app) => app.caller([slug]))
    const writer = once(caller)
    const kinds = having("create").flatMap((row) => kindsOf(row, samples, writer))
    return {
      slug,
      category: adapter.category,
      adapter,
      isKeyed: adapter.authorization.kind === "key",
      newAccount: caller,
      reader: once(caller),
      rows,
      having,
      kindsHaving: (...operations) => kinds.filter(([, row]) => operations.every((operation) => row.has(operation)))
    } satisfies Subject
  }).pipe(Effect.provide(Layer.provideMerge(provider, Layer.merge(Providers.layer, nothingBehind))), Effect.orDie)
