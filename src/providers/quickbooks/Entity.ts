import { Array as Arr, type Effect, Option } from "effect"
import type { Native } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { clausesFor } from "../Filtering.ts"
import type { ListRequest, NativeRecord } from "../ProviderAdapter.ts"
import type { ProviderError } from "../ProviderError.ts"
import type { Books, Query } from "./Books.ts"
import { type Conditions, foundByAll, stamps, withInactive } from "./Conditions.ts"
import type { Editions } from "./Editions.ts"

/** Native types and their differences. */

/** Records of another type that belong to the records of a page, by the ids that these name. */
export interface NamedPart {
  readonly entity: string
  /** So few exist that all are read, along with the records. */
  readonly isShort?: true
  /** Ids of the parts that a record names. */
  readonly idsOf: (record: Native) => ReadonlyArray<string>
  /** Conditions besides the ids. */
  readonly where?: ReadonlyArray<string>
}

/** Records of another type that name the records of a page themselves. */
export interface SoughtPart {
  readonly entity: string
  /** Conditions that find those of some records; undefined: there are none. */
  readonly among: (records: ReadonlyArray<Native>) => ReadonlyArray<string> | undefined
  readonly isOf: (record: Native) => (part: Native) => boolean
}

export type Part = NamedPart | SoughtPart

/** A native type and its differences from the others. */
export interface Entity {
  /** Name in queries and responses; the native type of the mapping's variant. */
  readonly name: string
  /** `delete` for transactions; records of name lists can only be made inactive. */
  readonly removal: "delete" | "deactivate"
  /** Conditions on every list. */
  readonly where?: ReadonlyArray<string>
  /** Filters of its lists, besides those by timestamps. */
  readonly filters?: Conditions
  /** QuickBooks does not report deletions of this entity. */
  readonly isForgotten?: true
  /** A company has few of them: the first page of a list queries all such entities together. */
  readonly isShort?: true
  /** Set where some editions lack the entity; a company of such an edition has no records of it. */
  readonly editions?: Editions
  /** Whether a record with the id belongs to the resource; absent: all do. */
  readonly isOne?: (record: Native) => boolean
  /** Whether lists show a record, where no condition of a query can tell; absent: all that `isOne` accepts. */
  readonly isListed?: (record: Native) => boolean
  readonly parts?: { readonly [name: string]: Part }
  /** Steps of a write plan; any other step is the operation of that name. */
  readonly steps?: { readonly [name: string]: Step }
}

/** A record just written. */
export interface Fresh {
  readonly record: Native
  /** Its current parts, as far as known. */
  readonly parts?: NativeRecord["parts"]
  /** Whether it was just created. */
  readonly isNew?: boolean
}

/** Performs a step on a record; returns the record as it is afterwards. */
export type Step = (
  books: Books,
  connection: ConnectionRef,
  fresh: Fresh,
  value: unknown
) => Effect.Effect<Fresh, ProviderError>

const clausesOf = ({ filters }: Entity): Conditions => ({ ...stamps, ...filters })

/** Filters that QuickBooks applies itself in lists of all these entities. */
export const findsOf = (all: ReadonlyArray<Entity>) => foundByAll(all.map(clausesOf))

/** Only the id and the time of a deletion remain, so deleted records can be listed only without other filters. */
export const mayBeGone = (entity: Entity, { wanted }: ListRequest): boolean => {
  const { modified_after: _, modified_before: __, ...others } = wanted
  return conditionsOf(entity, { wanted: others })?.length === 0
}

/** Conditions that the wanted records of an entity meet; undefined when none can match. */
const conditionsOf = (entity: Entity, request: Pick<ListRequest, "wanted">): ReadonlyArray<string> | undefined =>
  Option.getOrUndefined(Option.map(clausesFor(clausesOf(entity), request), Arr.flatten))

/** Conditions that make a query find inactive records too. */
export const allOf = ({ removal }: Entity): ReadonlyArray<string> => (removal === "delete" ? [] : [withInactive])

/** The first query of a list; undefined when no record of the entity can match. */
export const listQuery = (entity: Entity, request: ListRequest): Query | undefined => {
  const wanted = conditionsOf(entity, request)
  if (wanted === undefined) return undefined
  const isSaid = wanted.some((condition) => condition.startsWith("Active "))
  return { name: entity.name, where: [...(entity.where ?? []), ...(isSaid ? [] : allOf(entity)), ...wanted] }
}

/** The query for all records of a part. */
export const partQuery = ({ entity, where = [] }: NamedPart): Query => ({ name: entity, where })
