import { Context, Effect, Layer } from "effect"
import type { ApiError } from "../platform/Errors.ts"
import type { Hints, InvalidArguments, JsonObject } from "../toolkits/Tool.ts"
import { ConnectionManager } from "./ConnectionManager.ts"
import { executors, plannedIn, type Planned } from "./Executors.ts"
import { makeDiscoveryTools } from "./DiscoveryTools.ts"
import { isObject } from "./Json.ts"
import type { RouterTool } from "./RouterTool.ts"
import { plainName } from "./ToolCatalogue.ts"
import { failureOf, invalidArguments, type ToolFailure } from "./ToolFailure.ts"
import { routerNames, type Session } from "./ToolGate.ts"
import { type Outcome, spanOf } from "./ToolNotes.ts"

/** A tool as clients and models see it. */
export interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly hints: Hints
  readonly inputSchema: JsonObject
}

/** The answer to a call, as a JSON object. */
export interface RouterAnswer {
  readonly content: JsonObject
  readonly isError: boolean
}

/** The name is of no tool here, and of no router tool. */
export interface Unknown {
  readonly unknown: ToolFailure
}

/** Most tools of a workspace that are listed beside the router tools; of a larger one, none are. */
const listedAtMost = 20

/**
 * A few tools that lead to all the others: search, schemas, execution, connections. Real tools can still be called by their
 * names, listed or not.
 */
export class ToolRouter extends Context.Tag("tributary/agent/ToolRouter")<
  ToolRouter,
  {
    /** Lists the tools in the order of their names; always the same for the same session. */
    readonly list: (session: Session) => ReadonlyArray<ListedTool>
    readonly call: (session: Session, name: string, args: unknown) => Effect.Effect<RouterAnswer | Unknown>
    /** The calls within a call that only run if somebody agrees. */
    readonly asking: (session: Session, name: string, args: unknown) => ReadonlyArray<Planned>
  }
>() {
  static readonly layer = Layer.effect(
    ToolRouter,
    Effect.gen(function* () {
      const manager = yield* ConnectionManager
      const discoveryTools = makeDiscoveryTools()

      const routerTools = (session: Session): ReadonlyArray<RouterTool> =>
        [...discoveryTools(session), ...executors, manager.tool].filter(
          ({ hints }) => !session.readOnly || hints.readOnly
        )

      const list = (session: Session): ReadonlyArray<ListedTool> => {
        const real = session.tools.length <= listedAtMost ? session.tools : []
        return [...routerTools(session), ...real].map(listed).sort((a, b) => (a.name < b.name ? -1 : 1))
      }

      const run = (tool: RouterTool, session: Session, args: unknown) =>
        tool.call(session, args).pipe(
          Effect.matchEffect({
            onFailure: (error) =>
              error._tag === "ProviderError"
                ? Effect.dieMessage("a router tool called a provider")
                : Effect.succeed(failed(explained(error, tool))),
            onSuccess: (answer) => Effect.succeed(succeeded(answer))
          })
        )

      return {
        list,
        call: Effect.fnUntraced(function* (session, name, args) {
          const plain = plainName(name)
          const tool = routerTools(session).find((one) => one.name === plain)
          if (tool !== undefined) {
            return yield* spanOf(plain, session.agent.workspace.id)(run(tool, session, args))
          }
          if (routerNames.has(plain)) {
            return failed({ code: "not_permitted", message: `Nothing can be changed here: there is no ${plain}.` })
          }
          return answerOf(yield* session.call(name, args, "destroys"))
        }),
        asking: (session, name, args) => plannedIn(name, args).filter(({ reach, tool }) => session.asks(tool, reach))
      }
    })
  )
}

const listed = ({
  description,
  hints,
  inputSchema,
  name,
  title
}: Pick<RouterTool, "description" | "hints" | "inputSchema" | "name" | "title">): ListedTool => ({
  name,
  title,
  description,
  hints,
  inputSchema: inputSchema()
})

/** An executor's answer is an error when every call of it failed. */
const succeeded = (answer: unknown): RouterAnswer => {
  const content = isObject(answer) ? answer : { answer }
  const { error_count, results } = content
  return { content, isError: Array.isArray(results) && results.length > 0 && error_count === results.length }
}

const failed = (error: ToolFailure): RouterAnswer => ({ content: { error }, isError: true })

const explained = (error: InvalidArguments | ApiError, tool: RouterTool): ToolFailure =>
  error._tag === "InvalidArguments" ? invalidArguments(error, tool.inputSchema()) : withSchema(failureOf(error), tool)

const withSchema = (failure: ToolFailure, tool: RouterTool): ToolFailure =>
  failure.code === "invalid_arguments" ? { ...failure, input_schema: tool.inputSchema() } : failure

const answerOf = (outcome: Outcome): RouterAnswer | Unknown => {
  if (outcome.ok) return { content: { ...outcome.output }, isError: false }
  return outcome.error.code === "unknown_tool" ? { unknown: outcome.error } : failed(outcome.error)
}
