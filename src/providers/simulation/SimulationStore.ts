import { SqlClient, type SqlError } from "@effect/sql"
import { Clock, Context, Effect, Layer } from "effect"
import type { Conflict } from "../../platform/Errors.ts"
import { quota, refuseBeyond } from "../../platform/Quota.ts"
import { type Account, type Change, type Doc, empty, open, type State } from "./Account.ts"

/** One memory for each account, as long as the process lives. */
const memories = () => {
  const all = new Map<string, Map<string, number>>()
  return (key: string) => {
    const known = all.get(key) ?? new Map<string, number>()
    all.set(key, known)
    return known
  }
}

/** Where simulated accounts are kept: in memory for tests, in the database for the sandbox. */
export class SimulationStore extends Context.Tag("tributary/providers/simulation/SimulationStore")<
  SimulationStore,
  {
    /**
     * Runs one request against an account; undefined when there is no such account. What the request changed is kept
     * before it is answered; requests of one account run one after the other. One that adds data beyond what an account may
     * hold is undone, and dies of `QUOTA_EXCEEDED`: no provider has an answer for that.
     */
    readonly run: <A>(
      provider: string,
      account: string,
      request: (account: Account) => A
    ) => Effect.Effect<A | undefined>
    /** The same, on an account that is made when it does not exist. */
    readonly make: <A>(provider: string, account: string, request: (account: Account) => A) => Effect.Effect<A>
  }
>() {
  /** Nothing outlives the Layer. */
  static readonly layerMemory = Layer.sync(SimulationStore, () => {
    const states = new Map<string, State>()
    const memoryOf = memories()
    const make = <A>(provider: string, name: string, request: (account: Account) => A) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const session = open(name, states.get(`${provider}/${name}`) ?? empty, now, memoryOf(`${provider}/${name}`))
        const answer = request(session.account)
        if (session.changes().length > 0) states.set(`${provider}/${name}`, session.state())
        return answer
      })
    return {
      make,
      run: (provider, name, request) =>
        Effect.suspend(() =>
          states.has(`${provider}/${name}`) ? make(provider, name, request) : Effect.succeed(undefined)
        )
    }
  })

  /** Kept in the database; several processes may share it. */
  static readonly layerSql = Layer.effect(
    SimulationStore,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const limits = yield* dataQuota
      const cache = new Map<string, { readonly version: number; readonly state: State }>()
      const locks = new Map<string, Effect.Semaphore>()
      const memoryOf = memories()

      const load = (provider: string, name: string) =>
        Effect.gen(function* () {
          const key = `${provider}/${name}`
          const [row] = yield* sql<{ version: string; last_id: string }>`
            select version, last_id from simulated_accounts where provider = ${provider} and account = ${name}`
          if (row === undefined) return undefined
          const version = Number(row.version)
          const known = cache.get(key)
          if (known?.version === version) return known
          const rows = yield* sql<{ type: string; id: string; body: Doc }>`
            select type, id, body from simulated_records where provider = ${provider} and account = ${name}`
          const types = new Map<string, Map<string, Doc>>()
          for (const { body, id, type } of rows)
            types.set(type, (types.get(type) ?? new Map<string, Doc>()).set(id, body))
          const loaded = { version, state: { lastId: Number(row.last_id), types } }
          cache.set(key, loaded)
          return loaded
        })

      /** Behind the lock on the account's row: no two requests add at the same moment. Tokens may always be added. */
      const refuseBeyondQuota = (provider: string, name: string, kept: ReadonlyArray<{ readonly type: string }>) =>
        kept.every(({ type }) => type === "oauth_token")
          ? Effect.void
          : refuseBeyond(
              limits,
              () => sql`
                select (sum(pg_column_size(body)) / 1048576)::int as held from simulated_records
                where provider = ${provider} and account = ${name}`
            )

      const save = (provider: string, name: string, version: number, lastId: number, changes: ReadonlyArray<Change>) =>
        Effect.gen(function* () {
          const [row] =
            version === 0
              ? yield* sql`
                  insert into simulated_accounts (provider, account, version, last_id)
                  values (${provider}, ${name}, 1, ${lastId}) on conflict do nothing returning version`
              : yield* sql`
                  update simulated_accounts set version = version + 1, last_id = ${lastId}
                  where provider = ${provider} and account = ${name} and version = ${version} returning version`
          if (row === undefined) return false
          const kept = changes.flatMap(({ doc, id, type }) => (doc === undefined ? [] : [{ type, id, body: doc }]))
          const gone = changes.flatMap(({ doc, id, type }) => (doc === undefined ? [{ type, id }] : []))
          if (kept.length > 0) {
            yield* sql`
              insert into simulated_records (provider, account, type, id, body)
              select ${provider}, ${name}, x.type, x.id, x.body
              from jsonb_to_recordset(${JSON.stringify(kept)}::jsonb) as x(type text, id text, body jsonb)
              on conflict (provider, account, type, id) do update set body = excluded.body`
            yield* refuseBeyondQuota(provider, name, kept)
          }
          if (gone.length > 0) {
            yield* sql`
              delete from simulated_records r
              using jsonb_to_recordset(${JSON.stringify(gone)}::jsonb) as x(type text, id text)
              where r.provider = ${provider} and r.account = ${name} and r.type = x.type and r.id = x.id`
          }
          return true
        }).pipe(sql.withTransaction)

      const attempt = <A>(
        provider: string,
        name: string,
        isMade: boolean,
        request: (account: Account) => A
      ): Effect.Effect<A | undefined, SqlError.SqlError | Conflict> =>
        Effect.gen(function* () {
          const known = yield* load(provider, name)
          if (known === undefined && !isMade) return undefined
          const session = open(
            name,
            known?.state ?? empty,
            yield* Clock.currentTimeMillis,
            memoryOf(`${provider}/${name}`)
          )
          const answer = request(session.account)
          const changes = session.changes()
          if (changes.length === 0) return answer
          const version = known?.version ?? 0
          const state = session.state()
          // another process was faster: the request runs again on what it left
          if (!(yield* save(provider, name, version, state.lastId, changes))) {
            return yield* attempt(provider, name, isMade, request)
          }
          cache.set(`${provider}/${name}`, { version: version + 1, state })
          return answer
        })

      const inTurn = <A, E>(provider: string, name: string, effect: Effect.Effect<A, E>) => {
        const key = `${provider}/${name}`
        const lock = locks.get(key) ?? Effect.unsafeMakeSemaphore(1)
        locks.set(key, lock)
        return Effect.orDie(lock.withPermits(1)(effect))
      }

      return {
        run: (provider, name, request) => inTurn(provider, name, attempt(provider, name, false, request)),
        make: (provider, name, request) =>
          inTurn(
            provider,
            name,
            attempt(provider, name, true, (account) => ({ answer: request(account) }))
          ).pipe(
            Effect.flatMap((made) =>
              made === undefined ? Effect.dieMessage("an account was not made") : Effect.succeed(made.answer)
            )
          )
      }
    })
  )
}

const dataQuota = quota({
  setting: "QUOTA_SANDBOX_DATA",
  fallback: 50,
  most: (limit) => `A simulated account holds less than ${limit} MiB`,
  remedy: "Shorten or remove records, or remove the connection and connect anew"
})
