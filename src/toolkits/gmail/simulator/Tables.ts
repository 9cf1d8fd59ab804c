import { Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import { staff } from "../../../providers/simulation/SampleSoftware.ts"
import { table } from "../../../providers/simulation/Table.ts"

// Contents of a simulated mailbox. Ids are hexadecimal, as Gmail's are; later messages have higher ones.

const text = Schema.String

const Message = Schema.Struct({
  id: text,
  threadId: text,
  labelIds: Schema.Array(text),
  /** Milliseconds since the epoch. */
  date: Schema.Number,
  headers: Schema.Array(Schema.Tuple(text, text)),
  text,
  html: Schema.NullOr(text),
  attachments: Schema.Array(Schema.Struct({ name: text, type: text, bytes: Schema.Int }))
})
export type Message = typeof Message.Type
export const messages = table("message", Message)

const Draft = Schema.Struct({ id: text, message: text })
export const drafts = table("draft", Draft)

/** Whether people see a label in the list of labels. */
export const InLabels = Schema.Literal("labelShow", "labelShowIfUnread", "labelHide")

/** Whether people see it on messages of a list. */
export const OnMessages = Schema.Literal("show", "hide")

/** Gmail says this of a user's labels only. */
const Label = Schema.Struct({
  id: text,
  name: text,
  type: Schema.Literal("system", "user"),
  labelListVisibility: Schema.optionalWith(InLabels, { exact: true }),
  messageListVisibility: Schema.optionalWith(OnMessages, { exact: true })
})
export type Label = typeof Label.Type
export const labels = table("label", Label)

/** The owner of the mailbox. */
export const me = staff[0]

export const freshId = (account: Account): string => (0x19_0000_0000_0000 + account.nextId()).toString(16)

export const headerOf = ({ headers }: Message, name: string): string =>
  headers.find(([one]) => one.toLowerCase() === name.toLowerCase())?.[1] ?? ""

/** Newest first. */
export const newest = (account: Account): ReadonlyArray<Message> =>
  [...messages.all(account)].sort((a, b) => b.date - a.date || (a.id < b.id ? 1 : -1))

export const inThread = (account: Account, threadId: string): ReadonlyArray<Message> =>
  newest(account)
    .filter((one) => one.threadId === threadId)
    .toReversed()
