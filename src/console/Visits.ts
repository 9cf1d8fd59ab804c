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

/** The result of a form: the page under `/console` to go to, and the notice at its top. */
export interface Outcome {
  readonly to: string
  readonly notice: Notice
}

/** Name of the cookie. It has no path, so browsers send it only to the pages beside the sign-in page: `/console`. */
export const cookie = "tributary_console"

/** The relative address of `/console` from the requested page. */
export const rootOf = (request: HttpServerRequest.HttpServerRequest) =>
  `${"../".repeat(pathOf(request).split("/").length - 2)}console`

export const redirectTo = (location: string) => HttpServerResponse.redirect(location, { status: 303 })

const isSame = (a: string, b: string) => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

const words = (error: ApiError) =>
  error._tag === "Unprocessable"
    ? Object.entries(error.errors).map(([name, message]) => `${name}: ${message}`)
    : [error.message]

/** Refuses actions that the visitor's key may not do through the API either. */
export const permitted = ({ session: { caller } }: Visit, scope: Scope) =>
  includes(caller.scopes, scope)
    ? Effect.void
    : new Forbidden({
        code: "FORBIDDEN",
        message: `The API key that you signed in with lacks the scope ${scope}, which this needs.`
      })

/** A page for a failure. */
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

/** Makes the console's pages, which need a session, and its forms, which also need the session's token. */
export const visits = Effect.gen(function* () {
  const sessions = yield* ConsoleSessions

  const shown = (visit: Visit, view: View) =>
    Effect.map(sessions.take(visit.session), (notice) => signedInPage(visit, view, notice))

  /** Runs `use` for a signed-in visitor, and sends anyone else to the sign-in page. */
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

    /** Handles a form. It redirects to a page, so that a reload does not repeat it, or shows a page with the errors. */
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
