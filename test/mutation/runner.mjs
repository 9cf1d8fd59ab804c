import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { createVitest } from "vitest/node"

// A process that holds one vitest, so that what was transformed once is kept, and runs tests as `mutation.mjs` tells it. It works
// in a copy of the tree, which is its working directory.

/** The files in the order given, likely killers first, instead of the slowest first. */
class AsGiven {
  sort = (files) => files
  shard = (files) => files
}

process.env.TEST_ALL = "1"
const vitest = await createVitest("test", {
  watch: false,
  update: false,
  bail: 1,
  maxWorkers: 1,
  minWorkers: 1,
  sequence: { sequencer: AsGiven },
  reporters: [{}]
})

/** Puts a text in place of a file's, as if it had been edited. */
const put = (file, text) => {
  writeFileSync(file, text)
  vitest.invalidateFile(join(process.cwd(), file))
}

/** Runs test files and gives the name of what failed first and how, or nothing. */
const failureIn = async (tests) => {
  const specifications = await Promise.all(tests.map((test) => vitest.globTestSpecifications([test])))
  vitest.state.clearErrors()
  // what failed before is no result of this run
  vitest.state.filesMap.clear()
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications.flat(), true)
  const [test] = testModules.flatMap((module) => [...module.children.allTests("failed")])
  const failed = test && `${test.fullName}: ${test.result().errors?.[0]?.message.split("\n")[0]}`
  const broken = testModules.find((module) => !module.ok())?.relativeModuleId
  return failed ?? broken ?? (unhandledErrors.length > 0 ? "an unhandled error" : undefined)
}

// Vitest's setup names a folder for temporary files, which whoever ends this process removes.
process.on("message", ({ file, original, text, tests }) => {
  if (text !== undefined) put(file, text)
  const answer = (failure) => {
    if (text !== undefined) put(file, original)
    process.send({ failure, temporary: process.env.TMPDIR })
  }
  failureIn(tests).then(answer, (error) => answer(String(error)))
})
process.send({ ready: true })
