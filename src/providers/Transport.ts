import { Context, Effect, Layer, type Scope } from "effect"
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { userAgent } from "../platform/UserAgent.ts"
import type { Environment } from "./ConnectionRef.ts"

/** Header of a request for consent to a simulator, with the id of the account to use; without it, a new account is made. */
export const accountHeader = "x-simulated-account"

/** Header of such a request with the UUID of the end user who is asked: data made for it is erased with the end user. */
export const ownerHeader = "x-simulated-owner"

/**
 * Carries calls to a provider: over the network for `production`, to the provider's simulator for `sandbox`. The adapters
 * are the same for both. Every call names its sender in `User-Agent`.
 */
export class Transport extends Context.Tag("tributary/providers/Transport")<
  Transport,
  {
    readonly to: (environment: Environment, slug: string) => HttpClient.HttpClient | undefined
    /** Adds the simulator of a provider for as long as the scope lives. */
    readonly simulate: (slug: string, client: HttpClient.HttpClient) => Effect.Effect<void, never, Scope.Scope>
  }
>() {
  static readonly layer = Layer.effect(
    Transport,
    Effect.gen(function* () {
      const sender = HttpClientRequest.setHeader("user-agent", yield* userAgent)
      const network = HttpClient.mapRequest(yield* HttpClient.HttpClient, sender)
      const simulators = new Map<string, HttpClient.HttpClient>()
      return {
        to: (environment, slug) => (environment === "sandbox" ? simulators.get(slug) : network),
        simulate: (slug, client) =>
          Effect.acquireRelease(
            Effect.sync(() => {
              simulators.set(slug, HttpClient.mapRequest(client, sender))
            }),
            () => Effect.sync(() => void simulators.delete(slug))
          )
      }
    })
  )
}
