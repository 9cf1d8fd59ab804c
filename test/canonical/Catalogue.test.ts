import { assert, describe, it } from "@effect/vitest"
import { Either, type Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { resourcesOf } from "../../src/canonical/Catalogue.ts"
import { categories, type Field, type Fields, isShape, number, share } from "../../src/canonical/Resource.ts"
import { decoder, fieldErrorsOf } from "../../src/platform/Issues.ts"
import { formatJson } from "../support/FileSnapshots.ts"
import { catalogueSnapshot } from "./CatalogueSnapshot.ts"

/** Every resource by its path, such as `crm/contact`. */
const resources = categories.flatMap((category) =>
  resourcesOf(category).map((resource) => ({ path: `${category}/${resource.name}`, resource }))
)

/** Resources that can be written. */
const writableResources = resources.filter(({ resource }) => resource.class !== "read-only")

const uuid = "6f1c1b9e-58a4-4c52-9f5a-0d6a3b1f2c3d"

/** A valid value of each kind. The number is also a share, which must be between 0 and 1. */
const samples: { readonly [kind: string]: unknown } = {
  text: "some text",
  date: "2026-02-28",
  dateTime: "2026-02-28T23:59:59.5+02:00",
  number: 0.25,
  integer: 7,
  boolean: false,
  decimal: "1.25",
  reference: uuid,
  providerId: "0015f00000AbCdE",
  object: { anything: [1, "two"] }
}

const sampleOf = (field: Field): unknown => {
  const { children, item, kind, values } = field
  if (kind !== "list") return values?.[0] ?? samples[kind]
  if (item === undefined) return []
  if (!isShape(item)) return [sampleOf(item)]
  const row = recordOf(item.fields)
  return children === undefined ? [row] : [{ ...row, [children]: [{ ...row, [children]: [] }] }]
}

const readableFields = (fields: Fields) => Object.entries(fields).filter(([, { access }]) => access !== "wo")

const writableFields = (fields: Fields) =>
  Object.entries(fields).filter(([, { access }]) => access === "rw" || access === "wo")

const ignoredFields = (fields: Fields) =>
  Object.entries(fields).filter(([, { access, matches }]) => access === "ro" && !matches)

const computedFields = (fields: Fields) => Object.entries(fields).filter(([, { access }]) => access === "computed")

const requiredFields = (fields: Fields) => writableFields(fields).filter(([, { required }]) => required)

/** A record with a value in every field. */
const recordOf = (fields: Fields): Record<string, unknown> =>
  Object.fromEntries(readableFields(fields).map(([name, field]) => [name, sampleOf(field)]))

/** Lists of nested objects that a client can write. */
const writableLists = (fields: Fields) =>
  writableFields(fields).flatMap(([name, { item }]) => (isShape(item) ? [{ name, rowFields: item.fields }] : []))

/** The fields with the same value in each of them. */
const fill = <A>(fields: ReadonlyArray<readonly [string, Field]>, value: A): Record<string, A> =>
  Object.fromEntries(fields.map(([name]) => [name, value]))

/** The decoder of each schema. Compiling one takes longer than using it. */
const decoders = new Map<Schema.Schema.AnyNoContext, ReturnType<typeof decoder>>()

/** The errors that a schema finds in a value, by field. */
const errorsOf = (schema: Schema.Schema.AnyNoContext, value: unknown) => {
  const decode = decoders.get(schema) ?? decoder(schema)
  decoders.set(schema, decode)
  return Either.match(decode(value), { onLeft: fieldErrorsOf, onRight: () => ({}) })
}

/** A value that fits no kind, for fields whose value must not matter. */
const nonsense = { not: ["looked", "at"] }

describe("the catalogue", () => {
  it("is the one in catalogue.json: `npx vitest run test/canonical -u` takes it again", async ({ expect }) => {
    const file = join(import.meta.dirname, "catalogue.json")
    await expect(await formatJson(file, catalogueSnapshot())).toMatchFileSnapshot(file)
  })

  it("names no provider, since each adapter declares its own needs", () => {
    const folder = join(import.meta.dirname, "../../src/canonical")
    const providers = /hub ?spot|salesforce|pipedrive|zoho|quick ?books|\bqbo\b|xero|net ?suite|\bclose crm|attio/i
    const found = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap(
        (name) => providers.exec(readFileSync(join(folder, name), "utf8"))?.map((word) => `${name}: ${word}`) ?? []
      )
    assert.deepStrictEqual(found, [], "files of src/canonical that name a provider")
  })

  it("gives each resource a schema name of its own", () => {
    const names = resources.map(({ resource }) => resource.identifier)
    const repeated = names.filter((name, i) => names.indexOf(name) !== i)
    assert.deepStrictEqual(repeated, [], "schema names of more than one resource")
  })

  it.each(resources)("$path describes each of its fields", ({ path, resource }) => {
    const undescribed = Object.entries(resource.fields).flatMap(([name, { description }]) =>
      description === "" ? [name] : []
    )
    assert.deepStrictEqual(undescribed, [], `${path}: fields without a description`)
  })

  it.each(resources)("$path can be sent native fields, and never returns them", ({ path, resource }) => {
    assert.strictEqual(resource.fields.integration_params?.access, "wo", `${path}: access of integration_params`)
  })

  it.each(resources)("$path: a record has every field and no other", ({ path, resource: { fields, record } }) => {
    const full = recordOf(fields)
    assert.deepStrictEqual(errorsOf(record, full), {}, `${path} with every field`)
    const extended = { ...full, custom_fields: { tier: "gold" }, remote_data: nonsense }
    assert.deepStrictEqual(errorsOf(record, extended), {}, `${path} with custom_fields and remote_data`)
    assert.deepStrictEqual(
      errorsOf(record, { ...full, mispelt: 1 }),
      { mispelt: "is not known here" },
      `${path} with an unknown field`
    )
    for (const name of Object.keys(full)) {
      const { [name]: _, ...without } = full
      assert.deepStrictEqual(errorsOf(record, without), { [name]: "is required" }, `${path} without ${name}`)
    }
  })

  it.each(resources)("$path: only lists and identifiers are never null", ({ path, resource: { fields, record } }) => {
    const identifiers = ["id", "remote_id", "remote_was_deleted", "providerSlug", "providerId"]
    const full = recordOf(fields)
    const empty = Object.fromEntries(
      readableFields(fields).map(([name, { kind }]) => [
        name,
        kind === "list" ? [] : identifiers.includes(name) ? full[name] : null
      ])
    )
    assert.deepStrictEqual(errorsOf(record, empty), {}, `${path} with nulls and empty lists`)
    const lists = readableFields(fields).flatMap(([name, { kind }]) => (kind === "list" ? [name] : []))
    for (const name of [...identifiers, ...lists]) {
      const errors = Object.keys(errorsOf(record, { ...full, [name]: null }))
      assert.deepStrictEqual(errors, [name], `${path} with ${name} null: fields with errors`)
    }
  })
})

describe("bodies", () => {
  it.each(writableResources)("$path: POST and PATCH take a record as it was read", ({ path, resource }) => {
    const { createBody, fields, patchBody } = resource
    const full = { ...recordOf(fields), integration_params: { x: 1 }, custom_fields: { y: 2 }, remote_data: 3 }
    assert.deepStrictEqual(errorsOf(createBody, full), {}, `POST ${path}`)
    assert.deepStrictEqual(errorsOf(patchBody, full), {}, `PATCH ${path}`)
  })

  it.each(writableResources)("$path: read-only fields are ignored whatever they hold", ({ path, resource }) => {
    const { createBody, fields, patchBody } = resource
    const full = recordOf(fields)
    const altered = { ...full, ...fill(ignoredFields(fields), nonsense) }
    assert.deepStrictEqual(errorsOf(createBody, altered), {}, `POST ${path}`)
    assert.deepStrictEqual(errorsOf(patchBody, altered), {}, `PATCH ${path}`)
    for (const { name, rowFields } of writableLists(fields)) {
      const row = { ...recordOf(rowFields), ...fill(ignoredFields(rowFields), nonsense) }
      assert.deepStrictEqual(errorsOf(createBody, { ...full, [name]: [row] }), {}, `POST ${path} ${name}`)
      assert.deepStrictEqual(errorsOf(patchBody, { [name]: [row] }), {}, `PATCH ${path} ${name}`)
    }
  })

  it.each(writableResources)("$path: a computed field of a wrong type is refused by name", ({ path, resource }) => {
    const { createBody, fields, patchBody } = resource
    const full = recordOf(fields)
    for (const [name] of computedFields(fields)) {
      for (const wrong of ["not a number", true, {}]) {
        assert.property(errorsOf(createBody, { ...full, [name]: wrong }), name, `POST ${path}`)
        assert.property(errorsOf(patchBody, { [name]: wrong }), name, `PATCH ${path}`)
      }
    }
  })

  it.each(writableResources)("$path: unknown fields are refused by name, nested ones too", ({ path, resource }) => {
    const full = recordOf(resource.fields)
    for (const [method, schema] of [
      ["POST", resource.createBody],
      ["PATCH", resource.patchBody]
    ] as const) {
      assert.deepStrictEqual(
        errorsOf(schema, { ...full, mispelt: 1 }),
        { mispelt: "is not known here" },
        `${method} ${path}`
      )
      for (const { name, rowFields } of writableLists(resource.fields)) {
        const row = { ...recordOf(rowFields), mispelt: 1 }
        const expected = { [`${name}.0.mispelt`]: "is not known here" }
        assert.deepStrictEqual(errorsOf(schema, { ...full, [name]: [row] }), expected, `${method} ${path} ${name}`)
      }
    }
  })

  it.each(writableResources)("$path: POST names every required field that is absent", ({ path, resource }) => {
    const { createBody, fields } = resource
    assert.deepStrictEqual(errorsOf(createBody, {}), fill(requiredFields(fields), "is required"), `POST ${path}`)
    const full = recordOf(fields)
    for (const { name, rowFields } of writableLists(fields)) {
      const expected = Object.fromEntries(
        requiredFields(rowFields).map(([inner]) => [`${name}.0.${inner}`, "is required"])
      )
      assert.deepStrictEqual(errorsOf(createBody, { ...full, [name]: [{}] }), expected, `POST ${path} ${name}`)
    }
  })

  it.each(writableResources)("$path: POST refuses required fields that are null or empty", ({ path, resource }) => {
    const { createBody, fields } = resource
    const full = recordOf(fields)
    for (const [name, { kind, values }] of requiredFields(fields)) {
      const errors = Object.keys(errorsOf(createBody, { ...full, [name]: null }))
      assert.deepStrictEqual(errors, [name], `POST ${path} with ${name} null: fields with errors`)
      if (kind === "list" || (kind === "text" && values === undefined)) {
        const empty = kind === "list" ? [] : ""
        const expected = { [name]: "must not be empty" }
        assert.deepStrictEqual(
          errorsOf(createBody, { ...full, [name]: empty }),
          expected,
          `POST ${path} with ${name} empty`
        )
      }
    }
  })

  it.each(writableResources)("$path: PATCH requires nothing and clears fields with null", ({ path, resource }) => {
    const { fields, patchBody } = resource
    assert.deepStrictEqual(errorsOf(patchBody, {}), {}, `PATCH ${path} with no field`)
    assert.deepStrictEqual(errorsOf(patchBody, fill(writableFields(fields), null)), {}, `PATCH ${path} with nulls`)
  })

  it.each(writableResources)("$path: POST takes null in fields that are not required", ({ path, resource }) => {
    const { createBody, fields } = resource
    const optional = writableFields(fields).filter(([, { required }]) => !required)
    assert.deepStrictEqual(errorsOf(createBody, { ...recordOf(fields), ...fill(optional, null) }), {}, `POST ${path}`)
  })

  const wrongValues: { readonly [kind: string]: ReadonlyArray<unknown> } = {
    text: [1, {}],
    date: ["2026-02-30", "2026-1-5", "2026-02-28T00:00:00Z", "28.02.2026", 20260228],
    dateTime: ["2026-02-28", "2026-02-30T10:00:00Z", "2026-02-28T10:00:00", "2026-02-28T24:00:00Z", 1772236800000],
    number: ["1", Number.NaN, Number.POSITIVE_INFINITY],
    integer: [1.5, "1"],
    boolean: ["true", 0],
    decimal: [1.25, "1,25", "one", "0", "0.00", "-1.5"],
    reference: ["58", `urn:uuid:${uuid}0`, 58],
    providerId: [58],
    object: [[], "text"],
    list: [{}, "text"]
  }

  const messages: { readonly [kind: string]: string } = {
    text: "must be a string",
    date: "must be a date such as 2026-01-31",
    dateTime: "must be a date-time such as 2026-01-31T09:30:00Z",
    boolean: "must be true or false"
  }

  const assertRefused = (
    about: string,
    name: string,
    { kind, values }: Field,
    errors: { readonly [field: string]: string }
  ) => {
    assert.deepStrictEqual(Object.keys(errors), [name], `${about}: fields with errors`)
    const message = values === undefined ? messages[kind] : `must be one of ${values.join(", ")}`
    if (message !== undefined) assert.strictEqual(errors[name], message, `${about}: message`)
  }

  it.each(writableResources)("$path: a value of the wrong kind is refused at its field", ({ path, resource }) => {
    const { createBody, fields, patchBody } = resource
    const full = recordOf(fields)
    for (const [name, field] of writableFields(fields)) {
      const wrong = field.values === undefined ? wrongValues[field.kind] : ["UNHEARD_OF", 1]
      for (const value of wrong ?? assert.fail(`${path} ${name}: no wrong values are listed for ${field.kind}`)) {
        const about = `${path} with ${name} ${JSON.stringify(value)}`
        assertRefused(`POST ${about}`, name, field, errorsOf(createBody, { ...full, [name]: value }))
        assertRefused(`PATCH ${about}`, name, field, errorsOf(patchBody, { [name]: value }))
      }
    }
  })

  it.each(writableResources)("$path: references are taken with urn:uuid: in front, too", ({ path, resource }) => {
    const references = writableFields(resource.fields).filter(([, { kind }]) => kind === "reference")
    assert.deepStrictEqual(errorsOf(resource.patchBody, fill(references, `urn:uuid:${uuid}`)), {}, `PATCH ${path}`)
  })

  it("numbers may be negative, shares must be from 0 to 1", () => {
    for (const value of [-12.34, 0, 1e9])
      assert.deepStrictEqual(errorsOf(number("amount").in, value), {}, `number ${value}`)
    for (const value of [0, 0.5, 1])
      assert.deepStrictEqual(errorsOf(share("probability").in, value), {}, `share ${value}`)
    for (const value of [-0.1, 1.1]) {
      assert.deepStrictEqual(
        errorsOf(share("probability").in, value),
        { body: "must be a number from 0 to 1" },
        `share ${value}`
      )
    }
  })
})
