import { dynamicTool, jsonSchema, NoSuchToolError, type ToolCallRepairFunction, type ToolSet } from "ai"
import { Effect } from "effect"
import { ToolCallFailed } from "./ChatFailures.ts"
import { argumentsOf, isObject } from "./Json.ts"
import { executorOf } from "./ConfirmationPolicy.ts"
import type { Run } from "./McpBridge.ts"
import { plainName } from "./ToolCatalogue.ts"
import type { ToolFailure } from "./ToolFailure.ts"
import { callLimit, type Session } from "./ToolGate.ts"
import type { ToolRouter } from "./ToolRouter.ts"

/** Calls that fail in the same way with the same arguments before a model counts as going round in circles. */
const sameFailures = 3

/** A call that the user has to approve before it runs. */
export interface Pending {
  readonly toolCallId: string
  readonly tool: string
  readonly args: unknown
}

/** How a user is asked in their own client. */
export interface Asking {
  /** Signs a question; undefined: the client cannot ask. */
  readonly ask: ((pending: Pending) => Effect.Effect<string>) | undefined
  /** Ids of the calls in the conversation that the user has approved. */
  readonly approved: ReadonlySet<string>
}

const usedUp: ToolFailure = {
  code: "not_permitted",
  message: `One turn calls tools ${callLimit} times at most. Answer with what you have; the rest can be asked for in the next turn.`
}

/** The tools of a session as the AI SDK calls them; whatever they run ends with the turn. */
export const chatTools = (router: ToolRouter["Type"], session: Session, run: Run<never>, { approved, ask }: Asking) => {
  // models reuse ids: an approved call runs once, before the model goes on
  const unused = new Set(approved)
  const failures = new Map<string, number>()
  const signatures = new Map<string, string>()
  let calls = 0

  const call = (name: string, args: unknown, toolCallId: string) =>
    Effect.gen(function* () {
      calls += 1
      if (calls > callLimit) return yield* new ToolCallFailed({ answer: { error: usedUp } })
      const answer = yield* router.call(unused.delete(toolCallId) ? session.consented() : session, name, args)
      if (!("unknown" in answer) && !answer.isError) return answer.content
      const key = `${name} ${JSON.stringify(args)}`
      failures.set(key, (failures.get(key) ?? 0) + 1)
      return yield* new ToolCallFailed({ answer: "unknown" in answer ? { error: answer.unknown } : answer.content })
    })

  const listed = router.list(session)
  const tools: ToolSet = Object.fromEntries(
    listed.map(({ description, inputSchema, name, title }) => [
      name,
      dynamicTool({
        title,
        description,
        inputSchema: jsonSchema({ ...inputSchema, type: "object" as const }, { validate: readArguments }),
        ...(ask === undefined
          ? {}
          : {
              needsApproval: (args: unknown, { toolCallId }: { readonly toolCallId: string }) =>
                run(
                  Effect.gen(function* () {
                    const planned = router.asking(session, name, args)
                    if (planned.length === 0) return false
                    signatures.set(toolCallId, yield* ask({ toolCallId, tool: name, args }))
                    yield* session.withheld(planned, "approval_required")
                    return true
                  })
                )
            }),
        execute: (args, { toolCallId }) => run(call(name, args, toolCallId))
      })
    ])
  )

  /** Models call real tools by name, and vary the spelling: both reach the right tool, or an answer that helps. */
  const repair: ToolCallRepairFunction<ToolSet> = ({ error, toolCall }) => {
    if (!NoSuchToolError.isInstance(error)) return Promise.resolve(null)
    const plain = plainName(toolCall.toolName)
    if (tools[plain] !== undefined) return Promise.resolve({ ...toolCall, toolName: plain })
    const offer = session.find(plain)
    return Promise.resolve({
      ...toolCall,
      toolName: offer === undefined ? "execute_read_tools" : executorOf(offer.hints),
      input: JSON.stringify({ calls: [{ tool: toolCall.toolName, arguments: toolCall.input }] })
    })
  }

  return {
    tools,
    repair,
    /** Returns the signature of the question to the user about a call. */
    signatureOf: (toolCallId: string) => signatures.get(toolCallId),
    /** Why the model may call no more; undefined: it may. */
    endOfCalls: () => {
      if (calls >= callLimit) return "This turn has used up its calls of tools."
      return [...failures.values()].some((count) => count >= sameFailures)
        ? "The same call failed again and again."
        : undefined
    }
  }
}

const readArguments = (given: unknown) => {
  const value = argumentsOf(given)
  return isObject(value)
    ? { success: true as const, value }
    : { success: false as const, error: new Error("the arguments must be a JSON object") }
}
