import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Effect, TestClock } from "effect"
import type { Call as Sent, Caller } from "../../../src/providers/base/Upstream.ts"
import { HubSpot } from "../../../src/providers/hubspot/HubSpot.ts"
import { searching, withLinks } from "../../../src/providers/hubspot/Search.ts"
import { simulator } from "../../../src/providers/hubspot/simulator/HubSpotSimulator.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { NotedRequests } from "../../../src/testing/contract/NotedRequests.ts"
import * as Strict from "../../../src/testing/contract/SandboxApplication.ts"
import {
  type Call,
  type Doc,
  listOf,
  pageOf,
  recordOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

// HubSpot's filters: what the contract suite, which asks what they mean, does not see of them.

type Wanted = { readonly [filter: string]: string }

const at = (resource: string, wanted: Wanted = {}, id?: unknown) =>
  `/crm/${resource}${id === undefined ? "" : `/${String(id)}`}?${new URLSearchParams({ provider: "hubspot", ...wanted }).toString()}`

const idsOf = (records: ReadonlyArray<Doc>) => records.map(({ remote_id }) => String(remote_id))

const requests = (call: Call) => ({
  call,
  create: (resource: string, body: Doc) => Effect.map(call("POST", at(resource), { body }), recordOf),
  patch: (resource: string, { remote_id }: Doc, body: Doc) =>
    Effect.map(call("PATCH", at(resource, {}, remote_id), { body }), recordOf),
  remove: (resource: string, { remote_id }: Doc) => call("DELETE", at(resource, {}, remote_id)),
  /** The first page. */
  page: (resource: string, wanted: Wanted) =>
    Effect.map(call("GET", at(resource, { limit: "100", ...wanted })), pageOf),
  /** All that is found, by its ids. */
  found: (resource: string, wanted: Wanted, limit = 100) =>
    Effect.map(walk(call, at(resource, wanted), limit), ({ records }) => idsOf(records))
})

const account = Effect.gen(function* () {
  const app = yield* SandboxApplication
  return requests((yield* app.caller(["hubspot"])).call)
})

/** The ends of the calls to HubSpot for a list of 100, on its second request. */
const callsOf = (call: Call, resource: string, wanted: Wanted) =>
  Effect.gen(function* () {
    const list = Effect.map(call("GET", at(resource, { limit: "100", ...wanted })), pageOf)
    yield* list
    const noted = yield* (yield* NotedRequests).during(list)
    return noted
      .map(
        ({ method, path }) => `${method} ${path.replace(/^\/crm\/(v3\/objects|objects\/v3|v4\/associations)\//, "")}`
      )
      .toSorted()
  })

const whole = once(Effect.flatMap(account, ({ call }) => walk(call, at("deal"))))

function once<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
  let known: A | undefined
  return Effect.suspend(() =>
    known === undefined ? Effect.tap(effect, (made) => void (known = made)) : Effect.succeed(known)
  )
}

layer(sandboxApplication(), { timeout: "60 seconds" })("HubSpot filters", (it) => {
  const links = (type: string, ...to: ReadonlyArray<string>) => to.map((other) => `POST ${type}/${other}/batch/read`)

  it.effect("a list that is cut down is one search, and one call for each type of links", () =>
    Effect.gen(function* () {
      const { call, page } = yield* account
      const [one] = (yield* page("note", { fields: "account" })).data
      const addressOf = (resource: string) =>
        Effect.map(page(resource, {}), ({ data }) => {
          const [address] = data.flatMap((one) => listOf(one.email_addresses))
          return String(address?.email_address)
        })
      const email = yield* addressOf("contact")
      const leadEmail = yield* addressOf("lead")
      const since = "2024-01-01"
      const engaged = ["companies", "contacts", "deals"]
      const expected: ReadonlyArray<readonly [string, Wanted, ReadonlyArray<string>]> = [
        ["contact", { email }, ["POST contacts/search", ...links("contacts", "companies")]],
        ["contact", { modified_after: since }, ["POST contacts/search", ...links("contacts", "companies")]],
        ["contact", { modified_after: since, fields: "first_name" }, ["POST contacts/search"]],
        ["company", { name: "a" }, ["POST companies/search"]],
        ["company", { domain: "www.fernhill.example" }, ["POST companies/search"]],
        ["deal", { status: "OPEN" }, ["POST deals/search", ...links("deals", "companies", "contacts")]],
        ["note", { account: String(one?.account) }, ["POST notes/search", ...links("notes", ...engaged)]],
        ["task", { due_after: since, status: "CLOSED" }, ["POST tasks/search", ...links("tasks", ...engaged)]],
        ["meeting", { start_after: since }, ["POST meetings/search", ...links("meetings", ...engaged)]],
        [
          "appointment",
          { start_after: since },
          ["POST appointments/search", ...links("appointments", "companies", "contacts")]
        ],
        [
          "lead",
          { email: leadEmail },
          [
            "POST contacts/batch/read",
            "POST contacts/search",
            "POST leads/search",
            ...links("leads", "companies", "contacts")
          ]
        ],
        ["lead", { status: "QUALIFIED", fields: "name" }, ["POST leads/search"]],
        ["activity", { created_after: since, fields: "subject" }, ["POST calls/search", "POST emails/search"]],
        ["contact", { name: "Élodie", fields: "first_name" }, ["GET contacts", "GET contacts", "GET contacts"]],
        ["owner", { email: "Nobody@fernhill-supply.example" }, ["GET /crm/v3/owners"]]
      ]
      for (const [resource, wanted, calls] of expected) {
        assert.deepStrictEqual(
          yield* callsOf(call, resource, wanted),
          calls.toSorted(),
          `${resource} ${JSON.stringify(wanted)}`
        )
      }
    })
  )

  it.effect("what cannot be an id, a name or an address of HubSpot's finds nothing, without a call", () =>
    Effect.gen(function* () {
      const { call } = yield* account
      for (const [resource, wanted] of [
        ["contact", { owner: "12 OR 1=1" }],
        ["contact", { account: "abc" }],
        ["contact", { email: "a@b@c" }],
        ["deal", { stage: "s".repeat(101) }],
        ["lead", { status: "CLOSED" }]
      ] as const) {
        assert.deepStrictEqual(yield* callsOf(call, resource, wanted), [], JSON.stringify(wanted))
      }
    })
  )

  it.effect("letters that mean something to a search are values", () =>
    Effect.gen(function* () {
      const { create, found } = yield* account
      const name = `50*50 "Zyx" \\ {Söhne}`
      const { remote_id } = yield* create("company", { name, website: "https://www.zyx-soehne.example/a?b" })
      for (const wanted of [
        { name },
        { name: "50*50 " },
        { domain: "zyx-soehne.example" },
        { domain: "http://ZYX-soehne.example:80/x" }
      ]) {
        assert.deepStrictEqual(yield* found("company", wanted), [remote_id], JSON.stringify(wanted))
      }
      for (const wanted of [{ name: "*" }, { name: "50%50" }, { name: "Zyx" }, { domain: "soehne.example" }]) {
        assert.deepStrictEqual(yield* found("company", wanted), [], JSON.stringify(wanted))
      }
    })
  )

  it.effect("a contact is found by every way to write its number, and by further addresses", () =>
    Effect.gen(function* () {
      const { create, found, page } = yield* account
      const numbers = (phone_number: string, phone_number_type: string) => ({
        last_name: "Zyx",
        phone_numbers: [{ phone_number, phone_number_type }]
      })
      const ids = []
      for (const [number, type, wanted] of [
        ["+44 (20) 7946-0991", "WORK", ["+442079460991", "020 7946 0991", "79460991"]],
        ["0161/496-0992", "MOBILE", ["+44 161 4960992", "1614960992"]],
        ["+49 30 901820993", "FAX", ["030 901820993"]],
        ["4711", "WORK", ["4711", "04711"]]
      ] as const) {
        const { remote_id } = yield* create("contact", numbers(number, type))
        ids.push(remote_id)
        for (const phone of wanted) assert.deepStrictEqual(yield* found("contact", { phone }), [remote_id], phone)
      }
      assert.deepStrictEqual(yield* found("contact", { phone: "711" }), [])
      const further = (yield* page("contact", {})).data.flatMap(({ email_addresses, remote_id }) => {
        const [, second] = listOf(email_addresses)
        return second === undefined ? [] : [[String(second.email_address), String(remote_id)] as const]
      })
      const [[email, id] = ["", ""]] = further
      assert.deepStrictEqual(yield* found("contact", { email: email.toUpperCase() }), [id])
    })
  )

  it.effect("filters that do not fit into one search hold all the same", () =>
    Effect.gen(function* () {
      const { call } = yield* account
      const { records } = yield* whole
      const status = "OPEN,LOST"
      const owners = records.filter((one) => one.status !== "WON").map(({ owner }) => String(owner))
      const owner =
        owners.toSorted((a, b) => owners.filter((x) => x === b).length - owners.filter((x) => x === a).length)[0] ?? ""
      const wanted = {
        owner,
        status,
        pipeline: "default",
        created_after: "2020-01-01",
        created_before: "2030-01-01",
        modified_after: "2020-01-01",
        modified_before: "2030-01-01"
      }
      const meant = records.filter((one) => one.owner === owner && one.status !== "WON" && one.pipeline === "default")
      assert.isAbove(meant.length, 2)
      const found = yield* walk(call, at("deal", wanted), 2)
      assert.deepStrictEqual(idsOf(found.records), idsOf(meant))
      assert.deepStrictEqual(yield* callsOf(call, "deal", { ...wanted, fields: "name" }), ["POST deals/search"])
      // ids have regard to case
      assert.deepStrictEqual((yield* walk(call, at("deal", { pipeline: "DEFAULT" }))).records, [])
    })
  )

  it.effect("a bound is a millisecond: what changed in it is found from it, and not before it", () =>
    Effect.gen(function* () {
      const { create, found, patch } = yield* account
      const made = yield* Effect.forEach(["A", "B", "C"], (name) => create("company", { name: `Zyx ${name}` }))
      yield* TestClock.adjust(1500)
      const changed = yield* Effect.forEach(made.slice(0, 2), (one) => patch("company", one, { description: "new" }))
      const stamp = String(changed[0]?.modified_at)
      assert.deepStrictEqual(yield* found("company", { name: "Zyx", modified_after: stamp }, 1), idsOf(changed))
      const before = yield* found("company", { name: "Zyx", modified_before: stamp })
      assert.deepStrictEqual(before, idsOf(made.slice(2)))
      const next = new Date(Date.parse(stamp) + 1).toISOString()
      assert.deepStrictEqual(yield* found("company", { modified_after: next }), [])
    })
  )

  it.effect("archived records come where they are asked for, by when that was", () =>
    Effect.gen(function* () {
      const { call, create, found, remove } = yield* account
      const [owner, other] = idsOf(pageOf(yield* call("GET", at("owner"))).data)
      const make = (name: string, of = owner) => create("contact", { last_name: "Zyx", first_name: name, owner: of })
      const [stays, goes, another] = yield* Effect.all([make("A"), make("B"), make("C", other)])
      yield* TestClock.adjust("1 minute")
      const since = new Date(yield* TestClock.currentTimeMillis).toISOString()
      yield* remove("contact", goes)
      yield* remove("contact", another)
      const all = yield* walk(call, at("contact", { include_deleted: "true", name: "zyx" }), 1).pipe(
        Effect.map(({ records }) => records)
      )
      assert.deepStrictEqual(
        all.map(({ first_name, remote_was_deleted }) => [first_name, remote_was_deleted]),
        [
          ["A", false],
          ["B", true],
          ["C", true]
        ]
      )
      assert.strictEqual(all[1]?.modified_at, since)
      const of = (wanted: Wanted, limit?: number) => found("contact", { include_deleted: "true", ...wanted }, limit)
      assert.deepStrictEqual(yield* of({ modified_after: since }, 1), idsOf([goes, another]))
      assert.deepStrictEqual(yield* of({ modified_after: since, owner: String(owner) }), idsOf([goes]))
      assert.deepStrictEqual(yield* of({ modified_before: since, name: "zyx" }), idsOf([stays]))
      assert.deepStrictEqual(yield* found("contact", { modified_after: since }), [])
      assert.include(yield* found("owner", { include_deleted: "true" }), "71344512")
      assert.notInclude(yield* found("owner", {}), "71344512")
    })
  )

  it.effect("a word finds what HubSpot searches", () =>
    Effect.gen(function* () {
      const { create, found } = yield* account
      const { remote_id: account_id } = yield* create("company", { name: "Quixotix Windmills" })
      assert.deepStrictEqual(yield* found("company", { q: "windmills quixo" }), [account_id])
      const start_time = "2027-02-15T13:00:00.000Z"
      const { remote_id } = yield* create("activity", {
        activity_type: "EMAIL",
        subject: "Quixotix, page 2",
        content: "grist",
        start_time
      })
      assert.deepStrictEqual(yield* found("activity", { q: "QUIXOTIX" }), [remote_id])
      assert.deepStrictEqual(yield* found("activity", { q: "grist" }), [])
      assert.deepStrictEqual(yield* found("activity", { q: "quixotix", created_before: "2020-01-01" }), [])
    })
  )
})

const strict = Strict.layer({
  now: Date.UTC(2026, 10, 20, 9),
  isStrict: true,
  config: ConfigProvider.fromMap(new Map([["RATE_LIMIT", "0"]])),
  providers: HubSpot,
  simulators: [{ slug: simulator.slug, load: Effect.succeed(simulator) }],
  database: TestDatabase.layer,
  network: Strict.noNetwork,
  store: SimulationStore.layerMemory
})

layer(strict, { timeout: "60 seconds" })("HubSpot filters, as its index lags", (it) => {
  it.effect("a change is found some seconds later, by a bound that lies before it", () =>
    Effect.gen(function* () {
      const { create, found } = yield* account
      const { modified_at, remote_id } = yield* create("company", { name: "Zyx" })
      const wanted = { modified_after: String(modified_at) }
      assert.deepStrictEqual(yield* found("company", wanted), [])
      assert.include(yield* found("company", {}), remote_id)
      yield* TestClock.adjust("6 seconds")
      assert.deepStrictEqual(yield* found("company", wanted), [remote_id])
    })
  )
})

describe("HubSpot searches", () => {
  const connection = { id: "1", organisation: "1", environment: "sandbox", provider: "hubspot" } as const

  it.effect("more properties than a search takes are read after it, in the order that it gave", () =>
    Effect.gen(function* () {
      const sent: Array<Sent> = []
      const call: Caller = (_, request) => {
        sent.push(request)
        const results = request.path.endsWith("/search")
          ? [{ id: "1" }, { id: "2" }, { id: "3" }]
          : [{ id: "2" }, { id: "1" }]
        return Effect.succeed({ status: 200, headers: {}, body: { results } })
      }
      const properties = Array.from({ length: 200 }, (_, i) => `a_property_of_our_own_${i}`)
      const cut = { groups: [[]], query: "x", exact: [], left: [] }
      const of = (names: ReadonlyArray<string>) =>
        searching(call, connection, {
          cut,
          nativeType: "contacts",
          path: "/crm/v3/objects/contacts",
          properties: names
        })
      const page = yield* of(properties)(null, 2)
      assert.deepStrictEqual(
        page.records.map(({ record }) => record.id),
        ["1", "2"]
      )
      assert.strictEqual(page.next, "2")
      assert.deepStrictEqual(
        sent.map(({ path }) => path.replace("/crm/v3/objects/contacts/", "")),
        ["search", "batch/read"]
      )
      assert.isBelow(JSON.stringify(sent[0]?.json).length, 3000)
      assert.strictEqual((yield* of(properties.slice(0, 9))(null, 2)).next, "2")
      assert.lengthOf(sent, 3)
    })
  )

  it.effect("of links that one answer does not hold, a record tells that there are more", () =>
    Effect.gen(function* () {
      const link = { toObjectId: 7, associationTypes: [{ category: "HUBSPOT_DEFINED", typeId: 279, label: null }] }
      const paging = { next: { after: "8" } }
      const call: Caller = () =>
        Effect.succeed({
          status: 207,
          headers: {},
          body: {
            results: [
              { from: { id: "1" }, to: [link], paging },
              { from: { id: "2" }, to: [link] }
            ],
            errors: [{}]
          }
        })
      const records = ["1", "2", "3"].map((id) => ({ nativeType: "contacts", record: { id } }))
      const found = yield* withLinks(call, connection, "contacts", ["companies"], records)
      const results = [{ id: "7", label: null }]
      assert.deepStrictEqual(
        found.map(({ record }) => record.associations),
        [{ companies: { results, paging } }, { companies: { results } }, {}]
      )
    })
  )
})
