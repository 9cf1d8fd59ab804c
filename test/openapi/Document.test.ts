import { assert, describe, it } from "@effect/vitest"
import { Effect, Either, Schema } from "effect"
import { everything } from "../../src/All.ts"
import { resourcesOf } from "../../src/canonical/Catalogue.ts"
import { categories, isShape } from "../../src/canonical/Resource.ts"
import { declarations } from "../../src/Declarations.ts"
import { openApiDocument } from "../../src/Documents.ts"
import { readExamples } from "../../src/openapi/ExampleFiles.ts"
import { at, isJson, type Json } from "../../src/openapi/Json.ts"
import { errorCodes } from "../../src/platform/ErrorCodes.ts"
import { issuesOf } from "../../src/platform/Issues.ts"
import { Providers } from "../../src/providers/Providers.ts"

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

const jsonValues = (value: unknown): ReadonlyArray<Json> => Object.values(isJson(value) ? value : {}).filter(isJson)

const resources = categories.flatMap((category) => resourcesOf(category))

const examples = Effect.runSync(readExamples())

// making the document takes longer than all tests of it
const { document, slugs } = await Effect.gen(function* () {
  const document: unknown = JSON.parse(JSON.stringify(yield* openApiDocument))
  assert(isJson(document))
  return { document, slugs: (yield* Providers).all().map(({ slug }) => slug) }
}).pipe(Effect.provide(declarations(everything)), Effect.runPromise)

const components = at(document, "components")
const schemas = at(components, "schemas")
const operations = jsonValues(document.paths).flatMap(jsonValues)
const schemaObjects = [...objects(schemas, "#/components/schemas")]

/** The property of a schema among the components. */
const propertyOf = (schema: string, name: string) => at(at(at(schemas, schema), "properties"), name)

/** A parameter, header or answer itself, where it may be a reference to a component. */
const resolve = (value: unknown): Json => {
  if (!isJson(value)) return {}
  if (value.$ref === undefined) return value
  const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(String(value.$ref)) ?? []
  return at(at(components, kind), name)
}

const responseHeaders = (operationId: string, status: string) => {
  const operation = operations.find((one) => one.operationId === operationId) ?? {}
  return Object.keys(at(at(at(operation, "responses"), status), "headers"))
}

describe("the OpenAPI document", () => {
  it("lets clients send the ids of lines, so that PATCH and PUT keep them", () => {
    const lines = resources.flatMap(({ fields, ...resource }) =>
      resource.class === "read-only"
        ? []
        : Object.values(fields).flatMap(({ access, item }) =>
            access === "rw" && isShape(item) && Object.hasOwn(item.fields, "remote_id") ? [item.name] : []
          )
    )
    assert.includeMembers(lines, ["InvoiceLineItem", "JournalLine", "TaxComponent"])
    for (const name of lines) {
      const id = propertyOf(`Accounting${name}Body`, "remote_id")
      assert.deepStrictEqual(id.anyOf, [{ type: "string" }, { type: "null" }], `${name} remote_id: anyOf`)
      assert.notProperty(id, "readOnly", `${name} remote_id`)
    }
  })

  it("requires the ids of a record, and lets none be null", () => {
    for (const { identifier } of resources) {
      const part = `${identifier}Part`
      for (const name of ["id", "remote_id", "providerId"]) {
        assert.strictEqual(propertyOf(part, name).type, "string", `${part} ${name}: type`)
        assert.include(list(at(schemas, part).required), name, `${part}: required fields`)
      }
      const slug = propertyOf(part, "providerSlug")
      assert.strictEqual(slug.$ref, "#/components/schemas/ProviderSlug", `${part} providerSlug: $ref`)
    }
  })

  it("names the resource that a reference refers to", () => {
    for (const { class: verbs, fields, identifier } of resources) {
      for (const [name, { access, kind, targets = [] }] of Object.entries(fields)) {
        if (kind !== "reference" || access === "wo") continue
        const suffixes = verbs === "read-only" || access !== "rw" ? ["Part"] : ["Part", "Body", "Patch"]
        const target = (targets[0] ?? "").replaceAll("_", " ")
        for (const suffix of suffixes) {
          const property = propertyOf(identifier + suffix, name)
          const about = `${identifier}${suffix} ${name}`
          assert.include(String(property.description), `UUID of the accounting ${target}`, `${about}: description`)
          assert.include(JSON.stringify(property), `"format":"uuid"`, about)
        }
      }
    }
  })

  it("has a named schema for each enumeration, including error codes and providers", () => {
    const nameless = schemaObjects.flatMap(([path, { enum: values }]) =>
      list(values).length > 1 && path.split("/").length > 4 ? [path] : []
    )
    assert.deepStrictEqual(nameless, [], "enumerations without a schema of their own")
    assert.deepStrictEqual(at(schemas, "ProviderSlug").enum, slugs, "ProviderSlug: enum")
    const codes = [...list(at(schemas, "ErrorCode").enum)]
    const expected = [...Object.keys(errorCodes), "CONTACT_NOT_FOUND", "TAX_RATE_NOT_FOUND"]
    assert.includeMembers(codes, expected, "ErrorCode: enum")
    assert.strictEqual(propertyOf("Error", "code").$ref, "#/components/schemas/ErrorCode", "Error code: $ref")
    assert.deepStrictEqual(at(schemas, "CrmTaskPriority").enum, ["LOW", "NORMAL", "HIGH"], "CrmTaskPriority: enum")
  })

  it("declares each parameter once, and failures only as components", () => {
    const seen = new Map<string, string>()
    for (const { operationId, parameters, responses } of operations) {
      const id = String(operationId)
      for (const parameter of list(parameters)) {
        if (isJson(parameter) && parameter.$ref !== undefined) continue
        const text = JSON.stringify(parameter)
        assert.isUndefined(seen.get(text), `${id} repeats a parameter of another operation: ${text}`)
        seen.set(text, id)
      }
      for (const [status, response] of Object.entries(isJson(responses) ? responses : {})) {
        if (!status.startsWith("2")) assert.property(response, "$ref", `${id} ${status}`)
      }
    }
    const shared = ["EndUserId", "ConnectionId", "Provider", "OptionalProvider", "Cursor", "Limit", "Fields", "Prefer"]
    assert.includeMembers(
      Object.keys(at(components, "parameters")),
      [...shared, "IdempotencyKey"],
      "shared parameters by name"
    )
    const names = Object.keys(components).flatMap((kind) => Object.keys(at(components, kind)))
    const numbered = names.filter((name) => /\d$/.test(name))
    assert.deepStrictEqual(numbered, [], "components that had to be numbered, since another has their name")
  })

  it("declares the headers of every answer, and more for some failures", () => {
    for (const { operationId, responses } of operations) {
      for (const [status, response] of Object.entries(isJson(responses) ? responses : {})) {
        const sent = Object.keys(at(resolve(response), "headers"))
        const expected = ["X-Request-Id", "RateLimit", "RateLimit-Policy"]
        assert.includeMembers(sent, expected, `${String(operationId)} ${status}: headers`)
      }
    }
    const headersOf = (name: string) => Object.keys(at(at(at(components, "responses"), name), "headers"))
    assert.include(headersOf("MethodNotAllowed"), "Allow", "MethodNotAllowed: headers")
    for (const name of ["Conflict", "RateLimited", "BadGateway", "Unavailable", "GatewayTimeout"]) {
      assert.include(headersOf(name), "Retry-After", `${name}: headers`)
    }
  })

  it("declares the headers of writes for writes alone", () => {
    const created = responseHeaders("crm_contact_create", "201")
    assert.includeMembers(created, ["Preference-Applied", "Idempotency-Replayed"], "crm_contact_create 201: headers")
    const read = responseHeaders("crm_contact_list", "200")
    assert.notInclude(read, "Preference-Applied", "crm_contact_list 200: headers")
  })

  it("describes every operation, field, component and tag", () => {
    const undescribed: Array<string> = []
    for (const { description, operationId, summary } of operations) {
      if (typeof summary !== "string" || /^(Needs|Any API key)/.test(String(description)))
        undescribed.push(String(operationId))
    }
    for (const [path, { properties, type }] of schemaObjects) {
      if (type !== "object" || !isJson(properties)) continue
      for (const [name, one] of Object.entries(properties)) {
        if (isJson(one) && one.description === undefined && one.$ref === undefined) undescribed.push(`${path}.${name}`)
      }
    }
    for (const kind of ["schemas", "parameters", "responses", "headers"]) {
      for (const [name, one] of Object.entries(at(components, kind))) {
        if (!isJson(one) || typeof one.description !== "string") undescribed.push(`${kind} ${name}`)
      }
    }
    for (const tag of list(document.tags)) {
      if (isJson(tag) && tag.description === undefined) undescribed.push(`tag ${String(tag.name)}`)
    }
    assert.deepStrictEqual(undescribed, [], "without a description")
  })

  it("has no stray $id or title, no list without items and no unused component", () => {
    for (const [path, { $id, items, title, type }] of schemaObjects) {
      assert.notStrictEqual(typeof $id, "string", `${path}: $id`)
      assert.notStrictEqual(typeof title, "string", `${path}: title`)
      if (type === "array" || list(type).includes("array")) assert.isDefined(items, `${path}: items`)
    }
    const used = new Set([...objects(document)].map(([, { $ref }]) => $ref))
    const unused = Object.keys(components)
      .filter((kind) => kind !== "securitySchemes")
      .flatMap((kind) => Object.keys(at(components, kind)).map((name) => `#/components/${kind}/${name}`))
      .filter((ref) => !used.has(ref))
    assert.deepStrictEqual(unused, [], "components that nothing refers to")
  })
})

describe("examples of the OpenAPI document", () => {
  it("show every request and answer", () => {
    const without = operations.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...jsonValues(responses)].flatMap((part) =>
        jsonValues(isJson(part) ? part.content : {}).flatMap(({ example }) =>
          example === undefined ? [String(operationId)] : []
        )
      )
    )
    assert.deepStrictEqual(without, [], "operations without an example")
    for (const name of ["BadRequest", "Unauthorized", "NotFound", "Conflict", "Unprocessable"]) {
      assert.include(JSON.stringify(at(at(components, "responses"), name)), `"example":`, name)
    }
  })

  it("have no file for an operation or failure that does not exist", () => {
    const ids = operations.map(({ operationId }) => String(operationId))
    const failures = Object.keys(at(components, "responses"))
    const stale = [
      ...Object.keys(examples.operations).filter((id) => !ids.includes(id)),
      ...Object.keys(examples.failures).filter((name) => !failures.includes(name))
    ]
    assert.deepStrictEqual(stale, [], "examples in src/openapi/examples to delete")
  })

  it("pass the checks that the service makes of records and bodies", () => {
    const faults: Array<string> = []
    const check = (about: string, schema: Schema.Schema.AnyNoContext, value: unknown) =>
      Either.match(Schema.decodeUnknownEither(schema)(value), {
        onLeft: (error) => faults.push(`${about}: ${JSON.stringify(issuesOf(error))}`),
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
        const example = examples.operations[id]
        if (example === undefined) continue
        check(`${id} answer`, answer, isJson(example.answer) ? example.answer.data : undefined)
        // a form, not a body of JSON
        if (body !== undefined && id !== "accounting_attachment_create") check(`${id} request`, body, example.request)
      }
    }
    assert.deepStrictEqual(faults, [], "examples that the service would refuse")
  })

  it("show no secret", () => {
    assert.notMatch(JSON.stringify(examples), /sk_(test|live)_\w{4,}|eyJ[\w-]{8,}|-----BEGIN/)
  })
})
