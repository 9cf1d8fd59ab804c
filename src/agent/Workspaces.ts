import { SqlClient, SqlSchema } from "@effect/sql"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { type Conflict, NotFound, Unprocessable } from "../platform/Errors.ts"
import { quota, refuseBeyond } from "../platform/Quota.ts"
import { didYouMean } from "../platform/Spelling.ts"
import { Environment, type Tenant } from "../tenancy/CurrentCaller.ts"
import { withOrganisationLock } from "../tenancy/Organisations.ts"
import { LanguageModel } from "./LanguageModel.ts"
import { fitting } from "./ConfirmationPolicy.ts"
import { ToolCatalogue } from "./ToolCatalogue.ts"
import { type NewWorkspace, Workspace, type WorkspaceChanges } from "./Workspace.ts"

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

      const count = SqlSchema.single({
        Request: TenantKey,
        Result: Schema.Struct({ total: Schema.Int }),
        execute: (tenant) => sql`select count(*)::int as total from workspaces where ${inUse(tenant)}`
      })

      const findPage = SqlSchema.findAll({
        Request: Schema.Struct({ ...TenantKey.fields, limit: Schema.Int, offset: Schema.Int }),
        Result: Row,
        execute: ({ limit, offset, ...tenant }) => sql`
          select ${columns} from workspaces where ${inUse(tenant)}
          order by created_at desc, sequence desc limit ${limit} offset ${offset}`
      })

      const findOne = SqlSchema.findOne({
        Request: Named,
        Result: Row,
        execute: ({ id, ...tenant }) => sql`select ${columns} from workspaces where id = ${id} and ${inUse(tenant)}`
      })

      const insert = SqlSchema.single({
        Request: Schema.Struct({
          ...Named.fields,
          name: Schema.String,
          toolkits: Texts,
          readOnly: Schema.Boolean,
          allow: Texts,
          deny: Texts,
          confirm: Row.fields.confirm,
          instructions: Schema.NullOr(Schema.String),
          model: Schema.NullOr(Schema.String),
          keepContentDays: Schema.Int
        }),
        Result: Row,
        execute: (row) => sql`
          insert into workspaces (id, organisation_id, environment, name, toolkit_filter, read_only, tools_allow,
            tools_deny, confirm, instructions, model, keep_content_days)
          values (${row.id}, ${row.organisation}, ${row.environment}, ${row.name}, ${row.toolkits}::text[],
            ${row.readOnly}, ${row.allow}::text[], ${row.deny}::text[],
            ${row.confirm}, ${row.instructions}, ${row.model}, ${row.keepContentDays})
          returning ${columns}`
      })

      // undefined stays as it is; null removes
      const update = SqlSchema.findOne({
        Request: Schema.Struct({
          ...Named.fields,
          name: Schema.UndefinedOr(Schema.String),
          toolkits: Schema.UndefinedOr(Texts),
          readOnly: Schema.UndefinedOr(Schema.Boolean),
          allow: Schema.UndefinedOr(Texts),
          deny: Schema.UndefinedOr(Texts),
          confirm: Schema.UndefinedOr(Row.fields.confirm),
          instructions: Schema.UndefinedOr(Schema.NullOr(Schema.String)),
          model: Schema.UndefinedOr(Schema.NullOr(Schema.String)),
          keepContentDays: Schema.UndefinedOr(Schema.Int)
        }),
        Result: Row,
        execute: ({ id, instructions, model, ...row }) => sql`
          update workspaces set
            name = coalesce(${row.name ?? null}, name),
            toolkit_filter = coalesce(${row.toolkits ?? null}::text[], toolkit_filter),
            read_only = coalesce(${row.readOnly ?? null}::boolean, read_only),
            tools_allow = coalesce(${row.allow ?? null}::text[], tools_allow),
            tools_deny = coalesce(${row.deny ?? null}::text[], tools_deny),
            confirm = coalesce(${row.confirm ?? null}, confirm),
            instructions = case when ${instructions === undefined} then instructions else ${instructions ?? null} end,
            model = case when ${model === undefined} then model else ${model ?? null} end,
            keep_content_days = coalesce(${row.keepContentDays ?? null}::integer, keep_content_days),
            updated_at = now()
          where id = ${id} and ${inUse(row)} returning ${columns}`
      })

      const markArchived = SqlSchema.findOne({
        Request: Named,
        Result: Row,
        execute: ({ id, ...tenant }) => sql`
          update workspaces set status = 'archived', updated_at = now()
          where id = ${id} and ${inUse(tenant)} returning ${columns}`
      })

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

      const one = (row: Option.Option<Row>, id: string) =>
        Option.isNone(row) ? Effect.fail(unknown(id)) : Effect.succeed(workspaceOf(row.value))

      return Workspaces.of({
        list: Effect.fn("Workspaces.list")(function* ({ environment, organisation }, page, limit) {
          const { total } = yield* count({ organisation, environment })
          const rows = yield* findPage({ organisation, environment, limit, offset: (page - 1) * limit })
          return { workspaces: rows.map(workspaceOf), total }
        }, Effect.orDie),

        get: Effect.fn("Workspaces.get")(
          function* ({ environment, organisation }, id) {
            return yield* one(yield* findOne({ organisation, environment, id }), id)
          },
          Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die })
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
            const add = insert({
              id: randomUUID(),
              organisation,
              environment,
              name,
              toolkits: each(integrations) ?? [],
              readOnly: readOnly ?? false,
              allow: each(tools?.allow) ?? ["*"],
              deny: each(tools?.deny) ?? [],
              confirm,
              instructions: instructions ?? null,
              model: model ?? null,
              keepContentDays: keepContentDays ?? 0
            })
            return workspaceOf(yield* withOrganisationLock(sql, organisation)(Effect.zipRight(refuseBeyondQuota, add)))
          },
          Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die, NoSuchElementException: Effect.die })
        ),

        update: Effect.fn("Workspaces.update")(
          function* ({ environment, organisation }, id, changes) {
            const { confirm, instructions, integrations, keepContentDays, model, name, readOnly, tools } = changes
            yield* refuseUnknown(changes)
            const row = yield* update({
              id,
              organisation,
              environment,
              name,
              toolkits: each(integrations),
              readOnly,
              allow: each(tools?.allow),
              deny: each(tools?.deny),
              confirm,
              instructions,
              model,
              keepContentDays
            })
            return yield* one(row, id)
          },
          Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die })
        ),

        archive: Effect.fn("Workspaces.archive")(
          function* ({ environment, organisation }, id) {
            yield* one(yield* markArchived({ organisation, environment, id }), id)
          },
          Effect.catchTags({ SqlError: Effect.die, ParseError: Effect.die })
        )
      })
    })
  )
}

/** Each text once. */
const each = (texts: ReadonlyArray<string> | undefined) => texts && [...new Set(texts)]

const Texts = Schema.Array(Schema.String)

const TenantKey = Schema.Struct({ organisation: Schema.String, environment: Environment })

const Named = Schema.Struct({ ...TenantKey.fields, id: Schema.String })

const Row = Schema.Struct({
  id: Schema.UUID,
  environment: Environment,
  name: Schema.String,
  toolkit_filter: Texts,
  read_only: Schema.Boolean,
  tools_allow: Texts,
  tools_deny: Texts,
  instructions: Schema.NullOr(Schema.String),
  model: Schema.NullOr(Schema.String),
  confirm: Workspace.fields.confirm,
  keep_content_days: Schema.Int,
  status: Workspace.fields.status,
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})
type Row = typeof Row.Type

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
