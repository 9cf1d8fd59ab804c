import type { UIMessage } from "ai"
import { withoutFiles } from "./Attachments.ts"
import { isSummary } from "./Summaries.ts"
import { bytesOf, head } from "./Untrusted.ts"

/** Bytes of a conversation that are stored, as JSON in UTF-8. */
const storedLimit = 128 * 1024

/** Characters of a text, and bytes of a tool's answer and of a call's arguments, that are left where there is no room for more. */
const textLimit = 2000
const answerLimit = 1000
const argumentsLimit = 2000

type Part = UIMessage["parts"][number]
type Messages = ReadonlyArray<UIMessage>

/** Stands in the place of a tool's answer, or of a call's arguments. */
export interface LeftOut {
  readonly left_out: string
}

/** The note in the place of a tool's answer; undefined: it is so small that it stays. */
export const leftOut = (answer: unknown): LeftOut | undefined => {
  const bytes = bytesOf(answer)
  if (bytes <= answerLimit) return undefined
  return {
    left_out: `${kilobytes(bytes)} of what the tool answered were left out, to have room for the conversation. If they are needed, make the same call again when it only reads, or ask for less of it; what a call changed is done: read the record.`
  }
}

const argumentsLeftOut = (bytes: number): LeftOut => ({
  left_out: `${kilobytes(bytes)} of arguments were left out, to have room for the conversation.`
})

const kilobytes = (bytes: number) => `${Math.ceil(bytes / 1024)} KB`

/** A turn is a user's message and what came of it. */
export const turnsOf = (messages: Messages): ReadonlyArray<Messages> => {
  const turns: Array<Array<UIMessage>> = []
  for (const message of messages) {
    if (message.role === "user" || turns.length === 0) turns.push([message])
    else turns.at(-1)?.push(message)
  }
  return turns
}

/** Bytes of messages. Files are not counted: they have a limit of their own. */
export const bytesOfAll = (messages: Messages) => messages.reduce((sum, message) => sum + bytesOfOne(message), 0)

const bytesOfOne = ({ parts, ...message }: UIMessage) => bytesOf(message) + bytesOfParts(parts)

export const bytesOfParts = (parts: ReadonlyArray<{ readonly type: string }>) =>
  parts.reduce((sum, part) => sum + (part.type === "file" ? 0 : bytesOf(part)), 0)

/** Changes one message after the other, oldest first, until `over` bytes are saved. */
export const eased = <M>(
  messages: ReadonlyArray<M>,
  over: number,
  change: (message: M, isEnough: () => boolean, saved: (bytes: number) => void) => M
): ReadonlyArray<M> => {
  let left = over
  const isEnough = () => left <= 0
  const saved = (bytes: number) => {
    left -= bytes
  }
  return messages.map((message) => (isEnough() ? message : change(message, isEnough, saved)))
}

const easedBy = (messages: Messages, limit: number, change: (part: Part) => Part): Messages =>
  eased(messages, bytesOfAll(messages) - limit, (message, isEnough, saved) => ({
    ...message,
    parts: message.parts.map((part) => {
      if (isEnough()) return part
      const changed = change(part)
      if (changed !== part) saved(bytesOf(part) - bytesOf(changed))
      return changed
    })
  }))

const withoutAnswer = (part: Part): Part => {
  if (!("toolCallId" in part)) return part
  if (part.state === "output-available") {
    const left = leftOut(part.output)
    return left === undefined ? part : { ...part, output: left }
  }
  const left = part.state === "output-error" ? leftOut(part.errorText) : undefined
  return part.state !== "output-error" || left === undefined ? part : { ...part, errorText: JSON.stringify(left) }
}

const withoutArguments = (part: Part): Part => {
  if (!("toolCallId" in part) || part.state !== "output-available") return part
  const bytes = bytesOf(part.input)
  return bytes > argumentsLimit ? { ...part, input: argumentsLeftOut(bytes) } : part
}

const cut = (part: Part): Part =>
  part.type === "text" && part.text.length > textLimit
    ? { ...part, text: `${head(part.text, textLimit)}… [shortened]` }
    : part

/** Thoughts and calls go together, and with what providers know the texts by. */
const wordsAlone = (messages: Messages, limit: number): Messages =>
  eased(messages, bytesOfAll(messages) - limit, (message, _, saved) => {
    const words = {
      ...message,
      parts: message.parts.flatMap((part): ReadonlyArray<Part> =>
        part.type === "text" ? [{ type: "text", text: part.text }] : []
      )
    }
    saved(bytesOfOne(message) - bytesOfOne(words))
    return words
  }).filter(({ parts }) => parts.length > 0)

/** A conversation without the answers of tools, and the long arguments, that keep it from fitting; the oldest go first. */
export const lightened = (messages: Messages, limit: number): Messages =>
  easedBy(easedBy(messages, limit, withoutAnswer), limit, withoutArguments)

/** As little of what was said as has to go, so that it fits: long texts are shortened, then only texts are left, the oldest first. */
export const shortened = (messages: Messages, limit: number): Messages =>
  wordsAlone(easedBy(lightened(messages, limit), limit, cut), limit)

/** The newest turns that fit together, and always the last. */
export const newest = (turns: ReadonlyArray<Messages>, limit: number): ReadonlyArray<Messages> => {
  let left = limit
  const first = turns.findLastIndex((turn) => {
    left -= bytesOfAll(turn)
    return left < 0
  })
  return turns.slice(Math.min(first + 1, turns.length - 1))
}

/** The stored part of a conversation: its summary, and of what was said since then as much as fits. */
export const kept = (messages: Messages): Messages => {
  const [first] = messages
  const summary = first !== undefined && isSummary(first) ? [first] : []
  const said = messages
    .slice(summary.length)
    .map(finished)
    .filter(({ parts }) => parts.length > 0)
  const limit = storedLimit - bytesOfAll(summary)
  return [...summary, ...newest(turnsOf(shortened(said, limit)), limit).flat()]
}

/** Arguments that never came whole say nothing, and what a client adds for itself is not for us. */
const finished = (message: UIMessage): UIMessage => {
  const { parts, ...rest } = withoutFiles(message)
  return {
    ...rest,
    parts: parts.filter(
      (part) => !part.type.startsWith("data-") && (!("state" in part) || part.state !== "input-streaming")
    )
  }
}
