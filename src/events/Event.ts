import { Schema } from "effect"
import { providerSlug } from "../platform/ProviderSlug.ts"
import { Environment } from "../tenancy/CurrentCaller.ts"

const text = (description: string) => Schema.String.annotations({ description })

const connectionTypes = [
  "connection.created",
  "connection.needs_reauth",
  "connection.restored",
  "connection.removed"
] as const
const recordTypes = ["record.created", "record.updated", "record.deleted"] as const
const webhookTypes = ["webhook.disabled"] as const
const approvalTypes = ["approval.requested"] as const

/** The types of events, in the order in which documents show them. */
export const eventTypes = [...connectionTypes, ...recordTypes, ...webhookTypes, ...approvalTypes] as const

export const EventType = Schema.Literal(...eventTypes).annotations({
  identifier: "EventType",
  description: "What happened",
  message: () => ({ message: `must be one of ${eventTypes.join(", ")}`, override: true })
})
export type EventType = typeof EventType.Type

const whose = {
  connectionId: Schema.UUID.annotations({ description: "Id of the connection" }),
  endUserId: text("Your own id of the end user")
}

const ConnectionData = Schema.Struct({ ...whose, provider: text("Slug of the provider or toolkit") }).annotations({
  identifier: "ConnectionEventData",
  description: "The connection that it is about"
})

const RecordData = Schema.Struct({
  category: Schema.Literal("crm", "accounting").annotations({
    identifier: "EventCategory",
    description: "Category of the resource"
  }),
  resource: text("Name of the resource, as in its path"),
  ...whose,
  provider: providerSlug("Slug of the provider"),
  id: text("The record's `id`"),
  remote_id: text("The record's `remote_id`"),
  modified_at: Schema.NullOr(Schema.String).annotations({
    description: "The record's `modified_at`; null where the provider does not state it"
  }),
  merged_into: Schema.optional(
    text(
      "`remote_id` of the record that this one was merged into; only with `record.deleted`, where the provider says so"
    )
  )
}).annotations({ identifier: "RecordEventData", description: "The record that it is about, without its content" })

const WebhookData = Schema.Struct({
  webhookId: Schema.UUID.annotations({ description: "Id of the webhook" })
}).annotations({ identifier: "WebhookEventData", description: "The webhook that it is about" })

const ApprovalData = Schema.Struct({
  approvalId: Schema.UUID.annotations({ description: "Id of the approval: `GET /approvals/{id}` has the arguments" }),
  workspaceId: Schema.UUID.annotations({ description: "Id of the workspace" }),
  endUserId: whose.endUserId,
  connectionId: Schema.NullOr(Schema.UUID).annotations({ description: "Id of the connection that it is called with" }),
  provider: Schema.NullOr(Schema.String).annotations({ description: "Slug of the connection's provider or toolkit" }),
  tool: text("Name of the tool")
}).annotations({ identifier: "ApprovalEventData", description: "The call of a tool that somebody has to agree to" })

const typed = <const T extends ReadonlyArray<EventType>, D extends Schema.Schema.AnyNoContext>(
  identifier: string,
  types: T,
  data: D
) => Schema.Struct({ type: Schema.Literal(...types).annotations({ identifier, description: "What happened" }), data })

const ofConnection = typed("ConnectionEventType", connectionTypes, ConnectionData)
const ofRecord = typed("RecordEventType", recordTypes, RecordData)
const ofWebhook = typed("WebhookEventType", webhookTypes, WebhookData)
const ofApproval = typed("ApprovalEventType", approvalTypes, ApprovalData)

/** Something that is to be told. */
export const NewEvent = Schema.Union(ofConnection, ofRecord, ofWebhook, ofApproval)
export type NewEvent = typeof NewEvent.Type
export type ConnectionEventType = (typeof connectionTypes)[number]

const envelope = {
  id: Schema.UUID.annotations({ description: "Id of the event: the same in every delivery of it" }),
  timestamp: text("When it was noticed: ISO 8601 date-time"),
  environment: Environment
}

/** An event as the feed and webhooks tell it: thin, without the content of a record. */
export const Event = Schema.Union(
  Schema.Struct({ ...envelope, ...ofConnection.fields }),
  Schema.Struct({ ...envelope, ...ofRecord.fields }),
  Schema.Struct({ ...envelope, ...ofWebhook.fields }),
  Schema.Struct({ ...envelope, ...ofApproval.fields })
).annotations({ identifier: "Event", description: "Something that happened" })
export type Event = typeof Event.Type
