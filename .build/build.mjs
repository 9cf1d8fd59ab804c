/**
 * Builds `dist/`: the bundles, the embedded database's thread, the documentation and the snapshot that a first start unpacks.
 *
 *     node .build/build.mjs               always
 *     node .build/build.mjs --if-needed   only when something it is made of has changed
 */
import { build } from "esbuild"
import { createHash } from "node:crypto"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { brotliCompressSync, constants } from "node:zlib"
import { create } from "tar"

const root = fileURLToPath(new URL("..", import.meta.url))
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
const dist = join(root, "dist")
const platform = join(root, "src/platform")
const stampFile = join(dist, ".stamp.json")

const filesUnder = (directory) =>
  readdirSync(directory, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

const digest = (files) =>
  files
    .reduce((hash, file) => hash.update(file.slice(root.length)).update(readFileSync(file)), createHash("sha256"))
    .digest("hex")

const lock = join(root, "package-lock.json")
const self = fileURLToPath(import.meta.url)
const stamp = {
  bundles: digest([
    ...["src", "templates"].flatMap((name) => filesUnder(join(root, name))),
    ...[join(root, "package.json"), lock, self]
  ]),
  snapshot: digest([
    ...filesUnder(join(platform, "migrations")),
    ...["Migrations.ts", "EmbeddedDatabase.ts", "EmbeddedWorker.mjs"].map((name) => join(platform, name)),
    lock,
    self
  ])
}

const readStamp = () => (existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, "utf8")) : {})

const options = {
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  logLevel: "warning",
  // PGlite loads its WebAssembly from beside its own files; pg-native is optional and not installed; the documentation is
  // there when it is served; oidc-provider keeps records by the names of its classes, which a bundle changes.
  external: ["@electric-sql/pglite", "pg-native", "@effect/platform/HttpApiScalar", "oidc-provider"],
  // Dependencies in the older module format call require for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);'
  }
}

/**
 * The package's index names the documentation pages, megabytes of scripts. What only a dynamic import uses stays in a chunk
 * of its own, but not while an index that everything loads names it too.
 */
const pagesApart = {
  name: "pages-apart",
  setup: ({ onLoad }) =>
    onLoad({ filter: /@effect[/\\]platform[/\\]dist[/\\]esm[/\\]index\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, "utf8").replace(/export \* as HttpApi(Scalar|Swagger) from .*/g, "")
    }))
}

/** Where an escape would not mean the character: after a backslash of its own, and in raw text. */
const inescapable = /(?<!\\)(?:\\\\)*\\[\u0100-\uFFFF]|String\.raw`[^`]*[\u0100-\uFFFF]/

/**
 * V8 keeps a script with a single character beyond Latin-1 in two bytes a character. esbuild escapes such characters, but not
 * in regular expressions and tagged templates.
 */
const oneByteEach = {
  name: "one-byte-each",
  setup: ({ onEnd }) =>
    onEnd(({ metafile }) => {
      for (const path of Object.keys(metafile?.outputs ?? {})) {
        const text = readFileSync(join(root, path), "utf8")
        const [wrong] = inescapable.exec(text) ?? []
        if (wrong !== undefined)
          throw new Error(`${path}: write ${wrong.slice(-40)} with an escape, which the build cannot add there`)
        const escaped = text.replace(
          /[\u0100-\uFFFF]/g,
          (unit) => `\\u${unit.codePointAt(0).toString(16).padStart(4, "0")}`
        )
        if (escaped !== text) writeFileSync(join(root, path), escaped)
      }
    })
}

const bundle = () =>
  build({
    ...options,
    // names stay, for what errors and stack traces say
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [pagesApart, oneByteEach],
    metafile: true,
    // its other form, which Node would take, comes whole
    alias: { graphql: "graphql/index.mjs" },
    absWorkingDir: root,
    entryPoints: ["src/main.ts", "src/cli.ts"],
    outdir: dist,
    splitting: true,
    chunkNames: "[name]-[hash]"
  })

/** Entry points by the package's exports: `testing/contract` is `contract.ts`. */
const entries = Object.values(exports)
  .filter((one) => typeof one === "object")
  .map((one) => basename(one.default, ".js"))

/** It is for browsers too, which have no packages to look at. */
const unguarded = "client"

/**
 * Packages of the library and of those who import it must be the same ones, so none is bundled. Lines stay as they are, for
 * stack traces.
 */
const library = async () => {
  const { metafile } = await build({
    ...options,
    banner: {},
    packages: "external",
    absWorkingDir: root,
    entryPoints: Object.fromEntries(
      entries.map((name) => [name === unguarded ? name : `lib-${name}`, `src/${name}.ts`])
    ),
    outdir: dist,
    splitting: true,
    chunkNames: "lib-[name]-[hash]",
    metafile: true
  })
  // Node shows the line that fails: as it was written
  await build({ ...options, banner: {}, absWorkingDir: root, entryPoints: ["src/Peers.ts"], outdir: dist })
  for (const name of entries.filter((entry) => entry !== unguarded)) {
    const names = metafile.outputs[`dist/lib-${name}.js`].exports
    // linked only once the packages that it shares have been looked at
    const text = `import "./Peers.js"\nexport const { ${names.join(", ")} } = await import("./lib-${name}.js")\n`
    writeFileSync(join(dist, `${name}.js`), text)
  }
}

/** Runs some code with the service's own: `contents`, which stands in `folder`, exports `make` for `given`. */
const runOwn = async (name, folder, contents, given) => {
  const program = join(dist, `${name}.mjs`)
  await build({ ...options, stdin: { contents, resolveDir: folder }, outfile: program })
  try {
    await (await import(pathToFileURL(program).href)).make(given)
  } finally {
    rmSync(program)
  }
}

const snapshot = "snapshot.tar.br"

/** A cluster holds the same files once for each of its databases, further apart than a smaller window sees. */
const compression = { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 } }

/** Deletes what is left of the log of how the database was made: once it is closed, it needs the segment that it stopped in. */
const dropLog = (log) => {
  const [, ...later] = readdirSync(log)
    .filter((name) => /^[0-9A-F]{24}$/.test(name))
    .toSorted()
  for (const name of later) rmSync(join(log, name))
}

/** An empty database with the migrations applied, made by the service's own code and taken from its folder. */
const makeSnapshot = async () => {
  const directory = mkdtempSync(join(tmpdir(), "tributary-"))
  const program = `
    import { SqlClient } from "@effect/sql"
    import { Effect } from "effect"
    import * as EmbeddedDatabase from "./EmbeddedDatabase.ts"
    import * as Migrations from "./Migrations.ts"
    const made = Effect.gen(function* () {
      yield* Migrations.run
      const sql = yield* SqlClient.SqlClient
      // the log goes on in a new segment, and the one before may be written over
      yield* sql\`select pg_switch_wal()\`
      yield* sql\`checkpoint\`
    })
    export const make = (directory) => Effect.runPromise(
      Effect.provide(made, EmbeddedDatabase.layer({ directory, role: "server", snapshot: "" }))
    )`
  try {
    await runOwn("snapshot", platform, program, directory)
    dropLog(join(directory, "pgdata/pg_wal"))
    const fresh = join(dist, "snapshot.new")
    await create({ file: fresh, cwd: join(directory, "pgdata"), portable: true, brotli: compression }, ["."])
    renameSync(fresh, join(dist, snapshot))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The documents that the service would otherwise make when they are first asked for. */
const makeDocuments = () => {
  const keep = (file, text) => writeFileSync(join(dist, "documents", file), brotliCompressSync(text, compression))
  const program = `
    import { Effect } from "effect"
    import { made } from "./Documents.ts"
    import { readExamples } from "./openapi/ExampleFiles.ts"
    export const make = ({ examplesFolder, keep }) => Effect.runPromise(
      Effect.gen(function* () {
        const documents = made(yield* readExamples(examplesFolder))
        for (const [file, making] of Object.entries(documents)) keep(file, yield* making)
      })
    )`
  mkdirSync(join(dist, "documents"))
  return runOwn("documents", join(root, "src"), program, { examplesFolder: join(root, "src/openapi/examples"), keep })
}

const previous = readStamp()
const snapshotIsCurrent = previous.snapshot === stamp.snapshot && existsSync(join(dist, snapshot))
const current = snapshotIsCurrent && previous.bundles === stamp.bundles

if (!(process.argv.includes("--if-needed") && current)) {
  // What an interrupted build leaves must not pass for a whole one.
  if (existsSync(dist)) {
    for (const name of readdirSync(dist)) {
      if (name !== snapshot) rmSync(join(dist, name), { recursive: true })
    }
  }
  await Promise.all([bundle(), library()])
  cpSync(join(platform, "EmbeddedWorker.mjs"), join(dist, "EmbeddedWorker.mjs"))
  for (const part of ["connections/widget", "console"])
    cpSync(join(root, `src/${part}/assets`), join(dist, "assets"), { recursive: true })
  cpSync(join(root, "templates"), join(dist, "templates"), { recursive: true })
  cpSync(join(root, "src/providers/README.md"), join(dist, "provider-guide.md"))
  await makeDocuments()
  if (!snapshotIsCurrent) await makeSnapshot()
  writeFileSync(stampFile, JSON.stringify(stamp))
}
