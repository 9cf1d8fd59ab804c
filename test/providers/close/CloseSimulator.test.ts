import { assert, describe, it } from "@effect/vitest"
import { HttpClientRequest } from "@effect/platform"
import { Effect, Schema, TestClock } from "effect"
import { simulator } from "../../../src/providers/close/simulator/CloseSimulator.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { client, connect, type Method } from "../../../src/providers/simulation/Simulator.ts"

const Doc = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const List = Schema.Struct({ data: Schema.Array(Doc), has_more: Schema.Boolean })

/** A new account, and requests to it that must be answered with a status. */
const opened = Effect.gen(function* () {
  const http = yield* client(simulator)
  const { accessToken } = yield* connect(simulator, "fernhill")
  const send = (status: number, method: Method, path: string, body?: unknown) =>
    Effect.gen(function* () {
      const bare = HttpClientRequest.make(method)(`https://api.close.com/api/v1${path}`).pipe(
        HttpClientRequest.basicAuth(accessToken, "")
      )
      const request = body === undefined ? bare : HttpClientRequest.bodyUnsafeJson(bare, body)
      const answer = yield* http.execute(request)
      assert.strictEqual(answer.status, status, `${method} ${path}: ${yield* answer.text}`)
      return yield* Schema.decodeUnknown(Doc)(yield* answer.json)
    })
  const list = (path: string) => Effect.flatMap(send(200, "GET", path), Schema.decodeUnknown(List))
  return { list, send }
})

const test = <E>(name: string, effect: Effect.Effect<void, E, SimulationStore | Faults>) =>
  it.effect(name, () => effect.pipe(Effect.provide([SimulationStore.layerMemory, Faults.layer])))

const stamps = ["id", "organization_id", "created_by", "updated_by", "date_created", "date_updated"]

/** Members that the published description requires: https://developer.close.com/api/resources */
const required: ReadonlyArray<readonly [path: string, members: ReadonlyArray<string>]> = [
  ["lead", [...stamps, "name", "description", "url", "html_url", "status_id", "contact_ids"]],
  ["contact", [...stamps, "name", "title", "display_name"]],
  [
    "opportunity",
    [
      ...stamps,
      ...["annualized_expected_value", "annualized_value", "confidence", "contact_id", "date_lost", "date_won"],
      ...["expected_value", "lead_id", "note", "status_id", "user_id", "value", "value_period"]
    ]
  ],
  ["activity/note", [...stamps, "_type", "activity_at", "contact_id", "lead_id", "user_id", "users"]]
]

describe("Close simulator", () => {
  test(
    "records have what the description requires, in lists and alone, and only the fields that are asked for",
    Effect.gen(function* () {
      const { list, send } = yield* opened
      for (const [path, members] of required) {
        const { data } = yield* list(`/${path}/?_limit=5`)
        const [first] = data
        const alone = yield* send(200, "GET", `/${path}/${String(first?.id)}/`)
        assert.containsAllKeys(alone, members, path)
        assert.deepStrictEqual(alone, { ...first }, path)
      }
      const { data } = yield* list("/opportunity/?_limit=1&_fields=id,value")
      assert.deepStrictEqual(Object.keys(data[0] ?? {}), ["id", "value"])
      assert.isTrue((yield* list("/contact/?_skip=200&_limit=10")).has_more)
      assert.isFalse((yield* list("/contact/?_skip=230&_limit=10")).has_more)
    })
  )

  // answers that others recorded: https://github.com/nested-tech/closex/tree/master/test/fixtures/vcr_cassettes
  test(
    "refusals are as recorded",
    Effect.gen(function* () {
      const { list, send } = yield* opened
      const refused = (method: Method, path: string, body: unknown) =>
        Effect.map(send(400, method, path, body), (answer) => answer["field-errors"])
      assert.deepStrictEqual(yield* send(404, "GET", "/lead/wibble/"), {
        error: "Empty query: Lead matching query does not exist."
      })
      assert.deepStrictEqual(yield* refused("POST", "/task/", { lead_id: "wibble", text: "x" }), {
        lead: "Object does not exist."
      })
      const [lead] = (yield* list("/lead/?_limit=1")).data
      assert.deepStrictEqual(yield* refused("POST", "/lead/", { name: 3, status_id: "foo" }), {
        name: "Value must be of basestring type.",
        status: "Not a valid choice."
      })
      assert.deepStrictEqual(yield* refused("POST", "/task/", { lead_id: lead?.id }), {
        text: "This field is required."
      })
    })
  )

  test(
    "a task without a date shows its day; a number loses its blanks; a deal is won on a day; a lead takes all with it",
    Effect.gen(function* () {
      const { list, send } = yield* opened
      const person = yield* send(200, "POST", "/contact/", { name: "Gob", phones: [{ phone: "+44 800 444-5555" }] })
      assert.deepStrictEqual(person.phones, [{ phone: "+448004445555", type: "office" }])
      const { lead_id } = person
      const lead = yield* send(200, "GET", `/lead/${String(lead_id)}/`)
      assert.deepInclude(lead, { name: "Gob", contact_ids: [person.id] })
      const task = yield* send(200, "POST", "/task/", { lead_id, text: "Shave alpacas" })
      assert.deepInclude(task, { is_dateless: true, due_date: null, date: "1970-01-01", view: "inbox" })
      assert.deepInclude(yield* send(200, "PUT", `/task/${String(task.id)}/`, { date: "2018-01-01" }), {
        is_dateless: false,
        due_date: "2018-01-01"
      })
      const deal = yield* send(200, "POST", "/opportunity/", { lead_id, value: 500, value_period: "monthly" })
      assert.deepInclude(deal, { value_formatted: "€5", annualized_value: 6000, status_type: "active", confidence: 50 })
      const [won] = (yield* list("/opportunity/?status_type=won&_limit=1")).data
      const done = yield* send(200, "PUT", `/opportunity/${String(deal.id)}/`, { status_id: won?.status_id })
      assert.deepInclude(done, { status_type: "won", date_won: "1970-01-01" })
      yield* send(200, "DELETE", `/lead/${String(lead_id)}/`)
      for (const path of [`contact/${String(person.id)}`, `task/${String(task.id)}`, `opportunity/${String(deal.id)}`])
        yield* send(404, "GET", `/${path}/`)
    })
  )

  test(
    "a search refuses what it does not know, and a cursor that is half a minute old",
    Effect.gen(function* () {
      const { send } = yield* opened
      const field = (name: string) => ({ type: "regular_field", object_type: "contact", field_name: name })
      const search = (status: number, query: ReadonlyArray<unknown>, more: object = {}) =>
        send(status, "POST", "/data/search/", {
          query: { type: "and", queries: [{ type: "object_type", object_type: "contact" }, ...query] },
          ...more
        })
      const text = { type: "text", mode: "full_words", value: "a" }
      yield* search(400, [{ type: "field_condition", field: field("shoe_size"), condition: text }])
      yield* search(400, [{ type: "field_condition", field: field("date_created"), condition: text }])
      yield* search(400, [{ type: "field_condition", field: field("name"), condition: { ...text, mode: "fuzzy" } }])
      yield* search(400, [{ type: "near" }])
      yield* search(400, [], { _limit: 201 })
      yield* send(400, "POST", "/data/search/", { query: { type: "and", queries: [] } })
      const { cursor, data } = yield* search(200, [], { _limit: 2, _fields: { contact: ["id", "name"] } })
      assert.lengthOf(Schema.decodeUnknownSync(Schema.Array(Doc))(data), 2)
      yield* search(200, [], { _limit: 2, cursor })
      yield* TestClock.adjust("31 seconds")
      assert.deepStrictEqual(yield* search(400, [], { _limit: 2, cursor }), { error: "Expired cursor" })
    })
  )
})
