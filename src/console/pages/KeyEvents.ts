import { HttpLayerRouter } from "@effect/platform"
import { Effect, Schema } from "effect"
import { KeyEvents, type KeyEvent } from "../../tenancy/KeyEvents.ts"
import { html } from "../Html.ts"
import { empty, pages, table, time } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { visits } from "../Visits.ts"
import { scopesText } from "./Keys.ts"

const Query = Schema.Struct({
  before: Schema.optional(Schema.String.pipe(Schema.pattern(/^\d{1,18}$/)))
}).annotations({ parseOptions: { errors: "all", onExcessProperty: "error" } })

const pageSize = 50

const words = { created: "Created", revoked: "Revoked", used_after_expiry: "Used after it had expired" } as const

const actorOf = ({ actor, event, revokedWith }: KeyEvent) => {
  if (event === "used_after_expiry") return html`<span class="note">–</span>`
  const how = revokedWith !== null && html`<span class="note">with the key that made it</span>`
  return html`${actor === null ? "The operator" : html`<code>${actor}</code>`} ${how}`
}

const listView = (visit: Visit, { before }: typeof Query.Type, found: ReadonlyArray<KeyEvent>) => html`
  <h1>What happened to keys</h1>
  <p class="lede">In the last year, newest first. <a href="${visit.root}/keys">Show the keys</a></p>
  ${
    found.length === 0
      ? empty("Nothing yet", "Keys that are created or revoked from now on show up here.")
      : table(
          "Key events",
          ["Time", "Key", "What", "Scopes", "By"],
          found
            .slice(0, pageSize)
            .map((one) => [
              time(one.at),
              html`${one.keyName !== null && html`<span class="name">${one.keyName}</span>`}
                <code>${one.keyPrefix}…</code>`,
              words[one.event],
              scopesText(one.scopes),
              actorOf(one)
            ])
        )
  }
  ${pages(
    `${visit.root}/keys/events`,
    {},
    before !== undefined && {},
    found.length > pageSize && { before: found[pageSize - 1]?.id }
  )}
`

/** Shows the key events of the session's organisation and environment. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const events = yield* KeyEvents
    const { page } = yield* visits
    return [
      HttpLayerRouter.route(
        "GET",
        "/console/keys/events",
        page(Query, (visit, query) =>
          Effect.map(events.list(visit.session.caller, { ...query, take: pageSize + 1 }), (found) => ({
            title: "Key events",
            section: "/keys" as const,
            main: listView(visit, query, found)
          }))
        )
      )
    ]
  })
)
