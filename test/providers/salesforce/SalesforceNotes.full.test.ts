import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { crm } from "../../../src/canonical/Catalogue.ts"
import { compile, type Override } from "../../../src/mapping/Compile.ts"
import type { Body } from "../../../src/mapping/Encode.ts"
import { getPath, isNative } from "../../../src/mapping/Mapping.ts"
import type { Handling } from "../../../src/mapping/Warning.ts"
import type { Call } from "../../../src/providers/base/Upstream.ts"
import { Invalid, Missing, ProviderError } from "../../../src/providers/ProviderError.ts"
import { note } from "../../../src/providers/salesforce/Note.ts"
import {
  errorsOf,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import { connection, context, encoded, orgOf, refused, silent, type Told, variantOf } from "./support.ts"

const contact = "003000000000001AAA"
const account = "001000000000001AAA"
const base64 = (text: string) => Buffer.from(text).toString("base64")

describe("notes", () => {
  const lightning = variantOf(crm.note, note(silent), "ContentNote")
  const classic = variantOf(crm.note, note(silent), "Note")
  const now = {
    nativeType: "ContentNote",
    record: {
      Id: "069000000000001AAA",
      Title: "Materials",
      Content: base64("<p>Brass</p>"),
      OwnerId: "005000000000001AAA",
      ContentDocumentLinks: {
        Contact: [{ Id: "06A000000000001AAA", LinkedEntityId: contact }],
        Account: []
      }
    }
  }

  it("have a title, which is the beginning of the content where none is given", () => {
    const titleOf = (body: Body, mode: "create" | "replace" | "patch" = "create") =>
      encoded(lightning, body, mode, mode === "create" ? undefined : now).record.Title
    assert.strictEqual(titleOf({ content: "Brass", title: "Materials" }), "Materials")
    assert.strictEqual(
      titleOf({ content: "<p>Brass,</p><p>not   steel</p>", content_type: "HTML" }),
      "Brass, not steel"
    )
    assert.strictEqual(titleOf({ content: "Brass <b>,\nnot steel" }), "Brass <b>, not steel")
    const long = `${"x".repeat(49)}🚀 and more`
    assert.strictEqual(titleOf({ content: long }), `${"x".repeat(49)}🚀`)
    assert.strictEqual(titleOf({ content: "<img src='a.png'>", content_type: "HTML" }), "Untitled Note")
    assert.strictEqual(titleOf({ content: "Steel" }, "replace"), "Steel")
    assert.strictEqual(titleOf({ title: null }, "patch"), "Brass")
    assert.isUndefined(titleOf({ content: "Steel" }, "patch"))
  })

  it("make a version only of what is new", () => {
    const html = (content: string) => ({ content, content_type: "HTML" })
    const { content, content_type } = lightning.decode(now, context)
    assert.deepEqual([content, content_type], ["Brass", "TEXT"])
    assert.deepEqual(encoded(lightning, { content, content_type }, "replace", now).record.Content, undefined)
    assert.deepEqual(encoded(lightning, html("<p>Brass</p>"), "patch", now).record, {})
    assert.deepEqual(encoded(lightning, { content: "A\nB" }, "patch", now).record, { Content: base64("A<br>B") })
    assert.deepEqual(encoded(lightning, { content: '"A" isn\'t\u00A0 B' }, "patch", now).record, {
      Content: base64("&quot;A&quot; isn&#39;t\u00A0 B")
    })
    // Salesforce takes line breaks out, which would join the words around them
    assert.deepEqual(encoded(lightning, html("<p>Brass\nand steel</p>"), "patch", now).record, {
      Content: base64("<p>Brass and steel</p>")
    })
  })

  it("are linked and given away after they are written, in this order", () => {
    const owner = "005000000000002AAA"
    const { steps } = encoded(lightning, { contact: null, account, owner }, "patch", now)
    assert.deepEqual(steps, {
      links: { Contact: { add: null, remove: "06A000000000001AAA" }, Account: { add: account, remove: null } },
      owner
    })
    assert.deepEqual(Object.keys(steps), ["links", "owner"])
    const same = encoded(lightning, { contact: contact.slice(0, 15), owner: "005000000000001AAA" }, "patch", now)
    assert.deepEqual(same.steps, {})
    assert.deepEqual(refused(lightning, { contact: account, lead: "nonsense", owner: null }, "patch", now), [
      "contact",
      "lead",
      "owner"
    ])
  })

  it("of the classic kind stay on their record", () => {
    const held = { nativeType: "Note", record: { Id: "002000000000001AAA", Body: "Brass", ParentId: contact } }
    const read = classic.decode(held, context)
    assert.deepEqual([read.content, read.contact, read.account], ["Brass", contact, null])
    assert.deepEqual(encoded(classic, { content: "A\n<B>", contact }, "patch", held).record, { Body: "A\n<B>" })
    assert.deepEqual(refused(classic, { contact: null, account }, "patch", held), ["account", "contact"])
    assert.notProperty(encoded(classic, { content: "Steel" }, "replace", held).record, "ParentId")
  })
})

const failed = ({ operation }: Call, reason: ProviderError["reason"], detail: string, status: number) =>
  new ProviderError({ provider: "salesforce", operation, reason, detail, status })

const named = (...names: ReadonlyArray<string>) => names.map((name) => ({ name }))

describe("an org without the notes of Lightning", () => {
  const made = { Id: "002000000000001AAA", Title: "Tom & Ada", Body: "Tom & Ada\nmet", ParentId: account }
  const old = orgOf((call) => {
    if (call.params?.type === "ContentNote") return failed(call, new Missing(), "does not exist", 404)
    if (call.path.endsWith("/describe")) {
      return { status: 200, body: { fields: named("Id", "Title", "Body", "ParentId", "OwnerId") } }
    }
    return call.method === "POST"
      ? { status: 201, body: { id: made.Id } }
      : { status: 200, body: { done: true, records: [made] } }
  })
  const create = (body: Body, handling: Handling = "lenient") =>
    Effect.gen(function* () {
      const { calls, org } = yield* old
      const adapter = note(org)
      const variant = variantOf(crm.note, adapter, "ContentNote")
      const run = adapter.create ?? (() => Effect.dieMessage("no create"))
      const plan = encoded(variant, body, "create")
      return { calls, written: yield* run({ connection, variant, encoded: plan, handling, idempotencyKey: undefined }) }
    })

  it.effect("makes a classic one", () =>
    Effect.gen(function* () {
      const { calls, written } = yield* create({ content: "Tom & Ada\nmet", account, owner: "005000000000001AAA" })
      const post = calls.find(({ method }) => method === "POST")
      assert.strictEqual(post?.params?.type, "Note")
      assert.deepEqual(post?.json, {
        Title: "Tom & Ada met",
        Body: "Tom & Ada\nmet",
        ParentId: account,
        OwnerId: "005000000000001AAA"
      })
      assert.deepEqual(written, { id: made.Id, record: { nativeType: "Note", record: made } })
    })
  )

  it.effect("needs the one record it is on", () =>
    Effect.gen(function* () {
      for (const [links, field] of [
        [{}, "contact"],
        [{ contact, account }, "account"]
      ] as const) {
        const { reason } = yield* Effect.flip(create({ content: "Brass", ...links }, "strict"))
        assert.strictEqual(reason._tag, "Invalid")
        const native = reason._tag === "Invalid" ? Object.keys(reason.fields)[0] : undefined
        const row = compile("salesforce", crm.note, note(silent).mapping).rows.find(
          (one) => one.native_field === native
        )
        assert.strictEqual(row?.field, field)
      }
      const { calls } = yield* create({ content: "Brass", contact, account })
      const post = calls.findLast(({ method }) => method === "POST")
      assert.strictEqual(getPath(post?.json, "ParentId"), contact)
    })
  )

  it.effect("holds HTML as text, or refuses it", () =>
    Effect.gen(function* () {
      const body = { content: "<p>Tom &amp; <b>Ada</b></p>", content_type: "HTML", account }
      const { calls } = yield* create(body)
      const post = calls.findLast(({ method }) => method === "POST")
      assert.strictEqual(getPath(post?.json, "Body"), "Tom & Ada")
      const { reason } = yield* Effect.flip(create(body, "strict"))
      assert.deepEqual(reason._tag === "Invalid" ? Object.keys(reason.fields) : reason._tag, ["Content"])
    })
  )

  it.effect("lists the classic ones", () =>
    Effect.gen(function* () {
      const { org } = yield* old
      const adapter = note(org)
      const list = adapter.list ?? (() => Effect.dieMessage("no list"))
      const mapping = compile("salesforce", crm.note, adapter.mapping)
      const page = yield* list({
        connection,
        mapping,
        position: null,
        limit: 10,
        wanted: {}
      })
      assert.deepEqual(
        page.records.map(({ nativeType }) => nativeType),
        ["Note"]
      )
    })
  )
})

describe("the parts of a note", () => {
  const rowsOf = (count: number) =>
    Array.from({ length: count }, (_, i) => {
      const Id = `0690000000000${String(i + 1).padStart(2, "0")}AAA`
      return { Id, Content: `/x/${Id}/Content` }
    })
  const rows = rowsOf(2)
  const orgWith = (content: (call: Call) => Told | ProviderError, notes = rows) =>
    orgOf((call) => {
      if (call.path.endsWith("/describe")) return { status: 200, body: { fields: named("Id", "Content", "Title") } }
      if (call.path.endsWith("/Content")) return content(call)
      if (call.method !== "GET") return failed(call, new Invalid({ fields: {} }), "invalid cross reference id", 400)
      const query = String(isNative(call.query) ? call.query.q : "")
      const shown = / Content[, ]|,Content/.test(query) ? notes : notes.map(({ Id }) => ({ Id }))
      const link = { Id: "06A000000000001AAA", ContentDocumentId: rows[1]?.Id, LinkedEntityId: contact }
      return { status: 200, body: { done: true, records: query.includes("FROM ContentDocumentLink") ? [link] : shown } }
    })

  it.effect("come in one query of links and one call for each content; one that went meanwhile is left out", () =>
    Effect.gen(function* () {
      const { calls, org } = yield* orgWith((call) =>
        call.params?.id === rows[0]?.Id
          ? failed(call, new Missing(), "gone", 404)
          : { status: 200, body: "<p>Brass</p>" }
      )
      const adapter = note(org)
      const list = adapter.list ?? (() => Effect.dieMessage("no list"))
      const mapping = compile("salesforce", crm.note, adapter.mapping)
      const position = null
      const page = yield* list({
        connection,
        mapping,
        position,
        limit: 2,
        wanted: {}
      })
      const [found, ...others] = page.records.filter(({ nativeType }) => nativeType === "ContentNote")
      assert.lengthOf(others, 0)
      assert.deepInclude(found?.record, { Id: rows[1]?.Id, Content: base64("<p>Brass</p>") })
      assert.strictEqual(calls.filter(({ operation }) => operation === "ContentNote.links").length, 1)
      assert.isTrue(calls.filter(({ path }) => path.endsWith("/Content")).every(({ text }) => text === true))
    })
  )

  it.effect("content is left out where the day's calls run short, or no mapping reads it", () =>
    Effect.gen(function* () {
      const listed = Effect.fnUntraced(function* (usage: string, overrides: ReadonlyArray<Override> = []) {
        const headers = { "sforce-limit-info": `api-usage=${usage}` }
        const { calls, org } = yield* orgWith(() => ({ status: 200, body: "<p>Brass</p>", headers }), rowsOf(30))
        const adapter = note(org)
        const page = yield* (adapter.list ?? (() => Effect.dieMessage("no list")))({
          connection,
          mapping: compile("salesforce", crm.note, adapter.mapping, overrides),
          position: null,
          limit: 30,
          wanted: {}
        })
        return {
          asked: calls.filter(({ path }) => path.endsWith("/Content")).length,
          contents: page.records.flatMap(({ nativeType, record }) =>
            nativeType === "ContentNote" ? [record.Content ?? null] : []
          )
        }
      })
      const brass = base64("<p>Brass</p>")
      assert.deepEqual(yield* listed("900/1000"), { asked: 30, contents: rowsOf(30).map(() => brass) })
      const short = yield* listed("901/1000")
      assert.isBelow(short.asked, 10)
      assert.deepEqual(
        short.contents,
        rowsOf(30).map((_, i) => (i < short.asked ? brass : null))
      )
      const moved = { field: "content", nativeField: "Title", transform: undefined, nativeType: "ContentNote" }
      assert.strictEqual((yield* listed("0/1000", [moved])).asked, 0)
    })
  )

  it.effect("a link that is refused is refused at its field, after the note was written", () =>
    Effect.gen(function* () {
      const { org } = yield* orgWith(() => ({ status: 200, body: "" }))
      const adapter = note(org)
      const variant = variantOf(crm.note, adapter, "ContentNote")
      const patch = adapter.patch ?? (() => Effect.dieMessage("no patch"))
      const current = { nativeType: "ContentNote", record: { Id: "069000000000001AAA", ContentDocumentLinks: {} } }
      const plan = encoded(variant, { account }, "patch", current)
      const request = { connection, variant, id: "069000000000001AAA", encoded: plan, current, mode: "patch" } as const
      const { reason } = yield* Effect.flip(patch(request))
      assert.deepEqual(
        reason,
        new Invalid({ fields: { "ContentDocumentLinks.Account": "invalid cross reference id" } })
      )
    })
  )
})

layer(sandboxApplication(), { timeout: "60 seconds" })("Salesforce notes", (it) => {
  const notes = "/crm/note?provider=salesforce"

  it.effect("keep plain text as what it is in HTML, and change hands", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["salesforce"])
      const first = (resource: string) =>
        Effect.map(call("GET", `/crm/${resource}?provider=salesforce&limit=2`), (answer) =>
          pageOf(answer).data.map(({ remote_id }) => String(remote_id))
        )
      const [lead = "", otherLead = ""] = yield* first("lead")
      const [, owner = ""] = yield* first("owner")
      const body = { content: "Tom & Ada\nmet", lead, owner }
      const made = recordOf(yield* call("POST", notes, { body }))
      assert.deepInclude(made, { ...body, content_type: "TEXT", title: "Tom & Ada met" })
      const one = `/crm/note/${String(made.remote_id)}?provider=salesforce`
      const moved = recordOf(yield* call("PATCH", one, { body: { lead: otherLead } }))
      assert.deepEqual([moved.lead, moved.content], [otherLead, made.content])
      const unlinked = recordOf(
        yield* call("PUT", one, { body: { content: "<p><i>Gone</i></p>", content_type: "HTML" } })
      )
      assert.deepInclude(unlinked, {
        lead: null,
        title: "Gone",
        content: "<p><i>Gone</i></p>",
        content_type: "HTML",
        owner
      })
      // content that looks like JSON is text all the same
      for (const content of ["123", "null", '{"a":"b"}']) {
        assert.strictEqual(recordOf(yield* call("PATCH", one, { body: { content } })).content, content)
      }
      assert.isNull(recordOf(yield* call("PATCH", one, { body: { content: null } })).content)
      const refusal = yield* call("PATCH", one, { body: { lead: "00Q000000000000AAA" } })
      assert.deepEqual([refusal.status, Object.keys(errorsOf(refusal))], [422, ["lead"]])
    })
  )

  it.effect("are the ones of Lightning and then the classic ones; those keep their record", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["salesforce"])
      const { records } = yield* walk(call, notes, 9)
      const ids = records.map(({ remote_id }) => String(remote_id).slice(0, 3))
      const classics = ids.indexOf("002")
      assert.deepEqual([...new Set(ids.slice(0, classics))], ["069"])
      assert.deepEqual([...new Set(ids.slice(classics))], ["002"])
      const classic = records.at(-1)
      const one = `/crm/note/${String(classic?.remote_id)}?provider=salesforce`
      const changed = recordOf(yield* call("PATCH", one, { body: { content: "A <b>\nB" } }))
      assert.strictEqual(changed.content, "A <b>\nB")
      assert.deepEqual([changed.account, changed.opportunity], [classic?.account, classic?.opportunity])
      const again = yield* call("PUT", one, { body: changed })
      assert.deepInclude(recordOf(again), { content: changed.content, account: changed.account })
      const moved = yield* call("PATCH", one, { body: { contact } })
      assert.deepEqual([moved.status, Object.keys(errorsOf(moved))], [422, ["contact"]])
      assert.strictEqual((yield* call("DELETE", one)).status, 200)
      assert.strictEqual((yield* call("GET", one)).status, 404)
    })
  )
})
