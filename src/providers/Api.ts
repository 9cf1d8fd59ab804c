import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { rules } from "../canonical/Rule.ts"
import { NoQuery } from "../platform/ApiErrors.ts"
import { Envelope } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { Authorization } from "../tenancy/Api.ts"
import { needs } from "../tenancy/Scopes.ts"
import { ResourceRequirement } from "./Requirement.ts"

/** What a provider can do with one resource. */
export const Capability = Schema.Struct({
  resource: Schema.String,
  requires: Schema.Array(ResourceRequirement).annotations({
    description:
      "What not every account or application has: a scope, a tier, an edition, a module; `GET /connections/{id}` says which of them an account has"
  }),
  operations: Schema.Array(Schema.Literal("list", "get", "create", "replace", "patch", "remove", "download")),
  consistency: Schema.Literal("exact", "anchored", "best-effort").annotations({
    description:
      "How a walk through a list holds while records come and go: exact (each record that exists throughout comes exactly once), anchored (offsets, corrected by the last record seen), best-effort"
  }),
  native_types: Schema.Array(Schema.String),
  fields: Schema.Struct({
    readable: Schema.Array(Schema.String),
    writable: Schema.Array(Schema.String),
    required: Schema.Array(Schema.String).annotations({
      description:
        "Fields that a create and a replace have to have; `line_items[].item` is one that every line has to have"
    }),
    null_in_lists: Schema.Array(Schema.String).annotations({
      description:
        "Fields that lists may leave null, because the provider tells them only of a single record. A record that is sent back with such a null is refused (422) where the field has a value"
    })
  }),
  filters: Schema.Record({ key: Schema.String, value: Schema.Literal("native", "scanned") }).annotations({
    description:
      "Filters that its lists take: native ones are answered by the provider, for scanned ones the service reads on and sifts, so that a page can be short while hasMore is true. A list asked for another is 400 FILTER_NOT_SUPPORTED"
  }),
  rules: Schema.Array(
    Schema.Struct({
      rule: Schema.Literal(...rules).annotations({
        description:
          "oneOf: at least one of the fields is there; exactlyOneTrue: of these booleans; required: all are there; balanced: the numbers sum to zero; subset: the value is one of `values`"
      }),
      fields: Schema.Array(Schema.String),
      values: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }),
      when: Schema.optionalWith(
        Schema.Record({ key: Schema.String, value: Schema.String }).annotations({
          description: "Holds only where these fields have these values"
        }),
        { exact: true }
      )
    }).annotations({ identifier: "Rule" })
  ).annotations({ description: "Conditions between fields of a create or a replace" })
}).annotations({ identifier: "Capability" })

const Kind = Schema.Literal("oauth2", "certificate", "key", "connectionString")

export const ProviderRecord = Schema.Struct({
  slug: Schema.String,
  name: Schema.String,
  category: Schema.Literal("crm", "accounting"),
  authorization: Kind.annotations({
    description: "How an account is connected; the recommended way where there are two"
  }),
  authorizations: Schema.Array(Kind).annotations({
    description:
      "Every way to connect an account: oauth2 (the end user's consent), certificate (a private key that signs for access tokens), key, connectionString"
  }),
  resources: Schema.Array(Capability)
}).annotations({ identifier: "Provider" })

/** The capability matrix: generated from the adapters this service is made of. */
export class ProvidersApi extends HttpApiGroup.make("providers")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("list", "/providers")
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, Schema.Array(ProviderRecord)))
      .annotate(OpenApi.Summary, "List providers and what they can do")
  )
  .add(
    HttpApiEndpoint.get("get", "/providers/:slug")
      .setPath(Schema.Struct({ slug: Schema.String }))
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, ProviderRecord))
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "Get one provider")
  )
  .annotateEndpointsContext(needs("any"))
  .annotate(OpenApi.Description, "Which provider can do what: resource by operation by field.") {}
