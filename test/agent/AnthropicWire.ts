import type { Doc } from "../support/SandboxApplication.ts"
import { doc, docs } from "./McpClient.ts"
import {
  type Answer,
  apiKey,
  type End,
  type Piece,
  type Read,
  type Refusal,
  schemaProblem,
  type Wire
} from "./ModelWire.ts"

/*
 * The Messages API of Anthropic: https://platform.claude.com/docs/en/api/messages, its events
 * https://platform.claude.com/docs/en/build-with-claude/streaming, its errors https://platform.claude.com/docs/en/api/errors.
 */

const model = "claude-sonnet-4-5"

// ---------------------------------------------------------------------------------------------------------------------
// requests

const blocksOf = ({ content }: Doc) => (typeof content === "string" ? [{ type: "text", text: content }] : docs(content))

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : docs(content)
        .map(({ text }) => String(text))
        .join("")

const isResult = ({ type }: Doc) => type === "tool_result"
const isCall = ({ type }: Doc) => type === "tool_use"

const read = (body: Doc): Read => {
  const messages = docs(body.messages)
  const asked = messages.findLastIndex(({ role, ...message }) => role === "user" && !blocksOf(message).every(isResult))
  const since = messages.slice(asked + 1)
  const own = blocksOf(messages[asked] ?? {}).filter(({ type }) => type === "text")
  return {
    system: textOf(body.system ?? ""),
    said: String(own.at(-1)?.text),
    step: since.filter(({ role }) => role === "assistant").length,
    results: messages
      .slice(asked)
      .flatMap(blocksOf)
      .filter(isResult)
      .map(({ content, tool_use_id }) => ({ id: String(tool_use_id), answer: textOf(content) })),
    calls: messages
      .flatMap(blocksOf)
      .filter(isCall)
      .map(({ id, input, name }) => ({ id: String(id), name: String(name), args: input })),
    tools: docs(body.tools ?? []).map(({ input_schema, name }) => ({ name: String(name), schema: doc(input_schema) })),
    mayNotCall: body.tool_choice !== undefined && doc(body.tool_choice).type === "none"
  }
}

const name = /^[a-zA-Z0-9_-]{1,128}$/

const sourceProblem = ({ data, media_type, type }: Doc, mediaTypes: RegExp) =>
  type === "base64" && mediaTypes.test(String(media_type)) && /^[A-Za-z0-9+/]+=*$/.test(String(data))
    ? undefined
    : "source: Input should be a valid base64 source"

/** The error in a block of a message, if any. */
const blockProblem = (block: Doc): string | undefined => {
  switch (block.type) {
    case "text":
      return String(block.text).trim() === "" ? "text content blocks must contain non-whitespace text" : undefined
    case "thinking":
      return block.signature === `signed ${String(block.thinking)}`
        ? undefined
        : "Invalid `signature` in `thinking` block"
    case "tool_use":
      if (!/^[a-zA-Z0-9_-]+$/.test(String(block.id))) return "tool_use.id: String should match pattern"
      if (!name.test(String(block.name))) return "tool_use.name: String should match pattern"
      return typeof block.input === "object" && block.input !== null && !Array.isArray(block.input)
        ? undefined
        : "tool_use.input: Input should be a valid dictionary"
    case "tool_result":
      return undefined
    // https://platform.claude.com/docs/en/build-with-claude/vision, …/pdf-support
    case "image":
      return sourceProblem(doc(block.source), /^image\/(png|jpeg|gif|webp)$/)
    case "document":
      return sourceProblem(doc(block.source), /^application\/pdf$/)
    default:
      return `type: ${String(block.type)} is none that this service sends`
  }
}

/** Calls are answered at the beginning of the next message, all of them, and nothing else is. */
const pairProblem = (messages: ReadonlyArray<Doc>): string | undefined =>
  messages
    .map((message, i) => {
      const blocks = blocksOf(message)
      const results = blocks.filter(isResult).map(({ tool_use_id }) => tool_use_id)
      const before = messages[i - 1]
      const calls = before === undefined ? [] : blocksOf(before).filter(isCall)
      if (!blocks.slice(0, results.length).every(isResult)) return `messages.${i}: tool_result blocks come first`
      return calls.length === results.length && calls.every(({ id }) => results.includes(id))
        ? undefined
        : `messages.${i}: each tool_use block must have a corresponding tool_result block in the next message`
    })
    .find((problem) => problem !== undefined)

const problem: Wire["problem"] = ({ body, headers }) => {
  if (headers["x-api-key"] !== apiKey || headers.authorization !== undefined) return "invalid x-api-key"
  if (headers["anthropic-version"] !== "2023-06-01") return "anthropic-version: header is required"
  if (body.model !== model) return `model: ${String(body.model)}`
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1) return "max_tokens: Field required"
  if (body.stream !== true) return "stream: must be true here"
  const messages = docs(body.messages)
  if (messages[0]?.role !== "user") return "messages: first message must use the user role"
  if (messages.at(-1)?.role !== "user") return "messages: the model does not go on with what it said"
  if (messages.some(({ role }, i) => role === messages[i - 1]?.role)) return "messages: roles must alternate"
  const { calls, tools } = read(body)
  if (calls.length > 0 && tools.length === 0) return "Requests which include `tool_use` blocks must define tools"
  for (const tool of docs(body.tools ?? [])) {
    if (!name.test(String(tool.name))) return `tools.${String(tool.name)}: String should match pattern`
    const wrong = schemaProblem(doc(tool.input_schema))
    if (wrong !== undefined) return `tools.${String(tool.name)}.input_schema: ${wrong}`
  }
  if (messages.some((message) => blocksOf(message).at(-1)?.type === "thinking")) {
    return "messages: The final block in an assistant message cannot be `thinking`"
  }
  return (
    pairProblem(messages) ??
    messages
      .flatMap(blocksOf)
      .map(blockProblem)
      .find((wrong) => wrong !== undefined)
  )
}

// ---------------------------------------------------------------------------------------------------------------------
// answers

const block = (index: number, content_block: Doc, deltas: ReadonlyArray<Doc>): ReadonlyArray<Doc> => [
  { type: "content_block_start", index, content_block },
  { type: "ping" },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta }))
]

const eventsOf = (piece: Piece, index: number, n: number): ReadonlyArray<Doc> => {
  if ("thought" in piece) {
    return block(index, { type: "thinking", thinking: "", signature: "" }, [
      { type: "thinking_delta", thinking: piece.thought },
      { type: "signature_delta", signature: `signed ${piece.thought}` }
    ])
  }
  if ("text" in piece) {
    return block(
      index,
      { type: "text", text: "" },
      piece.text.map((text) => ({ type: "text_delta", text }))
    )
  }
  return block(
    index,
    { type: "tool_use", id: `toolu_${n}_${index}`, name: piece.call, input: {} },
    ["", ...piece.args].map((partial_json) => ({ type: "input_json_delta", partial_json }))
  )
}

const stopReason = (pieces: ReadonlyArray<Piece>, end: End) => {
  if (end === "cut") return "max_tokens"
  if (end === "refused") return "refusal"
  return pieces.some((piece) => "call" in piece) ? "tool_use" : "end_turn"
}

const failure = (type: string, message: string): Doc => ({
  type: "error",
  error: { details: null, type, message },
  request_id: "req_1"
})

const overloaded = failure("overloaded_error", `Overloaded: ${apiKey}`)

const events = ({ end, pieces }: Answer, n: number): ReadonlyArray<Doc> => {
  if (end === "failed" && pieces.length === 0) return [overloaded]
  const usage = { input_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 15, output_tokens: 1 }
  const message = { id: `msg_${n}`, type: "message", role: "assistant", content: [], model, stop_reason: null, usage }
  const blocks = pieces.map((piece, i) => eventsOf(piece, i, n))
  const isOpen = end === "failed" || end === "silent" || end === "broken"
  return [
    { type: "message_start", message },
    ...blocks.flatMap((some, index) =>
      isOpen && index === blocks.length - 1 ? some : [...some, { type: "content_block_stop", index }]
    ),
    ...(end === "failed" ? [overloaded] : []),
    ...(isOpen
      ? []
      : [
          {
            type: "message_delta",
            delta: { stop_reason: stopReason(pieces, end), stop_sequence: null },
            usage: { output_tokens: 10 }
          },
          { type: "message_stop" }
        ])
  ]
}

const refuse = (status: number, type: string, message: string, headers: Refusal["headers"] = {}): Refusal => ({
  status,
  headers,
  body: failure(type, message)
})

export const anthropic: Wire = {
  provider: "anthropic",
  model,
  path: "/messages",
  read,
  problem,
  events,
  refusals: {
    key: refuse(401, "authentication_error", `invalid x-api-key ${apiKey}`),
    model: refuse(404, "not_found_error", `model: ${model}`),
    busy: refuse(429, "rate_limit_error", "This request would exceed your rate limit", { "retry-after": "0" }),
    overloaded: refuse(529, "overloaded_error", "Overloaded", { "retry-after": "0" }),
    down: refuse(500, "api_error", "Internal server error", { "retry-after": "0" }),
    tooLong: refuse(400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
  },
  mistake: (message) => refuse(400, "invalid_request_error", message)
}
