import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { deliveryRows } from "../events/DeliveryRows.ts"
import { Event } from "../events/Event.ts"
import { Events, told } from "../events/Events.ts"
import { Encryption } from "../platform/Encryption.ts"
import { Environment } from "../tenancy/CurrentCaller.ts"
import type { Outcome } from "./Attempts.ts"
import { associatedDataOf } from "./Deliveries.ts"
import { waitAfter } from "./Schedule.ts"
import { markDisabled, received } from "./Webhooks.ts"

/** A webhook for which deliveries are due. */
const Waiting = Schema.Struct({
  webhook: Schema.UUID,
  organisation: Schema.UUID,
  /** Number of due deliveries, up to the number looked for. */
  due: Schema.Int
})
export type Waiting = typeof Waiting.Type

/** The deliveries that wait now. */
const Look = Schema.Struct({
  /** Webhooks with due deliveries. */
  waiting: Schema.Array(Waiting),
  /** Milliseconds until the next one is due; null if no other waits. */
  next: Schema.NullOr(Schema.Number),
  /** Whether there is any webhook that could have deliveries. */
  isAny: Schema.Boolean
})
export type Look = typeof Look.Type

/** A number of deliveries of a webhook. */
const Share = Schema.Struct({ webhook: Schema.UUID, take: Schema.Int })
export type Share = typeof Share.Type

/** A delivery that is being attempted, under a lease. */
const Taken = Schema.Struct({
  webhook: Schema.UUID,
  id: Schema.String,
  organisation: Schema.UUID,
  environment: Environment,
  /** Revision of the organisation's field mappings. */
  mappingRevision: Schema.String,
  url: Schema.String,
  /** The stored secrets; only the first signs unless `signsWithBoth`. */
  secrets: Schema.String,
  signsWithBoth: Schema.Boolean,
  includeRecord: Schema.Boolean,
  /** Number of earlier attempts. */
  attempts: Schema.Int,
  event: Event,
  /** W3C trace context in which the event was published. */
  traceParent: Schema.NullOr(Schema.String),
  /** Holder of the lease. */
  holder: Schema.UUID
})
export type Taken = typeof Taken.Type

/**
 * Due deliveries, for any number of processes that make them at once. Each takes deliveries that no other has, under a
 * lease, so that those of a killed process become due again; times are the database's, which all share.
 */
export class Outbox extends Context.Tag("tributary/webhooks/Outbox")<
  Outbox,
  {
    /** Finds the webhooks of all tenants with due deliveries, counting `most` at most for each, and when more become due. */
    readonly look: (most: number) => Effect.Effect<Look>
    /** Takes the deliveries that have been due longest and that nobody else has. */
    readonly take: (shares: ReadonlyArray<Share>) => Effect.Effect<ReadonlyArray<Taken>>
    /** Renews the leases of taken deliveries. */
    readonly renew: (taken: ReadonlyArray<Taken>) => Effect.Effect<void>
    /**
     * Notes the outcome, and schedules another attempt or, after the last one, disables the webhook; changes nothing if
     * somebody else has taken the delivery meanwhile.
     */
    readonly settle: (taken: Taken, outcome: Outcome) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    Outbox,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption
      const events = yield* Events
      const deliveries = yield* deliveryRows
      const disabled = markDisabled(sql)

      // goes from webhook to webhook through the index, however many deliveries wait for each
      const find = SqlSchema.single({
        Request: Schema.Int,
        Result: Look,
        execute: (most) => sql`
          with recursive waiting as (
            (select webhook_id from webhook_deliveries where status = 'pending' order by webhook_id limit 1)
            union all
            select (
              select d.webhook_id from webhook_deliveries d
              where d.status = 'pending' and d.webhook_id > waiting.webhook_id order by d.webhook_id limit 1)
            from waiting where waiting.webhook_id is not null
          ), found as (
            select w.id, w.organisation_id, counted.due, (
              select min(d.next_at) from webhook_deliveries d
              where d.webhook_id = w.id and d.status = 'pending' and d.next_at > now()) as next_at
            from waiting join webhooks w on w.id = waiting.webhook_id and w.status = 'active'
            cross join lateral (
              select count(*)::int as due from (
                select from webhook_deliveries d
                where d.webhook_id = w.id and d.status = 'pending' and d.next_at <= now() limit ${most}) as those
            ) as counted
          )
          select
            coalesce(
              jsonb_agg(jsonb_build_object('webhook', id, 'organisation', organisation_id, 'due', due))
                filter (where due > 0),
              '[]') as waiting,
            (extract(epoch from min(next_at) - now()) * 1000)::float8 as next,
            exists (select from webhooks where status = 'active') as "isAny"
          from found`
      })

      const findDue = SqlSchema.findAll({
        Request: Schema.Struct({ shares: Schema.parseJson(Schema.Array(Share)), holder: Schema.String }),
        Result: Taken,
        execute: ({ holder, shares }) => sql`
          with due as (
            select picked.webhook_id, picked.id
            from jsonb_to_recordset(${shares}::jsonb) as share (webhook uuid, take int)
            cross join lateral (
              select d.webhook_id, d.id from webhook_deliveries d
              where d.webhook_id = share.webhook and d.status = 'pending' and d.next_at <= now()
              order by d.next_at limit share.take for update skip locked
            ) as picked
          ), taken as (${deliveries.take(holder)})
          select w.id as webhook, t.id::text as id, w.organisation_id as organisation, w.environment,
            o.mapping_revision::text as "mappingRevision", w.url, w.secrets,
            coalesce(w.previous_until > now(), false) as "signsWithBoth", w.include_record as "includeRecord",
            t.attempts, ${sql.literal(told)} as event, e.trace_parent as "traceParent", ${holder}::text as holder
          from taken t join webhooks w on w.id = t.webhook_id join organisations o on o.id = w.organisation_id
          join events e on e.id = t.event_id`
      })

      const extend = SqlSchema.void({
        Request: Schema.Struct({
          held: Schema.parseJson(Schema.Array(Taken.pick("webhook", "id", "holder")))
        }),
        execute: ({ held }) => deliveries.extend(held)
      })

      /** Disables a webhook, unless it has received something since this delivery was made. */
      const disable = Effect.fnUntraced(function* ({ id, webhook }: Taken, reason: string, isGone: boolean) {
        const found = yield* disabled({ delivery: id, webhook, reason, isGone })
        if (Option.isNone(found)) return
        const { environment, organisation_id } = found.value
        yield* events.publish({ organisation: organisation_id, environment }, [
          { type: "webhook.disabled", data: { webhookId: webhook } }
        ])
        yield* Effect.logWarning("A webhook was disabled", reason).pipe(Effect.annotateLogs({ webhook }))
      })

      return Outbox.of({
        look: (most) => Effect.orDie(find(most)),

        take: (shares) => Effect.orDie(Effect.suspend(() => findDue({ shares, holder: randomUUID() }))),

        renew: (taken) => Effect.orDie(extend({ held: taken })),

        settle: Effect.fn("Outbox.settle")(function* (taken, outcome) {
          const { answer, error, isDelivered, milliseconds, status } = outcome
          const isGone = status === 410
          const wait = isDelivered || isGone ? undefined : waitAfter(taken.attempts + 1, outcome.pause)
          const ended = isDelivered ? "delivered" : wait === undefined ? "failed" : "pending"
          // an endpoint may echo the delivery
          const kept =
            answer === null || taken.includeRecord
              ? null
              : yield* encryption.encrypt(answer, associatedDataOf(taken.webhook, taken.id))
          const note = sql`
            with noted as (${deliveries.settle(taken, {
              status: ended,
              wait: wait ?? 0,
              responseStatus: status,
              answer: kept,
              error,
              milliseconds
            })}), delivered as (
              ${received(sql, taken.webhook, sql`exists (select from noted where status = 'delivered')`)}
            )
            select status from noted`
          if (ended !== "failed") return yield* Effect.asVoid(note)
          yield* Effect.flatMap(note, (noted) =>
            noted.length === 0
              ? Effect.void
              : disable(
                  taken,
                  isGone
                    ? "It answered 410: it is gone for good"
                    : `No attempt succeeded; the last one: ${error ?? "failed"}`,
                  isGone
                )
          ).pipe(sql.withTransaction)
        }, Effect.orDie)
      })
    })
  )
}
