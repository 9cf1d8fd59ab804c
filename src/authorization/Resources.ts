import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import * as Address from "../platform/Address.ts"
import { Environment } from "../tenancy/CurrentCaller.ts"
import { workspaceOf } from "./Resource.ts"

const Resource = Schema.Struct({
  /** UUID of the workspace. */
  id: Schema.UUID,
  name: Schema.String,
  organisation: Schema.UUID,
  organisationName: Schema.String,
  environment: Environment,
  /** Origins of pages that may call it. */
  allowedOrigins: Schema.Array(Schema.String)
})

/** A workspace as what tokens are for. */
export type Resource = typeof Resource.Type

/** The workspaces in use, of every organisation: a host knows nothing but the address of one. */
export class Resources extends Context.Tag("tributary/authorization/Resources")<
  Resources,
  {
    readonly find: (workspaceId: string) => Effect.Effect<Option.Option<Resource>>
    /** The workspace that the resource of an authorization names, where it is one of this service's. */
    readonly named: (resource: unknown) => Effect.Effect<Option.Option<Resource>>
  }
>() {
  static readonly layer = Layer.effect(
    Resources,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const publicUrl = yield* Address.publicUrl

      const read = SqlSchema.findOne({
        Request: Schema.NullOr(Schema.UUID),
        Result: Resource,
        execute: (id) => sql`
          select w.id, w.name, w.organisation_id as organisation, o.name as "organisationName", w.environment,
            o.allowed_origins as "allowedOrigins"
          from workspaces w join organisations o on o.id = w.organisation_id
          where w.id = ${id} and w.status = 'active'`
      })

      return Resources.of({
        find: Effect.fn("Resources.find")((id) => read(id), Effect.orDie),
        named: Effect.fn("Resources.named")((resource) => read(workspaceOf(publicUrl, resource) ?? null), Effect.orDie)
      })
    })
  )
}
