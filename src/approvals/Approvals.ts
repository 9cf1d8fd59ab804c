import { SqlClient, SqlSchema } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto"
import { Events } from "../events/Events.ts"
import * as Address from "../platform/Address.ts"
import { canonicalJson } from "../platform/CanonicalJson.ts"
import { Encryption } from "../platform/Encryption.ts"
import { Conflict, NotFound } from "../platform/Errors.ts"
import { type Rotated, rotate } from "../platform/Rotation.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import { Environment, type Tenant } from "../tenancy/CurrentCaller.ts"
import { notErasedSince } from "../tenancy/Erasures.ts"
import { withOrganisationLock } from "../tenancy/Organisations.ts"
import type { Approval, ApprovalStatus, Decision } from "./Api.ts"

/** A call of a tool that needs somebody's consent. */
export interface AskedCall {
  readonly tenant: Tenant
  /** UUID of the workspace. */
  readonly workspace: string
  /** The organisation's own name for the end user. */
  readonly endUser: string
  readonly connection: { readonly id: string; readonly provider: string } | undefined
  readonly tool: string
  readonly title: string
  readonly args: { readonly [name: string]: unknown }
}

/** The state of a call's consent, with its approval. `agreed` is given once: the call has to run now. */
export type Standing =
  | { readonly kind: "agreed"; readonly id: string }
  | { readonly kind: "refused"; readonly id: string }
  | { readonly kind: "asked"; readonly id: string; readonly url: string; readonly expiresAt: string }
  /** Nobody is asked on behalf of an erased end user. */
  | { readonly kind: "erased" }
  /** Too many calls of the end user wait already, so nobody is asked about another. */
  | { readonly kind: "crowded" }

interface Page {
  readonly status?: ApprovalStatus | undefined
  /** Place after which the list continues. */
  readonly after: string | undefined
  readonly take: number
}

const hour = 3_600_000

/** Milliseconds that a call waits for a decision, and that a decision holds. */
const waits = 24 * hour
const holds = hour / 4

/** Most waiting calls of an end user: people do not read more, and an agent may make up any number. */
const mostWaiting = 100

const keptDays = 30

/**
 * Calls that need somebody's consent where the agent's client can ask nobody. Each is recorded with its arguments,
 * encrypted, and the end user decides on the page behind its link, or the organisation does. A decision is for the identical
 * call only (workspace, end user, connection, tool, arguments), once, and holds for 15 minutes.
 */
export class Approvals extends Context.Tag("tributary/approvals/Approvals")<
  Approvals,
  {
    /** Uses up the consent to a call, or asks for it and publishes `approval.requested`, once for the same call. */
    readonly stand: (call: AskedCall) => Effect.Effect<Standing>
    /** Lists approvals, newest first, each with its position. */
    readonly newest: (
      tenant: Tenant,
      page: Page
    ) => Effect.Effect<ReadonlyArray<Approval & { readonly position: string }>>
    readonly get: (tenant: Tenant, id: string) => Effect.Effect<Approval, NotFound>
    readonly decide: (
      tenant: Tenant,
      id: string,
      decision: Decision,
      by: NonNullable<Approval["decidedBy"]>
    ) => Effect.Effect<Approval, NotFound | Conflict>
    /** The approval that the last part of a link leads to; undefined when the link is not one of ours. */
    readonly linked: (token: string) => Effect.Effect<{ readonly tenant: Tenant; readonly id: string } | undefined>
    /** Re-encrypts arguments that are not under the first key. */
    readonly rotateEncryption: Effect.Effect<Rotated>
  }
>() {
  static readonly layer = Layer.scoped(
    Approvals,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const encryption = yield* Encryption
      const events = yield* Events
      const address = yield* Address.publicUrl
      const digests = encryption.derive("approval digests")
      const links = encryption.derive("approval links")

      const prune = Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const oldest = new Date(now - keptDays * 24 * hour)
        return sql`delete from approvals where created_at < ${oldest}`
      })
      yield* runInBackground(prune)

      const columns = sql.literal(
        "id, sequence::text, workspace_id, end_user, connection_id, provider, tool, title, arguments, status, decided_by, created_at, decided_at, expires_at"
      )
      const of = ({ environment, organisation }: Tenant) => sql`
        organisation_id = ${organisation} and environment = ${environment}`

      const digestOf = ({ args, connection, endUser, tool, workspace }: AskedCall) =>
        createHmac("sha256", Redacted.value(digests))
          .update(canonicalJson([workspace, endUser, connection?.id ?? null, tool, args]))
          .digest()

      const macOf = (id: string) => createHmac("sha256", Redacted.value(links)).update(id).digest()
      const urlOf = (id: string) => `${address}/approve/${id}.${macOf(id).toString("base64url")}`

      /** A row as others see it: an approval that was not decided or used in time has expired. */
      const shown = Effect.fnUntraced(function* (row: Row) {
        const now = yield* Clock.currentTimeMillis
        const isOver = row.expires_at.getTime() <= now && (row.status === "pending" || row.status === "approved")
        const args = yield* encryption.decrypt(row.arguments, associatedDataOf(row.id))
        return {
          id: row.id,
          status: isOver ? "expired" : row.status,
          tool: row.tool,
          title: row.title,
          arguments: yield* parse(Redacted.value(args)),
          connectionId: row.connection_id,
          provider: row.provider,
          workspaceId: row.workspace_id,
          endUserId: row.end_user,
          approvalUrl: urlOf(row.id),
          decidedBy: row.decided_by,
          createdAt: row.created_at.toISOString(),
          decidedAt: row.decided_at?.toISOString() ?? null,
          expiresAt: row.expires_at.toISOString()
        } satisfies Approval
      }, Effect.orDie)

      const ofCall = SqlSchema.findOne({
        Request: Schema.Struct({ ...Whose.fields, digest: Schema.instanceOf(Buffer), now: Schema.DateFromSelf }),
        Result: Row.pick("id", "status", "expires_at"),
        execute: ({ digest, now, ...tenant }) => sql`
          select id, status, expires_at from approvals
          where ${of(tenant)} and digest = ${digest} and status <> 'used' and expires_at > ${now}
          order by sequence desc limit 1`
      })

      const find = SqlSchema.findOne({
        Request: Schema.Struct({ ...Whose.fields, id: Schema.String }),
        Result: Row,
        execute: ({ id, ...tenant }) => sql`select ${columns} from approvals where id = ${id} and ${of(tenant)}`
      })

      const findTenant = SqlSchema.findOne({
        Request: Schema.String,
        Result: Whose,
        execute: (id) => sql`select organisation_id as organisation, environment from approvals where id = ${id}`
      })

      const list = SqlSchema.findAll({
        Request: Schema.Struct({
          ...Whose.fields,
          status: Schema.NullOr(Schema.String),
          after: Schema.NullOr(Schema.String),
          take: Schema.Int,
          now: Schema.DateFromSelf
        }),
        Result: Row,
        execute: ({ after, now, status, take, ...tenant }) => sql`
          select ${columns} from approvals
          where ${of(tenant)}
            and (${after}::bigint is null or sequence < ${after}::bigint)
            and (${status}::text is null or ${status} =
              case when status in ('pending', 'approved') and expires_at <= ${now} then 'expired' else status end)
          order by sequence desc limit ${take}`
      })

      const isCrowded = ({ endUser, tenant }: AskedCall, now: Date) =>
        Effect.map(
          sql`
            select from approvals
            where ${of(tenant)} and end_user = ${endUser} and status = 'pending' and expires_at > ${now}
            limit ${mostWaiting}`,
          ({ length }) => length === mostWaiting
        )

      /** Stores nothing, and asks nobody, for an end user who was erased meanwhile. */
      const ask = Effect.fnUntraced(function* (call: AskedCall, digest: Buffer, now: Date) {
        const { args, connection, endUser, tenant, title, tool, workspace } = call
        if (yield* isCrowded(call, now)) return { kind: "crowded" } satisfies Standing
        const id = randomUUID()
        const expiresAt = new Date(now.getTime() + waits)
        const sealed = yield* encryption.encrypt(JSON.stringify(args), associatedDataOf(id))
        const wanted = yield* notErasedSince(sql, { ...tenant, endUserId: endUser })
        const rows = yield* sql`
          insert into approvals (id, organisation_id, environment, workspace_id, end_user, connection_id, provider, tool,
            title, arguments, digest, status, created_at, expires_at)
          select ${id}::uuid, ${tenant.organisation}::uuid, ${tenant.environment}, ${workspace}::uuid, ${endUser},
            ${connection?.id ?? null}::uuid, ${connection?.provider ?? null}::text, ${tool}, ${title}, ${sealed},
            ${digest}::bytea, 'pending', ${now}::timestamptz, ${expiresAt}::timestamptz
          where ${wanted} returning id`
        if (rows.length === 0) return { kind: "erased" } satisfies Standing
        const data = {
          approvalId: id,
          workspaceId: workspace,
          endUserId: endUser,
          connectionId: connection?.id ?? null,
          provider: connection?.provider ?? null,
          tool
        }
        yield* events.publish(tenant, [{ type: "approval.requested", data }])
        return { kind: "asked", id, url: urlOf(id), expiresAt: expiresAt.toISOString() } satisfies Standing
      })

      const stand = (call: AskedCall) =>
        Effect.gen(function* () {
          const { environment, organisation } = call.tenant
          const now = new Date(yield* Clock.currentTimeMillis)
          const digest = digestOf(call)
          const found = yield* ofCall({ organisation, environment, digest, now })
          if (Option.isNone(found)) return yield* ask(call, digest, now)
          const { expires_at, id, status } = found.value
          if (status === "pending") {
            return { kind: "asked", id, url: urlOf(id), expiresAt: expires_at.toISOString() } satisfies Standing
          }
          if (status === "refused") return { kind: "refused", id } satisfies Standing
          yield* sql`update approvals set status = 'used' where id = ${id}`
          return { kind: "agreed", id } satisfies Standing
        })

      const get = Effect.fn("Approvals.get")(
        function* ({ environment, organisation }: Tenant, id: string) {
          const row = yield* find({ organisation, environment, id })
          return Option.isNone(row) ? yield* unknown(id) : yield* shown(row.value)
        },
        Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die })
      )

      return Approvals.of({
        // one after the other, so that the same call made twice at once is asked about once and used once
        stand: Effect.fn("Approvals.stand")(function* (call) {
          return yield* withOrganisationLock(sql, call.tenant.organisation)(stand(call))
        }, Effect.orDie),

        newest: Effect.fn("Approvals.newest")(function* ({ environment, organisation }, { after, status, take }) {
          const now = new Date(yield* Clock.currentTimeMillis)
          const rows = yield* list({
            organisation,
            environment,
            status: status ?? null,
            after: after ?? null,
            take,
            now
          })
          return yield* Effect.forEach(rows, (row) =>
            Effect.map(shown(row), (approval) => ({ ...approval, position: row.sequence }))
          )
        }, Effect.orDie),

        get,

        decide: Effect.fn("Approvals.decide")(
          function* (tenant, id, decision, by) {
            const now = new Date(yield* Clock.currentTimeMillis)
            const rows = yield* sql`
              update approvals set
                status = ${decision === "approve" ? "approved" : "refused"}, decided_by = ${by}, decided_at = ${now},
                expires_at = ${new Date(now.getTime() + holds)}
              where id = ${id} and ${of(tenant)} and status = 'pending' and expires_at > ${now} returning id`
            const approval = yield* get(tenant, id)
            if (rows.length > 0) return approval
            return yield* new Conflict({
              code: "CONFLICT",
              message: `approval ${id} is ${approval.status}: it cannot be decided any more. The agent has to make the call again.`
            })
          },
          Effect.catchTag("SqlError", Effect.die)
        ),

        linked: Effect.fn("Approvals.linked")(function* (token) {
          const [, id = "", mac = ""] = /^([0-9a-f-]{36})\.([A-Za-z0-9_-]{43})$/.exec(token) ?? []
          const given = Buffer.from(mac, "base64url")
          const wanted = macOf(id)
          if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return undefined
          return Option.getOrUndefined(Option.map(yield* findTenant(id), (tenant) => ({ id, tenant })))
        }, Effect.orDie),

        rotateEncryption: rotate({
          table: "approvals",
          column: "arguments",
          key: ["id"],
          associatedDataOf: ([id = ""]) => associatedDataOf(id),
          until: `created_at + interval '${keptDays} days'`
        }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.provideService(Encryption, encryption))
      })
    })
  )
}

const Whose = Schema.Struct({ organisation: Schema.String, environment: Environment })

const Row = Schema.Struct({
  id: Schema.String,
  sequence: Schema.String,
  workspace_id: Schema.String,
  end_user: Schema.String,
  connection_id: Schema.NullOr(Schema.String),
  provider: Schema.NullOr(Schema.String),
  tool: Schema.String,
  title: Schema.String,
  arguments: Schema.String,
  status: Schema.Literal("pending", "approved", "refused", "used"),
  decided_by: Schema.NullOr(Schema.Literal("end_user", "organisation")),
  created_at: Schema.DateFromSelf,
  decided_at: Schema.NullOr(Schema.DateFromSelf),
  expires_at: Schema.DateFromSelf
})
type Row = typeof Row.Type

/** The arguments of a call as they are stored. */
export const parse = Schema.decode(Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown })))

const unknown = (id: string) => new NotFound({ code: "APPROVAL_NOT_FOUND", message: `approval ${id} not found` })

/** The associated data that binds a call's arguments to its row, so that it does not open in another. */
export const associatedDataOf = (id: string) => `approvals/${id}`
