import { HttpLayerRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Redacted } from "effect"
import { refuseOtherSites, sentForm } from "../../platform/BrowserForms.ts"
import { NoQuery } from "../../platform/ApiErrors.ts"
import * as Address from "../../platform/Address.ts"
import { Forbidden } from "../../platform/Errors.ts"
import { ApiKeys } from "../../tenancy/ApiKeys.ts"
import { Authentication } from "../../tenancy/Authentication.ts"
import { includes } from "../../tenancy/Scopes.ts"
import { ConsoleSessions } from "../ConsoleSessions.ts"
import { html } from "../Html.ts"
import { strangersPage } from "../Layout.ts"
import { field } from "../Parts.ts"
import { cookie, redirectTo, rootOf, visits } from "../Visits.ts"

const signInPage = (root: string, status: number, wrong?: string) =>
  strangersPage({
    root,
    title: "Sign in",
    status,
    main: html`
      <p class="mark">Tributary</p>
      <h1>Sign in to the console</h1>
      <p class="lede">
        With an API key of your organisation that has the scope <code>admin</code>. You see what that key reaches: the
        sandbox or production.
      </p>
      <form method="post" action="${root}/sign-in" class="form">
        ${field({
          name: "key",
          label: "API key",
          error: wrong,
          control: (attributes) => html`
            <input
              ${attributes}
              type="password"
              required
              autofocus
              autocomplete="current-password"
              spellcheck="false"
              placeholder="sk_test_… or sk_live_…"
            />
          `
        })}
        <button type="submit" class="button">Sign in</button>
      </form>
      <p class="hint">
        The first start of the service prints a key; <code>cli keys create</code> makes one. A session ends after 12
        hours without a visit.
      </p>
    `
  })

const lacksAdmin = new Forbidden({
  code: "FORBIDDEN",
  message: "This API key lacks the scope admin, which signing in to the console needs."
})

/** Signing in and out. Wrong keys are counted like those of requests to the API. */
export const routes = HttpLayerRouter.addAll(
  Effect.gen(function* () {
    const sessions = yield* ConsoleSessions
    const keys = yield* ApiKeys
    const authentication = yield* Authentication
    const { action } = yield* visits
    const secure = (yield* Address.publicUrl).startsWith("https:")

    const signIn = Effect.gen(function* () {
      yield* refuseOtherSites
      const request = yield* HttpServerRequest.HttpServerRequest
      const { key = "" } = yield* sentForm
      const caller = yield* Effect.catchAll(keys.authenticate(Redacted.make(key.trim())), (error) =>
        authentication.refuse(request, error)
      )
      if (!includes(caller.scopes, "admin")) return yield* lacksAdmin
      const token = yield* sessions.create(caller)
      return HttpServerResponse.unsafeSetCookie(redirectTo(rootOf(request)), cookie, Redacted.value(token), {
        httpOnly: true,
        sameSite: "strict",
        secure
      })
    }).pipe(
      Effect.catchAll((error) =>
        Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
          const wrong =
            error._tag === "Unauthorized" && error.expiredAt === undefined
              ? "This is not a key of this service, or it was revoked."
              : error._tag === "RateLimited"
                ? `Too many wrong keys came from your address. Try again in ${Math.max(1, Math.ceil(error.retryAfter))} seconds.`
                : error.message
          return signInPage(rootOf(request), error.status, wrong)
        })
      )
    )

    return [
      HttpLayerRouter.route(
        "GET",
        "/console/sign-in",
        Effect.map(HttpServerRequest.HttpServerRequest, (request) => signInPage(rootOf(request), 200))
      ),
      HttpLayerRouter.route("POST", "/console/sign-in", signIn),
      HttpLayerRouter.route(
        "POST",
        "/console/sign-out",
        action(NoQuery, ({ root, session }) =>
          Effect.as(
            sessions.end(session),
            HttpServerResponse.expireCookie(redirectTo(`${root}/sign-in`), cookie, {
              httpOnly: true,
              sameSite: "strict",
              secure
            })
          )
        )
      )
    ]
  })
)
