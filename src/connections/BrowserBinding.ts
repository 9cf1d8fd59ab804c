import { type HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import * as Address from "../platform/Address.ts"

// An address is easily sent to somebody else. Whoever gave consent there, trusting the provider's page, would connect their
// account for whoever sent it. So the way to the provider is open only from the connect page, leaves a cookie, and a redirect
// back counts only in the browser that has it
// (https://datatracker.ietf.org/doc/html/rfc9700#section-4.7.1).

/** Seconds; as long as an attempt. */
const lifetime = 10 * 60

/** States in use look like this; others are put into no header. */
const form = /^[\w-]{43}$/

/** Each attempt has a cookie of its own, since several may be under way. Over https no other host can set it. */
const cookieOf = (state: string) =>
  Effect.map(Effect.orDie(Address.publicUrl), (url) => {
    const secure = url.startsWith("https:")
    return {
      name: `${secure ? "__Host-" : ""}connect-${state}`,
      options: { path: "/", httpOnly: true, sameSite: "lax", secure } as const
    }
  })

/**
 * Whether a page of this service sent the browser here: an address that was typed, sent or put on another site did not.
 * Browsers say so where a site is trustworthy: over https, and on their own machine
 * (https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header).
 */
export const isFromHere = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  (headers["sec-fetch-site"] ?? "same-origin") === "same-origin"

/** Ties the attempt of a state to the browser that gets the answer. */
export const bind = (response: HttpServerResponse.HttpServerResponse, state: string) =>
  Effect.map(cookieOf(state), ({ name, options }) =>
    HttpServerResponse.unsafeSetCookie(response, name, "1", { ...options, maxAge: `${lifetime} seconds` })
  )

/** Whether the attempt of a state is tied to the browser that sends the request. */
export const isBound = ({ cookies }: HttpServerRequest.HttpServerRequest, state: string) =>
  Effect.map(cookieOf(state), ({ name }) => form.test(state) && cookies[name] !== undefined)

/** Lets go of the attempt of a state that `isBound`. */
export const unbind = (response: HttpServerResponse.HttpServerResponse, state: string) =>
  Effect.map(cookieOf(state), ({ name, options }) => HttpServerResponse.expireCookie(response, name, options))
