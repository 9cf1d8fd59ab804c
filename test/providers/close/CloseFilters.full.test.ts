import { assert, layer } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { filteredLists, idsOf } from "../../support/FilteredLists.ts"
import {
  type Call,
  type Caller,
  type Doc,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../../support/SandboxApplication.ts"

const { asked, at, listed, made } = filteredLists("close")

const search = "/api/v1/data/search/"

layer(sandboxApplication(), { timeout: "60 seconds" })("Close's filters", (it) => {
  const close = Effect.flatMap(SandboxApplication, (app) => app.caller(["close"]))

  /** Changes records behind the service's back. */
  const edit = ({ connections }: Caller, type: string, ids: ReadonlyArray<string>, values: Doc) =>
    Effect.flatMap(SimulationStore, (store) =>
      store.run("close", connections.close ?? "", (account) => {
        for (const id of ids) account.put(type, id, { ...account.get(type, id), ...values })
      })
    )

  it.effect("reach it in one call, however many there are", () =>
    Effect.gen(function* () {
      const { call } = yield* close
      const [deal] = yield* listed(call, "deal")
      const { account, owner, stage, status } = deal ?? {}
      const since = { created_after: "2020-01-01", modified_after: "2020-01-01" }
      const links = Object.fromEntries(
        Object.entries({ account, owner, stage, status }).map(([name, value]) => [name, String(value)])
      )
      assert.include(idsOf(yield* listed(call, "deal", { ...since, ...links })), String(deal?.remote_id))
      for (const [resource, wanted, path] of [
        ["deal", { ...since, ...links }, "/api/v1/opportunity/"],
        ["task", { ...since, status: "OPEN", due_before: "2026-11-20" }, "/api/v1/task/"],
        ["note", { created_after: "2020-01-01", account: String(account) }, "/api/v1/activity/note/"],
        ["contact", { account: String(account), modified_after: "2020-01-01" }, "/api/v1/contact/"],
        ["contact", { ...since, modified_before: "2030-01-01", name: "m" }, search],
        ["contact", { email: "no@body.example" }, search],
        ["company", { ...since, name: "no such company" }, search],
        ["company", { q: "example" }, search]
      ] as const) {
        assert.deepStrictEqual(yield* asked(call, resource, wanted), [path], `${resource} ${JSON.stringify(wanted)}`)
        const few = yield* listed(call, resource, { ...wanted, fields: "owner" })
        assert.deepStrictEqual(idsOf(few), idsOf(yield* listed(call, resource, wanted)), `${resource} of few fields`)
      }
    })
  )

  it.effect("of an id that is of another kind, or none, ask nothing", () =>
    Effect.gen(function* () {
      const { call } = yield* close
      for (const id of ["user_1", "1", "lead_", "lead_1&_limit=1", "lead_1 or 1"]) {
        for (const resource of ["contact", "deal", "task", "note"]) {
          assert.deepStrictEqual(yield* asked(call, resource, { account: id }), [], `${resource} ${id}`)
        }
      }
    })
  )

  it.effect("a name or an address is searched for by its words, and sifted", () =>
    Effect.gen(function* () {
      const { call } = yield* close
      const email_addresses = [{ email_address: "Rosa.O'Neil@Filters.example" }]
      const id = yield* made(call, "contact", { first_name: "Rosa", last_name: "O'Neil", email_addresses })
      yield* made(call, "contact", { first_name: "O'Neil", last_name: "Rosalind" })
      yield* made(call, "contact", {
        last_name: "Another",
        email_addresses: [{ email_address: "rosa.o'neil@filters.example.org" }]
      })
      for (const wanted of [{ name: "ROSA O" }, { name: "o'neil" }, { email: "rosa.o'neil@filters.EXAMPLE" }]) {
        const found = yield* listed(call, "contact", wanted)
        assert.include(idsOf(found), id)
        assert.lengthOf(found, wanted.name === "o'neil" ? 2 : 1, JSON.stringify(wanted))
      }
      assert.deepStrictEqual(yield* listed(call, "contact", { email: "@" }), [])
    })
  )

  it.effect("text is what its own search finds, in a company and in its people", () =>
    Effect.gen(function* () {
      const { call } = yield* close
      const id = yield* made(call, "company", { name: "Quillfeather & Sons" })
      yield* made(call, "contact", { last_name: "Thistledown", account: id })
      for (const q of ["quillfeather", "QUILL", "thistledown"]) {
        assert.deepStrictEqual(idsOf(yield* listed(call, "company", { q })), [id], q)
      }
      assert.deepStrictEqual(yield* listed(call, "company", { q: "quillfeather", created_before: "2020-01-01" }), [])
    })
  )

  it.effect("records that share a time come once each, however long a page waits for the next", () =>
    Effect.gen(function* () {
      const caller = yield* close
      const { call } = caller
      for (const [resource, type] of [
        ["contact", "contact"],
        ["company", "lead"],
        ["deal", "opportunity"],
        ["task", "task"]
      ] as const) {
        const some = (yield* listed(call, resource)).slice(0, 9).map(({ remote_id }) => String(remote_id))
        const time = "2025-03-04T05:06:07.123456+00:00"
        yield* edit(caller, type, some, { date_created: time, date_updated: time })
        for (const stamp of ["created", "modified"]) {
          const wanted = {
            [`${stamp}_after`]: "2025-03-04T05:06:07.123Z",
            [`${stamp}_before`]: "2025-03-04T05:06:07.124Z"
          }
          const slow: Call = (...request) => Effect.zipRight(TestClock.adjust("1 minute"), call(...request))
          const { records } = yield* walk(slow, at(resource, wanted), 2)
          assert.deepStrictEqual(
            records.map(({ remote_id }) => String(remote_id)).toSorted(),
            some.toSorted(),
            `${resource} ${stamp}`
          )
          const none = { [`${stamp}_after`]: "2025-03-04T05:06:07.124Z", [`${stamp}_before`]: "2025-03-04T05:06:08Z" }
          assert.deepStrictEqual(yield* listed(call, resource, none), [], `${resource} ${stamp}`)
        }
      }
    })
  )
})
