import { assert, layer } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import {
  type Answer,
  type Call,
  type Doc,
  errorsOf,
  pageOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

/** Walks every operation of the document with what is wrong, and reads what is said of it. */

const methods = ["get", "post", "put", "patch", "delete"]

const docAt = (value: unknown, ...names: ReadonlyArray<string>): Doc =>
  names.reduce<Doc>(
    (at, name) => (Predicate.isRecord(at[name]) ? at[name] : {}),
    Predicate.isRecord(value) ? value : {}
  )

/** The schema behind references, the first that holds more than nothing where there is a choice. */
const resolved = (document: Doc, schema: Doc): Doc => {
  if (typeof schema.$ref === "string") return resolved(document, docAt(document, ...schema.$ref.slice(2).split("/")))
  const choice = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray)
  const first: unknown = choice?.find((one: unknown) => Predicate.isRecord(one) && one.type !== "null")
  return Predicate.isRecord(first) ? resolved(document, first) : schema
}

/** A value that does not fit: where it can be, one that is wrong further in. */
const wrongFor = (document: Doc, given: Doc, depth = 0): unknown => {
  const schema = resolved(document, given)
  const members = Object.entries(docAt(schema, "properties"))
  if (members.length > 0 && depth < 3)
    return Object.fromEntries(members.map(([name, one]) => [name, wrongFor(document, docAt(one), depth + 1)]))
  if (schema.type === "array" && depth < 3) return [wrongFor(document, docAt(schema, "items"), depth + 1)]
  return schema.type === "string" ? { no: "text" } : "no such value"
}

/** Texts of an answer that are for people. */
const wordsOf = ({ body }: Answer): ReadonlyArray<string> => {
  const { errors, message } = docAt(body)
  const own = typeof message === "string" ? [message] : []
  return [...own, ...Object.entries(docAt(errors)).map(([path, text]) => `${path}: ${String(text)}`)]
}

/** Words of the code instead of the caller's: places in addresses, names of schemas, values that are none. */
const strange = (document: Doc) => {
  const names = Object.keys(docAt(document, "components", "schemas")).filter((name) => /[a-z][A-Z]/.test(name))
  return new RegExp(
    `:id\\b|\\bundefined\\b|\\bNaN\\b|\\[object |readonly |\\bExpected |must be [A-Z][a-z]+[A-Z]|\\b(?:${names.join("|")})\\b`
  )
}

interface Operation {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly body: Doc | undefined
}

const operationsOf = (document: Doc): ReadonlyArray<Operation> =>
  Object.entries(docAt(document, "paths")).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = docAt(item, method)
      if (typeof operation.operationId !== "string") return []
      const content = docAt(operation, "requestBody", "content")
      return [
        {
          name: `${method} ${path}`,
          method: method.toUpperCase(),
          path: path.replace("/api/v1", ""),
          body: Object.keys(content).length === 0 ? undefined : docAt(content, "application/json", "schema")
        }
      ]
    })
  )

const providerOf = (path: string) =>
  path.startsWith("/crm/") ? "?provider=hubspot" : path.startsWith("/accounting/") ? "?provider=quickbooks" : ""

/** An operation's answers to wrong requests of all kinds. */
const refusals = Effect.fnUntraced(function* (call: Call, document: Doc, { body, method, path }: Operation) {
  const own = path.replace(/\{\w+\}/g, "0")
  const of = providerOf(path)
  const answers = [
    yield* call(method, `${own}?limit=many&provider=none&cursor=x&created_after=tomorrow&unknown=1`),
    yield* call(method, own, { headers: { "x-end-user-id": undefined } }),
    yield* call(method, path.replace(/\{\w+\}/g, "%00") + of),
    yield* call(method, own + of)
  ]
  if (body === undefined) return answers
  for (const wrong of ['"text"', "[]", "{}", JSON.stringify(wrongFor(document, body))]) {
    const headers = { "content-type": "application/json" }
    answers.push(yield* call(method, own + of, { body: wrong, headers }))
  }
  return answers
})

layer(sandboxApplication(), { timeout: "2 minutes" })("what is said of what is wrong", (it) => {
  full(it).effect(
    "is in the caller's words, at every operation",
    () =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const { call } = yield* app.caller(["hubspot", "quickbooks"])
        const document = docAt((yield* app.send("GET", "/api/v1/openapi.json")).body)
        const found = strange(document)
        const bad: Array<string> = []
        let read = 0
        for (const operation of operationsOf(document)) {
          for (const answer of yield* refusals(call, document, operation)) {
            if (answer.status < 400) continue
            read += 1
            if (answer.status >= 500) bad.push(`${operation.name}: ${answer.status}`)
            for (const words of wordsOf(answer)) if (found.test(words)) bad.push(`${operation.name}: ${words}`)
          }
        }
        assert.deepStrictEqual([...new Set(bad)], [])
        assert.isAbove(read, 1000)
      }),
    // a thousand requests: a busy machine takes longer for them than the usual limit
    180_000
  )

  it.effect("names the field of an invoice that Xero refuses to change since something was paid of it", () =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["xero"])
      const query = "provider=xero&type=ACCOUNTS_RECEIVABLE&status=PAID,PARTIALLY_PAID&limit=1"
      const [paid] = pageOf(yield* call("GET", `/accounting/invoice?${query}`)).data
      for (const body of [{ line_items: [{ description: "Less", quantity: 1, unit_price: 1 }] }, { status: "VOID" }]) {
        const answer = yield* call("PATCH", `/accounting/invoice/${String(paid?.remote_id)}?provider=xero`, { body })
        assert.deepStrictEqual(Object.keys(errorsOf(answer)), Object.keys(body))
      }
    })
  )

  for (const [provider, path, method, body, fields] of [
    ["netsuite", "invoice", "PATCH", { line_items: [] }, ["line_items"]],
    ["netsuite", "invoice", "PATCH", { issue_date: "1999-12-31" }, ["issue_date"]],
    ["netsuite", "payment_term", "POST", { name: "Net 30", days_until_due: 30 }, ["name"]],
    [
      "xero",
      "tax_rate",
      "POST",
      { name: "Steep", tax_components: [{ name: "All of it", rate: 101 }] },
      ["tax_components"]
    ]
  ] as const) {
    it.effect(`names the field of a ${path} that ${provider} refuses: ${fields.join()}`, () =>
      Effect.gen(function* () {
        const { call } = yield* (yield* SandboxApplication).caller([provider])
        const of = `?provider=${provider}`
        const [first] = pageOf(yield* call("GET", `/accounting/${path}${of}&limit=1`)).data
        const id = method === "POST" ? "" : `/${String(first?.remote_id)}`
        const answer = yield* call(method, `/accounting/${path}${id}${of}`, { body })
        assert.deepStrictEqual(Object.keys(errorsOf(answer)), [...fields])
      })
    )
  }
})
