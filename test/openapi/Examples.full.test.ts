import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { rmSync } from "node:fs"
import { basename, join } from "node:path"
import type { ExpectStatic } from "vitest"
import { examplesFolder, failuresIn, listExamples } from "../../src/openapi/ExampleFiles.ts"
import type { Example, Examples } from "../../src/openapi/Examples.ts"
import { formatJson, isUpdating } from "../support/FileSnapshots.ts"
import { sandboxApplication } from "../support/SandboxApplication.ts"
import { sandboxExamples } from "./SandboxExamples.ts"

/** The examples as the sandbox answers now. */
class SandboxExamples extends Context.Tag("SandboxExamples")<SandboxExamples, Examples>() {
  static readonly layer = Layer.effect(this, sandboxExamples).pipe(
    Layer.provide(sandboxApplication({ ALLOW_PRIVATE_HOSTS: "127.0.0.1" }))
  )
}

const folders = [
  { folder: examplesFolder, kind: "operations" },
  { folder: failuresIn(examplesFolder), kind: "failures" }
] as const

const fileOf = (folder: string, name: string) => join(folder, `${name}.json`)

const matchFile = (expect: ExpectStatic, file: string, example: Example) =>
  Effect.promise(async () => {
    await expect(await formatJson(file, JSON.stringify(example, null, 2))).toMatchFileSnapshot(file)
  })

layer(SandboxExamples.layer, { timeout: "5 minutes" })(
  "examples of the OpenAPI document (`npx vitest run test/openapi/Examples.full.test.ts -u` takes them again)",
  (it) => {
    for (const { folder, kind } of folders) {
      const files = listExamples(folder)

      it.effect(`${basename(folder)} has a file for each of the ${kind}`, ({ expect }) =>
        Effect.gen(function* () {
          const examples = Object.entries((yield* SandboxExamples)[kind])
          const missing = examples.filter(([name]) => !files.includes(name))
          if (isUpdating(expect)) {
            for (const [name, example] of missing) yield* matchFile(expect, fileOf(folder, name), example)
          } else {
            const names = missing.map(([name]) => name)
            assert.deepStrictEqual(names, [], `${kind} without a file in ${folder}`)
          }
        })
      )

      for (const name of files) {
        it.effect(`${name}.json has the answer of the sandbox`, ({ expect }) =>
          Effect.gen(function* () {
            const file = fileOf(folder, name)
            const example = (yield* SandboxExamples)[kind][name]
            if (example !== undefined) yield* matchFile(expect, file, example)
            else if (isUpdating(expect)) rmSync(file)
            else assert.fail(`${file}: ${name} is no longer among the ${kind}. Delete the file.`)
          })
        )
      }
    }
  }
)
