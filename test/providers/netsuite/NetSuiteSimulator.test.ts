import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { createHmac } from "node:crypto"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { inAccount, type Json, problem } from "./simulated.ts"
import { full } from "../../support/Full.ts"

const signedBy = (token: string, change: { readonly [name: string]: string } = {}) => {
  const parameters = {
    realm: "7",
    oauth_consumer_key: "key",
    oauth_token: token,
    oauth_nonce: "f00dcafe01",
    oauth_timestamp: "1795284000",
    oauth_signature_method: "HMAC-SHA256",
    oauth_version: "1.0",
    oauth_signature: createHmac("sha256", "a&b").update("text").digest("base64"),
    ...change
  }
  return `OAuth ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${encodeURIComponent(value)}"`)
    .join(", ")}`
}

describe("tokens", () => {
  full(it).effect("of a consent end after seven days, and are not replaced", () =>
    inAccount(({ consent, token }) =>
      Effect.gen(function* () {
        const code = yield* consent
        const redirect = encodeURIComponent("https://app.example/back")
        const first = yield* token(`grant_type=authorization_code&code=${code}&redirect_uri=${redirect}`)
        assert.strictEqual(first.status, 200, JSON.stringify(first.body))
        const again = token(`grant_type=refresh_token&refresh_token=${first.body.refresh_token}`)
        yield* TestClock.adjust("6 days")
        const { body, status } = yield* again
        assert.deepStrictEqual([status, body.refresh_token], [200, undefined])
        yield* TestClock.adjust("1 day")
        assert.deepInclude(yield* again, { status: 400, body: { error: "invalid_grant" } })
      })
    )
  )

  it.effect("a refresh answers an access token and keeps the refresh token", () =>
    inAccount(({ get, token, tokens }) =>
      Effect.gen(function* () {
        const ask = `grant_type=refresh_token&refresh_token=${tokens.refreshToken}`
        const first = yield* token(ask)
        assert.deepStrictEqual(Object.keys(first.body), ["access_token", "expires_in", "token_type"])
        assert.strictEqual(first.body.expires_in, "3600")
        const authorization = `Bearer ${first.body.access_token}`
        assert.strictEqual((yield* get("currency/1", { authorization })).status, 200)
        assert.strictEqual((yield* token(ask)).status, 200)
        yield* TestClock.adjust("61 minutes")
        problem(yield* get("currency/1", { authorization }), 401, "INVALID_LOGIN")
      })
    )
  )

  it.effect("a refresh without a client, of another grant or with a bad token is refused", () =>
    inAccount(({ token, tokens }) =>
      Effect.gen(function* () {
        const ask = `grant_type=refresh_token&refresh_token=${tokens.refreshToken}`
        const refusals = [
          yield* token(ask, { authorization: "Basic bm9jb2xvbg==" }),
          yield* token(ask.replace("refresh_token&", "password&")),
          yield* token("grant_type=refresh_token&refresh_token=halcyon.x"),
          yield* token("grant_type=refresh_token&refresh_token=nobody.x")
        ]
        assert.deepStrictEqual(
          refusals.map(({ body, status }) => [status, body.error]),
          [
            [401, "invalid_client"],
            [400, "unsupported_grant_type"],
            [400, "invalid_grant"],
            [400, "invalid_grant"]
          ]
        )
      })
    )
  )

  it.effect("a revoked refresh token refreshes no more", () =>
    inAccount(({ token, tokens }) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* token(`token=${tokens.refreshToken}`, {}, "revoke")).status, 200)
        const again = yield* token(`grant_type=refresh_token&refresh_token=${tokens.refreshToken}`)
        assert.deepStrictEqual([again.status, again.body.error], [400, "invalid_grant"])
      })
    )
  )

  it.effect("a signed request is let in when its header is whole", () =>
    inAccount(({ get, tokens }) =>
      Effect.gen(function* () {
        const status = (change: { readonly [name: string]: string }) =>
          Effect.map(
            get("currency/1", { authorization: signedBy(tokens.accessToken, change) }),
            (reply) => reply.status
          )
        assert.strictEqual(yield* status({}), 200)
        assert.strictEqual(yield* status({ oauth_signature_method: "HMAC-SHA1" }), 401)
        assert.strictEqual(yield* status({ oauth_signature: "c2hvcnQ=" }), 401)
        assert.strictEqual(yield* status({ oauth_nonce: "" }), 401)
        assert.strictEqual(yield* status({ oauth_token: "halcyon.other" }), 401)
      })
    )
  )

  it.effect("too many calls at once are refused in NetSuite's words", () =>
    inAccount(({ get }) =>
      Effect.gen(function* () {
        yield* (yield* Faults).add({ provider: "netsuite", does: { kind: "limit", retryAfter: 1 } })
        problem(yield* get("currency/1"), 429, "CONCURRENCY_LIMIT_EXCEEDED")
      })
    )
  )
})

describe("collections", () => {
  it.effect("a company's sample is large enough to page through, and pages do not overlap", () =>
    inAccount(({ get }) =>
      Effect.gen(function* () {
        const seen = new Set<string>()
        for (const type of ["customer", "vendor"]) {
          let offset = 0
          for (let hasMore = true; hasMore; offset += 70) {
            const { body } = yield* get(`${type}?limit=70&offset=${offset}`)
            for (const { id } of body.items) seen.add(id)
            assert.strictEqual(body.count, body.items.length)
            assert.deepStrictEqual(Object.keys(body.items[0]), ["links", "id"])
            hasMore = body.hasMore
          }
        }
        assert.isAtLeast(seen.size, 250)
      })
    )
  )

  it.effect("limits and offsets that do not fit are refused", () =>
    inAccount(({ get }) =>
      Effect.gen(function* () {
        for (const page of ["limit=0", "limit=1001", "offset=-1", "limit=ten", "limit=10&offset=5"]) {
          problem(yield* get(`customer?${page}`), 400, "INVALID_PARAMETER")
        }
        problem(yield* get("customer?expand=true"), 400, "INVALID_PARAMETER")
        problem(yield* get("unicorn"), 404, "NONEXISTENT_RECORD_TYPE")
        problem(yield* get("customer", { prefer: "respond-async" }), 400, "INVALID_HEADER")
      })
    )
  )

  it.effect("conditions choose records", () =>
    inAccount(({ create, get, update }) =>
      Effect.gen(function* () {
        const id = yield* create("customer", {
          companyName: 'Zephyr "Labs"',
          subsidiary: { id: "1" },
          email: "z@zephyr.example"
        })
        const found = (q: string) =>
          Effect.map(get(`customer?q=${encodeURIComponent(q)}`), ({ body, status }): ReadonlyArray<string> => {
            assert.strictEqual(status, 200, JSON.stringify(body))
            return body.items.map((one: Json) => one.id)
          })
        const only = [id]
        assert.deepStrictEqual(yield* found('email IS "Z@zephyr.example"'), only)
        assert.deepStrictEqual(yield* found('companyName CONTAIN "zephyr \\"l"'), only)
        assert.deepStrictEqual(yield* found(`id ANY_OF [${id}, 1]`), only)
        assert.deepStrictEqual(yield* found(`id GREATER_OR_EQUAL ${id}`), only)
        assert.deepStrictEqual(yield* found('dateCreated ON_OR_AFTER "11/21/2026" AND phone EMPTY'), only)
        assert.deepStrictEqual(yield* found('dateCreated AFTER "11/21/2026" OR id EQUAL 0'), [])
        assert.deepStrictEqual(yield* found(`(id EQUAL ${id} OR id EQUAL 0) AND isInactive IS false`), only)
        yield* update(`customer/${id}`, { isInactive: true })
        assert.include(yield* found("isInactive IS true"), id)
        assert.notInclude(yield* found("isInactive IS_NOT true"), id)
        for (const bad of [
          "nothing IS 1",
          'email LIKE "a"',
          "email IS",
          "(email EMPTY",
          'dateCreated AFTER "2026-11-21"'
        ]) {
          problem(yield* get(`customer?q=${encodeURIComponent(bad)}`), 400, "INVALID_PARAMETER")
        }
      })
    )
  )
})

describe("records", () => {
  it.effect("references, enumerated values, sublists and subrecords have their forms", () =>
    inAccount(({ create, get, read }) =>
      Effect.gen(function* () {
        const id = yield* create("customer", {
          companyName: "Aster Labs",
          subsidiary: { id: "1" },
          addressBook: {
            items: [
              {
                defaultBilling: true,
                addressBookAddress: {
                  addr1: "1 Main Street",
                  city: "Salem",
                  state: "OR",
                  zip: "97301",
                  country: { id: "US" }
                }
              }
            ]
          }
        })
        const whole = yield* read("customer", id)
        assert.match(whole.subsidiary.links[0].href, /\/record\/v1\/subsidiary\/1$/)
        assert.deepInclude(whole.subsidiary, { id: "1", refName: "Halcyon Instruments" })
        assert.deepStrictEqual(whole.entityStatus, { id: "13", refName: "Customer-Closed Won" })
        assert.deepInclude(whole.currency, { id: "1", refName: "US Dollar" })
        assert.match(whole.entityId, /^CUST\d+$/)
        assert.strictEqual(whole.dateCreated, "2026-11-21T18:00:00Z")
        assert.notProperty(whole, "phone")
        assert.strictEqual(whole.addressBook.totalResults, 1)
        const [line] = whole.addressBook.items
        assert.isTrue(line.defaultBilling)
        assert.deepStrictEqual(line.addressBookAddress.country, { id: "US", refName: "United States" })
        assert.strictEqual(line.addressBookAddress.addrText, "1 Main Street\nSalem OR 97301\nUnited States")
        assert.strictEqual(whole.defaultAddress, line.addressBookAddress.addrText)

        const closed = (yield* get(`customer/${id}`)).body
        assert.deepStrictEqual(Object.keys(closed.addressBook), ["links"])
        const apart = (yield* get(`customer/${id}/addressBook?expandSubResources=true`)).body
        assert.deepStrictEqual(apart, whole.addressBook)
        const links = (yield* get(`customer/${id}/addressBook`)).body.items
        assert.deepStrictEqual(links, [{ links: line.links }])
        problem(yield* get(`customer/${id}/email`), 404, "NONEXISTENT_URL")
        const some = (yield* get(`customer/${id}?fields=companyName,entityStatus&simpleEnumFormat=true`)).body
        assert.deepStrictEqual(Object.keys(some), ["links", "companyName", "entityStatus"])
        assert.strictEqual(some.entityStatus, "13")
      })
    )
  )

  it.effect("what is not said stays, null and empty text take away", () =>
    inAccount(({ create, read, update }) =>
      Effect.gen(function* () {
        const id = yield* create("vendor", {
          companyName: "Brass & Sons",
          subsidiary: { id: "1" },
          email: "b@brass.example",
          comments: "Slow",
          phone: "503-555-0144"
        })
        yield* update(`vendor/${id}`, { comments: null, phone: "" })
        const vendor = yield* read("vendor", id)
        assert.strictEqual(vendor.email, "b@brass.example")
        assert.notProperty(vendor, "comments")
        assert.notProperty(vendor, "phone")
      })
    )
  )

  it.effect("bodies that do not fit are refused with their place", () =>
    inAccount(({ create, get, write }) =>
      Effect.gen(function* () {
        const post = (type: string, body: Json, headers = {}) => write("POST", type, body, headers)
        assert.match(
          problem(yield* post("customer", { subsidiary: { id: "1" } }), 400, "USER_ERROR").detail,
          /enter value\(s\) for: Company Name/
        )
        assert.match(problem(yield* post("customer", { companyName: "A" }), 400, "USER_ERROR").detail, /Subsidiary/)
        const one = { companyName: "A", subsidiary: { id: "1" } }
        assert.strictEqual(
          problem(yield* post("customer", { ...one, terms: { id: "999999" } }), 400, "INVALID_CONTENT")["o:errorPath"],
          "terms"
        )
        assert.strictEqual(
          problem(yield* post("customer", { ...one, email: "nobody" }), 400, "INVALID_CONTENT")["o:errorPath"],
          "email"
        )
        assert.strictEqual(
          problem(yield* post("customer", { ...one, companyName: "x".repeat(84) }), 400, "INVALID_CONTENT")[
            "o:errorPath"
          ],
          "companyName"
        )
        const place = { addressBook: { items: [{ addressBookAddress: { country: { id: "XX" } } }] } }
        assert.strictEqual(
          problem(yield* post("customer", { ...one, ...place }), 400, "INVALID_CONTENT")["o:errorPath"],
          "addressBook.items[0].addressBookAddress.country"
        )
        problem(yield* get("customer/1"), 404, "NONEXISTENT_ID")
        problem(yield* post("subsidiary", { name: "B" }), 405, "INVALID_METHOD")

        const strict = { "X-NetSuite-PropertyNameValidation": "Error" }
        assert.strictEqual(
          problem(yield* post("customer", { ...one, colour: "red" }, strict), 400, "INVALID_CONTENT")["o:errorPath"],
          "colour"
        )
        assert.strictEqual((yield* post("customer", { ...one, colour: "red" })).status, 204)
        const id = yield* create("term", { name: "Net 21", daysUntilNetDue: 21 })
        assert.match(
          problem(yield* post("term", { name: "net 21", daysUntilNetDue: 20 }), 400, "USER_ERROR").detail,
          /Uniqueness/
        )
        assert.strictEqual((yield* write("PATCH", `term/${id}`, { name: "Net 21 days" })).status, 204)
      })
    )
  )

  it.effect("records that others refer to stay; the deleted are told of", () =>
    inAccount(({ create, first, get, remove, rows }) =>
      Effect.gen(function* () {
        const used = yield* first("SELECT entity FROM transaction WHERE type = 'CustInvc' ORDER BY id")
        assert.match(problem(yield* remove(`customer/${used.entity}`), 400, "USER_ERROR").detail, /dependent records/)
        const id = yield* create("customer", { companyName: "Short-lived", subsidiary: { id: "1" } })
        assert.strictEqual((yield* remove(`customer/${id}`)).status, 204)
        problem(yield* get(`customer/${id}`), 404, "NONEXISTENT_ID")
        assert.deepInclude((yield* rows(`SELECT type, recordid FROM deletedrecord WHERE recordid = ${id}`))[0], {
          type: "Customer",
          recordid: id
        })
      })
    )
  )

  it.effect("an external id names a record, and an upsert makes or changes it", () =>
    inAccount(({ get, write }) =>
      Effect.gen(function* () {
        const put = (body: Json) => write("PUT", "department/eid:LAB-7", body)
        assert.strictEqual((yield* put({ name: "Laboratory" })).status, 204)
        assert.strictEqual((yield* put({ name: "Laboratory 7" })).status, 204)
        const { body } = yield* get("department/eid:LAB-7")
        assert.deepInclude(body, { name: "Laboratory 7", externalId: "LAB-7" })
      })
    )
  )
})

describe("SuiteQL", () => {
  it.effect("needs its header, pages, and tells values as text without nulls", () =>
    inAccount(({ query, rows }) =>
      Effect.gen(function* () {
        assert.strictEqual(
          problem(yield* query("SELECT id FROM currency", "", {}), 400, "INVALID_HEADER")["o:errorHeader"],
          "Prefer"
        )
        const { body } = yield* query("SELECT id, symbol FROM currency ORDER BY id", "?limit=2&offset=2")
        assert.deepStrictEqual(body.items, [
          { links: [], id: "3", symbol: "CAD" },
          { links: [], id: "4", symbol: "EUR" }
        ])
        assert.deepInclude(body, { count: 2, hasMore: true, offset: 2, totalResults: 6 })
        problem(yield* query("SELECT id FROM currency", "?limit=2&offset=1"), 400, "INVALID_PARAMETER")
        const [parent, child] = yield* rows(
          "SELECT id, parent, isinactive, lastmodifieddate FROM subsidiary ORDER BY id"
        )
        assert.deepStrictEqual(parent, { links: [], id: "1", isinactive: "F", lastmodifieddate: "10/22/2025" })
        assert.strictEqual(child.parent, "1")
      })
    )
  )

  it.effect("joins, groups, orders and formats", () =>
    inAccount(({ rows }) =>
      Effect.gen(function* () {
        const types = yield* rows(
          "SELECT type, COUNT(*) AS n, COUNT(DISTINCT entity) FROM transaction GROUP BY type ORDER BY n DESC, type"
        )
        assert.deepInclude(types[0], { type: "CustInvc", n: "90" })
        assert.isAtMost(Number(types[0].expr1), 90)
        const none = yield* rows(
          "SELECT c.id FROM customer c LEFT JOIN transaction t ON t.entity = c.id WHERE t.id IS NULL"
        )
        const some = yield* rows("SELECT DISTINCT c.id FROM customer c, transaction t WHERE t.entity = c.id")
        assert.strictEqual(none.length + some.length, 192)
        assert.isAbove(some.length, 50)
        const [day] = yield* rows(
          "SELECT TO_CHAR(createddate, 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') AS made, TO_CHAR(trandate, 'YYYY-MM-DD') AS day FROM transaction WHERE type = 'CustInvc' ORDER BY id FETCH FIRST 1 ROWS ONLY"
        )
        assert.match(day.made, /^2025-11-2\dT\d\d:\d\d:\d\dZ$/)
        assert.strictEqual(day.day, day.made.slice(0, 10))
        const within = yield* rows(
          "SELECT id FROM transaction WHERE trandate BETWEEN TO_DATE('2026-01-01', 'YYYY-MM-DD') AND TO_DATE('2026-01-31', 'YYYY-MM-DD')"
        )
        const same = yield* rows("SELECT id FROM transaction WHERE TO_CHAR(trandate, 'YYYY-MM') = '2026-01'")
        assert.isAbove(within.length, 10)
        assert.deepStrictEqual(same, within)
        const [shown] = yield* rows(
          "SELECT BUILTIN.DF(status) AS name, BUILTIN.CF(status) AS code, BUILTIN.DF(currency) AS money FROM transaction WHERE type = 'VendBill' AND status = 'B' ORDER BY id"
        )
        assert.deepInclude(shown, { name: "Bill : Paid In Full", code: "VendBill:B" })
        assert.include(["US Dollar", "Euro"], shown.money)
        const sold = yield* rows(
          "SELECT id FROM item WHERE id IN (SELECT item FROM transactionline WHERE transactionline.quantity < -5) AND UPPER(itemid) LIKE '%A%'"
        )
        assert.isAbove(sold.length, 0)
      })
    )
  )

  it.effect("the books balance, each transaction and all of them", () =>
    inAccount(({ create, rows }) =>
      Effect.gen(function* () {
        const [customer] = yield* rows("SELECT id FROM customer WHERE currency = 4 ORDER BY id")
        const [item] = yield* rows("SELECT id FROM item WHERE itemtype = 'InvtPart' ORDER BY id")
        yield* create("invoice", {
          entity: { id: customer.id },
          exchangeRate: 1.0833,
          item: { items: [{ item: { id: item.id }, quantity: 3, rate: 33.33 }] }
        })
        const off = yield* rows(
          "SELECT * FROM (SELECT transaction, SUM(amount) AS rest, SUM(debit) AS debits, SUM(credit) AS credits FROM transactionaccountingline WHERE posting = 'T' GROUP BY transaction) sums WHERE rest != 0 OR debits != credits"
        )
        assert.deepStrictEqual(off, [])
        const [all] = yield* rows(
          "SELECT SUM(amount) AS rest, COUNT(*) AS n FROM transactionaccountingline WHERE posting = 'T'"
        )
        assert.strictEqual(all.rest, "0")
        assert.isAbove(Number(all.n), 1000)
        const orders = yield* rows(
          "SELECT t.id FROM transaction t INNER JOIN transactionaccountingline l ON l.transaction = t.id WHERE t.type IN ('SalesOrd', 'PurchOrd') AND l.posting = 'T'"
        )
        assert.deepStrictEqual(orders, [])
      })
    )
  )

  it.effect("what it does not know is refused", () =>
    inAccount(({ query }) =>
      Effect.gen(function* () {
        for (const [q, reason] of [
          ["SELECT balance FROM customer", /Unknown identifier 'balance'/],
          ["SELECT id FROM unicorn", /'unicorn' was not found/],
          ["SELECT id FROM customer LIMIT 5", /LIMIT/],
          ["SELECT id FROM customer c, vendor v", /ambiguous/],
          ["SELECT id, COUNT(*) FROM customer", /GROUP BY/],
          ["SELECT id FROM transaction WHERE trandate > '1/1/2026'", /date literal/],
          ["SELECT id FROM transaction WHERE trandate > TO_DATE('1/1/2026', 'YYYY-MM-DD')", /to_date/],
          [`SELECT id FROM customer WHERE id IN (${Array.from({ length: 1001 }, (_, id) => id).join(", ")})`, /1000/],
          ["SELECT c.id FROM customer c, term t INNER JOIN job j ON j.parent = c.id", /joins/],
          ["SELECT MD5(id) FROM customer", /function md5/],
          ["DELETE FROM customer", /unsupported/],
          ["SELECT FROM", /unsupported/]
        ] as const) {
          const detail = problem(yield* query(q), 400, "INVALID_PARAMETER")
          assert.strictEqual(detail["o:errorQueryParam"], "q")
          assert.match(detail.detail, reason, q)
        }
      })
    )
  )
})
