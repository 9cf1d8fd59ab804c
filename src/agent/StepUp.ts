import { Effect, Option, Schema } from "effect"
import { Forbidden } from "../platform/Errors.ts"
import { plannedIn } from "./Executors.ts"
import type { Session } from "./ToolGate.ts"

/** A message of the protocol that calls a tool, by itself or through an executor. */
const toolCallIn = Schema.decodeUnknownOption(
  Schema.parseJson(
    Schema.Struct({
      method: Schema.Literal("tools/call"),
      params: Schema.Struct({ name: Schema.String, arguments: Schema.optional(Schema.Unknown) })
    })
  )
)

const beyond = (tools: ReadonlyArray<string>) =>
  new Forbidden({
    code: "INSUFFICIENT_SCOPE",
    message: `${tools.join(", ")}: this token only reads. Its program asks the end user for the scope tools:write.`
  })

/**
 * Refuses a message whose tools the workspace has and only the scopes of its token keep back, so that the program asks for
 * more of them (https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#scope-challenge-handling).
 * `wider` is what a token of all scopes would have: what else keeps a tool back is told by the call.
 */
export const refuseBeyondScope = Effect.fnUntraced(function* (
  text: string,
  session: Session,
  wider: Effect.Effect<Session>
) {
  const called = session.agent.caller.grant?.readOnly === true ? toolCallIn(text) : Option.none()
  if (Option.isNone(called)) return
  const { arguments: args, name } = called.value.params
  const isIn = ({ find }: Session, tool: string) => find(tool) !== undefined
  const all = yield* wider
  const kept = plannedIn(name, args).filter(
    ({ reach, tool }) => reach !== "reads" && !isIn(session, tool) && isIn(all, tool)
  )
  if (kept.length === 0) return
  yield* session.withheld(kept, "not_permitted")
  return yield* beyond(kept.map(({ tool }) => tool))
})
