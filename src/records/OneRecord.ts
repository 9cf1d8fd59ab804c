import { Context, DateTime, Effect, Either, Layer, Option } from "effect"
import type { CompiledVariant } from "../mapping/Compile.ts"
import { providerIdsOf } from "../mapping/EncodeNeeds.ts"
import type { Body, Mode, Plan } from "../mapping/Encode.ts"
import { bare } from "../mapping/Transform.ts"
import type { Handling, Warning } from "../mapping/Warning.ts"
import * as Deadline from "../platform/Deadline.ts"
import { type ApiError, Conflict, type FieldErrors, NotFound, Unprocessable } from "../platform/Errors.ts"
import type { NativeRecord, ResourceAdapter, Written } from "../providers/ProviderAdapter.ts"
import type { LimitReached, ProviderError } from "../providers/ProviderError.ts"
import type { ResourceAccess } from "./Access.ts"
import { contradictions, movedTotals, mustKeepTotals } from "./AmountRules.ts"
import { getOf, readsTogether } from "./BatchReads.ts"
import { differences, namingCreated, warningsOf } from "./Differences.ts"
import { Identities, type Known } from "./Identities.ts"
import { Lookups } from "./Lookups.ts"
import { type CanonicalRecord, keepsIdentities, Presenter } from "./Presenter.ts"
import { recordNotFound } from "./ProviderFailures.ts"
import { unreadNulls } from "./UnreadNulls.ts"

type Failure = ApiError | ProviderError

/** A record found at its provider; `id` is the provider's. */
export interface Located {
  readonly variant: CompiledVariant
  readonly found: NativeRecord
  readonly id: string
}

/** A record after a write, and what of the body it does not hold as sent. */
export interface Held {
  readonly record: CanonicalRecord
  readonly warnings: ReadonlyArray<Warning>
}

/** One record between its provider and the caller: found, encoded, presented. */
export class OneRecord extends Context.Tag("tributary/records/OneRecord")<
  OneRecord,
  {
    /** The native record that `{id}` means: by service id exactly, by remote id in whichever native types have it. */
    readonly locate: (reached: ResourceAccess, id: string) => Effect.Effect<Located, Failure>
    /** The native type of `{id}` where nothing needs to be read to know it. */
    readonly evident: (reached: ResourceAccess, id: string) => Effect.Effect<CompiledVariant | undefined>
    readonly present: (
      reached: ResourceAccess,
      found: NativeRecord,
      includeRemoteData?: boolean
    ) => Effect.Effect<CanonicalRecord, Failure>
    /** Encodes a body: references resolved, lookups at hand; lookups are loaded again once when that did not do. */
    readonly encode: (
      reached: ResourceAccess,
      variant: CompiledVariant,
      body: Body,
      mode: Mode,
      handling: Handling,
      current: NativeRecord | undefined
    ) => Effect.Effect<Plan, Failure>
    /**
     * The record after a write, with what it holds otherwise than the body says; `before` is the record that was changed, as
     * far as it was read. Once the write is done the answer is a success. If the record cannot be read back, warnings name
     * the fields that are not known; only one that was to be changed and is not there is not found.
     */
    readonly afterWrite: (
      reached: ResourceAccess,
      variant: CompiledVariant,
      written: Written,
      sent: { readonly body: Body; readonly mode: Mode; readonly warnings: ReadonlyArray<Warning> },
      change?: { readonly before: NativeRecord | undefined }
    ) => Effect.Effect<Held, ApiError>
  }
>() {
  static readonly layer = Layer.effect(
    OneRecord,
    Effect.gen(function* () {
      const presenter = yield* Presenter
      const identities = yield* Identities
      const lookups = yield* Lookups

      const byServiceId = Effect.fnUntraced(function* (reached: ResourceAccess, get: Get, id: string) {
        const { connection, mapping } = reached
        const uuid = id.slice(urn.length).toLowerCase()
        const resolve = uuidPattern.test(uuid) ? yield* identities.resolve(connection, [uuid]) : () => undefined
        const known = resolve(uuid) ?? identities.recall(connection, uuid)
        if (known === undefined && !keepsIdentities(mapping)) {
          return yield* new NotFound({
            code: recordNotFound(mapping.resource, id).code,
            message: `${id} is not known here. Use the remote_id of the ${mapping.resource.name}, or list it first.`
          })
        }
        const variant = known?.resource === mapping.resource.name ? mapping.variant(known.nativeType) : undefined
        if (known === undefined || variant === undefined) return yield* recordNotFound(mapping.resource, id)
        const found = yield* get({ connection, variant, id: known.remoteId })
        return { variant, found, id: known.remoteId }
      })

      /** The native types that the record of an id may be of. */
      const typesOf = Effect.fnUntraced(function* (
        { connection, mapping, resourceAdapter }: ResourceAccess,
        id: string
      ) {
        const { resource, variants } = mapping
        const told = resourceAdapter.nativeTypeOf?.(id)
        // no two records share a UUID either
        const isUnique = resourceAdapter.hasUniqueIds === true || uuidPattern.test(id.toLowerCase())
        if (told === undefined && (!isUnique || variants.length < 2)) return variants
        const names = variants.map(({ nativeType }) => nativeType)
        const record = { resource: resource.name, remoteId: id }
        const seen =
          told === undefined ? yield* identities.typesOf(connection, resource.category, record, names) : [told]
        const known = variants.filter(({ nativeType }) => seen.includes(nativeType))
        return known.length === 0 ? variants : known
      })

      /** The records that have an id at the provider, one for each native type at most. */
      const hitsOf = Effect.fnUntraced(function* (reached: ResourceAccess, get: Get, id: string) {
        const { connection, mapping, resourceAdapter } = reached
        const variants = yield* typesOf(reached, id)
        const areSeveral = variants.length > 1
        if (resourceAdapter.getAmong !== undefined && areSeveral && !(yield* readsTogether(resourceAdapter))) {
          return (yield* resourceAdapter.getAmong({ connection, variants, id })).flatMap(
            (found): ReadonlyArray<Located> => {
              const variant = mapping.variant(found.nativeType)
              return variant === undefined ? [] : [{ variant, found, id }]
            }
          )
        }
        const read = getOf(reached, areSeveral) ?? get
        const merged: Array<ProviderError> = []
        const hits = yield* Effect.forEach(
          variants,
          (variant) =>
            read({ connection, variant, id }).pipe(
              Effect.map((found): ReadonlyArray<Located> => [{ variant, found, id }]),
              Effect.catchIf(
                ({ reason }) => reason._tag === "Missing",
                (error) => {
                  if (error.reason._tag === "Missing" && error.reason.mergedInto !== undefined) merged.push(error)
                  return Effect.succeed([])
                }
              )
            ),
          { concurrency: "unbounded" }
        )
        const found = hits.flat()
        const [first] = merged
        return found.length === 0 && first !== undefined ? yield* first : found
      })

      const ambiguous = Effect.fnUntraced(function* (
        { connection, mapping: { resource } }: ResourceAccess,
        id: string,
        hits: ReadonlyArray<Located>
      ) {
        const sighting = identities.sight(connection, resource.category)
        const ids = hits.map(
          (hit) =>
            `${urn}${sighting.idOf(resource.name, hit.variant.nativeType, hit.id)} (${hit.variant.nativeType} ${hit.id})`
        )
        yield* sighting.keep
        return yield* new Conflict({
          code: "RECORD_AMBIGUOUS",
          message: `${id} is more than one ${resource.name} at ${connection.provider}; use one of the service ids: ${ids.join(", ")}.`
        })
      })

      const byRemoteId = Effect.fnUntraced(function* (reached: ResourceAccess, get: Get, id: string) {
        const hits = yield* hitsOf(reached, get, id)
        const [hit, other] = hits
        if (hit === undefined) return yield* recordNotFound(reached.mapping.resource, id)
        return other === undefined ? hit : yield* ambiguous(reached, id, hits)
      })

      /** The record behind a bare UUID that this service gave to one of the resource. */
      const ownOf = Effect.fnUntraced(function* ({ connection, mapping }: ResourceAccess, id: string) {
        const uuid = id.toLowerCase()
        if (!uuidPattern.test(uuid)) return undefined
        const known = (yield* identities.resolve(connection, [uuid]))(uuid)
        return known?.resource === mapping.resource.name ? known : undefined
      })

      /** A bare UUID of this service's, unless a record of the provider has it for its own id. */
      const byOwnUuid = Effect.fnUntraced(function* (reached: ResourceAccess, get: Get, id: string, known: Known) {
        const areUuids = uuidPattern.test(known.remoteId.toLowerCase())
        const [own, others] = yield* Effect.all(
          [byServiceId(reached, get, urn + id), areUuids ? hitsOf(reached, get, id) : Effect.succeed([])],
          { concurrency: "unbounded" }
        )
        return others.length === 0 ? own : yield* ambiguous(reached, id, [own, ...others])
      })

      const locate = Effect.fn("OneRecord.locate")(function* (reached: ResourceAccess, id: string) {
        const get = getOf(reached)
        if (get === undefined) return yield* recordNotFound(reached.mapping.resource, id)
        if (id.startsWith(urn)) return yield* byServiceId(reached, get, id)
        const own = yield* ownOf(reached, id)
        return yield* own === undefined ? byRemoteId(reached, get, id) : byOwnUuid(reached, get, id, own)
      })

      const evident = Effect.fnUntraced(function* (reached: ResourceAccess, id: string) {
        if (id.startsWith(urn) || (yield* ownOf(reached, id)) !== undefined) return undefined
        const [variant, other] = yield* typesOf(reached, id)
        return other === undefined ? variant : undefined
      })

      const present = Effect.fnUntraced(function* (
        reached: ResourceAccess,
        found: NativeRecord,
        includeRemoteData?: boolean
      ) {
        const [record] = yield* presenter.records(reached, [found], includeRemoteData, true)
        return record === undefined ? yield* recordNotFound(reached.mapping.resource, "") : record
      })

      const encode = Effect.fn("OneRecord.encode")(function* (
        reached: ResourceAccess,
        variant: CompiledVariant,
        body: Body,
        mode: Mode,
        handling: Handling,
        current: NativeRecord | undefined
      ) {
        const { adapter, connection, resourceAdapter } = reached
        const needs = variant.needs(body, mode)
        const remoteIds = providerIdsOf(reached.mapping.resource, body).filter(({ id }) =>
          uuidPattern.test(id.toLowerCase())
        )
        const uuids = [...needs.references.map(({ uuid }) => uuid), ...remoteIds.map(({ id }) => id)].map(bare)
        const [resolve, held, currentRecord] = yield* Effect.all(
          [
            identities.resolve(connection, uuids),
            lookups.get(connection, adapter, needs.lookups),
            current === undefined ? Effect.succeed(undefined) : present(reached, current)
          ],
          { concurrency: "unbounded" }
        )
        const errors = serviceIdsIn(remoteIds, (uuid) => resolve(uuid) ?? identities.recall(connection, uuid))
        if (Object.keys(errors).length > 0) return yield* new Unprocessable({ errors })
        const unseen = unreadNulls(reached.mapping.resource, resourceAdapter.nullInLists, body, currentRecord)
        if (Object.keys(unseen).length > 0) return yield* new Unprocessable({ errors: unseen })
        const contradicted = contradictions(reached.mapping.resource, body, currentRecord)
        if (Object.keys(contradicted).length > 0) return yield* new Unprocessable({ errors: contradicted })
        const { line } = identities.sight(connection, adapter.category).context
        const asked = {
          connection,
          body,
          mode,
          resolve: (uuid: string) => resolve(bare(uuid)),
          lookups: held,
          current,
          line
        }
        const related = yield* resourceAdapter.related?.(asked) ?? Effect.succeed({})
        const today = DateTime.formatIsoDateUtc(yield* DateTime.now)
        const encodeWith = (values: { readonly [name: string]: unknown }): Either.Either<Plan, Unprocessable> =>
          Either.mapLeft(
            variant.encode(body, mode, {
              resolve,
              lookups: { ...values, ...related },
              current,
              currentRecord,
              handling,
              today
            }),
            (errors) => new Unprocessable({ errors })
          )
        const first = encodeWith(held)
        const mayBeStale = Either.match(first, {
          onLeft: () => true,
          // a default is as good as any, whenever it was looked up
          onRight: ({ warnings }) =>
            warnings.some(
              ({ code, field }) =>
                (code === "NOT_HELD" || code === "STATUS_NOT_REACHED") &&
                needs.lookedUp.includes(field.split(".", 1)[0] ?? "")
            )
        })
        if (!mayBeStale || needs.lookups.length === 0) return yield* first
        return yield* encodeWith(yield* lookups.refresh(connection, adapter, needs.lookups))
      })

      const afterWrite = Effect.fn("OneRecord.afterWrite")(function* (
        reached: ResourceAccess,
        variant: CompiledVariant,
        { id, record }: Written,
        {
          body,
          mode,
          warnings
        }: { readonly body: Body; readonly mode: Mode; readonly warnings: ReadonlyArray<Warning> },
        change?: { readonly before: NativeRecord | undefined }
      ) {
        const { connection, mapping } = reached
        const readBack: Effect.Effect<NativeRecord, ApiError | ProviderError> =
          record === undefined
            ? (getOf(reached)?.({ connection, variant, id }) ?? Effect.fail(recordNotFound(mapping.resource, id)))
            : Effect.succeed(record)
        const { resource } = mapping
        const native = change?.before
        const before =
          native !== undefined && mustKeepTotals(resource, body) ? present(reached, native) : Effect.succeed(undefined)
        const presented = Effect.map(
          Effect.all([Effect.flatMap(readBack, (native) => present(reached, native)), before]),
          ([now, earlier]): Held => {
            const different = differences(resource, connection.provider, mode, body, now)
            const moved = earlier === undefined ? [] : movedTotals(resource, connection.provider, earlier, now)
            return {
              record: now,
              warnings: namingCreated([...warningsOf(warnings, resource, body, different), ...moved], now)
            }
          }
        )
        return yield* presented.pipe(
          Effect.catchIf(isSoonOver, (error) =>
            Effect.flatMap(Deadline.left, (left) => {
              const pause = error.reason.retryAfter * 1000
              return pause < left ? Effect.delay(presented, pause) : Effect.fail(error)
            })
          ),
          Deadline.dispensable,
          Effect.catchAll((error) =>
            Effect.gen(function* () {
              if (change !== undefined && isMissing(error)) return yield* recordNotFound(mapping.resource, id)
              yield* Effect.logWarning("a record was written but could not be read back").pipe(
                Effect.annotateLogs({ provider: connection.provider, error: error._tag })
              )
              const before = change?.before
              const known = before === undefined ? Option.none() : yield* Effect.option(present(reached, before))
              const sent = presenter.sent(reached, variant.nativeType, id, { body, mode }, Option.getOrUndefined(known))
              return { record: sent.record, warnings: [...warnings, ...sent.unknown.map(notReadBack)] }
            })
          )
        )
      })

      return { locate, evident, present, encode, afterWrite }
    })
  )
}

const notReadBack = (field: string): Warning => ({
  field,
  code: "NOT_READ_BACK",
  message: "is not known: the record was written but could not be read afterwards. Get the record to see its value."
})

/** Seconds that a read after a write waits for a limit to pass. */
const patience = 10

type Limited = ProviderError & { readonly reason: LimitReached }

const isSoonOver = (error: Failure): error is Limited =>
  error._tag === "ProviderError" && error.reason._tag === "LimitReached" && error.reason.retryAfter <= patience

const isMissing = (error: Failure) =>
  error._tag === "ProviderError" ? error.reason._tag === "Missing" : error._tag === "NotFound"

type Get = NonNullable<ResourceAdapter["get"]>

/** Refuses service ids in fields that take a `remote_id`. */
const serviceIdsIn = (
  ids: ReadonlyArray<{ readonly path: string; readonly id: string }>,
  resolve: (uuid: string) => Known | undefined
): FieldErrors =>
  Object.fromEntries(
    ids.flatMap(({ id, path }) => {
      const known = resolve(bare(id))
      return known === undefined
        ? []
        : [[path, `takes the remote_id ${known.remoteId}; ${id} is the service id of that ${known.resource}`]]
    })
  )

const urn = "urn:uuid:"
const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
