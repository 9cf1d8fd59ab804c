import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { snapshotFile } from "./Snapshot.ts"

/** Names the folder of what the processes of one run of the tests keep as long as they live. */
export const runFolder = "TEST_RUN_FOLDER"

// Vitest calls these around a run, in the process that starts the others: those are killed, and cannot tidy up themselves.

export const setup = async () => {
  process.env[runFolder] = realpathSync(mkdtempSync(join(tmpdir(), "tributary-")))
  // nothing is built here: databases in memory start from what the tests keep
  process.env["TEST_SNAPSHOT"] = snapshotFile()
  if (existsSync(snapshotFile())) return
  const [{ Effect }, { snapshot }] = await Promise.all([import("effect"), import("./TestDatabase.ts")])
  await Effect.runPromise(snapshot)
}

export const teardown = () => rmSync(process.env[runFolder] ?? "", { recursive: true, force: true, maxRetries: 5 })
