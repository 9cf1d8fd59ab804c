import { HttpLayerRouter, HttpServerRequest, HttpServerResponse, OpenApi } from "@effect/platform"
import { Effect, Layer, Schema } from "effect"
import { createHash } from "node:crypto"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"
import { brotliDecompress } from "node:zlib"
import { Api } from "./Api.ts"
import { forGenerators } from "./openapi/Document.ts"
import { readExamples } from "./openapi/ExampleFiles.ts"
import { type Examples, withExamples } from "./openapi/Examples.ts"
import { serve } from "./platform/Documents.ts"
import { basePath } from "./platform/Paths.ts"
import { describingFilters, WithPaths } from "./providers/FiltersInOpenApi.ts"
import { describingNeeds, WithSchemas } from "./providers/NeedsInOpenApi.ts"
import { Providers } from "./providers/Providers.ts"

/** Where the documents are. */
export const paths = { openApi: `${basePath}/openapi.json`, docs: "/docs" } as const

const openApi = (examples: Examples) =>
  Effect.sync(() => JSON.stringify(withExamples(forGenerators(OpenApi.fromApi(Api)), examples)))

/** The page with another document in it. */
const showing = (html: string, document: object) =>
  html.replace(
    /(<script id="api-reference" type="application\/json">)[^]*?(<\/script>)/,
    (_, before: string, after: string) => before + JSON.stringify(document).replaceAll("<", "\\u003c") + after
  )

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
  // it is shown with the document of the service
  Effect.map((html) => showing(html, {})),
  Effect.provideService(
    HttpServerRequest.HttpServerRequest,
    HttpServerRequest.fromWeb(new Request(`http://localhost${paths.docs}`))
  ),
  Effect.provideServiceEffect(Layer.CurrentMemoMap, Layer.makeMemoMap),
  Effect.scoped,
  Effect.orDie
)

/** Makes each document, whatever the providers, by the file in which the build keeps it. */
export const made = (examples: Examples) => ({ "openapi.json.br": openApi(examples), "docs.html.br": page })

const built = new URL("./documents/", import.meta.url)

/** A document as the build made it: making one takes seconds, in which nothing else is answered. Sources have none. */
const textOf = (file: keyof ReturnType<typeof made>) =>
  Effect.suspend(() =>
    existsSync(built)
      ? Effect.promise(async () => (await decompress(await readFile(new URL(file, built)))).toString())
      : Effect.flatMap(readExamples(), (examples) => made(examples)[file])
  )

const decompress = promisify(brotliDecompress)

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

const isDocument = Schema.is(Schema.extend(WithSchemas, WithPaths))

/** The OpenAPI document of a service with the providers that there are. */
export const openApiDocument = Effect.gen(function* () {
  const providers = yield* Providers
  const document = yield* textOf("openapi.json.br").pipe(
    Effect.map((text): unknown => JSON.parse(text)),
    Effect.filterOrDieMessage(isDocument, "the OpenAPI document has no schemas or paths")
  )
  const all = providers.all()
  return describingFilters({ ...document, ...describingNeeds(document, all) }, all)
})

/** The OpenAPI document and its page. A start does not wait for them. */
export const routes = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    const providers = yield* Providers
    const document = Effect.provideService(openApiDocument, Providers, providers)
    const openApi = Effect.map(document, (document) => ({
      text: JSON.stringify(document),
      contentType: "application/json"
    }))
    const docs = Effect.zipWith(textOf("docs.html.br"), document, (html, document) => {
      const text = showing(html, document)
      return {
        text,
        contentType: "text/html; charset=utf-8",
        headers: { "content-security-policy": policyFor(text), "referrer-policy": "no-referrer" }
      }
    })
    yield* router.add("GET", paths.openApi, yield* serve(openApi))
    yield* router.add("GET", paths.docs, yield* serve(docs))
  })
)
