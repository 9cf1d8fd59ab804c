/**
 * Makes lists of 100 records, 200 at once, of a provider that takes a while: `<its origin> <piped | generated> [flag of V8]`. Prints the
 * processor time of a list in microseconds, and the most memory of the process in MB.
 */
import { Effect } from "effect"
import { setFlagsFromString } from "node:v8"

const [, , origin = "", form, flag] = process.argv
if (flag !== undefined) setFlagsFromString(flag)

// only now, as the service does
const [{ agentOf, clientOf }, { many }, { forms }] = await Promise.all([
  import("../../../src/platform/Network.ts"),
  import("./compare.ts"),
  import("./generators.ts")
])

const lists = 200

const main = Effect.gen(function* () {
  const client = clientOf(yield* agentOf({ connections: 256 }), Infinity)
  const list = forms[form === "generated" ? "generated" : "piped"](client, origin, "delay-20")
  yield* many(list, lists, 200)
  const before = process.cpuUsage()
  yield* many(list, lists, 200)
  const { system, user } = process.cpuUsage(before)
  console.log(JSON.stringify({ processor: (system + user) / lists, memory: process.resourceUsage().maxRSS / 1024 }))
})

await Effect.runPromise(Effect.scoped(main))
