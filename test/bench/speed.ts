/** Prints milliseconds of work that must not hold up other requests. */
import { makeIndex } from "../../src/agent/ToolSearch.ts"
import { suggestFields } from "../../src/fieldmappings/FieldSuggestions.ts"
import type { NativeField } from "../../src/providers/ProviderAdapter.ts"
import { catalogues } from "../agent/catalogues.ts"
import { queries } from "../agent/queries.ts"

const rounds = 8

/** The fastest of several rounds: whatever else the machine does only adds to it. */
const fastest = (work: () => unknown) =>
  Math.min(
    ...Array.from({ length: rounds }, () => {
      const started = performance.now()
      work()
      return performance.now() - started
    })
  )

const index = makeIndex(catalogues([]))
const searches = queries.map(([query]) => fastest(() => index.search(query, 5, () => true))).sort((a, b) => a - b)

const fields = Array.from({ length: 1000 }, (_, i): NativeField => ({
  name: `Some_Custom_Field_Of_The_Account_${i}__c`,
  label: `Some custom field of the account ${i}`,
  type: "text",
  readOnly: false
}))

process.stdout.write(
  JSON.stringify({
    search: searches[Math.floor(searches.length * 0.99)],
    suggestion: fastest(() => suggestFields("x".repeat(255), fields))
  })
)
