import { HttpLayerRouter } from "@effect/platform"
import { Clock, Effect, Schema } from "effect"
import type { Connection } from "../../connections/Connection.ts"
import type { BeforeRemoval } from "../../connections/BeforeRemoval.ts"
import { Connections } from "../../connections/Connections.ts"
import { connectUrlOf, ConnectSessions } from "../../connections/ConnectSessions.ts"
import { Integrations } from "../../connections/Integrations.ts"
import { isEnding } from "../../connections/ReauthBy.ts"
import { removeConnection } from "../../connections/RemoveConnection.ts"
import { NoQuery } from "../../platform/ApiErrors.ts"
import * as Address from "../../platform/Address.ts"
import type { Transport } from "../../providers/Transport.ts"
import { html } from "../Html.ts"
import { connectionState, day, empty, field, filters, form, pages, providerFilter, select, table } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { permitted, visits } from "../Visits.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const Query = Schema.Struct({
  status: Schema.optional(Schema.Literal("active", "needs_reauth")),
  provider: Schema.optional(Schema.String),
  endUser: Schema.optional(Schema.String),
  page: Schema.optional(Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, 100_000)))
}).annotations(strict)

const pageSize = 50

const statuses = [
  ["", "Any state"],
  ["active", "Active"],
  ["needs_reauth", "Needs reconnection"]
] as const

const account = ({ accountName }: Connection) => accountName ?? "Unnamed account"

const listView = (
  visit: Visit,
  query: typeof Query.Type,
  integrations: Integrations["Type"],
  found: ReadonlyArray<Connection>,
  now: number
) => {
  const { endUser, page = 1, provider, status } = query
  const isFiltered = [endUser, provider, status].some((one) => one !== undefined)
  const nameOf = (slug: string) => integrations.get(slug)?.name ?? slug
  return html`
    <h1>Connections</h1>
    <p class="lede">The accounts that your end users have connected.</p>
    ${filters(`${visit.root}/connections`, [
      field({ name: "status", label: "State", control: (own) => select(own, statuses, status) }),
      providerFilter(integrations.all(), provider),
      field({ name: "endUser", label: "End user", control: (own) => html`<input ${own} value="${endUser}" />` })
    ])}
    ${
      found.length === 0
        ? isFiltered || page > 1
          ? empty("No connection is like that", html`<a href="${visit.root}/connections">Show all connections</a>`)
          : empty(
              "Nobody has connected anything yet",
              html`Make a connect link for one of your <a href="${visit.root}/end-users">end users</a>, or call
                <code>POST /connect/token</code> from your product.`
            )
        : table(
            "Connections",
            ["Account", "End user", "State", "Connected", ""],
            found.slice(0, pageSize).map((connection) => [
              html`<span class="name">${nameOf(connection.provider)}</span>
                <span class="note">${account(connection)}</span>`,
              html`<a href="${visit.root}/end-users?search=${encodeURIComponent(connection.endUserId)}"
                >${connection.endUserId}</a
              >`,
              html`${connectionState(connection.status, (isEnding(connection, now) && connection.reauthBy) || undefined)}
              ${connection.statusReason !== null && html`<span class="note">${connection.statusReason}</span>`}`,
              day(connection.createdAt),
              html`<div class="row-actions">
                ${form(
                  visit,
                  `/connections/${connection.id}/reconnect`,
                  html`<button
                    type="submit"
                    class="button small ${connection.status === "active" ? "quiet" : "outlined"}"
                    aria-label="Make a reconnect link for ${account(connection)} of ${connection.endUserId}"
                  >
                    Reconnect link
                  </button>`,
                  "inline"
                )}
                <a
                  class="button small quiet"
                  href="${visit.root}/connections/${connection.id}/remove"
                  aria-label="Remove ${account(connection)} of ${connection.endUserId}"
                  >Remove</a
                >
              </div>`
            ])
          )
    }
    ${pages(
      `${visit.root}/connections`,
      { ...query, page: undefined },
      page > 1 && { page: String(page - 1) },
      found.length > pageSize && { page: String(page + 1) }
    )}
  `
}

const removeView = (visit: Visit, connection: Connection) => html`
  <h1>Remove this connection?</h1>
  <p class="lede">
    ${account(connection)} at ${connection.provider}, of end user ${connection.endUserId}. Its credentials are erased
    and the consent is taken back at the provider where that can be done. To use the account again, the end user has to
    connect it anew.
  </p>
  ${form(
    visit,
    `/connections/${connection.id}/remove`,
    html`<button type="submit" class="button small danger">Remove connection</button>
      <a class="button small quiet" href="${visit.root}/connections">Keep it</a>`,
    "inline choice-of-two"
  )}
`

/** The accounts of end users: their health, links to renew them, removal. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const connections = yield* Connections
    const integrations = yield* Integrations
    const sessions = yield* ConnectSessions
    const address = yield* Address.publicUrl
    const context = yield* Effect.context<Transport | BeforeRemoval | Connections | Integrations>()
    const { action, page } = yield* visits

    const named = ({ params, session }: Visit) => connections.get(session.caller, params["id"] ?? "")

    return [
      HttpLayerRouter.route(
        "GET",
        "/console/connections",
        page(Query, (visit, query) =>
          Effect.gen(function* () {
            const found = yield* connections.list(visit.session.caller, {
              status: query.status,
              provider: query.provider,
              endUserId: query.endUser,
              part: { skip: ((query.page ?? 1) - 1) * pageSize, take: pageSize + 1 }
            })
            return {
              title: "Connections",
              section: "/connections" as const,
              main: listView(visit, query, integrations, found, yield* Clock.currentTimeMillis)
            }
          })
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/connections/:id/reconnect",
        action(NoQuery, (visit) =>
          Effect.gen(function* () {
            yield* permitted(visit, "connect")
            const connection = yield* named(visit)
            const made = yield* sessions.reconnect(visit.session.caller, connection.id)
            return {
              to: "/connections",
              notice: {
                kind: "link" as const,
                text: `Send this link to ${connection.endUserId}. It renews the connection and is good for half an hour.`,
                secret: connectUrlOf(made, address)
              }
            }
          })
        )
      ),
      HttpLayerRouter.route(
        "GET",
        "/console/connections/:id/remove",
        page(NoQuery, (visit) =>
          Effect.map(named(visit), (connection) => ({
            title: "Remove connection",
            section: "/connections" as const,
            main: removeView(visit, connection)
          }))
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/connections/:id/remove",
        action(NoQuery, (visit) =>
          permitted(visit, "connect").pipe(
            Effect.zipRight(removeConnection(visit.session.caller, visit.params["id"] ?? "")),
            Effect.map((removed) => ({
              to: "/connections",
              notice: { kind: "done" as const, text: `${account(removed)} of ${removed.endUserId} is removed.` }
            })),
            Effect.provide(context)
          )
        )
      )
    ]
  })
)
