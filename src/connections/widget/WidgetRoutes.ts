import { HttpLayerRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect, Either, Schema } from "effect"
import * as Assets from "../../platform/Assets.ts"
import { connectPage, messagePage } from "./WidgetPages.ts"

/** Paths of the widget's page and of what it is made of, for whoever lists the service's routes. */
export const paths = ["/connect", "/connect.js", "/connect/assets/:file"] as const

/**
 * `GET /connect`: the page, which an `origin` may frame. `GET /connect.js`: the script with which an organisation's page
 * opens it. `GET /connect/assets/:file`: scripts and style of the page.
 */
export const routes = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    // the build copies them to where its own files find them at the same place
    const serve = yield* Assets.serve(new URL("./assets/", import.meta.url))
    const [page, script, files] = paths

    yield* router.add(
      "GET",
      page,
      Effect.flatMap(HttpServerRequest.ParsedSearchParams, (query) =>
        Either.match(decodeQuery(query), {
          onLeft: () => badOrigin,
          onRight: ({ origin }) => Effect.succeed(connectPage(origin))
        })
      )
    )
    yield* router.add(
      "GET",
      files,
      Effect.flatMap(HttpLayerRouter.params, ({ file = "" }) => serve(file))
    )
    // Pages of other origins load it, also those that demand a permission for that.
    yield* router.add(
      "GET",
      script,
      Effect.map(serve("connect.js"), HttpServerResponse.setHeader("cross-origin-resource-policy", "cross-origin"))
    )
  })
)

// ---------------------------------------------------------------------------------------------------------------------
// the page's query

/**
 * An origin as browsers write it. Stricter than they are, because it goes into a header: a host is letters, digits, dots,
 * hyphens and underscores, or an address in brackets.
 */
const Origin = Schema.String.pipe(
  Schema.filter((text) => /^https?:\/\/([a-z0-9._-]+|\[[0-9a-f:]+\])(:\d+)?$/.test(text) && URL.canParse(text))
)

const decodeQuery = Schema.decodeUnknownEither(Schema.Struct({ origin: Schema.optional(Origin) }))

const badOrigin = messagePage({
  title: "This page cannot be opened",
  message: "The “origin” in its address must be one origin, such as https://app.example.com.",
  status: 400
})
