import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"
import type { JsonObject } from "../Tool.ts"

// Notion's rich texts and blocks as Markdown, and back: https://developers.notion.com/reference/block

/** Characters of one rich text, and of a block's texts: https://developers.notion.com/reference/request-limits#size-limits */
const longest = 2000

export const plain = (value: unknown): string =>
  natives(value)
    .map(({ plain_text }) => (typeof plain_text === "string" ? plain_text : ""))
    .join("")

const marks = [
  ["code", "`"],
  ["bold", "**"],
  ["italic", "_"],
  ["strikethrough", "~~"]
] as const

const marked = (text: Native): string => {
  const words = typeof text["plain_text"] === "string" ? text["plain_text"] : ""
  if (words.trim() === "") return words
  const styled = marks.reduce(
    (made, [name, mark]) => (getPath(text, `annotations.${name}`) === true ? mark + made + mark : made),
    words
  )
  const href = text["href"]
  return typeof href === "string" ? `[${styled}](${href})` : styled
}

export const markdown = (value: unknown): string => natives(value).map(marked).join("")

const before: { readonly [type: string]: string } = {
  heading_1: "# ",
  heading_2: "## ",
  heading_3: "### ",
  bulleted_list_item: "- ",
  numbered_list_item: "1. ",
  quote: "> ",
  callout: "> ",
  toggle: "- "
}

/** A block in Markdown; one that holds no text shows its type. */
export const blockText = (block: Native): string => {
  const type = String(block["type"])
  const content = block[type]
  if (!isNative(content)) return `[${type}]`
  const text = markdown(content["rich_text"])
  if (type === "to_do") return `- [${content["checked"] === true ? "x" : " "}] ${text}`
  if (type === "code") return `\`\`\`${String(content["language"] ?? "")}\n${plain(content["rich_text"])}\n\`\`\``
  if (type === "divider") return "---"
  if (type === "equation") return `$$${String(content["expression"] ?? "")}$$`
  if (type === "child_page" || type === "child_database") return `[${type}: ${String(content["title"] ?? "")}]`
  if (type === "table_row" && Array.isArray(content["cells"]))
    return `| ${content["cells"].map(markdown).join(" | ")} |`
  const address = content["url"] ?? getPath(content, "external.url")
  if (typeof address === "string") return `[${type}: ${address}]`
  return "rich_text" in content ? (before[type] ?? "") + text : `[${type}]`
}

/** Pieces of a text that each fit one rich text; none ends within a character. */
const pieces = (text: string): ReadonlyArray<string> => text.match(new RegExp(`[^]{1,${longest}}`, "gu")) ?? []

const rich = (content: string, more: JsonObject = {}): ReadonlyArray<JsonObject> =>
  pieces(content).map((piece) => ({ type: "text", text: { content: piece, ...more } }))

/** A plain text as rich text. */
export const richText = (text: string): ReadonlyArray<JsonObject> => rich(text)

/** Inline Markdown as rich text: links, code, bold, italic, struck out. */
const inline = (text: string): ReadonlyArray<JsonObject> => {
  const made: Array<JsonObject> = []
  for (const [piece, label, url, code, bold, struck, italic] of text.matchAll(
    /\[([^\]]+)\]\((https?:[^)\s]+)\)|`([^`]+)`|\*\*([^*]+)\*\*|~~([^~]+)~~|\b_([^_]+)_\b|[^[`*~_]+|[^]/g
  )) {
    const words = label ?? code ?? bold ?? struck ?? italic ?? piece
    const annotation =
      code !== undefined
        ? "code"
        : bold !== undefined
          ? "bold"
          : struck !== undefined
            ? "strikethrough"
            : italic !== undefined
              ? "italic"
              : undefined
    made.push(
      ...rich(words, url === undefined ? {} : { link: { url } }).map((one) => ({
        ...one,
        ...(annotation === undefined ? {} : { annotations: { [annotation]: true } })
      }))
    )
  }
  return made
}

const block = (type: string, content: JsonObject): JsonObject => ({ object: "block", type, [type]: content })

const starts: ReadonlyArray<readonly [RegExp, string]> = [
  [/^# +(.*)$/, "heading_1"],
  [/^## +(.*)$/, "heading_2"],
  [/^#{3,6} +(.*)$/, "heading_3"],
  [/^\s*[-*] +(.*)$/, "bulleted_list_item"],
  [/^\s*\d+[.)] +(.*)$/, "numbered_list_item"],
  [/^> ?(.*)$/, "quote"]
]

const lineBlock = (line: string): JsonObject => {
  const [, checked, task] = /^\s*[-*] +\[([ xX])\] +(.*)$/.exec(line) ?? []
  if (checked !== undefined && task !== undefined) {
    return block("to_do", { rich_text: inline(task), checked: checked !== " " })
  }
  if (/^(-{3,}|\*{3,})$/.test(line.trim())) return block("divider", {})
  for (const [start, type] of starts) {
    const text = start.exec(line)?.[1]
    if (text !== undefined) return block(type, { rich_text: inline(text) })
  }
  return block("paragraph", { rich_text: inline(line) })
}

/** Blocks of a Markdown text: each line that is not empty is one, and lines between fences are code. */
export const blocksOf = (text: string): ReadonlyArray<JsonObject> => {
  const made: Array<JsonObject> = []
  let code: Array<string> | undefined
  for (const line of text.replaceAll("\r\n", "\n").split("\n")) {
    if (line.startsWith("```")) {
      if (code !== undefined) made.push(block("code", { rich_text: richText(code.join("\n")), language: "plain text" }))
      code = code === undefined ? [] : undefined
    } else if (code !== undefined) code.push(line)
    else if (line.trim() !== "") made.push(lineBlock(line))
  }
  if (code !== undefined && code.length > 0) {
    made.push(block("code", { rich_text: richText(code.join("\n")), language: "plain text" }))
  }
  return made
}
