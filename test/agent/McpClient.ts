import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { Effect, Redacted, Schema } from "effect"
import { InProcess } from "../../src/InProcess.ts"
import { type Caller, type Doc, recordOf, whileTimePasses } from "../support/SandboxApplication.ts"

/** Both ways that clients speak: revision 2026-07-28, and those of 2025. */
export const modes = ["auto", "legacy"] as const
export type Mode = (typeof modes)[number]

export interface ClientOptions {
  readonly mode?: Mode
  readonly headers?: { readonly [name: string]: string | undefined }
  readonly query?: string
  /** Answers the questions that the server has for the user; without it the client cannot ask. */
  readonly elicit?: (message: string) => "accept" | "decline"
}

const nothing = Schema.decodeUnknownSync(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** An object to look into. */
export const doc = (value: unknown): Doc => nothing(value)

/** The objects of a list to look into. */
export const docs = (value: unknown): ReadonlyArray<Doc> =>
  Schema.decodeUnknownSync(Schema.Array(Schema.Unknown))(value).map(doc)

const parsed = Schema.decodeUnknownSync(Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

/** A new workspace of a caller, in which nobody is asked unless the body says so; gives its id. */
export const workspaceOf = ({ call }: Caller, body: Doc = {}) =>
  Effect.map(call("POST", "/mcp/workspaces", { body: { name: "Agents", confirm: "never", ...body } }), (answer) =>
    String(recordOf(answer).id)
  )

/** The official client, in the same process as the application, until the scope ends. */
export const connected = (caller: Caller, workspace: string, options: ClientOptions = {}) =>
  Effect.gen(function* () {
    const app = yield* InProcess
    const headers = new Headers({
      authorization: `Bearer ${Redacted.value(caller.tenancy.key)}`,
      "x-end-user-id": caller.endUser
    })
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      if (value === undefined) headers.delete(name)
      else headers.set(name, value)
    }
    const url = new URL(`http://localhost/api/v1/mcp/${workspace}${options.query ?? ""}`)
    const transport = new StreamableHTTPClientTransport(url, {
      fetch: (address, init) => app.handle(new Request(address, init)),
      requestInit: { headers }
    })
    const { elicit } = options
    const client = yield* Effect.acquireRelease(
      Effect.sync(
        () =>
          new Client(
            { name: "test", version: "1.0.0" },
            {
              versionNegotiation: { mode: options.mode ?? "auto" },
              capabilities: elicit === undefined ? {} : { elicitation: {} }
            }
          )
      ),
      (client) => Effect.promise(() => client.close())
    )
    if (elicit !== undefined) {
      client.setRequestHandler("elicitation/create", ({ params }) =>
        elicit(params.message) === "accept" ? { action: "accept", content: { confirm: true } } : { action: "decline" }
      )
    }
    yield* Effect.promise(() => client.connect(transport))
    /** Calls a tool; returns its answer as text, and in the form for programs. */
    const callTool = (name: string, args: Doc = {}, more: { readonly signal?: AbortSignal } = {}) =>
      Effect.promise(() => client.callTool({ name, arguments: args }, more)).pipe(
        whileTimePasses(2500),
        Effect.map((result) => {
          const text = docs(result.content)[0]?.text
          return {
            isError: result.isError === true,
            content: parsed(text),
            text,
            /** The answer for programs; undefined where it would be as large as the text. */
            structured: result.structuredContent
          }
        })
      )
    const names = Effect.map(
      Effect.promise(() => client.listTools()),
      ({ tools }) => tools.map(({ name }) => name)
    )
    return { client, callTool, names }
  })
