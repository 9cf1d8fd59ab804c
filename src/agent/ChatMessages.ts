import { getToolName, isToolUIPart, safeValidateUIMessages, type UIMessage } from "ai"
import { Effect } from "effect"
import { Unprocessable } from "../platform/Errors.ts"
import { attachmentProblems } from "./Attachments.ts"
import type { NotApproved } from "./Consents.ts"
import type { Pending } from "./ChatTools.ts"
import { isObject } from "./Json.ts"

type Part = UIMessage["parts"][number]

/** Path of a field, and what is wrong there. */
type Problem = readonly [path: string, message: string]

const refuse = (errors: { readonly [path: string]: string }) => Effect.fail(new Unprocessable({ errors }))

/** Clients keep the user's approval of a call that was refused here, which the SDK does not accept as a valid message. */
const refused = (part: unknown) =>
  isObject(part) && part["state"] === "output-denied" && isObject(part["approval"])
    ? { ...part, approval: { ...part["approval"], approved: false } }
    : part

/**
 * The conversation as a client keeps it. Clients keep the message of a turn that failed before it said anything; it is left
 * out. `tokens`: most that the newest message of the user may have, files included.
 */
export const readMessages = Effect.fn("ChatMessages.read")(function* (
  given: ReadonlyArray<{ readonly parts: ReadonlyArray<unknown> }>,
  tokens: number
) {
  const indices = given.flatMap(({ parts }, i) => (parts.length > 0 ? [i] : []))
  const messages = given.flatMap((message) =>
    message.parts.length > 0 ? [{ ...message, parts: message.parts.map(refused) }] : []
  )
  const read = yield* Effect.promise(() => safeValidateUIMessages({ messages }))
  if (!read.success) {
    return yield* refuse({
      messages: "must be messages of the AI SDK (UIMessage: https://ai-sdk.dev/docs/reference/ai-sdk-core/ui-message)"
    })
  }
  const taken = new Set<string>()
  /**
   * The SDK finds what was approved by these ids, and of two calls with the same runs the later one. Only the last message
   * is open to approval, and models give an id again in another turn.
   */
  const repeated = (kind: "toolCallId" | "approval.id", id: string, part: string): ReadonlyArray<Problem> => {
    if (taken.has(`${kind} ${id}`)) return [[`${part}.${kind}`, "is that of another part: each has its own"]]
    taken.add(`${kind} ${id}`)
    return []
  }
  const newest = read.data.findLastIndex(({ role }) => role === "user")
  const errors = read.data.flatMap((message, i): ReadonlyArray<Problem> => {
    const path = `messages.${indices[i] ?? i}`
    const files = attachmentProblems(message, path, i === newest ? tokens : Infinity)
    if (i < read.data.length - 1) return files
    const calls = message.parts.flatMap((part, j): ReadonlyArray<Problem> => {
      if (!isToolUIPart(part)) return []
      return [
        ...repeated("toolCallId", part.toolCallId, `${path}.parts.${j}`),
        ...(part.approval === undefined ? [] : repeated("approval.id", part.approval.id, `${path}.parts.${j}`))
      ]
    })
    return [...files, ...calls]
  })
  if (errors.length > 0) return yield* refuse(Object.fromEntries(errors))
  const last = read.data.at(-1)
  if (last?.role !== "user" && !answered(last).some(isAnswer)) {
    return yield* refuse({
      messages: "must end with a message of the user, or with one of the assistant that answers a request for approval"
    })
  }
  return read.data
})

/** The parts of the assistant's last step. */
const answered = (message: UIMessage | undefined): ReadonlyArray<Part> =>
  message?.role === "assistant"
    ? message.parts.slice(message.parts.findLastIndex(({ type }) => type === "step-start") + 1)
    : []

const isAnswer = (part: Part) => isToolUIPart(part) && part.state === "approval-responded"

/**
 * Checks every consent in the conversation. One that is not valid, or was overtaken by later messages, becomes a refusal,
 * which the model sees, and `withheld` in the turn in which it is given.
 */
export const withConsents = (
  messages: ReadonlyArray<UIMessage>,
  use: (signature: string, pending: Pending) => Effect.Effect<void, NotApproved>,
  withheld: (pending: Pending, outcome: "declined" | "not_permitted") => Effect.Effect<void>
): Effect.Effect<Array<UIMessage>> => {
  const live = new Set(answered(messages.at(-1)))
  const check = (part: Part): Effect.Effect<Part> => {
    if (!isToolUIPart(part) || part.state !== "approval-responded") return Effect.succeed(part)
    const { approval, input, toolCallId } = part
    const denied = (reason: string): Part => ({ ...part, approval: { ...approval, approved: false, reason } })
    if (!live.has(part)) {
      const reason = "It was not carried out: the conversation went on without it."
      return Effect.succeed({ ...part, state: "output-denied", approval: { ...approval, approved: false, reason } })
    }
    const pending = { toolCallId, tool: getToolName(part), args: input }
    if (!approval.approved) return Effect.as(withheld(pending, "declined"), part)
    return use(approval.signature ?? "", pending).pipe(
      Effect.as(part),
      Effect.catchAll(({ message }) => Effect.as(withheld(pending, "not_permitted"), denied(message)))
    )
  }
  return Effect.forEach(messages, (message) =>
    Effect.map(Effect.forEach(message.parts, check), (parts) => ({ ...message, parts }))
  )
}
