import { HttpApiSchema } from "@effect/platform"
import { wires } from "../platform/Errors.ts"
import { headers, type HeaderName } from "./Headers.ts"
import { at, isJson, type Json, makeShelf, mapValues, pascal, refTo } from "./Json.ts"

const nameOfStatus = new Map(
  Object.entries(wires).map(([name, { ast }]) => [String(HttpApiSchema.getStatusErrorAST(ast)), name])
)

const listOf = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value.filter(isJson) : [])

const refs = (names: ReadonlyArray<HeaderName>) =>
  Object.fromEntries(names.map((name) => [name, refTo("headers", name)]))

/** Headers of every answer to a caller with a key. */
const always: ReadonlyArray<HeaderName> = ["X-Request-Id", "RateLimit", "RateLimit-Policy"]

/** Further headers of failures, by status. */
const ofFailures: { readonly [status: string]: ReadonlyArray<HeaderName> } = {
  401: ["WWW-Authenticate"],
  403: ["Idempotency-Replayed"],
  404: ["Idempotency-Replayed"],
  405: ["Allow"],
  409: ["Retry-After", "Idempotency-Replayed"],
  422: ["Idempotency-Replayed"],
  429: ["Retry-After"],
  502: ["Retry-After"],
  503: ["Retry-After"],
  504: ["Retry-After"]
}

/** Further headers of successes, by the parameters that the operation takes and the content it returns. */
const ofSuccess = (takes: ReadonlySet<unknown>, content: Json): ReadonlyArray<HeaderName> => [
  ...(takes.has("prefer") ? (["Preference-Applied"] as const) : []),
  ...(takes.has("idempotency-key") && takes.has("prefer") ? (["Idempotency-Replayed"] as const) : []),
  // passed on to a provider
  ...(takes.has("path") ? (["Provider-Status"] as const) : []),
  ...(takes.has("x-session-id") ? (["X-Session-Id"] as const) : []),
  ...("application/octet-stream" in content ? (["Content-Disposition"] as const) : [])
]

const isSuccess = (status: string) => status.startsWith("2")

/** Counts the occurrences of each parameter, by its text. */
const countParameters = (paths: Json) => {
  const counts = new Map<string, number>()
  for (const path of Object.values(paths)) {
    for (const operation of Object.values(isJson(path) ? path : {})) {
      for (const parameter of listOf(isJson(operation) ? operation.parameters : undefined)) {
        const text = JSON.stringify(parameter)
        counts.set(text, (counts.get(text) ?? 0) + 1)
      }
    }
  }
  return counts
}

/** Copies the description of a component schema to its parameter, since generators look no further. */
const saying = (parameter: Json, schemas: Json): Json => {
  if (parameter.description !== undefined) return parameter
  const name = String(at(parameter, "schema").$ref).replace("#/components/schemas/", "")
  const description =
    name === "ProviderSlug" && parameter.required === false
      ? "Only this provider; absent: every connected one"
      : at(schemas, name).description
  return { ...parameter, description }
}

const nameOf = (parameter: Json) => pascal(String(parameter.name).replace(/^x-/, ""))

/** Makes components of the parts that operations share (parameters, failures, headers) and of their answers' envelopes. */
export const shareParts = (document: Json): Json => {
  const components = at(document, "components")
  const schemas = at(components, "schemas")
  const paths = at(document, "paths")
  const parameters = makeShelf("parameters")
  const responses = makeShelf("responses")
  const envelopes = makeShelf("schemas")
  const counts = countParameters(paths)
  const isShared = (parameter: Json) => (counts.get(JSON.stringify(parameter)) ?? 0) > 1

  const share = (parameter: Json, group: string) =>
    parameters.put(
      saying(parameter, schemas),
      nameOf(parameter),
      ...(parameter.required === true ? [] : [`Optional${nameOf(parameter)}`]),
      pascal(group) + nameOf(parameter)
    )

  // the commonest of a name first, so that it gets the plain name
  const plain = new Set<string>()
  for (const [text] of [...counts].filter(([, count]) => count > 4).toSorted(([, a], [, b]) => b - a)) {
    const parameter: unknown = JSON.parse(text)
    if (!isJson(parameter)) continue
    const name = (parameter.required === true ? "" : "Optional") + nameOf(parameter)
    if (!plain.has(name)) share(parameter, "")
    plain.add(name)
  }

  const envelope = (schema: Json, summary: unknown) => ({
    ...schema,
    description: `Answer to: ${String(summary)}`,
    properties: mapValues(at(schema, "properties"), (one, name) =>
      name === "data" && isJson(one) ? { description: "What was asked for", ...one } : one
    )
  })

  /** The answer of an operation, with a named schema as its envelope. */
  const success = (response: Json, { operationId, summary }: Json, takes: ReadonlySet<unknown>): Json => {
    const content = at(response, "content")
    return {
      ...response,
      headers: refs([...always, ...ofSuccess(takes, content)]),
      ...(isJson(response.content)
        ? {
            content: mapValues(content, (media) =>
              isJson(media) && isJson(media.schema) && isJson(media.schema.properties)
                ? {
                    ...media,
                    schema: envelopes.put(envelope(media.schema, summary), `${pascal(String(operationId))}Answer`)
                  }
                : media
            )
          }
        : {})
    }
  }

  const failure = (response: Json, status: string): Json =>
    responses.put(
      { ...response, headers: refs([...always, ...(ofFailures[status] ?? [])]) },
      nameOfStatus.get(status) ?? `Status${status}`
    )

  const operation = (value: Json): Json => {
    const id = String(value.operationId)
    const group = id.replace(/[._][^._]*$/, "")
    const takes = new Set(listOf(value.parameters).map(({ name }) => name))
    return {
      ...value,
      parameters: listOf(value.parameters).map((one) => (isShared(one) ? share(one, group) : saying(one, schemas))),
      responses: mapValues(at(value, "responses"), (response, status) => {
        if (!isJson(response)) return response
        return isSuccess(status) ? success(response, value, takes) : failure(response, status)
      })
    }
  }

  const shared = mapValues(paths, (path) =>
    isJson(path) ? mapValues(path, (one) => (isJson(one) ? operation(one) : one)) : path
  )
  return {
    ...document,
    paths: shared,
    components: {
      ...components,
      schemas: { ...schemas, ...envelopes.all() },
      parameters: parameters.all(),
      responses: responses.all(),
      headers
    }
  }
}
