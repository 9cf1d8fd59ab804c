import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { ProviderError } from "../../src/provider.ts"
import {
  Down,
  LimitReached,
  type MockFailure,
  mockProvider,
  TestApplication,
  testApplication,
  TimedOut,
  Unauthenticated
} from "../../src/testing.ts"
import { whileTimePasses } from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const Records = Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
const pageOf = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Struct({
      data: Records,
      pagination: Schema.Struct({ cursor: Schema.NullOr(Schema.String), hasMore: Schema.Boolean })
    })
  })
)
const recordOf = (body: unknown) =>
  Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Record({ key: Schema.String, value: Schema.Unknown }) }))(body)
    .data
const failureOf = Schema.decodeUnknownSync(Schema.Struct({ statusCode: Schema.Number, message: Schema.String }))
const linesOf = Schema.decodeUnknownSync(Records)

/** Calls the application; gives the status and the body. */
const call = Effect.fnUntraced(function* (method: string, path: string, body?: unknown, headers: object = {}) {
  const app = yield* TestApplication
  const response = yield* Effect.promise(() =>
    app.fetch(`/api/v1${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
  )
  const json: unknown = yield* Effect.promise(() => response.json())
  return { status: response.status, headers: response.headers, body: json }
})

const list = (path: string) => Effect.map(call("GET", path), ({ body }) => pageOf(body).data)

layer(testApplication({ providers: [mockProvider("hubspot", { contact: [{ first_name: "Ada" }] })] }))(
  "a mock in five lines",
  (it) => {
    it.effect("answers in canonical shape, over its own connection", () =>
      Effect.gen(function* () {
        const app = yield* TestApplication
        const { data } = yield* list("/crm/contact")
        assert.deepStrictEqual(
          data.map((one) => [one.first_name, one.remote_id, one.providerId, one.created_at]),
          [["Ada", "1", app.connections.hubspot, "1970-01-01T00:00:00.000Z"]]
        )
      })
    )

    it.effect("answers the HttpClient and the typed client alike", () =>
      Effect.gen(function* () {
        const app = yield* TestApplication
        const plain = yield* Effect.flatMap(app.http.get("/api/v1/crm/contact"), (response) => response.json)
        const client = yield* app.client
        const typed = yield* client.crm_contact.list({ headers: { "x-end-user-id": app.endUser }, urlParams: {} })
        assert.strictEqual(typed.data.data[0]?.first_name, "Ada")
        assert.deepStrictEqual(pageOf(plain).data.data[0]?.id, typed.data.data[0]?.id)
      })
    )

    it.effect("has what the catalogue allows, and nothing else", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* call("GET", "/crm/deal?provider=hubspot")).status, 405)
        const { body } = yield* call("GET", "/providers/hubspot")
        const { resources } = Schema.decodeUnknownSync(
          Schema.Struct({
            resources: Schema.Array(Schema.Struct({ resource: Schema.String, operations: Schema.Array(Schema.String) }))
          })
        )(recordOf(body))
        assert.deepStrictEqual(
          resources.map(({ operations, resource }) => [resource, operations]),
          [["contact", ["list", "get", "create", "replace", "patch", "remove"]]]
        )
      })
    )
  }
)

layer(
  testApplication({
    providers: [
      mockProvider("salesforce", {
        contact: Array.from({ length: 7 }, (_, at) => ({ last_name: `Person ${at}` })),
        owner: [{ remote_id: "9", name: "Olga" }],
        company: []
      })
    ]
  })
)("what is written to a mock", (it) => {
  it.effect("is found, changed, replaced and removed", () =>
    Effect.gen(function* () {
      const made = yield* call("POST", "/crm/contact?provider=salesforce", {
        last_name: "Hopper",
        owner: "9",
        email_addresses: [{ email_address: "grace@navy.example" }]
      })
      assert.strictEqual(made.status, 201)
      const { remote_id } = recordOf(made.body)
      const path = `/crm/contact/${String(remote_id)}?provider=salesforce`
      assert.deepInclude(recordOf((yield* call("GET", path)).body), {
        last_name: "Hopper",
        owner: "9",
        email_addresses: [{ email_address: "grace@navy.example", email_address_type: null }]
      })
      assert.deepInclude(recordOf((yield* call("PATCH", path, { first_name: "Grace" })).body), {
        first_name: "Grace",
        last_name: "Hopper",
        owner: "9"
      })
      assert.deepInclude(recordOf((yield* call("PUT", path, { last_name: "Murray" })).body), {
        first_name: null,
        last_name: "Murray",
        owner: null,
        email_addresses: []
      })
      assert.strictEqual((yield* call("DELETE", path)).status, 200)
      assert.strictEqual((yield* call("GET", path)).status, 404)
      assert.strictEqual((yield* call("DELETE", path)).status, 404)
    })
  )

  it.effect("goes by pages, once for an idempotency key, and by the rules of the catalogue", () =>
    Effect.gen(function* () {
      const first = yield* list("/crm/contact?limit=3")
      assert.deepStrictEqual(
        first.data.map((one) => one.last_name),
        ["Person 0", "Person 1", "Person 2"]
      )
      const cursor = encodeURIComponent(first.pagination.cursor ?? "")
      const rest = yield* list(`/crm/contact?limit=100&cursor=${cursor}`)
      assert.deepStrictEqual(
        rest.data.map((one) => one.last_name),
        ["Person 3", "Person 4", "Person 5", "Person 6"]
      )
      assert.isFalse(rest.pagination.hasMore)

      const send = call("POST", "/crm/company?provider=salesforce", { name: "Acme" }, { "idempotency-key": "one" })
      assert.strictEqual(recordOf((yield* send).body).remote_id, recordOf((yield* send).body).remote_id)
      assert.strictEqual((yield* list("/crm/company")).data.length, 1)
      assert.strictEqual((yield* call("POST", "/crm/company?provider=salesforce", { nam: "Acme" })).status, 422)
      assert.strictEqual((yield* call("POST", "/crm/owner?provider=salesforce", { name: "x" })).status, 405)
    })
  )

  it.effect("stays in the connection of who wrote it", () =>
    Effect.gen(function* () {
      const app = yield* TestApplication
      const other = yield* app.caller({ beside: app })
      yield* call("DELETE", "/crm/contact/7?provider=salesforce")
      const response = yield* Effect.promise(() => other.fetch("/api/v1/crm/contact/7?provider=salesforce"))
      assert.strictEqual(response.status, 200)
      assert.strictEqual((yield* call("GET", "/crm/contact/7?provider=salesforce")).status, 404)
    })
  )
})

layer(
  testApplication({
    providers: [
      mockProvider("xero", {
        contact: [{ remote_id: "c1", name: "Acme", is_customer: true }],
        invoice: [
          {
            remote_id: "i1",
            type: "ACCOUNTS_RECEIVABLE",
            contact: "c1",
            remote_created_at: "2026-01-31T09:00:00Z",
            exchange_rate: "1.25",
            line_items: [{ description: "Work", item: "x1", tracking_categories: ["t1"], unit_price: 2 }],
            applied_payments: [{ payment: "p1", applied_amount: 5 }]
          },
          { remote_id: "i2", type: "ACCOUNTS_RECEIVABLE", remote_created_at: "2026-02-28T09:00:00Z" }
        ],
        account: [{ remote_id: "a1", name: "Bank" }],
        attachment: [
          { remote_id: "f1", file_name: "terms.txt", related_object_type: "contact", related_object_id: "c1" }
        ],
        credit_note: [{ remote_id: "n1", contact: "c1" }],
        payment: [
          { remote_id: "p1", applied_to_lines: [{ related_object_id: "n1", related_object_type: "CREDIT_NOTE" }] }
        ],
        balance_sheet: [
          { remote_id: "b1", assets: [{ name: "Assets", sub_items: [{ name: "Bank", value: 7 }] }], date: "2026-01-31" }
        ]
      })
    ]
  })
)("references of a mock", (it) => {
  const one = (path: string) => Effect.map(call("GET", `${path}?provider=xero`), ({ body }) => recordOf(body))
  const uuidOf = (record: { readonly id?: unknown }) => String(record.id).replace("urn:uuid:", "")

  it.effect("name other records of it by their remote_id", () =>
    Effect.gen(function* () {
      const contact = yield* one("/accounting/contact/c1")
      const note = yield* one("/accounting/credit_note/n1")
      const payment = yield* one("/accounting/payment/p1")
      const invoice = yield* one("/accounting/invoice/i1")
      assert.deepInclude(invoice, { contact: uuidOf(contact), exchange_rate: "1.25", status: null, payments: [] })
      assert.strictEqual(linesOf(invoice.applied_payments)[0]?.payment, uuidOf(payment))
      const [line] = linesOf(invoice.line_items)
      assert.deepInclude(line, { description: "Work", unit_price: 2, quantity: null })
      assert.match(String(line?.id), /^urn:uuid:/)
      assert.strictEqual(linesOf(payment.applied_to_lines)[0]?.related_object_id, uuidOf(note))
      const { assets } = yield* one("/accounting/balance_sheet/b1")
      assert.deepInclude(linesOf(linesOf(assets)[0]?.sub_items)[0], { name: "Bank", value: 7, sub_items: [] })
    })
  )

  it.effect("come back as they were written", () =>
    Effect.gen(function* () {
      const contact = uuidOf(yield* one("/accounting/contact/c1"))
      const invoice = uuidOf(yield* one("/accounting/invoice/i1"))
      const made = yield* call("POST", "/accounting/payment?provider=xero", {
        type: "ACCOUNTS_RECEIVABLE",
        transaction_date: "2026-03-01",
        contact,
        account: uuidOf(yield* one("/accounting/account/a1")),
        total_amount: 5,
        applied_to_lines: [{ related_object_id: invoice, related_object_type: "INVOICE", applied_amount: 5 }]
      })
      assert.strictEqual(made.status, 201, JSON.stringify(made.body))
      const payment = recordOf(made.body)
      assert.strictEqual(payment.contact, contact)
      assert.deepInclude(linesOf(payment.applied_to_lines)[0], { related_object_id: invoice, applied_amount: 5 })
      const strange = yield* call("PATCH", "/accounting/invoice/i1?provider=xero", { contact: invoice })
      assert.strictEqual(strange.status, 422)
    })
  )

  it.effect("keep lines by their ids", () =>
    Effect.gen(function* () {
      const [line] = linesOf((yield* one("/accounting/invoice/i1")).line_items)
      const changed = yield* call("PATCH", "/accounting/invoice/i1?provider=xero", {
        line_items: [{ remote_id: line?.remote_id, quantity: 3 }, { description: "More" }]
      })
      const [kept, more] = linesOf(recordOf(changed.body).line_items)
      assert.deepInclude(kept, { id: line?.id, description: "Work", quantity: 3 })
      assert.notStrictEqual(more?.remote_id, kept?.remote_id)
    })
  )

  it.effect("say what files hang on, which go up and come down", () =>
    Effect.gen(function* () {
      const app = yield* TestApplication
      const fileOf = (id: string) =>
        Effect.promise(async () =>
          (await app.fetch(`/api/v1/accounting/attachment/${id}/content?provider=xero`)).text()
        )
      assert.deepInclude(yield* one("/accounting/attachment/f1"), {
        related_object_type: "contact",
        related_object_id: uuidOf(yield* one("/accounting/contact/c1"))
      })
      assert.strictEqual(yield* fileOf("f1"), "terms.txt")

      const form = new FormData()
      form.set("related_object_type", "invoice")
      form.set("related_object_id", uuidOf(yield* one("/accounting/invoice/i1")))
      form.set("file", new File(["a,b"], "lines.csv", { type: "text/csv" }))
      const sent = yield* Effect.promise(() =>
        app.fetch("/api/v1/accounting/attachment?provider=xero", { method: "POST", body: form })
      )
      const made = recordOf(yield* Effect.promise(() => sent.json()))
      assert.deepInclude(made, { file_name: "lines.csv", content_type: "text/csv", file_size: 3 })
      assert.strictEqual(made.related_object_id, uuidOf(yield* one("/accounting/invoice/i1")))
      assert.strictEqual(yield* fileOf(String(made.remote_id)), "a,b")
    })
  )

  it.effect("are filtered by when they were made; reports are of a period", () =>
    Effect.gen(function* () {
      const ids = (path: string) => Effect.map(list(path), ({ data }) => data.map((record) => record.remote_id))
      assert.deepStrictEqual(yield* ids("/accounting/invoice?created_after=2026-02-01"), ["i2"])
      assert.deepStrictEqual(yield* ids("/accounting/invoice?created_before=2026-02-28T09:00:00Z"), ["i1"])
      assert.deepStrictEqual(yield* ids("/accounting/balance_sheet?created_before=1999-01-01"), ["b1"])
    })
  )
})

layer(
  testApplication({
    providers: [
      mockProvider("hubspot", { contact: [{ first_name: "Ada", custom_fields: { tier: "gold" } }] }),
      mockProvider("close", {
        lead: (connection) =>
          Effect.succeed([{ last_name: connection.environment === "sandbox" ? "Sandbox" : "Production" }]),
        note: () =>
          Effect.fail(new ProviderError({ provider: "close", operation: "note.list", reason: new TimedOut() })),
        // @ts-expect-error a misspelt field
        task: () => [{ subjct: "Call" }, { subject: 5 }],
        meeting: () => {
          throw new Error("no such fixture")
        }
      })
    ]
  })
)("more of a mock", (it) => {
  it.effect("an override adds a native field, read and written", () =>
    Effect.gen(function* () {
      const override = { provider: "hubspot", resource: "contact", field: "loyalty", native_field: "tier" }
      // a change is answered when it is in force everywhere
      const added = yield* whileTimePasses(1000)(call("PUT", "/field-mappings", override))
      assert.strictEqual(added.status, 200, JSON.stringify(added.body))
      assert.deepStrictEqual((yield* list("/crm/contact?provider=hubspot")).data[0]?.custom_fields, { loyalty: "gold" })
      const path = "/crm/contact/1?provider=hubspot"
      const patched = yield* call("PATCH", path, { custom_fields: { loyalty: "silver" } })
      assert.deepStrictEqual(recordOf(patched.body).custom_fields, { loyalty: "silver" })
    })
  )

  it.effect("records may depend on the connection, and fail", () =>
    Effect.gen(function* () {
      const app = yield* TestApplication
      assert.strictEqual((yield* list("/crm/lead")).data[0]?.last_name, "Sandbox")
      const live = yield* app.caller({ environment: "production", connected: ["close"] })
      const response = yield* Effect.promise(() => live.fetch("/api/v1/crm/lead"))
      const body: unknown = yield* Effect.promise(() => response.json())
      assert.strictEqual(pageOf(body).data.data[0]?.last_name, "Production")
      assert.strictEqual((yield* call("GET", "/crm/note?provider=close")).status, 504)
      const told = (resource: string) => Effect.map(call("GET", `/crm/${resource}`), ({ body }) => failureOf(body))
      assert.deepStrictEqual(yield* Effect.all([told("task"), told("meeting")]), [
        {
          statusCode: 500,
          message:
            'mock close: task[0].subjct is not a field of crm/task; did you mean "subject"?\nmock close: task[1].subject must be a string'
        },
        { statusCode: 500, message: "mock close: meeting: its function failed: Error: no such fixture" }
      ])
    })
  )
})

describe("failures of a mock", () => {
  const failing = (operation: "contact.list" | "contact.create", failure: MockFailure) =>
    testApplication({ providers: [mockProvider("hubspot", { contact: [{}] }, { failures: { [operation]: failure } })] })

  it.effect("go on for good, with what the provider would have said", () =>
    Effect.gen(function* () {
      for (const _ of [1, 2]) {
        const { body, headers, status } = yield* call("GET", "/crm/contact?provider=hubspot")
        assert.deepStrictEqual([status, headers.get("retry-after")], [429, "3"])
        assert.include(JSON.stringify(body), `"status":429`)
      }
      assert.strictEqual((yield* call("GET", "/crm/contact/1?provider=hubspot")).status, 200)
    }).pipe(Effect.provide(failing("contact.list", new LimitReached({ retryAfter: 3 }))))
  )

  it.effect("come one by one, and then it works", () =>
    Effect.gen(function* () {
      const create = Effect.map(
        call("POST", "/crm/contact?provider=hubspot", { last_name: "x" }),
        ({ status }) => status
      )
      assert.deepStrictEqual(yield* Effect.all([create, create, create]), [502, 504, 201])
      assert.strictEqual((yield* list("/crm/contact")).data.length, 2)
    }).pipe(Effect.provide(failing("contact.create", [new Down({ retryAfter: 1 }), new TimedOut()])))
  )

  it.effect("make a connection need reconnecting", () =>
    Effect.gen(function* () {
      const app = yield* TestApplication
      assert.strictEqual((yield* call("GET", "/crm/contact?provider=hubspot")).status, 409)
      const { body } = yield* call("GET", `/connections/${app.connections.hubspot ?? ""}`)
      assert.strictEqual(recordOf(body).status, "needs_reauth")
      assert.strictEqual((yield* call("GET", "/crm/contact?provider=hubspot")).status, 409)
    }).pipe(Effect.provide(failing("contact.list", [new Unauthenticated()])))
  )
})

describe("a mock with a mistake", () => {
  const refusalOf = (provider: ReturnType<typeof mockProvider>) =>
    Effect.map(Effect.flip(Layer.launch(testApplication({ providers: [provider] }))), (error) => error.message)

  full(it).effect("fails with its place and the nearest name", () =>
    Effect.gen(function* () {
      const refusals = yield* Effect.all([
        // @ts-expect-error a misspelt field
        refusalOf(mockProvider("hubspot", { contact: [{}, { frist_name: "Ada" }] })),
        // @ts-expect-error a misspelt field of a nested object, and a text that is none
        refusalOf(mockProvider("hubspot", { contact: [{ email_addresses: [{ email: "a@b" }], title: 5 }] })),
        // @ts-expect-error a misspelt resource
        refusalOf(mockProvider("hubspot", { contcat: [] })),
        // @ts-expect-error a misspelt operation
        refusalOf(mockProvider("hubspot", { contact: [] }, { failures: { "contact.lst": new TimedOut() } })),
        refusalOf(mockProvider("hubspot", { contact: [{ remote_id: "1" }, { remote_id: "1" }] })),
        refusalOf(mockProvider("rolodex", { contact: [] }))
      ])
      assert.deepStrictEqual(refusals, [
        'mock hubspot: contact[1].frist_name is not a field of crm/contact; did you mean "first_name"?',
        'mock hubspot: contact[0].title must be a string\nmock hubspot: contact[0].email_addresses[0].email is not a field of crm/contact; did you mean "email_address"?',
        'mock hubspot: there is no crm resource "contcat"; did you mean "contact"?',
        'mock hubspot: failures: this mock has no operation "contact.lst"; did you mean "contact.list"?',
        'mock hubspot: contact: two records have the remote_id "1"',
        'mock rolodex: both categories have its resources; give it resources of one, and say which with { category: "crm" } or "accounting"'
      ])
    })
  )
})
