/**
 * The service's answers to the widget, declared in `src/connections`.
 *
 * @typedef {{ id: string, accountName: string | null, status: string, reauthBy: string | null }} Connection
 * @typedef {{ value: string, label: string }} Choice
 * @typedef {{
 *   name: string, label: string, help: string | null, placeholder: string | null, required: boolean,
 *   options: Choice[] | null, secret: boolean, multiline: boolean
 * }} Field
 * @typedef {{ kind: "oauth2" | "certificate" | "key" | "connectionString", help: string | null, fields: Field[] }} Way
 * @typedef {Way & {
 *   slug: string, name: string, category: "crm" | "accounting" | "toolkit", other: Way | null, connections: Connection[]
 * }} Integration
 * @typedef {{
 *   organisation: { name: string }, endUser: { id: string, displayName: string | null }, environment: string,
 *   expiresAt: string, allowedOrigins: string[], redirectUrl: string | null,
 *   reconnect: { connectionId: string, provider: string } | null, integrations: Integration[]
 * }} Session
 * @typedef {{
 *   status: "pending" | "choose" | "connected" | "denied" | "failed" | "expired", message: string | null,
 *   choices: Choice[] | null, connectionId: string | null, accountName?: string | null
 * }} Attempt
 * @typedef {{ fields: Record<string, string>, connectionId?: string }} Wanted
 */

/** A refusal by the service, or no answer (status 0). */
export class Refusal extends Error {
  /**
   * @param {number} status
   * @param {{ code?: string, message?: string, errors?: Record<string, string> }} body
   */
  constructor(status, body) {
    super(body.message ?? "The service did not answer as expected.")
    this.status = status
    this.code = body.code ?? "UNREACHABLE"
    /** Dotted path of a field -> what is wrong with it. */
    this.errors = body.errors ?? {}
  }
}

/** Milliseconds that an answer may take; the service itself waits less for providers. */
const patience = 45_000

/**
 * The service's side of one session.
 *
 * @param {string} token
 */
export const sessionOf = (token) => {
  /**
   * @param {"GET" | "POST"} method
   * @param {string} path under `/connect/session`
   * @param {unknown} [body]
   */
  const call = async (method, path, body) => {
    const answer = await fetch(`connect/session${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: "no-store",
      credentials: "omit",
      signal: AbortSignal.timeout(patience)
    }).catch(() => {
      throw new Refusal(0, { message: "The service cannot be reached. Check your connection to the internet." })
    })
    const content = await answer.json().catch(() => ({}))
    if (!answer.ok) throw new Refusal(answer.status, content)
    return content.data
  }
  /** @param {string} id */
  const attempt = (id) => `/attempts/${encodeURIComponent(id)}`

  return {
    /** @returns {Promise<Session>} */
    read: () => call("GET", ""),
    /**
     * @param {string} slug
     * @param {Wanted} wanted
     * @returns {Promise<{ attemptId: string, authorizeUrl: string }>}
     */
    authorize: (slug, wanted) => call("POST", `/${encodeURIComponent(slug)}/authorize`, wanted),
    /**
     * @param {string} slug
     * @param {Wanted} wanted
     * @returns {Promise<{ connectionId: string, accountName: string | null }>}
     */
    credentials: (slug, wanted) => call("POST", `/${encodeURIComponent(slug)}/credentials`, wanted),
    /**
     * @param {string} id
     * @returns {Promise<Attempt>}
     */
    attempt: (id) => call("GET", attempt(id)),
    /**
     * @param {string} id
     * @param {string} value
     * @returns {Promise<Attempt>}
     */
    choose: (id, value) => call("POST", `${attempt(id)}/choice`, { value }),
    /**
     * @param {string} id
     * @returns {Promise<Attempt>}
     */
    cancel: (id) => call("POST", `${attempt(id)}/cancel`)
  }
}
