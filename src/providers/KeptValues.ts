import { Clock, Context, Effect, Layer, Option, Record, Schema } from "effect"
import * as SingleFlightCache from "../platform/SingleFlightCache.ts"
import type { ConnectionRef } from "./ConnectionRef.ts"
import type { ProviderError } from "./ProviderError.ts"

/** A value in JSON, and the seconds that it stays good. */
export interface Looked {
  readonly value: unknown
  readonly ttl: number
}

/**
 * Values that instances of a deployment keep of connections between them. Providers need it; `records` implements it. Names
 * are an adapter's own, never a caller's values; one that a lookup of the adapter has means that lookup.
 */
export class KeptValues extends Context.Tag("tributary/providers/KeptValues")<
  KeptValues,
  {
    /** Loads a value where no instance has one that is good, or loads it already. A load that fails leaves nothing. */
    readonly get: <E>(
      connection: ConnectionRef,
      name: string,
      load: Effect.Effect<Looked, E>
    ) => Effect.Effect<Looked, E>
    /** Value that is good; causes no load. */
    readonly find: (connection: ConnectionRef, name: string) => Effect.Effect<Option.Option<Looked>>
    readonly put: (connection: ConnectionRef, name: string, looked: Looked) => Effect.Effect<void>
    /** The next one loads, of whatever instance; a load that is under way is not kept. */
    readonly forget: (connection: ConnectionRef, name: string) => Effect.Effect<void>
  }
>() {
  /** For one instance, which has its own copies anyway. */
  static readonly layerMemory = Layer.succeed(KeptValues, {
    get: (_connection, _name, load) => load,
    find: () => Effect.succeedNone,
    put: () => Effect.void,
    forget: () => Effect.void
  })
}

/** A native record as it is. */
export const nativeRecord = Schema.Record({ key: Schema.String, value: Schema.Unknown })

/**
 * Keeps values of a kind: in this process at most so many, and between all instances. A value that another version of this
 * service left, and that does not fit, is loaded for this process alone.
 */
export const keeping = <A, I, E = ProviderError>(schema: Schema.Schema<A, I>, capacity = 10_000) =>
  Effect.gen(function* () {
    const kept = yield* KeptValues
    const here = SingleFlightCache.make<{ readonly value: A; readonly ttl: number }, E>({
      capacity,
      ttl: ({ ttl }) => ttl
    })
    const encode = Schema.encodeSync(schema)
    const decode = Schema.decodeUnknownOption(schema)
    const keyOf = ({ id }: ConnectionRef, name: string) => `${id}/${name}`
    const read = ({ ttl, value }: Looked) => Option.map(decode(value), (value) => ({ value, ttl }))

    return {
      get: (connection: ConnectionRef, name: string, ttl: number, load: Effect.Effect<A, E>): Effect.Effect<A, E> => {
        const loaded = Effect.map(load, (value) => ({ value, ttl }))
        const shared = kept.get(
          connection,
          name,
          Effect.map(load, (value): Looked => ({ value: encode(value), ttl }))
        )
        return Effect.map(
          here.get(
            keyOf(connection, name),
            Effect.flatMap(shared, (looked) =>
              Option.match(read(looked), { onNone: () => loaded, onSome: Effect.succeed })
            )
          ),
          ({ value }) => value
        )
      },
      /** Value that is good, of this process or another; causes no load. */
      known: (connection: ConnectionRef, name: string): Effect.Effect<Option.Option<A>, E> =>
        Effect.flatMap(here.known(keyOf(connection, name)), (own) =>
          Option.isSome(own)
            ? Effect.succeed(Option.some(own.value.value))
            : Effect.map(kept.find(connection, name), (found) => Option.flatMap(found, ({ value }) => decode(value)))
        ),
      put: (connection: ConnectionRef, name: string, ttl: number, value: A): Effect.Effect<void> =>
        Effect.zipRight(
          here.put(keyOf(connection, name), { value, ttl }),
          kept.put(connection, name, { value: encode(value), ttl })
        ),
      forget: (connection: ConnectionRef, name: string): Effect.Effect<void> =>
        Effect.zipRight(kept.forget(connection, name), here.forget(keyOf(connection, name)))
    }
  })

/** Milliseconds since 1970 until which something counts, by its name. */
const Ends = Schema.Record({ key: Schema.String, value: Schema.Number })

/** Remembers of connections what was found out on the way, such as what an account lacks, each for so many seconds. */
export const noting = (name: string, ttl: number) =>
  Effect.gen(function* () {
    const kept = yield* KeptValues
    const { get, put } = yield* keeping<typeof Ends.Type, typeof Ends.Encoded, never>(Ends)
    const decode = Schema.decodeUnknownOption(Ends)

    const all = (connection: ConnectionRef) => get(connection, name, ttl, Effect.succeed({}))

    /** With the notes that other instances made since this one read it. */
    const newest = (connection: ConnectionRef) =>
      Effect.zipWith(all(connection), kept.find(connection, name), (own, found) => ({
        ...own,
        ...found.pipe(
          Option.flatMap(({ value }) => decode(value)),
          Option.getOrElse(() => ({}))
        )
      }))

    return {
      of: (connection: ConnectionRef): Effect.Effect<ReadonlySet<string>> =>
        Effect.zipWith(all(connection), Clock.currentTimeMillis, (ends, now) => new Set(Record.keys(good(ends, now)))),
      add: Effect.fnUntraced(function* (connection: ConnectionRef, names: ReadonlyArray<string>) {
        const now = yield* Clock.currentTimeMillis
        const added = Object.fromEntries(names.map((one) => [one, now + ttl * 1000]))
        yield* put(connection, name, ttl, { ...good(yield* newest(connection), now), ...added })
      })
    }
  })

const good = (ends: typeof Ends.Type, now: number) => Record.filter(ends, (end) => end > now)
