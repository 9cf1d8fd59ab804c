import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import {
  contentOfHtml,
  htmlOfText,
  isSameContent,
  textOfHtml,
  textOfSimpleHtml
} from "../../src/mapping/TextContent.ts"

const texts: ReadonlyArray<readonly [text: string, html: string]> = [
  ["hello", "hello"],
  ["Line one\nLine two: use a<b>", "Line one<br>Line two: use a&lt;b&gt;"],
  ["Fish & chips &amp; <p>more</p>", "Fish &amp; chips &amp;amp; &lt;p&gt;more&lt;/p&gt;"],
  ["one\n\n\nfour", "one<br><br><br>four"],
  ["ends with a line break\n", "ends with a line break<br><br>"],
  ["\n", "<br><br>"],
  ["  two  spaces ", "\u00A0\u00A0two \u00A0spaces\u00A0"],
  ["10\u00A0000 \u00A0€", "10\u00A0000 &#160;€"],
  ["tab\there\n\tand there", "tab\there<br>\tand there"],
  ["\"quoted\" 'twice' 🙂 👩‍👩‍👧 次回", "\"quoted\" 'twice' 🙂 👩‍👩‍👧 次回"],
  ["", ""]
]

/** HTML of providers' editors and of other applications, with the text that a reader sees. */
const simple: ReadonlyArray<readonly [html: string, text: string]> = [
  ["<p>One</p>", "One"],
  ["<p>One</p><p>Two</p>", "One\n\nTwo"],
  ["<p>One</p>\n\n  <p>Two<br/>Three<br />Four</p>\n", "One\n\nTwo\nThree\nFour"],
  ["<P>One</P><BR>Two", "One\n\n\nTwo"],
  ["One<br>\n  Two", "One\nTwo"],
  ["<p>\n  One\n  line\n</p>", "One line"],
  ["Budget &ndash; &pound;5 &amp; &#8220;more&#8221; &#x1F642; &#146;", "Budget – £5 & “more” 🙂 ’"],
  ["a &lt;b&gt; &amp;lt; c", "a <b> &lt; c"],
  ["Bonjour&nbsp;! A&nbsp; B", "Bonjour\u00A0! A  B"],
  [
    '<div style="" dir="auto" data-top-level="true"><p style="margin:0;">One</p><p style="margin:0;">&nbsp;</p><p style="margin:0;"><br class="hs-trailingbreak"></p><p style="margin:0;">Two</p></div>',
    "One\n\n\nTwo"
  ],
  ["5 < 6 and 7 > 3, AT&T, <3", "5 < 6 and 7 > 3, AT&T, <3"],
  ["raw\nlines\n", "raw\nlines\n"],
  ["<p></p>", ""],
  ["<p>a</p><p></p><p>b</p>", "a\n\nb"]
]

const rich = [
  "<p>Called, <strong>net 45</strong></p>",
  "<ul><li>One</li></ul>",
  '<a href="https://example.com">x</a>',
  '<p style="color: red">x</p>',
  '<p class="big">x</p>',
  "<div>x</div>",
  "<h1>x</h1>",
  "<p>x<!-- hidden --></p>",
  "use a<b> here",
  "Bob <bob@example.com>",
  "<img src='x'/>",
  "&unknown;",
  "<!DOCTYPE html><p>x</p>"
]

describe("Content as text and HTML", () => {
  for (const [text, html] of texts) {
    it(`text ${JSON.stringify(text)} is ${JSON.stringify(html)}, and reads back`, () => {
      assert.strictEqual(htmlOfText(text), html)
      assert.strictEqual(textOfSimpleHtml(html), text)
    })
  }

  it("any text reads back from its HTML", () => {
    const pieces = fc.constantFrom(
      "<",
      ">",
      "&",
      "&amp;",
      "&nbsp;",
      "<br>",
      "<p>",
      "</p>",
      "<!--",
      "\n",
      " ",
      "\t",
      "\u00A0",
      "a",
      "🙂",
      ";"
    )
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(pieces).map((all) => all.join(""))
    )
    fc.assert(
      fc.property(text, (any) => {
        const sent = any.replace(/\r\n?/g, "\n")
        assert.deepStrictEqual(contentOfHtml(htmlOfText(sent)), { content: sent, content_type: "TEXT" })
        assert.strictEqual(htmlOfText(any), htmlOfText(sent))
      }),
      { numRuns: 2000 }
    )
  })

  for (const [html, text] of simple) {
    it(`HTML ${JSON.stringify(html)} reads as text`, () =>
      assert.deepStrictEqual(contentOfHtml(html), { content: text, content_type: "TEXT" }))
  }

  for (const html of rich) {
    it(`HTML ${JSON.stringify(html)} stays HTML`, () =>
      assert.deepStrictEqual(contentOfHtml(html), { content: html, content_type: "HTML" }))
  }

  it("HTML with formatting becomes text with its lines, items and characters", () => {
    const html =
      "<h1>Call</h1><style>p { color: red }</style><p>With <b>Ann</b> &amp; <i>Bob</i><br>about:</p><ul><li><p>price</p></li><li>date</li></ul><table><tr><td>a</td><td>b</td></tr></table>"
    assert.strictEqual(textOfHtml(html), "Call\n\nWith Ann & Bob\nabout:\n\n- price\n- date\na b ")
  })

  it("text differs from other text, but not by how its lines end", () => {
    const content = (content: string) => ({ content, content_type: "TEXT" as const })
    assert.isTrue(isSameContent(content("a\r\nb"), content("a\nb")))
    assert.isFalse(isSameContent(content("a"), { content: "a", content_type: "HTML" }))
  })

  it("long hostile HTML takes no long time", () => {
    for (const piece of ["<a ", "<!--", "<", '<a"', " ", "\n<b>", "&#", "<p", "\u00A0", "<style>", "<script "]) {
      const html = piece.repeat(100_000)
      const begin = performance.now()
      textOfHtml(html)
      contentOfHtml(html)
      assert.isBelow(performance.now() - begin, 1000, piece)
    }
    assert.strictEqual(contentOfHtml(`<${"a".repeat(500_000)}`).content_type, "TEXT")
  })
})
