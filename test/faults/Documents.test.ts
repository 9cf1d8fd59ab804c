import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { brotliDecompressSync } from "node:zlib"
import { everything } from "../../src/All.ts"
import { declarations } from "../../src/Declarations.ts"
import { made, openApiDocument } from "../../src/Documents.ts"
import { readExamples } from "../../src/openapi/ExampleFiles.ts"
import { scratchDirectory } from "../support/TestDatabase.ts"
import { start } from "./ServiceProcess.ts"

const built = (file: string) =>
  brotliDecompressSync(readFileSync(join(import.meta.dirname, "../../dist/documents", file))).toString()

describe("the documents of the built service", () => {
  it.scopedLive("are those that its sources make, and are there before they are asked for", () =>
    Effect.gen(function* () {
      const service = yield* start({ DATA_DIR: yield* scratchDirectory })
      const served = (path: string) =>
        Effect.promise(() => fetch(service.address + path).then((answer) => answer.text()))
      assert.strictEqual(built("openapi.json.br"), yield* made(yield* readExamples())["openapi.json.br"])
      const document = yield* Effect.provide(openApiDocument, declarations(everything))
      const text = yield* served("/api/v1/openapi.json")
      assert.deepStrictEqual(JSON.parse(text), document)
      const page = yield* served("/docs")
      const head = (html: string) => html.slice(0, html.indexOf('<script id="api-reference"'))
      assert.strictEqual(head(page), head(built("docs.html.br")))
      assert.include(page, "<title>Tributary</title>")
      assert.include(page, text.replaceAll("<", "\\u003c"))
    })
  )
})
