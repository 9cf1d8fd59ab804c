import { HttpClientResponse } from "@effect/platform"
import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer, TestClock } from "effect"
import { exportJWK, generateKeyPair, SignJWT } from "jose"
import { randomUUID } from "node:crypto"
import { SqlClient } from "@effect/sql"
import { WorkspaceFacts } from "../../src/agent/WorkspaceFacts.ts"
import { AuthorizationServer } from "../../src/authorization/AuthorizationServer.ts"
import { clientDocuments } from "../../src/authorization/ClientDocuments.ts"
import { OAuthRecords } from "../../src/authorization/OAuthRecords.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import { GuardedClient } from "../../src/platform/GuardedClient.ts"
import { RateLimiter } from "../../src/platform/RateLimiter.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const address = "https://host.example/client.json"

/** A document as Claude Code's is: no port in its redirects, no type. */
const usual = {
  client_id: address,
  client_name: "Example Code",
  redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
  scope: "unknown:scope"
}

/** A network in which every host answers alike; counts its calls. */
const network = (answer: (url: string) => Effect.Effect<Response>) => {
  const calls: Array<string> = []
  const guarded = Layer.succeed(GuardedClient, {
    check: () => Effect.void,
    send: (request) =>
      Effect.map(
        Effect.zipRight(
          Effect.sync(() => void calls.push(request.url)),
          answer(request.url)
        ),
        (response) => HttpClientResponse.fromWeb(request, response)
      )
  })
  return { calls, guarded }
}

const json = (body: object, init: ResponseInit = {}) => Effect.sync(() => new Response(JSON.stringify(body), init))

const refusal = (url: string, guarded: Layer.Layer<GuardedClient>) =>
  Effect.gen(function* () {
    const { message } = yield* Effect.flip(Effect.flatMap(clientDocuments, (fetched) => fetched(url)))
    return message
  }).pipe(Effect.provide(Layer.merge(guarded, RateLimiter.layerMemory)), Effect.scoped)

describe("documents of clients", () => {
  it.effect("are fetched from public hosts, by https, without redirects, and only when they are small", () =>
    Effect.gen(function* () {
      const config = Layer.setConfigProvider(ConfigProvider.fromMap(new Map()))
      const real = Layer.provide(Layer.orDie(GuardedClient.layer), config)
      for (const host of [
        ...["10.0.0.1", "127.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "localhost"]
      ]) {
        assert.match(yield* refusal(`https://${host}/client.json`, real), /private network/, host)
      }
      const { calls, guarded } = network(() => json(usual))
      assert.match(yield* refusal("http://host.example/client.json", guarded), /https/)
      assert.deepStrictEqual(calls, [])
      const elsewhere = network(() => json({}, { status: 302, headers: { location: "https://10.0.0.1/" } }))
      assert.match(yield* refusal(address, elsewhere.guarded), /elsewhere/)
      const large = network(() => json({ ...usual, filler: "x".repeat(70_000) }))
      assert.match(yield* refusal(address, large.guarded), /too large/)
    })
  )

  it.effect("are given 2.5 seconds, and one that failed is left alone for a minute", () => {
    const { calls, guarded } = network(() => Effect.never)
    return Effect.gen(function* () {
      const fetched = yield* clientDocuments
      const slow = yield* Effect.fork(Effect.flip(fetched(address)))
      yield* TestClock.adjust("3 seconds")
      assert.match((yield* Fiber.join(slow)).message, /too long/)
      assert.match((yield* Effect.flip(fetched(address))).message, /a moment ago/)
      assert.lengthOf(calls, 1)
    }).pipe(Effect.provide(Layer.merge(guarded, RateLimiter.layerMemory)))
  })
})

let document: object = usual

/** The key of a client that signs its requests, and what it publishes of it. */
const keys = generateKeyPair("RS256")
const keySet = "https://host.example/keys.json"

const published = (url: string) =>
  url === keySet
    ? Effect.promise(async () => {
        const key = await exportJWK((await keys).publicKey)
        return Response.json({ keys: [{ ...key, kid: "1", alg: "RS256", use: "sig" }] })
      })
    : json(document, { headers: { "content-type": "application/json" } })

const services = AuthorizationServer.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(OAuthRecords.layer, WorkspaceFacts.layer, Organisations.layer)),
  Layer.provideMerge(network(published).guarded),
  Layer.provideMerge(Layer.mergeAll(Encryption.layerTest, RateLimiter.layerMemory)),
  Layer.provideMerge(TestDatabase.layer)
)

layer(services)("a client that is known by its document", (it) => {
  const asked = (client: string, redirect: string) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* (yield* Organisations).create(`Organisation ${randomUUID()}x`)
      const workspace = randomUUID()
      yield* sql`
        insert into workspaces (id, organisation_id, environment, name, toolkit_filter, confirm)
        values (${workspace}, ${id}, 'sandbox', 'Agents', '{}', 'never')`
      const query = new URLSearchParams({
        client_id: client,
        response_type: "code",
        redirect_uri: redirect,
        code_challenge: "x".repeat(43),
        code_challenge_method: "S256",
        resource: `http://127.0.0.1:3000/api/v1/mcp/${workspace}`,
        scope: "tools:read"
      })
      const { answer } = yield* AuthorizationServer
      return yield* answer({ method: "GET", path: `/oauth/authorize?${query.toString()}`, headers: {} })
    })

  it.effect("is let on with another port on its own machine, and to no other address", () =>
    Effect.gen(function* () {
      const { headers, status } = yield* asked(address, "http://127.0.0.1:53123/callback")
      assert.strictEqual(status, 303)
      assert.match(headers["location"] ?? "", /^http:\/\/127\.0\.0\.1:3000\/oauth\/interaction\//)
      assert.strictEqual((yield* asked(address, "http://127.0.0.1/elsewhere")).status, 400)
      assert.strictEqual((yield* asked(address, "https://host.example/callback")).status, 400)
    })
  )

  it.effect("is refused when the document names another, no name, or a secret", () =>
    Effect.gen(function* () {
      for (const [at, wrong] of [
        ["another", { ...usual, client_id: address }],
        ["nameless", { ...usual, client_id: "https://host.example/nameless", client_name: undefined }],
        ["secret", { ...usual, client_id: "https://host.example/secret", client_secret: "x" }]
      ] as const) {
        document = wrong
        const { status } = yield* asked(`https://host.example/${at}`, "http://127.0.0.1/callback")
        assert.include([400, 401], status, at)
      }
      document = usual
      for (const bad of [`${address}#x`, "https://host.example/../client.json", "https://a@host.example/client.json"]) {
        assert.include([400, 401], (yield* asked(bad, "http://127.0.0.1/callback")).status, bad)
      }
    })
  )

  it.effect("and signs its requests, as ChatGPT does, is known by each assertion once", () =>
    Effect.gen(function* () {
      const { answer } = yield* AuthorizationServer
      const client = "https://host.example/signing.json"
      document = {
        ...usual,
        client_id: client,
        token_endpoint_auth_method: "private_key_jwt",
        token_endpoint_auth_signing_alg: "RS256",
        jwks_uri: keySet
      }
      const { privateKey } = yield* Effect.promise(() => keys)
      // the library goes by the time of the machine
      const now = yield* Effect.sync(() => Math.floor(Date.now() / 1000))
      const signed = (audience: string, expires = now + 60) =>
        Effect.promise(() =>
          new SignJWT()
            .setProtectedHeader({ alg: "RS256", kid: "1" })
            .setIssuer(client)
            .setSubject(client)
            .setAudience(audience)
            .setJti(randomUUID())
            .setIssuedAt(now)
            .setExpirationTime(expires)
            .sign(privateKey)
        )
      /** A code that is none comes to light only once the client is known. */
      const send = (client_assertion: string) =>
        Effect.map(
          answer({
            method: "POST",
            path: "/oauth/token",
            headers: { "content-type": "application/x-www-form-urlencoded" },
            body: new URLSearchParams({
              grant_type: "authorization_code",
              code: "x".repeat(43),
              code_verifier: "x".repeat(43),
              redirect_uri: "http://127.0.0.1/callback",
              client_id: client,
              client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
              client_assertion
            }).toString()
          }),
          ({ body, status }) => `${status} ${/"error":"(\w+)"/.exec(body)?.[1]}`
        )
      const endpoint = "http://127.0.0.1:3000/oauth/token"
      const first = yield* signed(endpoint)
      assert.strictEqual(yield* send(first), "400 invalid_grant")
      assert.strictEqual(yield* send(first), "401 invalid_client")
      const race = yield* signed("http://127.0.0.1:3000")
      const raced = yield* Effect.forEach([1, 2, 3, 4], () => send(race), { concurrency: "unbounded" })
      assert.lengthOf(
        raced.filter((one) => one === "400 invalid_grant"),
        1
      )
      for (const bad of [
        yield* signed("https://elsewhere.example/oauth/token"),
        yield* signed(endpoint, now - 3600),
        `${(yield* signed(endpoint)).slice(0, -8)}AAAAAAAA`
      ]) {
        assert.strictEqual(yield* send(bad), "401 invalid_client")
      }
      document = usual
    })
  )
})
