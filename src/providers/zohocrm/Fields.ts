import { Effect } from "effect"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import type { NativeType } from "../../mapping/Transform.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeField, ProviderAdapter } from "../ProviderAdapter.ts"
import { api, rowsOf } from "./Rows.ts"

/** Lists of an account's settings. */
export const settings =
  (call: Caller, connection: ConnectionRef) =>
  (what: string, key: string, query: { readonly [name: string]: string }) => {
    const request: Call = { operation: `${what}.list`, method: "GET", path: `${api}/settings/${what}`, query }
    return Effect.flatMap(call(connection, request), (answer) => rowsOf(request, key, answer))
  }

/** By kind of field, then by what it is in JSON. https://www.zoho.com/crm/developer/docs/api/v8/field-meta.html */
const types: { readonly [type: string]: NativeType } = {
  date: "date",
  datetime: "dateTime",
  // too long for a number
  bigint: "numericText"
}
const jsonTypes: { readonly [type: string]: NativeType } = {
  integer: "integer",
  long: "integer",
  double: "number",
  boolean: "boolean",
  jsonobject: "object",
  jsonarray: "list"
}

/** A field; of a lookup, which is written as a whole, also what it shows of the other record. */
const nativeFields = (row: Native): ReadonlyArray<NativeField> => {
  const name = String(row.api_name)
  const label = String(row.field_label)
  const type = types[String(row.data_type)] ?? jsonTypes[String(row.json_type)] ?? "text"
  const options = natives(row.pick_list_values).map((one) => ({
    value: String(one.actual_value),
    label: String(one.display_value)
  }))
  const isReadOnly = row.read_only === true || row.field_read_only === true
  return [
    {
      name,
      label,
      type,
      readOnly: isReadOnly || getPath(row, "operation_type.api_update") === false,
      ...(options.length > 0 && type === "text" ? { options } : {})
    },
    ...(type === "object"
      ? ["id", "name"].map((part) => ({
          name: `${name}.${part}`,
          label: `${label}: ${part}`,
          type: "text" as const,
          readOnly: true
        }))
      : [])
  ]
}

/** Not modules. */
const others = ["users", "pipeline"]

/** https://www.zoho.com/crm/developer/docs/api/v8/field-meta.html */
export const fieldsOf =
  (call: Caller): NonNullable<ProviderAdapter["fieldsOf"]> =>
  (connection, nativeType) =>
    others.includes(nativeType)
      ? Effect.succeed(undefined)
      : Effect.map(settings(call, connection)("fields", "fields", { module: nativeType }), (rows) => ({
          fields: rows.flatMap(nativeFields)
        }))
