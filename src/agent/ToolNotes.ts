import { Cause, Effect, Either, Exit } from "effect"
import type { Decision, Outcome as Ended, Via } from "../audit/Api.ts"
import type { ToolCalls } from "../audit/ToolCalls.ts"
import type { Connection } from "../connections/Connection.ts"
import type { Caller } from "../tenancy/CurrentCaller.ts"
import type { Offer } from "./ToolCatalogue.ts"
import type { ToolFailure } from "./ToolFailure.ts"
import { type Untrusted, untrusted } from "./Untrusted.ts"
import type { Workspace } from "./Workspace.ts"

/** How a call of a tool ended. */
export type Outcome =
  | { readonly tool: string; readonly ok: true; readonly output: Untrusted }
  | { readonly tool: string; readonly ok: false; readonly error: ToolFailure }

/** How far a call got. */
export interface Seen {
  offer?: Offer | undefined
  at?: Connection | undefined
  decision: Decision
  /** UUID of the approval that it waits for, that it runs with, or by which it was refused. */
  approval?: string | undefined
}

/** One call, as the audit is told of it. */
interface Noted extends Seen {
  /** As it was called. */
  readonly tool: string
  readonly args: unknown
  readonly outcome: Ended
  /** Absent: none. */
  readonly answer?: unknown
  readonly milliseconds?: number
}

/** For whom a tool is called. */
interface Calling {
  readonly caller: Caller
  readonly workspace: Workspace
  readonly via: Via
  readonly endUser: string | undefined
}

/** Notes the calls of an agent in the audit, with their contents where the workspace keeps them. */
export const noting =
  (calls: ToolCalls["Type"], { caller, endUser, via, workspace }: Calling) =>
  ({ answer = null, approval, args, at, decision, milliseconds = 0, offer, outcome, tool }: Noted) =>
    calls.note({
      caller,
      workspace: workspace.id,
      via,
      endUser,
      connection: at?.id,
      toolkit: offer?.toolkit.slug,
      tool: offer?.name ?? tool,
      args,
      decision,
      outcome,
      approval,
      milliseconds,
      content: workspace.keepContentDays > 0 ? { arguments: cut(args), answer } : undefined
    })

export const endOf = (exit: Exit.Exit<Outcome>): Ended => {
  if (Exit.isSuccess(exit)) return exit.value.ok ? "ok" : exit.value.error.code
  return Cause.isInterruptedOnly(exit.cause) ? "interrupted" : "internal_error"
}

/** Arguments as they are kept; those of any size are cut to fit as answers are. */
const cut = (args: unknown) =>
  Either.match(untrusted("", args, true), { onLeft: () => null, onRight: ({ content }) => content })

/** The span of a call of a tool, by OpenTelemetry's names (https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/#execute-tool-span). */
export const spanOf = (tool: string, workspace: string) =>
  Effect.withSpan(`execute_tool ${tool}`, {
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.type": "extension",
      "gen_ai.agent.id": workspace
    }
  })
