import { HttpLayerRouter } from "@effect/platform"
import { Effect, Redacted } from "effect"
import { NoQuery } from "../../platform/ApiErrors.ts"
import { NotFound } from "../../platform/Errors.ts"
import { type ApiKey, ApiKeys } from "../../tenancy/ApiKeys.ts"
import { html } from "../Html.ts"
import { day, form, icon, table } from "../Parts.ts"
import type { Visit } from "../Visit.ts"
import { visits } from "../Visits.ts"

const listView = (visit: Visit, keys: ReadonlyArray<ApiKey>) => html`
  <div class="heading">
    <div>
      <h1>API keys</h1>
      <p class="lede">They let your servers call the API. A key is shown once, when it is made.</p>
    </div>
    ${form(visit, "/keys", html`<button type="submit" class="button small">Create key</button>`, "inline")}
  </div>
  ${table(
    "API keys",
    ["Key", "Created", "State", ""],
    keys.map((key) => [
      html`<code>${key.prefix}…</code>
        ${key.id === visit.session.caller.key && html`<span class="tag">this session</span>`}`,
      day(key.createdAt),
      key.revokedAt === null
        ? html`<span class="state good">${icon("check")} Active</span>`
        : html`<span class="state soft">Revoked ${day(key.revokedAt)}</span>`,
      key.revokedAt === null &&
        html`<a class="button small quiet" href="${visit.root}/keys/${key.id}/revoke" aria-label="Revoke ${key.prefix}…"
          >Revoke</a
        >`
    ])
  )}
`

const revokeView = (visit: Visit, key: ApiKey) => html`
  <h1>Revoke ${key.prefix}…?</h1>
  <p class="lede">
    Calls with this key are refused from now on, on every instance within a second. This cannot be undone.
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

    const ofSession = ({ session: { caller } }: Visit) => keys.list(caller.organisation, caller.environment)

    /** The key that the address names, while it is in force. */
    const named = (visit: Visit) =>
      Effect.flatMap(ofSession(visit), (found) => {
        const key = found.find(({ id, revokedAt }) => id === visit.params["id"] && revokedAt === null)
        return key === undefined
          ? Effect.fail(new NotFound({ code: "API_KEY_NOT_FOUND", message: "There is no such key in force." }))
          : Effect.succeed(key)
      })

    return [
      HttpLayerRouter.route(
        "GET",
        "/console/keys",
        page(NoQuery, (visit) =>
          Effect.map(ofSession(visit), (found) => ({
            title: "API keys",
            section: "/keys" as const,
            main: listView(visit, found)
          }))
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/keys",
        action(NoQuery, ({ session: { caller } }) =>
          Effect.map(keys.create(caller.organisation, caller.environment), ({ key }) => ({
            to: "/keys",
            notice: {
              kind: "key" as const,
              text: "Copy the new key now. It is not shown again.",
              secret: Redacted.value(key)
            }
          }))
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
            const { environment, organisation } = visit.session.caller
            yield* keys.revoke(id, organisation, environment)
            return { to: "/keys", notice: { kind: "done" as const, text: `${prefix}… is revoked.` } }
          })
        )
      )
    ]
  })
)
