import { assert } from "@effect/vitest"
import { Effect, Layer, Predicate, Schema } from "effect"
import type { ConnectionRef } from "../../src/providers/ConnectionRef.ts"
import { ProviderError, type Reason } from "../../src/providers/ProviderError.ts"
import type { Simulator } from "../../src/providers/simulation/Simulator.ts"
import { InvalidArguments } from "../../src/toolkits/Tool.ts"
import { type Toolkit, Toolkits } from "../../src/toolkits/Toolkits.ts"
import { harness } from "./Harness.ts"

/** A JSON object whose members are looked at one by one. */
export type Doc = { readonly [name: string]: unknown }

const Answer = Schema.decodeUnknownSync(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** The objects of a list in an answer. */
export const listIn = (answer: Doc, name: string): ReadonlyArray<Doc> =>
  Schema.decodeUnknownSync(Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })))(answer[name])

/** A toolkit over its simulator, in the sandbox. */
export const toolbox = <E, R>(
  toolkit: Layer.Layer<never, E, R>,
  simulator: Simulator,
  values: { readonly [name: string]: string } = {}
) => toolkit.pipe(Layer.provideMerge(Toolkits.layer), Layer.provideMerge(harness([{ simulator, values }])))

/** The tools of a toolkit as an agent calls them; an account of the simulator for each name of a connection. */
export const tools = (slug: string) => {
  const called = new Set<string>()

  const found = Effect.map(Toolkits, (toolkits) => {
    const toolkit = toolkits.get(slug)
    if (toolkit === undefined) throw new Error(`no toolkit ${slug}`)
    return toolkit
  })

  const connection = (id: string): ConnectionRef => ({
    id,
    provider: slug,
    environment: "sandbox",
    organisation: "org"
  })

  const run = (name: string, args: Doc, account: string) =>
    Effect.flatMap(found, (toolkit) => {
      const one = toolkit.tools.find((tool) => tool.name === name)
      if (one === undefined) throw new Error(`no tool ${name}`)
      return Effect.tap(one.call(connection(account), args), () => called.add(name))
    })

  return {
    connection,
    toolkit: found,
    /** The answer, which fits a context window. */
    call: (name: string, args: Doc = {}, account = "acme") =>
      Effect.map(run(name, args, account), (answer) => {
        const json = JSON.stringify(answer)
        assert.isAtMost(json.length, 48_000, `${name} answers too much`)
        return Answer(JSON.parse(json))
      }),
    /** The provider's refusal of a call. */
    refusal: (name: string, args: Doc = {}, account = "acme") =>
      Effect.map(Effect.flip(run(name, args, account)), (error): ProviderError & { readonly reason: Reason } => {
        if (error instanceof ProviderError) return error
        throw new Error(`${name} failed otherwise: ${String(error)}`)
      }),
    /** Errors in arguments that do not fit, by path. */
    misfit: (name: string, args: Doc = {}, account = "acme") =>
      Effect.map(Effect.flip(run(name, args, account)), (error) => {
        if (error instanceof InvalidArguments) return error.errors
        throw new Error(`${name} failed otherwise: ${String(error)}`)
      }),
    /** Tools that no call reached so far. */
    uncalled: Effect.map(found, (toolkit) => toolkit.tools.flatMap(({ name }) => (called.has(name) ? [] : [name])))
  }
}

/** Every field below a JSON Schema of an object, with its path. */
const fieldsOf = (schema: unknown, path: string): ReadonlyArray<readonly [path: string, field: Doc]> => {
  if (!Predicate.isRecord(schema)) return []
  const properties = Predicate.isRecord(schema["properties"]) ? Object.entries(schema["properties"]) : []
  return [
    ...properties.flatMap(([name, field]) => [
      [`${path}${name}`, Answer(field)] as const,
      ...fieldsOf(field, `${path}${name}.`)
    ]),
    ...fieldsOf(schema["items"], `${path}items.`)
  ]
}

/** Checks what every tool needs to be searched for, chosen, called and allowed. */
export const checkTable = ({ authorization, slug, tools }: Toolkit) => {
  const names = tools.map(({ name }) => name)
  assert.deepStrictEqual([...new Set(names)], names)
  for (const { description, hints, inputSchema, keywords, name, scopes, title } of tools) {
    assert.match(name, new RegExp(`^${slug}_[a-z0-9]+(_[a-z0-9]+)*$`))
    assert.isAtLeast(title.length, 5, name)
    assert.isAtLeast(description.length, 40, name)
    assert.isNotEmpty(keywords, name)
    if (authorization.kind === "oauth2" && authorization.scopes.length > 0) assert.isNotEmpty(scopes, name)
    assert.sameMembers(Object.keys(hints), ["readOnly", "destructive", "idempotent", "openWorld"], name)
    assert.isFalse(hints.readOnly && hints.destructive, name)
    const schema = inputSchema()
    assert.strictEqual(schema["type"], "object", name)
    assert.strictEqual(schema["additionalProperties"], false, name)
    for (const name of ["$ref", "$id"]) assert.notInclude(JSON.stringify(schema), name)
    for (const [path, field] of fieldsOf(schema, "")) {
      assert.isAtLeast(String(field["description"] ?? "").length, 8, `${name} ${path}`)
      assert.notMatch(String(field["description"]), /^a string|^an integer|^a number/, `${name} ${path}`)
    }
  }
}
