import { assert, describe, it } from "@effect/vitest"
import { readFailure } from "../../../src/providers/base/Errors.ts"
import {
  Clash,
  Down,
  Invalid,
  LimitReached,
  Missing,
  NotPermitted,
  Unauthenticated
} from "../../../src/providers/ProviderError.ts"
import { readError } from "../../../src/providers/xero/ReadError.ts"

describe("error bodies", () => {
  const now = Date.parse("2026-03-01T10:45:00Z")
  const read = (status: number, body: unknown, headers: { readonly [name: string]: string } = {}) =>
    readFailure(readError, { status, body, headers, now })
  const invalid = (...Elements: ReadonlyArray<unknown>) => ({
    ErrorNumber: 10,
    Type: "ValidationException",
    Message: "A validation exception occurred",
    Elements
  })
  const wrong = (...messages: ReadonlyArray<string>) => messages.map((Message) => ({ Message }))
  const fieldsIn = (body: unknown) => {
    const { reason } = read(400, body)
    return reason._tag === "Invalid" ? reason.fields : undefined
  }

  it("names the field that a message speaks of, the longest name first", () => {
    const message = "Email address must be valid."
    assert.deepStrictEqual(
      read(400, invalid({ Name: "Ada", EmailAddress: "ada", Address: "", ValidationErrors: wrong(message) })),
      { reason: new Invalid({ fields: { EmailAddress: message } }), detail: message }
    )
    assert.deepStrictEqual(fieldsIn(invalid({ Name: "Ada", ValidationErrors: wrong("It is not allowed.") })), {})
  })

  it("names the part of a record that a message stands in", () => {
    const [line, contact] = ["Account code '999' is not a valid code for this document.", "The contact is archived."]
    assert.deepStrictEqual(
      fieldsIn(
        invalid({
          InvoiceNumber: "INV-1",
          LineItems: [{ AccountCode: "200" }, { AccountCode: "999", ValidationErrors: wrong(line) }],
          Contact: { ContactID: "1", ValidationErrors: wrong(contact) },
          Warnings: wrong("Something about the Reference"),
          ValidationErrors: []
        })
      ),
      { LineItems: line, Contact: contact }
    )
  })

  it("knows what it says of lines and payments without naming a field", () => {
    for (const [message, name] of [
      ["Account code '090' is not a valid code for this document.", "AccountCode"],
      ["The TaxType code 'X' does not exist or cannot be used for this type of transaction.", "TaxType"],
      ["Item code 'COG' is not valid", "ItemCode"],
      ["The document date cannot be before the end of year lock date, currently set at 31-Jul-2013", "Date"],
      ["The document date cannot be before the period lock date, currently set at 31-Jul-2013", "Date"],
      ["The line total 7.00 does not match the expected line total 6.00", "LineAmount"],
      ["Payments can only be made against Authorised documents", "Invoice"],
      ["Organisation is not subscribed to currency CHF", "CurrencyCode"],
      ["Tax component rates must be between 0 and 100.", "TaxComponents"],
      ["A tax rate must have at least one tax component.", "TaxComponents"]
    ] as const) {
      const element = { CurrencyCode: "CHF", LineItems: [], ValidationErrors: wrong(message) }
      assert.deepStrictEqual(fieldsIn(invalid(element)), { [name]: message })
    }
    const both = { ValidationErrors: wrong("Account must be valid.", "Account code '1' is not a valid code.") }
    assert.deepStrictEqual(fieldsIn(invalid(both)), {
      AccountCode: "Account must be valid. Account code '1' is not a valid code."
    })
  })

  it("knows that a contact's currency is its default, and how the API of projects names members", () => {
    const currency = "Organisation is not subscribed to currency 826"
    assert.deepStrictEqual(fieldsIn(invalid({ DefaultCurrency: "826", ValidationErrors: wrong(currency) })), {
      DefaultCurrency: currency
    })
    const body = { message: "The request is invalid.", modelState: { name: ["Too long.", "Too odd."], status: ["?"] } }
    assert.deepStrictEqual(fieldsIn(body), { name: "Too long. Too odd.", status: "?" })
  })

  it("names what a body must not hold", () => {
    const Message = "The element 'Colour' was not recognised. Ensure the element name has the correct case."
    assert.deepStrictEqual(read(400, { ErrorNumber: 14, Type: "PostDataInvalidException", Message }), {
      reason: new Invalid({ fields: { Colour: Message } }),
      detail: Message
    })
  })

  it("tells what another record has", () => {
    for (const message of [
      "The contact name Ada is already assigned to another contact. The contact name must be unique across all active contacts.",
      "Invoice # must be unique.",
      "Please enter a unique Code.",
      "A tax rate with this name already exists."
    ]) {
      assert.deepStrictEqual(read(400, invalid({ Name: "Ada", ValidationErrors: wrong(message) })), {
        reason: new Clash(),
        detail: message
      })
    }
  })

  it("tells a token that is gone from a scope that is lacking", () => {
    const gateway = (Status: number, Title: string, Detail: string) => ({ Type: null, Title, Status, Detail })
    assert.deepStrictEqual(
      read(401, gateway(401, "Unauthorized", "TokenExpired: token expired at 03/01/2026 10:40:00")).reason,
      new Unauthenticated()
    )
    assert.deepStrictEqual(
      read(401, gateway(401, "Unauthorized", "AuthorizationUnsuccessful")).reason,
      new NotPermitted()
    )
    assert.deepStrictEqual(read(403, gateway(403, "Forbidden", "AuthenticationUnsuccessful")), {
      reason: new NotPermitted(),
      detail: "AuthenticationUnsuccessful"
    })
  })

  it("goes by the status where there is no body of Xero's", () => {
    assert.deepStrictEqual(read(404, "The resource you're looking for cannot be found").reason, new Missing())
    assert.deepStrictEqual(read(503, "<html>").reason, new Down())
    assert.deepStrictEqual(read(429, "", { "retry-after": "37", "x-rate-limit-problem": "minute" }), {
      reason: new LimitReached({ retryAfter: 37 }),
      detail: 'its limit "minute" of calls is used up'
    })
    const day = read(429, "", { "retry-after": "41000", "x-rate-limit-problem": "day" })
    assert.deepStrictEqual(day.reason, new LimitReached({ retryAfter: 900 }))
    assert.deepStrictEqual(read(429, "").reason, new LimitReached({ retryAfter: 60 }))
  })
})
