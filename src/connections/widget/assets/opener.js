/** Whether another page shows this one in a frame. */
export const isFramed = window.parent !== window

/** The page that opened this one, if any. */
const opener = isFramed ? window.parent : window.opener

export const isOpened = opener !== null

/** The origin that the opener claims. The browser frames this page, and delivers messages, only there. */
export const origin = new URL(location.href).searchParams.get("origin")

/**
 * Whether the session allows the page that opened this one. A page that nobody opened is always allowed.
 *
 * @param {import("./session.js").Session} session
 */
export const isAllowed = ({ allowedOrigins }) => (origin === null ? !isFramed : allowedOrigins.includes(origin))

/**
 * Tells the page that opened this one, if the session lists its origin.
 *
 * @param {import("./session.js").Session | undefined} session
 * @param {{ type: "connected", connectionId: string, integration: string } | { type: "closed" }
 *   | { type: "error", code: string, message: string }} event
 */
export const tell = (session, event) => {
  if (origin !== null && session?.allowedOrigins.includes(origin) === true) {
    opener?.postMessage({ source: "tributary", ...event }, origin)
  }
}
