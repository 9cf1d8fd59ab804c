import { assert, describe, it } from "@effect/vitest"
import { FastCheck } from "effect"
import { toDocument, toMarkdown } from "../../../src/toolkits/jira/Document.ts"
import { isDocument } from "../../../src/toolkits/jira/simulator/Documents.ts"
import { full } from "../../support/Full.ts"

describe("Jira's documents and Markdown", () => {
  it("turn into each other without loss, as far as Markdown goes", () => {
    for (const text of [
      "Plain words.",
      "# Title\n\nTwo lines\nof one paragraph.",
      "Some **bold**, *slanted*, ~~gone~~ and `code` text, and a [link](https://example.org/a?b=c).",
      "- one\n- two\n  - inner\n- three",
      "1. first\n2. second\n   - below",
      "3. third\n4. fourth",
      "```ts\nconst a = 1\n\n# no title\n```",
      "> quoted\n> again",
      "before\n\n---\n\nafter",
      "Emoji 🌞, العربية, 日本語"
    ]) {
      const document = toDocument(text)
      assert.isTrue(isDocument(document), text)
      assert.strictEqual(toMarkdown(document), text)
    }
  })

  it("keep text that only looks like a mark", () => {
    for (const text of [
      "2 * 3 * 4",
      "snake_case_name",
      "a ** b",
      "`",
      "[ ] todo",
      "#1 in line",
      "5) is no list of one"
    ]) {
      assert.include(toMarkdown(toDocument(text)).replace(/^1\. /, "5) "), text.replace(/^5\) /, ""))
      assert.isTrue(isDocument(toDocument(text)), text)
    }
  })

  it("nest marks as Jira wants them", () => {
    assert.deepStrictEqual(toDocument("**bold [link](https://e.org)**").content?.[0]?.content, [
      { type: "text", text: "bold ", marks: [{ type: "strong" }] },
      { type: "text", text: "link", marks: [{ type: "strong" }, { type: "link", attrs: { href: "https://e.org" } }] }
    ])
    // code stands with links only
    assert.deepStrictEqual(toDocument("**`x`**").content?.[0]?.content, [
      { type: "text", text: "x", marks: [{ type: "code" }] }
    ])
  })

  it("say in words what Markdown has no form for", () => {
    const document = {
      type: "doc",
      version: 1,
      content: [
        {
          type: "paragraph",
          content: [
            { type: "mention", attrs: { id: "1", text: "@Mira Okafor" } },
            { type: "text", text: " by " },
            { type: "date", attrs: { timestamp: "1774915200000" } },
            { type: "text", text: " " },
            { type: "status", attrs: { text: "LATE", color: "red" } }
          ]
        },
        {
          type: "panel",
          attrs: { panelType: "info" },
          content: [{ type: "paragraph", content: [{ type: "text", text: "Note" }] }]
        },
        { type: "mediaSingle", content: [{ type: "media", attrs: { id: "f1", type: "file", alt: "photo.png" } }] },
        {
          type: "table",
          content: [
            {
              type: "tableRow",
              content: ["a", "b"].map((text) => ({
                type: "tableHeader",
                content: [{ type: "paragraph", content: [{ type: "text", text }] }]
              }))
            },
            {
              type: "tableRow",
              content: ["1", "2"].map((text) => ({
                type: "tableCell",
                content: [{ type: "paragraph", content: [{ type: "text", text }] }]
              }))
            }
          ]
        },
        { type: "somethingNew", content: [{ type: "paragraph", content: [{ type: "text", text: "still read" }] }] }
      ]
    }
    assert.strictEqual(
      toMarkdown(document),
      "@Mira Okafor by 2026-03-31 [LATE]\n\n> Note\n\n[attachment photo.png]\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nstill read"
    )
    assert.strictEqual(toMarkdown(null), "")
  })

  full(it)("take no time over texts made to take it", () => {
    const started = performance.now()
    for (const part of ["*", "**a", "`a`", "[", "[a](", "_", "~~", "> ", "- ", "  - \n", "a\n", "***a***", "\\*"]) {
      assert.isTrue(isDocument(toDocument(part.repeat(32_000 / part.length))), part)
    }
    assert.isBelow(performance.now() - started, 5000)
  })

  it("are documents that Jira takes, whatever is written", () => {
    const lines = FastCheck.constantFrom(
      "- a",
      "  - b",
      "1. c",
      "> d",
      "# e",
      "```",
      "---",
      "",
      "**f",
      "`g`",
      "   h",
      "* *",
      "[i](j)",
      "~~k~~",
      "_l_"
    )
    const texts = FastCheck.array(FastCheck.oneof(lines, FastCheck.string()), { maxLength: 12 })
    for (const all of FastCheck.sample(texts, 500)) {
      assert.isTrue(isDocument(toDocument(all.join("\n"))), JSON.stringify(all))
    }
  })
})
