import { Option, Schema } from "effect"
import type { JsonObject } from "../toolkits/Tool.ts"

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The value of JSON text; none of any other text. */
export const parsed = Schema.decodeOption(Schema.parseJson())

/** Arguments as they were meant: some models send them as JSON text, or not at all. */
export const argumentsOf = (args: unknown): unknown => {
  if (args === undefined || args === null || args === "") return {}
  return typeof args === "string" ? Option.getOrElse(parsed(args), () => args) : args
}
