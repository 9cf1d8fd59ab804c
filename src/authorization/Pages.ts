import { HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { html, type Html, type Part } from "../console/Html.ts"
import { pathOf } from "../platform/Errors.ts"
import type { Grant } from "./Grants.ts"
import { howToAdd } from "./Programs.ts"

/** A page for the end user. It loads nothing from anyone else, and no other page may frame it. */
const page = (given: { readonly title: string; readonly status?: number; readonly main: Html }) =>
  Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
    const root = "../".repeat(pathOf(request).split("/").length - 2)
    return HttpServerResponse.text(
      html`<!doctype html>
        <html lang="en">
          <head>
            <meta charset="utf-8" />
            <meta name="viewport" content="width=device-width, initial-scale=1" />
            <meta name="color-scheme" content="light dark" />
            <meta name="robots" content="noindex" />
            <title>${given.title}</title>
            <link rel="icon" href="data:," />
            <link rel="stylesheet" href="${root}connect/assets/page.css" />
            <link rel="stylesheet" href="${root}connect/assets/widget.css" />
          </head>
          <body>
            <main class="card"><div class="view">${given.main}</div></main>
          </body>
        </html>`.markup,
      {
        status: given.status ?? 200,
        contentType: "text/html; charset=utf-8",
        headers: {
          // no form-action: browsers would also hold it against where the program's answer goes
          "content-security-policy": [
            "default-src 'none'",
            "style-src 'self'",
            "img-src data:",
            "base-uri 'none'",
            "frame-ancestors 'none'"
          ].join("; "),
          // with none at all, browsers would not say where a form comes from
          "referrer-policy": "same-origin",
          "x-content-type-options": "nosniff",
          "cross-origin-opener-policy": "same-origin",
          "cross-origin-resource-policy": "same-origin",
          "cache-control": "no-store"
        }
      }
    )
  })

/** Sends a browser on, and tells nobody from where: addresses here hold secrets. */
export const redirect = (location: string) =>
  HttpServerResponse.redirect(location, {
    status: 303,
    headers: { "cache-control": "no-store", "referrer-policy": "no-referrer" }
  })

/** A page with a message and nothing else. */
export const messagePage = (title: string, message: Part, status: number) =>
  page({
    title,
    status,
    main: html`<h1>${title}</h1>
      <p class="lede">${message}</p>`
  })

/** A toolkit of a workspace, with what the end user has connected of it. */
export interface ConnectedToolkit {
  readonly slug: string
  readonly name: string
  /** Names that providers have for the accounts; those that have to be connected again are left out. */
  readonly accounts: ReadonlyArray<string>
}

/** The call that is decided about. */
export interface Consent {
  readonly organisationName: string
  readonly workspaceName: string
  readonly endUser: string
  readonly clientName: string
  /** Host of the address that the program proved to be its own; undefined when it proved nothing. */
  readonly provedHost: string | undefined
  readonly redirect: URL
  readonly scopes: ReadonlyArray<string>
  /** Titles of tools by what they do. */
  readonly reads: ReadonlyArray<string>
  readonly changes: ReadonlyArray<string>
  readonly destroys: ReadonlyArray<string>
  readonly toolkits: ReadonlyArray<ConnectedToolkit>
  /** Where the end user sees and ends what they gave. */
  readonly grantsUrl: string
}

/** Where the program's answer goes, for people. */
const destination = ({ hostname, host, protocol }: URL): Part => {
  if (/^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)) {
    return html`<strong>a program on this computer</strong> (${host}). Go on only if you have just asked for this in
      one.`
  }
  return /^https?:$/.test(protocol)
    ? html`<strong>${host}</strong>`
    : html`<strong>a program on this computer</strong> that opens addresses of <code>${protocol}</code>. Go on only if
        you have just asked for this in one.`
}

const toolList = (about: string, titles: ReadonlyArray<string>): Part =>
  titles.length > 0 &&
  html`<details>
    <summary>${about}: ${titles.length} ${titles.length === 1 ? "tool" : "tools"}</summary>
    <p class="note">${titles.join(", ")}</p>
  </details>`

const mayWrite = ({ changes, destroys, scopes }: Consent) =>
  scopes.includes("tools:write") && changes.length + destroys.length > 0

export const consentPage = (asked: Consent) =>
  page({
    title: `Let ${asked.clientName} in?`,
    main: html`
      <h1>Let “${asked.clientName}” use ${asked.organisationName}?</h1>
      <p class="lede">
        ${
          asked.provedHost === undefined
            ? html`The name is what the program says of itself; nobody has checked it.`
            : html`The program belongs to <strong>${asked.provedHost}</strong>.`
        }
        The answer goes to ${destination(asked.redirect)}
      </p>
      <h2>As</h2>
      <p class="name">${asked.endUser}</p>
      <h2>What it could do in “${asked.workspaceName}”</h2>
      ${toolList("Read", asked.reads)} ${mayWrite(asked) && toolList("Change", asked.changes)}
      ${mayWrite(asked) && toolList("Remove or overwrite", asked.destroys)}
      <h2>With these accounts of yours</h2>
      <form method="post" class="accounts-form">
        <ul class="accounts">
          ${asked.toolkits.map(
            ({ accounts, name, slug }) => html`
              <li>
                <span class="what">
                  <span class="name">${name}</span>
                  <span class="note">${accounts.length === 0 ? "Not connected" : accounts.join(", ")}</span>
                </span>
                ${
                  accounts.length === 0 &&
                  html`<button
                    class="button small outlined"
                    name="connect"
                    value="${slug}"
                    aria-label="Connect ${name}"
                  >
                    Connect
                  </button>`
                }
              </li>
            `
          )}
        </ul>
      </form>
      <form method="post" class="form">
        ${
          mayWrite(asked) &&
          html`<label class="choice">
            <input type="checkbox" name="read_only" value="on" />
            <span>Only let it read</span>
          </label>`
        }
        <button class="button outlined" name="answer" value="allow">Allow</button>
        <button class="button outlined" name="answer" value="deny">Refuse</button>
      </form>
      <p class="hint">It lasts at most 90 days. <a href="${asked.grantsUrl}">See and end what you let in</a>.</p>
    `
  })

/** The end user's own page: programs that they let in, each with a way to end it. */
export const grantsPage = (given: {
  readonly organisationName: string
  readonly endUser: string
  readonly grants: ReadonlyArray<Grant>
  /** Address of the workspace. */
  readonly address: string
  readonly back: string
}) =>
  page({
    title: "Programs that you let in",
    main: html`
      <h1>Programs that use ${given.organisationName} as ${given.endUser}</h1>
      ${
        given.grants.length === 0
          ? html`<p class="lede">There are none.</p>`
          : html`<form method="post">
              <ul class="accounts">
                ${given.grants.map(
                  (grant) => html`
                    <li>
                      <span class="what">
                        <span class="name">${grant.clientName ?? `A page of ${given.organisationName}`}</span>
                        <span class="note"
                          >${grant.workspaceName},
                          ${grant.scopes.includes("tools:write") ? "reads and changes" : "reads"}, since
                          ${grant.createdAt.slice(0, 10)}, until
                          ${grant.expiresAt.slice(0, 10)}${
                            grant.lastUsedAt !== null && `, last used ${grant.lastUsedAt.slice(0, 10)}`
                          }</span
                        >
                      </span>
                      <button
                        class="button small outlined"
                        name="end"
                        value="${grant.id}"
                        aria-label="End ${grant.clientName ?? "the page's access"}"
                      >
                        End
                      </button>
                    </li>
                  `
                )}
              </ul>
            </form>`
      }
      ${howToAdd(given.address)}
      <p class="actions"><a class="button quiet" href="${given.back}">Back</a></p>
    `
  })

/** Picks an end user of the sandbox, in place of an organisation's own application. */
export const pickPage = (given: {
  readonly clientName: string
  readonly workspaceName: string
  /** Ids of end users that there are. */
  readonly known: ReadonlyArray<string>
  /** Hidden fields of the form. */
  readonly hidden?: Part
}) =>
  page({
    title: "Pick an end user",
    main: html`
      <h1>As which end user?</h1>
      <p class="lede">
        “${given.clientName}” asks for access to “${given.workspaceName}”. In production your own application says who
        its user is; the sandbox asks you, as long as no sign-in address is set.
      </p>
      <form method="post" class="form">
        ${given.hidden}
        <div class="field">
          <label for="end_user">End user</label>
          <input
            id="end_user"
            name="end_user"
            list="known"
            required
            maxlength="255"
            autocomplete="off"
            value="${given.known[0] ?? ""}"
          />
          <datalist id="known">${given.known.map((id) => html`<option value="${id}"></option>`)}</datalist>
          <p class="hint">One of yours, or a new one.</p>
        </div>
        <button class="button">Go on</button>
      </form>
    `
  })

/** Leads to the console, which knows who may pick an end user. */
export const consolePage = (address: string) =>
  page({
    title: "Sign in to the console",
    main: html`
      <h1>Who is the end user?</h1>
      <p class="lede">
        No sign-in address is set for this sandbox, so somebody who is signed in to the console says it. Sign in there,
        then go on here.
      </p>
      <p class="actions"><a class="button" href="${address}">Go on</a></p>
    `
  })
