import { HttpLayerRouter, type HttpMethod, HttpServerResponse } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import type { Connection } from "../connections/Connection.ts"
import { Connections } from "../connections/Connections.ts"
import { Integrations } from "../connections/Integrations.ts"
import { escape, messagePage, stillPage } from "../connections/widget/WidgetPages.ts"
import { refuseOtherSites, sentForm } from "../platform/BrowserForms.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { type Approval, Decision } from "./Api.ts"
import { Approvals } from "./Approvals.ts"
import { readable } from "./Readable.ts"

/** The page behind an approval's link, with its methods. */
export const paths = { "/approve/:token": ["GET", "POST"] } as const satisfies {
  readonly [path: string]: ReadonlyArray<HttpMethod.HttpMethod>
}

/**
 * `GET /approve/{token}` shows a call of a tool with its arguments, and `POST` there, which only the page's own buttons
 * send, decides on it: who opens the link approves nothing by that.
 */
export const routes = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    const approvals = yield* Approvals
    const connections = yield* Connections
    const integrations = yield* Integrations

    // the organisation's sign-in is not asked for: whoever has the link decides
    const opened = Effect.flatMap(HttpLayerRouter.params, ({ token = "" }) => approvals.linked(token))

    const accountOf = ({ connectionId, provider }: Approval, tenant: Tenant) =>
      Effect.gen(function* () {
        if (connectionId === null || provider === null) return "all that are connected"
        const held: Option.Option<Connection> = yield* Effect.option(connections.get(tenant, connectionId))
        const name = integrations.get(provider)?.name ?? provider
        return Option.match(held, {
          onNone: () => `${name}, which is not connected any more`,
          onSome: ({ accountName }) => `${name}: ${accountName ?? "unnamed account"}`
        })
      })

    const page = Effect.gen(function* () {
      const of = yield* opened
      if (of === undefined) return yield* noLink
      const approval = yield* Effect.option(approvals.get(of.tenant, of.id))
      if (Option.isNone(approval)) return yield* noLink
      return yield* approval.value.status === "pending"
        ? questionPage(approval.value, yield* accountOf(approval.value, of.tenant))
        : messagePage({ ...outcomes[approval.value.status](approval.value), status: 200 })
    })

    const decision = Effect.gen(function* () {
      yield* refuseOtherSites
      const of = yield* opened
      if (of === undefined) return yield* noLink
      const form = readForm(yield* sentForm)
      if (Option.isNone(form)) return yield* noDecision
      // what was decided before, or too late, is said by the page
      yield* Effect.ignore(approvals.decide(of.tenant, of.id, form.value.decision, "end_user"))
      const { token = "" } = yield* HttpLayerRouter.params
      // the same page, behind whatever path of a proxy
      return HttpServerResponse.redirect(`./${token}`, { status: 303 })
    })

    yield* router.add("GET", "/approve/:token", page)
    yield* router.add("POST", "/approve/:token", decision)
  })
)

const readForm = Schema.decodeUnknownOption(Schema.Struct({ decision: Decision }), { onExcessProperty: "error" })

const noLink = messagePage({
  title: "This link leads nowhere",
  message: "It is not whole, or what it asked for is over. Ask your agent to try again.",
  status: 404
})

const noDecision = messagePage({
  title: "That was no decision",
  message: "Open the link again, and press one of its buttons.",
  status: 422
})

const outcomes = {
  approved: ({ expiresAt, title }: Approval) => ({
    title: "Approved",
    message: `${title}: your agent may do this once, until ${expiresAt.slice(11, 16)} UTC. Tell it to go on. You can close this page.`
  }),
  refused: ({ title }: Approval) => ({
    title: "Refused",
    message: `${title}: your agent will not do this. You can close this page.`
  }),
  used: ({ title }: Approval) => ({
    title: "Done",
    message: `${title}: this was approved, and your agent has done it.`
  }),
  expired: ({ title }: Approval) => ({
    title: "Too late",
    message: `${title}: this cannot be done any more. Your agent can ask again.`
  })
}

const questionPage = (approval: Approval, account: string) =>
  Effect.map(
    stillPage({
      title: `Approve: ${approval.title}`,
      status: 200,
      main: `<main class="card">
      <div class="view">
        <h1>${escape(approval.title)}</h1>
        <p class="lede">An agent that works for you wants to do this, and only what is shown here.</p>
        <dl class="facts">
          <div><dt>Account</dt><dd>${escape(account)}</dd></div>
          <div><dt>For</dt><dd>${escape(approval.endUserId)}</dd></div>
          <div><dt>Tool</dt><dd><code>${escape(approval.tool)}</code></dd></div>
          <div><dt id="with">With</dt><dd><pre tabindex="0" aria-labelledby="with">${escape(readable(approval.arguments))}</pre></dd></div>
        </dl>
        <form method="post" class="actions">
          <button type="submit" class="button" name="decision" value="approve">Approve once</button>
          <button type="submit" class="button outlined" name="decision" value="refuse">Refuse</button>
        </form>
        <p class="assurance">It is done when the agent tries again, within 15 minutes of your approval.</p>
      </div>
    </main>`
    }),
    // with none at all, browsers would not say where a form comes from
    HttpServerResponse.setHeader("referrer-policy", "same-origin")
  )
