import { Array as Arr, Effect, Option } from "effect"
import type { CompiledVariant } from "../../mapping/Compile.ts"
import { getPath, isNative, type Mapping, type Native, natives } from "../../mapping/Mapping.ts"
import { completed, everything, type Fetch, inOrder, since } from "../axes/Paginator.ts"
import { requestKey } from "../axes/RequestKey.ts"
import type { Answer, Call, Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { clausesFor } from "../Filtering.ts"
import type { ListRequest, NativeRecord, Page, ResourceAdapter, UpdateRequest, Written } from "../ProviderAdapter.ts"
import { Invalid, Malformed, Missing, ProviderError } from "../ProviderError.ts"
import { type Conditions, foundByAll, oneOf, quoted, stamps, withInactive } from "./Conditions.ts"
import { type Changes, deletions } from "./Deletions.ts"
import type { Editions } from "./Editions.ts"
import { newObject, overlay } from "./Overlay.ts"
import { faultOf, readError } from "./ReadError.ts"
import { placed } from "./Topics.ts"

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

/** Records of another type that belong to those of a page, by the id of the record they belong to. */
export interface Part {
  readonly entity: string
  /** Ids of them that a record names. */
  readonly idsOf: (record: Native) => ReadonlyArray<string>
  /** Conditions besides the ids. */
  readonly where?: ReadonlyArray<string>
}

/** A native type, and how it differs from the others. */
export interface Entity {
  /** As queries and answers name it; the native type of the mapping's variant. */
  readonly name: string
  /** `delete` for transactions; records of name lists can only be made inactive. */
  readonly removal: "delete" | "deactivate"
  /** Conditions on every list. */
  readonly where?: ReadonlyArray<string>
  /** How lists of it are cut down, besides by its stamps. */
  readonly filters?: Conditions
  /** What was deleted of it is not told. */
  readonly isForgotten?: true
  /** Given where not every edition has the entity: a company without it has none. */
  readonly editions?: Editions
  /** Whether a record that has the id is one of the resource; absent: all are. */
  readonly isOne?: (record: Native) => boolean
  readonly parts?: { readonly [name: string]: Part }
  /** Steps of a write plan; any other is the operation of that name. */
  readonly steps?: { readonly [name: string]: Step }
}

/** Does a step on the record as it was just written, and gives it as it is then. */
export type Step = (
  books: Books,
  connection: ConnectionRef,
  record: Native,
  value: unknown
) => Effect.Effect<Native, ProviderError>

type Books = ReturnType<typeof books>

const idOf = (record: NativeRecord) => String(record.record.Id)
const createdAt = (record: NativeRecord) => String(getPath(record.record, "MetaData.CreateTime"))

type Request = Omit<Call, "query"> & { readonly query?: { readonly [name: string]: string } }

export const malformed = (operation: string, status: number, detail: string) =>
  new ProviderError({ provider: "quickbooks", operation, reason: new Malformed(), status, detail })

/** What an answer says that holds a Fault although it is a success. */
export const faulty = (operation: string, { body, headers, status }: Answer) => {
  const { detail, reason = new Malformed() } = readError({ status, headers, body, now: 0 })
  return new ProviderError({
    provider: "quickbooks",
    operation,
    reason,
    status,
    ...(detail === undefined ? {} : { detail })
  })
}

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
        (answer) => faulty(request.operation, answer)
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
        return Effect.succeed(natives(found))
      }
    )
  }

  /** Every record of a query, page after page. */
  const queryAll = (connection: ConnectionRef, name: string, conditions: ReadonlyArray<string>) =>
    everything("quickbooks", `${name}.query`, (position) => {
      const start = Number(position ?? 1)
      return Effect.map(query(connection, name, conditions, start), (records) => ({
        records,
        next: records.length < pageSize ? null : String(start + pageSize)
      }))
    })

  /** Records of one type by their ids. */
  const byIds = (
    connection: ConnectionRef,
    name: string,
    ids: ReadonlyArray<string>,
    where: ReadonlyArray<string> = []
  ) =>
    Effect.map(
      Effect.forEach(Arr.chunksOf(ids, idsAtOnce), (some) => query(connection, name, [...where, oneOf("Id", some)]), {
        concurrency: "unbounded"
      }),
      Arr.flatten
    )

  /** Records of an entity in the order of their creation. */
  const pages = (request: ListRequest, entity: Entity): Fetch => {
    const { name, removal, where = [] } = entity
    const wanted = conditionsOf(entity, request)
    if (wanted === undefined) return () => Effect.succeed(none)
    const showsAll = removal === "delete" || wanted.some((condition) => condition.startsWith("Active "))
    const conditions = [...where, ...(showsAll ? [] : [withInactive]), ...wanted]
    return since(pageSize, idOf, createdAt, (from, size) => {
      const later = from === undefined ? [] : [`MetaData.CreateTime >= ${quoted(from)}`]
      return Effect.map(query(request.connection, name, [...conditions, ...later], 1, size), (found) =>
        found.map((record): NativeRecord => ({ nativeType: name, record }))
      )
    })
  }

  const changes: Changes = (connection, name, changedSince) => {
    const operation = `${name}.cdc`
    return Effect.flatMap(
      ask(connection, { operation, method: "GET", path: "cdc", query: { entities: name, changedSince } }),
      ({ body, status }) => {
        const [response] = natives(getPath(body, "CDCResponse"))
        return response === undefined
          ? Effect.fail(malformed(operation, status, "no CDCResponse in the answer"))
          : Effect.succeed(natives(response.QueryResponse).flatMap((part) => natives(part[name])))
      }
    )
  }

  /** One record by its id. */
  const read = (connection: ConnectionRef, name: string, id: string) =>
    askOne(connection, name, {
      operation: `${name}.get`,
      method: "GET",
      path: `${pathOf(name)}/:id`,
      params: { id }
    }).pipe(Effect.mapError(namesNone))

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
    }).pipe(Effect.mapError(placed(name)))

  /** Deletes or voids: `POST /{entity}?operation=…`. */
  const operate = (connection: ConnectionRef, name: string, operation: string, record: Native) =>
    post(connection, name, operation, { Id: record.Id, SyncToken: record.SyncToken }, { query: { operation } })

  /** Makes a record; the same one again for the same key. */
  const create = (connection: ConnectionRef, name: string, json: Native, key: string | undefined) =>
    post(
      connection,
      name,
      "create",
      json,
      key === undefined ? {} : { query: { requestid: requestKey(connection, name, key) }, repeatable: true }
    ).pipe(Effect.mapError(namesInactive))

  return { ask, askOne, query, queryAll, byIds, pages, changes, read, post, operate, create }
}

const pathOf = (name: string) => name.toLowerCase()

const none: Page = { records: [], next: null }

const clausesOf = ({ filters }: Entity): Conditions => ({ ...stamps, ...filters })

/** Filters that lists over these answer themselves. */
export const findsOf = (all: ReadonlyArray<Entity>) => foundByAll(all.map(clausesOf))

/** Of what is deleted only the id is left, and when that was: whether it was meant otherwise cannot be told. */
const mayBeGone = (entity: Entity, { wanted }: ListRequest): boolean => {
  const { modified_after: _, modified_before: __, ...others } = wanted
  return conditionsOf(entity, { wanted: others })?.length === 0
}

/** What records of an entity have to be; undefined: none can be meant. */
const conditionsOf = (entity: Entity, request: Pick<ListRequest, "wanted">): ReadonlyArray<string> | undefined =>
  Option.getOrUndefined(Option.map(clausesFor(clausesOf(entity), request), Arr.flatten))

/** An id that is no number is rejected as one; there is no such record all the same. */
export const namesNone = (error: ProviderError) =>
  error.reason._tag === "Invalid" ? new ProviderError({ ...error, reason: new Missing() }) : error

/** On a write, "object not found" is about a record it names: one that is inactive or gone. */
const namesInactive = (error: ProviderError) =>
  error.reason._tag === "Missing" ? new ProviderError({ ...error, reason: new Invalid({ fields: {} }) }) : error

/** The verbs of a resource over one or several entities. */
export const entities = (call: Caller, mapping: Mapping, all: ReadonlyArray<Entity>): ResourceAdapter => {
  const own = books(call)
  const { byIds, changes, create, operate, pages, post, read } = own
  const entityOf = (nativeType: string) => all.find((entity) => entity.name === nativeType)

  /** Puts the parts that a variant reads to its records, one query for each part of a page. */
  const complete = (connection: ConnectionRef, variant: CompiledVariant, records: ReadonlyArray<NativeRecord>) =>
    Effect.reduce(
      Object.entries(entityOf(variant.nativeType)?.parts ?? {}).filter(([name]) => variant.parts.includes(name)),
      records,
      (sofar, [name, part]) => {
        const ids = [...new Set(sofar.flatMap(({ record }) => part.idsOf(record)))]
        if (ids.length === 0) return Effect.succeed(sofar)
        return Effect.map(byIds(connection, part.entity, ids, part.where), (found) => {
          const known = new Map(found.map((record) => [String(record.Id), record]))
          return sofar.map((record) => {
            const mine = part.idsOf(record.record).flatMap((id) => known.get(id) ?? [])
            return { ...record, parts: { ...record.parts, [name]: mine } }
          })
        })
      }
    )

  const follow = (
    connection: ConnectionRef,
    { nativeType }: CompiledVariant,
    steps: Native,
    written: Native,
    done: ReadonlyArray<string>
  ) =>
    Effect.reduce(Object.entries(steps), written, (record, [step, value]) => {
      const does = entityOf(nativeType)?.steps?.[step]
      return does === undefined ? operate(connection, nativeType, step, record) : does(own, connection, record, value)
    }).pipe(Effect.mapError((error) => (done.length === 0 ? error : new ProviderError({ ...error, done }))))

  /** The answer to a write is the record; where its parts cannot be had, it is read back. */
  const answer = (connection: ConnectionRef, variant: CompiledVariant, record: Native): Effect.Effect<Written> =>
    complete(connection, variant, [{ nativeType: variant.nativeType, record }]).pipe(
      Effect.map(([whole]) => ({ id: String(record.Id), ...(whole === undefined ? {} : { record: whole }) })),
      Effect.orElseSucceed(() => ({ id: String(record.Id) }))
    )

  const get = Effect.fnUntraced(function* (connection: ConnectionRef, variant: CompiledVariant, id: string) {
    const name = variant.nativeType
    const entity = entityOf(name)
    const missing = Effect.fail(
      new ProviderError({ provider: "quickbooks", operation: `${name}.get`, reason: new Missing() })
    )
    const found = read(connection, name, id)
    const record = yield* entity?.editions?.ifThere(connection, name, found, missing) ?? found
    if (entity?.isOne?.(record) === false) return yield* missing
    const [whole] = yield* complete(connection, variant, [{ nativeType: name, record }])
    return whole ?? { nativeType: name, record }
  })

  const update = Effect.fnUntraced(function* ({ connection, current, encoded, id, variant }: UpdateRequest) {
    const held = (current ?? (yield* get(connection, variant, id))).record
    const isChanged = Object.keys(encoded.record).length > 0
    if (!isChanged && Object.keys(encoded.steps).length === 0) return { id }
    const written = isChanged
      ? yield* post(connection, variant.nativeType, "update", { ...overlay(held, encoded.record), Id: id }).pipe(
          Effect.mapError(namesInactive)
        )
      : held
    const last = yield* follow(connection, variant, encoded.steps, written, isChanged ? ["record"] : [])
    return yield* answer(connection, variant, last)
  })

  return {
    mapping,
    consistency: "exact",
    finds: [...findsOf(all), ...(all.some(({ isForgotten }) => isForgotten === true) ? [] : ["include_deleted"])],
    updates: "whole",
    repeatsCreates: true,

    list: Effect.fnUntraced(function* (request) {
      const { connection, limit, mapping, position } = request
      const lists = all.map((entity) => [entity, pages(request, entity)] as const)
      const gone = request.wanted.include_deleted === undefined ? [] : all.filter((one) => mayBeGone(one, request))
      const fetches = [
        ...lists,
        ...gone.map((entity) => [entity, deletions(changes, request, entity.name)] as const)
      ].map(([{ editions, name }, fetch]): Fetch =>
        editions === undefined
          ? fetch
          : (at, size) => editions.ifThere(connection, name, fetch(at, size), Effect.succeed(none))
      )
      const page = yield* inOrder("quickbooks", fetches)(position, limit)
      return yield* completed(page, mapping, (variant, records) => complete(connection, variant, records))
    }),

    get: ({ connection, id, variant }) => get(connection, variant, id),

    create: Effect.fnUntraced(function* ({ connection, encoded, idempotencyKey, variant }) {
      const made = yield* create(connection, variant.nativeType, newObject(encoded.record), idempotencyKey)
      const last = yield* follow(connection, variant, encoded.steps, made, ["record"])
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
