import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NotedRequests } from "../../../src/testing/contract/NotedRequests.ts"
import {
  type Doc,
  errorsOf,
  listOf,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication
} from "../../support/SandboxApplication.ts"
import { said as warned, strictly as strict } from "../../support/Warnings.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("writes to Salesforce", (it) => {
  const connected = Effect.gen(function* () {
    const { call } = yield* (yield* SandboxApplication).caller(["salesforce"])
    const path = (resource: string, id?: unknown) =>
      `/crm/${resource}${id === undefined ? "" : `/${String(id)}`}?provider=salesforce`
    return {
      call,
      path,
      post: (resource: string, body: Doc) => call("POST", path(resource), { body }),
      patch: (resource: string, id: unknown, body: Doc) => call("PATCH", path(resource, id), { body })
    }
  })

  it.effect("a task is about one record: an account of another takes its place, and what goes is said", () =>
    Effect.gen(function* () {
      const { call, patch, path, post } = yield* connected
      const { data: deals } = pageOf(yield* call("GET", `${path("deal")}&limit=50`))
      const deal = deals.find(({ account }) => account !== null)
      const { remote_id: other } = recordOf(yield* post("company", { name: "Ockham" }))
      const both = yield* post("task", { subject: "Ring", opportunity: deal?.remote_id, account: deal?.account })
      assert.include(recordOf(both), { opportunity: deal?.remote_id, account: deal?.account })
      assert.deepStrictEqual(warned(both), [])
      const wrong = yield* post("task", { subject: "Ring", opportunity: deal?.remote_id, account: other })
      assert.strictEqual(recordOf(wrong).account, deal?.account)
      assert.deepStrictEqual(warned(wrong), ["account CHANGED"])
      const moved = yield* patch("task", recordOf(both).remote_id, { account: other })
      assert.include(recordOf(moved), { opportunity: null, account: other })
      assert.deepStrictEqual(warned(moved), ["opportunity CHANGED"])
    })
  )

  it.effect("times of a call are its day, and an event keeps its end: both are said", () =>
    Effect.gen(function* () {
      const { call, path, post } = yield* connected
      const times = { start_time: "2027-02-15T13:00:00.000Z", end_time: "2027-02-15T13:20:00.000Z" }
      const ring = yield* post("activity", { activity_type: "CALL", subject: "Ring", ...times })
      assert.include(recordOf(ring), {
        start_time: "2027-02-15T00:00:00.000Z",
        end_time: "2027-02-15T00:20:00.000Z"
      })
      assert.deepStrictEqual(warned(ring), ["end_time CHANGED", "start_time CHANGED"])
      const meeting = recordOf(yield* post("activity", { activity_type: "MEETING", subject: "Tea", ...times }))
      const replaced = yield* call("PUT", path("activity", meeting.remote_id), {
        body: { activity_type: "MEETING", subject: "Tea", start_time: times.start_time }
      })
      assert.strictEqual(recordOf(replaced).end_time, times.end_time)
      assert.include(warned(replaced), "end_time CHANGED")
      const cleared = yield* call("PATCH", path("activity", meeting.remote_id), { body: { end_time: null } })
      assert.deepStrictEqual(Object.keys(errorsOf(cleared)), ["end_time"])
    })
  )

  it.effect("a deal without stage and day takes the first open stage and today; a stage contradicts a status", () =>
    Effect.gen(function* () {
      const { call, path, post } = yield* connected
      const made = yield* post("deal", { name: "Looms" })
      assert.include(recordOf(made), { status: "OPEN", close_date: "2026-11-20" })
      assert.sameMembers([...warned(made)], ["stage CHANGED", "close_date CHANGED"])
      const { stage } = recordOf(made)
      const wrong = yield* post("deal", { name: "Looms", stage, status: "WON", close_date: "2026-12-01" })
      assert.deepStrictEqual(Object.keys(errorsOf(wrong)), ["status"])
      const refused = yield* call("POST", path("deal"), { body: { name: "Looms" }, headers: strict })
      assert.sameMembers(Object.keys(errorsOf(refused)), ["stage", "close_date"])
    })
  )

  it.effect("a lead takes back the name that it returned", () =>
    Effect.gen(function* () {
      const { call, path, post } = yield* connected
      const made = recordOf(yield* post("lead", { first_name: "Ada", last_name: "King", company: "Ockham" }))
      const again = yield* call("PUT", path("lead", made.remote_id), { body: made, headers: strict })
      assert.strictEqual(recordOf(again).name, "Ada King")
      const { company, first_name, last_name, name } = made
      const copy = yield* call("POST", path("lead"), {
        body: { company, first_name, last_name, name },
        headers: strict
      })
      assert.strictEqual(recordOf(copy).name, "Ada King")
    })
  )

  it.effect("an appointment without an account is for that of its contact", () =>
    Effect.gen(function* () {
      const { call, path, post } = yield* connected
      const { data } = pageOf(yield* call("GET", `${path("contact")}&limit=50`))
      const contact = data.find(({ account }) => account !== null)
      const body = { subject: "Fitting", start_time: "2027-02-15T13:00:00.000Z", contact: contact?.remote_id }
      const made = yield* post("appointment", body)
      assert.strictEqual(recordOf(made).account, contact?.account)
      assert.include(warned(made), "account CHANGED")
      const nobody = yield* post("appointment", { ...body, contact: null })
      assert.deepStrictEqual(Object.keys(errorsOf(nobody)), ["account"])
    })
  )

  it.effect("an address with only a second line holds it as the first, and says so", () =>
    Effect.gen(function* () {
      const { post } = yield* connected
      const made = yield* post("contact", { last_name: "King", addresses: [{ street_2: "Flat 2", city: "Bath" }] })
      assert.deepInclude(listOf(recordOf(made).addresses)[0], { street_1: "Flat 2", street_2: null, city: "Bath" })
      assert.include(warned(made), "addresses.0.street_2 CHANGED")
    })
  )

  it.effect("a record is written and read back in one call, with what it is linked to; a change reads it first", () =>
    Effect.gen(function* () {
      const { call, patch, path, post } = yield* connected
      const notes = yield* NotedRequests
      const first = (resource: string) =>
        Effect.map(call("GET", `${path(resource)}&limit=1`), (answer) => pageOf(answer).data[0]?.remote_id)
      const [lead, account, task] = [yield* first("lead"), yield* first("company"), yield* first("task")]
      for (const resource of ["note", "contact"]) yield* call("GET", path(resource))
      const body = { content: "<p><b>Brass</b></p>", content_type: "HTML", lead, account }
      const made = yield* notes.during(Effect.map(post("note", body), recordOf))
      // what has markup is read on its own
      assert.deepStrictEqual(
        made.map(({ path }) => path.split("/").at(-1)),
        ["composite", "Content"]
      )
      assert.lengthOf(
        yield* notes.during(Effect.map(post("note", { ...body, content: "Brass", content_type: "TEXT" }), recordOf)),
        1
      )
      assert.lengthOf(yield* notes.during(Effect.map(patch("task", task, { subject: "Ring" }), recordOf)), 2)
      assert.lengthOf(yield* notes.during(Effect.map(post("contact", { last_name: "King" }), recordOf)), 1)
    })
  )

  it.effect("a note is made with all of its links or not at all", () =>
    Effect.gen(function* () {
      const { call, path, post } = yield* connected
      const count = Effect.map(call("GET", `${path("note")}&limit=100`), (answer) => pageOf(answer).data.length)
      const before = yield* count
      const { data } = pageOf(yield* call("GET", `${path("company")}&limit=1`))
      const links = { account: data[0]?.remote_id, lead: "00Q000000000000AAA" }
      assert.deepStrictEqual(Object.keys(errorsOf(yield* post("note", { content: "Brass", ...links }))), ["lead"])
      assert.strictEqual(yield* count, before)
    })
  )

  it.effect("a record of another resource, or of none, is not changed", () =>
    Effect.gen(function* () {
      const { call, patch, path, post } = yield* connected
      const ring = recordOf(
        yield* post("activity", { activity_type: "CALL", subject: "Ring", start_time: "2027-02-15T00:00:00Z" })
      )
      for (const id of [ring.remote_id, "00T000000000001AAA"]) {
        assert.strictEqual((yield* patch("task", id, { subject: "Changed" })).status, 404)
      }
      assert.strictEqual(recordOf(yield* call("GET", path("activity", ring.remote_id))).subject, "Ring")
      assert.strictEqual((yield* patch("contact", "003000000000001AAA", { title: "Changed" })).status, 404)
    })
  )

  it.effect("a text that looks like a reference to another part of a request is a text", () =>
    Effect.gen(function* () {
      const { patch, post } = yield* connected
      const text = "@{record.id} and @{"
      const made = recordOf(yield* post("contact", { last_name: text }))
      assert.strictEqual(made.last_name, text)
      assert.strictEqual(recordOf(yield* patch("contact", made.remote_id, { title: text })).title, text)
      const task = recordOf(yield* post("task", { subject: text }))
      assert.strictEqual(recordOf(yield* patch("task", task.remote_id, { content: text })).content, text)
      const gone = yield* patch("task", "00T000000000001AAA", { content: text })
      assert.strictEqual(gone.status, 404)
      const note = recordOf(yield* post("note", { content: "x", title: text }))
      assert.strictEqual(note.title, text)
    })
  )
})
