import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { sandboxApplication } from "../support/SandboxApplication.ts"
import { sandboxExamples } from "./SandboxExamples.ts"

/** One line an example, so that changes show where they are. */
const lines = (examples: object): string =>
  Object.entries(examples)
    .map(([name, one]) => `${JSON.stringify(name)}: ${JSON.stringify(one)}`)
    .join(",\n")

layer(sandboxApplication({ ALLOW_PRIVATE_HOSTS: "127.0.0.1" }), { timeout: "5 minutes" })(
  "the examples in the OpenAPI document",
  (it) => {
    it.effect(
      "are what the sandbox answers: `npx vitest run test/openapi/Examples.full.test.ts -u` takes them again",
      ({ expect }) =>
        Effect.gen(function* () {
          const { failures, operations } = yield* sandboxExamples
          const text = `{\n"operations": {\n${lines(operations)}\n},\n"failures": {\n${lines(failures)}\n}\n}\n`
          yield* Effect.promise(() => expect(text).toMatchFileSnapshot("../../src/openapi/examples.json"))
        })
    )
  }
)
