import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { rules } from "../canonical/Rule.ts"
import { NoQuery } from "../platform/ApiErrors.ts"
import { Envelope } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { providerSlug } from "../platform/ProviderSlug.ts"
import { Authorization } from "../tenancy/Api.ts"
import { needs } from "../tenancy/Scopes.ts"
import { ResourceRequirement } from "./Requirement.ts"

const text = (description: string) => Schema.String.annotations({ description })

/** The abilities of a provider with one resource. */
export const Capability = Schema.Struct({
  resource: text("Name of the resource"),
  requires: Schema.Array(ResourceRequirement).annotations({
    description:
      "What not every account or application has: a scope, a tier, an edition, a module; `GET /connections/{id}` says which of them an account has"
  }),
  operations: Schema.Array(
    Schema.Literal("list", "get", "create", "replace", "patch", "remove", "download").annotations({
      identifier: "Operation",
      description: "What can be done with a resource"
    })
  ).annotations({ description: "What can be done with it" }),
  consistency: Schema.Literal("exact", "anchored", "best-effort").annotations({
    identifier: "Consistency",
    description:
      "How a walk through a list holds while records come and go: exact (each record that exists throughout comes exactly once), anchored (offsets, corrected by the last record seen), best-effort"
  }),
  duplicates: Schema.NullOr(Schema.Literal("allow")).annotations({
    description:
      "allow: `on_duplicate=allow` saves a record that a duplicate rule of the provider would refuse, where the rule permits it; null: a request with the parameter is refused (422)"
  }),
  native_types: Schema.Array(Schema.String).annotations({ description: "The provider's own types that it spans" }),
  fields: Schema.Struct({
    readable: Schema.Array(Schema.String).annotations({ description: "Fields that answers have values in" }),
    writable: Schema.Array(Schema.String).annotations({ description: "Fields that bodies can set" }),
    required: Schema.Array(Schema.String).annotations({
      description:
        "Fields that a create and a replace have to have; `line_items[].item` is one that every line has to have"
    }),
    not_held: Schema.Array(
      Schema.Struct({
        field: text("Name of the field"),
        native_types: Schema.Array(Schema.String).annotations({
          description: "The provider's own types that do not hold it"
        }),
        reason: text("Why the provider does not hold it")
      }).annotations({ identifier: "NotHeldField", description: "A field that a provider does not hold" })
    ).annotations({
      description:
        "Fields that the provider does not hold. They are null in answers, and a write that has one says so in `warnings`"
    }),
    null_in_lists: Schema.Array(Schema.String).annotations({
      description:
        "Fields that lists, and records that expand adds, may leave null, because the provider tells them only of a single record. A record that is sent back with such a null is refused (422) where the field has a value"
    })
  }).annotations({ description: "Which of its fields the provider has" }),
  filters: Schema.Record({
    key: Schema.String,
    value: Schema.Literal("native", "scanned").annotations({
      identifier: "FilterSupport",
      description: "Who answers a filter"
    })
  }).annotations({
    description:
      "Filters that its lists take: native ones are answered by the provider, for scanned ones the service reads on and sifts, so that a page can be short while hasMore is true. A list asked for another is 400 FILTER_NOT_SUPPORTED"
  }),
  rules: Schema.Array(
    Schema.Struct({
      rule: Schema.Literal(...rules).annotations({
        identifier: "RuleKind",
        description:
          "oneOf: at least one of the fields is there; exactlyOneTrue: of these booleans; required: all are there; balanced: the numbers sum to zero; subset: the value is one of `values`"
      }),
      fields: Schema.Array(Schema.String).annotations({ description: "The fields that it is about" }),
      values: Schema.optionalWith(
        Schema.Array(Schema.String).annotations({ description: "Of subset: the values that there may be" }),
        { exact: true }
      ),
      when: Schema.optionalWith(
        Schema.Record({ key: Schema.String, value: Schema.String }).annotations({
          description: "Holds only where these fields have these values"
        }),
        { exact: true }
      )
    }).annotations({ identifier: "Rule", description: "A condition between fields of a create or a replace" })
  ).annotations({ description: "Conditions between fields of a create or a replace" })
}).annotations({ identifier: "Capability", description: "What a provider can do with one resource" })

const Kind = Schema.Literal("oauth2", "certificate", "key", "connectionString").annotations({
  identifier: "AuthorizationKind",
  description: "How an account is connected"
})

export const ProviderRecord = Schema.Struct({
  slug: providerSlug("Slug of the provider"),
  name: text("The provider's name, for people"),
  category: Schema.Literal("crm", "accounting").annotations({
    identifier: "Category",
    description: "Which records the provider holds"
  }),
  apiRoot: Schema.NullOr(Schema.String).annotations({
    description:
      "Where its own API is, which `/passthrough/{provider}/{path}` reaches: the paths there follow this address. `{…}` stands for what depends on the account; null where it has none"
  }),
  authorization: Kind,
  authorizations: Schema.Array(Kind).annotations({
    description:
      "Every way to connect an account, the recommended one being `authorization`: oauth2 (the end user's consent), certificate (a private key that signs for access tokens), key, connectionString"
  }),
  resources: Schema.Array(Capability).annotations({ description: "What it can do, resource by resource" })
}).annotations({ identifier: "Provider", description: "A provider, and what it can do" })

/** The capability matrix: generated from the adapters this service is made of. */
export class ProvidersApi extends HttpApiGroup.make("providers")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("list", "/providers")
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, Schema.Array(ProviderRecord)))
      .annotate(OpenApi.Summary, "List providers")
      .annotate(OpenApi.Description, "With what each can do: resource by operation by field.")
  )
  .add(
    HttpApiEndpoint.get("get", "/providers/:slug")
      .setPath(Schema.Struct({ slug: providerSlug("Slug of the provider") }))
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, ProviderRecord))
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "Get one provider")
      .annotate(OpenApi.Description, "With what it can do: resource by operation by field.")
  )
  .annotateEndpointsContext(needs("any"))
  .annotate(OpenApi.Description, "Which provider can do what: resource by operation by field.") {}
