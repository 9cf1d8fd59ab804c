import { HttpServerRequest } from "@effect/platform"
import { Effect } from "effect"
import * as Address from "./Address.ts"
import { Forbidden, Unprocessable, UnsupportedMediaType } from "./Errors.ts"
import { unfitIn } from "./JsonBounds.ts"
import { formLimit, limitedText } from "./Requests.ts"

/** The fields of a form; those that were left empty are left out. */
export const fieldsOf = (fields: Iterable<readonly [string, string]>) =>
  Object.fromEntries([...fields].filter(([, value]) => value !== ""))

const expected = "application/x-www-form-urlencoded"

/** Reads a form that was sent: 415, 413, 422. */
export const sentForm = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  if (request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() !== expected) {
    return yield* new UnsupportedMediaType({ expected })
  }
  const fields = fieldsOf(new URLSearchParams(yield* limitedText(request, formLimit)))
  const unfit = unfitIn(fields)
  return unfit === undefined ? fields : yield* new Unprocessable({ errors: unfit })
})

export const fromElsewhere = new Forbidden({
  code: "FORBIDDEN",
  message: "This form was sent by another site, or by a page that has been open for too long. Open the page again."
})

/**
 * Refuses what a page of another site sends. Browsers say where a form comes from; where they only give the origin, it is
 * ours when its host is the one that was asked for, or that of `PUBLIC_URL`.
 */
export const refuseOtherSites = Effect.gen(function* () {
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return site === "same-origin" || site === "none" ? undefined : yield* fromElsewhere
  const origin = headers["origin"]
  if (origin === undefined) return undefined
  const host = URL.canParse(origin) ? new URL(origin).host : undefined
  const own = new URL(yield* Effect.orDie(Address.publicUrl)).host
  return host !== undefined && (host === headers["host"] || host === own) ? undefined : yield* fromElsewhere
})
