import { assert, describe, it } from "@effect/vitest"
import { readFailure } from "../../../src/providers/base/Errors.ts"
import { readError } from "../../../src/providers/hubspot/ReadError.ts"
import {
  Clash,
  Invalid,
  LimitReached,
  Missing,
  NotPermitted,
  Unauthenticated
} from "../../../src/providers/ProviderError.ts"

describe("error bodies", () => {
  const now = Date.parse("2026-03-01T10:45:00Z")
  const read = (status: number, body: unknown, headers: { readonly [name: string]: string } = {}) =>
    readFailure(readError, { status, body, headers, now })

  it("names the properties of a validation error written into its message", () => {
    const body = {
      status: "error",
      message:
        'Property values were not valid: [{"isValid":false,"message":"Email address dsfsafas@ is invalid","error":"INVALID_EMAIL","name":"email"},{"isValid":false,"message":"Japan Summer was not one of the allowed options: [a, b]","error":"INVALID_OPTION","name":"program"}]',
      correlationId: "e3d7ddf8-5d21-4059-86d0-35ae9093755c",
      category: "VALIDATION_ERROR"
    }
    assert.deepStrictEqual(read(400, body), {
      reason: new Invalid({
        fields: {
          "properties.program": "Japan Summer was not one of the allowed options: [a, b]",
          "properties.email": "Email address dsfsafas@ is invalid"
        },
        isOwnRule: true
      }),
      detail: "Property values were not valid"
    })
  })

  it("names the properties of a structured validation error", () => {
    const body = {
      status: "error",
      message: "Validation failed",
      errors: [
        {
          message: 'Property "first000name" does not exist',
          code: "PROPERTY_DOESNT_EXIST",
          context: { propertyName: ["first000name"] }
        }
      ],
      category: "VALIDATION_ERROR"
    }
    assert.deepStrictEqual(
      read(400, body).reason,
      new Invalid({
        fields: { "properties.first000name": 'Property "first000name" does not exist' },
        isOwnRule: true
      })
    )
  })

  it("names where an error was found, and what cannot be linked to", () => {
    const body = {
      status: "error",
      message: "Validation failed",
      errors: [{ message: "was not a valid long", in: "properties.hs_timestamp" }],
      category: "VALIDATION_ERROR"
    }
    assert.deepStrictEqual(
      read(400, body).reason,
      new Invalid({ fields: { "properties.hs_timestamp": "was not a valid long" }, isOwnRule: true })
    )
    const links = {
      status: "error",
      message: "One or more associations are invalid",
      context: { INVALID_OBJECT_IDS: ["CONTACT=12 is not valid", "DEAL=34 is not valid"] },
      category: "VALIDATION_ERROR"
    }
    assert.deepStrictEqual(
      read(400, links).reason,
      new Invalid({
        fields: { "associations.deals": "DEAL=34 is not valid", "associations.contacts": "CONTACT=12 is not valid" }
      })
    )
  })

  it("names properties that must be set", () => {
    const body = {
      status: "error",
      message: "Error creating DEAL. Some required properties were not set.",
      context: { properties: ["dealstage"] },
      category: "VALIDATION_ERROR"
    }
    assert.deepStrictEqual(
      read(400, body).reason,
      new Invalid({ fields: { "properties.dealstage": "must be set" }, isOwnRule: true })
    )
  })

  it("reads conflicts, scopes, tokens and missing records", () => {
    assert.deepStrictEqual(
      read(409, {
        status: "error",
        message: "Contact already exists. Existing ID: 12345",
        correlationId: "x",
        category: "CONFLICT"
      }),
      { reason: new Clash({ duplicateOf: ["12345"] }), detail: "Contact already exists. Existing ID: 12345" }
    )
    const scopes = read(403, {
      status: "error",
      message: "This app hasn't been granted all required scopes to make this call.",
      errors: [
        {
          message: "One or more of the following scopes are required.",
          context: { requiredGranularScopes: ["crm.objects.deals.write"] }
        }
      ],
      category: "MISSING_SCOPES"
    })
    assert.deepStrictEqual(
      scopes.reason,
      new NotPermitted({ lacks: [{ kind: "scope", name: "crm.objects.deals.write" }] })
    )
    assert.include(scopes.detail, "crm.objects.deals.write")
    assert.deepStrictEqual(
      read(401, {
        message: "The OAuth token used to make this call expired 7 second(s) ago.",
        category: "EXPIRED_AUTHENTICATION"
      }).reason,
      new Unauthenticated()
    )
    assert.deepStrictEqual(
      read(404, { message: "resource not found", category: "OBJECT_NOT_FOUND" }).reason,
      new Missing()
    )
    assert.deepStrictEqual(read(404, "<html><head><title>Error 404</title></head></html>").reason, new Missing())
  })

  it("says how long a limit lasts", () => {
    const limited = (policyName: string, headers?: { readonly [name: string]: string }) =>
      read(
        429,
        { status: "error", message: "You have reached your limit.", errorType: "RATE_LIMIT", policyName },
        headers
      ).reason
    assert.deepStrictEqual(limited("TEN_SECONDLY_ROLLING"), new LimitReached({ retryAfter: 10 }))
    assert.deepStrictEqual(limited("TEN_SECONDLY_ROLLING", { "retry-after": "3" }), new LimitReached({ retryAfter: 3 }))
    // the next full hour is the first that can be midnight where the account is
    assert.deepStrictEqual(limited("DAILY"), new LimitReached({ retryAfter: 900 }))
    assert.deepStrictEqual(limited("SECONDLY"), new LimitReached({ retryAfter: 1 }))
    assert.deepStrictEqual(read(423, { message: "locked" }).reason, new LimitReached({ retryAfter: 2 }))
  })
})
