import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { mockProvider, TestApplication, testApplication } from "../../src/testing.ts"

const Page = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Struct({
      data: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
      pagination: Schema.Struct({ cursor: Schema.NullOr(Schema.String), hasMore: Schema.Boolean }),
      errors: Schema.optional(
        Schema.Array(Schema.Struct({ provider: Schema.String, code: Schema.String, message: Schema.String }))
      )
    })
  })
)
const Refused = Schema.decodeUnknownSync(
  Schema.Struct({ statusCode: Schema.Number, code: Schema.String, message: Schema.String })
)

const call = Effect.fnUntraced(function* (path: string) {
  const app = yield* TestApplication
  const response = yield* Effect.promise(() => app.fetch(`/api/v1${path}`))
  const body: unknown = yield* Effect.promise(() => response.json())
  return body
})

const query = (path: string, wanted: { readonly [name: string]: string }) =>
  `${path}?${new URLSearchParams(wanted).toString()}`

const page = (path: string, wanted: { readonly [name: string]: string } = {}) =>
  Effect.map(call(query(path, wanted)), (body) => Page(body).data)

const refusal = (path: string, wanted: { readonly [name: string]: string }) =>
  Effect.map(call(query(path, wanted)), Refused)

const contact = (first_name: string, last_name: string, email: string, more: object = {}) => ({
  first_name,
  last_name,
  email_addresses: [{ email_address: email }],
  ...more
})

const people = [
  contact("Ada", "Lovelace", "ada@engine.example", {
    phone_numbers: [{ phone_number: "+44 (0)20 7946 0018" }],
    owner: "7",
    remote_created_at: "2026-01-31T09:30:00.000Z",
    remote_updated_at: "2026-02-01T00:00:00.000Z"
  }),
  contact("Adam", "Smith", "adam@Wealth.example", {
    phone_numbers: [{ phone_number: "0414 555 0101" }],
    account: "12",
    owner: "7",
    remote_created_at: "2026-01-31T10:00:00.000Z",
    remote_updated_at: "2026-02-03T12:00:00.000Z"
  }),
  contact("Grace", "Hopper", "GRACE@compiler.example", {
    owner: "Ab",
    account: "12",
    remote_created_at: "2026-02-02T00:00:00.000Z",
    remote_updated_at: "2026-02-02T00:00:00.000Z"
  }),
  contact("Ångström", "O'Neil", "o'neil@light.example", {
    owner: "aB",
    remote_created_at: "2026-02-03T00:00:00.000Z",
    remote_updated_at: "2026-02-03T00:00:00.000Z"
  })
]

const tasks = (["OPEN", "CLOSED", "OPEN", "CLOSED"] as const).map((status, i) => ({
  subject: `Task ${i}`,
  status,
  due_date: `2026-03-0${i + 1}T00:00:00.000Z`
}))

layer(
  testApplication({
    providers: [
      mockProvider("hubspot", {
        contact: people,
        task: tasks,
        company: [{ name: "Acme", website: "https://www.acme.example/about" }]
      }),
      mockProvider("salesforce", {
        contact: Array.from({ length: 320 }, (_, i) =>
          contact(i % 80 === 79 ? "Ada" : "Other", `Person ${i}`, `p${i}@other.example`)
        )
      }),
      mockProvider("xero", {
        contact: [
          { name: "Acme Ltd", is_customer: true, status: "ACTIVE" },
          { name: "Büro", is_customer: false, status: "ACTIVE" }
        ]
      })
    ]
  }),
  { timeout: "60 seconds" }
)("filters", (it) => {
  const names = (wanted: { readonly [name: string]: string }) =>
    Effect.map(page("/crm/contact", { provider: "hubspot", ...wanted }), ({ data }) =>
      data.map(({ first_name }) => first_name)
    )

  it.effect.each<readonly [string, { readonly [name: string]: string }, Array<unknown>]>([
    ["text is equal whatever the case", { email: "ADA@engine.example" }, ["Ada"]],
    ["text with a quote", { email: "O'NEIL@light.example" }, ["Ångström"]],
    ["a name begins so", { name: "ada" }, ["Ada", "Adam"]],
    ["a whole name", { name: "ADA lovelace" }, ["Ada"]],
    ["a name begins in the middle nowhere", { name: "dam" }, []],
    ["a last name", { name: "hop" }, ["Grace"]],
    ["composed letters", { name: "A\u030Angstro\u0308m" }, ["Ångström"]],
    ["a phone by its digits", { phone: "2079460018" }, ["Ada"]],
    ["a phone with the code of its country", { phone: "+61 414 555 0101" }, ["Adam"]],
    ["too few digits of a phone", { phone: "0101" }, []],
    ["a reference", { account: "12" }, ["Adam", "Grace"]],
    ["a reference by letters, with regard to case", { owner: "aB" }, ["Ångström"]],
    ["several filters mean and", { account: "12", owner: "7" }, ["Adam"]],
    ["from, which is inclusive", { created_after: "2026-01-31T10:00:00Z" }, ["Adam", "Grace", "Ångström"]],
    ["before, which is exclusive", { created_before: "2026-01-31T10:00:00Z" }, ["Ada"]],
    ["a day is its midnight in UTC", { created_after: "2026-02-02", created_before: "2026-02-03" }, ["Grace"]],
    ["an offset", { created_after: "2026-02-02T01:00:00+01:00" }, ["Grace", "Ångström"]],
    ["a time without an offset is of UTC", { modified_after: "2026-02-03T00:00:00" }, ["Adam", "Ångström"]],
    ["an empty range", { modified_after: "2026-02-03", modified_before: "2026-02-03" }, []]
  ])("%s", ([, wanted, meant]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* names(wanted), meant)
    })
  )

  it.effect("values that are separated by commas mean or; hosts and truth are compared as such", () =>
    Effect.gen(function* () {
      const of = (path: string, wanted: { readonly [name: string]: string }) =>
        Effect.map(page(path, wanted), ({ data }) => data.length)
      assert.strictEqual(yield* of("/crm/task", { provider: "hubspot", status: "OPEN" }), 2)
      assert.strictEqual(yield* of("/crm/task", { provider: "hubspot", status: "OPEN, CLOSED" }), 4)
      assert.strictEqual(yield* of("/crm/task", { provider: "hubspot", due_before: "2026-03-02" }), 1)
      assert.strictEqual(yield* of("/crm/company", { provider: "hubspot", domain: "acme.example" }), 1)
      assert.strictEqual(yield* of("/crm/company", { provider: "hubspot", domain: "cme.example" }), 0)
      assert.strictEqual(yield* of("/accounting/contact", { is_customer: "true" }), 1)
      assert.strictEqual(yield* of("/accounting/contact", { name: "büro", is_customer: "false" }), 1)
    })
  )

  it.effect("sifting goes on from page to page, ends, and shows no field that was only sifted by", () =>
    Effect.gen(function* () {
      const found: Array<unknown> = []
      let cursor: string | null = ""
      let pages = 0
      while (cursor !== null) {
        const { data, pagination }: ReturnType<typeof Page>["data"] = yield* page("/crm/contact", {
          provider: "salesforce",
          name: "ada",
          limit: "1",
          fields: "email_addresses",
          ...(cursor === "" ? {} : { cursor })
        })
        assert.isAtMost(data.length, 1)
        found.push(...data)
        cursor = pagination.cursor
        pages += 1
      }
      assert.strictEqual(found.length, 4)
      assert.isAtMost(pages, 5)
      for (const record of found) {
        assert.notProperty(record, "first_name")
        assert.property(record, "email_addresses")
      }
    })
  )

  it.effect("a list without provider is cut down at each, and says which provider lacks a filter", () =>
    Effect.gen(function* () {
      const { data, errors } = yield* page("/crm/contact", { name: "ada", limit: "100" })
      assert.strictEqual(data.filter(({ providerSlug }) => providerSlug === "hubspot").length, 2)
      assert.strictEqual(data.filter(({ providerSlug }) => providerSlug === "salesforce").length, 4)
      assert.isUndefined(errors)
    })
  )

  it.effect.each<readonly [string, { readonly [name: string]: string }, string, string]>([
    ["/crm/contact", { emial: "x" }, "INVALID_PARAMETER", "emial: is not known here; there are provider, cursor, "],
    ["/crm/contact", { created_after: "yesterday" }, "INVALID_PARAMETER", "created_after: must be an ISO 8601 date"],
    ["/crm/contact", { modified_after: "2026-02-30" }, "INVALID_PARAMETER", "modified_after"],
    [
      "/crm/contact",
      { created_after: "2026-02-02", created_before: "2026-02-01" },
      "INVALID_PARAMETER",
      "created_after: must not be later than created_before"
    ],
    ["/crm/task", { status: "OPEN,CLOSD" }, "INVALID_PARAMETER", `status: "CLOSD" is not one of`],
    ["/crm/task", { status: "OPEN," }, "INVALID_PARAMETER", "status: must have a value between its commas"],
    [
      "/accounting/invoice",
      { currency: Array.from({ length: 51 }, (_, i) => `C${i}`).join(",") },
      "INVALID_PARAMETER",
      "currency: takes 50 values at most"
    ],
    ["/crm/contact", { phone: "none" }, "INVALID_PARAMETER", "phone: must have digits"],
    [
      "/crm/contact",
      { q: "ada", include_deleted: "true" },
      "INVALID_PARAMETER",
      "include_deleted: must not stand beside q"
    ],
    ["/crm/contact", { email: " " }, "INVALID_PARAMETER", "email: must not be empty"],
    ["/accounting/contact", { is_customer: "yes" }, "INVALID_PARAMETER", "is_customer: must be true or false"],
    ["/accounting/invoice", { contact: "12" }, "INVALID_PARAMETER", "contact: must be the UUID of a contact record"],
    [
      "/crm/contact",
      { include_deleted: "true", provider: "hubspot" },
      "FILTER_NOT_SUPPORTED",
      "include_deleted: hubspot"
    ]
  ])("%s with %o is refused", ([path, wanted, code, words]) =>
    Effect.gen(function* () {
      const refused = yield* refusal(path, wanted)
      assert.deepStrictEqual([refused.statusCode, refused.code], [400, code])
      assert.include(refused.message, words)
    })
  )

  it.effect("a filter that is given twice is refused with what is right", () =>
    Effect.gen(function* () {
      const { message } = Refused(yield* call("/crm/contact?name=a&name=b"))
      assert.include(message, "name: must be given once; several values have commas between them")
    })
  )

  it.effect("a cursor goes with the filters that it was made with, however they are written", () =>
    Effect.gen(function* () {
      const wanted = { provider: "salesforce", created_before: "2030-01-01", limit: "5" }
      const { pagination } = yield* page("/crm/contact", wanted)
      const cursor = pagination.cursor ?? ""
      const others = [
        { ...wanted, created_before: "2030-01-02" },
        { provider: "salesforce", limit: "5" },
        { ...wanted, name: "ada" }
      ]
      for (const other of others) {
        assert.strictEqual((yield* refusal("/crm/contact", { ...other, cursor })).code, "INVALID_CURSOR")
      }
      const next = yield* page("/crm/contact", { ...wanted, created_before: "2030-01-01T00:00:00Z", cursor })
      assert.strictEqual(next.data.length, 5)
    })
  )
})
