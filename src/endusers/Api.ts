import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { NoQuery } from "../platform/ApiErrors.ts"
import { Envelope, Page, pageQuery } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { Authorization } from "../tenancy/Api.ts"
import { Environment } from "../tenancy/CurrentCaller.ts"
import { needs } from "../tenancy/Scopes.ts"

const text = (description: string) => Schema.String.annotations({ description })

const endUser = {
  endUserId: text("Your own id of the end user: what calls send as `X-End-User-Id`"),
  displayName: Schema.NullOr(Schema.String).annotations({ description: "The end user's name, for people" }),
  email: Schema.NullOr(Schema.String).annotations({ description: "The end user's e-mail address" }),
  environment: Environment,
  createdAt: Schema.NullOr(Schema.String).annotations({
    description:
      "ISO 8601 date-time; null for those who never were to connect anything, of whom there are only chats or logs"
  })
}

export const EndUserRecord = Schema.Struct(endUser).annotations({
  identifier: "EndUser",
  description: "A user of your product"
})

const counts = (what: string) =>
  Schema.Record({ key: Schema.String, value: Schema.Int }).annotations({
    description: `${what}, by kind: \`connections\`, \`connectSessions\`, \`connectAttempts\`, \`recordIds\`, \`sandboxAccounts\`, \`idempotentAnswers\`, \`chats\`, \`grants\`, \`sessionContexts\`, \`toolCalls\`, \`requests\`, \`webhookDeliveries\`, \`events\`, \`watchedConnections\`, \`watchedRecords\``
  })

export const EndUserDetails = Schema.Struct({
  ...endUser,
  stored: counts("How much is stored of them")
}).annotations({ identifier: "EndUserDetails", description: "A user of your product, and how much is stored of them" })

export const ErasedEndUser = Schema.Struct({
  endUserId: endUser.endUserId,
  erased: counts("How much was erased"),
  notRevoked: Schema.Array(
    Schema.Struct({
      connectionId: text("UUID of the connection that was"),
      provider: text("Slug of the provider or toolkit")
    })
  ).annotations({
    description:
      "Consents that a provider did not take back: it was away, or refused. Nothing here holds them any longer; the end user can end them at the provider"
  })
}).annotations({ identifier: "ErasedEndUser", description: "What was erased of an end user" })

export const EndUserExport = Schema.Struct({
  ...endUser,
  stored: Schema.Record({
    key: Schema.String,
    value: Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
  }).annotations({ description: "What is stored, by kind, oldest first; credentials and tokens are left out" })
}).annotations({ identifier: "EndUserExport", description: "All that is stored of an end user" })

const Path = Schema.Struct({ endUserId: text("Your own id of the end user, percent-encoded") })

export const ListQuery = Schema.Struct(pageQuery).annotations({
  parseOptions: { errors: "all", onExcessProperty: "error" }
})

/** The users of an organisation's product: who they are, what is stored of them, and its erasure. */
export class EndUsersApi extends HttpApiGroup.make("endUsers")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("list", "/end-users")
      .setUrlParams(ListQuery)
      .addSuccess(Page(EndUserRecord))
      .annotate(OpenApi.Summary, "List end users")
      .annotate(OpenApi.Description, "Those who were to connect accounts in the key's environment, newest first.")
  )
  .add(
    HttpApiEndpoint.get("get", "/end-users/:endUserId")
      .setPath(Path)
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, EndUserDetails))
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "Get an end user")
      .annotate(OpenApi.Description, "With how much is stored of them, by kind.")
  )
  .add(
    HttpApiEndpoint.get("export", "/end-users/:endUserId/export")
      .setPath(Path)
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, EndUserExport))
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "Export all that is stored of an end user")
      .annotate(
        OpenApi.Description,
        "Connections, chats with their text, contexts, tool calls, answers kept for idempotent repeats, request log lines and so on, without secrets. Customer records are read through and not stored."
      )
  )
  .add(
    HttpApiEndpoint.del("erase", "/end-users/:endUserId")
      .setPath(Path)
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, ErasedEndUser))
      .addError(wires.NotFound)
      .annotate(OpenApi.Summary, "Erase an end user")
      .annotate(
        OpenApi.Description,
        "Erases all that is stored of them and takes their consent back at the providers; a provider that is away does not hold it up. What requests of theirs that are under way would still store is not stored. The name may be used again: it begins anew."
      )
  )
  .annotateEndpointsContext(needs("admin"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "end users")
  .annotate(OpenApi.Description, "The users of your product: who they are, what is stored of them, and its erasure.") {}
