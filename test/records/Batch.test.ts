import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NotedRequests } from "../../src/testing/contract/NotedRequests.ts"
import { SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("a batch", (it) => {
  it.effect("smoke", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["hubspot"])
      const notes = yield* NotedRequests
      yield* call("POST", "/crm/contact?provider=hubspot", { body: { last_name: "Warm" } })
      const records = Array.from({ length: 100 }, (_, i) => ({ last_name: `Nr ${i}`, first_name: i === 7 ? 3 : "x" , email_addresses: i === 9 ? [{email_address: "no mail"}] : []}))
      let answer: unknown
      const started = Date.now()
      const requests = yield* notes.during(
        Effect.map(call("POST", "/crm/contact/batch?provider=hubspot", { body: { records } }), (a) => { answer = a })
      )
      console.log(Date.now() - started, requests)
      console.log(JSON.stringify(answer).slice(0, 3000))
      const b = (answer as any).body.data
      console.log(b.filter((e: any) => e.status !== 201))
    })
  )
})
