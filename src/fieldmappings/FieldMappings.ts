import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer } from "effect"
import { find } from "../canonical/Catalogue.ts"
import { commonFields, type Resource } from "../canonical/Resource.ts"
import { compile, type CompiledMapping, type MappingRow, type Override } from "../mapping/Compile.ts"
import { named } from "../mapping/Transform.ts"
import { type FieldErrors, NotFound, Unprocessable } from "../platform/Errors.ts"
import type { ProviderAdapter } from "../providers/ProviderAdapter.ts"
import type { Caller } from "../tenancy/CurrentCaller.ts"

/** An override as it is put and listed. */
export interface OverrideInput {
  readonly resource: string
  readonly field: string
  readonly native_field: string
  readonly transform?: string | undefined
  readonly native_type?: string | undefined
}

/** The kinds of canonical fields whose value is one native value, so that an override can move them. */
const movable = new Set(["text", "date", "dateTime", "number", "integer", "boolean", "decimal", "providerId"])

/** Milliseconds another instance's change may stay unseen. */
const freshness = 900

/**
 * The mappings in force: a provider's defaults with an organisation's overrides laid on them, compiled once and replaced
 * the moment an override changes.
 */
export class FieldMappings extends Context.Tag("tributary/fieldmappings/FieldMappings")<
  FieldMappings,
  {
    /** Undefined where the provider has no such resource. */
    readonly compiled: (
      caller: Caller,
      adapter: ProviderAdapter,
      resource: Resource
    ) => Effect.Effect<CompiledMapping | undefined>
    readonly list: (
      caller: Caller,
      adapter: ProviderAdapter,
      resource: string | undefined
    ) => Effect.Effect<ReadonlyArray<MappingRow>, NotFound>
    readonly put: (
      caller: Caller,
      adapter: ProviderAdapter,
      override: OverrideInput
    ) => Effect.Effect<ReadonlyArray<MappingRow>, NotFound | Unprocessable>
    readonly remove: (
      caller: Caller,
      adapter: ProviderAdapter,
      resource: string,
      field: string,
      nativeType: string | undefined
    ) => Effect.Effect<void, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    FieldMappings,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      interface Held {
        readonly readAt: number
        readonly overrides: string
        readonly mapping: CompiledMapping
      }
      const held = new Map<string, Held>()
      /** Counts changes made here: a read that began before one must not bring the old mapping back. */
      let changes = 0
      /** Mappings without overrides are the same for every organisation. */
      const defaults = new Map<string, CompiledMapping>()

      const keyOf = (caller: Caller, adapter: ProviderAdapter, resource: string) =>
        `${caller.organisation}/${caller.environment}/${adapter.slug}/${resource}`

      const overridesOf = (caller: Caller, slug: string, resource: string) =>
        sql<{ field: string; nativeField: string; transform: string; nativeType: string }>`
          select field, native_field as "nativeField", transform, native_type as "nativeType"
          from field_mapping_overrides
          where organisation_id = ${caller.organisation} and environment = ${caller.environment}
            and provider = ${slug} and resource = ${resource}
          order by field, native_type`.pipe(
          Effect.orDie,
          Effect.map((rows) =>
            rows.map((row): Override => ({
              field: row.field,
              nativeField: row.nativeField,
              transform: row.transform === "" ? undefined : row.transform,
              nativeType: row.nativeType === "" ? undefined : row.nativeType
            }))
          )
        )

      const compileWith = (adapter: ProviderAdapter, resource: Resource, overrides: ReadonlyArray<Override>) => {
        const found = adapter.resources[resource.name]
        return found === undefined ? undefined : compile(adapter.slug, resource, found.mapping, overrides)
      }

      const defaultOf = (adapter: ProviderAdapter, resource: Resource) => {
        const key = `${adapter.slug}/${resource.name}`
        const known = defaults.get(key)
        if (known !== undefined) return known
        const made = compileWith(adapter, resource, [])
        if (made !== undefined) defaults.set(key, made)
        return made
      }

      const compiled = Effect.fnUntraced(function* (caller: Caller, adapter: ProviderAdapter, resource: Resource) {
        if (adapter.resources[resource.name] === undefined) return undefined
        const key = keyOf(caller, adapter, resource.name)
        const now = yield* Clock.currentTimeMillis
        const known = held.get(key)
        if (known !== undefined && now - known.readAt < freshness) return known.mapping
        const seen = changes
        const overrides = yield* overridesOf(caller, adapter.slug, resource.name)
        const text = JSON.stringify(overrides)
        const mapping =
          known?.overrides === text
            ? known.mapping
            : overrides.length === 0
              ? defaultOf(adapter, resource)
              : compileWith(adapter, resource, overrides)
        if (mapping !== undefined && seen === changes) held.set(key, { readAt: now, overrides: text, mapping })
        return mapping
      })

      const resourceOf = (adapter: ProviderAdapter, name: string) => {
        const resource = find(adapter.category, name)
        return resource === undefined || adapter.resources[name] === undefined
          ? Effect.fail(
              new NotFound({ code: "RESOURCE_UNKNOWN", message: `${adapter.slug} has no resource ${name} here.` })
            )
          : Effect.succeed(resource)
      }

      const problemsOf = (adapter: ProviderAdapter, resource: Resource, input: OverrideInput): FieldErrors => {
        const errors: { [path: string]: string } = {}
        const field = Object.hasOwn(resource.fields, input.field) ? resource.fields[input.field] : undefined
        if (field === undefined && !/^(?!constructor$)[a-z][a-z0-9_]{0,62}$/.test(input.field)) {
          errors.field =
            "must be a canonical field, or a new name of lower-case letters, digits and _ (it appears under custom_fields)"
        }
        if (field !== undefined && (!movable.has(field.kind) || Object.hasOwn(commonFields, input.field))) {
          errors.field = `${input.field} is not made of one native field, so it cannot be moved`
        }
        if (!/^[A-Za-z_$][\w$-]*(\.[A-Za-z_$][\w$-]*)*$/.test(input.native_field) || input.native_field.length > 255) {
          errors.native_field = "must be a native field: a name, or names joined by dots"
        }
        if (/(^|\.)(__proto__|constructor|prototype)(\.|$)/.test(input.native_field)) {
          errors.native_field = "is not a native field"
        }
        if (input.transform !== undefined && !named.has(input.transform)) {
          errors.transform = `must be one of ${[...named.keys()].join(", ")}`
        }
        const types = adapter.resources[resource.name]?.mapping.variants.map((variant) => variant.nativeType) ?? []
        if (input.native_type !== undefined && !types.includes(input.native_type)) {
          errors.native_type = `must be one of ${types.join(", ")}`
        }
        return errors
      }

      const rowsOf = (caller: Caller, adapter: ProviderAdapter, resource: Resource) =>
        Effect.map(compiled(caller, adapter, resource), (mapping) => mapping?.rows ?? [])

      return {
        compiled,
        list: Effect.fn("FieldMappings.list")(function* (caller, adapter, name) {
          const resources =
            name === undefined
              ? Object.keys(adapter.resources).flatMap((each) => find(adapter.category, each) ?? [])
              : [yield* resourceOf(adapter, name)]
          return (yield* Effect.forEach(resources, (resource) => rowsOf(caller, adapter, resource))).flat()
        }),
        put: Effect.fn("FieldMappings.put")(function* (caller, adapter, input) {
          const resource = yield* resourceOf(adapter, input.resource)
          const errors = problemsOf(adapter, resource, input)
          if (Object.keys(errors).length > 0) return yield* new Unprocessable({ errors })
          yield* sql`
            insert into field_mapping_overrides
              (organisation_id, environment, provider, resource, native_type, field, native_field, transform)
            values (${caller.organisation}, ${caller.environment}, ${adapter.slug}, ${resource.name},
              ${input.native_type ?? ""}, ${input.field}, ${input.native_field}, ${input.transform ?? ""})
            on conflict (organisation_id, environment, provider, resource, native_type, field)
            do update set native_field = excluded.native_field, transform = excluded.transform, updated_at = now()`.pipe(
            Effect.orDie
          )
          changes += 1
          held.delete(keyOf(caller, adapter, resource.name))
          const rows = yield* rowsOf(caller, adapter, resource)
          return rows.filter((row) => row.field === input.field || row.field === `custom_fields.${input.field}`)
        }),
        remove: Effect.fn("FieldMappings.remove")(function* (caller, adapter, name, field, nativeType) {
          const resource = yield* resourceOf(adapter, name)
          const removed = yield* sql`
            delete from field_mapping_overrides
            where organisation_id = ${caller.organisation} and environment = ${caller.environment}
              and provider = ${adapter.slug} and resource = ${resource.name} and field = ${field}
              and (${nativeType ?? null}::text is null or native_type = ${nativeType ?? ""})
            returning field`.pipe(Effect.orDie)
          changes += 1
          held.delete(keyOf(caller, adapter, resource.name))
          if (removed.length === 0) {
            return yield* new NotFound({
              code: "NOT_FOUND",
              message: `${adapter.slug} ${name} has no override of ${field}.`
            })
          }
        })
      }
    })
  )
}
