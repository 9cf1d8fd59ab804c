import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { filteredLists, idsOf } from "../../support/FilteredLists.ts"
import {
  type Caller,
  type Doc,
  recordOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"

const { asked, at, listed } = filteredLists("pipedrive")

layer(sandboxApplication(), { timeout: "60 seconds" })("Pipedrive's filters", (it) => {
  const pipedrive = Effect.flatMap(SandboxApplication, (app) => app.caller(["pipedrive"]))

  /** Changes records behind the service's back. */
  const edit = ({ connections }: Caller, type: string, ids: ReadonlyArray<unknown>, values: Doc) =>
    Effect.flatMap(SimulationStore, (store) =>
      store.run("pipedrive", connections.pipedrive ?? "", (account) => {
        for (const id of ids) account.put(type, String(id), { ...account.get(type, String(id)), ...values })
      })
    )

  it.effect("reach it in one call, however many there are", () =>
    Effect.gen(function* () {
      const { call } = yield* pipedrive
      const [deal] = yield* listed(call, "deal")
      const { owner, pipeline, stage, status } = deal ?? {}
      const together = { owner, pipeline, stage, status, created_after: "2020-01-01", modified_after: "2020-01-01" }
      const wanted = Object.fromEntries(Object.entries(together).map(([name, value]) => [name, String(value)]))
      assert.deepStrictEqual(yield* asked(call, "deal", wanted), ["/api/v2/deals"])
      const overdue = { status: "OPEN", due_before: "2026-11-20" }
      assert.deepStrictEqual(yield* asked(call, "task", { ...overdue, fields: "subject" }), ["/api/v2/activities"])
      assert.isAbove((yield* listed(call, "task", overdue)).length, 0)
      assert.deepStrictEqual(yield* asked(call, "lead", { status: "OPEN", fields: "name" }), ["/api/v1/leads"])
      assert.deepStrictEqual(yield* asked(call, "note", { account: "1", modified_after: "2020-01-01" }), [
        "/api/v1/notes"
      ])
    })
  )

  it.effect("of an id that is none of its own ask nothing", () =>
    Effect.gen(function* () {
      const { call } = yield* pipedrive
      for (const id of ["0", "07", "1e3", "-1", "1 OR 1", "9007199254740993", "zoho"]) {
        for (const resource of ["contact", "deal", "lead", "note", "task", "meeting", "activity"]) {
          assert.deepStrictEqual(yield* asked(call, resource, { account: id }), [], `${resource} ${id}`)
        }
      }
    })
  )

  it.effect("an e-mail address or a name is searched for, and what is found is read by its ids", () =>
    Effect.gen(function* () {
      const { call } = yield* pipedrive
      const email = "Rosa.O'Neil+1@filters.example"
      const made = yield* call("POST", at("contact"), {
        body: { first_name: "Rosa", last_name: "O'Neil", email_addresses: [{ email_address: email }] }
      })
      const id = String(recordOf(made).remote_id)
      yield* call("POST", at("contact"), {
        body: { last_name: "Another", email_addresses: [{ email_address: `x${email}` }] }
      })
      const calls = ["/api/v2/persons/search", "/api/v2/persons"]
      for (const wanted of [{ email: email.toUpperCase() }, { name: "rosa o'" }, { name: "O'NEIL" }]) {
        assert.deepStrictEqual(yield* asked(call, "contact", wanted), calls)
        assert.deepStrictEqual(idsOf(yield* listed(call, "contact", wanted)), [id])
      }
      assert.deepStrictEqual(yield* listed(call, "contact", { email, name: "another" }), [])

      const lead = yield* call("POST", at("lead"), { body: { name: "By its person", contact: id } })
      const byPerson = ["/api/v2/persons/search", "/api/v1/leads", "/api/v2/persons", "/api/v2/organizations"]
      const open = { email: email.toLowerCase(), status: "OPEN" }
      const [search, leads] = yield* asked(call, "lead", open)
      assert.deepStrictEqual([search, leads], byPerson.slice(0, 2))
      assert.deepStrictEqual(idsOf(yield* listed(call, "lead", open)), [String(recordOf(lead).remote_id)])
      assert.deepStrictEqual(yield* asked(call, "lead", { email: "no@body.example" }), byPerson.slice(0, 1))
    })
  )

  it.effect("the leads of several people with one address come one after the other, at every page size", () =>
    Effect.gen(function* () {
      const { call } = yield* pipedrive
      const email_addresses = [{ email_address: "office@shared.example" }]
      const all: Array<string> = []
      for (const [i, people] of [2, 5].entries()) {
        while (all.length < people * (i + 1)) {
          const { remote_id: contact } = recordOf(
            yield* call("POST", at("contact"), { body: { last_name: `Clerk ${all.length}`, email_addresses } })
          )
          for (const status of ["OPEN", "CLOSED"]) {
            const body = { name: `Lead ${all.length}`, contact, status }
            all.push(String(recordOf(yield* call("POST", at("lead"), { body })).remote_id))
          }
        }
        for (const size of [1, 3, 100]) {
          const { records } = yield* walk(call, at("lead", { email: "office@shared.example" }), size)
          assert.deepStrictEqual(idsOf(records), all.toSorted())
        }
      }
    })
  )

  it.effect("text is what its own search finds", () =>
    Effect.gen(function* () {
      const { call } = yield* pipedrive
      for (const [resource, body] of [
        ["contact", { last_name: "Quillfeather" }],
        ["company", { name: "Quillfeather & Sons" }],
        ["deal", { name: "Desks for Quillfeather" }]
      ] as const) {
        const { remote_id } = recordOf(yield* call("POST", at(resource), { body }))
        assert.deepStrictEqual(idsOf(yield* listed(call, resource, { q: "quillfeather" })), [String(remote_id)])
        assert.lengthOf(yield* asked(call, resource, { q: "quillfeather" }), 2)
        assert.deepStrictEqual(yield* listed(call, resource, { q: "quillfeather", created_before: "2020-01-01" }), [])
        const { records } = yield* walk(call, at(resource, { q: "er", created_after: "2020-01-01" }), 3)
        assert.deepStrictEqual(new Set(idsOf(records)).size, records.length)
        assert.isAbove(records.length, 3)
      }
    })
  )

  it.effect("records that share a second come once each, by any order", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const shared = { modified_after: "2025-03-04T05:06:06.001Z", modified_before: "2025-03-04T05:06:07.001Z" }
      for (const [resource, type] of [
        ["deal", "deals"],
        ["task", "activities"]
      ] as const) {
        const some = (yield* listed(call, resource)).slice(0, 9).map(({ remote_id }) => String(remote_id))
        const time = "2025-03-04T05:06:07Z"
        yield* edit(caller, type, some, { add_time: time, update_time: time })
        for (const [wanted, found] of [
          [{ created_after: "2025-03-04T05:06:07Z", created_before: "2025-03-04T05:06:08Z" }, some],
          [shared, some],
          [{ ...shared, created_before: "2025-03-04T05:06:07.500Z" }, some],
          [{ modified_after: "2025-03-04T05:06:07.001Z", modified_before: "2025-03-04T05:06:08Z" }, []],
          [{ created_after: "2025-03-04T05:06:07.001Z", created_before: "2025-03-04T05:06:08Z" }, []]
        ] as const) {
          const { records } = yield* walk(call, at(resource, wanted), 2)
          assert.deepStrictEqual(
            records.map(({ remote_id }) => String(remote_id)).toSorted(),
            [...found].toSorted(),
            `${resource} ${JSON.stringify(wanted)}`
          )
        }
      }
    })
  )

  it.effect("the times of leads have milliseconds", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const [first, second] = (yield* listed(call, "lead", { status: "OPEN" })).map(({ remote_id }) =>
        String(remote_id)
      )
      const later = "2025-03-04T05:06:07.700Z"
      yield* edit(caller, "leads", [first], {
        add_time: "2025-03-04T05:06:07.200Z",
        update_time: "2025-03-04T05:06:07.200Z"
      })
      yield* edit(caller, "leads", [second], { add_time: later, update_time: later })
      for (const stamp of ["created", "modified"]) {
        for (const [after, found] of [
          ["2025-03-04T05:06:07Z", [first, second]],
          ["2025-03-04T05:06:07.500Z", [second]],
          [later, [second]]
        ] as const) {
          const wanted = { [`${stamp}_after`]: after, [`${stamp}_before`]: "2025-03-04T05:06:08Z" }
          const { records } = yield* walk(call, at("lead", wanted), 1)
          assert.deepStrictEqual(idsOf(records), [...found].map(String).toSorted(), JSON.stringify(wanted))
        }
      }
    })
  )

  it.effect("deleted deals come where they are wanted, with the time when they were deleted", () =>
    Effect.gen(function* () {
      const caller = yield* pipedrive
      const { call } = caller
      const before = (yield* walk(call, at("deal", { status: "OPEN" }))).records
      const [gone, other] = before
      const path = (deal: Doc | undefined) => `/crm/deal/${String(deal?.remote_id)}?provider=pipedrive`
      assert.strictEqual((yield* call("DELETE", path(gone))).status, 200)
      const deleted = "2026-11-20T09:30:00Z"
      yield* edit(caller, "deals", [gone?.remote_id], { update_time: deleted })

      assert.notInclude(idsOf((yield* walk(call, at("deal"))).records), String(gone?.remote_id))
      const all = (yield* walk(call, at("deal", { include_deleted: "true", status: "OPEN" }), 7)).records
      assert.deepStrictEqual(idsOf(all), idsOf(before))
      const told = all.find(({ remote_id }) => remote_id === gone?.remote_id)
      assert.strictEqual(told?.remote_was_deleted, true)
      assert.strictEqual(told?.modified_at, "2026-11-20T09:30:00.000Z")
      assert.strictEqual(all.find(({ remote_id }) => remote_id === other?.remote_id)?.remote_was_deleted, false)

      const named = { include_deleted: "true", name: String(gone?.name).toUpperCase() }
      assert.include(idsOf(yield* listed(call, "deal", named)), String(gone?.remote_id))

      const since = { include_deleted: "true", modified_after: deleted }
      assert.include(idsOf(yield* listed(call, "deal", since)), String(gone?.remote_id))
      assert.notInclude(
        idsOf(yield* listed(call, "deal", { ...since, modified_after: "2026-11-20T09:30:00.001Z" })),
        String(gone?.remote_id)
      )
      assert.notInclude(idsOf(yield* listed(call, "deal", { ...since, status: "WON,LOST" })), String(gone?.remote_id))
      assert.deepStrictEqual(yield* asked(call, "deal", since), ["/api/v2/deals"])
    })
  )
})
