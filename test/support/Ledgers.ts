import { Effect } from "effect"
import type { Call, Doc } from "../../src/testing/contract/Answers.ts"
import type { PartialSample } from "../../src/testing/contract/Sample.ts"
import { providers } from "../contract/Providers.ts"

/** Slugs of the ledgers, for tests that expect the same of all of them. */
export const ledgers = ["quickbooks", "xero", "netsuite", "zoho_books"] as const
export type Ledger = (typeof ledgers)[number]

/** The sample of the first kind of a resource at a ledger. */
export const sampleOf = (call: Call, ledger: Ledger, resource: string): Effect.Effect<PartialSample> => {
  const samples = providers.find(([slug]) => slug === ledger)?.[2] ?? {}
  const [sample] = Object.values(samples[resource] ?? {})
  if (sample === undefined) return Effect.dieMessage(`no sample of ${resource} at ${ledger}`)
  return typeof sample === "function" ? sample(call) : Effect.succeed(sample)
}

/** The smallest body that creates a record of a resource at a ledger. */
export const leastBody = (call: Call, ledger: Ledger, resource: string): Effect.Effect<Doc> =>
  Effect.map(sampleOf(call, ledger, resource), ({ least = {} }) => least)

export const pathOf = (ledger: string, resource: string, id?: unknown) =>
  `/accounting/${resource}${id === undefined ? "" : `/${encodeURIComponent(String(id))}`}?provider=${ledger}`
