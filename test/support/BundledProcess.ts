import { Effect } from "effect"
import { build } from "esbuild"
import { cpSync, mkdirSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { cache } from "./Snapshot.ts"

const worker = fileURLToPath(new URL("../../src/platform/EmbeddedWorker.mjs", import.meta.url))

/** A program of a test, bundled once and laid out as the build lays it out: the thread's file beside the bundle. */
export const bundled = (program: string): Effect.Effect<string> =>
  Effect.runSync(
    Effect.cached(
      Effect.promise(async () => {
        const folder = join(cache, basename(program, ".ts"))
        mkdirSync(folder, { recursive: true })
        await build({
          entryPoints: [program],
          outfile: join(folder, "process.mjs"),
          bundle: true,
          format: "esm",
          platform: "node",
          external: ["@electric-sql/pglite", "pg-native"],
          banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' }
        })
        cpSync(worker, join(folder, "EmbeddedWorker.mjs"))
        return join(folder, "process.mjs")
      })
    )
  )
