import { SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, brotliDecompress, constants } from "node:zlib"
import type { State } from "./Account.ts"
import { dayOf } from "./DailySample.ts"

/** A sample as it is kept: accounts refer to it by its id. */
export interface StoredSample {
  readonly id: string
  readonly state: State
}

const Body = Schema.parseJson(
  Schema.Struct({
    lastId: Schema.Int,
    types: Schema.Array(
      Schema.Tuple(
        Schema.String,
        Schema.Array(Schema.Tuple(Schema.String, Schema.Record({ key: Schema.String, value: Schema.Unknown })))
      )
    )
  })
)

const compress = promisify(brotliCompress)
const decompress = promisify(brotliDecompress)

/** Not the most thorough compression: that takes seconds. */
const settings = { params: { [constants.BROTLI_PARAM_QUALITY]: 8 } }

const pack = ({ lastId, types }: State) =>
  Effect.promise(() =>
    compress(JSON.stringify({ lastId, types: [...types].map(([type, docs]) => [type, [...docs]]) }), settings)
  )

const unpack = (body: Uint8Array) =>
  Effect.promise(() => decompress(body)).pipe(
    Effect.flatMap((text) => Schema.decodeUnknown(Body)(text.toString("utf8"))),
    Effect.map(({ lastId, types }): State => ({
      lastId,
      types: new Map(types.map(([type, docs]) => [type, new Map(docs)]))
    }))
  )

const Row = Schema.Struct({ id: Schema.UUID, body: Schema.Uint8ArrayFromSelf })

/**
 * The samples of simulators, one for each provider and day on which an account began, whichever process made it. One that
 * no account has any longer is removed some days later.
 */
export const storedSamples = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const known = new Map<string, StoredSample>()

  const ofDay = SqlSchema.findOne({
    Request: Schema.Struct({ provider: Schema.String, day: Schema.String }),
    Result: Row,
    execute: ({ day, provider }) =>
      sql`select id, body from simulated_samples where provider = ${provider} and day = ${day}::date`
  })
  const ofId = SqlSchema.single({
    Request: Schema.UUID,
    Result: Row,
    execute: (id) => sql`select id, body from simulated_samples where id = ${id}`
  })

  const opened = (row: typeof Row.Type) =>
    Effect.suspend(() => {
      const held = known.get(row.id)
      if (held !== undefined) return Effect.succeed(held)
      return Effect.map(unpack(row.body), (state) => {
        const sample = { id: row.id, state }
        known.set(row.id, sample)
        return sample
      })
    })

  const store = (provider: string, day: string, state: State) =>
    Effect.gen(function* () {
      const body = yield* pack(state)
      yield* sql`
        insert into simulated_samples (id, provider, day, body)
        values (${randomUUID()}, ${provider}, ${day}::date, ${body}) on conflict (provider, day) do nothing`
      yield* sql`
        delete from simulated_samples s
        where s.day < ${day}::date - 2 and not exists (select from simulated_accounts a where a.sample_id = s.id)`
    })

  return {
    /** By its id. */
    get: (id: string) =>
      Effect.suspend(() => {
        const held = known.get(id)
        return held === undefined ? Effect.flatMap(ofId(id), opened) : Effect.succeed(held)
      }),

    /** That of the day of a moment in milliseconds since 1970, made when no process has made it. */
    at: (provider: string, make: (now: number) => State, now: number) =>
      Effect.gen(function* () {
        const day = dayOf(now)
        const found = yield* ofDay({ provider, day })
        if (found._tag === "Some") return yield* opened(found.value)
        yield* store(provider, day, make(now))
        return yield* opened(yield* Effect.flatten(ofDay({ provider, day })))
      })
  }
})
