import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** Names the folder of what the processes of one run of the tests keep as long as they live. */
export const runFolder = "TEST_RUN_FOLDER"

/** Around each run, in the process that starts the others: they are killed, and cannot tidy up themselves. */
export default () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tributary-")))
  process.env[runFolder] = folder
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
