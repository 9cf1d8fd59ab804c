import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"

// The product's own setting names the PostgreSQL that the suites run on; what they start must not find it set.
if (process.env.DATABASE_URL !== undefined) {
  process.env.TEST_DATABASE_URL ??= process.env.DATABASE_URL
  delete process.env.DATABASE_URL
}

/** The package's entry points, by the names that others import them with. */
const entry = (name: string) => fileURLToPath(new URL(`./src/${name}.ts`, import.meta.url))

/** Whether the command line names files: `npx vitest run test/agent`. */
const namesFiles = process.argv.some(
  (argument, i, all) => argument.startsWith("test/") && !all[i - 1]?.startsWith("--")
)

// `npm test` leaves out what takes long. `TEST_ALL=1` and files that are named run as a whole, `TEST_ALL=rest` runs the files of
// which `npm test` leaves out something.
if (namesFiles) process.env.TEST_ALL ??= "1"
const extent = process.env.TEST_ALL ?? ""

/** Files that `npm test` leaves out; users copy the example, so its name says nothing of that. */
const longFiles = ["test/**/*.full.test.ts", "test/examples/test/Rolodex.test.ts"]

const filesOfRest = () =>
  readdirSync("test", { recursive: true, encoding: "utf8" })
    .map((name) => `test/${name}`)
    .filter((name) => name.endsWith(".test.ts"))
    .filter((name) => readFileSync(name, "utf8").includes("/support/Full.ts"))
    .concat(longFiles)

/** Begins with the contracts and the browser: Vitest takes large files for slow ones, and these are small files of many tests. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => /\/test\/(contract|browser)\//.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  resolve: {
    alias: [
      { find: /^tributary$/, replacement: entry("index") },
      { find: /^tributary\/(?:testing\/)?(\w+)$/, replacement: entry("$1") }
    ]
  },
  test: {
    include: extent === "rest" ? filesOfRest() : ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "test/faults/**", ...(extent === "" ? longFiles : [])],
    // A suite may hold nothing but tests that take long.
    passWithNoTests: extent === "",
    globalSetup: ["test/support/Run.ts"],
    setupFiles: ["test/support/Setup.ts"],
    env: {
      // Every answer is walked with its Schema, which the product leaves out for speed.
      STRICT_RESPONSES: "1"
    },
    // The files of a worker share what they import: loading the application takes longer than most of them.
    isolate: false,
    // Tests make much that is thrown away at once.
    poolOptions: { forks: { execArgv: ["--max-semi-space-size=64"] } },
    sequence: { sequencer: LongestFirst },
    maxWorkers: 2,
    minWorkers: 1,
    // The first use of the embedded database compiles it.
    hookTimeout: 60_000,
    // Walks of a whole list through every provider take their time on a small machine.
    testTimeout: 60_000
  }
})
