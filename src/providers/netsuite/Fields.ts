import { Effect } from "effect"
import { isNative, type Native } from "../../mapping/Mapping.ts"
import type { NativeType } from "../../mapping/Transform.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { NativeField, ProviderAdapter } from "../ProviderAdapter.ts"
import { Malformed, ProviderError } from "../ProviderError.ts"
import { failure } from "./ReadError.ts"
import { moduleOf, without } from "./Requires.ts"

// The metadata catalogue describes what the records of a type have in an account, custom fields among it.
// https://docs.oracle.com/en/cloud/saas/netsuite/ns-online-help/section_1545129726.html

const types: { readonly [type: string]: NativeType } = {
  number: "number",
  integer: "integer",
  boolean: "boolean",
  array: "list",
  object: "object"
}

const typeOf = ({ format, type }: Native): NativeType =>
  format === "date" ? "date" : format === "date-time" ? "dateTime" : (types[String(type)] ?? "text")

/** The schema does not say what cannot be written: on every type these are NetSuite's own, and the names of references. */
const own = /^(id|links|createdDate|dateCreated|lastModifiedDate)$|\.(refName|links)$/

const optionsOf = ({ enum: values }: Native) =>
  Array.isArray(values) ? { options: values.map((value) => ({ value: String(value), label: String(value) })) } : {}

/** The fields of a schema, with those of the references and subrecords among them; lines are mapped on their own. */
const fieldsIn = (schema: unknown, prefix = ""): ReadonlyArray<NativeField> =>
  Object.entries(isNative(schema) ? schema : {}).flatMap(([name, property]): ReadonlyArray<NativeField> => {
    if (!isNative(property)) return []
    const path = prefix + name
    const field: NativeField = {
      name: path,
      label: String(property.title ?? name),
      type: typeOf(property),
      readOnly: own.test(path) || property.readOnly === true,
      ...optionsOf(property)
    }
    return [field, ...fieldsIn(property.properties, `${path}.`)]
  })

/** Native types that are no type of record, such as `item`, are not in the catalogue. */
export const fieldsOf =
  (call: Caller): NonNullable<ProviderAdapter["fieldsOf"]> =>
  (connection, type) => {
    const request: Call = {
      operation: `${type}.describe`,
      method: "GET",
      path: "/services/rest/record/v1/metadata-catalog/:type",
      params: { type },
      headers: { accept: "application/schema+json" }
    }
    return call(connection, request).pipe(
      Effect.mapError((error) =>
        error.reason._tag === "NotPermitted" ? new ProviderError({ ...error, reason: without(moduleOf(type)) }) : error
      ),
      Effect.flatMap(({ body, status }) =>
        isNative(body) && isNative(body.properties)
          ? Effect.succeed({ fields: fieldsIn(body.properties) })
          : Effect.fail(failure(request.operation, new Malformed(), { status, detail: "the answer has no properties" }))
      )
    )
  }
