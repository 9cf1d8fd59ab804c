import { Context, Effect, Layer } from "effect"
import type { Resource } from "../canonical/Resource.ts"
import { Connections } from "../connections/Connections.ts"
import { type CompiledMapping, type MappingRow, nativePathOf } from "../mapping/Compile.ts"
import { getPath, shownPath, type Mapping } from "../mapping/Mapping.ts"
import { recordNotFoundCode } from "../platform/ErrorCodes.ts"
import { type ApiError, NotFound, Unprocessable } from "../platform/Errors.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import type { NativeField, NativeRecord, ProviderAdapter } from "../providers/ProviderAdapter.ts"
import type { ProviderError } from "../providers/ProviderError.ts"
import { Access, type ResourceAccess, type Subject } from "../records/Access.ts"
import { OneRecord } from "../records/OneRecord.ts"
import { answersFor } from "../records/ProviderFailures.ts"
import { FieldMappings, resourceNamed } from "./FieldMappings.ts"
import { suggestFields } from "./FieldSuggestions.ts"
import {
  type Known,
  type OverrideInput,
  overriddenPath,
  problemsOf,
  settle,
  type Settled,
  typesOf
} from "./OverrideCheck.ts"

/** The caller, and the end user whose account is used: without one, that of any active connection. */
export type Asker = Omit<Subject, "endUser"> & { readonly endUser: string | undefined }

export interface NamedOverride extends OverrideInput {
  readonly resource: string
}

/** A record with an override applied. */
export interface Preview {
  readonly row: MappingRow & { readonly checked: boolean }
  /** Values of the field, as it is and as it would be. */
  readonly before: unknown
  readonly after: unknown
  /** Value of the native field. */
  readonly native: unknown
  /** The whole record with the override. */
  readonly record: { readonly [field: string]: unknown }
}

/** Pages that are searched for a record to show. */
const patience = 20

/** An organisation's overrides: checked against the provider's own metadata, previewed on a record, then stored. */
export class Overrides extends Context.Tag("tributary/fieldmappings/Overrides")<
  Overrides,
  {
    /** Stores an override. `checked`: the provider's metadata have the native field; otherwise they were not available. */
    readonly put: (
      asker: Asker,
      adapter: ProviderAdapter,
      input: NamedOverride
    ) => Effect.Effect<ReadonlyArray<MappingRow & { readonly checked: boolean }>, ApiError>
    /** Previews an override on the record with the remote id, or on the first one. */
    readonly preview: (
      asker: Asker,
      adapter: ProviderAdapter,
      input: NamedOverride,
      remoteId: string | undefined
    ) => Effect.Effect<Preview, ApiError>
  }
>() {
  static readonly layer = Layer.effect(
    Overrides,
    Effect.gen(function* () {
      const access = yield* Access
      const connections = yield* Connections
      const fieldMappings = yield* FieldMappings
      const one = yield* OneRecord

      /** The connection whose account is used; the oldest active one if no end user is named. */
      const connectionOf = Effect.fnUntraced(function* (asker: Asker, adapter: ProviderAdapter) {
        const { caller, connection, endUser } = asker
        if (endUser !== undefined) return yield* access.connection({ caller, connection, endUser }, adapter)
        const [found] = yield* connections.list(caller, {
          provider: adapter.slug,
          status: "active",
          id: connection,
          part: { skip: 0, take: 1 }
        })
        if (found !== undefined || connection === undefined) return found
        return yield* new NotFound({
          code: "CONNECTION_NOT_FOUND",
          message: `X-Connection-Id: there is no active connection to ${adapter.slug} with this id.`
        })
      })

      /** Looks a path up in the provider's metadata; a path that they do not cover is not checked. */
      const lookUp = (
        adapter: ProviderAdapter,
        connection: ConnectionRef,
        nativeType: string,
        path: string
      ): Effect.Effect<Known, ProviderError> =>
        Effect.gen(function* () {
          const known = yield* adapter.fieldsOf?.(connection, nativeType) ?? Effect.succeed(undefined)
          if (known === undefined || known.covers?.(path) === false) return unchecked
          const field = known.fields.find(({ name }) => name === path)
          if (field !== undefined && field.leadsTo === undefined) return { is: "found", field } as const
          const way = known.fields.find(({ leadsTo, name }) => leadsTo !== undefined && path.startsWith(`${name}.`))
          if (way?.leadsTo === undefined) return missing(path, known.fields)
          const beyond = (name: string) => `${way.name}.${name}`
          const there = yield* lookUp(adapter, connection, way.leadsTo, path.slice(way.name.length + 1))
          if (there.is === "unchecked") return { ...there, readOnly: true }
          return there.is === "found"
            ? ({ is: "found", field: { ...there.field, name: path, readOnly: true } } as const)
            : ({ is: "missing", nearest: there.nearest.map((near) => ({ ...near, name: beyond(near.name) })) } as const)
        }).pipe(
          Effect.catchIf(
            // the account lacks the type, or may not be asked about it
            ({ reason: { _tag } }) => _tag === "NotPermitted" || _tag === "Unsupported" || _tag === "Missing",
            () => Effect.succeed(unchecked)
          )
        )

      const checked = Effect.fn("Overrides.check")(function* (
        asker: Asker,
        adapter: ProviderAdapter,
        input: NamedOverride
      ) {
        const resource = yield* resourceNamed(adapter, input.resource)
        const mapping = yield* fieldMappings.compiled(asker.caller, adapter, resource)
        const resourceAdapter = adapter.resources[resource.name]
        if (resourceAdapter === undefined || mapping === undefined)
          return yield* Effect.dieMessage("a resource without a mapping")
        const errors = problemsOf(resource, resourceAdapter.mapping, input)
        if (Object.keys(errors).length > 0) return yield* new Unprocessable({ errors })
        const connection = yield* connectionOf(asker, adapter)
        const known = yield* metadataOf(adapter, connection, resourceAdapter.mapping, input).pipe(answersFor(mapping))
        const account = connection === undefined ? "" : accountOf(connection.endUserId, asker.endUser !== undefined)
        const settled = yield* settle(resource, resourceAdapter.mapping, input, known, account).pipe(
          Effect.mapError((problems) => new Unprocessable({ errors: problems }))
        )
        return { connection, resource, resourceAdapter, settled }
      })

      const metadataOf = (
        adapter: ProviderAdapter,
        connection: ConnectionRef | undefined,
        mapping: Mapping,
        input: NamedOverride
      ) => {
        const path = shownPath(nativePathOf(mapping, input.native_field))
        return Effect.map(
          Effect.forEach(
            typesOf(mapping, input),
            (nativeType) =>
              connection === undefined
                ? Effect.succeed([nativeType, unchecked] as const)
                : Effect.map(lookUp(adapter, connection, nativeType, path), (found) => [nativeType, found] as const),
            { concurrency: "unbounded" }
          ),
          (found) => new Map<string, Known>(found)
        )
      }

      /** The account's first record whose native type the mapping has. */
      const firstOf = (
        reached: ResourceAccess,
        position: string | null = null,
        page = 1
      ): Effect.Effect<NativeRecord | undefined, ProviderError> => {
        const { connection, mapping, resourceAdapter } = reached
        if (resourceAdapter.list === undefined) return Effect.succeed(undefined)
        const request = { connection, mapping, position, wanted: {} }
        // first records may be of the resource's other types, so further pages are searched
        return Effect.flatMap(
          resourceAdapter.list({ ...request, limit: position === null ? 1 : 100 }),
          ({ next, records }) => {
            const found = records.find(({ nativeType }) => mapping.variant(nativeType) !== undefined)
            return found !== undefined || next === null || page === patience
              ? Effect.succeed(found)
              : firstOf(reached, next, page + 1)
          }
        )
      }

      const sampleOf = (reached: ResourceAccess, remoteId: string | undefined) =>
        remoteId === undefined ? firstOf(reached) : Effect.map(one.locate(reached, remoteId), ({ found }) => found)

      const shown = Effect.fnUntraced(function* (
        reached: ResourceAccess,
        before: CompiledMapping,
        resource: Resource,
        settled: Settled,
        remoteId: string | undefined
      ) {
        const { adapter, connection, mapping, resourceAdapter } = reached
        const sample = yield* sampleOf(reached, remoteId)
        if (sample === undefined) {
          return yield* new NotFound({
            code: recordNotFoundCode(resource.name),
            message: `This account of ${adapter.slug} has no ${resource.name} to show it on.`
          })
        }
        const record = yield* one.present(reached, sample)
        const variant = before.variant(sample.nativeType)
        // read again with today's mapping, which requests other fields
        const today =
          resourceAdapter.get === undefined || variant === undefined
            ? sample
            : yield* resourceAdapter.get({ connection, variant, id: String(record.remote_id) })
        const path = overriddenPath(resource, settled)
        const row = mapping.rows.find(({ field, native_type }) => field === path && native_type === sample.nativeType)
        if (row === undefined) return yield* Effect.dieMessage("an override without a row")
        return {
          row: { ...row, checked: settled.checked.includes(sample.nativeType) },
          before: getPath(yield* one.present({ ...reached, mapping: before }, today), path) ?? null,
          after: getPath(record, path) ?? null,
          native: getPath(sample.record, row.native_field) ?? null,
          record
        }
      })

      return {
        put: Effect.fn("Overrides.put")(function* (asker, adapter, input) {
          const { resource, settled } = yield* checked(asker, adapter, input)
          const rows = yield* fieldMappings.put(asker.caller, adapter, resource, settled.override)
          return rows.map((row) => ({ ...row, checked: settled.checked.includes(row.native_type) }))
        }),
        preview: Effect.fn("Overrides.preview")(function* (asker, adapter, input, remoteId) {
          const { connection, resourceAdapter, resource, settled } = yield* checked(asker, adapter, input)
          if (connection === undefined) {
            return yield* new NotFound({
              code: "PROVIDER_NOT_CONNECTED",
              message: `Nobody has connected ${adapter.slug} here, so there is no record to show it on.`
            })
          }
          const { after, before } = yield* fieldMappings.draft(
            asker.caller,
            adapter,
            resource,
            resourceAdapter.mapping,
            settled.override
          )
          const reached: ResourceAccess = { adapter, connection, resourceAdapter, mapping: after }
          return yield* shown(reached, before, resource, settled, remoteId).pipe(answersFor(after, { id: remoteId }))
        })
      }
    })
  )
}

const unchecked: Known = { is: "unchecked", readOnly: false }

const missing = (path: string, fields: ReadonlyArray<NativeField>): Known => ({
  is: "missing",
  // a field that only leads to others is none itself
  nearest: suggestFields(
    path,
    fields.filter(({ leadsTo }) => leadsTo === undefined)
  )
})

/** Describes the account that was used. */
const accountOf = (endUser: string, isNamed: boolean) =>
  `the account of end user ${endUser}${isNamed ? "" : " (X-End-User-Id names another)"}`
