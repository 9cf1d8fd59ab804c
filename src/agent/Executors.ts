import { Effect, Schema } from "effect"
import { type JsonObject, tool } from "../toolkits/Tool.ts"
import { argumentsOf } from "./Json.ts"
import { plainName, ToolName } from "./ToolCatalogue.ts"
import { callLimit, callsAtATime, type Session } from "./ToolGate.ts"
import type { RouterTool } from "./RouterTool.ts"

/** A call within an executor's. */
export interface Planned {
  readonly tool: string
  readonly arguments: unknown
  /** It may not change anything. */
  readonly readOnly: boolean
}

const Calls = Schema.Array(
  Schema.Struct({
    tool: ToolName.annotations({ description: "Name of a tool, from search_tools" }),
    arguments: Schema.optional(
      Schema.Unknown.annotations({
        jsonSchema: { type: "object", description: "Its arguments, as its input_schema says" }
      })
    )
  })
).pipe(Schema.minItems(1), Schema.maxItems(callLimit))

/** The router tools that call others, and whether only tools that change nothing. */
const modes: { readonly [name: string]: { readonly readOnly: boolean } } = {
  execute_read_tools: { readOnly: true },
  execute_tools: { readOnly: false }
}

const isCalls = Schema.is(Schema.Struct({ calls: Calls }))

/**
 * The calls that an executor was asked for. Models put executors into themselves: that is undone once, and what may not
 * change anything on the outside may not inside.
 */
const flattened = (calls: typeof Calls.Type, readOnly: boolean): ReadonlyArray<Planned> =>
  calls.flatMap((call): ReadonlyArray<Planned> => {
    const mode = modes[plainName(call.tool)]
    const inner = argumentsOf(call.arguments)
    return mode !== undefined && isCalls(inner)
      ? inner.calls.map((one) => ({
          tool: one.tool,
          arguments: one.arguments,
          readOnly: readOnly || mode.readOnly
        }))
      : [{ tool: call.tool, arguments: call.arguments, readOnly }]
  })

/** What `execute_tools` would call; undefined when its arguments are not right. */
export const callsIn = (args: unknown): ReadonlyArray<Planned> | undefined => {
  const given = argumentsOf(args)
  return isCalls(given) ? flattened(given.calls, false) : undefined
}

const outputSchema: JsonObject = {
  type: "object",
  properties: {
    results: {
      type: "array",
      items: {
        type: "object",
        properties: {
          tool: { type: "string" },
          ok: { type: "boolean" },
          output: {
            type: "object",
            properties: {
              source: { type: "string" },
              untrusted: { const: true },
              content: {},
              truncated: { type: "boolean" },
              hint: { type: "string" }
            }
          },
          error: {
            type: "object",
            properties: { code: { type: "string" }, message: { type: "string" } },
            required: ["code", "message"]
          }
        },
        required: ["tool", "ok"]
      }
    },
    error_count: { type: "integer" }
  }
}

const executor = (
  name: "execute_read_tools" | "execute_tools",
  declared: Pick<RouterTool, "title" | "description" | "hints">
): RouterTool => ({
  ...tool<Session, { readonly calls: typeof Calls.Type }, { readonly calls: typeof Calls.Encoded }>({
    ...declared,
    name,
    input: Schema.Struct({ calls: Calls.annotations({ description: `1 to ${callLimit} calls` }) }),
    run: (session, { calls }) =>
      Effect.gen(function* () {
        const planned = flattened(calls, name === "execute_read_tools")
        const results = yield* Effect.forEach(
          planned,
          (call) => session.call(call.tool, call.arguments, call.readOnly),
          { concurrency: callsAtATime }
        )
        return { results, error_count: results.filter(({ ok }) => !ok).length }
      })
  }),
  outputSchema
})

/** What calls real tools, several at once. */
export const executors: ReadonlyArray<RouterTool> = [
  executor("execute_read_tools", {
    title: "Call tools that read",
    description: `Calls up to ${callLimit} tools that change nothing, ${callsAtATime} at a time. Answers results in the order of the calls, each {tool, ok, output} or {tool, ok, error}; one that fails does not stop the others. Use it whenever nothing has to change.`,
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true }
  }),
  executor("execute_tools", {
    title: "Call tools that may write",
    description: `Calls up to ${callLimit} tools, also ones that create, change, send or delete, ${callsAtATime} at a time. Answers results in the order of the calls, each {tool, ok, output} or {tool, ok, error}; one that fails does not stop the others. Calls that depend on one another go into separate calls of this tool.`,
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true }
  })
]
