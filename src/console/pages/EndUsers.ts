import { HttpLayerRouter } from "@effect/platform"
import { Effect, Schema } from "effect"
import { NewSessionBody } from "../../connections/Api.ts"
import type { Connection } from "../../connections/Connection.ts"
import { Connections } from "../../connections/Connections.ts"
import { connectUrlOf, ConnectSessions } from "../../connections/ConnectSessions.ts"
import { Integrations } from "../../connections/Integrations.ts"
import * as Address from "../../platform/Address.ts"
import { type EndUser, EndUsers } from "../../tenancy/EndUsers.ts"
import { html } from "../Html.ts"
import { empty, field, filters, form, icon, pages, table } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { pathOf } from "./EraseEndUser.ts"
import { permitted, visits } from "../Visits.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const Query = Schema.Struct({
  search: Schema.optional(Schema.String),
  after: Schema.optional(Schema.String)
}).annotations(strict)

/** As in `POST /connect/token`. */
const NewLink = Schema.Struct({
  endUserId: NewSessionBody.fields.endUserId,
  displayName: NewSessionBody.fields.displayName,
  email: NewSessionBody.fields.email
}).annotations(strict)

const pageSize = 50

const newLinkForm = (visit: Visit) => html`
  <details class="panel">
    <summary>Make a connect link for a new end user</summary>
    ${form(
      visit,
      "/end-users/link",
      html`
        ${field({
          name: "endUserId",
          label: "Your id of the end user",
          about: html`What calls send as <code>X-End-User-Id</code>.`,
          control: (own) => html`<input ${own} required maxlength="255" autocomplete="off" />`
        })}
        ${field({
          name: "displayName",
          label: "Name",
          optional: true,
          control: (own) => html`<input ${own} maxlength="255" autocomplete="off" />`
        })}
        ${field({
          name: "email",
          label: "E-mail address",
          optional: true,
          control: (own) => html`<input ${own} type="email" maxlength="255" autocomplete="off" />`
        })}
        <button type="submit" class="button small">Make link</button>
      `
    )}
  </details>
`

const connectedText = (
  visit: Visit,
  endUser: EndUser,
  own: ReadonlyArray<Connection>,
  nameOf: (slug: string) => string
) => {
  const stale = own.filter(({ status }) => status === "needs_reauth").length
  const href = `${visit.root}/connections?endUser=${encodeURIComponent(endUser.externalId)}`
  return own.length === 0
    ? html`<span class="note">Nothing yet</span>`
    : html`<a href="${href}">${[...new Set(own.map(({ provider }) => nameOf(provider)))].join(", ")}</a>
        ${stale > 0 && html`<span class="state warn">${icon("warning")} ${stale} to reconnect</span>`}`
}

const listView = (
  visit: Visit,
  { after, search = "" }: typeof Query.Type,
  found: ReadonlyArray<EndUser>,
  connections: ReadonlyArray<Connection>,
  nameOf: (slug: string) => string
) => html`
  <h1>End users</h1>
  <p class="lede">The users of your product who connect their accounts.</p>
  ${newLinkForm(visit)}
  ${filters(
    `${visit.root}/end-users`,
    field({ name: "search", label: "Search", control: (own) => html`<input ${own} type="search" value="${search}" />` })
  )}
  ${
    found.length === 0
      ? search === "" && after === undefined
        ? empty(
            "There are no end users yet",
            html`Make a connect link above, or call <code>POST /connect/token</code> with your own id of a user.`
          )
        : empty("Nobody is found", html`<a href="${visit.root}/end-users">Show all end users</a>`)
      : table(
          "End users",
          ["End user", "E-mail address", "Connected", ""],
          found.slice(0, pageSize).map((endUser) => [
            html`<span class="name">${endUser.externalId}</span>
              ${endUser.displayName !== null && html`<span class="note">${endUser.displayName}</span>`}
              <a
                class="note"
                href="${visit.root}/requests?about=${encodeURIComponent(endUser.externalId)}"
                aria-label="Requests of ${endUser.externalId}"
                >Requests</a
              >`,
            endUser.email ?? html`<span class="note">–</span>`,
            connectedText(
              visit,
              endUser,
              connections.filter((one) => one.endUser === endUser.id),
              nameOf
            ),
            html`<div class="row-actions">
              ${form(
                visit,
                "/end-users/link",
                html`<input type="hidden" name="endUserId" value="${endUser.externalId}" />
                  <button
                    type="submit"
                    class="button small outlined"
                    aria-label="Make a connect link for ${endUser.externalId}"
                  >
                    Connect link
                  </button>`,
                "inline"
              )}
              ${form(
                visit,
                pathOf(endUser.externalId, "export"),
                html`<button
                  type="submit"
                  class="button small outlined"
                  aria-label="Export what is stored of ${endUser.externalId}"
                >
                  Export
                </button>`,
                "inline"
              )}
              <a
                class="button small quiet"
                href="${visit.root}${pathOf(endUser.externalId, "erase")}"
                aria-label="Erase ${endUser.externalId}"
                >Erase</a
              >
            </div>`
          ])
        )
  }
  ${pages(
    `${visit.root}/end-users`,
    { search },
    after !== undefined && {},
    found.length > pageSize && { after: found[pageSize - 1]?.externalId }
  )}
`

/** The end users of the session's organisation and environment, and links with which they connect accounts. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const endUsers = yield* EndUsers
    const connections = yield* Connections
    const integrations = yield* Integrations
    const sessions = yield* ConnectSessions
    const address = yield* Address.publicUrl
    const { action, page } = yield* visits

    return [
      HttpLayerRouter.route(
        "GET",
        "/console/end-users",
        page(Query, (visit, query) =>
          Effect.gen(function* () {
            const { caller } = visit.session
            const found = yield* endUsers.list(caller, { ...query, limit: pageSize + 1 })
            const held = yield* connections.list(caller, { endUsers: found.map(({ id }) => id) })
            const nameOf = (slug: string) => integrations.get(slug)?.name ?? slug
            return {
              title: "End users",
              section: "/end-users" as const,
              main: listView(visit, query, found, held, nameOf)
            }
          })
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/end-users/link",
        action(NewLink, (visit, given) =>
          Effect.map(
            Effect.zipRight(permitted(visit, "connect"), sessions.create(visit.session.caller, given)),
            (made) => ({
              to: `/end-users?search=${encodeURIComponent(given.endUserId)}`,
              notice: {
                kind: "link" as const,
                text: `Send this link to ${given.endUserId}. It lets them connect accounts and is good for half an hour.`,
                secret: connectUrlOf(made, address)
              }
            })
          )
        )
      )
    ]
  })
)
