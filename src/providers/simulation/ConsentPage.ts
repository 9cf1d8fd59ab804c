import { createHash } from "node:crypto"
import { inWords, nameOf, type Requirement } from "../Requirement.ts"
import type { Reply } from "./Exchange.ts"

/** The request that the end user answers. */
export interface Consent {
  /** The provider's name. */
  readonly provider: string
  /** The provider's name for the account. */
  readonly account: string
  /** The application that asks. */
  readonly client: string
  readonly scopes: ReadonlyArray<string>
  /** True when the account was connected before, so the end user may want another one. */
  readonly isKnown: boolean
  /** Features that a new account may be made without. */
  readonly features: ReadonlyArray<Requirement>
}

/** The page that asks an end user whether an application may use a simulated account; it posts to its own address. */
export const consentPage = ({ account, client, features, isKnown, provider, scopes }: Consent): Reply =>
  page(
    200,
    `${provider} sandbox`,
    `<p>The application <strong>${escape(client)}</strong> asks to use this ${escape(provider)} account:</p>
    <form method="post">
      ${
        isKnown
          ? `<fieldset>
        <legend>Account</legend>
        <label><input type="radio" name="account" value="this" checked> ${escape(account)}, as connected before</label>
        <label><input type="radio" name="account" value="another"> Another account</label>
      </fieldset>`
          : `<p class="account">${escape(account)}</p>`
      }
      <details><summary>What it may do</summary><ul>${scopes.map((scope) => `<li><code>${escape(scope)}</code></li>`).join("")}</ul></details>
      ${features.length === 0 ? "" : withoutThem(features)}
      <div class="actions">
        <button name="decision" value="allow" class="main">Allow</button>
        <button name="decision" value="deny">Deny</button>
      </div>
    </form>
    <p class="note">A simulation with made-up data: nothing reaches ${escape(provider)}.</p>`
  )

/** Lets the end user choose features that a new account lacks. */
const withoutThem = (features: ReadonlyArray<Requirement>) => `<details class="lacks">
        <summary>What this new account lacks</summary>
        ${features
          .map(
            (one) =>
              `<label><input type="checkbox" name="lacks" value="${escape(nameOf(one))}"> ${escape(inWords([one]))}</label>`
          )
          .join("\n        ")}
      </details>`

/** The page in place of a redirect when the request for consent is wrong. */
export const refusalPage = (provider: string, problem: string): Reply =>
  page(400, `${provider} sandbox`, `<p>This request for consent cannot be answered: ${escape(problem)}.</p>`)

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; padding: 2rem 1rem; }
main { max-width: 26rem; margin: 0 auto; }
h1 { font-size: 1.375rem; line-height: 1.25; margin: 0 0 1rem; }
fieldset { border: 1px solid GrayText; border-radius: .5rem; margin: 0 0 1rem; }
label { display: block; padding: .25rem 0; }
.account { font-weight: 600; }
form:has([name=account][value=this]:checked) .lacks { display: none; }
.actions { display: flex; gap: .75rem; margin-top: 1.5rem; }
button { flex: 1; min-height: 2.75rem; font: inherit; border: 1px solid GrayText; border-radius: .5rem; cursor: pointer; }
.main { background: #1a4fd6; border-color: #1a4fd6; color: #fff; font-weight: 600; }
:focus-visible { outline: 3px solid #6d9bff; outline-offset: 2px; }
.note { font-size: .875rem; color: color-mix(in srgb, CanvasText 75%, Canvas); margin-top: 2rem; }
`

const styleHash = createHash("sha256").update(style).digest("base64")

const page = (status: number, title: string, main: string): Reply => ({
  status,
  headers: {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": [
      "default-src 'none'",
      `style-src 'sha256-${styleHash}'`,
      "img-src data:",
      // the response redirects to the application
      "form-action 'self' http: https:",
      "base-uri 'none'",
      "frame-ancestors 'none'"
    ].join("; "),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff"
  },
  body: `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escape(title)}</title>
  <link rel="icon" href="data:,">
  <style>${style}</style>
</head>
<body>
  <main>
    <h1>${escape(title)}</h1>
    ${main}
  </main>
</body>
</html>
`
})

const escape = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`)
