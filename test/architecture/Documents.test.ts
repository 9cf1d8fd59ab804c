import { assert, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"

const root = join(import.meta.dirname, "../..")
const read = (path: string) => readFileSync(path, "utf8")

const documents = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name))
].map((name) => join(root, name))

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-")

const anchorsIn = (path: string) => [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading))

it("documents: every link to a file or heading of the repository leads somewhere", () => {
  const dead = documents.flatMap((path) =>
    [...read(path).matchAll(/\]\((?!\w+:)([^)\s#]*)(?:#([^)\s]+))?\)/g)].flatMap(([link, file = "", anchor]) => {
      const target = file === "" ? path : join(dirname(path), file)
      const isDead = !existsSync(target) || (anchor !== undefined && !anchorsIn(target).includes(anchor))
      return isDead ? [`${relative(root, path)}: ${link}`] : []
    })
  )
  assert.deepStrictEqual(dead, [])
})

it("README: has at most 200 lines and links every guide", () => {
  const readme = read(join(root, "README.md"))
  assert.isAtMost(readme.split("\n").length, 200)
  const missing = readdirSync(join(root, "docs/guides")).filter((name) => !readme.includes(`docs/guides/${name}`))
  assert.deepStrictEqual(missing, [])
})
