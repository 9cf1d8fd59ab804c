import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { resourcesOf } from "../canonical/Catalogue.ts"
import { categories } from "../canonical/Resource.ts"
import { NoQuery } from "../platform/ApiErrors.ts"
import { Envelope, Page, pageQuery } from "../platform/Envelope.ts"
import { ErrorCode, errorCodes, recordNotFoundCode } from "../platform/ErrorCodes.ts"
import { wires } from "../platform/Errors.ts"
import { providerSlug } from "../platform/ProviderSlug.ts"
import { Authorization } from "../tenancy/Api.ts"
import { needs } from "../tenancy/Scopes.ts"
import { StatusFilter } from "./LoggedRequest.ts"

const text = (description: string) => Schema.String.annotations({ description })
const orNull = (description: string) => Schema.NullOr(Schema.String).annotations({ description })

const said = (message: string) => ({ message: () => ({ message, override: true }) })

const resources = categories.flatMap((category) => resourcesOf(category))
const resourceNames = new Set(resources.map(({ category, name }) => `${category}/${name}`))
const codes = new Set<string>([...Object.keys(errorCodes), ...resources.map(({ name }) => recordNotFoundCode(name))])

const Code = Schema.String.pipe(
  Schema.filter((code) => codes.has(code)),
  Schema.annotations({
    ...said("must be a code of a failure, such as CONNECTION_NEEDS_REAUTH"),
    jsonSchema: { type: "string" },
    description: "Only failures with this code"
  })
)

const ResourceName = Schema.String.pipe(
  Schema.filter((name) => resourceNames.has(name)),
  Schema.annotations({
    ...said("must be a resource with its category, such as crm/contact"),
    jsonSchema: { type: "string", examples: ["crm/contact"] },
    description: "Only requests about this resource"
  })
)

const Slug = Schema.String.pipe(
  Schema.pattern(/^[a-z0-9_]{1,64}$/),
  Schema.annotations({
    ...said("must be the slug of a provider or toolkit, such as hubspot"),
    description: "Only requests that meant this provider or toolkit"
  })
)

/** The query of the request log. */
export const RequestQuery = Schema.Struct({
  ...pageQuery,
  status: Schema.optional(
    StatusFilter.annotations({
      jsonSchema: { type: "string", examples: ["failed"] },
      description: "`ok`, `failed` (4xx and 5xx), `4xx`, `5xx` or a status such as `409`"
    })
  ),
  code: Schema.optional(Code),
  end_user: Schema.optional(text("Only requests that named this end user: your own id")),
  provider: Schema.optional(Slug),
  resource: Schema.optional(ResourceName),
  record_id: Schema.optional(text("Only requests that named, or made, the record with this id of the provider")),
  connection: Schema.optional(
    Schema.UUID.annotations({
      ...said("must be the UUID of a connection"),
      description: "Only requests that meant this connection"
    })
  )
}).annotations({ parseOptions: { errors: "all", onExcessProperty: "error" } })

const request = {
  requestId: text("What its answer carried as `X-Request-Id`. A caller may choose it, so several can have one"),
  at: text("ISO 8601 date-time at which it came in"),
  method: text("HTTP method"),
  route: text("Template of the route, such as `/api/v1/crm/contact/:id`"),
  status: Schema.Int.annotations({ description: "HTTP status of the answer" }),
  code: Schema.NullOr(ErrorCode).annotations({
    description:
      "Code of the failure, also of a provider whose records a list lacks; null where all succeeded, and where a provider's own answer was passed on"
  }),
  message: orNull("The failure in words, without what was sent and without the provider's own"),
  milliseconds: Schema.Int.annotations({ description: "Until the answer began" }),
  endUserId: orNull("The end user whom it named: your own id"),
  providers: Schema.Array(providerSlug("Provider or toolkit that it meant")).annotations({
    description: "Providers and toolkits that it meant, whether they were reached or not"
  }),
  connectionIds: Schema.Array(Schema.UUID.annotations({ description: "Id of a connection" })).annotations({
    description: "Connections that it meant"
  }),
  resource: orNull("The resource that it was about, such as `crm/contact`"),
  recordId: orNull("The record that it named or made"),
  idempotencyKey: orNull("`Idempotency-Key`"),
  keyId: Schema.UUID.annotations({ description: "Id of the API key that sent it" }),
  keyName: orNull("Name of that key"),
  traceId: orNull("Id of its trace"),
  callsMade: Schema.Int.annotations({ description: "How many calls to providers were made for it" })
}

export const RequestRecord = Schema.Struct(request).annotations({
  identifier: "LoggedRequest",
  description: "A request that was answered"
})

const CallRecord = Schema.Struct({
  provider: providerSlug("Provider or toolkit that was called"),
  connectionId: Schema.UUID.annotations({ description: "Connection that it was made with" }),
  operation: text("Name of the call, such as `contacts.list`; `token`: access was renewed"),
  method: text("HTTP method; `SQL` for statements to an end user's database"),
  status: Schema.NullOr(Schema.Int).annotations({
    description: "HTTP status; null where there was no answer, and for statements"
  }),
  outcome: Schema.Literal("answered", "timeout", "unreachable").annotations({
    identifier: "UpstreamCallOutcome",
    description: "How it ended"
  }),
  after: Schema.Number.annotations({ description: "Milliseconds from the request to this call" }),
  milliseconds: Schema.Number.annotations({ description: "Until its answer, or its end" })
}).annotations({
  identifier: "UpstreamCall",
  description: "A call to a provider, its token endpoint or a database; a repeat is one of its own"
})

export const RequestDetails = Schema.Struct({
  ...request,
  calls: Schema.Array(CallRecord).annotations({ description: "The first 50 calls to providers that were made for it" })
}).annotations({ identifier: "LoggedRequestDetails", description: "A request that was answered, with its calls" })

/** The log of requests: which failed, and why. */
export class RequestsApi extends HttpApiGroup.make("requests")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("list", "/requests")
      .setUrlParams(RequestQuery)
      .addSuccess(Page(RequestRecord))
      .annotate(OpenApi.Summary, "List requests")
      .annotate(
        OpenApi.Description,
        "The requests with keys of the key's environment, newest first, for 30 days unless the operator says otherwise. There are no bodies, queries and headers in it. Requests that other instances answered come a second later."
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/requests/:requestId")
      .setPath(Schema.Struct({ requestId: text("What the answer carried as `X-Request-Id`") }))
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, RequestDetails))
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "Get a request")
      .annotate(
        OpenApi.Description,
        "With the calls to providers that were made for it. Of several with the same id, the newest."
      )
  )
  .annotateEndpointsContext(needs("admin"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "requests")
  .annotate(OpenApi.Description, "The log of requests: which failed, and why.") {}
