import { describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { basics } from "../../src/testing/contract/Basics.ts"
import { subjectOf } from "../../src/testing/contract/Subject.ts"
import { sandboxApplication } from "../support/SandboxApplication.ts"
import { providers } from "./Providers.ts"

// The short form of every provider's contract, over one application. `Contract.full.test.ts` of each provider has all of it.

const subjects = await Effect.runPromise(
  Effect.forEach(providers, ([slug, provider, samples]) => subjectOf(slug, provider, samples))
)

layer(sandboxApplication())("the contract in short", (it) => {
  for (const subject of subjects) {
    describe(subject.slug, () => {
      basics(it, subject)
    })
  }
})
