import { existsSync } from "node:fs"
import { snapshotFile } from "./Snapshot.ts"

// Vitest calls this before a run, in the process that starts the others, and what it gives after the run.

/**
 * Nothing is built for tests: their databases start from an archive that they keep themselves, or on a PostgreSQL server from
 * a database there, for as long as the run takes.
 */
export const setup = async () => {
  process.env["TEST_SNAPSHOT"] = snapshotFile()
  const server = process.env["TEST_DATABASE_URL"]
  if (existsSync(snapshotFile()) && server === undefined) return undefined
  const [{ Effect, Exit, Redacted, Scope }, database] = await Promise.all([
    import("effect"),
    import("./TestDatabase.ts")
  ])
  if (!existsSync(snapshotFile())) await Effect.runPromise(database.snapshot)
  if (server === undefined) return undefined
  const scope = Effect.runSync(Scope.make())
  process.env["TEST_DATABASE_TEMPLATE"] = await Effect.runPromise(
    Scope.extend(database.template(Redacted.make(server)), scope)
  )
  return () => Effect.runPromise(Scope.close(scope, Exit.void))
}
