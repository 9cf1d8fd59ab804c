import { Config, Context, Effect, Either, Layer, Schema } from "effect"
import { commonFields, type Field, type Fields } from "../canonical/Resource.ts"
import type { CompiledMapping } from "../mapping/Compile.ts"
import type { Body } from "../mapping/Encode.ts"
import { isNative } from "../mapping/Mapping.ts"
import { issuesOf } from "../platform/Issues.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import type { NativeRecord } from "../providers/ProviderAdapter.ts"
import type { ProviderError } from "../providers/ProviderError.ts"
import type { ResourceAccess } from "./Access.ts"
import { Identities, type Sighting } from "./Identities.ts"
import { Lookups } from "./Lookups.ts"

/** A record in canonical shape, as it travels. */
export type CanonicalRecord = { readonly [field: string]: unknown }

const merges = new WeakMap<CanonicalRecord, NonNullable<NativeRecord["merge"]>>()

/** What a list says of the merges of a record. Watches need it; no answer shows it. */
export const mergeOf = (record: CanonicalRecord) => merges.get(record)

/** A body in the shape of a record: fields that it does not, or cannot, have are empty. */
const asSent = (fields: Fields, body: Body): CanonicalRecord =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field.access !== "wo")
      .map(([name, field]) => [name, field.access === "rw" ? valueAsSent(field, body[name]) : valueAsSent(field, null)])
  )

const valueAsSent = (field: Field, value: unknown): unknown => {
  if (value === undefined || value === null) return field.kind === "list" ? [] : null
  if (field.kind === "reference") return String(value).replace(/^urn:uuid:/, "")
  const item = field.item
  if (item === undefined || !Array.isArray(value)) return value
  return "fields" in item
    ? value.filter(isNative).map((entry) => asSent(item.fields, entry))
    : value.map((entry: unknown) => valueAsSent(item, entry))
}

/** Whether UUIDs need a way back: for accounting references, and for a resource over several native types. */
export const keepsIdentities = (mapping: CompiledMapping) =>
  mapping.resource.category === "accounting" || mapping.variants.length > 1

/** Makes canonical records from native ones, with the mapping, the service's ids and the timestamps. */
export class Presenter extends Context.Tag("tributary/records/Presenter")<
  Presenter,
  {
    readonly records: (
      reached: ResourceAccess,
      found: ReadonlyArray<NativeRecord>,
      includeRemoteData?: boolean
    ) => Effect.Effect<ReadonlyArray<CanonicalRecord>, ProviderError>
    /** Makes the likely record after a write that could not be read back: the sent body over the previous record. */
    readonly sent: (
      reached: ResourceAccess,
      nativeType: string,
      id: string,
      body: Body,
      before: CanonicalRecord | undefined
    ) => CanonicalRecord
  }
>() {
  static readonly layer = Layer.effect(
    Presenter,
    Effect.gen(function* () {
      const identities = yield* Identities
      const lookups = yield* Lookups
      const isStrict = yield* Config.boolean("STRICT_RESPONSES").pipe(Config.withDefault(false))

      /** Records that were verified, in JSON: most are read again and again. */
      const right = new Set<string>()

      /** Dies for a record that breaks its Schema. Only in tests, since checking an answer costs more than making it. */
      const verified = ({ fields, resource }: CompiledMapping, all: ReadonlyArray<CanonicalRecord>) => {
        const decode = Schema.decodeUnknownEither(fields === undefined ? resource.record : resource.part)
        const kind = `${resource.identifier}${fields === undefined ? "" : " in part"}`
        return Effect.forEach(all, (record) => {
          const text = `${kind} ${JSON.stringify(record)}`
          if (right.has(text)) return Effect.succeed(record)
          return Either.match(decode(record), {
            onLeft: (error) => Effect.dieMessage(`not a ${resource.identifier}: ${JSON.stringify(issuesOf(error))}`),
            onRight: () => {
              if (right.size === 20_000) right.clear()
              right.add(text)
              return Effect.succeed(record)
            }
          })
        })
      }

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
        if (record.isBare === true) {
          for (const [name, value] of Object.entries(out)) {
            if (!Object.hasOwn(commonFields, name)) out[name] = Array.isArray(value) ? [] : null
          }
        }
        if (record.deletedAt !== undefined) {
          out.remote_was_deleted = true
          // the deletion is the last change, which a sync looks for
          if (record.deletedAt !== null) out.modified_at = record.deletedAt
        }
        if (includeRemoteData) out.remote_data = record.record
        if (record.merge !== undefined) merges.set(out, record.merge)
        return { uuid, record: out }
      }

      /** Decodes native records, stores their identities, and sets the creation time where the provider states none. */
      const records = Effect.fnUntraced(function* (
        { adapter, connection, mapping }: ResourceAccess,
        found: ReadonlyArray<NativeRecord>,
        includeRemoteData: boolean = false
      ) {
        const names = new Set(found.flatMap((record) => mapping.variant(record.nativeType)?.lookups ?? []))
        const looked = names.size === 0 ? undefined : yield* lookups.get(connection, adapter, [...names])
        const sighting = identities.sight(connection, mapping.resource.category)
        const presented = yield* Effect.useSpan("Presenter.records", { captureStackTrace: false }, () =>
          Effect.sync(() =>
            found.flatMap((record) => {
              const whole = looked === undefined ? record : { ...record, lookups: looked }
              return present(connection, mapping, sighting, whole, includeRemoteData) ?? []
            })
          )
        )
        const unstamped = presented.filter(({ record }) => record.created_at === null)
        if (keepsIdentities(mapping) || unstamped.length > 0) yield* sighting.keep
        if (unstamped.length > 0) {
          const seen = yield* identities.firstSeen(
            connection,
            unstamped.map(({ uuid }) => uuid)
          )
          for (const { record, uuid } of unstamped) {
            const [first, changed] = [seen.get(uuid), record.modified_at]
            // a record is never younger than its last change
            record.created_at =
              first !== undefined && typeof changed === "string" && changed < first ? changed : (first ?? null)
            record.modified_at ??= record.created_at
          }
        }
        const all = presented.map(({ record }): CanonicalRecord => record)
        return isStrict ? yield* verified(mapping, all) : all
      })

      const sent = (
        { connection, mapping }: ResourceAccess,
        nativeType: string,
        id: string,
        body: Body,
        before: CanonicalRecord | undefined
      ): CanonicalRecord => {
        const sighting = identities.sight(connection, mapping.resource.category)
        const said = asSent(mapping.resource.fields, body)
        return {
          ...said,
          ...(before === undefined
            ? {}
            : { ...before, ...Object.fromEntries(Object.entries(said).filter(([name]) => body[name] !== undefined)) }),
          ...(isNative(body.custom_fields) ? { custom_fields: body.custom_fields } : {}),
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
