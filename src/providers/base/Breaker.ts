import { Effect, FiberRef } from "effect"
import * as Deadline from "../../platform/Deadline.ts"
import { monotonic } from "../../platform/Monotonic.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { Busy, ProviderError } from "../ProviderError.ts"
import { pauseFor } from "./Errors.ts"

/** Failures in a row, no success between them, that open the breaker. */
const inARow = 5
/** Failures within a window that open it although some calls succeed, when they are half of all calls or more. */
const inAWindow = 10
const window = 30_000
/** Milliseconds that it stays open at first; each probe that fails doubles them. */
const firstPause = 1_000
const longestPause = 60_000
/** Seconds after which to ask again while somebody else's probe is under way. */
const probeTime = 1
/** Connections with failures that are remembered, and records of each. */
const capacity = 10_000
const mostRecords = 20

/** The parts of a call that the breaker looks at. */
export interface GuardedCall {
  readonly operation: string
  readonly path: string
  /** Values of the path's places: a call that has some is about one record. */
  readonly params?: { readonly [name: string]: string }
  /** An address that the provider gave: what another host does says nothing about the provider. */
  readonly elsewhere?: string
  /** A file that is sent. */
  readonly content?: unknown
  /** The answer is a file. */
  readonly download?: unknown
}

/** The record of a connection since its first failure. Times are milliseconds of the monotonic clock. */
interface Health {
  since: number
  failed: number
  succeeded: number
  failedInARow: number
  /** Records that the provider failed on in this window; each counts once, however often it is asked for. */
  readonly records: Set<string>
  /** The last failure; those who share one count it once. */
  last: ProviderError | undefined
  /** Undefined while the breaker is closed. */
  openUntil: number | undefined
  /** Until when the provider asked to be left alone. */
  askedUntil: number
  pause: number
  isProbed: boolean
}

/**
 * Remembers which connections' providers keep failing, so that their callers are answered at once instead of each waiting
 * for the same failure. A breaker opens after five calls in a row that failed, or ten within 30 seconds that are half of
 * all; calls then fail with `Busy` for a second. After it, one call at a time is let through: the first success closes
 * the breaker, a failure keeps it open for twice as long, 60 seconds at most. A provider that is down and says for how long
 * (`Retry-After`) opens it at once, until then. Failures are those of the provider as a whole (away, late, not its
 * protocol), not its refusals and limits. A record that the provider chokes on counts once.
 */
export const makeBreaker = () => {
  const known = new Map<string, Health>()

  const healthOf = (id: string, now: number): Health => {
    const found = known.get(id)
    if (found !== undefined) return found
    const made: Health = {
      since: now,
      failed: 0,
      succeeded: 0,
      failedInARow: 0,
      records: new Set(),
      last: undefined,
      openUntil: undefined,
      askedUntil: 0,
      pause: firstPause,
      isProbed: false
    }
    known.set(id, made)
    const [oldest] = known.keys()
    if (known.size > capacity && oldest !== undefined) known.delete(oldest)
    return made
  }

  /** Why a call may not be sent now; undefined when it may. */
  const refusal = (connection: ConnectionRef, call: GuardedCall, health: Health, now: number) => {
    if (health.openUntil === undefined) return undefined
    const left = (health.openUntil - now) / 1000
    if (left <= 0 && !health.isProbed) return undefined
    return new ProviderError({
      provider: connection.provider,
      operation: call.operation,
      reason: new Busy({
        retryAfter: left > 0 ? left : probeTime,
        why:
          health.askedUntil > now
            ? `it asked to be left alone (${wordsOf(health.last)})`
            : `it keeps failing on this connection (${wordsOf(health.last)})`
      })
    })
  }

  const succeeded = (connection: ConnectionRef) =>
    Effect.clockWith((clock) => {
      const health = known.get(connection.id)
      if (health === undefined) return Effect.void
      health.succeeded += 1
      health.failedInARow = 0
      const isOpen = health.openUntil !== undefined
      const now = monotonic(clock)
      // what was sent before is no reason to come back earlier than it asked
      if (isOpen && health.askedUntil > now) return Effect.void
      if (isOpen || now - health.since >= window) known.delete(connection.id)
      return isOpen ? told(connection, Effect.logInfo("A provider works again")) : Effect.void
    })

  const failed = (connection: ConnectionRef, call: GuardedCall, error: ProviderError, isProbe: boolean) =>
    Effect.clockWith((clock) => {
      const now = monotonic(clock)
      const health = healthOf(connection.id, now)
      if (health.last === error) return Effect.void
      health.last = error
      const asked = askedOf(error)
      if (asked > 0) health.askedUntil = Math.max(health.askedUntil, now + asked)
      if (health.openUntil !== undefined) {
        // what was sent before it opened says nothing new
        if (!isProbe && asked === 0) return Effect.void
        if (isProbe) health.pause = Math.min(health.pause * 2, longestPause)
        return open(connection, health, now, error)
      }
      if (asked > 0) return open(connection, health, now, error)
      if (now - health.since >= window) {
        Object.assign(health, { since: now, failed: 0, succeeded: 0 })
        // as long as nothing else was asked for, the same record says nothing new
        if (health.failedInARow === 0) health.records.clear()
      }
      const record = recordOf(call, error)
      if (record !== undefined) {
        if (health.records.has(record)) return Effect.void
        if (health.records.size < mostRecords) health.records.add(record)
      }
      health.failed += 1
      health.failedInARow += 1
      const isHalf = health.failed >= inAWindow && health.failed >= health.succeeded
      return health.failedInARow >= inARow || isHalf ? open(connection, health, now, error) : Effect.void
    })

  const open = (connection: ConnectionRef, health: Health, now: number, error: ProviderError) => {
    health.openUntil = Math.max(health.openUntil ?? 0, now + health.pause, health.askedUntil)
    const seconds = Math.ceil((health.openUntil - now) / 1000)
    // never `detail`, which may be a server's own words
    const why = error.status === undefined ? error.message : `answered ${error.status}`
    return told(connection, Effect.logWarning(`A provider fails (${why}): left alone for ${seconds} s`))
  }

  const note = (connection: ConnectionRef, call: GuardedCall, error: ProviderError, isProbe: boolean) => {
    if (isFailure(error)) return failed(connection, call, error, isProbe)
    // a refusal is an answer too; without a status nothing was asked
    return error.status === undefined ? Effect.void : succeeded(connection)
  }

  /**
   * Runs a call, unless its connection's provider keeps failing, and notes how it ended. A call that waits for its turn runs
   * `mayGo` when it comes: it fails when the breaker has opened meanwhile.
   */
  return <A, R>(
    connection: ConnectionRef,
    call: GuardedCall,
    sending: (mayGo: Effect.Effect<void, ProviderError>) => Effect.Effect<A, ProviderError, R>
  ): Effect.Effect<A, ProviderError, R> => {
    const check = Effect.clockWith((clock) => {
      const health = known.get(connection.id)
      return (health && refusal(connection, call, health, monotonic(clock))) ?? Effect.void
    })
    const noted = (isProbe: boolean) =>
      Effect.tapBoth(sending(isProbe ? Effect.void : check), {
        onFailure: (error) => note(connection, call, error, isProbe),
        onSuccess: () => (known.size === 0 ? Effect.void : succeeded(connection))
      })
    const guarded = Effect.clockWith((clock) => {
      const health = known.get(connection.id)
      if (health?.openUntil === undefined) return noted(false)
      const refused = refusal(connection, call, health, monotonic(clock))
      if (refused !== undefined) return refused
      // a file takes long, and others would be refused meanwhile
      if (call.content !== undefined || call.download !== undefined) return noted(false)
      health.isProbed = true
      return Effect.ensuring(
        noted(true),
        Effect.sync(() => (health.isProbed = false))
      )
    })
    if (call.elsewhere !== undefined) return sending(Effect.void)
    // what has changed something is finished, or taken back: refused in the midst, it would leave half of it
    return Effect.flatMap(FiberRef.get(Deadline.current), (deadline) =>
      deadline?.changed === undefined ? guarded : noted(true)
    )
  }
}

const told = ({ id, provider }: ConnectionRef, log: Effect.Effect<void>) =>
  Effect.annotateLogs(log, { provider, connection: id })

/** The provider as a whole failed, as far as one can tell. */
const isFailure = ({ reason, status = 0 }: ProviderError) =>
  (reason._tag === "Down" ||
    reason._tag === "Malformed" ||
    (reason._tag === "TimedOut" && reason.isCutShort !== true)) &&
  !(status >= 400 && status < 500)

/** Milliseconds for which a provider that is down asks to be left alone. */
const askedOf = ({ reason }: ProviderError) => (reason._tag === "Down" ? pauseFor(reason.retryAfter ?? 0) * 1000 : 0)

/** The record that a provider may choke on: a gateway's own failure is about none. */
const recordOf = ({ params, path }: GuardedCall, { reason, status = 0 }: ProviderError) => {
  const isOwn = reason._tag === "Malformed" || (status >= 500 && !(status >= 502 && status <= 504))
  return params === undefined || !isOwn ? undefined : `${path} ${JSON.stringify(params)}`
}

const wordsOf = (error: ProviderError | undefined) => {
  if (error === undefined) return "no answer"
  if (error.status !== undefined) return `answered ${error.status}`
  return error.detail ?? (error.reason._tag === "TimedOut" ? "no answer in time" : "no answer")
}
