import { Array as Arr, Clock, Config, Context, Duration, Effect, Layer, Option, Schema } from "effect"
import * as Metrics from "./Metrics.ts"
import { Redis } from "./Redis.ts"

/** At most `limit` takes in any stretch of `window` (whole milliseconds) for each key. */
export interface Policy {
  /** Names the policy in headers, metrics and the store; keys of different policies are separate. */
  readonly name: string
  readonly limit: number
  readonly window: Duration.DurationInput
}

/** A number of tokens for one key under one policy. */
export interface Take {
  readonly key: string
  readonly policy: Policy
  readonly tokens: number
}

type Takes = Arr.NonEmptyReadonlyArray<Take>

/** The result of a take. Times are in seconds. */
export interface Decision {
  readonly allowed: boolean
  readonly limit: number
  /** Takes left now. */
  readonly remaining: number
  /** Time until the oldest take leaves the window and `remaining` grows. */
  readonly resetAfter: number
  /** Time until the same take can succeed; 0 when it was allowed. */
  readonly retryAfter: number
}

/**
 * A sliding window log: it keeps the times of the takes during the last `window`, so no more than `limit` pass at a window's
 * edge, where a token bucket or a window counter would pass up to twice as many, and a provider's own limit can be kept
 * exactly. To save space, takes within the same twentieth of a window are kept as one batch that counts as taken at its
 * latest moment: at most 21 numbers a key, and a take comes back at most a twentieth late.
 */
export class RateLimiter extends Context.Tag("tributary/platform/RateLimiter")<
  RateLimiter,
  {
    /**
     * Takes `tokens` (1 by default) for `key`, all or none. With 0 it takes nothing and says whether one could be taken.
     * Never fails, and never waits for Redis longer than about 100 ms.
     */
    readonly take: (key: string, policy: Policy, tokens?: number) => Effect.Effect<Decision>
    /** Makes several takes, of different keys, in one step: all or, if one of them is refused, none. */
    readonly takeAll: (takes: Takes) => Effect.Effect<Arr.NonEmptyReadonlyArray<Decision>>
  }
>() {
  /** Limits that hold for this process alone. */
  static readonly layerMemory: Layer.Layer<RateLimiter> = Layer.sync(RateLimiter, () => of(makeMemory()))

  /**
   * Limits shared by all processes on one Redis, by Redis's clock. While Redis is unavailable, requests are limited per
   * process rather than refused or let through unlimited.
   */
  static readonly layerRedis: Layer.Layer<RateLimiter, never, Redis> = Layer.effect(
    RateLimiter,
    Effect.gen(function* () {
      const run = (yield* Redis).script(script)
      const takeMemory = makeMemory()
      let away = false

      const takeRedis = Effect.fnUntraced(function* (takes: Takes) {
        const reply = yield* run(
          takes.map(({ key, policy }) => `tributary:limit:${policy.name}:${key}`),
          takes.flatMap(({ policy, tokens }) => [policy.limit, Duration.toMillis(policy.window), tokens])
        )
        const taken = yield* decodeReply(reply)
        if (away) {
          away = false
          yield* Effect.logInfo("Redis is back: rate limits are shared again")
        }
        return Arr.map(taken, ([allowed, used, resetAfter, retryAfter]): Taken => ({
          allowed: allowed === 1,
          used,
          resetAfter,
          retryAfter
        }))
      })

      return of((takes) =>
        takeRedis(takes).pipe(
          Effect.catchAll((error) => {
            const log = away ? Effect.void : Effect.logWarning("Redis is away: rate limits hold per process", error)
            away = true
            return Effect.zipRight(log, takeMemory(takes))
          })
        )
      )
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
 * The headers of an answer with the limits it was counted against, as structured fields of
 * draft-ietf-httpapi-ratelimit-headers-11 (https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/), and
 * `Retry-After` when one of them refused it.
 */
export const headers = (...met: ReadonlyArray<readonly [Decision, Policy]>): Record<string, string> => {
  const retryAfter = retryAfterOf(met.map(([decision]) => decision))
  return {
    "ratelimit-policy": met
      .map(([, { limit, name, window }]) => `"${name}";q=${limit};w=${Math.ceil(Duration.toSeconds(window))}`)
      .join(", "),
    ratelimit: met
      .map(([{ remaining, resetAfter }, { name }]) => `"${name}";r=${remaining};t=${Math.ceil(resetAfter)}`)
      .join(", "),
    ...(retryAfter === undefined ? {} : { "retry-after": String(Math.max(1, Math.ceil(retryAfter))) })
  }
}

/** Seconds until refused takes can succeed; undefined when they did. */
export const retryAfterOf = (decisions: ReadonlyArray<Decision>): number | undefined => {
  const refused = decisions.filter(({ allowed }) => !allowed)
  return refused.length === 0 ? undefined : Math.max(...refused.map(({ retryAfter }) => retryAfter))
}

const batchesPerWindow = 20

/** A store's result. `used`: takes in the window after this one; times are in milliseconds. */
interface Taken {
  readonly allowed: boolean
  readonly used: number
  readonly resetAfter: number
  readonly retryAfter: number
}

type Taking = (takes: Takes) => Effect.Effect<Arr.NonEmptyReadonlyArray<Taken>>

const of = (taking: Taking): RateLimiter["Type"] => {
  const takeAll = Effect.fn("RateLimiter.take")(function* (takes: Takes) {
    const taken = yield* taking(takes)
    const decisions = Arr.map(takes, ({ policy }, i) => decisionOf(taken[i] ?? taken[0], policy))
    for (const [i, { allowed }] of decisions.entries()) {
      if (!allowed) yield* Metrics.rateLimited((takes[i] ?? takes[0]).policy.name)
    }
    return decisions
  })
  return RateLimiter.of({
    takeAll,
    take: (key, policy, tokens = 1) => Effect.map(takeAll([{ key, policy, tokens }]), ([decision]) => decision)
  })
}

const decisionOf = ({ allowed, resetAfter, retryAfter, used }: Taken, { limit }: Policy): Decision => ({
  allowed,
  limit,
  remaining: Math.max(0, limit - used),
  resetAfter: resetAfter / 1000,
  retryAfter: retryAfter / 1000
})

// in memory

const sweepEvery = 10_000
const maxKeys = 100_000

/** Bounded: keys whose window is empty are swept, and beyond 100,000 the one taken from longest ago is forgotten. */
const makeMemory = () => {
  const keys = new Map<string, { readonly batches: Array<{ at: number; count: number }>; readonly expiresAt: number }>()
  let nextSweep = 0

  const store = (id: string, batches: Array<{ at: number; count: number }>, expiresAt: number) => {
    // removed first, so that the map is ordered by last take
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

  /** Looks at a key's window: whether the take is refused, its result, and how to take. */
  const look = ({ key, policy, tokens }: Take, now: number) => {
    const id = `${policy.name}:${key}`
    const window = Duration.toMillis(policy.window)
    // an absolute distance: a clock set back a little must not forget takes, one set back a lot must not keep them
    const batches = (keys.get(id)?.batches ?? []).filter(({ at }) => Math.abs(now - at) < window)
    const used = batches.reduce((sum, { count }) => sum + count, 0)
    const excess = used + Math.max(tokens, 1) - policy.limit
    let freed = 0
    const until = excess > 0 ? batches.find(({ count }) => (freed += count) >= excess) : undefined
    return {
      isRefused: excess > 0,
      found: (): Taken => ({
        allowed: excess <= 0,
        used,
        resetAfter: (batches[0]?.at ?? now) + window - now,
        retryAfter: excess > 0 ? (until?.at ?? now) + window - now : 0
      }),
      take: (): Taken => {
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
      }
    }
  }

  return (takes: Takes) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      sweep(now)
      const looks = Arr.map(takes, (take) => look(take, now))
      return looks.some(({ isRefused }) => isRefused)
        ? Arr.map(looks, ({ found }) => found())
        : Arr.map(looks, ({ take }) => take())
    })
}

// in Redis: the same, in one atomic step; a key holds "time:count …" and expires when its window is empty

const decodeReply = Schema.decodeUnknown(
  Schema.NonEmptyArray(Schema.Tuple(Schema.Int, Schema.Int, Schema.Int, Schema.Int))
)

const script = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local takes, refused = {}, false
for i, key in ipairs(KEYS) do
  local limit, window, tokens = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  local batches, used = {}, 0
  for at, count in string.gmatch(redis.call("GET", key) or "", "(%d+):(%d+)") do
    local batch = { at = tonumber(at), count = tonumber(count) }
    if math.abs(now - batch.at) < window then
      batches[#batches + 1] = batch
      used = used + batch.count
    end
  end
  local take = { key = key, window = window, tokens = tokens, batches = batches, used = used }
  local excess = used + math.max(tokens, 1) - limit
  if excess > 0 then
    local freed, free = 0, now
    for _, batch in ipairs(batches) do
      freed = freed + batch.count
      if freed >= excess then free = batch.at break end
    end
    take.retry, refused = free + window - now, true
  end
  takes[i] = take
end

local reply = {}
for i, take in ipairs(takes) do
  local batches = take.batches
  if not refused and take.tokens > 0 then
    local last, slot = batches[#batches], take.window / ${batchesPerWindow}
    if last and math.floor(last.at / slot) == math.floor(now / slot) then
      last.at, last.count = now, last.count + take.tokens
    else
      batches[#batches + 1] = { at = now, count = take.tokens }
    end
    local written = {}
    for j, batch in ipairs(batches) do written[j] = string.format("%.0f:%.0f", batch.at, batch.count) end
    redis.call("SET", take.key, table.concat(written, " "), "PX", take.window)
    take.used = take.used + take.tokens
  end
  reply[i] = { take.retry and 0 or 1, take.used, (batches[1] and batches[1].at or now) + take.window - now, take.retry or 0 }
end
return reply
`
