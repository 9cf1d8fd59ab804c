import { Context, Effect, Layer } from "effect"
import type { Resource } from "../canonical/Resource.ts"
import { type Connection, Connections } from "../connections/Connections.ts"
import { FieldMappings } from "../fieldmappings/FieldMappings.ts"
import type { CompiledMapping } from "../mapping/Compile.ts"
import { Conflict, MethodNotAllowed, NotFound } from "../platform/Errors.ts"
import type { Operation, ProviderAdapter, ResourceAdapter } from "../providers/ProviderAdapter.ts"
import { Providers } from "../providers/Providers.ts"
import type { Caller } from "../tenancy/CurrentCaller.ts"
import { EndUsers } from "../tenancy/EndUsers.ts"

/** Whose records are meant. */
export interface Subject {
  readonly caller: Caller
  /** `X-End-User-Id` */
  readonly endUser: string
  /** `X-Connection-Id` */
  readonly connection: string | undefined
}

/** A connection with what its provider can do with one resource, and the mapping in force. */
export interface Part {
  readonly connection: Connection
  readonly adapter: ProviderAdapter
  readonly part: ResourceAdapter
  readonly mapping: CompiledMapping
}

/** Which connection, provider and mapping a call means; what belongs to others is as if it were not there. */
export class Access extends Context.Tag("tributary/records/Access")<
  Access,
  {
    /** The one connection that a call to a provider means, for an operation that the provider has. */
    readonly part: (
      subject: Subject,
      resource: Resource,
      slug: string,
      operation: Operation
    ) => Effect.Effect<Part, NotFound | Conflict | MethodNotAllowed>
    /** Every connection of the end user whose provider can list the resource. */
    readonly listable: (subject: Subject, resource: Resource) => Effect.Effect<ReadonlyArray<Connection>, NotFound>
    /** What is left of the connections of a walk: those that still belong to the end user and can list the resource. */
    readonly parts: (
      subject: Subject,
      resource: Resource,
      connections: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Part>, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Access,
    Effect.gen(function* () {
      const providers = yield* Providers
      const endUsers = yield* EndUsers
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

      const endUserOf = (subject: Subject) =>
        Effect.flatMap(endUsers.find(subject.caller, subject.endUser), (found) =>
          found === undefined
            ? Effect.fail(
                new NotFound({
                  code: "END_USER_NOT_FOUND",
                  message: "X-End-User-Id: no such end user. It is the endUserId given when the connect token was made."
                })
              )
            : Effect.succeed(found)
        )

      /** The connections a call may mean: of this end user, to these providers. */
      const connectionsOf = Effect.fnUntraced(function* (subject: Subject, adapters: ReadonlyArray<ProviderAdapter>) {
        const endUser = yield* endUserOf(subject)
        const all = yield* connections.ofEndUser(subject.caller, endUser.id)
        const meant = all.filter((one) => adapters.some((adapter) => adapter.slug === one.provider))
        if (subject.connection === undefined) return meant
        const picked = meant.filter((one) => one.id === subject.connection)
        if (picked.length === 0) {
          return yield* new NotFound({
            code: "CONNECTION_NOT_FOUND",
            message: "X-Connection-Id: this end user has no such connection here."
          })
        }
        return picked
      })

      /** The one connection that a call to a provider means. */
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
        return first
      })

      const notSupported = (adapter: ProviderAdapter, resource: Resource, operation: string, single: boolean) => {
        const has = (name: Operation) => adapter.resources[resource.name]?.[name] !== undefined
        const methods: ReadonlyArray<readonly [Operation, string]> = single
          ? [
              ["get", "GET"],
              ["replace", "PUT"],
              ["patch", "PATCH"],
              ["remove", "DELETE"]
            ]
          : [
              ["list", "GET"],
              ["create", "POST"]
            ]
        return new MethodNotAllowed({
          message: `${adapter.slug} has no ${operation} of ${resource.name}.`,
          allow: methods.filter(([name]) => has(name)).map(([, method]) => method)
        })
      }

      /** A provider's part in a resource, the operation wanted and the mapping in force. */
      const partOf = Effect.fnUntraced(function* (
        subject: Subject,
        resource: Resource,
        slug: string,
        operation: Operation
      ) {
        const adapter = yield* adapterOf(slug, resource)
        const part = adapter.resources[resource.name]
        const connection = yield* connectionOf(subject, adapter)
        const mapping = yield* fieldMappings.compiled(subject.caller, adapter, resource)
        const single = operation !== "list" && operation !== "create"
        if (part?.[operation] === undefined || mapping === undefined) {
          return yield* notSupported(adapter, resource, operation, single)
        }
        return { adapter, part, connection, mapping }
      })

      const canList = (resource: Resource) =>
        providers.all(resource.category).filter((adapter) => adapter.resources[resource.name]?.list !== undefined)

      return {
        part: partOf,
        listable: (subject, resource) => connectionsOf(subject, canList(resource)),
        parts: Effect.fnUntraced(function* (subject, resource, ids) {
          const able = canList(resource)
          const held = yield* connectionsOf(subject, able)
          const found = new Map<string, Part>()
          for (const connection of held) {
            const adapter = able.find((one) => one.slug === connection.provider)
            const part = adapter?.resources[resource.name]
            if (adapter === undefined || part === undefined || !ids.includes(connection.id)) continue
            const mapping = yield* fieldMappings.compiled(subject.caller, adapter, resource)
            if (mapping !== undefined) found.set(connection.id, { connection, adapter, part, mapping })
          }
          return found
        })
      }
    })
  )
}
