import { HttpApp, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { Config, Context, Duration, Effect, FiberRef, Layer, Option, Redacted } from "effect"
import { clientAddress } from "../platform/ClientAddress.ts"
import { Forbidden, type MetLimit, RateLimited, Unauthorized } from "../platform/Errors.ts"
import { type Decision, headers, type Policy, RateLimiter, retryAfterOf } from "../platform/RateLimiter.ts"
import { requestNotes } from "../platform/RequestNotes.ts"
import { Authorization } from "./Api.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { type Caller, CurrentCaller } from "./CurrentCaller.ts"
import { EndUserTokens } from "./EndUserTokens.ts"
import { isKey } from "./KeyText.ts"

/** Finds the caller of a request, and checks whether it may send the request now. */
export class Authentication extends Context.Tag("tributary/tenancy/Authentication")<
  Authentication,
  {
    /**
     * Finds the caller by the request's API key. An address that sent 30 wrong keys within a minute gets 429 for more of
     * them; right keys from there still work, since many callers may share an address and no key can be guessed.
     */
    readonly authenticate: (
      request: HttpServerRequest.HttpServerRequest
    ) => Effect.Effect<Caller, Unauthorized | RateLimited>
    /**
     * Also counts the request against its key's `RATE_LIMIT` and its organisation's `ORGANISATION_RATE_LIMIT`, and fails
     * with `Forbidden` when the key lacks the scope that the operation declares. Run it once for each request, inside the
     * fiber that answers it, so that every answer gets the `RateLimit` headers. An end user's token is `Forbidden`: it opens
     * only the tools and the chat of its workspace.
     */
    readonly admit: Effect.Effect<Caller, Unauthorized | RateLimited | Forbidden, HttpServerRequest.HttpServerRequest>
    /** The same, but also admits end users' tokens; the route has to check their workspace. */
    readonly admitAnyone: Effect.Effect<
      Caller,
      Unauthorized | RateLimited | Forbidden,
      HttpServerRequest.HttpServerRequest
    >
    /** Counts wrong credentials, or a wrong secret address, against the sender's address; fails with the answer to them. */
    readonly refuse: <E>(
      request: HttpServerRequest.HttpServerRequest,
      error: E
    ) => Effect.Effect<never, E | RateLimited>
  }
>() {
  static readonly layer = Layer.effect(
    Authentication,
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const tokens = yield* EndUserTokens
      const limiter = yield* RateLimiter
      const addressOf = yield* clientAddress
      const perKey: Policy = { name: "requests", limit: yield* requestLimit, window: "1 minute" }
      const perOrganisation: Policy = { name: "organisation", limit: yield* organisationLimit, window: "1 minute" }

      const refuse = Effect.fnUntraced(function* <E>(request: HttpServerRequest.HttpServerRequest, error: E) {
        const { allowed, retryAfter } = yield* limiter.take(addressOf(request), failures)
        return yield* Effect.fail(allowed ? error : new RateLimited({ retryAfter }))
      })

      const identify = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
        const header = request.headers["authorization"]
        if (header === undefined) return yield* new Unauthorized()
        const [, key] = bearer.exec(header) ?? []
        if (key === undefined) return yield* refuse(request, new Unauthorized())
        const whose = isKey(key) ? keys.authenticate(Redacted.make(key)) : tokens.authenticate(Redacted.make(key))
        const caller = yield* Effect.catchAll(whose, (error) => refuse(request, error))
        const notes = yield* FiberRef.get(requestNotes)
        if (notes !== undefined) notes.caller = caller
        return caller
      })
      const authenticate = (request: HttpServerRequest.HttpServerRequest) =>
        Effect.useSpan("Authentication.authenticate", { captureStackTrace: false }, () => identify(request))

      /** Counts the request against all limits, or none. */
      const take = ({ environment, key, organisation }: Caller) => {
        const ofKey = { key, policy: perKey, tokens: 1 }
        const ofOrganisation = { key: `${organisation}/${environment}`, policy: perOrganisation, tokens: 1 }
        return perOrganisation.limit === 0
          ? Effect.map(limiter.takeAll([ofKey]), ([own]) => [[own, perKey]] as const)
          : Effect.map(
              limiter.takeAll([ofKey, ofOrganisation]),
              ([own, all = own]) =>
                [
                  [own, perKey],
                  [all, perOrganisation]
                ] as const
            )
      }

      const count = Effect.fnUntraced(function* (caller: Caller) {
        const met = yield* take(caller)
        const limits = headers(...met)
        yield* HttpApp.appendPreResponseHandler((_, response) =>
          Effect.succeed(HttpServerResponse.setHeaders(response, limits))
        )
        const retryAfter = retryAfterOf(met.map(([decision]) => decision))
        if (retryAfter !== undefined) return yield* new RateLimited({ retryAfter, limit: metLimit(met) })
      })

      const admitAnyone = Effect.gen(function* () {
        const caller = yield* authenticate(yield* HttpServerRequest.HttpServerRequest)
        if (perKey.limit > 0) yield* count(caller)
        if (caller.scopes === null) return caller
        const notes = yield* FiberRef.get(requestNotes)
        return yield* permit(caller, caller.scopes, notes?.needs)
      })

      return Authentication.of({
        authenticate,
        refuse,
        admitAnyone,
        admit: Effect.filterOrFail(
          admitAnyone,
          ({ grant }) => grant === undefined,
          () => tokenForbidden
        )
      })
    })
  )
}

const tokenForbidden = new Forbidden({
  code: "FORBIDDEN",
  message: "This token is for the tools and the chat of one workspace, and opens nothing else."
})

/** Checks a caller's scopes; an operation that declares none needs a key that may do everything. */
const permit = (caller: Caller, held: ReadonlyArray<string>, needs: string | undefined) => {
  if (needs === "any" || (needs !== undefined && held.includes(needs))) return Effect.succeed(caller)
  const message =
    needs === undefined
      ? "This API key lacks scopes: the operation needs a key with all of them."
      : `This API key lacks the scope ${needs}, which the operation needs.`
  return Effect.fail(new Forbidden({ code: "FORBIDDEN", message }))
}

/** The limit that refused a request; of several, the one that holds longest. */
const metLimit = (met: ReadonlyArray<readonly [Decision, Policy]>): MetLimit | undefined => {
  const [longest] = met
    .filter(([{ allowed }]) => !allowed)
    .sort(([one], [other]) => other.retryAfter - one.retryAfter)
    .map(([, { limit, name, window }]) => ({ name, requests: limit, seconds: Duration.toSeconds(window) }))
  return longest
}

/** `Authorization` for the groups of an `HttpApi`; does not count a caller again that was admitted further out. */
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

/** Requests a minute for each organisation's environment; 0 for no limit. */
const organisationLimit = Effect.gen(function* () {
  const perKey = yield* requestLimit
  const limit = yield* Config.integer("ORGANISATION_RATE_LIMIT").pipe(
    Config.validate({ message: "Expected 0 (no limit) or more requests a minute", validation: (limit) => limit >= 0 }),
    Config.withDefault(10 * perKey)
  )
  return perKey === 0 ? 0 : limit
})

const failures: Policy = { name: "authentication", limit: 30, window: "1 minute" }

const bearer = /^Bearer ([^\s,]+)$/i
