import { HttpClientRequest } from "@effect/platform"
import { Clock, Config, Effect, Either, Option, Redacted } from "effect"
import { SignJWT } from "jose"
import { addressOf, type Certificate } from "../providers/base/Authorization.ts"
import type { Environment } from "../providers/ConnectionRef.ts"
import type { CredentialValues } from "../providers/Credentials.ts"
import { withBaseUrlOverride } from "./BaseUrlOverride.ts"
import { readPrivateKey } from "./PrivateKeys.ts"

/** Seconds for which an assertion may be handed in: enough for clocks that differ. */
const lifetime = 600

/**
 * A request for an access token that a private key signs for (RFC 7523, section 2.2); fails when the key is none. The audience
 * is the provider's own token endpoint, also where the operator's `PROVIDER_<SLUG>_TOKEN_URL` stands before it.
 */
export const assertedRequest = Effect.fn("Assertions.assertedRequest")(function* (
  subject: {
    readonly provider: string
    readonly environment: Environment
    readonly authorization: Certificate
    readonly values: CredentialValues["values"]
  },
  privateKey: Redacted.Redacted
) {
  const { authorization, environment, provider, values } = subject
  const { certificateId = "", clientId = "" } = values
  const audience = addressOf(authorization.tokenUrl, values)
  const { algorithm, key } = yield* Either.mapLeft(
    readPrivateKey(Redacted.value(privateKey), authorization.keys),
    () => "unusable key" as const
  )
  const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  const assertion = yield* Effect.promise(() =>
    new SignJWT({ ...authorization.claims })
      .setProtectedHeader({ typ: "JWT", alg: algorithm, kid: certificateId })
      .setIssuer(clientId)
      .setAudience(audience)
      .setIssuedAt(now)
      .setExpirationTime(now + lifetime)
      .sign(key)
  )
  const operators =
    environment === "sandbox"
      ? Option.none()
      : yield* Effect.orDie(Config.option(Config.url(`PROVIDER_${provider.toUpperCase()}_TOKEN_URL`)))
  const request = HttpClientRequest.post(
    Option.match(operators, { onNone: () => audience, onSome: ({ href }) => href }),
    {
      headers: { accept: "application/json" }
    }
  ).pipe(
    HttpClientRequest.bodyUrlParams({
      grant_type: "client_credentials",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: assertion
    })
  )
  return authorization.tokensFromApi === true && Option.isNone(operators)
    ? yield* withBaseUrlOverride(provider, environment, request)
    : request
})
