import { Effect } from "effect"
import { makeCache } from "../../platform/Shared.ts"
import { isNative, type Native } from "../../mapping/Mapping.ts"
import type { Answer, Call, Caller } from "../axes/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { Malformed, NotPermitted, ProviderError, type Reason } from "../ProviderError.ts"

/** https://developer.salesforce.com/docs/platform/api-rest/guide/resources-list */
export const api = "/services/data/v66.0"

/** The fields of a type that an org has and the connected user may see. */
export interface Fields {
  /** Names of fields and of relationships to parents. */
  readonly readable: ReadonlySet<string>
  /** Fields that take null. */
  readonly clearable: ReadonlySet<string>
}

/** What all resources do with the org of a connection. */
export interface Org {
  readonly call: Caller
  /** Every row of a query, through all its batches. */
  readonly query: (
    connection: ConnectionRef,
    operation: string,
    soql: string
  ) => Effect.Effect<ReadonlyArray<Native>, ProviderError>
  /** Orgs differ in their fields (currencies, licences, field security), so what is asked for is looked up first. */
  readonly fieldsOf: (connection: ConnectionRef, type: string) => Effect.Effect<Fields, ProviderError>
}

export const failure = (operation: string, reason: Reason, detail?: string) =>
  new ProviderError({ provider: "salesforce", operation, reason, ...(detail === undefined ? {} : { detail }) })

const isRows = (value: unknown): value is ReadonlyArray<Native> => Array.isArray(value) && value.every(isNative)

interface Batch {
  readonly rows: ReadonlyArray<Native>
  /** Names the next batch. */
  readonly locator: string | undefined
}

/**
 * Even a short result may come in several batches.
 * https://developer.salesforce.com/docs/platform/api-rest/guide/resources-query
 */
const batchOf = (operation: string, { body }: Answer): Effect.Effect<Batch, ProviderError> => {
  if (!isNative(body) || !isRows(body.records)) return failure(operation, new Malformed(), "the answer has no records")
  if (body.done !== false) return Effect.succeed({ rows: body.records, locator: undefined })
  const locator = typeof body.nextRecordsUrl === "string" ? body.nextRecordsUrl.split("/").at(-1) : undefined
  return locator === undefined
    ? failure(operation, new Malformed(), "the answer does not say where it goes on")
    : Effect.succeed({ rows: body.records, locator })
}

/** https://developer.salesforce.com/docs/platform/api-rest/guide/dome-sobject-describe */
const fieldsIn = (operation: string, { body }: Answer): Effect.Effect<Fields, ProviderError> => {
  if (!isNative(body) || !isRows(body.fields)) return failure(operation, new Malformed(), "the answer has no fields")
  const names = (fields: ReadonlyArray<Native>, key: string) =>
    fields.map((field) => field[key]).filter((name) => typeof name === "string")
  return Effect.succeed({
    readable: new Set([...names(body.fields, "name"), ...names(body.fields, "relationshipName")]),
    clearable: new Set(
      names(
        body.fields.filter((field) => field.updateable !== false && field.nillable !== false),
        "name"
      )
    )
  })
}

/** Orgs behind a caller; what is known of their fields is kept for ten minutes. */
export const makeOrg = (call: Caller): Effect.Effect<Org> =>
  Effect.gen(function* () {
    const describe = (connection: ConnectionRef, type: string) => {
      const operation = `${type}.describe`
      const request: Call = { operation, method: "GET", path: `${api}/sobjects/:type/describe`, params: { type } }
      return call(connection, request).pipe(
        Effect.flatMap((answer) => fieldsIn(operation, answer)),
        // a type that needs an add-on, or that is hidden from the user, is as if it were not there
        Effect.mapError((error) =>
          error.reason._tag === "Missing" ? failure(operation, new NotPermitted(), error.detail) : error
        )
      )
    }

    const known = yield* makeCache<Fields, ProviderError>({ capacity: 500, ttl: () => 600 })

    return {
      call,
      query: Effect.fnUntraced(function* (connection, operation, soql) {
        const first = yield* call(connection, { operation, method: "GET", path: `${api}/query`, query: { q: soql } })
        let { locator, rows } = yield* batchOf(operation, first)
        while (locator !== undefined) {
          const path = `${api}/query/:locator`
          const batch = yield* call(connection, { operation, method: "GET", path, params: { locator } }).pipe(
            Effect.flatMap((answer) => batchOf(operation, answer))
          )
          rows = [...rows, ...batch.rows]
          locator = batch.locator
        }
        return rows
      }),
      fieldsOf: (connection, type) => known.get(`${connection.id}/${type}`, describe(connection, type))
    }
  })
