import { SqlClient, type SqlError, SqlSchema } from "@effect/sql"
import { type Cause, Clock, Context, Effect, Layer, Option, type ParseResult, Schema } from "effect"
import type { Conflict } from "../../platform/Errors.ts"
import { quota, refuseBeyond } from "../../platform/Quota.ts"
import { type Account, type Change, differing, type Doc, empty, isSeeded, open, type State } from "./Account.ts"
import { storedSamples, type StoredSample } from "./StoredSamples.ts"

/** The sample data of a new account; a `Simulator` is one. */
export interface Beginning {
  readonly sample: (now: number) => State
  readonly begin?: (account: Account) => void
}

/** One memory per account, for the life of the process. */
const memories = () => {
  const all = new Map<string, Map<string, number>>()
  return (key: string) => {
    const known = all.get(key) ?? new Map<string, number>()
    all.set(key, known)
    return known
  }
}

/** An account's state until a moment (milliseconds since 1970). */
interface Past {
  readonly until: number
  readonly state: State
}

/** Milliseconds for which past states are kept. */
const remembered = 60_000

/** Adds the state until now; of several changes at one moment, the first counts. */
const withPast = (pasts: ReadonlyArray<Past>, past: Past): ReadonlyArray<Past> =>
  pasts.at(-1)?.until === past.until ? pasts : [...pasts.filter(({ until }) => until > past.until - remembered), past]

/** An account's state at a moment; undefined where it has not changed since. */
const earlier = (pasts: ReadonlyArray<Past>, time: number): State | undefined =>
  pasts.find(({ until }) => until > time)?.state

const AccountKey = Schema.Struct({ provider: Schema.String, name: Schema.String })

/** Where simulated accounts are kept: in memory for tests, in the database for the sandbox. */
export class SimulationStore extends Context.Tag("tributary/providers/simulation/SimulationStore")<
  SimulationStore,
  {
    /**
     * Runs one request against an account; undefined when there is no such account. The request's changes are stored
     * before the response; requests of one account run one after the other. With `beginning`, an account without sample
     * data gets it first. A request that adds more data than an account may hold is undone, and dies of `QUOTA_EXCEEDED`:
     * no provider has a response for that.
     */
    readonly run: <A>(
      provider: string,
      account: string,
      request: (account: Account) => A,
      beginning?: Beginning
    ) => Effect.Effect<A | undefined>
    /**
     * Like `run`, without sample data, on an account that is made when it does not exist. A new account is erased with
     * the end user whose UUID is `owner`.
     */
    readonly make: <A>(
      provider: string,
      account: string,
      request: (account: Account) => A,
      owner?: string
    ) => Effect.Effect<A>
    /** Erases accounts with all their data, which a request under way does not bring back. Returns how many there were. */
    readonly remove: (provider: string, accounts: ReadonlyArray<string>) => Effect.Effect<number>
  }
>() {
  /** Nothing outlives the Layer. */
  static readonly layerMemory = Layer.sync(SimulationStore, () => {
    const states = new Map<string, State>()
    const pasts = new Map<string, ReadonlyArray<Past>>()
    const memoryOf = memories()
    const make = <A>(provider: string, name: string, request: (account: Account) => A, beginning?: Beginning) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const key = `${provider}/${name}`
        const held = states.get(key) ?? empty
        const begins = beginning !== undefined && !isSeeded(held)
        const state = begins ? differing(beginning.sample(now), held) : held
        if (begins) pasts.delete(key)
        const session = open(name, state, now, memoryOf(key), (time) => earlier(pasts.get(key) ?? [], time) ?? state)
        if (begins) beginning.begin?.(session.account)
        const answer = request(session.account)
        if (begins || session.changes().length > 0) {
          pasts.set(key, withPast(pasts.get(key) ?? [], { until: now, state }))
          states.set(key, session.state())
        }
        return answer
      })
    return {
      make: (provider, name, request) => make(provider, name, request),
      run: (provider, name, request, beginning) =>
        Effect.suspend(() =>
          states.has(`${provider}/${name}`) ? make(provider, name, request, beginning) : Effect.succeed(undefined)
        ),
      remove: (provider, accounts) =>
        Effect.sync(() => {
          for (const name of accounts) pasts.delete(`${provider}/${name}`)
          return accounts.filter((name) => states.delete(`${provider}/${name}`)).length
        })
    }
  })

  /**
   * Kept in the database, which several processes may share. An account is stored as its differences from the sample that it
   * shares with others. One that holds the sample's marker itself was stored in full, by version 0.1.0.
   */
  static readonly layerSql = Layer.effect(
    SimulationStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const samples = yield* storedSamples
      const limits = yield* dataQuota
      const cache = new Map<string, Held>()
      const locks = new Map<string, Effect.Semaphore>()
      const memoryOf = memories()

      const findAccount = SqlSchema.findOne({
        Request: AccountKey,
        Result: Schema.Struct({
          version: Schema.NumberFromString,
          last_id: Schema.NumberFromString,
          sample_id: Schema.NullOr(Schema.UUID)
        }),
        execute: ({ name, provider }) => sql`
          select version, last_id, sample_id from simulated_accounts where provider = ${provider} and account = ${name}`
      })

      const findRemovals = SqlSchema.findAll({
        Request: AccountKey,
        Result: Schema.Struct({ type: Schema.String, id: Schema.String }),
        execute: ({ name, provider }) => sql`
          select type, id from simulated_removals where provider = ${provider} and account = ${name}`
      })

      const load = (provider: string, name: string) =>
        Effect.gen(function* () {
          const key = `${provider}/${name}`
          const found = yield* findAccount({ provider, name })
          if (Option.isNone(found)) {
            cache.delete(key)
            return undefined
          }
          const { last_id: lastId, sample_id: sampleId, version } = found.value
          const known = cache.get(key)
          if (known?.version === version) return known
          // hundreds of documents: a Schema for them costs a third of the read (docs/decisions/0009-rows.md)
          const rows = yield* sql<{ readonly type: string; readonly id: string; readonly body: Doc }>`
            select type, id, body from simulated_records where provider = ${provider} and account = ${name}`
          const types = new Map<string, Map<string, Doc>>()
          for (const { body, id, type } of rows)
            types.set(type, (types.get(type) ?? new Map<string, Doc>()).set(id, body))
          const own = { lastId, types }
          const sample = sampleId === null || isSeeded(own) ? undefined : yield* samples.get(sampleId)
          const removed = sample === undefined ? [] : yield* findRemovals({ provider, name })
          const loaded = { version, sample, state: sample === undefined ? own : differing(sample.state, own, removed) }
          cache.set(key, loaded)
          return loaded
        })

      /** Runs under the lock on the account's row, so no two requests add at the same moment. Tokens may always be added. */
      const refuseBeyondQuota = (provider: string, name: string, kept: ReadonlyArray<{ readonly type: string }>) =>
        kept.every(({ type }) => type === "oauth_token")
          ? Effect.void
          : refuseBeyond(
              limits,
              () => sql`
                select (sum(pg_column_size(body)) / 1048576)::int as held from simulated_records
                where provider = ${provider} and account = ${name}`
            )

      const save = (
        provider: string,
        name: string,
        { sample, state, version }: Held,
        changes: ReadonlyArray<Change>,
        owner: string | undefined
      ) =>
        Effect.gen(function* () {
          const [row] =
            version === 0
              ? yield* sql`
                  insert into simulated_accounts (provider, account, version, last_id, sample_id, end_user_id)
                  values (${provider}, ${name}, 1, ${state.lastId}, ${sample?.id ?? null}, ${owner ?? null})
                  on conflict do nothing returning version`
              : yield* sql`
                  update simulated_accounts
                  set version = version + 1, last_id = ${state.lastId}, sample_id = ${sample?.id ?? null}
                  where provider = ${provider} and account = ${name} and version = ${version} returning version`
          if (row === undefined) return false
          const isShared = ({ id, type }: Change) => sample?.state.types.get(type)?.has(id) === true
          const kept = changes.filter(({ doc }) => doc !== undefined)
          const gone = changes.filter(({ doc }) => doc === undefined)
          const [back, missing] = [kept.filter(isShared), gone.filter(isShared)]
          if (kept.length > 0) {
            yield* sql`
              insert into simulated_records (provider, account, type, id, body)
              select ${provider}, ${name}, x.type, x.id, x.doc
              from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb) as x(type text, id text, doc jsonb)
              on conflict (provider, account, type, id) do update set body = excluded.body`
            yield* refuseBeyondQuota(provider, name, kept)
          }
          if (gone.length > 0) {
            yield* sql`
              delete from simulated_records r
              using jsonb_to_recordset(${JSON.stringify(gone)}::jsonb) as x(type text, id text)
              where r.provider = ${provider} and r.account = ${name} and r.type = x.type and r.id = x.id`
          }
          if (missing.length > 0) {
            yield* sql`
              insert into simulated_removals (provider, account, type, id)
              select ${provider}, ${name}, x.type, x.id
              from jsonb_to_recordset(${JSON.stringify(missing)}::jsonb) as x(type text, id text)
              on conflict do nothing`
          }
          if (back.length > 0) {
            yield* sql`
              delete from simulated_removals r
              using jsonb_to_recordset(${JSON.stringify(back)}::jsonb) as x(type text, id text)
              where r.provider = ${provider} and r.account = ${name} and r.type = x.type and r.id = x.id`
          }
          return true
        }).pipe(sql.withTransaction)

      /** Gives today's sample data to an account that has none. */
      const begun = (provider: string, held: Held, { sample }: Beginning, now: number) =>
        Effect.map(samples.at(provider, sample, now), (shared) => ({
          version: held.version,
          sample: shared,
          state: differing(shared.state, held.state)
        }))

      const attempt = <A>(
        provider: string,
        name: string,
        request: (account: Account) => A,
        { beginning, isMade = false, owner }: How
      ): Effect.Effect<A | undefined, Failure> =>
        Effect.gen(function* () {
          const known = yield* load(provider, name)
          if (known === undefined && !isMade) return undefined
          const now = yield* Clock.currentTimeMillis
          const found = known ?? { version: 0, sample: undefined, state: empty }
          const begins = beginning !== undefined && !isSeeded(found.state)
          const held = begins ? yield* begun(provider, found, beginning, now) : found
          const session = open(name, held.state, now, memoryOf(`${provider}/${name}`))
          if (begins) beginning.begin?.(session.account)
          const answer = request(session.account)
          const changes = session.changes()
          if (changes.length === 0 && !begins) return answer
          const after = { ...held, state: session.state() }
          // another process was faster, so run the request again on the state it left
          if (!(yield* save(provider, name, after, changes, owner))) {
            return yield* attempt(provider, name, request, { beginning, isMade, owner })
          }
          cache.set(`${provider}/${name}`, { ...after, version: after.version + 1 })
          return answer
        })

      const inTurn = <A, E>(provider: string, name: string, effect: Effect.Effect<A, E>) => {
        const key = `${provider}/${name}`
        const lock = locks.get(key) ?? Effect.unsafeMakeSemaphore(1)
        locks.set(key, lock)
        return Effect.orDie(lock.withPermits(1)(effect))
      }

      return {
        run: (provider, name, request, beginning) =>
          inTurn(provider, name, attempt(provider, name, request, { beginning })),
        make: (provider, name, request, owner) =>
          inTurn(
            provider,
            name,
            attempt(provider, name, (account) => ({ answer: request(account) }), { isMade: true, owner })
          ).pipe(
            Effect.flatMap((made) =>
              made === undefined ? Effect.dieMessage("an account was not made") : Effect.succeed(made.answer)
            )
          ),
        remove: Effect.fn("SimulationStore.remove")(function* (provider, accounts) {
          const gone = yield* sql`
            delete from simulated_accounts
            where provider = ${provider} and account = any(${accounts}::text[]) returning account`
          for (const name of accounts) {
            cache.delete(`${provider}/${name}`)
            locks.delete(`${provider}/${name}`)
          }
          return gone.length
        }, Effect.orDie)
      }
    })
  )
}

/** An account at a version; version 0 is not stored yet. */
interface Held {
  readonly version: number
  /** The sample it differs from; undefined where it is stored in full or has no sample data yet. */
  readonly sample: StoredSample | undefined
  readonly state: State
}

type Failure = SqlError.SqlError | Conflict | ParseResult.ParseError | Cause.NoSuchElementException

/** How a request runs: with sample data for a new account, or on an account that is made, for its owner. */
interface How {
  readonly beginning?: Beginning | undefined
  readonly isMade?: boolean | undefined
  readonly owner?: string | undefined
}

const dataQuota = quota({
  setting: "QUOTA_SANDBOX_DATA",
  fallback: 50,
  most: (limit) => `A simulated account holds less than ${limit} MiB`,
  remedy: "Shorten or remove records, or remove the connection and connect again"
})
