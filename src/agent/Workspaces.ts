import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import { randomUUID } from "node:crypto"
import { type Conflict, NotFound, Unprocessable } from "../platform/Errors.ts"
import { quota, refuseBeyond } from "../platform/Quota.ts"
import { didYouMean } from "../platform/Spelling.ts"
import type { Environment, Tenant } from "../tenancy/CurrentCaller.ts"
import { withOrganisationLock } from "../tenancy/OrganisationLock.ts"
import { LanguageModel } from "./LanguageModel.ts"
import { fitting } from "./ConfirmationPolicy.ts"
import { ToolCatalogue } from "./ToolCatalogue.ts"
import type { NewWorkspace, Workspace, WorkspaceChanges } from "./Workspace.ts"

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
      const models = yield* LanguageModel
      const columns = sql.literal(
        "id, environment, name, toolkit_filter, read_only, tools_allow, tools_deny, confirm, instructions, model, keep_content_days, status, created_at, updated_at"
      )
      const inUse = ({ environment, organisation }: Tenant) => sql`
        organisation_id = ${organisation} and environment = ${environment} and status = 'active'`

      /** Refuses integrations and models that this service has not or does not allow, and patterns that fit no tool of it. */
      const refuseUnknown = ({ integrations = [], model, tools = {} }: typeof WorkspaceChanges.Type) => {
        const known = catalogue.toolkits().map(({ slug }) => slug)
        const names = catalogue.tools().map(({ name }) => name)
        const idle = (kind: "allow" | "deny") =>
          (tools[kind] ?? []).flatMap((pattern, i) =>
            names.some(fitting([pattern]))
              ? []
              : [[`tools.${kind}.${i}`, `fits no tool${didYouMean(pattern, names)}`] as const]
          )
        const refusal = typeof model === "string" ? models.refusalOf(model) : undefined
        const errors = [
          ...integrations.flatMap((slug, i) =>
            known.includes(slug)
              ? []
              : [[`integrations.${i}`, `there is no integration "${slug}"; there are ${known.join(", ")}`] as const]
          ),
          ...idle("allow"),
          ...idle("deny"),
          ...(refusal === undefined ? [] : [["model", refusal] as const])
        ]
        return errors.length === 0
          ? Effect.void
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
          function* (tenant, given) {
            const { environment, organisation } = tenant
            const {
              confirm = "destructive",
              integrations,
              instructions,
              keepContentDays,
              model,
              name,
              readOnly,
              tools
            } = given
            yield* refuseUnknown(given)
            const refuseBeyondQuota = refuseBeyond(
              limits,
              (limit) => sql`
                select count(*)::int as held from (select from workspaces where ${inUse(tenant)} limit ${limit}) as used`
            )
            const add = sql<Row>`
              insert into workspaces (id, organisation_id, environment, name, toolkit_filter, read_only, tools_allow,
                tools_deny, confirm, instructions, model, keep_content_days)
              values (${randomUUID()}, ${organisation}, ${environment}, ${name}, ${each(integrations) ?? []}::text[],
                ${readOnly ?? false}, ${each(tools?.allow) ?? ["*"]}::text[], ${each(tools?.deny) ?? []}::text[],
                ${confirm}, ${instructions ?? null}, ${model ?? null}, ${keepContentDays ?? 0})
              returning ${columns}`
            const [row] = yield* withOrganisationLock(sql, organisation)(Effect.zipRight(refuseBeyondQuota, add))
            return row === undefined ? yield* Effect.dieMessage("an inserted row was not returned") : workspaceOf(row)
          },
          Effect.catchTag("SqlError", Effect.die)
        ),

        update: Effect.fn("Workspaces.update")(
          function* (tenant, id, changes) {
            const { confirm, instructions, integrations, keepContentDays, model, name, readOnly, tools } = changes
            yield* refuseUnknown(changes)
            const rows = yield* sql<Row>`
              update workspaces set
                name = coalesce(${name ?? null}, name),
                toolkit_filter = coalesce(${each(integrations) ?? null}::text[], toolkit_filter),
                read_only = coalesce(${readOnly ?? null}::boolean, read_only),
                tools_allow = coalesce(${each(tools?.allow) ?? null}::text[], tools_allow),
                tools_deny = coalesce(${each(tools?.deny) ?? null}::text[], tools_deny),
                confirm = coalesce(${confirm ?? null}, confirm),
                instructions = case when ${instructions === undefined} then instructions else ${instructions ?? null} end,
                model = case when ${model === undefined} then model else ${model ?? null} end,
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

/** Each text once. */
const each = (texts: ReadonlyArray<string> | undefined) => texts && [...new Set(texts)]

interface Row {
  readonly id: string
  readonly environment: Environment
  readonly name: string
  readonly toolkit_filter: ReadonlyArray<string>
  readonly read_only: boolean
  readonly tools_allow: ReadonlyArray<string>
  readonly tools_deny: ReadonlyArray<string>
  readonly instructions: string | null
  readonly model: string | null
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
  readOnly: row.read_only,
  tools: { allow: row.tools_allow, deny: row.tools_deny },
  confirm: row.confirm,
  instructions: row.instructions,
  model: row.model,
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
