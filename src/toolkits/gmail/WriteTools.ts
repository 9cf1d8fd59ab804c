import { Effect, Schema } from "effect"
import { getPath } from "../../mapping/Mapping.ts"
import type { ConnectionRef } from "../../providers/ConnectionRef.ts"
import { Invalid, ProviderError } from "../../providers/ProviderError.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { type Calls, draftId, messageId, modify, root } from "./Calls.ts"
import { addressesIn, changedBody, compose, type Message, message } from "./Compose.ts"
import { header, textOf } from "./Mime.ts"

const refuse = (operation: string, fields: { readonly [name: string]: string }) =>
  new ProviderError({ provider: "gmail", operation, reason: new Invalid({ fields }) })

const sent = (message: unknown) => ({
  id: getPath(message, "id"),
  thread_id: getPath(message, "threadId"),
  labels: getPath(message, "labelIds")
})

/** `Re: ` in front, unless it is there. */
const answering = (subject: string | undefined) =>
  /^re:/i.test(subject ?? "") ? (subject ?? "") : `Re: ${subject ?? ""}`

export const writeTools = ({ call, one }: Calls): ReadonlyArray<ConnectionTool> => {
  const get = (connection: ConnectionRef, kind: "messages" | "drafts", id: string, format: "metadata" | "full") =>
    one(connection, {
      operation: `${kind}.get`,
      method: "GET",
      path: `${root}/${kind}/:id`,
      params: { id },
      query: { format }
    })

  /** Makes a message as Gmail takes it, with the conversation that it belongs to. */
  const made = Effect.fnUntraced(function* (
    connection: ConnectionRef,
    operation: string,
    { bcc = [], body, cc = [], reply_to_message_id, subject, to }: Message
  ) {
    if (reply_to_message_id === undefined) {
      if (to === undefined || to.length === 0) return yield* refuse(operation, { to: "must name somebody" })
      if (subject === undefined) return yield* refuse(operation, { subject: "is required, except in a reply" })
      return { raw: compose({ to, cc, bcc, subject }, body) }
    }
    const answered = yield* get(connection, "messages", reply_to_message_id, "metadata")
    const of = (name: string) => header(answered["payload"], name)
    const people = to ?? addressesIn(of("Reply-To") ?? of("From"))
    if (people.length === 0) {
      return yield* refuse(operation, { to: "is required: the answered message does not say whom it is from" })
    }
    const id = of("Message-ID")
    return {
      threadId: answered["threadId"],
      raw: compose(
        {
          to: people,
          cc,
          bcc,
          subject: subject ?? answering(of("Subject")),
          inReplyTo: id,
          references: [of("References"), id].filter((part) => part !== undefined).join(" ")
        },
        body
      )
    }
  })

  return [
    tool({
      name: "gmail_create_draft",
      title: "Draft a message",
      description:
        "Puts a message or a reply among the drafts, where its owner can look at it before it goes out. Prefer this to sending. Answers `draft_id` for gmail_update_draft and gmail_send_draft.",
      keywords: ["write email", "compose mail", "prepare a reply", "answer a mail"],
      hints: hints.create,
      scopes: [modify],
      input: Schema.Struct(message),
      run: (connection, input) =>
        Effect.gen(function* () {
          const json = { message: yield* made(connection, "drafts.create", input) }
          const draft = yield* one(connection, {
            operation: "drafts.create",
            method: "POST",
            path: `${root}/drafts`,
            json
          })
          return { draft_id: draft["id"], ...sent(draft["message"]) }
        })
    }),
    tool({
      name: "gmail_update_draft",
      title: "Change a draft",
      description:
        "Changes recipients, subject or text of a draft; what is left out stays. A draft with attachments is refused, since they would be lost.",
      keywords: ["edit draft", "rewrite mail"],
      hints: hints.update,
      scopes: [modify],
      input: Schema.Struct({
        draft_id: draftId,
        to: message.to,
        cc: message.cc,
        bcc: message.bcc,
        subject: message.subject,
        body: changedBody
      }),
      run: (connection, { draft_id, ...changes }) =>
        Effect.gen(function* () {
          const present = (yield* get(connection, "drafts", draft_id, "full"))["message"]
          const payload = getPath(present, "payload")
          if (getPath(payload, "parts") !== undefined && JSON.stringify(payload).includes('"attachmentId"')) {
            return yield* refuse("drafts.update", { draft_id: "has attachments, which this tool cannot keep" })
          }
          const people = (name: "to" | "cc" | "bcc") => changes[name] ?? addressesIn(header(payload, name))
          const draft = yield* one(connection, {
            operation: "drafts.update",
            method: "PUT",
            path: `${root}/drafts/:id`,
            params: { id: draft_id },
            json: {
              message: {
                threadId: getPath(present, "threadId"),
                raw: compose(
                  {
                    to: people("to"),
                    cc: people("cc"),
                    bcc: people("bcc"),
                    subject: changes.subject ?? header(payload, "Subject") ?? "",
                    inReplyTo: header(payload, "In-Reply-To"),
                    references: header(payload, "References")
                  },
                  changes.body ?? textOf(present)
                )
              }
            }
          })
          return { draft_id: draft["id"], ...sent(draft["message"]) }
        })
    }),
    tool({
      name: "gmail_send_draft",
      title: "Send a draft",
      description: "Sends a draft to its recipients; it is not a draft any more. It cannot be undone.",
      keywords: ["send email", "mail out the draft"],
      hints: hints.send,
      scopes: [modify],
      input: Schema.Struct({ draft_id: draftId }),
      run: (connection, { draft_id }) =>
        Effect.map(
          one(connection, {
            operation: "drafts.send",
            method: "POST",
            path: `${root}/drafts/send`,
            json: { id: draft_id }
          }),
          sent
        )
    }),
    tool({
      name: "gmail_delete_draft",
      title: "Delete a draft",
      description: "Deletes a draft for good. Nothing is sent.",
      keywords: ["discard draft", "throw away mail"],
      hints: hints.remove,
      scopes: [modify],
      input: Schema.Struct({ draft_id: draftId }),
      run: (connection, { draft_id }) =>
        Effect.as(
          call(connection, {
            operation: "drafts.delete",
            method: "DELETE",
            path: `${root}/drafts/:id`,
            params: { id: draft_id }
          }),
          { deleted: draft_id }
        )
    }),
    tool({
      name: "gmail_send_message",
      title: "Send a message",
      description:
        "Sends a message or a reply at once; it cannot be taken back. Unless the user asked for sending, use gmail_create_draft and let them look at it first.",
      keywords: ["send email", "write mail", "reply", "answer", "email somebody"],
      hints: hints.send,
      scopes: [modify],
      input: Schema.Struct(message),
      run: (connection, input) =>
        Effect.gen(function* () {
          const json = yield* made(connection, "messages.send", input)
          return sent(
            yield* one(connection, { operation: "messages.send", method: "POST", path: `${root}/messages/send`, json })
          )
        })
    }),
    tool({
      name: "gmail_trash_message",
      title: "Move a message to the trash",
      description: "Moves a message to the trash, where Gmail keeps it for 30 days.",
      keywords: ["delete email", "remove mail", "bin"],
      hints: hints.remove,
      scopes: [modify],
      input: Schema.Struct({ message_id: messageId }),
      run: (connection, { message_id }) =>
        Effect.map(
          one(connection, {
            operation: "messages.trash",
            method: "POST",
            path: `${root}/messages/:id/trash`,
            params: { id: message_id },
            repeatable: true
          }),
          sent
        )
    })
  ]
}
