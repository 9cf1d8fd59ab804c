import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { NotedRequests } from "../../src/testing/contract/NotedRequests.ts"
import { SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"

const person = (i: number) => ({ first_name: "Nr", last_name: `Number ${i}` })
const customer = (i: number) => ({ name: `Customer ${i}`, is_customer: true })

layer(sandboxApplication(), { timeout: "60 seconds" })("a batch", (it) => {
  it.effect("smoke", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["hubspot", "salesforce", "zoho_crm", "quickbooks", "xero", "pipedrive"])
      const notes = yield* NotedRequests
      for (const [provider, path, make] of [
        ["hubspot", "/crm/contact", person],
        ["salesforce", "/crm/contact", person],
        ["zoho_crm", "/crm/contact", person],
        ["pipedrive", "/crm/contact", person],
        ["quickbooks", "/accounting/contact", customer],
        ["xero", "/accounting/contact", customer]
      ] as const) {
        yield* call("POST", `${path}?provider=${provider}`, { body: make(1000) })
        let made: any
        const batch = (body: object) => Effect.gen(function* () {
          let answer: any
          const started = Date.now()
          const requests = yield* notes.during(
            Effect.map(call("POST", `${path}/batch?provider=${provider}`, { body }), (a) => { answer = a }))
          const counts: Record<string, number> = {}
          for (const r of requests) counts[`${r.method} ${r.path}`] = (counts[`${r.method} ${r.path}`] ?? 0) + 1
          const lines = Object.entries(counts)
          console.log(provider, Date.now() - started, "ms", requests.length, JSON.stringify(lines.slice(0, 8)))
          if (answer.status !== 200) console.log(JSON.stringify(answer.body).slice(0, 600))
          const st: Record<string, number> = {}
          for (const e of answer.body.data ?? []) st[e.status] = (st[e.status] ?? 0) + 1
          console.log(JSON.stringify(st), JSON.stringify((answer.body.data ?? []).filter((e: any) => e.status >= 300 || e.warnings).slice(0,3)))
          return answer.body.data
        })
        made = yield* batch({ records: Array.from({ length: 100 }, (_, i) => make(i)) })
        const ids = made.filter((e: any) => e.data).map((e: any) => e.data.remote_id)
        yield* batch({ operation: "update", records: [...ids.slice(1).map((id: string, i: number) => ({ id, ...make(i+2000) })), {id: "999999", ...make(3)}] })
        yield* batch({ operation: "delete", records: ids.map((id: string) => ({ id })) })
      }
    })
  )
})
