import { assert, describe, it, layer } from "@effect/vitest"
import { Command } from "@effect/cli"
import { NodeContext } from "@effect/platform-node"
import { Effect } from "effect"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"
import { newProvider, writeProvider } from "../../src/NewProvider.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

/** A project that depends on the package. */
const project = mkdtempSync(join(tmpdir(), "new-provider-"))
symlinkSync(join(root, "node_modules"), join(project, "node_modules"))
afterAll(() => rmSync(project, { recursive: true }))

const write = (slug: string, category: "crm" | "accounting") =>
  Effect.provide(writeProvider(project, slug, category, ["crm", "hubspot"]), NodeContext.layer)

const refusal = (slug: string) => Effect.map(Effect.flip(write(slug, "crm")), String)

const written = {
  crm: await Effect.runPromise(write("north_star", "crm")),
  accounting: await Effect.runPromise(write("ledger2", "accounting"))
}

// Its contract is held by the test of the guide, and from the package by `.ci/run`.
describe("a new provider", () => {
  it("is a folder of its own, named for its slug", () => {
    assert.deepStrictEqual(written.crm, [
      "north_star/NorthStar.test.ts",
      "north_star/NorthStar.ts",
      "north_star/Doubts.ts",
      "north_star/ReadError.ts",
      "north_star/Records.ts",
      "north_star/Contact.ts",
      "north_star/parts.ts",
      "north_star/simulator/NorthStarSimulator.ts",
      "north_star/simulator/Common.ts",
      "north_star/simulator/Contacts.ts"
    ])
    const files = readdirSync(join(project, "north_star"), { recursive: true, encoding: "utf8" })
    assert.sameMembers(
      files.filter((name) => name.endsWith(".ts")),
      written.crm.map((path) => path.replace("north_star/", ""))
    )
    assert.include(readFileSync(join(project, "ledger2/Ledger2.ts"), "utf8"), 'category: "accounting"')
  })

  it("imports its own files and what anybody can, and has no word of the templates'", () => {
    const open = /^(tributary(\/(provider|simulator|testing\/contract))?|effect|@effect\/platform)$/
    for (const path of [...written.crm, ...written.accounting]) {
      const text = readFileSync(join(project, path), "utf8")
      assert.notMatch(text, /acme/i, path)
      for (const [, from = ""] of text.matchAll(/ from "([^"]+)"/g)) {
        if (!from.startsWith(".")) assert.match(from, open, path)
      }
    }
  })
})

layer(NodeContext.layer)("the command", (it) => {
  it.effect("overwrites nothing, and then writes nothing", () =>
    Effect.gen(function* () {
      assert.include(yield* refusal("north_star"), "north_star/NorthStar.ts")
      mkdirSync(join(project, "south"))
      writeFileSync(join(project, "south/Doubts.ts"), "mine")
      assert.strictEqual(
        yield* refusal("south"),
        "NotWritten: Nothing was written, since there is already south/Doubts.ts."
      )
      assert.deepStrictEqual(readdirSync(join(project, "south")), ["Doubts.ts"])
      assert.strictEqual(readFileSync(join(project, "south/Doubts.ts"), "utf8"), "mine")
    })
  )

  it.effect("refuses what is no slug, or somebody else's, or a word that its files have already", () =>
    Effect.gen(function* () {
      for (const slug of ["", "Acme", "2acme", "acme-crm", "acme_", "a__b", "../acme", "acme crm"]) {
        assert.include(yield* refusal(slug), `"${slug}" is not a slug`)
      }
      for (const slug of ["hubspot", "crm"]) assert.include(yield* refusal(slug), "is taken")
      for (const slug of ["effect", "contact", "records", "parts"]) {
        assert.include(yield* refusal(slug), "is a word that the files of a provider have already", slug)
      }
    })
  )

  it.effect("says in its help what it takes, and refuses a category that there is not", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const given = yield* Effect.console
      const note = (text: unknown) => Effect.sync(() => void said.push(String(text)))
      const run = (...args: ReadonlyArray<string>) =>
        Command.run(newProvider([]), { name: "Tributary", version: "0" })(["node", "cli.js", ...args]).pipe(
          Effect.withConsole({ ...given, log: note, error: note })
        )
      yield* run("--help")
      assert.match(said.join(""), /--category crm \| accounting/)
      yield* Effect.flip(run("--category", "erp", "acme"))
      yield* Effect.flip(run("acme"))
      assert.notInclude(readdirSync("."), "acme")
    })
  )
})
