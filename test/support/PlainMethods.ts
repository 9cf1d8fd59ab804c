import { it } from "@effect/vitest"

/** Methods of `it` before any file changes it: loaded once in each worker. */
export const { effect, flakyTest, layer, live, prop, scoped, scopedLive } = it
