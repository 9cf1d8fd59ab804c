import type { NativeApi } from "../providers/NativeApi.ts"

type Headers = { readonly [name: string]: string | undefined }

/**
 * Request headers that are passed on to any provider, the content type going with the body. What passes is listed, and not what
 * is held back: what browsers, proxies and clients add, and what would choose another account or method, is then never sent by
 * an oversight.
 */
const common = [
  "accept",
  "accept-encoding",
  "accept-language",
  "content-disposition",
  "content-encoding",
  "content-language",
  "idempotency-key",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "if-unmodified-since",
  "prefer",
  "range"
]

/** The headers of a request that a provider gets. */
export const passedOn = ({ headers: own = [] }: NativeApi, headers: Headers): { readonly [name: string]: string } => {
  const passes = (name: string) =>
    common.includes(name) || own.some((one) => (one.endsWith("*") ? name.startsWith(one.slice(0, -1)) : name === one))
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value !== undefined && passes(name) ? [[name, value]] : []))
  )
}

/** Answer headers that are held back: those of the connection, those that this service has of its own, and those that speak for a host. */
const held = new Set([
  // of the connection (RFC 9110, 7.6.1); the length is that of what is handed back
  "connection",
  "content-length",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  // this service's own; answers are of one end user and no cache's business
  "cache-control",
  "date",
  "expires",
  "idempotency-replayed",
  "pragma",
  "provider-ratelimit",
  "provider-status",
  "ratelimit",
  "ratelimit-policy",
  "x-request-id",
  // of the provider's host
  "alt-svc",
  "clear-site-data",
  "content-security-policy",
  "content-security-policy-report-only",
  "nel",
  "report-to",
  "reporting-endpoints",
  "service-worker-allowed",
  "set-cookie",
  "set-cookie2",
  "strict-transport-security"
])

/** The headers of a provider's answer that its caller gets. */
export const handedBack = (headers: Headers): { readonly [name: string]: string } => {
  const ofConnection = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase())
  const passes = (name: string) =>
    !held.has(name) && !ofConnection.includes(name) && !name.startsWith("access-control-")
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value !== undefined && passes(name) ? [[name, value]] : []))
  )
}
