import { HttpLayerRouter, HttpServerRequest, HttpServerResponse, OpenApi } from "@effect/platform"
import { Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { Api } from "./Api.ts"
import { type Document, serve } from "./platform/Documents.ts"
import { basePath } from "./platform/Paths.ts"

/** Where the documents are. */
export const paths = { openApi: `${basePath}/openapi.json`, docs: "/docs" } as const

const openApi = Effect.sync((): Document => ({
  text: JSON.stringify(OpenApi.fromApi(Api)),
  contentType: "application/json"
}))

/**
 * The page of the documentation library, taken out of a router of its own: Layers of ours are not shared with it. The library
 * is large, so it is loaded with the first visit. Its own fonts would come from somewhere else.
 */
const page = Effect.promise(() => import("@effect/platform/HttpApiScalar")).pipe(
  Effect.flatMap((library) =>
    HttpLayerRouter.toHttpEffect(
      library.layerHttpLayerRouter({ api: Api, path: paths.docs, scalar: { withDefaultFonts: false } })
    )
  ),
  Effect.flatten,
  Effect.flatMap((answer) => Effect.promise(() => HttpServerResponse.toWeb(answer).text())),
  Effect.provideService(
    HttpServerRequest.HttpServerRequest,
    HttpServerRequest.fromWeb(new Request(`http://localhost${paths.docs}`))
  ),
  Effect.provideServiceEffect(Layer.CurrentMemoMap, Layer.makeMemoMap),
  Effect.scoped,
  Effect.orDie
)

const docs = Effect.map(page, (text): Document => ({
  text,
  contentType: "text/html; charset=utf-8",
  headers: { "content-security-policy": policyFor(text), "referrer-policy": "no-referrer" }
}))

const digest = (text: string) => createHash("sha256").update(text).digest("base64")

/**
 * The page's scripts are within it, named by their hashes; they compile WebAssembly. It asks this service and nobody else for
 * anything.
 */
const policyFor = (html: string) => {
  const scripts = [...html.matchAll(/<script>([^]*?)<\/script>/g)].map(
    ([, script = ""]) => `'sha256-${digest(script)}'`
  )
  return [
    "default-src 'none'",
    `script-src ${scripts.join(" ")} 'wasm-unsafe-eval'`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

/** The OpenAPI document and its page. A start does not wait for them. */
export const routes = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    yield* router.add("GET", paths.openApi, yield* serve(openApi))
    yield* router.add("GET", paths.docs, yield* serve(docs))
  })
)
