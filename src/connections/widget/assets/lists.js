import { h, icon, monogram } from "./dom.js"
import { heading } from "./parts.js"

/**
 * @typedef {import("./session.js").Connection} Connection
 * @typedef {import("./session.js").Integration} Integration
 * @typedef {import("./session.js").Session} Session
 */

const groups = /** @type {const} */ ([
  ["crm", "CRM"],
  ["accounting", "Accounting"],
  ["toolkit", "Tools"]
])

/** Most integrations that are listed without a search field. */
const few = 5

/**
 * A list of the integrations to choose from.
 *
 * @param {{
 *   session: Session, filter: string, announce: (text: string) => void,
 *   onFilter: (filter: string) => void, onPick: (integration: Integration) => void
 * }} given
 */
export const listView = ({ announce, filter, onFilter, onPick, session }) => {
  const results = h("div", { class: "results" })
  /** @param {string} text */
  const render = (text) => {
    const wanted = text.trim().toLowerCase()
    const nothing = wanted === "" ? "There is nothing to connect here." : `Nothing here is called “${text.trim()}”.`
    const found = session.integrations.filter(({ name }) => name.toLowerCase().includes(wanted))
    results.replaceChildren(
      ...groups.flatMap(([category, title]) => {
        const members = found.filter((integration) => integration.category === category)
        return members.length === 0 ? [] : [groupOf(category, title, members, onPick)]
      }),
      ...(found.length === 0 ? [h("p", { class: "empty" }, nothing)] : [])
    )
    return found.length
  }
  render(filter)

  const search = h("input", {
    type: "search",
    id: "search",
    placeholder: "Search",
    autocomplete: "off",
    spellcheck: "false",
    oninput: () => {
      onFilter(search.value)
      const count = render(search.value)
      announce(count === 1 ? "1 integration" : `${count} integrations`)
    }
  })
  search.value = filter

  return h(
    "div",
    { class: "view" },
    heading(`Connect your tools to ${session.organisation.name}`),
    h("p", { class: "lede" }, "Pick one to begin. You can connect more afterwards."),
    session.integrations.length > few &&
      h(
        "div",
        { class: "search" },
        h("label", { for: "search", class: "hidden" }, "Search integrations"),
        icon("search"),
        search
      ),
    results
  )
}

/**
 * @param {string} category
 * @param {string} title
 * @param {Integration[]} members
 * @param {(integration: Integration) => void} onPick
 */
const groupOf = (category, title, members, onPick) =>
  h(
    "section",
    { "aria-labelledby": `group-${category}` },
    h("h2", { id: `group-${category}` }, title),
    h(
      "ul",
      { class: "rows" },
      ...members.map((integration) => {
        const [first] = integration.connections
        const shown = integration.connections.find((connection) => !isHealthy(connection)) ?? first
        const many = integration.connections.length
        const note = many > 1 ? `${many} accounts` : first?.accountName
        return h(
          "li",
          {},
          h(
            "button",
            { type: "button", class: "row", id: `pick-${integration.slug}`, onclick: () => onPick(integration) },
            monogram(integration),
            h(
              "span",
              { class: "what" },
              h("span", { class: "name" }, integration.name),
              typeof note === "string" && h("span", { class: "note" }, note)
            ),
            shown !== undefined && stateOf(shown, "Reconnect"),
            icon("forward")
          )
        )
      })
    )
  )

/**
 * The accounts that an integration is already connected to.
 *
 * @param {{
 *   integration: Integration, back: HTMLElement | undefined,
 *   onReconnect: (connection: Connection) => void, onAnother: () => void
 * }} given
 */
export const accountsView = ({ back, integration, onAnother, onReconnect }) =>
  h(
    "div",
    { class: "view" },
    back,
    monogram(integration),
    heading(integration.name),
    h(
      "ul",
      { class: "accounts" },
      ...integration.connections.map((connection) => {
        const name = connection.accountName ?? "Unnamed account"
        return h(
          "li",
          {},
          h("span", { class: "what" }, h("span", { class: "name" }, name), stateOf(connection, "Access has ended")),
          h(
            "button",
            {
              type: "button",
              class: isHealthy(connection) ? "button small quiet" : "button small",
              "aria-label": `Reconnect ${name}`,
              onclick: () => onReconnect(connection)
            },
            "Reconnect"
          )
        )
      })
    ),
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", class: "button outlined", onclick: onAnother }, "Connect another account")
    )
  )

/** Milliseconds before access ends from which the page says so: a week. */
const notice = 7 * 24 * 3600 * 1000

/** @param {Connection} connection */
const endsSoon = ({ reauthBy }) => reauthBy !== null && Date.parse(reauthBy) - Date.now() <= notice

/** @param {Connection} connection */
const isHealthy = (connection) => connection.status === "active" && !endsSoon(connection)

/**
 * @param {Connection} connection
 * @param {string} ended text for a connection that has to be connected again
 */
const stateOf = (connection, ended) => {
  const { reauthBy, status } = connection
  if (isHealthy(connection)) return h("span", { class: "state good" }, icon("check"), h("span", {}, "Connected"))
  const day = new Date(reauthBy ?? "").toLocaleDateString("en-GB", { day: "numeric", month: "long" })
  const text = status === "active" ? `Reconnect by ${day}` : ended
  return h("span", { class: "state warn" }, icon("warning"), h("span", {}, text))
}
