import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Either, Layer, Option, Queue, Redacted, Schema } from "effect"
import { deliveryRows } from "../events/DeliveryRows.ts"
import { Event } from "../events/Event.ts"
import { Events, told } from "../events/Events.ts"
import { Encryption } from "../platform/Encryption.ts"
import { Conflict, NotFound } from "../platform/Errors.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import type { DeliveryRecord } from "./Api.ts"
import type { Webhook } from "./Webhooks.ts"

export type Delivery = typeof DeliveryRecord.Type

/** Where the answer to a delivery belongs. */
export const associatedDataOf = (webhook: string, id: string) => `webhook_deliveries/${webhook}/${id}`

/** The deliveries of a webhook, as long as their events are kept. */
export class Deliveries extends Context.Tag("tributary/webhooks/Deliveries")<
  Deliveries,
  {
    /** Newest first; `after`: the id of the delivery that those given come behind. */
    readonly list: (
      webhook: Webhook,
      page: { readonly after: string | undefined; readonly take: number }
    ) => Effect.Effect<ReadonlyArray<Delivery>>
    /** Has it attempted at once, on a schedule that begins again; one that is just being attempted goes on. */
    readonly redeliver: (webhook: Webhook, id: string) => Effect.Effect<Delivery, NotFound | Conflict>
    /** Re-encrypts answers that are not under the first key. */
    readonly rotateEncryption: Effect.Effect<Rotated>
  }
>() {
  static readonly layer = Layer.effect(
    Deliveries,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption
      const events = yield* Events
      const deliveries = yield* deliveryRows

      const columns = sql.literal(`
        d.webhook_id, d.id::text, d.status, d.attempts, d.attempted_at, d.next_at, d.response_status, d.answer, d.error,
        d.duration_ms, ${told} as event`)

      const find = SqlSchema.findAll({
        Request: Schema.Struct({ webhook: Schema.String, after: Schema.NullOr(Schema.String), take: Schema.Int }),
        Result: Row,
        execute: ({ after, take, webhook }) => sql`
          select ${columns} from webhook_deliveries d join events e on e.id = d.event_id
          where d.webhook_id = ${webhook} and (${after}::bigint is null or d.id < ${after}::bigint)
          order by d.id desc limit ${take}`
      })

      const findOne = SqlSchema.findOne({
        Request: Schema.Struct({ webhook: Schema.String, id: Schema.String }),
        Result: Row,
        execute: ({ id, webhook }) => sql`
          select ${columns} from webhook_deliveries d join events e on e.id = d.event_id
          where d.webhook_id = ${webhook} and d.id = ${id}::bigint`
      })

      const deliveryOf = (row: typeof Row.Type): Delivery => ({
        id: row.id,
        event: row.event,
        status: row.status,
        attempts: row.attempts,
        attemptedAt: row.attempted_at?.toISOString() ?? null,
        nextAttemptAt: row.status === "pending" ? row.next_at.toISOString() : null,
        responseStatus: row.response_status,
        // without its key it is as good as not kept
        response:
          row.answer === null
            ? null
            : Either.match(encryption.decrypt(row.answer, associatedDataOf(row.webhook_id, row.id)), {
                onLeft: () => null,
                onRight: Redacted.value
              }),
        error: row.error,
        milliseconds: row.duration_ms
      })

      return Deliveries.of({
        list: Effect.fn("Deliveries.list")(function* ({ id }, { after = null, take }) {
          return (yield* find({ webhook: id, after, take })).map(deliveryOf)
        }, Effect.orDie),

        redeliver: Effect.fn("Deliveries.redeliver")(
          function* (webhook, id) {
            const place = { webhook: webhook.id, id }
            const missing = new NotFound({
              code: "DELIVERY_NOT_FOUND",
              message: `There is no delivery ${id} of this webhook; deliveries are kept for 30 days.`
            })
            if (!/^\d{1,18}$/.test(id)) return yield* missing
            if (webhook.status === "disabled") {
              return yield* new Conflict({
                code: "CONFLICT",
                message: 'The webhook is disabled. Enable it first, by PATCH with {"status": "active"}.'
              })
            }
            yield* deliveries.restart(webhook.id, id)
            yield* Queue.offer(events.due, undefined)
            return Option.match(yield* findOne(place), {
              onNone: () => missing,
              onSome: (row) => Effect.succeed(deliveryOf(row))
            })
          },
          Effect.flatten,
          Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die })
        ),

        rotateEncryption: rotate({
          table: "webhook_deliveries",
          column: "answer",
          key: ["webhook_id", "id"],
          associatedDataOf: ([webhook = "", id = ""]) => associatedDataOf(webhook, id),
          until: "created_at + interval '30 days'"
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      })
    })
  )
}

const Row = Schema.Struct({
  webhook_id: Schema.UUID,
  id: Schema.String,
  status: Schema.Literal("pending", "delivered", "failed"),
  attempts: Schema.Int,
  attempted_at: Schema.NullOr(Schema.DateFromSelf),
  next_at: Schema.DateFromSelf,
  response_status: Schema.NullOr(Schema.Int),
  answer: Schema.NullOr(Schema.String),
  error: Schema.NullOr(Schema.String),
  duration_ms: Schema.NullOr(Schema.Int),
  event: Event
})
