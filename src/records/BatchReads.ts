import { Cause, Effect, FiberRef, Option } from "effect"
import type { RecordContext } from "../mapping/Transform.ts"
import { isRefused } from "../providers/base/Bulk.ts"
import { current, type End, makeBatcher } from "../providers/base/BatchedWrites.ts"
import type { NativeRecord, ProviderAdapter, ResourceAdapter, Target } from "../providers/ProviderAdapter.ts"
import { Malformed, Missing, ProviderError } from "../providers/ProviderError.ts"
import type { ResourceAccess } from "./Access.ts"

/** Records that one call reads at most; the provider may need several for them. */
const most = 100

const wait = makeBatcher<Target, NativeRecord>()

/** An id refers to nothing. */
const context: RecordContext = { reference: () => "", line: () => "" }

/** Whether records are read together with those of other writes. */
export const readsTogether = ({ getMany, nullInLists = [] }: ResourceAdapter) =>
  Effect.map(
    FiberRef.get(current),
    (attendant) => attendant !== undefined && getMany !== undefined && nullInLists.length === 0
  )

type Read = Pick<ResourceAccess, "mapping"> & { readonly adapter: Pick<ProviderAdapter, "slug" | "idAsHeld"> }

const remoteIdOf = ({ mapping }: Pick<ResourceAccess, "mapping">, record: NativeRecord): unknown =>
  mapping.only([]).variant(record.nativeType)?.decode(record, context).remote_id

/**
 * Reads a record and fails if the answer has another id. An adapter whose provider merges records fails with `Missing` first.
 */
export const checkedGet = (reached: Read, get: NonNullable<ResourceAdapter["get"]>): typeof get => {
  const { idAsHeld = (id: string) => id } = reached.adapter
  return (target) =>
    Effect.flatMap(get(target), (found) => {
      const id = remoteIdOf(reached, found) ?? null
      if (id === null || idAsHeld(String(id)) === idAsHeld(target.id)) return Effect.succeed(found)
      return Effect.fail(
        new ProviderError({
          provider: reached.adapter.slug,
          operation: `${found.nativeType}.get`,
          reason: new Malformed(),
          detail: `the answer for ${target.id} is record ${String(id)}`
        })
      )
    })
}

/**
 * Reads a record of a resource: for a batch together with those of other writes, where the provider can tell of several
 * records all that it tells of one. `isOneOfSeveral`: its native type is one of those that it may be of.
 */
export const getOf = (reached: ResourceAccess, isOneOfSeveral = false): ResourceAdapter["get"] => {
  const { mapping, resourceAdapter } = reached
  const { getMany, nullInLists = [] } = resourceAdapter
  const get = resourceAdapter.get === undefined ? undefined : checkedGet(reached, resourceAdapter.get)
  if (get === undefined || getMany === undefined || nullInLists.length > 0) return get

  const idOf = (record: NativeRecord) => String(remoteIdOf(reached, record))

  const missing = ({ connection: { provider }, variant }: Target) =>
    Effect.fail(new ProviderError({ provider, operation: `${variant.nativeType}.get`, reason: new Missing() }))

  const send = (targets: ReadonlyArray<Target>): Effect.Effect<ReadonlyArray<End<NativeRecord>>> => {
    const [first, other] = targets
    if (first === undefined || other === undefined) return Effect.succeed(targets.map(get))
    const { connection, variant } = first
    return Effect.matchCause(
      getMany({ connection, mapping, variant, ids: [...new Set(targets.map(({ id }) => id))] }),
      {
        onSuccess: (records) => {
          const byId = new Map(records.map((record) => [idOf(record), record]))
          return targets.map((target): End<NativeRecord> => {
            const found = byId.get(target.id)
            if (found !== undefined) return Effect.succeed(found)
            // under another id, such as that of one it was merged with, it is found by a read of its own
            return isOneOfSeveral ? missing(target) : get(target)
          })
        },
        onFailure: (cause) =>
          Option.exists(Cause.failureOption(cause), isRefused)
            ? targets.map(get)
            : targets.map(() => Effect.failCause(cause))
      }
    )
  }

  return (target) =>
    Effect.flatMap(FiberRef.get(current), (attendant) => {
      if (attendant === undefined) return get(target)
      const { connection, variant } = target
      return wait(attendant, { key: `${connection.id} ${variant.nativeType}`, most, send }, target)
    })
}
