import { HttpServerResponse } from "@effect/platform"
import type { Notice } from "./ConsoleSessions.ts"
import { html, type Html } from "./Html.ts"
import { form } from "./Parts.ts"
import type { Visit } from "./Visit.ts"

/** The pages in the navigation: their paths under `/console`, and their names. */
const sections = {
  "": "Overview",
  "/requests": "Requests",
  "/tool-calls": "Tool calls",
  "/connections": "Connections",
  "/end-users": "End users",
  "/approvals": "Approvals",
  "/field-mappings": "Field mappings",
  "/mcp": "Programs",
  "/watches": "Watches",
  "/events": "Events",
  "/webhooks": "Webhooks",
  "/keys": "API keys",
  "/allowed-origins": "Allowed origins"
} as const

export type Section = keyof typeof sections

/** The contents of a page. */
export interface View {
  readonly title: string
  /** Its section in the navigation. */
  readonly section: Section
  /** HTTP status; absent: 200. */
  readonly status?: number
  readonly main: Html
}

const labels = { sandbox: "Sandbox", production: "Production" } as const

/** A page for someone who is signed in. */
export const signedInPage = (visit: Visit, view: View, notice: Notice | undefined) => {
  const { root, session } = visit
  return document({
    root,
    title: `${view.title} · ${session.organisationName}`,
    status: view.status ?? 200,
    body: html`
      <a class="skip" href="#main">Skip to content</a>
      <header class="bar">
        <a class="mark" href="${root}">Tributary</a>
        <span class="organisation">${session.organisationName}</span>
        <span class="pill ${session.caller.environment}">${labels[session.caller.environment]}</span>
        ${form(
          visit,
          "/sign-out",
          html`<button type="submit" class="button small quiet">Sign out</button>`,
          "sign-out"
        )}
      </header>
      <div class="frame">
        <nav aria-label="Console">
          <ul>
            ${Object.entries(sections).map(
              ([path, name]) =>
                html`<li>
                  <a href="${root}${path}" ${path === view.section && html`aria-current="page"`}>${name}</a>
                </li>`
            )}
          </ul>
        </nav>
        <main id="main" tabindex="-1">${notice !== undefined && noticeOf(notice)} ${view.main}</main>
      </div>
    `
  })
}

/** A page for someone who is not. */
export const strangersPage = (given: {
  readonly root: string
  readonly title: string
  readonly status: number
  readonly main: Html
}) => document({ ...given, body: html`<main class="card"><div class="view">${given.main}</div></main>` })

const noticeOf = ({ kind, secret, text }: Notice) => html`
  <div class="notice ${kind === "refused" ? "bad" : "good"}" role="${kind === "refused" ? "alert" : "status"}">
    <p>${text}</p>
    ${
      secret !== undefined &&
      html`<code class="secret" tabindex="0" aria-label="${kind === "key" ? "The new key" : "The link"}"
        >${secret}</code
      >`
    }
  </div>
`

const document = (given: {
  readonly root: string
  readonly title: string
  readonly status: number
  readonly body: Html
}) =>
  HttpServerResponse.text(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <meta name="robots" content="noindex" />
          <title>${given.title} · Tributary</title>
          <link rel="icon" href="data:," />
          <link rel="stylesheet" href="${given.root.replace(/console$/, "connect")}/assets/page.css" />
          <link rel="stylesheet" href="${given.root}/assets/console.css" />
          <script type="module" src="${given.root}/assets/console.js"></script>
        </head>
        <body class="console">
          ${given.body}
          <p class="unseen" role="status" data-spoken></p>
        </body>
      </html>`.markup,
    {
      status: given.status,
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy": [
          "default-src 'none'",
          "style-src 'self'",
          "script-src 'self'",
          "img-src data:",
          "form-action 'self'",
          "base-uri 'none'",
          "frame-ancestors 'none'"
        ].join("; "),
        // with no referrer policy, browsers would not say where a form comes from
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "no-store"
      }
    }
  )
