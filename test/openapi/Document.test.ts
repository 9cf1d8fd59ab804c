import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Schema } from "effect"
import { readFileSync } from "node:fs"
import { everything } from "../../src/All.ts"
import { resourcesOf } from "../../src/canonical/Catalogue.ts"
import { categories, type Field, type Shape } from "../../src/canonical/Resource.ts"
import { declarations } from "../../src/Declarations.ts"
import { openApiDocument } from "../../src/Documents.ts"
import { at, isJson, type Json } from "../../src/openapi/Json.ts"
import { Providers } from "../../src/providers/Providers.ts"
import { errorCodes } from "../../src/platform/ErrorCodes.ts"
import { issuesOf } from "../../src/platform/Issues.ts"
import { full } from "../support/Full.ts"

/** Every object of a value, with its path. */
function* objects(value: unknown, path = "#"): Generator<readonly [path: string, object: Json]> {
  if (Array.isArray(value)) {
    for (const [i, one] of value.entries()) yield* objects(one, `${path}/${i}`)
  } else if (isJson(value)) {
    yield [path, value]
    for (const [name, one] of Object.entries(value)) yield* objects(one, `${path}/${name}`)
  }
}

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const resources = categories.flatMap((category) => resourcesOf(category))

const isShape = (item: Field | Shape | undefined): item is Shape => item !== undefined && "fields" in item

const inDocument = Effect.gen(function* () {
  const document: unknown = JSON.parse(JSON.stringify(yield* openApiDocument))
  assert(isJson(document))
  const components = at(document, "components")
  const schemas = at(components, "schemas")
  const named = (ref: unknown): Json => {
    const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(String(ref)) ?? []
    return at(at(components, kind), name)
  }
  const operations = Object.values(at(document, "paths")).flatMap((path) =>
    Object.values(isJson(path) ? path : {}).filter(isJson)
  )
  const schemaObjects = () => objects(schemas, "#/components/schemas")
  return {
    document,
    components,
    schemas,
    named,
    operations,
    schemaObjects,
    slugs: (yield* Providers).all().map(({ slug }) => slug)
  }
}).pipe(Effect.provide(declarations(everything)))

/** The whole of a parameter, header or answer, which may be a component. */
const whole = (value: unknown, named: (ref: unknown) => Json): Json =>
  !isJson(value) ? {} : value.$ref === undefined ? value : named(value.$ref)

describe("the OpenAPI document", () => {
  full(it).effect("lets ids of lines be sent, so that lines are kept", () =>
    Effect.gen(function* () {
      const { schemas } = yield* inDocument
      const lines = resources.flatMap(({ fields, ...resource }) =>
        resource.class === "read-only"
          ? []
          : Object.values(fields).flatMap(({ access, item }) =>
              access === "rw" && isShape(item) && Object.hasOwn(item.fields, "remote_id") ? [item.name] : []
            )
      )
      assert.includeMembers(lines, ["InvoiceLineItem", "JournalLine", "TaxComponent"])
      for (const name of lines) {
        const id = at(at(at(schemas, `Accounting${name}Body`), "properties"), "remote_id")
        assert.deepStrictEqual(id.anyOf, [{ type: "string" }, { type: "null" }], name)
        assert.notProperty(id, "readOnly", name)
      }
    })
  )

  full(it).effect("has records that are never without their ids", () =>
    Effect.gen(function* () {
      const { schemas } = yield* inDocument
      for (const { identifier } of resources) {
        const record = at(schemas, `${identifier}Part`)
        const properties = at(record, "properties")
        for (const name of ["id", "remote_id", "providerId"]) {
          assert.strictEqual(at(properties, name).type, "string", `${identifier} ${name}`)
          assert.include(list(record.required), name)
        }
        assert.strictEqual(at(properties, "providerSlug").$ref, "#/components/schemas/ProviderSlug")
      }
    })
  )

  full(it).effect("says what references refer to", () =>
    Effect.gen(function* () {
      const { schemas } = yield* inDocument
      for (const { class: verbs, fields, identifier } of resources) {
        for (const [name, { access, kind, targets = [] }] of Object.entries(fields)) {
          if (kind !== "reference" || access === "wo") continue
          const places = verbs === "read-only" || access !== "rw" ? ["Part"] : ["Part", "Body", "Patch"]
          for (const place of places) {
            const property = at(at(at(schemas, identifier + place), "properties"), name)
            const target = (targets[0] ?? "").replaceAll("_", " ")
            assert.include(
              String(property.description),
              `UUID of the accounting ${target}`,
              `${identifier}${place} ${name}`
            )
            assert.include(JSON.stringify(property), `"format":"uuid"`, `${identifier}${place} ${name}`)
          }
        }
      }
    })
  )

  full(it).effect("names every enumeration, also the codes of failures and the providers", () =>
    Effect.gen(function* () {
      const { schemaObjects, schemas, slugs } = yield* inDocument
      const nameless = [...schemaObjects()].flatMap(([path, { enum: values }]) =>
        list(values).length > 1 && path.split("/").length > 4 ? [path] : []
      )
      assert.deepStrictEqual(nameless, [])
      assert.deepStrictEqual(at(schemas, "ProviderSlug").enum, slugs)
      const codes = list(at(schemas, "ErrorCode").enum)
      assert.includeMembers([...codes], [...Object.keys(errorCodes), "CONTACT_NOT_FOUND", "TAX_RATE_NOT_FOUND"])
      assert.strictEqual(at(at(at(schemas, "Error"), "properties"), "code").$ref, "#/components/schemas/ErrorCode")
      assert.deepStrictEqual(at(schemas, "CrmTaskPriority").enum, ["LOW", "NORMAL", "HIGH"])
    })
  )

  full(it).effect("shares parameters, failures and headers, each under a good name", () =>
    Effect.gen(function* () {
      const { components, named, operations } = yield* inDocument
      const seen = new Set<string>()
      for (const { operationId, parameters, responses } of operations) {
        for (const parameter of list(parameters)) {
          const text = JSON.stringify(parameter)
          if (isJson(parameter) && parameter.$ref !== undefined) continue
          assert.isFalse(seen.has(text), `${String(operationId)}: ${text} stands twice`)
          seen.add(text)
        }
        for (const [status, response] of Object.entries(isJson(responses) ? responses : {})) {
          if (!status.startsWith("2")) assert.property(response, "$ref", `${String(operationId)} ${status}`)
          const sent = Object.keys(at(whole(response, named), "headers"))
          assert.includeMembers(
            sent,
            ["X-Request-Id", "RateLimit", "RateLimit-Policy"],
            `${String(operationId)} ${status}`
          )
        }
      }
      const headersOf = (name: string) => Object.keys(at(at(at(components, "responses"), name), "headers"))
      assert.include(headersOf("MethodNotAllowed"), "Allow")
      for (const name of ["Conflict", "RateLimited", "BadGateway", "Unavailable", "GatewayTimeout"]) {
        assert.include(headersOf(name), "Retry-After", name)
      }
      const names = Object.keys(components).flatMap((kind) => Object.keys(at(components, kind)))
      assert.includeMembers(Object.keys(at(components, "parameters")), [
        "EndUserId",
        "ConnectionId",
        "Provider",
        "OptionalProvider",
        "Cursor",
        "Limit",
        "Fields",
        "Prefer",
        "IdempotencyKey"
      ])
      assert.deepStrictEqual(
        names.filter((name) => /\d$/.test(name)),
        [],
        "two things of one name"
      )
    })
  )

  full(it).effect("shows the headers of writes", () =>
    Effect.gen(function* () {
      const { operations } = yield* inDocument
      const create = operations.find(({ operationId }) => operationId === "crm_contact_create")
      const sent = Object.keys(at(at(at(create ?? {}, "responses"), "201"), "headers"))
      assert.includeMembers(sent, ["Preference-Applied", "Idempotency-Replayed"])
      const read = operations.find(({ operationId }) => operationId === "crm_contact_list")
      assert.notProperty(at(at(at(read ?? {}, "responses"), "200"), "headers"), "Preference-Applied")
    })
  )

  full(it).effect("describes everything", () =>
    Effect.gen(function* () {
      const { components, document, operations, schemaObjects } = yield* inDocument
      const silent: Array<string> = []
      for (const { description, operationId, summary } of operations) {
        if (typeof summary !== "string" || /^(Needs|Any API key)/.test(String(description)))
          silent.push(String(operationId))
      }
      for (const [path, { properties, type }] of schemaObjects()) {
        if (type !== "object" || !isJson(properties)) continue
        for (const [name, one] of Object.entries(properties)) {
          if (isJson(one) && one.description === undefined && one.$ref === undefined) silent.push(`${path}.${name}`)
        }
      }
      for (const kind of ["schemas", "parameters", "responses", "headers"]) {
        for (const [name, one] of Object.entries(at(components, kind))) {
          if (!isJson(one) || typeof one.description !== "string") silent.push(`${kind} ${name}`)
        }
      }
      for (const tag of list(document.tags)) {
        if (isJson(tag) && tag.description === undefined) silent.push(`tag ${String(tag.name)}`)
      }
      assert.deepStrictEqual(silent, [])
    })
  )

  full(it).effect("has no stray ids, no list without items, and nothing that is not used", () =>
    Effect.gen(function* () {
      const { components, document, schemaObjects } = yield* inDocument
      const used = new Set([...objects(document)].map(([, { $ref }]) => $ref))
      for (const [path, { $id, items, title, type }] of schemaObjects()) {
        assert.notStrictEqual(typeof $id, "string", path)
        assert.notStrictEqual(typeof title, "string", path)
        if (type === "array" || list(type).includes("array")) assert.isDefined(items, path)
      }
      for (const kind of Object.keys(components)) {
        if (kind === "securitySchemes") continue
        for (const name of Object.keys(at(components, kind)))
          assert.isTrue(used.has(`#/components/${kind}/${name}`), name)
      }
    })
  )

  it.effect("has an example of every request and answer that fits", () =>
    Effect.gen(function* () {
      const { components, operations } = yield* inDocument
      const without: Array<string> = []
      for (const { operationId, requestBody, responses } of operations) {
        const contents = [requestBody, ...Object.values(isJson(responses) ? responses : {})].filter(isJson)
        for (const { content } of contents) {
          for (const media of Object.values(isJson(content) ? content : {})) {
            if (!isJson(media) || media.example === undefined) without.push(String(operationId))
          }
        }
      }
      assert.deepStrictEqual(without, [])
      for (const name of ["BadRequest", "Unauthorized", "NotFound", "Conflict", "Unprocessable"]) {
        assert.include(JSON.stringify(at(at(components, "responses"), name)), `"example":`, name)
      }
      // as the service itself checks them
      const faults: Array<string> = []
      const check = (place: string, schema: Schema.Schema.AnyNoContext, value: unknown) =>
        Either.match(Schema.decodeUnknownEither(schema)(value), {
          onLeft: (error) => faults.push(`${place}: ${JSON.stringify(issuesOf(error))}`),
          onRight: () => 0
        })
      for (const { category, createBody, name, part, patchBody, record } of resources) {
        for (const [verb, body, answer] of [
          ["get", undefined, part],
          ["create", createBody, record],
          ["replace", createBody, record],
          ["patch", patchBody, record]
        ] as const) {
          const id = `${category}_${name}_${verb}`
          const { answer: told, request } = examples.operations[id] ?? {}
          if (told === undefined) continue
          check(`${id} answer`, answer, told.data)
          if (body !== undefined && id !== "accounting_attachment_create") check(`${id} request`, body, request)
        }
      }
      assert.deepStrictEqual(faults, [])
    })
  )

  it("shows no secret in its examples", () => {
    const text = JSON.stringify(examples)
    assert.notMatch(text, /sk_(test|live)_\w{4,}|eyJ[\w-]{8,}|-----BEGIN/)
  })
})

/** The examples, as far as tests look into them. */
const examples: {
  readonly operations: {
    readonly [id: string]: { readonly request?: unknown; readonly answer: { readonly data: unknown } }
  }
} = JSON.parse(readFileSync(new URL("../../src/openapi/examples.json", import.meta.url), "utf8"))
