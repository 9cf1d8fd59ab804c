import { build } from "esbuild"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Where programs of benchmarks are built. */
export const programs = fileURLToPath(new URL("../../node_modules/.cache/tributary/bench", import.meta.url))

/** Builds a program of this folder, `<name>.ts`, as the service is built; gives its file. */
export const program = async (name) => {
  const outfile = join(programs, `${name}.mjs`)
  await build({
    entryPoints: [fileURLToPath(new URL(`${name}.ts`, import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["@electric-sql/pglite", "pg-native"],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);'
    }
  })
  return outfile
}
