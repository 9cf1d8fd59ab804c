import { Array, Effect, Either, Schema } from "effect"
import { getPath, natives } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../../providers/ConnectionRef.ts"
import type { ProviderError, Reason } from "../../providers/ProviderError.ts"
import { beginning, part } from "../Answers.ts"
import { flag, from, list, optional, otherwise, text } from "../Fields.ts"
import { type ConnectionTool, hints, type JsonObject, tool } from "../Tool.ts"
import { type Calls, cursor, draftId, labelId, limit, messageId, modify, root, threadId } from "./Calls.ts"
import { attachmentsOf, heading, listed, textOf } from "./Mime.ts"

/** Characters of a text that one answer holds. */
const bodyLength = 12_000

/** Characters of a message in a conversation, and how many messages of one are shown, the last ones. */
const shortLength = 3000
const messagesShown = 12

/** Calls that read entries of one page at a time. */
const atATime = 6

const query = optional(
  text(
    'Gmail\'s search words: `from:ann@example.com`, `to:me`, `subject:invoice`, `is:unread`, `is:starred`, `in:sent`, `label:name`, `has:attachment`, `after:2026/01/31`, `newer_than:7d`, `"exact words"`, `-without`. Everything when left out.',
    500
  )
)

const filters = {
  query,
  label_ids: optional(list("Only what has all of these labels.", labelId, 20)),
  include_spam_trash: otherwise(flag("Whether spam and trash are searched too; false when left out."), false),
  limit,
  cursor
}

/** A message with its text, from a character on. */
export const details = (message: unknown, from: number) => ({
  ...heading(message),
  snippet: undefined,
  attachments: attachmentsOf(message),
  ...part("text", textOf(message), bodyLength, from)
})

/** Failures that the other entries of a list would meet as well. */
const concernsAll = new Set<Reason["_tag"]>(["LimitReached", "Unauthenticated", "Busy", "Unreadable"])

export const readTools = ({ one }: Calls): ReadonlyArray<ConnectionTool> => {
  const headed = (connection: ConnectionRef, id: string) =>
    one(connection, {
      operation: "messages.get",
      method: "GET",
      path: `${root}/messages/:id`,
      params: { id },
      query: [["format", "metadata"], ...listed.map((name) => ["metadataHeaders", name] as const)]
    })

  /**
   * Reads each entry of a list that has only ids. An entry that cannot be read is shown by its id with the reason; one that is gone
   * since the list was read is left out.
   */
  const reading = (
    entries: unknown,
    name: string,
    read: (id: string) => Effect.Effect<JsonObject, ProviderError>
  ): Effect.Effect<ReadonlyArray<JsonObject>, ProviderError> =>
    Effect.gen(function* () {
      const ids = natives(entries).flatMap(({ id }) => (typeof id === "string" ? [id] : []))
      const outcomes = yield* Effect.forEach(
        ids,
        (id) =>
          Effect.mapError(read(id), (error) => ({ id, error })).pipe(
            Effect.either,
            Effect.filterOrElse(
              (outcome) => Either.isRight(outcome) || !concernsAll.has(outcome.left.error.reason._tag),
              (outcome) => (Either.isLeft(outcome) ? Effect.fail(outcome.left.error) : Effect.succeed(outcome))
            )
          ),
        { concurrency: atATime }
      )
      const failures = Array.getLefts(outcomes)
      const [first] = failures.filter(({ error }) => error.reason._tag !== "Missing")
      if (first !== undefined && failures.length === ids.length) return yield* first.error
      return outcomes.flatMap((outcome) =>
        Either.match(outcome, {
          onRight: (entry) => [entry],
          onLeft: ({ error: { detail, reason }, id }) =>
            reason._tag === "Missing" ? [] : [{ [name]: id, unreadable: detail ?? "Gmail's answer makes no sense." }]
        })
      )
    })

  return [
    tool({
      name: "gmail_get_profile",
      title: "Get the connected mailbox",
      description: "Answers the address of the connected mailbox and how many messages and conversations it holds.",
      keywords: ["who am i", "my address", "my email", "account"],
      hints: hints.read,
      scopes: [modify],
      input: Schema.Struct({}),
      run: (connection) =>
        Effect.map(
          one(connection, { operation: "profile", method: "GET", path: `${root}/profile` }),
          ({ emailAddress, messagesTotal, threadsTotal }) => ({
            address: emailAddress,
            messages: messagesTotal,
            conversations: threadsTotal
          })
        )
    }),
    tool({
      name: "gmail_search_messages",
      title: "Search messages",
      description:
        "Finds messages by Gmail's search words, newest first: sender, recipients, subject, date, labels and the beginning of the text, or `unreadable`. Read one in full with gmail_get_message, its conversation with gmail_get_thread.",
      keywords: ["find email", "search mail", "inbox", "unread", "list emails", "look for a mail"],
      hints: hints.read,
      scopes: [modify],
      input: Schema.Struct(filters),
      run: (connection, { cursor, include_spam_trash, label_ids = [], limit, query }) =>
        Effect.gen(function* () {
          const found = yield* one(connection, {
            operation: "messages.list",
            method: "GET",
            path: `${root}/messages`,
            query: [
              ...(query === undefined ? [] : [["q", query] as const]),
              ...label_ids.map((id) => ["labelIds", id] as const),
              ...(include_spam_trash ? [["includeSpamTrash", "true"] as const] : []),
              ...(cursor === undefined ? [] : [["pageToken", cursor] as const]),
              ["maxResults", String(limit)]
            ]
          })
          return {
            messages: yield* reading(found["messages"], "id", (id) => Effect.map(headed(connection, id), heading)),
            next_cursor: found["nextPageToken"] ?? null
          }
        })
    }),
    tool({
      name: "gmail_get_message",
      title: "Read a message",
      description:
        "Reads one message: sender, recipients, subject, date, labels, names of attachments, and its text, up to 12,000 characters at a time (`next_from` tells where to read on). HTML is turned into plain text.",
      keywords: ["open email", "read mail", "show message"],
      hints: hints.read,
      scopes: [modify],
      input: Schema.Struct({ message_id: messageId, from }),
      run: (connection, { from, message_id }) =>
        Effect.map(
          one(connection, {
            operation: "messages.get",
            method: "GET",
            path: `${root}/messages/:id`,
            params: { id: message_id },
            query: { format: "full" }
          }),
          (message) => details(message, from)
        )
    }),
    tool({
      name: "gmail_get_thread",
      title: "Read a conversation",
      description:
        "Reads a conversation: its last 12 messages, oldest first, each with up to 3,000 characters of its text. A longer text (`truncated`) is read with gmail_get_message.",
      keywords: ["thread", "discussion", "email chain", "history of a mail"],
      hints: hints.read,
      scopes: [modify],
      input: Schema.Struct({ thread_id: threadId }),
      run: (connection, { thread_id }) =>
        Effect.map(
          one(connection, {
            operation: "threads.get",
            method: "GET",
            path: `${root}/threads/:id`,
            params: { id: thread_id },
            query: { format: "full" }
          }),
          (thread) => {
            const messages = natives(thread["messages"])
            return {
              thread_id: thread["id"],
              message_count: messages.length,
              messages: messages.slice(-messagesShown).map((message) => ({
                ...heading(message),
                snippet: undefined,
                thread_id: undefined,
                attachments: attachmentsOf(message),
                ...beginning("text", textOf(message), shortLength)
              }))
            }
          }
        )
    }),
    tool({
      name: "gmail_list_drafts",
      title: "List drafts",
      description:
        "Lists drafts, newest first: `draft_id`, recipients, subject and the beginning of the text. A draft that cannot be read has `unreadable` instead.",
      keywords: ["unsent mail", "my drafts"],
      hints: hints.read,
      scopes: [modify],
      input: Schema.Struct({ query, limit, cursor }),
      run: (connection, { cursor, limit, query }) =>
        Effect.gen(function* () {
          const found = yield* one(connection, {
            operation: "drafts.list",
            method: "GET",
            path: `${root}/drafts`,
            query: { q: query, pageToken: cursor, maxResults: limit }
          })
          const drafts = yield* reading(found["drafts"], "draft_id", (id) =>
            Effect.map(
              one(connection, {
                operation: "drafts.get",
                method: "GET",
                path: `${root}/drafts/:id`,
                params: { id },
                query: { format: "metadata" }
              }),
              (draft) => ({ draft_id: draft["id"], ...heading(draft["message"]) })
            )
          )
          return {
            drafts,
            next_cursor: found["nextPageToken"] ?? null
          }
        })
    }),
    tool({
      name: "gmail_get_draft",
      title: "Read a draft",
      description:
        "Reads one draft with its text, up to 12,000 characters at a time (`next_from` tells where to read on).",
      keywords: ["open draft", "show unsent mail"],
      hints: hints.read,
      scopes: [modify],
      input: Schema.Struct({ draft_id: draftId, from }),
      run: (connection, { draft_id, from }) =>
        Effect.map(
          one(connection, {
            operation: "drafts.get",
            method: "GET",
            path: `${root}/drafts/:id`,
            params: { id: draft_id },
            query: { format: "full" }
          }),
          (draft) => ({ draft_id: draft["id"], ...details(getPath(draft, "message"), from) })
        )
    })
  ]
}
