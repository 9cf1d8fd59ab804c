import { assert, describe, it } from "@effect/vitest"
import { NodeContext } from "@effect/platform-node"
import { Effect } from "effect"
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"
import { writeProvider } from "../../src/NewProvider.ts"

// Follows the guide to its end: what it says of a file is there, and what it changes is changed.

const root = fileURLToPath(new URL("../..", import.meta.url))
const project = mkdtempSync(join(tmpdir(), "guide-"))
symlinkSync(join(root, "node_modules"), join(project, "node_modules"))
afterAll(() => rmSync(project, { recursive: true }))

await Effect.runPromise(Effect.provide(writeProvider(project, "acme", "crm", []), NodeContext.layer))

const guide = readFileSync(join(root, "src/providers/README.md"), "utf8")

const steps = [...guide.matchAll(/^```(\w+) (acme\/\S+)\n(.*?)^```/gms)].map(([, kind = "", path = "", text = ""]) => ({
  kind,
  path,
  text
}))

/** Texts as they are whatever their lines are indented by. */
const plain = (text: string) => text.replace(/\s+/g, " ").trim()

/** The text of a file before or after a difference. */
const side = (text: string, other: "+" | "-") =>
  text
    .split("\n")
    .filter((line) => !line.startsWith(other))
    .map((line) => line.slice(1))
    .join("\n")

const mistakes = steps.flatMap(({ kind, path, text }) => {
  const file = join(project, path)
  if (kind === "diff") {
    const [before, after] = [side(text, "+"), side(text, "-")]
    const held = readFileSync(file, "utf8").split(before)
    if (held.length !== 2) return [`${path} has ${held.length - 1} times:\n${before}`]
    writeFileSync(file, held.join(after))
  } else if (!existsSync(file)) {
    writeFileSync(file, text)
  } else if (!plain(readFileSync(file, "utf8")).includes(plain(text))) {
    return [`${path} does not have:\n${text}`]
  }
  return []
})

if (mistakes.length === 0) await import(join(project, "acme/Acme.test.ts"))

describe("the guide", () => {
  it("shows what the files have, and changes what they have", () => {
    assert.deepStrictEqual(mistakes, [])
    assert.isAbove(steps.length, 20)
  })

  it("shows code only of files, which are tried here", () => {
    const [path = ""] = guide.split("\n# To look up")
    assert.lengthOf([...path.matchAll(/^```(ts|diff)\b/gm)], steps.length)
  })
})
