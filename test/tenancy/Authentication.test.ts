import { assert, describe, layer } from "@effect/vitest"
import { HttpApp, HttpServerRequest, HttpServerResponse } from "@effect/platform"
import { ConfigProvider, Effect, Either, Layer, Redacted, TestClock } from "effect"
import * as AccessTokens from "../../src/authorization/AccessTokens.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import { RateLimiter } from "../../src/platform/RateLimiter.ts"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { Authentication } from "../../src/tenancy/Authentication.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const services = (rateLimit: string, organisationLimit?: string) =>
  Authentication.layer.pipe(
    Layer.provideMerge(AccessTokens.layer),
    Layer.provideMerge(
      Layer.mergeAll(Encryption.layerTest, ApiKeys.layer, Organisations.layer, RateLimiter.layerMemory)
    ),
    Layer.provideMerge(TestDatabase.layer),
    Layer.provide(
      Layer.setConfigProvider(
        ConfigProvider.fromMap(
          new Map([
            ["RATE_LIMIT", rateLimit],
            ...(organisationLimit === undefined ? [] : [["ORGANISATION_RATE_LIMIT", organisationLimit] as const])
          ])
        )
      )
    )
  )

const request = (authorization: string | undefined, remoteAddress = "192.0.2.1") =>
  HttpServerRequest.fromWeb(
    new Request("http://localhost/", { headers: authorization === undefined ? {} : { authorization } })
  ).modify({ remoteAddress })

const newKey = (name: string) =>
  Effect.gen(function* () {
    const { id } = yield* (yield* Organisations).create(name)
    return yield* (yield* ApiKeys).create(id, "sandbox")
  })

/** Answers one request of a key, as the server does. */
const answer = (authorization: string) =>
  Effect.gen(function* () {
    const { admit } = yield* Authentication
    const app = admit.pipe(
      Effect.as(HttpServerResponse.empty({ status: 204 })),
      Effect.catchAll((error) => HttpServerResponse.empty({ status: error.status }))
    )
    const handle = HttpApp.toWebHandlerRuntime(yield* Effect.runtime())(app)
    return yield* Effect.promise(() => handle(new Request("http://localhost/", { headers: { authorization } })))
  })

describe("Authentication", () => {
  layer(services("3"))((it) => {
    it.effect("takes exactly a bearer key", () =>
      Effect.gen(function* () {
        const { authenticate } = yield* Authentication
        const made = yield* newKey("bearer")
        const key = Redacted.value(made.key)
        for (const header of [`Bearer ${key}`, `bearer ${key}`]) {
          assert.strictEqual((yield* authenticate(request(header))).key, made.id)
        }
        for (const header of [undefined, "", key, `Basic ${key}`, `Bearer  ${key}`, `Bearer ${key} x`, "Bearer"]) {
          assert.strictEqual((yield* Effect.flip(authenticate(request(header))))._tag, "Unauthorized", header)
        }
      })
    )

    it.effect("an address that sends many wrong keys is told to slow down; right keys from it still work", () =>
      Effect.gen(function* () {
        const { authenticate } = yield* Authentication
        const { key } = yield* newKey("slow down")
        const wrong = authenticate(request(`Bearer sk_test_${"0".repeat(43)}`, "192.0.2.2"))
        const tags = yield* Effect.forEach(Array.from({ length: 31 }), () =>
          Effect.map(Effect.flip(wrong), (error) => error._tag)
        )
        assert.deepStrictEqual(tags, [...Array.from({ length: 30 }, () => "Unauthorized"), "RateLimited"])

        yield* authenticate(request(`Bearer ${Redacted.value(key)}`, "192.0.2.2"))
        const elsewhere = authenticate(request(`Bearer sk_test_${"0".repeat(43)}`, "192.0.2.3"))
        assert.strictEqual((yield* Effect.flip(elsewhere))._tag, "Unauthorized")
        yield* TestClock.adjust("63 seconds")
        assert.strictEqual((yield* Effect.flip(wrong))._tag, "Unauthorized")
      })
    )

    it.effect("requests without a key are never told to slow down", () =>
      Effect.gen(function* () {
        const { authenticate } = yield* Authentication
        const results = yield* Effect.forEach(Array.from({ length: 100 }), () =>
          Effect.either(authenticate(request(undefined, "192.0.2.4")))
        )
        assert.isTrue(results.every((one) => Either.isLeft(one) && one.left._tag === "Unauthorized"))
      })
    )
  })

  layer(services("3"))((it) => {
    it.effect("a key has so many requests a minute, and every answer says what is left", () =>
      Effect.gen(function* () {
        const first = yield* newKey("limited")
        const second = yield* newKey("also limited")
        const answers = yield* Effect.forEach(Array.from({ length: 4 }), () =>
          answer(`Bearer ${Redacted.value(first.key)}`)
        )
        assert.deepStrictEqual(
          answers.map(({ headers, status }) => [status, headers.get("ratelimit")?.split(";")[1]]),
          [
            [204, "r=2"],
            [204, "r=1"],
            [204, "r=0"],
            [429, "r=0"]
          ]
        )
        assert.isTrue(Number(answers[3]?.headers.get("retry-after")) > 0)
        assert.strictEqual((yield* answer(`Bearer ${Redacted.value(second.key)}`)).status, 204)
      })
    )
  })

  layer(services("3", "7"))((it) => {
    it.effect("an organisation's environment has so many requests a minute, however many keys it makes", () =>
      Effect.gen(function* () {
        const { id } = yield* (yield* Organisations).create("many keys")
        const keys = yield* ApiKeys
        const ask = (key: Redacted.Redacted) => answer(`Bearer ${Redacted.value(key)}`)
        const made = yield* Effect.forEach(Array.from({ length: 12 }), () => keys.create(id, "sandbox"))
        const answers = yield* Effect.forEach(made, ({ key }) => ask(key))
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          Array.from({ length: 12 }, (_, i) => (i < 7 ? 204 : 429))
        )
        const [first, last] = [answers[0]?.headers, answers[11]?.headers]
        assert.strictEqual(first?.get("ratelimit-policy"), '"requests";q=3;w=60, "organisation";q=7;w=60')
        assert.match(first?.get("ratelimit") ?? "", /^"requests";r=2;t=60, "organisation";r=6;t=60$/)
        // what was refused for the organisation is not taken from the key
        assert.match(last?.get("ratelimit") ?? "", /^"requests";r=3;t=60, "organisation";r=0;t=60$/)
        assert.strictEqual(last?.get("retry-after"), "60")

        const live = yield* keys.create(id, "production")
        const other = yield* newKey("another organisation")
        for (const { key } of [live, other]) assert.strictEqual((yield* ask(key)).status, 204)
        yield* TestClock.adjust("63 seconds")
        for (const { key } of made.slice(0, 1)) assert.strictEqual((yield* ask(key)).status, 204)
      })
    )
  })

  layer(services("0", "1"))((it) => {
    it.effect("a limit of 0 for keys switches the organisation's off too", () =>
      Effect.gen(function* () {
        const { key } = yield* newKey("both off")
        const answers = yield* Effect.forEach(Array.from({ length: 5 }), () => answer(`Bearer ${Redacted.value(key)}`))
        assert.isTrue(answers.every(({ headers, status }) => status === 204 && headers.get("ratelimit") === null))
      })
    )
  })

  layer(services("0"))((it) => {
    it.effect("a limit of 0 is none", () =>
      Effect.gen(function* () {
        const { key } = yield* newKey("unlimited")
        const answers = yield* Effect.forEach(Array.from({ length: 20 }), () => answer(`Bearer ${Redacted.value(key)}`))
        assert.isTrue(answers.every(({ headers, status }) => status === 204 && headers.get("ratelimit") === null))
      })
    )
  })
})
