import { Effect, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { monotonic } from "../../platform/Monotonic.ts"
import { Redis } from "../../platform/Redis.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"

/** Milliseconds after which a slot is free when its process no longer renews it. */
const lease = 6_000
/** Milliseconds between renewals, and between attempts while Redis is away. */
const renewal = 2_000
const retry = 250
/** Milliseconds between two looks for a free slot: at first, and at most. */
const firstLook = 25
const lastLook = 100
/** Milliseconds for which the other processes know of one that looks. */
const waitingMark = 300

/** One call's place among the running calls of its connection. */
interface Slot {
  readonly connection: ConnectionRef
  readonly name: string
  /** Redis may know it. */
  isAsked: boolean
}

/** Hears for how many seconds from now, in milliseconds of the monotonic clock, the connection must stay away. */
type OnPause = (now: number, seconds: number) => void

/** A connection's calls of this process that wait for a slot, in their order; the first one looks. */
type Line = Array<{ wake: () => void }>

/**
 * Slots for the running calls of connections, shared by all processes on one Redis. A slot is held under a lease that one
 * fiber renews for the whole process while calls run, so a killed process holds up the others for six seconds at most.
 * While Redis does not answer, no call waits for it: the fiber alone asks until it is back, and tells it then which calls
 * run and which have ended.
 *
 * When processes compete for the slots of a connection, the one with fewer running calls goes first.
 */
export const makeSharedCallSlots = Effect.gen(function* () {
  const redis = yield* Redis
  const scope = yield* Effect.scope
  const enter = redis.script(enterScript)
  const sync = redis.script(syncScript)
  const self = randomUUID()
  let count = 0
  const held = new Set<Slot>()
  /** Ended, but Redis did not say that it has heard. */
  const lost = new Set<Slot>()
  const lines = new Map<string, Line>()
  let isAway = false
  let awaySince = 0
  let isKept = false

  const goAway = Effect.clockWith((clock) => {
    if (isAway) return Effect.void
    isAway = true
    awaySince = clock.unsafeCurrentTimeMillis()
    return Effect.logWarning("Redis is away: the calls of a connection are counted per process")
  })

  const comeBack = Effect.suspend(() => {
    if (!isAway) return Effect.void
    isAway = false
    return Effect.logInfo("Redis is back: the calls of a connection are counted together again")
  })

  const remove = (slot: Slot) =>
    redis.tell(
      (client) => client.zrem(runningOf(slot.connection), slot.name),
      () => lost.add(slot)
    )

  /** Tells Redis which calls run and which have ended. */
  const renew = Effect.suspend(() => {
    const running = [...held]
    const ended = [...lost]
    const changes = new Map<string, { readonly add: Array<string>; readonly remove: Array<string> }>()
    const changesOf = ({ connection }: Slot) => {
      const key = runningOf(connection)
      const found = changes.get(key) ?? { add: [], remove: [] }
      changes.set(key, found)
      return found
    }
    for (const slot of running) {
      slot.isAsked = true
      changesOf(slot).add.push(slot.name)
    }
    for (const slot of ended) changesOf(slot).remove.push(slot.name)
    return Effect.zipRight(
      sync([...changes.keys()], [lease, JSON.stringify([...changes.values()])]),
      Effect.suspend(() => {
        for (const slot of ended) lost.delete(slot)
        // its removal may have come before this
        return Effect.forEach(
          running.filter((slot) => !held.has(slot)),
          remove,
          { discard: true }
        )
      })
    )
  })

  const keep: Effect.Effect<void> = Effect.suspend(() => {
    if (held.size === 0 && lost.size === 0) {
      isKept = false
      return Effect.void
    }
    return Effect.sleep(isAway ? retry : renewal).pipe(
      Effect.zipRight(Effect.matchEffect(renew, { onFailure: () => goAway, onSuccess: () => comeBack })),
      Effect.zipRight(forgetLapsed),
      Effect.zipRight(keep)
    )
  })

  /** Forgets slots that ended longer ago than a lease lasts: Redis no longer has them. */
  const forgetLapsed = Effect.clockWith((clock) =>
    Effect.sync(() => {
      if (isAway && clock.unsafeCurrentTimeMillis() - awaySince > lease) lost.clear()
    })
  )

  const hold = (slot: Slot) =>
    Effect.suspend(() => {
      held.add(slot)
      if (isKept) return Effect.void
      isKept = true
      return Effect.asVoid(Effect.forkIn(Effect.interruptible(keep), scope))
    })

  /** Asks for the slot: true when the call may run. */
  const ask = (slot: Slot, concurrency: number, onPause: OnPause): Effect.Effect<boolean> =>
    Effect.suspend(() => {
      slot.isAsked = true
      const { connection, name } = slot
      return enter(
        [runningOf(connection), waitingOf(connection), lastOf(connection), pauseOf(connection)],
        [concurrency, self, name, lease, waitingMark]
      )
    }).pipe(
      Effect.flatMap(decodeEntry),
      Effect.matchEffect({
        onFailure: () => Effect.as(goAway, true),
        onSuccess: ([entered, pause]) =>
          Effect.clockWith((clock) => {
            if (pause > 0) onPause(monotonic(clock), pause / 1000)
            return Effect.succeed(entered === 1)
          })
      })
    )

  /** Waits in line; whoever is first looks now and then, and at once when a call of this process ends. */
  const wait = (slot: Slot, concurrency: number, onPause: OnPause): Effect.Effect<void> =>
    Effect.suspend(() => {
      const { id } = slot.connection
      const line = lines.get(id) ?? []
      lines.set(id, line)
      const place = { wake: (): void => undefined }
      line.push(place)
      const woken = (isFirst: boolean) =>
        Effect.async<void>((resume) => {
          place.wake = () => resume(Effect.void)
          // it came to the front before anybody could wake it
          if (!isFirst && line[0] === place) place.wake()
        })
      const look = (pause: number): Effect.Effect<void> =>
        Effect.suspend(() => (line[0] === place ? Effect.timeoutOption(woken(true), pause) : woken(false))).pipe(
          Effect.zipRight(Effect.suspend(() => (isAway ? Effect.succeed(true) : ask(slot, concurrency, onPause)))),
          Effect.flatMap((entered) => (entered ? Effect.void : look(Math.min(pause * 2, lastLook))))
        )
      return Effect.ensuring(
        look(firstLook),
        Effect.sync(() => {
          line.splice(line.indexOf(place), 1)
          if (line.length === 0) lines.delete(id)
          line[0]?.wake()
        })
      )
    })

  const leave = (slot: Slot) =>
    Effect.suspend(() => {
      held.delete(slot)
      return slot.isAsked ? remove(slot) : Effect.void
    }).pipe(Effect.zipRight(Effect.sync(() => lines.get(slot.connection.id)?.[0]?.wake())))

  return {
    /** Runs a call in a slot of its connection, when there is one. */
    within: <A, E, R>(
      connection: ConnectionRef,
      concurrency: number,
      onPause: OnPause,
      call: Effect.Effect<A, E, R>
    ): Effect.Effect<A, E, R> =>
      Effect.acquireUseRelease(
        Effect.sync((): Slot => ({ connection, name: `${self}:${(count += 1)}`, isAsked: false })),
        (slot) =>
          Effect.suspend(() => {
            if (isAway) return Effect.void
            return lines.has(connection.id)
              ? wait(slot, concurrency, onPause)
              : Effect.flatMap(ask(slot, concurrency, onPause), (entered) =>
                  entered ? Effect.void : wait(slot, concurrency, onPause)
                )
          }).pipe(Effect.zipRight(hold(slot)), Effect.zipRight(call)),
        leave
      ),

    /** Keeps every process away from a connection for so many seconds. */
    pause: (connection: ConnectionRef, seconds: number): Effect.Effect<void> =>
      redis.tell((client) => client.set(pauseOf(connection), "1", "PX", Math.max(1, Math.ceil(seconds * 1000))))
  }
})

// in Redis: the running calls of a connection with the moment each is given up, the processes that wait for a place, the
// process that went in last while others waited, and a pause that expires by itself

const runningOf = ({ id }: ConnectionRef) => `tributary:budget:${id}:running`
const waitingOf = ({ id }: ConnectionRef) => `tributary:budget:${id}:waiting`
const lastOf = ({ id }: ConnectionRef) => `tributary:budget:${id}:last`
const pauseOf = ({ id }: ConnectionRef) => `tributary:budget:${id}:pause`

const decodeEntry = Schema.decodeUnknown(Schema.Tuple(Schema.Int, Schema.Int))

const now = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

const enterScript = `
${now}
local running, waiting, last = KEYS[1], KEYS[2], KEYS[3]
local concurrency, self, slot, lease, mark = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local pause = math.max(0, redis.call("PTTL", KEYS[4]))
redis.call("ZREMRANGEBYSCORE", running, "-inf", now)
redis.call("ZREMRANGEBYSCORE", waiting, "-inf", now)

local isFree = redis.call("ZCARD", running) < concurrency
local others = redis.call("ZCARD", waiting) - (redis.call("ZSCORE", waiting, self) and 1 or 0)
if isFree and others > 0 then
  local calls = {}
  for _, member in ipairs(redis.call("ZRANGE", running, 0, -1)) do
    local process = string.match(member, "^[^:]*")
    calls[process] = (calls[process] or 0) + 1
  end
  local mine, wasLast = calls[self] or 0, redis.call("GET", last) == self
  for _, process in ipairs(redis.call("ZRANGE", waiting, 0, -1)) do
    local theirs = calls[process] or 0
    if process ~= self and (theirs < mine or (theirs == mine and wasLast)) then isFree = false end
  end
  if isFree then redis.call("SET", last, self, "PX", lease) end
end

if not isFree then
  redis.call("ZADD", waiting, now + mark, self)
  redis.call("PEXPIRE", waiting, mark)
  return { 0, pause }
end
redis.call("ZREM", waiting, self)
redis.call("ZADD", running, now + lease, slot)
redis.call("PEXPIRE", running, lease)
return { 1, pause }
`

const syncScript = `
${now}
local changes = cjson.decode(ARGV[2])
for i, key in ipairs(KEYS) do
  for _, slot in ipairs(changes[i].remove) do redis.call("ZREM", key, slot) end
  for _, slot in ipairs(changes[i].add) do redis.call("ZADD", key, now + tonumber(ARGV[1]), slot) end
  if #changes[i].add > 0 then redis.call("PEXPIRE", key, ARGV[1]) end
end
return 1
`
