import { Context, Effect, Either, Layer } from "effect"
import type { Resource } from "../canonical/Resource.ts"
import { Connections } from "../connections/Connections.ts"
import { FieldMappings } from "../fieldmappings/FieldMappings.ts"
import type { CompiledMapping, CompiledVariant } from "../mapping/Compile.ts"
import type { Body, Encoded, Mode } from "../mapping/Encode.ts"
import { Encryption } from "../platform/Encryption.ts"
import { type ApiError, BadGateway, Conflict, MethodNotAllowed, NotFound, Unprocessable } from "../platform/Errors.ts"
import {
  type ConnectionRef,
  type NativeRecord,
  type Operation,
  operations,
  type ProviderAdapter,
  type ResourceAdapter,
  type Target,
  type Written
} from "../providers/ProviderAdapter.ts"
import { ProviderError } from "../providers/ProviderError.ts"
import { Providers } from "../providers/Providers.ts"
import type { Caller } from "../tenancy/CurrentCaller.ts"
import { EndUsers } from "../tenancy/EndUsers.ts"
import { seal, unseal, type Walk } from "./Cursor.ts"
import { gather } from "./FanOut.ts"
import { Identities, type Sighting } from "./Identities.ts"
import { Lookups } from "./Lookups.ts"
import { isTransient, recordNotFound, toApiError } from "./ProviderFailures.ts"
import { violations } from "./Rules.ts"

/** Whose records are meant. */
export interface Subject {
  readonly caller: Caller
  /** `X-End-User-Id` */
  readonly endUser: string
  /** `X-Connection-Id` */
  readonly connection: string | undefined
}

export interface ListQuery {
  readonly provider: string | undefined
  readonly cursor: string | undefined
  readonly limit: number
  readonly createdAfter: string | undefined
  readonly createdBefore: string | undefined
  readonly includeRemoteData: boolean
}

/** A record in canonical shape, as it travels. */
export type CanonicalRecord = { readonly [field: string]: unknown }

export interface Listed {
  readonly data: ReadonlyArray<CanonicalRecord>
  readonly pagination: { readonly cursor: string | null; readonly hasMore: boolean; readonly limit: number }
  readonly errors?: ReadonlyArray<{
    readonly provider: string
    readonly connectionId: string
    readonly code: string
    readonly message: string
    readonly retryable: boolean
  }>
}

/** One record, by the provider that holds it. */
export interface Which {
  readonly provider: string
  readonly id: string
}

/** What `/crm` and `/accounting` do: canonical records over the connected providers. */
export class Records extends Context.Tag("tributary/records/Records")<
  Records,
  {
    readonly list: (subject: Subject, resource: Resource, query: ListQuery) => Effect.Effect<Listed, ApiError>
    readonly get: (
      subject: Subject,
      resource: Resource,
      which: Which,
      includeRemoteData: boolean
    ) => Effect.Effect<CanonicalRecord, ApiError>
    readonly create: (
      subject: Subject,
      resource: Resource,
      provider: string,
      body: Body,
      idempotencyKey: string | undefined
    ) => Effect.Effect<CanonicalRecord, ApiError>
    readonly update: (
      subject: Subject,
      resource: Resource,
      which: Which,
      body: Body,
      mode: "replace" | "patch"
    ) => Effect.Effect<CanonicalRecord, ApiError>
    readonly remove: (
      subject: Subject,
      resource: Resource,
      which: Which
    ) => Effect.Effect<{ readonly remote_id: string }, ApiError>
    /** Whether a create at this provider may be sent again under the same idempotency key. */
    readonly repeatsCreates: (resource: Resource, provider: string) => boolean
  }
>() {
  static readonly layer = Layer.effect(
    Records,
    Effect.gen(function* () {
      const providers = yield* Providers
      const endUsers = yield* EndUsers
      const connections = yield* Connections
      const fieldMappings = yield* FieldMappings
      const identities = yield* Identities
      const lookups = yield* Lookups
      const encryption = yield* Encryption

      // -------------------------------------------------------------------------------------------------------------
      // who, and where

      const adapterOf = (slug: string, resource: Resource) => {
        const adapter = providers.get(slug)
        return adapter?.category === resource.category
          ? Effect.succeed(adapter)
          : Effect.fail(
              new NotFound({
                code: "PROVIDER_NOT_FOUND",
                message: `provider: there is no ${resource.category} provider ${slug}. Known: ${providers
                  .all(resource.category)
                  .map((one) => one.slug)
                  .join(", ")}.`
              })
            )
      }

      const endUserOf = (subject: Subject) =>
        Effect.flatMap(endUsers.find(subject.caller, subject.endUser), (found) =>
          found === undefined
            ? Effect.fail(
                new NotFound({
                  code: "END_USER_NOT_FOUND",
                  message: "X-End-User-Id: no such end user. It is the endUserId given when the connect token was made."
                })
              )
            : Effect.succeed(found)
        )

      /** The connections a call may mean: of this end user, to these providers. */
      const connectionsOf = Effect.fnUntraced(function* (subject: Subject, adapters: ReadonlyArray<ProviderAdapter>) {
        const endUser = yield* endUserOf(subject)
        const all = yield* connections.ofEndUser(subject.caller, endUser.id)
        const meant = all.filter((one) => adapters.some((adapter) => adapter.slug === one.provider))
        if (subject.connection === undefined) return meant
        const picked = meant.filter((one) => one.id === subject.connection)
        if (picked.length === 0) {
          return yield* new NotFound({
            code: "CONNECTION_NOT_FOUND",
            message: "X-Connection-Id: this end user has no such connection here."
          })
        }
        return picked
      })

      /** The one connection that a call to a provider means. */
      const connectionOf = Effect.fnUntraced(function* (subject: Subject, adapter: ProviderAdapter) {
        const [first, ...others] = yield* connectionsOf(subject, [adapter])
        if (first === undefined) {
          return yield* new NotFound({
            code: "PROVIDER_NOT_CONNECTED",
            message: `This end user has not connected ${adapter.slug}.`
          })
        }
        if (others.length > 0) {
          return yield* new Conflict({
            code: "CONNECTION_AMBIGUOUS",
            message: `This end user has ${others.length + 1} connections to ${adapter.slug}; say which with X-Connection-Id: ${[first, ...others].map((one) => one.id).join(", ")}.`
          })
        }
        return first
      })

      const notSupported = (adapter: ProviderAdapter, resource: Resource, operation: string, single: boolean) => {
        const has = (name: Operation) => adapter.resources[resource.name]?.[name] !== undefined
        const methods: ReadonlyArray<readonly [Operation, string]> = single
          ? [
              ["get", "GET"],
              ["replace", "PUT"],
              ["patch", "PATCH"],
              ["remove", "DELETE"]
            ]
          : [
              ["list", "GET"],
              ["create", "POST"]
            ]
        return new MethodNotAllowed({
          message: `${adapter.slug} has no ${operation} of ${resource.name}.`,
          allow: methods.filter(([name]) => has(name)).map(([, method]) => method)
        })
      }

      /** A provider's part in a resource, the operation wanted and the mapping in force. */
      const partOf = Effect.fnUntraced(function* (
        subject: Subject,
        resource: Resource,
        slug: string,
        operation: Operation
      ) {
        const adapter = yield* adapterOf(slug, resource)
        const part = adapter.resources[resource.name]
        const connection = yield* connectionOf(subject, adapter)
        const mapping = yield* fieldMappings.compiled(subject.caller, adapter, resource)
        const single = operation !== "list" && operation !== "create"
        if (part?.[operation] === undefined || mapping === undefined) {
          return yield* notSupported(adapter, resource, operation, single)
        }
        return { adapter, part, connection, mapping }
      })

      // -------------------------------------------------------------------------------------------------------------
      // native -> canonical

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
      const presentAll = Effect.fn("Records.decode")(function* (
        connection: ConnectionRef,
        adapter: ProviderAdapter,
        mapping: CompiledMapping,
        records: ReadonlyArray<NativeRecord>,
        includeRemoteData: boolean
      ) {
        const names = new Set(records.flatMap((record) => mapping.variant(record.nativeType)?.lookups ?? []))
        const looked = names.size === 0 ? undefined : yield* lookups.get(connection, adapter, [...names])
        const sighting = identities.sight(connection, mapping.resource.category)
        const presented = records.flatMap((record) => {
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

      // -------------------------------------------------------------------------------------------------------------
      // one record

      const answersFor =
        (mapping: CompiledMapping, id?: string) =>
        <A, R>(effect: Effect.Effect<A, ApiError | ProviderError, R>): Effect.Effect<A, ApiError, R> =>
          Effect.catchTag(effect, "ProviderError", (error) => Effect.fail(toApiError(error, mapping, id)))

      /** The native record that `{id}` means: by service id exactly, by remote id in whichever native types have it. */
      const locate = Effect.fn("Records.locate")(function* (
        connection: ConnectionRef,
        part: ResourceAdapter,
        mapping: CompiledMapping,
        id: string
      ) {
        const get = part.get
        const resource = mapping.resource
        if (get === undefined) return yield* recordNotFound(resource, id)
        if (id.startsWith("urn:uuid:")) {
          const uuid = id.slice("urn:uuid:".length).toLowerCase()
          const resolve = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid)
            ? yield* identities.resolve(connection, [uuid])
            : () => undefined
          const known = resolve(uuid)
          const variant = known?.resource === resource.name ? mapping.variant(known.nativeType) : undefined
          if (known === undefined || variant === undefined) return yield* recordNotFound(resource, id)
          const found = yield* get({ connection, variant, id: known.remoteId })
          return { variant, found, id: known.remoteId }
        }
        const hits = yield* Effect.forEach(
          mapping.variants,
          (variant) =>
            get({ connection, variant, id }).pipe(
              Effect.map((found) => [{ variant, found, id }]),
              Effect.catchIf(
                (error) => error.reason._tag === "Missing",
                () => Effect.succeed([])
              )
            ),
          { concurrency: "unbounded" }
        )
        const [hit, ...others] = hits.flat()
        if (hit === undefined) return yield* recordNotFound(resource, id)
        if (others.length > 0) {
          const sighting = identities.sight(connection, resource.category)
          const ids = [hit, ...others].map(
            ({ variant }) => `urn:uuid:${sighting.idOf(resource.name, variant.nativeType, id)} (${variant.nativeType})`
          )
          yield* sighting.keep
          return yield* new Conflict({
            code: "RECORD_AMBIGUOUS",
            message: `${id} is more than one ${resource.name} at ${connection.provider}; use one of the service ids: ${ids.join(", ")}.`
          })
        }
        return hit
      })

      const one = (records: ReadonlyArray<CanonicalRecord>, resource: Resource, id: string) => {
        const [record] = records
        return record === undefined ? Effect.fail(recordNotFound(resource, id)) : Effect.succeed(record)
      }

      /** Encodes a body: references resolved, lookups at hand; lookups are loaded anew once when that did not do. */
      const encodeBody = Effect.fn("Records.encode")(function* (
        connection: ConnectionRef,
        adapter: ProviderAdapter,
        mapping: CompiledMapping,
        variant: CompiledVariant,
        body: Body,
        mode: Mode,
        current: NativeRecord | undefined
      ) {
        const needs = variant.needs(body, mode)
        const [resolve, held] = yield* Effect.all(
          [
            identities.resolve(
              connection,
              needs.references.map(({ uuid }) => uuid.replace(/^urn:uuid:/, "").toLowerCase())
            ),
            lookups.get(connection, adapter, needs.lookups)
          ],
          { concurrency: "unbounded" }
        )
        const [currentRecord] =
          current === undefined ? [] : yield* presentAll(connection, adapter, mapping, [current], false)
        const encodeWith = (values: { readonly [name: string]: unknown }): Either.Either<Encoded, Unprocessable> =>
          Either.mapLeft(
            variant.encode(body, mode, { resolve, lookups: values, current, currentRecord }),
            (errors) => new Unprocessable({ errors })
          )
        const first = encodeWith(held)
        if (Either.isRight(first) || needs.lookups.length === 0) return yield* first
        return yield* encodeWith(yield* lookups.refresh(connection, adapter, needs.lookups))
      })

      /** The record after a write; once it exists the answer is a success, even when it cannot be read back. */
      const afterWrite = Effect.fn("Records.afterWrite")(function* (
        connection: ConnectionRef,
        adapter: ProviderAdapter,
        part: ResourceAdapter,
        mapping: CompiledMapping,
        variant: CompiledVariant,
        written: Written,
        body: Body
      ) {
        const read = Effect.gen(function* () {
          const found =
            written.record ??
            (yield* (
              part.get?.({ connection, variant, id: written.id }) ??
              Effect.fail(recordNotFound(mapping.resource, written.id))
            ))
          return yield* one(
            yield* presentAll(connection, adapter, mapping, [found], false),
            mapping.resource,
            written.id
          )
        })
        return yield* Effect.catchAll(read, (cause) =>
          Effect.as(
            Effect.logWarning("a record was written but could not be read back", {
              provider: adapter.slug,
              cause: cause._tag
            }),
            sent(connection, mapping, variant, written.id, body)
          )
        )
      })

      /** What is known of a record that was written and could not be read back. */
      const sent = (
        connection: ConnectionRef,
        mapping: CompiledMapping,
        variant: CompiledVariant,
        id: string,
        body: Body
      ): CanonicalRecord => {
        const sighting = identities.sight(connection, mapping.resource.category)
        return {
          ...Object.fromEntries(
            Object.entries(mapping.resource.fields)
              .filter(([, field]) => field.access !== "wo")
              .map(([name, field]) => [name, body[name] ?? (field.kind === "list" ? [] : null)])
          ),
          id: `urn:uuid:${sighting.idOf(mapping.resource.name, variant.nativeType, id)}`,
          remote_id: id,
          remote_was_deleted: false,
          providerSlug: connection.provider,
          providerId: connection.id
        }
      }

      const scopeOf = (subject: Subject, resource: Resource, query: ListQuery) =>
        JSON.stringify([
          subject.caller.organisation,
          subject.caller.environment,
          subject.endUser,
          subject.connection ?? null,
          resource.category,
          resource.name,
          query.provider ?? null,
          query.createdAfter ?? null,
          query.createdBefore ?? null
        ])

      /** The connections a new walk goes through. */
      const startOf = Effect.fnUntraced(function* (subject: Subject, resource: Resource, query: ListQuery) {
        if (query.provider !== undefined) {
          const { connection } = yield* partOf(subject, resource, query.provider, "list")
          return [connection]
        }
        const able = providers
          .all(resource.category)
          .filter((adapter) => adapter.resources[resource.name]?.list !== undefined)
        return yield* connectionsOf(subject, able)
      })

      const list = Effect.fn("Records.list")(function* (subject: Subject, resource: Resource, query: ListQuery) {
        const scope = scopeOf(subject, resource, query)
        const walk: Walk =
          query.cursor === undefined
            ? {
                connections: (yield* startOf(subject, resource, query)).map(({ id }) => ({ id, position: null })),
                turn: 0
              }
            : yield* Effect.provideService(unseal(query.cursor, scope), Encryption, encryption)
        // with a cursor the end user is looked up too: whoever was removed sees nothing more
        const endUser = yield* endUserOf(subject)
        const known = new Map((yield* connections.ofEndUser(subject.caller, endUser.id)).map((one) => [one.id, one]))
        const still = walk.connections.filter(({ id }) => known.has(id))

        const gathered = yield* gather(
          { ...walk, connections: still },
          query.limit,
          ({ id, position, size }) =>
            Effect.gen(function* () {
              const connection = known.get(id)
              const adapter = connection === undefined ? undefined : providers.get(connection.provider)
              const mapping =
                adapter === undefined ? undefined : yield* fieldMappings.compiled(subject.caller, adapter, resource)
              const listNative = adapter?.resources[resource.name]?.list
              if (
                connection === undefined ||
                adapter === undefined ||
                mapping === undefined ||
                listNative === undefined
              ) {
                return { records: [], next: null }
              }
              const page = yield* listNative({
                connection,
                mapping,
                position,
                limit: size,
                createdAfter: query.createdAfter,
                createdBefore: query.createdBefore
              })
              const records = yield* presentAll(connection, adapter, mapping, page.records, query.includeRemoteData)
              return { records, next: page.next }
            }).pipe(Effect.mapError((error) => ({ connection: id, error }))),
          ({ error }) => isTransient(error)
        )

        const failures = yield* Effect.forEach(gathered.failures, ({ error: { error }, id, retry }) =>
          Effect.gen(function* () {
            const adapter = providers.get(error.provider)
            const mapping =
              adapter === undefined ? undefined : yield* fieldMappings.compiled(subject.caller, adapter, resource)
            return mapping === undefined
              ? []
              : [{ id, retry, error: toApiError(error, mapping, undefined), from: error.provider }]
          })
        ).pipe(Effect.map((found) => found.flat()))
        const asked = still.length
        if (failures.length > 0 && failures.length === Math.min(asked, query.limit) && gathered.records.length === 0) {
          return yield* commonFailure(failures.map(({ error }) => error))
        }

        return {
          data: gathered.records,
          pagination: {
            cursor:
              gathered.walk === undefined
                ? null
                : yield* Effect.provideService(seal(gathered.walk, scope), Encryption, encryption),
            hasMore: gathered.walk !== undefined,
            limit: query.limit
          },
          ...(failures.length === 0
            ? {}
            : {
                errors: failures.map(({ error, from, id, retry }) => ({
                  provider: from,
                  connectionId: id,
                  code: error.code,
                  message: error.message,
                  retryable: retry
                }))
              })
        }
      })

      const get = Effect.fn("Records.get")(function* (
        subject: Subject,
        resource: Resource,
        which: Which,
        includeRemoteData: boolean
      ) {
        const { adapter, connection, mapping, part } = yield* partOf(subject, resource, which.provider, "get")
        return yield* Effect.gen(function* () {
          const { found } = yield* locate(connection, part, mapping, which.id)
          return yield* one(
            yield* presentAll(connection, adapter, mapping, [found], includeRemoteData),
            resource,
            which.id
          )
        }).pipe(answersFor(mapping, which.id))
      })

      const create = Effect.fn("Records.create")(function* (
        subject: Subject,
        resource: Resource,
        slug: string,
        body: Body,
        idempotencyKey: string | undefined
      ) {
        const { adapter, connection, mapping, part } = yield* partOf(subject, resource, slug, "create")
        const write = part.create
        if (write === undefined) return yield* notSupported(adapter, resource, "create", false)
        const errors = violations(resource, slug, body)
        if (Object.keys(errors).length > 0) return yield* new Unprocessable({ errors })
        const variant = mapping.choose(body)
        if (variant === undefined) {
          return yield* new Unprocessable({ errors: { body: `${slug} has no kind of ${resource.name} for this` } })
        }
        return yield* Effect.gen(function* () {
          const encoded = yield* encodeBody(connection, adapter, mapping, variant, body, "create", undefined)
          const written = yield* write({ connection, variant, encoded, idempotencyKey })
          return yield* afterWrite(connection, adapter, part, mapping, variant, written, body)
        }).pipe(answersFor(mapping))
      })

      const update = Effect.fn("Records.update")(function* (
        subject: Subject,
        resource: Resource,
        which: Which,
        body: Body,
        mode: "replace" | "patch"
      ) {
        const { adapter, connection, mapping, part } = yield* partOf(subject, resource, which.provider, mode)
        const write = part[mode]
        if (write === undefined) return yield* notSupported(adapter, resource, mode, true)
        if (mode === "replace") {
          const errors = violations(resource, which.provider, body)
          if (Object.keys(errors).length > 0) return yield* new Unprocessable({ errors })
        }
        const attempt = Effect.gen(function* () {
          const known = mapping.variants.length === 1 && !which.id.startsWith("urn:") ? mapping.variants[0] : undefined
          const readsFirst = known === undefined || part.updates === "whole" || known.needs(body, mode).current
          const located = readsFirst ? yield* locate(connection, part, mapping, which.id) : undefined
          const variant = located?.variant ?? known
          if (variant === undefined) return yield* recordNotFound(resource, which.id)
          const id = located?.id ?? which.id
          const current = located?.found
          const encoded = yield* encodeBody(connection, adapter, mapping, variant, body, mode, current)
          const written = yield* write({ connection, variant, id, encoded, current, mode })
          return yield* afterWrite(connection, adapter, part, mapping, variant, written, body)
        })
        return yield* attempt.pipe(
          // the record changed between reading and writing: once more, on what it is now
          Effect.catchIf(
            (error) => error._tag === "ProviderError" && error.reason._tag === "Stale",
            () => attempt
          ),
          answersFor(mapping, which.id)
        )
      })

      const remove = Effect.fn("Records.remove")(function* (subject: Subject, resource: Resource, which: Which) {
        const { adapter, connection, mapping, part } = yield* partOf(subject, resource, which.provider, "remove")
        const write = part.remove
        if (write === undefined) return yield* notSupported(adapter, resource, "delete", true)
        const attempt = Effect.gen(function* () {
          const known = mapping.variants.length === 1 && !which.id.startsWith("urn:") ? mapping.variants[0] : undefined
          const located =
            known === undefined || part.updates === "whole"
              ? yield* locate(connection, part, mapping, which.id)
              : undefined
          const variant = located?.variant ?? known
          if (variant === undefined) return yield* recordNotFound(resource, which.id)
          const target: Target = { connection, variant, id: located?.id ?? which.id }
          yield* write({ ...target, current: located?.found })
          return { remote_id: target.id }
        })
        return yield* attempt.pipe(
          Effect.catchIf(
            (error) => error._tag === "ProviderError" && error.reason._tag === "Stale",
            () => attempt
          ),
          answersFor(mapping, which.id)
        )
      })

      return {
        list,
        get,
        create,
        update,
        remove,
        repeatsCreates: (resource, slug) => providers.get(slug)?.resources[resource.name]?.repeatsCreates === true
      }
    })
  )
}

/** When every connection failed: the failure they share, else 502. */
const commonFailure = (errors: ReadonlyArray<ApiError>): Effect.Effect<never, ApiError> => {
  const [first] = errors
  return first !== undefined && errors.every((error) => error.status === first.status)
    ? Effect.fail(first)
    : Effect.fail(new BadGateway({ message: "Every connected provider failed.", provider: undefined }))
}

/** The verbs a provider has for a resource. */
export const verbsOf = (part: ResourceAdapter): ReadonlyArray<Operation> =>
  operations.filter((operation) => part[operation] !== undefined)
