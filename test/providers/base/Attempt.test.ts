import { HttpClient, type HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { type ApiKey, bearer, type OAuth2 } from "../../../src/providers/base/Authorization.ts"
import { Budget } from "../../../src/providers/base/Budget.ts"
import * as Calls from "../../../src/providers/base/Calls.ts"
import { Upstream } from "../../../src/providers/base/Upstream.ts"
import type { ConnectionRef } from "../../../src/providers/ConnectionRef.ts"
import { Credentials } from "../../../src/providers/Credentials.ts"
import { Transport } from "../../../src/providers/Transport.ts"
import { Unauthenticated } from "../../../src/providers/ProviderError.ts"

const acme: ConnectionRef = { id: "c1", provider: "acme", environment: "production", organisation: "org" }
const key: ApiKey = { kind: "key", help: "", apply: bearer }
const consent: OAuth2 = {
  kind: "oauth2",
  clientAuthentication: "basic",
  tokenBody: "form",
  pkce: true,
  authorizeUrl: "https://acme.example/authorize",
  tokenUrl: "https://acme.example/token",
  scopes: [],
  apply: bearer
}

/** A caller of a provider that answers as told, at an address that the operator named, and the requests it got. */
const made = (authorization: ApiKey | OAuth2, answer: () => Response) =>
  Effect.gen(function* () {
    const requests: Array<HttpClientRequest.HttpClientRequest> = []
    const client = HttpClient.make((request) =>
      Effect.sync(() => {
        requests.push(request)
        return HttpClientResponse.fromWeb(request, answer())
      })
    )
    const services = Calls.layer.pipe(
      Layer.provide(
        Layer.mergeAll(
          Budget.layerMemory,
          Layer.mock(Transport, { to: () => HttpClient.withTracerPropagation(client, false) }),
          Layer.mock(Credentials, {
            current: () => Effect.succeed({ version: 1, secret: Redacted.make("token"), values: {} }),
            refresh: () => Effect.succeed({ version: 1, secret: Redacted.make("token"), values: {} }),
            refused: () => Effect.void
          })
        )
      )
    )
    const call = yield* Effect.flatMap(Upstream, (upstream) =>
      upstream.caller({
        slug: "acme",
        authorization,
        baseUrl: "https://api.acme.example",
        concurrency: 4,
        readError: () => ({ reason: new Unauthenticated(), detail: "the key was deleted" }),
        timeout: 30_000
      })
    ).pipe(
      Effect.provide(services),
      Effect.withConfigProvider(ConfigProvider.fromMap(new Map([["PROVIDER_ACME_BASE_URL", "https://relay.example/"]])))
    )
    return {
      call: (more: object) => call(acme, { operation: "files.get", method: "GET", path: "/file", ...more }),
      requests
    }
  })

describe("an attempt at a call", () => {
  it.effect("tells a host that the operator named of the trace and the credentials, and no address that it gave", () =>
    Effect.gen(function* () {
      const { call, requests } = yield* made(key, () => Response.json({}))
      yield* call({})
      yield* call({ elsewhere: "https://files.example/file" })
      const [own, other] = requests
      assert.strictEqual(own?.url, "https://relay.example/file")
      assert.containsAllKeys(own?.headers, ["traceparent", "authorization"])
      assert.strictEqual(other?.url, "https://files.example/file")
      assert.notProperty(other?.headers, "traceparent")
      assert.notProperty(other?.headers, "authorization")
    })
  )

  it.effect(
    "repeats what is said about a key that somebody entered, and nothing about tokens that nobody has seen",
    () =>
      Effect.gen(function* () {
        const refusal = (authorization: ApiKey | OAuth2) =>
          Effect.flatMap(
            made(authorization, () => new Response("{}", { status: 401 })),
            ({ call }) => Effect.flip(call({}))
          )
        assert.strictEqual((yield* refusal(key)).detail, "the key was deleted")
        assert.isUndefined((yield* refusal(consent)).detail)
      })
  )
})
