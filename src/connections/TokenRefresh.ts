import { SqlClient } from "@effect/sql"
import { Clock, Deferred, Effect, FiberId, Layer, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { Encryption, isKeyMissing } from "../platform/Encryption.ts"
import * as Metrics from "../platform/Metrics.ts"
import * as RecentReads from "../platform/RecentReads.ts"
import type { OAuth2 } from "../providers/axes/Authorization.ts"
import { Credentials, type CredentialValues } from "../providers/Credentials.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import {
  Down,
  LimitReached,
  Malformed,
  ProviderError,
  type Reason,
  TimedOut,
  Unauthenticated,
  Unreadable,
  Unsupported
} from "../providers/ProviderError.ts"
import { Transport } from "../providers/Transport.ts"
import { Connections, placeOf } from "./Connections.ts"
import { Integrations } from "./Integrations.ts"
import * as OAuth from "./OAuth.ts"
import { takeBack } from "./Revocation.ts"
import { encode, parse, renewed, type StoredCredentials } from "./StoredCredentials.ts"

/** Milliseconds before its expiry from which a token is replaced, while callers still use it. */
const ahead = 60_000

/** A refresher that dies keeps the others waiting for so long; longer than any token endpoint may take. */
const leaseSeconds = 30

/** How often a process looks whether another one's refresh is done. */
const poll = "100 millis"

/** How many times it looks: as long as a lease lasts. */
const patience = leaseSeconds * 10

/** A connection's credentials as they are kept now. */
interface Held {
  readonly version: number
  readonly isActive: boolean
  readonly stored: StoredCredentials
}

/**
 * `Credentials` out of the database. One refresh runs at a time for each connection: within a process callers share it,
 * between processes a lease on the row decides who runs it, and the others watch for the version to move. The provider
 * is called outside any transaction; its answer is stored only over the version that was refreshed.
 */
export const layer = Layer.scoped(
  Credentials,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encryption = yield* Encryption
    const integrations = yield* Integrations
    const transport = yield* Transport
    const connections = yield* Connections
    const context = yield* Effect.context<Connections | Integrations | Transport>()
    const recent = RecentReads.make<Held, ProviderError>(10_000)
    const running = new Map<string, Effect.Effect<CredentialValues, ProviderError>>()

    const fail = (connection: ConnectionRef, reason: Reason, detail?: string) =>
      new ProviderError({
        provider: connection.provider,
        operation: "credentials",
        reason,
        ...(detail === undefined ? {} : { detail })
      })

    const valuesOf = ({ stored, version }: Held): CredentialValues => ({
      version,
      secret: stored.secret,
      values: stored.values
    })

    const select = Effect.fn("TokenRefresh.read")(function* (connection: ConnectionRef) {
      const [row] = yield* Effect.orDie(
        sql<{ readonly status: string; readonly version: number; readonly credentials: string }>`
          select status, version, credentials from connections
          where id = ${connection.id} and environment = ${connection.environment}
            and provider = ${connection.provider} and status <> 'revoked'`
      )
      if (row === undefined) return yield* fail(connection, new Unauthenticated(), "the connection was removed")
      const stored = yield* encryption.decrypt(row.credentials, placeOf(connection.id)).pipe(
        Effect.flatMap(parse),
        Effect.catchAll((error) =>
          Effect.zipRight(
            Effect.logError(`The credentials of connection ${connection.id} cannot be read`, error.message),
            fail(connection, new Unreadable({ isKeyMissing: isKeyMissing(error) }))
          )
        )
      )
      return { version: row.version, isActive: row.status === "active", stored } satisfies Held
    })

    const active = (connection: ConnectionRef) => (held: Held) =>
      held.isActive
        ? Effect.succeed(held)
        : fail(connection, new Unauthenticated(), "the connection needs to be connected again")

    const refuse = Effect.fnUntraced(function* (connection: ConnectionRef, version: number, reason: string) {
      yield* connections.markNeedsReauth(connection, version, reason)
      yield* recent.forget(nameOf(connection))
    })

    /** Takes the lease; false while another refresher has it, or when the credentials were replaced. */
    const takeLease = (connection: ConnectionRef, version: number, lease: string) =>
      Effect.map(
        sql`
          update connections set lease_id = ${lease}, lease_until = now() + ${leaseSeconds} * interval '1 second'
          where id = ${connection.id} and version = ${version} and status = 'active'
            and (lease_until is null or lease_until < now())
          returning version`,
        (rows) => rows.length > 0
      )

    const releaseLease = (connection: ConnectionRef, lease: string) =>
      sql`update connections set lease_id = null, lease_until = null where id = ${connection.id} and lease_id = ${lease}`

    /**
     * Stores what replaces a version, also when the lease lapsed meanwhile: if the version is still there, nobody else
     * has got anything, and these tokens are the only good ones. Where the connection was removed meanwhile, they are taken
     * back at the provider: what it was removed with is not what they are.
     */
    const store = Effect.fnUntraced(function* (connection: ConnectionRef, version: number, stored: StoredCredentials) {
      const credentials = yield* encryption.encrypt(encode(stored), placeOf(connection.id))
      const rows = yield* sql`
        update connections
        set credentials = ${credentials}, version = version + 1, status = 'active', status_reason = null,
            lease_id = null, lease_until = null, updated_at = now()
        where id = ${connection.id} and version = ${version} and status <> 'revoked'
        returning version`.pipe(
        // The provider may have taken the old tokens back already: a database that is away for a moment must not cost these.
        Effect.retry(Schedule.intersect(Schedule.exponential("50 millis"), Schedule.recurs(6)))
      )
      if (rows.length > 0) return
      const [removed] = yield* sql<{ readonly end_user_id: string; readonly account_id: string | null }>`
        select end_user_id, account_id from connections where id = ${connection.id} and status = 'revoked'`
      if (removed === undefined) return
      const { account_id: accountId, end_user_id: endUser } = removed
      const accountIds = accountId === null ? [] : [accountId]
      yield* Effect.provide(takeBack({ ...connection, endUser, credentials: stored, accountIds }), context)
    })

    const refreshWith = Effect.fnUntraced(function* (
      connection: ConnectionRef,
      { stored, version }: Held,
      authorization: OAuth2,
      refreshToken: NonNullable<StoredCredentials["refreshToken"]>
    ) {
      const { environment, provider } = connection
      const tokens = yield* OAuth.exchange(
        { provider, environment, authorization, values: stored.values },
        { grantType: "refresh_token", refreshToken }
      ).pipe(
        Effect.provideService(Transport, transport),
        Effect.tapError((error) => Metrics.tokenRefresh(provider, error.reason === "refused" ? "refused" : "failed")),
        Effect.catchAll((error) =>
          error.reason === "refused"
            ? Effect.zipRight(
                refuse(connection, version, `${provider} refuses to renew the access (${error.code ?? "refused"}).`),
                fail(connection, new Unauthenticated(), "the connection needs to be connected again")
              )
            : Effect.zipRight(
                Effect.logWarning("A token was not refreshed", error.message),
                fail(connection, ...reasonOf(error))
              )
        )
      )
      yield* Metrics.tokenRefresh(provider, "refreshed")
      yield* Effect.orDie(store(connection, version, renewed(stored, tokens)))
    })

    /** Newer credentials than `failed`; undefined while another process is at it. */
    const attempt = Effect.fnUntraced(function* (connection: ConnectionRef, failed: number) {
      const held = yield* Effect.flatMap(select(connection), active(connection))
      if (held.version > failed) return valuesOf(held)
      const authorization = integrations.get(connection.provider)?.authorization
      if (authorization === undefined) {
        return yield* fail(connection, new Unsupported(), `this service has no provider ${connection.provider}`)
      }
      const { refreshToken } = held.stored
      if (authorization.kind !== "oauth2" || refreshToken === undefined) {
        yield* refuse(connection, held.version, `${connection.provider} refuses the credentials.`)
        return yield* fail(connection, new Unauthenticated(), "the connection needs to be connected again")
      }
      const lease = randomUUID()
      if (!(yield* Effect.orDie(takeLease(connection, held.version, lease)))) return undefined
      yield* refreshWith(connection, held, authorization, refreshToken).pipe(
        Effect.tapError(() => Effect.orDie(releaseLease(connection, lease)))
      )
      return valuesOf(yield* Effect.flatMap(select(connection), active(connection)))
    })

    const renewing = (
      connection: ConnectionRef,
      failed: number,
      polls = 0
    ): Effect.Effect<CredentialValues, ProviderError> =>
      Effect.flatMap(attempt(connection, failed), (values) => {
        if (values !== undefined) return Effect.succeed(values)
        if (polls === patience) return fail(connection, new TimedOut(), "the token is still being refreshed")
        return Effect.zipRight(Effect.sleep(poll), renewing(connection, failed, polls + 1))
      })

    /** Joins the refresh of a version, or starts it. It runs in a fiber of its own and outlives its callers. */
    const renew = (connection: ConnectionRef, failed: number) =>
      Effect.uninterruptible(
        Effect.suspend(() => {
          const name = `${nameOf(connection)}/${failed}`
          const known = running.get(name)
          if (known !== undefined) return Effect.succeed(known)
          const done = Deferred.unsafeMake<CredentialValues, ProviderError>(FiberId.none)
          running.set(name, Deferred.await(done))
          return Effect.interruptible(renewing(connection, failed)).pipe(
            Effect.withSpan("TokenRefresh.renew", {
              attributes: { provider: connection.provider, "connection.id": connection.id }
            }),
            Effect.tap(() => recent.forget(nameOf(connection))),
            Effect.ensuring(Effect.sync(() => running.delete(name))),
            Effect.intoDeferred(done),
            Effect.forkDaemon,
            Effect.as(Deferred.await(done))
          )
        })
      )

    const newest = (connection: ConnectionRef, failed: number) => Effect.flatten(renew(connection, failed))

    const isRenewable = ({ stored }: Held) => stored.refreshToken !== undefined && stored.expiresAt !== undefined
    const leftOf = ({ stored }: Held, now: number) => (stored.expiresAt ?? Infinity) - now

    const read = Effect.fnUntraced(function* (connection: ConnectionRef) {
      const held = yield* select(connection)
      const left = leftOf(held, yield* Clock.currentTimeMillis)
      // Here, so that a token endpoint that is down is asked about once a second while the old token lasts.
      if (held.isActive && isRenewable(held) && left > 0 && left <= ahead) yield* renew(connection, held.version)
      return held
    })

    // A refresh in flight may hold the only copy of a rotated token.
    yield* Effect.addFinalizer(() =>
      Effect.forEach([...running.values()], Effect.exit, { concurrency: "unbounded" }).pipe(
        Effect.interruptible,
        Effect.timeoutOption("10 seconds")
      )
    )

    return Credentials.of({
      current: Effect.fnUntraced(function* (connection) {
        const now = yield* Clock.currentTimeMillis
        const stillHolds = (held: Held) =>
          connection.version !== undefined &&
          held.version >= connection.version &&
          !(isRenewable(held) && leftOf(held, now) <= ahead)
        const known = recent.get(nameOf(connection), read(connection), stillHolds)
        // whoever has read the connection as it is now is not given what it had before
        const isOld = (held: Held) => connection.version !== undefined && held.version < connection.version
        const current = Effect.flatMap(known, (held) =>
          isOld(held) ? Effect.zipRight(recent.forget(nameOf(connection)), known) : Effect.succeed(held)
        )
        const held = yield* Effect.flatMap(current, active(connection))
        if (!isRenewable(held) || leftOf(held, now) > 0) return valuesOf(held)
        return yield* newest(connection, held.version)
      }),
      refresh: (connection, failed) => newest(connection, failed.version),
      refused: (connection, failed) =>
        refuse(connection, failed.version, `${connection.provider} refuses freshly issued credentials.`)
    })
  })
)

const nameOf = (connection: ConnectionRef) => `${connection.environment}/${connection.provider}/${connection.id}`

const reasonOf = (error: OAuth.TokenError): readonly [Reason, string] => {
  switch (error.reason) {
    case "limited":
      return [new LimitReached({ retryAfter: error.retryAfter ?? 10 }), "its token endpoint is limited"]
    case "timeout":
      return [new TimedOut(), "its token endpoint did not answer in time"]
    case "malformed":
      return [new Malformed(), "its token endpoint gave no tokens"]
    case "client":
      return [new Down(), "its token endpoint does not accept this service's client"]
    default:
      return [new Down(), "its token endpoint is away"]
  }
}
