import { describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { basics } from "../../src/testing/contract/Basics.ts"
import { type Subject, subjectOf } from "../../src/testing/contract/Subject.ts"
import { sandboxApplication } from "../support/SandboxApplication.ts"
import { providers } from "./Providers.ts"

// The short form of every provider's contract, over one application. `<Provider>.full.test.ts` has all of it, and all kinds of records.

/** A provider with the first kind of each of its resources. */
const withFirstKinds = (subject: Subject): Subject => ({
  ...subject,
  kindsHaving: (...operations) => {
    const kinds = subject.kindsHaving(...operations)
    return kinds.filter(([, row], i) => kinds.findIndex(([, other]) => other === row) === i)
  }
})

const subjects = await Effect.runPromise(
  Effect.forEach(providers, ([slug, provider, samples]) =>
    Effect.map(subjectOf(slug, provider, samples), withFirstKinds)
  )
)

layer(sandboxApplication())("the contract in short", (it) => {
  for (const subject of subjects) {
    describe(subject.slug, () => {
      basics(it, subject)
    })
  }
})
