import type { JsonObject } from "../toolkits/Tool.ts"
import { isObject } from "./Json.ts"

/**
 * A JSON Schema as a model needs it: without definitions to look up (some model gateways refuse `$ref`), without the
 * properties that are accepted only to be ignored, without titles, and with "or null" in one line.
 */
export const lean = (schema: JsonObject): JsonObject => {
  const definitions = isObject(schema["$defs"]) ? schema["$defs"] : {}
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk)
    if (!isObject(value)) return value
    const { allOf, ...beside } = value
    const [only, ...others] = Array.isArray(allOf) ? allOf.map(walk) : []
    // how a definition is described stands beside it; two conditions of one name stay two
    if (isObject(only) && others.length === 0 && !Object.keys(beside).some((name) => Object.hasOwn(only, name))) {
      return walk({ ...only, ...beside })
    }
    const { $defs: _, $ref, anyOf, properties, title: __, ...rest } = value
    const target = typeof $ref === "string" ? definitions[$ref.replace("#/$defs/", "")] : undefined
    if (isObject(target)) return walk({ ...target, ...rest })
    const kept = isObject(properties)
      ? Object.entries(properties).filter(([, property]) => !isObject(property) || property["readOnly"] !== true)
      : undefined
    const choices = Array.isArray(anyOf) ? anyOf.map(walk) : []
    const [one, other] = choices
    const isNullable = choices.length === 2 && isObject(other) && other["type"] === "null"
    return {
      ...(isNullable && isObject(one) && typeof one["type"] === "string"
        ? orNull(one)
        : choices.length === 0
          ? {}
          : { anyOf: choices }),
      ...Object.fromEntries(Object.entries(rest).map(([name, part]) => [name, walk(part)])),
      ...(kept === undefined
        ? {}
        : { properties: Object.fromEntries(kept.map(([name, property]) => [name, walk(property)])) })
    }
  }
  const walked = walk(schema)
  return isObject(walked) ? walked : schema
}

const orNull = (schema: JsonObject): JsonObject => ({
  ...schema,
  type: [schema["type"], "null"],
  ...(Array.isArray(schema["enum"]) ? { enum: [...schema["enum"].map((value: unknown) => value), null] } : {})
})
