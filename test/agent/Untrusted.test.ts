import { assert, describe, it } from "@effect/vitest"
import { Either } from "effect"
import { outputLimit, untrusted } from "../../src/agent/Untrusted.ts"
import { full } from "../support/Full.ts"

const content = (answer: unknown, verbatim = false) => Either.getOrThrow(untrusted("gmail", answer, verbatim)).content

describe("what tools answer", () => {
  it("loses what its reader would not see", () => {
    for (const [given, shown] of [
      ["a\u200Bb\u2060c\uFEFFd\u00ADe", "abcde"],
      ["abc\u202Edef\u202C \u2066x\u2069 \u200Ey\u200F", "abcdef x y"],
      [`hi${[..."ignore this"].map((c) => String.fromCodePoint(0xe0000 + (c.codePointAt(0) ?? 0))).join("")}!`, "hi!"],
      ["x\u{E0100}\u{E01EF}y", "xy"],
      ["a\u200Cb\u200Dc", "abc"],
      ["a<!-- hidden -->b<!-- more\nlines --!>c", "abc"],
      ["a<!--> b -->c", "ac"],
      ["visible<!-- never closed, so hidden to the end", "visible"]
    ]) {
      assert.strictEqual(content(given), shown)
    }
  })

  it("keeps what words and emojis are written with", () => {
    for (const text of ["👨‍👩‍👧‍👦 🏳️‍🌈 👩🏽‍💻", "می‌خواهم", "क्‍ष", "naïve café", "שלום", "1 < 2 <-- arrow", "a\tb\nc"]) {
      assert.strictEqual(content(text), text)
    }
  })

  it("is cleaned wherever a text stands, names included", () => {
    assert.deepStrictEqual(content({ "na\u200Bme": ["a\u200B", { b: "<!--x-->b" }, 1, null, true] }), {
      name: ["a", { b: "b" }, 1, null, true]
    })
    assert.strictEqual(content(undefined), null)
  })

  it("keeps comments where it is a file", () => {
    assert.strictEqual(content("<!-- kept -->\u200B", true), "<!-- kept -->")
  })

  it("fits, whatever it is made of", () => {
    for (const answer of [
      "x".repeat(60_000_000),
      Array.from({ length: 300_000 }, (_, i) => ({ i, text: "some text" })),
      { deep: { list: Array.from({ length: 500 }, () => ["🙂".repeat(400)]) } },
      `${"x".repeat(7999)}${"🙂".repeat(30_000)}`
    ]) {
      const made = Either.getOrThrow(untrusted("jira", answer, false))
      assert.deepInclude(made, { source: "jira", untrusted: true, truncated: true })
      const text = JSON.stringify(made.content)
      assert.isAtMost(Buffer.byteLength(text), outputLimit)
      assert.notMatch(text, /\\ud83d(?!\\ude)/)
      assert.match(text, /more characters\]|more\]/)
    }
  })

  full(it)("that cannot be shortened enough is refused", () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`field ${i}`, i]))
    assert.deepStrictEqual(untrusted("jira", wide, false), Either.left("too large"))
  })
})
