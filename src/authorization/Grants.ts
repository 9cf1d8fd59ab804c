import { SqlClient, SqlSchema, type Statement } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { NotFound } from "../platform/Errors.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import { isUuid } from "../platform/Uuid.ts"
import { Environment, type Tenant } from "../tenancy/CurrentCaller.ts"
import { grantInForce } from "./OAuthRecords.ts"

/** Leave to use a workspace as an end user. */
export interface Grant extends Tenant {
  readonly id: string
  readonly workspaceId: string
  readonly workspaceName: string
  /** UUID of the end user. */
  readonly endUser: string
  /** The organisation's own id of the end user. */
  readonly endUserId: string
  /** `host`: the end user gave it to a program of theirs; `organisation`: it was made with an API key. */
  readonly origin: "host" | "organisation"
  readonly clientName: string | null
  /** Host that the program's answers go to. */
  readonly redirectHost: string | null
  readonly scopes: ReadonlyArray<string>
  /** Names; null for all of the workspace's. */
  readonly tools: ReadonlyArray<string> | null
  /** ISO 8601 date-times. */
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly expiresAt: string
  readonly revokedAt: string | null
}

export interface NewGrant extends Tenant {
  readonly workspaceId: string
  /** UUID of the end user. */
  readonly endUser: string
  readonly origin: Grant["origin"]
  readonly client?: { readonly id: string; readonly name: string; readonly redirectHost: string }
  readonly scopes: ReadonlyArray<string>
  readonly tools?: ReadonlyArray<string> | undefined
  /** UUID of the key with which it ends. */
  readonly key: string | null
  /** Seconds; what an organisation makes ends no later than its key. */
  readonly lifetime: number
}

/** Which grants: at most `take`, older than the one with the id `after`; of one end user where they are named. */
export interface GrantPart {
  readonly after?: string | undefined
  readonly endUserId?: string | undefined
  readonly take: number
}

/** The grants: who lets which program use which workspace. */
export class Grants extends Context.Tag("tributary/authorization/Grants")<
  Grants,
  {
    /** Makes a grant that is not in force before `consent`; gives its UUID. */
    readonly begin: (grant: NewGrant) => Effect.Effect<string>
    /** Puts a grant in force, with these scopes in place of those that it was begun with. */
    readonly consent: (id: string, scopes?: ReadonlyArray<string>) => Effect.Effect<Option.Option<Grant>>
    /** Whether it is in force or not. */
    readonly find: (id: string) => Effect.Effect<Option.Option<Grant>>
    /** Newest first, those that ended included. */
    readonly list: (tenant: Tenant, part: GrantPart) => Effect.Effect<ReadonlyArray<Grant>>
    /** Those of an end user, by UUID, that are in force. */
    readonly inForce: (endUser: string) => Effect.Effect<ReadonlyArray<Grant>>
    /** Ends a grant with every token of it. Ending it again changes nothing. */
    readonly end: (tenant: Tenant, id: string) => Effect.Effect<Grant, NotFound>
  }
>() {
  static readonly layer = Layer.scoped(
    Grants,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(`g.id, g.organisation_id, g.environment, g.workspace_id, w.name as workspace_name,
        g.end_user_id, u.external_id, g.origin, g.client_name, g.redirect_host, g.scopes, g.tools, g.created_at,
        g.last_used_at, g.expires_at, g.revoked_at`)

      // an authorization that was not finished leaves nothing; what ended stays listed for a while
      yield* runInBackground(sql`
        delete from mcp_grants where expires_at < now() - interval '30 days'
          or revoked_at < now() - interval '90 days'
          or (consented_at is null and created_at < now() - interval '1 hour')`)

      const select = (where: Statement.Fragment) => sql`
        select ${columns} from mcp_grants g join workspaces w on w.id = g.workspace_id
        join end_users u on u.id = g.end_user_id where ${where}`

      const one = SqlSchema.findOne({
        Request: Schema.UUID,
        Result: Row,
        execute: (id) => select(sql`g.id = ${id}`)
      })

      const page = SqlSchema.findAll({
        Request: Schema.Struct({
          organisation: Schema.String,
          environment: Environment,
          after: Schema.NullOr(Schema.String),
          endUserId: Schema.NullOr(Schema.String),
          take: Schema.Int
        }),
        Result: Row,
        execute: ({ after, endUserId, environment, organisation, take }) => sql`
          ${select(sql`
            g.organisation_id = ${organisation} and g.environment = ${environment} and g.consented_at is not null
            and (${endUserId}::text is null or u.external_id = ${endUserId})
            and (${after}::uuid is null or (g.created_at, g.id) < (
              select created_at, id from mcp_grants where id = ${after}::uuid and organisation_id = ${organisation}))`)}
          order by g.created_at desc, g.id desc limit ${take}`
      })

      const held = SqlSchema.findAll({
        Request: Schema.UUID,
        Result: Row,
        execute: (endUser) => sql`
          ${select(sql`g.id in (select g.id ${grantInForce(sql, sql`g.end_user_id = ${endUser}`)})`)}
          order by g.created_at desc, g.id desc limit 100`
      })

      return Grants.of({
        begin: Effect.fn("Grants.begin")(function* (grant) {
          const id = randomUUID()
          yield* sql`
            insert into mcp_grants (id, organisation_id, environment, workspace_id, end_user_id, origin, client_id,
              client_name, redirect_host, scopes, tools, api_key_id, expires_at)
            select ${id}::uuid, ${grant.organisation}::uuid, ${grant.environment}, ${grant.workspaceId}::uuid,
              ${grant.endUser}::uuid, ${grant.origin}, ${grant.client?.id ?? null}, ${grant.client?.name ?? null},
              ${grant.client?.redirectHost ?? null}, ${grant.scopes}::text[], ${grant.tools ?? null}::text[],
              ${grant.key}::uuid,
              least(now() + ${grant.lifetime} * interval '1 second',
                (select expires_at from api_keys where id = ${grant.key}::uuid and ${grant.origin} = 'organisation'))`
          return id
        }, Effect.orDie),

        consent: Effect.fn("Grants.consent")(function* (id, scopes) {
          yield* sql`
            update mcp_grants
            set consented_at = coalesce(consented_at, now()), scopes = coalesce(${scopes ?? null}::text[], scopes)
            where id = ${id} and revoked_at is null`
          return Option.map(yield* one(id), grantOf)
        }, Effect.orDie),

        find: Effect.fn("Grants.find")((id) => Effect.map(one(id), Option.map(grantOf)), Effect.orDie),

        list: Effect.fn("Grants.list")(function* ({ environment, organisation }, { after, endUserId, take }) {
          const rows = yield* page({
            organisation,
            environment,
            after: after ?? null,
            endUserId: endUserId ?? null,
            take
          })
          return rows.map(grantOf)
        }, Effect.orDie),

        inForce: Effect.fn("Grants.inForce")(
          (endUser) => Effect.map(held(endUser), (rows) => rows.map(grantOf)),
          Effect.orDie
        ),

        end: Effect.fn("Grants.end")(
          function* ({ environment, organisation }, id) {
            const ended = isUuid(id)
              ? yield* sql`
                  update mcp_grants set revoked_at = coalesce(revoked_at, now())
                  where id = ${id} and organisation_id = ${organisation} and environment = ${environment} returning 1`
              : []
            if (ended.length === 0) return yield* unknown(id)
            yield* sql`delete from oauth_records where grant_id = ${id}`
            return yield* Effect.flatMap(one(id), Option.map(grantOf))
          },
          Effect.catchTags({
            SqlError: Effect.die,
            ParseError: Effect.die,
            NoSuchElementException: Effect.die
          })
        )
      })
    })
  )
}

const unknown = (id: string) =>
  new NotFound({ code: "GRANT_NOT_FOUND", message: `There is no grant with the id "${id}".` })

const NullableText = Schema.NullOr(Schema.String)

const Row = Schema.Struct({
  id: Schema.UUID,
  organisation_id: Schema.UUID,
  environment: Environment,
  workspace_id: Schema.UUID,
  workspace_name: Schema.String,
  end_user_id: Schema.UUID,
  external_id: Schema.String,
  origin: Schema.Literal("host", "organisation"),
  client_name: NullableText,
  redirect_host: NullableText,
  scopes: Schema.Array(Schema.String),
  tools: Schema.NullOr(Schema.Array(Schema.String)),
  created_at: Schema.DateFromSelf,
  last_used_at: Schema.NullOr(Schema.DateFromSelf),
  expires_at: Schema.DateFromSelf,
  revoked_at: Schema.NullOr(Schema.DateFromSelf)
})

const grantOf = (row: typeof Row.Type): Grant => ({
  id: row.id,
  organisation: row.organisation_id,
  environment: row.environment,
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  endUser: row.end_user_id,
  endUserId: row.external_id,
  origin: row.origin,
  clientName: row.client_name,
  redirectHost: row.redirect_host,
  scopes: row.scopes,
  tools: row.tools,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
  expiresAt: row.expires_at.toISOString(),
  revokedAt: row.revoked_at?.toISOString() ?? null
})
