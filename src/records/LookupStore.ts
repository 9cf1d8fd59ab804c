import { SqlClient, SqlSchema } from "@effect/sql"
import { Clock, Effect, Either, Layer, Option, Redacted, Schema } from "effect"
import { isNative } from "../mapping/Mapping.ts"
import { Encryption } from "../platform/Encryption.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import { KeptValues, type Looked } from "../providers/KeptValues.ts"

/** Milliseconds in which an instance has to be done with a load that others wait for. */
const patience = 10_000

/** Between two looks at a load that another instance does. */
const pause = "100 millis"

/** Characters that a value takes at most; a longer one is loaded by each instance. */
const largest = 1_000_000

const Row = Schema.Struct({
  value: Schema.NullOr(Schema.String),
  good_until: Schema.NullOr(Schema.ValidDateFromSelf),
  loading_until: Schema.NullOr(Schema.ValidDateFromSelf)
})

const associatedDataOf = ({ id }: ConnectionRef, name: string) => `lookups/${id}/${name}`

/** Whether JSON holds a value; members that are undefined are as good as none. */
const isJson = (value: unknown): boolean =>
  value === null ||
  ["string", "number", "boolean", "undefined"].includes(typeof value) ||
  (Array.isArray(value) ? value.every(isJson) : isNative(value) && isPlain(value) && Object.values(value).every(isJson))

const isPlain = (value: object) => Object.prototype.toString.call(value) === "[object Object]"

const json = (value: unknown): string | undefined => {
  const text = isJson(value) ? JSON.stringify(value) : ""
  return text !== "" && text.length <= largest ? text : undefined
}

/**
 * Keeps values of connections for all instances of a deployment, in the database: whoever needs a value first loads it, the others take
 * it from there while it is good. Values rest encrypted, and go with their connection. A database that fails is no reason to
 * fail: each instance loads for itself then.
 */
export const layer = Layer.scoped(
  KeptValues,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { decrypt, encrypt } = yield* Encryption

    const rowOf = SqlSchema.findOne({
      Request: Schema.Struct({ id: Schema.String, name: Schema.String }),
      Result: Row,
      execute: ({ id, name }) => sql`
        select value, good_until, loading_until from lookups where connection_id = ${id} and name = ${name}`
    })

    const opened = (connection: ConnectionRef, name: string, sealed: string): Option.Option<unknown> =>
      Option.map(Either.getRight(decrypt(sealed, associatedDataOf(connection, name))), (text): unknown =>
        JSON.parse(Redacted.value(text))
      )

    /** State of a value: it, who waits for it to be loaded, or nothing. */
    const held = Effect.fnUntraced(function* (connection: ConnectionRef, name: string) {
      const now = yield* Clock.currentTimeMillis
      const row = Option.getOrUndefined(yield* rowOf({ id: connection.id, name }))
      const left = (row?.good_until?.getTime() ?? 0) - now
      const value =
        row?.value === undefined || row.value === null || left <= 0
          ? Option.none()
          : opened(connection, name, row.value)
      return Option.match(value, {
        onNone: () => ({ isLoading: (row?.loading_until?.getTime() ?? 0) > now }),
        onSome: (known): Looked => ({ value: known, ttl: left / 1000 })
      })
    })

    /**
     * Takes it on to load a value: by when that has to be done. Undefined: another instance has, or nothing is kept of the
     * connection any longer.
     */
    const claim = Effect.fnUntraced(function* ({ id }: ConnectionRef, name: string) {
      const now = yield* Clock.currentTimeMillis
      const until = new Date(now + patience)
      const claimed = yield* sql`
        insert into lookups (connection_id, name, loading_until)
        select id, ${name}, ${until} from connections where id = ${id} and status <> 'revoked'
        on conflict (connection_id, name) do update set loading_until = excluded.loading_until
        where coalesce(lookups.loading_until, to_timestamp(0)) <= ${new Date(now)}
        returning name`
      return claimed.length > 0 ? until : undefined
    })

    /** As the columns have it; one that cannot be shared has no value. */
    const sealed = Effect.fnUntraced(function* (connection: ConnectionRef, name: string, { ttl, value }: Looked) {
      const text = json(value)
      return {
        value: text === undefined ? null : yield* encrypt(text, associatedDataOf(connection, name)),
        until: new Date((yield* Clock.currentTimeMillis) + ttl * 1000)
      }
    })

    /** Stores what was loaded, unless it was forgotten or another value put meanwhile. */
    const store = Effect.fnUntraced(function* (connection: ConnectionRef, name: string, claimed: Date, looked: Looked) {
      const { until, value } = yield* sealed(connection, name, looked)
      yield* sql`
        update lookups set value = ${value}, good_until = ${until}, loading_until = null
        where connection_id = ${connection.id} and name = ${name} and loading_until = ${claimed}`
    })

    const put = Effect.fnUntraced(function* (connection: ConnectionRef, name: string, looked: Looked) {
      const { until, value } = yield* sealed(connection, name, looked)
      yield* sql`
        insert into lookups (connection_id, name, value, good_until)
        select id, ${name}, ${value}, ${until} from connections where id = ${connection.id} and status <> 'revoked'
        on conflict (connection_id, name) do update
        set value = excluded.value, good_until = excluded.good_until, loading_until = null`
    })

    const release = ({ id }: ConnectionRef, name: string, claimed: Date) =>
      sql`
        update lookups set loading_until = null
        where connection_id = ${id} and name = ${name} and loading_until = ${claimed}`

    const get = <E>(
      connection: ConnectionRef,
      name: string,
      load: Effect.Effect<Looked, E>,
      isClaimed = false
    ): Effect.Effect<Looked, E> =>
      Effect.flatMap(Effect.option(held(connection, name)), (known): Effect.Effect<Looked, E> => {
        if (Option.isNone(known)) return load
        if ("value" in known.value) return Effect.succeed(known.value)
        if (known.value.isLoading) return Effect.zipRight(Effect.sleep(pause), get(connection, name, load))
        // nothing is kept of a connection that is gone
        if (isClaimed) return load
        return Effect.flatMap(Effect.option(claim(connection, name)), (claimed) => {
          if (Option.isNone(claimed)) return load
          if (claimed.value === undefined) return get(connection, name, load, true)
          const { value } = claimed
          return load.pipe(
            Effect.tap((looked) => Effect.ignore(store(connection, name, value, looked))),
            Effect.onError(() => Effect.ignore(release(connection, name, value)))
          )
        })
      })

    // values that nobody asked for again
    yield* runInBackground(
      Effect.flatMap(
        Clock.currentTimeMillis,
        (now) => sql`
          delete from lookups where coalesce(good_until, to_timestamp(0)) < ${new Date(now)}
            and coalesce(loading_until, to_timestamp(0)) < ${new Date(now)}`
      )
    )

    return {
      get: (connection, name, load) => get(connection, name, load),
      find: (connection, name) =>
        Effect.map(
          Effect.option(held(connection, name)),
          Option.filterMap((known) => ("value" in known ? Option.some(known) : Option.none()))
        ),
      put: (connection, name, looked) => Effect.ignore(put(connection, name, looked)),
      forget: ({ id }, name) => Effect.ignore(sql`delete from lookups where connection_id = ${id} and name = ${name}`)
    }
  })
)
