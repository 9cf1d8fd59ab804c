import { it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import * as methods from "./PlainMethods.ts"

// The files of a worker share the library, and its `layer` gives its tests an `it` by changing the one that all import: each
// file gets it back as it was, or its tests would run on the services of the file before.
Object.assign(it, methods)

// The same cases at every run, so that a failure is one that a change made. `SEED=7 npm test` tries others.
fc.configureGlobal({ seed: Number(process.env["SEED"] ?? 1) })
