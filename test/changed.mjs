/**
 * Runs the tests that the working tree's changes can affect, nearest first:
 *
 *     npm run test:changed              what differs from the last commit
 *     npm run test:changed -- main      what differs from a branch or commit
 *     npm run test:changed -- --list    only prints the files
 */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { basename, dirname, join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const options = process.argv.slice(2)
const isListing = options.includes("--list")
const [since = "HEAD"] = options.filter((option) => !option.startsWith("--"))

/** Files that every test depends on. */
const common = /^(package(-lock)?\.json|vitest\.config\.ts|tsconfig\.json|test\/support\/(Run|Setup|PlainMethods)\.ts)$/

/** Tests that read files which no import names, by the paths of those files. */
const readers = [
  [/^test\/providers\/\w+\/fixtures\//, "test/providers/Fixtures.test.ts"],
  [/^test\/recorded\/shapes\//, "test/recorded/Recorded.test.ts"]
]

const print = (text) => process.stdout.write(`${text}\n`)

const git = (...parameters) => spawnSync("git", parameters, { cwd: root, encoding: "utf8" })

const runAll = (reason) => {
  print(isListing ? reason : `${reason} Running npm test.`)
  if (isListing) process.exit(0)
  process.exit(spawnSync("npm", ["test"], { cwd: root, stdio: "inherit" }).status ?? 1)
}

/** Paths below the root that differ from a commit, new ones included. */
const changedFiles = () => {
  const tracked = git("diff", "--name-only", "-z", since, "--")
  if (tracked.status !== 0) {
    print(`git diff ${since}: ${tracked.stderr.trim()}`)
    process.exit(1)
  }
  const untracked = git("ls-files", "--others", "--exclude-standard", "-z")
  return [...new Set((tracked.stdout + untracked.stdout).split("\0").filter((name) => name !== ""))]
}

const sourcesIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))

const entries = { tributary: "src/index.ts", "tributary/testing/contract": "src/contract.ts" }

/** The file that an import in a source leads to; undefined for a package. */
const targetOf = (source, specifier) => {
  if (specifier.startsWith(".")) return relative(root, resolve(root, dirname(source), specifier))
  return entries[specifier] ?? (specifier.startsWith("tributary/") ? `src/${specifier.slice(10)}.ts` : undefined)
}

/** Imports and addresses that are there at run time; `import type` is not. */
const importPattern =
  /(?:\b(?:import|export)\s+(?!type\b)(?:[^"'();]*?\bfrom\s*)?|\bimport\(\s*|\bnew URL\(\s*)["']([^"'\n]+)["']/g

/** What each source imports, or reads by an address beside it, and the other way round. */
const readGraph = () => {
  const names = ["src", "test"].flatMap(sourcesIn)
  const texts = new Map(names.map((name) => [name, readFileSync(join(root, name), "utf8")]))
  const imports = new Map()
  const importers = new Map()
  for (const [source, text] of texts) {
    const specifiers = [...text.matchAll(importPattern)].map(([, specifier]) => specifier)
    const targets = [...new Set(specifiers.map((one) => targetOf(source, one)))].filter((one) => one !== undefined)
    imports.set(source, targets)
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), source])
  }
  return { texts, imports, importers }
}

/** Steps from the nearest of some files along the edges of a graph. */
const distancesFrom = (files, edges) => {
  const distances = new Map(files.map((file) => [file, 0]))
  const queue = [...files]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    for (const neighbour of edges.get(next) ?? []) {
      if (distances.has(neighbour)) continue
      distances.set(neighbour, distances.get(next) + 1)
      queue.push(neighbour)
    }
  }
  return distances
}

/** Sources that a changed file which is no module is named in, such as a page of the documentation. */
const mentioning = (file, texts) =>
  readers.some(([pattern]) => pattern.test(file))
    ? readers.filter(([pattern]) => pattern.test(file)).map(([, test]) => test)
    : [...texts].filter(([, text]) => text.includes(basename(file))).map(([source]) => source)

if (git("rev-parse", "--is-inside-work-tree").stdout.trim() !== "true") {
  runAll("This is not a git checkout, so nothing tells what changed.")
}

const changed = changedFiles()
if (changed.length === 0) {
  print(`Nothing differs from ${since}.`)
  process.exit(0)
}
const everywhere = changed.find((file) => common.test(file))
if (everywhere !== undefined) runAll(`${everywhere} can affect every test.`)

const { importers, imports, texts } = readGraph()
const starts = changed.flatMap((file) => (texts.has(file) ? [file] : [file, ...mentioning(file, texts)]))
const distances = distancesFrom([...new Set(starts)], importers)
/** Tests that load the application come last, nearest to the change first; of the others, those that load least come first. */
const rankOf = (test) => {
  const loaded = distancesFrom([test], imports)
  return loaded.has("src/Application.ts") ? 100_000 + distances.get(test) : loaded.size
}
const ranks = new Map(
  [...distances.keys()]
    .filter((file) => /^test\/(?!faults\/).*\.test\.ts$/.test(file) && existsSync(join(root, file)))
    .map((test) => [test, rankOf(test)])
)
const tests = [...ranks.keys()].sort((one, other) => ranks.get(one) - ranks.get(other))

print(`${changed.length} changed files can affect ${tests.length} test files.`)
if (tests.length === 0) process.exit(0)
if (isListing) {
  print(tests.join("\n"))
  process.exit(0)
}

/** Keeps the files in their order, instead of the slowest first. */
class AsGiven {
  sort = (files) => [...files].sort((one, other) => tests.indexOf(pathOf(one)) - tests.indexOf(pathOf(other)))
  shard = (files) => files
}
const pathOf = ({ moduleId }) => relative(root, moduleId)

process.env.TEST_ALL = "1"
process.chdir(root)
const { startVitest } = await import("vitest/node")
const vitest = await startVitest("test", tests, { watch: false, sequence: { sequencer: AsGiven } })
await vitest.close()
