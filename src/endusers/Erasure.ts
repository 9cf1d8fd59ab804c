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
import { runToCompletion } from "../platform/RunToCompletion.ts"
import { allowingLongStatements } from "../platform/LongStatements.ts"
import type { Transport } from "../providers/Transport.ts"
import { ApiKeys } from "../tenancy/ApiKeys.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { type EndUser, EndUsers } from "../tenancy/EndUsers.ts"
import { Erasures } from "../tenancy/Erasures.ts"
import { type Organisation, Organisations } from "../tenancy/Organisations.ts"
import { type Exported, type Person, PersonalData } from "../tenancy/PersonalData.ts"

/** How much is stored of each kind. */
export type Counts = { readonly [kind: string]: number }

/** Somebody with stored data; `endUser` is missing if they were never meant to connect anything. */
export interface Held {
  readonly endUser: Option.Option<EndUser>
  readonly counts: Counts
}

/** All stored data, by kind. */
export interface Export extends Pick<Held, "endUser"> {
  readonly kinds: { readonly [kind: string]: ReadonlyArray<Exported> }
}

/** Consent that remains at a provider although nothing here uses it any longer. */
export type NotRevoked = Pick<Removed, "provider"> & { readonly connectionId: string }

/** Consent that nothing here should use any longer. */
interface Ended {
  readonly removed: ReadonlyArray<Removed>
  readonly waiting: ReadonlyArray<Attempt>
}

export interface Erased {
  /** Numbers of erased items. */
  readonly erased: Counts
  readonly notRevoked: ReadonlyArray<NotRevoked>
}

/** Providers at which consent is taken back at the same time. */
const revocationsAtATime = 8

const environments = ["sandbox", "production"] as const

/** Erases end users and organisations with all their stored data, and exports that data. */
export class Erasure extends Context.Tag("tributary/endusers/Erasure")<
  Erasure,
  {
    /** Counts a person's stored data; fails when there is none. */
    readonly held: (person: Person) => Effect.Effect<Held, NotFound>
    /** Exports all of a person's stored data by kind, without secrets. */
    readonly export: (person: Person) => Effect.Effect<Export, NotFound>
    /**
     * Erases an end user, and takes their consent back at the providers that can be reached. Finishes even when the caller
     * goes away; if cut short, it can be repeated. The end user's running requests bring nothing back. Changes nothing when
     * the encryption key of credentials to be taken back is missing.
     */
    readonly endUser: (person: Person) => Effect.Effect<Erased, NotFound>
    /** Erases an organisation, by its UUID, with all its end users, keys, workspaces and settings; keys end first. */
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

      /** Takes back the consent of an attempt that waited for a choice. */
      const giveUp = ({ connectionId, endUser, environment, integration, secrets }: Attempt) =>
        Effect.gen(function* () {
          const left = [{ connectionId, provider: integration }]
          const consented = readConsented(secrets)
          // damaged credentials cannot be taken back
          if (Option.isNone(consented)) return left
          const { accounts, credentials } = consented.value
          const accountIds = accounts.map(({ id }) => id)
          const done = yield* takeBack({ provider: integration, environment, endUser, credentials, accountIds })
          return done ? [] : left
        })

      /** Ends unused consent at providers; returns the consent that they did not take back. */
      const revoke = ({ removed, waiting }: Ended) =>
        Effect.all([...removed.map(settleOne), ...waiting.map(giveUp)], { concurrency: revocationsAtATime }).pipe(
          Effect.map((left): ReadonlyArray<NotRevoked> => left.flat()),
          Effect.provide(context)
        )

      /** Disconnects a tenant's accounts, or those of one end user. */
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

      /** Makes all changes or none. */
      const atOnce = <A, E, R>(changes: Effect.Effect<A, E, R>) =>
        changes.pipe(sql.withTransaction, allowingLongStatements, Effect.orDie)

      /**
       * Takes back the consent that ended first, while running requests may go on, then the consent that those added before
       * the rest was erased.
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
          // visible to every request: from here on, running ones store nothing
          Effect.zipRight(erasures.note(person), disconnect(person, endUserId)),
          endUsers.lock(person, endUserId).pipe(
            // also for requests that came in while consent was taken back
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
        endUser: Effect.fn("Erasure.endUser")((person) => runToCompletion(eraseEndUser(person))),
        organisation: Effect.fn("Erasure.organisation")((id) => runToCompletion(eraseOrganisation(id)))
      })
    })
  )
}

/** Logs consent that remains, since a repeat would not find these connections. */
const tellLeft = (notRevoked: ReadonlyArray<NotRevoked>) =>
  Effect.forEach(
    notRevoked,
    ({ connectionId, provider }) =>
      Effect.annotateLogs(Effect.logWarning("A consent was not taken back"), { provider, connection: connectionId }),
    { discard: true }
  )

const unknown = (endUserId: string) =>
  new NotFound({ code: "END_USER_NOT_FOUND", message: `There is no end user "${endUserId}".` })
