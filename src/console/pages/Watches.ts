import { HttpLayerRouter } from "@effect/platform"
import { Clock, Duration, Effect, Schema } from "effect"
import { Integrations } from "../../connections/Integrations.ts"
import { cursorsOf } from "../../platform/Cursors.ts"
import type { FollowedConnection, WatchRecord } from "../../watches/Api.ts"
import { followedOf, watchRecords } from "../../watches/Report.ts"
import { FollowedPosition, Watches } from "../../watches/Watches.ts"
import { html } from "../Html.ts"
import { empty, icon, pages, table, time } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { visits } from "../Visits.ts"

const Query = Schema.Struct({
  cursor: Schema.optional(Schema.String)
}).annotations({ parseOptions: { errors: "all", onExcessProperty: "error" } })

const pageSize = 50

const cursors = cursorsOf(FollowedPosition)

type WatchRecord = typeof WatchRecord.Type
type NameOf = (slug: string) => string

const none = html`<span class="note">–</span>`

/** A length of time in seconds, in words. */
const lengthOf = (seconds: number) => Duration.format(Duration.seconds(seconds))

const watchedView = ({ following, interval, providers, resources }: WatchRecord, nameOf: NameOf) => html`
  <p>
    At ${providers === null ? "all providers" : providers.map(nameOf).join(", ")}, every ${lengthOf(interval ?? 0)}
    where their limits allow it.
  </p>
  ${table(
    "Watched resources",
    ["Resource", "Watched since", "Not listed by"],
    resources.map(({ resource, since }) => {
      const lacking = following.filter(({ lacks }) => lacks.includes(resource))
      return [
        html`<code class="name">${resource}</code>`,
        time(since),
        lacking.length === 0 ? none : lacking.map(({ provider }) => nameOf(provider)).join(", ")
      ]
    })
  )}
`

const states = {
  first_walk: html`<span class="state soft">Reading what is there</span>`,
  following: html`<span class="state good">${icon("check")} Following</span>`,
  paused: html`<span class="state warn">${icon("warning")} Paused</span>
    <span class="note">until the end user connects again</span>`
}

const intervalOf = ({ following }: WatchRecord, { provider, resource }: FollowedConnection) => {
  const found = following
    .find((one) => one.provider === provider)
    ?.resources.find((followed) => followed.resource === resource)
  return found === undefined
    ? none
    : html`${lengthOf(found.interval)}
        <span class="note">${lengthOf(found.idleInterval)} when quiet</span>
        ${found.how === "walk" && html`<span class="note">reads the whole list</span>`}`
}

const followedView = (visit: Visit, watch: WatchRecord, shown: ReadonlyArray<FollowedConnection>, nameOf: NameOf) =>
  table(
    "Watched connections",
    ["Connection", "Resource", "State", "Interval", "Lag", "Last poll"],
    shown.map((one) => [
      html`<span class="name">${nameOf(one.provider)}</span>
        <span class="note">
          <a href="${visit.root}/end-users?search=${encodeURIComponent(one.endUserId)}">${one.endUserId}</a>
        </span>`,
      html`<code>${one.resource}</code>`,
      html`${states[one.state]}
      ${one.error !== null && html`<span class="state bad">${icon("warning")} ${one.error}</span>`}`,
      intervalOf(watch, one),
      lengthOf(one.lag),
      html`${one.polledAt === null ? "None yet" : time(one.polledAt)} <span class="note">next ${time(one.dueAt)}</span>`
    ])
  )

const listView = (given: {
  readonly visit: Visit
  readonly watch: WatchRecord
  readonly shown: ReadonlyArray<FollowedConnection>
  readonly isFirst: boolean
  /** Cursor of the next page. */
  readonly next: string | undefined
  readonly nameOf: NameOf
}) => {
  const { isFirst, nameOf, next, shown, visit, watch } = given
  return html`
    <h1>Watches</h1>
    <p class="lede">What is watched for changes, which are told as <a href="${visit.root}/events">events</a>.</p>
    ${
      watch.resources.length === 0
        ? empty(
            "Nothing is watched",
            html`Say what to watch with <code>PUT /watches</code>, and how far each connection is followed shows up
              here.`
          )
        : html`
            ${isFirst && watchedView(watch, nameOf)}
            <h2>How far connections are followed</h2>
            <p class="lede">
              The newest connections first. Changes of the time that a connection lags behind may not have been told
              yet. A poll that fails is tried again by itself.
            </p>
            ${
              shown.length === 0
                ? empty("No connection is followed yet", "Those that can be watched show up here once they are polled.")
                : followedView(visit, watch, shown, nameOf)
            }
          `
    }
    ${pages(`${visit.root}/watches`, {}, !isFirst && {}, next !== undefined && { cursor: next })}
  `
}

/** Shows what the session's organisation watches in its environment, and how far each connection is followed. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const watches = yield* Watches
    const recordOf = yield* watchRecords
    const integrations = yield* Integrations
    const { seal, unseal } = yield* cursors
    const { page } = yield* visits
    return [
      HttpLayerRouter.route(
        "GET",
        "/console/watches",
        page(Query, (visit, { cursor }) =>
          Effect.gen(function* () {
            const { caller } = visit.session
            const scope = JSON.stringify(["console/watches", caller.organisation, caller.environment])
            const after = cursor === undefined ? undefined : yield* unseal(cursor, scope)
            const found = yield* watches.followed(caller, { after, take: pageSize + 1 })
            const last = found.length > pageSize ? found[pageSize - 1] : undefined
            const now = yield* Clock.currentTimeMillis
            return {
              title: "Watches",
              section: "/watches" as const,
              main: listView({
                visit,
                watch: yield* recordOf(caller, yield* watches.get(caller)),
                shown: found.slice(0, pageSize).map((one) => followedOf(one, now)),
                isFirst: cursor === undefined,
                next:
                  last &&
                  (yield* seal({ made: last.made, connection: last.connection, resource: last.resource }, scope)),
                nameOf: (slug) => integrations.get(slug)?.name ?? slug
              })
            }
          })
        )
      )
    ]
  })
)
