import { Context, Effect, Layer } from "effect"
import type { Resource } from "../canonical/Resource.ts"
import type { Connection } from "../connections/Connection.ts"
import { Connections } from "../connections/Connections.ts"
import { FieldMappings } from "../fieldmappings/FieldMappings.ts"
import type { CompiledMapping } from "../mapping/Compile.ts"
import { Conflict, MethodNotAllowed, NotFound } from "../platform/Errors.ts"
import { meaning } from "../platform/RequestNotes.ts"
import { has, type Operation, type ProviderAdapter, type ResourceAdapter } from "../providers/ProviderAdapter.ts"
import { Providers } from "../providers/Providers.ts"
import type { Reader } from "../tenancy/CurrentCaller.ts"

/** The caller, end user and connection whose records are used. */
export interface Subject {
  readonly caller: Reader
  /** `X-End-User-Id` */
  readonly endUser: string
  /** `X-Connection-Id` */
  readonly connection: string | undefined
}

/** A connection with its provider's operations on one resource, and the mapping in force. */
export interface ResourceAccess {
  readonly connection: Connection
  readonly adapter: ProviderAdapter
  readonly resourceAdapter: ResourceAdapter
  readonly mapping: CompiledMapping
}

/** Finds the connection, provider and mapping of a request; those of other tenants do not exist for it. */
export class Access extends Context.Tag("tributary/records/Access")<
  Access,
  {
    /** Finds the only matching connection to a provider, for an operation that the provider has. */
    readonly reach: (
      subject: Subject,
      resource: Resource,
      slug: string,
      operation: Operation
    ) => Effect.Effect<ResourceAccess, NotFound | Conflict | MethodNotAllowed>
    /** Refuses an operation that the provider does not have, for any caller. */
    readonly supports: (
      resource: Resource,
      slug: string,
      operation: Operation
    ) => Effect.Effect<void, NotFound | MethodNotAllowed>
    /** Finds the only matching connection to a provider, for any purpose. */
    readonly connection: (subject: Subject, adapter: ProviderAdapter) => Effect.Effect<Connection, NotFound | Conflict>
    /** The same connection's access to another resource; undefined if its provider does not read that. */
    readonly beside: (
      caller: Reader,
      reached: ResourceAccess,
      resource: Resource
    ) => Effect.Effect<ResourceAccess | undefined>
    /** Lists the end user's connections whose providers can list the resource. */
    readonly listable: (subject: Subject, resource: Resource) => Effect.Effect<ReadonlyArray<ResourceAccess>, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Access,
    Effect.gen(function* () {
      const providers = yield* Providers
      const connections = yield* Connections
      const fieldMappings = yield* FieldMappings

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

      /** The end user's connections to these providers, narrowed to the requested one. */
      const connectionsOf = Effect.fnUntraced(function* (subject: Subject, adapters: ReadonlyArray<ProviderAdapter>) {
        const all = yield* connections.ofEndUser(subject.caller, subject.endUser)
        if (all === undefined) {
          return yield* new NotFound({
            code: "END_USER_NOT_FOUND",
            message: "X-End-User-Id: no such end user. It is the endUserId given when the connect token was made."
          })
        }
        const meant = all.filter((one) => adapters.some((adapter) => adapter.slug === one.provider))
        if (subject.connection === undefined) return meant
        const picked = meant.filter((one) => one.id === subject.connection)
        if (picked.length === 0) {
          return yield* new NotFound({
            code: "CONNECTION_NOT_FOUND",
            message: "X-Connection-Id: this end user has no such connection in this environment."
          })
        }
        return picked
      })

      /** The only matching connection to a provider. */
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
        yield* meaning(first)
        return first
      })

      const notSupported = (adapter: ProviderAdapter, resource: Resource, operation: Operation) => {
        const resourceAdapter = adapter.resources[resource.name]
        const methods = methodsByPath.find((ofPath) => ofPath.some(([name]) => name === operation)) ?? []
        return new MethodNotAllowed({
          message: `${adapter.slug} has no ${operation} of ${resource.name}.`,
          allow: methods.flatMap(([name, method]) =>
            resourceAdapter !== undefined && has(resourceAdapter, name) ? [method] : []
          )
        })
      }

      const supports = Effect.fnUntraced(function* (resource: Resource, slug: string, operation: Operation) {
        const adapter = yield* adapterOf(slug, resource)
        const resourceAdapter = adapter.resources[resource.name]
        if (resourceAdapter === undefined || !has(resourceAdapter, operation))
          return yield* notSupported(adapter, resource, operation)
      })

      /** A connection's access to a resource, with the requested operation and the mapping in force. */
      const reach = Effect.fnUntraced(function* (
        subject: Subject,
        resource: Resource,
        slug: string,
        operation: Operation
      ) {
        const adapter = yield* adapterOf(slug, resource)
        const resourceAdapter = adapter.resources[resource.name]
        const connection = yield* connectionOf(subject, adapter)
        const mapping = yield* fieldMappings.compiled(subject.caller, adapter, resource)
        if (resourceAdapter === undefined || !has(resourceAdapter, operation) || mapping === undefined) {
          return yield* notSupported(adapter, resource, operation)
        }
        return { adapter, resourceAdapter, connection, mapping }
      })

      const canList = (resource: Resource) =>
        providers.all(resource.category).filter((adapter) => adapter.resources[resource.name]?.list !== undefined)

      return {
        reach,
        supports,
        connection: connectionOf,
        beside: (caller, { adapter, connection }, resource) => {
          const resourceAdapter = adapter.resources[resource.name]
          return Effect.map(fieldMappings.compiled(caller, adapter, resource), (mapping) =>
            resourceAdapter?.get === undefined || mapping === undefined
              ? undefined
              : { adapter, resourceAdapter, connection, mapping }
          )
        },
        listable: Effect.fnUntraced(function* (subject, resource) {
          const able = canList(resource)
          const parts: Array<ResourceAccess> = []
          for (const connection of yield* connectionsOf(subject, able)) {
            const adapter = able.find((one) => one.slug === connection.provider)
            const resourceAdapter = adapter?.resources[resource.name]
            if (adapter === undefined || resourceAdapter === undefined) continue
            const mapping = yield* fieldMappings.compiled(subject.caller, adapter, resource)
            if (mapping === undefined) continue
            yield* meaning(connection)
            parts.push({ connection, adapter, resourceAdapter, mapping })
          }
          return parts
        })
      }
    })
  )
}

/** The operations of each path of a resource, with their methods. */
const methodsByPath: ReadonlyArray<ReadonlyArray<readonly [Operation, string]>> = [
  [
    ["list", "GET"],
    ["create", "POST"]
  ],
  [
    ["get", "GET"],
    ["replace", "PUT"],
    ["patch", "PATCH"],
    ["remove", "DELETE"]
  ],
  [["download", "GET"]]
]
