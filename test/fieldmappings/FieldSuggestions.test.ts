import { assert, describe, it } from "@effect/vitest"
import { suggestFields } from "../../src/fieldmappings/FieldSuggestions.ts"
import type { NativeField } from "../../src/providers/ProviderAdapter.ts"

const field = (name: string, label: string): NativeField => ({ name, label, type: "text", readOnly: false })

const many = Array.from({ length: 1000 }, (_, i) =>
  field(`Some_Custom_Field_Of_The_Account_${i}__c`, `Some custom field of the account ${i}`)
)

describe("the fields suggestFields to a misspelt one", () => {
  it("are found among a thousand", () => {
    const found = suggestFields("Loyalti_Tier__c", [...many, field("Loyalty_Tier__c", "Loyalty tier")])
    assert.deepStrictEqual(
      found.map(({ name }) => name),
      ["Loyalty_Tier__c"]
    )
  })

  it("are none for a name that is like no other, however long it is", () => {
    assert.deepStrictEqual(suggestFields("x".repeat(255), many), [])
  })
})
