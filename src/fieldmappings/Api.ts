import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Envelope } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { Authorization } from "../tenancy/Api.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const text = (description: string) => Schema.String.annotations({ description })

/** One line of a mapping. */
export const FieldMapping = Schema.Struct({
  resource: Schema.String,
  native_type: text("Native type it is for; a resource may span several"),
  field: text("Canonical field; fields outside the catalogue are under custom_fields"),
  native_field: text("Native field or fields it is made of"),
  transform: Schema.String,
  access: Schema.Literal("read", "write", "both"),
  source: Schema.Literal("default", "override")
}).annotations({ identifier: "FieldMapping" })

const provider = text("Slug of the provider")
const resource = text("Resource, such as contact")
const native_type = Schema.optional(text("Only this native type; absent: all of the resource's"))

/** An override: the canonical field comes from, and goes to, another native field. */
export const Override = Schema.Struct({
  provider,
  resource,
  field: text("Canonical field, or a new name that will appear under custom_fields"),
  native_field: text("Native field, dotted where it is nested"),
  transform: Schema.optional(text("Named transform; absent: the provider's usual one for the field's type")),
  native_type
}).annotations({ ...strict, identifier: "FieldMappingOverride" })

export const ListQuery = Schema.Struct({ provider, resource: Schema.optional(resource) }).annotations(strict)
export const RemoveQuery = Schema.Struct({
  provider,
  resource,
  field: text("Canonical field"),
  native_type
}).annotations(strict)

/** How canonical and native fields correspond, with the organisation's overrides. */
export class FieldMappingsApi extends HttpApiGroup.make("fieldMappings")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("list", "/field-mappings")
      .setUrlParams(ListQuery)
      .addSuccess(Envelope(200, Schema.Array(FieldMapping)))
      .annotate(OpenApi.Summary, "List the field mappings of a provider")
  )
  .add(
    HttpApiEndpoint.put("put", "/field-mappings")
      .setUrlParams(Schema.Struct({}).annotations(strict))
      .setPayload(Override)
      .addSuccess(Envelope(200, Schema.Array(FieldMapping)))
      .addError(wires.Unprocessable)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .annotate(OpenApi.Summary, "Override a field mapping")
      .annotate(OpenApi.Description, "In force on the next call of the organisation in this environment.")
  )
  .add(
    HttpApiEndpoint.del("remove", "/field-mappings")
      .setUrlParams(RemoveQuery)
      .addSuccess(Envelope(200, Schema.Struct({ field: Schema.String })))
      .annotate(OpenApi.Summary, "Remove an override")
  )
  .addError(wires.BadRequest)
  .addError(wires.NotFound)
  .annotate(OpenApi.Title, "field mappings") {}
