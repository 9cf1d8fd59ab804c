import { HttpClientRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"
import { empty, open } from "../../../src/providers/simulation/Account.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { client, connect } from "../../../src/providers/simulation/Simulator.ts"
import { simulator } from "../../../src/providers/zohocrm/simulator/ZohoCrmSimulator.ts"

interface Answer {
  readonly status: number
  // the tests look into JSON of many shapes
  readonly body: ReturnType<typeof JSON.parse>
  readonly headers: { readonly [name: string]: string }
}

type Headers = { readonly [name: string]: string }

/** An organisation of its own, and a caller with its token. */
const organisation = Effect.gen(function* () {
  const http = yield* client(simulator)
  const tokens = yield* connect(simulator, "acme")
  const send = (method: "GET" | "POST" | "PUT" | "DELETE", path: string, body?: unknown, headers: Headers = {}) =>
    Effect.gen(function* () {
      const bare = HttpClientRequest.make(method)(
        path.startsWith("/") ? `https://acme.test${path}` : `https://acme.test/crm/v8/${path}`
      ).pipe(HttpClientRequest.setHeaders({ authorization: `Zoho-oauthtoken ${tokens.accessToken}`, ...headers }))
      const request =
        body === undefined
          ? bare
          : typeof body === "string"
            ? HttpClientRequest.bodyText(bare, body, headers["content-type"] ?? "application/json")
            : HttpClientRequest.bodyText(bare, JSON.stringify(body), "application/json")
      const response = yield* http.execute(request)
      const text = yield* response.text
      return {
        status: response.status,
        body: text === "" ? undefined : JSON.parse(text),
        headers: response.headers
      } satisfies Answer
    })
  /** Makes one record. */
  const make = (module: string, record: { readonly [name: string]: unknown }) =>
    Effect.map(send("POST", module, { data: [record] }), (answer) => {
      assert.strictEqual(answer.status, 201, JSON.stringify(answer.body))
      return String(answer.body.data[0].details.id)
    })
  const read = (module: string, id: string) =>
    Effect.map(send("GET", `${module}/${id}`), ({ body }): Answer["body"] => body.data[0])
  const coql = (text: string) => send("POST", "coql", { select_query: text })
  return { tokens, send, make, read, coql }
})

type Organisation = Effect.Effect.Success<typeof organisation>

const inOrganisation = (name: string, use: (org: Organisation) => Effect.Effect<void, unknown>) =>
  it.effect(name, () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 4, 4, 6))
      yield* use(yield* organisation)
    }).pipe(Effect.provide(Layer.mergeAll(SimulationStore.layerMemory, Faults.layer)))
  )

const refused = (answer: Answer, status: number, code: string, details?: object, message?: string) => {
  assert.strictEqual(answer.status, status, JSON.stringify(answer.body))
  const one = answer.body.data?.[0] ?? answer.body
  assert.hasAllKeys(one, ["code", "details", "message", "status"])
  assert.strictEqual(one.code, code)
  assert.strictEqual(one.status, "error")
  if (details !== undefined) assert.deepStrictEqual(one.details, details)
  if (message !== undefined) assert.strictEqual(one.message, message)
}

const place = (name: string, row = 0) => ({ api_name: name, json_path: `$.data[${row}].${name}` })

const modules = ["Accounts", "Calls", "Contacts", "Deals", "Events", "Leads", "Notes", "Tasks"]

describe("tokens", () => {
  inOrganisation("open the API in Zoho's own scheme", (org) =>
    Effect.gen(function* () {
      for (const authorization of ["", `Bearer ${org.tokens.accessToken}`, "Zoho-oauthtoken acme.none"]) {
        refused(yield* org.send("GET", "org", undefined, { authorization }), 401, "INVALID_TOKEN", {})
      }
      assert.strictEqual((yield* org.send("GET", "org")).body.org[0].currency, "US Dollar - USD")
    })
  )

  inOrganisation("are refreshed without a new refresh token, by address, form and multipart form", (org) =>
    Effect.gen(function* () {
      const given = {
        grant_type: "refresh_token",
        refresh_token: org.tokens.refreshToken,
        client_id: "app",
        client_secret: "secret"
      }
      const form = (change: Headers) => new URLSearchParams({ ...given, ...change }).toString()
      const ask = (change: Headers) =>
        org.send("POST", "/oauth/v2/token", form(change), { "content-type": "application/x-www-form-urlencoded" })
      const parts = Object.entries(given).map(
        ([name, value]) => `--x1\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
      )
      const answers = [
        yield* ask({}),
        yield* org.send("POST", `/oauth/v2/token?${form({})}`),
        yield* org.send("POST", "/oauth/v2/token", `${parts.join("")}--x1--\r\n`, {
          "content-type": "multipart/form-data; boundary=x1"
        })
      ]
      for (const { body, status } of answers) {
        assert.strictEqual(status, 200)
        assert.hasAllKeys(body, ["access_token", "scope", "api_domain", "token_type", "expires_in"])
        assert.strictEqual(body.expires_in, 3600)
        const authorization = `Zoho-oauthtoken ${body.access_token}`
        assert.strictEqual((yield* org.send("GET", "org", undefined, { authorization })).status, 200)
      }

      // failures come as successes
      for (const [change, error] of [
        [{ refresh_token: "acme.none" }, "invalid_code"],
        [{ refresh_token: "nobody.none" }, "invalid_code"],
        [{ client_id: "" }, "invalid_client"],
        [{ grant_type: "password" }, "unsupported_grant_type"]
      ] as const) {
        const answer = yield* ask(change)
        assert.deepStrictEqual([answer.status, answer.body], [200, { error }])
      }

      yield* org.send("POST", `/oauth/v2/token/revoke?token=${org.tokens.refreshToken}`)
      assert.deepStrictEqual((yield* ask({})).body, { error: "invalid_code" })
    })
  )

  inOrganisation("and calls that lead nowhere are refused in Zoho's words", (org) =>
    Effect.gen(function* () {
      refused(yield* org.send("GET", "/crm/v8/a/b/c/d"), 404, "INVALID_URL_PATTERN", {})
      refused(yield* org.send("POST", "users/1"), 400, "INVALID_REQUEST_METHOD", {})
      refused(yield* org.send("GET", "Nothing?fields=id"), 400, "INVALID_MODULE", { resource_path_index: 0 })
      const made = yield* org.send("POST", "Nothing", { data: [{}] })
      refused(made, 400, "INVALID_MODULE", { resource_path_index: 0 })
      assert.property(made.body, "data")
      const limited = simulator.failures.rateLimited(60)
      assert.strictEqual(limited.status, 429)
      assert.nestedPropertyVal(limited, "body.code", "TOO_MANY_REQUESTS")
      assert.notProperty(limited.headers, "retry-after")

      // what is left of a day's credits is said once half of them are gone
      const at = Date.UTC(2026, 4, 4)
      const headers = (left: number) =>
        simulator.headers?.(open("acme", empty, at, new Map([["left of credits", left]])).account)
      assert.deepStrictEqual(headers(28_001), {})
      assert.deepStrictEqual(headers(28_000), { "x-api-credits-remaining": "28000" })
    })
  )
})

describe("lists", () => {
  inOrganisation("have at least 250 records of every module, with the fields asked for", (org) =>
    Effect.gen(function* () {
      for (const module of modules) {
        const first = yield* org.send("GET", `${module}?fields=Owner,Created_Time,Nonsense`)
        assert.strictEqual(first.body.data.length, 200, module)
        const rest = yield* org.send("GET", `${module}?fields=Owner&page=2`)
        assert.isAtLeast(rest.body.data.length, 50, module)
        assert.hasAllKeys(first.body.data[0], ["id", "Owner", "Created_Time"])
        assert.hasAllKeys(first.body.data[0].Owner, ["name", "id", "email"])
        assert.match(first.body.data[0].Created_Time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:30$/)
        assert.match(first.body.data[0].id, /^\d{18}$/)
      }
    })
  )

  inOrganisation("need fields, and say which parameter is wrong", (org) =>
    Effect.gen(function* () {
      const many = Array.from({ length: 51 }, (_, index) => `F${index}`).join(",")
      const cases = [
        ["", "REQUIRED_PARAM_MISSING", { param_name: "fields" }],
        [`fields=${many}`, "LIMIT_EXCEEDED", { limit: 50, param_name: "fields" }],
        ["fields=Email&per_page=201", "INVALID_DATA", { param_name: "per_page" }],
        ["fields=Email&page=0", "INVALID_DATA", { param_name: "page" }],
        ["fields=Email&page=11", "DISCRETE_PAGINATION_LIMIT_EXCEEDED", { limit: 2000 }],
        ["fields=Email&page_token=xyz", "TOKEN_BOUND_DATA_MISMATCH", { param_name: "page_token" }],
        [
          "fields=Email&sort_by=Email",
          "INVALID_DATA",
          { param_name: "sort_by", supported_values: ["id", "Created_Time", "Modified_Time"] }
        ],
        [
          "fields=Email&page=1&page_token=xyz",
          "AMBIGUITY_DURING_PROCESSING",
          { ambiguity_due_to: [{ param_name: "page" }, { param_name: "page_token" }] }
        ]
      ] as const
      for (const [query, code, details] of cases) {
        refused(yield* org.send("GET", `Contacts?${query}`), 400, code, details)
      }
    })
  )

  inOrganisation("go on by tokens that are bound to their query for a day, over records that come and go", (org) =>
    Effect.gen(function* () {
      const query = "Contacts?fields=Email&per_page=100&sort_by=Modified_Time&sort_order=asc"
      const seen: Array<string> = []
      let token: string | null | undefined = undefined
      do {
        const answer: Answer = yield* org.send("GET", token === undefined ? query : `${query}&page_token=${token}`)
        assert.strictEqual(answer.body.info.count, answer.body.data.length)
        const ids = answer.body.data.map(({ id }: { id: string }) => id)
        // what was shown goes, and shifts nothing
        if (token === undefined) yield* org.send("DELETE", `Contacts/${ids[0]}`)
        seen.push(...ids)
        token = answer.body.info.next_page_token
        assert.strictEqual(answer.body.info.more_records, token !== null)
      } while (token !== null)
      assert.strictEqual(seen.length, 260)
      assert.strictEqual(new Set(seen).size, 260)

      const { body } = yield* org.send("GET", query)
      const next = `&page_token=${body.info.next_page_token}`
      refused(yield* org.send("GET", `${query.replace("100", "150")}${next}`), 400, "TOKEN_BOUND_DATA_MISMATCH", {
        param_name: "page_token"
      })
      yield* TestClock.adjust("2 days")
      const form = { grant_type: "refresh_token", client_id: "app", client_secret: "secret" }
      const renewed = yield* org.send(
        "POST",
        `/oauth/v2/token?${new URLSearchParams({ ...form, refresh_token: org.tokens.refreshToken }).toString()}`
      )
      const late = yield* org.send("GET", `${query}${next}`, undefined, {
        authorization: `Zoho-oauthtoken ${renewed.body.access_token}`
      })
      refused(late, 400, "EXPIRED_VALUE", { api_name: "page_token", json_path: "$.query.page_token" })
    })
  )

  inOrganisation("show what was modified since a time, and nothing with 204 or 304", (org) =>
    Effect.gen(function* () {
      const since = { "if-modified-since": "2026-05-04T11:00:00+05:30" }
      const path = "Contacts?fields=Last_Name"
      assert.strictEqual((yield* org.send("GET", path, undefined, since)).status, 304)
      const id = yield* org.make("Contacts", { Last_Name: "Neu" })
      const found = yield* org.send("GET", path, undefined, since)
      assert.deepStrictEqual(found.body.data, [{ Last_Name: "Neu", id }])
      const later = { "if-modified-since": "2026-05-05T11:00:00+05:30" }
      assert.strictEqual((yield* org.send("GET", `Contacts/${id}`, undefined, later)).status, 304)
      assert.strictEqual((yield* org.send("GET", `${path}&ids=1,2`)).status, 204)
      assert.deepStrictEqual((yield* org.send("GET", `${path}&ids=${id},1`)).body.data, [{ Last_Name: "Neu", id }])
      assert.strictEqual((yield* org.send("GET", "Contacts/554023999999999001")).status, 204)
      const long = Array.from({ length: 55 }, (_, i) => 554023000000000001n + BigInt(i)).join(",")
      refused(yield* org.send("GET", `${path}&ids=${long}`), 400, "INVALID_DATA", { param_name: "ids" })
      refused(yield* org.send("GET", "Contacts/x"), 400, "INVALID_DATA", { resource_path_index: 1 })
    })
  )

  inOrganisation("leave out converted leads unless asked", (org) =>
    Effect.gen(function* () {
      const count = (converted: string) =>
        Effect.gen(function* () {
          const pages = [1, 2].map((page) =>
            org.send("GET", `Leads?fields=Converted__s,Converted_Contact&page=${page}${converted}`)
          )
          const answers = yield* Effect.all(pages)
          return answers.flatMap(({ body }) => body?.data ?? [])
        })
      assert.strictEqual((yield* count("")).length, 256)
      assert.strictEqual((yield* count("&converted=both")).length, 260)
      const converted = yield* count("&converted=true")
      assert.strictEqual(converted.length, 4)
      assert.hasAllKeys(converted[0].Converted_Contact, ["name", "id"])
      assert.strictEqual((yield* org.send("GET", `Leads/${converted[0].id}`)).status, 204)
      assert.strictEqual((yield* org.send("GET", `Leads/${converted[0].id}?converted=both`)).status, 200)
    })
  )

  inOrganisation("of what is related to a record, and of what was deleted", (org) =>
    Effect.gen(function* () {
      const account = yield* org.make("Accounts", { Account_Name: "Probe" })
      const contact = yield* org.make("Contacts", { Last_Name: "One", Account_Name: { id: account } })
      const related = yield* org.send("GET", `Accounts/${account}/Contacts?fields=Last_Name`)
      assert.deepStrictEqual(related.body.data, [{ Last_Name: "One", id: contact }])
      assert.strictEqual((yield* org.send("GET", `Accounts/${account}/Deals?fields=Stage`)).status, 204)
      refused(yield* org.send("GET", `Contacts/${contact}/Leads?fields=Email`), 400, "INVALID_DATA", {
        resource_path_index: 2
      })
      const noted = yield* org.send("POST", `Contacts/${contact}/Notes`, { data: [{ Note_Content: "Called." }] })
      assert.strictEqual(noted.status, 201)
      const notes = yield* org.send("GET", `Contacts/${contact}/Notes?fields=Note_Content,Parent_Id`)
      assert.strictEqual(notes.body.data[0].Parent_Id.id, contact)

      assert.strictEqual((yield* org.send("GET", "Contacts/deleted")).status, 204)
      yield* org.send("DELETE", `Contacts/${contact}`)
      const deleted = yield* org.send("GET", "Contacts/deleted?type=recycle")
      assert.deepInclude(deleted.body.data[0], { id: contact, display_name: "One", type: "recycle" })
      // of notes it is not told
      refused(yield* org.send("GET", "Notes/deleted"), 400, "INVALID_MODULE")
      refused(yield* org.send("GET", "Contacts/deleted?type=some"), 400, "PATTERN_NOT_MATCHED", { param_name: "type" })
      const since = { "if-modified-since": "2026-05-05T11:00:00+05:30" }
      assert.strictEqual((yield* org.send("GET", "Contacts/deleted", undefined, since)).status, 304)
    })
  )

  inOrganisation("by words that begin so", (org) =>
    Effect.gen(function* () {
      const id = yield* org.make("Contacts", { Last_Name: "Quixote", Title: "Knight errant" })
      const found = (word: string) =>
        Effect.map(org.send("GET", `Contacts/search?word=${encodeURIComponent(word)}&fields=Last_Name`), ({ body }) =>
          (body?.data ?? []).map((one: { readonly id: string }) => one.id)
        )
      assert.deepStrictEqual(yield* found("QUIX"), [id])
      assert.deepStrictEqual(yield* found("knight quixote"), [id])
      assert.deepStrictEqual(yield* found("ixote"), [])
      refused(yield* org.send("GET", "Contacts/search?word=q"), 400, "INVALID_DATA", { param_name: "word" })
      refused(yield* org.send("GET", "Contacts/search"), 400, "REQUIRED_PARAM_MISSING")
      refused(yield* org.send("GET", "Notes/search?word=quixote"), 400, "INVALID_MODULE")
    })
  )

  inOrganisation("by queries, in which a quote is doubled and a backslash is one", (org) =>
    Effect.gen(function* () {
      const query = (select_query: string) => org.send("POST", "coql", { select_query })
      const id = yield* org.make("Contacts", { Last_Name: "O'Ha\\ra" })
      const where = (condition: string) => query(`select id from Contacts where ${condition}`)
      assert.deepStrictEqual((yield* where("Last_Name = 'O''Ha\\ra'")).body.data, [{ id }])
      assert.deepStrictEqual((yield* where("Last_Name like 'O''Ha%'")).body.data, [{ id }])
      refused(yield* where("Last_Name = 'O\\'Hara'"), 400, "SYNTAX_ERROR")
      refused(yield* where("Last_Name like 'O%ra'"), 400, "INVALID_QUERY")
      refused(yield* where("Description = 'x'"), 400, "INVALID_QUERY")
      refused(
        yield* where(`id in (${Array.from({ length: 51 }, (_, i) => `'${i}'`).join(", ")})`),
        400,
        "INVALID_QUERY"
      )
      const many = Array.from({ length: 25 }, () => "id is not null").reduce((all, one) => `(${all} and ${one})`)
      assert.strictEqual((yield* where(many)).status, 200)
      refused(yield* where(`${many} and id is not null`), 400, "LIMIT_EXCEEDED")
    })
  )
})

describe("queries", () => {
  const ids = ({ body }: Answer): ReadonlyArray<string> => body.data.map(({ id }: { id: string }) => id)

  inOrganisation("walk a module by ids, which are longer than numbers are exact", (org) =>
    Effect.gen(function* () {
      const walked: Array<string> = []
      let where = "id is not null"
      for (;;) {
        const answer = yield* org.coql(`select id from Deals where ${where} order by id asc limit 101`)
        if (answer.status === 204) break
        walked.push(...ids(answer))
        // one form of the literal and the other
        where = walked.length % 2 === 0 ? `id > '${walked.at(-1)}'` : `id > ${walked.at(-1)}`
      }
      assert.strictEqual(walked.length, 260)
      assert.deepStrictEqual(walked, walked.toSorted())
    })
  )

  inOrganisation("filter, follow lookups, count and page", (org) =>
    Effect.gen(function* () {
      const account = yield* org.make("Accounts", { Account_Name: "Probe & Söhne", Employees: 12 })
      const one = yield* org.make("Contacts", { Last_Name: "Zzz", Account_Name: account, Newsletter: true })
      const two = yield* org.make("Contacts", { Last_Name: "Zzzz", Account_Name: account, Score: 7 })
      const found = yield* org.coql(
        `select Last_Name, Account_Name.Account_Name, Account_Name, Owner, Owner.email from Contacts where Account_Name = '${account}' order by Last_Name desc`
      )
      assert.deepStrictEqual(found.body.info, { count: 2, more_records: false })
      assert.deepStrictEqual(ids(found), [two, one])
      assert.strictEqual(found.body.data[0]["Account_Name.Account_Name"], "Probe & Söhne")
      assert.deepStrictEqual(found.body.data[0].Account_Name, { id: account })
      assert.deepStrictEqual(Object.keys(found.body.data[0].Owner), ["id"])
      assert.match(found.body.data[0]["Owner.email"], /@/)
      for (const [where, expected] of [
        ["(Last_Name like 'Zzz%' and Newsletter = true)", [one]],
        ["Last_Name in ('Zzz', 'Zzzz') and Score is not null", [two]],
        ["Last_Name like 'Zzz%' and Score between 5 and 9", [two]],
        ["Last_Name like 'Zzz%' and Account_Name.Employees >= 12", [one, two]],
        ["Last_Name like 'Zzz%' and Created_Time > '2026-05-04T11:00:00+05:30'", [one, two]],
        ["(Last_Name like 'Zzz%' and (Score = 7 or Newsletter = true)) and id != 1", [one, two]]
      ] as const) {
        const answer = yield* org.coql(`select id from Contacts where ${where} order by id asc`)
        assert.strictEqual(answer.status, 200, JSON.stringify(answer.body))
        assert.deepStrictEqual(ids(answer), [...expected], where)
      }
      const page = yield* org.coql("select id from Contacts where id is not null order by id desc limit 1, 1")
      assert.deepStrictEqual([ids(page), page.body.info.more_records], [[one], true])
      const count = yield* org.coql(`select count(id) from Contacts where Account_Name = '${account}'`)
      assert.deepStrictEqual(count.body.data, [{ "COUNT(id)": 2 }])
      assert.strictEqual((yield* org.coql("select id from Contacts where Last_Name = 'Nobody'")).status, 204)
      const converted = "select id from Leads where Converted__s = true limit 2000"
      const some = ids(yield* org.coql(converted))
      const others = ids(yield* org.coql("select id from Leads where id is not null limit 2000"))
      assert.isNotEmpty(some)
      assert.isEmpty(others.filter((id) => some.includes(id)))
    })
  )

  inOrganisation("are refused with what is wrong in them", (org) =>
    Effect.gen(function* () {
      for (const [text, code, details] of [
        ["select id from Contacts", "SYNTAX_ERROR", { clause: "where" }],
        ["select id form Contacts where id is not null", "SYNTAX_ERROR", undefined],
        ["select * from Contacts where id is not null", "SYNTAX_ERROR", undefined],
        ["select id from Contacts where Score = 1 and Score = 2 and Score = 3", "SYNTAX_ERROR", { near: "and" }],
        ["select id from Contacts where Email = null", "SYNTAX_ERROR", { near: "null" }],
        ["select id from Nothing where id is not null", "INVALID_MODULE", {}],
        // no scope is named for queries of them
        ["select id from Notes where id is not null", "INVALID_MODULE", {}],
        ["select Nope from Contacts where id is not null", "INVALID_QUERY", { column_name: "Nope" }],
        ["select Participants from Events where id is not null", "INVALID_QUERY", { column_name: "Participants" }],
        ["select Email, Email from Contacts where id is not null", "DUPLICATE_DATA", { column_name: "Email" }],
        [
          "select id from Contacts where First_Name > 'a'",
          "INVALID_QUERY",
          { reason: "invalid operator found", column_name: "First_Name", operator: ">" }
        ],
        ["select id from Contacts where id is not null limit 0", "INVALID_DATA", {}],
        ["select id from Contacts where id is not null limit 2001", "LIMIT_EXCEEDED", {}]
      ] as const) {
        refused(yield* org.coql(text), 400, code, details)
      }
      refused(yield* org.send("POST", "coql", {}), 400, "MANDATORY_NOT_FOUND", { api_name: "select_query" })
    })
  )
})

describe("writes", () => {
  inOrganisation("answer with who and when, and keep what was sent", (org) =>
    Effect.gen(function* () {
      const made = yield* org.send("POST", "Contacts", { data: [{ Last_Name: "Doe", First_Name: "Ann" }], trigger: [] })
      assert.strictEqual(made.status, 201)
      const [{ code, details, message, status }] = made.body.data
      assert.deepStrictEqual([code, message, status], ["SUCCESS", "record added", "success"])
      assert.strictEqual(details.Created_Time, "2026-05-04T11:30:00+05:30")
      assert.hasAllKeys(details.Modified_By, ["name", "id"])
      const contact = yield* org.read("Contacts", details.id)
      assert.strictEqual(contact.Full_Name, "Ann Doe")
      assert.strictEqual(contact.Owner.id, details.Created_By.id)
      assert.strictEqual(contact.Email, null)

      yield* TestClock.adjust("1 minute")
      const put = yield* org.send("PUT", `Contacts/${details.id}`, {
        data: [{ First_Name: null, Department: "", Title: "Head 🚀", Full_Name: "ignored", Created_Time: "ignored" }]
      })
      assert.deepStrictEqual([put.status, put.body.data[0].message], [200, "record updated"])
      const changed = yield* org.read("Contacts", details.id)
      assert.deepInclude(changed, {
        First_Name: null,
        Department: null,
        Title: "Head 🚀",
        Full_Name: "Doe",
        Created_Time: "2026-05-04T11:30:00+05:30",
        Modified_Time: "2026-05-04T11:31:00+05:30"
      })

      const gone = yield* org.send("DELETE", `Contacts/${details.id}`)
      assert.deepStrictEqual(gone.body.data[0].details, { id: details.id })
      assert.strictEqual((yield* org.send("GET", `Contacts/${details.id}`)).status, 204)
      refused(
        yield* org.send("DELETE", `Contacts/${details.id}`),
        400,
        "INVALID_DATA",
        { resource_path_index: 1 },
        "record not deleted"
      )
      refused(
        yield* org.send("PUT", `Contacts/${details.id}`, { data: [{ Title: "x" }] }),
        400,
        "INVALID_DATA",
        { resource_path_index: 1 },
        "the id given seems to be invalid"
      )
    })
  )

  inOrganisation("keep every kind of value as it came", (org) =>
    Effect.gen(function* () {
      const account = yield* org.make("Accounts", { Account_Name: "Probe" })
      const values = {
        Last_Name: "Doe",
        ERP_Number: "E-1",
        Tier: "not a listed value",
        Interests: ["Repair", "Rental"],
        Score: 12,
        Legacy_Id: "123456789012345678",
        Satisfaction: 4.25,
        Last_Audit: "2026-02-28",
        Newsletter: true,
        Tag: [{ name: "vip" }]
      }
      const id = yield* org.make("Contacts", {
        ...values,
        Last_Survey: "2026-02-28T10:00:00-08:00",
        Account_Name: { id: account, name: "whatever" }
      })
      const contact = yield* org.read("Contacts", id)
      assert.deepInclude(contact, values)
      assert.strictEqual(contact.Last_Survey, "2026-02-28T23:30:00+05:30")
      assert.deepStrictEqual(contact.Account_Name, { name: "Probe", id: account })
      yield* org.send("DELETE", `Accounts/${account}`)
      assert.strictEqual((yield* org.read("Contacts", id)).Account_Name, null)
    })
  )

  inOrganisation("are refused by field", (org) =>
    Effect.gen(function* () {
      const cases = [
        [{}, "MANDATORY_NOT_FOUND", place("Last_Name")],
        [{ Last_Name: null }, "MANDATORY_NOT_FOUND", place("Last_Name")],
        [{ Last_Name: "x".repeat(81) }, "INVALID_DATA", { maximum_length: 80, ...place("Last_Name") }],
        [{ Last_Name: 7 }, "INVALID_DATA", { expected_data_type: "text", ...place("Last_Name") }],
        [{ Email: "nobody" }, "INVALID_DATA", { expected_data_type: "email", ...place("Email") }],
        [{ Phone: "<b>" }, "INVALID_DATA", { expected_data_type: "phone", ...place("Phone") }],
        [{ Score: "7" }, "INVALID_DATA", { expected_data_type: "integer", ...place("Score") }],
        [{ Score: 1.5 }, "INVALID_DATA", { expected_data_type: "integer", ...place("Score") }],
        [{ Score: 1e9 }, "INVALID_DATA", { maximum_length: 9, ...place("Score") }],
        [{ Legacy_Id: "12x" }, "INVALID_DATA", { expected_data_type: "bigint", ...place("Legacy_Id") }],
        [{ Satisfaction: "4" }, "INVALID_DATA", { expected_data_type: "double", ...place("Satisfaction") }],
        [{ Newsletter: "true" }, "INVALID_DATA", { expected_data_type: "boolean", ...place("Newsletter") }],
        [{ Last_Audit: "2026-02-30" }, "INVALID_DATA", { expected_data_type: "date", ...place("Last_Audit") }],
        [
          { Last_Survey: "2026-02-20T10:00:00.000Z" },
          "INVALID_DATA",
          { expected_data_type: "datetime", ...place("Last_Survey") }
        ],
        [{ Interests: "Repair" }, "INVALID_DATA", { expected_data_type: "jsonarray", ...place("Interests") }],
        [{ Account_Name: "Probe" }, "INVALID_DATA", { expected_data_type: "jsonobject", ...place("Account_Name") }],
        [{ Account_Name: { id: "1" } }, "INVALID_DATA", { api_name: "id", json_path: "$.data[0].Account_Name.id" }],
        [{ Owner: { id: "1" } }, "INVALID_DATA", { api_name: "id", json_path: "$.data[0].Owner.id" }],
        [{ Nonsense: 1 }, "INVALID_DATA", place("Nonsense")]
      ] as const
      for (const [change, code, details] of cases) {
        const record =
          "Last_Name" in change || Object.keys(change).length === 0 ? change : { Last_Name: "x", ...change }
        refused(yield* org.send("POST", "Contacts", { data: [record] }), 400, code, details)
      }
      const users = yield* org.send("GET", "users?type=DeactiveUsers")
      refused(
        yield* org.send("POST", "Contacts", { data: [{ Last_Name: "x", Owner: users.body.users[0].id }] }),
        400,
        "INVALID_DATA",
        { api_name: "id", json_path: "$.data[0].Owner.id" }
      )
      refused(
        yield* org.send("POST", "Accounts", { data: [{ Account_Name: "x", Website: "no site" }] }),
        400,
        "INVALID_DATA",
        { expected_data_type: "website", ...place("Website") }
      )
    })
  )

  inOrganisation("have a result for each record", (org) =>
    Effect.gen(function* () {
      const mixed = yield* org.send("POST", "Accounts", { data: [{ Account_Name: "A" }, {}, { Account_Name: "B" }] })
      assert.strictEqual(mixed.status, 207)
      assert.deepStrictEqual(
        mixed.body.data.map(({ code }: { code: string }) => code),
        ["SUCCESS", "MANDATORY_NOT_FOUND", "SUCCESS"]
      )
      assert.deepStrictEqual(mixed.body.data[1].details, place("Account_Name", 1))
      const [a, , b] = mixed.body.data.map(({ details }: { details: { id: string } }) => details.id)
      const put = yield* org.send("PUT", "Accounts", { data: [{ id: a, Fax: "1" }, { id: "9" }, { Fax: "2" }] })
      assert.strictEqual(put.status, 207)
      assert.deepStrictEqual(
        put.body.data.map(({ code, details }: Answer["body"]) => [code, details.json_path]),
        [
          ["SUCCESS", undefined],
          ["INVALID_DATA", "$.data[1].id"],
          ["MANDATORY_NOT_FOUND", "$.data[2].id"]
        ]
      )
      const gone = yield* org.send("DELETE", `Accounts?ids=${a},9,${b}`)
      assert.strictEqual(gone.status, 207)
      assert.deepStrictEqual(gone.body.data[1].details, { id: "9" })
      refused(yield* org.send("DELETE", "Accounts"), 400, "REQUIRED_PARAM_MISSING", { param_name: "ids" })
    })
  )

  inOrganisation("want a body with records in it", (org) =>
    Effect.gen(function* () {
      refused(yield* org.send("POST", "Contacts", "{"), 400, "INVALID_DATA", { expected_data_type: "jsonobject" })
      refused(yield* org.send("POST", "Contacts", {}), 400, "MANDATORY_NOT_FOUND", { api_name: "data" })
      refused(yield* org.send("POST", "Contacts", { data: [] }), 400, "INVALID_DATA", {
        expected_data_type: "jsonarray",
        api_name: "data"
      })
      const data = Array.from({ length: 101 }, () => ({ Last_Name: "x" }))
      refused(yield* org.send("POST", "Contacts", { data }), 400, "LIMIT_EXCEEDED", {
        maximum_length: 100,
        api_name: "data"
      })
    })
  )

  inOrganisation("keep unique fields unique, whatever the case", (org) =>
    Effect.gen(function* () {
      const id = yield* org.make("Deals", {
        Deal_Name: "A",
        Pipeline: "Renewals",
        Stage: "Contract Review",
        Order_Number: "Ord-1"
      })
      const again = { Deal_Name: "B", Pipeline: "Renewals", Stage: "Contract Review", Order_Number: "ORD-1" }
      const answer = yield* org.send("POST", "Deals", { data: [again] })
      refused(answer, 400, "DUPLICATE_DATA", undefined, "duplicate data")
      assert.deepInclude(answer.body.data[0].details, { ...place("Order_Number"), id, more_records: false })
      assert.strictEqual(answer.body.data[0].details.duplicate_record.id, id)
      const own = yield* org.send("PUT", `Deals/${id}`, { data: [{ Order_Number: "ORD-1" }] })
      assert.strictEqual(own.status, 200)
    })
  )

  inOrganisation("come too late for If-Unmodified-Since", (org) =>
    Effect.gen(function* () {
      const id = yield* org.make("Leads", { Last_Name: "Doe" })
      yield* TestClock.adjust("30 minutes")
      const put = (since: string) =>
        org.send("PUT", `Leads/${id}`, { data: [{ City: "Chennai" }] }, { "if-unmodified-since": since })
      const late = yield* put("2026-05-04T11:00:00+05:30")
      refused(late, 412, "ALREADY_MODIFIED")
      assert.strictEqual(late.body.data[0].details.Modified_Time, "2026-05-04T11:30:00+05:30")
      assert.strictEqual((yield* put("2026-05-04T11:30:00+05:30")).status, 200)
    })
  )
})

describe("modules", () => {
  inOrganisation("deals take a stage of their pipeline, which brings its probability", (org) =>
    Effect.gen(function* () {
      const base = { Deal_Name: "A", Amount: 2000 }
      const post = (more: object) => org.send("POST", "Deals", { data: [{ ...base, ...more }] })
      refused(yield* post({ Stage: "Qualification" }), 400, "MANDATORY_NOT_FOUND", place("Pipeline"))
      refused(yield* post({ Pipeline: "Renewals", Stage: "Qualification" }), 400, "DEPENDENT_MISMATCH", {
        dependee: place("Pipeline"),
        ...place("Stage")
      })
      const unknown = yield* post({ Pipeline: "Renewals", Stage: "Nowhere" })
      refused(unknown, 400, "INVALID_DATA")
      assert.include(unknown.body.data[0].details.supported_values, "Closed Won")
      const id = yield* org.make("Deals", { ...base, Pipeline: "Standard (Standard)", Stage: "Id. Decision Makers" })
      assert.deepInclude(yield* org.read("Deals", id), { Probability: 60, Expected_Revenue: 1200, Currency: "USD" })
      yield* org.send("PUT", `Deals/${id}`, { data: [{ Stage: "Closed Won" }] })
      assert.strictEqual((yield* org.read("Deals", id)).Probability, 100)
      yield* org.send("PUT", `Deals/${id}`, { data: [{ Stage: "Qualification", Probability: 33 }] })
      assert.strictEqual((yield* org.read("Deals", id)).Probability, 33)
    })
  )

  inOrganisation("activities say what module they are about, and touch it", (org) =>
    Effect.gen(function* () {
      const account = yield* org.make("Accounts", { Account_Name: "Probe" })
      const contact = yield* org.make("Contacts", { Last_Name: "Doe", Email: "doe@probe.example" })
      const task = { Subject: "Call back", What_Id: { id: account } }
      refused(yield* org.send("POST", "Tasks", { data: [task] }), 400, "DEPENDENT_FIELD_MISSING", {
        dependee: place("What_Id"),
        ...place("$se_module")
      })
      refused(yield* org.send("POST", "Tasks", { data: [{ ...task, $se_module: "Deals" }] }), 400, "INVALID_DATA", {
        api_name: "id",
        json_path: "$.data[0].What_Id.id"
      })
      yield* TestClock.adjust("1 minute")
      const id = yield* org.make("Tasks", { ...task, $se_module: "Accounts", Who_Id: { id: contact } })
      const made = yield* org.read("Tasks", id)
      assert.deepInclude(made, { $se_module: "Accounts", Status: "Not Started", Closed_Time: null })
      assert.deepStrictEqual(made.What_Id, { name: "Probe", id: account })
      assert.strictEqual((yield* org.read("Accounts", account)).Last_Activity_Time, "2026-05-04T11:31:00+05:30")
      yield* org.send("PUT", `Tasks/${id}`, { data: [{ Status: "Completed", What_Id: null }] })
      const closed = yield* org.read("Tasks", id)
      assert.deepInclude(closed, { $se_module: null, What_Id: null, Closed_Time: "2026-05-04T11:31:00+05:30" })

      const event = {
        Event_Title: "Review",
        Start_DateTime: "2026-06-01T10:00:00+05:30",
        End_DateTime: "2026-06-01T11:00:00+05:30",
        Participants: [
          { type: "contact", participant: contact },
          { type: "email", participant: "guest@probe.example" }
        ]
      }
      const { Participants: participants } = yield* org.read("Events", yield* org.make("Events", event))
      assert.deepStrictEqual(
        participants.map(({ Email, name, type }: Answer["body"]) => [type, name, Email]),
        [
          ["contact", "Doe", "doe@probe.example"],
          ["email", null, "guest@probe.example"]
        ]
      )
      const early = { ...event, End_DateTime: "2026-06-01T09:00:00+05:30" }
      refused(yield* org.send("POST", "Events", { data: [early] }), 400, "DEPENDENT_MISMATCH")

      const call = {
        Subject: "Prices",
        Call_Type: "Outbound",
        Call_Start_Time: "2026-05-01T10:00:00+05:30",
        Call_Duration: "14:10"
      }
      const called = yield* org.read("Calls", yield* org.make("Calls", call))
      assert.deepInclude(called, { Call_Duration_in_seconds: 850, Outgoing_Call_Status: "Completed" })
      refused(yield* org.send("POST", "Calls", { data: [{ ...call, Call_Type: "Sideways" }] }), 400, "INVALID_DATA", {
        ...place("Call_Type"),
        supported_values: ["Inbound", "Outbound", "Missed"]
      })
    })
  )

  inOrganisation("notes stay with their record and their author", (org) =>
    Effect.gen(function* () {
      const lead = yield* org.make("Leads", { Last_Name: "Doe" })
      const parent = { module: { api_name: "Leads" }, id: lead }
      refused(yield* org.send("POST", "Notes", { data: [{ Parent_Id: parent }] }), 400, "EXPECTED_FIELD_MISSING", {
        expected_fields: [place("Note_Content"), place("Note_Title")]
      })
      refused(yield* org.send("POST", "Notes", { data: [{ Note_Content: "x" }] }), 400, "MANDATORY_NOT_FOUND")
      const strange = { ...parent, module: { api_name: "Nothing" } }
      refused(
        yield* org.send("POST", "Notes", { data: [{ Note_Content: "x", Parent_Id: strange }] }),
        400,
        "INVALID_DATA",
        { api_name: "api_name", json_path: "$.data[0].Parent_Id.module.api_name" }
      )
      const users = yield* org.send("GET", "users?type=ActiveUsers")
      const other = users.body.users[2].id
      const id = yield* org.make("Notes", { Note_Content: "x".repeat(60_000), Parent_Id: parent, Owner: { id: other } })
      const note = yield* org.read("Notes", id)
      assert.strictEqual(note.Note_Content.length, 60_000)
      assert.strictEqual(note.Parent_Id.module.api_name, "Leads")
      assert.strictEqual(note.Owner.id, note.Created_By.id)
      const elsewhere = yield* org.make("Leads", { Last_Name: "Roe" })
      refused(
        yield* org.send("PUT", `Notes/${id}`, { data: [{ Parent_Id: { ...parent, id: elsewhere } }] }),
        400,
        "NOT_ALLOWED",
        place("Parent_Id")
      )
    })
  )

  inOrganisation("appointments go by the service and its members", (org) =>
    Effect.gen(function* () {
      const services = yield* org.send("GET", "Services__s?fields=Service_Name,Duration,Members&sort_order=asc")
      const [service, otherService] = services.body.data
      const contact = yield* org.make("Contacts", { Last_Name: "Doe" })
      const base = {
        Service_Name: { id: service.id },
        Appointment_For: { module: { api_name: "Contacts" }, id: contact },
        Appointment_Start_Time: "2026-06-01T10:00:00+05:30"
      }
      const post = (more: object) => org.send("POST", "Appointments__s", { data: [{ ...base, ...more }] })
      const id = yield* org.make("Appointments__s", base)
      assert.deepInclude(yield* org.read("Appointments__s", id), {
        Appointment_Name: service.Service_Name,
        Appointment_End_Time: "2026-06-01T11:00:00+05:30",
        Status: "Scheduled",
        Duration: 60
      })
      refused(yield* post({ Appointment_For: null }), 400, "MANDATORY_NOT_FOUND", place("Appointment_For"))
      refused(yield* post({ Location: "Client Address" }), 400, "DEPENDENT_FIELD_MISSING", {
        dependee: place("Location"),
        ...place("Address")
      })
      for (const more of [
        { Appointment_Start_Time: "2026-04-01T10:00:00+05:30" },
        { Status: "Completed" },
        { Cancellation_Note: "ill" }
      ]) {
        refused(yield* post(more), 400, "DEPENDENT_MISMATCH")
      }
      const moved = { Appointment_Start_Time: "2026-06-02T10:00:00+05:30", Reschedule_Reason: "By Customer" }
      yield* org.send("PUT", `Appointments__s/${id}`, { data: [moved] })
      assert.deepInclude(yield* org.read("Appointments__s", id), {
        Rescheduled_From: "2026-06-01T10:00:00+05:30",
        Reschedule_Count: 1,
        Appointment_End_Time: "2026-06-02T11:00:00+05:30"
      })
      refused(
        yield* org.send("PUT", `Appointments__s/${id}`, { data: [{ Service_Name: { id: otherService.id } }] }),
        400,
        "NOT_ALLOWED",
        place("Service_Name")
      )
    })
  )
})

describe("settings", () => {
  inOrganisation("tell the fields of a module as they are checked", (org) =>
    Effect.gen(function* () {
      refused(yield* org.send("GET", "settings/fields"), 400, "REQUIRED_PARAM_MISSING", { param_name: "module" })
      refused(yield* org.send("GET", "settings/fields?module=Nothing"), 400, "INVALID_MODULE")
      const { body } = yield* org.send("GET", "settings/fields?module=Contacts")
      const field = (name: string) => body.fields.find(({ api_name }: Answer["body"]) => api_name === name)
      assert.deepInclude(field("Last_Name"), { data_type: "text", length: 80, system_mandatory: true })
      assert.deepInclude(field("Full_Name"), { read_only: true })
      assert.strictEqual(field("Account_Name").lookup.module.api_name, "Accounts")
      assert.deepInclude(field("ERP_Number"), { custom_field: true, unique: { casesensitive: "false" } })
      const kinds = new Set(
        body.fields.flatMap((one: Answer["body"]) => (one.custom_field === true ? [one.data_type] : []))
      )
      assert.isAtLeast(kinds.size, 9)
      const ids = body.fields.map(({ id }: Answer["body"]) => id)
      assert.strictEqual(new Set(ids).size, ids.length)
      const one = yield* org.send("GET", `settings/fields/${field("Tier").id}?module=Contacts`)
      assert.deepStrictEqual(one.body.fields, [field("Tier")])
    })
  )

  inOrganisation("name modules, layouts and pipelines, whose stages are those of deals", (org) =>
    Effect.gen(function* () {
      const listed = yield* org.send("GET", "settings/modules")
      const names = listed.body.modules.map(({ api_name }: Answer["body"]) => api_name)
      assert.includeMembers(names, modules)
      const one = yield* org.send("GET", "settings/modules/Deals")
      assert.strictEqual(one.body.modules[0].singular_label, "Deal")
      refused(yield* org.send("GET", "settings/pipeline"), 400, "REQUIRED_PARAM_MISSING", { param_name: "layout_id" })
      refused(yield* org.send("GET", "settings/pipeline?layout_id=1"), 400, "INVALID_DATA", { param_name: "layout_id" })
      const layouts = yield* org.send("GET", "settings/layouts?module=Deals")
      const [layout] = layouts.body.layouts
      const { body } = yield* org.send("GET", `settings/pipeline?layout_id=${layout.id}`)
      assert.deepStrictEqual(
        body.pipeline.map((one: Answer["body"]) => [one.display_value, one.default, one.maps.length]),
        [
          ["Standard (Standard)", true, 9],
          ["Renewals", false, 4]
        ]
      )
      const [standard, renewals] = body.pipeline
      const won = (of: Answer["body"]) => of.maps.find((one: Answer["body"]) => one.forecast_type === "Closed Won")
      assert.strictEqual(won(standard).id, won(renewals).id)
      assert.strictEqual(standard.maps[3].actual_value, "Id. Decision Makers")
      const single = yield* org.send("GET", `settings/pipeline/${renewals.id}?layout_id=${layout.id}`)
      assert.deepStrictEqual(single.body.pipeline, [renewals])
      const second = yield* org.send("GET", "settings/layouts/1?module=Deals")
      assert.strictEqual(second.status, 204)
      const stage = layout.sections[0].fields.find(({ api_name }: Answer["body"]) => api_name === "Stage")
      assert.includeMembers(
        stage.pick_list_values.map(({ actual_value }: Answer["body"]) => actual_value),
        standard.maps.map(({ actual_value }: Answer["body"]) => actual_value)
      )
      assert.deepInclude(
        stage.pick_list_values.find(({ id }: Answer["body"]) => id === standard.maps[3].id),
        { display_value: "Identify Decision Makers", actual_value: "Id. Decision Makers", probability: 60 }
      )
    })
  )

  inOrganisation("list users by their state", (org) =>
    Effect.gen(function* () {
      const count = (type: string) =>
        Effect.map(org.send("GET", `users?type=${type}`), ({ body }) => body?.users.length ?? 0)
      assert.strictEqual(yield* count("AllUsers"), 5)
      assert.strictEqual(yield* count("ActiveUsers"), 4)
      assert.strictEqual(yield* count("DeactiveUsers"), 1)
      assert.strictEqual(yield* count("AdminUsers"), 1)
      const deleted = yield* org.send("GET", "users?type=DeletedUsers")
      assert.strictEqual(deleted.body.users[0].status, "deleted")
      const one = yield* org.send("GET", `users/${deleted.body.users[0].id}`)
      assert.deepStrictEqual(one.body.users, deleted.body.users)
      const page = yield* org.send("GET", "users?type=AllUsers&per_page=2&page=3")
      assert.deepStrictEqual(page.body.info, { per_page: 2, count: 1, page: 3, more_records: false })
      assert.strictEqual((yield* org.send("GET", "users/554023999999999001")).status, 204)
      refused(yield* org.send("GET", "users?type=Nobody"), 400, "INVALID_DATA")
    })
  )
})
