import { Effect } from "effect"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import type { NativeType } from "../../mapping/Transform.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { NativeField, ProviderAdapter } from "../ProviderAdapter.ts"

/** Types of custom fields that are not text. https://developer.close.com/api/resources/custom-fields */
const types: { readonly [type: string]: NativeType } = { number: "number", date: "date", datetime: "dateTime" }

const fieldOf = ({ accepts_multiple_values, choices, id, name, type }: Native): NativeField => {
  const isMany = accepts_multiple_values === true
  const options = Array.isArray(choices) ? choices.map((one) => ({ value: String(one), label: String(one) })) : []
  return {
    name: `custom.${String(id)}`,
    label: String(name),
    type: isMany ? "list" : (types[String(type)] ?? "text"),
    readOnly: false,
    ...(options.length > 0 && !isMany ? { options } : {})
  }
}

/** Objects that have custom fields. */
const objects = ["lead", "contact", "opportunity"]

/**
 * The custom fields of an object. Close does not describe the others.
 * https://developer.close.com/resources/custom-fields/custom-field-schemas
 */
export const fieldsOf =
  (call: Caller): NonNullable<ProviderAdapter["fieldsOf"]> =>
  (connection, nativeType) => {
    if (!objects.includes(nativeType)) return Effect.succeed(undefined)
    const request: Call = {
      operation: "custom_field_schema.get",
      method: "GET",
      path: `/api/v1/custom_field_schema/${nativeType}/`
    }
    return Effect.map(call(connection, request), ({ body }) => ({
      fields: natives(getPath(body, "fields")).map(fieldOf),
      covers: (path: string) => path.startsWith("custom.")
    }))
  }
