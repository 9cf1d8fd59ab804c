import { SqlClient, SqlSchema, type Statement } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { Approvals } from "../approvals/Approvals.ts"
import * as Address from "../platform/Address.ts"
import { Conflict, NotFound } from "../platform/Errors.ts"
import { runInBackground } from "../platform/BackgroundJob.ts"
import { Environment, type Tenant } from "../tenancy/CurrentCaller.ts"
import { EndUsers } from "../tenancy/EndUsers.ts"
import { Grants } from "./Grants.ts"
import { hashOf } from "./OAuthRecords.ts"

/** A program that asks for access, as it describes itself. */
export interface Asking {
  readonly workspaceId: string
  readonly clientId: string
  readonly clientName: string
  /** Host that its answers go to. */
  readonly redirectHost: string
  readonly scopes: ReadonlyArray<string>
}

/** A call of a tool that waits for its end user's decision. */
export interface Deciding {
  readonly workspaceId: string
  readonly approvalId: string
}

interface Waiting extends Tenant {
  /** ISO 8601 date-time. */
  readonly expiresAt: string
}

/** A question to the organisation: which end user is using this browser? */
export type Challenge = Asking & Waiting

/** The same for a browser in which an end user decides on a call. */
export type DecidersChallenge = Deciding & Waiting

/** The organisation's answer. `key`: UUID of the key with which it was given; null: somebody picked in the sandbox. */
export type Answer = { readonly key: string | null } & (
  { readonly endUserId: string; readonly displayName?: string | undefined } | { readonly reason: string | undefined }
)

/** The progress of an authorization, or of a decision. */
export type Progress =
  | { readonly step: "grant"; readonly grant: string }
  /** The organisation's own id of the end user who decides. */
  | { readonly step: "named"; readonly endUserId: string }
  | { readonly step: "rejected"; readonly reason: string | undefined }

/**
 * The organisation's own application says who the end user is. A challenge goes there with the browser, and the browser
 * comes back with a verifier. Continuing takes both the verifier and a cookie that names the interaction, so the same
 * browser asked and signed in: sending the link to somebody else achieves nothing.
 */
export class SignIns extends Context.Tag("tributary/authorization/SignIns")<
  SignIns,
  {
    /** Asks in an interaction, voiding earlier questions. Returns the challenge, which is seen only this once. */
    readonly ask: (interaction: string, asking: Asking | Deciding) => Effect.Effect<string>
    /** Finds a challenge that waits for its answer. */
    readonly find: (tenant: Tenant, challenge: string) => Effect.Effect<Challenge | DecidersChallenge, NotFound>
    /** Finds a program's challenge in the sandbox, of any organisation: the caller has to know who may answer there. */
    readonly inSandbox: (challenge: string) => Effect.Effect<Challenge, NotFound>
    /** Answers a challenge, once; returns the address to send the browser to. */
    readonly answer: (tenant: Tenant, challenge: string, answer: Answer) => Effect.Effect<string, NotFound | Conflict>
    /** Takes the answer that belongs to an interaction's verifier, once; undefined when there is none. */
    readonly take: (interaction: string, verifier: string) => Effect.Effect<Progress | undefined>
    /** The organisation's own id of the end user who signed in to decide in an interaction. */
    readonly named: (interaction: string) => Effect.Effect<Option.Option<string>>
    /** The grant that waits for consent in an interaction, with its program's request. */
    readonly waiting: (interaction: string) => Effect.Effect<Option.Option<Challenge & { readonly grant: string }>>
  }
>() {
  static readonly layer = Layer.scoped(
    SignIns,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const endUsers = yield* EndUsers
      const grants = yield* Grants
      const approvals = yield* Approvals
      const publicUrl = yield* Address.publicUrl

      yield* runInBackground(sql`delete from mcp_sign_ins where expires_at < now()`, "10 minutes")

      const select = (where: Statement.Fragment) => sql`
        select w.organisation_id, w.environment, s.workspace_id, s.client_id, s.client_name, s.redirect_host, s.scopes,
          s.state, s.grant_id, s.approval_id, s.expires_at
        from mcp_sign_ins s join workspaces w on w.id = s.workspace_id
        where ${where} and s.expires_at > now() and w.status = 'active'`

      const known = SqlSchema.findOne({
        Request: Schema.Struct({ organisation: Schema.String, environment: Environment, challenge: Schema.String }),
        Result: Row,
        execute: ({ challenge, environment, organisation }) =>
          select(sql`s.challenge_hash = ${hashOf(challenge)} and w.organisation_id = ${organisation}
            and w.environment = ${environment}`)
      })

      const knownInSandbox = SqlSchema.findOne({
        Request: Schema.String,
        Result: ProgramRow,
        execute: (challenge) =>
          select(sql`s.challenge_hash = ${hashOf(challenge)} and w.environment = 'sandbox' and s.approval_id is null`)
      })

      const consenting = SqlSchema.findOne({
        Request: Schema.String,
        Result: ProgramRow,
        execute: (interaction) =>
          select(sql`s.interaction = ${interaction} and s.state = 'used' and s.grant_id is not null`)
      })

      const settled = SqlSchema.findOne({
        Request: Schema.Struct({
          challenge: Schema.String,
          endUser: Schema.NullOr(Schema.String),
          reason: Schema.NullOr(Schema.String),
          key: Schema.NullOr(Schema.String),
          verifier: Schema.String
        }),
        Result: Schema.Struct({ interaction: Schema.String, approval_id: Schema.NullOr(Schema.UUID) }),
        execute: ({ challenge, endUser, key, reason, verifier }) => sql`
          update mcp_sign_ins set state = ${endUser === null ? "rejected" : "accepted"},
            end_user_id = ${endUser}::uuid, reason = ${reason}, api_key_id = ${key}::uuid,
            verifier_hash = ${hashOf(verifier)}
          where challenge_hash = ${hashOf(challenge)} and state = 'waiting' and expires_at > now()
          returning interaction, approval_id`
      })

      const taken = SqlSchema.findOne({
        Request: Schema.Struct({ interaction: Schema.String, verifier: Schema.String }),
        Result: Taken,
        execute: ({ interaction, verifier }) => sql`
          with answered as (
            select challenge_hash, state from mcp_sign_ins
            where interaction = ${interaction} and verifier_hash = ${hashOf(verifier)}
              and state in ('accepted', 'rejected') and expires_at > now() for update
          )
          update mcp_sign_ins s set state = 'used', expires_at = now() + ${decisionTime} * interval '1 second'
          from answered a, workspaces w where s.challenge_hash = a.challenge_hash and w.id = s.workspace_id
          returning a.state, s.reason, s.end_user_id, s.api_key_id, s.workspace_id, s.client_id, s.client_name,
            s.redirect_host, s.scopes, s.approval_id, w.organisation_id, w.environment,
            (select external_id from end_users where id = s.end_user_id) as external_id`
      })

      const signedIn = SqlSchema.findOne({
        Request: Schema.String,
        Result: Schema.Struct({ external_id: Schema.String }),
        execute: (interaction) => sql`
          select u.external_id from mcp_sign_ins s join end_users u on u.id = s.end_user_id
          left join api_keys k on k.id = s.api_key_id
          where s.interaction = ${interaction} and s.state = 'used' and s.approval_id is not null
            and s.expires_at > now() and k.revoked_at is null`
      })

      const find = Effect.fnUntraced(function* ({ environment, organisation }: Tenant, challenge: string) {
        const row = yield* Effect.orDie(known({ organisation, environment, challenge }))
        return yield* Option.match(row, { onNone: () => Effect.fail(unknown), onSome: Effect.succeed })
      })

      return SignIns.of({
        ask: Effect.fn("SignIns.ask")(function* (interaction, asking) {
          const challenge = randomBytes(32).toString("base64url")
          const program = "approvalId" in asking ? undefined : asking
          yield* sql`delete from mcp_sign_ins where interaction = ${interaction}`
          yield* sql`
            insert into mcp_sign_ins (challenge_hash, interaction, workspace_id, client_id, client_name, redirect_host,
              scopes, approval_id, expires_at)
            values (${hashOf(challenge)}, ${interaction}, ${asking.workspaceId}, ${program?.clientId ?? null},
              ${program?.clientName ?? null}, ${program?.redirectHost ?? null}, ${program?.scopes ?? []}::text[],
              ${"approvalId" in asking ? asking.approvalId : null}::uuid, now() + ${answerTime} * interval '1 second')`
          return challenge
        }, Effect.orDie),

        find: Effect.fn("SignIns.find")(function* (tenant, challenge) {
          const row = yield* find(tenant, challenge)
          if (row.state !== "waiting") return yield* unknown
          return row.approval_id === null ? challengeOf(row) : { ...waitingOf(row), approvalId: row.approval_id }
        }),

        inSandbox: Effect.fn("SignIns.inSandbox")(function* (challenge) {
          const row = yield* Effect.orDie(knownInSandbox(challenge))
          return yield* Option.match(
            Option.filter(row, ({ state }) => state === "waiting"),
            { onNone: () => unknown, onSome: (found) => Effect.succeed(challengeOf(found)) }
          )
        }),

        answer: Effect.fn("SignIns.answer")(function* (tenant, challenge, answer) {
          const { state } = yield* find(tenant, challenge)
          if (state !== "waiting") return yield* answered
          const endUser =
            "endUserId" in answer
              ? yield* endUsers.ensure(
                  tenant.organisation,
                  tenant.environment,
                  answer.endUserId,
                  answer.displayName === undefined ? {} : { displayName: answer.displayName }
                )
              : undefined
          const verifier = randomBytes(32).toString("base64url")
          const row = yield* Effect.orDie(
            settled({
              challenge,
              verifier,
              endUser: endUser?.id ?? null,
              reason: "reason" in answer ? (answer.reason ?? null) : null,
              key: answer.key
            })
          )
          if (Option.isNone(row)) return yield* answered
          const { approval_id, interaction } = row.value
          const onward =
            approval_id === null
              ? interactionUrl(publicUrl, interaction)
              : (yield* approvals.get(tenant, approval_id)).approvalUrl
          return `${onward}?verifier=${verifier}`
        }),

        take: Effect.fn("SignIns.take")(function* (interaction, verifier) {
          const row = yield* taken({ interaction, verifier })
          if (Option.isNone(row)) return undefined
          const { api_key_id, end_user_id, external_id, reason, state, ...asked } = row.value
          if (state === "rejected" || end_user_id === null || external_id === null) {
            return { step: "rejected" as const, reason: reason ?? undefined }
          }
          if (asked.approval_id !== null) return { step: "named" as const, endUserId: external_id }
          const grant = yield* grants.begin({
            organisation: asked.organisation_id,
            environment: asked.environment,
            workspaceId: asked.workspace_id,
            endUser: end_user_id,
            origin: "host",
            client: { id: asked.client_id, name: asked.client_name, redirectHost: asked.redirect_host },
            scopes: asked.scopes,
            key: api_key_id,
            lifetime: grantTime
          })
          yield* sql`update mcp_sign_ins set grant_id = ${grant} where interaction = ${interaction} and state = 'used'`
          return { step: "grant" as const, grant }
        }, Effect.orDie),

        named: Effect.fn("SignIns.named")(
          (interaction) =>
            Effect.map(
              signedIn(interaction),
              Option.map(({ external_id }) => external_id)
            ),
          Effect.orDie
        ),

        waiting: Effect.fn("SignIns.waiting")(function* (interaction) {
          const row = yield* consenting(interaction)
          return Option.flatMap(row, (found) =>
            found.grant_id === null ? Option.none() : Option.some({ ...challengeOf(found), grant: found.grant_id })
          )
        }, Effect.orDie)
      })
    })
  )
}

/** Address of the page of an authorization in progress. */
export const interactionUrl = (publicUrl: string, interaction: string) =>
  `${publicUrl}/oauth/interaction/${interaction}`

/** Seconds that the organisation has to say who the end user is. */
const answerTime = 10 * 60

/** Seconds that the end user has to decide, and to connect accounts before that. */
export const decisionTime = 30 * 60

/** Seconds that a grant to a program lasts, however often its tokens are renewed. */
export const grantTime = 90 * 24 * 3600

const unknown = new NotFound({
  code: "AUTHORIZATION_NOT_FOUND",
  message: "There is no authorization with this challenge that waits for an answer; one lasts 10 minutes."
})

const answered = new Conflict({
  code: "CONFLICT",
  message: "This challenge was answered before: each is answered once."
})

/** Columns of every sign-in, whether for a program or an approval. */
const asked = { organisation_id: Schema.UUID, environment: Environment, workspace_id: Schema.UUID }

const ofProgram = Schema.Struct({
  ...asked,
  approval_id: Schema.Null,
  client_id: Schema.String,
  client_name: Schema.String,
  redirect_host: Schema.String,
  scopes: Schema.Array(Schema.String)
})

const ofApproval = Schema.Struct({ ...asked, approval_id: Schema.UUID })

const Progressing = Schema.Struct({
  state: Schema.Literal("waiting", "accepted", "rejected", "used"),
  grant_id: Schema.NullOr(Schema.UUID),
  expires_at: Schema.DateFromSelf
})

const ProgramRow = Schema.extend(ofProgram, Progressing)
const ApprovalRow = Schema.extend(ofApproval, Progressing)
const Row = Schema.Union(ProgramRow, ApprovalRow)

const Taken = Schema.extend(
  Schema.Union(ofProgram, ofApproval),
  Schema.Struct({
    state: Schema.Literal("accepted", "rejected"),
    reason: Schema.NullOr(Schema.String),
    end_user_id: Schema.NullOr(Schema.UUID),
    external_id: Schema.NullOr(Schema.String),
    api_key_id: Schema.NullOr(Schema.UUID)
  })
)

const waitingOf = (row: typeof Row.Type) => ({
  organisation: row.organisation_id,
  environment: row.environment,
  workspaceId: row.workspace_id,
  expiresAt: row.expires_at.toISOString()
})

const challengeOf = (row: typeof ProgramRow.Type): Challenge => ({
  ...waitingOf(row),
  clientId: row.client_id,
  clientName: row.client_name,
  redirectHost: row.redirect_host,
  scopes: row.scopes
})
