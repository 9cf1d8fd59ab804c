import { Deferred, Effect, FiberId, type Scope } from "effect"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { Busy } from "../ProviderError.ts"

/** Most simultaneous calls to one provider in a process; the sandbox's simulators have no such limit. */
const callSlots = 1024

/** Most waiting calls: of one connection, and of all connections of an organisation to a provider. */
const queues = { connection: 200, organisation: 1000 }

/** Seconds until a call that met a full queue is worth repeating. */
const retryAfter = 2

/** A provider, in one environment. */
interface Host {
  readonly slots: number
  running: number
  readonly organisations: Map<string, Organisation>
  /** Organisations with ready lines; one that is served goes to the end. */
  readonly ready: Set<Organisation>
}

/** An organisation at a provider. */
interface Organisation {
  readonly id: string
  readonly host: Host
  running: number
  waiting: number
  /** Lines with a waiting call and room for it in their own concurrency; a line that is served goes to the end. */
  readonly ready: Set<Line>
}

/** The calls of a connection. */
interface Line {
  readonly id: string
  readonly organisation: Organisation
  concurrency: number
  running: number
  /** In the order of arrival. */
  readonly waiting: Set<Deferred.Deferred<void>>
}

/**
 * Decides which calls may run now. An organisation may hold as many of a provider's slots as are free: one that hangs leaves
 * half to others, two leave a third. A connection may hold a quarter of what its organisation may still take, so that the
 * last of its share goes to many. Nothing is reserved while nobody else wants it. Calls of a connection run in order; where
 * many wait for slots, organisations take turns, and so do the connections of each.
 */
export const makeFairQueue = (slots = callSlots) => {
  const hosts = new Map<string, Host>()
  const lines = new Map<string, Line>()

  const hostOf = ({ environment, provider }: ConnectionRef): Host => {
    const name = `${environment}/${provider}`
    const found = hosts.get(name)
    if (found !== undefined) return found
    const made: Host = {
      slots: environment === "sandbox" ? Infinity : slots,
      running: 0,
      organisations: new Map(),
      ready: new Set()
    }
    hosts.set(name, made)
    return made
  }

  const organisationOf = (connection: ConnectionRef): Organisation => {
    const host = hostOf(connection)
    const found = host.organisations.get(connection.organisation)
    if (found !== undefined) return found
    const made: Organisation = { id: connection.organisation, host, running: 0, waiting: 0, ready: new Set() }
    host.organisations.set(connection.organisation, made)
    return made
  }

  const lineOf = (connection: ConnectionRef, concurrency: number): Line => {
    const found = lines.get(connection.id)
    if (found !== undefined) {
      found.concurrency = concurrency
      return found
    }
    const organisation = organisationOf(connection)
    const made: Line = { id: connection.id, organisation, concurrency, running: 0, waiting: new Set() }
    lines.set(connection.id, made)
    return made
  }

  const mayRun = ({ concurrency, organisation, running }: Line) => {
    const { host } = organisation
    return running < concurrency && running < (host.slots - host.running - organisation.running) / 4
  }

  const count = (line: Line, change: 1 | -1) => {
    line.running += change
    line.organisation.running += change
    line.organisation.host.running += change
  }

  /** Moves a line and its organisation to the end of the ready ones, or takes them out. */
  const settle = (line: Line) => {
    const { organisation } = line
    const { host } = organisation
    organisation.ready.delete(line)
    if (line.waiting.size > 0 && line.running < line.concurrency) organisation.ready.add(line)
    host.ready.delete(organisation)
    if (organisation.ready.size > 0) host.ready.add(organisation)
    forget(line)
  }

  /** Drops idle entries, which hold nothing worth keeping. */
  const forget = (line: Line) => {
    const { organisation } = line
    if (line.running === 0 && line.waiting.size === 0) lines.delete(line.id)
    if (organisation.running === 0 && organisation.waiting === 0)
      organisation.host.organisations.delete(organisation.id)
  }

  /** Starts every call that may run now. */
  const serve = (host: Host) => {
    // a served one comes up again at the end, while there is room
    for (const organisation of host.ready) {
      for (const line of organisation.ready) {
        const [next] = line.waiting
        if (next === undefined || !mayRun(line)) continue
        line.waiting.delete(next)
        organisation.waiting -= 1
        count(line, 1)
        settle(line)
        Deferred.unsafeDone(next, Effect.void)
        break
      }
    }
  }

  const leave = (line: Line) =>
    Effect.sync(() => {
      count(line, -1)
      const { host } = line.organisation
      // a line that was not served keeps its place
      if (line.waiting.size === 0 || !line.organisation.ready.has(line)) settle(line)
      if (host.ready.size > 0) serve(host)
    })

  /** Joins a line at once: one without waiting calls may be dropped the next moment. */
  const join = (line: Line): Effect.Effect<void> => {
    const turn = Deferred.unsafeMake<void>(FiberId.none)
    line.waiting.add(turn)
    line.organisation.waiting += 1
    if (!line.organisation.ready.has(line)) settle(line)
    return Effect.onInterrupt(Effect.interruptible(Deferred.await(turn)), () =>
      Effect.suspend(() => {
        // a call interrupted after its turn came leaves the turn to the next
        if (!line.waiting.delete(turn)) return leave(line)
        line.organisation.waiting -= 1
        if (line.waiting.size === 0) settle(line)
        return Effect.void
      })
    )
  }

  const fullOf = ({ organisation, waiting }: Line): string | undefined => {
    if (waiting.size >= queues.connection) return `${queues.connection} calls of this connection wait already`
    if (organisation.waiting < queues.organisation) return undefined
    return `${queues.organisation} calls of this organisation wait for it already`
  }

  /** Takes a turn, or waits for it. */
  const enter = (connection: ConnectionRef, concurrency: number, isFinishing: boolean): Effect.Effect<Line, Busy> =>
    Effect.suspend(() => {
      const line = lineOf(connection, concurrency)
      if (line.waiting.size === 0 && mayRun(line)) {
        count(line, 1)
        return Effect.succeed(line)
      }
      const why = isFinishing ? undefined : fullOf(line)
      if (why === undefined) return Effect.as(join(line), line)
      forget(line)
      return Effect.fail(new Busy({ retryAfter, why }))
    })

  return {
    /** Number of running calls of a connection. */
    running: (connection: ConnectionRef) => lines.get(connection.id)?.running ?? 0,

    /**
     * Runs a call in its turn, at most `concurrency` of a connection at once. Refuses it at once when too many wait,
     * except one that finishes work already begun.
     */
    take: <A, E, R>(
      connection: ConnectionRef,
      concurrency: number,
      call: Effect.Effect<A, E, R>,
      isFinishing: boolean
    ): Effect.Effect<A, E | Busy, R> =>
      Effect.acquireUseRelease(enter(connection, concurrency, isFinishing), () => call, leave),

    /** Takes a turn that lasts as long as the scope. */
    hold: (connection: ConnectionRef, concurrency: number): Effect.Effect<void, Busy, Scope.Scope> =>
      Effect.asVoid(Effect.acquireRelease(enter(connection, concurrency, false), leave))
  }
}
