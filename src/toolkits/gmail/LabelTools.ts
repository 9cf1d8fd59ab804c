import { Effect, Schema } from "effect"
import { each, shown } from "../Answers.ts"
import { list, otherwise, text } from "../Fields.ts"
import { type ConnectionTool, hints, tool } from "../Tool.ts"
import { type Calls, labelId, messageId, modify, root, threadId } from "./Calls.ts"

const label = shown({ id: "id", name: "name", type: "type" })

const changes = {
  add_label_ids: otherwise(list("Labels to put on, such as `STARRED`; none when left out.", labelId, 100), []),
  remove_label_ids: otherwise(
    list("Labels to take off: `UNREAD` marks as read, `INBOX` archives; none when left out.", labelId, 100),
    []
  )
}

/** Labels, which are Gmail's folders, stars and marks as well. https://developers.google.com/workspace/gmail/api/guides/labels */
export const labelTools = ({ one }: Calls): ReadonlyArray<ConnectionTool> => [
  tool({
    name: "gmail_list_labels",
    title: "List labels",
    description:
      "Lists all labels with their ids: Gmail's own (INBOX, UNREAD, STARRED, SENT, TRASH, SPAM, …) and the user's.",
    keywords: ["folders", "tags", "categories"],
    hints: hints.read,
    scopes: [modify],
    input: Schema.Struct({}),
    run: (connection) =>
      Effect.map(one(connection, { operation: "labels.list", method: "GET", path: `${root}/labels` }), (answer) => ({
        labels: each("labels", label)(answer)
      }))
  }),
  tool({
    name: "gmail_create_label",
    title: "Create a label",
    description: "Creates a label. A slash in its name puts it below another, as in `Customers/Acme`.",
    keywords: ["new folder", "new tag"],
    hints: hints.create,
    scopes: [modify],
    input: Schema.Struct({ name: text("Name of the label, which no other label has.", 225) }),
    run: (connection, { name }) =>
      Effect.map(
        one(connection, { operation: "labels.create", method: "POST", path: `${root}/labels`, json: { name } }),
        // the answer does not say that it is one of the user's own
        (made) => label({ type: "user", ...made })
      )
  }),
  ...(["message", "thread"] as const).map((kind): ConnectionTool =>
    tool({
      name: `gmail_label_${kind}`,
      title: kind === "message" ? "Label a message" : "Label a conversation",
      description: `Puts labels on ${kind === "message" ? "a message" : "every message of a conversation"} and takes others off: mark as read (take off UNREAD), star (STARRED), archive (take off INBOX), or the user's own labels. Answers the labels it has then.`,
      keywords: ["mark as read", "mark as unread", "star", "archive", "move to folder", "tag", "categorise"],
      hints: hints.update,
      scopes: [modify],
      input: Schema.Struct({
        id: kind === "message" ? messageId : threadId,
        ...changes
      }),
      run: (connection, { add_label_ids, id, remove_label_ids }) =>
        Effect.map(
          one(connection, {
            operation: `${kind}s.modify`,
            method: "POST",
            path: `${root}/${kind}s/:id/modify`,
            params: { id },
            json: { addLabelIds: add_label_ids, removeLabelIds: remove_label_ids },
            repeatable: true
          }),
          (answer) =>
            kind === "message"
              ? { id: answer["id"], labels: answer["labelIds"] ?? [] }
              : {
                  id: answer["id"],
                  messages: each("messages", shown({ id: "id", labels: "labelIds" }))(answer)
                }
        )
    })
  )
]
