import { assert, describe, it } from "vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { format, resolveConfig } from "prettier"
import { document, variables } from "../../src/Variables.ts"

const root = join(import.meta.dirname, "../..")

const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && path !== "Variables.ts" && !path.includes("simulator/"))
  .map((path) => readFileSync(join(root, "src", path), "utf8"))

const known = Object.values(variables).flatMap((all) => all.map(({ name }) => name))

/** Names that sources read: a variable is read by a `Config`, or named as the setting of one. */
const read = new Set(
  sources.flatMap((text) =>
    [
      ...text.matchAll(/Config\s*\.\w+\(\s*"([A-Z][A-Z0-9_]+)"/g),
      ...text.matchAll(/Config\.nested\("([A-Z][A-Z0-9_]+)"\)/g),
      ...text.matchAll(/\)\("([A-Z]+_[A-Z0-9_]+)"\)\.pipe\(Config/g),
      ...text.matchAll(/setting: "([A-Z][A-Z0-9_]+)"/g),
      ...text.matchAll(/\bvariable\("([A-Z][A-Z0-9_]+)"/g)
    ].flatMap(([, name]) => name ?? [])
  )
)

/** Read by tests of this repository alone. */
const ofTests = new Set(["STRICT_RESPONSES", "TEST_SNAPSHOT"])

/** Names that are put together. */
const madeUp = (name: string) =>
  /^PROVIDER_<SLUG>_|^OTEL_EXPORTER_OTLP_|^OTEL_(TRACES|LOGS|METRICS)_EXPORTER$/.test(name)

describe("the table of environment variables", () => {
  it("has every variable that is read", () => {
    assert.isAbove(read.size, 25)
    assert.deepStrictEqual(
      [...read].filter((name) => !known.includes(name) && !ofTests.has(name)),
      []
    )
  })

  it("says which quotas hold where none are set", () => {
    const own = [...sources.join("\n").matchAll(/setting: "(QUOTA_\w+)",\s+fallback: ([\d_]+),/g)]
    const told = Object.values(variables).flatMap((all) => all.filter(({ name }) => name.startsWith("QUOTA_")))
    assert.deepStrictEqual(
      new Map(own.map(([, name, fallback]) => [name, fallback?.replaceAll("_", "")])),
      new Map(told.map((one) => [one.name, one.default]))
    )
  })

  it("has none that nothing reads, and none twice", () => {
    const text = sources.join("\n")
    assert.deepStrictEqual(
      known.filter((name) => !madeUp(name) && !text.includes(`"${name}"`)),
      []
    )
    for (const name of [
      "CLIENT_ID",
      "CLIENT_SECRET",
      "SCOPES",
      "WEBHOOK_SECRET",
      "BASE_URL",
      "AUTH_URL",
      "TOKEN_URL"
    ]) {
      assert.match(text, new RegExp(`[_"]${name}["\`]`), name)
    }
    assert.lengthOf(new Set(known), known.length)
  })

  it("is the one in docs/variables.md", async () => {
    const path = join(root, "docs/variables.md")
    const laidOut = await format(document, { ...(await resolveConfig(path)), filepath: path })
    assert.strictEqual(readFileSync(path, "utf8"), laidOut)
  })
})
