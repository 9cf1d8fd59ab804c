import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, type Option, Schema } from "effect"
import { allOriginsOf } from "../tenancy/AllowedOrigins.ts"
import { Environment } from "../tenancy/CurrentCaller.ts"

const Fact = Schema.Struct({
  /** UUID of the workspace. */
  id: Schema.UUID,
  name: Schema.String,
  organisation: Schema.UUID,
  organisationName: Schema.String,
  environment: Environment,
  /** Origins of pages that may call it. */
  allowedOrigins: Schema.Array(Schema.String)
})

/** A workspace as it is known by its address alone. */
export type WorkspaceFact = typeof Fact.Type

/** The workspaces in use, of every organisation: before anybody is known, there is nothing but the address of one. */
export class WorkspaceFacts extends Context.Tag("tributary/agent/WorkspaceFacts")<
  WorkspaceFacts,
  {
    /** By its UUID; undefined finds none. */
    readonly find: (id: string | undefined) => Effect.Effect<Option.Option<WorkspaceFact>>
  }
>() {
  static readonly layer = Layer.effect(
    WorkspaceFacts,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient

      const read = SqlSchema.findOne({
        Request: Schema.NullOr(Schema.UUID),
        Result: Fact,
        execute: (id) => sql`
          select w.id, w.name, w.organisation_id as organisation, o.name as "organisationName", w.environment,
            ${allOriginsOf(sql, "w.environment")} as "allowedOrigins"
          from workspaces w join organisations o on o.id = w.organisation_id
          where w.id = ${id} and w.status = 'active'`
      })

      return WorkspaceFacts.of({ find: Effect.fn("WorkspaceFacts.find")((id) => read(id ?? null), Effect.orDie) })
    })
  )
}
