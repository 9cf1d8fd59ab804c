import type { UIMessage } from "ai"
import { Option, Schema } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { clean, head } from "./Untrusted.ts"

/** Most characters of a summary. */
const textLimit = 6000

const Summary = Schema.Struct({
  text: Schema.String,
  /** Messages that it stands for, of the conversation as it was when it was made, and a digest of what was said in them. */
  covers: Schema.Int,
  digest: Schema.String
})

/** A summary of the beginning of a conversation, made by a model of what users and tools said: not to be trusted. */
export type Summary = typeof Summary.Type

const type = "data-summary"

const decode = Schema.decodeUnknownOption(Summary)

/** The summary that a message is; undefined: it is another message. */
export const summaryIn = (message: UIMessage | undefined): Summary | undefined => {
  const [part] = message?.parts ?? []
  return part?.type === type && "data" in part ? Option.getOrUndefined(decode(part.data)) : undefined
}

export const isSummary = (message: UIMessage) => summaryIn(message) !== undefined

/** Hidden text of what was summed up is not carried on. */
export const summaryOf = (text: string, messages: ReadonlyArray<UIMessage>): UIMessage => {
  const data: Summary = {
    text: head(clean(text, false), textLimit),
    covers: messages.length,
    digest: digestOf(messages)
  }
  return { id: `summary_${randomUUID()}`, role: "assistant", parts: [{ type, data }] }
}

/** Whether a summary is of the beginning of a conversation, which its client keeps and may have changed. */
export const isOf = ({ covers, digest }: Summary, messages: ReadonlyArray<UIMessage>) =>
  covers < messages.length && digestOf(messages.slice(0, covers)) === digest

/** Of the words alone: of the rest, what one client sends again another leaves out. */
const digestOf = (messages: ReadonlyArray<UIMessage>) =>
  createHash("sha256")
    .update(
      JSON.stringify(
        messages.map(({ parts, role }) => [role, parts.flatMap((part) => (part.type === "text" ? [part.text] : []))])
      )
    )
    .digest("base64")
