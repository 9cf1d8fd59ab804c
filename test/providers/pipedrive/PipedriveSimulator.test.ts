import { HttpClientRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema, TestClock } from "effect"
import { simulator } from "../../../src/providers/pipedrive/simulator/PipedriveSimulator.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { client, connect, type Method } from "../../../src/providers/simulation/Simulator.ts"

const world = Layer.mergeAll(SimulationStore.layerMemory, Faults.layer)

const Item = Schema.Record({ key: Schema.String, value: Schema.Unknown })
const One = Schema.Struct({ success: Schema.Literal(true), data: Item })
const Many = Schema.Struct({
  success: Schema.Literal(true),
  data: Schema.Array(Item),
  additional_data: Schema.optional(
    Schema.Struct({
      next_cursor: Schema.optional(Schema.NullOr(Schema.String)),
      pagination: Schema.optional(
        Schema.Struct({
          start: Schema.Int,
          limit: Schema.Int,
          more_items_in_collection: Schema.Boolean,
          next_start: Schema.optional(Schema.Int)
        })
      )
    })
  )
})
const Failed = Schema.Struct({
  success: Schema.Literal(false),
  error: Schema.String,
  error_info: Schema.optional(Schema.String),
  code: Schema.optional(Schema.String),
  errorCode: Schema.optional(Schema.Int),
  message: Schema.optional(Schema.String)
})
const Tokens = Schema.Struct({
  access_token: Schema.String,
  refresh_token: Schema.String,
  token_type: Schema.Literal("Bearer"),
  expires_in: Schema.Literal(3599),
  scope: Schema.String,
  api_domain: Schema.String
})

/** An account of its own, and requests to it. */
const account = Effect.gen(function* () {
  const http = yield* client(simulator)
  const tokens = yield* connect(simulator, "acme", 60 * 86_400)
  const send = (method: Method, path: string, body?: unknown, token = tokens.accessToken) =>
    Effect.gen(function* () {
      const bare = HttpClientRequest.make(method)(`https://acme-sandbox.pipedrive.com${path}`).pipe(
        HttpClientRequest.bearerToken(token)
      )
      const response = yield* http.execute(body === undefined ? bare : HttpClientRequest.bodyUnsafeJson(bare, body))
      return { status: response.status, headers: response.headers, text: yield* response.text }
    })
  /** A request that must answer with a status, and its body. */
  const get = <A, I>(schema: Schema.Schema<A, I>, status: number, method: Method, path: string, body?: unknown) =>
    Effect.gen(function* () {
      const answer = yield* send(method, path, body)
      assert.strictEqual(answer.status, status, answer.text)
      return yield* Schema.decode(Schema.parseJson(schema))(answer.text)
    })
  const one = (method: Method, path: string, body?: unknown) =>
    Effect.map(get(One, 200, method, path, body), ({ data }) => data)
  const many = (path: string) => Effect.map(get(Many, 200, "GET", path), ({ data }) => data)
  /** The error of a request that must be refused with 400. */
  const refused = (method: Method, path: string, body?: unknown) => get(Failed, 400, method, path, body)
  /** Every record of a list of API v2. */
  const walk = (path: string) =>
    Effect.gen(function* () {
      const found: Array<typeof Item.Type> = []
      let cursor: string | null | undefined = ""
      while (typeof cursor === "string") {
        const separator = path.includes("?") ? "&" : "?"
        const next: string = cursor === "" ? path : `${path}${separator}cursor=${cursor}`
        const page: typeof Many.Type = yield* get(Many, 200, "GET", next)
        found.push(...page.data)
        cursor = page.additional_data?.next_cursor
      }
      return found
    })
  const first = (path: string) =>
    Effect.flatMap(many(path), ([found]) =>
      found === undefined ? Effect.dieMessage(`nothing under ${path}`) : Effect.succeed(found)
    )
  /** The key of a custom field. */
  const keyOf = (fields: string, name: string) =>
    Effect.flatMap(many(`/api/v2/${fields}?limit=500`), (all) => {
      const field = all.find(({ field_name }) => field_name === name)
      return field === undefined ? Effect.dieMessage(`no field ${name}`) : Effect.succeed(String(field.field_code))
    })
  return { ...tokens, http, send, get, one, many, refused, walk, first, keyOf }
})

const test = <E>(name: string, effect: Effect.Effect<void, E, SimulationStore | Faults>) =>
  it.effect(name, () => Effect.zipRight(TestClock.setTime(Date.UTC(2026, 10, 21)), effect).pipe(Effect.provide(world)))

const persons = "/api/v2/persons"
const organizations = "/api/v2/organizations"
const deals = "/api/v2/deals"
const activities = "/api/v2/activities"

describe("Pipedrive simulator: merging", () => {
  test(
    "a person that is merged is removed; the other keeps what it has, takes what it has not, and what hung on it",
    Effect.gen(function* () {
      const { get, many, one, walk } = yield* account
      const kept = yield* one("POST", persons, {
        name: "Ann Vale",
        emails: [{ value: "ann@vale.example", primary: true }]
      })
      const gone = yield* one("POST", persons, {
        name: "A. Vale",
        job_title: "Buyer",
        emails: [{ value: "a@vale.example" }]
      })
      const deal = yield* one("POST", deals, { title: "Desks", person_id: gone.id })
      const call = yield* one("POST", activities, {
        subject: "Call",
        participants: [
          { person_id: gone.id, primary: true },
          { person_id: kept.id, primary: false }
        ]
      })
      const note = yield* one("POST", "/v1/notes", { content: "Met her", person_id: gone.id })
      const lead = yield* get(One, 200, "POST", "/v1/leads", { title: "Chairs", person_id: gone.id })

      const merged = yield* one("PUT", `/v1/persons/${String(gone.id)}/merge`, { merge_with_id: kept.id })
      assert.deepInclude(merged, { id: kept.id, name: "Ann Vale", job_title: "Buyer", merge_what_id: gone.id })
      const person = yield* one("GET", `${persons}/${String(kept.id)}`)
      assert.deepInclude(person, { name: "Ann Vale", job_title: "Buyer", emails: kept.emails, is_deleted: false })
      assert.deepInclude(yield* one("GET", `${persons}/${String(gone.id)}`), { is_deleted: true })
      assert.isFalse((yield* walk(`${persons}?limit=500`)).some(({ id }) => id === gone.id))
      assert.strictEqual((yield* one("GET", `${deals}/${String(deal.id)}`)).person_id, kept.id)
      assert.strictEqual((yield* one("GET", `/v1/notes/${String(note.id)}`)).person_id, kept.id)
      assert.strictEqual((yield* one("GET", `/v1/leads/${String(lead.data.id)}`)).person_id, kept.id)
      const { participants, person_id } = yield* one("GET", `${activities}/${String(call.id)}`)
      assert.deepStrictEqual(
        { participants, person_id },
        { participants: [{ person_id: kept.id, primary: true }], person_id: kept.id }
      )
      assert.isEmpty(yield* many(`${deals}?person_id=${String(gone.id)}`))
    })
  )

  test(
    "so are deals and organizations; what cannot be merged is refused",
    Effect.gen(function* () {
      const { get, one, refused } = yield* account
      const made = (path: string, body: object) => Effect.map(one("POST", path, body), ({ id }) => id)
      const [kept, gone] = [
        yield* made(organizations, { name: "Vale" }),
        yield* made(organizations, { name: "Vale Ltd", website: "https://vale.example" })
      ]
      const person = yield* made(persons, { name: "Ann Vale", org_id: gone })
      assert.deepStrictEqual(
        yield* one("PUT", `/api/v1/organizations/${String(gone)}/merge`, { merge_with_id: kept }),
        {
          id: kept
        }
      )
      assert.strictEqual((yield* one("GET", `${persons}/${String(person)}`)).org_id, kept)
      assert.deepInclude(yield* one("GET", `${organizations}/${String(kept)}`), {
        name: "Vale",
        website: "https://vale.example"
      })
      const [first, second] = [
        yield* made(deals, { title: "Desks", value: 10 }),
        yield* made(deals, { title: "More desks", value: 20, org_id: kept })
      ]
      const path = `/v1/deals/${String(second)}/merge`
      const merged = yield* one("PUT", path, { merge_with_id: first })
      assert.deepInclude(merged, { id: first, title: "Desks", value: 10, org_id: kept, merge_what_id: second })
      assert.strictEqual((yield* one("GET", `${deals}/${String(second)}`)).is_deleted, true)

      yield* get(Failed, 404, "PUT", path, { merge_with_id: first })
      yield* get(Failed, 404, "PUT", `/v1/deals/${String(first)}/merge`, { merge_with_id: second })
      for (const body of [{}, { merge_with_id: "1" }, { merge_with_id: first }, { merge_with_id: first, keep: true }]) {
        const { error } = yield* refused("PUT", `/v1/deals/${String(first)}/merge`, body)
        assert.match(error, /merge_with_id|keep/)
      }
    })
  )
})

describe("Pipedrive simulator: lists", () => {
  test(
    "the sample company is whole",
    Effect.gen(function* () {
      const { get, many, walk } = yield* account
      const counts = {
        persons: (yield* walk(`${persons}?limit=500`)).length,
        organizations: (yield* walk(organizations)).length,
        deals: (yield* walk(deals)).length,
        archivedDeals: (yield* walk(`${deals}/archived`)).length,
        activities: (yield* walk(`${activities}?limit=77`)).length,
        leads: (yield* many("/v1/leads?limit=500")).length,
        archivedLeads: (yield* many("/v1/leads/archived")).length,
        notes: (yield* many("/api/v1/notes?limit=500")).length
      }
      assert.deepStrictEqual(counts, {
        persons: 270,
        organizations: 60,
        deals: 260,
        archivedDeals: 4,
        activities: 280,
        leads: 66,
        archivedLeads: 6,
        notes: 160
      })
      const all = yield* walk(`${deals}?limit=500`)
      assert.deepStrictEqual(new Set(all.map(({ pipeline_id }) => pipeline_id)), new Set([1, 4]))
      assert.deepStrictEqual(new Set(all.map(({ status }) => status)), new Set(["lost", "open", "won"]))
      assert.strictEqual(new Set((yield* walk(`${activities}?limit=500`)).map(({ type }) => type)).size, 7)
      const page = yield* get(Many, 200, "GET", `${persons}?limit=100`)
      assert.strictEqual(page.data.length, 100)
    })
  )

  test(
    "a walk returns every record once although records come and go meanwhile, and at each page's start",
    Effect.gen(function* () {
      const { get, send } = yield* account
      const seen: Array<unknown> = []
      let path = `${persons}?limit=50`
      while (path !== "") {
        const page: typeof Many.Type = yield* get(Many, 200, "GET", path)
        seen.push(...page.data.map(({ id }) => id))
        // the record that the cursor names is deleted before the next page is asked for
        const next = page.additional_data?.next_cursor ?? undefined
        yield* send("DELETE", `${persons}/${String(seen.at(-1))}`)
        yield* send("DELETE", `${persons}/${String(seen[0])}`)
        if (next !== undefined && seen.length === 50) {
          const { data } = yield* get(Many, 200, "GET", `${persons}?limit=1&cursor=${next}`)
          yield* send("DELETE", `${persons}/${String(data[0]?.id)}`)
        }
        path = next === undefined ? "" : `${persons}?limit=50&cursor=${next}`
      }
      assert.strictEqual(seen.length, 269)
      assert.strictEqual(new Set(seen).size, 269)
    })
  )

  test(
    "lists sort by one field, filter, and answer asked-for ids",
    Effect.gen(function* () {
      const { first, many, refused, walk } = yield* account
      const latest = (yield* walk(`${deals}?sort_by=update_time&sort_direction=desc&limit=60`)).map(({ update_time }) =>
        String(update_time)
      )
      assert.deepStrictEqual(latest, [...latest].sort().toReversed())
      assert.match(latest[0] ?? "", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)

      const since = latest[20] ?? ""
      const changed = yield* walk(`${deals}?updated_since=${since}&limit=500`)
      assert.strictEqual(changed.length, latest.filter((time) => time >= since).length)
      const before = yield* walk(`${deals}?updated_until=${since}&limit=500`)
      assert.strictEqual(changed.length + before.length, 260)

      const firm = yield* first(`${organizations}?limit=1`)
      const people = yield* walk(`${persons}?org_id=${String(firm.id)}`)
      assert.isAbove(people.length, 0)
      assert.isTrue(people.every(({ org_id }) => org_id === firm.id))
      const ids = people.map(({ id }) => id)
      assert.deepStrictEqual(
        (yield* many(`${persons}?ids=${[...ids, 999_999].join(",")}`)).map(({ id }) => id),
        ids
      )
      const won = yield* walk(`${deals}?status=won,lost&pipeline_id=4&limit=500`)
      assert.isTrue(won.every(({ pipeline_id, status }) => pipeline_id === 4 && status !== "open"))

      for (const query of ["limit=0", "limit=501", "limit=x", "sort_by=name", "sort_direction=up", "cursor=nonsense"]) {
        assert.strictEqual((yield* refused("GET", `${persons}?${query}`)).code, "ERR_SCHEMA_VALIDATION_FAILED", query)
      }
      const fractional = yield* refused("GET", `${persons}?updated_since=2026-01-01T00:00:00.000Z`)
      assert.strictEqual(fractional.error, "Validation failed: updated_since: This value is not a valid datetime.")
      const start = yield* refused("GET", `${persons}?start=100`)
      assert.strictEqual(start.error, "Validation failed: start: Parameter 'start' is not allowed for this request")
    })
  )

  test(
    "answers are as wide as they are asked to be",
    Effect.gen(function* () {
      const { first, keyOf, one, refused } = yield* account
      const tier = yield* keyOf("personFields", "Loyalty tier")
      const plain = yield* first(`${persons}?limit=1`)
      assert.property(plain, "custom_fields")
      assert.notProperty(plain, "notes_count")
      const path = `${persons}/${String(plain.id)}`
      const wide = yield* one("GET", `${path}?include_fields=open_deals_count,notes_count&include_labels=true`)
      assert.isNumber(wide.open_deals_count)
      assert.isNumber(wide.notes_count)
      assert.deepStrictEqual(wide.labels, [{ id: 51, label: "Customer" }])
      yield* one("PATCH", path, { custom_fields: { [tier]: 103 } })
      const narrow = yield* one("GET", `${path}?custom_fields=${tier}&include_option_labels=true`)
      assert.deepStrictEqual(narrow.custom_fields, { [tier]: { id: 103, label: "Gold" } })
      yield* refused("GET", `${path}?include_fields=everything`)
      const keys = Array.from({ length: 16 }, (_, index) => String(index)).join(",")
      yield* refused("GET", `${path}?custom_fields=${keys}`)
    })
  )
})

describe("Pipedrive simulator: persons and organizations", () => {
  test(
    "a person is made, changed in part, cleared and deleted",
    Effect.gen(function* () {
      const { first, get, one, send } = yield* account
      const firm = yield* first(`${organizations}?limit=1`)
      const made = yield* one("POST", persons, {
        name: "Ana Lúcia 🪵 Prado",
        org_id: firm.id,
        emails: [{ value: "ana@prado.example" }, { value: "ap@prado.example", label: "home" }],
        phones: [
          { value: "+55 11 2000-0101", primary: false },
          { value: "+55 11 2000-0102", primary: true }
        ],
        job_title: "Diretora",
        postal_address: { value: "Rua da Consolação 10, São Paulo", locality: "São Paulo" }
      })
      assert.strictEqual(made.first_name, "Ana Lúcia 🪵")
      assert.strictEqual(made.last_name, "Prado")
      assert.strictEqual(made.add_time, "2026-11-21T00:00:00Z")
      assert.deepStrictEqual(made.emails, [
        { value: "ana@prado.example", primary: true, label: "work" },
        { value: "ap@prado.example", primary: false, label: "home" }
      ])
      assert.strictEqual(made.visible_to, 3)
      assert.isFalse(made.is_deleted)

      yield* TestClock.adjust("1 minute")
      const path = `${persons}/${String(made.id)}`
      const changed = yield* one("PATCH", path, { org_id: null, job_title: null, postal_address: null, phones: [] })
      assert.strictEqual(changed.name, "Ana Lúcia 🪵 Prado")
      assert.deepStrictEqual(
        [changed.org_id, changed.job_title, changed.postal_address, changed.phones, changed.update_time],
        [null, null, null, [], "2026-11-21T00:01:00Z"]
      )
      const renamed = yield* one("PATCH", path, { first_name: "Ana", last_name: "" })
      assert.deepStrictEqual([renamed.name, renamed.first_name, renamed.last_name], ["Ana", "Ana", ""])

      assert.deepStrictEqual(yield* one("DELETE", path), { id: made.id })
      assert.isTrue((yield* one("GET", path)).is_deleted)
      assert.strictEqual((yield* send("DELETE", path)).status, 404)
      assert.strictEqual((yield* send("PATCH", path, { name: "x" })).status, 404)
      yield* TestClock.adjust("29 days")
      assert.isTrue((yield* one("GET", path)).is_deleted)
      yield* TestClock.adjust("1 day")
      const { error, error_info: info } = yield* get(Failed, 404, "GET", path)
      assert.deepStrictEqual([error, info], ["Entity was not found", "Object was not found."])
    })
  )

  test(
    "everything that is wrong with a body is named at once",
    Effect.gen(function* () {
      const { refused } = yield* account
      const { code, error } = yield* refused("POST", persons, {
        name: " ",
        owner_id: "13905118",
        org_id: 999_999,
        emails: [
          { value: "a@b.example", primary: true },
          { value: "c@d.example", primary: true }
        ],
        phones: "+44",
        birthday: "1990-02-30",
        label_ids: [4],
        visible_to: "3",
        nickname: "x",
        custom_fields: { deadbeef: 1 }
      })
      assert.strictEqual(code, "ERR_SCHEMA_VALIDATION_FAILED")
      assert.deepStrictEqual(error.replace("Validation failed: ", "").split("; "), [
        "name: This value is not allowed to be empty.",
        "owner_id: This value must be a number.",
        "org_id: This value was not found.",
        "emails: This value must have at most one primary value.",
        "phones: This value must be an array.",
        "birthday: This value must be in YYYY-MM-DD format.",
        "label_ids: This value has no option 4.",
        "visible_to: This value must be one of [1, 3, 5, 7].",
        "nickname: Parameter 'nickname' is not allowed for this request",
        "custom_fields.deadbeef: Parameter 'custom_fields.deadbeef' is not allowed for this request"
      ])
      assert.strictEqual(
        (yield* refused("POST", organizations, { website: "https://x.example" })).error,
        "Validation failed: name: This value is required."
      )
      yield* refused("POST", persons, { first_name: "Only" })
      yield* refused("POST", persons, { first_name: "", last_name: "" })
      yield* refused("POST", persons, { name: "x".repeat(256) })
      yield* refused("POST", persons, { name: null })
      yield* refused("POST", persons, ["no object"])
      yield* refused("PATCH", `${persons}/1`, "{")
    })
  )

  test(
    "custom fields of every kind keep their form; null clears, an empty set is refused",
    Effect.gen(function* () {
      const { keyOf, one, refused } = yield* account
      const key = (name: string) => keyOf("organizationFields", name)
      const [vat, delivery, credit, hours, days, parent] = yield* Effect.all([
        key("VAT number"),
        key("Delivery address"),
        key("Credit limit"),
        key("Opening hours"),
        key("Delivery days"),
        key("Parent organization")
      ])
      const top = yield* one("POST", organizations, { name: "Holding" })
      const made = yield* one("POST", organizations, {
        name: "Daughter",
        address: { value: "1 Wharf Lane, Leeds", country: "United Kingdom" },
        industry: 3,
        employee_count: 12,
        custom_fields: {
          [vat]: "GB1",
          [delivery]: { value: "2 Wharf Lane" },
          [credit]: { value: 2300, currency: "EUR" },
          [hours]: { value: "09:00", until: "17:30:00", timezone_name: "Europe/London" },
          [days]: [121, 125],
          [parent]: top.id
        }
      })
      const part = {
        street_number: null,
        route: null,
        subpremise: null,
        sublocality: null,
        locality: null,
        admin_area_level_1: null,
        admin_area_level_2: null,
        country: null,
        postal_code: null,
        formatted_address: null
      }
      assert.deepStrictEqual(made.address, { value: "1 Wharf Lane, Leeds", ...part, country: "United Kingdom" })
      assert.deepStrictEqual(made.custom_fields, {
        [vat]: "GB1",
        [delivery]: { value: "2 Wharf Lane", ...part },
        [credit]: { value: 2300, currency: "EUR" },
        [hours]: { value: "09:00:00", until: "17:30:00", timezone_id: null, timezone_name: "Europe/London" },
        [days]: [121, 125],
        [parent]: top.id
      })
      const path = `${organizations}/${String(made.id)}`
      const changed = yield* one("PATCH", path, { custom_fields: { [days]: null, [vat]: "GB2" } })
      assert.deepInclude(changed.custom_fields, { [days]: null, [vat]: "GB2", [parent]: top.id })
      for (const [field, value] of [
        [days, []],
        [days, [7]],
        [credit, 2300],
        [credit, { value: 1 }],
        [credit, { value: 1, currency: "XXX" }],
        [delivery, { locality: "Leeds" }],
        [hours, { value: "25:00", until: "26:00" }],
        [parent, 1]
      ] as const) {
        const { error } = yield* refused("PATCH", path, { custom_fields: { [field]: value } })
        assert.include(error, `custom_fields.${field}: `)
      }
    })
  )
})

describe("Pipedrive simulator: deals", () => {
  test(
    "stage and pipeline go together; a new deal is open, worth nothing and in the first stage",
    Effect.gen(function* () {
      const { one, refused } = yield* account
      const made = yield* one("POST", deals, { title: "Desks" })
      assert.deepInclude(made, {
        stage_id: 1,
        pipeline_id: 1,
        status: "open",
        value: 0,
        currency: "EUR",
        owner_id: 13_905_118
      })
      const path = `${deals}/${String(made.id)}`
      assert.deepInclude(yield* one("PATCH", path, { pipeline_id: 4 }), { pipeline_id: 4, stage_id: 17 })
      yield* TestClock.adjust("1 minute")
      const moved = yield* one("PATCH", path, { stage_id: 18 })
      assert.deepInclude(moved, { pipeline_id: 4, stage_id: 18, stage_change_time: "2026-11-21T00:01:00Z" })
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* one("PATCH", path, { pipeline_id: 4, value: 12.5 }), {
        stage_id: 18,
        stage_change_time: "2026-11-21T00:01:00Z",
        value: 12.5
      })
      assert.deepInclude(yield* one("PATCH", path, { value: null }), { value: 0 })
      yield* refused("PATCH", path, { stage_id: 2, pipeline_id: 4 })
      yield* refused("PATCH", path, { stage_id: 99 })
      yield* refused("PATCH", path, { pipeline_id: 99 })
      yield* refused("PATCH", path, { currency: "XXX" })
      yield* refused("PATCH", path, { probability: 101 })
      yield* refused("POST", deals, { title: "" })
      yield* refused("POST", deals, { value: 1 })
    })
  )

  test(
    "what is said of won and lost deals follows the status",
    Effect.gen(function* () {
      const { one, refused } = yield* account
      const made = yield* one("POST", deals, { title: "Chairs", status: "won", won_time: "2026-10-01T10:00:00Z" })
      assert.deepInclude(made, {
        won_time: "2026-10-01T10:00:00Z",
        close_time: "2026-10-01T10:00:00Z",
        local_won_date: "2026-10-01",
        lost_time: null
      })
      const path = `${deals}/${String(made.id)}`
      yield* refused("PATCH", path, { lost_reason: "Price" })
      yield* refused("PATCH", path, { status: "deleted" })
      const lost = yield* one("PATCH", path, { status: "lost", lost_reason: "Price" })
      assert.deepInclude(lost, {
        status: "lost",
        won_time: null,
        lost_time: "2026-11-21T00:00:00Z",
        lost_reason: "Price"
      })
      const open = yield* one("PATCH", path, { status: "open" })
      assert.deepInclude(open, { lost_time: null, close_time: null, lost_reason: null, local_close_date: null })
      yield* refused("PATCH", path, { close_time: "2026-10-01T10:00:00Z" })
    })
  )

  test(
    "archived deals are listed apart and not edited; deleted ones are listed by their status and come back",
    Effect.gen(function* () {
      const { first, one, refused, walk } = yield* account
      const archived = yield* first(`${deals}/archived`)
      const path = `${deals}/${String(archived.id)}`
      assert.isTrue((yield* one("GET", path)).is_archived)
      yield* refused("PATCH", path, { title: "Edited" })
      assert.deepInclude(yield* one("PATCH", path, { is_archived: false, title: "Edited" }), {
        is_archived: false,
        archive_time: null,
        title: "Edited"
      })
      yield* refused("PATCH", path, { is_deleted: true })
      yield* one("DELETE", path)
      assert.deepStrictEqual(
        (yield* walk(`${deals}?status=deleted`)).map(({ id }) => id),
        [archived.id]
      )
      assert.notInclude(
        (yield* walk(`${deals}?limit=500`)).map(({ id }) => id),
        archived.id
      )
      assert.isFalse((yield* one("PATCH", path, { is_deleted: false })).is_deleted)
    })
  )
})

describe("Pipedrive simulator: activities", () => {
  test(
    "the primary participant is the person; times have seconds; done has its time",
    Effect.gen(function* () {
      const { first, many, one, refused } = yield* account
      const [a, b] = yield* many(`${persons}?limit=2`)
      const made = yield* one("POST", activities, {
        type: "meeting",
        due_date: "2026-12-01",
        due_time: "09:30",
        duration: "01:15",
        participants: [{ person_id: a?.id }, { person_id: b?.id, primary: true }],
        attendees: [{ email: "guest@x.example" }],
        location: { value: "Showroom" }
      })
      assert.deepInclude(made, {
        subject: "Meeting",
        due_time: "09:30:00",
        duration: "01:15:00",
        person_id: b?.id,
        done: false,
        marked_as_done_time: null
      })
      assert.deepStrictEqual(made.participants, [
        { person_id: a?.id, primary: false },
        { person_id: b?.id, primary: true }
      ])
      assert.notProperty(made, "attendees")
      const path = `${activities}/${String(made.id)}`
      const wide = yield* one("GET", `${path}?include_fields=attendees`)
      assert.lengthOf(Array.isArray(wide.attendees) ? wide.attendees : [], 1)
      yield* TestClock.adjust("1 minute")
      const done = yield* one("PATCH", path, { done: true, participants: [] })
      assert.deepInclude(done, { marked_as_done_time: "2026-11-21T00:01:00Z", person_id: null })
      yield* TestClock.adjust("1 minute")
      assert.deepInclude(yield* one("PATCH", path, { subject: "Moved" }), {
        marked_as_done_time: "2026-11-21T00:01:00Z"
      })
      assert.deepInclude(yield* one("PATCH", path, { done: false }), { marked_as_done_time: null })
      assert.strictEqual((yield* one("POST", activities, {})).type, "call")

      assert.deepInclude(yield* refused("POST", activities, { person_id: a?.id }), {
        error:
          "'person_id' is a read-only field. Add a primary participant to set 'person_id' instead. " +
          'For example: "participants": [{ "person_id": 1, "primary": true }]',
        code: "ERR_BAD_REQUEST"
      })
      assert.strictEqual(
        (yield* refused("POST", activities, { due_time: "24:00" })).error,
        "Validation failed: due_time: This value is not a valid datetime."
      )
      yield* refused("POST", activities, { type: "party" })
      yield* refused("POST", activities, { done: 1 })
      yield* refused("POST", activities, { lead_id: "adf21080-0e10-11eb-879b-05d71fb426ec" })
      yield* refused("POST", activities, { custom_fields: {} })
      const lead = yield* first("/v1/leads?limit=1")
      const onLead = yield* one("POST", activities, { lead_id: lead.id })
      assert.deepStrictEqual((yield* many(`${activities}?lead_id=${String(lead.id)}`)).at(-1)?.id, onLead.id)
    })
  )
})

describe("Pipedrive simulator: leads", () => {
  test(
    "a lead is made, changed, archived and deleted; custom fields are in the form of API v1",
    Effect.gen(function* () {
      const { first, get, keyOf, many, one, send } = yield* account
      const [budget, lines, rival] = yield* Effect.all([
        keyOf("dealFields", "Freight budget"),
        keyOf("dealFields", "Product lines"),
        keyOf("dealFields", "Competitor")
      ])
      const person = yield* first(`${persons}?limit=1`)
      const { data: made } = yield* get(One, 200, "POST", "/v1/leads", {
        title: "Shelves",
        person_id: person.id,
        value: { amount: 999, currency: "USD" },
        [budget]: 12.5,
        [`${budget}_currency`]: "EUR",
        [lines]: "141,144",
        [rival]: "132"
      })
      assert.deepInclude(made, {
        organization_id: null,
        source_name: "API",
        origin: "API",
        visible_to: "3",
        add_time: "2026-11-21T00:00:00.000Z",
        [budget]: 12.5,
        [`${budget}_currency`]: "EUR",
        [lines]: "141,144",
        [rival]: "132"
      })
      assert.match(String(made.id), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      const path = `/v1/leads/${String(made.id)}`
      const changed = yield* one("PATCH", path, { value: null, [lines]: null, is_archived: true })
      assert.isNull(changed.value)
      assert.notProperty(changed, lines)
      assert.include(
        (yield* many("/v1/leads/archived?limit=500")).map(({ id }) => id),
        made.id
      )
      assert.notInclude(
        (yield* many("/v1/leads?limit=500")).map(({ id }) => id),
        made.id
      )
      assert.deepStrictEqual(yield* one("DELETE", path), { id: made.id })
      const gone = yield* get(Failed, 404, "GET", path)
      assert.strictEqual(gone.error, "requested lead not found")
      assert.strictEqual((yield* send("DELETE", path)).status, 404)
    })
  )

  test(
    "what is wrong with a lead stands in error_info",
    Effect.gen(function* () {
      const { first, keyOf, refused } = yield* account
      const person = yield* first(`${persons}?limit=1`)
      const info = (body: unknown) =>
        Effect.map(refused("POST", "/v1/leads", body), ({ error, error_info }) => {
          assert.strictEqual(error, "provided dataset is not valid")
          return error_info
        })
      assert.strictEqual(
        yield* info({ title: "x", person_id: person.id, owner_id: "1" }),
        '"owner_id" must be a number'
      )
      assert.strictEqual(yield* info({ person_id: person.id }), '"title" is required')
      assert.strictEqual(
        yield* info({ title: "x", person_id: 999_999, stage: 1 }),
        '"person_id" was not found. "stage" is not allowed'
      )
      assert.strictEqual(yield* info({ title: "x" }), "A lead must be linked to a person or an organization")
      yield* info({ title: "x", person_id: person.id, value: { amount: 1 } })
      yield* info({ title: "x", person_id: person.id, is_archived: true })
      yield* info({ title: "x", person_id: person.id, label_ids: ["hot"] })
      const budget = yield* keyOf("dealFields", "Freight budget")
      const beside = { title: "x", person_id: person.id, [`${budget}_currency`]: "EUR" }
      assert.strictEqual(yield* info(beside), `"${budget}_currency" is not allowed`)
      yield* info({ ...beside, [budget]: "much" })
    })
  )

  test(
    "pages of API v1 are cut by position",
    Effect.gen(function* () {
      const { get, many, refused } = yield* account
      const pageOf = (path: string) => Effect.map(get(Many, 200, "GET", path), (page) => page.additional_data)
      assert.deepStrictEqual(yield* pageOf("/api/v1/leads?start=60&limit=5"), {
        pagination: { start: 60, limit: 5, more_items_in_collection: true, next_start: 65 }
      })
      assert.deepStrictEqual(yield* pageOf("/api/v1/leads?start=65&limit=5"), {
        pagination: { start: 65, limit: 5, more_items_in_collection: false }
      })
      assert.deepStrictEqual(yield* pageOf("/v1/notes?limit=150"), {
        pagination: { start: 0, limit: 150, more_items_in_collection: true, next_start: 150 }
      })
      assert.deepStrictEqual(yield* pageOf("/v1/notes?start=150&limit=10"), {
        pagination: { start: 150, limit: 10, more_items_in_collection: false }
      })
      const times = (yield* many("/v1/leads?limit=500")).map(({ add_time }) => String(add_time))
      assert.deepStrictEqual(times, [...times].sort())
      const titles = (yield* many("/v1/leads?limit=500&sort=title DESC")).map(({ title }) => String(title))
      assert.deepStrictEqual(titles, [...titles].sort().toReversed())
      const seen = (yield* many("/v1/leads?limit=500&sort=was_seen,title")).map(({ was_seen }) => was_seen)
      assert.deepStrictEqual(new Set(seen.slice(0, seen.indexOf(true))), new Set([false]))
      yield* refused("GET", "/v1/leads?sort=colour")
      yield* refused("GET", "/v1/leads?sort=title UP")
      const since = times[40] ?? ""
      const found = yield* many(`/v1/leads?limit=500&updated_since=${since.slice(0, 19)}Z`)
      assert.isTrue(found.length > 0 && found.every(({ update_time }) => String(update_time) >= since.slice(0, 19)))
    })
  )
})

describe("Pipedrive simulator: notes", () => {
  test(
    "a note hangs on something, is changed by PUT and stays readable when it is deleted",
    Effect.gen(function* () {
      const { first, get, many, one, refused, send } = yield* account
      const deal = yield* first(`${deals}?limit=1`)
      const made = yield* one("POST", "/v1/notes", {
        content: "<p>Hello<script>alert(1)</script> 🪵</p>",
        deal_id: deal.id,
        pinned_to_deal_flag: 1,
        add_time: "2026-01-02 03:04:05"
      })
      assert.deepInclude(made, {
        content: "<p>Hello 🪵</p>",
        active_flag: true,
        add_time: "2026-01-02 03:04:05",
        update_time: "2026-11-21 00:00:00",
        pinned_to_deal_flag: true,
        deal_id: deal.id,
        person_id: null,
        person: null
      })
      assert.deepStrictEqual(made.deal, { title: deal.title })
      const path = `/v1/notes/${String(made.id)}`
      assert.strictEqual((yield* one("PUT", path, { content: "Changed" })).content, "Changed")
      assert.strictEqual((yield* refused("PUT", path, { deal_id: null })).error, "deal_id must not be null.")
      const on = yield* many(`/v1/notes?deal_id=${String(deal.id)}&sort=id DESC`)
      assert.strictEqual(on[0]?.id, made.id)

      const deleted = yield* get(
        Schema.Struct({ success: Schema.Literal(true), data: Schema.Literal(true) }),
        200,
        "DELETE",
        path
      )
      assert.isTrue(deleted.data)
      assert.isFalse((yield* one("GET", path)).active_flag)
      assert.notInclude(
        (yield* many(`/v1/notes?deal_id=${String(deal.id)}`)).map(({ id }) => id),
        made.id
      )
      assert.strictEqual((yield* send("PUT", path, { content: "x" })).status, 404)
      assert.strictEqual((yield* send("GET", "/v1/notes/999999")).status, 404)

      assert.strictEqual((yield* refused("POST", "/v1/notes", { deal_id: deal.id })).error, "Content must be given.")
      assert.include((yield* refused("POST", "/v1/notes", { content: "x" })).error, "must be given")
      yield* refused("POST", "/v1/notes", { content: "x", deal_id: 999_999 })
      yield* refused("POST", "/v1/notes", { content: "x", deal_id: deal.id, colour: "red" })
      yield* refused("POST", "/v1/notes", { content: "x", deal_id: deal.id, add_time: "2026-01-02T03:04:05Z" })
    })
  )
})

describe("Pipedrive simulator: settings", () => {
  test(
    "users, pipelines, stages and lists",
    Effect.gen(function* () {
      const { get, many, one } = yield* account
      const users = yield* many("/v1/users")
      assert.lengthOf(users, 6)
      assert.deepInclude(users.at(-1), { active_flag: false })
      const me = yield* one("GET", "/v1/users/me")
      assert.isTrue(me.is_you)
      assert.strictEqual(me.company_domain, "fernhill-supply")
      assert.strictEqual((yield* one("GET", `/v1/users/${String(me.id)}`)).name, "Marguerite Delacroix")
      assert.strictEqual((yield* get(Failed, 404, "GET", "/v1/users/5")).error, "User not found or not accessible.")
      assert.lengthOf(yield* many("/v1/users/find?term=brooks"), 1)
      assert.deepStrictEqual(
        (yield* many("/api/v2/pipelines")).map(({ name }) => name),
        ["Sales", "Renewals & Upsell"]
      )
      const stages = yield* many("/api/v2/stages?pipeline_id=4&sort_by=order_nr")
      assert.deepStrictEqual(
        stages.map(({ id }) => id),
        [17, 18, 19]
      )
      assert.strictEqual((yield* one("GET", "/api/v2/stages/2")).name, "Contact Made")
      assert.strictEqual((yield* get(Failed, 404, "GET", "/api/v2/pipelines/2")).error, "Entity was not found")
      assert.lengthOf(yield* many("/v1/currencies?term=euro"), 1)
      assert.lengthOf(yield* many("/v1/leadLabels"), 3)
      assert.lengthOf(yield* many("/v1/leadSources"), 10)
      assert.include(
        (yield* many("/v1/activityTypes")).map(({ key_string }) => key_string),
        "site_visit"
      )
    })
  )

  test(
    "fields are described in both versions",
    Effect.gen(function* () {
      const { get, many, one, walk } = yield* account
      const fields = yield* walk("/api/v2/personFields?limit=5")
      const tier = fields.find(({ field_name }) => field_name === "Loyalty tier")
      assert.deepInclude(tier, { field_type: "enum", is_custom_field: true, is_optional_response_field: false })
      assert.match(String(tier?.field_code), /^[0-9a-f]{40}$/)
      assert.notProperty(tier, "ui_visibility")
      const code = String(tier?.field_code)
      assert.property(yield* one("GET", `/api/v2/personFields/${code}?include_fields=ui_visibility`), "ui_visibility")
      assert.strictEqual((yield* get(Failed, 404, "GET", "/api/v2/personFields/nope")).error, "The field is not found")
      const industry = yield* one("GET", "/api/v2/organizationFields/industry")
      assert.lengthOf(Array.isArray(industry.options) ? industry.options : [], 12)
      const address = yield* one("GET", "/api/v2/organizationFields/address")
      assert.lengthOf(Array.isArray(address.subfields) ? address.subfields : [], 11)
      const v1 = (yield* many("/v1/dealFields?limit=500")).find(({ name }) => name === "Competitor")
      assert.deepInclude(v1, { field_type: "enum", edit_flag: true })
      assert.deepInclude(yield* one("GET", `/v1/dealFields/${String(v1?.id)}`), { key: v1?.key })
      assert.include(
        (yield* many("/v1/leadFields")).map(({ key }) => key),
        v1?.key
      )
      const attendees = yield* one("GET", "/api/v2/activityFields/attendees")
      assert.isTrue(attendees.is_optional_response_field)
    })
  )
})

describe("Pipedrive simulator: access and limits", () => {
  test(
    "a refresh token is exchanged once, with the client's credentials in the header",
    Effect.gen(function* () {
      const { http, refreshToken, send } = yield* account
      const post = (form: string, basic = true, type = "application/x-www-form-urlencoded") =>
        Effect.gen(function* () {
          const bare = HttpClientRequest.post("https://oauth.pipedrive.com/oauth/token").pipe(
            HttpClientRequest.bodyText(form, type)
          )
          const response = yield* http.execute(basic ? HttpClientRequest.basicAuth(bare, "id", "secret") : bare)
          return { status: response.status, text: yield* response.text }
        })
      const form = `grant_type=refresh_token&refresh_token=${encodeURIComponent(refreshToken)}`
      const bad = (answer: { readonly status: number; readonly text: string }) =>
        Effect.gen(function* () {
          assert.strictEqual(answer.status, 400)
          return (yield* Schema.decode(Schema.parseJson(Failed))(answer.text)).error
        })
      assert.strictEqual(yield* bad(yield* post(form, false)), "invalid_client")
      assert.strictEqual(yield* bad(yield* post(form, true, "application/json")), "invalid_request")
      assert.strictEqual(yield* bad(yield* post(form.replace("=refresh_token", "=password"))), "unsupported_grant_type")
      assert.strictEqual(yield* bad(yield* post("grant_type=refresh_token&refresh_token=nope")), "invalid_grant")
      const answer = yield* post(form)
      const issued = yield* Schema.decode(Schema.parseJson(Tokens))(answer.text)
      assert.strictEqual(issued.api_domain, "https://acme-sandbox.pipedrive.com")
      assert.notStrictEqual(issued.refresh_token, refreshToken)
      assert.strictEqual((yield* send("GET", "/v1/users/me", undefined, issued.access_token)).status, 200)
      assert.strictEqual(yield* bad(yield* post(form)), "invalid_grant")
      yield* TestClock.adjust("1 hour")
      const expired = yield* send("GET", "/v1/users/me", undefined, issued.access_token)
      assert.strictEqual(expired.status, 401)
      assert.deepInclude(yield* Schema.decode(Schema.parseJson(Failed))(expired.text), {
        error: "unauthorized access",
        errorCode: 401
      })
    })
  )

  test(
    "each answer says what is left of two seconds and of the day",
    Effect.gen(function* () {
      const { send } = yield* account
      const left = (path: string) =>
        Effect.map(send("GET", path), ({ headers }) => [
          Number(headers["x-ratelimit-remaining"]),
          Number(headers["x-daily-ratelimit-token-remaining"])
        ])
      assert.deepStrictEqual(yield* left("/v1/users/me"), [159, 599_998])
      assert.deepStrictEqual(yield* left(`${persons}?limit=1`), [158, 599_988])
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* left(`${persons}/1`), [159, 599_987])
      yield* (yield* Faults).add({ provider: "pipedrive", does: { kind: "limit", retryAfter: 2 } })
      const limited = yield* send("GET", "/v1/users/me")
      assert.strictEqual(limited.status, 429)
      assert.strictEqual(limited.headers["x-ratelimit-reset"], "2")
      assert.strictEqual(limited.headers["x-ratelimit-remaining"], "0")
    })
  )

  test(
    "what is not there and what is not done",
    Effect.gen(function* () {
      const { http, send } = yield* account
      assert.strictEqual((yield* send("GET", "/v2/persons")).status, 404)
      assert.strictEqual((yield* send("PUT", `${persons}/1`, {})).status, 405)
      assert.strictEqual((yield* send("GET", `${persons}/x`)).status, 404)
      const bare = yield* http.execute(HttpClientRequest.get("https://api.pipedrive.com/v1/users/me"))
      assert.strictEqual(bare.status, 401)
    })
  )
})
