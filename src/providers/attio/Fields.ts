import { Effect } from "effect"
import { getPath, type Native } from "../../mapping/Mapping.ts"
import type { NativeType } from "../../mapping/Transform.ts"
import { reader } from "../base/Rest.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { NativeField, ProviderAdapter } from "../ProviderAdapter.ts"
import { endpoint } from "./Records.ts"

/** Types whose values have one plain member. https://docs.attio.com/docs/attribute-types/attribute-types */
const types: { readonly [type: string]: NativeType } = {
  text: "text",
  number: "number",
  checkbox: "boolean",
  date: "date",
  timestamp: "dateTime",
  rating: "number"
}

const fieldOf = ({ api_slug, id, is_multiselect, is_writable, title, type }: Native): NativeField => ({
  name: `values.${String(api_slug)}`,
  idPath: `values.${String(getPath(id, "attribute_id"))}`,
  label: String(title),
  type: is_multiselect === true ? "list" : (types[String(type)] ?? "object"),
  readOnly: is_writable === false
})

/** Objects that have attributes. */
const objects = ["people", "companies", "deals"]

const { records } = reader(endpoint("attribute_id").envelope)

/**
 * Attributes of an object, by their slugs. What the values of one hold is not described.
 * https://docs.attio.com/rest-api/endpoint-reference/attributes/list-attributes
 */
export const fieldsOf =
  (call: Caller): NonNullable<ProviderAdapter["fieldsOf"]> =>
  (connection, nativeType) => {
    if (!objects.includes(nativeType)) return Effect.succeed(undefined)
    const request: Call = { operation: "attributes.list", method: "GET", path: `/v2/objects/${nativeType}/attributes` }
    return Effect.flatMap(call(connection, request), (answer) =>
      Effect.map(records(request, answer), (found) => ({
        fields: found.map(fieldOf),
        covers: (path: string) => /^values\.[\w-]+$/.test(path)
      }))
    )
  }
