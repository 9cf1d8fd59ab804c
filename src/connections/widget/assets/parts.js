import { h, icon } from "./dom.js"

/** @typedef {{ label: string, run: () => void, href?: never } | { label: string, href: string, run?: never }} Action */

/**
 * The heading of a view, which gets the focus when the view comes up.
 *
 * @param {string} text
 */
export const heading = (text) => h("h1", { tabindex: -1 }, text)

/**
 * @param {string} label
 * @param {() => void} run
 */
export const backTo = (label, run) =>
  h("button", { type: "button", class: "back", onclick: run }, icon("back"), h("span", {}, label))

/**
 * The first action is the one that most people want.
 *
 * @param {ReadonlyArray<Action>} actions
 */
export const actionsOf = (actions) =>
  h(
    "div",
    { class: "actions" },
    ...actions.map(({ href, label, run }, index) => {
      const look = index === 0 ? "button" : "button quiet"
      return href === undefined
        ? h("button", { type: "button", class: look, onclick: run }, label)
        : h("a", { class: look, href, target: "_blank", rel: "noopener noreferrer" }, label)
    })
  )

/** Where a form says what is wrong with all of it. */
export const alertOf = () => {
  const element = h("p", { class: "alert", role: "alert", hidden: true })
  return {
    element,
    /** @param {string} text nothing when it is empty */
    tell: (text) => {
      element.textContent = text
      element.hidden = text === ""
    }
  }
}

/**
 * A button that sends a form and shows that this is under way. It keeps the focus meanwhile, so it is never disabled.
 *
 * @param {string} label
 */
export const submitOf = (label) => {
  const element = h("button", { type: "submit", class: "button" }, h("span", {}, label))
  return {
    element,
    isBusy: () => element.classList.contains("busy"),
    /** @param {boolean} busy */
    work: (busy) => {
      element.classList.toggle("busy", busy)
      element.setAttribute("aria-disabled", String(busy))
    }
  }
}
