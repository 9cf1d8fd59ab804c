import { HttpLayerRouter, type HttpMethod } from "@effect/platform"
import { Clock, Effect, Option, Schema } from "effect"
import { Workspaces } from "../agent/Workspaces.ts"
import { EndUserId } from "../connections/Api.ts"
import { html } from "../console/Html.ts"
import { day, empty, field, form, pages, table, time } from "../console/Parts.ts"
import type { Visit } from "../console/Visit.ts"
import { permitted, redirectTo, visits } from "../console/Visits.ts"
import { NoQuery } from "../platform/ApiErrors.ts"
import { NotFound } from "../platform/Errors.ts"
import { EndUsers } from "../tenancy/EndUsers.ts"
import { type Grant, Grants } from "./Grants.ts"
import { SignInAddresses } from "./SignInAddresses.ts"
import { SignIns } from "./SignIns.ts"

/** The console's pages about programs, with their methods. */
export const paths = {
  "/console/mcp": ["GET"],
  "/console/mcp/sign-in": ["POST"],
  "/console/mcp/grants/:id/end": ["GET", "POST"],
  "/console/mcp/pick/:challenge": ["GET", "POST"]
} as const satisfies { readonly [path: string]: ReadonlyArray<HttpMethod.HttpMethod> }

const strict = { parseOptions: { errors: "all", onExcessProperty: "error" } } as const

const Query = Schema.Struct({ after: Schema.optional(Schema.UUID) }).annotations(strict)

const pageSize = 50

const programOf = ({ clientName, redirectHost }: Grant) =>
  clientName === null
    ? html`<span class="note">A token made with an API key</span>`
    : html`<span class="name">${clientName}</span> <span class="note">${redirectHost}</span>`

const stateOf = ({ expiresAt, revokedAt }: Grant, now: number) => {
  if (revokedAt !== null) return html`<span class="state soft">Ended ${day(revokedAt)}</span>`
  return Date.parse(expiresAt) <= now
    ? html`<span class="state soft">Expired ${day(expiresAt)}</span>`
    : html`<span class="note">until</span> ${day(expiresAt)}`
}

const isInForce = ({ expiresAt, revokedAt }: Grant, now: number) => revokedAt === null && Date.parse(expiresAt) > now

const addressForm = (visit: Visit, url: Option.Option<string>) => html`
  <details class="panel" ${Option.isNone(url) && html`open`}>
    <summary>Sign-in address: ${Option.getOrElse(url, () => "none")}</summary>
    ${form(
      visit,
      "/mcp/sign-in",
      html`
        ${field({
          name: "url",
          label: "Address",
          about:
            "A page of your application. End users who connect a program are sent there with a challenge; it says who they are. Leave it empty to remove it.",
          optional: true,
          control: (own) =>
            html`<input
              ${own}
              type="url"
              maxlength="2000"
              autocomplete="off"
              value="${Option.getOrElse(url, () => "")}"
            />`
        })}
        <button type="submit" class="button small">Save</button>
      `
    )}
  </details>
`

const listView = (
  visit: Visit,
  after: string | undefined,
  url: Option.Option<string>,
  found: ReadonlyArray<Grant>,
  now: number
) => html`
  <h1>Programs</h1>
  <p class="lede">
    Programs such as Claude or ChatGPT that end users let use your workspaces, and tokens for your own pages.
  </p>
  ${addressForm(visit, url)}
  ${
    found.length === 0
      ? empty("No program has been let in", "An end user adds the address of a workspace to a program of theirs.")
      : table(
          "Programs",
          ["Program", "End user", "Workspace", "Scopes", "Last used", "State", ""],
          found
            .slice(0, pageSize)
            .map((grant) => [
              programOf(grant),
              grant.endUserId,
              grant.workspaceName,
              grant.scopes.join(", "),
              grant.lastUsedAt === null ? html`<span class="note">Never</span>` : time(grant.lastUsedAt),
              stateOf(grant, now),
              isInForce(grant, now) &&
                html`<a
                  class="button small quiet"
                  href="${visit.root}/mcp/grants/${grant.id}/end"
                  aria-label="End what ${grant.clientName ?? "the token"} may do for ${grant.endUserId}"
                  >End</a
                >`
            ])
        )
  }
  ${pages(
    `${visit.root}/mcp`,
    {},
    after !== undefined && {},
    found.length > pageSize && { after: found[pageSize - 1]?.id }
  )}
`

const endView = (visit: Visit, grant: Grant) => html`
  <h1>End what “${grant.clientName ?? "the token"}” may do for ${grant.endUserId}?</h1>
  <p class="lede">
    Its calls are refused from now on, on every instance within a second. It can ask the end user anew.
  </p>
  ${form(
    visit,
    `/mcp/grants/${grant.id}/end`,
    html`<button type="submit" class="button small danger">End it</button>
      <a class="button small quiet" href="${visit.root}/mcp">Keep it</a>`,
    "inline choice-of-two"
  )}
`

const pickView = (visit: Visit, challenge: string, asked: PickOf) => html`
  <h1>As which end user?</h1>
  <p class="lede">
    “${asked.clientName}”, which is answered at ${asked.redirectHost}, asks for access to “${asked.workspaceName}”. Your
    own application says who its user is once a sign-in address is set; until then you do.
  </p>
  ${form(
    visit,
    `/mcp/pick/${challenge}`,
    html`
      ${field({
        name: "end_user",
        label: "End user",
        about: "One of yours, or a new one.",
        control: (own) => html`<input ${own} list="known" required maxlength="255" autocomplete="off" />`
      })}
      <datalist id="known">${asked.known.map((id) => html`<option value="${id}"></option>`)}</datalist>
      <button type="submit" class="button small">Go on</button>
    `
  )}
`

interface PickOf {
  readonly clientName: string
  readonly redirectHost: string
  readonly workspaceName: string
  readonly known: ReadonlyArray<string>
}

const saidByApplication = new NotFound({
  code: "AUTHORIZATION_NOT_FOUND",
  message:
    "In production, and where a sign-in address is set, only your own application says who an end user is. Sign in with a key of the sandbox."
})

/** Programs of the session's organisation and environment; the sign-in address; picking an end user of the sandbox. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const grants = yield* Grants
    const addresses = yield* SignInAddresses
    const signIns = yield* SignIns
    const workspaces = yield* Workspaces
    const endUsers = yield* EndUsers
    const { action, page } = yield* visits

    /** The grant that the address names, of the session's tenant. */
    const named = ({ params, session: { caller } }: Visit) =>
      Effect.gen(function* () {
        const grant = yield* grants.find(params["id"] ?? "")
        if (
          Option.isNone(grant) ||
          grant.value.organisation !== caller.organisation ||
          grant.value.environment !== caller.environment
        ) {
          return yield* new NotFound({ code: "GRANT_NOT_FOUND", message: "There is no such grant." })
        }
        return grant.value
      })

    /** The program's challenge that the address names, where no application of the organisation answers it. */
    const waiting = ({ params, session: { caller } }: Visit) =>
      Effect.gen(function* () {
        const address = yield* addresses.find(caller)
        if (caller.environment === "production" || Option.isSome(address)) return yield* saidByApplication
        const asked = yield* signIns.find(caller, params["challenge"] ?? "")
        return "approvalId" in asked ? yield* saidByApplication : asked
      })

    return [
      HttpLayerRouter.route(
        "GET",
        "/console/mcp",
        page(Query, (visit, { after }) =>
          Effect.gen(function* () {
            const { caller } = visit.session
            const found = yield* grants.list(caller, { after, take: pageSize + 1 })
            const url = yield* addresses.find(caller)
            const now = yield* Clock.currentTimeMillis
            return { title: "Programs", section: "/mcp" as const, main: listView(visit, after, url, found, now) }
          })
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/mcp/sign-in",
        action(Schema.Struct({ url: Schema.optional(Schema.String) }).annotations(strict), ({ session }, { url }) =>
          Effect.gen(function* () {
            if (url === undefined) yield* addresses.remove(session.caller)
            else yield* addresses.set(session.caller, url)
            const text = url === undefined ? "The sign-in address was removed." : "The sign-in address is set."
            return { to: "/mcp", notice: { kind: "done" as const, text } }
          })
        )
      ),
      HttpLayerRouter.route(
        "GET",
        "/console/mcp/grants/:id/end",
        page(NoQuery, (visit) =>
          Effect.map(named(visit), (grant) => ({
            title: "End a grant",
            section: "/mcp" as const,
            main: endView(visit, grant)
          }))
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/mcp/grants/:id/end",
        action(NoQuery, (visit) =>
          Effect.gen(function* () {
            yield* permitted(visit, "agents")
            const { clientName, endUserId, id } = yield* named(visit)
            yield* grants.end(visit.session.caller, id)
            const text = `${clientName ?? "The token"} may do nothing for ${endUserId} any more.`
            return { to: "/mcp", notice: { kind: "done" as const, text } }
          })
        )
      ),
      HttpLayerRouter.route(
        "GET",
        "/console/mcp/pick/:challenge",
        page(NoQuery, (visit) =>
          Effect.gen(function* () {
            const { caller } = visit.session
            const challenge = visit.params["challenge"] ?? ""
            const asked = yield* waiting(visit)
            const { name } = yield* workspaces.get(caller, asked.workspaceId)
            const known = yield* endUsers.newest(caller, { after: undefined, take: 50 })
            return {
              title: "Pick an end user",
              section: "/mcp" as const,
              main: pickView(visit, challenge, {
                clientName: asked.clientName,
                redirectHost: asked.redirectHost,
                workspaceName: name,
                known: known.map(({ externalId }) => externalId)
              })
            }
          })
        )
      ),
      HttpLayerRouter.route(
        "POST",
        "/console/mcp/pick/:challenge",
        action(Schema.Struct({ end_user: EndUserId }).annotations(strict), (visit, { end_user: endUserId }) =>
          Effect.gen(function* () {
            yield* permitted(visit, "agents")
            const { caller } = visit.session
            const challenge = visit.params["challenge"] ?? ""
            yield* waiting(visit)
            return redirectTo(yield* signIns.answer(caller, challenge, { endUserId, key: caller.key }))
          })
        )
      )
    ]
  })
)
