import { Duration, Effect } from "effect"

/** One detour around what Effect offers, as it is shipped and as it would be written without regard to speed. */
export interface Detour<E = unknown> {
  readonly name: string
  /** Calls that a run makes, either way. */
  readonly calls: number
  readonly shipped: Effect.Effect<unknown, E>
  readonly plain: Effect.Effect<unknown, E>
}

/** Runs an effect many times, so many at once. */
export const many = <A, E>(one: Effect.Effect<A, E>, times: number, concurrency: number): Effect.Effect<void, E> =>
  Effect.forEach(Array.from({ length: times }), () => one, { concurrency, discard: true })

/** Microseconds a call. */
interface Cost {
  readonly processor: number
  readonly wall: number
}

interface Pair {
  readonly shipped: Cost
  readonly plain: Cost
}

const costOf = <E>(effect: Effect.Effect<unknown, E>, calls: number): Effect.Effect<Cost, E> =>
  Effect.gen(function* () {
    const [used, started] = [process.cpuUsage(), performance.now()]
    yield* effect
    const wall = (performance.now() - started) * 1000
    const { system, user } = process.cpuUsage(used)
    return { processor: (user + system) / calls, wall: wall / calls }
  })

/** Both, twice, in the order A B B A: what grows or shrinks meanwhile meets both alike. */
const pairsOf = <E>({ calls, plain, shipped }: Detour<E>): Effect.Effect<ReadonlyArray<Pair>, E> =>
  Effect.gen(function* () {
    const first = { shipped: yield* costOf(shipped, calls), plain: yield* costOf(plain, calls) }
    const second = { plain: yield* costOf(plain, calls), shipped: yield* costOf(shipped, calls) }
    return [first, second]
  })

const during = <E>(detour: Detour<E>, time: Duration.DurationInput): Effect.Effect<ReadonlyArray<Pair>, E> =>
  Effect.suspend(() => {
    const until = performance.now() + Duration.toMillis(time)
    return Effect.iterate([] as ReadonlyArray<Pair>, {
      while: (pairs) => pairs.length === 0 || performance.now() < until,
      body: (pairs) => Effect.map(pairsOf(detour), (more) => [...pairs, ...more])
    })
  })

const quantile = (values: ReadonlyArray<number>, share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN

const row = (kind: keyof Cost, pairs: ReadonlyArray<Pair>) => {
  const gains = pairs.map(({ plain, shipped }) => 100 * (1 - shipped[kind] / plain[kind]))
  const cost = (version: keyof Pair) =>
    quantile(
      pairs.map((pair) => pair[version][kind]),
      0.5
    )
      .toFixed(0)
      .padStart(6)
  const [low, gain, high] = [0.25, 0.5, 0.75].map((share) => quantile(gains, share).toFixed(0))
  return `  ${kind.padEnd(9)} ${cost("shipped")} µs shipped ${cost("plain")} µs plain   gain ${gain} % (${low} to ${high})`
}

/**
 * Prints the cost of a call, shipped and plain, and the gain: how much of the plain cost is saved, as the median over pairs of short runs
 * that follow each other, with its middle half. Other work on the machine meets both of a pair alike.
 */
export const compare = <E>(detour: Detour<E>) =>
  Effect.gen(function* () {
    yield* during(detour, "1 second")
    const pairs = yield* during(detour, "6 seconds")
    console.log(`${detour.name} (${pairs.length} pairs)\n${row("processor", pairs)}\n${row("wall", pairs)}`)
  })
