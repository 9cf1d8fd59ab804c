import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { sandboxApplication, SandboxApplication, walk } from "../support/SandboxApplication.ts"
import { having } from "./Table.ts"

const listable = having("list")

layer(sandboxApplication(), { timeout: "60 seconds" })("lists", (it) => {
  it.effect.each(listable.map((row) => [row.name, row] as const))("%s", ([, row]) =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller([row.provider])
      const t0 = performance.now()
      const { records, sizes } = yield* walk(call, `${row.path}?provider=${row.provider}`)
      console.log(row.name, records.length, sizes, performance.now() - t0)
      const t1 = performance.now()
      const one = yield* walk(call, `${row.path}?provider=${row.provider}`, 1)
      console.log(row.name, one.records.length, performance.now() - t1)
      assert.isTrue(records.length > 0)
      const decode = Schema.decodeUnknownSync(row.resource.record, { onExcessProperty: "error", errors: "all" })
      for (const r of records) decode(r)
    })
  )
})
