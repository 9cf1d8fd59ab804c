import {
  HttpClientRequest,
  HttpLayerRouter,
  type HttpMethod,
  HttpServerRequest,
  HttpServerResponse
} from "@effect/platform"
import { Effect, Layer } from "effect"
import * as Address from "../platform/Address.ts"
import * as Database from "../platform/Database.ts"
import { DiskSpace } from "../platform/DiskSpace.ts"
import { formLimit, limitedText } from "../platform/Requests.ts"
import { accountHeader, ownerHeader, Transport } from "../providers/Transport.ts"
import * as BrowserBinding from "./BrowserBinding.ts"
import { Consent } from "./Consent.ts"
import { callbackPage, messagePage } from "./widget/WidgetPages.ts"

/** The pages on an end user's way to a provider's consent and back, with their methods. */
export const paths = {
  "/connect/go": ["GET"],
  "/connect/callback": ["GET"],
  "/sandbox/:slug/*": ["GET", "POST"]
} as const satisfies { readonly [path: string]: ReadonlyArray<HttpMethod.HttpMethod> }

/** Shows failures as a page, since people see them here. */
const asPage =
  (disk: DiskSpace["Type"]) =>
  <E, R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.catchAllDefect(answer, (defect) => {
      if (Database.isFull(defect)) return Effect.zipRight(disk.ranOut, away)
      return Database.isAway(defect)
        ? Effect.zipRight(Effect.logWarning("the database is away"), away)
        : Effect.zipRight(Effect.logError("a page was not made", defect), broken)
    })

const away = messagePage({
  title: "This does not work right now",
  message: "Wait for a moment and load this page again. If that does not help, go back to the page where you started.",
  status: 503
})

const broken = messagePage({
  title: "Something went wrong here",
  message: "Go back to the page where you started: it shows whether your account is connected. Try again later.",
  status: 500
})

/** Query parameters that occur once. */
const singles = Effect.map(HttpServerRequest.ParsedSearchParams, (query) =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  )
)

/** The address that providers send end users back to. */
const callbackRoute = HttpLayerRouter.use((router) =>
  Effect.flatMap(Effect.all([Consent, DiskSpace]), ([consent, disk]) =>
    router.add(
      "GET",
      "/connect/callback",
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const query = yield* singles
        const { state = "" } = query
        const isBound = yield* BrowserBinding.isBound(request, state)
        const outcome = yield* consent.finish(query, isBound)
        const page = HttpServerResponse.setStatus(callbackPage(outcome), outcome.attemptId === null ? 400 : 200)
        return isBound ? yield* BrowserBinding.unbind(page, state) : page
      }).pipe(asPage(disk))
    )
  )
)

/** Sends the end user on to the provider, from the connect page only. */
const goRoute = HttpLayerRouter.use((router) =>
  Effect.flatMap(Effect.all([Consent, DiskSpace]), ([consent, disk]) =>
    router.add(
      "GET",
      "/connect/go",
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        if (!BrowserBinding.isFromHere(request)) {
          yield* Effect.logWarning(
            "A way to a provider was not opened",
            "the browser came from elsewhere than PUBLIC_URL"
          )
          return yield* notFromHere
        }
        const { state = "" } = yield* singles
        const page = yield* consent.pageFor(state)
        if (page === undefined) return yield* noConsent
        const response = HttpServerResponse.empty({
          status: 303,
          headers: { location: page.address, "cache-control": "no-store", "referrer-policy": "no-referrer" }
        })
        return yield* BrowserBinding.bind(response, state)
      }).pipe(asPage(disk))
    )
  )
)

const notFromHere = messagePage({
  title: "This address cannot be opened by itself",
  message:
    "It leads on from the page on which you connect your account, and only there. If somebody sent it to you, do not go on.",
  status: 403
})

const noConsent = messagePage({
  title: "There is nothing to consent to",
  message: "This page belongs to an attempt to connect an account that is over. Go back to where you started.",
  status: 404
})

/**
 * The consent pages of the simulators. They exist only for an attempt in the sandbox that waits for consent, exactly as it
 * asks for it, and are about the account that its connection names.
 */
const sandboxRoutes = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    const consent = yield* Consent
    const disk = yield* DiskSpace
    const transport = yield* Transport
    const publicUrl = yield* Address.publicUrl

    const page = Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const { state = "" } = yield* singles
      const asked = yield* consent.pageFor(state)
      if (asked?.attempt.environment !== "sandbox" || asked.address !== publicUrl + request.url) return yield* noConsent
      const simulator = transport.to("sandbox", asked.attempt.integration)
      if (simulator === undefined) return yield* noConsent
      const forwarded = HttpClientRequest.make(request.method === "POST" ? "POST" : "GET")(asked.url, {
        headers: { [accountHeader]: asked.attempt.connectionId, [ownerHeader]: asked.attempt.endUser }
      })
      const response = yield* simulator.execute(
        request.method === "POST"
          ? HttpClientRequest.bodyText(
              forwarded,
              yield* limitedText(request, formLimit),
              "application/x-www-form-urlencoded"
            )
          : forwarded
      )
      return HttpServerResponse.text(yield* response.text, {
        status: response.status,
        headers: response.headers,
        contentType: response.headers["content-type"]
      })
    }).pipe(Effect.scoped, asPage(disk))

    for (const method of paths["/sandbox/:slug/*"]) yield* router.add(method, "/sandbox/:slug/*", page)
  })
)

export const routes = Layer.mergeAll(goRoute, callbackRoute, sandboxRoutes)
