import { Either, Schema } from "effect"
import type { Account as Org, Doc } from "../../simulation/Account.ts"
import type { Changed, Pushing } from "../../simulation/Pushes.ts"
import type { Reply, SimulatedRequest } from "../../simulation/Simulator.ts"
import { table } from "../../simulation/Table.ts"
import { type Checked, fault, type Fault, missingParam, noData, notJson, ok } from "./Answers.ts"
import { moduleId, moduleNamed } from "./Modules.ts"
import { stampOf } from "./Stamps.ts"

// https://www.zoho.com/crm/developer/docs/api/v8/notifications/overview.html

const operations = ["create", "edit", "delete", "all"]

const hour = 3_600_000

const Given = Schema.Struct({
  channel_id: Schema.Union(Schema.String.pipe(Schema.pattern(/^\d{1,19}$/)), Schema.Int),
  events: Schema.Array(Schema.String),
  channel_expiry: Schema.optional(Schema.NullOr(Schema.String)),
  token: Schema.optional(Schema.String.pipe(Schema.maxLength(50))),
  notify_url: Schema.String
})

const readBody = Schema.decodeUnknownEither(Schema.parseJson(Schema.Struct({ watch: Schema.Array(Schema.Unknown) })), {
  onExcessProperty: "error"
})

const read = Schema.decodeUnknownOption(Given, { onExcessProperty: "error" })

const channels = table(
  "channels",
  Schema.Struct({
    id: Schema.String,
    events: Schema.Array(Schema.String),
    /** Milliseconds since 1970. */
    expiresAt: Schema.Number,
    token: Schema.NullOr(Schema.String),
    url: Schema.String
  })
)

/** A time that is longer than a week from now, or none, silently becomes an hour. */
const expiryOf = ({ now }: Org, given: string | null | undefined): number => {
  const asked = Date.parse(given ?? "")
  return asked > now && asked <= now + 7 * 24 * hour ? asked : now + hour
}

const invalid = (api_name: string) => fault("INVALID_DATA", "invalid data", { api_name })

const isLive = (org: Org, id: string) => (channels.get(org, id)?.expiresAt ?? 0) > org.now

/** Makes a channel, or, where it must be there, puts another in its place. */
const enable = (org: Org, given: unknown, mustBeThere: boolean): Checked<Doc> =>
  Either.gen(function* () {
    const one = yield* Either.fromOption(read(given), () => invalid("watch"))
    const id = String(one.channel_id)
    if (mustBeThere && !isLive(org, id)) return yield* Either.left(invalid("channel_id"))
    const modules = one.events.map((event) => {
      const [name = "", operation = ""] = event.split(".")
      const module = operations.includes(operation) && name !== "Notes" ? moduleNamed(name) : undefined
      return module
    })
    if (modules.length === 0 || modules.includes(undefined)) return yield* Either.left(invalid("events"))
    const expiresAt = expiryOf(org, one.channel_expiry)
    channels.put(org, id, { id, events: one.events, expiresAt, token: one.token ?? null, url: one.notify_url })
    return {
      events: modules.flatMap((module) =>
        module === undefined
          ? []
          : [
              {
                channel_expiry: stampOf(expiresAt),
                resource_uri: `https://www.zohoapis.com/crm/v8/${module.name}`,
                resource_id: moduleId(module),
                resource_name: module.name,
                channel_id: id
              }
            ]
      )
    }
  })

const answer = (results: ReadonlyArray<Checked<Doc>>, message: string, status: number): Reply => {
  const failed = results.find(Either.isLeft)
  return {
    status: failed === undefined ? status : (failed.left.status ?? 400),
    body: {
      watch: results.map(
        Either.match({
          onLeft: ({ code, details, message }: Fault): Doc => ({ code, details, message, status: "error" }),
          onRight: (details): Doc => ({ code: "SUCCESS", details, message, status: "success" })
        })
      )
    }
  }
}

const writing =
  (mustBeThere: boolean) =>
  (org: Org, { text }: SimulatedRequest): Checked<Reply> =>
    Either.map(
      Either.mapLeft(readBody(text), () => (text.includes("watch") ? notJson : noData)),
      ({ watch }) =>
        answer(
          watch.map((one) => enable(org, one, mustBeThere)),
          "Successfully subscribed for actions-watch of the given module",
          mustBeThere ? 200 : 201
        )
    )

export const enabled = writing(false)
export const updated = writing(true)

export const disabled = (org: Org, { query }: SimulatedRequest): Checked<Reply> => {
  const ids = (query.get("channel_ids") ?? "").split(",").filter((id) => id !== "")
  if (ids.length === 0) return Either.left(missingParam("channel_ids"))
  const results = ids.map((id): Checked<Doc> => {
    if (!isLive(org, id)) return Either.left(invalid("channel_ids"))
    channels.remove(org, id)
    return Either.right({ channel_id: id })
  })
  return Either.right(answer(results, "Successfully un-subscribed from actions-watch", 200))
}

/** The channels that are there. */
export const details = (org: Org): Checked<Reply> => {
  const live = channels.all(org).filter(({ id }) => isLive(org, id))
  return Either.right(
    live.length === 0
      ? { status: 204 }
      : ok({
          watch: live.flatMap(({ events, expiresAt, id, token, url }) =>
            events.map((event) => ({
              channel_id: id,
              channel_expiry: stampOf(expiresAt),
              resource_name: event.split(".")[0],
              events: [event],
              notify_url: url,
              token
            }))
          )
        })
  )
}

/** Operations by what subscriptions call them, and by what is sent. */
const happened = ({ after, before }: Changed) =>
  before === undefined
    ? (["create", "insert"] as const)
    : after === undefined
      ? (["delete", "delete"] as const)
      : (["edit", "update"] as const)

const affected = ({ after = {}, before = {} }: Changed) =>
  Object.keys({ ...before, ...after }).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))

export const pushes: Pushing = (org, changed) =>
  changed.flatMap((one) => {
    const [operation, sent] = happened(one)
    return channels
      .all(org)
      .filter(
        ({ events, expiresAt }) =>
          expiresAt > org.now && (events.includes(`${one.type}.${operation}`) || events.includes(`${one.type}.all`))
      )
      .map(({ id, token, url }) => ({
        url,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          server_time: org.now,
          query_params: {},
          module: one.type,
          resource_uri: `https://www.zohoapis.com/crm/v8/${one.type}`,
          ids: [one.id],
          affected_fields: sent === "update" ? [{ [one.id]: affected(one) }] : [],
          operation: sent,
          channel_id: id,
          token
        })
      }))
  })
