import { openWindow, outcomeOf } from "./consent.js"
import { choiceView, formView } from "./forms.js"
import { accountsView, listView } from "./lists.js"
import { isAllowed, isFramed, isOpened, origin, tell } from "./opener.js"
import { backTo } from "./parts.js"
import { Refusal, sessionOf } from "./session.js"
import { announce, show as bringUp, signal } from "./view.js"
import { endings, endView, waitingView } from "./states.js"

/**
 * The connect page: reads the session, lets the end user choose an integration and connects it, and tells the page that
 * opened it how that went.
 *
 * @typedef {import("./session.js").Attempt} Attempt
 * @typedef {import("./session.js").Connection} Connection
 * @typedef {import("./session.js").Integration} Integration
 * @typedef {import("./parts.js").Action} Action
 * @typedef {{ integration: Integration, connection: Connection | undefined, fields: Record<string, string> }} Undertaking
 */

/** Only the fragment brings the token; a reload finds it in the state of this entry of the window's history. */
const takeToken = () => {
  const given = new URLSearchParams(location.hash.slice(1)).get("token")
  if (given !== null) history.replaceState({ token: given }, "", location.pathname + location.search)
  const { state } = history
  return typeof state?.token === "string" ? state.token : ""
}

const service = sessionOf(takeToken())

/** @type {import("./session.js").Session | undefined} */
let session
let filter = ""

/**
 * @param {HTMLElement} view
 * @param {boolean} [goesOn] what the present view has going on
 */
const show = (view, goesOn) => bringUp(view, session, goesOn)

// ---------------------------------------------------------------------------------------------------------------------
// choosing

const showList = () => {
  if (session === undefined) return
  show(
    listView({
      session,
      filter,
      announce,
      onFilter: (text) => {
        filter = text
      },
      onPick: showIntegration
    })
  )
}

/** There is a list to go back to. */
const hasList = () => session?.reconnect === null && session.integrations.length > 1

const backToList = () => (hasList() ? backTo("All integrations", showList) : undefined)

/** @param {Integration} integration */
const showIntegration = (integration) => {
  if (integration.connections.length === 0) showForm({ integration, connection: undefined, fields: {} })
  else {
    show(
      accountsView({
        integration,
        back: backToList(),
        onReconnect: (connection) => start({ integration, connection, fields: {} }),
        onAnother: () => start({ integration, connection: undefined, fields: {} })
      })
    )
  }
}

/**
 * Where nothing is to be entered, the provider is the next step.
 *
 * @param {Undertaking} undertaking
 */
const start = (undertaking) => {
  const { fields, kind } = undertaking.integration
  if (kind === "oauth2" && fields.length === 0) void consent(undertaking)
  else showForm(undertaking)
}

/**
 * @param {Undertaking} undertaking
 * @param {{ message: string, errors: Record<string, string> }} [failure]
 */
const showForm = ({ connection, fields, integration }, failure) => {
  if (session === undefined) return
  const hasAccounts = session.reconnect === null && integration.connections.length > 0
  show(
    formView({
      session,
      integration,
      connection,
      announce,
      values: fields,
      failure,
      onOther: () => showForm({ integration: otherWay(integration), connection, fields: {} }),
      back: hasAccounts ? backTo(integration.name, () => showIntegration(integration)) : backToList(),
      onSubmit: (entered) => {
        const undertaking = { integration, connection, fields: entered }
        return integration.kind === "oauth2" ? consent(undertaking) : hand(undertaking)
      }
    })
  )
}

/**
 * The same integration, to be connected in its other way.
 *
 * @param {Integration} integration
 * @returns {Integration}
 */
const otherWay = (integration) => {
  const { fields, help, kind, other } = integration
  return other === null ? integration : { ...integration, ...other, other: { fields, help, kind } }
}

/** @param {Undertaking} undertaking */
const wantedOf = ({ connection, fields }) => ({
  fields,
  ...(connection === undefined ? {} : { connectionId: connection.id })
})

// ---------------------------------------------------------------------------------------------------------------------
// a key

/**
 * Hands over what was entered. What is wrong with it rejects, for the form to show.
 *
 * @param {Undertaking} undertaking
 */
const hand = async (undertaking) => {
  const { integration } = undertaking
  const present = signal()
  try {
    const { accountName, connectionId } = await service.credentials(integration.slug, wantedOf(undertaking))
    if (!present.aborted) await showConnected(integration, connectionId, accountName)
  } catch (problem) {
    if (present.aborted) return
    if (isOver(problem)) return showExpired()
    throw new Refusal(0, { message: wordsFor(integration, problem), errors: errorsOf(problem) })
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// consent at the provider

/**
 * Sends the end user to the provider and follows the attempt to its end. To be called in the user's own click.
 *
 * @param {Undertaking} undertaking
 */
const consent = async (undertaking) => {
  const { integration } = undertaking
  const { name } = integration
  const popup = openWindow(name)
  /** @type {string | undefined} */
  let attemptId
  const abandon = () => {
    popup?.close()
    if (attemptId !== undefined) service.cancel(attemptId).catch(() => undefined)
  }
  const cancel = {
    label: "Cancel",
    run: () => {
      abandon()
      showForm(undertaking)
    }
  }
  show(waitingView({ integration, stage: "opening", actions: [cancel] }))
  const present = signal()
  try {
    const attempt = await service.authorize(integration.slug, wantedOf(undertaking))
    ;({ attemptId } = attempt)
    if (present.aborted) return abandon()
    if (popup === undefined) {
      const way = { label: `Open ${name}`, href: attempt.authorizeUrl }
      show(waitingView({ integration, stage: "blocked", actions: [way, cancel] }), true)
    } else {
      // The provider's page has no business with this one.
      popup.opener = null
      popup.location.replace(attempt.authorizeUrl)
      const way = { label: "Show the window", run: () => popup.focus() }
      show(waitingView({ integration, stage: "open", actions: [way, cancel] }), true)
    }
    const onClosed = () => showClosed(undertaking, abandon)
    const outcome = await outcomeOf({ service, attemptId, popup, signal: present, onClosed, announce })
    if (outcome === undefined) return undefined
    popup?.close()
    return await settle(undertaking, attemptId, outcome)
  } catch (problem) {
    popup?.close()
    if (present.aborted) return undefined
    if (isOver(problem)) return showExpired()
    const errors = errorsOf(problem)
    const text = wordsFor(integration, problem)
    if (Object.keys(errors).length > 0) return showForm(undertaking, { message: text, errors })
    return showFailure(undertaking, { ...endings.failed(name), text })
  }
}

/**
 * @param {Undertaking} undertaking
 * @param {() => void} abandon
 */
const showClosed = (undertaking, abandon) => {
  const { name } = undertaking.integration
  const away = elsewhere(undertaking)
  /** @param {() => void} run */
  const abandoning = (run) => () => {
    abandon()
    run()
  }
  show(
    endView({
      tone: "plain",
      sign: "window",
      title: "The window was closed",
      text: `${name} is not connected yet. If you are still signing in there, go on; this page notices.`,
      actions: [
        { label: "Try again", run: abandoning(() => void consent(undertaking)) },
        { label: away.label, run: abandoning(away.run) }
      ]
    }),
    true
  )
}

/**
 * @param {Undertaking} undertaking
 * @param {string} attemptId
 * @param {Attempt} attempt
 * @returns {Promise<void> | void}
 */
const settle = (undertaking, attemptId, { choices, connectionId, message, status }) => {
  const { integration } = undertaking
  if (status === "connected") return showConnected(integration, connectionId ?? "", null)
  if (status === "choose") {
    return show(
      choiceView({
        integration,
        choices: choices ?? [],
        onChoose: (value) => choose(undertaking, attemptId, value),
        onCancel: () => {
          service.cancel(attemptId).catch(() => undefined)
          showForm(undertaking)
        }
      })
    )
  }
  const ending = endings[status === "pending" ? "failed" : status](integration.name)
  return showFailure(undertaking, { ...ending, text: message ?? ending.text })
}

/**
 * @param {Undertaking} undertaking
 * @param {string} attemptId
 * @param {string} value
 */
const choose = async (undertaking, attemptId, value) => {
  try {
    await settle(undertaking, attemptId, await service.choose(attemptId, value))
  } catch (problem) {
    if (isOver(problem)) return showExpired()
    throw new Error(wordsFor(undertaking.integration, problem), { cause: problem })
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// how it ended

/**
 * @param {Integration} integration
 * @param {string} connectionId
 * @param {string | null} accountName
 */
const showConnected = async (integration, connectionId, accountName) => {
  tell(session, { type: "connected", connectionId, integration: integration.slug })
  // It has one connection more now; or it is over, when it was for this one only.
  const fresh = await service.read().catch(() => undefined)
  session = fresh ?? session
  const connection = fresh?.integrations
    .find(({ slug }) => slug === integration.slug)
    ?.connections.find(({ id }) => id === connectionId)
  const ways = leaving()
  const account = accountName ?? connection?.accountName ?? "your account"
  const text = `${session?.organisation.name ?? "The organisation"} can now work with ${account}.`
  const canGoOn = fresh !== undefined && hasList()
  show(
    endView({
      tone: "good",
      sign: "check",
      title: `${integration.name} is connected`,
      text: ways.length === 0 ? `${text} You can close this page.` : text,
      actions: [...ways, ...(canGoOn ? [{ label: "Connect another", run: showList }] : [])]
    })
  )
}

/**
 * @param {Undertaking} undertaking
 * @param {import("./states.js").Ending} ending
 */
const showFailure = (undertaking, { code, sign, text, title }) => {
  tell(session, { type: "error", code, message: `${title}. ${text}` })
  const { kind } = undertaking.integration
  const again = () => (kind === "oauth2" ? void consent(undertaking) : showForm(undertaking))
  const tone = sign === "clock" ? "plain" : "bad"
  show(endView({ tone, sign, title, text, actions: [{ label: "Try again", run: again }, elsewhere(undertaking)] }))
}

/** @param {Undertaking} undertaking */
const elsewhere = (undertaking) =>
  hasList() ? { label: "All integrations", run: showList } : { label: "Back", run: () => showForm(undertaking) }

const showExpired = () => {
  const code = "INVALID_CONNECT_SESSION"
  tell(session, { type: "error", code, message: "The connect session has expired." })
  const start = session === undefined ? "the page that sent you here" : session.organisation.name
  show(
    endView({
      tone: "plain",
      sign: "clock",
      title: "This link has expired",
      text: `For safety, a link works for a short time only. Go back to ${start} and start again.`,
      actions: session === undefined ? [] : leaving()
    })
  )
}

/**
 * How the end user gets back to where they came from, if there is a way.
 *
 * @returns {Action[]}
 */
const leaving = () => {
  if (isOpened) return [{ label: "Done", run: leave }]
  return typeof session?.redirectUrl === "string"
    ? [{ label: `Return to ${session.organisation.name}`, run: leave }]
    : []
}

const leave = () => {
  tell(session, { type: "closed" })
  if (!isOpened && typeof session?.redirectUrl === "string") location.assign(session.redirectUrl)
  else if (isOpened && !isFramed) window.close()
  else show(endView({ tone: "good", sign: "check", title: "All done", text: "You can close this page.", actions: [] }))
}

// ---------------------------------------------------------------------------------------------------------------------
// what went wrong, in words for who is connecting

/** @param {unknown} problem */
const isOver = (problem) => problem instanceof Refusal && problem.status === 401

/** @param {unknown} problem */
const errorsOf = (problem) => (problem instanceof Refusal ? problem.errors : {})

/**
 * @param {Integration} integration
 * @param {unknown} problem
 */
const wordsFor = ({ name }, problem) => {
  if (!(problem instanceof Refusal)) return "Something went wrong on this page. Reload it and try again."
  if (problem.status === 502 || problem.status === 504) {
    return `${name} does not answer right now. Nothing was saved; try again soon.`
  }
  return problem.status === 429 ? "That was too often. Wait a few minutes and try again." : problem.message
}

// ---------------------------------------------------------------------------------------------------------------------

const begin = async () => {
  try {
    session = await service.read()
  } catch (problem) {
    if (isOver(problem)) return showExpired()
    const text = problem instanceof Refusal ? problem.message : "Reload the page to try again."
    const actions = [{ label: "Try again", run: () => void begin() }]
    return show(endView({ tone: "bad", sign: "warning", title: "This page could not be loaded", text, actions }))
  }
  const { integrations, organisation, reconnect } = session
  if (!isAllowed(session)) {
    const text = `${origin ?? "The page around this one"} is not among the origins that ${organisation.name} allows.`
    return show(endView({ tone: "bad", sign: "cross", title: "This page may not be opened there", text, actions: [] }))
  }
  const only = integrations.find(({ slug }) => slug === reconnect?.provider) ?? integrations[0]
  if (only === undefined || hasList()) return showList()
  if (reconnect === null) return showIntegration(only)
  const connection = only.connections.find(({ id }) => id === reconnect.connectionId)
  return showForm({ integration: only, connection, fields: {} })
}

// A new link pasted into this window changes only the fragment, which loads nothing.
addEventListener("hashchange", () => location.reload())
void begin()
