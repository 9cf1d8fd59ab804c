import { assert, describe, it } from "@effect/vitest"
import { Either, type Schema } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { find, resourcesOf } from "../../src/canonical/Catalogue.ts"
import type { Field, Resource, Shape } from "../../src/canonical/Resource.ts"
import type { Rule } from "../../src/canonical/Rule.ts"
import { decoder, fieldErrorsOf } from "../../src/platform/Issues.ts"

/** A field as the data model states it; an `item` is a plain value or the name of a nested object. */
interface Stated {
  readonly kind: string
  readonly access: "rw" | "ro" | "wo" | "computed"
  readonly required?: boolean
  readonly values?: ReadonlyArray<string>
  readonly targets?: ReadonlyArray<string>
  readonly item?: string | { readonly kind: string; readonly targets?: ReadonlyArray<string> }
}

type StatedFields = { readonly [name: string]: Stated }

interface Model {
  readonly resources: {
    readonly [path: string]: {
      readonly class: string
      readonly fields: StatedFields
      readonly rules?: ReadonlyArray<Rule & { readonly providers?: ReadonlyArray<string> }>
    }
  }
  readonly objects: { readonly [name: string]: StatedFields }
}

const model: Model = JSON.parse(readFileSync(new URL("catalogue.json", import.meta.url), "utf8"))

const fieldsOfObject = (name: string): StatedFields => model.objects[name] ?? assert.fail(`no object ${name}`)

/** Rows of reports hold rows of their own kind; the declaration states that beside the row's fields. */
const isOwnRow = (field: Stated, object: string) => field.item === object

const statedFields = (fields: StatedFields, object = ""): unknown =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => !isOwnRow(field, object))
      .map(([name, field]) => [
        name,
        {
          kind: field.kind,
          access: field.access,
          required: field.required ?? false,
          values: field.values ?? [],
          targets: field.targets ?? [],
          item:
            typeof field.item === "string"
              ? statedFields(fieldsOfObject(field.item), field.item)
              : field.item && { kind: field.item.kind, targets: field.item.targets ?? [] }
        }
      ])
  )

const declaredItem = (item: Field | Shape | undefined): unknown => {
  if (item === undefined) return undefined
  return "fields" in item ? declaredFields(item.fields) : { kind: item.kind, targets: item.targets ?? [] }
}

const declaredFields = (fields: { readonly [name: string]: Field }): unknown =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      {
        kind: field.kind,
        access: field.access,
        required: field.required,
        values: field.values ?? [],
        targets: field.targets ?? [],
        item: declaredItem(field.item)
      }
    ])
  )

const uuid = "6f1c1b9e-58a4-4c52-9f5a-0d6a3b1f2c3d"

const samples: { readonly [kind: string]: unknown } = {
  text: "some text",
  date: "2026-02-28",
  dateTime: "2026-02-28T23:59:59.5+02:00",
  number: -12.34,
  integer: 7,
  boolean: false,
  decimal: "1.25",
  reference: uuid,
  providerId: "0015f00000AbCdE",
  object: { anything: [1, "two"] }
}

const sample = (field: Stated, object: string): unknown => {
  if (field.kind !== "list") return field.values?.[0] ?? samples[field.kind]
  if (isOwnRow(field, object)) return []
  if (typeof field.item !== "string") return [samples[field.item?.kind ?? "text"]]
  const row = recordOf(fieldsOfObject(field.item), field.item)
  const own = Object.entries(fieldsOfObject(field.item)).find(([, inner]) => isOwnRow(inner, String(field.item)))
  return own === undefined ? [row] : [{ ...row, [own[0]]: [row] }]
}

/** A record with a value in every field. */
const recordOf = (fields: StatedFields, object = ""): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field.access !== "wo")
      // the one number with bounds
      .map(([name, field]) => [name, name === "probability" ? 0.25 : sample(field, object)])
  )

/** Errors in a value, by field; empty if there are none. */
const errorsOf = (schema: Schema.Schema.AnyNoContext, value: unknown) =>
  Either.match(decoder(schema)(value), { onLeft: fieldErrorsOf, onRight: () => ({}) })

/** A value of no kind, in fields whose value must not matter. */
const nonsense = { not: ["looked", "at"] }

const resources = Object.entries(model.resources).map(([path, stated]) => ({ path, stated }))

const declared = (path: string): Resource => {
  const [category, name = ""] = path.split("/")
  return find(category === "crm" ? "crm" : "accounting", name) ?? assert.fail(`${path} is not in the catalogue`)
}

const writable = (fields: StatedFields) =>
  Object.entries(fields).filter(([, { access }]) => access === "rw" || access === "wo")

const requiredOf = (fields: StatedFields) => writable(fields).filter(([, { required }]) => required === true)

describe("the catalogue", () => {
  it("has the 42 resources of the data model and no others", () => {
    const all = [...resourcesOf("crm"), ...resourcesOf("accounting")]
    assert.strictEqual(all.length, 42)
    assert.deepStrictEqual(
      all.map(({ category, name }) => `${category}/${name}`).sort(),
      resources.map(({ path }) => path).sort()
    )
  })

  it("knows of no provider: what one needs is its own to say", () => {
    const folder = fileURLToPath(new URL("../../src/canonical", import.meta.url))
    const providers = /hub ?spot|salesforce|pipedrive|zoho|quick ?books|\bqbo\b|xero|net ?suite|\bclose crm|attio/i
    assert.deepStrictEqual(
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .flatMap(
          (name) => providers.exec(readFileSync(join(folder, name), "utf8"))?.map((word) => `${name}: ${word}`) ?? []
        ),
      []
    )
  })

  it("names each schema of the interface once", () => {
    const identifiers = [...resourcesOf("crm"), ...resourcesOf("accounting")].map(({ identifier }) => identifier)
    assert.strictEqual(new Set(identifiers).size, 42)
  })

  it.each(resources)("$path has the fields, nested objects and rules of the data model", ({ path, stated }) => {
    const resource = declared(path)
    const { integration_params: params, ...fields } = resource.fields
    const { integration_params: statedParams, ...expected } = stated.fields
    assert.strictEqual(resource.class, stated.class)
    assert.deepStrictEqual(declaredFields(fields), statedFields(expected))
    assert.strictEqual(params?.access, "wo")
    assert.strictEqual(statedParams !== undefined, stated.class !== "read-only")
    assert.deepStrictEqual(
      resource.rules,
      (stated.rules ?? []).filter(({ providers }) => providers === undefined)
    )
    for (const [name, field] of Object.entries(resource.fields)) assert.notStrictEqual(field.description, "", name)
  })

  it.each(resources)("$path: a record has every field, and no other", ({ path, stated }) => {
    const { record } = declared(path)
    const full = recordOf(stated.fields)
    assert.deepStrictEqual(errorsOf(record, full), {})
    assert.deepStrictEqual(errorsOf(record, { ...full, custom_fields: { tier: "gold" }, remote_data: nonsense }), {})

    // a record is never without what tells it from others
    const always = ["id", "remote_id", "remote_was_deleted", "providerSlug", "providerId"]
    const empty = Object.fromEntries(
      Object.entries(stated.fields)
        .filter(([, { access }]) => access !== "wo")
        .map(([name, { kind }]) => [name, kind === "list" ? [] : always.includes(name) ? full[name] : null])
    )
    assert.deepStrictEqual(errorsOf(record, empty), {})
    for (const name of always) assert.property(errorsOf(record, { ...full, [name]: null }), name)

    assert.deepStrictEqual(errorsOf(record, { ...full, mispelt: 1 }), { mispelt: "is not known here" })
    for (const name of Object.keys(full)) {
      const { [name]: _, ...without } = full
      assert.deepStrictEqual(errorsOf(record, without), { [name]: "is required" })
    }
  })
})

const withBodies = resources.filter(({ stated }) => stated.class !== "read-only")

describe("bodies", () => {
  it.each(withBodies)("$path: what was read can be sent back", ({ path, stated }) => {
    const { createBody, patchBody } = declared(path)
    const full = { ...recordOf(stated.fields), integration_params: { x: 1 }, custom_fields: { y: 2 }, remote_data: 3 }
    assert.deepStrictEqual(errorsOf(createBody, full), {})
    assert.deepStrictEqual(errorsOf(patchBody, full), {})

    const ignored = Object.entries(stated.fields).filter(([, { access }]) => access === "ro" || access === "computed")
    const altered = { ...full, ...Object.fromEntries(ignored.map(([name]) => [name, nonsense])) }
    assert.deepStrictEqual(errorsOf(createBody, altered), {})
    assert.deepStrictEqual(errorsOf(patchBody, altered), {})
  })

  it.each(withBodies)("$path: an unknown field is refused by its name, nested ones too", ({ path, stated }) => {
    const { createBody, patchBody } = declared(path)
    const full = recordOf(stated.fields)
    for (const schema of [createBody, patchBody]) {
      assert.deepStrictEqual(errorsOf(schema, { ...full, mispelt: 1 }), { mispelt: "is not known here" })
      for (const [name, field] of writable(stated.fields)) {
        if (typeof field.item !== "string") continue
        const row = { ...recordOf(fieldsOfObject(field.item), field.item), mispelt: 1 }
        assert.deepStrictEqual(errorsOf(schema, { ...full, [name]: [row] }), {
          [`${name}.0.mispelt`]: "is not known here"
        })
      }
    }
  })

  it.each(withBodies)("$path: a create names everything required that is not there, or null, or empty", (one) => {
    const { createBody, patchBody } = declared(one.path)
    const required = requiredOf(one.stated.fields)
    assert.deepStrictEqual(
      errorsOf(createBody, {}),
      Object.fromEntries(required.map(([name]) => [name, "is required"]))
    )
    assert.deepStrictEqual(errorsOf(patchBody, {}), {})

    const full = recordOf(one.stated.fields)
    for (const [name, { kind, values }] of required) {
      assert.deepStrictEqual(Object.keys(errorsOf(createBody, { ...full, [name]: null })), [name])
      assert.deepStrictEqual(errorsOf(patchBody, { [name]: null }), {})
      if (kind === "list" || (kind === "text" && values === undefined)) {
        const empty = kind === "list" ? [] : ""
        assert.deepStrictEqual(errorsOf(createBody, { ...full, [name]: empty }), { [name]: "must not be empty" })
      }
    }
  })

  it.each(withBodies)("$path: null clears what is not required", ({ path, stated }) => {
    const { createBody, patchBody } = declared(path)
    const optional = writable(stated.fields).filter(([, { required }]) => required !== true)
    const cleared = Object.fromEntries(optional.map(([name]) => [name, null]))
    assert.deepStrictEqual(errorsOf(patchBody, cleared), {})
    assert.deepStrictEqual(errorsOf(createBody, { ...recordOf(stated.fields), ...cleared }), {})
  })

  const wrong: { readonly [kind: string]: ReadonlyArray<unknown> } = {
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

  const said: { readonly [kind: string]: string } = {
    text: "must be a string",
    date: "must be a date such as 2026-01-31",
    dateTime: "must be a date-time such as 2026-01-31T09:30:00Z",
    boolean: "must be true or false"
  }

  it.each(withBodies)("$path: a wrong value is refused at its field", ({ path, stated }) => {
    const { createBody, patchBody } = declared(path)
    const full = recordOf(stated.fields)
    for (const [name, { kind, values }] of writable(stated.fields)) {
      for (const value of values === undefined ? (wrong[kind] ?? assert.fail(kind)) : ["UNHEARD_OF", 1]) {
        for (const errors of [
          errorsOf(createBody, { ...full, [name]: value }),
          errorsOf(patchBody, { [name]: value })
        ]) {
          assert.deepStrictEqual(Object.keys(errors), [name], `${name}: ${JSON.stringify(value)}`)
          const message = values === undefined ? said[kind] : `must be one of ${values.join(", ")}`
          if (message !== undefined) assert.strictEqual(Object.values(errors)[0], message)
        }
      }
    }
  })

  it.each(withBodies)("$path: references are taken with and without urn:uuid:", ({ path, stated }) => {
    const references = writable(stated.fields).filter(([, { kind }]) => kind === "reference")
    const body = Object.fromEntries(references.map(([name]) => [name, `urn:uuid:${uuid}`]))
    assert.deepStrictEqual(errorsOf(declared(path).patchBody, body), {})
  })
})
