import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { Envelope, pageQuery, Pagination } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { Authorization } from "../tenancy/Api.ts"
import { needs } from "../tenancy/Scopes.ts"
import { Event, EventType, eventTypes } from "./Event.ts"

const isKnown = Schema.is(EventType)

const Types = Schema.String.pipe(
  Schema.filter((names) => names.split(",").every((name) => isKnown(name)), {
    message: () => ({
      message: `must be some of ${eventTypes.join(", ")}, separated by commas`,
      override: true
    })
  }),
  Schema.compose(Schema.split(",")),
  Schema.compose(Schema.Array(EventType)),
  Schema.annotations({
    jsonSchema: {
      type: "string",
      description: `Only events of these types, separated by commas: ${eventTypes.join(", ")}`,
      examples: ["record.created,record.updated"]
    }
  })
)

/** Events of connections and records. */
export class EventsApi extends HttpApiGroup.make("events")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("list", "/events")
      .setUrlParams(
        Schema.Struct({ ...pageQuery, types: Schema.optional(Types) }).annotations({
          parseOptions: { errors: "all", onExcessProperty: "error" }
        })
      )
      .addSuccess(
        Envelope(
          200,
          Schema.Struct({
            data: Schema.Array(Event).annotations({ description: "The events of this page, oldest first" }),
            pagination: Schema.Struct({
              ...Pagination.fields,
              cursor: Schema.NullOr(Schema.String).annotations({
                description:
                  "Where to go on, now or when there are new events: also where `hasMore` is false. null where nothing has happened yet"
              })
            }).annotations({ identifier: "FeedPagination", description: "Where the feed stands" })
          })
        )
      )
      .annotate(OpenApi.Summary, "List events")
      .annotate(
        OpenApi.Description,
        "The feed of what happened in the key's environment, oldest first, kept for 30 days. It has no end: keep the cursor of the last page, and send it again to get what happened since. An event says what changed and never holds a record's content: read the record by its `id` or `remote_id`. Events of records come of watches."
      )
  )
  .annotateEndpointsContext(needs("webhooks"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "events")
  .annotate(OpenApi.Description, "What happened to connections and records.") {}
