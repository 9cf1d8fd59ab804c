import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { All } from "../../src/All.ts"
import { services } from "../../src/Application.ts"
import { Sandbox } from "../../src/connections/Sandbox.ts"
import { InProcess } from "../../src/InProcess.ts"
import { layer as simulatorLayer } from "../../src/providers/simulation/Simulator.ts"
import { simulators } from "../../src/Simulators.ts"
import { NotedRequests } from "../../src/testing/contract/NotedRequests.ts"
import { noNetwork } from "../../src/testing/contract/SandboxApplication.ts"
import { subjectOf } from "../../src/testing/contract/Subject.ts"
import {
  type Answer,
  type Caller,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication,
  whileTimePasses
} from "../support/SandboxApplication.ts"
import { providers } from "./Providers.ts"

/** Another instance, started now: on the same database, with the same keys, before the same simulators. */
const started = Layer.build(
  Layer.fresh(
    InProcess.layer.pipe(
      Layer.provideMerge(Layer.mergeAll(All, ...simulators.map(simulatorLayer), Sandbox.layer(simulators))),
      Layer.provideMerge(services),
      Layer.provide(noNetwork)
    )
  )
).pipe(Effect.map(Context.get(InProcess)))

/** The calls of the same caller to that instance. */
const onInstance = ({ handle }: Context.Tag.Service<InProcess>, { endUser, tenancy }: Caller): Caller["call"] => {
  const headers = {
    authorization: `Bearer ${Redacted.value(tenancy.key)}`,
    "x-end-user-id": endUser,
    "content-type": "application/json"
  }
  return (method, path, { body } = {}) =>
    Effect.promise(async () => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const response = await handle(new Request(`http://localhost/api/v1${path}`, { method, headers, ...sent }))
      const answer: unknown = await response.json()
      return { status: response.status, headers: response.headers, body: answer }
    }).pipe(whileTimePasses(2500))
}

/** The path of one record, by that of the list. */
const one = (path: string, id: unknown) => path.replace("?", `/${encodeURIComponent(String(id))}?`)

/** Resources whose filter by status needs an account's stages. */
const stages = { "crm/lead": true, "crm/deal": true }

layer(sandboxApplication(), { timeout: "300 seconds" })("an instance that has just started", (it) => {
  it.scoped.each(providers)(
    "makes no call to %s that another one did lately",
    ([slug, provider, samples]) =>
      Effect.gen(function* () {
        const notes = yield* NotedRequests
        const subject = yield* subjectOf(slug, provider, samples)
        const caller = yield* (yield* SandboxApplication).caller([slug])
        const warm = caller.call
        const cold = onInstance(yield* started, caller)

        const requestsOf = Effect.fnUntraced(function* (
          call: Caller["call"],
          ...[method, path, body]: readonly [string, string, object?]
        ) {
          const answers: Array<Answer> = []
          const requests = yield* notes.during(
            Effect.map(call(method, path, body === undefined ? {} : { body }), (answer) => answers.push(answer))
          )
          const [answer] = answers
          assert.include([200, 201], answer?.status, `${method} ${path}`)
          // a record that was made stands in the way of the next one
          if (method === "POST" && answer !== undefined) {
            yield* warm("DELETE", one(path, recordOf(answer).remote_id))
          }
          return requests.map(({ method, path }) => `${method} ${path}`).sort()
        })

        const more: Array<string> = []
        /** Does something on the warm instance until it has all it needs, then once on each. */
        const compare = Effect.fnUntraced(function* (...asked: readonly [string, string, object?]) {
          yield* requestsOf(warm, ...asked)
          const usual = yield* requestsOf(warm, ...asked)
          const first = yield* requestsOf(cold, ...asked)
          if (first.length > usual.length) {
            more.push(`${asked[0]} ${asked[1]}: ${first.join(", ")} instead of ${usual.join(", ")}`)
          }
        })

        for (const row of subject.having("list")) {
          const path = `${row.path}?provider=${slug}`
          yield* compare("GET", path)
          if (row.name in stages) yield* compare("GET", `${path}&status=OPEN`)
          const [record] = pageOf(yield* warm("GET", path)).data
          if (row.has("get") && record !== undefined) yield* compare("GET", one(path, record.remote_id))
        }
        for (const [, row, sampleOf] of subject.kindsHaving("create", "patch")) {
          const sample = yield* sampleOf(warm)
          const path = `${row.path}?provider=${slug}`
          // the address stays with the contact that a lead is made through
          const { email_addresses: _, ...again } = sample.full
          if (row.resource.category === "crm" && row.has("remove")) yield* compare("POST", path, again)
          const { remote_id } = recordOf(yield* warm("POST", path, { body: sample.full }))
          // what is known of a single record, such as its kind, is known to instances that have met it
          if (row.has("get")) yield* cold("GET", one(path, remote_id))
          if (sample.text !== "") yield* compare("PATCH", one(path, remote_id), { [sample.text]: "Changed" })
        }
        assert.deepStrictEqual(more, [])
      }),
    // every operation of a provider, twice
    180_000
  )
})
