import { HttpClientRequest } from "@effect/platform"
import { Config, Effect, Option } from "effect"
import type { Environment } from "../providers/ConnectionRef.ts"

/** A request to a provider's API, at the operator's `PROVIDER_<SLUG>_BASE_URL` where that takes the place of its host. */
export const withBaseUrlOverride = (
  provider: string,
  environment: Environment,
  request: HttpClientRequest.HttpClientRequest
): Effect.Effect<HttpClientRequest.HttpClientRequest> =>
  Config.option(Config.url(`PROVIDER_${provider.toUpperCase()}_BASE_URL`)).pipe(
    Effect.orDie,
    Effect.map((base) =>
      Option.isNone(base) || environment === "sandbox"
        ? request
        : HttpClientRequest.setUrl(
            request,
            base.value.href.replace(/\/$/, "") + request.url.replace(/^https?:\/\/[^/]+/, "")
          )
    )
  )
