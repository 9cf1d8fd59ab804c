import { Context, Effect, Layer, type Scope } from "effect"
import { HttpClient, HttpClientRequest } from "@effect/platform"
import { userAgent } from "../platform/UserAgent.ts"
import type { Environment } from "./ConnectionRef.ts"

/** The header of a request for consent, to a simulator, that names the account it is for; without it, a new one is. */
export const accountHeader = "x-simulated-account"

/** The header of such a request with the UUID of the end user who is asked: what is made for it is erased with them. */
export const ownerHeader = "x-simulated-owner"

/**
 * What carries calls to a provider: the network for `production`, the provider's simulator for `sandbox`. The adapters
 * are the same for both. Every call says in `User-Agent` who makes it.
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
