import { HttpClient, HttpClientResponse } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { crm } from "../../../src/canonical/Catalogue.ts"
import type { Resource } from "../../../src/canonical/Resource.ts"
import { exchange } from "../../../src/connections/OAuth.ts"
import { compile, type Override } from "../../../src/mapping/Compile.ts"
import type { Native } from "../../../src/mapping/Mapping.ts"
import type { Answer, Call, Caller } from "../../../src/providers/base/Upstream.ts"
import type { ConnectionRef } from "../../../src/providers/ConnectionRef.ts"
import type { ListRequest, Page, ResourceAdapter } from "../../../src/providers/ProviderAdapter.ts"
import { Down, Invalid, NotPermitted, ProviderError, type Reason } from "../../../src/providers/ProviderError.ts"
import { Providers } from "../../../src/providers/Providers.ts"
import { Transport } from "../../../src/providers/Transport.ts"
import { contact } from "../../../src/providers/zohocrm/Contact.ts"
import { lead } from "../../../src/providers/zohocrm/Lead.ts"
import { note } from "../../../src/providers/zohocrm/Note.ts"
import { owner } from "../../../src/providers/zohocrm/Owner.ts"
import { pipeline } from "../../../src/providers/zohocrm/Pipeline.ts"
import { ZohoCrm } from "../../../src/providers/zohocrm/ZohoCrm.ts"
import { harness } from "../../support/Harness.ts"

const connection: ConnectionRef = { id: "acme", provider: "zoho_crm", environment: "sandbox", organisation: "org" }

const nothing = { status: 204, body: undefined }

/** An account that answers as told, or refuses, and remembers what it was asked. */
const account = (
  answer: (call: Call) => Pick<Answer, "status" | "body">,
  refuse: (call: Call) => { readonly status: number; readonly reason: Reason } | undefined = () => undefined
) => {
  const calls: Array<Call> = []
  const call: Caller = (_, request) =>
    Effect.suspend(() => {
      calls.push(request)
      const refusal = refuse(request)
      return refusal === undefined
        ? Effect.succeed({ ...answer(request), headers: {} })
        : new ProviderError({ provider: "zoho_crm", operation: request.operation, ...refusal })
    })
  return { call, calls }
}

const missing = () => Effect.dieMessage("no such operation")

/** An account that does not show what fields it has. */
const lacking = () => new ProviderError({ provider: "zoho_crm", operation: "fields.list", reason: new NotPermitted() })

const listed = (
  adapter: ResourceAdapter,
  resource: Resource,
  request: Partial<ListRequest> = {},
  overrides: ReadonlyArray<Override> = []
) =>
  (adapter.list ?? missing)({
    connection,
    mapping: compile("zoho_crm", resource, adapter.mapping, overrides),
    position: null,
    limit: 2,
    wanted: {},
    ...request
  })

const variantOf = (adapter: ResourceAdapter, resource: Resource) => {
  const [variant] = compile("zoho_crm", resource, adapter.mapping).variants
  if (variant === undefined) throw new Error(`${resource.name} has no variant`)
  return variant
}

const queryOf = ({ query }: Pick<Call, "query">): Native => Object.fromEntries(Object.entries(query ?? {}))

const tagOf = <A>(effect: Effect.Effect<A, ProviderError>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason._tag)

describe("Zoho CRM records", () => {
  const ids = (...found: ReadonlyArray<string>) => ({ status: 200, body: { data: found.map((id) => ({ id })) } })

  it.effect("a page is a keyset of ids, and then those records in that order", () =>
    Effect.gen(function* () {
      const { call, calls } = account(({ path }) =>
        path.endsWith("/coql")
          ? ids("1", "2", "3")
          : {
              status: 200,
              body: {
                data: [
                  { id: "2", Last_Name: "B" },
                  { id: "1", Last_Name: "A" }
                ]
              }
            }
      )
      const page = yield* listed(contact(call, lacking), crm.contact, { position: '[0,"7"]' })
      assert.deepEqual(
        page.records.map(({ record }) => record.id),
        ["1", "2"]
      )
      assert.strictEqual(page.next, '[0,"2"]')
      assert.deepEqual(calls[0]?.json, {
        select_query: "select id from Contacts where id > '7' order by id asc limit 3"
      })
      assert.strictEqual(calls[1] === undefined ? undefined : queryOf(calls[1]).ids, "1,2")
    })
  )

  it.effect("records that go between the two calls do not end a walk", () =>
    Effect.gen(function* () {
      const { call } = account(({ path }) => (path.endsWith("/coql") ? ids("1", "2", "3") : nothing))
      const page = yield* listed(contact(call, lacking), crm.contact, { position: '[0,"0"]' })
      assert.deepEqual(page, { records: [], next: '[0,"2"]' })
    })
  )

  it.effect("nothing more is asked for when there are no ids", () =>
    Effect.gen(function* () {
      const { call, calls } = account(() => nothing)
      assert.deepEqual(yield* listed(contact(call, lacking), crm.contact), { records: [], next: null })
      assert.strictEqual(calls.length, 1)
    })
  )

  it.effect("more than fifty fields are asked for in several calls", () =>
    Effect.gen(function* () {
      const { call, calls } = account(({ path, query = {} }) =>
        path.endsWith("/coql") ? ids("1") : { status: 200, body: { data: [{ id: "1", ...queryOf({ query }) }] } }
      )
      const own = Array.from({ length: 40 }, (_, i): Override => {
        return { field: `own_${i}`, nativeField: `Own_${i}`, transform: undefined, nativeType: undefined }
      })
      const page = yield* listed(contact(call, lacking), crm.contact, {}, own)
      const asked = calls.slice(1).map((one) => String(queryOf(one).fields).split(","))
      assert.strictEqual(asked.length, 2)
      for (const fields of asked) assert.isAtMost(fields.length, 50)
      assert.includeMembers(asked.flat(), ["Last_Name", "Own_0", "Own_39"])
      assert.strictEqual(page.records.length, 1)
    })
  )

  it.effect("one record is asked for with the fields of a list", () =>
    Effect.gen(function* () {
      const { call, calls } = account(({ path, query = {} }) => {
        if (path.endsWith("/coql")) return ids("1")
        const names = String(queryOf({ query }).fields).split(",")
        return {
          status: 200,
          body: { data: [Object.fromEntries([...names.map((name) => [name, name]), ["id", "1"]])] }
        }
      })
      const own = Array.from({ length: 40 }, (_, i): Override => {
        return { field: `own_${i}`, nativeField: `Own_${i}`, transform: undefined, nativeType: undefined }
      })
      const adapter = contact(call, lacking)
      const [variant] = compile("zoho_crm", crm.contact, adapter.mapping, own).variants
      assert.isDefined(variant)
      if (variant === undefined) return
      const [one] = (yield* listed(adapter, crm.contact, {}, own)).records
      assert.deepEqual(yield* (adapter.get ?? missing)({ connection, variant, id: "1" }), one)
      assert.property(one?.record, "Own_39")
      const [, listing, second, ...asked] = calls
      assert.deepEqual(
        asked.map((each) => queryOf(each).fields),
        [listing, second].map((each) => queryOf(each ?? {}).fields)
      )
    })
  )

  it.effect("converted leads are read too: queries and lists leave them out unless they are asked for", () =>
    Effect.gen(function* () {
      const { call, calls } = account(({ json, path, query = {} }) => {
        if (!path.endsWith("/coql")) {
          const { ids: asked = "1" } = queryOf({ query })
          return ids(...String(asked).split(","))
        }
        return JSON.stringify(json).includes("Converted__s = true") ? ids("2", "11") : ids("1", "9", "10")
      })
      const adapter = lead(call, lacking)
      const page = yield* listed(adapter, crm.lead, { position: '[0,"0"]', limit: 4 })
      assert.deepStrictEqual(
        [page.records.map(({ record }) => record.id), page.next],
        [["1", "2", "9", "10"], '[0,"10"]']
      )
      assert.deepStrictEqual(calls[1]?.json, {
        select_query: "select id from Leads where (id > '0' and Converted__s = true) order by id asc limit 5"
      })
      yield* (adapter.get ?? missing)({ connection, variant: variantOf(adapter, crm.lead), id: "1" })
      assert.deepEqual(
        calls.slice(2).map((one) => queryOf(one).converted),
        ["both", "both"]
      )
    })
  )

  it.effect("a list of ids has at most 1,024 characters", () =>
    Effect.gen(function* () {
      const all = Array.from({ length: 101 }, (_, i) => String(1_000_000_000_000_000_001n + BigInt(i)))
      const { call, calls } = account(({ path, query = {} }) =>
        path.endsWith("/coql") ? ids(...all) : ids(...String(queryOf({ query }).ids).split(","))
      )
      const page = yield* listed(contact(call, lacking), crm.contact, { position: '[0,"0"]', limit: 100 })
      assert.deepEqual(
        page.records.map(({ record }) => record.id),
        all.slice(0, 100)
      )
      const asked = calls.slice(1).map((one) => String(queryOf(one).ids))
      assert.deepStrictEqual(
        asked.map((text) => text.split(",").length),
        [50, 50]
      )
      for (const text of asked) assert.isAtMost(text.length, 1024)
    })
  )

  const noQueries = { status: 400, reason: new Invalid({ fields: {} }) }

  /** An account whose queries fail, with a list of five in pages of two. */
  const unqueried = (refuse: (token: unknown) => boolean = () => false) => {
    const all = ["1", "2", "3", "9", "10"]
    return account(
      ({ path, query = {} }) => {
        const { ids: asked, page_token: token } = queryOf({ query })
        if (typeof asked === "string" || path.endsWith("/coql")) return ids(...String(asked).split(","))
        const from = Number(token ?? 0)
        const next = from + 2 < all.length ? String(from + 2) : null
        const data = all.slice(from, from + 2).map((id) => ({ id }))
        return { status: 200, body: { data, info: { next_page_token: next } } }
      },
      ({ path, query = {} }) =>
        path.endsWith("/coql") || refuse(queryOf({ query }).page_token) ? noQueries : undefined
    )
  }

  it.effect("where queries do not know a module, its list is walked in the order of ids", () =>
    Effect.gen(function* () {
      const { call, calls } = unqueried()
      const walk = Effect.fnUntraced(function* (limit: number) {
        const found: Array<unknown> = []
        let position: string | null = null
        do {
          const page: Page = yield* listed(note(call), crm.note, { position, limit })
          found.push(...page.records.map(({ record }) => record.id))
          position = page.next
        } while (position !== null)
        return found
      })
      for (const limit of [1, 2, 3]) assert.deepStrictEqual(yield* walk(limit), ["1", "2", "3", "9", "10"])
      // the list gives all that is wanted, so nothing is queried
      assert.deepStrictEqual(
        calls.filter(({ path, query = {} }) => path.endsWith("/coql") || queryOf({ query }).ids !== undefined),
        []
      )
      // a walk that queries began goes on
      const page = yield* listed(note(call), crm.note, { position: '[0,"2"]', limit: 2 })
      assert.deepStrictEqual(
        page.records.map(({ record }) => record.id),
        ["3", "9"]
      )
    })
  )

  it.effect("a walk whose token ended finds its place from the beginning", () =>
    Effect.gen(function* () {
      let refused = 0
      const { call } = unqueried((token) => token === "2" && (refused += 1) === 1)
      const first = yield* listed(note(call), crm.note, { limit: 2 })
      const second = yield* listed(note(call), crm.note, { position: first.next, limit: 2 })
      assert.strictEqual(refused, 2)
      assert.deepStrictEqual(
        second.records.map(({ record }) => record.id),
        ["3", "9"]
      )
    })
  )

  it.effect("a list that is not cut down gives whole records: converted leads too", () =>
    Effect.gen(function* () {
      const { call, calls } = unqueried()
      const first = yield* listed(lead(call, lacking), crm.lead, { limit: 2 })
      yield* listed(lead(call, lacking), crm.lead, { position: first.next, limit: 2 })
      const asked = calls.map(({ path, query = {} }) => [path, queryOf({ query })] as const)
      assert.deepStrictEqual(
        asked.map(([path, { converted, page_token, sort_by }]) => [path, converted, page_token, sort_by]),
        [
          ["/crm/v8/Leads", "both", undefined, "id"],
          ["/crm/v8/Leads", "both", "2", "id"]
        ]
      )
      for (const [, { fields }] of asked)
        assert.includeMembers(String(fields).split(","), ["Last_Name", "Converted__s"])
    })
  )

  it.effect("a walk whose token ended is gone on with by a query, where that knows the module", () =>
    Effect.gen(function* () {
      const { call, calls } = account(
        ({ path, query = {} }) => {
          if (path.endsWith("/coql")) return ids("3", "9")
          const { ids: asked = "1,2" } = queryOf({ query })
          return { status: 200, body: { ...ids(...String(asked).split(",")).body, info: { next_page_token: "2" } } }
        },
        ({ query = {} }) => (queryOf({ query }).page_token === undefined ? undefined : noQueries)
      )
      const first = yield* listed(contact(call, lacking), crm.contact, { limit: 2 })
      const second = yield* listed(contact(call, lacking), crm.contact, { position: first.next, limit: 2 })
      assert.deepStrictEqual([second.records.map(({ record }) => record.id), second.next], [["3", "9"], null])
      assert.deepStrictEqual(calls[2]?.json, {
        select_query: "select id from Contacts where id > '2' order by id asc limit 3"
      })
    })
  )

  const created = { created_after: { text: "2026-01-01T00:00:00.000Z", values: ["2026-01-01T00:00:00.000Z"] } }
  const field = (api_name: string, data_type: string, to?: string) => ({
    api_name,
    data_type,
    ...(to === undefined ? {} : { lookup: { module: { api_name: to } } })
  })
  const fields = [
    field("Last_Name", "text"),
    field("Account_Name", "lookup", "Accounts"),
    field("Owner", "ownerlookup"),
    field("Interests", "multiselectpicklist")
  ]

  it.effect("a filtered page is a query of the columns that the account has, with what its lookups show", () =>
    Effect.gen(function* () {
      const row = {
        id: "1",
        Last_Name: "A",
        Account_Name: { id: "7" },
        "Account_Name.Account_Name": "Acme",
        Owner: { id: "8" },
        "Owner.full_name": "Grace",
        "Owner.email": null
      }
      const { call, calls } = account(() => ({ status: 200, body: { data: [row, { id: "2", Account_Name: null }] } }))
      const page = yield* listed(
        contact(call, () => Effect.succeed(fields)),
        crm.contact,
        { wanted: created }
      )
      assert.deepStrictEqual(
        page.records.map(({ record }) => record),
        [
          {
            id: "1",
            Last_Name: "A",
            Account_Name: { name: "Acme", id: "7" },
            Owner: { name: "Grace", email: null, id: "8" }
          },
          { id: "2", Last_Name: null, Account_Name: null, Owner: null }
        ]
      )
      assert.strictEqual(calls.length, 1)
      const columns = "id, Last_Name, Account_Name, Account_Name.Account_Name, Owner, Owner.full_name, Owner.email"
      assert.match(JSON.stringify(calls[0]?.json), new RegExp(`select ${columns} from Contacts`))
    })
  )

  it.effect("records are read by their ids where a query does not show them whole, or metadata are not to be had", () =>
    Effect.gen(function* () {
      const known = () => Effect.succeed(fields)
      const own = { field: "own", nativeField: "Interests", transform: undefined, nativeType: undefined }
      for (const [metadata, overrides, isRefused, cost] of [
        [known, [own], false, 2],
        [lacking, [], false, 2],
        // the query of columns, that of ids, and the records
        [known, [], true, 3]
      ] as const) {
        const { call, calls } = account(
          ({ path, query = {} }) =>
            ids(...(path.endsWith("/coql") ? ["1"] : String(queryOf({ query }).ids).split(","))),
          ({ json }) => (isRefused && JSON.stringify(json ?? "").includes("Last_Name") ? noQueries : undefined)
        )
        const page = yield* listed(contact(call, metadata), crm.contact, { wanted: created }, overrides)
        assert.deepStrictEqual(
          page.records.map(({ record }) => record.id),
          ["1"]
        )
        assert.strictEqual(calls.length, cost)
        assert.strictEqual(queryOf(calls.at(-1) ?? {}).ids, "1")
      }
    })
  )

  it.effect("records are read by their ids, those that are there", () =>
    Effect.gen(function* () {
      const { call, calls } = account(({ query = {} }) =>
        ids(
          ...String(queryOf({ query }).ids)
            .split(",")
            .filter((id) => id !== "7")
        )
      )
      const adapter = contact(call, lacking)
      const many = Array.from({ length: 60 }, (_, i) => String(i + 1))
      const found = yield* (adapter.getMany ?? missing)({
        connection,
        mapping: compile("zoho_crm", crm.contact, adapter.mapping),
        variant: variantOf(adapter, crm.contact),
        ids: [...many, "none of Zoho's"]
      })
      assert.deepStrictEqual(
        found.map(({ record }) => record.id),
        many.filter((id) => id !== "7")
      )
      assert.strictEqual(calls.length, 2)
    })
  )

  it.effect("no list takes the place of a query that knows the module, or could not be answered now", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* tagOf(listed(contact(unqueried().call, lacking), crm.contact, { wanted: created })),
        "Invalid"
      )
      const down = account(
        () => nothing,
        () => ({ status: 503, reason: new Down({}) })
      )
      assert.strictEqual(yield* tagOf(listed(note(down.call), crm.note, { wanted: created })), "Down")
      assert.strictEqual(down.calls.length, 1)
    })
  )

  it.effect("a refused row is a failure, though the answer is a success", () =>
    Effect.gen(function* () {
      const row = { code: "INVALID_DATA", status: "error", message: "invalid data", details: { api_name: "Email" } }
      const { call } = account(() => ({ status: 202, body: { data: [row] } }))
      const adapter = contact(call, lacking)
      const create = (adapter.create ?? missing)({
        connection,
        variant: variantOf(adapter, crm.contact),
        encoded: { nativeType: "Contacts", record: {}, steps: {} },
        idempotencyKey: undefined
      })
      const { reason } = yield* Effect.flip(create)
      assert.deepEqual(reason._tag === "Invalid" ? reason.fields : reason._tag, { Email: "invalid data" })
    })
  )

  it.effect("nothing is written where nothing changes", () =>
    Effect.gen(function* () {
      const { call, calls } = account(() => nothing)
      const adapter = contact(call, lacking)
      const written = yield* (adapter.patch ?? missing)({
        connection,
        variant: variantOf(adapter, crm.contact),
        id: "1",
        encoded: { nativeType: "Contacts", record: {}, steps: {} },
        current: undefined,
        mode: "patch"
      })
      assert.deepEqual(written, { id: "1" })
      assert.strictEqual(calls.length, 0)
    })
  )

  it.effect("what is no id is nobody's, and an answer without records is nobody too", () =>
    Effect.gen(function* () {
      const { call, calls } = account(() => nothing)
      const adapter = contact(call, lacking)
      const variant = variantOf(adapter, crm.contact)
      const get = (id: string) => tagOf((adapter.get ?? missing)({ connection, variant, id }))
      for (const id of ["deleted", "search", "1/Notes", "actions"]) assert.strictEqual(yield* get(id), "Missing")
      assert.strictEqual(calls.length, 0)
      assert.strictEqual(yield* get("1"), "Missing")
    })
  )

  it.effect("an empty success is not the protocol", () =>
    Effect.gen(function* () {
      const { call } = account(() => ({ status: 200, body: undefined }))
      assert.strictEqual(yield* tagOf(listed(contact(call, lacking), crm.contact)), "Malformed")
    })
  )
})

describe("Zoho CRM settings", () => {
  it.effect("users are read together, and one by one where they were deleted", () =>
    Effect.gen(function* () {
      const users = (...found: ReadonlyArray<string>) => ({ status: 200, body: { users: found.map((id) => ({ id })) } })
      const { call, calls } = account(({ params }) =>
        params === undefined ? users("1", "2", "3") : params.id === "8" ? users("8") : nothing
      )
      const adapter = owner(call)
      const found = yield* (adapter.getMany ?? missing)({
        connection,
        mapping: compile("zoho_crm", crm.owner, adapter.mapping),
        variant: variantOf(adapter, crm.owner),
        ids: ["3", "8", "9", "1"]
      })
      assert.sameMembers(
        found.map(({ record }) => record.id),
        ["1", "3", "8"]
      )
      assert.strictEqual(calls.length, 3)
    })
  )

  it.effect("users are read to the last page", () =>
    Effect.gen(function* () {
      const { call, calls } = account((asked) => {
        const length = queryOf(asked).page === 1 ? 200 : 3
        const users = Array.from({ length }, (_, i) => ({ id: `${String(queryOf(asked).page)}${String(i)}` }))
        return { status: 200, body: { users } }
      })
      const page = yield* listed(owner(call), crm.owner, { limit: 1000 })
      assert.strictEqual(page.records.length, 203)
      assert.strictEqual(calls.length, 2)
    })
  )

  it.effect("pipelines are those of every layout", () =>
    Effect.gen(function* () {
      const { call } = account((asked) =>
        asked.path.endsWith("/layouts")
          ? { status: 200, body: { layouts: [{ id: "8" }, { id: "9" }] } }
          : { status: 200, body: { pipeline: [{ id: `p${String(queryOf(asked).layout_id)}`, maps: [] }] } }
      )
      const page = yield* listed(pipeline(call), crm.pipeline)
      assert.deepEqual(
        page.records.map(({ record }) => [record.id, record.index]),
        [
          ["p8", 0],
          ["p9", 1]
        ]
      )
    })
  )

  it.effect("an account without pipelines has one, of the values of the field", () =>
    Effect.gen(function* () {
      const values = [
        { actual_value: "Closed Won", display_value: "Won", sequence_number: 2, forecast_type: "Closed Won" },
        { actual_value: "-None-", display_value: "-None-", sequence_number: 0 },
        { actual_value: "Qualification", display_value: "Qualification", sequence_number: 1, forecast_type: "Open" }
      ]
      const { call } = account(({ path }) => {
        if (path.endsWith("/layouts")) return { status: 200, body: { layouts: [{ id: "8" }] } }
        if (path.endsWith("/pipeline")) return nothing
        return { status: 200, body: { fields: [{ api_name: "Stage", pick_list_values: values }] } }
      })
      const adapter = pipeline(call)
      const [one] = (yield* listed(adapter, crm.pipeline)).records
      assert.isDefined(one)
      if (one === undefined) return
      const record = variantOf(adapter, crm.pipeline).decode(one, {
        reference: (_, __, id) => id,
        line: (path, line) => `${path}/${line}`
      })
      assert.containSubset(record, { remote_id: "default", is_default: true })
      assert.containSubset(record.stages, [
        { remote_id: "Qualification", status: "OPEN", display_order: 0 },
        { remote_id: "Closed Won", name: "Won", status: "WON", display_order: 1 }
      ])
      const get = (id: string) =>
        (adapter.get ?? missing)({ connection, variant: variantOf(adapter, crm.pipeline), id })
      assert.strictEqual((yield* get("default")).record.id, "default")
      assert.strictEqual(yield* tagOf(get("other")), "Missing")
    })
  )
})

describe("Zoho CRM tokens", () => {
  it.effect("are renewed at the account's own data centre", () =>
    Effect.gen(function* () {
      const asked: Array<readonly [url: string, form: string]> = []
      const client = HttpClient.make((request) =>
        Effect.sync(() => {
          asked.push([
            request.url,
            request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
          ])
          const body = { access_token: "at1", api_domain: "https://www.zohoapis.eu", expires_in: 3600 }
          return HttpClientResponse.fromWeb(request, Response.json(body))
        })
      )
      const authorization = yield* Effect.map(Providers, (all) => all.get("zoho_crm")?.authorization).pipe(
        Effect.provide(Layer.provideMerge(ZohoCrm, harness([])))
      )
      if (authorization?.kind !== "oauth2") return assert.fail("Zoho CRM is authorised by OAuth")
      const tokens = yield* exchange(
        {
          provider: "zoho_crm",
          environment: "production",
          authorization,
          values: { apiDomain: "https://www.zohoapis.eu" }
        },
        { grantType: "refresh_token", refreshToken: Redacted.make("rt0") }
      ).pipe(
        Effect.provide(Transport.layer.pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, client)))),
        Effect.withConfigProvider(
          ConfigProvider.fromMap(
            new Map([
              ["PROVIDER_ZOHO_CRM_CLIENT_ID", "client"],
              ["PROVIDER_ZOHO_CRM_CLIENT_SECRET", "secret"]
            ])
          )
        )
      )
      assert.deepEqual(asked, [
        [
          "https://accounts.zoho.eu/oauth/v2/token",
          "grant_type=refresh_token&refresh_token=rt0&client_id=client&client_secret=secret"
        ]
      ])
      assert.deepEqual(tokens.values, { apiDomain: "https://www.zohoapis.eu" })
      assert.isUndefined(tokens.refreshToken, "the one there was stays good")
    })
  )
})
