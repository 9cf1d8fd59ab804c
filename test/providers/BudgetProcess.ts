/** A process of its own that holds slots of a connection until it is killed: `<connection> <slots>`. It prints `held`. */
import { Console, Effect, Layer } from "effect"
import { Redis } from "../../src/platform/Redis.ts"
import { Budget } from "../../src/providers/base/Budget.ts"

const [id = "", slots = "1"] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const budget = yield* Budget
  let held = 0
  const call = Effect.zipRight(
    Effect.suspend(() => (++held === Number(slots) ? Console.log("held") : Effect.void)),
    Effect.never
  )
  yield* Effect.replicateEffect(
    budget.spend({ id, provider: "acme", environment: "sandbox", organisation: "org" }, Number(slots), call),
    Number(slots),
    { concurrency: "unbounded" }
  )
}).pipe(Effect.provide(Layer.provide(Budget.layerRedis, Redis.layer)))

await Effect.runPromise(program)
