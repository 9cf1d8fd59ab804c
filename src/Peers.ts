import { createRequire } from "node:module"
import packageJson from "../package.json" with { type: "json" }

/**
 * Looks, before anything is linked against them, whether the packages that an application shares with this one are of
 * versions that it works with. Installers only warn of others, and a missing export would not say why.
 */
const require = createRequire(import.meta.url)

const versionOf = (name: string): string | undefined => {
  try {
    const found: unknown = require(`${name}/package.json`)
    return typeof found === "object" && found !== null && "version" in found ? String(found.version) : undefined
  } catch {
    return undefined
  }
}

/** Whether a version is in a caret range, as all of ours are: the same up to the first part above 0, not older after it. */
const isIn = (range: string, version: string) => {
  const [wanted = [], found = []] = [range.slice(1), version].map((text) => text.split(/[.-]/).map(Number))
  const [major = 0, minor = 0, patch = 0] = wanted
  const [foundMajor, foundMinor = 0, foundPatch = 0] = found
  if (foundMajor !== major) return false
  if (major === 0 && foundMinor !== minor) return false
  return foundMinor > minor || (foundMinor === minor && foundPatch >= patch)
}

const { peerDependencies, peerDependenciesMeta } = packageJson

for (const [name, range] of Object.entries(peerDependencies)) {
  if (name in peerDependenciesMeta) continue
  const version = versionOf(name)
  if (version === undefined || !isIn(range, version)) {
    throw new Error(
      `tributary needs ${name} ${range}, and ${version === undefined ? "it is not installed" : `${version} is installed`}; npm install "${name}@${range}"`
    )
  }
}
