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
import { toApiError } from "../../../src/records/ProviderFailures.ts"
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

/** A caller of a provider whose accounts move, with a token of the old host, and what was asked of it. */
const moved = (
  old: () => Response,
  { answer: fresh = () => Response.json({ a: 1 }), host = "https://new.example" } = {}
) =>
  Effect.gen(function* () {
    const urls: Array<string> = []
    const asked = { refreshes: 0, refusals: 0 }
    const client = HttpClient.make((request) =>
      Effect.sync(() => {
        urls.push(request.url)
        const answer = request.url.startsWith("https://old.example") ? old : fresh
        return HttpClientResponse.fromWeb(request, answer())
      })
    )
    const held = (version: number, host: string) => ({ version, secret: Redacted.make("token"), values: { host } })
    const services = Calls.layer.pipe(
      Layer.provide(
        Layer.mergeAll(
          Budget.layerMemory,
          Layer.mock(Transport, { to: () => client }),
          Layer.mock(Credentials, {
            current: () => Effect.succeed(held(1, "https://old.example")),
            refresh: () =>
              Effect.sync(() => {
                asked.refreshes += 1
                return held(2, host)
              }),
            refused: () => Effect.sync(() => void (asked.refusals += 1))
          })
        )
      )
    )
    const call = yield* Effect.flatMap(Upstream, (upstream) =>
      upstream.caller({
        slug: "acme",
        authorization: consent,
        baseUrl: ({ host }) => host,
        movesHosts: true,
        concurrency: 4,
        readError: () => ({}),
        timeout: 30_000
      })
    ).pipe(Effect.provide(services))
    return {
      call: (more: object) => call(acme, { operation: "records.list", method: "GET", path: "/records", ...more }),
      asked,
      urls
    }
  })

const page = "<!DOCTYPE html><html><body>No such page</body></html>"
const oldHosts: ReadonlyArray<() => Response> = [
  ...[301, 302, 307, 308].map(
    (status) => () => new Response(null, { status, headers: { location: "https://new.example/records" } })
  ),
  () => new Response(page, { status: 404 }),
  () => new Response(page, { status: 410 }),
  () => new Response("{}", { status: 421 })
]

describe("an account that has moved to another host", () => {
  it.effect("a call, a write too, goes on at the host that one fresh token names", () =>
    Effect.gen(function* () {
      for (const old of oldHosts) {
        for (const more of [{}, { method: "POST", json: { a: 1 } }]) {
          const { asked, call, urls } = yield* moved(old)
          assert.deepStrictEqual((yield* call(more)).body, { a: 1 })
          assert.deepStrictEqual(urls, ["https://old.example/records", "https://new.example/records"])
          assert.deepStrictEqual(asked, { refreshes: 1, refusals: 0 })
        }
      }
    })
  )

  it.effect("a caller's own request goes on there too, unless its redirection is for once", () =>
    Effect.gen(function* () {
      const target = { target: "/records", download: undefined }
      const forGood = yield* moved(() => new Response(null, { status: 301 }))
      assert.strictEqual((yield* forGood.call(target)).status, 200)
      const once = yield* moved(() => new Response(null, { status: 302 }))
      assert.strictEqual((yield* once.call(target)).status, 302)
      assert.strictEqual(once.asked.refreshes, 0)
    })
  )

  it.effect("if the fresh token names no host that serves it, the failure says so and the token is not to blame", () =>
    Effect.gen(function* () {
      const still = yield* moved(() => new Response(page, { status: 404 }), { host: "https://old.example" })
      const refusing = yield* moved(() => new Response(page, { status: 404 }), {
        host: "https://new.example",
        answer: () => new Response("{}", { status: 401 })
      })
      for (const { asked, call } of [still, refusing]) {
        const error = yield* Effect.flip(call({}))
        assert.isTrue(error.reason._tag === "Malformed" && error.reason.isMoved)
        assert.strictEqual(toApiError(error).status, 502)
        assert.match(toApiError(error).message, /no longer serves this account/)
        assert.deepStrictEqual(asked, { refreshes: 1, refusals: 0 })
        // not a fresh token for each call
        yield* Effect.flip(call({}))
        assert.strictEqual(asked.refreshes, 1)
      }
    })
  )
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
