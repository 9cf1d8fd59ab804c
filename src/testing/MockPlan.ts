import { Effect } from "effect"
import { find, resourcesOf } from "../canonical/Catalogue.ts"
import type { Category, Resource } from "../canonical/Resource.ts"
import { InvalidPart } from "../platform/Registry.ts"
import { didYouMean } from "../platform/Spelling.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import type { ProviderError, Reason } from "../providers/ProviderError.ts"
import { mistakesIn } from "./MockRecords.ts"

/** The built-in providers that a mock can stand for. */
export const builtIn = {
  hubspot: { name: "HubSpot", category: "crm" },
  salesforce: { name: "Salesforce", category: "crm" },
  pipedrive: { name: "Pipedrive", category: "crm" },
  zoho_crm: { name: "Zoho CRM", category: "crm" },
  attio: { name: "Attio", category: "crm" },
  close: { name: "Close", category: "crm" },
  quickbooks: { name: "QuickBooks Online", category: "accounting" },
  xero: { name: "Xero", category: "accounting" },
  netsuite: { name: "NetSuite", category: "accounting" }
} as const

export const mockOperations = ["list", "get", "create", "replace", "patch", "remove"] as const

/** Operations on the records of a mock. */
export type MockOperation = (typeof mockOperations)[number]

/** Records of a mock: a list, or what makes one for a connection when it is first asked for them. */
export type MockSource<Record> =
  | ReadonlyArray<Record>
  | ((connection: ConnectionRef) => ReadonlyArray<Record> | Effect.Effect<ReadonlyArray<Record>, ProviderError>)

/** Why an operation fails: every time, or once for each reason of a list, before it works. */
export type MockFailure = Reason | ReadonlyArray<Reason>

/** A mock whose names and records are right. */
export interface MockPlan {
  readonly slug: string
  readonly name: string
  readonly category: Category
  readonly sources: ReadonlyArray<readonly [resource: Resource, source: MockSource<object>]>
  /** By operation: `contact.list`. */
  readonly failures: ReadonlyMap<string, MockFailure>
}

type Named<A> = { readonly [name: string]: A | undefined }

const given = <A>(named: Named<A>) =>
  Object.entries(named).flatMap(([name, one]) => (one === undefined ? [] : [[name, one] as const]))

const categories: ReadonlyArray<Category> = ["crm", "accounting"]

const resourceMistakes = (names: ReadonlyArray<string>, possible: ReadonlyArray<Category>) => {
  const known = possible.flatMap((category) => resourcesOf(category).map(({ name }) => name))
  return names
    .filter((name) => !known.includes(name))
    .map((name) => `there is no ${possible.join(" or ")} resource "${name}"${didYouMean(name, known)}`)
}

const failureMistakes = (failures: Iterable<string>, resources: ReadonlyArray<Resource>) => {
  const operations = resources.flatMap(({ name }) => mockOperations.map((operation) => `${name}.${operation}`))
  return [...failures]
    .filter((failure) => !operations.includes(failure))
    .map((failure) => `failures: this mock has no operation "${failure}"${didYouMean(failure, operations)}`)
}

/** Looks through what a mock is to be made of; fails with every mistake, each with its place. */
export const planOf = (
  slug: string,
  records: Named<MockSource<object>>,
  options: { readonly category?: Category; readonly failures?: Named<MockFailure> }
): Effect.Effect<MockPlan, InvalidPart> =>
  Effect.gen(function* () {
    const wrong = (...mistakes: ReadonlyArray<string>) =>
      new InvalidPart({ message: mistakes.map((mistake) => `mock ${slug}: ${mistake}`).join("\n") })

    const known = Object.entries(builtIn).find(([one]) => one === slug)?.[1]
    const named = given(records)
    const names = named.map(([name]) => name)
    const chosen = options.category ?? known?.category
    const possible = chosen === undefined ? categories : [chosen]
    const strange = resourceMistakes(names, possible)
    if (strange.length > 0) return yield* wrong(...strange)
    const [category, ...others] = possible.filter((one) => names.every((name) => find(one, name) !== undefined))
    if (category === undefined || others.length > 0) {
      const fault = category === undefined ? "no category has all its resources" : "both categories have its resources"
      return yield* wrong(`${fault}; give it resources of one, and say which with { category: "crm" } or "accounting"`)
    }
    const sources = named.flatMap(([name, source]) => {
      const resource = find(category, name)
      return resource === undefined ? [] : [[resource, source] as const]
    })
    const failures = new Map(given(options.failures ?? {}))
    const mistakes = [
      ...sources.flatMap(([resource, source]) => (typeof source === "function" ? [] : mistakesIn(resource)(source))),
      ...failureMistakes(
        failures.keys(),
        sources.map(([resource]) => resource)
      )
    ]
    if (mistakes.length > 0) return yield* wrong(...mistakes)
    return { slug, name: known?.name ?? slug, category, sources, failures }
  })
