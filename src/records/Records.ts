import { Context, Effect, Either, Layer } from "effect"
import type { Resource } from "../canonical/Resource.ts"
import type { CompiledMapping, CompiledVariant } from "../mapping/Compile.ts"
import type { Body, Encoded, Mode } from "../mapping/Encode.ts"
import { Encryption } from "../platform/Encryption.ts"
import { type ApiError, BadGateway, Conflict, NotFound, Unprocessable } from "../platform/Errors.ts"
import type { NativeRecord, ResourceAdapter, Written } from "../providers/ProviderAdapter.ts"
import type { ProviderError } from "../providers/ProviderError.ts"
import { Providers } from "../providers/Providers.ts"
import { Access, type Part, type Subject } from "./Access.ts"
import { seal, unseal, type Walk } from "./Cursor.ts"
import { gather, type Share } from "./FanOut.ts"
import { Identities } from "./Identities.ts"
import { Lookups } from "./Lookups.ts"
import { type CanonicalRecord, keepsIdentities, Presenter } from "./Presenter.ts"
import { isTransient, recordNotFound, toApiError } from "./ProviderFailures.ts"
import { violations } from "./Rules.ts"

export interface ListQuery {
  readonly provider: string | undefined
  readonly cursor: string | undefined
  readonly limit: number
  readonly createdAfter: string | undefined
  readonly createdBefore: string | undefined
  readonly includeRemoteData: boolean
}

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
      const access = yield* Access
      const providers = yield* Providers
      const presenter = yield* Presenter
      const identities = yield* Identities
      const lookups = yield* Lookups
      const encryption = yield* Encryption

      const sealed = Effect.provideService(Encryption, encryption)

      /** What failed at the provider, in the words of this service. */
      const answersFor =
        (mapping: CompiledMapping, id?: string) =>
        <A, R>(effect: Effect.Effect<A, ApiError | ProviderError, R>): Effect.Effect<A, ApiError, R> =>
          Effect.catchTag(effect, "ProviderError", (error) => Effect.fail(toApiError(error, mapping, id)))

      // -------------------------------------------------------------------------------------------------------------
      // one record

      const byServiceId = Effect.fnUntraced(function* (reached: Part, get: Get, id: string) {
        const { connection, mapping } = reached
        const uuid = id.slice(urn.length).toLowerCase()
        const resolve = uuidPattern.test(uuid) ? yield* identities.resolve(connection, [uuid]) : () => undefined
        const known = resolve(uuid)
        if (known === undefined && !keepsIdentities(mapping)) {
          return yield* new NotFound({
            code: recordNotFound(mapping.resource, id).code,
            message: `${id}: ${mapping.resource.name} records are found by their remote_id, not by their id.`
          })
        }
        const variant = known?.resource === mapping.resource.name ? mapping.variant(known.nativeType) : undefined
        if (known === undefined || variant === undefined) return yield* recordNotFound(mapping.resource, id)
        const found = yield* get({ connection, variant, id: known.remoteId })
        return { variant, found, id: known.remoteId }
      })

      const byRemoteId = Effect.fnUntraced(function* (reached: Part, get: Get, id: string) {
        const { connection, mapping } = reached
        const resource = mapping.resource
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
        if (others.length === 0) return hit
        const sighting = identities.sight(connection, resource.category)
        const ids = [hit, ...others].map(
          ({ variant }) => `${urn}${sighting.idOf(resource.name, variant.nativeType, id)} (${variant.nativeType})`
        )
        yield* sighting.keep
        return yield* new Conflict({
          code: "RECORD_AMBIGUOUS",
          message: `${id} is more than one ${resource.name} at ${connection.provider}; use one of the service ids: ${ids.join(", ")}.`
        })
      })

      /** The native record that `{id}` means: by service id exactly, by remote id in whichever native types have it. */
      const locate = Effect.fn("Records.locate")(function* (reached: Part, id: string) {
        const get = reached.part.get
        if (get === undefined) return yield* recordNotFound(reached.mapping.resource, id)
        return yield* id.startsWith(urn) ? byServiceId(reached, get, id) : byRemoteId(reached, get, id)
      })

      /** The native type of `{id}` where nothing needs to be read to know it. */
      const evident = ({ mapping }: Part, id: string) =>
        mapping.variants.length === 1 && !id.startsWith(urn) ? mapping.variants[0] : undefined

      const presentOne = Effect.fnUntraced(function* (reached: Part, found: NativeRecord, includeRemoteData?: boolean) {
        const [record] = yield* presenter.records(reached, [found], includeRemoteData)
        return record === undefined ? yield* recordNotFound(reached.mapping.resource, "") : record
      })

      // -------------------------------------------------------------------------------------------------------------
      // writing

      /** Encodes a body: references resolved, lookups at hand; lookups are loaded anew once when that did not do. */
      const encodeBody = Effect.fn("Records.encode")(function* (
        reached: Part,
        variant: CompiledVariant,
        body: Body,
        mode: Mode,
        current: NativeRecord | undefined
      ) {
        const { adapter, connection } = reached
        const needs = variant.needs(body, mode)
        const uuids = needs.references.map(({ uuid }) => uuid.replace(urn, "").toLowerCase())
        const [resolve, held, currentRecord] = yield* Effect.all(
          [
            identities.resolve(connection, uuids),
            lookups.get(connection, adapter, needs.lookups),
            current === undefined ? Effect.succeed(undefined) : presentOne(reached, current)
          ],
          { concurrency: "unbounded" }
        )
        const encodeWith = (values: { readonly [name: string]: unknown }): Either.Either<Encoded, Unprocessable> =>
          Either.mapLeft(
            variant.encode(body, mode, { resolve, lookups: values, current, currentRecord }),
            (errors) => new Unprocessable({ errors })
          )
        const first = encodeWith(held)
        if (Either.isRight(first) || needs.lookups.length === 0) return yield* first
        return yield* encodeWith(yield* lookups.refresh(connection, adapter, needs.lookups))
      })

      /** The record after a write. Once it exists the answer is a success, even when it cannot be read back. */
      const afterWrite = Effect.fn("Records.afterWrite")(function* (
        reached: Part,
        variant: CompiledVariant,
        { id, record }: Written,
        body: Body
      ) {
        const { connection, mapping, part } = reached
        const readBack: Effect.Effect<NativeRecord, ApiError | ProviderError> =
          record === undefined
            ? (part.get?.({ connection, variant, id }) ?? Effect.fail(recordNotFound(mapping.resource, id)))
            : Effect.succeed(record)
        return yield* Effect.flatMap(readBack, (native) => presentOne(reached, native)).pipe(
          Effect.catchAll((error) =>
            Effect.as(
              Effect.logWarning("a record was written but could not be read back").pipe(
                Effect.annotateLogs({ provider: connection.provider, error: error._tag })
              ),
              presenter.sent(reached, variant.nativeType, id, body)
            )
          )
        )
      })

      /** Runs a write; when the record changed between reading and writing, once more on what it is now. */
      const onceMoreWhenStale = <A, R>(write: Effect.Effect<A, ApiError | ProviderError, R>) =>
        Effect.catchIf(
          write,
          (error) => error._tag === "ProviderError" && error.reason._tag === "Stale",
          () => write
        )

      const refuseViolations = (resource: Resource, provider: string, body: Body) => {
        const errors = violations(resource, provider, body)
        return Object.keys(errors).length === 0 ? Effect.void : Effect.fail(new Unprocessable({ errors }))
      }

      const create = Effect.fn("Records.create")(function* (
        subject: Subject,
        resource: Resource,
        slug: string,
        body: Body,
        idempotencyKey: string | undefined
      ) {
        const reached = yield* access.part(subject, resource, slug, "create")
        const { connection, mapping, part } = reached
        yield* refuseViolations(resource, slug, body)
        const variant = mapping.choose(body)
        const write = part.create
        if (variant === undefined || write === undefined) {
          return yield* new Unprocessable({ errors: { body: `${slug} has no kind of ${resource.name} for this` } })
        }
        return yield* Effect.gen(function* () {
          const encoded = yield* encodeBody(reached, variant, body, "create", undefined)
          const written = yield* write({ connection, variant, encoded, idempotencyKey })
          return yield* afterWrite(reached, variant, written, body)
        }).pipe(answersFor(mapping))
      })

      const update = Effect.fn("Records.update")(function* (
        subject: Subject,
        resource: Resource,
        which: Which,
        body: Body,
        mode: "replace" | "patch"
      ) {
        const reached = yield* access.part(subject, resource, which.provider, mode)
        const { connection, mapping, part } = reached
        if (mode === "replace") yield* refuseViolations(resource, which.provider, body)
        return yield* Effect.gen(function* () {
          const known = evident(reached, which.id)
          const readsFirst = known === undefined || part.updates === "whole" || known.needs(body, mode).current
          const located = readsFirst ? yield* locate(reached, which.id) : undefined
          const variant = located?.variant ?? known
          const write = part[mode]
          if (variant === undefined || write === undefined) return yield* recordNotFound(resource, which.id)
          const id = located?.id ?? which.id
          const current = located?.found
          const encoded = yield* encodeBody(reached, variant, body, mode, current)
          const written = yield* write({ connection, variant, id, encoded, current, mode })
          return yield* afterWrite(reached, variant, written, body)
        }).pipe(onceMoreWhenStale, answersFor(mapping, which.id))
      })

      const remove = Effect.fn("Records.remove")(function* (subject: Subject, resource: Resource, which: Which) {
        const reached = yield* access.part(subject, resource, which.provider, "remove")
        const { connection, mapping, part } = reached
        return yield* Effect.gen(function* () {
          const known = evident(reached, which.id)
          const readsFirst = known === undefined || part.updates === "whole"
          const located = readsFirst ? yield* locate(reached, which.id) : undefined
          const variant = located?.variant ?? known
          const write = part.remove
          if (variant === undefined || write === undefined) return yield* recordNotFound(resource, which.id)
          const id = located?.id ?? which.id
          yield* write({ connection, variant, id, current: located?.found })
          return { remote_id: id }
        }).pipe(onceMoreWhenStale, answersFor(mapping, which.id))
      })

      // -------------------------------------------------------------------------------------------------------------
      // reading

      const get = Effect.fn("Records.get")(function* (
        subject: Subject,
        resource: Resource,
        which: Which,
        includeRemoteData: boolean
      ) {
        const reached = yield* access.part(subject, resource, which.provider, "get")
        return yield* Effect.flatMap(locate(reached, which.id), ({ found }) =>
          presentOne(reached, found, includeRemoteData)
        ).pipe(answersFor(reached.mapping, which.id))
      })

      /** The walk a list request goes on with, or a new one. */
      const walkOf = Effect.fnUntraced(function* (
        subject: Subject,
        resource: Resource,
        query: ListQuery,
        scope: string
      ) {
        if (query.cursor !== undefined) return yield* sealed(unseal(query.cursor, scope))
        const meant =
          query.provider === undefined
            ? yield* access.listable(subject, resource)
            : [(yield* access.part(subject, resource, query.provider, "list")).connection]
        return { connections: meant.map(({ id }) => ({ id, position: null })), turn: 0 } satisfies Walk
      })

      const list = Effect.fn("Records.list")(function* (subject: Subject, resource: Resource, query: ListQuery) {
        const scope = scopeOf(subject, resource, query)
        const walk = yield* walkOf(subject, resource, query, scope)
        const parts = yield* access.parts(
          subject,
          resource,
          walk.connections.map(({ id }) => id)
        )
        const left = { ...walk, connections: walk.connections.filter(({ id }) => parts.has(id)) }

        const ask = ({ id, position, size }: Share) =>
          Effect.gen(function* () {
            const reached = parts.get(id)
            const listNative = reached?.part.list
            if (reached === undefined || listNative === undefined) return { records: [], next: null }
            const page = yield* listNative({
              connection: reached.connection,
              mapping: reached.mapping,
              position,
              limit: size,
              createdAfter: query.createdAfter,
              createdBefore: query.createdBefore
            })
            const records = yield* presenter.records(reached, page.records, query.includeRemoteData)
            return { records, next: page.next }
          })
        const gathered = yield* gather(left, query.limit, ask, isTransient)

        const failures = gathered.failures.flatMap(({ error, id, retry }) => {
          const mapping = parts.get(id)?.mapping
          return mapping === undefined
            ? []
            : [{ id, provider: error.provider, retry, error: toApiError(error, mapping) }]
        })
        const isWhole = failures.length > 0 && failures.length === left.connections.length
        // in mid-walk a failure that will not pass ends the walk, and is told as its end
        if (isWhole && (query.cursor === undefined || query.provider !== undefined || gathered.walk !== undefined)) {
          return yield* commonFailure(failures.map(({ error }) => error))
        }
        return {
          data: gathered.records,
          pagination: {
            cursor: gathered.walk === undefined ? null : yield* sealed(seal(gathered.walk, scope)),
            hasMore: gathered.walk !== undefined,
            limit: query.limit
          },
          ...(failures.length === 0
            ? {}
            : {
                errors: failures.map(({ error, id, provider, retry }) => ({
                  provider,
                  connectionId: id,
                  code: error.code,
                  message: error.message,
                  retryable: retry
                }))
              })
        }
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

type Get = NonNullable<ResourceAdapter["get"]>

const urn = "urn:uuid:"
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What a cursor is good for. */
const scopeOf = ({ caller, connection, endUser }: Subject, resource: Resource, query: ListQuery) =>
  JSON.stringify([
    caller.organisation,
    caller.environment,
    endUser,
    connection ?? null,
    resource.category,
    resource.name,
    query.provider ?? null,
    query.createdAfter ?? null,
    query.createdBefore ?? null
  ])

/** When every connection failed: the failure they share, else 502. */
const commonFailure = (errors: ReadonlyArray<ApiError>): Effect.Effect<never, ApiError> => {
  const [first] = errors
  return first !== undefined && errors.every((error) => error.status === first.status)
    ? Effect.fail(first)
    : Effect.fail(new BadGateway({ message: "Every connected provider failed." }))
}
