import { Array as Arr, type Effect, Option } from "effect"
import type { Native } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { clausesFor } from "../Filtering.ts"
import type { ListRequest, NativeRecord } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"
import type { Books, Query } from "./Books.ts"
import { type Conditions, foundByAll, stamps, withInactive } from "./Conditions.ts"
import type { Editions } from "./Editions.ts"

/** Native types, and how they differ from each other. */

/** Records of another type that belong to those of a page, by the id of the record they belong to. */
export interface Part {
  readonly entity: string
  /** There are so few of them that all are read, beside the records. */
  readonly isShort?: true
  /** Ids of them that a record names. */
  readonly idsOf: (record: Native) => ReadonlyArray<string>
  /** Conditions besides the ids. */
  readonly where?: ReadonlyArray<string>
}

/** A native type, and how it differs from the others. */
export interface Entity {
  /** As queries and answers name it; the native type of the mapping's variant. */
  readonly name: string
  /** `delete` for transactions; records of name lists can only be made inactive. */
  readonly removal: "delete" | "deactivate"
  /** Conditions on every list. */
  readonly where?: ReadonlyArray<string>
  /** How lists of it are cut down, besides by its stamps. */
  readonly filters?: Conditions
  /** What was deleted of it is not told. */
  readonly isForgotten?: true
  /** A company has few of them: a list that begins asks for those of all such kinds together. */
  readonly isShort?: true
  /** Given where not every edition has the entity: a company without it has none. */
  readonly editions?: Editions
  /** Whether a record that has the id is one of the resource; absent: all are. */
  readonly isOne?: (record: Native) => boolean
  readonly parts?: { readonly [name: string]: Part }
  /** Steps of a write plan; any other is the operation of that name. */
  readonly steps?: { readonly [name: string]: Step }
}

/** A record as it was just written. */
export interface Fresh {
  readonly record: Native
  /** Parts that are known of it as it is now. */
  readonly parts?: NativeRecord["parts"]
  /** It was made just now. */
  readonly isNew?: boolean
}

/** Does a step on a record, and gives it as it is then. */
export type Step = (
  books: Books,
  connection: ConnectionRef,
  fresh: Fresh,
  value: unknown
) => Effect.Effect<Fresh, ProviderError>

const clausesOf = ({ filters }: Entity): Conditions => ({ ...stamps, ...filters })

/** Filters that lists over these answer themselves. */
export const findsOf = (all: ReadonlyArray<Entity>) => foundByAll(all.map(clausesOf))

/** Of what is deleted only the id is left, and when that was: whether it was meant otherwise cannot be told. */
export const mayBeGone = (entity: Entity, { wanted }: ListRequest): boolean => {
  const { modified_after: _, modified_before: __, ...others } = wanted
  return conditionsOf(entity, { wanted: others })?.length === 0
}

/** What records of an entity have to be; undefined: none can be meant. */
const conditionsOf = (entity: Entity, request: Pick<ListRequest, "wanted">): ReadonlyArray<string> | undefined =>
  Option.getOrUndefined(Option.map(clausesFor(clausesOf(entity), request), Arr.flatten))

/** Conditions of a query that is to find inactive records too. */
export const allOf = ({ removal }: Entity): ReadonlyArray<string> => (removal === "delete" ? [] : [withInactive])

/** The query that a list of an entity begins with; undefined: none of it can be meant. */
export const listQuery = (entity: Entity, request: ListRequest): Query | undefined => {
  const wanted = conditionsOf(entity, request)
  if (wanted === undefined) return undefined
  const isSaid = wanted.some((condition) => condition.startsWith("Active "))
  return { name: entity.name, where: [...(entity.where ?? []), ...(isSaid ? [] : allOf(entity)), ...wanted] }
}

/** The query for all there is of a part. */
export const partQuery = ({ entity, where = [] }: Part): Query => ({ name: entity, where })
