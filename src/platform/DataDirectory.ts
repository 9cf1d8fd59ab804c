import { Config, ConfigError, Effect } from "effect"
import { accessSync, constants, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

const config = Config.nonEmptyString("DATA_DIR").pipe(Config.withDefault(".tributary"))

/**
 * `DATA_DIR`, where the embedded database and a generated encryption key live: its real path, made (readable by this
 * user only) when it is not there.
 */
export const make = Effect.gen(function* () {
  const path = resolve(yield* config)
  return yield* Effect.try({
    try: () => {
      mkdirSync(path, { recursive: true, mode: 0o700 })
      accessSync(path, constants.W_OK | constants.X_OK)
      return realpathSync(path)
    },
    catch: (cause) =>
      ConfigError.InvalidData(
        ["DATA_DIR"],
        `Expected a folder that this process can create and write in, got "${path}" (${reason(cause)})`
      )
  })
})

/** A folder of its own for as long as the scope lives. */
export const temporary = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "tributary-")))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const reason = (cause: unknown) =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "not usable"
