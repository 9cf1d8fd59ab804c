/**
 * `npm run bench:detours`: everything that the service does in a way of its own because the usual one costs more, beside the usual one.
 * What gains less than 5 % should go; docs/decisions has the figures. Takes some two minutes, and ends by itself after three.
 *
 *     node test/bench/detours.mjs [network | timeLimit | generators | fanOut | heap]
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { endAll, next, output, start } from "./processes.mjs"
import { program } from "./program.mjs"

const only = process.argv[2] ?? ""
const flag = "--heap-growing-percent=80"
/** Milliseconds after which no round begins, and after which the run ends whatever it does. */
const [enough, longest] = [140_000, 180_000]

const quantile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? Number.NaN

const row = (kind, unit, pairs) => {
  const gains = pairs.map(({ plain, shipped }) => 100 * (1 - shipped[kind] / plain[kind]))
  const cost = (version) =>
    `${quantile(
      pairs.map((pair) => pair[version][kind]),
      0.5
    ).toFixed(0)} ${unit} ${version}`
  const [low, gain, high] = [0.25, 0.5, 0.75].map((share) => quantile(gains, share).toFixed(0))
  return `  ${kind.padEnd(9)} ${cost("shipped")} ${cost("plain")}   gain ${gain} % (${low} to ${high})`
}

/** Each thing that is done for the heap, by what a process has without it. */
const withoutOne = {
  [flag]: ["piped"],
  "pipes in place of generators": ["generated", flag]
}

/** Runs processes with all of it, and without each, by turns, until it is time; each turn in the other order. */
const compareHeaps = async (file, origin) => {
  const sets = { shipped: ["piped", flag], ...withoutOne }
  const order = Object.keys(sets)
  const rounds = []
  for (let round = {}; performance.now() < enough;) {
    const [name] = order.filter((one) => round[one] === undefined)
    round[name] = await output([file, origin, ...sets[name]])
    if (Object.keys(round).length < order.length) continue
    rounds.push(round)
    round = {}
    order.reverse()
  }
  if (rounds.length === 0) console.log("heap: not measured, the machine is too busy; run it alone")
  for (const name of rounds.length === 0 ? [] : Object.keys(withoutOne)) {
    const pairs = rounds.map((round) => ({ shipped: round.shipped, plain: round[name] }))
    console.log(`heap: ${name} (${pairs.length} pairs)`)
    console.log(`${row("processor", "µs", pairs)}\n${row("memory", "MB", pairs)}`)
  }
}

const stop = () => void endAll().finally(() => process.exit(1))
process.once("SIGINT", stop)
process.once("SIGTERM", stop)
setTimeout(stop, longest).unref()

const [main, heap] = await Promise.all([program("detours/main"), program("detours/heap")])
const upstream = start([fileURLToPath(new URL("upstream.mjs", import.meta.url))])
const origin = `http://127.0.0.1:${(await next(upstream)).port}`
if (only !== "heap") {
  const child = spawn(process.execPath, [main, origin, only], { stdio: "inherit", timeout: enough })
  await once(child, "exit")
}
if (only === "" || only === "heap") await compareHeaps(heap, origin)
await endAll()
process.exit(0)
