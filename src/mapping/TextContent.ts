import type { ContentType } from "../canonical/crm/Content.ts"
import { decodeReferences, hasUnknownReference } from "./CharacterReferences.ts"

/** Content of a record as it travels. */
export interface Content {
  readonly content: string
  readonly content_type: ContentType
}

const nbsp = "\u00A0"

const escapes: { readonly [character: string]: string } = { "&": "&amp;", "<": "&lt;", ">": "&gt;" }

/**
 * A line of text as HTML. Spaces that a browser would collapse become no-break spaces. A no-break space of the text is written
 * as a reference where it could be mistaken for one of those.
 */
const htmlOfLine = (line: string): string =>
  line
    .replace(/[&<>]/g, (one) => escapes[one] ?? one)
    .replace(/(?<=^|[ \u00A0])\u00A0|\u00A0(?=$|[ \u00A0])/g, "&#160;")
    .replace(/^ | $|(?<= ) /g, nbsp)

/** Text as HTML that shows the same. `textOfSimpleHtml` reads it back. */
export const htmlOfText = (text: string): string => {
  const lines = text.split(/\r\n|\r|\n/)
  const html = lines.map(htmlOfLine).join("<br>")
  // A browser does not show a line break at the very end.
  return lines.length > 1 && lines.at(-1) === "" ? `${html}<br>` : html
}

/**
 * Effect of a tag on the layout: `paragraph` is set off by a blank line, `block` stands on a line of its own, `inline` does not
 * matter.
 */
type Layout = "break" | "paragraph" | "block" | "item" | "inline"

interface Block {
  readonly layout: Layout
  /** `\n` is a line break that shows. `\r` stands for source white space that contains one and shows as a space. */
  text: string
}

/** Comments, declarations and tags. No part of it can match in two ways, so that its time grows with the length only. */
const tags = /<!--(?:(?!-->)[^])*(?:-->|$)|<[!?][^<>]*>|<(\/?)([a-z][^\s<>/]*)(?=[\s/>])([^<>]*)>/gi

const markWhitespace = (source: string) => source.replace(/[ \t\r\n\f]+/g, (run) => (/[\r\n\f]/.test(run) ? "\r" : run))

/** Turns no-break spaces that hold a line's spaces in place back into spaces. */
const releaseSpaces = (text: string) => text.replace(/(?<=^|[ \u00A0])\u00A0|\u00A0(?=$|[ \u00A0])/gm, " ")

const textOfSource = (source: string) => decodeReferences(releaseSpaces(source))

const isBlank = ({ text }: Block) => /^[ \t\r]*$/.test(text)

/** The text of a block; undefined if it takes no line. */
const textOfBlock = (block: Block): string | undefined => {
  const { layout, text } = block
  if (isBlank(block)) return undefined
  const lines = text
    .replace(/\r+/g, "\r")
    // A line break at the end of a block ends its last line.
    .replace(/\n\r?$/, "")
    .replace(/(?<=^|\n)\r|\r(?=\n|$)/g, "")
  // Editors put a no-break space into an empty paragraph.
  if (layout !== "inline" && lines.trim() === "") return ""
  return textOfSource(lines.replace(/\r/g, " "))
}

/** Stands for the attributes of a closing tag. */
const closing = "/"

type LayoutOf = (name: string, attributes: string) => Layout | undefined

/** Lays HTML out as text; undefined once a tag has no layout. */
const layOut = (html: string, layoutOf: LayoutOf): string | undefined => {
  let block: Block = { layout: "inline", text: "" }
  const blocks = [block]
  let end = 0
  for (const match of html.matchAll(tags)) {
    const [tag, slash, name = "", attributes = ""] = match
    block.text += markWhitespace(html.slice(end, match.index))
    end = match.index + tag.length
    const isOpening = slash !== "/"
    const layout = layoutOf(name.toLowerCase(), isOpening ? attributes.replace(/\/$/, "") : closing)
    if (layout === undefined) return undefined
    if (layout === "break") block.text += "\n"
    else if (layout !== "inline" && !(isOpening && block.layout === "item" && isBlank(block))) {
      block = { layout: isOpening ? layout : "inline", text: "" }
      blocks.push(block)
    }
  }
  block.text += markWhitespace(html.slice(end))
  let text = ""
  let above: Layout | undefined
  for (const one of blocks) {
    const lines = textOfBlock(one)
    if (lines === undefined) continue
    const isSetOff = above === "paragraph" || one.layout === "paragraph"
    text += `${above === undefined ? "" : isSetOff ? "\n\n" : "\n"}${one.layout === "item" ? "- " : ""}${lines}`
    above = one.layout
  }
  return text
}

/** Attributes that change nothing of what a reader sees. HubSpot's editor sets them, and takes the margin off its paragraphs. */
const plainAttributes =
  /^(?:\s+(?:dir="(?:auto|ltr)"|data-top-level="true"|class="hs-trailingbreak"|style="(?:margin:\s*0(?:px)?;?)?"))*\s*$/

/** Paragraphs and line breaks, and the element that HubSpot's editor wraps around them. */
const simpleLayout: LayoutOf = (name, attributes) => {
  if (attributes !== closing && !plainAttributes.test(attributes)) return undefined
  if (name === "br") return "break"
  if (name === "p") return attributes.includes("margin") ? "block" : "paragraph"
  return name === "div" && (attributes === closing || attributes.includes("data-top-level")) ? "block" : undefined
}

/** Text of HTML that consists of paragraphs, line breaks and character references only; undefined for any other HTML. */
export const textOfSimpleHtml = (html: string): string | undefined => {
  const source = html.replaceAll("&nbsp;", nbsp)
  if (hasUnknownReference(source)) return undefined
  // Without a tag, line breaks are those of an application that took the field for plain text.
  return source.search(tags) < 0 ? textOfSource(source) : layOut(source, simpleLayout)
}

const blockNames = new Set(
  (
    "address article aside blockquote body center dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 " +
    "header hr html main nav ol pre section table tbody tfoot thead tr ul"
  ).split(" ")
)

const anyLayout: LayoutOf = (name) => {
  if (name === "br") return "break"
  if (name === "p") return "paragraph"
  if (name === "li") return "item"
  return blockNames.has(name) ? "block" : "inline"
}

/** Text of any HTML. Its formatting is lost. */
export const textOfHtml = (html: string): string => {
  const simple = textOfSimpleHtml(html)
  if (simple !== undefined) return simple
  const source = html
    .replaceAll("&nbsp;", nbsp)
    .replace(/<(script|style)\b[^<>]*>[^]*?(?:<\/\1\s*>|$)/gi, "")
    .replace(/<\/t[dh]\s*>/gi, " ")
  return layOut(source, anyLayout) ?? ""
}

/** Reads HTML as text if it shows nothing that text cannot show. */
export const contentOfHtml = (html: string): Content => {
  const text = textOfSimpleHtml(html)
  return text === undefined ? { content: html, content_type: "HTML" } : { content: text, content_type: "TEXT" }
}

/** HTML that shows content. */
export const htmlOfContent = ({ content, content_type }: Content): string =>
  content_type === "HTML" ? content : htmlOfText(content)

/** Text of content. Formatting is lost. */
export const textOfContent = ({ content, content_type }: Content): string =>
  content_type === "HTML" ? textOfHtml(content) : content

const withNewlines = (text: string) => text.replace(/\r\n?/g, "\n")

/** Whether two contents are the same for a reader of the API. */
export const isSameContent = (a: Content, b: Content): boolean =>
  a.content_type === b.content_type &&
  (a.content === b.content || (a.content_type === "TEXT" && withNewlines(a.content) === withNewlines(b.content)))
