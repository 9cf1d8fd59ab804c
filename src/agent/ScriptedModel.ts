import { Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import type { JsonObject } from "../toolkits/Tool.ts"
import { argumentsOf, isObject } from "./Json.ts"
import type { Model } from "./Model.ts"
import { type Creation, creationIn, filled } from "./ScriptedWrites.ts"

type Options = Parameters<Model["doStream"]>[0]
type Part = Awaited<ReturnType<Model["doStream"]>>["stream"] extends ReadableStream<infer P> ? P : never

/** The script's next move: says something, or calls a router tool. */
type Move =
  | { readonly say: string }
  | {
      readonly call: "search_tools" | "execute_read_tools" | "execute_tools"
      readonly args: JsonObject
      readonly after: string
    }

/**
 * A model that needs no account: it follows a script. It searches the tools for the user's words, calls the best one that
 * only reads, or one that creates the record that the sentence describes, and reports the result. The same conversation
 * always gets the same answer.
 */
export const scriptedModel: Model = {
  specificationVersion: "v3",
  provider: "tributary",
  modelId: "scripted",
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error("the scripted model only streams")),
  doStream: (options) => {
    const parts = partsOf(nextMove(options))
    return Promise.resolve({
      stream: new ReadableStream<Part>({
        pull: (controller) => {
          const { done, value } = parts.next()
          if (done === true) controller.close()
          else controller.enqueue(value)
        }
      })
    })
  }
}

function* partsOf(move: Move): Generator<Part, undefined> {
  yield { type: "stream-start", warnings: [] }
  const text = "say" in move ? move.say : move.after
  yield { type: "text-start", id: "text" }
  // word by word, as models write
  for (const delta of text.match(/\s*\S+/g) ?? []) yield { type: "text-delta", id: "text", delta }
  yield { type: "text-end", id: "text" }
  if ("call" in move) {
    const input = JSON.stringify(move.args)
    yield { type: "tool-call", toolCallId: `call_${randomUUID()}`, toolName: move.call, input }
  }
  yield {
    type: "finish",
    finishReason: { unified: "call" in move ? "tool-calls" : "stop", raw: undefined },
    usage: {
      inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 0, text: 0, reasoning: 0 }
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// the script

const label = "[Built-in scripted model: it follows a script and understands nothing. LLM_PROVIDER sets a real one.]"

const Found = Schema.Struct({
  name: Schema.String,
  toolkit: Schema.String,
  connection: Schema.String,
  read_only: Schema.Boolean,
  input_schema: Schema.optional(Schema.Object)
})
type Found = typeof Found.Type

const Search = Schema.decodeUnknownOption(
  Schema.Struct({ results: Schema.Array(Schema.Struct({ tools: Schema.Array(Found) })) })
)

const Execution = Schema.decodeUnknownOption(
  Schema.Struct({
    results: Schema.Array(
      Schema.Struct({
        tool: Schema.String,
        output: Schema.optional(Schema.Struct({ content: Schema.Unknown })),
        error: Schema.optional(
          Schema.Struct({
            message: Schema.String,
            approval_url: Schema.optional(Schema.String),
            errors: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.String }))
          })
        )
      })
    )
  })
)

const nextMove = ({ prompt, toolChoice }: Options): Move => {
  const asked = prompt.findLastIndex(({ role }) => role === "user")
  const request = textOf(prompt[asked])
  const answers = prompt
    .slice(asked + 1)
    .flatMap((message) =>
      message.role === "tool" ? message.content.flatMap((part) => (part.type === "tool-result" ? [part] : [])) : []
    )
  const last = answers.at(-1)
  if (last === undefined) {
    if (request === "" || toolChoice?.type === "none")
      return { say: `${label}\nAsk for something, such as: list 3 contacts, or: create a contact named Ada Byron.` }
    const creation = creationIn(request)
    const args =
      creation === undefined
        ? { queries: [request.slice(0, 500)], read_only: true }
        : { queries: [creation.what.slice(0, 500)] }
    return { call: "search_tools", args, after: `${label}\nLooking for a tool that fits.` }
  }
  const { output } = last
  if (output.type === "execution-denied") return { say: "That was not approved, so nothing was changed." }
  // a failure is its whole answer, as JSON
  const answer = output.type === "error-text" ? argumentsOf(output.value) : "value" in output ? output.value : undefined
  if (last.toolName === "search_tools") return afterSearch(answer, request, toolChoice?.type !== "none")
  return {
    say: told(answer) ?? `The call failed: ${typeof answer === "string" ? answer : "there is nothing to tell"}.`
  }
}

const textOf = (message: Options["prompt"][number] | undefined) =>
  message?.role === "user"
    ? message.content
        .flatMap((part) => (part.type === "text" ? [part.text] : []))
        .join(" ")
        .trim()
    : ""

const afterSearch = (answer: unknown, request: string, mayCall: boolean): Move => {
  const tools = Option.match(Search(answer), {
    onNone: () => [],
    onSome: ({ results }) => results.flatMap((result) => result.tools)
  })
  const creation = creationIn(request)
  const fitting = tools.filter(({ name, read_only }) =>
    creation === undefined ? read_only : name.includes("_create_")
  )
  const connected = fitting.filter(({ connection }) => connection === "connected")
  const [first] = fitting
  if (first === undefined) return { say: "I found no tool for that. Try: list 3 contacts, or: show unpaid invoices." }
  if (connected.length === 0) {
    return {
      say: `${first.name} would fit, but ${first.toolkit} is not connected for this end user (the X-End-User-Id header).`
    }
  }
  return (
    (creation === undefined ? reading(connected, request, mayCall) : creating(connected, creation, mayCall)) ?? {
      say: `These tools would fit, but need more than a script can work out: ${connected.map(({ name }) => name).join(", ")}.`
    }
  )
}

const reading = (tools: ReadonlyArray<Found>, request: string, mayCall: boolean): Move | undefined => {
  for (const { input_schema, name } of tools) {
    const args = input_schema === undefined ? undefined : argumentsFor(input_schema, request)
    if (args !== undefined && mayCall) return calling("execute_read_tools", name, args)
  }
  return undefined
}

/** Calls the best tool, or asks for what it still needs. */
const creating = (tools: ReadonlyArray<Found>, creation: Creation, mayCall: boolean): Move | undefined => {
  const best = tools.find(({ input_schema }) => input_schema !== undefined)
  if (best === undefined || !mayCall) return undefined
  const { args, missing } = filled(best.input_schema, creation.details)
  return missing.length === 0
    ? calling("execute_tools", best.name, args)
    : {
        say: `${best.name} needs more than the sentence says: ${missing.join(", ")}. Write for each its name and a value.`
      }
}

const calling = (call: "execute_read_tools" | "execute_tools", tool: string, args: JsonObject): Move => ({
  call,
  args: { calls: [{ tool, arguments: args }] },
  after: `Calling ${tool}.`
})

const records = 3

/** Arguments that a tool can be called with; undefined when it needs more than a number or words to look for. */
const argumentsFor = (schema: object, request: string): JsonObject | undefined => {
  const { properties, required } = Shape(schema)
  const said = /\b([1-9]\d?)\b/.exec(request)?.[1]
  const known: JsonObject = { limit: said === undefined ? records : Number(said), query: request, q: request }
  const takes = Object.keys(properties)
  const needed = required ?? []
  if (needed.some((name) => known[name] === undefined)) return undefined
  return Object.fromEntries(
    Object.entries(known).filter(([name]) => takes.includes(name) && (name === "limit" || needed.includes(name)))
  )
}

const Shape = Schema.decodeUnknownSync(
  Schema.Struct({
    properties: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
    required: Schema.optional(Schema.Array(Schema.String))
  })
)

// ---------------------------------------------------------------------------------------------------------------------
// reporting results

const told = (answer: unknown): string | undefined =>
  Option.match(Execution(answer), {
    onNone: () => undefined,
    onSome: ({ results }) =>
      results
        .map(({ error, output, tool }) =>
          error === undefined
            ? `${tool} answered:\n${summary(output?.content)}`
            : [
                `${tool} failed: ${error.message}`,
                ...(error.approval_url === undefined ? [] : [`approve it at ${error.approval_url}, then ask again`]),
                ...Object.entries(error.errors ?? {}).map((one) => one.join(" "))
              ].join("\n- ")
        )
        .join("\n")
  })

const summary = (content: unknown): string => {
  // an object with an id is a record itself, whatever lists it holds
  const list = isObject(content) && !("id" in content) ? Object.values(content).find(Array.isArray) : content
  if (!Array.isArray(list)) return `- ${line(content)}`
  return list.length === 0 ? "nothing: it has no such records." : list.map((one) => `- ${line(one)}`).join("\n")
}

/** Members that identify a record, the most telling first, and how many of them are shown. */
const telling = [
  /name/i,
  /title|subject|summary/i,
  /^(number|key)$/i,
  /total|amount|balance/i,
  /status|state/i,
  /date/i,
  /text|body|content/i
]
const members = 4

const line = (record: unknown): string => {
  if (!isObject(record)) return String(record)
  const plain = Object.entries(record).filter(([, value]) => typeof value === "string" || typeof value === "number")
  const found = telling.flatMap((word) =>
    plain.filter(([name]) => word.test(name) && !/^remote_|id$|slug$/i.test(name))
  )
  const words = [...new Map(found.length > 0 ? found : plain)]
    .slice(0, members)
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${String(value).slice(0, 120)}`)
  const { providerSlug } = record
  return `${words.join(", ")}${typeof providerSlug === "string" ? ` (${providerSlug})` : ""}`
}
