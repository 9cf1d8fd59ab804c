import { HttpLayerRouter, type HttpMethod, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Option, Schema } from "effect"
import { randomBytes } from "node:crypto"
import { type Approval, Decision } from "../approvals/Api.ts"
import { Approvals } from "../approvals/Approvals.ts"
import { readable } from "../approvals/Readable.ts"
import type { Connection } from "../connections/Connection.ts"
import { Connections } from "../connections/Connections.ts"
import { Integrations } from "../connections/Integrations.ts"
import { escape, messagePage, stillPage } from "../connections/widget/WidgetPages.ts"
import * as Address from "../platform/Address.ts"
import { refuseOtherSites, sentForm } from "../platform/BrowserForms.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import { limits } from "./Limits.ts"
import { hashOf } from "./OAuthRecords.ts"
import { redirect } from "./Pages.ts"
import { SignInAddresses, withChallenge } from "./SignInAddresses.ts"
import { SignIns } from "./SignIns.ts"

/** The page behind an approval's link, with its methods. */
export const paths = { "/approve/:token": ["GET", "POST"] } as const satisfies {
  readonly [path: string]: ReadonlyArray<HttpMethod.HttpMethod>
}

/** Name of the browser's cookie, without which an answer to its challenge does not count. */
const cookie = "tributary_approval"

/** An approval whose link was opened, and the browser that opened it. */
interface Opened {
  readonly approval: Approval
  readonly tenant: Tenant
  /** Value of the browser's cookie; none on its first visit. */
  readonly browser: string | undefined
}

const interactionOf = ({ approval, browser = "" }: Opened) =>
  `approval/${approval.id}/${hashOf(browser).toString("base64url")}`

/**
 * `GET /approve/{token}` shows a call of a tool with its arguments, and `POST` there, which only the page's own buttons
 * send, decides on it: opening the link approves nothing. Where the organisation has a sign-in address, the call is shown
 * only to its own end user, in the browser in which they signed in there.
 */
export const routes = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    const approvals = yield* Approvals
    const addresses = yield* SignInAddresses
    const signIns = yield* SignIns
    const connections = yield* Connections
    const integrations = yield* Integrations
    const limit = yield* limits
    const publicUrl = new URL(yield* Address.publicUrl)

    const opened = Effect.gen(function* () {
      const { token = "" } = yield* HttpLayerRouter.params
      const of = yield* approvals.linked(token)
      if (of === undefined) return Option.none()
      const { cookies } = yield* HttpServerRequest.HttpServerRequest
      return Option.map(yield* Effect.option(approvals.get(of.tenant, of.id)), (approval): Opened => ({
        approval,
        tenant: of.tenant,
        browser: cookies[cookie]
      }))
    })

    /** Whether the browser's user may decide: without a sign-in address, anyone who has the link may. */
    const isTheirs = Effect.fnUntraced(function* (at: Opened, address: Option.Option<string>) {
      if (Option.isNone(address)) return true
      if (at.browser === undefined) return false
      return Option.contains(yield* signIns.named(interactionOf(at)), at.approval.endUserId)
    })

    /** Redirects to the same page, behind any path of a proxy. */
    const again = Effect.map(HttpLayerRouter.params, ({ token = "" }) => redirect(`./${token}`))

    /** Sends the browser to the organisation, to learn who its user is. */
    const ask = Effect.fnUntraced(function* (at: Opened, address: string) {
      const browser = at.browser ?? randomBytes(32).toString("base64url")
      const { id: approvalId, workspaceId } = at.approval
      const challenge = yield* signIns.ask(interactionOf({ ...at, browser }), { workspaceId, approvalId })
      return HttpServerResponse.unsafeSetCookie(redirect(withChallenge(address, challenge)), cookie, browser, {
        path: `${publicUrl.pathname.replace(/\/$/, "")}/approve`,
        httpOnly: true,
        sameSite: "lax",
        secure: publicUrl.protocol === "https:"
      })
    })

    /** Continues with the organisation's answer. */
    const answered = Effect.fnUntraced(function* (at: Opened, verifier: string) {
      // asking again would loop for ever in a browser that keeps no cookie
      if (at.browser === undefined) return yield* elsewhere
      const taken = yield* signIns.take(interactionOf(at), verifier)
      if (taken?.step === "rejected") return yield* notLetIn
      if (taken?.step === "named" && taken.endUserId !== at.approval.endUserId) return yield* notTheirs
      // the verifier does not stay in the address
      return yield* again
    })

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
      const request = yield* HttpServerRequest.HttpServerRequest
      yield* limit("pages", request)
      const found = yield* opened
      if (Option.isNone(found)) return yield* noLink
      const { approval, tenant } = found.value
      const address = yield* addresses.find(tenant)
      const verifier = new URLSearchParams(request.url.split("?")[1] ?? "").get("verifier")
      if (Option.isSome(address) && verifier !== null) return yield* answered(found.value, verifier)
      if (Option.isSome(address) && !(yield* isTheirs(found.value, address))) {
        return yield* ask(found.value, address.value)
      }
      return yield* approval.status === "pending"
        ? questionPage(approval, yield* accountOf(approval, tenant))
        : messagePage({ ...outcomes[approval.status](approval), status: 200 })
    })

    const decision = Effect.gen(function* () {
      yield* limit("pages", yield* HttpServerRequest.HttpServerRequest)
      yield* refuseOtherSites
      const found = yield* opened
      if (Option.isNone(found)) return yield* noLink
      const { approval, tenant } = found.value
      // a user who is no longer signed in is asked to, and presses the button again
      if (!(yield* isTheirs(found.value, yield* addresses.find(tenant)))) return yield* again
      const form = readForm(yield* sentForm)
      if (Option.isNone(form)) return yield* noDecision
      // the page says when the call was decided before, or too late
      yield* Effect.ignore(approvals.decide(tenant, approval.id, form.value.decision, "end_user"))
      return yield* again
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

const elsewhere = messagePage({
  title: "This page cannot go on here",
  message:
    "It belongs to the browser in which the link of an approval was opened, with its cookies. If somebody sent you this address, do not go on; else open the link again.",
  status: 400
})

const notLetIn = messagePage({
  title: "You were not signed in",
  message: "Only the person this link is for can see it. Open it again to sign in.",
  status: 403
})

const notTheirs = messagePage({
  title: "This is not for you",
  message: "You are signed in as a different person than the one this link is for. Nothing was done.",
  status: 403
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
    // with no referrer policy, browsers would not say where a form comes from
    HttpServerResponse.setHeader("referrer-policy", "same-origin")
  )
