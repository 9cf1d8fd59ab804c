import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, FastCheck as fc } from "effect"
import { Company } from "../../../src/canonical/crm/Company.ts"
import { Contact } from "../../../src/canonical/crm/Contact.ts"
import { Deal } from "../../../src/canonical/crm/Deal.ts"
import type { Field, Resource, Shape } from "../../../src/canonical/Resource.ts"
import { compile } from "../../../src/mapping/Compile.ts"
import type { Body, Encoded, Mode } from "../../../src/mapping/Encode.ts"
import { type Entry, isNative, merge, type Native, type SlotsEntry, setPath } from "../../../src/mapping/Mapping.ts"
import type { Caller } from "../../../src/providers/axes/Upstream.ts"
import { company } from "../../../src/providers/hubspot/Company.ts"
import { contact } from "../../../src/providers/hubspot/Contact.ts"
import { deal } from "../../../src/providers/hubspot/Deal.ts"
import { isLinks } from "../../../src/providers/hubspot/Objects.ts"

const context = {
  reference: () => "",
  line: (path: string, lineId: string) => `${path}/${lineId}`
}

const noCall: Caller = () => Effect.dieMessage("a mapping calls nobody")

const stage = (id: string, displayOrder: number, probability: string, isClosed: string) => ({
  id,
  label: id,
  displayOrder,
  archived: false,
  metadata: { probability, isClosed }
})

const pipelines = [
  {
    id: "default",
    stages: [
      stage("appointment", 0, "0.2", "false"),
      stage("contract", 1, "0.9", "false"),
      stage("won", 2, "1.0", "true"),
      stage("lost", 3, "0.0", "true")
    ]
  },
  {
    id: "renewals",
    stages: [stage("r1", 0, "0.5", "false"), stage("r2", 1, "1.0", "true"), stage("r3", 2, "0", "true")]
  }
]

const encodeInput = (current?: Native) => ({
  resolve: () => undefined,
  lookups: { pipelines },
  current: current === undefined ? undefined : { record: current },
  currentRecord: undefined
})

const inlineType: { readonly [typeId: number]: string } = {
  1: "contact_to_company",
  3: "deal_to_contact",
  5: "deal_to_company"
}

/** The record as HubSpot holds it after a write, on top of what it held before. */
const written = (before: Native, encoded: Encoded): Native => {
  const record = merge(before, JSON.parse(JSON.stringify(encoded.record)))
  for (const links of Object.values(encoded.steps)) {
    if (!isLinks(links)) continue
    const results = links.link.map(({ id, typeId }) => ({ id, type: inlineType[typeId] }))
    setPath(record, `associations.${links.to}.results`, results)
  }
  const properties = isNative(record.properties) ? record.properties : {}
  const closed = pipelines.flatMap(({ stages }) => stages).find(({ id }) => id === properties.dealstage)?.metadata
  setPath(record, "properties.hs_is_closed", closed?.isClosed ?? null)
  setPath(record, "properties.hs_is_closed_won", closed === undefined ? null : String(closed.probability === "1.0"))
  return record
}

const word = fc.string({ minLength: 1, unit: "grapheme" })
const line = word.filter((text) => !/[\r\n]/.test(text))
const providerId = fc.nat().map(String)

const scalar = (field: Field): fc.Arbitrary<unknown> => {
  switch (field.kind) {
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value))
    case "integer":
      return fc.maxSafeInteger()
    case "date":
      return fc
        .date({ min: new Date("1970-01-01"), max: new Date("2100-01-01"), noInvalidDate: true })
        .map((date) => date.toISOString().slice(0, 10))
    case "providerId":
      return providerId
    default:
      return word
  }
}

/** Lists that fill any of the slots, in their order. */
const slotted = (entry: SlotsEntry, shape: Shape): fc.Arbitrary<unknown> =>
  fc.subarray([...entry.slots]).chain((places) =>
    fc.tuple(
      ...places.map((place) => {
        const [first, ...rest] = place.entries.flatMap((part) =>
          part.kind === "group" ? part.canonical : [part.canonical]
        )
        const values = Object.fromEntries([
          // an entry of which nothing is there is no entry, and a second street line needs a first
          ...(first === undefined ? [] : [[first, line]]),
          ...rest.map((name) => [name, fc.option(word)])
        ])
        const label = entry.label === null ? {} : { [entry.label]: fc.constant(place.is) }
        const blank = Object.fromEntries(Object.keys(shape.fields).map((name) => [name, null]))
        return fc.record({ ...values, ...label }).map((item) => ({ ...blank, ...item }))
      })
    )
  )

/** Bodies of what a mapping can write; a deal's status follows from its stage. */
const bodies = (resource: Resource, entries: ReadonlyArray<Entry>): fc.Arbitrary<Body> => {
  const values: { [name: string]: fc.Arbitrary<unknown> } = {}
  for (const entry of entries) {
    const field = typeof entry.canonical === "string" ? resource.fields[entry.canonical] : undefined
    if (field === undefined || field.access !== "rw" || (entry.kind === "field" && entry.access === "read")) continue
    if (entry.kind === "slots" && field.item !== undefined && "fields" in field.item)
      values[entry.canonical] = slotted(entry, field.item)
    else if (entry.kind === "field" || (entry.kind === "computed" && field.kind === "providerId"))
      values[entry.canonical] = scalar(field)
  }
  const emails = fc
    .array(word, { maxLength: 1 })
    .map((all) => all.map((email_address) => ({ email_address, email_address_type: null })))
  const placed = fc
    .constantFrom(...pipelines)
    .chain((pipeline) =>
      fc.record({ pipeline: fc.constant(pipeline.id), stage: fc.constantFrom(...pipeline.stages.map(({ id }) => id)) })
    )
  const { pipeline: _, stage: __, ...rest } = values
  const body = fc.record(
    { ...rest, ...("email_addresses" in resource.fields ? { email_addresses: emails } : {}) },
    { requiredKeys: [] }
  )
  return resource.name === "deal" ? fc.tuple(body, placed).map(([one, two]) => ({ ...one, ...two })) : body
}

/** What a record must show of a body, with nothing else set. */
const expected = (resource: Resource, body: Body, names: ReadonlyArray<string>) =>
  Object.fromEntries(names.map((name) => [name, body[name] ?? (resource.fields[name]?.kind === "list" ? [] : null)]))

describe.each([
  { resource: Contact, adapter: contact(noCall) },
  { resource: Company, adapter: company(noCall) },
  { resource: Deal, adapter: deal(noCall) }
])("mapping of $resource.name", ({ adapter, resource }) => {
  const compiled = compile("hubspot", resource, adapter.mapping)
  const [variant] = compiled.variants
  const entries = adapter.mapping.variants[0]?.entries ?? []
  if (variant === undefined) throw new Error("no variant")
  const body = bodies(resource, entries)
  const names = entries
    .filter((entry) => entry.kind !== "field" || entry.access === "both")
    .flatMap((entry) => entry.canonical)
    .filter((name) => name !== "status")
  const encode = (one: Body, mode: Mode, current?: Native) =>
    Either.getOrThrowWith(
      variant.encode(one, mode, encodeInput(current)),
      (refused) => new Error(JSON.stringify(refused))
    )
  const created = (one: Body) => written({ id: "1", properties: {} }, encode(one, "create"))
  const pick = (record: Native) => Object.fromEntries(names.map((name) => [name, record[name]]))
  const shown = (record: Native) => pick(variant.decode({ record }, context))

  it("shows what a create wrote", () =>
    fc.assert(fc.property(body, (one) => assert.deepStrictEqual(shown(created(one)), expected(resource, one, names)))))

  it("shows nothing but what a replace wrote", () =>
    fc.assert(
      fc.property(body, body, (old, one) => {
        const before = created(old)
        const after = written(before, encode(one, "replace", before))
        assert.deepStrictEqual(shown(after), expected(resource, one, names))
      })
    ))

  it("keeps what a patch does not name", () =>
    fc.assert(
      fc.property(body, body, (old, one) => {
        const before = created(old)
        const after = written(before, encode(one, "patch", before))
        assert.deepStrictEqual(shown(after), expected(resource, { ...old, ...one }, names))
      })
    ))

  it.effect("calls nobody for a patch that changes nothing", () =>
    Effect.gen(function* () {
      const encoded = encode({}, "patch")
      const connection = { id: "c", provider: "hubspot", environment: "sandbox" } as const
      const written = adapter.patch?.({ connection, variant, id: "1", encoded, current: undefined, mode: "patch" })
      assert.deepStrictEqual(yield* written ?? Effect.dieMessage("no patch"), { id: "1" })
    })
  )

  it("writes every property as a string", () =>
    fc.assert(
      fc.property(body, (one) => {
        const { properties } = encode(one, "create").record
        for (const value of Object.values(isNative(properties) ? properties : {})) assert.isString(value)
      })
    ))
})

describe("deal stages", () => {
  const [variant] = compile("hubspot", Deal, deal(noCall).mapping).variants
  if (variant === undefined) throw new Error("no variant")
  const at = (pipeline: string, dealstage: string): Native =>
    written({ id: "1", properties: { pipeline, dealstage } }, { nativeType: "deals", record: {}, steps: {} })
  const patched = (body: Body, current: Native) =>
    Either.map(variant.encode(body, "patch", encodeInput(current)), ({ record }) => record.properties)
  const properties = (pipeline: string, dealstage: string) => Either.right({ pipeline, dealstage })
  const unchanged = Either.right(undefined)

  it("takes the stage that has the status", () => {
    assert.deepStrictEqual(patched({ status: "WON" }, at("default", "contract")), properties("default", "won"))
    assert.deepStrictEqual(patched({ status: "LOST" }, at("renewals", "r1")), properties("renewals", "r3"))
    assert.deepStrictEqual(patched({ status: "OPEN" }, at("default", "lost")), properties("default", "appointment"))
    assert.deepStrictEqual(
      patched({ status: "WON", pipeline: "renewals" }, at("default", "contract")),
      properties("renewals", "r2")
    )
  })

  it("stays where the status is met", () => {
    assert.deepStrictEqual(patched({ status: "OPEN" }, at("default", "contract")), unchanged)
    assert.deepStrictEqual(patched({ pipeline: "default" }, at("default", "contract")), unchanged)
  })

  it("lets the stage win and finds its pipeline", () => {
    assert.deepStrictEqual(
      patched({ status: "WON", stage: "appointment" }, at("default", "contract")),
      properties("default", "appointment")
    )
    assert.deepStrictEqual(patched({ stage: "r1" }, at("default", "contract")), properties("renewals", "r1"))
  })

  it("keeps the status when only the pipeline changes", () => {
    assert.deepStrictEqual(patched({ pipeline: "renewals" }, at("default", "lost")), properties("renewals", "r3"))
    assert.deepStrictEqual(patched({ pipeline: "renewals" }, at("default", "contract")), properties("renewals", "r1"))
  })

  it("stays where no stage has the status", () => {
    const onlyOpen = [{ id: "short", stages: [stage("s1", 0, "0.1", "false")] }]
    const current = at("short", "s1")
    assert.deepStrictEqual(
      Either.map(
        variant.encode({ status: "LOST" }, "patch", { ...encodeInput(current), lookups: { pipelines: onlyOpen } }),
        ({ record }) => record.properties
      ),
      unchanged
    )
  })

  it("refuses what is in no pipeline, and clearing", () => {
    const refused = (body: Body) =>
      Either.match(patched(body, at("default", "contract")), { onLeft: Object.keys, onRight: () => [] })
    assert.deepStrictEqual(refused({ stage: "gone" }), ["stage"])
    assert.deepStrictEqual(refused({ stage: "r1", pipeline: "default" }), ["stage"])
    assert.deepStrictEqual(refused({ pipeline: "gone" }), ["pipeline"])
    assert.deepStrictEqual(refused({ stage: null }), ["stage"])
  })
})

describe("e-mail addresses of a contact", () => {
  const [variant] = compile("hubspot", Contact, contact(noCall).mapping).variants
  if (variant === undefined) throw new Error("no variant")
  const current: Native = {
    id: "1",
    properties: { email: "a@example.com", hs_additional_emails: "b@example.com;c@example.com" }
  }
  const further = { email_address: "b@example.com", email_address_type: "SECONDARY" }

  it("shows further ones as SECONDARY", () => {
    assert.deepStrictEqual(variant.decode({ record: current }, context).email_addresses, [
      { email_address: "a@example.com", email_address_type: null },
      further,
      { ...further, email_address: "c@example.com" }
    ])
  })

  it("takes back further ones it holds and refuses new ones by their place", () => {
    const first = { email_address: "new@example.com" }
    const encode = (body: Body) => variant.encode(body, "patch", encodeInput(current))
    assert.isTrue(variant.needs({ email_addresses: [first, further] }, "patch").current)
    assert.isFalse(variant.needs({ email_addresses: [first] }, "patch").current)
    assert.deepStrictEqual(
      Either.map(encode({ email_addresses: [first, further] }), ({ record }) => record),
      Either.right({ properties: { email: "new@example.com" } })
    )
    assert.deepStrictEqual(
      Either.match(encode({ email_addresses: [first, further, { email_address: "x@example.com" }] }), {
        onLeft: Object.keys,
        onRight: () => []
      }),
      ["email_addresses.2"]
    )
  })
})
