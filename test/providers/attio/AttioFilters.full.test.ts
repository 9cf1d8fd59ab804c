import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { filteredLists, idsOf } from "../../support/FilteredLists.ts"
import {
  type Caller,
  type Doc,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"

const { asked, at, listed, made } = filteredLists("attio")

const query = (object: string) => `/v2/objects/${object}/records/query`

const statuses = "/v2/objects/deals/attributes/stage/statuses"

const nobody = "00000000-0000-4000-8000-000000000000"

layer(sandboxApplication(), { timeout: "60 seconds" })("Attio's filters", (it) => {
  const attio = Effect.flatMap(SandboxApplication, (app) => app.caller(["attio"]))

  /** Changes records behind the service's back. */
  const edit = ({ connections }: Caller, type: string, ids: ReadonlyArray<string>, values: Doc) =>
    Effect.flatMap(SimulationStore, (store) =>
      store.run("attio", connections.attio ?? "", (account) => {
        for (const id of ids) account.put(type, id, { ...account.get(type, id), ...values })
      })
    )

  it.effect("reach it in one call, and in two where its stages are asked about", () =>
    Effect.gen(function* () {
      const { call } = yield* attio
      const [first] = yield* listed(call, "deal")
      const { account, owner, stage, status } = first ?? {}
      const links = { account: String(account), owner: String(owner) }
      const deal = { ...links, created_after: "2020-01-01", pipeline: "deals", name: String(first?.name) }
      const staged = { ...deal, stage: String(stage), status: String(status) }
      assert.include(idsOf(yield* listed(call, "deal", staged)), String(first?.remote_id))
      const person = { account: links.account, name: "m", email: "a@b.example", phone: "+44 20 7946 0101" }
      // the currency of the workspace is known from the reads before
      for (const [resource, wanted, paths] of [
        ["deal", deal, [query("deals")]],
        ["deal", staged, [statuses, query("deals")]],
        ["deal", { stage: nobody }, [statuses]],
        ["contact", person, [query("people")]],
        ["company", { created_after: "2020-01-01", name: "m", domain: "no.example" }, [query("companies")]],
        ["task", { status: "OPEN", account: nobody }, ["/v2/tasks"]],
        ["note", { account: nobody }, ["/v2/notes"]]
      ] as const) {
        assert.deepStrictEqual(
          yield* asked(call, resource, wanted),
          [...paths],
          `${resource} ${JSON.stringify(wanted)}`
        )
      }
    })
  )

  it.effect("of an id that is none of its own ask nothing", () =>
    Effect.gen(function* () {
      const { call } = yield* attio
      for (const id of ["1", "companies", `${nobody}0`, `${nobody}" or "1`]) {
        for (const resource of ["contact", "deal", "task", "note"]) {
          assert.deepStrictEqual(yield* asked(call, resource, { account: id }), [], `${resource} ${id}`)
        }
        assert.deepStrictEqual(yield* asked(call, "deal", { pipeline: id }), [])
      }
    })
  )

  it.effect("a note is on one record", () =>
    Effect.gen(function* () {
      const { call } = yield* attio
      const found = (yield* listed(call, "note")).find(({ account }) => account !== null)
      const account = String(found?.account)
      assert.include(idsOf(yield* listed(call, "note", { account })), String(found?.remote_id))
      assert.include(idsOf(yield* listed(call, "note", { account: account.toUpperCase() })), String(found?.remote_id))
      assert.deepStrictEqual(yield* asked(call, "note", { account, contact: account }), [])
    })
  )

  it.effect("names, addresses, numbers and hosts mean the same however they are written", () =>
    Effect.gen(function* () {
      const { call } = yield* attio
      const id = yield* made(call, "contact", {
        first_name: "Rosa María",
        last_name: "O'Neil $eq",
        email_addresses: [{ email_address: "Rosa.O'Neil@Filters.example" }],
        phone_numbers: [{ phone_number: "+44 (20) 7946-0958" }]
      })
      for (const wanted of [
        { name: "rosa maría O'NEIL" },
        { name: "o'neil $" },
        { email: "rosa.o'neil@filters.EXAMPLE" },
        { phone: "020 7946 0958" },
        { phone: "00442079460958" }
      ]) {
        assert.deepStrictEqual(idsOf(yield* listed(call, "contact", wanted)), [id], JSON.stringify(wanted))
      }
      assert.deepStrictEqual(yield* listed(call, "contact", { name: "neil $eq" }), [])
      assert.deepStrictEqual(yield* listed(call, "contact", { phone: "46 0958" }).pipe(Effect.map(idsOf)), [id])
      assert.deepStrictEqual(yield* listed(call, "contact", { phone: "0958" }), [])
      assert.deepStrictEqual(yield* asked(call, "contact", { email: "nobody" }), [])

      const company = yield* made(call, "company", {
        name: "Filters Ltd",
        website: "https://www.filters.example/about"
      })
      for (const domain of ["filters.example", "HTTPS://www.Filters.example/x?y#z", "www.filters.example"]) {
        assert.deepStrictEqual(idsOf(yield* listed(call, "company", { domain })), [company], domain)
      }
      assert.deepStrictEqual(yield* listed(call, "company", { domain: "lters.example" }), [])
    })
  )

  it.effect("of several people of a deal, the first one counts", () =>
    Effect.gen(function* () {
      const caller = yield* attio
      const { call } = caller
      const [one, two] = (yield* listed(call, "contact")).map(({ remote_id }) => String(remote_id))
      const found = idsOf((yield* walk(call, at("deal"))).records)
      const deal = found[0] ?? ""
      const linkTo = (target_record_id: string | undefined) => ({ target_object: "people", target_record_id })
      yield* edit(caller, "deals", found, { associated_people: [] })
      yield* edit(caller, "deals", [deal], { associated_people: [linkTo(one), linkTo(two)] })
      assert.deepStrictEqual(idsOf(yield* listed(call, "deal", { contact: String(one) })), [deal])
      assert.deepStrictEqual(yield* listed(call, "deal", { contact: String(two) }), [])
    })
  )

  it.effect("records that share a time come once each", () =>
    Effect.gen(function* () {
      const caller = yield* attio
      const { call } = caller
      for (const [resource, type] of [
        ["contact", "people"],
        ["company", "companies"],
        ["deal", "deals"]
      ] as const) {
        const some = (yield* listed(call, resource)).slice(0, 9).map(({ remote_id }) => String(remote_id))
        yield* edit(caller, type, some, { created_at: "2025-03-04T05:06:07.123456789Z" })
        const wanted = { created_after: "2025-03-04T05:06:07.123Z", created_before: "2025-03-04T05:06:07.124Z" }
        const { records } = yield* walk(call, at(resource, wanted), 2)
        assert.deepStrictEqual(records.map(({ remote_id }) => String(remote_id)).toSorted(), some.toSorted(), resource)
        const later = { created_after: "2025-03-04T05:06:07.124Z", created_before: "2025-03-04T05:06:08Z" }
        assert.deepStrictEqual(yield* listed(call, resource, later), [], resource)
      }
    })
  )
})
