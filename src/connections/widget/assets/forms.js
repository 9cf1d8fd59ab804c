import { h, icon, monogram } from "./dom.js"
import { alertOf, heading, submitOf } from "./parts.js"

/**
 * @typedef {import("./session.js").Choice} Choice
 * @typedef {import("./session.js").Connection} Connection
 * @typedef {import("./session.js").Field} Field
 * @typedef {import("./session.js").Integration} Integration
 * @typedef {import("./session.js").Session} Session
 */

/** @param {Integration} integration */
const assurance = ({ kind, name }) => {
  if (kind === "oauth2") return `${name} opens in a window of its own. Your password stays with ${name}.`
  return `What you enter is stored encrypted and is never shown again.`
}

/**
 * The fields to fill in, if any, and the button that starts. `onSubmit` is called in the user's own click; a rejection with
 * `errors` is shown at the fields.
 *
 * @param {{
 *   session: Session, integration: Integration, connection: Connection | undefined, announce: (text: string) => void,
 *   back: HTMLElement | undefined, onSubmit: (fields: Record<string, string>) => Promise<void>, onOther: () => void,
 *   values: Record<string, string>, failure: { message: string, errors: Record<string, string> } | undefined
 * }} given
 */
export const formView = ({ announce, back, connection, failure, integration, onOther, onSubmit, session, values }) => {
  const { kind, name } = integration
  const isNew = connection === undefined
  const fields = integration.fields.map((field) => fieldOf(field, values[field.name]))
  const alert = alertOf()
  const submit = submitOf(kind === "oauth2" ? `Continue to ${name}` : isNew ? `Connect ${name}` : "Reconnect")

  /**
   * @param {string} message
   * @param {Record<string, string>} errors
   */
  const tell = (message, errors) => {
    const wrong = fields.filter(({ name, tell }) => tell(errors[`fields.${name}`]))
    const others = Object.entries(errors).filter(([path]) => !fields.some((field) => path === `fields.${field.name}`))
    alert.tell(others.length > 0 ? others.map(([, why]) => why).join(" ") : wrong.length > 0 ? "" : message)
    wrong[0]?.control.focus()
  }

  const form = h(
    "form",
    {
      class: "form",
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault()
        if (submit.isBusy()) return
        const missing = fields.filter(({ control, required }) => required && control.value.trim() === "")
        tell("", Object.fromEntries(missing.map(({ label, name }) => [`fields.${name}`, `Enter the ${label}.`])))
        if (missing.length > 0) return
        const entered = fields.map(({ control, name }) => [name, control.value.trim()])
        submit.work(true)
        announce("Checking what you entered")
        onSubmit(Object.fromEntries(entered.filter(([, value]) => value !== "")))
          .catch(({ errors = {}, message }) => tell(message, errors))
          .finally(() => submit.work(false))
      }
    },
    alert.element,
    ...fields.map(({ element }) => element),
    submit.element
  )
  if (failure !== undefined) tell(failure.message, failure.errors)

  return h(
    "div",
    { class: "view" },
    back,
    monogram(integration),
    heading(isNew ? `Connect ${name}` : `Reconnect ${name}`),
    h("p", { class: "lede" }, ledeOf(session, integration, connection)),
    integration.help !== null && h("p", { class: "help" }, integration.help),
    form,
    integration.other !== null &&
      h(
        "div",
        { class: "actions" },
        h(
          "button",
          { type: "button", class: "button outlined", id: "other-way", onclick: onOther },
          otherWay[integration.other.kind](name)
        )
      ),
    h("p", { class: "assurance" }, icon("lock"), h("span", {}, assurance(integration)))
  )
}

/** @type {Record<import("./session.js").Way["kind"], (name: string) => string>} */
const otherWay = {
  oauth2: (name) => `Sign in at ${name} instead`,
  certificate: () => "Use a certificate instead",
  key: () => "Use a key instead",
  connectionString: () => "Use a connection string instead"
}

/**
 * @param {Session} session
 * @param {Integration} integration
 * @param {Connection | undefined} connection
 */
const ledeOf = ({ organisation }, { kind, name }, connection) => {
  if (connection !== undefined) {
    const account = connection.accountName === null ? "" : ` (${connection.accountName})`
    return kind === "oauth2"
      ? `Sign in to the same account${account} again, and everything that uses it goes on.`
      : `Enter what opens the same account${account}, and everything that uses it goes on.`
  }
  return kind === "oauth2"
    ? `Sign in at ${name} and allow ${organisation.name} to work with your account.`
    : `Allow ${organisation.name} to work with your ${name} account.`
}

/**
 * @param {Field} field
 * @param {string | undefined} value
 */
const fieldOf = ({ help, label, multiline, name, options, placeholder, required, secret }, value) => {
  const id = `field-${name}`
  const error = h("span", { class: "error", id: `${id}-error`, hidden: true })
  const described = [help === null ? "" : `${id}-help`, `${id}-error`].join(" ").trim()
  const common = { id, name, "aria-describedby": described, "aria-required": required ? "true" : undefined }
  const typed = {
    ...common,
    placeholder: placeholder ?? undefined,
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false"
  }
  const control = multiline
    ? h("textarea", { ...typed, rows: 6 })
    : options === null
      ? h("input", { ...typed, type: secret ? "password" : "text" })
      : h(
          "select",
          common,
          !required && h("option", { value: "" }, "Not set"),
          ...options.map((option) => h("option", { value: option.value }, option.label))
        )
  if (value !== undefined) control.value = value

  const reveal = h(
    "button",
    {
      type: "button",
      class: "reveal",
      "aria-pressed": "false",
      "aria-label": `Show ${label}`,
      onclick: () => {
        const shown = control.getAttribute("type") === "text"
        control.setAttribute("type", shown ? "password" : "text")
        reveal.setAttribute("aria-pressed", String(!shown))
        reveal.textContent = shown ? "Show" : "Hide"
      }
    },
    "Show"
  )

  return {
    name,
    label,
    required,
    control,
    element: h(
      "div",
      { class: "field" },
      h("label", { for: id }, label, !required && h("span", { class: "optional" }, " (optional)")),
      h("div", { class: secret && !multiline ? "control secret" : "control" }, control, secret && !multiline && reveal),
      help !== null && h("span", { class: "hint", id: `${id}-help` }, help),
      error
    ),
    /**
     * Shows or clears the field's error; returns whether there is one.
     *
     * @param {string | undefined} why
     */
    tell: (why) => {
      error.replaceChildren(...(why === undefined ? [] : [icon("warning"), h("span", {}, why)]))
      error.hidden = why === undefined
      if (why === undefined) control.removeAttribute("aria-invalid")
      else control.setAttribute("aria-invalid", "true")
      return why !== undefined
    }
  }
}

/**
 * Lets the end user choose one of several accounts.
 *
 * @param {{ integration: Integration, choices: Choice[], onChoose: (value: string) => Promise<void>, onCancel: () => void }} given
 */
export const choiceView = ({ choices, integration, onCancel, onChoose }) => {
  const alert = alertOf()
  const submit = submitOf("Continue")
  const form = h(
    "form",
    {
      class: "form",
      novalidate: true,
      onsubmit: (event) => {
        event.preventDefault()
        if (submit.isBusy()) return
        const chosen = new FormData(form).get("choice")
        alert.tell(typeof chosen === "string" ? "" : "Choose one of these accounts.")
        if (typeof chosen !== "string") return
        submit.work(true)
        onChoose(chosen)
          .catch(({ message }) => alert.tell(message))
          .finally(() => submit.work(false))
      }
    },
    alert.element,
    h(
      "fieldset",
      { class: "choices" },
      h("legend", { class: "hidden" }, `Accounts at ${integration.name}`),
      ...choices.map(({ label, value }) =>
        h("label", { class: "choice" }, h("input", { type: "radio", name: "choice", value }), h("span", {}, label))
      )
    ),
    submit.element,
    h("button", { type: "button", class: "button quiet", onclick: onCancel }, "Cancel")
  )
  return h(
    "div",
    { class: "view" },
    monogram(integration),
    heading("Choose an account"),
    h("p", { class: "lede" }, `You have access to several at ${integration.name}. Which one is to be connected?`),
    form
  )
}
