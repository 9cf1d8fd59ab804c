import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { NoQuery } from "../platform/ApiErrors.ts"
import { ErrorCode } from "../platform/ErrorCodes.ts"
import { Envelope, Page, pageQuery } from "../platform/Envelope.ts"
import { wires } from "../platform/Errors.ts"
import { providerSlug } from "../platform/ProviderSlug.ts"
import { Authorization } from "../tenancy/Api.ts"
import { needs } from "../tenancy/Scopes.ts"
import { watchable } from "./Watchable.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const said = (message: string) => ({ message: () => ({ message, override: true }) })

const text = (description: string) => Schema.String.annotations({ description })
const seconds = (description: string) => Schema.Int.annotations({ description })

/** Bounds of the interval that is wished for, in seconds. */
const interval = { least: 5, most: 86_400, usual: 60 }

const ResourceName = Schema.Literal(...watchable).annotations({
  identifier: "WatchedResourceName",
  description: "A resource, with its category in front",
  ...said(`must be one of ${watchable.join(", ")}`)
})

const listed = <A, I>(item: Schema.Schema<A, I>, description: string) =>
  Schema.Array(item).pipe(
    Schema.minItems(1, { message: () => ({ message: "must not be empty", override: false }) }),
    Schema.annotations({ description })
  )

/** A list to watch. */
export const WatchBody = Schema.Struct({
  resources: listed(ResourceName, "Resources to watch"),
  providers: Schema.optional(listed(Schema.String, "Slugs of the providers to watch them at; absent: all")),
  interval: Schema.optionalWith(
    Schema.Int.pipe(
      Schema.between(interval.least, interval.most),
      Schema.annotations({
        ...said(`must be a whole number of seconds from ${interval.least} to ${interval.most}`),
        jsonSchema: {
          type: "integer",
          minimum: interval.least,
          maximum: interval.most,
          default: interval.usual,
          description: "Seconds between polls that you wish for; the answer says what each provider's limits allow"
        }
      })
    ),
    { default: () => interval.usual }
  )
}).annotations({
  ...strict,
  identifier: "WatchRequest",
  description: "What to watch, in place of all that was watched"
})

const Followed = Schema.Struct({
  resource: text("Name of the resource"),
  how: Schema.Literal("changes", "walk").annotations({
    identifier: "WatchMethod",
    description:
      "changes: by what was modified since. walk: by reading the whole list again, since the provider does not tell what was modified; so less often"
  }),
  interval: seconds("Seconds between polls of a connection that the provider's limits allow"),
  idleInterval: seconds("The same for a connection at which nothing happens for a while, at most"),
  deletions: Schema.Literal("told", "swept").annotations({
    identifier: "WatchedDeletions",
    description: "told: the provider tells them. swept: a record that is no longer in the whole list was deleted"
  }),
  deletionsInterval: seconds("Seconds between looks for what was deleted")
}).annotations({ identifier: "FollowedResource", description: "How a provider's records of a resource are followed" })

/** A watch, and how it is followed. */
export const WatchRecord = Schema.Struct({
  resources: Schema.Array(
    Schema.Struct({
      resource: text("Name of the resource, with its category in front"),
      since: text("ISO 8601 date-time: what happened before is not told")
    })
  ).annotations({ description: "What is watched; empty: nothing" }),
  providers: Schema.NullOr(Schema.Array(Schema.String)).annotations({
    description: "Slugs of the providers that it is watched at; null: all"
  }),
  interval: Schema.NullOr(Schema.Int).annotations({
    description: "Seconds between polls that you wish for; null: nothing is watched"
  }),
  following: Schema.Array(
    Schema.Struct({
      provider: providerSlug("Slug of the provider"),
      resources: Schema.Array(Followed).annotations({ description: "What is watched there" }),
      lacks: Schema.Array(Schema.String).annotations({
        description: "What is not, since the provider does not list it"
      })
    })
  ).annotations({ description: "What becomes of it at each provider" })
}).annotations({ identifier: "Watch", description: "What is watched, and how" })

const FollowedConnection = Schema.Struct({
  connectionId: Schema.UUID.annotations({ description: "Id of the connection" }),
  endUserId: text("Your own id of the end user"),
  provider: providerSlug("Slug of the provider"),
  resource: text("Name of the resource, with its category in front"),
  state: Schema.Literal("first_walk", "following", "paused").annotations({
    identifier: "FollowedState",
    description:
      "first_walk: what is there is being read; changes are told already. paused: the end user has to connect again; then it goes on"
  }),
  since: text("ISO 8601 date-time: what happened before is not told"),
  lag: seconds("Seconds since which changes may not have been told yet"),
  polledAt: Schema.NullOr(Schema.String).annotations({
    description: "ISO 8601 date-time of the last poll; null: none yet"
  }),
  dueAt: text("ISO 8601 date-time of the next poll"),
  error: Schema.NullOr(ErrorCode).annotations({
    description: "Code of the failure of the last poll; null where it did not fail. It is tried again by itself"
  })
}).annotations({ identifier: "FollowedConnection", description: "How far a resource of a connection was followed" })

/** The watch of an environment, and how far it got. */
export class WatchesApi extends HttpApiGroup.make("watches")
  .middleware(Authorization)
  .add(
    HttpApiEndpoint.get("get", "/watches")
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, WatchRecord))
      .annotate(OpenApi.Summary, "Get what is watched")
      .annotate(OpenApi.Description, "The one list of the key's environment, and how each provider is followed.")
  )
  .add(
    HttpApiEndpoint.put("put", "/watches")
      .setUrlParams(NoQuery)
      .setPayload(WatchBody)
      .addSuccess(Envelope(200, WatchRecord))
      .addError(wires.PayloadTooLarge)
      .addError(wires.UnsupportedMediaType)
      .addError(wires.Unprocessable)
      .annotate(OpenApi.Summary, "Watch resources")
      .annotate(
        OpenApi.Description,
        "Replaces the one list of the key's environment. From the answer on, `GET /events` tells of records that are created, changed or deleted in all connections, also those that are made later, within the intervals that the answer states: at most a fifth of what a provider lets through is spent. What is watched already goes on. What you write through this service is looked for at once."
      )
  )
  .add(
    HttpApiEndpoint.del("remove", "/watches")
      .setUrlParams(NoQuery)
      .addSuccess(Envelope(200, WatchRecord))
      .annotate(OpenApi.Summary, "Watch nothing")
      .annotate(OpenApi.Description, "Ends what is watched in the key's environment. Events that were told stay.")
  )
  .add(
    HttpApiEndpoint.get("connections", "/watches/connections")
      .setUrlParams(Schema.Struct(pageQuery).annotations(strict))
      .addSuccess(Page(FollowedConnection))
      .annotate(OpenApi.Summary, "List how far connections were followed")
      .annotate(OpenApi.Description, "Each watched resource of each connection, those of the newest connections first.")
  )
  .annotateEndpointsContext(needs("webhooks"))
  .addError(wires.BadRequest)
  .annotate(OpenApi.Title, "watches")
  .annotate(OpenApi.Description, "What is watched, so that events tell what changes.") {}

export type FollowedConnection = typeof FollowedConnection.Type
