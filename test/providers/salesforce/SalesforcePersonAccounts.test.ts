import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Company } from "../../../src/canonical/crm/Company.ts"
import { Contact } from "../../../src/canonical/crm/Contact.ts"
import type { Resource } from "../../../src/canonical/Resource.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import type { Native } from "../../../src/mapping/Mapping.ts"
import type { ResourceAdapter } from "../../../src/providers/ProviderAdapter.ts"
import { company } from "../../../src/providers/salesforce/Company.ts"
import { contact } from "../../../src/providers/salesforce/Contact.ts"
import type { Org } from "../../../src/providers/salesforce/Org.ts"
import { connection, orgOf, variantOf } from "./support.ts"

const [accountId, contactId] = ["0015g00000AbCdEAAV", "0035g00000AbCdEAAV"]

/** An organisation that describes these fields, with what was asked of it. */
const orgWith = (...fields: ReadonlyArray<string>) =>
  orgOf(({ path }) =>
    path.endsWith("/describe")
      ? { status: 200, body: { fields: fields.map((name) => ({ name })) } }
      : { status: 200, body: { done: true, records: [] } }
  )

/** The fields that a patch is refused for. */
const refusedBy = (resource: Resource, make: (org: Org) => ResourceAdapter, held: Native, record: Native) =>
  Effect.gen(function* () {
    const { calls, org } = yield* orgWith("Name")
    const adapter = make(org)
    const variant = variantOf(resource, adapter)
    const patch = adapter.patch
    if (patch === undefined) return assert.fail("no patch")
    const { nativeType } = variant
    const current = { nativeType, record: held }
    const encoded = { nativeType, record, steps: {} }
    const error = yield* Effect.flip(
      patch({ connection, variant, id: String(held.Id), encoded, current, mode: "patch" })
    )
    assert.deepStrictEqual(calls, [], "nothing is sent")
    return error.reason._tag === "Invalid" ? error.reason.fields : error.reason._tag
  })

describe("person accounts of Salesforce", () => {
  it.effect("lists of companies leave people out, where the organisation has person accounts", () =>
    Effect.gen(function* () {
      const listed = (...fields: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const { calls, org } = yield* orgWith(...fields)
          const adapter = company(org)
          const mapping = compile("salesforce", Company, adapter.mapping)
          yield* adapter.list?.({ connection, mapping, position: null, limit: 10, wanted: {} }) ?? Effect.void
          return JSON.stringify(calls.map(({ query }) => query))
        })
      assert.include(yield* listed("Name", "IsPersonAccount"), "IsPersonAccount = false")
      assert.notInclude(yield* listed("Name"), "IsPersonAccount")
    })
  )

  it.effect("another name of a person, and another account of one, are refused with what to do instead", () =>
    Effect.gen(function* () {
      const person = { Id: accountId, Name: "Imani Reyes", IsPersonAccount: true, PersonContactId: contactId }
      assert.deepStrictEqual(yield* refusedBy(Company, company, person, { Name: "Imani Smith" }), {
        Name: `is the name of a person: change first_name and last_name of contact ${contactId} instead`
      })
      const half = { Id: contactId, AccountId: accountId, IsPersonAccount: true }
      assert.deepStrictEqual(yield* refusedBy(Contact, contact, half, { AccountId: "0015g00000AbCdFAAV" }), {
        AccountId: `is always ${accountId}: Salesforce holds this contact and that account as one person`
      })
    })
  )
})
