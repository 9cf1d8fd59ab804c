import { createHash } from "node:crypto"
import { Array as Arr, Effect } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { getPath, isNative, type Mapping, type Native } from "../../mapping/Mapping.ts"
import { inOrder, since } from "../axes/Paginator.ts"
import type { Call, Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeRecord, ResourceAdapter, UpdateRequest, Written } from "../ProviderAdapter.ts"
import { Invalid, Malformed, Missing, ProviderError } from "../ProviderError.ts"
import { newObject, overlay } from "./Overlay.ts"
import { faultOf, readError } from "./ReadError.ts"

/**
 * What all entities have in common: `POST /{entity}` creates and updates, `GET /{entity}/{id}` reads, `GET /query` lists.
 * https://developer.intuit.com/app/developer/qbo/docs/learn/rest-api-features
 */

/** Version of the entities' fields. https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/minor-versions */
const minorVersion = "75"

/** Records a query answers at most. */
const pageSize = 1000

/** Ids in one `in (…)`, so that the query fits into a URL. */
const idsAtOnce = 200

/** A value in a query; a backslash stands before what would end it. https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/data-queries */
export const quoted = (value: string): string => `'${value.replace(/[\\']/g, "\\$&")}'`

/** Records of another type that belong to those of a page, by the id of the record they belong to. */
export interface Part {
  readonly entity: string
  /** Ids of them that a record names. */
  readonly idsOf: (record: Native) => ReadonlyArray<string>
}

/** A native type, and how it differs from the others. */
export interface Entity {
  /** As queries and answers name it; the native type of the mapping's variant. */
  readonly name: string
  /** `delete` for transactions; records of name lists can only be made inactive. */
  readonly removal: "delete" | "deactivate"
  /** Conditions on every list. */
  readonly where?: ReadonlyArray<string>
  readonly parts?: { readonly [name: string]: Part }
}

const idOf = (record: NativeRecord) => String(record.record.Id)
const createdAt = (record: NativeRecord) => String(getPath(record.record, "MetaData.CreateTime"))

type Request = Omit<Call, "query"> & { readonly query?: { readonly [name: string]: string } }

const malformed = (operation: string, status: number, detail: string) =>
  new ProviderError({ provider: "quickbooks", operation, reason: new Malformed(), status, detail })

/** Calls to one company's books. */
export const books = (call: Caller) => {
  /** Answers that hold a Fault are failures, whatever their status. */
  const ask = (connection: ConnectionRef, { path, query, ...request }: Request) =>
    call(connection, {
      ...request,
      path: `/v3/company/:realmId/${path}`,
      query: { ...query, minorversion: minorVersion }
    }).pipe(
      Effect.filterOrFail(
        ({ body }) => faultOf(body) === undefined,
        ({ body, headers, status }) => {
          const { detail, reason = new Malformed() } = readError({ status, headers, body, now: 0 })
          return new ProviderError({
            provider: "quickbooks",
            operation: request.operation,
            reason,
            status,
            ...(detail === undefined ? {} : { detail })
          })
        }
      )
    )

  /** One object of an answer's envelope: `{Customer: {…}, time}`. */
  const askOne = (connection: ConnectionRef, name: string, request: Request) =>
    Effect.flatMap(ask(connection, request), ({ body, status }) => {
      const found = getPath(body, name)
      return isNative(found)
        ? Effect.succeed(found)
        : Effect.fail(malformed(request.operation, status, `no ${name} in the answer`))
    })

  /** Records of a query; conditions are all to hold. Where nothing matches, the answer does not even name the entity. */
  const query = (
    connection: ConnectionRef,
    name: string,
    conditions: ReadonlyArray<string>,
    start = 1,
    size = pageSize
  ): Effect.Effect<ReadonlyArray<Native>, ProviderError> => {
    const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`
    const order = " orderby MetaData.CreateTime"
    const operation = `${name}.query`
    return Effect.flatMap(
      ask(connection, {
        operation,
        method: "GET",
        path: "query",
        query: { query: `select * from ${name}${where}${order} startposition ${start} maxresults ${size}` }
      }),
      ({ body, status }) => {
        const response = getPath(body, "QueryResponse")
        if (!isNative(response)) return Effect.fail(malformed(operation, status, "no QueryResponse in the answer"))
        const found = response[name]
        return Effect.succeed(Array.isArray(found) ? found.filter(isNative) : [])
      }
    )
  }

  /** Every record of a query, page after page. */
  const queryAll = (
    connection: ConnectionRef,
    name: string,
    conditions: ReadonlyArray<string>,
    start = 1
  ): Effect.Effect<ReadonlyArray<Native>, ProviderError> =>
    Effect.flatMap(query(connection, name, conditions, start), (found) =>
      found.length < pageSize
        ? Effect.succeed(found)
        : Effect.map(queryAll(connection, name, conditions, start + pageSize), (more) => [...found, ...more])
    )

  /** Records of one type by their ids. */
  const byIds = (connection: ConnectionRef, name: string, ids: ReadonlyArray<string>) =>
    Effect.map(
      Effect.forEach(
        Arr.chunksOf(ids, idsAtOnce),
        (some) => query(connection, name, [`Id in (${some.map(quoted).join(", ")})`]),
        { concurrency: "unbounded" }
      ),
      Arr.flatten
    )

  return { askOne, query, queryAll, byIds }
}

/** What a create is known by at Intuit, 50 characters at most: one caller's key may come with several entities. */
const requestId = (connection: ConnectionRef, name: string, key: string) =>
  createHash("sha256").update(`${connection.id}/${name}/${key}`).digest("hex").slice(0, 40)

/** An id that is no number is rejected as one; there is no such record all the same. */
const namesNone = (error: ProviderError) =>
  error.reason._tag === "Invalid" ? new ProviderError({ ...error, reason: new Missing() }) : error

/** On a write, "object not found" is about a record it names: one that is inactive or gone. */
const namesInactive = (error: ProviderError) =>
  error.reason._tag === "Missing" ? new ProviderError({ ...error, reason: new Invalid({ fields: {} }) }) : error

/** The verbs of a resource over one or several entities. */
export const entities = (call: Caller, mapping: Mapping, all: ReadonlyArray<Entity>): ResourceAdapter => {
  const { askOne, byIds, query } = books(call)
  const entityOf = (nativeType: string) => all.find((entity) => entity.name === nativeType)
  const pathOf = (name: string) => name.toLowerCase()

  /** Puts the parts that a variant reads to its records, one query for each part of a page. */
  const complete = (connection: ConnectionRef, variant: CompiledVariant, records: ReadonlyArray<NativeRecord>) =>
    Effect.reduce(
      Object.entries(entityOf(variant.nativeType)?.parts ?? {}).filter(([name]) => variant.parts.includes(name)),
      records,
      (sofar, [name, part]) => {
        const ids = [...new Set(sofar.flatMap(({ record }) => part.idsOf(record)))]
        if (ids.length === 0) return Effect.succeed(sofar)
        return Effect.map(byIds(connection, part.entity, ids), (found) => {
          const known = new Map(found.map((record) => [String(record.Id), record]))
          return sofar.map((record) => {
            const mine = part.idsOf(record.record).flatMap((id) => known.get(id) ?? [])
            return { ...record, parts: { ...record.parts, [name]: mine } }
          })
        })
      }
    )

  const post = (
    connection: ConnectionRef,
    name: string,
    operation: string,
    json: Native,
    more: Pick<Request, "query" | "repeatable"> = {}
  ) =>
    askOne(connection, name, {
      operation: `${name}.${operation}`,
      method: "POST",
      path: pathOf(name),
      json,
      ...more
    })

  /** Deletes or voids: `POST /{entity}?operation=…`. */
  const operate = (connection: ConnectionRef, name: string, operation: string, record: Native) =>
    post(connection, name, operation, { Id: record.Id, SyncToken: record.SyncToken }, { query: { operation } })

  /** Steps of a write plan, each an operation of the entity, on the record as it was just written. */
  const follow = (
    connection: ConnectionRef,
    variant: CompiledVariant,
    steps: ReadonlyArray<string>,
    written: Native,
    done: ReadonlyArray<string>
  ) =>
    Effect.reduce(steps, written, (record, step) => operate(connection, variant.nativeType, step, record)).pipe(
      Effect.mapError((error) => (done.length === 0 ? error : new ProviderError({ ...error, done })))
    )

  /** The answer to a write is the record; where its parts cannot be had, it is read back. */
  const answer = (connection: ConnectionRef, variant: CompiledVariant, record: Native): Effect.Effect<Written> =>
    complete(connection, variant, [{ nativeType: variant.nativeType, record }]).pipe(
      Effect.map(([whole]) => ({ id: String(record.Id), ...(whole === undefined ? {} : { record: whole }) })),
      Effect.orElseSucceed(() => ({ id: String(record.Id) }))
    )

  const get = Effect.fnUntraced(function* (connection: ConnectionRef, variant: CompiledVariant, id: string) {
    const name = variant.nativeType
    const record = yield* askOne(connection, name, {
      operation: `${name}.get`,
      method: "GET",
      path: `${pathOf(name)}/:id`,
      params: { id }
    }).pipe(Effect.mapError(namesNone))
    const [whole] = yield* complete(connection, variant, [{ nativeType: name, record }])
    return whole ?? { nativeType: name, record }
  })

  const update = Effect.fnUntraced(function* ({ connection, current, encoded, id, variant }: UpdateRequest) {
    const held = (current ?? (yield* get(connection, variant, id))).record
    const steps = Object.keys(encoded.steps)
    const isChanged = Object.keys(encoded.record).length > 0
    if (!isChanged && steps.length === 0) return { id }
    const written = isChanged
      ? yield* post(connection, variant.nativeType, "update", { ...overlay(held, encoded.record), Id: id }).pipe(
          Effect.mapError(namesInactive)
        )
      : held
    const last = yield* follow(connection, variant, steps, written, isChanged ? ["record"] : [])
    return yield* answer(connection, variant, last)
  })

  return {
    mapping,
    consistency: "exact",
    updates: "whole",
    repeatsCreates: true,

    list: Effect.fnUntraced(function* ({ connection, createdAfter, createdBefore, limit, mapping, position }) {
      const page = yield* inOrder(
        "quickbooks",
        all.map((entity) =>
          since(pageSize, idOf, createdAt, (from, size) => {
            const lower = from ?? createdAfter
            const conditions = [
              ...(entity.where ?? []),
              // without it, a name list shows active records only
              ...(entity.removal === "deactivate" ? ["Active in (true, false)"] : []),
              ...(lower === undefined ? [] : [`MetaData.CreateTime >= ${quoted(lower)}`]),
              ...(createdBefore === undefined ? [] : [`MetaData.CreateTime < ${quoted(createdBefore)}`])
            ]
            return Effect.map(query(connection, entity.name, conditions, 1, size), (found) =>
              found.map((record): NativeRecord => ({ nativeType: entity.name, record }))
            )
          })
        )
      )(position, limit)
      const records = yield* Effect.forEach(
        mapping.variants,
        (variant) =>
          complete(
            connection,
            variant,
            page.records.filter(({ nativeType }) => nativeType === variant.nativeType)
          ),
        { concurrency: "unbounded" }
      )
      return { records: records.flat(), next: page.next }
    }),

    get: ({ connection, id, variant }) => get(connection, variant, id),

    create: Effect.fnUntraced(function* ({ connection, encoded, idempotencyKey, variant }) {
      const name = variant.nativeType
      const keyed =
        idempotencyKey === undefined
          ? {}
          : { query: { requestid: requestId(connection, name, idempotencyKey) }, repeatable: true }
      const made = yield* post(connection, name, "create", newObject(encoded.record), keyed).pipe(
        Effect.mapError(namesInactive)
      )
      const last = yield* follow(connection, variant, Object.keys(encoded.steps), made, ["record"])
      return yield* answer(connection, variant, last)
    }),

    replace: update,
    patch: update,

    remove: Effect.fnUntraced(function* ({ connection, current, id, variant }) {
      const held = (current ?? (yield* get(connection, variant, id))).record
      const name = variant.nativeType
      if (entityOf(name)?.removal === "delete") yield* operate(connection, name, "delete", held)
      else yield* post(connection, name, "deactivate", overlay(held, { Active: false }))
    })
  }
}
