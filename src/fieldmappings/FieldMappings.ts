import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { find } from "../canonical/Catalogue.ts"
import type { Resource } from "../canonical/Resource.ts"
import { compile, type CompiledMapping, type MappingRow, type Override, canonicalPathOf } from "../mapping/Compile.ts"
import type { Mapping } from "../mapping/Mapping.ts"
import { NotFound } from "../platform/Errors.ts"
import * as SingleFlightCache from "../platform/SingleFlightCache.ts"
import type { ProviderAdapter } from "../providers/ProviderAdapter.ts"
import { Environment, type Reader } from "../tenancy/CurrentCaller.ts"
import { mappingRevised } from "../tenancy/Organisations.ts"
import { fieldNamed } from "./OverrideCheck.ts"

/** Finds a provider's resource by its name. */
export const resourceNamed = (adapter: ProviderAdapter, name: string) => {
  const resource = find(adapter.category, name)
  return resource === undefined || !Object.hasOwn(adapter.resources, name)
    ? Effect.fail(new NotFound({ code: "RESOURCE_UNKNOWN", message: `${adapter.slug} has no resource ${name} here.` }))
    : Effect.succeed(resource)
}

const Values = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String }))
const writeValues = Schema.encode(Values)

/** Most mappings held: one for each organisation, environment and resource of a provider. */
const capacity = 5000

/**
 * The mappings in force: a provider's defaults with an organisation's overrides, compiled once and replaced as soon as an
 * override changes. A change on another instance shows with the caller's next revision.
 */
export class FieldMappings extends Context.Tag("tributary/fieldmappings/FieldMappings")<
  FieldMappings,
  {
    /** Undefined where the provider has no such resource. */
    readonly compiled: (
      caller: Reader,
      adapter: ProviderAdapter,
      resource: Resource
    ) => Effect.Effect<CompiledMapping | undefined>
    readonly list: (
      caller: Reader,
      adapter: ProviderAdapter,
      resource: string | undefined
    ) => Effect.Effect<ReadonlyArray<MappingRow>, NotFound>
    /** Stores a checked override; returns the rows it makes. */
    readonly put: (
      caller: Reader,
      adapter: ProviderAdapter,
      resource: Resource,
      override: Override
    ) => Effect.Effect<ReadonlyArray<MappingRow>>
    /** Compiles a provider's mapping for the override's native types, as it is and with the override. */
    readonly draft: (
      caller: Reader,
      adapter: ProviderAdapter,
      resource: Resource,
      mapping: Mapping,
      override: Override
    ) => Effect.Effect<{ readonly before: CompiledMapping; readonly after: CompiledMapping }>
    readonly remove: (
      caller: Reader,
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
        readonly revision: string
        readonly overrides: string
        readonly mapping: CompiledMapping
      }
      /** Compiled mappings, oldest first. */
      const held = new Map<string, Held>()
      /** Counts changes made here: a read that began before one must not bring the old mapping back. */
      let changes = 0
      /** Mappings without overrides are the same for every organisation. */
      const defaults = new Map<string, CompiledMapping>()

      const keyOf = (caller: Reader, adapter: ProviderAdapter, resource: string) =>
        `${caller.organisation}/${caller.environment}/${adapter.slug}/${resource}`

      const findOverrides = SqlSchema.findAll({
        Request: Schema.Struct({
          organisation: Schema.String,
          environment: Environment,
          provider: Schema.String,
          resource: Schema.String
        }),
        Result: Row,
        execute: ({ environment, organisation, provider, resource }) => sql`
          select field, native_field, transform, native_type, access, value_table
          from field_mapping_overrides
          where organisation_id = ${organisation} and environment = ${environment}
            and provider = ${provider} and resource = ${resource}
          order by native_type, field`
      })

      const overridesOf = ({ environment, organisation }: Reader, provider: string, resource: string) =>
        findOverrides({ organisation, environment, provider, resource }).pipe(
          Effect.map((rows) => rows.map(overrideOf)),
          Effect.orDie
        )

      /** Waits until every instance sees a change: until then another may still use the caller it remembers. */
      const changed = (key: string) =>
        Effect.suspend(() => {
          changes += 1
          held.delete(key)
          return Effect.sleep(`${SingleFlightCache.recent} seconds`)
        })

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

      const compiled = Effect.fnUntraced(function* (caller: Reader, adapter: ProviderAdapter, resource: Resource) {
        if (adapter.resources[resource.name] === undefined) return undefined
        const key = keyOf(caller, adapter, resource.name)
        const revision = caller.mappingRevision
        const known = held.get(key)
        if (known?.revision === revision) return known.mapping
        const seen = changes
        const overrides = yield* overridesOf(caller, adapter.slug, resource.name)
        const text = JSON.stringify(overrides)
        const mapping =
          known?.overrides === text
            ? known.mapping
            : overrides.length === 0
              ? defaultOf(adapter, resource)
              : compileWith(adapter, resource, overrides)
        if (mapping !== undefined && seen === changes) {
          held.delete(key)
          held.set(key, { revision, overrides: text, mapping })
          const [oldest] = held.keys()
          if (held.size > capacity && oldest !== undefined) held.delete(oldest)
        }
        return mapping
      })

      const rowsOf = (caller: Reader, adapter: ProviderAdapter, resource: Resource) =>
        Effect.map(compiled(caller, adapter, resource), (mapping) => mapping?.rows ?? [])

      return {
        compiled,
        list: Effect.fn("FieldMappings.list")(function* (caller, adapter, name) {
          const resources =
            name === undefined
              ? Object.keys(adapter.resources).flatMap((each) => find(adapter.category, each) ?? [])
              : [yield* resourceNamed(adapter, name)]
          return (yield* Effect.forEach(resources, (resource) => rowsOf(caller, adapter, resource))).flat()
        }),
        put: Effect.fn("FieldMappings.put")(function* (caller, adapter, resource, override) {
          const { access = "both", field, nativeField, nativeType, transform, values } = override
          const table = values === undefined ? null : yield* Effect.orDie(writeValues(values))
          yield* sql`
            with revised as (${mappingRevised(sql, caller.organisation)})
            insert into field_mapping_overrides
              (organisation_id, environment, provider, resource, native_type, field, native_field, transform, access,
               value_table)
            values (${caller.organisation}, ${caller.environment}, ${adapter.slug}, ${resource.name},
              ${nativeType ?? ""}, ${field}, ${nativeField}, ${transform ?? ""}, ${access}, ${table})
            on conflict (organisation_id, environment, provider, resource, native_type, field)
            do update set native_field = excluded.native_field, transform = excluded.transform,
              access = excluded.access, value_table = excluded.value_table, updated_at = now()`.pipe(Effect.orDie)
          yield* changed(keyOf(caller, adapter, resource.name))
          const rows = yield* rowsOf(caller, adapter, resource)
          return rows.filter(
            (row) =>
              row.field === canonicalPathOf(resource, field) &&
              (nativeType === undefined || row.native_type === nativeType)
          )
        }),
        draft: Effect.fn("FieldMappings.draft")(function* (caller, adapter, resource, mapping, override) {
          const { field, nativeType } = override
          const variants = mapping.variants.filter((one) => nativeType === undefined || one.nativeType === nativeType)
          const stored = yield* overridesOf(caller, adapter.slug, resource.name)
          const others = stored.filter((one) => one.field !== field || one.nativeType !== nativeType)
          // in the stored order: those for single native types come last
          const all = nativeType === undefined ? [override, ...others] : [...others, override]
          const made = (overrides: ReadonlyArray<Override>) =>
            compile(adapter.slug, resource, { ...mapping, variants }, overrides)
          return { before: made(stored), after: made(all) }
        }),
        remove: Effect.fn("FieldMappings.remove")(function* (caller, adapter, name, field, nativeType) {
          const resource = yield* resourceNamed(adapter, name)
          const removed = yield* sql`
            with revised as (${mappingRevised(sql, caller.organisation)})
            delete from field_mapping_overrides
            where organisation_id = ${caller.organisation} and environment = ${caller.environment}
              and provider = ${adapter.slug} and resource = ${resource.name}
              and field = ${fieldNamed(resource, field)}
              and (${nativeType ?? null}::text is null or native_type = ${nativeType ?? ""})
            returning field`.pipe(Effect.orDie)
          if (removed.length === 0) {
            return yield* new NotFound({
              code: "NOT_FOUND",
              message: `${adapter.slug} ${name} has no override of ${field}.`
            })
          }
          yield* changed(keyOf(caller, adapter, resource.name))
        })
      }
    })
  )
}

const Row = Schema.Struct({
  field: Schema.String,
  native_field: Schema.String,
  /** "" for none */
  transform: Schema.String,
  /** "" for all */
  native_type: Schema.String,
  access: Schema.Literal("read", "both"),
  value_table: Schema.NullOr(Values)
})

const overrideOf = (row: typeof Row.Type): Override => ({
  field: row.field,
  nativeField: row.native_field,
  transform: row.transform === "" ? undefined : row.transform,
  values: row.value_table ?? undefined,
  access: row.access,
  nativeType: row.native_type === "" ? undefined : row.native_type
})
