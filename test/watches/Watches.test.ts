import { assert, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Clock, Effect, Layer, TestClock } from "effect"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import {
  brief,
  feedOf,
  followed,
  passing,
  polled,
  soonTold,
  until,
  walked,
  watch as watchOn
} from "../../src/testing/contract/Following.ts"
import { WatchedConnections } from "../../src/watches/WatchedConnections.ts"
import { Watcher } from "../../src/watches/Watcher.ts"
import {
  type Call,
  type Caller,
  type Doc,
  errorsOf,
  listOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const make = (call: Call, provider: string, last_name: string) =>
  Effect.map(call("POST", `/crm/contact?provider=${provider}`, { body: { last_name } }), (answer) =>
    String(recordOf(answer).remote_id)
  )

const sinceOf = (answer: Doc, at: number) => listOf(answer.resources)[at]?.since

const ownerOf = ({ tenancy: { environment, organisation } }: Caller) => ({ environment, organisation })

const ended = (call: Call) => call("DELETE", "/watches")

/** Watches until the test ends, also where it fails: what goes on would take the faults of the tests that follow. */
const watch = (...[call, ...rest]: Parameters<typeof watchOn>) =>
  Effect.tap(watchOn(call, ...rest), () => Effect.addFinalizer(() => call("DELETE", "/watches", { timeStands: true })))

layer(sandboxApplication(), { timeout: "60 seconds" })("watches", (it) => {
  full(it).scoped("are one list for each environment, which says how each provider is followed", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["hubspot"])
      const nothing = { resources: [], providers: null, interval: null, following: [] }
      assert.deepStrictEqual(recordOf(yield* call("GET", "/watches")), nothing)
      const first = yield* watch(call, ["crm/contact", "accounting/invoice"])
      yield* TestClock.adjust("1 hour")
      const answer = yield* watch(call, ["crm/contact", "crm/lead"], { providers: ["hubspot", "attio"], interval: 20 })
      assert.deepStrictEqual(recordOf(yield* call("GET", "/watches")), answer)
      assert.deepStrictEqual(answer, {
        resources: [
          { resource: "crm/lead", since: sinceOf(answer, 0) },
          { resource: "crm/contact", since: sinceOf(first, 0) }
        ],
        providers: ["hubspot", "attio"],
        interval: 20,
        following: [
          {
            provider: "hubspot",
            resources: [
              {
                resource: "crm/lead",
                how: "changes",
                interval: 20,
                idleInterval: 80,
                deletions: "told",
                deletionsInterval: 1200
              },
              {
                resource: "crm/contact",
                how: "changes",
                interval: 20,
                idleInterval: 80,
                deletions: "told",
                deletionsInterval: 1200
              }
            ],
            lacks: []
          },
          {
            provider: "attio",
            resources: [
              {
                resource: "crm/contact",
                how: "walk",
                interval: 200,
                idleInterval: 800,
                deletions: "swept",
                deletionsInterval: 200
              }
            ],
            lacks: ["crm/lead"]
          }
        ]
      })
      assert.deepStrictEqual(recordOf(yield* ended(call)), nothing)
      assert.deepStrictEqual(pageOf(yield* call("GET", "/watches/connections")).data, [])
    })
  )

  it.scoped("refuse what there is not, by its name", () =>
    Effect.gen(function* () {
      const { call, tenancy } = yield* (yield* SandboxApplication).caller(["hubspot"])
      const put = (body: object) => Effect.map(call("PUT", "/watches", { body }), errorsOf)
      const resources = ["crm/contact"]
      assert.include((yield* put({ resources: ["crm/contract"] }))["resources.0"], "must be one of crm/contact, ")
      assert.property(yield* put({ resources: ["accounting/balance_sheet"] }), "resources.0")
      assert.property(yield* put({ resources: [] }), "resources")
      assert.property(yield* put({ resources, every: 5 }), "every")
      assert.include((yield* put({ resources, interval: 4 })).interval, "from 5 to 86400")
      assert.include((yield* put({ resources, providers: ["hubspt"] }))["providers.0"], 'did you mean "hubspot"?')
      assert.strictEqual((yield* call("GET", "/watches/connections?cursor=none")).status, 400)
      const key = recordOf(yield* call("POST", "/api-keys", { body: { name: "n", scopes: ["records:read"] } })).key
      const refused = yield* call("GET", "/watches", { headers: { authorization: `Bearer ${String(key)}` } })
      assert.deepStrictEqual(refusalOf(refused), [403, "FORBIDDEN"])
      assert.isDefined(tenancy)
    })
  )

  it.scoped("tell what is written through this service within seconds, and to nobody else", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const mine = yield* app.caller(["pipedrive"])
      const other = yield* app.caller(["pipedrive"])
      const live = yield* app.caller([], { tenancy: { ...mine.tenancy } })
      yield* watch(mine.call, ["crm/contact"], { interval: 3600 })
      yield* watch(other.call, ["crm/contact"], { interval: 3600 })
      yield* walked(mine.call, 1)
      yield* walked(other.call, 1)
      const events = feedOf(mine.call)
      const id = yield* make(mine.call, "pipedrive", "New")
      assert.deepStrictEqual(brief(yield* soonTold(events, 1)), [`created ${id}`])
      assert.deepStrictEqual(yield* feedOf(other.call), [])
      assert.deepStrictEqual(
        (yield* followed(live.call)).map(({ connectionId }) => connectionId),
        [mine.connections.pipedrive]
      )
      yield* ended(mine.call)
      yield* make(mine.call, "pipedrive", "Newer")
      yield* passing(3)
      assert.deepStrictEqual(yield* events, [])
      yield* ended(other.call)
    })
  )

  full(it).scoped("take up connections that are made later, and leave those that are removed", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const sql = yield* SqlClient.SqlClient
      const caller = yield* app.caller(["hubspot"])
      const { call } = caller
      yield* watch(call, ["crm/contact"])
      const later = yield* app.connect(caller, "pipedrive")
      yield* walked(call, 2)
      const events = feedOf(call)
      assert.deepStrictEqual(yield* events, [])
      const id = yield* make(call, "pipedrive", "New")
      assert.deepStrictEqual(
        (yield* soonTold(events, 1)).map(({ connectionId, remote_id }) => [connectionId, remote_id]),
        [[later, id]]
      )
      yield* call("DELETE", `/connections/${later}`)
      yield* polled(call)
      assert.lengthOf(yield* followed(call), 1)
      assert.deepStrictEqual(yield* sql`select 1 from watched_records where connection_id = ${later} limit 1`, [])
      assert.deepStrictEqual(yield* events, [])
    })
  )

  full(it).scoped("forget the records of what is no longer watched, however many there are", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { call, connections } = yield* (yield* SandboxApplication).caller(["hubspot"])
      yield* watch(call, ["crm/contact", "crm/company"])
      yield* walked(call, 2)
      const connection = connections.hubspot ?? ""
      yield* sql`
        insert into watched_records (connection_id, resource, id, remote_id, digest, round)
        select ${connection}::uuid, 'crm/company', gen_random_uuid(), 'x' || n, decode('00', 'hex'), 1
        from generate_series(1, 10001) as n`
      const kept = sql`select distinct resource from watched_records where connection_id = ${connection}`
      assert.lengthOf(yield* kept, 2)
      yield* watch(call, ["crm/contact"])
      yield* polled(call)
      assert.deepStrictEqual(yield* kept, [{ resource: "crm/contact" }])
      assert.lengthOf(yield* followed(call), 1)
    })
  )

  full(it).scoped("leave alone what only another version polls", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { call, connections, tenancy } = yield* (yield* SandboxApplication).caller(["hubspot"])
      const connection = connections.hubspot ?? ""
      yield* watch(call, ["crm/contact"])
      yield* walked(call, 1)
      yield* sql`
        update watches set resources = resources || '{"crm/next": "2026-11-20T09:00:00.000Z"}'
        where organisation_id = ${tenancy.organisation}`
      yield* sql`
        insert into watched_resources (connection_id, resource, due_at, free_at, progress)
        select connection_id, 'crm/next', due_at, free_at, progress || '{"round": 7}' from watched_resources
        where connection_id = ${connection}`
      yield* sql`
        insert into watched_records (connection_id, resource, id, remote_id, digest, round)
        values (${connection}, 'crm/next', gen_random_uuid(), 'x', decode('00', 'hex'), 7)`
      const now = Effect.map(Clock.currentTimeMillis, (time) => new Date(time))
      const begun = yield* now
      yield* sql`update watched_connections set due_at = ${begun} where connection_id = ${connection}`
      const isPolled = sql`
        select 1 from watched_resources r join watched_connections c using (connection_id)
        where c.connection_id = ${connection} and c.lease_id is null and r.resource = 'crm/contact' and polled_at > ${begun}`
      yield* until(Effect.map(isPolled, (found) => found.length > 0))
      const kept = sql<{ readonly round: number }>`
        select d.round from watched_resources r join watched_records d using (connection_id, resource)
        where connection_id = ${connection} and r.resource = 'crm/next' and (r.progress->>'round')::int = 7`
      assert.deepStrictEqual(yield* kept, [{ round: 7 }])
      const later = new Date(begun.getTime() + 86_400_000)
      // what is due of it keeps nobody busy who cannot poll it
      yield* sql`
        update watched_resources set due_at = case resource when 'crm/next' then ${begun}::timestamptz else ${later} end
        where connection_id = ${connection}`
      yield* sql`update watched_connections set due_at = ${begun} where connection_id = ${connection}`
      const isLeft = Effect.flatMap(
        now,
        (at) => sql`
        select 1 from watched_connections
        where connection_id = ${connection} and lease_id is null and due_at > ${at} and due_at < ${later}`
      )
      yield* until(Effect.map(isLeft, (found) => found.length > 0))
      yield* ended(call)
      assert.deepStrictEqual(yield* kept, [])
    })
  )

  full(it).scoped("go on after an outage that outlasts what the provider remembers", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { call, connections } = yield* (yield* SandboxApplication).caller(["salesforce"])
      const gone = yield* make(call, "salesforce", "Gone")
      const kept = yield* make(call, "salesforce", "Kept")
      yield* watch(call, ["crm/contact"])
      yield* walked(call, 1)
      const events = feedOf(call)
      yield* events
      const status = (name: string) =>
        sql`update connections set status = ${name} where id = ${connections.salesforce ?? ""}`
      yield* status("needs_reauth")
      yield* call("DELETE", `/crm/contact/${gone}?provider=salesforce`)
      yield* call("PATCH", `/crm/contact/${kept}?provider=salesforce`, { body: { title: "Changed" } })
      yield* passing(30)
      assert.deepStrictEqual(yield* events, [])
      assert.strictEqual((yield* followed(call))[0]?.state, "paused")
      // as if the bin had been emptied since
      yield* sql`
        update watched_resources
        set progress = progress || jsonb_build_object('watermark', (progress->>'watermark')::numeric - ${16 * 86_400_000}::numeric)
        where connection_id = ${connections.salesforce ?? ""}`
      yield* status("active")
      yield* polled(call)
      assert.deepStrictEqual(brief(yield* events), [`deleted ${gone}`, `updated ${kept}`])
      const [state] = yield* sql<{ readonly round: number }>`
        select (progress->>'round')::int as round from watched_resources where connection_id = ${connections.salesforce ?? ""}`
      assert.strictEqual(state?.round, 2, "it walked through the whole list again")
    })
  )

  full(it).scoped("say what fails, and go on once it works", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["hubspot"])
      yield* watch(call, ["crm/contact"])
      yield* walked(call, 1)
      const faults = yield* Faults
      yield* faults.add({ provider: "hubspot", does: { kind: "status", status: 403 }, times: 1 })
      yield* until(Effect.map(followed(call), (all) => all.some(({ error }) => error !== null)))
      const [failed] = yield* followed(call)
      assert.include(["FORBIDDEN", "PROVIDER_FEATURE_MISSING"], failed?.error)
      assert.isAbove(Date.parse(failed?.dueAt ?? "") - (yield* Clock.currentTimeMillis), 3_500_000, "tried rarely")
      yield* TestClock.adjust("1 hour")
      yield* polled(call)
      assert.strictEqual((yield* followed(call))[0]?.error, null)
      yield* faults.add({ provider: "hubspot", does: { kind: "limit", retryAfter: 40 }, times: 1 })
      yield* until(Effect.map(followed(call), (all) => all.some(({ error }) => error === "RATE_LIMITED")))
      const [limited] = yield* followed(call)
      assert.isAbove(Date.parse(limited?.dueAt ?? "") - (yield* Clock.currentTimeMillis), 30_000)
      yield* faults.clear
    })
  )

  full(it).scoped("tell nothing of what another mapping makes of records", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["attio"])
      yield* watch(call, ["crm/company"])
      yield* walked(call, 1)
      const events = feedOf(call)
      const body = { provider: "attio", resource: "company", field: "industry", native_field: "description" }
      recordOf({ ...(yield* call("PUT", "/field-mappings", { body })), body: { data: {} } })
      yield* TestClock.adjust("4 minutes")
      yield* polled(call)
      assert.deepStrictEqual(yield* events, [])
    })
  )

  full(it).scoped("read records by themselves that something is said to have happened to", () =>
    Effect.gen(function* () {
      const { call, connections, tenancy } = yield* (yield* SandboxApplication).caller(["pipedrive"])
      const { poke } = yield* Watcher
      const old = yield* make(call, "pipedrive", "Old")
      yield* watch(call, ["crm/contact"], { interval: 3600 })
      yield* walked(call, 1)
      yield* passing(3)
      const events = feedOf(call)
      yield* events
      // Pipedrive tells no deletions: they show with the next walk
      yield* call("DELETE", `/crm/contact/${old}?provider=pipedrive`)
      yield* passing(3)
      assert.deepStrictEqual(yield* events, [])
      const connection = { id: connections.pipedrive ?? "", ...tenancy }
      assert.isDefined(yield* poke(connection, "crm/contact", [old, "987654321"]))
      assert.deepStrictEqual(brief(yield* soonTold(events, 1)), [`deleted ${old}`])
      // one that may not be read keeps none of the others waiting
      const faults = yield* Faults
      const next = yield* make(call, "pipedrive", "Next")
      yield* faults.add({
        provider: "pipedrive",
        method: "GET",
        path: "/persons/123456",
        does: { kind: "status", status: 403 }
      })
      assert.isDefined(yield* poke(connection, "crm/contact", ["123456", next]))
      assert.deepStrictEqual(brief(yield* soonTold(events, 1)), [`created ${next}`])
      yield* faults.clear
      assert.deepStrictEqual(
        (yield* followed(call)).map(({ error }) => error),
        [null]
      )
      assert.isUndefined(yield* poke({ ...connection, environment: "production" }, "crm/contact"))
      assert.isUndefined(yield* poke(connection, "crm/lead"))
    })
  )
})

layer(sandboxApplication(), { timeout: "60 seconds" })("watches on several instances", (it) => {
  full(it).scoped("tell each change once, also when one is killed in the middle", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["hubspot", "pipedrive", "salesforce"])
      yield* Layer.build(Layer.fresh(Watcher.layer))
      yield* watch(call, ["crm/contact", "crm/company"])
      yield* walked(call, 6)
      const events = feedOf(call)
      yield* events
      const expected: Array<string> = []
      for (const round of [1, 2, 3]) {
        // this one ends with its scope, whatever it is doing
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Layer.build(Layer.fresh(Watcher.layer))
            for (const provider of ["hubspot", "pipedrive", "salesforce"]) {
              expected.push(`created ${yield* make(call, provider, `New ${round}`)}`)
            }
            yield* TestClock.adjust("1 second")
          })
        )
        yield* passing(30)
      }
      assert.deepStrictEqual(brief(yield* soonTold(events, expected.length)), expected.toSorted())
      yield* passing(3)
      assert.deepStrictEqual(yield* events, [])
    })
  )
})

// nobody polls here: the application looks for the first watch after a minute
layer(sandboxApplication(), { timeout: "60 seconds" })("connections that are due", (it) => {
  it.scoped("are counted for each watch, taken in the order in which they are due, and left to whoever has them", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const connections = yield* WatchedConnections
      const sql = yield* SqlClient.SqlClient
      const many = yield* app.caller(["hubspot", "pipedrive", "salesforce", "zoho_crm", "attio"])
      const few = yield* app.caller(["hubspot"])
      const slugs = Object.keys(many.connections)
      const at = new Date((yield* Clock.currentTimeMillis) - 60_000)
      const rows = [many, few].flatMap(({ connections, tenancy }) =>
        Object.values(connections).map((id, place) => ({ ...tenancy, id, due: new Date(at.getTime() + place) }))
      )
      for (const { environment, organisation } of [many.tenancy, few.tenancy]) {
        yield* sql`
          insert into watches (organisation_id, environment, resources, providers, interval, hash_key)
          values (${organisation}, ${environment}, '{}', array['none'], 60, '')`
      }
      for (const { due, environment, id, organisation } of rows) {
        yield* sql`
          insert into watched_connections (connection_id, organisation_id, environment, since, due_at)
          values (${id}, ${organisation}, ${environment}, ${at}, ${due})`
      }
      const nobody = { waiting: [], next: null, isAny: true }
      assert.deepStrictEqual(
        yield* connections.look(["xero"], 10),
        nobody,
        "what another version has is not this one's"
      )
      const { next, waiting } = yield* connections.look(slugs, 4)
      assert.isNull(next)
      assert.sameDeepMembers(
        [...waiting],
        [
          { ...ownerOf(many), due: 4 },
          { ...ownerOf(few), due: 1 }
        ]
      )
      assert.deepStrictEqual(yield* connections.claim(["xero"], [{ ...ownerOf(many), take: 4 }]), [])
      const first = yield* connections.claim(slugs, [
        { ...ownerOf(many), take: 2 },
        { ...ownerOf(few), take: 2 }
      ])
      assert.sameMembers(
        first.map(({ connection }) => connection),
        [...Object.values(many.connections).slice(0, 2), ...Object.values(few.connections)]
      )
      const [one] = first
      assert(one !== undefined)
      const take = [{ organisation: one.organisation, environment: one.environment, take: 10 }]
      assert.notInclude(
        (yield* connections.claim(slugs, take)).map(({ connection }) => connection),
        one.connection
      )
      assert.isTrue(yield* connections.renew(one))
      yield* TestClock.setTime((yield* Clock.currentTimeMillis) + 11_000)
      const again = (yield* connections.claim(slugs, take)).find(({ connection }) => connection === one.connection)
      assert.isDefined(again, "its lease is over")
      assert.isFalse(yield* connections.renew(one), "it is another's now")
    })
  )
})
