import { it } from "@effect/vitest"

/** What `it` can do before any file changes it: loaded once in each worker. */
export const { effect, flakyTest, layer, live, prop, scoped, scopedLive } = it
