import { SqlError } from "@effect/sql"
import { Effect, Fiber, Option, type Scope } from "effect"
import { Socket } from "node:net"
import { performance } from "node:perf_hooks"
import { Client, type ClientConfig, Pool, type PoolClient, type PoolConfig } from "pg"
import * as Metrics from "./Metrics.ts"
import { allowsLongStatements } from "./LongStatements.ts"

/** Time limits of a pool, in milliseconds. */
export interface Limits {
  /** For the server to accept a connection. */
  readonly connect: number
  /** For a statement to wait for a connection, as long as the server answers others. */
  readonly wait: number
  /** For a connection in use without a byte from the server. It is then closed, and its statement fails. */
  readonly silence: number
  /** For the server to run a statement; absent: the server sets no limit. */
  readonly statement?: number
}

type Callback = (error: Error | undefined, client: PoolClient | undefined, release: (error?: Error) => void) => void

/** The limits of a session for work that runs `allowingLongStatements`. */
const patience = { silence: 610_000, statement: 600_000 }

/** Milliseconds for the server to wait for the next statement of a transaction. */
const idleInTransaction = 60_000

/** Milliseconds for answers to be read that came while this process stood still, before a silence counts. */
const grace = 250

const noAnswer = () => Object.assign(new Error("the database server does not answer"), { code: "ETIMEDOUT" })

type Session = Pick<Limits, "silence" | "statement">

class LimitedClient extends Client {
  /** The statement limit that the server has been told. */
  private told: number | undefined

  /** Limits what is done until it rests; when the server is silent for too long, the connection is destroyed. */
  limit({ silence, statement }: Session, done: () => void) {
    const { stream } = this.connection
    if (stream instanceof Socket) {
      if (stream.listenerCount("timeout") === 0) stream.on("timeout", () => this.endIfSilent(stream))
      stream.setTimeout(silence)
    }
    if (statement === undefined || statement === this.told) return done()
    const first = this.told === undefined ? `set idle_in_transaction_session_timeout = ${idleInTransaction}; ` : ""
    this.told = statement
    // where this fails the connection is lost, and the statement after it says so
    this.query(`${first}set statement_timeout = ${statement}`, done)
  }

  /** Nobody uses it, so no answer is awaited. */
  rest() {
    const { stream } = this.connection
    if (stream instanceof Socket) stream.setTimeout(0)
  }

  private endIfSilent(stream: Socket) {
    const { bytesRead } = stream
    setTimeout(() => {
      const isAwaited = stream.timeout !== undefined && stream.timeout > 0
      if (isAwaited && stream.bytesRead === bytesRead) stream.destroy(noAnswer())
    }, grace).unref()
  }
}

class LimitedPool extends Pool {
  /** When the server last answered somebody. */
  private answered = performance.now()

  private readonly limits: Limits

  constructor(config: PoolConfig, limits: Limits) {
    super({
      ...config,
      connectionTimeoutMillis: limits.wait,
      // the pool counts connecting and waiting as one: a burst would be refused after as long as a dead server is given
      Client: class extends LimitedClient {
        constructor(own?: ClientConfig) {
          super({ ...own, connectionTimeoutMillis: limits.connect })
        }
      }
    })
    this.limits = limits
    this.on("release", (error, client) => {
      if (client instanceof LimitedClient) client.rest()
      if (!(error instanceof Error)) this.answered = performance.now()
    })
  }

  override connect(): Promise<PoolClient>
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<PoolClient> | void {
    return callback === undefined ? super.connect() : this.handOut(callback)
  }

  /** The limits of the fiber that asks. */
  private session(): Session {
    const isLong = Option.exists(Fiber.getCurrentFiber(), (fiber) => fiber.getFiberRef(allowsLongStatements))
    if (!isLong) return this.limits
    return this.limits.statement === undefined ? { silence: patience.silence } : patience
  }

  /** Gives a connection; gives up when the server has answered nobody for as long as a silence may last. */
  private handOut(callback: Callback) {
    const session = this.session()
    const asked = performance.now()
    let isOver = false
    const look = () => {
      const left = session.silence - (performance.now() - Math.max(asked, this.answered))
      if (left > 0) {
        timer = setTimeout(look, left + grace).unref()
        return
      }
      isOver = true
      callback(noAnswer(), undefined, () => {})
    }
    let timer = setTimeout(look, session.silence + grace).unref()
    super.connect((error, client, release) => {
      clearTimeout(timer)
      if (isOver) return release()
      Metrics.poolWaited(performance.now() - asked)
      if (client instanceof LimitedClient) client.limit(session, () => callback(undefined, client, release))
      else callback(error, client, release)
    })
  }
}

/** A pool of connections that ends with the scope; fails when the first connection does. */
export const make = (config: PoolConfig, limits: Limits): Effect.Effect<Pool, SqlError.SqlError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      // a connection that ends while nobody uses it is replaced
      new LimitedPool(
        { ...config, application_name: "tributary", keepAlive: true, keepAliveInitialDelayMillis: 10_000 },
        limits
      ).on("error", () => {})
    ),
    (pool) => Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption("1 second"))
  ).pipe(
    Effect.tap((pool) =>
      Metrics.looking(
        Effect.sync(() => {
          const { idleCount: idle, totalCount: all, waitingCount: waiting } = pool
          Metrics.poolHas({ idle, used: all - idle, waiting })
        })
      )
    ),
    Effect.tap((pool) =>
      Effect.tryPromise({
        try: () => pool.query("select 1"),
        catch: (cause) => new SqlError.SqlError({ cause, message: "the first connection failed" })
      })
    )
  )
