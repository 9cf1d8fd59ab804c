import { HttpLayerRouter } from "@effect/platform"
import { Effect, Schema } from "effect"
import { type Event, EventType, eventTypes } from "../../events/Event.ts"
import { Events } from "../../events/Events.ts"
import { html } from "../Html.ts"
import { empty, field, filters, pages, select, table, time } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { visits } from "../Visits.ts"

const Query = Schema.Struct({
  type: Schema.optional(EventType),
  before: Schema.optional(Schema.UUID)
}).annotations({ parseOptions: { errors: "all", onExcessProperty: "error" } })

const pageSize = 50

export const eventName = ({ id, timestamp, type }: Event) => html`
  <span class="name">${type}</span>
  <span class="note">${time(timestamp)}</span>
  <code class="id soft" title="Id of the event: webhook-id">${id}</code>
`

export const eventData = ({ data }: Event) => html`<code class="data">${JSON.stringify(data)}</code>`

const listView = (visit: Visit, { before, type }: typeof Query.Type, found: ReadonlyArray<Event>) => html`
  <h1>Events</h1>
  <p class="lede">
    What happened to connections and records in the last 30 days, newest first. Events of records come of
    <a href="${visit.root}/watches">watches</a>; none holds a record's content.
  </p>
  ${filters(
    `${visit.root}/events`,
    field({
      name: "type",
      label: "Type",
      control: (own) => select(own, [["", "Any type"], ...eventTypes.map((one) => [one, one] as const)], type)
    })
  )}
  ${
    found.length === 0
      ? type === undefined && before === undefined
        ? empty("Nothing has happened yet", "Events that are told from now on show up here.")
        : empty("No event is like that", html`<a href="${visit.root}/events">Show all events</a>`)
      : table(
          "Events",
          ["Event", "Data"],
          found.slice(0, pageSize).map((event) => [eventName(event), eventData(event)])
        )
  }
  ${pages(
    `${visit.root}/events`,
    { type },
    before !== undefined && {},
    found.length > pageSize && { before: found[pageSize - 1]?.id }
  )}
`

/** Shows the events of the session's organisation and environment. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const events = yield* Events
    const { page } = yield* visits
    return [
      HttpLayerRouter.route(
        "GET",
        "/console/events",
        page(Query, (visit, query) =>
          Effect.map(events.latest(visit.session.caller, { ...query, take: pageSize + 1 }), (found) => ({
            title: "Events",
            section: "/events" as const,
            main: listView(visit, query, found)
          }))
        )
      )
    ]
  })
)
