import { HttpApp, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Config, Context, Effect, FiberRef, Layer, Option, Redacted } from "effect"
import { RateLimited, Unauthorized } from "../platform/Errors.ts"
import { headers, type Policy, RateLimiter } from "../platform/RateLimiter.ts"
import { requestNotes } from "../platform/RequestNotes.ts"
import { Authorization } from "./Api.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { type Caller, CurrentCaller } from "./CurrentCaller.ts"

/** Who sends a request, and whether they may send it now. */
export class Authentication extends Context.Tag("tributary/tenancy/Authentication")<
  Authentication,
  {
    /**
     * Whose API key the request carries. An address that sent 30 wrong keys within a minute gets 429 for more of them;
     * right keys from there still work, since many callers may share an address and no key can be guessed.
     */
    readonly authenticate: (
      request: HttpServerRequest.HttpServerRequest
    ) => Effect.Effect<Caller, Unauthorized | RateLimited>
    /**
     * The same, and counts the request against its key's `RATE_LIMIT`. Once for each request, inside the fiber that
     * answers it: the `RateLimit` headers then go on the answer, whatever it is.
     */
    readonly admit: Effect.Effect<Caller, Unauthorized | RateLimited, HttpServerRequest.HttpServerRequest>
    /** Counts wrong credentials against the address they came from: what to answer them with. */
    readonly refuse: (
      request: HttpServerRequest.HttpServerRequest,
      error: Unauthorized
    ) => Effect.Effect<never, Unauthorized | RateLimited>
  }
>() {
  static readonly layer = Layer.effect(
    Authentication,
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const limiter = yield* RateLimiter
      const limit = yield* requestLimit
      const requests: Policy = { name: "requests", limit, window: "1 minute" }

      const refuse = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, error: Unauthorized) {
        const address = Option.getOrElse(request.remoteAddress, () => "unknown")
        const { allowed, retryAfter } = yield* limiter.take(address, failures)
        return yield* allowed ? error : new RateLimited({ retryAfter })
      })

      const identify = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        const header = request.headers["authorization"]
        if (header === undefined) return yield* new Unauthorized()
        const [, key] = bearer.exec(header) ?? []
        const caller = key === undefined ? undefined : yield* keys.authenticate(Redacted.make(key))
        if (caller === undefined) return yield* refuse(request, new Unauthorized())
        const notes = yield* FiberRef.get(requestNotes)
        if (notes !== undefined) notes.caller = caller
        return caller
      })
      const authenticate = (request: HttpServerRequest.HttpServerRequest) =>
        Effect.useSpan("Authentication.authenticate", { captureStackTrace: false }, () => identify(request))

      return Authentication.of({
        authenticate,
        refuse,
        admit: Effect.gen(function* () {
          const caller = yield* authenticate(yield* HttpServerRequest.HttpServerRequest)
          if (limit === 0) return caller
          const decision = yield* limiter.take(caller.key, requests)
          yield* HttpApp.appendPreResponseHandler((_, response) =>
            Effect.succeed(HttpServerResponse.setHeaders(response, headers(decision, requests)))
          )
          if (!decision.allowed) return yield* new RateLimited({ retryAfter: decision.retryAfter })
          return caller
        })
      })
    })
  )
}

/** `Authorization` for the groups of an `HttpApi`: a caller that was admitted further out is not counted again. */
export const AuthorizationLive = Layer.effect(
  Authorization,
  Effect.map(Authentication, ({ admit }) => ({
    apiKey: () =>
      Effect.flatMap(
        Effect.serviceOption(CurrentCaller),
        Option.match({
          onSome: Effect.succeed,
          onNone: () => admit
        })
      )
  }))
)

/** Requests a minute for each key, and tool calls for each end user; 0 for no limit. */
export const requestLimit = Config.integer("RATE_LIMIT").pipe(
  Config.validate({ message: "Expected 0 (no limit) or more requests a minute", validation: (limit) => limit >= 0 }),
  Config.withDefault(600)
)

const failures: Policy = { name: "authentication", limit: 30, window: "1 minute" }

const bearer = /^Bearer ([^\s,]+)$/i
