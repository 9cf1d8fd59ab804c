import { HttpLayerRouter } from "@effect/platform"
import { Clock, Effect, Redacted, Schema } from "effect"
import { NoQuery } from "../../platform/ApiErrors.ts"
import { NotFound, Unprocessable } from "../../platform/Errors.ts"
import { KeyName } from "../../tenancy/Api.ts"
import { type ApiKey, ApiKeys } from "../../tenancy/ApiKeys.ts"
import { descriptions, includes, Scope, scopes, type Scopes } from "../../tenancy/Scopes.ts"
import { html } from "../Html.ts"
import { day, field, form, icon, pages, select, table, time } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { visits } from "../Visits.ts"

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const Query = Schema.Struct({ after: Schema.optional(Schema.UUID) }).annotations(strict)

/** A key to be made: a box for each scope, and the days that it lives. */
const NewKey = Schema.extend(
  Schema.Struct({ name: KeyName, days: Schema.optional(Schema.Literal("7", "30", "90", "365")) }),
  Schema.partial(Schema.Record({ key: Scope, value: Schema.Literal("on") }))
).annotations(strict)

const lifetimes = [
  ["", "Never, or with the key that you signed in with"],
  ["7", "In 7 days"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"]
] as const

const pageSize = 50

/** Scopes, for people. */
export const scopesText = (held: Scopes) => (held === null ? "All" : held.join(", "))

const newKeyForm = (visit: Visit) => html`
  <details class="panel">
    <summary>Create a key</summary>
    ${form(
      visit,
      "/keys",
      html`
        ${field({
          name: "name",
          label: "Name",
          about: "What uses it.",
          control: (own) => html`<input ${own} required maxlength="100" autocomplete="off" />`
        })}
        <fieldset class="boxes">
          <legend>Scopes</legend>
          ${scopes
            .filter((scope) => includes(visit.session.caller.scopes, scope))
            .map(
              (scope) => html`
                <label>
                  <input type="checkbox" name="${scope}" ${scope !== "admin" && html`checked`} />
                  <span><code>${scope}</code> <span class="note">${descriptions[scope]}</span></span>
                </label>
              `
            )}
        </fieldset>
        ${field({ name: "days", label: "Expires", control: (own) => select(own, lifetimes, "") })}
        <button type="submit" class="button small">Create key</button>
      `
    )}
  </details>
`

const stateOf = ({ expiresAt, revokedAt }: ApiKey, now: number) => {
  if (revokedAt !== null) return html`<span class="state soft">Revoked ${day(revokedAt)}</span>`
  if (expiresAt !== null && Date.parse(expiresAt) <= now) {
    return html`<span class="state soft">Expired ${day(expiresAt)}</span>`
  }
  return html`<span class="state good">${icon("check")} Active</span> ${
      expiresAt !== null && html`<span class="note">until ${day(expiresAt)}</span>`
    }`
}

const listView = (visit: Visit, { after }: typeof Query.Type, found: ReadonlyArray<ApiKey>, now: number) => html`
  <h1>API keys</h1>
  <p class="lede">
    They let your servers call the API. A key is shown once, when it is made.
    <a href="${visit.root}/keys/events">What happened to keys</a>
  </p>
  ${newKeyForm(visit)}
  ${table(
    "API keys",
    ["Key", "Scopes", "Created", "Last used", "State", ""],
    found.slice(0, pageSize).map((key) => [
      html`${key.name !== null && html`<span class="name">${key.name}</span>`}
        <code>${key.prefix}…</code>
        ${key.id === visit.session.caller.key && html`<span class="tag">this session</span>`}`,
      scopesText(key.scopes),
      day(key.createdAt),
      key.lastUsedAt === null ? html`<span class="note">Never</span>` : time(key.lastUsedAt),
      stateOf(key, now),
      key.revokedAt === null &&
        html`<a class="button small quiet" href="${visit.root}/keys/${key.id}/revoke" aria-label="Revoke ${key.prefix}…"
          >Revoke</a
        >`
    ])
  )}
  ${pages(
    `${visit.root}/keys`,
    {},
    after !== undefined && {},
    found.length > pageSize && { after: found[pageSize - 1]?.id }
  )}
`

const revokeView = (visit: Visit, key: ApiKey) => html`
  <h1>Revoke ${key.prefix}…?</h1>
  <p class="lede">
    Calls with this key are refused from now on, on every instance within a second. So are calls with the keys that were
    made with it, and the connect links that it made. This cannot be undone.
    ${key.id === visit.session.caller.key && "You are signed in with it, so you are signed out too."}
  </p>
  ${form(
    visit,
    `/keys/${key.id}/revoke`,
    html`<button type="submit" class="button small danger">Revoke key</button>
      <a class="button small quiet" href="${visit.root}/keys">Keep it</a>`,
    "inline choice-of-two"
  )}
`

/** The keys of the session's organisation and environment: list, create, revoke. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const { action, page } = yield* visits

    const ofSession = ({ session: { caller } }: Visit, after?: string) =>
      keys.list(caller.organisation, caller.environment, { after, take: pageSize + 1 })

    /** The key that the address names, while it is not revoked. */
    const named = ({ params, session: { caller } }: Visit) =>
      Effect.flatMap(keys.list(caller.organisation, caller.environment), (found) => {
        const key = found.find(({ id, revokedAt }) => id === params["id"] && revokedAt === null)
        return key === undefined
          ? Effect.fail(new NotFound({ code: "API_KEY_NOT_FOUND", message: "There is no such key in force." }))
          : Effect.succeed(key)
      })

    return [
      HttpLayerRouter.route(
        "GET",
        "/console/keys",
        page(Query, (visit, query) =>
          Effect.gen(function* () {
            const found = yield* ofSession(visit, query.after)
            const now = yield* Clock.currentTimeMillis
            return { title: "API keys", section: "/keys" as const, main: listView(visit, query, found, now) }
          })
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/keys",
        action(NewKey, ({ session: { caller } }, { days, name, ...boxes }) =>
          Effect.gen(function* () {
            const chosen = scopes.filter((scope) => boxes[scope] === "on")
            if (chosen.length === 0) return yield* new Unprocessable({ errors: { scopes: "choose at least one" } })
            const now = yield* Clock.currentTimeMillis
            const expiresAt =
              days === undefined ? undefined : new Date(now + Number(days) * 24 * 3600 * 1000).toISOString()
            const { key } = yield* keys.createWith(caller, { name, scopes: chosen, expiresAt })
            return {
              to: "/keys",
              notice: {
                kind: "key" as const,
                text: "Copy the new key now. It is not shown again.",
                secret: Redacted.value(key)
              }
            }
          })
        )
      ),
      HttpLayerRouter.route(
        "GET",
        "/console/keys/:id/revoke",
        page(NoQuery, (visit) =>
          Effect.map(named(visit), (key) => ({
            title: "Revoke key",
            section: "/keys" as const,
            main: revokeView(visit, key)
          }))
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/keys/:id/revoke",
        action(NoQuery, (visit) =>
          Effect.gen(function* () {
            const { id, prefix } = yield* named(visit)
            const { alsoRevoked } = yield* keys.revoke(id, visit.session.caller)
            const others = alsoRevoked === 0 ? "" : ` So are ${alsoRevoked} that were made with it.`
            return { to: "/keys", notice: { kind: "done" as const, text: `${prefix}… is revoked.${others}` } }
          })
        )
      )
    ]
  })
)
