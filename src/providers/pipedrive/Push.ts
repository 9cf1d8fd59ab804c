import { Effect, Option, Redacted, Schema } from "effect"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import { bodyOf, type ConnectionPush, type Delivery, isSame, type Subscription, type Told } from "../Push.ts"
import { madeBy, recordsOf } from "./Objects.ts"

/**
 * Webhooks of a user in an account, made with the connection's own token; they see what that user sees. Pipedrive signs
 * nothing: it sends the user and password that it was given.
 * https://pipedrive.readme.io/docs/guide-for-webhooks-v2
 * https://developers.pipedrive.com/docs/api/v1/Webhooks
 */
const types: ConnectionPush["types"] = {
  activity: ["activities"],
  deal: ["deals"],
  lead: ["leads"],
  note: ["notes"],
  organization: ["organizations"],
  person: ["persons"],
  pipeline: ["pipelines"],
  stage: ["pipelines"],
  user: ["users"]
}

const path = "/api/v1/webhooks"

/** The user of the pair; the password tells who sends. */
const user = "tributary"

const pairOf = (secret: Redacted.Redacted) =>
  `Basic ${Buffer.from(`${user}:${Redacted.value(secret)}`).toString("base64")}`

const Id = Schema.Union(Schema.String, Schema.Number)

const read = bodyOf(
  Schema.Struct({
    meta: Schema.Struct({
      entity: Schema.String,
      entity_id: Id,
      merged_to_id: Schema.optional(Schema.NullOr(Id)),
      merged_from_id: Schema.optional(Schema.NullOr(Id))
    })
  })
)

const toldBy = (delivery: Delivery): ReadonlyArray<Told> =>
  Option.match(read(delivery), {
    onNone: () => [],
    onSome: ({ meta: { entity, entity_id, merged_from_id, merged_to_id } }) =>
      [entity_id, merged_to_id ?? entity_id, merged_from_id ?? entity_id]
        .filter((id, at, all) => all.indexOf(id) === at)
        .map((id) => ({ type: entity, remoteId: String(id) }))
  })

/** The webhook that leads to an address, which nothing but the subscription has. */
const existing = (call: Caller, connection: ConnectionRef, address: string) => {
  const request: Call = { operation: "webhooks.list", method: "GET", path }
  return Effect.map(
    Effect.flatMap(call(connection, request), (answer) => recordsOf(request, answer)),
    (all) => all.find(({ subscription_url }) => subscription_url === address)?.id
  )
}

const create = (call: Caller, connection: ConnectionRef, { address, secret, type }: Subscription) =>
  Effect.map(
    madeBy(call, connection, {
      operation: "webhooks.create",
      method: "POST",
      path,
      json: {
        subscription_url: address,
        event_action: "*",
        event_object: type,
        name: `Tributary: ${type}`,
        version: "2.0",
        http_auth_user: user,
        http_auth_password: Redacted.value(secret)
      }
    }),
    ({ id }) => id
  )

export const push = (call: Caller): ConnectionPush => ({
  kind: "connection",
  types,
  verify: (delivery, secret) =>
    isSame(delivery.headers.authorization, pairOf(secret)) ? Option.some(toldBy(delivery)) : Option.none(),
  // one that failed for three days is deleted, so it is looked for again whenever it is to last longer
  subscribe: (connection, wanted) =>
    Effect.map(
      Effect.flatMap(existing(call, connection, wanted.address), (found) =>
        found === undefined ? create(call, connection, wanted) : Effect.succeed(found)
      ),
      (id) => ({ remoteId: String(id) })
    ),
  unsubscribe: (connection, id) =>
    call(connection, { operation: "webhooks.delete", method: "DELETE", path: `${path}/:id`, params: { id } }).pipe(
      Effect.catchIf(
        ({ reason }) => reason._tag === "Missing",
        () => Effect.void
      ),
      Effect.asVoid
    )
})
