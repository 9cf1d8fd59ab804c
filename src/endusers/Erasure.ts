import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option } from "effect"
import { BeforeRemoval } from "../connections/BeforeRemoval.ts"
import { type Attempt, ConnectAttempts } from "../connections/ConnectAttempts.ts"
import { Connections, type Removed } from "../connections/Connections.ts"
import { readConsented } from "../connections/ConsentSecrets.ts"
import type { Integrations } from "../connections/Integrations.ts"
import { settle } from "../connections/RemoveConnection.ts"
import { takeBack } from "../connections/Revocation.ts"
import { NotFound } from "../platform/Errors.ts"
import { finishing } from "../platform/Finishing.ts"
import { patiently } from "../platform/Patience.ts"
import type { Transport } from "../providers/Transport.ts"
import { ApiKeys } from "../tenancy/ApiKeys.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { type EndUser, EndUsers } from "../tenancy/EndUsers.ts"
import { Erasures } from "../tenancy/Erasures.ts"
import { type Organisation, Organisations } from "../tenancy/Organisations.ts"
import { type Exported, type Person, PersonalData } from "../tenancy/PersonalData.ts"

/** How much is stored of each kind. */
export type Counts = { readonly [kind: string]: number }

/** Somebody of whom something is stored; `endUser` is missing when they never were to connect anything. */
export interface Held {
  readonly endUser: Option.Option<EndUser>
  readonly counts: Counts
}

/** All that is stored, by kind. */
export interface Export extends Pick<Held, "endUser"> {
  readonly kinds: { readonly [kind: string]: ReadonlyArray<Exported> }
}

/** Consent that stands at a provider although nothing here lives on it any longer. */
export type NotRevoked = Pick<Removed, "provider"> & { readonly connectionId: string }

/** Consent that nothing here is to live on any longer. */
interface Ended {
  readonly removed: ReadonlyArray<Removed>
  readonly waiting: ReadonlyArray<Attempt>
}

export interface Erased {
  /** What there was. */
  readonly erased: Counts
  readonly notRevoked: ReadonlyArray<NotRevoked>
}

/** Providers that are asked at a time to take consent back. */
const revocationsAtATime = 8

const environments = ["sandbox", "production"] as const

/** Erases end users and organisations with all that is stored of them, and gives what is stored. */
export class Erasure extends Context.Tag("tributary/endusers/Erasure")<
  Erasure,
  {
    /** Fails when nothing is stored of them. */
    readonly held: (person: Person) => Effect.Effect<Held, NotFound>
    /** All that is stored of them by kind, without secrets. */
    readonly export: (person: Person) => Effect.Effect<Export, NotFound>
    /**
     * Erases an end user, and takes their consent back at the providers that can be reached. It is finished also when the
     * caller goes away; cut short, it can be done again. Requests of theirs that are under way bring nothing back. Where the
     * key of something that is to be taken back is missing, nothing is changed.
     */
    readonly endUser: (person: Person) => Effect.Effect<Erased, NotFound>
    /** The same for an organisation, by its UUID, with all its end users, keys, workspaces and settings; keys end first. */
    readonly organisation: (id: string) => Effect.Effect<Organisation & Erased, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Erasure,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const personal = yield* PersonalData
      const erasures = yield* Erasures
      const endUsers = yield* EndUsers
      const organisations = yield* Organisations
      const keys = yield* ApiKeys
      const connections = yield* Connections
      const attempts = yield* ConnectAttempts
      const beforeRemoval = yield* BeforeRemoval
      const context = yield* Effect.context<Connections | Integrations | Transport>()

      const held = Effect.fn("Erasure.held")(function* (person: Person) {
        const endUser = yield* endUsers.find(person, person.endUserId)
        const counts = yield* Effect.forEach(personal.all(), ({ count, slug }) =>
          Effect.map(count(person), (count) => [slug, count] as const)
        )
        if (Option.isNone(endUser) && counts.every(([, count]) => count === 0)) {
          return yield* unknown(person.endUserId)
        }
        return { endUser, counts: Object.fromEntries(counts) }
      })

      const settleOne = (removed: Removed) =>
        Effect.map(settle(removed), (done) => (done ? [] : [{ connectionId: removed.id, provider: removed.provider }]))

      /** Takes back what was consented to in an attempt that waited for a choice. */
      const giveUp = ({ connectionId, endUser, environment, integration, secrets }: Attempt) =>
        Effect.gen(function* () {
          const left = [{ connectionId, provider: integration }]
          const consented = readConsented(secrets)
          // what is damaged cannot be taken back
          if (Option.isNone(consented)) return left
          const { accounts, credentials } = consented.value
          const accountIds = accounts.map(({ id }) => id)
          const done = yield* takeBack({ provider: integration, environment, endUser, credentials, accountIds })
          return done ? [] : left
        })

      /** Ends at providers what nothing here lives on any longer; gives what they did not take back. */
      const revoke = ({ removed, waiting }: Ended) =>
        Effect.all([...removed.map(settleOne), ...waiting.map(giveUp)], { concurrency: revocationsAtATime }).pipe(
          Effect.map((left): ReadonlyArray<NotRevoked> => left.flat()),
          Effect.provide(context)
        )

      /** Ends the use of a tenant's accounts, or of one end user's. */
      const disconnect = (tenant: Tenant, endUserId?: string): Effect.Effect<Ended> =>
        Effect.all({
          removed: connections.removeAll(tenant, endUserId),
          waiting: attempts.removeAll(tenant, endUserId)
        })

      const disconnectAll = (organisation: string): Effect.Effect<Ended> =>
        Effect.map(
          Effect.forEach(environments, (environment) => disconnect({ organisation, environment })),
          (ended) => ({
            removed: ended.flatMap(({ removed }) => removed),
            waiting: ended.flatMap(({ waiting }) => waiting)
          })
        )

      /** All of it happens, or nothing does. */
      const atOnce = <A, E, R>(changes: Effect.Effect<A, E, R>) =>
        changes.pipe(sql.withTransaction, patiently, Effect.orDie)

      /**
       * Takes back what was ended at first, while requests that are under way may go on, then what they made until the rest
       * was erased.
       */
      const inTwoSteps = Effect.fnUntraced(function* (first: Effect.Effect<Ended>, erasing: Effect.Effect<Ended>) {
        const notRevoked = yield* revoke(yield* atOnce(first))
        const late = yield* atOnce(erasing).pipe(Effect.tapErrorCause(() => tellLeft(notRevoked)))
        return [...notRevoked, ...(yield* revoke(late))]
      })

      const eraseEndUser = Effect.fnUntraced(function* (person: Person) {
        const { endUserId } = person
        const { counts } = yield* held(person)
        yield* Effect.flatMap(connections.list(person, { endUserId }), beforeRemoval)
        const notRevoked = yield* inTwoSteps(
          // noted for everyone to see: what is under way is not stored from here on
          Effect.zipRight(erasures.note(person), disconnect(person, endUserId)),
          endUsers.lock(person, endUserId).pipe(
            // also for what came in while consent was taken back
            Effect.zipRight(erasures.note(person)),
            Effect.zipRight(disconnect(person, endUserId)),
            Effect.tap(() => Effect.forEach(personal.all(), ({ erase }) => erase(person), { discard: true })),
            Effect.tap(() => endUsers.remove(person, endUserId))
          )
        )
        yield* connections.forget(person, endUserId)
        return { erased: counts, notRevoked }
      })

      const eraseOrganisation = Effect.fnUntraced(function* (id: string) {
        const organisation = yield* organisations.find(id)
        const erased = yield* organisations.counts(id)
        yield* Effect.forEach(environments, (environment) =>
          Effect.flatMap(connections.list({ organisation: id, environment }), beforeRemoval)
        )
        const notRevoked = yield* inTwoSteps(
          Effect.zipRight(keys.revokeAll(id), disconnectAll(id)),
          organisations.lock(id).pipe(
            Effect.zipRight(disconnectAll(id)),
            Effect.tap(() => organisations.remove(id))
          )
        )
        return { ...organisation, erased, notRevoked }
      })

      return Erasure.of({
        held,
        export: Effect.fn("Erasure.export")(function* (person) {
          const { endUser } = yield* held(person)
          const kinds = yield* Effect.forEach(personal.all(), (holding) =>
            Effect.map(holding.export(person), (all) => [holding.slug, all] as const)
          )
          return { endUser, kinds: Object.fromEntries(kinds) }
        }),
        endUser: Effect.fn("Erasure.endUser")((person) => finishing(eraseEndUser(person))),
        organisation: Effect.fn("Erasure.organisation")((id) => finishing(eraseOrganisation(id)))
      })
    })
  )
}

/** Nobody else could tell: done again, it finds nothing of these connections. */
const tellLeft = (notRevoked: ReadonlyArray<NotRevoked>) =>
  Effect.forEach(
    notRevoked,
    ({ connectionId, provider }) =>
      Effect.annotateLogs(Effect.logWarning("A consent was not taken back"), { provider, connection: connectionId }),
    { discard: true }
  )

const unknown = (endUserId: string) =>
  new NotFound({ code: "END_USER_NOT_FOUND", message: `There is no end user "${endUserId}".` })
