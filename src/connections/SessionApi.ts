import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware } from "@effect/platform"
import { Context, Schema } from "effect"
import { makeApi } from "../platform/ApiErrors.ts"
import { Envelope } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { Environment } from "../tenancy/CurrentCaller.ts"
import type { ConnectSession } from "./ConnectSessions.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

/** The connect session whose token the request being answered bears. */
export class CurrentSession extends Context.Tag("tributary/connections/CurrentSession")<
  CurrentSession,
  ConnectSession
>() {}

/** Put on what the connect page calls: gives `CurrentSession`, or answers 401 or 429. */
export class SessionAuthorization extends HttpApiMiddleware.Tag<SessionAuthorization>()(
  "tributary/connections/SessionAuthorization",
  { provides: CurrentSession, failure: Schema.Union(wires.Unauthorized, wires.RateLimited) }
) {}

// ---------------------------------------------------------------------------------------------------------------------
// what is sent

/** Values entered on the page, and the connection to renew with them. */
export const Entered = Schema.Struct({
  fields: Schema.optionalWith(Schema.Record({ key: Schema.String, value: Schema.String }), { default: () => ({}) }),
  connectionId: Schema.optional(Schema.UUID)
}).annotations(strict)

/** The account that was picked among those of an attempt. */
export const Choice = Schema.Struct({ value: Schema.String }).annotations(strict)

// ---------------------------------------------------------------------------------------------------------------------
// what is answered

const Option = Schema.Struct({ value: Schema.String, label: Schema.String })

const Field = Schema.Struct({
  name: Schema.String,
  label: Schema.String,
  help: Schema.NullOr(Schema.String),
  placeholder: Schema.NullOr(Schema.String),
  required: Schema.Boolean,
  options: Schema.NullOr(Schema.Array(Option)),
  secret: Schema.Boolean,
  multiline: Schema.Boolean
})

/** One way of connecting: its instructions, and the fields that it starts with. */
export const Way = Schema.Struct({
  kind: Schema.Literal("oauth2", "certificate", "key", "connectionString"),
  help: Schema.NullOr(Schema.String),
  fields: Schema.Array(Field)
})

const Held = Schema.Struct({
  id: Schema.String,
  accountName: Schema.NullOr(Schema.String),
  status: Schema.Literal("active", "needs_reauth"),
  reauthBy: Schema.NullOr(Schema.String)
})

/** An integration with the ways to connect it, its own one first, and the accounts that are connected. */
export const OfferedIntegration = Schema.Struct({
  slug: Schema.String,
  name: Schema.String,
  category: Schema.Literal("crm", "accounting", "toolkit"),
  ...Way.fields,
  other: Schema.NullOr(Way),
  connections: Schema.Array(Held)
})

const Session = Schema.Struct({
  organisation: Schema.Struct({ name: Schema.String }),
  endUser: Schema.Struct({ id: Schema.String, displayName: Schema.NullOr(Schema.String) }),
  environment: Environment,
  expiresAt: Schema.String,
  allowedOrigins: Schema.Array(Schema.String),
  redirectUrl: Schema.NullOr(Schema.String),
  reconnect: Schema.NullOr(Schema.Struct({ connectionId: Schema.String, provider: Schema.String })),
  integrations: Schema.Array(OfferedIntegration)
})

const Attempt = Envelope(
  200,
  Schema.Struct({
    status: Schema.Literal("pending", "choose", "connected", "denied", "failed", "expired"),
    message: Schema.NullOr(Schema.String),
    choices: Schema.NullOr(Schema.Array(Option)),
    connectionId: Schema.NullOr(Schema.String)
  })
)

const Slug = Schema.Struct({ slug: Schema.String })
const Path = Schema.Struct({ id: Schema.String })

/** What the connect page calls for an end user, with the session's token in place of a key. */
export class ConnectSessionApi extends HttpApiGroup.make("connectSession")
  .middleware(SessionAuthorization)
  .add(HttpApiEndpoint.get("session", "/connect/session").addSuccess(Envelope(200, Session)))
  .add(
    HttpApiEndpoint.post("authorize", "/connect/session/:slug/authorize")
      .setPath(Slug)
      .setPayload(Entered)
      .addSuccess(Envelope(200, Schema.Struct({ attemptId: Schema.String, authorizeUrl: Schema.String })))
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .addError(wires.Unprocessable)
      .addError(wires.Unavailable)
  )
  .add(
    HttpApiEndpoint.post("credentials", "/connect/session/:slug/credentials")
      .setPath(Slug)
      .setPayload(Entered)
      .addSuccess(
        Envelope(201, Schema.Struct({ connectionId: Schema.String, accountName: Schema.NullOr(Schema.String) })),
        { status: 201 }
      )
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .addError(wires.Unprocessable)
      .addError(wires.Conflict)
      .addError(wires.BadGateway)
      .addError(wires.GatewayTimeout)
  )
  .add(HttpApiEndpoint.get("attempt", "/connect/session/attempts/:id").setPath(Path).addSuccess(Attempt))
  .add(
    HttpApiEndpoint.post("choose", "/connect/session/attempts/:id/choice")
      .setPath(Path)
      .setPayload(Choice)
      .addSuccess(Attempt)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .addError(wires.Unprocessable)
  )
  .add(HttpApiEndpoint.post("cancel", "/connect/session/attempts/:id/cancel").setPath(Path).addSuccess(Attempt))
  .addError(wires.BadRequest)
  .addError(wires.NotFound) {}

/** What pages of this service call. It is served as the interface is, and no part of its document and of typed clients. */
export class PageApi extends makeApi("pages").add(ConnectSessionApi) {}
