import { assert, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../..", import.meta.url))
const examples = join(root, "test/examples")

/** Texts as they are whatever their lines are indented by. */
const plain = (text: string) => text.replace(/\s+/g, " ").trim()

const imports = /^import (?:type )?\{([^}]*)\} from "(\S+)"$/gm

const importsIn = (text: string) =>
  [...text.matchAll(imports)].flatMap(([, names = "", from = ""]) =>
    names.split(",").map((name) => `${plain(name)} from ${from}`)
  )

it("README and guides: every TypeScript block is code of the tested example", () => {
  const sources = readdirSync(examples, { recursive: true, encoding: "utf8" })
    .filter((name) => /^(src|test)\/.*\.ts$/.test(name))
    .map((name) => readFileSync(join(examples, name), "utf8"))
  const guides = join(root, "docs/guides")
  const documents = [join(root, "README.md"), ...readdirSync(guides).map((name) => join(guides, name))]
  const blocks = documents.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = ""]) => code)
  )
  assert.isAbove(blocks.length, 5)
  const printed = blocks
    .flatMap((code) => code.replace(imports, "").split(/\n\n+/).map(plain))
    .filter((part) => part !== "")
  const texts = sources.map(plain)
  assert.deepStrictEqual(
    printed.filter((part) => !texts.some((text) => text.includes(part))),
    []
  )
  const known = new Set(sources.flatMap(importsIn))
  assert.deepStrictEqual(
    blocks.flatMap(importsIn).filter((one) => !known.has(one)),
    []
  )
})
