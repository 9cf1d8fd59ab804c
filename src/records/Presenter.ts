import { Context, Effect, Layer } from "effect"
import type { CompiledMapping } from "../mapping/Compile.ts"
import type { Body } from "../mapping/Encode.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import type { NativeRecord } from "../providers/ProviderAdapter.ts"
import type { ProviderError } from "../providers/ProviderError.ts"
import type { Part } from "./Access.ts"
import { Identities, type Sighting } from "./Identities.ts"
import { Lookups } from "./Lookups.ts"

/** A record in canonical shape, as it travels. */
export type CanonicalRecord = { readonly [field: string]: unknown }

/** Makes canonical records of native ones: the mapping, the service's ids, the stamps. */
export class Presenter extends Context.Tag("tributary/records/Presenter")<
  Presenter,
  {
    readonly records: (
      part: Part,
      found: ReadonlyArray<NativeRecord>,
      includeRemoteData?: boolean
    ) => Effect.Effect<ReadonlyArray<CanonicalRecord>, ProviderError>
    /** What is known of a record that was written and could not be read back. */
    readonly sent: (part: Part, nativeType: string, id: string, body: Body) => CanonicalRecord
  }
>() {
  static readonly layer = Layer.effect(
    Presenter,
    Effect.gen(function* () {
      const identities = yield* Identities
      const lookups = yield* Lookups

      const present = (
        connection: ConnectionRef,
        mapping: CompiledMapping,
        sighting: Sighting,
        record: NativeRecord,
        includeRemoteData: boolean
      ): { readonly uuid: string; readonly record: { [field: string]: unknown } } | undefined => {
        const variant = mapping.variant(record.nativeType)
        if (variant === undefined) return undefined
        const out = variant.decode(record, sighting.context)
        const uuid = sighting.idOf(mapping.resource.name, record.nativeType, String(out.remote_id))
        out.id = `urn:uuid:${uuid}`
        out.providerSlug = connection.provider
        out.providerId = connection.id
        out.remote_was_deleted ??= false
        out.created_at ??= out.remote_created_at
        out.modified_at ??= out.remote_updated_at ?? out.created_at
        if (includeRemoteData) out.remote_data = record.record
        return { uuid, record: out }
      }

      /** Accounting references need the way back; so do ids of a resource over several native types. */
      const isKept = (mapping: CompiledMapping) =>
        mapping.resource.category === "accounting" || mapping.variants.length > 1

      /** Decodes native records, keeps the identities they bring and stamps those whose provider states no creation time. */
      const records = Effect.fn("Presenter.records")(function* (
        { adapter, connection, mapping }: Part,
        found: ReadonlyArray<NativeRecord>,
        includeRemoteData = false
      ) {
        const names = new Set(found.flatMap((record) => mapping.variant(record.nativeType)?.lookups ?? []))
        const looked = names.size === 0 ? undefined : yield* lookups.get(connection, adapter, [...names])
        const sighting = identities.sight(connection, mapping.resource.category)
        const presented = found.flatMap((record) => {
          const whole = looked === undefined ? record : { ...record, lookups: looked }
          return present(connection, mapping, sighting, whole, includeRemoteData) ?? []
        })
        const unstamped = presented.filter(({ record }) => record.created_at === null)
        if (isKept(mapping) || unstamped.length > 0) yield* sighting.keep
        if (unstamped.length > 0) {
          const seen = yield* identities.firstSeen(
            connection,
            unstamped.map(({ uuid }) => uuid)
          )
          for (const { record, uuid } of unstamped) {
            record.created_at = seen.get(uuid) ?? null
            record.modified_at ??= record.created_at
          }
        }
        return presented.map(({ record }): CanonicalRecord => record)
      })

      const sent = ({ connection, mapping }: Part, nativeType: string, id: string, body: Body): CanonicalRecord => {
        const sighting = identities.sight(connection, mapping.resource.category)
        return {
          ...Object.fromEntries(
            Object.entries(mapping.resource.fields)
              .filter(([, field]) => field.access !== "wo")
              .map(([name, field]) => [name, body[name] ?? (field.kind === "list" ? [] : null)])
          ),
          id: `urn:uuid:${sighting.idOf(mapping.resource.name, nativeType, id)}`,
          remote_id: id,
          remote_was_deleted: false,
          providerSlug: connection.provider,
          providerId: connection.id
        }
      }

      return { records, sent }
    })
  )
}
