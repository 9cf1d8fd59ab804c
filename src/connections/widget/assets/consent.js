import { Refusal } from "./session.js"

/**
 * A window over this one. Browsers open it only in the user's own click, so it opens before the address is known; undefined
 * when the browser does not open it at all.
 *
 * @param {string} name of the provider
 */
export const openWindow = (name) => {
  const [width, height] = [600, 740]
  const left = Math.round(screenX + (outerWidth - width) / 2)
  const top = Math.round(screenY + (outerHeight - height) / 2)
  const popup = window.open("", "_blank", `popup,width=${width},height=${height},left=${left},top=${top}`)
  if (popup === null) return undefined
  const { body, documentElement } = popup.document
  popup.document.title = name
  documentElement.style.colorScheme = "light dark"
  Object.assign(body.style, {
    display: "grid",
    placeItems: "center",
    height: "90vh",
    font: "15px system-ui, sans-serif"
  })
  body.append(`Opening ${name}…`)
  return popup
}

/**
 * Follows an attempt until it is no longer pending: asks once a second, and at once when the provider has sent the end user
 * back. Undefined when `signal` ended it before.
 *
 * A closed window does not end it: the provider's page may only have cut itself off from this one, as a page may.
 *
 * @param {{
 *   service: ReturnType<typeof import("./session.js").sessionOf>, attemptId: string, popup: Window | undefined,
 *   signal: AbortSignal, onClosed: () => void, announce: (text: string) => void
 * }} given
 */
export const outcomeOf = async ({ announce, attemptId, onClosed, popup, service, signal }) => {
  let wake = () => {}
  let isClosedTold = false
  let failures = 0
  const channel = new BroadcastChannel("tributary-connect")
  channel.addEventListener("message", ({ data }) => {
    if (data?.attemptId === attemptId) wake()
  })
  signal.addEventListener("abort", () => wake())
  const pause = () =>
    new Promise((resolve) => {
      wake = () => resolve(undefined)
      setTimeout(wake, 1000)
    })

  try {
    for (;;) {
      const isClosed = popup?.closed === true
      const attempt = await service.attempt(attemptId).catch((problem) => {
        if (!isPassing(problem)) throw problem
      })
      if (signal.aborted) return undefined
      if (attempt === undefined) {
        failures += 1
        if (failures === 3) announce("The service does not answer. Still trying.")
      } else if (attempt.status !== "pending") {
        return attempt
      } else {
        failures = 0
        if (isClosed && !isClosedTold) onClosed()
        isClosedTold = isClosed
      }
      await pause()
      if (signal.aborted) return undefined
    }
  } finally {
    channel.close()
  }
}

/**
 * The network may come back, and a limit passes; a refusal does not turn into something else.
 *
 * @param {unknown} problem
 */
const isPassing = (problem) =>
  problem instanceof Refusal && (problem.status === 0 || problem.status === 429 || problem.status >= 500)
