import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option } from "effect"
import { randomUUID } from "node:crypto"
import { NotFound } from "../platform/Errors.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import { isUuid } from "../platform/Uuid.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { type GrantRow, grantRows, type NewGrant } from "./GrantRows.ts"
import { removedOf } from "./OAuthRecords.ts"

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
      const rows = yield* grantRows

      yield* runInBackground(rows.prune)

      return Grants.of({
        begin: Effect.fn("Grants.begin")(function* (grant) {
          const id = randomUUID()
          yield* rows.insert(id, grant)
          return id
        }, Effect.orDie),

        consent: Effect.fn("Grants.consent")(function* (id, scopes) {
          yield* rows.consent(id, scopes)
          return Option.map(yield* rows.one(id), grantOf)
        }, Effect.orDie),

        find: Effect.fn("Grants.find")((id) => Effect.map(rows.one(id), Option.map(grantOf)), Effect.orDie),

        list: Effect.fn("Grants.list")(function* ({ environment, organisation }, { after, endUserId, take }) {
          const found = yield* rows.page({
            organisation,
            environment,
            after: after ?? null,
            endUserId: endUserId ?? null,
            take
          })
          return found.map(grantOf)
        }, Effect.orDie),

        inForce: Effect.fn("Grants.inForce")(
          (endUser) => Effect.map(rows.inForce(endUser), (found) => found.map(grantOf)),
          Effect.orDie
        ),

        end: Effect.fn("Grants.end")(
          function* ({ environment, organisation }, id) {
            const ended = isUuid(id) ? yield* rows.end(id, { organisation, environment }) : []
            if (ended.length === 0) return yield* unknown(id)
            yield* removedOf(sql, id)
            return yield* Effect.flatMap(rows.one(id), Option.map(grantOf))
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

const grantOf = (row: GrantRow): Grant => ({
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
