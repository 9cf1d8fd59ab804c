import { HttpLayerRouter, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import packageJson from "../package.json" with { type: "json" }
import { paths as documents } from "./Documents.ts"
import { basePath } from "./platform/Paths.ts"

/** Where it is. */
export const path = "/"

/** Leads on from here: by addresses relative to it, since a proxy may serve it under a path. */
const links = [
  ["documentation", documents.docs.slice(1), "the API, operation by operation, with examples"],
  ["openapi", documents.openApi.slice(1), "the same as an OpenAPI 3.1 document"],
  ["console", "console", "what goes on: requests, connections, keys"],
  ["readiness", "health/ready", "whether the service can answer"]
] as const

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Tributary</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="connect/assets/page.css">
<link rel="stylesheet" href="console/assets/console.css">
<body class="console">
<main class="card"><div class="view">
<h1>Tributary</h1>
<p class="lede">One API over your customers' CRMs, ledgers and tools. It runs; here is what leads on.</p>
<ul>
${links.map(([name, to, words]) => `<li><a href="${to}">${name}</a>: ${words}</li>`).join("\n")}
</ul>
</div></main>
</body>
</html>
`

const json = {
  name: packageJson.name,
  version: packageJson.version,
  links: { api: basePath.slice(1), ...Object.fromEntries(links.map(([name, to]) => [name, to])) }
}

const headers = { vary: "accept", "x-content-type-options": "nosniff" }

const policy =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The root of the service: a page for browsers, JSON for everybody else. */
export const routes = HttpLayerRouter.add(
  "GET",
  path,
  Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
    (request.headers["accept"] ?? "").includes("text/html")
      ? HttpServerResponse.text(page, {
          contentType: "text/html; charset=utf-8",
          headers: { ...headers, "content-security-policy": policy }
        })
      : HttpServerResponse.unsafeJson(json, { headers })
  )
)
