import { SqlClient, SqlSchema } from "@effect/sql"
import { Effect, Layer, Option, Redacted, Schema } from "effect"
import * as Address from "../platform/Address.ts"
import { Encryption } from "../platform/Encryption.ts"
import { Unauthorized } from "../platform/Errors.ts"
import * as SingleFlightCache from "../platform/SingleFlightCache.ts"
import { type Caller, Environment } from "../tenancy/CurrentCaller.ts"
import { EndUserTokens } from "../tenancy/EndUserTokens.ts"
import { nameOf } from "../tenancy/KeyText.ts"
import { grantInForce, grantRows } from "./GrantRows.ts"
import { associatedDataOf, hashOf } from "./OAuthRecords.ts"
import { resourceOf } from "./Resource.ts"

/** `EndUserTokens` over the protocol's records: a token counts while its grant is in force, and within a second no longer. */
export const layer = Layer.scoped(
  EndUserTokens,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const encryption = yield* Encryption
    const grants = yield* grantRows
    const scope = yield* Effect.scope
    const publicUrl = yield* Address.publicUrl
    // also what an unknown token answers: nobody can know one before it is made
    const answers = SingleFlightCache.make<Effect.Effect<Caller, Unauthorized>>({
      capacity: 10_000,
      ttl: SingleFlightCache.recent,
      metric: "access_tokens"
    })

    const find = SqlSchema.findOne({
      Request: Schema.Uint8ArrayFromSelf,
      Result: Found,
      execute: (hash) => sql`
        select r.payload, g.id, g.organisation_id, g.environment, g.workspace_id, g.scopes, g.tools, u.external_id,
          o.mapping_revision::text,
          g.last_used_at is null or g.last_used_at < now() - interval '1 minute' as is_use_due
        from oauth_records r join mcp_grants g on g.id = r.grant_id
        join end_users u on u.id = g.end_user_id join organisations o on o.id = g.organisation_id
        where r.kind = 'AccessToken' and r.hash = ${hash} and r.expires_at > now()
          and exists (select ${grantInForce(sql, sql`g.id = r.grant_id`)})`
    })

    const noteUse = ({ id, is_use_due }: Found) =>
      is_use_due
        ? grants.used(id).pipe(
            Effect.catchAllCause((cause) => Effect.logDebug("the use of a token was not noted", cause)),
            Effect.forkIn(scope)
          )
        : Effect.void

    const read = (hash: Uint8Array) =>
      Effect.gen(function* () {
        const found = yield* find(hash)
        if (Option.isNone(found)) return Effect.fail(new Unauthorized())
        const { payload, ...grant } = found.value
        const claims = yield* ofText(
          Redacted.value(yield* encryption.decrypt(payload, associatedDataOf("AccessToken", hash)))
        )
        if (claims.aud !== resourceOf(publicUrl, grant.workspace_id)) return Effect.fail(new Unauthorized())
        yield* noteUse(found.value)
        const scopes = claims.scope.split(" ").filter((one) => grant.scopes.includes(one))
        return Effect.succeed<Caller>({
          organisation: grant.organisation_id,
          environment: grant.environment,
          key: grant.id,
          scopes: ["agents", "connect"],
          mappingRevision: grant.mapping_revision,
          grant: {
            workspace: grant.workspace_id,
            endUserId: grant.external_id,
            readOnly: !scopes.includes("tools:write"),
            tools: grant.tools
          }
        })
      }).pipe(Effect.orDie)

    return {
      authenticate: (token) => {
        const text = Redacted.value(token)
        if (!form.test(text)) return Effect.fail(new Unauthorized())
        const hash = hashOf(text)
        return Effect.flatten(answers.get(nameOf(hash), read(hash)))
      }
    }
  })
)

/** As the library makes tokens. */
const form = /^[\w-]{43}$/

const ofText = Schema.decode(
  Schema.parseJson(
    Schema.Struct({ aud: Schema.String, scope: Schema.optionalWith(Schema.String, { default: () => "" }) })
  )
)

const Found = Schema.Struct({
  payload: Schema.String,
  id: Schema.UUID,
  organisation_id: Schema.UUID,
  environment: Environment,
  workspace_id: Schema.UUID,
  scopes: Schema.Array(Schema.String),
  tools: Schema.NullOr(Schema.Array(Schema.String)),
  external_id: Schema.String,
  mapping_revision: Schema.String,
  is_use_due: Schema.Boolean
})
type Found = typeof Found.Type
