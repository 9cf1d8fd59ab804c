import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { NoQuery } from "../platform/ApiErrors.ts"
import { Envelope } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { providerSlug } from "../platform/ProviderSlug.ts"
import { EndUserHeader } from "../platform/EndUserHeader.ts"
import { Authorization } from "../tenancy/Api.ts"
import { needs } from "../tenancy/Scopes.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const text = (description: string) => Schema.String.annotations({ description })

const values = Schema.Record({ key: Schema.String, value: Schema.String }).annotations({
  description:
    "What native values mean: native value -> value of the field. Needed where the catalogue lists the field's values. What it lacks reads as null; of several native values with one meaning the first is written"
})

const row = {
  resource: text("Name of the resource"),
  native_type: text("Native type it is for; a resource may span several"),
  field: text("Canonical field; fields outside the catalogue are under custom_fields"),
  native_field: text("Native field or fields it is made of"),
  transform: text("Name of what turns native values into those of the field, and back"),
  access: Schema.Literal("read", "write", "both").annotations({
    identifier: "MappingAccess",
    description: "Whether the field is read from the native one, written to it, or both"
  }),
  source: Schema.Literal("default", "override").annotations({
    identifier: "MappingSource",
    description: "Whether the mapping is the service's own or the organisation's"
  }),
  values: Schema.optional(values)
}

/** One line of a mapping. */
export const FieldMapping = Schema.Struct(row).annotations({
  identifier: "FieldMapping",
  description: "One line of a mapping"
})

const checked = Schema.Boolean.annotations({
  description:
    "true: the provider's own metadata have the native field. false: they could not be asked (nobody has connected the provider, or it has no metadata of such fields), so that a misspelt name shows only with the records"
})

/** A line that an override makes. */
export const OverriddenMapping = Schema.Struct({ ...row, checked }).annotations({
  identifier: "OverriddenFieldMapping",
  description: "One line of a mapping that an override makes"
})

const provider = providerSlug("Slug of the provider")
const resource = text("Resource, such as contact")
const native_type = Schema.optional(text("Only this native type; absent: all of the resource's"))
const field = text(
  "Canonical field, or a new name that will appear under custom_fields; custom_fields.<name> is the same"
)

const override = {
  provider,
  resource,
  field,
  native_field: text(
    "Native field: a name (jobtitle, Tier__c), or the path in native records as GET lists it (properties.jobtitle). Dots lead into objects (Account.Industry at Salesforce), [key=value] to an entry of a list (CustomField[DefinitionId=1].StringValue at QuickBooks). At Pipedrive a key of 40 characters is a custom field, any other name a standard one"
  ),
  transform: Schema.optional(
    text(
      "Named transform; absent: the provider's usual one for the field's type, or the one that fits the native field"
    )
  ),
  values: Schema.optional(values),
  native_type
}

/** An override: the canonical field comes from, and goes to, another native field. */
export const Override = Schema.Struct(override).annotations({
  ...strict,
  identifier: "FieldMappingOverride",
  description: "Has the canonical field come from, and go to, another native field"
})

/** An override to preview on a record. */
export const PreviewOf = Schema.Struct({
  ...override,
  remote_id: Schema.optional(
    Schema.NonEmptyString.annotations({ description: "Record to show it on; absent: the first one of the connection" })
  )
}).annotations({
  ...strict,
  identifier: "FieldMappingPreviewRequest",
  description: "An override to be shown on a record"
})

const value = (description: string) =>
  Schema.Unknown.annotations({
    jsonSchema: { type: ["string", "number", "boolean", "object", "array", "null"], description }
  })

export const Preview = Schema.Struct({
  mapping: OverriddenMapping,
  before: value("Value of the field as it is now"),
  after: value("Value of the field with the override"),
  native: value("Value of the native field"),
  record: Schema.Record({ key: Schema.String, value: value("Any JSON value") }).annotations({
    description: "The whole record with the override"
  })
}).annotations({ identifier: "FieldMappingPreview", description: "What a record becomes with an override" })

/** Headers that select the account an override is checked with. */
export const Headers = Schema.Struct({
  "x-end-user-id": Schema.optionalWith(
    EndUserHeader.annotations({
      description: "The end user whose account is looked at; absent: that of any active connection"
    }),
    { exact: true }
  ),
  "x-connection-id": Schema.optionalWith(
    Schema.UUID.annotations({
      message: () => ({ message: "must be the UUID of a connection", override: true }),
      description: "Which connection, where several are meant"
    }),
    { exact: true }
  )
})

export const ListQuery = Schema.Struct({ provider, resource: Schema.optional(resource) }).annotations(strict)
export const RemoveQuery = Schema.Struct({ provider, resource, field, native_type }).annotations(strict)

/** Failures while an account is looked at. */
const failures = Schema.Union(
  wires.Forbidden,
  wires.MethodNotAllowed,
  wires.Conflict,
  wires.PayloadTooLarge,
  wires.UnsupportedMediaType,
  wires.Unprocessable,
  wires.InternalError,
  wires.BadGateway,
  wires.Unavailable,
  wires.GatewayTimeout
)

/** How canonical and native fields correspond, with the organisation's overrides. */
export class FieldMappingsApi extends HttpApiGroup.make("fieldMappings")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("list", "/field-mappings")
      .setUrlParams(ListQuery)
      .addSuccess(Envelope(200, Schema.Array(FieldMapping)))
      .annotateContext(needs("records:read"))
      .annotate(OpenApi.Summary, "List the field mappings of a provider")
      .annotate(OpenApi.Description, "The service's own, with the organisation's overrides in their places.")
  )
  .add(
    HttpApiEndpoint.put("put", "/field-mappings")
      .setUrlParams(NoQuery)
      .setHeaders(Headers)
      .setPayload(Override)
      .addSuccess(Envelope(200, Schema.Array(OverriddenMapping)))
      .addError(failures)
      .annotateContext(needs("admin"))
      .annotate(OpenApi.Summary, "Override a field mapping")
      .annotate(
        OpenApi.Description,
        "Checked with the provider's own metadata, in the account of the end user or else of any active connection. A native field that cannot be written makes the mapping one that is only read. In force on the next call of the organisation in this environment, on every instance: the answer takes a second for that."
      )
  )
  .add(
    HttpApiEndpoint.del("remove", "/field-mappings")
      .setUrlParams(RemoveQuery)
      .addSuccess(Envelope(200, Schema.Struct({ field: text("The field whose override is gone") })))
      .annotateContext(needs("admin"))
      .annotate(OpenApi.Summary, "Remove an override")
      .annotate(OpenApi.Description, "The field then is as the service maps it.")
  )
  .add(
    HttpApiEndpoint.post("preview", "/field-mappings/preview")
      .setUrlParams(NoQuery)
      .setHeaders(Headers)
      .setPayload(PreviewOf)
      .addSuccess(Envelope(200, Preview))
      .addError(failures)
      .annotateContext(needs("records:read"))
      .annotate(OpenApi.Summary, "Show what a record becomes with an override")
      .annotate(OpenApi.Description, "Checked like a PUT; nothing is saved.")
  )
  .addError(wires.BadRequest)
  .addError(wires.NotFound)
  .annotate(OpenApi.Title, "field mappings")
  .annotate(
    OpenApi.Description,
    "How canonical and native fields correspond at each provider, with the organisation's overrides."
  ) {}
