import { SqlClient, type SqlError, SqlSchema, type Statement } from "@effect/sql"
import { Context, Effect, Layer, Queue, type Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { deliveryRows } from "../events/DeliveryRows.ts"
import { EventType } from "../events/Event.ts"
import { Events } from "../events/Events.ts"
import { Encryption } from "../platform/Encryption.ts"
import { type Conflict, Forbidden, NotFound } from "../platform/Errors.ts"
import { allowingLongStatements } from "../platform/LongStatements.ts"
import { quota, refuseBeyond } from "../platform/Quota.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import { isUuid } from "../platform/Uuid.ts"
import { type Caller, Environment, type Tenant } from "../tenancy/CurrentCaller.ts"
import { withOrganisationLock } from "../tenancy/Organisations.ts"
import { includes } from "../tenancy/Scopes.ts"
import type { NewWebhook, WebhookChanges, WebhookRecord } from "./Api.ts"
import { makeSecret, associatedDataOf, sealing } from "./Secrets.ts"

/** An endpoint that receives an organisation's events. */
export interface Webhook extends Tenant {
  readonly id: string
  readonly url: string
  readonly types: ReadonlyArray<EventType>
  /** Whether events of records are delivered with the record. */
  readonly includeRecord: boolean
  readonly status: (typeof WebhookRecord.Type)["status"]
  /** ISO 8601 date-time. */
  readonly disabledAt: string | null
  readonly disabledReason: string | null
  /** ISO 8601 date-time. */
  readonly createdAt: string
  /** Its place among the tenant's webhooks: the newest has the highest. */
  readonly sequence: string
}

/** The tenant whose webhook is created or changed, and the caller's scopes. */
export type Holder = Tenant & Pick<Caller, "scopes">

/** A webhook with its secret, which is seen only this once. */
export interface WithSecret {
  readonly webhook: Webhook
  readonly secret: Redacted.Redacted
}

/** A webhook with the secrets that sign for it now. */
export interface Signing {
  readonly webhook: Webhook
  readonly secrets: ReadonlyArray<Redacted.Redacted>
}

/** How long the old secret still signs beside a new one. */
const overlap = "24 hours"

/** Notes that a webhook received something, to the minute, which keeps writes rare. */
export const received = (sql: SqlClient.SqlClient, webhook: string, condition: Statement.Fragment) => sql`
  update webhooks set delivered_at = now()
  where id = ${webhook} and (delivered_at is null or delivered_at < now() - interval '1 minute') and ${condition}`

/** Disables a webhook, for good (`isGone`) or unless it received something since a delivery of it was made. */
export const markDisabled = (sql: SqlClient.SqlClient) =>
  SqlSchema.findOne({
    Request: Schema.Struct({
      webhook: Schema.UUID,
      delivery: Schema.String,
      reason: Schema.String,
      isGone: Schema.Boolean
    }),
    Result: Schema.Struct({ organisation_id: Schema.UUID, environment: Environment }),
    execute: ({ delivery, isGone, reason, webhook }) => sql`
      update webhooks w set status = 'disabled', disabled_at = now(), disabled_reason = ${reason}
      from webhook_deliveries d
      where w.id = ${webhook} and w.status = 'active' and d.webhook_id = w.id and d.id = ${delivery}::bigint
        and (${isGone} or w.delivered_at is null or w.delivered_at < d.created_at)
      returning w.organisation_id, w.environment`
  })

/** The webhooks of organisations. Those of another organisation or environment do not exist for a tenant. */
export class Webhooks extends Context.Tag("tributary/webhooks/Webhooks")<
  Webhooks,
  {
    /** Lists webhooks, newest first; `after`: the `sequence` after which the list continues. */
    readonly list: (
      tenant: Tenant,
      page: { readonly after: string | undefined; readonly take: number }
    ) => Effect.Effect<ReadonlyArray<Webhook>>
    readonly get: (tenant: Tenant, id: string) => Effect.Effect<Webhook, NotFound>
    /**
     * Creates a webhook; fails with `QUOTA_EXCEEDED` when the organisation has as many as it may, and with `Forbidden` if it
     * carries records that its creator may not read.
     */
    readonly create: (holder: Holder, given: typeof NewWebhook.Type) => Effect.Effect<WithSecret, Conflict | Forbidden>
    /**
     * Changes a webhook; fails with `Forbidden` if it then carries records that the caller may not read. Reactivating it
     * attempts its waiting deliveries at once.
     */
    readonly update: (
      holder: Holder,
      id: string,
      changes: typeof WebhookChanges.Type
    ) => Effect.Effect<Webhook, NotFound | Forbidden>
    /** Deletes a webhook with its deliveries. */
    readonly remove: (tenant: Tenant, id: string) => Effect.Effect<void, NotFound>
    /** Makes a new secret; the present one still signs for 24 hours. */
    readonly rotateSecret: (tenant: Tenant, id: string) => Effect.Effect<WithSecret, NotFound>
    /** Counts the webhooks that were disabled automatically. */
    readonly disabled: (tenant: Tenant) => Effect.Effect<number>
    readonly signing: (tenant: Tenant, id: string) => Effect.Effect<Signing, NotFound>
    /** Re-encrypts secrets that are not under the first key. */
    readonly rotateEncryption: Effect.Effect<Rotated>
  }
>() {
  static readonly layer = Layer.effect(
    Webhooks,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption
      const events = yield* Events
      const deliveries = yield* deliveryRows
      const { open, seal } = yield* sealing
      const limits = yield* ownQuota
      const columns = sql.literal(`
        id, organisation_id, environment, url, types, include_record, status, disabled_at, disabled_reason, created_at,
        sequence::text, secrets, coalesce(previous_until > now(), false) as signs_with_both`)
      const within = ({ environment, organisation }: Tenant) =>
        sql`organisation_id = ${organisation} and environment = ${environment}`
      const named = (tenant: Tenant, id: string) => sql`id = ${isUuid(id) ? id : null}::uuid and ${within(tenant)}`

      const rows = (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
        Effect.flatMap(statement, decodeRows)

      const one = (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>, id: string) =>
        Effect.flatMap(rows(statement), ([row]) =>
          row === undefined ? Effect.fail(unknownWebhook(id)) : Effect.succeed(row)
        )

      const count = SqlSchema.single({
        Request: Schema.Struct({ organisation: Schema.String, environment: Environment }),
        Result: Schema.Struct({ count: Schema.Int }),
        execute: (tenant) => sql`
          select count(*)::int as count from webhooks where ${within(tenant)} and disabled_reason is not null`
      })

      const opened = (row: Row) => Effect.orDie(open(row.id, row.secrets))

      return Webhooks.of({
        list: Effect.fn("Webhooks.list")(function* (tenant, { after, take }) {
          const found = yield* rows(sql`
            select ${columns} from webhooks
            where ${within(tenant)} and ${after === undefined ? sql`true` : sql`sequence < ${after}::bigint`}
            order by sequence desc limit ${take}`)
          return found.map(webhookOf)
        }, Effect.orDie),

        get: Effect.fn("Webhooks.get")(function* (tenant, id) {
          return webhookOf(yield* one(sql`select ${columns} from webhooks where ${named(tenant, id)}`, id))
        }, Effect.catchTags(dieOf)),

        create: Effect.fn("Webhooks.create")(function* (tenant, { include_record = false, types, url }) {
          const { environment, organisation } = tenant
          yield* mayCarry(tenant, include_record)
          const id = randomUUID()
          const secret = makeSecret()
          const secrets = yield* seal(id, [secret])
          const refuseBeyondQuota = refuseBeyond(
            limits,
            (limit) => sql`
              select count(*)::int as held from (select from webhooks where ${within(tenant)} limit ${limit}) as used`
          )
          const added = yield* Effect.zipRight(
            refuseBeyondQuota,
            rows(sql`
              insert into webhooks (id, organisation_id, environment, url, types, include_record, secrets)
              values (${id}, ${organisation}, ${environment}, ${url}, ${[...new Set(types)]}::text[], ${include_record},
                ${secrets})
              returning ${columns}`)
          ).pipe(withOrganisationLock(sql, organisation))
          const [row] = added
          return row === undefined
            ? yield* Effect.dieMessage("an inserted row was not returned")
            : { webhook: webhookOf(row), secret }
        }, Effect.catchTags(dieOf)),

        update: Effect.fn("Webhooks.update")(
          function* (tenant, id, { include_record, status, types, url }) {
            const row = yield* one(
              sql`
                update webhooks set
                  url = coalesce(${url ?? null}, url),
                  types = coalesce(${types === undefined ? null : [...new Set(types)]}::text[], types),
                  include_record = coalesce(${include_record ?? null}::boolean, include_record),
                  status = coalesce(${status ?? null}, status),
                  disabled_at = case ${status ?? null}::text when 'active' then null
                    when 'disabled' then coalesce(disabled_at, now()) else disabled_at end,
                  disabled_reason = case ${status ?? null}::text when 'active' then null else disabled_reason end
                where ${named(tenant, id)} returning ${columns}`,
              id
            )
            yield* mayCarry(tenant, row.include_record)
            if (status === "active") {
              yield* deliveries.hasten(row.id)
              yield* Queue.offer(events.due, undefined)
            }
            return webhookOf(row)
          },
          sql.withTransaction,
          allowingLongStatements,
          Effect.catchTags(dieOf)
        ),

        remove: Effect.fn("Webhooks.remove")(
          function* (tenant, id) {
            yield* one(sql`delete from webhooks where ${named(tenant, id)} returning ${columns}`, id)
          },
          allowingLongStatements,
          Effect.catchTags(dieOf)
        ),

        rotateSecret: Effect.fn("Webhooks.rotateSecret")(
          function* (tenant, id) {
            const held = yield* one(
              sql`select ${columns} from webhooks where ${named(tenant, id)} for no key update`,
              id
            )
            const [present] = yield* opened(held)
            const secret = makeSecret()
            const secrets = yield* seal(held.id, present === undefined ? [secret] : [secret, present])
            const row = yield* one(
              sql`
                update webhooks set secrets = ${secrets}, previous_until = now() + ${overlap}::interval
                where ${named(tenant, id)} returning ${columns}`,
              id
            )
            return { webhook: webhookOf(row), secret }
          },
          sql.withTransaction,
          Effect.catchTags(dieOf)
        ),

        disabled: Effect.fn("Webhooks.disabled")(function* ({ environment, organisation }) {
          return (yield* count({ organisation, environment })).count
        }, Effect.orDie),

        signing: Effect.fn("Webhooks.signing")(function* (tenant, id) {
          const row = yield* one(sql`select ${columns} from webhooks where ${named(tenant, id)}`, id)
          const secrets = yield* opened(row)
          return { webhook: webhookOf(row), secrets: row.signs_with_both ? secrets : secrets.slice(0, 1) }
        }, Effect.catchTags(dieOf)),

        rotateEncryption: rotate({
          table: "webhooks",
          column: "secrets",
          key: ["id"],
          associatedDataOf: ([id = ""]) => associatedDataOf(id)
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      })
    })
  )
}

/** Refuses record delivery to callers who may not read records. */
const mayCarry = ({ scopes }: Holder, carriesRecords: boolean) =>
  carriesRecords && !includes(scopes, "records:read")
    ? new Forbidden({
        code: "FORBIDDEN",
        message:
          "include_record: This API key lacks the scope records:read, so no webhook that carries records can be made or changed with it."
      })
    : Effect.void

export const unknownWebhook = (id: string) =>
  new NotFound({ code: "WEBHOOK_NOT_FOUND", message: `There is no webhook with the id "${id}".` })

/** Failures that no caller can do anything about. */
const dieOf = { SqlError: Effect.die, ParseError: Effect.die } as const

const Row = Schema.Struct({
  id: Schema.UUID,
  organisation_id: Schema.UUID,
  environment: Environment,
  url: Schema.String,
  types: Schema.Array(Schema.String),
  include_record: Schema.Boolean,
  status: Schema.Literal("active", "disabled"),
  disabled_at: Schema.NullOr(Schema.DateFromSelf),
  disabled_reason: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf,
  sequence: Schema.String,
  secrets: Schema.String,
  signs_with_both: Schema.Boolean
})
type Row = typeof Row.Type

const isType = Schema.is(EventType)

const decodeRows = Schema.decodeUnknown(Schema.Array(Row))

const webhookOf = (row: Row): Webhook => ({
  id: row.id,
  organisation: row.organisation_id,
  environment: row.environment,
  url: row.url,
  // types that only a later version knows are left out
  types: row.types.filter(isType),
  includeRecord: row.include_record,
  status: row.status,
  disabledAt: row.disabled_at?.toISOString() ?? null,
  disabledReason: row.disabled_reason,
  createdAt: row.created_at.toISOString(),
  sequence: row.sequence
})

const ownQuota = quota({
  setting: "QUOTA_WEBHOOKS",
  fallback: 50,
  most: (limit) => `An organisation has at most ${limit} webhooks in an environment`,
  remedy: "Delete webhooks that are not used any more"
})
