import { Effect, Schema } from "effect"
import { tool } from "../toolkits/Tool.ts"
import { argumentsOf } from "./Json.ts"
import type { executorOf, Reach } from "./ConfirmationPolicy.ts"
import { plainName, ToolName } from "./ToolCatalogue.ts"
import type { RouterTool } from "./RouterTool.ts"
import { callLimit, callsAtATime, type Session } from "./ToolGate.ts"
import type { Outcome } from "./ToolNotes.ts"
import { bytesOf, shortened } from "./Untrusted.ts"

/** A call within an executor's. */
export interface Planned {
  readonly tool: string
  readonly arguments: unknown
  readonly reach: Reach
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

/** The router tools that call others, least powerful first. */
const reaches: ReadonlyArray<readonly [name: string, reach: Reach]> = [
  ["execute_read_tools", "reads"],
  ["execute_tools", "writes"],
  ["execute_destructive_tools", "destroys"]
]

/** Position of an executor among them, or -1. */
const rankOf = (name: string) => reaches.findIndex(([executor]) => executor === plainName(name))

const isCalls = Schema.is(Schema.Struct({ calls: Calls }))

/**
 * The calls that an executor was asked for. Models nest executors: one level is flattened, and what the outer one may not do
 * the inner one may not either.
 */
const flattened = (calls: typeof Calls.Type, rank: number): ReadonlyArray<Planned> => {
  const planned = (call: (typeof Calls.Type)[number], rank: number): Planned => ({
    tool: call.tool,
    arguments: call.arguments,
    reach: reaches[rank]?.[1] ?? "reads"
  })
  return calls.flatMap((call): ReadonlyArray<Planned> => {
    const within = rankOf(call.tool)
    const inner = argumentsOf(call.arguments)
    return within >= 0 && isCalls(inner)
      ? inner.calls.map((one) => planned(one, Math.min(rank, within)))
      : [planned(call, rank)]
  })
}

/** The calls within a call: those of an executor (none when its arguments are wrong), or the call itself. */
export const plannedIn = (name: string, args: unknown): ReadonlyArray<Planned> => {
  const rank = rankOf(name)
  if (rank < 0) return [{ tool: name, arguments: args, reach: "destroys" }]
  const given = argumentsOf(args)
  return isCalls(given) ? flattened(given.calls, rank) : []
}

/** Most bytes of all answers of one executor's calls together, as JSON: twice the limit of a single one. */
export const answersLimit = 96 * 1024

/** Bytes of an outcome beside the content of its answer: the name, the hint. */
const envelope = 640

/** A call's outcome in fewer bytes. A schema is the only large part of a failure. */
const cut = (outcome: Outcome, bytes: number): Outcome => {
  if (outcome.ok) return { ...outcome, output: shortened(outcome.output, bytes) }
  const { input_schema, ...error } = outcome.error
  return input_schema === undefined
    ? outcome
    : { ...outcome, error: { ...error, next: `get_tool_schemas gives the input_schema of ${outcome.tool}.` } }
}

/** Outcomes that fit together: small ones stay as they are, and large ones share the remaining room equally. */
const together = (outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Outcome> => {
  const fitting = [...outcomes]
  let left = answersLimit
  const bySize = outcomes
    .map((outcome, i) => ({ i, outcome, bytes: bytesOf(outcome) }))
    .sort((a, b) => a.bytes - b.bytes)
  for (const [rank, { bytes, i, outcome }] of bySize.entries()) {
    const share = left / (bySize.length - rank)
    const fitted = bytes <= share ? outcome : cut(outcome, share - envelope)
    fitting[i] = fitted
    left -= bytesOf(fitted)
  }
  return fitting
}

const executor = (
  name: ReturnType<typeof executorOf>,
  declared: Pick<RouterTool, "title" | "description" | "hints">
): RouterTool =>
  tool<Session, { readonly calls: typeof Calls.Type }, { readonly calls: typeof Calls.Encoded }>({
    ...declared,
    name,
    input: Schema.Struct({ calls: Calls.annotations({ description: `1 to ${callLimit} calls` }) }),
    run: (session, { calls }) =>
      Effect.gen(function* () {
        const planned = flattened(calls, rankOf(name))
        const results = yield* Effect.forEach(planned, (call) => session.call(call.tool, call.arguments, call.reach), {
          concurrency: callsAtATime
        })
        return { results: together(results), error_count: results.filter(({ ok }) => !ok).length }
      })
  })

/** Router tools that call real tools, several at once. */
export const executors: ReadonlyArray<RouterTool> = [
  executor("execute_read_tools", {
    title: "Call tools that read",
    description: `Calls up to ${callLimit} tools that change nothing, ${callsAtATime} at a time. Answers results in the order of the calls, each {tool, ok, output} or {tool, ok, error}; one that fails does not stop the others. Large answers are cut to fit beside one another, and say so. Use it whenever nothing has to change.`,
    hints: { readOnly: true, destructive: false, idempotent: true, openWorld: true }
  }),
  executor("execute_tools", {
    title: "Call tools that may add",
    description: `Calls up to ${callLimit} tools, also ones that create something, ${callsAtATime} at a time; those that change, send or remove are for execute_destructive_tools. Answers results in the order of the calls, each {tool, ok, output} or {tool, ok, error}; one that fails does not stop the others. Large answers are cut to fit beside one another, and say so. Calls that depend on one another go into separate calls of this tool.`,
    hints: { readOnly: false, destructive: false, idempotent: false, openWorld: true }
  }),
  executor("execute_destructive_tools", {
    title: "Call tools that may destroy",
    description: `Calls up to ${callLimit} tools, also ones that change, send or remove something (destructive: true), ${callsAtATime} at a time. Answers as execute_tools does. A call that answers approval_required has not run: hand on its approval_url.`,
    hints: { readOnly: false, destructive: true, idempotent: false, openWorld: true }
  })
]
