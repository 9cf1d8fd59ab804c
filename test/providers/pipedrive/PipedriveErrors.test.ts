import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Owner } from "../../../src/canonical/crm/Owner.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import { readFailure } from "../../../src/providers/base/Errors.ts"
import { Pipedrive } from "../../../src/providers/pipedrive/Pipedrive.ts"
import { readError } from "../../../src/providers/pipedrive/ReadError.ts"
import { simulator } from "../../../src/providers/pipedrive/simulator/PipedriveSimulator.ts"
import {
  Down,
  Invalid,
  LimitReached,
  Missing,
  NotPermitted,
  Unauthenticated
} from "../../../src/providers/ProviderError.ts"
import { Providers } from "../../../src/providers/Providers.ts"
import { harness } from "../../support/Harness.ts"

describe("error bodies", () => {
  const now = Date.parse("2026-03-01T10:45:00Z")
  const read = (status: number, body: unknown, headers: { readonly [name: string]: string } = {}) =>
    readFailure(readError, { status, body, headers, now })
  const said = (error: string, rest: { readonly [name: string]: unknown } = {}) => ({ success: false, error, ...rest })
  const fieldsIn = (body: unknown) => {
    const { reason } = read(400, body)
    return reason._tag === "Invalid" ? reason.fields : undefined
  }

  it("names the fields that a schema of API v2 rejects", () => {
    const error = "Validation failed: due_time: This value is not a valid datetime."
    assert.deepStrictEqual(read(400, said(error, { code: "ERR_SCHEMA_VALIDATION_FAILED" })), {
      reason: new Invalid({ fields: { due_time: "This value is not a valid datetime." } }),
      detail: error
    })
    assert.deepStrictEqual(
      fieldsIn(
        said(
          "Validation failed: emails[1].value: must be a string; postal_address.value: is required, at last, custom_fields.4f0a: Parameter 'custom_fields.4f0a' is not allowed for this request"
        )
      ),
      {
        emails: "must be a string",
        "postal_address.value": "is required, at last",
        "custom_fields.4f0a": "Parameter 'custom_fields.4f0a' is not allowed for this request"
      }
    )
  })

  it("names the fields that sentences begin with", () => {
    const participant = "'person_id' is a read-only field. Add a primary participant to set 'person_id' instead."
    assert.deepStrictEqual(fieldsIn(said(participant, { code: "ERR_BAD_REQUEST" })), { person_id: participant })
    const link = 'One of the "person_id" or "organization_id" must be set.'
    assert.deepStrictEqual(fieldsIn(said(link)), { person_id: link, organization_id: link })
    assert.deepStrictEqual(fieldsIn(said("Name must be given.")), { name: "Name must be given." })
    for (const [words, field] of [
      ["Person not found.", "person_id"],
      ["Organization not found.", "org_id"],
      ["Deal not found", "deal_id"],
      ["Lead not found.", "lead_id"],
      ["User not found.", "user_id"]
    ] as const) {
      assert.deepStrictEqual(fieldsIn(said(words)), { [field]: words })
    }
    assert.deepStrictEqual(
      fieldsIn(
        said("provided dataset is not valid", { error_info: '"title" is required. "owner_id" must be a number' })
      ),
      { title: '"title" is required', owner_id: '"owner_id" must be a number' }
    )
  })

  it("names no field where none is told", () => {
    assert.deepStrictEqual(fieldsIn(said("Bad request", { error_info: "Please check developers.pipedrive.com" })), {})
    assert.deepStrictEqual(read(400, "<html>").reason, new Invalid({ fields: {} }))
    assert.deepStrictEqual(read(400, undefined), { reason: new Invalid({ fields: {} }), detail: undefined })
  })

  it("keeps away as long as the limit says", () => {
    const limit = (headers: { readonly [name: string]: string }) =>
      read(429, said("Rate limit exceeded"), headers).reason
    assert.deepStrictEqual(limit({ "x-ratelimit-reset": "1" }), new LimitReached({ retryAfter: 1 }))
    assert.deepStrictEqual(limit({ "retry-after": "7", "x-ratelimit-reset": "1" }), new LimitReached({ retryAfter: 7 }))
    assert.deepStrictEqual(limit({}), new LimitReached({ retryAfter: 2 }))
    // the day's tokens come back on a full hour
    assert.deepStrictEqual(
      limit({ "x-daily-ratelimit-token-remaining": "0", "x-ratelimit-reset": "2" }),
      new LimitReached({ retryAfter: 900 })
    )
  })

  it("reads the rest by the status", () => {
    assert.deepStrictEqual(read(401, said("unauthorized access")), {
      reason: new Unauthenticated(),
      detail: "unauthorized access"
    })
    for (const status of [402, 403, 415]) assert.deepStrictEqual(read(status, said("no")).reason, new NotPermitted())
    assert.deepStrictEqual(read(404, said("Entity was not found")).reason, new Missing())
    assert.deepStrictEqual(read(410, said("The field is not found")).reason, new Missing())
    assert.deepStrictEqual(read(403, { success: false, message: "Forbidden" }).detail, "Forbidden")
    assert.deepStrictEqual(read(503, "<html>").reason, new Down())
  })

  it.effect("credentials that lack the company's host are no credentials", () =>
    Effect.gen(function* () {
      const resourceAdapter = (yield* Providers).get("pipedrive")?.resources.owner
      if (resourceAdapter?.list === undefined) throw new Error("no list of owners")
      const error = yield* Effect.flip(
        resourceAdapter.list({
          connection: { id: "hostless", provider: "pipedrive", environment: "sandbox", organisation: "org" },
          mapping: compile("pipedrive", Owner, resourceAdapter.mapping),
          position: null,
          limit: 10,
          wanted: {}
        })
      )
      assert.deepStrictEqual(error.reason, new Unauthenticated())
    }).pipe(Effect.provide(Pipedrive.pipe(Layer.provideMerge(harness([{ simulator }])))))
  )
})
