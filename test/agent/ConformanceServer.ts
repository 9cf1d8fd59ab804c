import { HttpLayerRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import {
  type CallToolResult,
  createRequestStateCodec,
  type GetPromptResult,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ServerContext
} from "@modelcontextprotocol/server"
import { Effect, Layer, Option } from "effect"
import { randomBytes } from "node:crypto"
import { createServer } from "node:http"
import { isObject } from "../../src/agent/Json.ts"
import { isOwnOrigin, type Run, serve } from "../../src/agent/McpBridge.ts"
import { isApiError, toBody } from "../../src/platform/Errors.ts"
import { limitedJson } from "../../src/platform/Requests.ts"

// The server that the official conformance suite asks for (https://github.com/modelcontextprotocol/conformance), on this
// service's own bridge: what the suite finds is about the bridge. `node test/agent/conformance.mjs` runs it.

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
const silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="

const image = { type: "image" as const, data: pixel, mimeType: "image/png" }
const text = (text: string) => ({ type: "text" as const, text })
const answer = (...content: CallToolResult["content"]): CallToolResult => ({ content })
const resource = (uri: string, mimeType: string, text: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType, text }
})

type Result = CallToolResult | InputRequiredResult

type Handler = (context: ServerContext, args: { readonly [name: string]: unknown }) => Effect.Effect<Result, Error>

const formOf = (name: string, property: { readonly type: "string" } | { readonly type: "boolean" }) => ({
  type: "object" as const,
  properties: { [name]: property },
  required: [name]
})

const askText = (message: string, name: string) =>
  inputRequired.elicit({ message, requestedSchema: formOf(name, { type: "string" }) })

const sample = (question: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: "user", content: text(question) }], maxTokens })

const states = createRequestStateCodec<{ readonly step: string }>({ key: randomBytes(32) })

const keep = (step: string) => Effect.promise(() => states.mint({ step }))

const stepOf = ({ mcpReq }: ServerContext) => mcpReq.requestState<{ readonly step: string }>()?.step

/** The response to a question, of any kind; a broken one is none. */
const responseTo = ({ mcpReq }: ServerContext, key: string) => inputResponse(mcpReq.inputResponses, key)

const notify = (context: ServerContext, notification: Parameters<ServerContext["mcpReq"]["notify"]>[0]) =>
  Effect.promise(() => context.mcpReq.notify(notification))

const plain =
  (result: CallToolResult): Handler =>
  () =>
    Effect.succeed(result)

const capabilitiesOf = ({ mcpReq }: ServerContext): { readonly [name: string]: unknown } => {
  const envelope = new Map<string, unknown>(Object.entries(mcpReq.envelope ?? {}))
  const declared = envelope.get("io.modelcontextprotocol/clientCapabilities")
  return isObject(declared) ? declared : {}
}

const handlers: { readonly [tool: string]: Handler } = {
  test_simple_text: plain(answer(text("This is a simple text response for testing."))),
  test_image_content: plain(answer(image)),
  test_audio_content: plain(answer({ type: "audio", data: silence, mimeType: "audio/wav" })),
  test_embedded_resource: plain(
    answer(resource("test://embedded-resource", "text/plain", "This is an embedded resource content."))
  ),
  test_multiple_content_types: plain(
    answer(
      text("Multiple content types test:"),
      image,
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')
    )
  ),
  test_error_handling: plain({
    ...answer(text("This tool intentionally returns an error for testing")),
    isError: true
  }),
  test_tool_with_progress: (context) =>
    Effect.gen(function* () {
      const progressToken = context.mcpReq._meta?.progressToken
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) {
          yield* notify(context, { method: "notifications/progress", params: { progressToken, progress, total: 100 } })
        }
        yield* Effect.sleep("50 millis")
      }
      return answer(text("done"))
    }),
  test_tool_with_logging: (context) =>
    Effect.gen(function* () {
      for (const data of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
        yield* notify(context, { method: "notifications/message", params: { level: "info", data } })
        yield* Effect.sleep("50 millis")
      }
      return answer(text("done"))
    }),
  json_schema_2020_12_tool: plain(answer(text("done"))),
  test_logging_tool: plain(answer(text("nothing is logged unless it is asked for"))),
  test_missing_capability: (context) =>
    "sampling" in capabilitiesOf(context)
      ? Effect.succeed(answer(text("declared")))
      : Effect.fail(new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })),
  test_streaming_elicitation: (context) =>
    responseTo(context, "user_name").kind === "elicit"
      ? Effect.succeed(answer(text("done")))
      : Effect.succeed(inputRequired({ inputRequests: { user_name: askText("What is your name?", "name") } })),
  test_input_required_result_elicitation: (context) => {
    const response = responseTo(context, "user_name")
    return Effect.succeed(
      response.kind === "elicit"
        ? answer(text(`Hello, ${String(response.content?.["name"])}!`))
        : inputRequired({ inputRequests: { user_name: askText("What is your name?", "name") } })
    )
  },
  test_input_required_result_sampling: (context) => {
    const response = responseTo(context, "capital_question")
    return Effect.succeed(
      response.kind === "sampling"
        ? answer(text(JSON.stringify(response.result.content)))
        : inputRequired({ inputRequests: { capital_question: sample("What is the capital of France?", 100) } })
    )
  },
  test_input_required_result_list_roots: (context) => {
    const response = responseTo(context, "client_roots")
    return Effect.succeed(
      response.kind === "roots"
        ? answer(text(JSON.stringify(response.roots)))
        : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
    )
  },
  test_input_required_result_request_state: (context) => confirming(context, "state-ok"),
  test_input_required_result_tampered_state: (context) => confirming(context, "untampered"),
  test_input_required_result_multiple_inputs: (context) =>
    ["user_name", "greeting", "client_roots"].every((key) => responseTo(context, key).kind !== "missing")
      ? Effect.succeed(answer(text("all there")))
      : Effect.map(keep("several"), (requestState) =>
          inputRequired({
            inputRequests: {
              user_name: askText("What is your name?", "name"),
              greeting: sample("Generate a greeting", 50),
              client_roots: inputRequired.listRoots()
            },
            requestState
          })
        ),
  test_input_required_result_multi_round: (context) =>
    Effect.gen(function* () {
      const step = stepOf(context)
      if (step === "second" && responseTo(context, "step2").kind === "elicit") return answer(text("both answered"))
      const isFirst = step === undefined || responseTo(context, "step1").kind !== "elicit"
      return inputRequired({
        inputRequests: isFirst
          ? { step1: askText("Step 1: What is your name?", "name") }
          : { step2: askText("Step 2: What is your favorite color?", "color") },
        requestState: yield* keep(isFirst ? "first" : "second")
      })
    }),
  test_input_required_result_capabilities: (context) => {
    const offered = capabilitiesOf(context)
    const requests = {
      ...("elicitation" in offered ? { user_name: askText("What is your name?", "name") } : {}),
      ...("sampling" in offered ? { greeting: sample("Generate a greeting", 50) } : {})
    }
    return Effect.succeed(
      Object.keys(requests).length === 0 || context.mcpReq.inputResponses !== undefined
        ? answer(text("done"))
        : inputRequired({ inputRequests: requests })
    )
  }
}

/** Keywords of JSON Schema 2020-12 that the suite expects unchanged in a list of tools. */
const schemas: { readonly [tool: string]: { readonly [keyword: string]: unknown } } = {
  json_schema_2020_12_tool: {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $defs: {
      address: {
        $anchor: "addressDef",
        type: "object",
        properties: { street: { type: "string" }, city: { type: "string" } }
      }
    },
    properties: {
      name: { type: "string" },
      address: { $ref: "#/$defs/address" },
      contactMethod: { type: "string", enum: ["phone", "email"] },
      phone: { type: "string" },
      email: { type: "string" }
    },
    allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
    if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: { required: ["phone"] },
    else: { required: ["email"] },
    additionalProperties: false
  }
}

const confirming = (context: ServerContext, done: string) =>
  responseTo(context, "confirm").kind === "elicit" && stepOf(context) === "confirm"
    ? Effect.succeed(answer(text(done)))
    : Effect.map(keep("confirm"), (requestState) =>
        inputRequired({
          inputRequests: {
            confirm: inputRequired.elicit({
              message: "Please confirm",
              requestedSchema: formOf("ok", { type: "boolean" })
            })
          },
          requestState
        })
      )

const messages = (...content: ReadonlyArray<GetPromptResult["messages"][number]["content"]>): GetPromptResult => ({
  messages: content.map((one) => ({ role: "user", content: one }))
})

const argument = (name: string) => ({ name, description: name, required: true })

const prompts = [
  { name: "test_simple_prompt" },
  { name: "test_prompt_with_arguments", arguments: [argument("arg1"), argument("arg2")] },
  { name: "test_prompt_with_embedded_resource", arguments: [argument("resourceUri")] },
  { name: "test_prompt_with_image" },
  { name: "test_input_required_result_prompt" }
]

const promptOf = (name: string, args: { readonly [name: string]: string }, context: ServerContext) => {
  switch (name) {
    case "test_simple_prompt":
      return messages(text("This is a simple prompt for testing."))
    case "test_prompt_with_arguments":
      return messages(text(`Prompt with arguments: arg1='${args["arg1"]}', arg2='${args["arg2"]}'`))
    case "test_prompt_with_embedded_resource":
      return messages(
        resource(args["resourceUri"] ?? "", "text/plain", "Embedded resource content for testing."),
        text("Please process the embedded resource above.")
      )
    case "test_prompt_with_image":
      return messages(image, text("Please analyze the image above."))
    case "test_input_required_result_prompt":
      return responseTo(context, "user_context").kind === "elicit"
        ? messages(text("with context"))
        : inputRequired({
            inputRequests: { user_context: askText("What context should the prompt use?", "context") }
          })
    default:
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `no prompt ${name}`)
  }
}

const readResource = (uri: string) => {
  const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? []
  if (id !== undefined) {
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
    return { contents: [{ uri, mimeType: "application/json", text: data }] }
  }
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: "image/png", blob: pixel }] }
  if (uri === "test://static-text" || uri === "test://watched-resource") {
    return {
      contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }]
    }
  }
  throw new ResourceNotFoundError(uri)
}

const make = (run: Run<never>) => {
  const mcp = new McpServer(
    { name: "conformance", version: "1.0.0" },
    {
      capabilities: { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} },
      requestState: { verify: states.verify }
    }
  )
  const { server } = mcp
  server.setRequestHandler("tools/list", () => ({
    tools: Object.keys(handlers).map((name) => ({
      name,
      description: name,
      inputSchema: { ...schemas[name], type: "object" as const }
    }))
  }))
  server.setRequestHandler("tools/call", ({ params }, context) => {
    const handler = handlers[params.name]
    return run(
      handler === undefined
        ? Effect.fail(new ProtocolError(ProtocolErrorCode.InvalidParams, `no tool ${params.name}`))
        : handler(context, params.arguments ?? {})
    )
  })
  server.setRequestHandler("prompts/list", () => ({
    prompts: prompts.map((prompt) => ({ ...prompt, description: prompt.name }))
  }))
  server.setRequestHandler("prompts/get", ({ params }, context) =>
    promptOf(params.name, params.arguments ?? {}, context)
  )
  server.setRequestHandler("resources/list", () => ({
    resources: ["test://static-text", "test://static-binary", "test://watched-resource"].map((uri) => ({
      uri,
      name: uri
    }))
  }))
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template" }]
  }))
  server.setRequestHandler("resources/read", ({ params }) => readResource(params.uri))
  server.setRequestHandler("resources/subscribe", () => ({}))
  server.setRequestHandler("resources/unsubscribe", () => ({}))
  server.setRequestHandler("completion/complete", () => ({ completion: { values: [], total: 0, hasMore: false } }))
  return mcp
}

const exchange = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!isOwnOrigin(request.headers["origin"], [])) return HttpServerResponse.empty({ status: 403 })
  return yield* serve(yield* limitedJson(request), make, Option.none())
}).pipe(
  Effect.catchIf(isApiError, (error) =>
    Effect.map(toBody(error), (body) => HttpServerResponse.unsafeJson(body, { status: error.status }))
  )
)

const notAllowed = HttpServerResponse.empty({ status: 405, headers: { allow: "POST" } })

HttpLayerRouter.serve(
  HttpLayerRouter.addAll([
    HttpLayerRouter.route("POST", "/mcp", exchange),
    HttpLayerRouter.route("GET", "/mcp", notAllowed),
    HttpLayerRouter.route("DELETE", "/mcp", notAllowed)
  ]),
  { disableLogger: true }
).pipe(
  Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: Number(process.env.PORT) })),
  Layer.launch,
  NodeRuntime.runMain
)
