import { h, icon, monogram } from "./dom.js"
import { actionsOf, heading } from "./parts.js"

/**
 * @typedef {import("./session.js").Integration} Integration
 * @typedef {import("./parts.js").Action} Action
 */

/**
 * Texts for the end user while consent is given elsewhere: before the window has an address, while it is open, and when the
 * browser did not open one.
 *
 * @type {Record<"opening" | "open" | "blocked", (name: string) => { title: string, text: string }>}
 */
const stages = {
  opening: (name) => ({ title: `Opening ${name}`, text: "One moment." }),
  open: (name) => ({
    title: `Continue at ${name}`,
    text: "Sign in and give access in the window that has opened. This page goes on by itself."
  }),
  blocked: (name) => ({
    title: "Your browser blocked the window",
    text: `Open ${name} yourself and give access there. This page goes on by itself.`
  })
}

/**
 * The view while the end user is at the provider, in another window.
 *
 * @param {{ integration: Integration, stage: keyof typeof stages, actions: ReadonlyArray<Action> }} given
 */
export const waitingView = ({ actions, integration, stage }) => {
  const { text, title } = stages[stage](integration.name)
  return h(
    "div",
    { class: "view centred" },
    h("div", { class: "waiting" }, monogram(integration), h("span", { class: "spinner", "aria-hidden": "true" })),
    heading(title),
    h("p", { class: "lede" }, text),
    actionsOf(actions)
  )
}

/**
 * Endings of consent without a connection; the service may have better words than these.
 *
 * @typedef {{ sign: "cross" | "warning" | "clock", code: string, title: string, text: string }} Ending
 * @type {Record<"denied" | "failed" | "expired", (name: string) => Ending>}
 */
export const endings = {
  denied: (name) => ({
    sign: "cross",
    code: "DENIED",
    title: "Access was not given",
    text: `You declined at ${name}, so nothing was connected.`
  }),
  failed: (name) => ({
    sign: "warning",
    code: "FAILED",
    title: `${name} could not be connected`,
    text: "Nothing was saved. Try again; if it happens again, tell whoever sent you here."
  }),
  expired: (name) => ({
    sign: "clock",
    code: "EXPIRED",
    title: "That took too long",
    text: `For safety, signing in at ${name} has a time limit. Nothing was connected.`
  })
}

/**
 * The view of an ending.
 *
 * @param {{
 *   tone: "good" | "bad" | "plain", sign: Parameters<typeof icon>[0], title: string, text: string,
 *   actions: ReadonlyArray<Action>
 * }} given
 */
export const endView = ({ actions, sign, text, title, tone }) =>
  h(
    "div",
    { class: "view centred" },
    h("div", { class: `seal ${tone}` }, icon(sign)),
    heading(title),
    h("p", { class: "lede" }, text),
    actions.length > 0 && actionsOf(actions)
  )
