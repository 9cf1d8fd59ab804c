import { Clock, Effect, Option, Redacted, Schema } from "effect"
import type { Call, Caller } from "../base/Upstream.ts"
import type { ConnectionRef } from "../ConnectionRef.ts"
import type { ProviderError } from "../ProviderError.ts"
import { bodyOf, type ConnectionPush, type Delivery, isSame, type Subscription } from "../Push.ts"
import { refusalOf } from "./ReadError.ts"
import { api, failure, rowOf } from "./Rows.ts"

/**
 * Notifications of a user in an organisation, by channels that end within a week. Zoho signs nothing: it sends back the token
 * that it was given. Notes have none.
 * https://www.zoho.com/crm/developer/docs/api/v8/notifications/overview.html
 */
const modules = ["Accounts", "Appointments__s", "Calls", "Contacts", "Deals", "Events", "Leads", "Tasks"]

const path = `${api}/actions/watch`

/** Milliseconds that a channel lasts: a longer time than a week silently becomes an hour. */
const lasting = 7 * 86_400_000 - 3_600_000

/** A channel's id is a long number that the client chooses: the first digits of the subscription's own. */
const channelOf = ({ id }: Subscription) => String(10n ** 15n + BigInt(`0x${id.replaceAll("-", "").slice(0, 12)}`))

const Notification = Schema.Struct({
  module: Schema.String,
  ids: Schema.Array(Schema.Union(Schema.String, Schema.Number)),
  token: Schema.String
})

const read = bodyOf(Notification)

const told = ({ ids, module }: typeof Notification.Type) => ids.map((id) => ({ type: module, remoteId: String(id) }))

/** A time as Zoho writes it: ISO 8601, without fractions of a second. */
const timeOf = (milliseconds: number) => `${new Date(milliseconds).toISOString().slice(0, 19)}+00:00`

/** The refusal of a channel stands in the answer to a request that succeeds. */
const watching = (call: Caller, connection: ConnectionRef, request: Call) =>
  call(connection, request).pipe(
    Effect.flatMap((answer) => rowOf(request, "watch", answer)),
    Effect.filterOrElse(
      ({ status }) => status === "success",
      (row) => {
        const { detail, reason } = refusalOf(row)
        return failure(request.operation, reason, detail)
      }
    )
  )

/** A channel that has ended is refused, in words that are not documented. */
const isGone = ({ reason }: ProviderError) => reason._tag === "Missing" || reason._tag === "Invalid"

export const push = (call: Caller): ConnectionPush => ({
  kind: "connection",
  types: Object.fromEntries(modules.map((name) => [name, [name]])),
  verify: (delivery: Delivery, secret) =>
    read(delivery).pipe(
      Option.filter(({ token }) => isSame(token, Redacted.value(secret))),
      Option.map(told)
    ),
  /** https://www.zoho.com/crm/developer/docs/api/v8/notifications/enable.html; made again, a channel is what it is made */
  subscribe: (connection, wanted) =>
    Effect.gen(function* () {
      const { address, remoteId, secret, type } = wanted
      const channel = channelOf(wanted)
      const expiresAt = (yield* Clock.currentTimeMillis) + lasting
      const body = {
        channel_id: channel,
        events: [`${type}.all`],
        channel_expiry: timeOf(expiresAt),
        token: Redacted.value(secret),
        notify_url: address
      }
      const send = (method: "POST" | "PUT") =>
        watching(call, connection, { operation: `${type}.watch`, method, path, json: { watch: [body] } })
      // https://www.zoho.com/crm/developer/docs/api/v8/notifications/update-details.html; one that has ended is not there
      yield* remoteId === undefined ? send("POST") : Effect.catchIf(send("PUT"), isGone, () => send("POST"))
      return { remoteId: channel, expiresAt }
    }),
  /** https://www.zoho.com/crm/developer/docs/api/v8/notifications/disable.html */
  unsubscribe: (connection, remoteId) =>
    call(connection, {
      operation: "channels.watch",
      method: "DELETE",
      path,
      query: { channel_ids: remoteId }
    }).pipe(
      Effect.catchIf(isGone, () => Effect.void),
      Effect.asVoid
    )
})
