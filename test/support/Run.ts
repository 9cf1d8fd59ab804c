import { existsSync } from "node:fs"
import { snapshotFile } from "./Snapshot.ts"

// Vitest calls this before a run, in the process that starts the others.

/** Nothing is built for tests: their databases start from an archive that they keep themselves. */
export const setup = async () => {
  process.env["TEST_SNAPSHOT"] = snapshotFile()
  if (existsSync(snapshotFile())) return
  const [{ Effect }, { snapshot }] = await Promise.all([import("effect"), import("./TestDatabase.ts")])
  await Effect.runPromise(snapshot)
}
