import { Config, Context, Effect, Either, Layer, Schema } from "effect"
import { commonFields, type Field, type Fields } from "../canonical/Resource.ts"
import type { CompiledMapping } from "../mapping/Compile.ts"
import type { Body, Mode } from "../mapping/Encode.ts"
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

/** Merges that a provider reports with a record. Watches read them; answers do not contain them. */
export const mergeOf = (record: CanonicalRecord) => merges.get(record)

/** The body of a write, and whether it is the whole record or a part. */
export interface SentBody {
  readonly body: Body
  readonly mode: Mode
}

/** A record after a write that could not be read back. */
export interface Unread {
  readonly record: CanonicalRecord
  /** Fields whose values are not known; they are null or empty in `record`. */
  readonly unknown: ReadonlyArray<string>
}

const empty = (field: Field) => (field.kind === "list" ? [] : null)

/** Brings an entry of a body into the shape of a record. Fields that are not sent are empty. */
const entryAsSent = (fields: Fields, entry: Body): CanonicalRecord =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field.access !== "wo")
      .map(([name, field]) => [name, field.access === "rw" ? valueAsSent(field, entry[name]) : empty(field)])
  )

const valueAsSent = (field: Field, value: unknown): unknown => {
  if (value === undefined || value === null) return empty(field)
  if (field.kind === "reference") return String(value).replace(/^urn:uuid:/, "")
  const item = field.item
  if (item === undefined) return value
  if (!Array.isArray(value)) return "fields" in item && isNative(value) ? entryAsSent(item.fields, value) : value
  return "fields" in item
    ? value.filter(isNative).map((entry) => entryAsSent(item.fields, entry))
    : value.map((entry: unknown) => valueAsSent(item, entry))
}

/** Whether a sent value is the whole field. Entries of lists have ids and totals that only the provider knows. */
const isWholeAsSent = ({ item }: Field, value: unknown): boolean => {
  if (item === undefined || !("fields" in item)) return true
  const entries = Array.isArray(value) ? value.filter(isNative) : isNative(value) ? [value] : []
  const readable = Object.entries(item.fields).filter(([, field]) => field.access !== "wo")
  return entries.every((entry) =>
    readable.every(
      ([name, field]) => field.access === "rw" && entry[name] !== undefined && isWholeAsSent(field, entry[name])
    )
  )
}

/** The value that a body gives to a field; undefined if it does not mention the field. */
const sentValue = ({ describes }: Field, name: string, { body, mode }: SentBody): unknown => {
  if (body[name] !== undefined) return body[name]
  if (describes !== undefined && (body[describes.field] ?? null) !== null) return describes.byDefault
  // a full body clears what it leaves out
  return mode === "replace" ? null : undefined
}

/** Fields that never change. */
const lasting: ReadonlySet<string> = new Set<keyof typeof commonFields>(["created_at", "remote_created_at"])

/** Fields that share a native field with a field of the body, so the write may have changed them. */
const touchedBy = (body: Body, { rows }: CompiledMapping): ReadonlySet<string> => {
  const fieldOf = (path: string) => path.split(/[.[]/, 1)[0] ?? ""
  const nativesOf = (names: string) => names.split(", ").filter((name) => name !== "")
  const written = rows.filter(({ field }) => body[fieldOf(field)] !== undefined)
  const natives = new Set(written.flatMap((row) => nativesOf(row.native_field)))
  const touched = rows.filter((row) => nativesOf(row.native_field).some((name) => natives.has(name)))
  return new Set(touched.map(({ field }) => fieldOf(field)))
}

/**
 * The record after a write that could not be read back: the sent values over those from before. Computed fields and everything
 * else are unknown.
 */
const unreadRecord = (
  mapping: CompiledMapping,
  { body, mode }: SentBody,
  before: CanonicalRecord | undefined
): Unread => {
  const { fields } = mapping.resource
  const touched = touchedBy(body, mapping)
  const record: { [field: string]: unknown } = {}
  const unknown: Array<string> = []
  for (const [name, field] of Object.entries(fields)) {
    if (field.access === "wo") continue
    const sent = field.access === "rw" ? sentValue(field, name, { body, mode }) : undefined
    if (sent !== undefined) {
      record[name] = valueAsSent(field, sent)
      if (!isWholeAsSent(field, sent)) unknown.push(name)
    } else if (
      before !== undefined &&
      Object.hasOwn(before, name) &&
      (lasting.has(name) || (field.access === "rw" && !touched.has(name)))
    ) {
      record[name] = before[name]
    } else {
      record[name] = empty(field)
      if (!known.has(name)) unknown.push(name)
    }
  }
  return { record, unknown }
}

/** Fields that are known after every write. */
const known: ReadonlySet<string> = new Set<keyof typeof commonFields>([
  "id",
  "remote_id",
  "remote_was_deleted",
  "providerSlug",
  "providerId"
])

/** Whether lists store which record a UUID stands for: in accounting, and for resources with several native types. */
export const keepsIdentities = (mapping: CompiledMapping) =>
  mapping.resource.category === "accounting" || mapping.variants.length > 1

/** Makes canonical records from native ones, with the mapping, the service's ids and the timestamps. */
export class Presenter extends Context.Tag("tributary/records/Presenter")<
  Presenter,
  {
    readonly records: (
      reached: ResourceAccess,
      found: ReadonlyArray<NativeRecord>,
      includeRemoteData?: boolean,
      /** True for a single record, whose UUID is always stored. */
      isSingle?: boolean
    ) => Effect.Effect<ReadonlyArray<CanonicalRecord>, ProviderError>
    /** Makes the record after a write that could not be read back, as far as it is known. */
    readonly sent: (
      reached: ResourceAccess,
      nativeType: string,
      id: string,
      sent: SentBody,
      before: CanonicalRecord | undefined
    ) => Unread
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
        includeRemoteData: boolean = false,
        isSingle: boolean = false
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
        if (isSingle || keepsIdentities(mapping) || unstamped.length > 0) yield* sighting.keep
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
        { body, mode }: SentBody,
        before: CanonicalRecord | undefined
      ): Unread => {
        const sighting = identities.sight(connection, mapping.resource.category)
        const { record, unknown } = unreadRecord(mapping, { body, mode }, before)
        const custom = {
          ...(mode !== "replace" && isNative(before?.custom_fields) ? before.custom_fields : {}),
          ...(isNative(body.custom_fields) ? body.custom_fields : {})
        }
        const hasCustom = mapping.rows.some(({ field }) => field.startsWith("custom_fields."))
        return {
          record: {
            ...record,
            ...(Object.keys(custom).length === 0 ? {} : { custom_fields: custom }),
            id: `urn:uuid:${sighting.idOf(mapping.resource.name, nativeType, id)}`,
            remote_id: id,
            remote_was_deleted: false,
            providerSlug: connection.provider,
            providerId: connection.id
          },
          unknown: hasCustom && before === undefined ? [...unknown, "custom_fields"] : unknown
        }
      }

      return { records, sent }
    })
  )
}
