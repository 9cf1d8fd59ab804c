import { getPath, isNative, type Native, natives } from "../../mapping/Mapping.ts"

/**
 * Jira's texts are documents of nodes (Atlassian Document Format); people and models write Markdown.
 * https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
 */
export interface DocumentNode {
  readonly type: string
  readonly version?: 1
  readonly attrs?: { readonly [name: string]: unknown }
  readonly content?: ReadonlyArray<DocumentNode>
  readonly text?: string
  readonly marks?: ReadonlyArray<Mark>
}

interface Mark {
  readonly type: string
  readonly attrs?: { readonly [name: string]: unknown }
}

// Markdown -> document --------------------------------------------------------------------------------------------------

const node = (type: string, content: ReadonlyArray<DocumentNode>, attrs?: DocumentNode["attrs"]): DocumentNode => ({
  type,
  ...(attrs === undefined ? {} : { attrs }),
  ...(content.length === 0 ? {} : { content })
})

const plain = (text: string, marks: ReadonlyArray<Mark>): ReadonlyArray<DocumentNode> =>
  text === ""
    ? []
    : [{ type: "text", text: text.replace(/\\([\\`*_~[\]()#>+.-])/g, "$1"), ...(marks.length === 0 ? {} : { marks }) }]

/** Spans within a line, the longer marks first. */
const spans = new RegExp(
  [
    "`(?<code>[^`]+)`",
    "\\[(?<label>[^[\\]]+)\\]\\((?<href>[^()\\s]+)\\)",
    "(?<![\\\\*])\\*\\*(?<strong>[^\\s*](?:.*?[^\\s*\\\\])?)\\*\\*",
    "~~(?<strike>[^~]+)~~",
    "(?<![\\\\*\\w])\\*(?<em>[^\\s*](?:[^*]*[^\\s*\\\\])?)\\*(?!\\w)",
    "(?<![\\\\_\\w])_(?<under>[^\\s_](?:[^_]*[^\\s_\\\\])?)_(?!\\w)"
  ].join("|"),
  "g"
)

/** One span with what it marks. */
const span = (groups: { readonly [name: string]: string | undefined }, marks: ReadonlyArray<Mark>) => {
  const { code, em, href, label, strike, strong, under } = groups
  const within = (inner: string, mark: Mark) => inline(inner, [...marks, mark])
  if (code !== undefined) {
    // code stands with links only
    return [{ type: "text", text: code, marks: [...marks.filter(({ type }) => type === "link"), { type: "code" }] }]
  }
  if (label !== undefined) return within(label, { type: "link", attrs: { href } })
  if (strong !== undefined) return within(strong, { type: "strong" })
  return strike === undefined ? within(em ?? under ?? "", { type: "em" }) : within(strike, { type: "strike" })
}

const inline = (text: string, marks: ReadonlyArray<Mark> = []): ReadonlyArray<DocumentNode> => {
  const nodes: Array<DocumentNode> = []
  let at = 0
  for (const found of text.matchAll(spans)) {
    nodes.push(...plain(text.slice(at, found.index), marks), ...span(found.groups ?? {}, marks))
    at = found.index + found[0].length
  }
  return [...nodes, ...plain(text.slice(at), marks)]
}

const paragraph = (lines: ReadonlyArray<string>): DocumentNode =>
  node(
    "paragraph",
    lines.flatMap((line, index) => [...(index === 0 ? [] : [{ type: "hardBreak" }]), ...inline(line.trim())])
  )

const fence = /^\s*```\s*([\w+-]*)\s*$/
const heading = /^(#{1,6})\s+(.+?)\s*#*$/
const rule = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/
const quote = /^\s*> ?(.*)$/
const bullet = /^(\s*)(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/

const isBlank = (line: string | undefined) => line === undefined || line.trim() === ""

const startsBlock = (line: string) => [fence, heading, rule, quote, bullet].some((form) => form.test(line))

/** How many of the lines from the first on hold. */
const run = (lines: ReadonlyArray<string>, holds: (line: string, index: number) => boolean): number => {
  const end = lines.findIndex((line, index) => !holds(line, index))
  return end < 0 ? lines.length : end
}

const indentOf = (line: string) => line.length - line.trimStart().length

interface Item {
  readonly isOrdered: boolean
  readonly start: number
  readonly lines: ReadonlyArray<string>
}

/** The first item of a list, and how many lines it takes: those below it that are indented further belong to it. */
const itemIn = (lines: ReadonlyArray<string>): readonly [Item, number] | undefined => {
  const [whole, lead = "", number, first = ""] = bullet.exec(lines[0] ?? "") ?? []
  if (whole === undefined) return undefined
  const indent = lead.length
  const rest = lines.slice(1)
  const more = run(rest, (line, index) =>
    isBlank(line) ? !isBlank(rest[index + 1]) && indentOf(rest[index + 1] ?? "") > indent : indentOf(line) > indent
  )
  const below = rest.slice(0, more)
  const depth = Math.min(...below.filter((line) => !isBlank(line)).map(indentOf))
  return [
    {
      isOrdered: number !== undefined,
      start: Number(number ?? 1),
      lines: [first, ...below.map((line) => line.slice(depth))]
    },
    1 + more
  ]
}

/** Lists and quotes hold no headings, quotes or rules: these become what may stand there. */
const nestable = (blocks: ReadonlyArray<DocumentNode>): ReadonlyArray<DocumentNode> =>
  blocks.flatMap((block) => {
    if (block.type === "heading") return [node("paragraph", block.content ?? [])]
    if (block.type === "blockquote") return block.content ?? []
    return block.type === "rule" ? [] : [block]
  })

const listItem = ({ lines }: Item, depth: number): DocumentNode => {
  const blocks = nestable(blocksOf(lines, depth + 1))
  const first = blocks[0]?.type
  return node("listItem", first === "paragraph" || first === "codeBlock" ? blocks : [node("paragraph", []), ...blocks])
}

/** The first block of some lines, and how many of them it takes. */
const blockIn = (lines: ReadonlyArray<string>, depth: number): readonly [DocumentNode, number] => {
  const [first = ""] = lines
  const language = fence.exec(first)?.[1]
  if (language !== undefined) {
    const length = run(lines.slice(1), (line) => !fence.test(line))
    const text = lines.slice(1, 1 + length).join("\n")
    const content = text === "" ? [] : [{ type: "text", text }]
    return [node("codeBlock", content, language === "" ? undefined : { language }), length + 2]
  }
  const [, hashes, title] = heading.exec(first) ?? []
  if (hashes !== undefined) return [node("heading", inline(title ?? ""), { level: hashes.length }), 1]
  if (rule.test(first)) return [{ type: "rule" }, 1]
  if (quote.test(first)) {
    const length = run(lines, (line) => quote.test(line))
    const inner = nestable(
      blocksOf(
        lines.slice(0, length).map((line) => quote.exec(line)?.[1] ?? ""),
        depth + 1
      )
    )
    return [node("blockquote", inner.length === 0 ? [node("paragraph", [])] : inner), length]
  }
  const item = itemIn(lines)
  if (item !== undefined) return listIn(lines, item[0], depth)
  const length = 1 + run(lines.slice(1), (line) => !isBlank(line) && !startsBlock(line))
  return [paragraph(lines.slice(0, length)), length]
}

/** Items of one kind that follow each other. */
const listIn = (
  lines: ReadonlyArray<string>,
  { isOrdered, start }: Item,
  depth: number
): readonly [DocumentNode, number] => {
  const items: Array<DocumentNode> = []
  let taken = 0
  for (;;) {
    const next = itemIn(lines.slice(taken))
    if (next === undefined || next[0].isOrdered !== isOrdered) break
    items.push(listItem(next[0], depth))
    taken += next[1]
  }
  const attrs = isOrdered && start !== 1 ? { order: start } : undefined
  return [node(isOrdered ? "orderedList" : "bulletList", items, attrs), taken]
}

/** Lists and quotes within each other; deeper ones stay text. */
const deepest = 8

const blocksOf = (lines: ReadonlyArray<string>, depth = 0): ReadonlyArray<DocumentNode> => {
  if (depth > deepest) return [paragraph(lines)]
  const blocks: Array<DocumentNode> = []
  for (let at = 0; at < lines.length;) {
    if (isBlank(lines[at])) {
      at += 1
      continue
    }
    const [block, taken] = blockIn(lines.slice(at), depth)
    blocks.push(block)
    at += taken
  }
  return blocks
}

/**
 * Makes a document of a text in Markdown: headings, lists, quotes, code, rules, bold, italics, strikethrough and links.
 * Everything else stays text; a new line stays one.
 */
export const toDocument = (markdown: string): DocumentNode => ({
  type: "doc",
  version: 1,
  content: blocksOf(markdown.replaceAll("\r\n", "\n").split("\n"))
})

// document -> Markdown --------------------------------------------------------------------------------------------------

const attribute = (record: Native, name: string): string => {
  const value = getPath(record, `attrs.${name}`)
  return typeof value === "string" || typeof value === "number" ? String(value) : ""
}

const wraps: { readonly [mark: string]: string } = { strong: "**", em: "*", strike: "~~", code: "`" }

const marked = (record: Native): string =>
  natives(record.marks).reduceRight<string>(
    (text, mark) => {
      const type = String(mark.type)
      return type === "link"
        ? `[${text}](${attribute(mark, "href")})`
        : `${wraps[type] ?? ""}${text}${wraps[type] ?? ""}`
    },
    typeof record.text === "string" ? record.text : ""
  )

const day = (milliseconds: string) =>
  /^-?\d+$/.test(milliseconds) ? new Date(Number(milliseconds)).toISOString().slice(0, 10) : milliseconds

const inlineText = (record: Native): string => {
  switch (record.type) {
    case "text":
      return marked(record)
    case "hardBreak":
      return "\n"
    case "mention":
      return attribute(record, "text") === "" ? `@${attribute(record, "id")}` : attribute(record, "text")
    case "emoji":
      return attribute(record, "text") === "" ? attribute(record, "shortName") : attribute(record, "text")
    case "date":
      return day(attribute(record, "timestamp"))
    case "status":
      return `[${attribute(record, "text")}]`
    case "inlineCard":
    case "blockCard":
    case "embedCard":
      return attribute(record, "url")
    case "media":
    case "mediaInline":
      return `[attachment ${attribute(record, "alt") === "" ? attribute(record, "id") : attribute(record, "alt")}]`
    default:
      return natives(record.content).map(inlineText).join("")
  }
}

const indented = (text: string, lead: string) => text.split("\n").join(`\n${lead}`)

const items = (record: Native, lead: (item: Native, index: number) => string) =>
  natives(record.content)
    .map((item, index) => {
      const mark = lead(item, index)
      const isBlocks = natives(item.content).some(({ type }) => type === "paragraph" || type === "codeBlock")
      const text = isBlocks ? blockTexts(item).join("\n") : inlineText(item)
      return mark + indented(text, " ".repeat(mark.length))
    })
    .join("\n")

const row = (record: Native) =>
  `| ${natives(record.content)
    .map((cell) =>
      blockTexts(cell)
        .join(" ")
        .replace(/\s*\n\s*/g, " ")
    )
    .join(" | ")} |`

const tableText = (record: Native): string => {
  const [head, ...rest] = natives(record.content)
  if (head === undefined) return ""
  const line = `|${" --- |".repeat(natives(head.content).length)}`
  return [row(head), line, ...rest.map(row)].join("\n")
}

const blockText = (record: Native): string => {
  switch (record.type) {
    case "heading":
      return `${"#".repeat(Number(attribute(record, "level")) || 1)} ${inlineText(record)}`
    case "bulletList":
      return items(record, () => "- ")
    case "orderedList":
      return items(record, (_, index) => `${(Number(attribute(record, "order")) || 1) + index}. `)
    case "taskList":
    case "decisionList":
      return items(record, (item) => (attribute(item, "state") === "DONE" ? "- [x] " : "- [ ] "))
    case "codeBlock":
      return `\`\`\`${attribute(record, "language")}\n${inlineText(record)}\n\`\`\``
    case "blockquote":
    case "panel":
      return `> ${indented(blockTexts(record).join("\n\n"), "> ")}`
    case "rule":
      return "---"
    case "table":
      return tableText(record)
    case "expand":
    case "nestedExpand":
      return [`**${attribute(record, "title")}**`, ...blockTexts(record)].join("\n\n")
    case "paragraph":
    case "mediaSingle":
    case "mediaGroup":
      return inlineText(record)
    default:
      return natives(record.content).length > 0 && !isInline(record)
        ? blockTexts(record).join("\n\n")
        : inlineText(record)
  }
}

const isInline = (record: Native) => natives(record.content).every(({ type }) => type === "text")

const blockTexts = (record: Native): ReadonlyArray<string> =>
  natives(record.content)
    .map(blockText)
    .filter((text) => text !== "")

/** The text of a document, as Markdown; nodes that Markdown lacks (a panel, a mention, a file) become words. */
export const toMarkdown = (document: unknown): string =>
  isNative(document) ? blockTexts(document).join("\n\n") : typeof document === "string" ? document : ""
