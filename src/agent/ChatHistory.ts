import type { UIMessage } from "ai"

/** Turns of a conversation that are kept, and bytes of them, as JSON in UTF-8. */
const turnLimit = 20
const byteLimit = 64 * 1024

/** Characters of a text in a turn that alone would be too large. */
const textLimit = 2000

type Part = UIMessage["parts"][number]

/** The end of a conversation: as many whole turns as fit, and of one that alone is too large its texts. */
export const kept = (messages: ReadonlyArray<UIMessage>): ReadonlyArray<UIMessage> => {
  const turns = turnsOf(messages.map(finished).filter(({ parts }) => parts.length > 0))
  const last = turns.at(-1)
  if (last === undefined) return []
  const found: Array<ReadonlyArray<UIMessage>> = []
  let bytes = 0
  for (const turn of turns.slice(-turnLimit).toReversed()) {
    bytes += bytesOf(turn)
    if (bytes > byteLimit) break
    found.unshift(turn)
  }
  return found.length > 0 ? found.flat() : shortened(last)
}

/** A turn is a user's message and what came of it. */
const turnsOf = (messages: ReadonlyArray<UIMessage>) => {
  const turns: Array<Array<UIMessage>> = []
  for (const message of messages) {
    if (message.role === "user" || turns.length === 0) turns.push([message])
    else turns.at(-1)?.push(message)
  }
  return turns
}

/** Arguments that never came whole say nothing. */
const finished = (message: UIMessage): UIMessage => ({
  ...message,
  parts: message.parts.filter((part) => !("state" in part) || part.state !== "input-streaming")
})

const bytesOf = (turn: ReadonlyArray<UIMessage>) => Buffer.byteLength(JSON.stringify(turn))

const shortened = (turn: ReadonlyArray<UIMessage>): ReadonlyArray<UIMessage> => {
  const without = turn.map((message) => ({ ...message, parts: message.parts.filter(isText) }))
  const isSmall = bytesOf(without) <= byteLimit
  return without
    .map((message) => ({ ...message, parts: isSmall ? message.parts : message.parts.map(cut) }))
    .filter(({ parts }) => parts.length > 0)
}

const isText = (part: Part) => part.type === "text"

const cut = (part: Part): Part =>
  part.type === "text" && part.text.length > textLimit
    ? { type: "text", text: `${part.text.slice(0, textLimit).replace(/[\uD800-\uDBFF]$/, "")}… [shortened]` }
    : part
