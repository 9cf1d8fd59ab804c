import type { Doc } from "../support/SandboxApplication.ts"
import { doc, docs } from "./McpClient.ts"
import { type Answer, apiKey, type Piece, type Read, type Refusal, schemaProblem, type Wire } from "./ModelWire.ts"

/*
 * The Responses API of OpenAI: https://platform.openai.com/docs/api-reference/responses, its events
 * https://platform.openai.com/docs/api-reference/responses-streaming, its functions
 * https://platform.openai.com/docs/guides/function-calling.
 */

/** A model that thinks before it answers. */
const model = "gpt-5"

// ---------------------------------------------------------------------------------------------------------------------
// requests

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : docs(content)
        .map(({ text }) => String(text))
        .join("")

const isFromModel = ({ role, type }: Doc) => role === "assistant" || type === "function_call" || type === "reasoning"

const read = (body: Doc): Read => {
  const input = docs(body.input)
  const asked = input.findLastIndex(({ role }) => role === "user")
  const since = input.slice(asked + 1)
  return {
    system: textOf(input.find(({ role }) => role === "developer" || role === "system")?.content ?? ""),
    said: String(
      docs(input[asked]?.content)
        .filter(({ type }) => type === "input_text")
        .at(-1)?.text
    ),
    // what the model said at once stands together
    step: since.filter((item, i) => isFromModel(item) && !isFromModel(since[i - 1] ?? {})).length,
    results: since
      .filter(({ type }) => type === "function_call_output")
      .map(({ call_id, output }) => ({ id: String(call_id), answer: textOf(output) })),
    calls: input
      .filter(({ type }) => type === "function_call")
      .map((item) => ({ id: String(item.call_id), name: String(item.name), args: item.arguments })),
    tools: docs(body.tools ?? []).map(({ name, parameters }) => ({ name: String(name), schema: doc(parameters) })),
    mayNotCall: body.tool_choice === "none"
  }
}

const name = /^[a-zA-Z0-9_-]{1,64}$/

/** Ids of items say what they are of. */
const prefixes: { readonly [type: string]: string } = { function_call: "fc_", reasoning: "rs_", message: "msg_" }

const itemProblem = (item: Doc): string | undefined => {
  const type = String(item.type ?? "message")
  const prefix = prefixes[type]
  if (type === "item_reference") return "Items are not persisted when `store` is set to false"
  if (item.id !== undefined && prefix !== undefined && !String(item.id).startsWith(prefix)) {
    return `Expected an ID that begins with '${prefix}'`
  }
  if (type === "reasoning") {
    // its words travel sealed, since nothing is stored
    return typeof item.encrypted_content === "string" ? undefined : `Item with id '${String(item.id)}' not found`
  }
  if (type === "function_call") {
    if (!name.test(String(item.name))) return `Invalid 'name': '${String(item.name)}'`
    return typeof item.arguments === "string" ? undefined : "Invalid type for 'arguments': expected a string"
  }
  if (type === "function_call_output") return item.output === "" ? "output: must not be empty" : undefined
  if (item.role === "user")
    return docs(item.content)
      .map(contentProblem)
      .find((wrong) => wrong !== undefined)
  return ["assistant", "developer"].includes(String(item.role)) ? undefined : `Invalid value: '${type}'`
}

/** https://platform.openai.com/docs/guides/images-vision, …/pdf-files */
const contentProblem = (part: Doc): string | undefined => {
  switch (part.type) {
    case "input_text":
      return typeof part.text === "string" ? undefined : "text: must be text"
    case "input_image":
      return /^data:image\/(png|jpeg|gif|webp);base64,/.test(String(part.image_url)) ? undefined : "Invalid image_url"
    case "input_file":
      return typeof part.filename === "string" && String(part.file_data).startsWith("data:application/pdf;base64,")
        ? undefined
        : "Invalid file_data"
    default:
      return `Invalid value: '${String(part.type)}'`
  }
}

/** Calls that are answered never, or by nobody asked. */
const pairProblem = (input: ReadonlyArray<Doc>): string | undefined => {
  const calls = input.filter(({ type }) => type === "function_call").map(({ call_id }) => call_id)
  const outputs = input.filter(({ type }) => type === "function_call_output").map(({ call_id }) => call_id)
  const open = calls.find((id) => !outputs.includes(id))
  if (open !== undefined) return `No tool output found for function call ${String(open)}.`
  const lost = outputs.find((id) => !calls.includes(id))
  return lost === undefined ? undefined : `No tool call found for function call output with call_id ${String(lost)}.`
}

/** Refuses reasoning without the item that has to follow it. */
const thoughtProblem = (input: ReadonlyArray<Doc>): string | undefined => {
  const alone = input.find(({ type }, i) => type === "reasoning" && !isFromModel(input[i + 1] ?? {}))
  return alone && `Item '${String(alone.id)}' of type 'reasoning' was provided without its required following item.`
}

const problem: Wire["problem"] = ({ body, headers }) => {
  if (headers.authorization !== `Bearer ${apiKey}`) return "Incorrect API key provided"
  if (body.model !== model) return `The model '${String(body.model)}' does not exist`
  if (body.stream !== true) return "stream: must be true here"
  if (body.store !== false) return "store: what is said here is not to be kept"
  if (body.max_output_tokens !== undefined && Number(body.max_output_tokens) < 16) {
    return "Invalid 'max_output_tokens': integer below minimum value"
  }
  const input = docs(body.input)
  if (input[0]?.role !== "developer") return "input.0: a model that thinks takes its instructions as developer's"
  for (const tool of docs(body.tools ?? [])) {
    if (!name.test(String(tool.name))) return `Invalid 'tools.name': '${String(tool.name)}'`
    // without it every argument becomes required, and objects lose the members that are not declared
    if (tool.strict !== false) return `tools.${String(tool.name)}: strict is on unless it is set to false`
    const wrong = schemaProblem(doc(tool.parameters))
    if (wrong !== undefined) return `Invalid schema for function '${String(tool.name)}': ${wrong}`
  }
  return pairProblem(input) ?? thoughtProblem(input) ?? input.map(itemProblem).find((wrong) => wrong !== undefined)
}

// ---------------------------------------------------------------------------------------------------------------------
// answers

/** An item of an answer: what opens it, what comes within, what it is at its end. */
interface Item {
  readonly added: Doc
  readonly within: ReadonlyArray<Doc>
  readonly done: Doc
}

const reasoning = (id: string, text: string): Item => {
  const part = { item_id: id, summary_index: 0 }
  const summary = { type: "summary_text", text }
  const item = { id, type: "reasoning", encrypted_content: `sealed ${text}` }
  return {
    added: { ...item, summary: [] },
    within: [
      { type: "response.reasoning_summary_part.added", ...part, part: { ...summary, text: "" } },
      { type: "response.reasoning_summary_text.delta", ...part, delta: text },
      { type: "response.reasoning_summary_text.done", ...part, text },
      { type: "response.reasoning_summary_part.done", ...part, part: summary }
    ],
    done: { ...item, summary: [summary] }
  }
}

const message = (id: string, kind: "output_text" | "refusal", pieces: ReadonlyArray<string>): Item => {
  const item = { id, type: "message", role: "assistant" }
  const at = { item_id: id, content_index: 0 }
  const member = kind === "refusal" ? "refusal" : "text"
  const part = { type: kind, [member]: pieces.join("") }
  return {
    added: { ...item, status: "in_progress", content: [] },
    within: [
      { type: "response.content_part.added", ...at, part: { ...part, [member]: "" } },
      ...pieces.map((delta) => ({ type: `response.${kind}.delta`, ...at, delta })),
      { type: `response.${kind}.done`, ...at, [member]: pieces.join("") },
      { type: "response.content_part.done", ...at, part }
    ],
    done: { ...item, status: "completed", content: [part] }
  }
}

const functionCall = (id: string, callId: string, called: string, pieces: ReadonlyArray<string>): Item => {
  const item = { id, type: "function_call", call_id: callId, name: called }
  const args = pieces.join("")
  return {
    added: { ...item, status: "in_progress", arguments: "" },
    within: [
      ...pieces.map((delta) => ({ type: "response.function_call_arguments.delta", item_id: id, delta })),
      { type: "response.function_call_arguments.done", item_id: id, name: called, arguments: args }
    ],
    done: { ...item, status: "completed", arguments: args }
  }
}

const itemOf = (piece: Piece, id: string): Item => {
  if ("thought" in piece) return reasoning(`rs_${id}`, piece.thought)
  if ("text" in piece) return message(`msg_${id}`, "output_text", piece.text)
  return functionCall(`fc_${id}`, `call_${id}`, piece.call, piece.args)
}

const usage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 15 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 30
}

const events = ({ end, pieces }: Answer, n: number): ReadonlyArray<Doc> => {
  const response = {
    id: `resp_${n}`,
    object: "response",
    created_at: 1763712000,
    status: "in_progress",
    error: null,
    incomplete_details: null,
    model,
    output: [],
    usage: null
  }
  const error = { code: "server_error", message: `The server had an error. ${apiKey}` }
  const items = [
    ...pieces.map((piece, i) => itemOf(piece, `${n}_${i}`)),
    ...(end === "refused" ? [message(`msg_${n}_no`, "refusal", ["I can't ", "help with that."])] : [])
  ]
  const isOpen = end === "failed" || end === "silent" || end === "broken"
  const output = items.flatMap(({ added, done, within }, output_index) => [
    { type: "response.output_item.added", output_index, item: added },
    ...(isOpen && output_index === items.length - 1
      ? within.filter(({ type }) => !String(type).endsWith(".done"))
      : [...within, { type: "response.output_item.done", item: done }]
    ).map((event) => ({ ...event, output_index }))
  ])
  const whole = { ...response, output: items.map(({ done }) => done), usage }
  const ends: { readonly [E in Answer["end"]]: ReadonlyArray<Doc> } = {
    whole: [{ type: "response.completed", response: { ...whole, status: "completed" } }],
    refused: [{ type: "response.completed", response: { ...whole, status: "completed" } }],
    cut: [
      {
        type: "response.incomplete",
        response: { ...whole, status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }
      }
    ],
    failed: [
      { type: "error", ...error, param: null },
      { type: "response.failed", response: { ...response, status: "failed", error } }
    ],
    silent: [],
    broken: []
  }
  return [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    ...output,
    ...ends[end]
  ].map((event, sequence_number) => ({ ...event, sequence_number }))
}

const refuse = (
  status: number,
  error: { readonly type: string; readonly code: string | null; readonly message: string },
  headers: Refusal["headers"] = {}
): Refusal => ({ status, headers, body: { error: { param: null, ...error } } })

const invalid = "invalid_request_error"
const soon = { "retry-after": "0" }

export const openai: Wire = {
  provider: "openai",
  model,
  path: "/responses",
  read,
  problem,
  events,
  refusals: {
    key: refuse(401, { type: invalid, code: "invalid_api_key", message: `Incorrect API key provided: ${apiKey}.` }),
    model: refuse(404, { type: invalid, code: "model_not_found", message: `The model '${model}' does not exist` }),
    busy: refuse(429, { type: "tokens", code: "rate_limit_exceeded", message: "Rate limit reached" }, soon),
    overloaded: refuse(503, { type: "server_error", code: null, message: "The engine is overloaded" }, soon),
    down: refuse(500, { type: "server_error", code: null, message: "The server had an error" }, soon),
    tooLong: refuse(400, {
      type: invalid,
      code: "context_length_exceeded",
      message: "Your input exceeds the context window of this model."
    })
  },
  mistake: (text) => refuse(400, { type: invalid, code: null, message: text })
}
