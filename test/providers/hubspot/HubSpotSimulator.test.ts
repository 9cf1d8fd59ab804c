import { HttpClientRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, TestClock } from "effect"
import { simulator } from "../../../src/providers/hubspot/simulator/HubSpotSimulator.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { client, connect, type Method } from "../../../src/providers/simulation/Simulator.ts"

const world = Layer.mergeAll(SimulationStore.layerMemory, Faults.layer)

const Properties = Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.String) })
const Paging = Schema.Struct({ next: Schema.Struct({ after: Schema.String, link: Schema.optional(Schema.String) }) })
const AssociatedIds = Schema.Struct({
  results: Schema.Array(Schema.Struct({ id: Schema.String, type: Schema.String }))
})
const Item = Schema.Struct({
  id: Schema.String,
  properties: Properties,
  createdAt: Schema.String,
  updatedAt: Schema.String,
  archived: Schema.Boolean,
  archivedAt: Schema.optional(Schema.String),
  associations: Schema.optional(Schema.Record({ key: Schema.String, value: AssociatedIds }))
})
const List = Schema.Struct({
  results: Schema.Array(Item),
  total: Schema.optional(Schema.Int),
  paging: Schema.optional(Paging)
})
const Failed = Schema.Struct({
  message: Schema.String,
  category: Schema.String,
  correlationId: Schema.String,
  status: Schema.Literal("error"),
  errors: Schema.optional(
    Schema.Array(
      Schema.Struct({
        message: Schema.String,
        code: Schema.optional(Schema.String),
        in: Schema.optional(Schema.String),
        context: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) }))
      })
    )
  ),
  context: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) }))
})
const Linked = Schema.Struct({
  toObjectId: Schema.String,
  associationTypes: Schema.Array(
    Schema.Struct({ category: Schema.String, typeId: Schema.Int, label: Schema.NullOr(Schema.String) })
  )
})

/** An account of its own, and requests to it. */
const account = Effect.gen(function* () {
  const http = yield* client(simulator)
  const tokens = yield* connect(simulator, "acme", 1800)
  const send = (method: Method, path: string, body?: unknown, token = tokens.accessToken) =>
    Effect.gen(function* () {
      const bare = HttpClientRequest.make(method)(`https://api.hubapi.com${path}`).pipe(
        HttpClientRequest.bearerToken(token)
      )
      const response = yield* http.execute(body === undefined ? bare : HttpClientRequest.bodyUnsafeJson(bare, body))
      const text = yield* response.text
      return { status: response.status, headers: response.headers, text }
    })
  /** A request that must answer with a status, and its body. */
  const get = <A, I>(
    schema: Schema.Schema<A, I>,
    status: number,
    method: Method,
    path: string,
    body?: unknown,
    token?: string
  ) =>
    Effect.gen(function* () {
      const answer = yield* send(method, path, body, token)
      assert.strictEqual(answer.status, status, answer.text)
      return yield* Schema.decode(Schema.parseJson(schema))(answer.text)
    })
  const search = (type: string, body: unknown) => get(List, 200, "POST", `/crm/v3/objects/${type}/search`, body)
  const where = (type: string, propertyName: string, operator: string, rest: object = {}) =>
    search(type, { limit: 200, filterGroups: [{ filters: [{ propertyName, operator, ...rest }] }] })
  const first = (type: string) =>
    Effect.flatMap(get(List, 200, "GET", `/crm/v3/objects/${type}?limit=1`), ({ results: [one] }) =>
      one === undefined ? Effect.dieMessage(`no ${type}`) : Effect.succeed(one)
    )
  const links = (from: string, id: string, to: string) =>
    Effect.map(
      get(
        Schema.Struct({ results: Schema.Array(Linked) }),
        200,
        "GET",
        `/crm/v4/objects/${from}/${id}/associations/${to}`
      ),
      ({ results }) => results
    )
  return { ...tokens, http, send, get, search, where, first, links }
})

const test = <E>(name: string, effect: Effect.Effect<void, E, SimulationStore | Faults>) =>
  it.effect(name, () => Effect.zipRight(TestClock.setTime(Date.UTC(2026, 10, 21)), effect).pipe(Effect.provide(world)))

const labelled = (associationTypeId: number) => ({ associationCategory: "HUBSPOT_DEFINED", associationTypeId })

describe("HubSpot simulator: records", () => {
  test(
    "two records become a third, to which both ids lead from then on",
    Effect.gen(function* () {
      const { first, get, links, send } = yield* account
      const contacts = "/crm/v3/objects/contacts"
      const company = yield* first("companies")
      const make = (properties: object, associations: ReadonlyArray<object> = []) =>
        get(Item, 201, "POST", contacts, { properties, associations })
      const primary = yield* make({ email: "one@example.com", firstname: "One" })
      const toCompany = { to: { id: company.id }, types: [labelled(279)] }
      const other = yield* make({ email: "two@example.com", phone: "123" }, [toCompany])
      const body = { primaryObjectId: primary.id, objectIdToMerge: other.id }
      const merged = yield* get(Item, 200, "POST", `${contacts}/merge`, body)
      assert.notInclude([primary.id, other.id], merged.id)
      for (const id of [primary.id, other.id, merged.id]) {
        const found = yield* get(
          Item,
          200,
          "GET",
          `${contacts}/${id}?properties=email,firstname,phone,hs_merged_object_ids`
        )
        assert.strictEqual(found.id, merged.id)
        assert.strictEqual(found.properties.hs_merged_object_ids, `${primary.id};${other.id}`)
        assert.deepInclude(found.properties, { email: "one@example.com", firstname: "One", phone: "123" })
      }
      assert.deepStrictEqual(
        (yield* links("contacts", merged.id, "companies")).map(({ toObjectId }) => toObjectId),
        [company.id]
      )
      assert.notInclude(
        (yield* links("companies", company.id, "contacts")).map(({ toObjectId }) => toObjectId),
        other.id
      )
      for (const archived of [false, true]) {
        const listed = yield* get(
          List,
          200,
          "GET",
          `${contacts}?limit=100&after=${Number(primary.id) - 1}&archived=${archived}`
        )
        assert.deepStrictEqual(
          listed.results.map(({ id }) => id),
          archived ? [] : [merged.id]
        )
      }
      yield* get(Failed, 400, "POST", `${contacts}/merge`, { primaryObjectId: merged.id, objectIdToMerge: primary.id })
      yield* send("DELETE", `${contacts}/${merged.id}`)
      yield* get(Failed, 404, "GET", `${contacts}/${other.id}`)
    })
  )

  test(
    "a walk returns every record once although records come and go meanwhile",
    Effect.gen(function* () {
      const { get, send } = yield* account
      const seen: Array<string> = []
      let path: string | undefined = "/crm/v3/objects/contacts?limit=100"
      while (path !== undefined) {
        const page: typeof List.Type = yield* get(List, 200, "GET", path)
        seen.push(...page.results.map(({ id }) => id))
        assert.isAtMost(page.results.length, 100)
        yield* send("DELETE", `/crm/v3/objects/contacts/${seen[0]}`)
        yield* send("DELETE", `/crm/v3/objects/contacts/${seen[7]}`)
        path = page.paging && `/crm/v3/objects/contacts?limit=100&after=${page.paging.next.after}`
      }
      assert.strictEqual(seen.length, 264)
      assert.strictEqual(new Set(seen).size, 264)
      assert.deepStrictEqual(
        seen,
        [...seen].sort((a, b) => Number(a) - Number(b))
      )
    })
  )

  test(
    "a list has 10 records with default properties; asked-for ones come repeated or separated by commas",
    Effect.gen(function* () {
      const { get } = yield* account
      const plain = yield* get(List, 200, "GET", "/crm/v3/objects/contacts")
      assert.strictEqual(plain.results.length, 10)
      assert.deepStrictEqual(Object.keys(plain.results[0]?.properties ?? {}), [
        "createdate",
        "email",
        "firstname",
        "hs_object_id",
        "lastmodifieddate",
        "lastname"
      ])
      for (const query of ["properties=city&properties=fax", "properties=city,fax"]) {
        const { results } = yield* get(List, 200, "GET", `/crm/v3/objects/contacts?${query}`)
        assert.isString(results[0]?.properties.city)
        assert.isNull(results[0]?.properties.fax)
        assert.notProperty(results[0]?.properties, "email")
      }
    })
  )

  test(
    "create answers 201 with strings; update is sparse and an empty string clears; delete archives",
    Effect.gen(function* () {
      const { get, send } = yield* account
      const made = yield* get(Item, 201, "POST", "/crm/v3/objects/companies", {
        properties: { name: "Ó Briain & Døtre 🪵", numberofemployees: 12, website: "https://www.obriain.example/om" }
      })
      assert.strictEqual(made.properties.numberofemployees, "12")
      assert.strictEqual(made.properties.hs_object_id, made.id)
      assert.strictEqual(made.properties.domain, "obriain.example")
      assert.strictEqual(made.createdAt, "2026-11-21T00:00:00.000Z")

      yield* TestClock.adjust("1 minute")
      const path = `/crm/v3/objects/companies/${made.id}`
      yield* get(Item, 200, "PATCH", path, { properties: { numberofemployees: "", city: "Cork" } })
      const now = yield* get(Item, 200, "GET", `${path}?properties=name,city,numberofemployees`)
      assert.strictEqual(now.properties.name, "Ó Briain & Døtre 🪵")
      assert.strictEqual(now.properties.city, "Cork")
      assert.isNull(now.properties.numberofemployees)
      assert.strictEqual(now.properties.hs_lastmodifieddate, "2026-11-21T00:01:00.000Z")

      assert.strictEqual((yield* send("DELETE", path)).status, 204)
      assert.strictEqual((yield* send("DELETE", path)).status, 204)
      yield* get(Failed, 404, "GET", path)
      yield* get(Failed, 404, "PATCH", path, { properties: { city: "Oslo" } })
      const archived = yield* get(Item, 200, "GET", `${path}?archived=true`)
      assert.isTrue(archived.archived)
      const listed = yield* get(List, 200, "GET", "/crm/v3/objects/companies?archived=true")
      assert.deepStrictEqual(
        listed.results.map(({ id }) => id),
        [made.id]
      )
    })
  )

  test(
    "values that a property cannot hold are refused by name, all at once",
    Effect.gen(function* () {
      const { get } = yield* account
      const refused = yield* get(Failed, 400, "POST", "/crm/v3/objects/deals", {
        properties: {
          dealname: "Kept out",
          nonsense: "1",
          amount: "12 €",
          closedate: "next week",
          dealtype: "renewal",
          hs_is_closed: "true",
          hubspot_owner_id: "5"
        }
      })
      assert.strictEqual(refused.category, "VALIDATION_ERROR")
      assert.isTrue(refused.message.startsWith("Property values were not valid: [{"))
      assert.deepStrictEqual(
        refused.errors?.map(({ code, context }) => [context?.propertyName?.[0], code]),
        [
          ["nonsense", "PROPERTY_DOESNT_EXIST"],
          ["amount", "INVALID_INTEGER"],
          ["closedate", "INVALID_LONG"],
          ["dealtype", "INVALID_OPTION"],
          ["hs_is_closed", "READ_ONLY_VALUE"],
          ["hubspot_owner_id", "INVALID_OWNER_ID"]
        ]
      )
      // empty text clears, and is said as it was sent
      const empty = yield* get(Failed, 400, "POST", "/crm/v3/objects/deals", { properties: { hs_is_closed: "" } })
      assert.include(empty.message, '"propertyValue":""')
      const stage = yield* get(Failed, 400, "POST", "/crm/v3/objects/deals", {
        properties: { dealname: "x", pipeline: "default", dealstage: "128476301" }
      })
      assert.strictEqual(stage.errors?.[0]?.context?.propertyName?.[0], "dealstage")
      const date = yield* get(Failed, 400, "POST", "/crm/v3/objects/contacts", {
        properties: { date_of_birth: "1990-02-30" }
      })
      assert.strictEqual(date.errors?.[0]?.code, "INVALID_DATE")
      const note = yield* get(Failed, 400, "POST", "/crm/v3/objects/notes", { properties: { hs_note_body: "x" } })
      assert.strictEqual(note.message, "Error creating NOTE. Some required properties were not set.")
      assert.deepStrictEqual(note.context, { properties: ["hs_timestamp"] })
      const email = (yield* get(List, 200, "GET", "/crm/v3/objects/contacts?limit=1")).results[0]
      const taken = yield* get(Failed, 409, "POST", "/crm/v3/objects/contacts", {
        properties: { email: email?.properties.email?.toUpperCase() }
      })
      assert.strictEqual(taken.message, `Contact already exists. Existing ID: ${email?.id}`)
      // as a read by a unique property, whatever the case
      const company = (number: string) => ({ properties: { name: "Unique", customer_number: number } })
      const first = yield* get(Item, 201, "POST", "/crm/v3/objects/companies", company("K-77"))
      const second = yield* get(Failed, 400, "POST", "/crm/v3/objects/companies", company("k-77"))
      assert.include(second.message, `${first.id} already has that value`)
      yield* get(Item, 200, "PATCH", `/crm/v3/objects/companies/${first.id}`, company("k-77"))
    })
  )

  test(
    "a deal's flags and probability follow its stage; a completed task is stamped",
    Effect.gen(function* () {
      const { get } = yield* account
      const made = yield* get(Item, 201, "POST", "/crm/v3/objects/deals", {
        properties: { dealname: "Shelving", closedate: "1798761600000" }
      })
      const path = `/crm/v3/objects/deals/${made.id}`
      const query = "?properties=hs_is_closed,hs_is_closed_won,hs_deal_stage_probability,dealstage,closedate"
      const open = (yield* get(Item, 200, "GET", path + query)).properties
      assert.strictEqual(open.dealstage, "appointmentscheduled")
      assert.strictEqual(open.hs_is_closed, "false")
      assert.strictEqual(open.hs_deal_stage_probability, "0.2")
      assert.strictEqual(open.closedate, "2027-01-01T00:00:00Z")
      yield* get(Item, 200, "PATCH", path, { properties: { dealstage: "closedwon" } })
      const won = (yield* get(Item, 200, "GET", path + query)).properties
      assert.strictEqual(won.hs_is_closed, "true")
      assert.strictEqual(won.hs_is_closed_won, "true")
      assert.strictEqual(won.hs_deal_stage_probability, "1")

      const task = yield* get(Item, 201, "POST", "/crm/v3/objects/tasks", {
        properties: { hs_task_subject: "Call", hs_timestamp: "2026-12-01T10:00:00+02:00", hs_task_status: "COMPLETED" }
      })
      const read = `/crm/v3/objects/tasks/${task.id}?properties=hs_timestamp,hs_task_completion_date`
      const { properties } = yield* get(Item, 200, "GET", read)
      assert.strictEqual(properties.hs_timestamp, "2026-12-01T08:00:00Z")
      assert.strictEqual(properties.hs_task_completion_date, "2026-11-21T00:00:00.000Z")
    })
  )

  test(
    "nothing unknown is ignored: parameters, body members, types, paths, limits, cursors",
    Effect.gen(function* () {
      const { get } = yield* account
      const refused = [
        ["GET", "/crm/v3/objects/contacts?limit=10&sort=email"],
        ["GET", "/crm/v3/objects/contacts?limit=101"],
        ["GET", "/crm/v3/objects/contacts?limit=0"],
        ["GET", "/crm/v3/objects/contacts?after=abc"],
        ["GET", "/crm/v3/objects/contacts?archived=yes"],
        ["GET", "/crm/v3/objects/contacts?associations=widgets"],
        ["GET", "/crm/v3/objects/widgets"],
        ["POST", "/crm/v3/objects/contacts", { properties: {}, tags: [] }],
        ["POST", "/crm/v3/objects/contacts", { firstname: "Ada" }],
        ["POST", "/crm/v3/objects/contacts/search", { where: "1=1" }],
        ["GET", "/crm/v3/owners?name=x"]
      ] as const
      for (const [method, path, body] of refused) {
        const { category, message } = yield* get(Failed, 400, method, path, body)
        assert.strictEqual(category, "VALIDATION_ERROR", message)
      }
      yield* get(Failed, 404, "GET", "/crm/v3/quotes")
      yield* get(Failed, 405, "PUT", "/crm/v3/objects/contacts", {})
    })
  )

  test(
    "batches: create answers 201, missing records 207, one wrong input refuses all",
    Effect.gen(function* () {
      const { get, send } = yield* account
      const path = "/crm/v3/objects/contacts/batch"
      const made = yield* get(List, 201, "POST", `${path}/create`, {
        inputs: [{ properties: { firstname: "Ada" }, associations: [] }, { properties: { firstname: "Bo" } }]
      })
      const ids = made.results.map(({ id }) => ({ id }))
      yield* get(Failed, 400, "POST", `${path}/create`, {
        inputs: [{ properties: { firstname: "Cy" } }, { properties: { nope: "1" } }]
      })
      const none = yield* get(List, 200, "POST", "/crm/v3/objects/contacts/search", {
        filterGroups: [{ filters: [{ propertyName: "firstname", operator: "EQ", value: "Cy" }] }]
      })
      assert.strictEqual(none.total, 0)
      yield* get(List, 200, "POST", `${path}/update`, {
        inputs: ids.map(({ id }) => ({ id, properties: { city: "Turku" } }))
      })
      const Multi = Schema.Struct({
        results: Schema.Array(Item),
        numErrors: Schema.Int,
        errors: Schema.Array(Schema.Struct({ category: Schema.String, context: Schema.Unknown }))
      })
      const read = yield* get(Multi, 207, "POST", `${path}/read`, {
        properties: ["city"],
        propertiesWithHistory: [],
        inputs: [...ids, { id: "404" }]
      })
      assert.deepStrictEqual(
        read.results.map(({ properties }) => properties.city),
        ["Turku", "Turku"]
      )
      assert.deepStrictEqual(read.errors, [{ category: "OBJECT_NOT_FOUND", context: { ids: ["404"] } }])
      assert.strictEqual((yield* send("POST", `${path}/archive`, { inputs: ids })).status, 204)
      yield* get(Failed, 404, "GET", `/crm/v3/objects/contacts/${ids[0]?.id}`)
    })
  )
})

describe("HubSpot simulator: search", () => {
  test(
    "every operator selects what it says",
    Effect.gen(function* () {
      const { get, where } = yield* account
      for (const [name, employees, founded] of [
        ["Zyx Alpha", "10", "1990"],
        ["Zyx Beta", "20", undefined],
        ["Zyx Gamma", "300", "2001"]
      ] as const) {
        yield* get(Item, 201, "POST", "/crm/v3/objects/companies", {
          properties: {
            name,
            numberofemployees: employees,
            customer_number: `Z${employees}`,
            ...(founded === undefined ? {} : { founded_year: founded })
          }
        })
      }
      const names = (propertyName: string, operator: string, rest?: object) =>
        Effect.map(where("companies", propertyName, operator, rest), ({ results }) =>
          results.flatMap(({ properties }) => properties.name?.match(/^Zyx (\w+)$/)?.[1] ?? [])
        )
      const [a, b, c] = ["Alpha", "Beta", "Gamma"]
      assert.deepStrictEqual(yield* names("name", "EQ", { value: "zyx beta" }), [b])
      assert.deepStrictEqual(yield* names("name", "NEQ", { value: "Zyx Beta" }), [a, c])
      assert.deepStrictEqual(yield* names("numberofemployees", "LT", { value: "20" }), [a])
      assert.deepStrictEqual(yield* names("numberofemployees", "LTE", { value: "20" }), [a, b])
      assert.deepStrictEqual(yield* names("numberofemployees", "GT", { value: "20" }), [c])
      assert.deepStrictEqual(yield* names("numberofemployees", "GTE", { value: 20 }), [b, c])
      assert.deepStrictEqual(yield* names("numberofemployees", "BETWEEN", { value: "15", highValue: "25" }), [b])
      assert.deepStrictEqual(yield* names("customer_number", "IN", { values: ["z10", "z300"] }), [a, c])
      assert.deepStrictEqual(yield* names("customer_number", "IN", { values: ["Z10"] }), [])
      assert.deepStrictEqual(yield* names("customer_number", "NOT_IN", { values: ["z10"] }), [b, c])
      assert.deepStrictEqual(yield* names("founded_year", "HAS_PROPERTY"), [a, c])
      assert.deepStrictEqual(yield* names("founded_year", "NOT_HAS_PROPERTY"), [b])
      assert.deepStrictEqual(yield* names("name", "CONTAINS_TOKEN", { value: "gam*" }), [c])
      assert.deepStrictEqual(yield* names("name", "CONTAINS_TOKEN", { value: "zyx" }), [a, b, c])
      assert.deepStrictEqual(yield* names("name", "NOT_CONTAINS_TOKEN", { value: "alpha" }), [b, c])
    })
  )

  test(
    "groups are alternatives, filters of a group conditions; pages are offsets up to 10,000 results",
    Effect.gen(function* () {
      const { get, search, where } = yield* account
      const all = yield* search("contacts", {
        limit: 200,
        sorts: [{ propertyName: "hs_object_id", direction: "DESCENDING" }]
      })
      assert.strictEqual(all.total, 264)
      assert.strictEqual(all.results.length, 200)
      assert.strictEqual(all.paging?.next.after, "200")
      assert.isAbove(Number(all.results[0]?.id), Number(all.results[1]?.id))
      const rest = yield* search("contacts", { limit: 200, after: "200" })
      assert.strictEqual(rest.results.length, 64)
      assert.isUndefined(rest.paging)

      const [one, two] = all.results
      const either = yield* search("contacts", {
        filterGroups: [one, two].map((record) => ({
          filters: [{ propertyName: "hs_object_id", operator: "EQ", value: record?.id }]
        }))
      })
      assert.strictEqual(either.total, 2)
      const both = yield* search("contacts", {
        filterGroups: [
          {
            filters: [one, two].map((record) => ({ propertyName: "hs_object_id", operator: "EQ", value: record?.id }))
          }
        ]
      })
      assert.strictEqual(both.total, 0)
      const keyset = yield* where("contacts", "hs_object_id", "GT", { value: two?.id })
      assert.deepStrictEqual(
        keyset.results.map(({ id }) => id),
        [one?.id]
      )

      for (const body of [
        { limit: 200, after: "9900" },
        { limit: 201 },
        { sorts: ["email", "firstname"] },
        { sorts: ["nonsense"] },
        { filterGroups: [{ filters: [{ propertyName: "nonsense", operator: "EQ", value: "1" }] }] },
        { filterGroups: [{ filters: [{ propertyName: "createdate", operator: "GT", value: "yesterday" }] }] },
        { filterGroups: [{ filters: [{ propertyName: "email", operator: "CONTAINS", value: "a" }] }] },
        { filterGroups: Array.from({ length: 6 }, () => ({ filters: [] })) },
        { query: "x".repeat(3000) },
        { properties: Array.from({ length: 200 }, () => "hs_lastmodifieddate") }
      ]) {
        yield* get(Failed, 400, "POST", "/crm/v3/objects/contacts/search", body)
      }
      yield* get(Failed, 400, "POST", "/crm/v3/objects/emails/search", {
        filterGroups: [{ filters: [{ propertyName: "hs_email_html", operator: "HAS_PROPERTY" }] }]
      })
    })
  )

  test(
    "choices are compared with regard to case, numbers by area code and local number, leads by whom they are on",
    Effect.gen(function* () {
      const { get, search, where } = yield* account
      const count = (...asked: Parameters<typeof where>) => Effect.map(where(...asked), ({ total = 0 }) => total)
      assert.isAbove(yield* count("deals", "pipeline", "EQ", { value: "default" }), 0)
      assert.strictEqual(yield* count("deals", "pipeline", "EQ", { value: "DEFAULT" }), 0)
      assert.strictEqual(yield* count("deals", "pipeline", "IN", { values: ["Default"] }), 0)
      assert.strictEqual(yield* count("deals", "pipeline", "CONTAINS_TOKEN", { value: "DEF*" }), 0)
      const [closed, lost, won] = yield* Effect.forEach(["", "_lost", "_won"], (end) =>
        count("deals", `hs_is_closed${end}`, "EQ", { value: "true" })
      )
      assert.strictEqual(closed, (lost ?? 0) + (won ?? 0))

      const make = (phone: string) =>
        Effect.map(
          get(Item, 201, "POST", "/crm/v3/objects/contacts", {
            properties: {
              phone,
              mobilephone: "00004",
              email: `a${phone.replace(/\D/g, "")}@zyx.example`,
              firstname: "Zyx"
            }
          }),
          ({ id }) => id
        )
      const id = yield* make("+44 (0)20 7946-0990")
      yield* make("n/a")
      const by = (property: string, operator: string, rest?: object) =>
        Effect.map(where("contacts", `hs_searchable_calculated_${property}`, operator, rest), ({ results }) =>
          results.map((one) => one.id)
        )
      assert.deepStrictEqual(yield* by("phone_number", "EQ", { value: "2079460990" }), [id])
      assert.deepStrictEqual(yield* by("phone_number", "CONTAINS_TOKEN", { value: "*460990" }), [id])
      assert.lengthOf(yield* by("mobile_number", "EQ", { value: "4" }), 2)

      yield* get(Item, 201, "POST", "/crm/v3/objects/leads", {
        properties: { hs_lead_name: "Of ours" },
        associations: [{ to: { id }, types: [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId: 578 }] }]
      })
      assert.strictEqual(yield* count("leads", "hs_associated_contact_firstname", "EQ", { value: "zyx" }), 1)
      assert.strictEqual((yield* search("leads", { query: "a4402079460990@zyx.example" })).total, 1)
    })
  )
})

describe("HubSpot simulator: associations", () => {
  test(
    "a link has a type id for each direction, and a contact one primary company",
    Effect.gen(function* () {
      const { get, links, send } = yield* account
      const contact = yield* get(Item, 201, "POST", "/crm/v3/objects/contacts", { properties: { firstname: "Ada" } })
      const companies = (yield* get(List, 200, "GET", "/crm/v3/objects/companies?limit=2")).results
      const [a, b] = companies.map(({ id }) => id)
      const ids = (from: string, id: string, to: string) =>
        Effect.map(links(from, id, to), (all) =>
          Object.fromEntries(all.map((one) => [one.toObjectId, one.associationTypes.map(({ typeId }) => typeId)]))
        )
      const base = `/crm/v4/objects/contacts/${contact.id}/associations`
      const Default = Schema.Struct({ results: Schema.Array(Schema.Struct({ associationSpec: Schema.Unknown })) })
      const made = yield* get(Default, 200, "PUT", `${base}/default/companies/${a}`)
      assert.deepStrictEqual(
        made.results.map(({ associationSpec }) => associationSpec),
        [labelled(279), labelled(280)]
      )
      assert.deepStrictEqual(yield* ids("contacts", contact.id, "companies"), { [`${a}`]: [1, 279] })
      assert.deepStrictEqual((yield* ids("companies", `${a}`, "contacts"))[contact.id], [2, 280])

      yield* get(Schema.Unknown, 201, "PUT", `${base}/companies/${b}`, [labelled(1)])
      assert.deepStrictEqual(yield* ids("contacts", contact.id, "companies"), {
        [`${a}`]: [279],
        [`${b}`]: [1, 279]
      })
      const read = `/crm/v3/objects/contacts/${contact.id}?properties=associatedcompanyid&associations=companies`
      const shown = yield* get(Item, 200, "GET", read)
      assert.strictEqual(shown.properties.associatedcompanyid, b)
      assert.sameDeepMembers(
        [...(shown.associations?.companies?.results ?? [])],
        [
          { id: `${a}`, type: "contact_to_company_unlabeled" },
          { id: `${b}`, type: "contact_to_company" },
          { id: `${b}`, type: "contact_to_company_unlabeled" }
        ]
      )

      assert.strictEqual((yield* send("DELETE", `${base}/companies/${b}`)).status, 204)
      assert.deepStrictEqual(yield* ids("contacts", contact.id, "companies"), { [`${a}`]: [279] })
      assert.notProperty(yield* ids("companies", `${b}`, "contacts"), contact.id)

      yield* get(Failed, 400, "PUT", `${base}/companies/${a}`, [labelled(2)])
      yield* get(Failed, 400, "PUT", `${base}/companies/${a}`, [labelled(4)])
      yield* get(Failed, 404, "PUT", `${base}/default/companies/1`)
    })
  )

  test(
    "an address of more than 8 kB is refused with a page, and a batch takes the same names",
    Effect.gen(function* () {
      const { first, send } = yield* account
      const { id } = yield* first("contacts")
      const names = Array.from({ length: 200 }, (_, i) => `a_property_that_a_customer_has_made_${i}`)
      const query = names.map((name) => `properties=${name}`).join("&")
      for (const path of [`/crm/v3/objects/contacts/${id}`, "/crm/v3/objects/contacts"]) {
        const long = yield* send("GET", `${path}?${query}`)
        assert.strictEqual(long.status, 414)
        assert.include(long.text, "<html>")
      }
      const body = { inputs: [{ id }], properties: names }
      assert.strictEqual((yield* send("POST", "/crm/v3/objects/contacts/batch/read", body)).status, 200)
    })
  )

  test(
    "an account has a time zone, with the offset of the moment",
    Effect.gen(function* () {
      const { get } = yield* account
      const Details = Schema.Struct({
        timeZone: Schema.String,
        utcOffset: Schema.String,
        utcOffsetMilliseconds: Schema.Int
      })
      const details = () => get(Details, 200, "GET", "/account-info/v3/details")
      const winter = { timeZone: "US/Eastern", utcOffset: "-05:00", utcOffsetMilliseconds: -18_000_000 }
      assert.deepStrictEqual(yield* details(), winter)
    })
  )

  test(
    "a label of the account's own has ids counted apart from HubSpot's, and is archived without its link",
    Effect.gen(function* () {
      const { first, get, links, send } = yield* account
      const contact = yield* get(Item, 201, "POST", "/crm/v3/objects/contacts", {
        properties: { lastname: "Labelled" }
      })
      const company = yield* first("companies")
      const between = "/crm/v4/associations/contacts/companies"
      const Kinds = Schema.Struct({ results: Schema.Array(Schema.Unknown) })
      const made = yield* get(Kinds, 200, "POST", `${between}/labels`, { label: "Payer", name: "payer" })
      const payer = { category: "USER_DEFINED", typeId: 1, label: "Payer" }
      assert.deepStrictEqual(made.results, [payer, { ...payer, typeId: 2 }])
      assert.deepInclude((yield* get(Kinds, 200, "GET", `${between}/labels`)).results, payer)
      const base = `/crm/v4/objects/contacts/${contact.id}/associations/companies/${company.id}`
      const own = { associationCategory: "USER_DEFINED", associationTypeId: 1 }
      yield* get(Schema.Unknown, 201, "PUT", base, [labelled(1), own])
      const kinds = () =>
        Effect.map(links("contacts", contact.id, "companies"), (all) => all.flatMap((one) => one.associationTypes))
      assert.deepInclude(yield* kinds(), payer)
      const inputs = [{ from: { id: contact.id }, to: { id: company.id }, types: [labelled(1)] }]
      assert.strictEqual((yield* send("POST", `${between}/batch/labels/archive`, { inputs })).status, 204)
      assert.deepStrictEqual(
        (yield* kinds()).map(({ category, typeId }) => `${category} ${typeId}`),
        ["HUBSPOT_DEFINED 279", "USER_DEFINED 1"]
      )
      const read = `/crm/v3/objects/contacts/${contact.id}?associations=companies`
      assert.deepStrictEqual(
        (yield* get(Item, 200, "GET", read)).associations?.companies?.results.map(({ type }) => type),
        ["contact_to_company_unlabeled", "payer"]
      )
      yield* get(Failed, 400, "PUT", base, [{ ...own, associationTypeId: 3 }])
    })
  )

  test(
    "a record is created with its links, or not at all",
    Effect.gen(function* () {
      const { first, get, links } = yield* account
      const deal = yield* first("deals")
      const contact = yield* first("contacts")
      const body = (id: string, typeId: number) => ({
        properties: { hs_note_body: "See you 🙂", hs_timestamp: "2026-11-21T10:00:00Z" },
        associations: [{ to: { id }, types: [labelled(typeId)] }]
      })
      const note = yield* get(Item, 201, "POST", "/crm/v3/objects/notes", body(deal.id, 214))
      assert.deepStrictEqual(
        (yield* links("notes", note.id, "deals")).map(({ toObjectId }) => toObjectId),
        [deal.id]
      )
      assert.include(
        (yield* links("deals", deal.id, "notes")).flatMap((one) =>
          one.toObjectId === note.id ? one.associationTypes.map(({ typeId }) => typeId) : []
        ),
        213
      )
      const before = (yield* get(List, 200, "POST", "/crm/v3/objects/notes/search", {})).total
      const broken = yield* get(Failed, 400, "POST", "/crm/v3/objects/notes", body("99", 214))
      assert.deepStrictEqual(broken.context, { INVALID_OBJECT_IDS: ["DEAL=99 is not valid"] })
      yield* get(Failed, 400, "POST", "/crm/v3/objects/notes", body(deal.id, 213))
      yield* get(Failed, 400, "POST", "/crm/v3/objects/leads", { properties: { hs_lead_name: "Nobody's" } })
      assert.strictEqual((yield* get(List, 200, "POST", "/crm/v3/objects/notes/search", {})).total, before)
      const lead = yield* get(Item, 201, "POST", "/crm/v3/objects/leads", {
        properties: { hs_lead_name: "Somebody's" },
        associations: [{ to: { id: contact.id }, types: [labelled(578)] }]
      })
      assert.deepStrictEqual(
        (yield* links("leads", lead.id, "contacts"))[0]?.associationTypes.map(({ typeId }) => typeId),
        [578, 608]
      )
    })
  )

  test(
    "a batch read says for which records there is none",
    Effect.gen(function* () {
      const { first, get } = yield* account
      const lonely = yield* get(Item, 201, "POST", "/crm/v3/objects/deals", { properties: { dealname: "Lonely" } })
      const deal = yield* first("deals")
      const Read = Schema.Struct({
        results: Schema.Array(Schema.Struct({ from: Schema.Struct({ id: Schema.String }), to: Schema.Array(Linked) })),
        errors: Schema.Array(Schema.Struct({ subCategory: Schema.String, context: Schema.Unknown }))
      })
      const read = yield* get(Read, 207, "POST", "/crm/v4/associations/deals/companies/batch/read", {
        inputs: [{ id: deal.id }, { id: lonely.id }]
      })
      assert.strictEqual(read.results[0]?.from.id, deal.id)
      assert.deepStrictEqual(
        read.results[0]?.to[0]?.associationTypes.map(({ label, typeId }) => [typeId, label]),
        [
          [5, "Deal with Primary Company"],
          [341, null]
        ]
      )
      assert.deepStrictEqual(read.errors, [
        {
          subCategory: "crm.associations.NO_ASSOCIATIONS_FOUND",
          context: { fromObjectId: [lonely.id], fromObjectType: ["deal"], toObjectType: ["company"] }
        }
      ])
    })
  )
})

describe("HubSpot simulator: settings and tokens", () => {
  test(
    "owners, pipelines and properties can be looked up",
    Effect.gen(function* () {
      const { get } = yield* account
      const Owners = Schema.Struct({
        results: Schema.Array(Schema.Struct({ id: Schema.String, archived: Schema.Boolean })),
        paging: Schema.optional(Paging)
      })
      const page = yield* get(Owners, 200, "GET", "/crm/v3/owners/?limit=3&archived=false")
      const last = yield* get(Owners, 200, "GET", `/crm/v3/owners?limit=3&after=${page.paging?.next.after}`)
      assert.strictEqual(page.results.length + last.results.length, 5)
      assert.isUndefined(last.paging)
      const gone = (yield* get(Owners, 200, "GET", "/crm/v3/owners?archived=true")).results
      assert.deepStrictEqual(
        gone.map(({ archived }) => archived),
        [true]
      )
      yield* get(Schema.Unknown, 200, "GET", `/crm/v3/owners/${gone[0]?.id}?archived=true`)
      yield* get(Failed, 404, "GET", `/crm/v3/owners/${gone[0]?.id}`)

      const Stage = Schema.Struct({ id: Schema.String, metadata: Schema.Struct({ isClosed: Schema.String }) })
      const Pipelines = Schema.Struct({
        results: Schema.Array(Schema.Struct({ id: Schema.String, stages: Schema.Array(Stage) }))
      })
      const pipelines = (yield* get(Pipelines, 200, "GET", "/crm/v3/pipelines/deals")).results
      assert.deepStrictEqual(
        pipelines.map(({ stages }) => stages.length),
        [7, 4]
      )
      yield* get(Stage, 200, "GET", "/crm/v3/pipelines/deals/default/stages/closedlost")

      const Definition = Schema.Struct({
        type: Schema.String,
        options: Schema.Array(Schema.Struct({ value: Schema.String }))
      })
      const industry = yield* get(Definition, 200, "GET", "/crm/v3/properties/companies/industry")
      assert.include(
        industry.options.map(({ value }) => value),
        "COMPUTER_SOFTWARE"
      )
      yield* get(Failed, 404, "GET", "/crm/v3/properties/companies/nonsense")
    })
  )

  test(
    "an access token lives for half an hour; the refresh token stays the same",
    Effect.gen(function* () {
      const { accessToken, get, http, refreshToken } = yield* account
      const form = (values: Record<string, string>, path = "/oauth/2026-03/token") =>
        Effect.gen(function* () {
          const request = HttpClientRequest.post(`https://api.hubapi.com${path}`).pipe(
            HttpClientRequest.bodyUrlParams(values)
          )
          const response = yield* http.execute(request)
          return { status: response.status, text: yield* response.text }
        })
      yield* get(List, 200, "GET", "/crm/v3/objects/contacts")
      yield* TestClock.adjust("31 minutes")
      const expired = yield* get(Failed, 401, "GET", "/crm/v3/objects/contacts")
      assert.strictEqual(expired.category, "EXPIRED_AUTHENTICATION")

      const values = {
        grant_type: "refresh_token",
        refresh_token: refreshToken,
        client_id: "tributary",
        client_secret: "not so secret"
      }
      const Refused = Schema.parseJson(Schema.Struct({ status: Schema.String }))
      for (const [without, status] of [
        ["client_id", "BAD_CLIENT_ID"],
        ["client_secret", "BAD_CLIENT_SECRET"],
        ["grant_type", "BAD_GRANT_TYPE"]
      ] as const) {
        const { text, ...answer } = yield* form({ ...values, [without]: "" })
        assert.strictEqual(answer.status, 400)
        assert.strictEqual((yield* Schema.decode(Refused)(text)).status, status)
      }
      const { text } = yield* form(values)
      const Tokens = Schema.Struct({
        access_token: Schema.String,
        refresh_token: Schema.String,
        expires_in: Schema.Int,
        token_type: Schema.Literal("bearer")
      })
      const issued = yield* Schema.decode(Schema.parseJson(Tokens))(text)
      assert.notStrictEqual(issued.access_token, accessToken)
      assert.strictEqual(issued.refresh_token, refreshToken)
      assert.strictEqual(issued.expires_in, 1800)
      yield* get(List, 200, "GET", "/crm/v3/objects/contacts", undefined, issued.access_token)
      yield* TestClock.adjust("10 minutes")
      const About = Schema.Struct({ hub_id: Schema.Int, expires_in: Schema.Int, token_type: Schema.String })
      const about = yield* get(About, 200, "GET", `/oauth/v1/access-tokens/${issued.access_token}`)
      assert.strictEqual(about.expires_in, 1200)

      // the version that ends gives the same, and its refresh tokens are good
      const old = yield* form(values, "/oauth/v1/token")
      assert.strictEqual((yield* Schema.decode(Schema.parseJson(Tokens))(old.text)).refresh_token, refreshToken)

      const { client_id, client_secret } = values
      const asked = (token: string) =>
        Effect.flatMap(form({ client_id, client_secret, token }, "/oauth/2026-03/token/introspect"), ({ text }) =>
          Schema.decode(Schema.parseJson(Introspected))(text)
        )
      const Introspected = Schema.Struct({
        active: Schema.Boolean,
        hub_id: Schema.optional(Schema.Int),
        token_use: Schema.optional(Schema.String)
      })
      const { hub_id } = about
      assert.deepStrictEqual(yield* asked(issued.access_token), { active: true, hub_id, token_use: "access_token" })
      assert.deepStrictEqual(yield* asked(refreshToken), { active: true, hub_id, token_use: "refresh_token" })
      assert.strictEqual((yield* form({ token: refreshToken }, "/oauth/2026-03/token/introspect")).status, 400)
      const revoked = yield* form({ client_id, client_secret, token: refreshToken }, "/oauth/2026-03/token/revoke")
      assert.strictEqual(revoked.status, 200)
      assert.deepStrictEqual(yield* asked(refreshToken), { active: false })
      assert.include((yield* form(values)).text, "BAD_REFRESH_TOKEN")
    })
  )

  test(
    "limits and faults speak as HubSpot does",
    Effect.gen(function* () {
      const { get, send } = yield* account
      const faults = yield* Faults
      const one = yield* send("GET", "/crm/v3/owners")
      const two = yield* send("GET", "/crm/v3/owners")
      assert.strictEqual(one.headers["x-hubspot-ratelimit-max"], "110")
      assert.strictEqual(one.headers["x-hubspot-ratelimit-remaining"], "109")
      assert.strictEqual(two.headers["x-hubspot-ratelimit-remaining"], "108")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* send("GET", "/crm/v3/owners")).headers["x-hubspot-ratelimit-remaining"], "109")

      yield* faults.add({ provider: "hubspot", does: { kind: "limit", retryAfter: 4 } })
      const limited = yield* send("GET", "/crm/v3/owners")
      assert.strictEqual(limited.status, 429)
      assert.strictEqual(limited.headers["x-hubspot-ratelimit-remaining"], "0")
      assert.include(limited.text, `"policyName":"TEN_SECONDLY_ROLLING"`)
      yield* faults.add({ provider: "hubspot", does: { kind: "status", status: 403 } })
      assert.strictEqual((yield* get(Failed, 403, "GET", "/crm/v3/owners")).category, "MISSING_SCOPES")
      yield* faults.add({ provider: "hubspot", does: { kind: "expire" } })
      assert.strictEqual((yield* get(Failed, 401, "GET", "/crm/v3/owners")).category, "EXPIRED_AUTHENTICATION")
    })
  )
})

describe("HubSpot simulator: sample data", () => {
  test(
    "a mid-size CRM, every value of which HubSpot would accept",
    Effect.gen(function* () {
      const { get, search } = yield* account
      const totals = yield* Effect.forEach(
        [
          "contacts",
          "companies",
          "deals",
          "leads",
          "notes",
          "tasks",
          "meetings",
          "calls",
          "emails",
          "communications",
          "appointments"
        ],
        (type) => Effect.map(search(type, {}), ({ total = 0 }) => total)
      )
      const [contacts = 0, companies = 0, deals = 0, ...others] = totals
      assert.isAtLeast(contacts, 260)
      assert.isAtLeast(companies, 60)
      assert.isAtLeast(deals, 80)
      // more than a page of our own
      for (const total of others) assert.isAbove(total, 25)

      const Definitions = Schema.Struct({
        results: Schema.Array(
          Schema.Struct({
            name: Schema.String,
            modificationMetadata: Schema.Struct({ readOnlyValue: Schema.Boolean })
          })
        )
      })
      for (const type of [
        "contacts",
        "companies",
        "deals",
        "leads",
        "notes",
        "tasks",
        "meetings",
        "calls",
        "emails",
        "communications",
        "appointments"
      ]) {
        const writable = (yield* get(Definitions, 200, "GET", `/crm/v3/properties/${type}`)).results.flatMap(
          ({ modificationMetadata, name }) => (modificationMetadata.readOnlyValue ? [] : [name])
        )
        const { results } = yield* search(type, { limit: 50, properties: writable })
        for (const { id, properties } of results) {
          const held = Object.fromEntries(
            Object.entries(properties).filter(([name, value]) => writable.includes(name) && value !== null)
          )
          yield* get(Item, 200, "PATCH", `/crm/v3/objects/${type}/${id}`, { properties: held })
        }
      }
    })
  )
})
