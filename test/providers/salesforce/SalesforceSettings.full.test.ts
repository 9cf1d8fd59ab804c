import { assert, layer } from "@effect/vitest"
import { Effect, Either } from "effect"
import { getPath } from "../../../src/mapping/Mapping.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { lockRows, turnOn } from "../../../src/providers/salesforce/simulator/Settings.ts"
import { event } from "../../../src/providers/salesforce/simulator/Activities.ts"
import { create } from "../../../src/providers/salesforce/simulator/Records.ts"
import { account } from "../../../src/providers/salesforce/simulator/Sales.ts"
import { NotedRequests } from "../../../src/testing/contract/NotedRequests.ts"
import type { Account } from "../../../src/providers/simulation/Account.ts"
import {
  type Answer,
  type Doc,
  errorsOf,
  listOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../../support/SandboxApplication.ts"
import { said as warned } from "../../support/Warnings.ts"
import { objects } from "./support.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("settings of a Salesforce organisation", (it) => {
  const connected = Effect.gen(function* () {
    const { call, connections } = yield* (yield* SandboxApplication).caller(["salesforce"])
    const store = yield* SimulationStore
    const send = (method: string, path: string, body?: Doc, query = "") =>
      call(method, `/crm/${path}?provider=salesforce${query}`, body === undefined ? {} : { body })
    return {
      send,
      inOrg: <A>(change: (org: Account) => A) => store.run("salesforce", connections.salesforce ?? "", change)
    }
  })

  const listed = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

  const duplicatesOf = ({ body }: Answer) => listed(getPath(body, "duplicate_of"))

  const entriesOf = ({ body }: Answer) => objects(getPath(body, "data"))

  it.effect("a row lock that passes is not seen; one that stays is 409 RECORD_LOCKED with Retry-After", () =>
    Effect.gen(function* () {
      const { inOrg, send } = yield* connected
      const { remote_id: id } = recordOf(yield* send("POST", "contact", { last_name: "Reyes" }))
      for (const inTrigger of [false, true]) {
        yield* inOrg((org) => lockRows(org, 1, { inTrigger }))
        const made = yield* send("POST", "contact", { last_name: "Okafor" })
        assert.strictEqual(made.status, 201, JSON.stringify(made.body))
        yield* inOrg((org) => lockRows(org, 2, { inTrigger }))
        const changed = yield* send("PATCH", `contact/${String(id)}`, { title: `Buyer ${inTrigger}` })
        assert.strictEqual(recordOf(changed).title, `Buyer ${inTrigger}`)
        yield* inOrg((org) => lockRows(org, 9, { inTrigger }))
        const locked = yield* send("PATCH", `contact/${String(id)}`, { title: "Seller" })
        assert.deepStrictEqual(refusalOf(locked), [409, "RECORD_LOCKED"])
        assert.strictEqual(locked.headers.get("retry-after"), "1")
        yield* inOrg((org) => lockRows(org, 0))
      }
    })
  )

  it.effect("a row lock in a batch is tried again for its record alone", () =>
    Effect.gen(function* () {
      const { inOrg, send } = yield* connected
      yield* inOrg((org) => lockRows(org, 1))
      const records = ["Abel", "Baker", "Cole"].map((last_name) => ({ last_name }))
      const statuses = entriesOf(yield* send("POST", "contact/batch", { operation: "create", records }))
      assert.deepStrictEqual(
        statuses.map(({ status }) => status),
        [201, 201, 201],
        JSON.stringify(statuses)
      )
    })
  )

  it.effect(
    "a duplicate is 409 with the ids of the others; on_duplicate=allow saves it where the rule permits that",
    () =>
      Effect.gen(function* () {
        const { inOrg, send } = yield* connected
        const nora = { last_name: "Lindqvist", email_addresses: [{ email_address: "nora@example.com" }] }
        const { remote_id: id } = recordOf(yield* send("POST", "contact", nora))
        yield* inOrg((org) => turnOn(org, "duplicate rules", { allowSave: true }))
        const refused = yield* send("POST", "contact", nora)
        assert.deepStrictEqual([...refusalOf(refused), duplicatesOf(refused)], [409, "CONFLICT", [id]])
        const { remote_id: other } = recordOf(yield* send("POST", "contact", nora, "&on_duplicate=allow"))
        const another = recordOf(yield* send("POST", "contact", { last_name: "Lindqvist" }))
        const path = `contact/${String(another.remote_id)}`
        const patch = { email_addresses: nora.email_addresses }
        const changed = yield* send("PATCH", path, patch)
        assert.sameMembers([...duplicatesOf(changed)], [id, other])
        assert.strictEqual((yield* send("PATCH", path, patch, "&on_duplicate=allow")).status, 200)
        const batch = { operation: "create", records: [nora, { last_name: "New" }] }
        const some = entriesOf(yield* send("POST", "contact/batch", batch))
        assert.deepStrictEqual(
          some.map(({ status }) => status),
          [409, 201]
        )
        const all = entriesOf(yield* send("POST", "contact/batch", batch, "&on_duplicate=allow"))
        assert.deepStrictEqual(
          all.map(({ status }) => status),
          [201, 201]
        )
        yield* inOrg((org) => turnOn(org, "duplicate rules", { allowSave: false }))
        const blocked = yield* send("POST", "contact", nora, "&on_duplicate=allow")
        assert.strictEqual(refusalOf(blocked)[0], 409)
        assert.include(duplicatesOf(blocked), id)
      })
  )

  it.effect(
    "on_duplicate=allow is 422 naming the parameter for a resource without duplicate rules, another value 400",
    () =>
      Effect.gen(function* () {
        const { send } = yield* connected
        const { remote_id: id } = recordOf(yield* send("POST", "task", { subject: "Ring" }))
        const refusals = [
          yield* send("POST", "task", { subject: "Ring" }, "&on_duplicate=allow"),
          yield* send("PATCH", `task/${String(id)}`, { subject: "Ring back" }, "&on_duplicate=allow"),
          yield* send("PUT", `task/${String(id)}`, { subject: "Ring back" }, "&on_duplicate=allow")
        ]
        for (const refused of refusals) {
          assert.deepStrictEqual(refusalOf(refused), [422, "VALIDATION_FAILED"])
          assert.deepStrictEqual(Object.keys(errorsOf(refused)), ["on_duplicate"])
        }
        assert.strictEqual(recordOf(yield* send("GET", `task/${String(id)}`)).subject, "Ring")
        const other = yield* send("POST", "task", { subject: "Ring" }, "&on_duplicate=merge")
        assert.deepStrictEqual(refusalOf(other), [400, "INVALID_PARAMETER"])
        assert.match(JSON.stringify(other.body), /on_duplicate/)
      })
  )

  /** What a record says that a caller may send back. */
  const sendable = (record: Doc, ...names: ReadonlyArray<string>): Doc =>
    Object.fromEntries(names.map((name) => [name, record[name]]))

  it.effect("a person account is no company in lists, and takes its name and its account unchanged", () =>
    Effect.gen(function* () {
      const { inOrg, send } = yield* connected
      yield* send("GET", "owner", undefined, "&limit=1")
      yield* inOrg((org) => turnOn(org, "person accounts"))
      const ids = yield* inOrg((org) => {
        const made = create(org, account, { FirstName: "Imani", LastName: "Castellanos" })
        if (Either.isLeft(made)) throw new Error(made.left.message)
        made.right.commit()
        const contact = org.all("Contact").find(({ AccountId }) => AccountId === made.right.id)
        return { account: made.right.id, contact: String(contact?.Id) }
      })
      if (ids === undefined) return assert.fail("no organisation")
      const people = yield* send("GET", "company", undefined, "&name=Imani")
      assert.deepStrictEqual(pageOf(people).data, [])
      const company = `company/${ids.account}`
      assert.strictEqual(recordOf(yield* send("GET", company)).name, "Imani Castellanos")
      const described = yield* send("PATCH", company, { name: "Imani Castellanos", description: "d" })
      assert.strictEqual(recordOf(described).description, "d")
      assert.deepStrictEqual(Object.keys(errorsOf(yield* send("PATCH", company, { name: "Imani Smith" }))), ["name"])
      const contact = `contact/${ids.contact}`
      const held = recordOf(yield* send("GET", contact))
      assert.strictEqual(held.account, ids.account)
      const body = sendable(held, "first_name", "last_name", "account", "owner")
      assert.strictEqual((yield* send("PUT", contact, { ...body, title: "Nurse" })).status, 200)
      const without = yield* send("PUT", contact, { first_name: "Imani", last_name: "Castellanos" })
      assert.strictEqual(recordOf(without).account, ids.account)
      assert.include(warned(without), "account CHANGED")
      const { remote_id: other } = recordOf(yield* send("POST", "company", { name: "Ockham" }))
      assert.deepStrictEqual(Object.keys(errorsOf(yield* send("PATCH", contact, { account: other }))), ["account"])
      assert.strictEqual((yield* send("PATCH", contact, { last_name: "Smith" })).status, 200)
      assert.strictEqual(recordOf(yield* send("GET", company)).name, "Imani Smith")
    })
  )

  it.effect("countries and states from a list take codes and names; what is in no list is told of the addresses", () =>
    Effect.gen(function* () {
      const { inOrg, send } = yield* connected
      yield* inOrg((org) => turnOn(org, "address picklists"))
      const placed = (address: Doc) => send("POST", "contact", { last_name: "Berg", addresses: [address] })
      for (const [state, country] of [
        ["TX", "United States"],
        ["Texas", "US"],
        ["texas", "usa"]
      ]) {
        const made = yield* placed({ state, country })
        assert.deepInclude(listOf(recordOf(made).addresses)[0], { state: "TX", country: "US" }, `${state} ${country}`)
      }
      const made = recordOf(yield* placed({ city: "Perth", state: "WA", country: "AU" }))
      assert.deepInclude(listOf(made.addresses)[0], { state: "WA", country: "AU" })
      const path = `contact/${String(made.remote_id)}`
      const moved = yield* send("PATCH", path, { addresses: [{ city: "Seattle", state: "WA", country: "US" }] })
      assert.deepInclude(listOf(recordOf(moved).addresses)[0], { city: "Seattle", state: "WA", country: "US" })
      const cleared = yield* send("PATCH", path, { addresses: [] })
      assert.deepStrictEqual(recordOf(cleared).addresses, [])
      for (const address of [{ state: "Narnia", country: "US" }, { country: "Narnia" }, { state: "TX" }]) {
        assert.deepStrictEqual(Object.keys(errorsOf(yield* placed(address))), ["addresses"], JSON.stringify(address))
      }
    })
  )

  it.effect("a record of each kind that is sent back as it was read changes nothing", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["salesforce"])
      const notes = yield* NotedRequests
      const resources = ["contact", "company", "lead", "deal", "task", "meeting", "activity", "appointment", "note"]
      for (const resource of resources) {
        const path = `/crm/${resource}?provider=salesforce`
        const [first] = pageOf(yield* call("GET", `${path}&limit=1`)).data
        const one = `/crm/${resource}/${String(first?.remote_id)}?provider=salesforce`
        const record = recordOf(yield* call("GET", one))
        for (const method of ["PATCH", "PUT"]) {
          const made = yield* notes.during(Effect.map(call(method, one, { body: record }), recordOf))
          const changes = made.filter((request) => request.method !== "GET" && !request.path.endsWith("/composite"))
          assert.deepStrictEqual(changes, [], `${method} ${resource}`)
          const now = recordOf(yield* call("GET", one))
          assert.strictEqual(now.remote_updated_at, record.remote_updated_at, `${method} ${resource}`)
        }
      }
    })
  )

  it.effect("an all-day event reads as its days, and has the times that are written to it", () =>
    Effect.gen(function* () {
      const { inOrg, send } = yield* connected
      // its account begins with the first request
      yield* send("GET", "meeting", undefined, "&limit=1")
      const id = yield* inOrg((org) => {
        const made = create(org, event, { Subject: "Fair", IsAllDayEvent: true, StartDateTime: "2027-02-15T00:00:00Z" })
        if (Either.isLeft(made)) throw new Error(made.left.message)
        made.right.commit()
        return made.right.id
      })
      const path = `meeting/${String(id)}`
      const days = { start_time: "2027-02-15T00:00:00.000Z", end_time: "2027-02-16T00:00:00.000Z" }
      assert.deepInclude(recordOf(yield* send("GET", path)), days)
      const longer = yield* send("PATCH", path, { end_time: "2027-02-18T00:00:00Z" })
      assert.deepInclude(recordOf(longer), { ...days, end_time: "2027-02-18T00:00:00.000Z" })
      const times = { start_time: "2027-02-15T15:00:00.000Z", end_time: "2027-02-15T16:00:00.000Z" }
      const timed = yield* send("PATCH", path, times)
      assert.deepInclude(recordOf(timed), times)
      assert.isUndefined(getPath(timed.body, "warnings"))
      assert.isFalse(yield* inOrg((org) => org.get("Event", String(id))?.IsAllDayEvent))
    })
  )
})
