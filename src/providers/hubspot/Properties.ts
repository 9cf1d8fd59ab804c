import { Effect } from "effect"
import { getPath, type Native, natives } from "../../mapping/Mapping.ts"
import type { NativeType } from "../../mapping/Transform.ts"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { NativeField, ProviderAdapter } from "../ProviderAdapter.ts"
import { recordsOf } from "./Answers.ts"

/** The definitions of the properties that objects of a type have in an account. */
export const loadProperties = (call: Caller, connection: ConnectionRef, type: string) => {
  const request: Call = { operation: "properties.list", method: "GET", path: `/crm/v3/properties/${type}` }
  return Effect.flatMap(call(connection, request), (answer) => recordsOf(request, answer))
}

/**
 * Every value is text; several choices are one text with semicolons.
 * https://developers.hubspot.com/docs/guides/api/crm/properties#property-type-and-fieldtype-values
 */
const typeOf = ({ fieldType, type }: Native): NativeType => {
  if (type === "bool" || fieldType === "booleancheckbox") return "booleanText"
  if (type === "number") return "numericText"
  if (type === "datetime") return "dateTime"
  return type === "date" ? "date" : "text"
}

/** The choices of a property. */
export const optionsIn = (property: unknown) =>
  natives(getPath(property, "options")).map(({ label, value }) => ({ value: String(value), label: String(label) }))

const fieldOf =
  (place: string) =>
  (property: Native): NativeField => ({
    name: `${place}.${String(property.name)}`,
    label: String(property.label),
    type: typeOf(property),
    readOnly: getPath(property, "modificationMetadata.readOnlyValue") === true,
    // owners, pipelines and stages are listed elsewhere; of several choices a text is none of the options
    ...(property.type === "enumeration" && property.fieldType !== "checkbox" && property.externalOptions !== true
      ? { options: optionsIn(property) }
      : {})
  })

/** Settings of an account, which have no properties. */
const settings = ["owners", "pipelines"]

/** Types whose properties a native type has, by their place: a lead has those of its contact too. */
const placesOf = (nativeType: string): { readonly [place: string]: string } => ({
  properties: nativeType,
  ...(nativeType === "leads" ? { "contact.properties": "contacts" } : {})
})

export const fieldsOf =
  (call: Caller): NonNullable<ProviderAdapter["fieldsOf"]> =>
  (connection, nativeType) =>
    settings.includes(nativeType)
      ? Effect.succeed(undefined)
      : Effect.map(
          Effect.forEach(
            Object.entries(placesOf(nativeType)),
            ([place, type]) => Effect.map(loadProperties(call, connection, type), (found) => found.map(fieldOf(place))),
            { concurrency: "unbounded" }
          ),
          (found) => ({ fields: found.flat() })
        )
