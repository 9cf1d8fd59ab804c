import { HttpLayerRouter } from "@effect/platform"
import { Effect, Schema } from "effect"
import { NoQuery } from "../../platform/ApiErrors.ts"
import { Deliveries, type Delivery } from "../../webhooks/Deliveries.ts"
import { type Webhook, Webhooks } from "../../webhooks/Webhooks.ts"
import { html, type Html } from "../Html.ts"
import { day, empty, form, icon, pages, table, time } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { permitted, visits } from "../Visits.ts"
import { eventData, eventName } from "./Events.ts"

const Query = Schema.Struct({
  before: Schema.optional(Schema.String.pipe(Schema.pattern(/^\d{1,18}$/)))
}).annotations({ parseOptions: { errors: "all", onExcessProperty: "error" } })

const pageSize = 50

/** Whether it is in use, and why not. */
const webhookState = ({ disabledAt, disabledReason }: Webhook): Html =>
  disabledAt === null
    ? html`<span class="state good">${icon("check")} Active</span>`
    : html`<span class="state warn">${icon("warning")} Disabled ${day(disabledAt)}</span>
        ${disabledReason !== null && html`<span class="note">${disabledReason}</span>`}`

const enableForm = (visit: Visit, webhook: Webhook) =>
  webhook.status === "disabled" &&
  form(
    visit,
    `/webhooks/${webhook.id}/enable`,
    html`<button type="submit" class="button small outlined" aria-label="Enable ${webhook.url}">Enable</button>`,
    "inline"
  )

const listView = (visit: Visit, { before }: typeof Query.Type, found: ReadonlyArray<Webhook>) => html`
  <h1>Webhooks</h1>
  <p class="lede">
    Where events are sent. One whose deliveries fail for 72 hours is disabled; what waits for it is sent once it is
    enabled.
  </p>
  ${
    found.length === 0
      ? empty(
          "There are no webhooks",
          html`Make one with <code>POST /webhooks</code>, and its deliveries show up here.`
        )
      : table(
          "Webhooks",
          ["Address", "Events", "State", "Created", ""],
          found
            .slice(0, pageSize)
            .map((webhook) => [
              html`<a class="name" href="${visit.root}/webhooks/${webhook.id}"><code>${webhook.url}</code></a>`,
              html`${webhook.types.join(", ")}
              ${webhook.includeRecord && html`<span class="note">with the record</span>`}`,
              webhookState(webhook),
              day(webhook.createdAt),
              enableForm(visit, webhook)
            ])
        )
  }
  ${pages(
    `${visit.root}/webhooks`,
    {},
    before !== undefined && {},
    found.length > pageSize && { before: found[pageSize - 1]?.sequence }
  )}
`

const deliveryState = ({ attempts, nextAttemptAt, status }: Delivery) => {
  const often = attempts === 0 ? "" : attempts === 1 ? "1 attempt" : `${attempts} attempts`
  if (status === "delivered") {
    return html`<span class="state good">${icon("check")} Delivered</span> <span class="note">${often}</span>`
  }
  if (status === "failed") {
    return html`<span class="state bad">${icon("warning")} Failed</span> <span class="note">${often}</span>`
  }
  return html`<span class="state ${attempts === 0 ? "soft" : "warn"}">Waiting</span>
    <span class="note">${often} ${nextAttemptAt !== null && html`next ${time(nextAttemptAt)}`}</span>`
}

const answerOf = ({ attemptedAt, error, milliseconds, response, responseStatus }: Delivery) =>
  attemptedAt === null
    ? html`<span class="note">–</span>`
    : html`${responseStatus ?? "No answer"}
        <span class="note">${time(attemptedAt)}, ${milliseconds} ms</span>
        ${error !== null && html`<span class="note">${error}</span>`}
        ${response !== null && response !== "" && html`<code class="data">${response}</code>`}`

const deliveriesView = (
  visit: Visit,
  webhook: Webhook,
  { before }: typeof Query.Type,
  found: ReadonlyArray<Delivery>
) => html`
  <h1>Deliveries</h1>
  <p class="lede">
    To <code>${webhook.url}</code>, of the last 30 days, newest first.
    <a href="${visit.root}/webhooks">Show all webhooks</a>
  </p>
  <p>${webhookState(webhook)}</p>
  ${enableForm(visit, webhook)}
  ${
    found.length === 0
      ? empty("Nothing was sent yet", "Events that are told from now on show up here.")
      : table(
          "Deliveries",
          ["Event", "Sent", "State", "Last answer", ""],
          found
            .slice(0, pageSize)
            .map((delivery) => [
              eventName(delivery.event),
              html`${eventData(delivery.event)}
              ${webhook.includeRecord && html`<span class="note">and the record</span>`}`,
              deliveryState(delivery),
              answerOf(delivery),
              webhook.status === "active" &&
                form(
                  visit,
                  `/webhooks/${webhook.id}/deliveries/${delivery.id}/redeliver`,
                  html`<button
                    type="submit"
                    class="button small quiet"
                    aria-label="Deliver again: ${delivery.event.type} ${delivery.event.id}"
                  >
                    Deliver again
                  </button>`,
                  "inline"
                )
            ])
        )
  }
  ${pages(
    `${visit.root}/webhooks/${webhook.id}`,
    {},
    before !== undefined && {},
    found.length > pageSize && { before: found[pageSize - 1]?.id }
  )}
`

/** The webhooks of the session's organisation and environment: their state and deliveries; enables and delivers again. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const deliveries = yield* Deliveries
    const { action, page } = yield* visits

    const named = ({ params, session }: Visit) => webhooks.get(session.caller, params["id"] ?? "")

    return [
      HttpLayerRouter.route(
        "GET",
        "/console/webhooks",
        page(Query, (visit, query) =>
          Effect.map(webhooks.list(visit.session.caller, { after: query.before, take: pageSize + 1 }), (found) => ({
            title: "Webhooks",
            section: "/webhooks" as const,
            main: listView(visit, query, found)
          }))
        )
      ),
      HttpLayerRouter.route(
        "GET",
        "/console/webhooks/:id",
        page(Query, (visit, query) =>
          Effect.gen(function* () {
            const webhook = yield* named(visit)
            const found = yield* deliveries.list(webhook, { after: query.before, take: pageSize + 1 })
            return {
              title: "Deliveries",
              section: "/webhooks" as const,
              main: deliveriesView(visit, webhook, query, found)
            }
          })
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/webhooks/:id/enable",
        action(NoQuery, (visit) =>
          Effect.gen(function* () {
            yield* permitted(visit, "webhooks")
            const { id, url } = yield* webhooks.update(visit.session.caller, visit.params["id"] ?? "", {
              status: "active"
            })
            return { to: `/webhooks/${id}`, notice: { kind: "done" as const, text: `${url} is enabled.` } }
          })
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/webhooks/:id/deliveries/:deliveryId/redeliver",
        action(NoQuery, (visit) =>
          Effect.gen(function* () {
            yield* permitted(visit, "webhooks")
            const webhook = yield* named(visit)
            const { event } = yield* deliveries.redeliver(webhook, visit.params["deliveryId"] ?? "")
            return {
              to: `/webhooks/${webhook.id}`,
              notice: { kind: "done" as const, text: `The event ${event.id} is delivered again.` }
            }
          })
        )
      )
    ]
  })
)
