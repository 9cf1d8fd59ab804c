import { existsSync, mkdtempSync, rmSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { snapshotFile } from "./Snapshot.ts"

// Vitest calls this before a run, in the process that starts the others, and what it gives after the run.

/** A file system in memory, as most Linux machines have one. */
const memory = "/dev/shm"

/** Bytes that a run may need there at a time: a data folder is 40 MB, and each worker has a few. */
const room = 2 ** 30

/** Whether temporary files can be in memory. */
const hasRoom = () => {
  if (!existsSync(memory)) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= room
}

/**
 * Data folders are a thousand small files each, which some disks take a second of processor time to make: they are made in
 * memory where there is one. Gives what removes them.
 */
const temporaryFiles = () => {
  if (!hasRoom()) return () => {}
  const folder = mkdtempSync(join(memory, "tributary-tests-"))
  process.env["TMPDIR"] = folder
  return () => rmSync(folder, { recursive: true, force: true })
}

/**
 * Nothing is built for tests: their databases start from an archive that they keep themselves, or on a PostgreSQL server from
 * a database there, for as long as the run takes.
 */
export const setup = async () => {
  process.env["TEST_SNAPSHOT"] = snapshotFile()
  const removeFiles = temporaryFiles()
  const server = process.env["TEST_DATABASE_URL"]
  if (existsSync(snapshotFile()) && server === undefined) return removeFiles
  const [{ Effect, Exit, Redacted, Scope }, database] = await Promise.all([
    import("effect"),
    import("./TestDatabase.ts")
  ])
  if (!existsSync(snapshotFile())) await Effect.runPromise(database.snapshot)
  if (server === undefined) return removeFiles
  const scope = Effect.runSync(Scope.make())
  process.env["TEST_DATABASE_TEMPLATE"] = await Effect.runPromise(
    Scope.extend(database.template(Redacted.make(server)), scope)
  )
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    removeFiles()
  }
}
