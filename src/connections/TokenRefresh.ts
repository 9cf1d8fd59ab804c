import {
  Clock,
  Deferred,
  Duration,
  Effect,
  Either,
  FiberId,
  Layer,
  Option,
  Redacted,
  Schedule,
  type Tracer
} from "effect"
import { randomUUID } from "node:crypto"
import { Encryption, isKeyMissing } from "../platform/Encryption.ts"
import * as Metrics from "../platform/Metrics.ts"
import * as SingleFlightCache from "../platform/SingleFlightCache.ts"
import { longestPause } from "../providers/base/Errors.ts"
import { Credentials, type CredentialValues } from "../providers/Credentials.ts"
import type { ConnectionRef } from "../providers/ConnectionRef.ts"
import {
  Down,
  ProviderError,
  type Reason,
  Unauthenticated,
  Unreadable,
  Unsupported
} from "../providers/ProviderError.ts"
import { Transport } from "../providers/Transport.ts"
import { associatedDataOf, Connections } from "./Connections.ts"
import { connectionRows } from "./ConnectionRows.ts"
import { type Integration, Integrations } from "./Integrations.ts"
import * as OAuth from "./OAuth.ts"
import { endOf } from "./ReauthBy.ts"
import { busy, failureSeconds, reasonOf, secondsOf, withLeft } from "./RefreshFailures.ts"
import {
  afterAnswer,
  afterRefresh,
  afterRefusal,
  type RefreshState,
  refreshStateOf,
  refusalInterval,
  resendOf,
  whileSent
} from "./RefreshState.ts"
import { takeBack } from "./Revocation.ts"
import { encode, parse, renewed, type StoredCredentials } from "./StoredCredentials.ts"

/** Milliseconds before its expiry from which a token is replaced, while callers still use it. */
const ahead = 60_000

/** Refresh lease. The process that refreshes extends it; if that process dies, others wait this long. */
const leaseSeconds = OAuth.timeout / 1000 + 2

/** How often a running refresh extends its lease. */
const leaseExtension = "4 seconds"

/** Pause before a retry when the token endpoint is still processing the same token. */
const repeatPause = "2 seconds"

/** `Retry-After` in seconds while a refresh takes longer than callers wait. */
const awaitedSeconds = 5

/** How often a process looks whether another one's refresh is done. */
const poll = "100 millis"

/** How many times it looks: as long as one refresher that dies and one that does not may take. */
const patience = 2 * leaseSeconds * 10

/** Failures remembered at a time. */
const capacity = 10_000

/** A refresh under way, with its span as soon as that is there. */
interface Running {
  readonly values: Effect.Effect<CredentialValues, ProviderError>
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  span: Tracer.Span | undefined
}

/** A connection's credentials as they are kept now. */
interface Held {
  readonly version: number
  readonly isActive: boolean
  /** UUID of the end user. */
  readonly endUser: string
  /** The provider's own id of the account, where it is known. */
  readonly accountId: string | null
  readonly stored: StoredCredentials
  readonly state: RefreshState
}

/**
 * `Credentials` out of the database. One refresh runs at a time for each connection: within a process callers share it,
 * between processes a lease on the row decides who runs it, and the others watch for the version to move. The provider
 * is called outside any transaction; its answer is stored only over the version that was refreshed. A call that takes longer
 * than callers wait goes on without them, and its answer is stored.
 */
export const layer = Layer.scoped(
  Credentials,
  Effect.gen(function* () {
    const rows = yield* connectionRows
    const encryption = yield* Encryption
    const integrations = yield* Integrations
    const transport = yield* Transport
    const connections = yield* Connections
    const context = yield* Effect.context<Connections | Integrations | Transport>()
    const recent = SingleFlightCache.make<Held, ProviderError>({
      capacity: 10_000,
      ttl: SingleFlightCache.recent,
      metric: "credentials"
    })
    const running = new Map<string, Running>()
    const failures = new Map<string, { readonly error: ProviderError; readonly until: number }>()

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
      const { environment, id, provider } = connection
      const found = yield* Effect.orDie(rows.credentials({ id, environment, provider }))
      if (Option.isNone(found)) return yield* fail(connection, new Unauthenticated(), "the connection was removed")
      const row = found.value
      const stored = yield* encryption.decrypt(row.credentials, associatedDataOf(connection.id)).pipe(
        Effect.flatMap(parse),
        Effect.catchAll((error) =>
          Effect.zipRight(
            Effect.logError(`The credentials of connection ${connection.id} cannot be read`, error.message),
            fail(connection, new Unreadable({ isKeyMissing: isKeyMissing(error) }))
          )
        )
      )
      return {
        version: row.version,
        isActive: row.status === "active",
        endUser: row.end_user_id,
        accountId: row.account_id,
        stored,
        state: refreshStateOf(row.refresh_state, row.version)
      } satisfies Held
    })

    const active = (connection: ConnectionRef) => (held: Held) =>
      held.isActive ? Effect.succeed(held) : fail(connection, new Unauthenticated(), connectAgain)

    const refuse = Effect.fnUntraced(function* (connection: ConnectionRef, version: number, reason: string) {
      yield* connections.markNeedsReauth(connection, version, reason)
      yield* recent.forget(nameOf(connection))
    })

    /**
     * Stores what replaces a version, also when the lease lapsed meanwhile: if the version is still there, or was only found
     * to be refused, nobody else has got anything, and these tokens are the only good ones. Where the connection was removed
     * or erased meanwhile, they are taken back at the provider: what it was removed with is not what they are.
     */
    const store = Effect.fnUntraced(function* (
      connection: ConnectionRef,
      { accountId, endUser, state, stored: before, version }: Held,
      stored: StoredCredentials
    ) {
      const credentials = yield* encryption.encrypt(encode(stored), associatedDataOf(connection.id))
      const end = endOf(stored, yield* Clock.currentTimeMillis)
      const isReplaced = stored.refreshToken !== undefined && !isSame(stored.refreshToken, before.refreshToken)
      const next = JSON.stringify(afterRefresh(state, isReplaced))
      const isStored = yield* rows.replaceCredentials(connection, version, credentials, end, next).pipe(
        // The provider may have taken the old tokens back already: a database that is away for a moment must not cost these.
        Effect.retry(Schedule.intersect(Schedule.exponential("50 millis"), Schedule.recurs(6)))
      )
      if (isStored || (yield* connections.isThere(connection.id))) return
      const accountIds = accountId === null ? [] : [accountId]
      yield* Effect.provide(takeBack({ ...connection, endUser, credentials: stored, accountIds }), context)
    })

    /** Turns a token error into the failure for callers and the state to store. */
    const judge = Effect.fnUntraced(function* (connection: ConnectionRef, sent: RefreshState, error: OAuth.TokenError) {
      const { provider } = connection
      if (error.reason !== "refused") {
        yield* Effect.logWarning("A token was not refreshed", error.message)
        const state = error.isAnswerLost === true ? sent : afterAnswer(sent)
        return { state, error: fail(connection, ...reasonOf(error)) }
      }
      const { isGone, state } = afterRefusal(sent, yield* Clock.currentTimeMillis, error.isFinal === true)
      if (isGone) {
        yield* refuse(connection, sent.version, `${provider} refuses to renew the access (${error.code ?? "refused"}).`)
        return { state, error: fail(connection, new Unauthenticated(), connectAgain) }
      }
      yield* Effect.logWarning("A refusal to renew a token may not be final", error.message)
      const retryAfter = Duration.toSeconds(refusalInterval)
      const detail = `its token endpoint refused to renew the access (${error.code ?? "refused"})`
      return { state, error: fail(connection, new Down({ retryAfter }), detail) }
    })

    /** Refreshes and stores the tokens. False if the token endpoint is still processing the same token. */
    const refreshUnder = Effect.fnUntraced(function* (
      lease: string,
      connection: ConnectionRef,
      held: Held,
      renewal: Effect.Effect<OAuth.Tokens, OAuth.TokenError, Transport>
    ) {
      const { provider } = connection
      const sent = whileSent(held.state, yield* Clock.currentTimeMillis)
      yield* Effect.orDie(rows.noteRefresh(connection, lease, JSON.stringify(sent)))
      const extending = Effect.orDie(rows.extendLease(connection, lease, leaseSeconds)).pipe(
        Effect.delay(leaseExtension),
        Effect.forever
      )
      const answer = yield* Effect.either(
        Effect.raceFirst(renewal, extending).pipe(Effect.provideService(Transport, transport))
      )
      if (Either.isRight(answer)) {
        yield* Metrics.tokenRefresh(provider, "refreshed")
        yield* Effect.orDie(store(connection, held, renewed(held.stored, answer.right)))
        return true
      }
      const release = (seconds: number, state: RefreshState) =>
        Effect.orDie(rows.releaseLease(connection, lease, seconds, JSON.stringify(state)))
      if (answer.left.reason === "again") {
        yield* release(0, afterAnswer(sent))
        return false
      }
      const { error, state } = yield* judge(connection, sent, answer.left)
      yield* Metrics.tokenRefresh(provider, error.reason._tag === "Unauthenticated" ? "refused" : "failed")
      yield* release(secondsOf(error), state)
      return yield* error
    })

    /** Newer credentials than `failed`; "waits" while another process is at it, "again" while the token endpoint is. */
    const attempt = Effect.fnUntraced(function* (connection: ConnectionRef, failed: number, isNoted: boolean) {
      const found = yield* Effect.flatMap(select(connection), active(connection))
      if (found.version > failed) return valuesOf(found)
      const integration = integrations.get(connection.provider)
      if (integration === undefined) {
        return yield* fail(connection, new Unsupported(), `this service has no provider ${connection.provider}`)
      }
      // a key, or a token without its refresh token, is asked with once more: a single refusal may be a mistake
      if (renewalOf(connection, integration, found.stored) === undefined) return valuesOf(found)
      const lease = randomUUID()
      if (!(yield* Effect.orDie(rows.takeLease(connection, found.version, lease, leaseSeconds, isNoted)))) {
        const { environment, id } = connection
        const noted = yield* Effect.orDie(rows.leftOfFailure({ id, environment }))
        const left = Option.match(noted, { onNone: () => 0, onSome: (row) => row.left })
        return left > 0 ? yield* fail(connection, busy(left, "its token endpoint failed a moment ago")) : "waits"
      }
      // Read again: the previous lease holder stores its result before it releases the lease.
      const held = yield* select(connection)
      const renewal = renewalOf(connection, integration, held.stored)
      if (held.version !== found.version || renewal === undefined) return "waits"
      const rotation = held.stored.privateKey === undefined ? integration.consent?.rotation : undefined
      const resend = resendOf(rotation, held.state, yield* Clock.currentTimeMillis)
      if (resend !== "send") {
        yield* Effect.orDie(rows.releaseLease(connection, lease, 0, null))
        if (resend !== "lost") return yield* fail(connection, busy(resend.waitSeconds, "its new tokens are awaited"))
        yield* refuse(connection, held.version, lostAnswer(connection.provider))
        return yield* fail(connection, new Unauthenticated(), connectAgain)
      }
      if (!(yield* refreshUnder(lease, connection, held, renewal))) return "again"
      return valuesOf(yield* Effect.flatMap(select(connection), active(connection)))
    })

    const renewing = (
      connection: ConnectionRef,
      failed: number,
      isNoted: boolean,
      polls = 0
    ): Effect.Effect<CredentialValues, ProviderError> =>
      Effect.flatMap(attempt(connection, failed, isNoted), (result) => {
        if (typeof result !== "string") return Effect.succeed(result)
        if (polls >= patience) return fail(connection, busy(failureSeconds, "its access token is being renewed"))
        const [pause, more] = result === "again" ? ([repeatPause, 20] as const) : ([poll, 1] as const)
        return Effect.zipRight(Effect.sleep(pause), renewing(connection, failed, isNoted, polls + more))
      })

    /** Lets those share a failure who ask within its time. */
    const remember = (name: string, error: ProviderError) =>
      Effect.clockWith((clock) =>
        Effect.sync(() => {
          const seconds = secondsOf(error)
          if (seconds === 0) return
          failures.delete(name)
          failures.set(name, { error, until: clock.unsafeCurrentTimeMillis() + seconds * 1000 })
          const [oldest] = failures.keys()
          if (failures.size > capacity && oldest !== undefined) failures.delete(oldest)
        })
      )

    /** The result of a running refresh, or a 503 if it takes longer than callers wait. */
    const within = (connection: ConnectionRef, { startedAt, values }: Running, now: number) =>
      Effect.timeoutFail(values, {
        duration: Math.max(0, startedAt + OAuth.timeout - now),
        onTimeout: () => fail(connection, busy(awaitedSeconds, "its access token is still being renewed"))
      })

    /**
     * Joins the refresh of a version, or starts it unless it failed a moment ago. It runs in a fiber of its own and outlives
     * its callers.
     */
    const renew = (connection: ConnectionRef, failed: number) =>
      Effect.uninterruptible(
        Effect.clockWith((clock) => {
          const name = `${nameOf(connection)}/${failed}`
          const now = clock.unsafeCurrentTimeMillis()
          const known = running.get(name)
          // one refresh serves several requests, and belongs to the trace of the first
          if (known !== undefined) {
            return Effect.as(
              known.span === undefined ? Effect.void : Effect.linkSpanCurrent(known.span),
              within(connection, known, now)
            )
          }
          const failure = failures.get(name)
          if (failure !== undefined) {
            const left = (failure.until - now) / 1000
            if (left > 0 && left <= longestPause) return Effect.succeed(Effect.fail(withLeft(failure.error, left)))
          }
          const isNoted = failures.delete(name)
          const done = Deferred.unsafeMake<CredentialValues, ProviderError>(FiberId.none)
          const own: Running = { values: Deferred.await(done), startedAt: now, span: undefined }
          running.set(name, own)
          return Effect.flatMap(
            Effect.makeSpan("TokenRefresh.renew", {
              attributes: { provider: connection.provider, "connection.id": connection.id }
            }),
            (span) => {
              own.span = span
              return Effect.interruptible(renewing(connection, failed, isNoted)).pipe(
                Effect.withParentSpan(span),
                Effect.onExit((exit) => Effect.sync(() => span.end(clock.unsafeCurrentTimeNanos(), exit))),
                Effect.tap(() => recent.forget(nameOf(connection))),
                Effect.tapError((error) => remember(name, error)),
                Effect.ensuring(Effect.sync(() => running.delete(name))),
                Effect.intoDeferred(done),
                Effect.forkDaemon,
                Effect.as(within(connection, own, now))
              )
            }
          )
        })
      )

    const newest = (connection: ConnectionRef, failed: number) => Effect.flatten(renew(connection, failed))

    const isRenewable = ({ stored: { expiresAt, privateKey, refreshToken } }: Held) =>
      (refreshToken ?? privateKey) !== undefined && expiresAt !== undefined
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
      Effect.forEach([...running.values()], ({ values }) => Effect.exit(values), { concurrency: "unbounded" }).pipe(
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
        refuse(connection, failed.version, `${connection.provider} refuses the credentials.`)
    })
  })
)

/** New tokens in place of those held, by a refresh token or a private key; undefined without one. */
const renewalOf = (
  { environment, id, provider }: ConnectionRef,
  { authorization, consent }: Integration,
  { privateKey, refreshToken, values }: StoredCredentials
) => {
  const subject = { provider, environment, values, connection: id }
  if (privateKey !== undefined && authorization.kind === "certificate") {
    return OAuth.assert({ ...subject, authorization }, privateKey)
  }
  return refreshToken === undefined || consent === undefined
    ? undefined
    : OAuth.exchange(
        { ...subject, authorization: consent },
        { grantType: "refresh_token", refreshToken },
        OAuth.answerLimit
      )
}

const connectAgain = "the connection needs to be connected again"

/** Status reason of a connection whose refresh token may have been replaced by an answer that never arrived. */
const lostAnswer = (provider: string) =>
  `${provider} did not answer the last renewal of the access. Its refresh token may have been replaced and must not be sent again.`

const isSame = (one: Redacted.Redacted, other: Redacted.Redacted | undefined) =>
  other !== undefined && Redacted.value(one) === Redacted.value(other)

const nameOf = (connection: ConnectionRef) => `${connection.environment}/${connection.provider}/${connection.id}`
