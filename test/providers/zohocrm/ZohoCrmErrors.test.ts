import { assert, describe, it } from "@effect/vitest"
import { accountsServer, zohoOAuth } from "../../../src/providers/base/ZohoAccounts.ts"
import { readError, refusalOf } from "../../../src/providers/zohocrm/ReadError.ts"

const read = (status: number, body: unknown, headers: { readonly [name: string]: string } = {}) =>
  readError({ status, body, headers, now: 0 })

const rowOf = (code: string, details: object, message = "invalid data") => ({ code, details, message, status: "error" })

/** The fields of a refused record, else the name of the reason. */
const refused = (code: string, details: object, message?: string) => {
  const { reason } = read(400, { data: [rowOf(code, details, message)] })
  return reason?._tag === "Invalid" ? reason.fields : reason?._tag
}

describe("Zoho CRM errors", () => {
  it("name the field of the record, also when what is wrong lies inside it", () => {
    assert.deepEqual(refused("MANDATORY_NOT_FOUND", { api_name: "Last_Name", json_path: "$.data[0].Last_Name" }), {
      Last_Name: "invalid data"
    })
    const inside = { expected_data_type: "bigint", api_name: "id", json_path: "$.data[0].Account_Name.id" }
    assert.deepEqual(refused("INVALID_DATA", inside), { Account_Name: "invalid data: expected bigint" })
    const attendee = { api_name: "participant", json_path: "$.data[0].Participants[2].participant" }
    assert.deepEqual(refused("INVALID_DATA", attendee), { Participants: "invalid data" })
    assert.deepEqual(refused("INVALID_DATA", { api_name: "id", parent_api_name: "Owner" }), { Owner: "invalid data" })
    assert.deepEqual(refused("INVALID_DATA", { api_name: "Title", maximum_length: 100 }), {
      Title: "invalid data: at most 100 characters"
    })
  })

  it("name every field when there are several", () => {
    const errors = [
      rowOf("INVALID_DATA", { api_name: "Email" }, "not an address"),
      rowOf("INVALID_DATA", { api_name: "Phone" })
    ]
    assert.deepEqual(refused("MULTIPLE_OR_MULTI_ERRORS", { errors }), {
      Email: "not an address",
      Phone: "invalid data"
    })
    const expected_fields = [{ api_name: "Call_Duration" }, { api_name: "Outgoing_Call_Status" }]
    assert.deepEqual(refused("EXPECTED_FIELD_MISSING", { expected_fields }), {
      Call_Duration: "invalid data",
      Outgoing_Call_Status: "invalid data"
    })
  })

  it("tell a record that is not there from a value that is wrong", () => {
    assert.strictEqual(refused("INVALID_DATA", { id: "554023000000001001" }, "record not deleted"), "Missing")
    assert.strictEqual(
      refused("INVALID_DATA", { resource_path_index: 1 }, "the id given seems to be invalid"),
      "Missing"
    )
  })

  it("tell the other failures apart", () => {
    assert.strictEqual(refused("DUPLICATE_DATA", { api_name: "Email", id: "1" }), "Clash")
    assert.strictEqual(refused("RECORD_LOCKED", {}), "Clash")
    const tagOf = (status: number, code: string) => read(status, { code, details: {}, message: "m" }).reason?._tag
    assert.strictEqual(tagOf(401, "INVALID_TOKEN"), "Unauthenticated")
    // another token of the same connection would have no more scopes
    assert.strictEqual(tagOf(401, "OAUTH_SCOPE_MISMATCH"), "NotPermitted")
    assert.strictEqual(tagOf(403, "NO_PERMISSION"), "NotPermitted")
    assert.strictEqual(tagOf(400, "INVALID_MODULE"), "NotPermitted")
    assert.strictEqual(tagOf(412, "ALREADY_MODIFIED"), "Stale")
    assert.isUndefined(tagOf(404, "INVALID_URL_PATTERN"), "as the status says")
    assert.isUndefined(tagOf(500, "INVALID_TOKEN"), "a broken server refuses nobody")
    assert.isUndefined(read(502, "<html>").reason)
  })

  it("name the record that a duplicate would repeat, in each of the two places", () => {
    const duplicated = (details: object) => {
      const body = { data: [{ code: "DUPLICATE_DATA", details, message: "duplicate data", status: "error" }] }
      const { reason } = read(400, body)
      return reason?._tag === "Clash" ? reason.duplicateOf : undefined
    }
    const id = "554023000000001001"
    assert.deepEqual(duplicated({ api_name: "Email", json_path: "$.data[0].Email", id }), [id])
    const duplicate_record = { Owner: { id: "554023000000235011" }, id, module: { api_name: "Contacts" } }
    assert.deepEqual(duplicated({ api_name: "Email", duplicate_record }), [id])
    assert.isUndefined(duplicated({ api_name: "Email" }))
  })

  it("say how long to stay away", () => {
    const body = { code: "TOO_MANY_REQUESTS", message: "m", status: "error", details: {} }
    const waits = (headers: { readonly [name: string]: string }) => {
      const { reason } = read(429, body, headers)
      return reason?._tag === "LimitReached" ? reason.retryAfter : undefined
    }
    assert.strictEqual(waits({}), 1)
    assert.strictEqual(waits({ "x-api-credits-remaining": "0" }), 60)
    assert.strictEqual(waits({ "retry-after": "7" }), 7)
  })

  it("are found in the rows of an answer that is a success as a whole", () => {
    const { detail, reason } = refusalOf(rowOf("INVALID_DATA", { api_name: "Email" }, "not an address"))
    assert.deepEqual(reason._tag === "Invalid" ? reason.fields : reason._tag, { Email: "not an address" })
    assert.strictEqual(detail, "not an address")
    assert.strictEqual(refusalOf(rowOf("SOMETHING_NEW", {}))["reason"]._tag, "Invalid")
  })
})

describe("Zoho's data centres", () => {
  it("tokens are renewed where the account is", () => {
    assert.strictEqual(accountsServer({ apiDomain: "https://www.zohoapis.eu" }), "https://accounts.zoho.eu")
    assert.strictEqual(accountsServer({ apiDomain: "https://www.zohoapis.ca/" }), "https://accounts.zohocloud.ca")
    assert.strictEqual(accountsServer({ location: "au" }), "https://accounts.zoho.com.au")
    assert.strictEqual(accountsServer({}), "https://accounts.zoho.com")
  })

  it("each data centre's hosts are accepted, of sandboxes and developers too, and renew their tokens there", () => {
    const { apiDomain } = zohoOAuth({ scopes: [], identify: { accounts: () => [] } }).values ?? {}
    for (const environment of ["www", "sandbox", "developer"]) {
      for (const [api, accounts] of [
        ["com", "zoho.com"],
        ["eu", "zoho.eu"],
        ["in", "zoho.in"],
        ["com.au", "zoho.com.au"],
        ["jp", "zoho.jp"],
        ["ca", "zohocloud.ca"],
        ["sa", "zoho.sa"],
        ["uk", "zoho.uk"],
        ["com.cn", "zoho.com.cn"]
      ]) {
        const address = `https://${environment}.zohoapis.${api}`
        assert.match(address, apiDomain?.pattern ?? /^$/)
        // the host wins over a data centre that was chosen wrongly, and over none
        for (const location of [undefined, "in"]) {
          const values = { apiDomain: address, ...(location === undefined ? {} : { location }) }
          assert.strictEqual(accountsServer(values), `https://accounts.${accounts}`, address)
        }
      }
    }
    for (const address of [
      "https://evil.zohoapis.com",
      "https://sandbox.zohoapis.com.evil.example",
      "https://wwwxzohoapis.com",
      "http://www.zohoapis.com",
      "https://www.zohoapis.com/crm"
    ]) {
      assert.notMatch(address, apiDomain?.pattern ?? /.*/)
    }
  })

  it("the client's secret goes to no server that a redirect makes up", () => {
    const made = { apiDomain: "https://www.zohoapis.example", location: "x", accountsServer: "https://evil.example" }
    assert.strictEqual(accountsServer(made), "https://accounts.zoho.com")
  })
})
