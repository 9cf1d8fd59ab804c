import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Names the folder of what the processes of one run of the tests keep as long as they live. */
export const runFolder = "TEST_RUN_FOLDER"

// Vitest calls these around a run, in the process that starts the others: those are killed, and cannot tidy up themselves.

export const setup = () => {
  process.env[runFolder] = realpathSync(mkdtempSync(join(tmpdir(), "tributary-")))
}

export const teardown = () => rmSync(process.env[runFolder] ?? "", { recursive: true, force: true, maxRetries: 5 })
