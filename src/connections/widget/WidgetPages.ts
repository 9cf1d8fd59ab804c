import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { pathOf } from "../../platform/Errors.ts"

/**
 * The pages an end user sees while connecting. They load nothing from anyone else, and addresses in them are relative, so
 * that they work behind a path of a proxy too.
 */

/**
 * The widget: a shell that its script fills. `origin` is that of the page which may frame it; without one, none may. The
 * script still refuses to work for an origin that the session does not list.
 */
export const connectPage = (origin: string | undefined) =>
  page({
    title: "Connect",
    assets: "connect/assets",
    script: "widget.js",
    frameAncestors: origin ?? "'none'",
    main: `<main id="widget" class="card" aria-busy="true">
      <div class="loading" role="status"><span class="spinner" aria-hidden="true"></span><span>Loading…</span></div>
      <noscript><p class="lede">This page needs JavaScript. Turn it on in your browser and open the link again.</p></noscript>
    </main>
    <div id="announcer" class="hidden" aria-live="polite"></div>`
  })

/**
 * Where a provider sends the end user back to. It tells the widget that the attempt has moved on and closes its window,
 * or, when that cannot be, says that the window can be closed. Without an attempt nothing is told and the page stays.
 */
export const callbackPage = (say: {
  readonly title: string
  readonly message: string
  readonly attemptId: string | null
}) =>
  page({
    title: say.title,
    // beside /connect/callback
    assets: "assets",
    script: "callback.js",
    frameAncestors: "'none'",
    main: messageOf(
      say.title,
      say.message,
      `<p class="actions"><button type="button" class="button" id="close" data-attempt="${escape(say.attemptId ?? "")}" hidden>
          Close this window</button></p>`
    )
  })

/** A page without a script, in answer to whatever was asked for; `main` is markup. */
export const stillPage = (of: { readonly title: string; readonly main: string; readonly status: number }) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
    HttpServerResponse.setStatus(
      page({
        title: of.title,
        assets: `${"../".repeat(pathOf(request).split("/").length - 2)}connect/assets`,
        script: undefined,
        frameAncestors: "'none'",
        main: of.main
      }),
      of.status
    )
  )

/** A page with a message and nothing else. */
export const messagePage = (say: { readonly title: string; readonly message: string; readonly status: number }) =>
  stillPage({ title: say.title, status: say.status, main: messageOf(say.title, say.message, "") })

const messageOf = (title: string, message: string, below: string) =>
  `<main class="card">
      <div class="view centred">
        <h1>${escape(title)}</h1>
        <p class="lede">${escape(message)}</p>
        ${below}
      </div>
    </main>`

const page = (of: {
  readonly title: string
  /** Folder of the assets, from the page. */
  readonly assets: string
  readonly script: string | undefined
  readonly frameAncestors: string
  readonly main: string
}) =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="robots" content="noindex">
    <title>${escape(of.title)}</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${of.assets}/page.css">
    <link rel="stylesheet" href="${of.assets}/widget.css">
    ${of.script === undefined ? "" : `<script type="module" src="${of.assets}/${of.script}"></script>`}
  </head>
  <body>
    ${of.main}
  </body>
</html>
`,
    {
      contentType: "text/html; charset=utf-8",
      headers: {
        "content-security-policy": [
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "img-src 'self' data:",
          "connect-src 'self'",
          "form-action 'self'",
          "base-uri 'none'",
          `frame-ancestors ${of.frameAncestors}`,
          "require-trusted-types-for 'script'",
          "trusted-types 'none'"
        ].join("; "),
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        // Any stricter policy would cut the page off from the one that opened it as a popup.
        "cross-origin-opener-policy": "unsafe-none",
        "cache-control": "no-store"
      }
    }
  )

/** Text as markup. */
export const escape = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
