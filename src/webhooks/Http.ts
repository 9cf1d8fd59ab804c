import { HttpApiBuilder } from "@effect/platform"
import { Clock, Effect, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { ManagementApi } from "../Api.ts"
import { created, ok } from "../platform/Envelope.ts"
import { Unprocessable } from "../platform/Errors.ts"
import { GuardedClient } from "../platform/GuardedClient.ts"
import { jsonBody } from "../platform/Requests.ts"
import { CurrentCaller } from "../tenancy/CurrentCaller.ts"
import { pages } from "../tenancy/Pages.ts"
import { NewWebhook, WebhookChanges, type WebhookRecord } from "./Api.ts"
import { Attempts } from "./Attempts.ts"
import { Deliveries, type Delivery } from "./Deliveries.ts"
import { type Webhook, Webhooks, type WithSecret } from "./Webhooks.ts"

const readNew = jsonBody(NewWebhook)
const readChanges = jsonBody(WebhookChanges)

const recordOf = ({
  includeRecord,
  organisation: _,
  sequence: __,
  ...webhook
}: Webhook): typeof WebhookRecord.Type => ({ ...webhook, include_record: includeRecord })

const withSecret = ({ secret, webhook }: WithSecret) => ({ ...recordOf(webhook), secret: Redacted.value(secret) })

export const WebhooksLive = HttpApiBuilder.group(ManagementApi, "webhooks", (handlers) =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const deliveries = yield* Deliveries
    const attempts = yield* Attempts
    const client = yield* GuardedClient
    const page = yield* pages

    /** Refuses an address that would not be called. */
    const reachable = (url: string) =>
      Effect.mapError(client.check(new URL(url)), ({ message }) => new Unprocessable({ errors: { url: message } }))

    return handlers
      .handle("list", ({ urlParams }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentCaller
          const found = yield* page(
            "webhooks",
            urlParams,
            ({ sequence }: Webhook) => sequence,
            (part) => webhooks.list(caller, part)
          )
          return ok("webhooks", { ...found, data: found.data.map(recordOf) })
        })
      )
      .handleRaw("create", ({ request }) =>
        Effect.gen(function* () {
          const { body } = yield* readNew(request)
          yield* reachable(body.url)
          return created("webhook created", withSecret(yield* webhooks.create(yield* CurrentCaller, body)))
        })
      )
      .handle("get", ({ path }) =>
        Effect.gen(function* () {
          return ok("webhook", recordOf(yield* webhooks.get(yield* CurrentCaller, path.id)))
        })
      )
      .handleRaw("update", ({ path, request }) =>
        Effect.gen(function* () {
          const caller = yield* CurrentCaller
          const { body } = yield* readChanges(request)
          if (body.url !== undefined) {
            yield* webhooks.get(caller, path.id)
            yield* reachable(body.url)
          }
          return ok("webhook updated", recordOf(yield* webhooks.update(caller, path.id, body)))
        })
      )
      .handle("remove", ({ path }) =>
        Effect.gen(function* () {
          yield* webhooks.remove(yield* CurrentCaller, path.id)
          return ok("webhook deleted", { id: path.id })
        })
      )
      .handle("rotateSecret", ({ path }) =>
        Effect.gen(function* () {
          return ok("secret rotated", withSecret(yield* webhooks.rotateSecret(yield* CurrentCaller, path.id)))
        })
      )
      .handle("test", ({ path }) =>
        Effect.gen(function* () {
          const { secrets, webhook } = yield* webhooks.signing(yield* CurrentCaller, path.id)
          const outcome = yield* attempts.make({
            url: webhook.url,
            secrets,
            id: randomUUID(),
            body: {
              type: "webhook.test",
              timestamp: new Date(yield* Clock.currentTimeMillis).toISOString(),
              data: { webhookId: webhook.id }
            }
          })
          return ok("test sent", {
            delivered: outcome.isDelivered,
            responseStatus: outcome.status,
            response: outcome.answer,
            error: outcome.error,
            milliseconds: outcome.milliseconds
          })
        })
      )
      .handle("deliveries", ({ path, urlParams }) =>
        Effect.gen(function* () {
          const webhook = yield* webhooks.get(yield* CurrentCaller, path.id)
          const found = yield* page(
            `webhook-deliveries/${webhook.id}`,
            urlParams,
            ({ id }: Delivery) => id,
            (part) => deliveries.list(webhook, part)
          )
          return ok("deliveries", found)
        })
      )
      .handle("redeliver", ({ path }) =>
        Effect.gen(function* () {
          const webhook = yield* webhooks.get(yield* CurrentCaller, path.id)
          return ok("delivery begun", yield* deliveries.redeliver(webhook, path.deliveryId))
        })
      )
  })
)
