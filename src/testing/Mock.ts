import { Effect, type Layer } from "effect"
import { accounting } from "../canonical/Catalogue.ts"
import { type Category, isReport, type Resource } from "../canonical/Resource.ts"
import { isNative, type Native } from "../mapping/Mapping.ts"
import { InternalError } from "../platform/Errors.ts"
import type { InvalidPart } from "../platform/Registry.ts"
import { bearer } from "../providers/base/Authorization.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import { Credentials } from "../providers/Credentials.ts"
import type { NativeRecord, ResourceAdapter } from "../providers/ProviderAdapter.ts"
import { Missing, ProviderError, type Reason } from "../providers/ProviderError.ts"
import { provider, type Providers } from "../providers/Providers.ts"
import { fileOf, parents, received, types } from "./MockFiles.ts"
import { mockMapping, nativeTypeOf } from "./MockMapping.ts"
import {
  type builtIn,
  type MockFailure,
  type MockOperation,
  type MockPlan,
  type MockSource,
  planOf
} from "./MockPlan.ts"
import { mistakesIn, type MockRecord, type ResourceName } from "./MockRecords.ts"
import { makeTable, type Row, type Table } from "./MockStore.ts"

type CategoryOf<Slug extends string> = Slug extends keyof typeof builtIn ? (typeof builtIn)[Slug]["category"] : Category

/** The records of a mock, by resource. */
export type MockRecords<C extends Category> = C extends Category
  ? { readonly [Name in ResourceName<C>]?: MockSource<MockRecord<C, Name>> }
  : never

/** Options of a mock. */
export interface MockOptions<C extends Category> {
  /** Category of the resources, where neither the slug of a built-in provider nor their names say it. */
  readonly category?: C
  /**
   * Operations that fail: `{ "contact.list": new LimitReached({ retryAfter: 3 }) }` does every time; a list of reasons is
   * used up call by call, and then the operation works. `Unauthenticated` also makes the connection need reconnecting.
   */
  readonly failures?: { readonly [Operation in `${ResourceName<C>}.${MockOperation}`]?: MockFailure }
}

/** The HTTP status that a provider would have answered. */
const statuses: { readonly [Tag in Reason["_tag"]]?: number } = {
  LimitReached: 429,
  Unauthenticated: 401,
  NotPermitted: 403,
  Missing: 404,
  Invalid: 422,
  Stale: 412,
  Clash: 409,
  Locked: 409,
  Down: 503
}

/** Custom fields are native fields like others. */
const nativeOf = ({ custom_fields, ...record }: Native): Native =>
  isNative(custom_fields) ? { ...record, ...custom_fields } : record

/** Fails with words for whoever wrote the test. */
const tellAuthor = (said: string) => Effect.die(new InternalError({ said }))

/** Tells why the call of an operation that is made now fails, as planned. */
const failing = (failures: MockPlan["failures"]) => {
  const used = new Map<string, number>()
  return (operation: string): Reason | undefined => {
    const planned = failures.get(operation)
    if (planned === undefined || "_tag" in planned) return planned
    const at = used.get(operation) ?? 0
    used.set(operation, at + 1)
    return planned[at]
  }
}

const adapterOf = Effect.fnUntraced(function* ({ category, failures, name, slug, sources }: MockPlan) {
  const credentials = yield* Credentials
  const reasonFor = failing(failures)
  const ids = new Set<string>()
  const tables = new Map<string, Table>()
  const files = new Map<string, Uint8Array>()

  const fail = (operation: string, reason: Reason) =>
    new ProviderError({ provider: slug, operation, reason, status: statuses[reason._tag] })

  /** Comes before every operation, as a call to a provider would. */
  const opened = Effect.fnUntraced(function* (connection: ConnectionRef, operation: string) {
    const held = yield* credentials.current(connection)
    const reason = reasonFor(operation)
    if (reason === undefined) return
    if (reason._tag === "Unauthenticated") yield* credentials.refused(connection, held)
    return yield* fail(operation, reason)
  })

  const adapterFor = (resource: Resource, source: MockSource<object>): ResourceAdapter => {
    const added = (id: string) => ids.add(`${resource.name}/${id}`)
    const mistakes = mistakesIn(resource)

    const load = Effect.fnUntraced(function* (connection: ConnectionRef) {
      if (typeof source !== "function") return source
      const records = yield* Effect.suspend(() => {
        const made = source(connection)
        return Effect.isEffect(made) ? made : Effect.succeed(made)
      }).pipe(
        Effect.catchAllDefect((defect) =>
          tellAuthor(`mock ${slug}: ${resource.name}: its function failed: ${String(defect)}`)
        )
      )
      const wrong = mistakes(records)
      return wrong.length === 0
        ? records
        : yield* tellAuthor(wrong.map((mistake) => `mock ${slug}: ${mistake}`).join("\n"))
    })

    const tableOf = Effect.fnUntraced(function* (connection: ConnectionRef) {
      const key = `${connection.id}/${resource.name}`
      const known = tables.get(key)
      if (known !== undefined) return known
      const records = yield* load(connection)
      const made = yield* makeTable(resource, records.filter(isNative).map(nativeOf), added)
      // somebody else may have been as quick
      const table = tables.get(key) ?? made
      tables.set(key, table)
      return table
    })

    /** Runs an operation on the records of a connection. */
    const on = <A>(
      connection: ConnectionRef,
      operation: MockOperation,
      work: (table: Table) => Effect.Effect<A | undefined>
    ) =>
      Effect.gen(function* () {
        const whole = `${resource.name}.${operation}`
        yield* opened(connection, whole)
        const done = yield* work(yield* tableOf(connection))
        return done === undefined ? yield* fail(whole, new Missing()) : done
      })

    const native = ({ record }: Row): NativeRecord => ({ nativeType: nativeTypeOf(resource.name), record })
    const written = (row: Row) => ({ id: row.id, record: native(row) })

    const update =
      (operation: "replace" | "patch"): NonNullable<ResourceAdapter["patch"]> =>
      ({ connection, encoded, id }) =>
        Effect.map(
          on(connection, operation, (table) => table.change(id, encoded.record)),
          written
        )

    const readable: Pick<ResourceAdapter, "mapping" | "consistency" | "finds" | "list" | "get"> = {
      consistency: "exact",
      mapping: mockMapping(resource, (target, id) => ids.has(`${target}/${id}`)),
      // the period of a report; everything else is sifted
      finds: isReport(resource) ? ["created_after", "created_before"] : [],
      list: ({ connection, limit, position }) =>
        Effect.map(
          on(connection, "list", ({ rows }) => Effect.succeed([...rows.values()])),
          (rows) => {
            const found = rows.filter(({ order }) => order > Number(position ?? 0))
            const page = found.slice(0, limit)
            return { records: page.map(native), next: found.length > limit ? String(page.at(-1)?.order) : null }
          }
        ),
      get: ({ connection, id }) =>
        Effect.map(
          on(connection, "get", ({ rows }) => Effect.succeed(rows.get(id))),
          native
        )
    }
    if (resource.class === "read-only") return readable
    const updatable = { ...readable, replace: update("replace"), patch: update("patch") }
    if (resource.class === "update-only") return updatable
    const removable: ResourceAdapter = {
      ...updatable,
      remove: ({ connection, id }) =>
        on(connection, "remove", (table) => Effect.sync(() => (table.remove(id) ? true : undefined))).pipe(
          Effect.asVoid
        )
    }
    if (resource === accounting.attachment) {
      return {
        ...removable,
        upload: {
          types,
          parents,
          send: (request) =>
            Effect.flatMap(received(request), ({ bytes, record }) =>
              Effect.map(
                on(request.connection, "create", (table) => table.add(record)),
                (row) => {
                  files.set(`${request.connection.id}/${row.id}`, bytes)
                  return written(row)
                }
              )
            )
        },
        download: ({ connection, id }) =>
          Effect.map(
            on(connection, "get", ({ rows }) => Effect.succeed(rows.get(id))),
            ({ record }) => fileOf(record, files.get(`${connection.id}/${id}`))
          )
      }
    }
    return {
      ...removable,
      create: ({ connection, encoded }) =>
        Effect.map(
          on(connection, "create", (table) => table.add(encoded.record)),
          written
        )
    }
  }

  for (const [resource, source] of sources) {
    if (typeof source === "function") continue
    for (const { remote_id } of source.filter(isNative)) ids.add(`${resource.name}/${String(remote_id)}`)
  }
  return {
    slug,
    name,
    category,
    authorization: { kind: "key" as const, help: "Any key will do.", apply: bearer },
    lookups: {},
    resources: Object.fromEntries(
      sources.map(([resource, source]) => [resource.name, adapterFor(resource, source)] as const)
    )
  }
})

/**
 * A provider made of canonical records, for tests: `mockProvider("hubspot", { contact: [{ first_name: "Ada" }] })`. It can do
 * with each resource what the catalogue allows, and goes the way of every provider: filters, pages, field mappings,
 * references. Each connection has the records of its own; what is written stays in memory.
 *
 * Records without a `remote_id` or stamps are given some. Misspelt names fail the Layer, with the place and the nearest name.
 */
export const mockProvider = <const Slug extends string, C extends Category = CategoryOf<Slug>>(
  slug: Slug,
  records: MockRecords<C>,
  options: MockOptions<C> = {}
): Layer.Layer<never, InvalidPart, Providers | Credentials> =>
  provider(Effect.flatMap(planOf(slug, records, options), adapterOf))
