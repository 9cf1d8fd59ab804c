import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Contact } from "../../../src/canonical/crm/Contact.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import { getPath } from "../../../src/mapping/Mapping.ts"
import type { Call, Caller } from "../../../src/providers/base/Upstream.ts"
import { contact } from "../../../src/providers/hubspot/Contact.ts"

const names = Array.from(
  { length: 120 },
  (_, i) => `a_long_name_of_a_property_that_a_customer_has_made_for_themselves_${i}`
)

const overrides = names.map((name) => ({
  field: `custom_fields.${name}`,
  nativeField: `properties.${name}`,
  transform: undefined,
  nativeType: undefined
}))

const connection = { id: "c", provider: "hubspot", environment: "sandbox", organisation: "org" } as const

const links = [{ id: "9", type: "contact_to_company" }]

/** HubSpot with one contact, which gives a record in a batch the properties that are asked for. */
const account = () => {
  const calls: Array<Call> = []
  const associations = { companies: { results: links } }
  const whole = (asked: unknown) => ({
    id: "7",
    properties: Object.fromEntries((Array.isArray(asked) ? asked : []).map((name) => [String(name), "value"])),
    createdAt: "2026-03-02T09:00:00.000Z",
    updatedAt: "2026-03-02T09:00:00.000Z",
    archived: false
  })
  const call: Caller = (_, asked) =>
    Effect.sync(() => {
      calls.push(asked)
      const named = asked.method === "POST" ? getPath(asked.json, "properties") : getPath(asked.query, "properties")
      const record = { ...whole(named), ...(asked.method === "POST" ? {} : { associations }) }
      const body = asked.params === undefined ? { results: [record] } : record
      return { status: 200, headers: {}, body }
    })
  return { call, calls }
}

const noType = () => Effect.dieMessage("nothing is linked")

/** Characters of the query of a call. */
const lengthOf = ({ query = {} }: Call) =>
  Object.entries(query).reduce(
    (all, [name, value]) =>
      all + (Array.isArray(value) ? value : [value]).reduce((sum, one) => sum + `&${name}=${String(one)}`.length, 0),
    0
  )

describe("HubSpot contacts with more properties than an address takes", () => {
  const read = (wanted: typeof overrides) => {
    const { call, calls } = account()
    const adapter = contact(call, noType)
    const mapping = compile("hubspot", Contact, adapter.mapping, wanted)
    const [variant] = mapping.variants
    if (variant === undefined || adapter.get === undefined || adapter.list === undefined) throw new Error("no verbs")
    const list = (filters: object) =>
      adapter.list?.({ connection, mapping, wanted: { ...filters }, position: null, limit: 100 }) ?? Effect.die("none")
    return { calls, variant, list, get: adapter.get({ connection, variant, id: "7" }) }
  }

  it.effect("get and list read them in a batch, with the links", () =>
    Effect.gen(function* () {
      const { calls, get, list } = read(overrides)
      const found = [yield* get, ...(yield* list({})).records]
      for (const { record } of found) {
        for (const name of names) assert.strictEqual(getPath(record, `properties.${name}`), "value", name)
        assert.deepStrictEqual(getPath(record, "associations.companies.results"), links)
      }
      assert.strictEqual(found.length, 2)
      for (const call of calls) assert.isBelow(lengthOf(call), 7000)
      assert.deepStrictEqual(
        calls.map(({ method, path }) => `${method} ${path}`),
        [
          "GET /crm/v3/objects/contacts/:id",
          "POST /crm/v3/objects/contacts/batch/read",
          "GET /crm/v3/objects/contacts",
          "POST /crm/v3/objects/contacts/batch/read"
        ]
      )
    })
  )

  it.effect("a few are asked for in the address, in one call", () =>
    Effect.gen(function* () {
      const { calls, get } = read(overrides.slice(0, 20))
      yield* get
      assert.deepStrictEqual(
        calls.map(({ path }) => path),
        ["/crm/v3/objects/contacts/:id"]
      )
    })
  )
})
