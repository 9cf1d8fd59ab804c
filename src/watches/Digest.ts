import { createHash, createHmac } from "node:crypto"
import { commonFields } from "../canonical/Resource.ts"
import type { CompiledMapping } from "../mapping/Compile.ts"
import { isNative } from "../mapping/Mapping.ts"
import type { ResourceAdapter } from "../providers/ProviderAdapter.ts"
import type { CanonicalRecord } from "../records/Presenter.ts"

/** Bytes of a digest: of the mapping that made the record, then of its content under the watch's key. */
const lengths = { mapping: 4, content: 12 }

/** Members that lists add to a record when asked to, and those that other records make of it: at some providers any save of it, too. */
const beside = ["expanded", "remote_data", "last_activity_at"]

/** Fields that another record holds, such as those of a lead's person: they change when that one does. */
export const elsewhereIn = (resourceAdapter: ResourceAdapter): ReadonlyArray<string> =>
  resourceAdapter.mapping.variants.flatMap(({ entries }) =>
    entries.flatMap((entry) =>
      entry.isElsewhere !== true ? [] : entry.kind === "group" ? entry.canonical : [entry.canonical]
    )
  )

const mappings = new WeakMap<CompiledMapping, Buffer>()

const ofMapping = (mapping: CompiledMapping) => {
  const known = mappings.get(mapping)
  if (known !== undefined) return known
  const made = createHash("sha256").update(JSON.stringify(mapping.rows)).digest().subarray(0, lengths.mapping)
  mappings.set(mapping, made)
  return made
}

/** A value in one order, without the fields at some paths. */
const kept = (value: unknown, left: ReadonlySet<string>, path: string): unknown => {
  if (Array.isArray(value)) return value.map((one) => kept(one, left, `${path}[]`))
  if (!isNative(value)) return value
  return Object.keys(value)
    .sort()
    .flatMap((name) => {
      const inner = path === "" ? name : `${path}.${name}`
      return left.has(inner) ? [] : [[name, kept(value[name], left, inner)]]
    })
}

/**
 * Makes digests of records, which are alike as long as nothing of a record changes but its stamps. Where lists do not tell
 * all of a record, its time of change stands for the rest.
 */
export const digester = (key: Uint8Array, resourceAdapter: ResourceAdapter, mapping: CompiledMapping) => {
  const { nullInLists = [] } = resourceAdapter
  const left = new Set([...Object.keys(commonFields), ...beside, ...elsewhereIn(resourceAdapter), ...nullInLists])
  const first = ofMapping(mapping)
  return (record: CanonicalRecord): Buffer => {
    const content = JSON.stringify([kept(record, left, ""), nullInLists.length === 0 ? null : record.remote_updated_at])
    return Buffer.concat([first, createHmac("sha256", key).update(content).digest().subarray(0, lengths.content)])
  }
}

/** Whether two digests are of records that one mapping made, so that they tell whether the record changed. */
export const areComparable = (one: Buffer, other: Buffer) =>
  one.subarray(0, lengths.mapping).equals(other.subarray(0, lengths.mapping))
