import { NotPermitted, type ProviderError } from "../ProviderError.ts"
import type { Requirement } from "../Requirement.ts"

/**
 * Editions with an API: Enterprise, Performance, Unlimited and Developer; Professional with an add-on.
 * https://help.salesforce.com/s/articleView?id=000385436
 */
export const edition = { kind: "edition", name: "Enterprise" } as const satisfies Requirement

/** Add-ons that bring types of records. */
const modules: { readonly [type: string]: string } = {
  ServiceAppointment: "Salesforce Scheduler or Field Service",
  ContentNote: "Notes"
}

/** The requirement of a type of records: an add-on, a setting, or else leave to see it. */
export const module = (type: string) => ({ kind: "module", name: modules[type] ?? type }) as const satisfies Requirement

export const withoutType = (type: string) => new NotPermitted({ lacks: [module(type)] })

/** Whether an org has no such type of records, or shows its user none. */
export const isWithoutType = ({ reason }: ProviderError) =>
  reason._tag === "NotPermitted" && reason.lacks?.some(({ kind }) => kind === "module") === true

/** Finds out which requirements an org meets, by the types of records that it shows. */
export const heldBy =
  (types: ReadonlySet<unknown>) =>
  ({ kind, name }: Requirement): boolean | undefined => {
    // without it, nothing is shown
    if (kind === "edition") return true
    const type = Object.keys(modules).find((one) => modules[one] === name) ?? name
    return kind === "module" ? types.has(type) : undefined
  }
