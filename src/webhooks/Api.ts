import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Event, EventType, eventTypes } from "../events/Event.ts"
import { NoQuery } from "../platform/ApiErrors.ts"
import { Envelope, Page, pageQuery } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { Authorization } from "../tenancy/Api.ts"
import { Environment } from "../tenancy/CurrentCaller.ts"
import { needs } from "../tenancy/Scopes.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const said = (message: string) => ({ message: () => ({ message, override: true as const }) })

const text = (description: string) => Schema.String.annotations({ description })

const longestUrl = 2000

const isUrl = (given: string) => {
  if (given.length > longestUrl || !URL.canParse(given)) return false
  const { hash, password, protocol, username } = new URL(given)
  return /^https?:$/.test(protocol) && username + password + hash === ""
}

const url = Schema.String.pipe(
  Schema.filter(isUrl),
  Schema.annotations({
    ...said(
      `must be an address such as https://app.example.com/webhooks, of at most ${longestUrl} characters, without user, password and fragment`
    ),
    jsonSchema: { format: "uri", maxLength: longestUrl },
    description:
      "Where events are sent by POST: https, and a public host; others only where the operator's ALLOW_PRIVATE_HOSTS names their addresses"
  })
)

const types = Schema.Array(EventType).pipe(
  Schema.minItems(1, {
    message: () => ({ message: `must name at least one of ${eventTypes.join(", ")}`, override: false })
  }),
  Schema.annotations({ description: "The types of events that are sent" })
)

const includeRecord = Schema.Boolean.annotations({
  ...said("must be true or false"),
  description:
    "Whether `data` of `record.created` and `record.updated` gets the `record`, read when it is sent; null with its `record_error`, an error code, where it cannot be read then. Needs a key that may read records, too: with the scope `records:read`"
})

const status = Schema.Literal("active", "disabled").annotations({
  ...said("must be active or disabled"),
  identifier: "WebhookStatus",
  description:
    "disabled: nothing is sent and no event is kept for it; what waited before does so until it is active again. A webhook disables itself when a delivery fails for the last time and none succeeded since its event, or when the endpoint answers 410"
})

/** A webhook to be made. */
export const NewWebhook = Schema.Struct({
  url,
  types,
  include_record: Schema.optional(includeRecord)
}).annotations({ ...strict, identifier: "NewWebhook", description: "A webhook to be made" })

/** Changes to a webhook. */
export const WebhookChanges = Schema.Struct({
  url: Schema.optional(url),
  types: Schema.optional(types),
  include_record: Schema.optional(includeRecord),
  status: Schema.optional(status)
}).annotations({ ...strict, identifier: "WebhookChanges", description: "What is to change of a webhook" })

/** A webhook as answers show it. */
export const WebhookRecord = Schema.Struct({
  id: Schema.UUID.annotations({ description: "Id of the webhook" }),
  environment: Environment,
  url: Schema.String.annotations({ description: "Where events are sent" }),
  types: Schema.Array(EventType).annotations({ description: "The types of events that are sent" }),
  include_record: includeRecord,
  status,
  disabledAt: Schema.NullOr(Schema.String).annotations({ description: "ISO 8601 date-time; null: it is active" }),
  disabledReason: Schema.NullOr(Schema.String).annotations({
    description: "Why it disabled itself; null where it did not"
  }),
  createdAt: text("ISO 8601 date-time")
}).annotations({ identifier: "Webhook", description: "An endpoint that events are delivered to" })

const shownOnce = {
  secret: text("`whsec_…`, shown this once: verifies `webhook-signature` with any library of Standard Webhooks")
}

/** Answer of an endpoint to an attempt. */
const answered = {
  responseStatus: Schema.NullOr(Schema.Int).annotations({
    description: "HTTP status that the endpoint last answered with; null: there was no answer"
  }),
  response: Schema.NullOr(Schema.String).annotations({
    description:
      "The first 1,000 characters of what it last answered; null where there was no answer, and with `include_record`, whose contents are not kept"
  }),
  error: Schema.NullOr(Schema.String).annotations({ description: "Why the last attempt failed; null if it did not" }),
  milliseconds: Schema.NullOr(Schema.Int).annotations({ description: "Time that the last attempt took" })
}

/** A delivery of an event to a webhook. */
export const DeliveryRecord = Schema.Struct({
  id: text("Id of the delivery"),
  event: Event,
  status: Schema.Literal("pending", "delivered", "failed").annotations({
    identifier: "DeliveryStatus",
    description: "pending: it is attempted at `nextAttemptAt`; failed: it is not attempted any more"
  }),
  attempts: Schema.Int.annotations({ description: "How often it was attempted, since it was last asked for" }),
  attemptedAt: Schema.NullOr(Schema.String).annotations({
    description: "When it was last attempted: ISO 8601 date-time"
  }),
  nextAttemptAt: Schema.NullOr(Schema.String).annotations({
    description: "ISO 8601 date-time; null once it is delivered or failed"
  }),
  ...answered
}).annotations({
  identifier: "WebhookDelivery",
  description: "A delivery of an event to a webhook, with its last attempt"
})

/** Outcome of a test. */
export const TestedWebhook = Schema.Struct({
  delivered: Schema.Boolean.annotations({ description: "Whether the endpoint answered with a 2xx in time" }),
  ...answered
}).annotations({ identifier: "TestedWebhook", description: "What the endpoint said to a test" })

const Query = Schema.Struct(pageQuery).annotations(strict)

const Path = Schema.Struct({ id: text("UUID of the webhook") })
const DeliveryPath = Schema.Struct({ ...Path.fields, deliveryId: text("Id of the delivery") })

const WithSecret = Schema.Struct({ ...WebhookRecord.fields, ...shownOnce })

/** The endpoints that events are delivered to. */
export class WebhooksApi extends HttpApiGroup.make("webhooks")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("list", "/webhooks")
      .setUrlParams(Query)
      .addSuccess(Page(WebhookRecord))
      .annotate(OpenApi.Summary, "List webhooks")
      .annotate(OpenApi.Description, "Newest first, of the environment of the calling key.")
  )
  .add(
    HttpApiEndpoint.post("create", "/webhooks")
      .setUrlParams(NoQuery)
      .setPayload(NewWebhook)
      .addSuccess(Envelope(201, WithSecret), { status: 201 })
      .addError(wires.Conflict)
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .addError(wires.Unprocessable)
      .annotate(OpenApi.Summary, "Create a webhook")
      .annotate(
        OpenApi.Description,
        "It gets the events that are told from then on, by [Standard Webhooks](https://www.standardwebhooks.com): POST with `webhook-id` (the event's id), `webhook-timestamp`, `webhook-signature` and the body `{type, timestamp, data}`. At least once, in any order. A 2xx within 10 s is a delivery; else it is tried again after 1, 5, 15 and 60 s, 5 and 30 min, 2 and 6 h, then every 12 h up to 72 h, and later where a 429 or 503 asks for it. Redirects are not followed. 409 `QUOTA_EXCEEDED` when the organisation has as many webhooks as it may."
      )
  )
  .add(
    HttpApiEndpoint.get("get", "/webhooks/:id")
      .setPath(Path)
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, WebhookRecord))
      .annotate(OpenApi.Summary, "Get a webhook")
      .annotate(OpenApi.Description, "Without its secret.")
  )
  .add(
    HttpApiEndpoint.patch("update", "/webhooks/:id")
      .setPath(Path)
      .setUrlParams(NoQuery)
      .setPayload(WebhookChanges)
      .addSuccess(Envelope(200, WebhookRecord))
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .addError(wires.Unprocessable)
      .annotate(OpenApi.Summary, "Change a webhook")
      .annotate(
        OpenApi.Description,
        'What is left out stays. `{"status": "active"}` enables a disabled one: what waited for it is sent at once.'
      )
  )
  .add(
    HttpApiEndpoint.del("remove", "/webhooks/:id")
      .setPath(Path)
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, Schema.Struct({ id: text("UUID of the webhook that was") })))
      .annotate(OpenApi.Summary, "Delete a webhook")
      .annotate(OpenApi.Description, "With its deliveries.")
  )
  .add(
    HttpApiEndpoint.post("rotateSecret", "/webhooks/:id/rotate-secret")
      .setPath(Path)
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, WithSecret))
      .annotate(OpenApi.Summary, "Make a new secret of a webhook")
      .annotate(
        OpenApi.Description,
        "The new secret and the present one both sign for 24 hours; one that was replaced before ends at once."
      )
  )
  .add(
    HttpApiEndpoint.post("test", "/webhooks/:id/test")
      .setPath(Path)
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, TestedWebhook))
      .annotate(OpenApi.Summary, "Send a test to a webhook")
      .annotate(
        OpenApi.Description,
        'Sends `{"type": "webhook.test", "timestamp", "data": {"webhookId"}}` once, signed like events, and answers with what the endpoint said. A disabled webhook can be tested too.'
      )
  )
  .add(
    HttpApiEndpoint.get("deliveries", "/webhooks/:id/deliveries")
      .setPath(Path)
      .setUrlParams(Query)
      .addSuccess(Page(DeliveryRecord))
      .annotate(OpenApi.Summary, "List deliveries of a webhook")
      .annotate(OpenApi.Description, "Newest first, of the last 30 days.")
  )
  .add(
    HttpApiEndpoint.post("redeliver", "/webhooks/:id/deliveries/:deliveryId/redeliver")
      .setPath(DeliveryPath)
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, DeliveryRecord))
      .addError(wires.Conflict)
      .annotate(OpenApi.Summary, "Deliver an event again")
      .annotate(
        OpenApi.Description,
        "At once, and then as a new event is. 409 `CONFLICT` while the webhook is disabled; 404 when the event is not kept any more."
      )
  )
  .annotateEndpointsContext(needs("webhooks"))
  .addError(wires.BadRequest)
  .addError(wires.NotFound)
  .annotate(OpenApi.Title, "webhooks")
  .annotate(OpenApi.Description, "The endpoints that events are delivered to.") {}
