import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { pageOf, sandboxApplication, SandboxApplication } from "../support/SandboxApplication.ts"
import { having } from "../contract/Table.ts"
layer(sandboxApplication(), { timeout: "60 seconds" })("x", (it) => {
  it.effect("y", () => Effect.gen(function* () {
      const app = yield* SandboxApplication
      for (const row of having("list")) {
        const { call } = yield* app.caller([row.provider])
        const p = pageOf(yield* call("GET", `${row.path}?provider=${row.provider}&limit=2`))
        console.log(row.name, JSON.stringify(p.data[0], null, 1))
      }
  }))
})
