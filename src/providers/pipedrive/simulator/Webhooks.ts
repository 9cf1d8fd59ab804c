import { Either, Schema } from "effect"
import { accountNumber } from "../../simulation/AccountNumber.ts"
import type { Changed, Pushing } from "../../simulation/Pushes.ts"
import { table } from "../../simulation/Table.ts"
import { failure, ok } from "./Answers.ts"
import { v1 } from "./Limits.ts"
import { me } from "./Settings.ts"

// Routes: https://developers.pipedrive.com/docs/api/v1/Webhooks
// The body is described at https://pipedrive.readme.io/docs/guide-for-webhooks-v2

/** The objects that webhooks are about, by where their records are. */
const objects: { readonly [kind: string]: string } = {
  activities: "activity",
  deals: "deal",
  leads: "lead",
  notes: "note",
  organizations: "organization",
  persons: "person"
}

const Text = Schema.NullOr(Schema.String)

const given = {
  subscription_url: Schema.String.pipe(Schema.filter((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ""))),
  event_action: Schema.Literal("create", "change", "delete", "*"),
  event_object: Schema.Literal(...Object.values(objects), "pipeline", "product", "stage", "user", "*"),
  name: Schema.String.pipe(Schema.maxLength(255))
}

const Body = Schema.Struct({
  ...given,
  user_id: Schema.optional(Schema.Int),
  http_auth_user: Schema.optional(Text),
  http_auth_password: Schema.optional(Text),
  // the older form is not made here
  version: Schema.optional(Schema.Literal("2.0"))
})

const webhooks = table(
  "webhooks",
  Schema.Struct({
    id: Schema.Int,
    company_id: Schema.Int,
    owner_id: Schema.Int,
    user_id: Schema.Int,
    admin_id: Schema.Int,
    ...given,
    version: Schema.Literal("2.0"),
    is_active: Schema.Literal(1),
    add_time: Schema.String,
    remove_time: Schema.Null,
    type: Schema.Literal("application"),
    http_auth_user: Text,
    http_auth_password: Text,
    remove_reason: Schema.Null,
    last_delivery_time: Schema.Null,
    last_http_status: Schema.Null
  })
)

const read = Schema.decodeUnknownEither(Schema.parseJson(Body), { onExcessProperty: "error" })

const refused = {
  status: 400,
  body: { status: "error", success: false, errors: { subscription_url: ["invalid or non-reachable URL"] } }
}

export const webhookRoutes = [
  ...v1("GET", "webhooks", 10, (_, account) => Either.right(ok(webhooks.all(account)))),
  ...v1("POST", "webhooks", 10, ({ text }, account) =>
    Either.mapBoth(read(text), {
      onLeft: () => refused,
      onRight: ({ http_auth_password = null, http_auth_user = null, user_id = me.id, ...body }) => {
        const id = account.nextId()
        const webhook = {
          ...body,
          id,
          company_id: accountNumber(account, 8),
          owner_id: me.id,
          admin_id: me.id,
          user_id,
          version: "2.0" as const,
          is_active: 1 as const,
          add_time: new Date(account.now).toISOString(),
          remove_time: null,
          type: "application" as const,
          http_auth_user,
          http_auth_password,
          remove_reason: null,
          last_delivery_time: null,
          last_http_status: null
        }
        webhooks.put(account, String(id), webhook)
        return ok(webhook, undefined, 201)
      }
    })
  ),
  ...v1("DELETE", "webhooks/:id", 6, ({ params: { id = "" } }, account) => {
    if (webhooks.get(account, id) === undefined) return Either.left(failure(404, "Webhook not found"))
    webhooks.remove(account, id)
    return Either.right({ status: 200, body: { status: "ok", success: true } })
  })
]

const isGone = ({ after }: Changed) => after === undefined || after.is_deleted === true || after.active_flag === false

const actionOf = (one: Changed) => (isGone(one) ? "delete" : one.before === undefined ? "create" : "change")

/** Members of a record that differ from before. */
const previousOf = ({ after = {}, before }: Changed) =>
  before === undefined
    ? null
    : Object.fromEntries(
        Object.entries(before).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(after[name]))
      )

export const pushes: Pushing = (account, changed) =>
  changed.flatMap((one) => {
    const entity = objects[one.type]
    const action = actionOf(one)
    const told = webhooks
      .all(account)
      .filter(
        ({ event_action, event_object }) =>
          (event_object === "*" || event_object === entity) && (event_action === "*" || event_action === action)
      )
    if (entity === undefined) return []
    return told.map(({ http_auth_password, http_auth_user, id, subscription_url }) => ({
      url: subscription_url,
      headers: {
        "content-type": "application/json",
        ...(http_auth_user === null
          ? {}
          : {
              authorization: `Basic ${Buffer.from(`${http_auth_user}:${http_auth_password ?? ""}`).toString("base64")}`
            })
      },
      body: JSON.stringify({
        meta: {
          action,
          attempt: 1,
          change_source: "api",
          company_id: String(accountNumber(account, 8)),
          correlation_id: crypto.randomUUID(),
          entity,
          entity_id: one.id,
          id: crypto.randomUUID(),
          is_bulk_edit: false,
          permitted_user_ids: [String(me.id)],
          timestamp: new Date(account.now).toISOString(),
          type: "application",
          user_id: String(me.id),
          version: "2.0",
          webhook_id: String(id),
          webhook_owner_id: String(me.id)
        },
        data: isGone(one) ? null : one.after,
        previous: previousOf(one)
      })
    }))
  })
