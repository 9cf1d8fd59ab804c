import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { NoQuery } from "../platform/ApiErrors.ts"
import { Envelope, Page, pageQuery } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { Requirement, ResourceRequirement } from "../providers/Requirement.ts"
import { Authorization } from "../tenancy/Api.ts"
import { needs } from "../tenancy/Scopes.ts"
import { Environment } from "../tenancy/CurrentCaller.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const text = (description: string) => Schema.String.annotations({ description })

const said = (message: string) => ({ message: () => ({ message, override: true }) })

/** The id by which requests name an end user. */
export const EndUserId = Schema.String.pipe(
  // no header can carry others
  Schema.filter((id) => id !== "" && id === id.trim() && id.length <= 255 && !/\p{Cc}/u.test(id)),
  Schema.annotations({
    ...said("must be text of 1 to 255 characters, without spaces around it or line breaks in it"),
    jsonSchema: { minLength: 1, maxLength: 255 },
    description: "Your own id of the end user: what other calls send as X-End-User-Id"
  })
)

const Label = Schema.String.pipe(
  Schema.filter((label) => label.length <= 255),
  Schema.annotations({ ...said("must be text of at most 255 characters"), jsonSchema: { maxLength: 255 } })
)

const status = Schema.Literal("active", "needs_reauth").annotations({
  identifier: "ConnectionStatus",
  description: "needs_reauth: the end user must connect again"
})

/** An end user's account at a provider or toolkit. */
export const ConnectionRecord = Schema.Struct({
  id: Schema.UUID.annotations({ description: "`providerId` in records, and what `X-Connection-Id` takes" }),
  endUserId: text("Your own id of the end user"),
  provider: text("Slug of the provider or toolkit"),
  environment: Environment,
  status,
  statusReason: Schema.NullOr(Schema.String).annotations({ description: "Why it is not active" }),
  accountName: Schema.NullOr(Schema.String).annotations({ description: "What the provider calls the account" }),
  reauthBy: Schema.NullOr(Schema.String).annotations({
    description:
      "ISO 8601 date-time at which the connection ends unless its end user has connected again (`POST /connections/{id}/reconnect`); the log warns a week and a day before. Where the provider hands out lasting tokens anew, the service moves it on by itself. Null: it does not end, or the provider does not say when"
  }),
  createdAt: text("ISO 8601 date-time")
}).annotations({ identifier: "Connection", description: "An end user's account at a provider or toolkit" })

/** A connection with the operations that it allows. */
export const ConnectionDetails = Schema.Struct({
  ...ConnectionRecord.fields,
  accountId: Schema.NullOr(Schema.String).annotations({ description: "The provider's own id of the account" }),
  scopes: Schema.NullOr(Schema.Array(Schema.String)).annotations({
    description: "What the end user consented to; null where it is not known"
  }),
  resources: Schema.Array(
    Schema.Struct({
      resource: text("Name of the resource"),
      requires: Schema.Array(
        Schema.Struct({
          ...ResourceRequirement.fields,
          held: Schema.NullOr(Schema.Boolean).annotations({
            description: "Whether this account has it; null where that is not known"
          })
        })
      ).annotations({ description: "As in `GET /providers`, with what this account has of it" }),
      operations: Schema.Array(Schema.String).annotations({ description: "What this account can do with it" })
    })
  ).annotations({ description: "What can be done with which resource; none for a toolkit" })
}).annotations({
  identifier: "ConnectionDetails",
  description: "An end user's account, and what can be done through it"
})

/** Credentials obtained elsewhere, or a simulated account instead; the provider decides which members are right. */
export const NewConnectionBody = Schema.Struct({
  endUserId: EndUserId,
  provider: text("Slug of the provider or toolkit"),
  accountName: Schema.optional(Label.annotations({ description: "What to call the account" })),
  credentials: Schema.optional(
    Schema.Record({ key: Schema.String, value: Schema.Unknown }).annotations({
      description:
        "`{accessToken, refreshToken?, expiresAt?, reauthBy?}`, `{privateKey, clientId, certificateId}` (PEM), `{apiKey}` or `{connectionString}`, with the provider's own values beside (`instanceUrl`, `apiDomain`, `realmId`, `tenantId`, `accountId`)"
    })
  ),
  sandbox: Schema.optional(
    Schema.Struct({
      lacks: Schema.optional(
        Schema.Array(Requirement).annotations({
          description: "What the account is to lack of the things that resources require; absent: nothing"
        })
      )
    }).annotations({
      description: "In place of `credentials`, with a sandbox key: makes a simulated account and connects it"
    })
  )
}).annotations({ ...strict, identifier: "NewConnection", description: "A connection to make" })

/** Most entries in one list of a new session. */
const entryLimit = 100

/** The end user of a new session, and what they may connect. */
export const NewSessionBody = Schema.Struct({
  endUserId: EndUserId,
  displayName: Schema.optional(Label.annotations({ description: "The end user's name, for people" })),
  email: Schema.optional(
    Schema.String.pipe(
      Schema.filter((address) => address.length <= 255 && /^\S+@\S+$/.test(address)),
      Schema.annotations({
        ...said("must be an e-mail address"),
        jsonSchema: { format: "email" },
        description: "The end user's e-mail address, for people"
      })
    )
  ),
  integrations: Schema.optional(
    Schema.NonEmptyArray(Schema.String).pipe(
      Schema.maxItems(entryLimit),
      Schema.annotations({
        ...said(`must be a list of 1 to ${entryLimit} slugs; leave it out for all`),
        description: "Slugs of providers and toolkits; absent: all"
      })
    )
  ),
  redirectUrl: Schema.optional(text("Where the end user goes when done: an address of an allowed origin")),
  allowedOrigins: Schema.optional(
    Schema.Array(Schema.String).pipe(
      Schema.maxItems(entryLimit, said(`must not have more than ${entryLimit} origins`)),
      Schema.annotations({
        description:
          "Origins of the pages that may embed the widget, some of those that are allowed; absent: all of them"
      })
    )
  )
}).annotations({ ...strict, identifier: "NewConnectSession", description: "What an end user is to be let connect" })

const Session = Schema.Struct({
  token: text(
    "Good for half an hour, as often as it is used; it lets whoever has it connect and renew accounts of this end user, see what they are called, and do nothing else"
  ),
  expiresAt: text("ISO 8601 date-time"),
  connectUrl: text(
    "Page on which the end user connects accounts; open it, or give it to connect.js. The token stands behind its #, where no server and no log sees it. Consent that was asked for there counts once, within ten minutes, and only in the browser it was asked for in. There is no way to take the link back before its half hour is over: give it to nobody but the end user"
  )
}).annotations({ identifier: "ConnectSession", description: "Half an hour in which an end user can connect accounts" })

const Path = Schema.Struct({ id: text("UUID of the connection") })

export const ListQuery = Schema.Struct({
  endUserId: Schema.optional(text("Only this end user's")),
  provider: Schema.optional(text("Only to this provider or toolkit")),
  status: Schema.optional(status),
  ...pageQuery
}).annotations(strict)

/** Lets end users connect their accounts. */
export class ConnectApi extends HttpApiGroup.make("connect")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.post("token", "/connect/token")
      .setUrlParams(NoQuery)
      .setPayload(NewSessionBody)
      .addSuccess(Envelope(201, Session), { status: 201 })
      .addError(wires.Unprocessable)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .addError(wires.Conflict)
      .annotate(OpenApi.Summary, "Let an end user connect accounts")
      .annotate(
        OpenApi.Description,
        "Makes a session of half an hour. Hand its `connectUrl` to the end user, or to connect.js in your page."
      )
  )
  .annotateEndpointsContext(needs("connect"))
  .addError(wires.BadRequest)
  .addError(wires.NotFound)
  .annotate(OpenApi.Title, "connect")
  .annotate(OpenApi.Description, "Lets end users connect their accounts, on a page of this service.") {}

/** The accounts that end users have connected. */
export class ConnectionsApi extends HttpApiGroup.make("connections")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("list", "/connections")
      .setUrlParams(ListQuery)
      .addSuccess(Page(ConnectionRecord))
      .annotate(OpenApi.Summary, "List connections")
      .annotate(OpenApi.Description, "Oldest first.")
  )
  .add(
    HttpApiEndpoint.post("create", "/connections")
      .setUrlParams(NoQuery)
      .setPayload(NewConnectionBody)
      .addSuccess(Envelope(201, ConnectionRecord), { status: 201 })
      .addError(wires.Unprocessable)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .addError(wires.Conflict)
      .addError(wires.RateLimited)
      .addError(wires.BadGateway)
      .addError(wires.GatewayTimeout)
      .annotate(OpenApi.Summary, "Import credentials obtained elsewhere, or make a simulated account")
      .annotate(
        OpenApi.Description,
        "An account that the end user has connected already, as far as that is known, keeps its connection, which gets the credentials. Keys, certificates and connection strings are tried first: 422 when the provider does not take them, 429, 502 or 504 when that cannot be found out now. An organisation's environment has 60 trials a minute, and 8 at a time; each end user, on connect pages, has 10 in 10 minutes, and 2 at a time; `limit` in the 429 says which was met. Tokens are checked for their form only, since trying a refresh token would use it up; the first call that the provider refuses makes the connection `needs_reauth`."
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/connections/:id")
      .setPath(Path)
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, ConnectionDetails))
      .annotate(OpenApi.Summary, "Get a connection")
      .annotate(OpenApi.Description, "With what can be done through it, as far as its account is known.")
  )
  .add(
    HttpApiEndpoint.del("remove", "/connections/:id")
      .setPath(Path)
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, Schema.Struct({ id: text("UUID of the connection that was") })))
      .annotate(OpenApi.Summary, "Remove a connection")
      .annotate(
        OpenApi.Description,
        "Erases its credentials, and takes the consent back at the provider where that can be done; if the provider is away, the connection is removed all the same."
      )
  )
  .add(
    HttpApiEndpoint.post("reconnect", "/connections/:id/reconnect")
      .setPath(Path)
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(201, Session), { status: 201 })
      .addError(wires.Conflict)
      .annotate(OpenApi.Summary, "Let the end user renew a connection")
      .annotate(OpenApi.Description, "Makes a session in which the connection gets new credentials and keeps its id.")
  )
  .annotateEndpointsContext(needs("connect"))
  .addError(wires.BadRequest)
  .addError(wires.NotFound)
  .annotate(OpenApi.Title, "connections")
  .annotate(OpenApi.Description, "The accounts that end users have connected.") {}
