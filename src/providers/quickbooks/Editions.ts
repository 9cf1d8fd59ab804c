import { Effect } from "effect"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { noting } from "../KeptValues.ts"
import { noteLeftOut } from "../LeftOut.ts"
import { NotPermitted, ProviderError } from "../ProviderError.ts"
import type { Requirement } from "../Requirement.ts"

/**
 * The edition that has purchase orders, projects, classes and locations; with Advanced above it. Stock can be adjusted in
 * those of the US.
 * https://developer.intuit.com/app/developer/qbo/docs/workflows/manage-inventory/inventory-adjustment
 * https://developer.intuit.com/app/developer/qbo/docs/workflows/manage-projects
 */
export const plus = { kind: "edition", name: "Plus" } as const satisfies Requirement

/** Seconds for which a company that lacks an entity is not asked for it: it may have bought another edition meanwhile. */
const memory = 3600

/** Kinds of records that a company's edition may lack. */
export interface Editions {
  /** Reads an entity; `none` where the company is known to lack it, or refuses it. */
  readonly ifThere: <A>(
    connection: ConnectionRef,
    entity: string,
    read: Effect.Effect<A, ProviderError>,
    none: Effect.Effect<A, ProviderError>
  ) => Effect.Effect<A, ProviderError>
  readonly isAbsent: (connection: ConnectionRef, entity: string) => Effect.Effect<boolean>
}

/** A query for an entity that an edition lacks is refused, in words that are not published: any refusal of it is taken so. */
const isRefusal = ({ reason, status }: ProviderError) =>
  status === 400 &&
  (reason._tag === "Invalid" ||
    reason._tag === "Unsupported" ||
    (reason._tag === "NotPermitted" && reason.lacks !== undefined))

const lacking = (entity: string) =>
  new ProviderError({
    provider: "quickbooks",
    operation: `${entity}.list`,
    reason: new NotPermitted({ lacks: [plus] })
  })

export const makeEditions = Effect.map(noting("absent", memory), (absent): Editions => {
  const isAbsent: Editions["isAbsent"] = (connection, entity) =>
    Effect.map(absent.of(connection), (names) => names.has(entity))
  return {
    isAbsent,
    ifThere: (connection, entity, read, none) => {
      const without = Effect.zipRight(noteLeftOut([lacking(entity)]), none)
      return Effect.if(isAbsent(connection, entity), {
        onTrue: () => without,
        onFalse: () => Effect.catchIf(read, isRefusal, () => Effect.zipRight(absent.add(connection, [entity]), without))
      })
    }
  }
})
