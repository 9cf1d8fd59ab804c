import { Array as Arr, Effect, type Either } from "effect"
import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import { readFailure } from "../base/Errors.ts"
import { everything } from "../base/Paginator.ts"
import { requestKey } from "../base/RequestKey.ts"
import type { Answer, Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { keeping, nativeRecord } from "../KeptValues.ts"
import { Invalid, Malformed, Missing, ProviderError } from "../ProviderError.ts"
import { type Batches, itemsAtOnce } from "./Batches.ts"
import { oneOf } from "./Conditions.ts"
import type { Changes } from "./Deletions.ts"
import { faultOf, readError } from "./ReadError.ts"
import { placed } from "./Topics.ts"

/**
 * Calls to companies' books: `POST /{entity}` creates and updates, `GET /{entity}/{id}` reads, `GET /query` lists, and
 * `POST /batch` does several of these.
 * https://developer.intuit.com/app/developer/qbo/docs/learn/rest-api-features
 */

/** Version of the entities' fields. https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/minor-versions */
const minorVersion = "75"

/** Records that a query returns at most. */
export const pageSize = 1000

/** Ids in one `in (…)`; the query must fit into a URL. */
const idsAtOnce = 200

/** Seconds that rarely changing facts of a company stay valid. */
const ttl = 300

/** A query for records of an entity, in the order of their creation. */
export interface Query {
  readonly name: string
  /** Conditions, combined by AND. */
  readonly where: ReadonlyArray<string>
  /** Position of the first record, from 1; absent: 1. */
  readonly start?: number
  /** Absent: as many as a response holds. */
  readonly size?: number
}

/** The outcome of one of several queries. */
export type Outcome = Either.Either<ReadonlyArray<Native>, ProviderError>

type Request = Omit<Call, "query"> & { readonly query?: { readonly [name: string]: string } }

export type Books = Effect.Effect.Success<ReturnType<typeof makeBooks>>

export const malformed = (operation: string, status: number, detail: string) =>
  new ProviderError({ provider: "quickbooks", operation, reason: new Malformed(), status, detail })

/** Builds the error for a Fault in a response with a success status. */
export const faulty = (operation: string, { body, headers, status }: Answer) => {
  const { detail, reason } = readFailure(readError, { status, headers, body, now: 0 })
  return new ProviderError({
    provider: "quickbooks",
    operation,
    reason,
    status,
    ...(detail === undefined ? {} : { detail })
  })
}

const textOf = ({ name, size = pageSize, start = 1, where }: Query) => {
  const conditions = where.length === 0 ? "" : ` where ${where.join(" and ")}`
  return `select * from ${name}${conditions} orderby MetaData.CreateTime startposition ${start} maxresults ${size}`
}

/** Queries for records of one type by their ids. */
const byIdQueries = (name: string, ids: ReadonlyArray<string>, where: ReadonlyArray<string>): ReadonlyArray<Query> =>
  Arr.chunksOf(ids, idsAtOnce).map((some) => ({ name, where: [...where, oneOf("Id", some)] }))

const pathOf = (name: string) => name.toLowerCase()

/** Turns the rejection of an id that is not a number into Missing: there is no such record. */
export const namesNone = (error: ProviderError) =>
  error.reason._tag === "Invalid" ? new ProviderError({ ...error, reason: new Missing() }) : error

/** Turns "object not found" on a write into Invalid: a record that the body names is inactive or gone. */
export const namesInactive = (error: ProviderError) =>
  error.reason._tag === "Missing" ? new ProviderError({ ...error, reason: new Invalid({ fields: {} }) }) : error

/** Whether a batch was refused as a whole, rather than one of its items. */
const isRefusal = ({ reason, status }: ProviderError) =>
  status === 400 && (reason._tag === "Invalid" || reason._tag === "Unsupported")

/** Cached facts of a company; the lookups of the same names are cached longer. */
const lately = { company: "company/lately", preferences: "preferences/lately" } as const

export const makeBooks = Effect.fnUntraced(function* (call: Caller, batches: Batches) {
  const known = yield* keeping(nativeRecord)

  /** Fails when a response holds a Fault, whatever its status. */
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

  /** Returns one object of a response's envelope: `{Customer: {…}, time}`. */
  const askOne = (connection: ConnectionRef, name: string, request: Request) =>
    Effect.flatMap(ask(connection, request), ({ body, status }) => {
      const found = getPath(body, name)
      return isNative(found)
        ? Effect.succeed(found)
        : Effect.fail(malformed(request.operation, status, `no ${name} in the answer`))
    })

  /** Returns the records of a query. When nothing matches, the response does not even name the entity. */
  const rowsIn = (operation: string, name: string, { body, status }: Pick<Answer, "body" | "status">) => {
    const response = getPath(body, "QueryResponse")
    return isNative(response)
      ? Effect.succeed(natives(response[name]))
      : Effect.fail(malformed(operation, status, "no QueryResponse in the answer"))
  }

  const query = (connection: ConnectionRef, asked: Query): Effect.Effect<ReadonlyArray<Native>, ProviderError> => {
    const operation = `${asked.name}.query`
    return Effect.flatMap(
      ask(connection, { operation, method: "GET", path: "query", query: { query: textOf(asked) } }),
      (answer) => rowsIn(operation, asked.name, answer)
    )
  }

  const oneByOne = (connection: ConnectionRef, asked: ReadonlyArray<Query>) =>
    Effect.forEach(asked, (one) => Effect.either(query(connection, one)), { concurrency: "unbounded" })

  /** https://developer.intuit.com/app/developer/qbo/docs/learn/explore-the-quickbooks-online-api/batch */
  const batch = (
    connection: ConnectionRef,
    asked: ReadonlyArray<Query>
  ): Effect.Effect<ReadonlyArray<Outcome>, ProviderError> => {
    const json = { BatchItemRequest: asked.map((one, bId) => ({ bId: String(bId), Query: textOf(one) })) }
    return ask(connection, { operation: "batch.query", method: "POST", path: "batch", json, reads: true }).pipe(
      Effect.tapErrorTag("ProviderError", ({ reason }) =>
        reason._tag === "LimitReached" ? batches.refused(connection) : Effect.void
      ),
      Effect.flatMap((answer) => {
        const items = new Map(natives(getPath(answer.body, "BatchItemResponse")).map((item) => [item.bId, item]))
        return Effect.forEach(asked, ({ name }, bId) => {
          const [operation, body] = [`${name}.query`, items.get(String(bId))]
          // a batch does not give the status of a single refused item
          const status = getPath(faultOf(body), "type") === "SystemFault" ? 500 : 400
          return Effect.either(
            faultOf(body) === undefined
              ? rowsIn(operation, name, { ...answer, body })
              : Effect.fail(faulty(operation, { ...answer, body, status }))
          )
        })
      }),
      Effect.catchIf(isRefusal, () => oneByOne(connection, asked))
    )
  }

  /** Runs several queries, in one call where possible; returns the outcome of each. */
  const queries = (
    connection: ConnectionRef,
    asked: ReadonlyArray<Query>
  ): Effect.Effect<ReadonlyArray<Outcome>, ProviderError> =>
    Effect.map(
      Effect.forEach(
        Arr.chunksOf(asked, itemsAtOnce),
        (some) =>
          some.length < 2
            ? oneByOne(connection, some)
            : Effect.if(batches.take(connection), {
                onTrue: () => batch(connection, some),
                onFalse: () => oneByOne(connection, some)
              }),
        { concurrency: "unbounded" }
      ),
      Arr.flatten
    )

  /** Reads every record of a query, page after page. */
  const queryAll = (connection: ConnectionRef, name: string, where: ReadonlyArray<string> = []) =>
    everything("quickbooks", `${name}.query`, (position) => {
      const start = Number(position ?? 1)
      return Effect.map(query(connection, { name, where, start }), (records) => ({
        records,
        next: records.length < pageSize ? null : String(start + pageSize)
      }))
    })

  /** Reads records of one type by id. */
  const byIds = (
    connection: ConnectionRef,
    name: string,
    ids: ReadonlyArray<string>,
    where: ReadonlyArray<string> = []
  ) =>
    Effect.flatMap(queries(connection, byIdQueries(name, ids, where)), (outcomes) =>
      Effect.map(Effect.all(outcomes), Arr.flatten)
    )

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

  /** Reads one record by id. */
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
    }).pipe(
      Effect.mapError(placed(name, json)),
      // even when the response is lost
      Effect.ensuring(name === "CompanyInfo" ? known.forget(connection, lately.company) : Effect.void)
    )

  /** Deletes or voids: `POST /{entity}?operation=…`. */
  const operate = (connection: ConnectionRef, name: string, operation: string, record: Native) =>
    post(connection, name, operation, { Id: record.Id, SyncToken: record.SyncToken }, { query: { operation } })

  /** Creates a record; the same key returns the same record. */
  const create = (connection: ConnectionRef, name: string, json: Native, key: string | undefined) =>
    post(
      connection,
      name,
      "create",
      json,
      key === undefined ? {} : { query: { requestid: requestKey(connection, name, key) }, repeatable: true }
    ).pipe(Effect.mapError(namesInactive))

  /** Reads a record, and all of another type that meet some conditions, in one call unless these are very many. */
  const readBeside = Effect.fnUntraced(function* (
    connection: ConnectionRef,
    name: string,
    id: string,
    others: { readonly name: string; readonly where: ReadonlyArray<string> }
  ) {
    const [first, second] = yield* queries(connection, [{ name, where: [oneOf("Id", [id])] }, others])
    const [record] = first === undefined ? [] : yield* first
    const some = second === undefined ? [] : yield* second
    return record === undefined
      ? yield* new ProviderError({ provider: "quickbooks", operation: `${name}.get`, reason: new Missing() })
      : { record, others: some.length < pageSize ? some : yield* queryAll(connection, others.name, others.where) }
  })

  /** Reads the company's own record. */
  const company = (connection: ConnectionRef) =>
    askOne(connection, "CompanyInfo", { operation: "CompanyInfo.get", method: "GET", path: "companyinfo/:realmId" })

  const preferences = (connection: ConnectionRef) =>
    askOne(connection, "Preferences", { operation: "Preferences.get", method: "GET", path: "preferences" })

  /** Facts of a company, at most five minutes old. */
  const recent = {
    company: (connection: ConnectionRef) => known.get(connection, lately.company, ttl, company(connection)),
    preferences: (connection: ConnectionRef) => known.get(connection, lately.preferences, ttl, preferences(connection))
  }

  return {
    call,
    ask,
    askOne,
    query,
    queries,
    queryAll,
    byIds,
    changes,
    read,
    readBeside,
    company,
    preferences,
    recent,
    post,
    operate,
    create
  }
})
