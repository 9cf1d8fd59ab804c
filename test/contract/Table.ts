import { Effect } from "effect"
import { find } from "../../src/canonical/Catalogue.ts"
import type { Resource } from "../../src/canonical/Resource.ts"
import { All } from "../../src/providers/All.ts"
import { has, type Operation, operations, type ResourceAdapter } from "../../src/providers/ProviderAdapter.ts"
import { Providers } from "../../src/providers/Providers.ts"
import { harness } from "../support/Harness.ts"

/** One resource at one provider, as the adapters themselves declare it. */
export interface Row {
  readonly provider: string
  readonly resource: Resource
  readonly part: ResourceAdapter
  /** Path of its records, under the base path. */
  readonly path: string
  /** `hubspot crm/contact` */
  readonly name: string
  readonly has: (operation: Operation) => boolean
}

/** Every resource of every provider: a new one is covered by being declared. */
export const table: ReadonlyArray<Row> = await Effect.runPromise(
  Effect.map(Providers, (providers) =>
    providers.all().flatMap((adapter) =>
      Object.entries(adapter.resources).flatMap(([name, part]): ReadonlyArray<Row> => {
        const resource = find(adapter.category, name)
        if (resource === undefined) throw new Error(`${adapter.slug} declares ${name}, which is not in the catalogue`)
        const path = `/${adapter.category}/${name}`
        return [
          {
            provider: adapter.slug,
            resource,
            part,
            path,
            name: `${adapter.slug} ${path.slice(1)}`,
            has: (operation) => has(part, operation)
          }
        ]
      })
    )
  ).pipe(Effect.provide(All), Effect.provide(harness([])))
)

/** Rows whose records are made and changed by JSON bodies; files are not. */
export const having = (...wanted: ReadonlyArray<Operation>) =>
  table.filter(({ part }) => wanted.every((operation) => part[operation] !== undefined))

export { operations }
