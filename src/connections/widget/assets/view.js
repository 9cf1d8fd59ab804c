import { h } from "./dom.js"

const main = document.querySelector("#widget")
const announcer = document.querySelector("#announcer")

/** Ends what the present view has going on. */
let present = new AbortController()

/** Aborted once another view has come up. */
export const signal = () => present.signal

/**
 * Says something to a screen reader that the view does not say by itself.
 *
 * @param {string} text
 */
export const announce = (text) => {
  if (announcer !== null) announcer.textContent = text
}

/**
 * Brings up a view in place of the present one. What that one had going on ends, unless `goesOn`.
 *
 * @param {HTMLElement} view
 * @param {import("./session.js").Session | undefined} session
 * @param {boolean} [goesOn]
 */
export const show = (view, session, goesOn = false) => {
  if (!goesOn) {
    present.abort()
    present = new AbortController()
  }
  main?.replaceChildren(...(session === undefined ? [] : [topOf(session)]), view)
  main?.removeAttribute("aria-busy")
  const heading = view.querySelector("h1")
  const name = heading?.textContent ?? "Connect"
  document.title = session === undefined ? name : `${name} · ${session.organisation.name}`
  scrollTo(0, 0)
  const wrong = view.querySelector("[aria-invalid]")
  if (wrong instanceof HTMLElement) wrong.focus()
  else heading?.focus({ preventScroll: true })
  // Someone who is in another window hears it too.
  announce(document.hasFocus() ? "" : name)
}

/** @param {import("./session.js").Session} session */
const topOf = ({ environment, organisation }) =>
  h(
    "div",
    { class: "top" },
    h("strong", {}, organisation.name),
    environment === "sandbox" && h("span", { class: "pill" }, "Test mode")
  )
