import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Lead } from "../../../src/canonical/crm/Lead.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import { getPath } from "../../../src/mapping/Mapping.ts"
import type { Caller } from "../../../src/providers/base/Upstream.ts"
import { lead } from "../../../src/providers/pipedrive/Lead.ts"
import { foundLeads } from "../../../src/providers/pipedrive/LeadList.ts"
import type { Page } from "../../../src/providers/ProviderAdapter.ts"

const made = Array.from({ length: 250 }, (_, i) => ({
  id: `${String(i).padStart(8, "0")}-0000-4000-8000-000000000000`,
  add_time: new Date(Date.UTC(2026, 2, 1, 0, i)).toISOString()
}))

const noCall: Caller = () => Effect.dieMessage("a mapping calls nobody")
const mapping = compile("pipedrive", Lead, lead(noCall).mapping)

/** Where an answer says whether more follow: as recorded of `GET /v1/leads`, as described, and nowhere. */
const envelopes: { readonly [name: string]: (place: object) => object } = {
  "in the pagination": (pagination) => ({ additional_data: { pagination } }),
  "one level higher": (additional_data) => ({ additional_data }),
  nowhere: () => ({})
}

describe("a walk of leads", () => {
  for (const [name, envelope] of Object.entries(envelopes)) {
    it.effect(`ends with the last lead where the answer says ${name} that more follow, though leads are deleted`, () =>
      Effect.gen(function* () {
        let held = made
        const call: Caller = (_, { path, query }) => {
          const start = Number(getPath(query, "start"))
          const limit = Number(getPath(query, "limit"))
          const all = path.endsWith("/archived") ? [] : held
          const more_items_in_collection = start + limit < all.length
          const data = all.slice(start, start + limit)
          return Effect.succeed({
            status: 200,
            headers: {},
            body: { success: true, data, ...envelope({ start, limit, more_items_in_collection }) }
          })
        }
        const seen = new Set<unknown>()
        const connection = { id: "c", provider: "pipedrive", environment: "production", organisation: "o" } as const
        for (let pages = 0, position: string | null = null; pages < 20; pages += 1) {
          const page: Page = yield* foundLeads(call)({ connection, mapping, position, limit: 50, wanted: {} })
          for (const { record } of page.records) seen.add(record.id)
          if (pages === 0) held = made.filter((_, i) => ![3, 20, 41].includes(i))
          position = page.next
          if (position === null) break
        }
        assert.strictEqual(seen.size, made.length)
      })
    )
  }
})
