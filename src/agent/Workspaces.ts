import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { type Conflict, NotFound, Unprocessable } from "../platform/Errors.ts"
import { quota, refuseBeyond } from "../platform/Quota.ts"
import type { Environment, Tenant } from "../tenancy/CurrentCaller.ts"
import { inTurn } from "../tenancy/InTurn.ts"
import type { NewWorkspace, Workspace, WorkspaceChanges } from "./Api.ts"
import { ToolCatalogue } from "./ToolCatalogue.ts"

/** The workspaces in use. An archived one, and another organisation's or environment's, is not there. */
export class Workspaces extends Context.Tag("tributary/agent/Workspaces")<
  Workspaces,
  {
    /** A page, newest first, and how many there are in all. */
    readonly list: (
      tenant: Tenant,
      page: number,
      limit: number
    ) => Effect.Effect<{ readonly workspaces: ReadonlyArray<Workspace>; readonly total: number }>
    readonly get: (tenant: Tenant, id: string) => Effect.Effect<Workspace, NotFound>
    /** Fails with `QUOTA_EXCEEDED` when the organisation has as many as it may. */
    readonly create: (
      tenant: Tenant,
      given: typeof NewWorkspace.Type
    ) => Effect.Effect<Workspace, Conflict | Unprocessable>
    readonly update: (
      tenant: Tenant,
      id: string,
      changes: typeof WorkspaceChanges.Type
    ) => Effect.Effect<Workspace, NotFound | Unprocessable>
    readonly archive: (tenant: Tenant, id: string) => Effect.Effect<void, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    Workspaces,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const catalogue = yield* ToolCatalogue
      const limits = yield* ownQuota
      const columns = sql.literal(
        "id, environment, name, toolkit_filter, confirm, keep_content_days, status, created_at, updated_at"
      )
      const inUse = ({ environment, organisation }: Tenant) => sql`
        organisation_id = ${organisation} and environment = ${environment} and status = 'active'`

      /** Each integration once; refuses what this service has not. */
      const filterOf = (integrations: ReadonlyArray<string>) => {
        const known = catalogue.toolkits().map(({ slug }) => slug)
        const errors = integrations.flatMap((slug, i) =>
          known.includes(slug)
            ? []
            : [[`integrations.${i}`, `there is no integration "${slug}"; there are ${known.join(", ")}`] as const]
        )
        return errors.length === 0
          ? Effect.succeed([...new Set(integrations)])
          : Effect.fail(new Unprocessable({ errors: Object.fromEntries(errors) }))
      }

      const one = (rows: ReadonlyArray<Row>, id: string) => {
        const [row] = rows
        return row === undefined ? Effect.fail(unknown(id)) : Effect.succeed(workspaceOf(row))
      }

      return Workspaces.of({
        list: Effect.fn("Workspaces.list")(function* (tenant, page, limit) {
          const [counted] = yield* sql<{ readonly total: number }>`
            select count(*)::int as total from workspaces where ${inUse(tenant)}`
          const rows = yield* sql<Row>`
            select ${columns} from workspaces where ${inUse(tenant)}
            order by created_at desc, sequence desc limit ${limit} offset ${(page - 1) * limit}`
          return { workspaces: rows.map(workspaceOf), total: counted?.total ?? 0 }
        }, Effect.orDie),

        get: Effect.fn("Workspaces.get")(
          function* (tenant, id) {
            return yield* one(
              yield* sql<Row>`select ${columns} from workspaces where id = ${id} and ${inUse(tenant)}`,
              id
            )
          },
          Effect.catchTag("SqlError", Effect.die)
        ),

        create: Effect.fn("Workspaces.create")(
          function* (tenant, { confirm = "destructive", integrations = [], keepContentDays = 0, name }) {
            const { environment, organisation } = tenant
            const filter = yield* filterOf(integrations)
            const refuseBeyondQuota = refuseBeyond(
              limits,
              (limit) => sql`
                select count(*)::int as held from (select from workspaces where ${inUse(tenant)} limit ${limit}) as used`
            )
            const add = sql<Row>`
              insert into workspaces (id, organisation_id, environment, name, toolkit_filter, confirm, keep_content_days)
              values (${randomUUID()}, ${organisation}, ${environment}, ${name}, ${filter}::text[],
                      ${confirm}, ${keepContentDays})
              returning ${columns}`
            const [row] = yield* inTurn(sql, organisation)(Effect.zipRight(refuseBeyondQuota, add))
            return row === undefined ? yield* Effect.dieMessage("an inserted row was not returned") : workspaceOf(row)
          },
          Effect.catchTag("SqlError", Effect.die)
        ),

        update: Effect.fn("Workspaces.update")(
          function* (tenant, id, { confirm, integrations, keepContentDays, name }) {
            const filter = integrations === undefined ? null : yield* filterOf(integrations)
            const rows = yield* sql<Row>`
              update workspaces set
                name = coalesce(${name ?? null}, name),
                toolkit_filter = coalesce(${filter}::text[], toolkit_filter),
                confirm = coalesce(${confirm ?? null}, confirm),
                keep_content_days = coalesce(${keepContentDays ?? null}::integer, keep_content_days),
                updated_at = now()
              where id = ${id} and ${inUse(tenant)} returning ${columns}`
            return yield* one(rows, id)
          },
          Effect.catchTag("SqlError", Effect.die)
        ),

        archive: Effect.fn("Workspaces.archive")(
          function* (tenant, id) {
            yield* one(
              yield* sql<Row>`
                update workspaces set status = 'archived', updated_at = now()
                where id = ${id} and ${inUse(tenant)} returning ${columns}`,
              id
            )
          },
          Effect.catchTag("SqlError", Effect.die)
        )
      })
    })
  )
}

interface Row {
  readonly id: string
  readonly environment: Environment
  readonly name: string
  readonly toolkit_filter: ReadonlyArray<string>
  readonly confirm: Workspace["confirm"]
  readonly keep_content_days: number
  readonly status: Workspace["status"]
  readonly created_at: Date
  readonly updated_at: Date
}

const workspaceOf = (row: Row): Workspace => ({
  id: row.id,
  name: row.name,
  mode: "router",
  environment: row.environment,
  toolkitFilter: row.toolkit_filter,
  status: row.status,
  confirm: row.confirm,
  keepContentDays: row.keep_content_days,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString()
})

const unknown = (id: string) => new NotFound({ code: "WORKSPACE_NOT_FOUND", message: `workspace ${id} not found` })

const ownQuota = quota({
  setting: "QUOTA_WORKSPACES",
  fallback: 1000,
  most: (limit) => `An organisation has at most ${limit} workspaces in an environment`,
  remedy: "Archive workspaces that are not used any more"
})
