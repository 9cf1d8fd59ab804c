import { Config, Context, Effect, Layer, Redacted, Schema } from "effect"
import { Redis as Client } from "ioredis"
import { createHash } from "node:crypto"

/** Redis did not answer, or answered with an error. */
export class RedisError extends Schema.TaggedError<RedisError>()("RedisError", { cause: Schema.Defect }) {
  override get message() {
    return this.cause instanceof Error ? this.cause.message : String(this.cause)
  }
}

interface Commands {
  /** @internal */
  readonly use: <A>(f: (client: Client) => Promise<A>) => Effect.Effect<A, RedisError>
  /**
   * Sends a command after the earlier ones without waiting for its reply; calls `onFailure` if none comes.
   * @internal
   */
  readonly tell: (f: (client: Client) => Promise<unknown>, onFailure?: () => void) => Effect.Effect<void>
  /** Runs a Lua script as one atomic step, sending its text only if Redis does not have it yet. */
  readonly script: (
    lua: string
  ) => (keys: ReadonlyArray<string>, args: ReadonlyArray<string | number>) => Effect.Effect<unknown, RedisError>
}

/**
 * The process's only connection to Redis, which no answer depends on: a command fails at once while the connection is down
 * and after 100 ms while Redis is silent, and the connection recovers by itself.
 */
export class Redis extends Context.Tag("tributary/platform/Redis")<Redis, Commands>() {
  /** Connects to `REDIS_URL`. An unavailable Redis does not fail the start, or delay it by more than a second. */
  static readonly layer = Layer.scoped(
    Redis,
    Effect.gen(function* () {
      const client = yield* Effect.acquireRelease(Effect.map(url, connect), (client) =>
        Effect.sync(() => client.disconnect())
      )
      yield* Effect.async<void>((resume) => {
        client.once("ready", () => resume(Effect.void))
      }).pipe(Effect.timeoutOption("1 second"))

      const use = <A>(f: (client: Client) => Promise<A>) =>
        Effect.tryPromise({ try: () => f(client), catch: (cause) => new RedisError({ cause }) })

      return Redis.of({
        use,
        tell: (f, onFailure = () => undefined) => Effect.sync(() => void f(client).catch(onFailure)),
        script: (lua) => {
          const sha = createHash("sha1").update(lua).digest("hex")
          return (keys, args) =>
            use((client) => client.evalsha(sha, keys.length, ...keys, ...args)).pipe(
              Effect.catchIf(
                (error) => error.message.startsWith("NOSCRIPT"),
                () => use((client) => client.eval(lua, keys.length, ...keys, ...args))
              )
            )
        }
      })
    })
  )
}

// not checked with Config.url, whose message repeats the value and with it the password
const url = Config.redacted().pipe(
  Config.validate({
    message: "Expected redis://[user:password@]host:port or rediss://…",
    validation: (url) => /^rediss?:\/\//.test(Redacted.value(url)) && URL.canParse(Redacted.value(url))
  }),
  Config.nested("REDIS_URL")
)

const connect = (url: Redacted.Redacted) => {
  const client = new Client(Redacted.value(url), {
    connectionName: "tributary",
    commandTimeout: 100,
    connectTimeout: 2_000,
    // a silent connection is dropped, so that later commands fail at once instead of waiting 100 ms each
    socketTimeout: 1_000,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (attempt) => Math.min(attempt * 100, 2_000)
  })
  // commands report their own failures; without a listener ioredis prints every failed reconnection
  client.on("error", () => undefined)
  return client
}
