import { HttpApp, HttpServerResponse } from "@effect/platform"
import { Effect, FiberRef } from "effect"

/** The state of one of a provider's limits, as its answer states it. */
export interface Limit {
  /** The provider's word for it, such as `burst` or `daily`. */
  readonly name: string
  /** Calls (or the provider's credits) left. */
  readonly remaining: number
  /** Seconds until there are more; absent where the provider does not say. */
  readonly resetAfter?: number
}

/** Reads the limits from an answer's headers; names are in lower case. */
export type ReadLimits = (headers: { readonly [name: string]: string | undefined }) => ReadonlyArray<Limit>

/** The number in a header, of a sensible size; undefined when it is absent or something else. */
export const numberIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}(\.\d+)?$/.test(text) ? Number(text) : undefined

/** Reads limits, each from one header that says how much is left; leaves out those whose header is absent. */
export const remainingIn = (places: {
  readonly [name: string]: { readonly header: string; readonly resetAfter?: number }
}): ReadLimits => {
  const read = Object.entries(places)
  return (headers) =>
    read.flatMap(([name, { header, ...more }]) => {
      const remaining = numberIn(headers[header])
      return remaining === undefined ? [] : [{ name, remaining, ...more }]
    })
}

/** The limits met while one request is answered, the lowest of each. */
export interface MetLimits {
  readonly note: (provider: string, limits: ReadonlyArray<Limit>) => void
  /** Items as in the `RateLimit` header, `"hubspot.burst";r=98;t=10`; undefined when no provider stated any. */
  readonly header: () => string | undefined
}

export const makeMetLimits = (): MetLimits => {
  const met = new Map<string, Limit>()
  return {
    note: (provider, limits) => {
      for (const limit of limits) {
        const name = `${provider}.${limit.name}`
        const known = met.get(name)
        if (known === undefined || limit.remaining < known.remaining) met.set(name, limit)
      }
    },
    header: () =>
      met.size === 0
        ? undefined
        : [...met]
            .map(([name, { remaining, resetAfter }]) => {
              const reset = resetAfter === undefined ? "" : `;t=${Math.ceil(resetAfter)}`
              return `"${name}";r=${Math.floor(remaining)}${reset}`
            })
            .join(", ")
  }
}

/** The limits that providers state during the current request. */
export const metLimits: FiberRef.FiberRef<MetLimits | undefined> = FiberRef.unsafeMake<MetLimits | undefined>(undefined)

/** Adds the limits of the providers called to the response, whatever its status. */
export const showingLimits = Effect.suspend(() => {
  const met = makeMetLimits()
  return Effect.zipRight(
    FiberRef.set(metLimits, met),
    HttpApp.appendPreResponseHandler((_, response) => {
      const limits = met.header()
      return Effect.succeed(
        limits === undefined ? response : HttpServerResponse.setHeader(response, "provider-ratelimit", limits)
      )
    })
  )
})
