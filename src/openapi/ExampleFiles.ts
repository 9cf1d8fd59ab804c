import { Effect, Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Example, type Examples } from "./Examples.ts"

/** Folder with one file per operation, named for its id. `failures` in it has one file per failure. */
export const examplesFolder = fileURLToPath(new URL("./examples", import.meta.url))

/** Folder of the failures among the examples. */
export const failuresIn = (folder: string) => join(folder, "failures")

/** Names of the examples in a folder. */
export const listExamples = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder).flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -".json".length)] : []))

const decodeExample = Schema.decode(Schema.parseJson(Example))

const readExample = (path: string) =>
  Effect.suspend(() => decodeExample(readFileSync(path, "utf8"))).pipe(
    Effect.orDieWith((error) => new Error(`${path} is not an example: ${error.message}`))
  )

const readFolder = (folder: string) =>
  Effect.map(
    Effect.forEach(listExamples(folder), (name) =>
      Effect.map(readExample(join(folder, `${name}.json`)), (example) => [name, example] as const)
    ),
    (examples) => Object.fromEntries(examples)
  )

/** Reads the examples of the sources. The built service has them in its document instead. */
export const readExamples = (folder: string = examplesFolder): Effect.Effect<Examples> =>
  Effect.suspend(() => Effect.all({ operations: readFolder(folder), failures: readFolder(failuresIn(folder)) }))
