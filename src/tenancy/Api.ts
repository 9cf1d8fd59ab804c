import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSecurity, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { NoQuery } from "../platform/ApiErrors.ts"
import { Envelope, Page, pageQuery } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { CurrentCaller, Environment } from "./CurrentCaller.ts"
import { descriptions, needs, Scope, scopes } from "./Scopes.ts"

/** API keys, as the OpenAPI document describes them. */
export const apiKeySecurity = HttpApiSecurity.bearer.pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    [
      "An API key: `sk_test_…` reaches the sandbox, `sk_live_…` production. Each operation names the scope that it needs; a key without it gets 403 `FORBIDDEN`.",
      "",
      ...scopes.map((scope) => `- \`${scope}\`: ${descriptions[scope]}`)
    ].join("\n")
  )
)

/** Answers to a request whose caller is unknown or may not send it now; any such request may also run out of time. */
export const authorizationFailure = Schema.Union(
  wires.Unauthorized,
  wires.Forbidden,
  wires.RateLimited,
  wires.Unavailable,
  wires.GatewayTimeout
)

/** Put on what needs an API key: gives `CurrentCaller`, or answers 401, 403 or 429. */
export class Authorization extends HttpApiMiddleware.Tag<Authorization>()("tributary/tenancy/Authorization", {
  provides: CurrentCaller,
  failure: authorizationFailure,
  security: { apiKey: apiKeySecurity }
}) {}

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const said = (message: string) => ({ message: () => ({ message, override: true }) })

const text = (description: string) => Schema.String.annotations({ description })

const moment = Schema.String.annotations({ description: "ISO 8601 date-time" })

/** A key's name, for people. */
export const KeyName = Schema.String.pipe(
  Schema.filter((name) => name.trim() !== "" && name.length <= 100 && !/\p{Cc}/u.test(name)),
  Schema.annotations({
    ...said("must be text of 1 to 100 characters, without line breaks"),
    jsonSchema: { minLength: 1, maxLength: 100 },
    description: "For people: what uses the key"
  })
)

const instant = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/

/** Days that no month has are not carried over into the next. */
const isInstant = (text: string) => {
  const [, day] = instant.exec(text) ?? []
  // neither what Node cannot read nor, before 1970, what a database may not hold
  if (day === undefined || !(Date.parse(text) >= 0) || Number.isNaN(Date.parse(day))) return false
  return new Date(day).toISOString().startsWith(day)
}

/** A moment, as it is sent. */
export const Instant = Schema.String.pipe(
  Schema.filter(isInstant),
  Schema.annotations({
    ...said("must be a date-time with its offset, such as 2027-01-31T09:30:00Z"),
    jsonSchema: { format: "date-time" }
  })
)

/** When a key expires. */
export const KeyExpiry = Instant.annotations({
  description:
    "From then on the key is refused. Not later than when the key that makes it expires; absent: as long as that one"
})

/** A key to be made. */
export const NewApiKeyBody = Schema.Struct({
  name: KeyName,
  scopes: Schema.Array(Scope).pipe(
    Schema.minItems(1, {
      message: () => ({ message: `must name at least one of ${scopes.join(", ")}`, override: false })
    }),
    Schema.annotations({ description: "What it may do; none that the key that makes it lacks" })
  ),
  expiresAt: Schema.optional(KeyExpiry)
}).annotations({ ...strict, identifier: "NewApiKey", description: "A key to be made" })

/** An API key as answers show it. */
export const ApiKeyRecord = Schema.Struct({
  id: Schema.UUID.annotations({ description: "Id of the key" }),
  name: Schema.NullOr(Schema.String).annotations({ description: "For people: what uses the key" }),
  prefix: text("Its first characters, to tell keys apart"),
  environment: Environment,
  scopes: Schema.NullOr(Schema.Array(Scope)).annotations({
    description: "null: all, also those that are added later"
  }),
  expiresAt: Schema.NullOr(moment).annotations({ description: "ISO 8601 date-time; null: it does not expire" }),
  createdAt: moment,
  createdBy: Schema.NullOr(Schema.UUID).annotations({
    description: "The key that made it; null: the operator did"
  }),
  lastUsedAt: Schema.NullOr(moment).annotations({
    description: "ISO 8601 date-time, to the minute; null: it was not used"
  }),
  revokedAt: Schema.NullOr(moment).annotations({ description: "ISO 8601 date-time; null: it is in force" })
}).annotations({ identifier: "ApiKey", description: "An API key, without the key itself" })

/** Something that happened to an API key. */
export const KeyEventRecord = Schema.Struct({
  event: Schema.Literal("created", "revoked", "used_after_expiry").annotations({
    identifier: "ApiKeyEventKind",
    description: "used_after_expiry: somebody still calls with it; told at most once a day"
  }),
  keyId: Schema.UUID.annotations({ description: "Id of the key" }),
  keyName: Schema.NullOr(Schema.String).annotations({ description: "The key's name" }),
  keyPrefix: text("The key's first characters"),
  scopes: ApiKeyRecord.fields.scopes,
  actor: Schema.NullOr(Schema.UUID).annotations({
    description: "The key that did it, or that signed in to the console where it was done; null: the operator"
  }),
  revokedWith: Schema.NullOr(Schema.UUID).annotations({
    description: "The key whose revocation ended this one, which was made with it"
  }),
  at: moment
}).annotations({ identifier: "ApiKeyEvent", description: "Something that happened to an API key" })

/** The API keys of the caller's organisation and environment. */
export class ApiKeysApi extends HttpApiGroup.make("apiKeys")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("list", "/api-keys")
      .setUrlParams(Schema.Struct(pageQuery).annotations(strict))
      .addSuccess(Page(ApiKeyRecord))
      .annotate(OpenApi.Summary, "List API keys")
      .annotate(OpenApi.Description, "Newest first, revoked ones included; of the environment of the calling key.")
  )
  .add(
    HttpApiEndpoint.post("create", "/api-keys")
      .setUrlParams(NoQuery)
      .setPayload(NewApiKeyBody)
      .addSuccess(
        Envelope(201, Schema.Struct({ ...ApiKeyRecord.fields, key: text("The key itself, shown this once") })),
        { status: 201 }
      )
      .addError(wires.Conflict)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .addError(wires.Unprocessable)
      .annotate(OpenApi.Summary, "Create an API key")
      .annotate(
        OpenApi.Description,
        "In the environment of the calling key, which has to have every scope that it gives: else 403 `FORBIDDEN`. 409 `QUOTA_EXCEEDED` when the organisation has as many active keys as it may."
      )
  )
  .add(
    HttpApiEndpoint.get("events", "/api-keys/events")
      .setUrlParams(Schema.Struct(pageQuery).annotations(strict))
      .addSuccess(Page(KeyEventRecord))
      .annotate(OpenApi.Summary, "List what happened to API keys")
      .annotate(OpenApi.Description, "Newest first, for a year; of the environment of the calling key.")
  )
  .add(
    HttpApiEndpoint.del("revoke", "/api-keys/:id")
      .setPath(Schema.Struct({ id: text("UUID of the key") }))
      .setUrlParams(NoQuery)
      .addSuccess(
        Envelope(
          200,
          Schema.Struct({
            ...ApiKeyRecord.fields,
            alsoRevoked: Schema.Int.annotations({ description: "How many keys ended because it had made them" })
          })
        )
      )
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "Revoke an API key")
      .annotate(
        OpenApi.Description,
        "For good, on every instance within a second, with the keys that were made with it (and so on), their connect tokens and their console sessions. Revoking it again changes nothing."
      )
  )
  .annotateEndpointsContext(needs("admin"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "API keys")
  .annotate(OpenApi.Description, "The keys of the organisation, in the environment of the calling key.") {}

// ---------------------------------------------------------------------------------------------------------------------
// allowed origins

const originsText = "Origins whose pages may embed the connection widget and, with an end user's token, call workspaces"

export const AllowedOriginsRecord = Schema.Struct({
  origins: Schema.Array(Schema.String).annotations({ description: "Those of this environment" }),
  organisationOrigins: Schema.Array(Schema.String).annotations({
    description: "Those that the operator of the service allows your organisation besides, in both environments"
  })
}).annotations({ identifier: "AllowedOrigins", description: originsText })

export const NewAllowedOrigins = Schema.Struct({
  origins: Schema.Array(Schema.String).annotations({
    description:
      "All of this environment, in place of those before: `https://` with host and port alone, or `http://` on your own machine; at most 100"
  })
}).annotations({ ...strict, identifier: "NewAllowedOrigins", description: originsText })

/** Origins that pages may call from, in the key's environment. */
export class AllowedOriginsApi extends HttpApiGroup.make("allowedOrigins")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("get", "/settings/allowed-origins")
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, AllowedOriginsRecord))
      .annotate(OpenApi.Summary, "Get the allowed origins")
      .annotate(OpenApi.Description, "Of the environment of the API key.")
  )
  .add(
    HttpApiEndpoint.put("put", "/settings/allowed-origins")
      .setUrlParams(NoQuery)
      .setPayload(NewAllowedOrigins)
      .addSuccess(Envelope(200, AllowedOriginsRecord))
      .addError(wires.Unprocessable)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .annotate(OpenApi.Summary, "Set the allowed origins")
      .annotate(
        OpenApi.Description,
        "Replaces those of the environment of the API key, at once on every instance; an empty list allows none. 422 names each that is wrong by its place (`origins.1`), and none is kept."
      )
  )
  .annotateEndpointsContext(needs("admin"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "allowed origins")
  .annotate(OpenApi.Description, "Which pages in browsers may call.") {}
