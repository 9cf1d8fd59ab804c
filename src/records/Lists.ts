import { Array as Arr, Effect, Record, Ref } from "effect"
import { commonFields, type Resource } from "../canonical/Resource.ts"
import { Features } from "../connections/Features.ts"
import { type ApiError, BadGateway, type BadRequest } from "../platform/Errors.ts"
import { noting } from "../platform/RequestNotes.ts"
import { isOverridden, supportOf } from "../providers/Filtering.ts"
import { collectingLeftOut } from "../providers/LeftOut.ts"
import type { NativeRecord } from "../providers/ProviderAdapter.ts"
import type { ProviderError } from "../providers/ProviderError.ts"
import { Access, type ResourceAccess, type Subject } from "./Access.ts"
import { cursors, type Walk } from "./Cursor.ts"
import { Expander } from "./Expander.ts"
import { type Asked, gather, type Gathered, type Share } from "./FanOut.ts"
import type { Wanted } from "./FilterParameters.ts"
import { lookedAt, referencesIn, sieve, soughtIn, withIdsAsHeld } from "./Filters.ts"
import { Identities } from "./Identities.ts"
import { fill, memory, step } from "./ListState.ts"
import { type CanonicalRecord, Presenter } from "./Presenter.ts"
import { isTransient, toApiError } from "./ProviderFailures.ts"
import { refusalOf } from "./ListRefusals.ts"
import { onlyFields, fieldsOf, type FieldSelection } from "./FieldSelection.ts"

export interface ListQuery extends FieldSelection {
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

/** Connections whose part of a list could not be read, whole or for some kinds of records. */
type Failures = Gathered<CanonicalRecord, ProviderError | BadRequest>["failures"]

/** Lists the records of a resource over all connections that have it. */
export const makeList = Effect.gen(function* () {
  const access = yield* Access
  const expander = yield* Expander
  const features = yield* Features
  const identities = yield* Identities
  const presenter = yield* Presenter
  const { seal, unseal } = yield* cursors

  /** A connection in a list that is cut down: what the service sifts by is read too. */
  const sifting = (reached: ResourceAccess, query: ListQuery): Sifted => {
    const fields = fieldsOf(query)
    const { adapter, mapping, resourceAdapter } = reached
    const { resource, rows } = mapping
    const wanted = withIdsAsHeld(resource, query.wanted, adapter)
    const scanned = Object.keys(wanted).filter((name) => supportOf(resource, rows, resourceAdapter, name) === "scanned")
    const read = fields === undefined ? undefined : [...fields, ...lookedAt(resource, scanned)]
    return {
      ...onlyFields(reached, read),
      wanted,
      refusal: refusalOf(reached, wanted, query.expand),
      keeps: scanned.length === 0 ? undefined : sieve(resource, wanted, scanned)
    }
  }

  /** The search that a connection is asked for; undefined: a UUID means no record that it could refer to. */
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
  const walkOf = Effect.fnUntraced(function* (subject: Subject, resource: Resource, query: ListQuery, scope: string) {
    const begun = query.cursor === undefined ? undefined : yield* unseal(query.cursor, scope)
    const found =
      begun === undefined && query.provider !== undefined
        ? [yield* access.reach(subject, resource, query.provider, "list")]
        : yield* access.listable(subject, resource)
    const parts: ReadonlyMap<string, Sifted> = new Map(
      found.map((reached) => [reached.connection.id, sifting(reached, query)])
    )
    const walk: Walk = {
      turn: begun?.turn ?? 0,
      connections:
        begun?.connections.filter(({ id }) => parts.has(id)) ?? [...parts.keys()].map((id) => ({ id, position: null }))
    }
    return { parts, walk }
  })

  /** Makes an answer of the connections' answers. */
  const listed = Effect.fnUntraced(function* (
    gathered: Gathered<CanonicalRecord, ProviderError | BadRequest>,
    asked: {
      readonly parts: ReadonlyMap<string, Sifted>
      /** Kinds of records that accounts lack, which the list goes on without. */
      readonly lacks: Failures
      readonly query: ListQuery
      readonly scope: string
      /** Of the walk, in connections. */
      readonly size: number
    }
  ) {
    const { lacks, parts, query, scope, size } = asked
    const told = ({ error, id, retry }: Failures[number]) => {
      const reached = parts.get(id)
      if (reached === undefined) return []
      const { adapter, mapping } = reached
      const inWords = error._tag === "ProviderError" ? toApiError(error, { mapping, reads: true }) : error
      return [{ id, provider: adapter.slug, retry, error: inWords }]
    }
    const failures = gathered.failures.flatMap(told)
    const isWhole = failures.length > 0 && failures.length === size
    // in mid-walk a failure that will not pass ends the walk, and is told as its end
    if (isWhole && (query.cursor === undefined || query.provider !== undefined || gathered.walk !== undefined)) {
      return yield* commonFailure(failures.map(({ error }) => error))
    }
    const failed = new Set(failures.map(({ id }) => id))
    const partly = Arr.dedupeWith(
      lacks.filter(({ id }) => !failed.has(id)).flatMap(told),
      (one, other) => one.id === other.id && one.error.message === other.error.message
    )
    const errors = [...failures, ...partly]
    yield* noting(({ missing }) => missing.push(...errors.map(({ error: { code }, provider }) => ({ code, provider }))))
    return {
      data: gathered.records,
      pagination: {
        cursor: gathered.walk === undefined ? null : yield* seal(gathered.walk, scope),
        hasMore: gathered.walk !== undefined,
        limit: query.limit
      },
      ...(errors.length === 0
        ? {}
        : {
            errors: errors.map(({ error, id, provider, retry }) => ({
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
    const lacks = yield* Ref.make<Failures>([])

    const ask = ({ id, size, state }: Share): Effect.Effect<Asked<CanonicalRecord>, ProviderError | BadRequest> => {
      const reached = parts.get(id)
      const listNative = reached?.resourceAdapter.list
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
          show: (records: ReadonlyArray<NativeRecord>) => presenter.records(reached, records, query.includeRemoteData)
        }
        const found =
          keeps === undefined
            ? step(source, state, size)
            : Effect.map(fill(source, state, size), ({ next, records }) => ({
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
      return page.pipe(
        Effect.tapError((error) => (error._tag === "ProviderError" ? features.note(connection, error) : Effect.void)),
        collectingLeftOut((refusals) =>
          Ref.update(lacks, (all) => [...all, ...refusals.map((error) => ({ id: connection.id, error, retry: false }))])
        )
      )
    }
    // returned and not yielded: a generator holds on to what it is given, as long as it is held itself
    return Effect.flatMap(Effect.zip(gather(walk, query.limit, ask, mayPass), Ref.get(lacks)), ([gathered, lacks]) =>
      listed(gathered, { lacks, parts, query, scope, size: walk.connections.length })
    )
  }, Effect.flatten)

  return list
})

/** Whether a failure of a list may be over the next time. */
const mayPass = (error: ProviderError | BadRequest) => error._tag === "ProviderError" && isTransient(error)

/** A connection in a list that is cut down. */
interface Sifted extends ResourceAccess {
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
