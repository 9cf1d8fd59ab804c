import { Context, Effect, Layer, Schema } from "effect"
import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import type { All as Everything } from "../../src/All.ts"
import { type Doc, sandboxApplication } from "../support/SandboxApplication.ts"
import { listen } from "../support/Served.ts"
import { doc } from "./McpClient.ts"
import { All } from "./TestToolkit.ts"

/** A part of a model's answer; texts come in pieces. */
export type Piece =
  | { readonly thought: string }
  | { readonly text: ReadonlyArray<string> }
  | { readonly call: string; readonly args: ReadonlyArray<string> }

/**
 * How an answer ends: whole, at the limit of tokens, refused for what it is about, with an error event, or without any end,
 * because the server falls silent or its connection breaks.
 */
export type End = "whole" | "cut" | "refused" | "failed" | "silent" | "broken"

export interface Answer {
  readonly pieces: ReadonlyArray<Piece>
  readonly end: End
}

/** A server's answer instead of a stream. */
export interface Refusal {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  readonly body: Doc
}

/** Why a server refuses a request that is made as it should be. */
export type Trouble = "key" | "model" | "busy" | "overloaded" | "down" | "tooLong"

export interface Request {
  readonly headers: IncomingHttpHeaders
  readonly body: Doc
}

/** The conversation of a request, whatever its form. */
export interface Read {
  readonly system: string
  /** The user's last message. */
  readonly said: string
  /** Answers of the model since then. */
  readonly step: number
  /** The tools' answers since then, in order: the call's id, and the answer as text. */
  readonly results: ReadonlyArray<{ readonly id: string; readonly answer: string }>
  /** Calls of tools in the whole conversation, in order. */
  readonly calls: ReadonlyArray<{ readonly id: string; readonly name: string; readonly args: unknown }>
  readonly tools: ReadonlyArray<{ readonly name: string; readonly schema: Doc }>
  readonly mayNotCall: boolean
}

/** How the servers of a provider are talked to. */
export interface Wire {
  /** `LLM_PROVIDER` of it. */
  readonly provider: string
  readonly model: string
  readonly path: string
  readonly read: (body: Doc) => Read
  /** The error in a request by the provider's documentation; undefined if there is none. */
  readonly problem: (request: Request) => string | undefined
  /** Server-sent events of the `n`th answer, `{type, …}` each. */
  readonly events: (answer: Answer, n: number) => ReadonlyArray<Doc>
  readonly refusals: { readonly [T in Trouble]: Refusal }
  /** How a request with a mistake is refused. */
  readonly mistake: (message: string) => Refusal
}

/** The key of the operator, which no one may see. */
export const apiKey = "sk-secret-123"

/** The error in a tool's schema that either provider documents, or that would cost an answer there. */
export const schemaProblem = (schema: Doc): string | undefined => {
  if (schema.type !== "object") return "the schema must be of type object"
  const union = ["oneOf", "anyOf", "allOf", "enum", "not"].find((word) => word in schema)
  if (union !== undefined) return `the schema has ${union} at its top level`
  const keys = new Set<string>()
  JSON.stringify(schema, (key, value: unknown) => {
    if (key === "properties") Object.keys(doc(value)).forEach((name) => keys.add(name))
    if (key === "$ref") keys.add("$ref of a schema")
    return value
  })
  const odd = [...keys].find((name) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(name))
  return odd === undefined ? undefined : `${odd} is no name of a property`
}

/** A model's action in one call. */
type Act = (read: Read) => Answer | Trouble

const say = (...text: ReadonlyArray<string>): Answer => ({ pieces: [{ text }], end: "whole" })

/** In several pieces, as arguments come. */
const cut = (text: string) => [text.slice(0, 5), text.slice(5, 6), text.slice(6)].filter((piece) => piece !== "")

const calling =
  (then: string, pieces: (read: Read) => ReadonlyArray<Piece>): Act =>
  (read) =>
    read.step === 0 && !read.mayNotCall ? { pieces: pieces(read), end: "whole" } : say(then)

/** The user's text after the name of the scenario. */
const rest = ({ said }: Read) => said.slice(said.indexOf(" ") + 1)

const search = (query: string): Piece => ({
  call: "search_tools",
  args: cut(JSON.stringify({ queries: [query], limit: 1 }))
})

/** By the first word of what the user says. */
const scenarios: { readonly [name: string]: Act } = {
  text: () => say("Hello ", "there ", "👋."),
  tool: calling("Found.", () => [{ text: ["Let me look."] }, search("get ticket")]),
  think: calling("Thought.", () => [{ thought: "Which tool is it?" }, search("get ticket")]),
  both: calling("Both.", () => [search("get ticket"), search("close ticket")]),
  call: calling("Done.", (read) => {
    const [, name = "", args = ""] = /^(\S+) ?(.*)$/s.exec(rest(read)) ?? []
    return [{ call: name, args: cut(args) }]
  }),
  for: ({ mayNotCall, step }) =>
    mayNotCall ? say("That is all.") : { pieces: [search(`ticket ${step}`)], end: "whole" },
  short: () => ({ pieces: [{ text: ["The answer "] }], end: "cut" }),
  halfway: ({ step }) =>
    step === 0 ? { pieces: [{ call: "search_tools", args: ['{"quer'] }], end: "cut" } : say("Again."),
  refused: () => ({ pieces: [{ text: ["Well, "] }], end: "refused" }),
  nothing: () => ({ pieces: [], end: "refused" }),
  fails: () => ({ pieces: [{ text: ["The answer is"] }], end: "failed" }),
  muse: () => ({ pieces: [{ thought: "To be or not to be" }], end: "failed" }),
  dies: () => ({ pieces: [{ text: ["The answer is"] }], end: "broken" }),
  stall: () => ({ pieces: [{ text: ["One moment"] }], end: "silent" })
}

const isTrouble = (name: string, wire: Wire): name is Trouble => name in wire.refusals

/** A server of a model on this machine, which takes what the real one takes, and does as the user says. */
export class ModelServer extends Context.Tag("tributary/test/ModelServer")<
  ModelServer,
  {
    readonly wire: Wire
    /** Requests it received, oldest first. */
    readonly requests: ReadonlyArray<Request>
    /** Errors in requests. */
    readonly mistakes: ReadonlyArray<string>
  }
>() {}

const Body = Schema.decodeUnknownSync(Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

const stream = (response: ServerResponse, events: ReadonlyArray<Doc>, end: End) => {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const event of events) response.write(`event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`)
  if (end === "broken") setTimeout(() => response.destroy(), 20)
  else if (end !== "silent") response.end()
}

const server = Effect.fnUntraced(function* (wire: Wire) {
  const requests: Array<Request> = []
  const mistakes: Array<string> = []
  /** Scenarios that were in trouble once. */
  const recovered = new Set<string>()

  const answer = (request: Request): Answer | Refusal => {
    const problem = wire.problem(request)
    if (problem !== undefined) {
      mistakes.push(problem)
      return wire.mistake(problem)
    }
    const read = wire.read(request.body)
    const [name = "", when] = read.said.split(" ")
    if (when === "once" && recovered.has(read.said)) return say("Now.")
    recovered.add(read.said)
    if (isTrouble(name, wire)) return wire.refusals[name]
    if (name === "first") return { pieces: [], end: "failed" }
    const act = scenarios[name]?.(read)
    if (act === undefined) throw new Error(`no scenario ${name}`)
    return typeof act === "string" ? wire.refusals[act] : act
  }

  const port = yield* listen((incoming, response) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      if (incoming.method !== "POST" || incoming.url !== `/v1${wire.path}`) return response.writeHead(404).end()
      const request = { headers: incoming.headers, body: Body(Buffer.concat(chunks).toString()) }
      requests.push(request)
      const given = answer(request)
      return "status" in given
        ? response
            .writeHead(given.status, { "content-type": "application/json", ...given.headers })
            .end(JSON.stringify(given.body))
        : stream(response, wire.events(given, requests.length), given.end)
    })
  })
  return { url: `http://127.0.0.1:${port}/v1/`, model: { wire, requests, mistakes } }
})

/**
 * The whole application with the help desk, and chat that is answered by a server of this kind, set up as operators do: with
 * an address that ends in a slash, and a key read from a file.
 */
export const answeredBy = (
  wire: Wire,
  config: { readonly [name: string]: string } = {},
  providers: typeof Everything = All
) =>
  Layer.unwrapScoped(
    Effect.map(server(wire), ({ model, url }) =>
      Layer.merge(
        sandboxApplication(
          {
            LLM_PROVIDER: wire.provider,
            LLM_BASE_URL: url,
            LLM_MODEL: wire.model,
            LLM_API_KEY: `${apiKey}\n`,
            ...config
          },
          providers
        ),
        Layer.succeed(ModelServer, model)
      )
    )
  )
