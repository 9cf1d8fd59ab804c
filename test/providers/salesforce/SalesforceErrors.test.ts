import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Fiber, TestClock } from "effect"
import { getPath } from "../../../src/mapping/Mapping.ts"
import { contact } from "../../../src/providers/salesforce/Contact.ts"
import { readError } from "../../../src/providers/salesforce/ReadError.ts"
import { composite } from "../../../src/providers/salesforce/Composite.ts"
import { insertion, query } from "../../../src/providers/salesforce/Rows.ts"
import { toApiError } from "../../../src/records/ProviderFailures.ts"
import { Clash, ProviderError } from "../../../src/providers/ProviderError.ts"
import { connection, objects, orgOf, variantOf } from "./support.ts"
import { Contact } from "../../../src/canonical/crm/Contact.ts"

const read = (errorCode: string, message: string, more = {}) =>
  readError({ status: 400, body: [{ message, errorCode, fields: [], ...more }], headers: {}, now: 0 })

describe("row locks of Salesforce", () => {
  it("the code, alone or in the words of a trigger or a flow, reads as a lock and not as a duplicate", () => {
    const words = "unable to obtain exclusive access to this record or 1 records: 0015g00000AbCdEAAV"
    const inTrigger = `SetTerritory: execution of AfterUpdate\n\ncaused by: System.DmlException: Update failed. First exception on row 0; first error: UNABLE_TO_LOCK_ROW, ${words}: []`
    for (const [code, message] of [
      ["UNABLE_TO_LOCK_ROW", words],
      ["CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY", inTrigger],
      [
        "CANNOT_EXECUTE_FLOW_TRIGGER",
        `We can't save this record because the process failed: UNABLE_TO_LOCK_ROW: ${words}`
      ]
    ] as const) {
      assert.strictEqual(read(code, message).reason?._tag, "Locked", code)
    }
    assert.strictEqual(
      read("CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY", "SetTerritory: no territory").reason?._tag,
      "Invalid"
    )
  })

  it("a record in approval is a conflict that says how it ends, as waiting does not help", () => {
    const { detail, reason } = read("ENTITY_IS_LOCKED", "the entity is locked for editing")
    assert.strictEqual(reason?._tag, "Clash")
    assert.match(detail ?? "", /approved, rejected or recalled/)
  })

  const created = (locks: number) =>
    Effect.gen(function* () {
      let left = locks
      const { calls, org } = yield* orgOf(({ method }) => {
        if (method === "GET") return { status: 200, body: { done: true, records: [] } }
        left -= 1
        return left < 0
          ? { status: 201, body: { id: "0035g00000AbCdEAAV", success: true, errors: [] } }
          : { status: 400, body: [{ errorCode: "UNABLE_TO_LOCK_ROW", message: "unable to obtain exclusive access" }] }
      })
      const parts = {
        record: () => insertion("Contact", { LastName: "Reyes" }),
        read: () => query("SELECT Id FROM Contact")
      }
      const sent = yield* Effect.fork(Effect.either(composite(org, connection, "Contact.create", parts)))
      yield* TestClock.adjust("10 seconds")
      const end = yield* Fiber.join(sent)
      return { end, writes: calls.filter(({ method }) => method === "POST").length }
    })

  it.effect("a composite request that meets a lock is sent again, as its answer as a whole is a success", () =>
    Effect.gen(function* () {
      const { end, writes } = yield* created(1)
      assert.isTrue(Either.isRight(end))
      assert.strictEqual(writes, 2)
    })
  )

  it.effect("a composite request that meets locks only is refused as locked after three tries", () =>
    Effect.gen(function* () {
      const { end, writes } = yield* created(9)
      assert.strictEqual(Either.isLeft(end) ? end.left.reason._tag : "", "Locked")
      assert.strictEqual(writes, 3)
    })
  )
})

/** As recorded from an organisation with the standard rule for contacts. */
const duplicateResult = (allowSave: boolean) => ({
  allowSave,
  duplicateRule: "Standard_Contact_Duplicate_Rule",
  duplicateRuleEntityType: "Contact",
  errorMessage: "Use one of these records?",
  matchResults: [
    {
      entityType: "Contact",
      errors: [],
      matchEngine: "FuzzyMatchEngine",
      matchRecords: [
        {
          additionalInformation: [],
          fieldDiffs: [],
          matchConfidence: 95,
          record: { attributes: { type: "Contact" }, Id: "0035g00000AbCdEAAV" }
        },
        { record: { attributes: { type: "Contact" }, Id: "0035g00000AbCdFAAV" } }
      ],
      rule: "Standard_Contact_Match_Rule_v1_1",
      size: 2,
      success: true
    },
    {
      entityType: "Lead",
      matchRecords: [{ record: { attributes: { type: "Lead" }, Id: "00Q5g00000AbCdEEAV" } }],
      success: true
    }
  ]
})

describe("duplicates in Salesforce", () => {
  it("a duplicate rule names the records that it matched, and whether the write may be allowed", () => {
    const { reason } = read("DUPLICATES_DETECTED", "Use one of these records?", {
      duplicateResult: duplicateResult(true)
    })
    assert.deepStrictEqual(
      reason,
      new Clash({ duplicateOf: ["0035g00000AbCdEAAV", "0035g00000AbCdFAAV", "00Q5g00000AbCdEEAV"], isAllowable: true })
    )
    const blocked = read("DUPLICATES_DETECTED", "No.", { duplicateResult: duplicateResult(false) }).reason
    assert.isFalse(blocked?._tag === "Clash" && blocked.isAllowable === true)
    assert.deepStrictEqual(read("DUPLICATES_DETECTED", "Use one of these records?").reason, new Clash({}))
  })

  it("a unique field names the record that has the value, by its long id", () => {
    const words = "duplicate value found: External_Id__c duplicates value on record with id: 0015g00000AbCdE"
    const { reason } = read("DUPLICATE_VALUE", words)
    assert.deepStrictEqual(reason, new Clash({ duplicateOf: ["0015g00000AbCdEAAV"] }))
  })

  it("the answer names the parameter that saves it where the rule permits that", () => {
    const { detail, reason } = read("DUPLICATES_DETECTED", "Use one of these records?", {
      duplicateResult: duplicateResult(true)
    })
    if (reason === undefined) return assert.fail("no reason")
    const error = toApiError(
      new ProviderError({ provider: "salesforce", operation: "Contact.create", reason, status: 400, detail })
    )
    assert.strictEqual(error.status, 409)
    assert.match(error.message, /on_duplicate=allow/)
  })

  it.effect("on_duplicate=allow goes with the record and with nothing else of the request", () =>
    Effect.gen(function* () {
      const { calls, org } = yield* orgOf(({ path }) =>
        path.endsWith("/describe")
          ? { status: 200, body: { fields: [{ name: "LastName" }] } }
          : { status: 201, body: { id: "0035g00000AbCdEAAV", success: true, errors: [] } }
      )
      const sent: Array<unknown> = []
      const noting = {
        ...org,
        call: (...[ref, call]: Parameters<typeof org.call>) => {
          if (call.path.endsWith("/composite")) sent.push(call.json)
          return org.call(ref, call)
        }
      }
      const adapter = contact(noting)
      const create = adapter.create
      if (create === undefined) return assert.fail("no create")
      const variant = variantOf(Contact, adapter)
      const encoded = { nativeType: "Contact", record: { LastName: "Reyes" }, steps: {} }
      yield* create({ connection, variant, encoded, idempotencyKey: undefined, onDuplicate: "allow" })
      yield* create({ connection, variant, encoded, idempotencyKey: undefined })
      assert.strictEqual(calls.filter(({ method }) => method === "POST").length, 2)
      const headers = sent.map((json) =>
        objects(getPath(json, "compositeRequest")).map(({ httpHeaders }) => httpHeaders)
      )
      assert.deepStrictEqual(headers, [
        [{ "sforce-duplicate-rule-header": "allowSave=true" }, undefined],
        [undefined, undefined]
      ])
    })
  )
})
