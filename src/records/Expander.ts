import { Context, Effect, Layer } from "effect"
import type { Resource } from "../canonical/Resource.ts"
import { BadRequest } from "../platform/Errors.ts"
import type { CompiledVariant } from "../mapping/Compile.ts"
import { Missing, type ProviderError } from "../providers/ProviderError.ts"
import type { NativeRecord } from "../providers/ProviderAdapter.ts"
import type { Reader } from "../tenancy/CurrentCaller.ts"
import { Access, type ResourceAccess } from "./Access.ts"
import { expanded, type Expansion, type Lead, leadsOf } from "./Expansion.ts"
import { Identities } from "./Identities.ts"
import { type CanonicalRecord, Presenter } from "./Presenter.ts"

/** Records that one answer reads one by one, where the provider has no way to read several. */
const singles = 100

/** Reads of single records at a time; the provider's own limits hold besides. */
const concurrency = 5

const keyOf = ({ id, targets }: Lead) => `${targets[0]?.name ?? ""}/${id}`

/** Puts the records that others refer to beside the references, each read once, and those of a kind together. */
export class Expander extends Context.Tag("tributary/records/Expander")<
  Expander,
  {
    readonly expand: (
      caller: Reader,
      reached: ResourceAccess,
      records: ReadonlyArray<CanonicalRecord>,
      expansion: Expansion
    ) => Effect.Effect<ReadonlyArray<CanonicalRecord>, ProviderError | BadRequest>
  }
>() {
  static readonly layer = Layer.effect(
    Expander,
    Effect.gen(function* () {
      const access = yield* Access
      const identities = yield* Identities
      const presenter = yield* Presenter

      /** Records of a native type by their ids; those that are not there are left out. */
      const read = (
        reached: ResourceAccess,
        variant: CompiledVariant,
        ids: ReadonlyArray<string>
      ): Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError | BadRequest> => {
        const {
          connection,
          mapping,
          resourceAdapter: { get, getMany }
        } = reached
        if (getMany !== undefined) return getMany({ connection, mapping, variant, ids })
        const one = (id: string): Effect.Effect<ReadonlyArray<NativeRecord>, ProviderError> =>
          get === undefined
            ? Effect.succeed([])
            : get({ connection, variant, id }).pipe(
                Effect.map((record) => [record]),
                Effect.catchIf(
                  ({ reason }) => reason instanceof Missing,
                  () => Effect.succeed([])
                )
              )
        return ids.length > singles
          ? Effect.fail(
              new BadRequest({
                code: "INVALID_PARAMETER",
                message: `expand: ${connection.provider} reads ${reached.mapping.resource.name} records one by one, and there are ${ids.length} of them; ask for a smaller page, so that there are ${singles} at most.`
              })
            )
          : Effect.map(Effect.forEach(ids, one, { concurrency }), (found) => found.flat())
      }

      /** Records of a resource by the ids that others have of them. */
      const readAll = Effect.fnUntraced(function* (
        caller: Reader,
        from: ResourceAccess,
        resource: Resource,
        ids: ReadonlyArray<string>
      ) {
        const reached = yield* access.beside(caller, from, resource)
        if (reached === undefined) {
          return yield* new BadRequest({
            code: "INVALID_PARAMETER",
            message: `expand: ${from.connection.provider} cannot read ${resource.name} records.`
          })
        }
        const isAccounting = resource.category === "accounting"
        const resolve = isAccounting ? yield* identities.resolve(reached.connection, ids) : () => undefined
        const natives = yield* Effect.forEach(
          reached.mapping.variants,
          (variant) => {
            const own = isAccounting
              ? ids.flatMap((id) => {
                  const known = resolve(id)
                  return known?.resource === resource.name && known.nativeType === variant.nativeType
                    ? [known.remoteId]
                    : []
                })
              : ids
            return own.length === 0 ? Effect.succeed([]) : read(reached, variant, [...new Set(own)])
          },
          { concurrency: "unbounded" }
        )
        const records = yield* presenter.records(reached, natives.flat())
        return new Map(
          records.map((record) => [
            isAccounting ? String(record.id).slice("urn:uuid:".length) : String(record.remote_id),
            record
          ])
        )
      })

      const expand = Effect.fn("Expander.expand")(function* (
        caller: Reader,
        reached: ResourceAccess,
        records: ReadonlyArray<CanonicalRecord>,
        expansion: Expansion
      ) {
        const known = new Map<string, CanonicalRecord | undefined>()
        let front = records.flatMap((record) => leadsOf(record, expansion))
        while (front.length > 0) {
          const wanted = new Map<Resource, Set<string>>()
          for (const lead of front) {
            for (const target of known.has(keyOf(lead)) ? [] : lead.targets) {
              wanted.set(target, (wanted.get(target) ?? new Set()).add(lead.id))
            }
          }
          const found = new Map(
            yield* Effect.forEach(
              wanted,
              ([resource, ids]) =>
                Effect.map(readAll(caller, reached, resource, [...ids]), (all) => [resource, all] as const),
              { concurrency: "unbounded" }
            )
          )
          for (const lead of front) {
            if (known.has(keyOf(lead))) continue
            known.set(
              keyOf(lead),
              lead.targets.map((target) => found.get(target)?.get(lead.id)).find((one) => one !== undefined)
            )
          }
          front = front.flatMap((lead) => {
            const record = known.get(keyOf(lead))
            return record === undefined ? [] : leadsOf(record, lead.of)
          })
        }
        return records.map((record) => expanded(record, expansion, (lead) => known.get(keyOf(lead))))
      })

      return { expand }
    })
  )
}
