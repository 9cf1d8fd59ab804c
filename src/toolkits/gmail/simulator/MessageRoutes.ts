import { Either, Schema } from "effect"
import type { Account } from "../../../providers/simulation/Account.ts"
import type { Route, SimulatedRequest } from "../../../providers/simulation/Simulator.ts"
import { type Answered, bodyOf, missing, ok, pageOf, refuse, route } from "./Answers.ts"
import { read } from "./Incoming.ts"
import { searchOf } from "./Search.ts"
import {
  drafts,
  freshId,
  headerOf,
  InLabels,
  inThread,
  labels,
  me,
  type Message,
  messages,
  newest,
  OnMessages
} from "./Tables.ts"
import { type Format, formats, messageView, snippetOf } from "./Views.ts"

const optional = Schema.optional

// reading ---------------------------------------------------------------------------------------------------------------

const formatOf = ({ query }: SimulatedRequest): Answered<Format> => {
  const asked = query.get("format") ?? "full"
  const found = formats.find((format) => format === asked)
  return found === undefined ? refuse(400, `Invalid value at 'format': ${asked}`) : Either.right(found)
}

const messageOf = ({ params }: SimulatedRequest, account: Account): Answered<Message> => {
  const found = messages.get(account, params.id ?? "")
  return found === undefined ? missing : Either.right(found)
}

const threadOf = ({ params }: SimulatedRequest, account: Account): Answered<ReadonlyArray<Message>> => {
  const found = inThread(account, params.id ?? "")
  return found.length === 0 ? missing : Either.right(found)
}

const found = ({ query }: SimulatedRequest, account: Account): Answered<ReadonlyArray<Message>> => {
  const search = searchOf(query.get("q") ?? "", labels.all(account), account.now)
  if (Either.isLeft(search)) return refuse(400, search.left)
  const wanted = query.getAll("labelIds")
  const everywhere =
    search.right.anywhere ||
    query.get("includeSpamTrash") === "true" ||
    wanted.some((label) => label === "TRASH" || label === "SPAM")
  return Either.right(
    newest(account).filter(
      (message) =>
        search.right.test(message) &&
        wanted.every((label) => message.labelIds.includes(label)) &&
        (everywhere || !message.labelIds.some((label) => label === "TRASH" || label === "SPAM"))
    )
  )
}

const listQuery = ["q", "labelIds", "includeSpamTrash", "maxResults", "pageToken"]
const getQuery = ["format", "metadataHeaders"]

const reading: ReadonlyArray<Route> = [
  route("GET", "/profile", (_, account) => {
    const all = messages.all(account)
    return Either.right(
      ok({
        emailAddress: me.email,
        messagesTotal: all.length,
        threadsTotal: new Set(all.map(({ threadId }) => threadId)).size,
        historyId: "98431"
      })
    )
  }),
  route(
    "GET",
    "/messages",
    (request, account) =>
      Either.gen(function* () {
        const all = yield* found(request, account)
        const { entries, ...more } = yield* pageOf(request, all)
        return ok({
          ...(entries.length === 0 ? {} : { messages: entries.map(({ id, threadId }) => ({ id, threadId })) }),
          ...more,
          resultSizeEstimate: all.length
        })
      }),
    listQuery
  ),
  route(
    "GET",
    "/messages/:id",
    (request, account) =>
      Either.gen(function* () {
        const format = yield* formatOf(request)
        return ok(messageView(yield* messageOf(request, account), format, request.query.getAll("metadataHeaders")))
      }),
    getQuery
  ),
  route(
    "GET",
    "/threads",
    (request, account) =>
      Either.gen(function* () {
        const all = yield* found(request, account)
        const threads = [...new Map(all.toReversed().map((one) => [one.threadId, one])).values()].toReversed()
        const { entries, ...more } = yield* pageOf(request, threads)
        return ok({
          ...(entries.length === 0
            ? {}
            : {
                threads: entries.map((one) => ({ id: one.threadId, ...snippetOf(one), historyId: "1" }))
              }),
          ...more,
          resultSizeEstimate: threads.length
        })
      }),
    listQuery
  ),
  route(
    "GET",
    "/threads/:id",
    (request, account) =>
      Either.gen(function* () {
        const format = yield* formatOf(request)
        const thread = yield* threadOf(request, account)
        const names = request.query.getAll("metadataHeaders")
        return ok({
          id: request.params.id,
          historyId: "98431",
          messages: thread.map((one) => messageView(one, format, names))
        })
      }),
    getQuery
  )
]

// writing ---------------------------------------------------------------------------------------------------------------

const Raw = Schema.Struct({ raw: Schema.String, threadId: optional(Schema.String) })

/** Keeps a message that was handed in, as a draft or as one that was sent. */
const keep = (
  account: Account,
  { raw, threadId }: typeof Raw.Type,
  label: "SENT" | "DRAFT",
  id: string
): Answered<Message> =>
  Either.gen(function* () {
    const { headers, text } = yield* Either.orElse(read(raw), (words) => refuse(400, words))
    const isSent = label === "SENT"
    if (isSent && !headers.some(([name]) => /^(to|cc|bcc)$/i.test(name))) {
      return yield* refuse(400, "Recipient address required")
    }
    if (threadId !== undefined && inThread(account, threadId).length === 0) return yield* missing
    const made: Message = {
      id,
      threadId: threadId ?? id,
      labelIds: [label],
      date: account.now,
      headers: [
        ["From", `${me.name} <${me.email}>`],
        ["Date", new Date(account.now).toUTCString()],
        ["Message-ID", `<${id}@mail.gmail.com>`],
        ...headers
      ],
      text,
      html: null,
      attachments: []
    }
    messages.put(account, id, made)
    return made
  })

const draftOf = (id: string | undefined, account: Account) => {
  const draft = drafts.get(account, id ?? "")
  const message = draft === undefined ? undefined : messages.get(account, draft.message)
  return draft === undefined || message === undefined ? missing : Either.right({ draft, message })
}

const draftView = (id: string, { id: message, labelIds, threadId }: Message) => ({
  id,
  message: { id: message, threadId, labelIds }
})

const NewDraft = Schema.Struct({ message: Raw, id: optional(Schema.String) })

const writing: ReadonlyArray<Route> = [
  route("POST", "/messages/send", (request, account) =>
    Either.gen(function* () {
      const { id, labelIds, threadId } = yield* keep(account, yield* bodyOf(Raw, request), "SENT", freshId(account))
      return ok({ id, threadId, labelIds })
    })
  ),
  route(
    "GET",
    "/drafts",
    (request, account) =>
      Either.gen(function* () {
        const all = yield* found(request, account)
        const byMessage = new Map(drafts.all(account).map((draft) => [draft.message, draft]))
        const listed = all.flatMap((message) => {
          const draft = byMessage.get(message.id)
          return draft === undefined ? [] : [{ id: draft.id, message: { id: message.id, threadId: message.threadId } }]
        })
        const { entries, ...more } = yield* pageOf(request, listed)
        return ok({ ...(entries.length === 0 ? {} : { drafts: entries }), ...more, resultSizeEstimate: listed.length })
      }),
    ["q", "includeSpamTrash", "maxResults", "pageToken"]
  ),
  route(
    "GET",
    "/drafts/:id",
    (request, account) =>
      Either.gen(function* () {
        const format = yield* formatOf(request)
        const { draft, message } = yield* draftOf(request.params.id, account)
        return ok({ id: draft.id, message: messageView(message, format) })
      }),
    ["format"]
  ),
  route("POST", "/drafts", (request, account) =>
    Either.gen(function* () {
      const { message } = yield* bodyOf(NewDraft, request)
      const made = yield* keep(account, message, "DRAFT", freshId(account))
      const id = `r-${freshId(account)}`
      drafts.put(account, id, { id, message: made.id })
      return ok(draftView(id, made))
    })
  ),
  route("PUT", "/drafts/:id", (request, account) =>
    Either.gen(function* () {
      const { draft, message: present } = yield* draftOf(request.params.id, account)
      const { message } = yield* bodyOf(NewDraft, request)
      const made = yield* keep(account, message, "DRAFT", freshId(account))
      messages.remove(account, present.id)
      // a draft with a conversation of its own keeps one, that of the new message
      const kept = message.threadId === present.id ? { ...made, threadId: made.id } : made
      messages.put(account, kept.id, kept)
      drafts.put(account, draft.id, { id: draft.id, message: kept.id })
      return ok(draftView(draft.id, kept))
    })
  ),
  route("DELETE", "/drafts/:id", (request, account) =>
    Either.map(draftOf(request.params.id, account), ({ draft, message }) => {
      drafts.remove(account, draft.id)
      messages.remove(account, message.id)
      return { status: 204 }
    })
  ),
  route("POST", "/drafts/send", (request, account) =>
    Either.gen(function* () {
      const { id } = yield* bodyOf(Schema.Struct({ id: Schema.String }), request)
      const { draft, message } = yield* draftOf(id, account)
      if (["To", "Cc", "Bcc"].every((name) => headerOf(message, name) === "")) {
        return yield* refuse(400, "Recipient address required")
      }
      const sent = { ...message, labelIds: ["SENT"], date: account.now }
      drafts.remove(account, draft.id)
      messages.put(account, message.id, sent)
      return ok({ id: sent.id, threadId: sent.threadId, labelIds: sent.labelIds })
    })
  )
]

// labels ----------------------------------------------------------------------------------------------------------------

const Changes = Schema.Struct({
  addLabelIds: optional(Schema.Array(Schema.String)),
  removeLabelIds: optional(Schema.Array(Schema.String))
})

const NewLabel = Schema.Struct({
  name: Schema.String,
  labelListVisibility: Schema.optionalWith(InLabels, { default: () => "labelShow" }),
  messageListVisibility: Schema.optionalWith(OnMessages, { default: () => "show" })
})

/** Labels that only Gmail itself puts on and takes off. */
const fixed = new Set(["SENT", "DRAFT"])

const relabel = (request: SimulatedRequest, account: Account, all: ReadonlyArray<Message>) =>
  Either.gen(function* () {
    const { addLabelIds = [], removeLabelIds = [] } = yield* bodyOf(Changes, request)
    const named = [...addLabelIds, ...removeLabelIds]
    if (named.length === 0) return yield* refuse(400, "No label add or removes specified")
    const wrong = named.find((id) => labels.get(account, id) === undefined || fixed.has(id))
    if (wrong !== undefined) return yield* refuse(400, `Invalid label: ${wrong}`)
    return all.map((message) => {
      const labelIds = [...new Set([...message.labelIds.filter((id) => !removeLabelIds.includes(id)), ...addLabelIds])]
      const changed = { ...message, labelIds }
      messages.put(account, message.id, changed)
      return messageView(changed, "minimal")
    })
  })

const trashed = (message: Message) => ({
  ...message,
  labelIds: [...message.labelIds.filter((id) => id !== "INBOX" && id !== "TRASH"), "TRASH"]
})

const labelling: ReadonlyArray<Route> = [
  route("GET", "/labels", (_, account) => Either.right(ok({ labels: labels.all(account) }))),
  route("POST", "/labels", (request, account) =>
    Either.gen(function* () {
      const { name, ...shown } = yield* bodyOf(NewLabel, request)
      if (name.trim() === "") return yield* refuse(400, "Invalid label name")
      if (labels.all(account).some((one) => one.name.toLowerCase() === name.toLowerCase())) {
        return yield* refuse(409, "Label name exists or conflicts")
      }
      const made = { id: `Label_${account.nextId()}`, name, type: "user", ...shown } as const
      labels.put(account, made.id, made)
      const { type: _, ...answered } = made
      return ok(answered)
    })
  ),
  route("POST", "/messages/:id/modify", (request, account) =>
    Either.gen(function* () {
      const [changed] = yield* relabel(request, account, [yield* messageOf(request, account)])
      return ok(changed)
    })
  ),
  route("POST", "/threads/:id/modify", (request, account) =>
    Either.gen(function* () {
      const changed = yield* relabel(request, account, yield* threadOf(request, account))
      return ok({ id: request.params.id, historyId: "98431", messages: changed })
    })
  ),
  route("POST", "/messages/:id/trash", (request, account) =>
    Either.map(messageOf(request, account), (message) => {
      const { id, labelIds, threadId } = trashed(message)
      messages.put(account, id, trashed(message))
      return ok({ id, threadId, labelIds })
    })
  )
]

export const messageRoutes: ReadonlyArray<Route> = [...reading, ...writing, ...labelling]
