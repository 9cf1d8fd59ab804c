/** Compares what is done in the process, with a provider at the origin that it is given: see `detours.mjs`. */
import { Effect } from "effect"
import { compare } from "./compare.ts"
import { fanOut } from "./fanOut.ts"
import { generators } from "./generators.ts"
import { network } from "./network.ts"
import { timeLimit } from "./timeLimit.ts"

const [, , origin = "", only = ""] = process.argv
const subjects = Object.entries({ network, timeLimit, generators, fanOut }).filter(([name]) => name.startsWith(only))

await Effect.runPromise(
  Effect.scoped(
    Effect.forEach(subjects, ([, detours]) =>
      Effect.flatMap(detours(origin), (all) => Effect.forEach(all, (detour) => compare(detour)))
    )
  )
)
