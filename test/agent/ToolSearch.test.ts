import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ToolCatalogue } from "../../src/agent/ToolCatalogue.ts"
import { makeIndex } from "../../src/agent/ToolSearch.ts"
import { sandboxApplication } from "../support/SandboxApplication.ts"
import { catalogues } from "./catalogues.ts"
import { queries } from "./queries.ts"

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
})
