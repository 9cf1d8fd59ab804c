import { Context, Effect, Layer, Schema } from "effect"
import { createServer, type ServerResponse } from "node:http"
import { type AddressInfo } from "node:net"
import type { Doc } from "../support/SandboxApplication.ts"
import { sandboxApplication } from "../support/SandboxApplication.ts"
import { doc, docs } from "./McpClient.ts"
import { All } from "./TestToolkit.ts"

/** A model server on this machine that speaks the protocol of OpenAI's chat completions, and does as it is told. */
export class FakeModel extends Context.Tag("tributary/test/FakeModel")<
  FakeModel,
  {
    /** Requests it received, oldest first. */
    readonly requests: ReadonlyArray<Doc>
    /** Answers that are being sent. */
    readonly open: () => number
  }
>() {}

/** One call of the model: how it is answered. */
type Answer = (reply: Reply) => void

interface Reply {
  readonly response: ServerResponse
  /** Calls of the model since the user said something, before this one. */
  readonly step: number
  /** Answers of the model in the whole conversation so far: what its ids are made of. */
  readonly answers: number
  /** The user's text after the name of the scenario. */
  readonly rest: string
  /** It may not call tools. */
  readonly mayNotCall: boolean
  /** All that it was sent besides the tools, as JSON. */
  readonly prompt: string
}

const send = (response: ServerResponse, delta: Doc, finish: string | null = null) =>
  response.write(
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  )

const begin = (response: ServerResponse) => response.writeHead(200, { "content-type": "text/event-stream" })

const usage = { prompt_tokens: 20, prompt_tokens_details: { cached_tokens: 5 }, completion_tokens: 10 }

const end = (response: ServerResponse, finish: string) => {
  send(response, {}, finish)
  response.write(`data: ${JSON.stringify({ id: "c", choices: [], usage })}\n\n`)
  response.end("data: [DONE]\n\n")
}

const say =
  (...pieces: ReadonlyArray<string>): Answer =>
  ({ response }) => {
    begin(response)
    for (const content of pieces) send(response, { role: "assistant", content })
    end(response, "stop")
  }

const call =
  (name: string, ...args: ReadonlyArray<string>): Answer =>
  ({ answers, response }) => {
    begin(response)
    for (const [index, text] of args.entries()) {
      const id = `call_${answers}${index === 0 ? "" : `_${index}`}`
      const tool = { index, id, type: "function", function: { name, arguments: text } }
      send(response, { role: "assistant", tool_calls: [tool] })
    }
    end(response, "tool_calls")
  }

const refuse =
  (status: number, error: Doc, headers: { readonly [name: string]: string } = {}): Answer =>
  ({ response }) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify({ error }))

const busy = refuse(429, { message: "Slow down", code: "rate_limit_exceeded" }, { "retry-after-ms": "1" })

let refusals = 0

/** The model's answers, by the first word of the user's message. */
const scenarios: { readonly [name: string]: Answer } = {
  text: say("Hello ", "there."),
  json: say('{"answer":', "42}"),
  tool: (reply) =>
    reply.step === 0
      ? call("search_tools", JSON.stringify({ queries: ["get ticket"], limit: 1 }))(reply)
      : say("Found.")(reply),
  call: (reply) => {
    const [, name = "", args = ""] = /^(\S+) ?(.*)$/s.exec(reply.rest) ?? []
    if (reply.step === 0) call(name, args)(reply)
    else say("Done.")(reply)
  },
  loop: call("search_tools", JSON.stringify({ queries: ["ticket"], limit: 1 })),
  circles: (reply) =>
    reply.mayNotCall ? say("I give up.")(reply) : call("helpdesk_fail", JSON.stringify({ reason: "down" }))(reply),
  crowd: (reply) =>
    reply.mayNotCall
      ? say("Enough.")(reply)
      : call(
          "search_tools",
          ...Array.from({ length: Number(reply.rest) }, (_, i) =>
            JSON.stringify({ queries: [`ticket ${i}`], limit: 1 })
          )
        )(reply),
  steps: (reply) =>
    reply.mayNotCall
      ? say("That is all.")(reply)
      : call("search_tools", JSON.stringify({ queries: [`ticket ${reply.step}`], limit: 1 }))(reply),
  my: say("Nice to meet you."),
  what: (reply) => say(`Your name is ${nameIn(reply.prompt) ?? "not known to me"}.`)(reply),
  lists: (reply) =>
    reply.step < 3
      ? call("helpdesk_list_tickets", JSON.stringify({ count: 40, size: 1000 }))(reply)
      : say("Here they are.")(reply),
  stall: ({ response }) => {
    begin(response)
    send(response, { role: "assistant", content: "One moment" })
  },
  silent: () => {},
  dies: ({ response }) => {
    begin(response)
    send(response, { role: "assistant", content: "The answer is" })
    setTimeout(() => response.destroy(), 20)
  },
  empty: ({ response }) => begin(response).end(),
  limited: busy,
  once: (reply) => {
    refusals += 1
    if (refusals === 1) busy(reply)
    else say("Now.")(reply)
  },
  key: refuse(401, { message: "Incorrect API key provided: sk-secret-123", code: "invalid_api_key" }),
  slow: ({ response }) => {
    begin(response)
    const timer = setInterval(() => send(response, { role: "assistant", content: "word " }), 5)
    response.on("close", () => clearInterval(timer))
  }
}

const nameIn = (prompt: string) => /name is ([A-Z]\w+)/.exec(prompt)?.[1]

/** Whether it is asked to sum up, and not to answer. */
export const isSummingUp = (request: Doc) => promptOf(request).system.startsWith("Sum up")

/** A summary that goes on too long; none where the user wrote so. */
const sumUp: Answer = (reply) =>
  reply.prompt.includes("do not sum up")
    ? refuse(500, { message: "no summary" })(reply)
    : say(`The user's name is ${nameIn(reply.prompt) ?? "unknown"}.`, "\u200B Tickets were read.".repeat(400))(reply)

const Body = Schema.decodeUnknownSync(Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

/** The model's server until the scope ends, and the settings of an application whose chat it answers. */
export const fakeModel = Effect.gen(function* () {
  const requests: Array<Doc> = []
  let open = 0
  const http = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const body = Body(Buffer.concat(chunks).toString())
      requests.push(body)
      open += 1
      response.on("close", () => (open -= 1))
      const messages = docs(body.messages)
      const asked = messages.findLastIndex(({ role }) => role === "user")
      const { content } = messages[asked] ?? {}
      const texts = typeof content === "string" ? [] : docs(content).filter(({ type }) => type === "text")
      const said = typeof content === "string" ? content : String(texts.at(-1)?.text)
      const [name = "", ...rest] = said.split(" ")
      const step = messages.slice(asked).filter(({ role }) => role === "assistant").length
      const answers = messages.filter(({ role }) => role === "assistant").length
      const act = isSummingUp(body) ? sumUp : scenarios[name]
      act?.({
        response,
        step,
        answers,
        rest: rest.join(" "),
        mayNotCall: body.tool_choice === "none",
        prompt: JSON.stringify(messages)
      })
    })
  })
  yield* Effect.acquireRelease(
    Effect.async<void>((resume) => void http.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.async<void>((resume) => {
        http.close(() => resume(Effect.void))
        http.closeAllConnections()
      })
  )
  const { port } = Schema.decodeUnknownSync(Schema.Struct({ port: Schema.Int }))(
    http.address() satisfies AddressInfo | string | null
  )
  const settings = {
    LLM_PROVIDER: "openai-compatible",
    LLM_BASE_URL: `http://127.0.0.1:${port}/v1`,
    LLM_MODEL: "fake",
    LLM_MODELS: "fake, fake-large",
    LLM_API_KEY: "sk-secret-123"
  }
  return { settings, model: { requests, open: () => open } }
})

/** The whole application with the help desk, and chat that is answered by the fake model. */
export const chattingApplication = (config: { readonly [name: string]: string } = {}) =>
  Layer.unwrapScoped(
    Effect.map(fakeModel, ({ model, settings }) =>
      Layer.merge(sandboxApplication({ ...settings, ...config }, All), Layer.succeed(FakeModel, model))
    )
  )

/** The system prompt and what was said of a request. */
export const promptOf = (request: Doc | undefined) => {
  const [system, ...said] = docs(doc(request).messages)
  return { system: String(system?.content), said }
}
