import { Clock, Config, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import * as Metrics from "./Metrics.ts"
import { Redis } from "./Redis.ts"

/** At most `limit` takes in any stretch of `window` (whole milliseconds) for each key. */
export interface Policy {
  /** Names the policy in headers, metrics and the store; keys of different policies do not meet. */
  readonly name: string
  readonly limit: number
  readonly window: Duration.DurationInput
}

/** What a take met. Times are in seconds. */
export interface Decision {
  readonly allowed: boolean
  readonly limit: number
  /** Takes left now. */
  readonly remaining: number
  /** Until the oldest take leaves the window and `remaining` grows. */
  readonly resetAfter: number
  /** Until the same take can succeed; 0 when it was allowed. */
  readonly retryAfter: number
}

/**
 * A sliding window log: it keeps the time of what was taken during the last `window`, so no trick at a window's edge
 * passes more than `limit`, which a token bucket or a window counter would (up to twice as much), and a provider's own
 * limit can be kept exactly. To be small, takes within the same twentieth of a window are kept as one batch that counts
 * as taken at its latest moment: at most 21 numbers a key, and a take comes back at most a twentieth late.
 */
export class RateLimiter extends Context.Tag("tributary/platform/RateLimiter")<
  RateLimiter,
  {
    /**
     * Takes `tokens` (1) for `key`, all or none. With 0 it takes nothing and says whether one could be taken.
     * Never fails, and never waits for Redis longer than about 100 ms.
     */
    readonly take: (key: string, policy: Policy, tokens?: number) => Effect.Effect<Decision>
  }
>() {
  /** Limits that hold for this process alone. */
  static readonly layerMemory: Layer.Layer<RateLimiter> = Layer.sync(RateLimiter, () => {
    const take = makeMemory()
    return RateLimiter.of({
      take: (key, policy, tokens = 1) =>
        decide(take(key, policy, tokens), policy).pipe(Effect.withSpan("RateLimiter.take"))
    })
  })

  /**
   * Limits shared by all processes on one Redis, by Redis's clock. While Redis is away requests are limited per process
   * rather than refused or let through unlimited.
   */
  static readonly layerRedis: Layer.Layer<RateLimiter, never, Redis> = Layer.effect(
    RateLimiter,
    Effect.gen(function* () {
      const run = (yield* Redis).script(script)
      const takeMemory = makeMemory()
      let away = false

      const takeRedis = Effect.fnUntraced(function* (key: string, policy: Policy, tokens: number) {
        const reply = yield* run(
          [`tributary:limit:${policy.name}:${key}`],
          [policy.limit, Duration.toMillis(policy.window), tokens]
        )
        const [allowed, used, resetAfter, retryAfter] = yield* decodeReply(reply)
        if (away) {
          away = false
          yield* Effect.logInfo("Redis is back: rate limits are shared again")
        }
        return { allowed: allowed === 1, used, resetAfter, retryAfter }
      })

      return RateLimiter.of({
        take: Effect.fn("RateLimiter.take")(function* (key, policy, tokens = 1) {
          const taken = takeRedis(key, policy, tokens).pipe(
            Effect.catchAll((error) => {
              const log = away ? Effect.void : Effect.logWarning("Redis is away: rate limits hold per process", error)
              away = true
              return Effect.zipRight(log, takeMemory(key, policy, tokens))
            })
          )
          return yield* decide(taken, policy)
        })
      })
    })
  )

  /** Shared through Redis when `REDIS_URL` is set, else per process. */
  static readonly layer = Layer.unwrapEffect(
    Effect.map(
      Config.option(Config.redacted("REDIS_URL")),
      Option.match({
        onNone: () => RateLimiter.layerMemory,
        onSome: () => Layer.provide(RateLimiter.layerRedis, Redis.layer)
      })
    )
  )
}

/**
 * The headers of a limited answer, as structured fields of draft-ietf-httpapi-ratelimit-headers-11
 * (https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/), and `Retry-After` when it was refused.
 */
export const headers = (decision: Decision, policy: Policy): Record<string, string> => ({
  "ratelimit-policy": `"${policy.name}";q=${policy.limit};w=${Math.ceil(Duration.toSeconds(policy.window))}`,
  ratelimit: `"${policy.name}";r=${decision.remaining};t=${Math.ceil(decision.resetAfter)}`,
  ...(decision.allowed ? {} : { "retry-after": String(Math.max(1, Math.ceil(decision.retryAfter))) })
})

const batchesPerWindow = 20

/** What a store answers: takes in the window after this one, and times in milliseconds. */
interface Taken {
  readonly allowed: boolean
  readonly used: number
  readonly resetAfter: number
  readonly retryAfter: number
}

const decide = Effect.fnUntraced(function* (take: Effect.Effect<Taken>, policy: Policy) {
  const taken = yield* take
  if (!taken.allowed) yield* Metrics.rateLimited(policy.name)
  return {
    allowed: taken.allowed,
    limit: policy.limit,
    remaining: Math.max(0, policy.limit - taken.used),
    resetAfter: taken.resetAfter / 1000,
    retryAfter: taken.retryAfter / 1000
  }
})

// in memory

const sweepEvery = 10_000
const maxKeys = 100_000

/** Bounded: keys whose window is empty are swept, and beyond 100,000 the one taken from longest ago is forgotten. */
const makeMemory = () => {
  const keys = new Map<string, { readonly batches: Array<{ at: number; count: number }>; readonly expiresAt: number }>()
  let nextSweep = 0

  const store = (id: string, batches: Array<{ at: number; count: number }>, expiresAt: number) => {
    // Removed first, so that the map's order is by last take.
    keys.delete(id)
    keys.set(id, { batches, expiresAt })
    const [oldest] = keys.keys()
    if (keys.size > maxKeys && oldest !== undefined) keys.delete(oldest)
  }

  const sweep = (now: number) => {
    if (now < nextSweep) return
    nextSweep = now + sweepEvery
    for (const [id, { expiresAt }] of keys) if (expiresAt <= now) keys.delete(id)
  }

  return (key: string, policy: Policy, tokens: number) =>
    Effect.map(Clock.currentTimeMillis, (now): Taken => {
      sweep(now)
      const id = `${policy.name}:${key}`
      const window = Duration.toMillis(policy.window)
      // A clock set back a little must not forget takes, one set back a lot must not keep them: hence the distance.
      const batches = (keys.get(id)?.batches ?? []).filter(({ at }) => Math.abs(now - at) < window)
      const used = batches.reduce((sum, { count }) => sum + count, 0)
      const excess = used + Math.max(tokens, 1) - policy.limit
      if (excess > 0) {
        let freed = 0
        const until = batches.find(({ count }) => (freed += count) >= excess)
        return {
          allowed: false,
          used,
          resetAfter: (batches[0]?.at ?? now) + window - now,
          retryAfter: (until?.at ?? now) + window - now
        }
      }
      if (tokens > 0) {
        const last = batches.at(-1)
        const slot = window / batchesPerWindow
        if (last !== undefined && Math.floor(last.at / slot) === Math.floor(now / slot)) {
          last.at = now
          last.count += tokens
        } else batches.push({ at: now, count: tokens })
        store(id, batches, now + window)
      }
      return {
        allowed: true,
        used: used + tokens,
        resetAfter: (batches[0]?.at ?? now) + window - now,
        retryAfter: 0
      }
    })
}

// in Redis: the same, in one atomic step; a key holds "time:count …" and expires when its window is empty

const decodeReply = Schema.decodeUnknown(Schema.Tuple(Schema.Int, Schema.Int, Schema.Int, Schema.Int))

const script = `
local limit, window, tokens = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local batches, used = {}, 0
for at, count in string.gmatch(redis.call("GET", KEYS[1]) or "", "(%d+):(%d+)") do
  local batch = { at = tonumber(at), count = tonumber(count) }
  if math.abs(now - batch.at) < window then
    batches[#batches + 1] = batch
    used = used + batch.count
  end
end
local function resetAfter() return (batches[1] and batches[1].at or now) + window - now end

local excess = used + math.max(tokens, 1) - limit
if excess > 0 then
  local freed, free = 0, now
  for _, batch in ipairs(batches) do
    freed = freed + batch.count
    if freed >= excess then free = batch.at break end
  end
  return { 0, used, resetAfter(), free + window - now }
end
if tokens > 0 then
  local last, slot = batches[#batches], window / ${batchesPerWindow}
  if last and math.floor(last.at / slot) == math.floor(now / slot) then
    last.at, last.count = now, last.count + tokens
  else
    batches[#batches + 1] = { at = now, count = tokens }
  end
  local written = {}
  for i, batch in ipairs(batches) do written[i] = string.format("%.0f:%.0f", batch.at, batch.count) end
  redis.call("SET", KEYS[1], table.concat(written, " "), "PX", window)
end
return { 1, used + tokens, resetAfter(), 0 }
`
