import { firm } from "../../../providers/simulation/SampleSoftware.ts"

// Files of the sample repositories.

const lines = (...all: ReadonlyArray<string>) => `${all.join("\n")}\n`

const changelog = lines(
  "# Changelog",
  "",
  ...Array.from({ length: 620 }, (_, index) =>
    lines(
      `## ${4 - Math.floor(index / 210)}.${209 - (index % 210)}.0`,
      "",
      `- ${["carriers", "events", "labels", "search"][index % 4]}: change ${620 - index} of the log`,
      ""
    ).trimEnd()
  )
)

/** The beginning of a PNG: a file that is no text. */
const logo = Buffer.from([
  0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 64
])

type Files = { readonly [path: string]: string | Uint8Array }

export const harborApi: Files = {
  "README.md": lines(
    "# harbor-api",
    "",
    `The API behind ${firm.name}’ parcel tracking.`,
    "",
    "```sh",
    "npm ci && npm start",
    "```",
    "",
    "Carriers are in `src/carriers`, one file each."
  ),
  "CHANGELOG.md": changelog,
  "package.json": lines("{", '  "name": "harbor-api",', '  "version": "4.139.0",', '  "type": "module"', "}"),
  ".github/workflows/ci.yml": lines(
    "name: ci",
    "on: [push, pull_request]",
    "jobs:",
    "  test:",
    "    runs-on: ubuntu-latest"
  ),
  "docs/logo.png": logo,
  "docs/webhooks.md": lines("# Webhooks", "", "We call the shop’s address for each event, and retry for a day."),
  "src/server.ts": lines(
    'import { createServer } from "node:http"',
    'import { route } from "./routes.ts"',
    "",
    "const port = Number(process.env.PORT ?? 8080)",
    "",
    "createServer(route).listen(port)"
  ),
  "src/routes.ts": lines(
    'import { parcels } from "./parcels.ts"',
    "",
    "export const route = (request, response) => {",
    '  if (request.url.startsWith("/parcels")) return parcels(request, response)',
    "  response.writeHead(404).end()",
    "}"
  ),
  "src/parcels.ts": lines("export const parcels = (request, response) => {", '  response.end("[]")', "}"),
  "src/retry.ts": lines(
    "/** Seconds to wait before a webhook is tried again. */",
    "export const retryAfter = (attempt) => Math.min(3600, 2 ** attempt)",
    "",
    "export const isLost = (status) => false"
  ),
  "src/carriers/baltic.ts": lines('export const baltic = { name: "Baltic Lockers", labels: "zpl" }'),
  "src/carriers/post.ts": lines('export const post = { name: "Post", labels: "pdf" }'),
  "src/carriers/rapid.ts": lines('export const rapid = { name: "Rapid", labels: "pdf" }'),
  "test/retry.test.ts": lines(
    'import { retryAfter } from "../src/retry.ts"',
    "",
    "// a webhook waits an hour at most",
    "retryAfter(40)"
  )
}

export const harborWeb: Files = {
  "README.md": lines("# harbor-web", "", "The dashboard."),
  "src/app.tsx": lines("export const App = () => <main>Parcels</main>"),
  "src/theme.css": lines(":root {", "  --ink: #1c2430;", "}")
}

export const infrastructure: Files = {
  "README.md": lines("# infrastructure", "", "Clusters, queues, backups. Production only changes by pull request."),
  "queues/workers.yml": lines("replicas: 6", "cluster: old")
}

export const handbook: Files = {
  "README.md": lines("# Handbook", "", "How we work, in the open."),
  "incidents.md": lines("# Incidents", "", "Say what you see, then what you did, then what you think.")
}

export const lathe: Files = {
  "README.md": lines("# lathe", "", "A small tracing library."),
  "src/lib.rs": lines("pub fn trace(name: &str) -> Span {", "    Span::new(name)", "}")
}
