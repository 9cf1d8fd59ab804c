import { Effect, Layer, Schedule } from "effect"
import { service } from "tributary"
import { parts } from "./parts.ts"

/** Work of one's own in the same process. */
const work = Layer.scopedDiscard(Effect.forkScoped(Effect.repeat(Effect.logInfo("at work"), Schedule.spaced("1 hour"))))

Effect.runFork(Layer.launch(Layer.merge(service(parts), work)))
