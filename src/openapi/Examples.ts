import { Schema } from "effect"
import { at, isJson, type Json, mapValues } from "./Json.ts"

/** A request and its answer; what has no body has none. */
export const Example = Schema.Struct({
  request: Schema.optional(Schema.Unknown),
  status: Schema.Int,
  answer: Schema.optional(Schema.Unknown)
})
export type Example = typeof Example.Type

/** An example of every operation by its id, and of failures by the names of their responses. */
export interface Examples {
  readonly operations: { readonly [id: string]: Example }
  readonly failures: { readonly [name: string]: Example }
}

/** Puts an example on each kind of content. */
const showing = (part: Json, example: unknown): Json =>
  isJson(part.content) && example !== undefined
    ? { ...part, content: mapValues(part.content, (media) => (isJson(media) ? { ...media, example } : media)) }
    : part

/** The document with an example of each request and answer. */
export const withExamples = (document: Json, { failures, operations }: Examples): Json => {
  const operation = (value: Json): Json => {
    const example = operations[String(value.operationId)]
    if (example === undefined) return value
    return {
      ...value,
      ...(isJson(value.requestBody) ? { requestBody: showing(value.requestBody, example.request) } : {}),
      responses: mapValues(at(value, "responses"), (response, status) =>
        // what is passed on succeeds with several statuses, and looks alike
        isJson(response) && status.startsWith("2") ? showing(response, example.answer) : response
      )
    }
  }
  const components = at(document, "components")
  return {
    ...document,
    paths: mapValues(at(document, "paths"), (path) =>
      isJson(path) ? mapValues(path, (one) => (isJson(one) ? operation(one) : one)) : path
    ),
    components: {
      ...components,
      responses: mapValues(at(components, "responses"), (response, name) =>
        isJson(response) ? showing(response, failures[name]?.answer) : response
      )
    }
  }
}
