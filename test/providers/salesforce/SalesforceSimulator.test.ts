import { HttpClientRequest } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { simulator } from "../../../src/providers/salesforce/simulator/SalesforceSimulator.ts"
import { type Setting, turnOn } from "../../../src/providers/salesforce/simulator/Settings.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { client, connect } from "../../../src/providers/simulation/Simulator.ts"

interface Answer {
  readonly status: number
  // the tests look into JSON of many shapes
  readonly body: ReturnType<typeof JSON.parse>
  readonly headers: { readonly [name: string]: string }
}

/** An organisation of its own, and a caller with its session. */
const organisation = Effect.gen(function* () {
  const http = yield* client(simulator)
  const tokens = yield* connect(simulator, "acme")
  const send = (
    method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE",
    path: string,
    body?: unknown,
    headers: { readonly [name: string]: string } = {}
  ) =>
    Effect.gen(function* () {
      const bare = HttpClientRequest.make(method)(
        path.startsWith("/services") ? `https://acme.test${path}` : `https://acme.test/services/data/v59.0/${path}`
      ).pipe(HttpClientRequest.setHeaders({ authorization: `Bearer ${tokens.accessToken}`, ...headers }))
      const request =
        body instanceof URLSearchParams
          ? HttpClientRequest.bodyText(bare, body.toString(), "application/x-www-form-urlencoded")
          : body === undefined
            ? bare
            : HttpClientRequest.bodyText(bare, JSON.stringify(body), "application/json")
      const response = yield* http.execute(request)
      const text = yield* response.text
      const isJson = response.headers["content-type"]?.includes("json") === true && text !== ""
      return {
        status: response.status,
        body: isJson ? JSON.parse(text) : text,
        headers: response.headers
      } satisfies Answer
    })
  return {
    tokens,
    send,
    query: (soql: string, headers?: { readonly [name: string]: string }) =>
      send("GET", `query?q=${encodeURIComponent(soql)}`, undefined, headers),
    queryAll: (soql: string) => send("GET", `queryAll?q=${encodeURIComponent(soql)}`)
  }
})

type Organisation = Effect.Effect.Success<typeof organisation>

const inOrganisation = (
  name: string,
  use: (org: Organisation) => Effect.Effect<void, unknown, Faults | SimulationStore>
) =>
  it.effect(name, () =>
    Effect.flatMap(organisation, use).pipe(Effect.provide(Layer.mergeAll(SimulationStore.layerMemory, Faults.layer)))
  )

const refused = (
  answer: Answer,
  status: number,
  code: string,
  message?: string | RegExp,
  fields?: ReadonlyArray<string>
) => {
  assert.strictEqual(answer.status, status, JSON.stringify(answer.body))
  assert.isArray(answer.body)
  assert.strictEqual(answer.body[0].errorCode, code)
  if (message instanceof RegExp) assert.match(answer.body[0].message, message)
  else if (message !== undefined) assert.strictEqual(answer.body[0].message, message)
  if (fields !== undefined) assert.deepStrictEqual(answer.body[0].fields, fields)
}

describe("sessions", () => {
  inOrganisation("need a good token, in any of its two schemes", (org) =>
    Effect.gen(function* () {
      refused(
        yield* org.send("GET", "limits", undefined, { authorization: "" }),
        401,
        "INVALID_SESSION_ID",
        "Session expired or invalid"
      )
      refused(
        yield* org.send("GET", "limits", undefined, { authorization: "Bearer acme.nothing" }),
        401,
        "INVALID_SESSION_ID"
      )
      const good = yield* org.send("GET", "limits", undefined, { authorization: `OAuth ${org.tokens.accessToken}` })
      assert.strictEqual(good.status, 200)
      assert.match(good.headers["sforce-limit-info"] ?? "", /^api-usage=\d+\/\d+$/)
      assert.isAbove(good.body.DailyApiRequests.Max, good.body.DailyApiRequests.Remaining)
    })
  )

  inOrganisation("are refreshed by one request at a time: another one meanwhile is refused", (org) =>
    Effect.gen(function* () {
      const faults = yield* Faults
      yield* faults.add({
        provider: "salesforce",
        path: "/token",
        does: { kind: "latency", milliseconds: 14_000, after: true }
      })
      const form = { grant_type: "refresh_token", refresh_token: org.tokens.refreshToken, client_id: "app" }
      const ask = org.send("POST", "/services/oauth2/token", new URLSearchParams(form))
      const slow = yield* Effect.fork(ask)
      yield* TestClock.adjust("1 second")
      const meanwhile = yield* ask
      assert.strictEqual(meanwhile.status, 400)
      assert.deepStrictEqual(meanwhile.body, {
        error: "invalid_grant",
        error_description: "token request is already being processed"
      })
      yield* TestClock.adjust("13 seconds")
      assert.strictEqual((yield* Fiber.join(slow)).status, 200)
      assert.strictEqual((yield* ask).status, 200)
    })
  )

  inOrganisation("end all together when an application with rotation sends a replaced refresh token again", (org) =>
    Effect.gen(function* () {
      const refresh = (refresh_token: string) =>
        org.send(
          "POST",
          "/services/oauth2/token",
          new URLSearchParams({ grant_type: "refresh_token", refresh_token, client_id: "rotating" })
        )
      const renewed = yield* refresh(org.tokens.refreshToken)
      assert.notStrictEqual(renewed.body.refresh_token, org.tokens.refreshToken)
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* refresh(org.tokens.refreshToken)).body.error, "invalid_grant")
      assert.strictEqual((yield* refresh(renewed.body.refresh_token)).body.error, "invalid_grant")
      const headers = { authorization: `Bearer ${renewed.body.access_token}` }
      refused(yield* org.send("GET", "limits", undefined, headers), 401, "INVALID_SESSION_ID")
    })
  )

  inOrganisation("are refreshed without a lifetime and without a new refresh token", (org) =>
    Effect.gen(function* () {
      const form = { grant_type: "refresh_token", refresh_token: org.tokens.refreshToken, client_id: "app" }
      const answer = yield* org.send("POST", "/services/oauth2/token", new URLSearchParams(form))
      assert.strictEqual(answer.status, 200)
      assert.hasAllKeys(answer.body, [
        "access_token",
        "signature",
        "scope",
        "instance_url",
        "id",
        "token_type",
        "issued_at"
      ])
      assert.match(answer.body.instance_url, /^https:\/\//)
      const headers = { authorization: `Bearer ${answer.body.access_token}` }
      const me = yield* org.send("GET", "/services/oauth2/userinfo", undefined, headers)
      assert.match(me.body.organization_id, /^00D.{15}$/)
      assert.match(me.body.user_id, /^005.{15}$/)

      const bad = (change: { readonly [name: string]: string }) =>
        org.send("POST", "/services/oauth2/token", new URLSearchParams({ ...form, ...change }))
      assert.strictEqual((yield* bad({ client_id: "" })).body.error, "invalid_client_id")
      assert.strictEqual((yield* bad({ grant_type: "password" })).body.error, "unsupported_grant_type")

      const gone = yield* org.send(
        "POST",
        "/services/oauth2/revoke",
        new URLSearchParams({ token: org.tokens.refreshToken })
      )
      assert.strictEqual(gone.status, 200)
      assert.strictEqual((yield* bad({})).body.error, "invalid_grant")
      refused(yield* org.send("GET", "limits", undefined, headers), 401, "INVALID_SESSION_ID")
    })
  )

  inOrganisation("end at the daily limit with 403", (org) =>
    Effect.gen(function* () {
      const answer = simulator.failures.rateLimited(60)
      assert.strictEqual(answer.status, 403)
      assert.deepStrictEqual(answer.body, [
        { message: "TotalRequests Limit exceeded.", errorCode: "REQUEST_LIMIT_EXCEEDED" }
      ])
      assert.isUndefined(answer.headers?.["retry-after"])
      refused(yield* org.send("GET", "/services/data/v99.0/limits"), 404, "NOT_FOUND")
      refused(yield* org.send("GET", "/services/data/v19.0/limits"), 404, "NOT_FOUND")
      refused(yield* org.send("GET", "nothing/here"), 404, "NOT_FOUND")
      refused(yield* org.send("PUT", "sobjects/Contact", {}), 405, "METHOD_NOT_ALLOWED")
    })
  )
})

describe("queries", () => {
  inOrganisation("answer rows with attributes, parents and children", (org) =>
    Effect.gen(function* () {
      const { body } = yield* org.query(
        "SELECT Id, account.name, Owner.Name, MailingAddress FROM contact WHERE MailingCity != null ORDER BY Id LIMIT 3"
      )
      assert.strictEqual(body.totalSize, 3)
      assert.isTrue(body.done)
      const [row] = body.records
      assert.deepStrictEqual(row.attributes, {
        type: "Contact",
        url: `/services/data/v59.0/sobjects/Contact/${row.Id}`
      })
      assert.strictEqual(row.Account.attributes.type, "Account")
      assert.isString(row.Account.Name)
      assert.isString(row.Owner.Name)
      assert.hasAllKeys(row.MailingAddress, [
        "city",
        "country",
        "geocodeAccuracy",
        "latitude",
        "longitude",
        "postalCode",
        "state",
        "street"
      ])

      const deals = yield* org.query(
        "SELECT Id, ContactId, (SELECT ContactId, Contact.Name FROM OpportunityContactRoles WHERE IsPrimary = true) FROM Opportunity ORDER BY Id"
      )
      const roles = deals.body.records.map(({ OpportunityContactRoles }: Answer["body"]) => OpportunityContactRoles)
      assert.isTrue(roles.includes(null), "an opportunity without a primary contact has null")
      const some = deals.body.records.find(({ OpportunityContactRoles: has }: Answer["body"]) => has !== null)
      assert.strictEqual(some.OpportunityContactRoles.totalSize, 1)
      assert.isTrue(some.OpportunityContactRoles.done)
      assert.isString(some.OpportunityContactRoles.records[0].Contact.Name)
      assert.strictEqual(some.ContactId, some.OpportunityContactRoles.records[0].ContactId)
    })
  )

  inOrganisation("tell what an activity is about", (org) =>
    Effect.gen(function* () {
      const { body } = yield* org.query(
        "SELECT What.Type, What.Name, Who.Email FROM Task WHERE WhatId != null ORDER BY Id LIMIT 20"
      )
      const types = new Set(body.records.map(({ What }: Answer["body"]) => What.Type))
      assert.deepStrictEqual(
        [...types].map(String).sort((a, b) => a.localeCompare(b)),
        ["Account", "Opportunity"]
      )
      assert.match(body.records[0].Who.Email, /@/)
      const other = yield* org.query("SELECT Id FROM Task WHERE What.Type = 'Account'")
      assert.isAbove(other.body.totalSize, 0)
    })
  )

  inOrganisation("come in batches, the rest under nextRecordsUrl", (org) =>
    Effect.gen(function* () {
      const all = yield* org.query("SELECT Id FROM Contact ORDER BY Id")
      assert.strictEqual(all.body.records.length, 260)
      const first = yield* org.query("SELECT Id FROM Contact ORDER BY Id", { "sforce-query-options": "batchSize=50" })
      assert.strictEqual(first.body.records.length, 200)
      assert.strictEqual(first.body.totalSize, 260)
      assert.isFalse(first.body.done)
      assert.match(first.body.nextRecordsUrl, /^\/services\/data\/v59\.0\/query\/01g\w+-200$/)
      const second = yield* org.send("GET", first.body.nextRecordsUrl)
      assert.isTrue(second.body.done)
      assert.isUndefined(second.body.nextRecordsUrl)
      assert.deepStrictEqual(
        [...first.body.records, ...second.body.records].map(({ Id }) => Id),
        all.body.records.map(({ Id }: Answer["body"]) => Id)
      )
      refused(yield* org.send("GET", "query/01gXX-2000"), 400, "INVALID_QUERY_LOCATOR", "invalid query locator")
    })
  )

  inOrganisation("walk by id, whatever form an id has", (org) =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      for (let last = ""; ;) {
        const { body } = yield* org.query(`SELECT Id FROM Contact WHERE Id > '${last}' ORDER BY Id LIMIT 90`)
        seen.push(...body.records.map(({ Id }: Answer["body"]) => Id))
        if (body.records.length < 90) break
        last = String(seen.at(-1)).slice(0, 15)
      }
      assert.strictEqual(new Set(seen).size, 260)
      assert.isTrue(seen.every((one) => /^003[0-9A-Z]{12}[A-Z0-5]{3}$/.test(one)))
    })
  )

  inOrganisation("count", (org) =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* org.query("SELECT COUNT() FROM OpportunityStage")).body, {
        totalSize: 10,
        done: true,
        records: []
      })
      const { body } = yield* org.query("SELECT COUNT(Id), COUNT(Amount) FROM Opportunity")
      assert.strictEqual(body.records[0].expr0, 80)
      assert.isBelow(body.records[0].expr1, 80)
      assert.strictEqual((yield* org.query("SELECT COUNT() FROM User WHERE IsActive = false")).body.totalSize, 1)
      assert.strictEqual((yield* org.query("SELECT COUNT() FROM User WHERE UserType != 'Standard'")).body.totalSize, 1)
    })
  )

  inOrganisation("are refused in Salesforce's words", (org) =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [string, string, RegExp]> = [
        [
          "SELECT Id, CurrencyIsoCode FROM Opportunity",
          "INVALID_FIELD",
          /No such column 'CurrencyIsoCode' on entity 'Opportunity'\. If you are/
        ],
        ["SELECT Id FROM Contact WHERE Nope = 'x'", "INVALID_FIELD", /No such column 'Nope' on entity 'Contact'/],
        ["SELECT Id FROM Contact ORDER BY Nope", "INVALID_FIELD", /No such column 'Nope'/],
        ["SELECT Boss.Name FROM Contact", "INVALID_FIELD", /Didn't understand relationship 'Boss'/],
        ["SELECT Id, (SELECT Id FROM Nopes) FROM Contact", "INVALID_TYPE", /Didn't understand relationship 'Nopes'/],
        ["SELECT Id, id FROM Contact", "INVALID_FIELD", /duplicate field selected: id/],
        ["SELECT Id FROM Nope", "INVALID_TYPE", /sObject type 'Nope' is not supported/],
        ["SELECT * FROM Contact", "MALFORMED_QUERY", /unexpected token: '\*'/],
        ["SELECT Id, FROM Contact", "MALFORMED_QUERY", /unexpected token: 'FROM'/],
        ["", "MALFORMED_QUERY", /empty/],
        ["SELECT Id FROM Contact WHERE Id = '003x'", "INVALID_QUERY_FILTER_OPERATOR", /invalid ID field: 003x/],
        [
          "SELECT Id FROM Contact WHERE CreatedDate > '2025-01-01T00:00:00Z'",
          "INVALID_FIELD",
          /must be of type dateTime and should not be enclosed in quotes/
        ],
        ["SELECT Id FROM Contact WHERE CreatedDate > 2025-01-01", "INVALID_FIELD", /must be of type dateTime/],
        [
          "SELECT Id FROM Contact WHERE Email = 5",
          "INVALID_FIELD",
          /must be of type string and should be enclosed in quotes/
        ],
        [
          "SELECT Id FROM Account WHERE Description = 'x'",
          "INVALID_FIELD",
          /field 'Description' can not be filtered in a query call/
        ],
        ["SELECT Id FROM Account ORDER BY BillingAddress", "INVALID_FIELD", /can not be sorted/],
        ["SELECT Id FROM Account OFFSET 2001", "NUMBER_OUTSIDE_VALID_RANGE", /offset/],
        ["SELECT Id FROM ContentDocumentLink", "MALFORMED_QUERY", /requires a filter/],
        [
          "SELECT Id FROM Account WHERE Name = 'x' OR Id IN (SELECT AccountId FROM Contact)",
          "MALFORMED_QUERY",
          /not allowed with the 'OR' operator/
        ],
        [
          "SELECT Id FROM ContentNote WHERE Id IN (SELECT ContentDocumentId FROM ContentDocumentLink)",
          "MALFORMED_QUERY",
          /'ContentDocumentLink' is not supported/
        ],
        ["SELECT Id FROM Account WHERE Name IN (SELECT Name FROM Contact)", "MALFORMED_QUERY", /should be an id field/],
        ["SELECT Id FROM Account WHERE Id IN (SELECT Name FROM Contact)", "MALFORMED_QUERY", /should be an id field/],
        ["SELECT Id FROM Account WHERE Id IN (SELECT AccountId FROM Nope)", "INVALID_TYPE", /'Nope' is not supported/],
        [
          "SELECT Id FROM Account WHERE Id IN (SELECT AccountId FROM Contact LIMIT 1)",
          "MALFORMED_QUERY",
          /no ORDER BY and no LIMIT/
        ]
      ]
      for (const [soql, code, message] of cases) refused(yield* org.query(soql), 400, code, message)
    })
  )

  inOrganisation("may ask for the ids of another query, two at most", (org) =>
    Effect.gen(function* () {
      const inner = "(SELECT AccountId FROM Contact WHERE LastName LIKE 'a%')"
      const within = yield* org.query(`SELECT Id FROM Account WHERE Id IN ${inner}`)
      const without = yield* org.query(`SELECT Id FROM Account WHERE Id NOT IN ${inner}`)
      const all = yield* org.query("SELECT Id FROM Account")
      assert.isAbove(within.body.totalSize, 0)
      assert.strictEqual(within.body.totalSize + without.body.totalSize, all.body.totalSize)
      const thrice = `SELECT Id FROM Account WHERE Id IN ${inner} AND Id IN ${inner} AND Id IN ${inner}`
      refused(yield* org.query(thrice), 400, "MALFORMED_QUERY", /maximum 2 semi join/)
    })
  )

  inOrganisation("search for words and phrases", (org) =>
    Effect.gen(function* () {
      const search = (sosl: string) => org.send("GET", `search?q=${encodeURIComponent(sosl)}`)
      const { body } = yield* org.send("POST", "sobjects/Account", { Name: "Quixote-Panza & Sons", Phone: "(0)1 234" })
      const finds = (find: string, scope = "ALL") =>
        Effect.map(search(`FIND {${find}} IN ${scope} FIELDS RETURNING Account(Id)`), (answer) =>
          answer.body.searchRecords.some(({ Id }: Answer["body"]) => Id === body.id)
        )
      for (const find of [
        "quixote",
        "PANZA quixote",
        '"Quixote\\-Panza"',
        "quix*",
        "nobody OR sons",
        "sons AND NOT nobody"
      ]) {
        assert.isTrue(yield* finds(find), find)
      }
      for (const find of ["quix", '"panza quixote"', "sons AND nobody", "sons AND NOT panza"]) {
        assert.isFalse(yield* finds(find), find)
      }
      assert.isTrue(yield* finds("234", "PHONE"))
      assert.isFalse(yield* finds("quixote", "PHONE"))
      for (const [sosl, message] of [
        ["FIND {a} IN ALL FIELDS RETURNING Account(Id)", /longer than one character/],
        ["FIND {a-b} IN ALL FIELDS RETURNING Account(Id)", /no viable alternative/],
        ["FIND quixote", /unexpected token/]
      ] as const) {
        refused(yield* search(sosl), 400, "MALFORMED_SEARCH", message)
      }
    })
  )
})

describe("records", () => {
  inOrganisation("are made, read, changed and deleted", (org) =>
    Effect.gen(function* () {
      const made = yield* org.send("POST", "sobjects/Contact", {
        FirstName: "Ada",
        LastName: "Byron",
        MailingCity: "London",
        Tier__c: "Gold",
        Phone: ""
      })
      assert.strictEqual(made.status, 201)
      assert.isTrue(made.body.success)
      assert.deepStrictEqual(made.body.errors, [])
      const at = `sobjects/Contact/${made.body.id}`
      const read = yield* org.send("GET", at)
      assert.strictEqual(read.body.Name, "Ada Byron")
      assert.strictEqual(read.body.MailingAddress.city, "London")
      assert.isNull(read.body.Phone)
      assert.isFalse(read.body.IsDeleted)
      assert.match(read.body.CreatedDate, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000\+0000$/)
      const some = yield* org.send("GET", `sobjects/Contact/${made.body.id.slice(0, 15)}?fields=LastName,Owner.Name`)
      assert.hasAllKeys(some.body, ["attributes", "LastName", "Owner"])

      const changed = yield* org.send("PATCH", at, { FirstName: null, Score__c: 4.5 })
      assert.strictEqual(changed.status, 204)
      assert.strictEqual(changed.body, "")
      const after = yield* org.send("GET", at)
      assert.strictEqual(after.body.Name, "Byron")
      assert.strictEqual(after.body.Score__c, 4.5)

      assert.strictEqual((yield* org.send("DELETE", at)).status, 204)
      refused(yield* org.send("GET", at), 404, "ENTITY_IS_DELETED", "entity is deleted")
      refused(yield* org.send("PATCH", at, { FirstName: "x" }), 404, "ENTITY_IS_DELETED")
      refused(yield* org.send("DELETE", at), 404, "ENTITY_IS_DELETED")
      const soql = `SELECT IsDeleted FROM Contact WHERE Id = '${made.body.id}'`
      assert.strictEqual((yield* org.query(soql)).body.totalSize, 0)
      assert.isTrue((yield* org.queryAll(soql)).body.records[0].IsDeleted)
    })
  )

  inOrganisation("are refused in Salesforce's words", (org) =>
    Effect.gen(function* () {
      const create = (type: string, body: unknown) => org.send("POST", `sobjects/${type}`, body)
      refused(
        yield* create("Contact", { LastName: "x", Nope: 1 }),
        400,
        "INVALID_FIELD",
        "No such column 'Nope' on sobject of type Contact"
      )
      refused(yield* create("Contact", { LastName: "x", CurrencyIsoCode: "USD" }), 400, "INVALID_FIELD")
      refused(
        yield* create("Contact", { FirstName: "x" }),
        400,
        "REQUIRED_FIELD_MISSING",
        "Required fields are missing: [LastName]",
        ["LastName"]
      )
      refused(
        yield* create("Lead", {}),
        400,
        "REQUIRED_FIELD_MISSING",
        "Required fields are missing: [LastName, Company]",
        ["LastName", "Company"]
      )
      refused(
        yield* create("Contact", { LastName: "x", FirstName: "y".repeat(41) }),
        400,
        "STRING_TOO_LONG",
        `First Name: data value too large: ${"y".repeat(41)} (max length=40)`,
        ["FirstName"]
      )
      refused(
        yield* create("Contact", { LastName: "x", Name: "y" }),
        400,
        "INVALID_FIELD_FOR_INSERT_UPDATE",
        /^Unable to create\/update fields: Name\. /,
        ["Name"]
      )
      refused(
        yield* create("Contact", { LastName: "x", Email: "nowhere" }),
        400,
        "INVALID_EMAIL_ADDRESS",
        "Email: invalid email address: nowhere",
        ["Email"]
      )
      refused(
        yield* create("Contact", { LastName: "x", Tier__c: "Tin" }),
        400,
        "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST",
        "bad value for restricted picklist field: Tin",
        ["Tier__c"]
      )
      refused(
        yield* create("Contact", { LastName: "x", AccountId: "nope" }),
        400,
        "MALFORMED_ID",
        "Account ID: id value of incorrect type: nope",
        ["AccountId"]
      )
      const user = yield* org.query("SELECT Id FROM User WHERE IsActive = false")
      refused(yield* create("Contact", { LastName: "x", AccountId: user.body.records[0].Id }), 400, "MALFORMED_ID")
      refused(
        yield* create("Contact", { LastName: "x", OwnerId: user.body.records[0].Id }),
        400,
        "INACTIVE_OWNER_OR_USER"
      )
      refused(
        yield* create("Contact", { LastName: "x", AccountId: "001WS00000ZZZZZ" }),
        400,
        "INVALID_CROSS_REFERENCE_KEY",
        "invalid cross reference id"
      )
      refused(yield* create("Contact", { LastName: "x", Birthdate: "1.2.2000" }), 400, "JSON_PARSER_ERROR", /date/)
      refused(yield* create("Contact", { LastName: "x", DoNotCall: "maybe" }), 400, "JSON_PARSER_ERROR")
      refused(yield* create("Nope", {}), 404, "NOT_FOUND", "The requested resource does not exist")
      refused(yield* create("OpportunityStage", { MasterLabel: "x" }), 400, "INVALID_TYPE_FOR_OPERATION")
      refused(
        yield* org.send("GET", "sobjects/Contact/nope"),
        404,
        "NOT_FOUND",
        "Provided external ID field does not exist or is not accessible: nope"
      )
      refused(
        yield* org.send("GET", "sobjects/Contact/003WS00000ZZZZZ"),
        404,
        "NOT_FOUND",
        "The requested resource does not exist"
      )
      refused(yield* org.send("PATCH", "sobjects/Contact/003WS00000ZZZZZ", {}), 404, "INVALID_CROSS_REFERENCE_KEY")
      const [contact] = (yield* org.query("SELECT Id FROM Contact LIMIT 1")).body.records
      refused(
        yield* org.send("PATCH", `sobjects/Contact/${contact.Id}`, { LastName: null }),
        400,
        "REQUIRED_FIELD_MISSING"
      )
      refused(yield* org.send("PATCH", `sobjects/Contact/${contact.Id}`, { Id: contact.Id }), 400, "INVALID_FIELD")
      refused(yield* org.send("GET", `sobjects/Contact/${contact.Id}?fields=Nope`), 400, "INVALID_FIELD")
      const [lead] = (yield* org.query("SELECT Id FROM Lead WHERE IsConverted = true")).body.records
      refused(yield* org.send("PATCH", `sobjects/Lead/${lead.Id}`, { Title: "x" }), 400, "CANNOT_UPDATE_CONVERTED_LEAD")
    })
  )

  inOrganisation("of opportunities follow their stage and make the primary contact role", (org) =>
    Effect.gen(function* () {
      const [contact, other] = (yield* org.query("SELECT Id, AccountId FROM Contact ORDER BY Id LIMIT 2")).body.records
      const body = {
        Name: "Deal",
        StageName: "Prospecting",
        CloseDate: "2026-03-31",
        AccountId: contact.AccountId,
        ContactId: contact.Id
      }
      const { body: made } = yield* org.send("POST", "sobjects/Opportunity", body)
      const read = org.send("GET", `sobjects/Opportunity/${made.id}`)
      const open = (yield* read).body
      assert.deepInclude(open, {
        IsClosed: false,
        IsWon: false,
        Probability: 10,
        ForecastCategory: "Pipeline",
        ContactId: contact.Id,
        FiscalQuarter: 1
      })
      yield* org.send("PATCH", `sobjects/Opportunity/${made.id}`, { StageName: "Closed Won" })
      assert.deepInclude((yield* read).body, {
        IsClosed: true,
        IsWon: true,
        Probability: 100,
        ForecastCategoryName: "Closed"
      })
      yield* org.send("PATCH", `sobjects/Opportunity/${made.id}`, { StageName: "Negotiation/Review", Probability: 35 })
      assert.deepInclude((yield* read).body, { IsClosed: false, Probability: 35, ForecastCategory: "Forecast" })
      refused(
        yield* org.send("PATCH", `sobjects/Opportunity/${made.id}`, { ContactId: other.Id }),
        400,
        "INVALID_FIELD_FOR_INSERT_UPDATE"
      )

      // another primary role takes the place of the first
      yield* org.send("POST", "sobjects/OpportunityContactRole", {
        OpportunityId: made.id,
        ContactId: other.Id,
        IsPrimary: true
      })
      const roles = yield* org.query(
        `SELECT ContactId FROM OpportunityContactRole WHERE OpportunityId = '${made.id}' AND IsPrimary = true`
      )
      assert.deepStrictEqual(
        roles.body.records.map(({ ContactId }: Answer["body"]) => ContactId),
        [other.Id]
      )
      assert.strictEqual((yield* read).body.ContactId, other.Id)
    })
  )

  inOrganisation("of activities work out what follows from what was given", (org) =>
    Effect.gen(function* () {
      const [contact] = (yield* org.query("SELECT Id, AccountId FROM Contact ORDER BY Id DESC LIMIT 1")).body.records
      const task = yield* org.send("POST", "sobjects/Task", {
        Subject: "Call back",
        WhoId: contact.Id,
        ActivityDate: "2030-01-02",
        Status: "Completed"
      })
      const read = yield* org.send("GET", `sobjects/Task/${task.body.id}`)
      assert.deepInclude(read.body, {
        IsClosed: true,
        Priority: "Normal",
        TaskSubtype: "Task",
        AccountId: contact.AccountId
      })
      assert.isString(read.body.CompletedDateTime)
      const who = yield* org.send("GET", `sobjects/Contact/${contact.Id}?fields=LastActivityDate`)
      assert.strictEqual(who.body.LastActivityDate, "2030-01-02")
      refused(
        yield* org.send("PATCH", `sobjects/Task/${task.body.id}`, { TaskSubtype: "Call" }),
        400,
        "INVALID_FIELD_FOR_INSERT_UPDATE"
      )

      const event = yield* org.send("POST", "sobjects/Event", {
        Subject: "Demo",
        StartDateTime: "2030-01-02T10:00:00+02:00",
        EndDateTime: "2030-01-02T09:30:00Z"
      })
      const held = yield* org.send("GET", `sobjects/Event/${event.body.id}`)
      assert.deepInclude(held.body, {
        StartDateTime: "2030-01-02T08:00:00.000+0000",
        DurationInMinutes: 90,
        ActivityDate: "2030-01-02"
      })
      refused(yield* org.send("POST", "sobjects/Event", { Subject: "Demo" }), 400, "REQUIRED_FIELD_MISSING")
      refused(
        yield* org.send("POST", "sobjects/Event", { StartDateTime: "2030-01-02T10:00:00Z" }),
        400,
        "REQUIRED_FIELD_MISSING"
      )
    })
  )

  inOrganisation("of events have invitees, who go with them", (org) =>
    Effect.gen(function* () {
      const [one, other] = (yield* org.query("SELECT Id FROM Contact ORDER BY Id LIMIT 2")).body.records
      const at = { StartDateTime: "2030-01-02T10:00:00Z", DurationInMinutes: 30 }
      const event = yield* org.send("POST", "sobjects/Event", { ...at, WhoId: one.Id })
      const read = org.query(
        `SELECT IsGroupEvent, (SELECT RelationId, Status FROM EventRelations) FROM Event WHERE Id = '${event.body.id}'`
      )
      assert.deepInclude((yield* read).body.records[0], { IsGroupEvent: false, EventRelations: null })
      const row = yield* org.send("POST", "sobjects/EventRelation", { EventId: event.body.id, RelationId: other.Id })
      const [invited] = (yield* read).body.records
      assert.isTrue(invited.IsGroupEvent)
      assert.deepInclude(invited.EventRelations.records[0], { RelationId: other.Id, Status: "New" })
      refused(
        yield* org.send("PATCH", `sobjects/EventRelation/${row.body.id}`, { RelationId: one.Id }),
        400,
        "INVALID_FIELD_FOR_INSERT_UPDATE"
      )
      yield* org.send("DELETE", `sobjects/Event/${event.body.id}`)
      refused(yield* org.send("GET", `sobjects/EventRelation/${row.body.id}`), 404, "ENTITY_IS_DELETED")
    })
  )

  inOrganisation("of appointments need a parent, a window and a status", (org) =>
    Effect.gen(function* () {
      const [account] = (yield* org.query("SELECT Id FROM Account LIMIT 1")).body.records
      const body = {
        ParentRecordId: account.Id,
        EarliestStartTime: "2030-01-02T10:00:00Z",
        DueDate: "2030-01-03T10:00:00Z"
      }
      const { body: made } = yield* org.send("POST", "sobjects/ServiceAppointment", body)
      const at = `sobjects/ServiceAppointment/${made.id}`
      assert.deepInclude((yield* org.send("GET", at)).body, {
        Status: "None",
        StatusCategory: "None",
        AccountId: null,
        ParentRecordType: "Account"
      })
      yield* org.send("PATCH", at, { Status: "In Progress" })
      assert.strictEqual((yield* org.send("GET", at)).body.StatusCategory, "InProgress")
      const { DueDate, ParentRecordId, ...rest } = body
      const create = (more: object) => org.send("POST", "sobjects/ServiceAppointment", { ...rest, ...more })
      refused(yield* create({ ParentRecordId }), 400, "REQUIRED_FIELD_MISSING", /DueDate/, ["DueDate"])
      refused(yield* create({ DueDate }), 400, "REQUIRED_FIELD_MISSING", /ParentRecordId/)
      refused(yield* create({ ParentRecordId, DueDate: "2030-01-01T10:00:00Z" }), 400, "FIELD_INTEGRITY_EXCEPTION")
      refused(yield* org.send("PATCH", at, { Status: null }), 400, "REQUIRED_FIELD_MISSING")
      refused(yield* org.send("PATCH", at, { ParentRecordId }), 400, "INVALID_FIELD_FOR_INSERT_UPDATE")
      const times = { SchedStartTime: DueDate, SchedEndTime: rest.EarliestStartTime }
      refused(yield* org.send("PATCH", at, times), 400, "FIELD_INTEGRITY_EXCEPTION", /end/, ["SchedEndTime"])
    })
  )

  inOrganisation("have the statuses that the organisation set up", (org) =>
    Effect.gen(function* () {
      const flagged = (type: string, flag: string) =>
        Effect.map(org.query(`SELECT ApiName FROM ${type} WHERE ${flag} = true`), ({ body }) =>
          body.records.map(({ ApiName }: Answer["body"]) => ApiName)
        )
      assert.deepStrictEqual(yield* flagged("TaskStatus", "IsClosed"), ["Completed"])
      assert.deepStrictEqual(yield* flagged("TaskStatus", "IsDefault"), ["Not Started"])
      assert.deepStrictEqual(yield* flagged("LeadStatus", "IsConverted"), ["Closed - Converted"])
      refused(yield* org.send("POST", "sobjects/TaskStatus", { ApiName: "Odd" }), 400, "INVALID_TYPE_FOR_OPERATION")
    })
  )

  inOrganisation("take with them what cannot be without them", (org) =>
    Effect.gen(function* () {
      const [account] = (yield* org.query("SELECT Id, (SELECT Id FROM Contacts) FROM Account ORDER BY Id LIMIT 1")).body
        .records
      assert.isAbove(account.Contacts.totalSize, 0)
      yield* org.send("DELETE", `sobjects/Account/${account.Id}`)
      assert.strictEqual(
        (yield* org.query(`SELECT Id FROM Contact WHERE AccountId = '${account.Id}'`)).body.totalSize,
        0
      )
      const binned = yield* org.queryAll(`SELECT IsDeleted FROM Contact WHERE AccountId = '${account.Id}'`)
      assert.strictEqual(binned.body.totalSize, account.Contacts.totalSize)
    })
  )

  inOrganisation("are found and made by an external id", (org) =>
    Effect.gen(function* () {
      const at = "sobjects/Account/External_Id__c/X-1"
      const made = yield* org.send("PATCH", at, { Name: "First" })
      assert.strictEqual(made.status, 201)
      assert.isTrue(made.body.created)
      const again = yield* org.send("PATCH", at, { Name: "Second" })
      assert.strictEqual(again.status, 200)
      assert.deepInclude(again.body, { id: made.body.id, created: false })
      assert.strictEqual((yield* org.send("GET", at)).body.Name, "Second")
      refused(yield* org.send("POST", "sobjects/Account", { Name: "x", External_Id__c: "X-1" }), 400, "DUPLICATE_VALUE")
      refused(yield* org.send("PATCH", "sobjects/Account/Name/X-1", { Name: "x" }), 404, "NOT_FOUND")
    })
  )

  inOrganisation("of notes keep their content under its own address", (org) =>
    Effect.gen(function* () {
      const content = Buffer.from("<p>Hi</p>").toString("base64")
      const { body } = yield* org.send("POST", "sobjects/ContentNote", { Title: "Hi", Content: content })
      const read = yield* org.query(`SELECT Content, TextPreview FROM ContentNote WHERE Id = '${body.id}'`)
      assert.strictEqual(read.body.records[0].TextPreview, "Hi")
      assert.strictEqual((yield* org.send("GET", read.body.records[0].Content)).body, "<p>Hi</p>")
      const links = yield* org.query(
        `SELECT LinkedEntityId FROM ContentDocumentLink WHERE ContentDocumentId = '${body.id}'`
      )
      assert.match(links.body.records[0].LinkedEntityId, /^005/)
      refused(
        yield* org.send("POST", "sobjects/ContentNote", { Title: "Hi", Content: "<p>Hi</p>" }),
        400,
        "JSON_PARSER_ERROR"
      )
      refused(yield* org.send("POST", "sobjects/ContentVersion", { Title: "Hi" }), 400, "INVALID_TYPE_FOR_OPERATION")
    })
  )
})

describe("collections", () => {
  inOrganisation("write each record for itself, or all or none", (org) =>
    Effect.gen(function* () {
      const contact = (LastName: string | null) => ({ attributes: { type: "Contact" }, LastName })
      const each = yield* org.send("POST", "composite/sobjects", {
        records: [contact("A"), contact(null), { attributes: { type: "Nope" } }]
      })
      assert.strictEqual(each.status, 200)
      assert.deepStrictEqual(
        each.body.map(({ success }: Answer["body"]) => success),
        [true, false, false]
      )
      assert.strictEqual(each.body[1].errors[0].statusCode, "REQUIRED_FIELD_MISSING")
      const none = yield* org.send("POST", "composite/sobjects", {
        allOrNone: true,
        records: [contact("B"), contact(null)]
      })
      assert.strictEqual(none.body[0].errors[0].statusCode, "ALL_OR_NONE_OPERATION_ROLLED_BACK")
      assert.strictEqual((yield* org.query("SELECT Id FROM Contact WHERE Name = 'B'")).body.totalSize, 0)

      const id = each.body[0].id
      const updated = yield* org.send("PATCH", "composite/sobjects", { records: [{ ...contact("C"), id }] })
      assert.deepStrictEqual(updated.body, [{ id, success: true, errors: [] }])
      const read = yield* org.send("POST", "composite/sobjects/Contact", {
        ids: ["003WS00000ZZZZZ", id],
        fields: ["Name"]
      })
      assert.isNull(read.body[0])
      assert.strictEqual(read.body[1].Name, "C")
      const gone = yield* org.send("DELETE", `composite/sobjects?ids=${id},003WS00000ZZZZZ`)
      assert.deepStrictEqual(
        gone.body.map(({ success }: Answer["body"]) => success),
        [true, false]
      )
      refused(
        yield* org.send("POST", "composite/sobjects", { records: Array.from({ length: 201 }, () => contact("D")) }),
        400,
        "EXCEEDED_MAX_SIZE_REQUEST"
      )
    })
  )
})

describe("composite requests", () => {
  const sent = (org: Organisation, parts: ReadonlyArray<object>, more = {}) =>
    Effect.map(org.send("POST", "composite", { ...more, compositeRequest: parts }), ({ body, status }) => ({
      status,
      body,
      parts: status === 200 ? body.compositeResponse : []
    }))
  const v = "/services/data/v59.0"
  const make = (referenceId: string, LastName: string | null, more = {}) => ({
    method: "POST",
    url: `${v}/sobjects/Contact`,
    referenceId,
    body: { LastName, ...more }
  })
  const query = (referenceId: string, soql: string) => ({
    method: "GET",
    url: `${v}/query?q=${soql.replaceAll(" ", "+")}`,
    referenceId
  })

  inOrganisation("pass on what came of earlier parts", (org) =>
    Effect.gen(function* () {
      const { parts } = yield* sent(org, [
        { ...make("account", null), url: `${v}/sobjects/Account`, body: { Name: "Ockham" } },
        make("contact", "King", { AccountId: "@{account.id}" }),
        query("found", "SELECT Id, Account.Name FROM Contact WHERE Id = '@{contact.id}'"),
        {
          method: "PATCH",
          url: `${v}/sobjects/Contact/@{found.records[0].Id}`,
          referenceId: "changed",
          body: { Title: "@{found.records[0].Account.Name}" }
        },
        query("none", "SELECT Id FROM Contact WHERE LastName = 'Nobody at all'"),
        { method: "DELETE", url: `${v}/sobjects/Contact/@{none.records[0].Id}`, referenceId: "removed" }
      ])
      assert.deepStrictEqual(
        parts.map(({ httpStatusCode, referenceId }: Answer["body"]) => [referenceId, httpStatusCode]),
        [
          ["account", 201],
          ["contact", 201],
          ["found", 200],
          ["changed", 204],
          ["none", 200],
          ["removed", 400]
        ]
      )
      assert.deepStrictEqual(parts[5].body, [
        {
          message: "Invalid reference specified. No value for none.records[0].Id found in none",
          errorCode: "PROCESSING_HALTED"
        }
      ])
      const read = yield* org.query(`SELECT Title FROM Contact WHERE Id = '${parts[1].body.id}'`)
      assert.strictEqual(read.body.records[0].Title, "Ockham")
    })
  )

  inOrganisation("make all changes or none where asked, else each for itself", (org) =>
    Effect.gen(function* () {
      const count = (name: string) =>
        Effect.map(org.query(`SELECT Id FROM Contact WHERE LastName = '${name}'`), ({ body }) => body.totalSize)
      const whole = yield* sent(org, [make("a", "Whole"), make("b", null), make("c", "Whole")], { allOrNone: true })
      assert.deepStrictEqual(
        whole.parts.map(({ body }: Answer["body"]) => body[0].errorCode),
        ["PROCESSING_HALTED", "REQUIRED_FIELD_MISSING", "PROCESSING_HALTED"]
      )
      assert.strictEqual(yield* count("Whole"), 0)
      const each = yield* sent(org, [make("a", "Each"), make("b", null), make("c", "Each")])
      assert.deepStrictEqual(
        each.parts.map(({ httpStatusCode }: Answer["body"]) => httpStatusCode),
        [201, 400, 201]
      )
      assert.strictEqual(yield* count("Each"), 2)
    })
  )

  inOrganisation("have their bounds, and take no contents", (org) =>
    Effect.gen(function* () {
      const some = (size: number, part: (name: string) => object) =>
        Array.from({ length: size }, (_, i) => part(`p${i}`))
      const all = (name: string) => query(name, "SELECT Id FROM Contact LIMIT 1")
      for (const parts of [
        some(26, (name) => make(name, "King")),
        some(6, all),
        some(2, () => make("same", "King")),
        [make("not-so", "King")],
        [{ ...make("a", "King"), httpHeaders: { Accept: "text/html" } }],
        []
      ]) {
        assert.strictEqual((yield* sent(org, parts)).status, 400, JSON.stringify(parts))
      }
      assert.strictEqual((yield* sent(org, [...some(20, (name) => make(name, "King")), all("q")])).status, 200)
      const [note] = (yield* org.query("SELECT Id FROM ContentNote LIMIT 1")).body.records
      const { parts } = yield* sent(org, [
        { method: "GET", url: `${v}/sobjects/ContentNote/${note.Id}/Content`, referenceId: "content" },
        { method: "POST", url: `${v}/composite`, referenceId: "nested", body: {} }
      ])
      assert.deepStrictEqual(
        parts.map(({ httpStatusCode }: Answer["body"]) => httpStatusCode),
        [404, 404]
      )
    })
  )
})

describe("descriptions", () => {
  inOrganisation("tell fields, their kinds and choices", (org) =>
    Effect.gen(function* () {
      const list = yield* org.send("GET", "sobjects")
      assert.includeMembers(
        list.body.sobjects.map(({ name }: Answer["body"]) => name),
        ["Account", "Contact", "Lead", "Opportunity", "OpportunityStage", "Task", "Event", "User", "Note"]
      )
      const { body } = yield* org.send("GET", "sobjects/Contact/describe")
      const field = (name: string) => body.fields.find((one: Answer["body"]) => one.name === name)
      assert.deepInclude(field("LastName"), {
        type: "string",
        length: 80,
        nillable: false,
        createable: true,
        updateable: true
      })
      assert.deepInclude(field("Name"), { nillable: false, createable: false, updateable: false })
      assert.deepInclude(field("AccountId"), {
        type: "reference",
        referenceTo: ["Account"],
        relationshipName: "Account"
      })
      assert.deepInclude(field("Tier__c"), { custom: true, restrictedPicklist: true })
      assert.strictEqual(field("Tier__c").picklistValues[0].value, "Bronze")
      const deal = yield* org.send("GET", "sobjects/Opportunity/describe")
      assert.strictEqual(
        deal.body.fields.find((one: Answer["body"]) => one.name === "StageName").picklistValues.length,
        10
      )
      assert.strictEqual(
        deal.body.childRelationships.find((one: Answer["body"]) => one.childSObject === "OpportunityContactRole")
          .relationshipName,
        "OpportunityContactRoles"
      )
      refused(yield* org.send("GET", "sobjects/Nope/describe"), 404, "NOT_FOUND")
    })
  )

  inOrganisation("hold for every object: what can be read can be asked for", (org) =>
    Effect.gen(function* () {
      const { body } = yield* org.send("GET", "sobjects")
      for (const { name } of body.sobjects) {
        const { body: described } = yield* org.send("GET", `sobjects/${name}/describe`)
        const fields = described.fields.map((one: Answer["body"]) => one.name).join(", ")
        const filter = name === "ContentDocumentLink" ? "WHERE LinkedEntityId IN ('005000000000000')" : ""
        const rows = yield* org.query(`SELECT ${fields} FROM ${name} ${filter} LIMIT 200`)
        assert.strictEqual(rows.status, 200, `${name}: ${JSON.stringify(rows.body)}`)
        if (!["ContentDocumentLink", "EventRelation"].includes(name)) assert.isAbove(rows.body.totalSize, 0, name)
        for (const row of rows.body.records) {
          for (const { name: field, nillable } of described.fields) {
            if (!nillable) assert.isNotNull(row[field], `${name}.${field}`)
          }
        }
      }
    })
  )

  inOrganisation("of what changed and what was deleted in a span of time", (org) =>
    Effect.gen(function* () {
      const made = yield* org.send("POST", "sobjects/Account", { Name: "Fleeting" })
      const span = "start=1969-12-31T00:00:00Z&end=1970-01-02T00:00:00Z"
      assert.deepStrictEqual((yield* org.send("GET", `sobjects/Account/updated?${span}`)).body.ids, [made.body.id])
      yield* org.send("DELETE", `sobjects/Account/${made.body.id}`)
      const gone = yield* org.send("GET", `sobjects/Account/deleted?${span}`)
      assert.deepStrictEqual(
        gone.body.deletedRecords.map(({ id }: Answer["body"]) => id),
        [made.body.id]
      )
      refused(yield* org.send("GET", "sobjects/Account/deleted"), 400, "INVALID_FIELD")
    })
  )
})

describe("settings", () => {
  /** An organisation with a setting, whose calls are as above. */
  const withSetting = (name: string, setting: Setting, use: (org: Organisation) => Effect.Effect<void, unknown>) =>
    inOrganisation(name, (org) =>
      Effect.gen(function* () {
        yield* org.query("SELECT Id FROM User LIMIT 1")
        yield* (yield* SimulationStore).run("salesforce", "acme", (account) =>
          turnOn(account, setting, { allowSave: true })
        )
        yield* use(org)
      })
    )

  const fieldsOf = (org: Organisation, type: string) =>
    Effect.map(org.send("GET", `sobjects/${type}/describe`), ({ body }) =>
      body.fields.map(({ name }: { readonly name: string }) => name)
    )

  inOrganisation("that an organisation lacks leave no fields in descriptions, queries and writes", (org) =>
    Effect.gen(function* () {
      const names = yield* fieldsOf(org, "Contact")
      assert.notIncludeMembers(names, ["IsPersonAccount"])
      assert.notIncludeMembers(names, ["MailingStateCode"])
      refused(yield* org.query("SELECT Id, MailingStateCode FROM Contact"), 400, "INVALID_FIELD")
      refused(yield* org.query("SELECT Id FROM Account WHERE IsPersonAccount = false"), 400, "INVALID_FIELD")
      const body = { LastName: "Berg", MailingCountryCode: "US" }
      refused(yield* org.send("POST", "sobjects/Contact", body), 400, "INVALID_FIELD")
    })
  )

  withSetting(
    "person accounts: the name and the account of one are refused, even unchanged",
    "person accounts",
    (org) =>
      Effect.gen(function* () {
        assert.includeMembers(yield* fieldsOf(org, "Account"), ["IsPersonAccount", "PersonContactId", "LastName"])
        const made = yield* org.send("POST", "sobjects/Account", { FirstName: "Imani", LastName: "Reyes" })
        assert.strictEqual(made.status, 201)
        const { id } = made.body
        const { body } = yield* org.query(`SELECT Name, PersonContactId FROM Account WHERE Id = '${id}'`)
        const [{ Name, PersonContactId }] = body.records
        assert.strictEqual(Name, "Imani Reyes")
        const path = `sobjects/Account/${id}`
        const words = "Account: bad field names on insert/update call: "
        const [code, name] = ["INVALID_FIELD_FOR_INSERT_UPDATE", `${words}Name`]
        refused(yield* org.send("PATCH", path, { Name }), 400, code, name, ["Name"])
        assert.strictEqual((yield* org.send("PATCH", path, { Description: "d" })).status, 204)
        const contact = `sobjects/Contact/${PersonContactId}`
        refused(yield* org.send("PATCH", contact, { AccountId: id }), 400, code, `${words}AccountId`, ["AccountId"])
      })
  )

  withSetting("address picklists: names and codes go together, and others are refused", "address picklists", (org) =>
    Effect.gen(function* () {
      const place = (body: object) => org.send("POST", "sobjects/Contact", { LastName: "Berg", ...body })
      const made = yield* place({ MailingState: "Texas", MailingCountry: "United States" })
      const { body } = yield* org.query(
        `SELECT MailingStateCode, MailingCountryCode FROM Contact WHERE Id = '${made.body.id}'`
      )
      assert.deepInclude(body.records[0], { MailingStateCode: "TX", MailingCountryCode: "US" })
      const code = "FIELD_INTEGRITY_EXCEPTION"
      refused(
        yield* place({ MailingState: "TX", MailingCountry: "United States" }),
        400,
        code,
        /problem with this state/
      )
      refused(yield* place({ MailingCountry: "US" }), 400, code, /problem with this country/, ["MailingCountry"])
      refused(yield* place({ MailingStateCode: "TX" }), 400, code, /country\/territory must be specified/)
      const path = `sobjects/Contact/${made.body.id}`
      refused(yield* org.send("PATCH", path, { MailingCountryCode: "DE" }), 400, code, /doesn't recognize the state/)
      assert.strictEqual((yield* org.send("PATCH", path, { MailingCountryCode: null })).status, 204)
    })
  )

  withSetting("duplicate rules: the matches are named, and a header saves the record", "duplicate rules", (org) =>
    Effect.gen(function* () {
      const nora = { LastName: "Lindqvist", Email: "nora@example.com" }
      const first = yield* org.send("POST", "sobjects/Contact", nora)
      const second = yield* org.send("POST", "sobjects/Contact", nora)
      refused(second, 400, "DUPLICATES_DETECTED", "Use one of these records?")
      const [{ matchRecords }] = second.body[0].duplicateResult.matchResults
      assert.strictEqual(matchRecords[0].record.Id, first.body.id)
      const header = { "sforce-duplicate-rule-header": "allowSave=true; runAsCurrentUser=true" }
      assert.strictEqual((yield* org.send("POST", "sobjects/Contact", nora, header)).status, 201)
      // parts of a composite request have headers of their own
      const part = { method: "POST", url: "/services/data/v59.0/sobjects/Contact", referenceId: "a", body: nora }
      const whole = yield* org.send("POST", "composite", { compositeRequest: [part] }, header)
      assert.strictEqual(whole.body.compositeResponse[0].httpStatusCode, 400)
      const own = yield* org.send("POST", "composite", { compositeRequest: [{ ...part, httpHeaders: header }] })
      assert.strictEqual(own.body.compositeResponse[0].httpStatusCode, 201)
    })
  )
})

describe("all-day events", () => {
  inOrganisation("have days, whatever times are written, until they are no all-day events", (org) =>
    Effect.gen(function* () {
      const made = yield* org.send("POST", "sobjects/Event", {
        IsAllDayEvent: true,
        StartDateTime: "2027-02-15T09:00:00Z"
      })
      const held = Effect.map(
        org.query(`SELECT StartDateTime, EndDateTime, DurationInMinutes FROM Event WHERE Id = '${made.body.id}'`),
        ({ body }) => [body.records[0].StartDateTime, body.records[0].EndDateTime, body.records[0].DurationInMinutes]
      )
      const midnight = "2027-02-15T00:00:00.000+0000"
      assert.deepStrictEqual(yield* held, [midnight, midnight, 1440])
      const path = `sobjects/Event/${made.body.id}`
      const times = { StartDateTime: "2027-02-15T15:00:00Z", EndDateTime: "2027-02-15T16:00:00Z" }
      assert.strictEqual((yield* org.send("PATCH", path, times)).status, 204)
      assert.deepStrictEqual(yield* held, [midnight, midnight, 1440])
      yield* org.send("PATCH", path, { StartDateTime: "2027-02-15T00:00:00Z", DurationInMinutes: 4320 })
      assert.deepStrictEqual(yield* held, [midnight, "2027-02-17T00:00:00.000+0000", 4320])
      yield* org.send("PATCH", path, { IsAllDayEvent: false, ...times })
      assert.deepStrictEqual((yield* held)[2], 60)
    })
  )
})
