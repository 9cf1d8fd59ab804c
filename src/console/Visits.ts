import { HttpLayerRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Either, Redacted, type Schema } from "effect"
import { timingSafeEqual } from "node:crypto"
import { fieldsOf, fromElsewhere, refuseOtherSites, sentForm } from "../platform/BrowserForms.ts"
import { type ApiError, BadRequest, Forbidden, pathOf, sentence, Unprocessable } from "../platform/Errors.ts"
import { decoder, fieldErrorsOf, issuesOf } from "../platform/Issues.ts"
import { includes, type Scope } from "../tenancy/Scopes.ts"
import { ConsoleSessions, type Notice } from "./ConsoleSessions.ts"
import { html } from "./Html.ts"
import { signedInPage, type View } from "./Layout.ts"
import type { Visit } from "./Visit.ts"

/** What a form leads to: a page under `/console`, and what that says first. */
export interface Outcome {
  readonly to: string
  readonly notice: Notice
}

/** Name of the cookie. It has no path, so browsers keep it to the pages beside the one that signs in: `/console`. */
export const cookie = "tributary_console"

/** Where `/console` is, from the page that answers a request. */
export const rootOf = (request: HttpServerRequest.HttpServerRequest) =>
  `${"../".repeat(pathOf(request).split("/").length - 2)}console`

export const redirectTo = (location: string) => HttpServerResponse.redirect(location, { status: 303 })

const isSame = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

const words = (error: ApiError) =>
  error._tag === "Unprocessable"
    ? Object.entries(error.errors).map(([name, message]) => `${name}: ${message}`)
    : [error.message]

/** Refuses what the key that a visitor signed in with may not do by the API either. */
export const permitted = ({ session: { caller } }: Visit, scope: Scope) =>
  includes(caller.scopes, scope)
    ? Effect.void
    : new Forbidden({
        code: "FORBIDDEN",
        message: `The API key that you signed in with lacks the scope ${scope}, which this needs.`
      })

/** A page that says what is wrong. */
const failureView = (root: string, error: ApiError): View => ({
  title: "That did not work",
  section: "",
  status: error.status,
  main: html`
    <h1>That did not work</h1>
    <div class="notice bad" role="alert">${words(error).map((line) => html`<p>${line}</p>`)}</div>
    <p class="lede">Go back and try again, or start at the <a href="${root}">overview</a>.</p>
  `
})

/** What pages of the console are made with: they need a session, and forms the session's token. */
export const visits = Effect.gen(function* () {
  const sessions = yield* ConsoleSessions

  const shown = (visit: Visit, view: View) =>
    Effect.map(sessions.take(visit.session), (notice) => signedInPage(visit, view, notice))

  /** Whoever is not signed in is sent to the page that does it. */
  const admitted = <E extends ApiError, R>(
    use: (visit: Visit) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
  ) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const root = rootOf(request)
      const session = yield* sessions.find(Redacted.make(request.cookies[cookie] ?? ""))
      if (session === undefined) return redirectTo(`${root}/sign-in`)
      const visit = { session, root, params: yield* HttpLayerRouter.params }
      return yield* Effect.catchAll(use(visit), (error) => shown(visit, failureView(root, error)))
    })

  return {
    /** A page with a query. */
    page: <Q, I, E extends ApiError, R>(
      query: Schema.Schema<Q, I>,
      view: (visit: Visit, query: Q) => Effect.Effect<View, E, R>
    ) => {
      const decode = decoder(query)
      return admitted((visit) =>
        Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const sent = new URLSearchParams(request.url.split("?")[1] ?? "")
          const given = yield* Either.mapLeft(
            decode(fieldsOf(sent)),
            (error) =>
              new BadRequest({
                code: "INVALID_PARAMETER",
                message: sentence(issuesOf(error), ({ message, path }) => `${path}: ${message}`)
              })
          )
          return yield* shown(visit, yield* view(visit, given))
        })
      )
    },

    /** What a form does. It leads on to a page, so that a reload does not do it again; or shows one with what is wrong. */
    action: <A, I, E extends ApiError, R>(
      fields: Schema.Schema<A, I>,
      act: (visit: Visit, fields: A) => Effect.Effect<Outcome | View | HttpServerResponse.HttpServerResponse, E, R>
    ) => {
      const decode = decoder(fields)
      return admitted((visit) =>
        Effect.gen(function* () {
          yield* refuseOtherSites
          const { form_token: token = "", ...sent } = yield* sentForm
          if (!isSame(token, visit.session.formToken)) return yield* fromElsewhere
          const given = yield* Either.mapLeft(
            decode(sent),
            (error) => new Unprocessable({ errors: fieldErrorsOf(error) })
          )
          const outcome = yield* act(visit, given)
          if (HttpServerResponse.isServerResponse(outcome)) return outcome
          if ("main" in outcome) return yield* shown(visit, outcome)
          yield* sessions.leave(visit.session, outcome.notice)
          return redirectTo(visit.root + outcome.to)
        })
      )
    }
  }
})
