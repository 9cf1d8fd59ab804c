import { Cause, Effect, FiberRef, Option } from "effect"
import type { RecordContext } from "../mapping/Transform.ts"
import { isRefused } from "../providers/axes/Bulk.ts"
import { current, type End, makePlace } from "../providers/axes/Together.ts"
import type { NativeRecord, ResourceAdapter, Target } from "../providers/ProviderAdapter.ts"
import type { Part } from "./Access.ts"

/** Records that one call reads at most; the provider may need several for them. */
const most = 100

const wait = makePlace<Target, NativeRecord>()

/** An id refers to nothing. */
const context: RecordContext = { reference: () => "", line: () => "" }

/**
 * Reads a record of a resource: for a batch together with those of other writes, where the provider can tell of several
 * records all that it tells of one.
 */
export const getOf = ({ mapping, part }: Part): ResourceAdapter["get"] => {
  const { get, getMany, nullInLists = [] } = part
  if (get === undefined || getMany === undefined || nullInLists.length > 0) return get

  const idOf = (record: NativeRecord) =>
    String(mapping.only([]).variant(record.nativeType)?.decode(record, context).remote_id)

  const send = (targets: ReadonlyArray<Target>): Effect.Effect<ReadonlyArray<End<NativeRecord>>> => {
    const [first, other] = targets
    if (first === undefined || other === undefined) return Effect.succeed(targets.map(get))
    const { connection, variant } = first
    return Effect.matchCause(getMany({ connection, variant, ids: [...new Set(targets.map(({ id }) => id))] }), {
      onSuccess: (records) => {
        const byId = new Map(records.map((record) => [idOf(record), record]))
        // one that is there under another id, such as one that was merged, is found by a read of its own
        return targets.map((target) => {
          const found = byId.get(target.id)
          return found === undefined ? get(target) : Effect.succeed(found)
        })
      },
      onFailure: (cause) =>
        Option.exists(Cause.failureOption(cause), isRefused)
          ? targets.map(get)
          : targets.map(() => Effect.failCause(cause))
    })
  }

  return (target) =>
    Effect.flatMap(FiberRef.get(current), (gathering) => {
      if (gathering === undefined) return get(target)
      const { connection, variant } = target
      return wait(gathering, { key: `${connection.id} ${variant.nativeType}`, most, send }, target)
    })
}
