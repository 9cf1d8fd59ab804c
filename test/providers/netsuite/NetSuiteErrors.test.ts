import { assert, describe, it } from "@effect/vitest"
import { readFailure } from "../../../src/providers/base/Errors.ts"
import { readError } from "../../../src/providers/netsuite/ReadError.ts"
import {
  Clash,
  Down,
  Invalid,
  LimitReached,
  Missing,
  NotPermitted,
  type Reason,
  Stale,
  Unauthenticated
} from "../../../src/providers/ProviderError.ts"

describe("error bodies", () => {
  const now = Date.parse("2026-03-01T10:45:00Z")

  const bodyOf = (status: number, ...errors: ReadonlyArray<{ readonly [name: string]: string }>) => ({
    type: "https://www.w3.org/Protocols/rfc2616/rfc2616-sec10.html#sec10.4.1",
    title: "Bad Request",
    status,
    "o:errorDetails": errors
  })

  const read = (status: number, body: unknown, headers: { readonly [name: string]: string } = {}) =>
    readFailure(readError, { status, body, headers, now })

  it("names fields by their path, of lines without their place", () => {
    const body = bodyOf(
      400,
      { detail: "Invalid value for email", "o:errorCode": "INVALID_CONTENT", "o:errorPath": "email" },
      { detail: "Invalid rate", "o:errorCode": "INVALID_CONTENT", "o:errorPath": "item.items[2].rate" },
      { detail: "Invalid reference", "o:errorCode": "INVALID_CONTENT", "o:errorPath": "$.entity.id" }
    )
    assert.deepStrictEqual(read(400, body), {
      reason: new Invalid({
        fields: { email: "Invalid value for email", rate: "Invalid rate", "entity.id": "Invalid reference" }
      }),
      detail: "Invalid value for email; Invalid rate; Invalid reference"
    })
  })

  it("knows an error without a path for what it is, and hands on its words", () => {
    const body = bodyOf(400, { detail: "The period is closed", "o:errorCode": "USER_ERROR" })
    assert.deepStrictEqual(read(400, body), { reason: new Invalid({ fields: {} }), detail: "The period is closed" })
  })

  it("finds the members that a record lacks behind the labels of forms", () => {
    const detail = "Please enter value(s) for: Vendor, Company Name, Days Till Net Due"
    const fields = { entity: detail, companyName: detail, daysUntilNetDue: detail }
    assert.deepStrictEqual(read(400, bodyOf(400, { detail, "o:errorCode": "USER_ERROR" })), {
      reason: new Invalid({ fields }),
      detail
    })
  })

  it("finds the field that a rule or a taken name is about, and what is wrong in an address", () => {
    const cases: ReadonlyArray<readonly [detail: string, field: string]> = [
      ["The transaction date you specified is not within the date range of your accounting period.", "tranDate"],
      ["You must enter at least one line item for this transaction.", "lines"],
      ["You must fulfill at least one line of the order.", "lines"],
      ["The total of this transaction may not be negative.", "lines"],
      ["The total of debits must equal the total of credits in a journal entry.", "lines"],
      ["You must apply this payment to at least one bill.", "apply"],
      ["The amount applied to this transaction is greater than its total.", "apply"],
      ["This order cannot be fulfilled.", "createdFrom"],
      ["Uniqueness error- There is already a term with that name.", "name"],
      ["Uniqueness error- There is already an accounting period with that period name.", "periodName"],
      ["Please enter value(s) for: Payment Amount", "payment"]
    ]
    for (const [detail, field] of cases) {
      const { reason } = read(400, bodyOf(400, { detail, "o:errorCode": "USER_ERROR" }))
      assert.deepStrictEqual(reason, new Invalid({ fields: { [field]: detail } }))
    }
    const path = "addressBook.items[0].addressBookAddress.country"
    assert.deepStrictEqual(
      read(400, bodyOf(400, { detail: "no country", "o:errorCode": "INVALID_CONTENT", "o:errorPath": path })).reason,
      new Invalid({ fields: { addressBook: "no country" } })
    )
  })

  it("tells the kinds of failure apart by their codes", () => {
    const cases: ReadonlyArray<readonly [status: number, code: string, reason: Reason]> = [
      [404, "NONEXISTENT_ID", new Missing()],
      [400, "NONEXISTENT_ID", new Invalid({ fields: {} })],
      [401, "INVALID_LOGIN", new Unauthenticated()],
      [403, "INSUFFICIENT_PERMISSION", new NotPermitted()],
      [400, "INSUFFICIENT_PERMISSION", new NotPermitted()],
      [400, "RCRD_HAS_BEEN_CHANGED", new Stale()],
      [400, "DUP_ENTITY", new Clash()],
      [500, "UNEXPECTED_ERROR", new Down()]
    ]
    for (const [status, code, reason] of cases) {
      const found = read(status, bodyOf(status, { detail: code, "o:errorCode": code })).reason
      assert.deepStrictEqual(found, reason, code)
    }
  })

  it("stays away a little when too many calls run, longer when it is told to", () => {
    const body = bodyOf(429, { detail: "blocked", "o:errorCode": "CONCURRENCY_LIMIT_EXCEEDED" })
    assert.deepStrictEqual(read(429, body).reason, new LimitReached({ retryAfter: 1 }))
    assert.deepStrictEqual(read(429, body, { "retry-after": "30" }).reason, new LimitReached({ retryAfter: 30 }))
    assert.deepStrictEqual(read(400, body).reason, new LimitReached({ retryAfter: 1 }))
  })

  it("takes a gateway's page for what its status says", () => {
    assert.deepStrictEqual(read(502, "<html>Bad gateway</html>"), { reason: new Down(), detail: undefined })
    assert.deepStrictEqual(read(401, undefined).reason, new Unauthenticated())
  })
})
