import { Effect, TestClock } from "effect"
import { performance } from "node:perf_hooks"

export const nextTick = Effect.promise(
  () =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, 2)
    })
)

/** Some of the machine's time, in which the application gets on by itself. */
export const aWhile = Effect.async<void>((resume) => {
  const timer = setTimeout(() => resume(Effect.void), 10)
  return Effect.sync(() => clearTimeout(timer))
})

/** How surely the process must be idle before the clock goes on. */
interface Patience {
  /** Idle waits in a row. */
  readonly idleWaits: number
  /** Waits after which the clock goes on although the process is busy, so that a test cannot wait for itself. */
  readonly mostWaits: number
}

/** Virtual milliseconds that pass freely while an effect runs. Time limits of calls are longer. */
const usualTime = 9000

const usual: Patience = { idleWaits: 1, mostWaits: 100 }

/** For an effect that may run into a time limit: the database works in another thread or process, where idle looks the same. */
const slow: Patience = { idleWaits: 30, mostWaits: 3000 }

/** Microseconds of processor time of all threads, such as the one of the embedded database. */
const processorTime = () => {
  const { system, user } = process.cpuUsage()
  return system + user
}

/**
 * Waits until the process is idle. While it works, nothing depends on the clock: letting time pass then would make calls run
 * into their time limits on a slow machine.
 */
const untilIdle = ({ idleWaits, mostWaits }: Patience) =>
  Effect.gen(function* () {
    let idle = 0
    for (let waits = 0; waits < mostWaits && idle < idleWaits; waits += 1) {
      const before = performance.eventLoopUtilization()
      const [started, spent] = [performance.now(), processorTime()]
      yield* aWhile
      const isIdle =
        performance.eventLoopUtilization(before).utilization < 0.5 &&
        processorTime() - spent < (performance.now() - started) * 1000 * 0.5
      idle = isIdle ? idle + 1 : 0
    }
  })

/** Lets the test's clock run ahead to what the application sleeps for, as far as `horizon`, while an effect runs. */
export const whileTimePasses =
  (horizon: number) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
    const now = Effect.clockWith((clock) => clock.currentTimeMillis)
    // whoever asks for more wants time limits to pass
    const free = horizon < usualTime ? usualTime - horizon : Infinity
    return Effect.flatMap(now, (started) =>
      Effect.raceFirst(
        effect,
        Effect.forever(
          Effect.gen(function* () {
            // the test's clock keeps sleeps that were given up too, and a list of them costs more the longer it gets
            yield* untilIdle((yield* now) - started < free ? usual : slow)
            const time = yield* now
            let next = Infinity
            for (const at of yield* TestClock.sleeps()) if (at > time && at < next) next = at
            if (next <= time + horizon) yield* TestClock.setTime(next)
          })
        )
      )
    )
  }
