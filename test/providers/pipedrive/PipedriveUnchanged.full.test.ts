import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { sandboxApplication } from "../../support/SandboxApplication.ts"
import { changedByWritingBack } from "../../support/Unchanged.ts"

const resources: { readonly [resource: string]: ReadonlyArray<string> } = {
  contact: ["persons"],
  company: ["organizations"],
  deal: ["deals"],
  lead: ["leads", "persons", "organizations"],
  note: ["notes"],
  task: ["activities"],
  meeting: ["activities"],
  activity: ["activities"]
}

layer(sandboxApplication(), { timeout: "300 seconds" })("records of pipedrive", (it) => {
  for (const [resource, types] of Object.entries(resources)) {
    it.effect(`${resource}: a PATCH and a PUT of each record as it was read change nothing at the provider`, () =>
      Effect.gen(function* () {
        const { tried, wrong } = yield* changedByWritingBack({ provider: "pipedrive", resource, types })
        assert.isAbove(tried, 10)
        assert.deepStrictEqual(wrong.slice(0, 10), [])
      })
    )
  }
})
