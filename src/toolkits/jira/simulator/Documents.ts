import { Predicate } from "effect"

/**
 * Which documents Jira takes: https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
 * Blocks and what each may hold; inline nodes hold nothing.
 */
const inline = ["text", "hardBreak", "mention", "emoji", "date", "status", "inlineCard"]
const lists = ["bulletList", "orderedList"]

const holds: { readonly [type: string]: ReadonlyArray<string> } = {
  doc: [
    "paragraph",
    "heading",
    ...lists,
    "codeBlock",
    "blockquote",
    "rule",
    "panel",
    "table",
    "mediaSingle",
    "taskList",
    "expand"
  ],
  paragraph: inline,
  heading: inline,
  bulletList: ["listItem"],
  orderedList: ["listItem"],
  listItem: ["paragraph", "codeBlock", "mediaSingle", ...lists],
  blockquote: ["paragraph", "codeBlock", "mediaSingle", ...lists],
  panel: ["paragraph", "heading", ...lists],
  codeBlock: ["text"],
  expand: ["paragraph", "heading", ...lists, "codeBlock"],
  table: ["tableRow"],
  tableRow: ["tableHeader", "tableCell"],
  tableHeader: ["paragraph", ...lists],
  tableCell: ["paragraph", ...lists],
  taskList: ["taskItem"],
  taskItem: inline,
  mediaSingle: ["media"]
}

/** Nodes that must hold something. */
const neverEmpty = [...lists, "listItem", "blockquote", "panel", "table", "tableRow"]

const markTypes = ["strong", "em", "strike", "code", "underline", "link", "subsup", "textColor"]

const isMark = (mark: unknown): boolean =>
  Predicate.isRecord(mark) &&
  markTypes.includes(String(mark["type"])) &&
  (mark["type"] !== "link" || (Predicate.isRecord(mark["attrs"]) && typeof mark["attrs"]["href"] === "string"))

const isText = ({ marks = [], text }: { readonly [name: string]: unknown }): boolean => {
  if (typeof text !== "string" || text === "" || !Array.isArray(marks) || !marks.every(isMark)) return false
  const types = marks.map((mark: unknown) => (Predicate.isRecord(mark) ? mark["type"] : undefined))
  return !types.includes("code") || types.every((type) => type === "code" || type === "link")
}

const isNode = (node: unknown): boolean => {
  if (!Predicate.isRecord(node)) return false
  const { attrs, content = [], type } = node
  if (type === "text") return isText(node)
  const allowed = holds[String(type)]
  if (allowed === undefined)
    return (inline.includes(String(type)) || type === "rule" || type === "media") && node["content"] === undefined
  if (!Array.isArray(content) || (content.length === 0 && neverEmpty.includes(String(type)))) return false
  if (type === "heading" && !(Predicate.isRecord(attrs) && [1, 2, 3, 4, 5, 6].includes(Number(attrs["level"]))))
    return false
  return content.every(
    (child: unknown) => Predicate.isRecord(child) && allowed.includes(String(child["type"])) && isNode(child)
  )
}

/** Whether a value is a document that Jira takes. */
export const isDocument = (value: unknown): value is { readonly [name: string]: unknown } =>
  Predicate.isRecord(value) && value["type"] === "doc" && value["version"] === 1 && isNode(value)

/** All words of a document. */
export const wordsOf = (value: unknown): string => {
  if (!Predicate.isRecord(value)) return ""
  const { content, text } = value
  return [typeof text === "string" ? text : "", ...(Array.isArray(content) ? content.map(wordsOf) : [])].join(" ")
}

/** A document of paragraphs. */
export const documentOf = (text: string) => ({
  type: "doc",
  version: 1,
  content: text
    .split("\n\n")
    .filter((part) => part !== "")
    .map((part) => ({ type: "paragraph", content: [{ type: "text", text: part }] }))
})
