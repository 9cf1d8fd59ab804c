import { execFileSync, fork } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { mutantsOf } from "./mutants.mjs"

// Plants small faults in a copy of the tree, one at a time, and sees whether the tests that should notice do.
//
//     npm run mutation                                              a sample of every folder
//     npm run mutation -- --sample 40 --seed 2                      a larger one, and another
//     npm run mutation -- src/records/ListState.ts src/agent            of these files and folders only
//     npm run mutation -- src/records/ListState.ts:42                   of this line
//     npm run mutation -- --again mutation.log                      those that survived in an earlier output
//
// `tests.json` says which test files are run for each source file, besides the one that is named after it.

const { values: options, positionals: places } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: "string", default: "25" },
    seed: { type: "string", default: "1" },
    again: { type: "string" }
  }
})

const root = fileURLToPath(new URL("../..", import.meta.url))
const folders = ["records", "connections", "platform", "tenancy", "agent", "providers/base"]

/** Milliseconds that a mutant may take before it counts as timed out, and the run without any before it is given up. */
const mutantLimit = 240_000
const baselineLimit = 3_600_000

const print = (line) => process.stdout.write(`${line}\n`)

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
const random = (seed) => () => {
  seed = (seed + 0x6d2b79f5) >>> 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
}

/** A sample of a list, in the order of the list. */
const sampleOf = (list, size, next) =>
  list
    .map((value, index) => ({ value, index, rank: next() }))
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, size)
    .toSorted((one, other) => one.index - other.index)
    .map(({ value }) => value)

const short = (text) => {
  const line = text.replaceAll(/\s+/g, " ")
  return line.length > 90 ? `${line.slice(0, 87)}...` : line
}

const changeOf = ({ from, to }) => `${short(from)} -> ${short(to)}`

/** What an earlier output says of those that survived, without the time that they took. */
const survivors =
  options.again === undefined
    ? undefined
    : new Set(
        [...readFileSync(options.again, "utf8").matchAll(/^survived (\S+) in \d+ s: (.*)$/gm)].map(
          ([, place, change]) => `${place} ${change}`
        )
      )

const isWanted = (mutant) => {
  const place = `${mutant.file}:${mutant.line}`
  if (survivors !== undefined) return survivors.has(`${place} ${changeOf(mutant)}`)
  return places.length === 0 || places.some((wanted) => wanted === place || mutant.file.startsWith(wanted))
}

/** Gives the sample of all folders: mutants, each with the folder it is of and the tests to run. */
const plan = () => {
  const table = JSON.parse(readFileSync(join(root, "test/mutation/tests.json"), "utf8"))
  return folders.flatMap((folder, index) => {
    const sources = Object.entries(table).filter(([source]) => source.slice(0, source.lastIndexOf("/")) === folder)
    const mutants = sources.flatMap(([source, others]) => {
      const file = `src/${source}.ts`
      const original = readFileSync(join(root, file), "utf8")
      const tests = [...new Set([source, ...others])]
        .flatMap((test) => [`test/${test}.test.ts`, `test/${test}.full.test.ts`])
        .filter((test) => existsSync(join(root, test)))
      return mutantsOf(file, original).map((mutant) => ({ ...mutant, folder, original, tests }))
    })
    return sampleOf(
      mutants.filter(isWanted),
      Number(options.sample),
      random(Number(options.seed) * folders.length + index)
    )
  })
}

/** Copies what git knows of the tree to a folder of its own. */
const copyTree = () => {
  const copy = mkdtempSync(join(tmpdir(), "tributary-mutation-"))
  for (const file of execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" }).split("\0")) {
    if (file !== "" && existsSync(join(root, file))) cpSync(join(root, file), join(copy, file))
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
  return copy
}

/** Starts a runner in the copy; it leads a group of processes, so that all of them can be ended at once. */
const startRunner = async (copy) => {
  const runner = fork(join(dirname(fileURLToPath(import.meta.url)), "runner.mjs"), { cwd: copy, detached: true })
  await new Promise((resolve) => runner.once("message", resolve))
  return runner
}

/** Ends a runner, which has no chance to remove its temporary files. */
const end = (runner, temporary) => {
  process.kill(-runner.pid, "SIGKILL")
  if (temporary !== undefined && temporary !== process.env.TMPDIR) rmSync(temporary, { recursive: true, force: true })
}

/** Has a runner do a job; gives what failed, if anything, or nothing at all when time was up. */
const ask = (runner, job, limit) => {
  const timer = new AbortController()
  const answer = new Promise((resolve) => runner.once("message", resolve))
  runner.send(job)
  return Promise.race([answer, sleep(limit, undefined, { signal: timer.signal })]).finally(() => timer.abort())
}

const main = async () => {
  const mutants = plan()
  const copy = copyTree()
  let runner = await startRunner(copy)
  let temporary
  try {
    const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))]
    print(`${mutants.length} mutants; first the ${tests.length} test files without any`)
    const baseline = await ask(runner, { tests }, baselineLimit)
    temporary = baseline?.temporary
    if (baseline === undefined || baseline.failure !== undefined) {
      throw new Error(`fails without a mutant: ${baseline?.failure ?? "no end"}`)
    }
    const counts = Object.fromEntries(folders.map((folder) => [folder, { killed: 0, survived: 0, "timed out": 0 }]))
    for (const mutant of mutants) {
      const { folder, from: _from, to: _to, line, ...job } = mutant
      const started = Date.now()
      const answer = await ask(runner, job, mutantLimit)
      const outcome = answer === undefined ? "timed out" : answer.failure === undefined ? "survived" : "killed"
      counts[folder][outcome] += 1
      const seconds = Math.round((Date.now() - started) / 1000)
      print(`${outcome} ${job.file}:${line} in ${seconds} s: ${changeOf(mutant)}`)
      if (outcome === "killed") print(`    by ${short(answer.failure)}`)
      temporary = answer?.temporary ?? temporary
      if (answer !== undefined) continue
      end(runner, temporary)
      writeFileSync(join(copy, job.file), job.original)
      runner = await startRunner(copy)
    }
    print("\nfolder | mutants | killed | survived | timed out | score")
    for (const [folder, { killed, survived, "timed out": late }] of Object.entries(counts)) {
      const all = killed + survived + late
      if (all > 0)
        print([folder, all, killed, survived, late, `${Math.round(((killed + late) / all) * 100)} %`].join(" | "))
    }
  } finally {
    end(runner, temporary)
    rmSync(copy, { recursive: true })
  }
}

await main()
