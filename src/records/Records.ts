import { Context, Effect, Layer, Record } from "effect"
import { commonFields, type Resource } from "../canonical/Resource.ts"
import { Features } from "../connections/Features.ts"
import type { Body } from "../mapping/Encode.ts"
import type { Handling } from "../mapping/Warning.ts"
import { type ApiError, BadGateway, type BadRequest, Unprocessable } from "../platform/Errors.ts"
import { noting } from "../platform/RequestNotes.ts"
import type { ProviderError } from "../providers/ProviderError.ts"
import type { NativeRecord } from "../providers/ProviderAdapter.ts"
import { isOverridden, supportOf } from "../providers/Filtering.ts"
import { Providers } from "../providers/Providers.ts"
import { Access, type Part, type Subject } from "./Access.ts"
import { cursors, type Walk } from "./Cursor.ts"
import { type Asked, gather, type Gathered, type Share } from "./FanOut.ts"
import { Expander } from "./Expander.ts"
import { type Expansion, startsOf } from "./Expansion.ts"
import { type Held, OneRecord } from "./OneRecord.ts"
import type { Wanted } from "./FilterParameters.ts"
import { lookedAt, referencesIn, sieve, soughtIn, withIdsAsHeld } from "./Filters.ts"
import { Identities } from "./Identities.ts"
import { fill, memory, step } from "./Place.ts"
import { type CanonicalRecord, Presenter } from "./Presenter.ts"
import { answersFor, isTransient, recordNotFound, toApiError } from "./ProviderFailures.ts"
import { refusalOf } from "./Refused.ts"
import { violations } from "./Rules.ts"
import { mayBeUntold } from "./Untold.ts"
import { Writes } from "./Writes.ts"

/** The part of records that is shown. */
export interface Shown {
  /** Beside the common fields; undefined: all. */
  readonly fields: ReadonlyArray<string> | undefined
  /** References whose records are put beside them; undefined: none. */
  readonly expand: Expansion | undefined
  readonly includeRemoteData: boolean
}

export interface ListQuery extends Shown {
  readonly provider: string | undefined
  readonly cursor: string | undefined
  readonly limit: number
  readonly wanted: Wanted
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

/** A body to write. */
export interface Sent {
  readonly body: Body
  readonly handling: Handling
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
      shown: Shown
    ) => Effect.Effect<CanonicalRecord, ApiError>
    readonly create: (
      subject: Subject,
      resource: Resource,
      provider: string,
      sent: Sent & { readonly idempotencyKey: string | undefined }
    ) => Effect.Effect<Held, ApiError>
    readonly update: (
      subject: Subject,
      resource: Resource,
      which: Which,
      sent: Sent & { readonly mode: "replace" | "patch" }
    ) => Effect.Effect<Held, ApiError>
    readonly remove: (
      subject: Subject,
      resource: Resource,
      which: Which
    ) => Effect.Effect<{ readonly remote_id: string }, ApiError>
    /** Refuses an operation that the provider does not have, before anything of the request is looked at. */
    readonly supports: Access["Type"]["supports"]
    /** Whether a create at this provider may be sent again under the same idempotency key. */
    readonly repeatsCreates: (resource: Resource, provider: string) => boolean
  }
>() {
  static readonly layer = Layer.effect(
    Records,
    Effect.gen(function* () {
      const access = yield* Access
      const providers = yield* Providers
      const expander = yield* Expander
      const identities = yield* Identities
      const presenter = yield* Presenter
      const one = yield* OneRecord
      const features = yield* Features
      const writes = yield* Writes
      const { seal, unseal } = yield* cursors

      /** Failures in the words of this service; what an account lacks is remembered. */
      const answering = ({ connection, mapping }: Part, about?: Parameters<typeof answersFor>[1]) => {
        const answer = answersFor(mapping, about)
        return <A, R>(effect: Effect.Effect<A, ApiError | ProviderError, R>) =>
          answer(
            Effect.tapError(effect, (error) =>
              error._tag === "ProviderError" ? features.note(connection, error) : Effect.void
            )
          )
      }

      /** Runs a write; when the record changed between reading and writing, once more on what it is now. */
      const onceMoreWhenStale = <A, R>(write: Effect.Effect<A, ApiError | ProviderError, R>) =>
        Effect.catchIf(
          write,
          (error) => error._tag === "ProviderError" && error.reason._tag === "Stale",
          () => write
        )

      const refuseViolations = (
        resource: Resource,
        { adapter: { slug }, part }: Part,
        body: Body,
        mode?: "create" | "replace"
      ) => {
        const errors = violations(resource, { slug, part }, body, mode)
        return Object.keys(errors).length === 0 ? Effect.void : Effect.fail(new Unprocessable({ errors }))
      }

      const create = Effect.fn("Records.create")(function* (
        subject: Subject,
        resource: Resource,
        slug: string,
        { body, handling, idempotencyKey }: Sent & { readonly idempotencyKey: string | undefined }
      ) {
        const reached = yield* access.part(subject, resource, slug, "create")
        const { connection, mapping, part } = reached
        yield* refuseViolations(resource, reached, body)
        const variant = mapping.choose(body)
        const write = part.create
        if (variant === undefined || write === undefined) {
          return yield* new Unprocessable({ errors: { body: `${slug} has no kind of ${resource.name} for this` } })
        }
        return yield* Effect.gen(function* () {
          const { warnings, ...encoded } = yield* one.encode(reached, variant, body, "create", handling, undefined)
          const written = yield* write({ connection, variant, encoded, handling, idempotencyKey })
          yield* writes.tell(connection, resource)
          return yield* one.afterWrite(reached, variant, written, { body, mode: "create", warnings })
        }).pipe(answering(reached))
      })

      const update = Effect.fn("Records.update")(function* (
        subject: Subject,
        resource: Resource,
        which: Which,
        { body, handling, mode }: Sent & { readonly mode: "replace" | "patch" }
      ) {
        const reached = yield* access.part(subject, resource, which.provider, mode)
        const { connection, part } = reached
        if (mode === "replace") yield* refuseViolations(resource, reached, body, mode)
        return yield* Effect.gen(function* () {
          const known = yield* one.evident(reached, which.id)
          const readsFirst =
            known === undefined ||
            part.updates === "whole" ||
            known.needs(body, mode).current ||
            mayBeUntold(resource, part.nullInLists, body)
          const located = readsFirst ? yield* one.locate(reached, which.id) : undefined
          const variant = located?.variant ?? known
          const write = part[mode]
          if (variant === undefined || write === undefined) return yield* recordNotFound(resource, which.id)
          const id = located?.id ?? which.id
          const current = located?.found
          const { warnings, ...encoded } = yield* one.encode(reached, variant, body, mode, handling, current)
          const written = yield* write({ connection, variant, id, encoded, handling, current, mode })
          yield* writes.tell(connection, resource)
          return yield* one.afterWrite(reached, variant, written, { body, mode, warnings }, { before: current })
        }).pipe(onceMoreWhenStale, answering(reached, { id: which.id }))
      })

      const remove = Effect.fn("Records.remove")(function* (subject: Subject, resource: Resource, which: Which) {
        const reached = yield* access.part(subject, resource, which.provider, "remove")
        const { connection, part } = reached
        return yield* Effect.gen(function* () {
          const known = yield* one.evident(reached, which.id)
          const readsFirst = known === undefined || part.updates === "whole"
          const located = readsFirst ? yield* one.locate(reached, which.id) : undefined
          const variant = located?.variant ?? known
          const write = part.remove
          if (variant === undefined || write === undefined) return yield* recordNotFound(resource, which.id)
          const id = located?.id ?? which.id
          yield* write({ connection, variant, id, current: located?.found })
          yield* writes.tell(connection, resource)
          return { remote_id: id }
        }).pipe(onceMoreWhenStale, answering(reached, { id: which.id }))
      })

      // -------------------------------------------------------------------------------------------------------------
      // reading

      const get = Effect.fn("Records.get")(function* (
        subject: Subject,
        resource: Resource,
        which: Which,
        shown: Shown
      ) {
        const reached = asking(yield* access.part(subject, resource, which.provider, "get"), fieldsOf(shown))
        return yield* one.locate(reached, which.id).pipe(
          Effect.flatMap(({ found }) => one.present(reached, found, shown.includeRemoteData)),
          Effect.flatMap((record) =>
            shown.expand === undefined
              ? Effect.succeed(record)
              : Effect.map(
                  expander.expand(subject.caller, reached, [record], shown.expand),
                  ([whole]) => whole ?? record
                )
          ),
          answering(reached, { id: which.id, reads: true })
        )
      })

      /** A part of which only some fields are asked for. */
      const asking = (part: Part, fields: Shown["fields"]): Part =>
        fields === undefined ? part : { ...part, mapping: part.mapping.only(fields) }

      /** A connection's part in a list that is cut down: what the service sifts by is read too. */
      const sifting = (reached: Part, query: ListQuery): Sifted => {
        const fields = fieldsOf(query)
        const { adapter, mapping, part } = reached
        const { resource, rows } = mapping
        const wanted = withIdsAsHeld(resource, query.wanted, adapter)
        const scanned = Object.keys(wanted).filter((name) => supportOf(resource, rows, part, name) === "scanned")
        const read = fields === undefined ? undefined : [...fields, ...lookedAt(resource, scanned)]
        return {
          ...asking(reached, read),
          wanted,
          refusal: refusalOf(reached, wanted, query.expand),
          keeps: scanned.length === 0 ? undefined : sieve(resource, wanted, scanned)
        }
      }

      /** What a connection is asked to find; undefined: a UUID means no record that it could refer to. */
      const soughtAt = Effect.fnUntraced(function* ({ connection, mapping, wanted: all }: Sifted) {
        const { resource, rows } = mapping
        // the service sifts by what the organisation made of a field
        const wanted = Record.filter(all, (_, name) => !isOverridden(resource, rows, name))
        const references = referencesIn(resource, wanted)
        if (references.length === 0) return soughtIn(resource, wanted, {})
        const resolve = yield* identities.resolve(
          connection,
          references.map(({ uuid }) => uuid)
        )
        const records = references.flatMap(({ name, targets, uuid }) => {
          const known = resolve(uuid)
          return known !== undefined && targets.includes(known.resource) ? [[name, known] as const] : []
        })
        return records.length < references.length ? undefined : soughtIn(resource, wanted, Object.fromEntries(records))
      })

      /** The walk a list request goes on with, or a new one, over the connections that are there, by their ids. */
      const walkOf = Effect.fnUntraced(function* (
        subject: Subject,
        resource: Resource,
        query: ListQuery,
        scope: string
      ) {
        const begun = query.cursor === undefined ? undefined : yield* unseal(query.cursor, scope)
        const found =
          begun === undefined && query.provider !== undefined
            ? [yield* access.part(subject, resource, query.provider, "list")]
            : yield* access.listable(subject, resource)
        const parts: ReadonlyMap<string, Sifted> = new Map(
          found.map((part) => [part.connection.id, sifting(part, query)])
        )
        const walk: Walk = {
          turn: begun?.turn ?? 0,
          connections:
            begun?.connections.filter(({ id }) => parts.has(id)) ??
            [...parts.keys()].map((id) => ({ id, position: null }))
        }
        return { parts, walk }
      })

      /** What came of asking the connections of a walk, as an answer. */
      const listed = Effect.fnUntraced(function* (
        gathered: Gathered<CanonicalRecord, ProviderError | BadRequest>,
        asked: {
          readonly parts: ReadonlyMap<string, Sifted>
          readonly query: ListQuery
          readonly scope: string
          /** Of the walk, in connections. */
          readonly size: number
        }
      ) {
        const { parts, query, scope, size } = asked
        const failures = gathered.failures.flatMap(({ error, id, retry }) => {
          const part = parts.get(id)
          if (part === undefined) return []
          const { adapter, mapping } = part
          const told = error._tag === "ProviderError" ? toApiError(error, { mapping, reads: true }) : error
          return [{ id, provider: adapter.slug, retry, error: told }]
        })
        const isWhole = failures.length > 0 && failures.length === size
        // in mid-walk a failure that will not pass ends the walk, and is told as its end
        if (isWhole && (query.cursor === undefined || query.provider !== undefined || gathered.walk !== undefined)) {
          return yield* commonFailure(failures.map(({ error }) => error))
        }
        yield* noting(({ missing }) =>
          missing.push(...failures.map(({ error: { code }, provider }) => ({ code, provider })))
        )
        return {
          data: gathered.records,
          pagination: {
            cursor: gathered.walk === undefined ? null : yield* seal(gathered.walk, scope),
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

      // without a span, since its request's says as much
      const list = Effect.fnUntraced(function* (subject: Subject, resource: Resource, query: ListQuery) {
        const scope = scopeOf(subject, resource, query)
        const { parts, walk } = yield* walkOf(subject, resource, query, scope)

        // what all connections together remember of the records they gave fits into one cursor
        const share = Math.floor(memory / Math.max(1, walk.connections.length))

        const ask = ({ id, place, size }: Share): Effect.Effect<Asked<CanonicalRecord>, ProviderError | BadRequest> => {
          const reached = parts.get(id)
          const listNative = reached?.part.list
          if (reached === undefined || listNative === undefined) return Effect.succeed({ records: [], next: null })
          const { adapter, connection, keeps, mapping, refusal } = reached
          if (refusal !== undefined) return Effect.fail(refusal)
          const page = Effect.flatMap(soughtAt(reached), (wanted) => {
            if (wanted === undefined) return Effect.succeed({ records: [], next: null })
            const source = {
              provider: adapter.slug,
              memory: share,
              keeps,
              fetch: (position: string | null, limit: number) =>
                listNative({ connection, mapping, wanted, position, limit }),
              show: (records: ReadonlyArray<NativeRecord>) =>
                presenter.records(reached, records, query.includeRemoteData)
            }
            const found =
              keeps === undefined
                ? step(source, place, size)
                : Effect.map(fill(source, place, size), ({ next, records }) => ({
                    next,
                    records: records.map((record) => withOnly(record, fieldsOf(query)))
                  }))
            const { expand } = query
            return expand === undefined
              ? found
              : Effect.flatMap(found, ({ next, records }) =>
                  Effect.map(expander.expand(subject.caller, reached, records, expand), (whole) => ({
                    next,
                    records: whole
                  }))
                )
          })
          return Effect.tapError(page, (error) =>
            error._tag === "ProviderError" ? features.note(connection, error) : Effect.void
          )
        }
        // returned and not yielded: a generator holds on to what it is given, as long as it is held itself
        return Effect.flatMap(gather(walk, query.limit, ask, mayPass), (gathered) =>
          listed(gathered, { parts, query, scope, size: walk.connections.length })
        )
      }, Effect.flatten)

      return {
        list,
        get,
        create,
        update,
        remove,
        supports: access.supports,
        repeatsCreates: (resource, slug) => providers.get(slug)?.resources[resource.name]?.repeatsCreates === true
      }
    })
  )
}

/** The fields that are read: those that are asked for, and those that others are expanded from. */
const fieldsOf = ({ expand, fields }: Shown) =>
  fields === undefined || expand === undefined ? fields : [...new Set([...fields, ...startsOf(expand)])]

/** Whether a failure of a list may be over the next time. */
const mayPass = (error: ProviderError | BadRequest) => error._tag === "ProviderError" && isTransient(error)

/** A connection's part in a list that is cut down. */
interface Sifted extends Part {
  /** Filters that it is asked for, with ids as its records have them. */
  readonly wanted: Wanted
  /** Why it cannot answer. */
  readonly refusal: BadRequest | undefined
  /** The records that are meant; undefined: all that the provider gives. */
  readonly keeps: ((record: CanonicalRecord) => boolean) | undefined
}

/** A record with the fields that are asked for, of which more were read to sift by. */
const withOnly = (record: CanonicalRecord, fields: ReadonlyArray<string> | undefined): CanonicalRecord =>
  fields === undefined
    ? record
    : Object.fromEntries(
        Object.entries(record).filter(
          ([name]) => fields.includes(name) || Object.hasOwn(commonFields, name) || name === "remote_data"
        )
      )

/** The request that a cursor belongs to; which fields are shown may change from page to page. */
const scopeOf = ({ caller, connection, endUser }: Subject, resource: Resource, query: ListQuery) => {
  const { created_after = null, created_before = null, ...others } = query.wanted
  return JSON.stringify([
    caller.organisation,
    caller.environment,
    endUser,
    connection ?? null,
    resource.category,
    resource.name,
    query.provider ?? null,
    created_after,
    created_before,
    // version 0.1.0 knew no others, and its cursors go on
    ...Object.entries(others).toSorted(([a], [b]) => (a < b ? -1 : 1))
  ])
}

/** When every connection failed: the failure they share, 504 where time ran out for all, else 502. */
const commonFailure = (errors: ReadonlyArray<ApiError>): Effect.Effect<never, ApiError> => {
  const [first] = errors
  if (first !== undefined && errors.every((error) => error.status === first.status)) return Effect.fail(first)
  const sent = errors.find((error) => error.status === 504)
  return sent !== undefined && errors.every((error) => error.status === 504 || error.status === 503)
    ? Effect.fail(sent)
    : Effect.fail(new BadGateway({ message: "Every connected provider failed." }))
}
