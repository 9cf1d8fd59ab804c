import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { Gmail } from "../../../src/toolkits/gmail/Gmail.ts"
import { simulator } from "../../../src/toolkits/gmail/simulator/GmailSimulator.ts"
import { checkTable, type Doc, listIn, toolbox, tools } from "../../support/Toolbox.ts"

const { call, misfit, refusal, toolkit, uncalled } = tools("gmail")

const search = (query: string, more: Doc = {}, account = "acme") =>
  Effect.map(call("gmail_search_messages", { query, ...more }, account), (answer) => listIn(answer, "messages"))

const firstOf = (query: string, account = "acme") =>
  Effect.flatMap(search(query, { limit: 1 }, account), ([first]) =>
    first === undefined ? Effect.dieMessage(`nothing found for ${query}`) : Effect.succeed(first)
  )

layer(toolbox(Gmail, simulator))("Gmail", (it) => {
  it.effect("knows whose mailbox it is", () =>
    Effect.map(call("gmail_get_profile"), (profile) =>
      assert.deepInclude(profile, { address: "mira.okafor@larkspur.example" })
    )
  )

  it.effect("finds messages, page by page, each once", () =>
    Effect.gen(function* () {
      const ids: Array<unknown> = []
      for (let cursor: unknown = undefined; cursor !== null;) {
        const page: Doc = yield* call("gmail_search_messages", {
          query: "in:inbox",
          limit: 25,
          ...(cursor === undefined ? {} : { cursor })
        })
        ids.push(...listIn(page, "messages").map(({ id }) => id))
        cursor = page["next_cursor"]
      }
      assert.isAbove(ids.length, 60)
      assert.strictEqual(new Set(ids).size, ids.length)

      const unread = yield* search("is:unread from:dmitri subject:post-mortem")
      assert.lengthOf(unread, 1)
      assert.deepInclude(unread[0], {
        subject: "Post-mortem of the carrier outage",
        to: "Mira Okafor <mira.okafor@larkspur.example>"
      })
      assert.deepStrictEqual(yield* search("lottery"), [])
      assert.lengthOf(yield* search("lottery", { include_spam_trash: true }), 1)
      assert.lengthOf(yield* search("in:spam lottery"), 1)
      const labelled = listIn(yield* call("gmail_search_messages", { label_ids: ["Label_3"] }), "messages")
      assert.isTrue(labelled.length > 3 && labelled.every(({ subject }) => String(subject).startsWith("Invoice")))
    })
  )

  it.effect("reads texts, HTML as text, long ones in parts, and names of files", () =>
    Effect.gen(function* () {
      const { id } = yield* firstOf("has:attachment subject:INV-2100")
      const invoice = yield* call("gmail_get_message", { message_id: id })
      assert.strictEqual(
        invoice["text"],
        "Hello Mira,\n\nplease find invoice INV-2100 attached:\n\n- Amount: € 290.00\n\n- Due in 14 days\n\nSee the portal (https://billing.example.com/INV-2100)."
      )
      assert.deepStrictEqual(invoice["attachments"], [{ name: "INV-2100.pdf", type: "application/pdf", bytes: 48_213 }])

      const long = yield* firstOf("subject:post-mortem")
      const begun = yield* call("gmail_get_message", { message_id: long["id"] })
      assert.deepStrictEqual([begun["truncated"], begun["next_from"]], [true, 12_000])
      const rest = yield* call("gmail_get_message", { message_id: long["id"], from: 12_000 })
      assert.notStrictEqual(rest["text"], begun["text"])

      const [reply] = yield* search("in:sent subject:Re", { limit: 1 })
      const thread = yield* call("gmail_get_thread", { thread_id: reply?.["thread_id"] })
      assert.strictEqual(listIn(thread, "messages").length, thread["message_count"])
      assert.isAtLeast(listIn(thread, "messages").length, 2)
      assert.include(String(listIn(thread, "messages")[0]?.["text"]), "Hi Mira")
    })
  )

  it.effect("drafts, changes and sends", () =>
    Effect.gen(function* () {
      const faults = yield* Faults
      const made = yield* call("gmail_create_draft", {
        to: ["Zoë Łukasz <zoe@example.com>", "bob@example.com"],
        bcc: ["boss@example.com"],
        subject: "Größe, 価格 and a rather long subject that does not fit into one encoded word of 75 characters",
        body: "Guten Tag,\n\n€ 5 – ok?"
      })
      const draft_id = made["draft_id"]
      const changed = yield* call("gmail_update_draft", { draft_id, cc: ["eve@example.com"] })
      assert.strictEqual(changed["draft_id"], draft_id)
      const read = yield* call("gmail_get_draft", { draft_id })
      assert.deepInclude(read, {
        to: "Zoë Łukasz <zoe@example.com>, bob@example.com",
        cc: "eve@example.com",
        bcc: "boss@example.com",
        subject: "Größe, 価格 and a rather long subject that does not fit into one encoded word of 75 characters",
        text: "Guten Tag,\n\n€ 5 – ok?"
      })
      yield* call("gmail_update_draft", { draft_id, body: "Good day" })
      const drafts = listIn(yield* call("gmail_list_drafts", { limit: 2 }), "drafts")
      assert.deepInclude(drafts[0], { draft_id, to: "Zoë Łukasz <zoe@example.com>, bob@example.com" })
      const sent = yield* call("gmail_send_draft", { draft_id })
      assert.deepStrictEqual(sent["labels"], ["SENT"])
      assert.strictEqual((yield* call("gmail_get_message", { message_id: sent["id"] }))["text"], "Good day")
      assert.strictEqual((yield* refusal("gmail_get_draft", { draft_id })).reason._tag, "Missing")

      const other = yield* call("gmail_create_draft", { to: ["a@example.com"], subject: "x", body: "y" })
      const path = `/drafts/${String(other["draft_id"])}`
      yield* faults.add({ provider: "gmail", path, does: { kind: "html", status: 200 } })
      const partly = listIn(yield* call("gmail_list_drafts"), "drafts")
      assert.isAbove(partly.length, 1)
      assert.deepStrictEqual(
        partly.filter((draft) => "unreadable" in draft).map((draft) => [draft["draft_id"], draft["subject"]]),
        [[other["draft_id"], undefined]]
      )
      yield* faults.add({ provider: "gmail", path, does: { kind: "status", status: 404 } })
      assert.lengthOf(listIn(yield* call("gmail_list_drafts"), "drafts"), partly.length - 1)
      yield* call("gmail_delete_draft", { draft_id: other["draft_id"] })
      assert.strictEqual((yield* refusal("gmail_send_draft", { draft_id: other["draft_id"] })).reason._tag, "Missing")
    })
  )

  it.effect("answers in the conversation of what it answers", () =>
    Effect.gen(function* () {
      const asked = yield* firstOf("subject:renewal")
      const sent = yield* call("gmail_send_message", { reply_to_message_id: asked["id"], body: "Gladly." })
      assert.strictEqual(sent["thread_id"], asked["thread_id"])
      const read = yield* call("gmail_get_message", { message_id: sent["id"] })
      assert.deepInclude(read, { subject: "Re: Renewal of our subscription", to: asked["from"], text: "Gladly." })
      const thread = listIn(yield* call("gmail_get_thread", { thread_id: asked["thread_id"] }), "messages")
      assert.deepStrictEqual(
        thread.map(({ id }) => id),
        [asked["id"], sent["id"]]
      )
    })
  )

  it.effect("puts labels on and takes them off", () =>
    Effect.gen(function* () {
      const label = yield* call("gmail_create_label", { name: "Customers/Acme" })
      assert.deepInclude(listIn(yield* call("gmail_list_labels"), "labels"), label)
      const { id, thread_id } = yield* firstOf("is:unread in:inbox")
      const changes = { add_label_ids: [label["id"]], remove_label_ids: ["UNREAD", "INBOX"] }
      const changed = yield* call("gmail_label_message", { id, ...changes })
      assert.include(JSON.stringify(changed["labels"]), String(label["id"]))
      assert.notInclude(JSON.stringify(changed["labels"]), "UNREAD")
      assert.deepStrictEqual(
        (yield* search("label:customers-acme")).map((one) => one["id"]),
        [id]
      )
      const all = yield* call("gmail_label_thread", { id: thread_id, add_label_ids: ["STARRED"] })
      assert.isTrue(listIn(all, "messages").every(({ labels }) => JSON.stringify(labels).includes("STARRED")))
      yield* call("gmail_trash_message", { message_id: id })
      assert.deepStrictEqual(yield* search("label:customers-acme"), [])

      assert.strictEqual((yield* refusal("gmail_create_label", { name: "customers/acme" })).reason._tag, "Clash")
      const unknown = yield* refusal("gmail_label_message", { id, add_label_ids: ["Label_999"] })
      assert.deepStrictEqual([unknown.reason._tag, unknown.detail], ["Invalid", "Invalid label: Label_999"])
    })
  )

  it.effect("refuses what could not be meant", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* misfit("gmail_send_message", { to: ["nobody"], subject: "a\r\nBcc: x@example.com", body: "" }),
        {
          "to.0": "must be an address such as ann@example.com or Ann Lee <ann@example.com>",
          subject: "must be one line of at most 500 characters",
          body: "must not be empty"
        }
      )
      const alone = yield* refusal("gmail_send_message", { body: "hello" })
      assert.deepStrictEqual(alone.reason._tag === "Invalid" ? alone.reason.fields : {}, { to: "must name somebody" })
      assert.strictEqual((yield* refusal("gmail_get_message", { message_id: "19000000ffffff" })).reason._tag, "Missing")
      assert.include((yield* refusal("gmail_search_messages", { query: "bcc:me" })).detail, "Unsupported search")
    })
  )

  it.effect("renews its token, and hands on limits and missing rights for what they are", () =>
    Effect.gen(function* () {
      const faults = yield* Faults
      yield* call("gmail_get_profile", {}, "renewer")
      yield* faults.add({ provider: "gmail", does: { kind: "expire" } })
      assert.strictEqual((yield* call("gmail_get_profile", {}, "renewer"))["address"], "mira.okafor@larkspur.example")
      yield* faults.add({ provider: "gmail", does: { kind: "status", status: 403 } })
      assert.strictEqual((yield* refusal("gmail_get_profile", {}, "renewer")).reason._tag, "NotPermitted")
      yield* faults.add({ provider: "gmail", does: { kind: "limit", retryAfter: 45 } })
      const limited = yield* refusal("gmail_get_profile", {}, "renewer")
      assert.strictEqual(limited.reason._tag === "LimitReached" ? limited.reason.retryAfter : 0, 45)
    })
  )

  it.effect("sends nothing twice when an answer is lost", () =>
    Effect.gen(function* () {
      const faults = yield* Faults
      yield* call("gmail_get_profile", {}, "unlucky")
      yield* faults.add({ provider: "gmail", does: { kind: "drop", after: true } })
      const given = { to: ["a@example.com"], subject: "Only once", body: "x" }
      assert.strictEqual((yield* refusal("gmail_send_message", given, "unlucky")).reason._tag, "Down")
      assert.lengthOf(yield* search("subject:once in:sent", {}, "unlucky"), 1)
    })
  )

  it.effect("has a table that keeps to the rules, and every tool was called", () =>
    Effect.gen(function* () {
      checkTable(yield* toolkit)
      assert.deepStrictEqual(yield* uncalled, [])
    })
  )
})
