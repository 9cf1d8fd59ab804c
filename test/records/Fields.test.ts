import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { NotedRequests } from "../../src/testing/contract/NotedRequests.ts"
import { type Doc, pageOf, recordOf, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const common = [
  ...["id", "remote_id", "remote_was_deleted", "providerSlug", "providerId"],
  ...["created_at", "modified_at", "remote_created_at", "remote_updated_at"]
]

const messageOf = (body: unknown) =>
  typeof body === "object" && body !== null && "message" in body ? String(body.message) : ""

layer(sandboxApplication(), { timeout: "60 seconds" })("fields", (it) => {
  const connected = (...providers: ReadonlyArray<string>) =>
    Effect.flatMap(SandboxApplication, (app) => app.caller(providers))

  it.effect("answer what was asked for with the common ones, over several providers and by id", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("hubspot", "salesforce")
      const whole = pageOf(yield* call("GET", "/crm/contact?limit=4")).data
      const some = pageOf(
        yield* call("GET", "/crm/contact?limit=4&fields=first_name,%20email_addresses,first_name")
      ).data
      const wanted = new Set([...common, "first_name", "email_addresses"])
      const reduced = (record: Doc) => Object.fromEntries(Object.entries(record).filter(([name]) => wanted.has(name)))
      assert.deepStrictEqual(some, whole.map(reduced))
      assert.sameMembers([...new Set(some.map(({ providerSlug }) => providerSlug))], ["hubspot", "salesforce"])
      const [first = {}] = whole
      const one = `/crm/contact/${String(first.remote_id)}?provider=${String(first.providerSlug)}`
      const got = recordOf(yield* call("GET", `${one}&fields=first_name,email_addresses`))
      assert.deepStrictEqual(got, reduced(first))
      // those that always come may be named, too
      assert.hasAllKeys(recordOf(yield* call("GET", `${one}&fields=id`)), common)
    })
  )

  it.effect("with a name that is none are refused, naming the near one and those there are", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("hubspot")
      const refusals = [
        ["frist_name", 'fields: contact has no field "frist_name"; did you mean "first_name"? it has id, '],
        ["first_name,integration_params", 'contact has no field "integration_params"'],
        ["", 'contact has no field ""'],
        ["x".repeat(500), `contact has no field "${"x".repeat(64)}"`]
      ] as const
      for (const path of ["/crm/contact?", "/crm/contact/1?provider=hubspot&"]) {
        for (const [fields, words] of refusals) {
          const { body, status } = yield* call("GET", `${path}fields=${fields}`)
          assert.deepInclude(body, { statusCode: 400, code: "INVALID_PARAMETER" })
          assert.strictEqual(status, 400)
          assert.include(messageOf(body), words)
          assert.include(messageOf(body), "email_addresses")
        }
      }
    })
  )

  it.effect("may change in the middle of a walk", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("pipedrive", "hubspot")
      const ids: Array<unknown> = []
      let cursor: string | null = ""
      for (const fields of ["&fields=first_name", "", "&fields=owner", "&fields=id"]) {
        const page: ReturnType<typeof pageOf> = pageOf(
          yield* call("GET", `/crm/contact?limit=5${fields}${cursor === "" ? "" : `&cursor=${String(cursor)}`}`)
        )
        ids.push(...page.data.map(({ id }) => id))
        cursor = page.pagination.cursor
      }
      const whole = pageOf(yield* call("GET", "/crm/contact?limit=100")).data.map(({ id }) => id)
      assert.strictEqual(ids.length, 20)
      assert.strictEqual(new Set(ids).size, 20)
      assert.includeMembers(whole, ids)
    })
  )

  full(it).effect("cost the provider no more than they need", () =>
    Effect.gen(function* () {
      const { call } = yield* connected("netsuite", "salesforce", "hubspot")
      const requests = yield* NotedRequests
      const during = (path: string) =>
        // what the account is like is found out with the first page
        Effect.zipRight(call("GET", path), requests.during(call("GET", path)))
      const note = "/crm/note?provider=salesforce&limit=5"
      const isContent = ({ path }: { readonly path: string }) => path.endsWith("/Content")
      assert.isAbove((yield* during(note)).filter(isContent).length, 0)
      assert.isAbove((yield* during(`${note}&fields=content`)).filter(isContent).length, 0)
      assert.deepStrictEqual((yield* during(`${note}&fields=title,contact`)).filter(isContent), [])
      // one query for each of the two kinds of notes at most
      assert.isAtMost((yield* during(`${note}&fields=title`)).length, 2)

      const invoice = "/accounting/invoice?provider=netsuite&limit=5"
      assert.isAbove((yield* during(invoice)).length, 1)
      assert.strictEqual((yield* during(`${invoice}&fields=number,issue_date`)).length, 1)
      assert.isAbove((yield* during(`${invoice}&fields=line_items`)).length, 1)
      assert.strictEqual((yield* during("/accounting/transaction?provider=netsuite&limit=5&fields=number")).length, 1)

      const lead = "/crm/lead?provider=hubspot&limit=5"
      assert.strictEqual((yield* during(lead)).length, 2)
      assert.strictEqual((yield* during(`${lead}&fields=owner`)).length, 1)
    })
  )
})
