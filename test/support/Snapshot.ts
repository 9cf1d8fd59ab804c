import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** Files that tests keep from run to run. */
export const cache = join(root, "node_modules/.cache/tributary")

/** Where the archive of a migrated data folder is, for this version of PGlite and of the migrations. */
export const snapshotFile = () => {
  const migrations = join(root, "src/platform/migrations")
  const version = createHash("sha256")
    .update(readFileSync(join(root, "node_modules/@electric-sql/pglite/package.json")))
    .update(
      readdirSync(migrations)
        .sort()
        .map((name) => name + readFileSync(join(migrations, name), "utf8"))
        .join("")
    )
    .digest("hex")
  return join(cache, `snapshot-${version.slice(0, 16)}.tar`)
}
