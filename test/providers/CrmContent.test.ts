import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Answer,
  type Doc,
  errorsOf,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { firstOf } from "../support/Full.ts"
import { said, strictly } from "../support/Warnings.ts"

const text = '  Line one\nLine two: use a<b> & &amp; 🙂\n\n次回 "quoted" it\'s'
const html = '<p>Please <b>confirm</b> &amp; sign<br>by <a href="https://example.com/x?a=1&amp;b=2">Friday</a></p>'
const htmlAsText = "Please confirm & sign\nby Friday"

/** Resources with content that can be changed, and whether the provider shows it as HTML. */
const holders: { readonly [provider: string]: { readonly [resource: string]: "HTML" | "TEXT" } } = {
  hubspot: { note: "HTML", task: "HTML", meeting: "HTML", activity: "HTML" },
  salesforce: { note: "HTML", task: "TEXT", meeting: "TEXT", activity: "TEXT", appointment: "TEXT" },
  pipedrive: { note: "HTML", task: "HTML", meeting: "HTML", activity: "HTML" },
  zoho_crm: { note: "TEXT", task: "TEXT", meeting: "TEXT", activity: "TEXT", appointment: "TEXT" },
  close: { note: "HTML" }
}

const shown = (answer: Answer) => {
  const { content, content_type } = recordOf(answer)
  return { content, content_type }
}

layer(sandboxApplication(), { timeout: "120 seconds" })("content of CRM records", (it) => {
  const connected = Effect.fnUntraced(function* (provider: string) {
    const { call } = yield* (yield* SandboxApplication).caller([provider])
    const at = (resource: string, id?: unknown, more = "") =>
      `/crm/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=${provider}${more}`
    const first = (resource: string) =>
      Effect.map(
        call("GET", at(resource, undefined, "&limit=1")),
        (answer) => pageOf(answer).data[0]?.remote_id ?? assert.fail(`no ${resource}`)
      )
    return { at, call, first }
  })

  for (const [provider, resources] of Object.entries(holders)) {
    for (const [resource, form] of firstOf(Object.entries(resources))) {
      it.effect(`${provider} ${resource}: text and HTML read back, and a record sent back changes nothing`, () =>
        Effect.gen(function* () {
          const { at, call, first } = yield* connected(provider)
          const one = at(resource, yield* first(resource))
          const patch = (body: Doc, headers: { readonly [name: string]: string } = {}) =>
            call("PATCH", one, { body, headers })

          const written = yield* patch({ content: text })
          assert.deepStrictEqual(shown(written), { content: text, content_type: "TEXT" })
          assert.deepStrictEqual(said(written), [])
          assert.deepStrictEqual(shown(yield* call("GET", one)), { content: text, content_type: "TEXT" })

          const formatted = { content: html, content_type: "HTML" }
          const told = yield* patch(formatted)
          if (form === "HTML") {
            assert.deepStrictEqual(said(told), [])
            assert.deepStrictEqual(shown(told), formatted)
          } else {
            assert.include(said(told), "content_type CHANGED")
            assert.deepStrictEqual(shown(told), { content: htmlAsText, content_type: "TEXT" })
            const refusal = yield* patch(formatted, strictly)
            assert.deepStrictEqual([refusal.status, Object.keys(errorsOf(refusal))], [422, ["content_type"]])
          }

          const alone = yield* patch({ content_type: "HTML" })
          assert.strictEqual(alone.status, 422)
          assert.match(String(errorsOf(alone).content_type), /Send both/)

          const whole = `${one}&include_remote_data=true`
          const before = recordOf(yield* call("GET", whole))
          const { remote_data: held, ...read } = before
          assert.strictEqual((yield* call("PUT", one, { body: read })).status, 200)
          const after = recordOf(yield* call("GET", whole))
          assert.deepStrictEqual([after.content, after.content_type], [before.content, before.content_type])
          assert.deepStrictEqual(contentsIn(after.remote_data), contentsIn(held))

          const replaced = yield* patch({ content: "<i>plain</i>" })
          assert.deepStrictEqual(shown(replaced), { content: "<i>plain</i>", content_type: "TEXT" })
        })
      )
    }
  }

  it.effect("attio note: text reads back, HTML becomes text", () =>
    Effect.gen(function* () {
      const { at, call, first } = yield* connected("attio")
      const contact = yield* first("contact")
      const post = (body: Doc, headers: { readonly [name: string]: string } = {}) =>
        call("POST", at("note"), { body: { contact, ...body }, headers })
      const written = yield* post({ content: text })
      assert.deepStrictEqual(shown(written), { content: text, content_type: "TEXT" })
      assert.deepStrictEqual(said(written), [])
      const told = yield* post({ content: html, content_type: "HTML" })
      assert.deepStrictEqual(shown(told), { content: htmlAsText, content_type: "TEXT" })
      assert.include(said(told), "content_type CHANGED")
      const simple = yield* post({ content: "<p>Hello</p>", content_type: "HTML" })
      assert.deepStrictEqual(said(simple), ["content_type CHANGED"])
      const refusal = yield* post({ content: html, content_type: "HTML" }, strictly)
      assert.deepStrictEqual([refusal.status, Object.keys(errorsOf(refusal))], [422, ["content_type"]])
    })
  )

  it.effect("stored paragraphs read as text, and stay as they are while their text does", () =>
    Effect.gen(function* () {
      const { at, call, first } = yield* connected("hubspot")
      const id = String(yield* first("note"))
      const native = `/passthrough/hubspot/crm/v3/objects/notes/${id}`
      const stored =
        '<div style="" dir="auto" data-top-level="true"><p style="margin:0;">One &amp; two</p><p style="margin:0;">Three</p></div>'
      yield* call("PATCH", native, { body: { properties: { hs_note_body: stored } } })
      const read = recordOf(yield* call("GET", at("note", id)))
      assert.deepInclude(read, { content: "One & two\nThree", content_type: "TEXT" })
      const bodyOf = Effect.map(call("GET", at("note", id, "&include_remote_data=true")), (answer) =>
        contentsIn(recordOf(answer).remote_data)
      )
      assert.deepStrictEqual(said(yield* call("PUT", at("note", id), { body: read })), [])
      assert.deepStrictEqual(yield* bodyOf, [stored])
      assert.deepStrictEqual(said(yield* call("PATCH", at("note", id), { body: { content: read.content } })), [])
      assert.deepStrictEqual(yield* bodyOf, [stored])
      // HTML goes there as it is, although it reads as text
      const simple = { content: "<p>One</p>", content_type: "HTML" }
      const written = yield* call("PATCH", at("note", id), { body: simple })
      assert.deepStrictEqual(said(written), [])
      assert.deepStrictEqual(shown(written), { content: "One", content_type: "TEXT" })
      assert.deepStrictEqual(yield* bodyOf, ["<p>One</p>"])
    })
  )

  it.effect("a record without content takes a content type with a warning about the content only", () =>
    Effect.gen(function* () {
      const { at, call, first } = yield* connected("close")
      const account = yield* first("company")
      const body = { subject: "Ring back", account, content: "x", content_type: "TEXT" }
      assert.deepStrictEqual(said(yield* call("POST", at("task"), { body })), ["content NOT_HELD"])
      const alone = yield* call("POST", at("task"), { body: { subject: "Ring back", account, content_type: "TEXT" } })
      assert.deepStrictEqual([alone.status, Object.keys(errorsOf(alone))], [422, ["content_type"]])
    })
  )
})

const names = new Set(
  "hs_note_body hs_task_body hs_meeting_body hs_call_body hs_email_html hs_communication_body Content Body Description content note note_html Note_Content Additional_Information".split(
    " "
  )
)

/** Native values that hold content. */
const contentsIn = (native: unknown): ReadonlyArray<unknown> =>
  typeof native !== "object" || native === null
    ? []
    : Object.entries(native).flatMap(([name, value]) =>
        name === "properties" ? contentsIn(value) : names.has(name) && typeof value === "string" ? [value] : []
      )
