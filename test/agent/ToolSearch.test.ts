import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ToolCatalogue } from "../../src/agent/ToolCatalogue.ts"
import { makeIndex } from "../../src/agent/ToolSearch.ts"
import { sandboxApplication } from "../support/SandboxApplication.ts"
import { catalogues } from "./catalogues.ts"
import { queries } from "./queries.ts"
import { full } from "../support/Full.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("search over a large catalogue", (it) => {
  const made = Effect.map(ToolCatalogue, (catalogue) => {
    const real = catalogue.tools()
    const tools = [...real, ...catalogues([...new Set(real.map(({ toolkit }) => toolkit.slug))])]
    return { tools, index: makeIndex(tools) }
  })
  const everything = () => true

  it.effect("finds what was meant among the first five, for at least 85 of 100 requests", () =>
    Effect.gen(function* () {
      const { index, tools } = yield* made
      assert.isAtLeast(tools.length, 500)
      assert.isAtLeast(queries.length, 60)
      const missed = queries.filter(
        ([query, ...wanted]) => !index.search(query, 5, everything).some((name) => wanted.includes(name))
      )
      const recall = 1 - missed.length / queries.length
      assert.isAtLeast(recall, 0.85, missed.map(([query]) => query).join("; "))
    })
  )

  full(it).effect("answers 99 of 100 searches within 10 ms", () =>
    Effect.gen(function* () {
      const { index } = yield* made
      const round = () =>
        queries.map(([query]) => {
          const started = performance.now()
          index.search(query, 5, everything)
          return performance.now() - started
        })
      // the fastest of several rounds is what the search itself takes: the machine is shared
      const rounds = Array.from({ length: 8 }, round)
      const took = queries.map((_, i) => Math.min(...rounds.map((times) => times[i] ?? Infinity)))
      const [p99 = Infinity] = took.sort((a, b) => a - b).slice(Math.floor(took.length * 0.99))
      assert.isBelow(p99, 10)
    })
  )
})
