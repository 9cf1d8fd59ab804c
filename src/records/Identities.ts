import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import { v5 } from "uuid"
import type { Category } from "../canonical/Resource.ts"
import type { Identity, RecordContext } from "../mapping/Transform.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"

/** A record, or one that another refers to, as this service knows it. */
export interface Known extends Identity {
  readonly uuid: string
}

/** A record in memory; `kept` once the way back from its UUID is stored. */
interface Entry extends Known {
  kept: boolean
}

/** The identities encountered while one page (or record) is read. */
export interface Sighting {
  /** Context with which the mapping makes references. */
  readonly context: RecordContext
  /** UUID of a record of the page. */
  readonly idOf: (resource: string, nativeType: string, remoteId: string) => string
  /** Stores the new identities that were encountered; runs no SQL if there are none. */
  readonly keep: Effect.Effect<void>
}

/**
 * Service ids: a UUIDv5 over the connection and the record's identity at its provider, so that reading needs no look-up. The
 * way back from a UUID is stored.
 */
export class Identities extends Context.Tag("tributary/records/Identities")<
  Identities,
  {
    readonly sight: (connection: ConnectionRef, category: Category) => Sighting
    /** Resolves UUIDs to the records that this connection has encountered. */
    readonly resolve: (
      connection: ConnectionRef,
      uuids: ReadonlyArray<string>
    ) => Effect.Effect<(uuid: string) => Known | undefined>
    /** Finds a record that this process has seen, even if its UUID was not stored: CRM lists store none. */
    readonly recall: (connection: ConnectionRef, uuid: string) => Known | undefined
    /** The native types with which a record of an id was seen. */
    readonly typesOf: (
      connection: ConnectionRef,
      category: Category,
      record: Pick<Identity, "resource" | "remoteId">,
      nativeTypes: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>>
    /** When records were first seen (ISO 8601), by UUID: the creation time where the provider states none. */
    readonly firstSeen: (
      connection: ConnectionRef,
      uuids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, string>>
  }
>() {
  static readonly layer = Layer.effect(
    Identities,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      /** Per connection: name of a record -> its UUID, stored or not. Evicts the oldest connections first. */
      const cache = new Map<string, Map<string, Entry>>()
      let size = 0

      const ofConnection = (id: string) => {
        const known = cache.get(id)
        if (known !== undefined) return known
        const made = new Map<string, Entry>()
        cache.set(id, made)
        return made
      }

      const shrink = () => {
        for (const [id, names] of cache) {
          if (size <= capacity) return
          size -= names.size
          cache.delete(id)
        }
      }

      const entryOf = (connection: string, category: Category, identity: Identity): Entry => {
        const { nativeType, remoteId, resource } = identity
        const name = nameOf(category, identity)
        const names = ofConnection(connection)
        const known = names.get(name)
        if (known !== undefined) return known
        const made = { uuid: uuidv5(connection, name), resource, nativeType, remoteId, kept: false }
        names.set(name, made)
        size += 1
        if (size > capacity) shrink()
        return made
      }

      const sight = (connection: ConnectionRef, category: Category): Sighting => {
        const fresh = new Set<Entry>()
        const idOf = (resource: string, nativeType: string, remoteId: string) => {
          const entry = entryOf(connection.id, category, { resource, nativeType, remoteId })
          if (!entry.kept) fresh.add(entry)
          return entry.uuid
        }
        return {
          idOf,
          context: {
            reference: idOf,
            // lines are not looked up by their id, so they are not kept
            line: (path, lineId) => `urn:uuid:${uuidv5(connection.id, `${path}/${lineId}`)}`
          },
          keep: Effect.clockWith((clock) => {
            if (fresh.size === 0) return Effect.void
            const rows = [...fresh]
            return sql`
              -- nothing of a connection that was removed meanwhile
              with held as (
                select id from connections where id = ${connection.id} and status <> 'revoked' for key share
              )
              insert into identities (connection_id, id, category, resource, native_type, remote_id, first_seen_at)
              select held.id, x.uuid, ${category}, x.resource, x."nativeType", x."remoteId",
                     ${new Date(clock.unsafeCurrentTimeMillis())}::timestamptz
              from held, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
                as x(uuid uuid, resource text, "nativeType" text, "remoteId" text)
              -- in one order for all: two readers that insert the same rows must not wait for each other
              order by x.uuid
              on conflict do nothing`.pipe(
              Effect.orDie,
              Effect.tap(() => {
                for (const entry of rows) entry.kept = true
              }),
              Effect.asVoid
            )
          })
        }
      }

      const findSeen = SqlSchema.findAll({
        Request: Schema.Struct({ connection: Schema.String, uuids: Schema.Array(Schema.String) }),
        Result: Schema.Struct({ id: Schema.String, first_seen_at: Schema.DateFromSelf }),
        execute: ({ connection, uuids }) => sql`
          select id, first_seen_at from identities
          where connection_id = ${connection} and ${sql.in("id", uuids)}`
      })

      const resolve = Effect.fn("Identities.resolve")(function* (
        connection: ConnectionRef,
        uuids: ReadonlyArray<string>
      ) {
        if (uuids.length === 0) return () => undefined
        // one for each reference of a page: a Schema for them costs a fifth of the read (docs/decisions/0009-rows.md)
        const rows = yield* sql<Known>`
          select id as uuid, resource, native_type as "nativeType", remote_id as "remoteId" from identities
          where connection_id = ${connection.id} and ${sql.in("id", [...new Set(uuids)])}`.pipe(Effect.orDie)
        const known = new Map(rows.map((row) => [row.uuid, row]))
        return (uuid: string) => known.get(uuid)
      })

      return {
        sight,
        resolve,
        recall: ({ id }, uuid) => [...(cache.get(id)?.values() ?? [])].find((entry) => entry.uuid === uuid),
        typesOf: Effect.fn("Identities.typesOf")(function* (connection, category, record, nativeTypes) {
          const uuids = nativeTypes.map((nativeType) =>
            uuidv5(connection.id, nameOf(category, { ...record, nativeType }))
          )
          const known = yield* resolve(connection, uuids)
          return uuids.flatMap((uuid) => known(uuid)?.nativeType ?? [])
        }),
        firstSeen: Effect.fn("Identities.firstSeen")(function* (connection, uuids) {
          if (uuids.length === 0) return new Map<string, string>()
          const rows = yield* Effect.orDie(findSeen({ connection: connection.id, uuids }))
          return new Map(rows.map((row) => [row.id, row.first_seen_at.toISOString()]))
        })
      }
    })
  )
}

const nameOf = (category: Category, { nativeType, remoteId, resource }: Identity) =>
  `${category}/${resource}/${nativeType}/${remoteId}`

/** Names kept in memory over all connections; about 500 bytes each. */
const capacity = 100_000

/** Takes the name as bytes, since text that is cut within a character would throw. */
const uuidv5 = (namespace: string, name: string): string => v5(Buffer.from(name), namespace)
