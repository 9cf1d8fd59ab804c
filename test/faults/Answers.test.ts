import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { listen } from "../support/Served.ts"
import { scratchDirectory } from "../support/TestDatabase.ts"
import { at, call, type Caller, command, start } from "./ServiceProcess.ts"

const mebibyte = 1024 * 1024

/** A provider that never stops answering; `taken`: bytes that were read of it, or stand in buffers on the way. */
const endless = Effect.gen(function* () {
  let taken = 0
  const piece = Buffer.alloc(64 * 1024, "x")
  const port = yield* listen((request, response) => {
    request.resume()
    response.writeHead(request.url?.includes("after") === true ? 500 : 200, { "content-type": "application/json" })
    const send = () => {
      while (!response.destroyed) {
        taken += piece.length
        if (!response.write(piece)) return void response.once("drain", send)
      }
    }
    send()
  })
  return { origin: `http://127.0.0.1:${port}`, taken: () => taken }
})

describe("an answer that never ends", () => {
  it.scopedLive("is given up at the limit, however many come at a time", () =>
    Effect.gen(function* () {
      const { origin, taken } = yield* endless
      const settings = {
        DATA_DIR: yield* scratchDirectory,
        RATE_LIMIT: "0",
        ANSWER_LIMIT: "4",
        PROVIDER_HUBSPOT_BASE_URL: origin,
        PROVIDER_HUBSPOT_CLIENT_ID: "client",
        PROVIDER_HUBSPOT_CLIENT_SECRET: "secret",
        PROVIDER_HUBSPOT_TOKEN_URL: `${origin}/token`
      }
      const organisation = String(at(yield* command(settings, "organisations", "create", "--name", "Any"), "id"))
      const owned = ["--organisation", organisation, "--environment", "production"]
      const key = String(at(yield* command(settings, "keys", "create", ...owned), "key"))
      const service = yield* start(settings)
      const caller: Caller = { key, endUser: "listing" }
      /** A list over a connection of its own: one that keeps failing is not asked for a while. */
      const connected = Effect.fnUntraced(function* (endUserId: string) {
        const body = { endUserId, provider: "hubspot", credentials: { accessToken: "token" } }
        assert.strictEqual((yield* call(service, caller, "POST", "/connections", body)).status, 201)
        return call(service, { key, endUser: endUserId }, "GET", "/crm/contact?provider=hubspot")
      })
      const list = yield* connected("listing")
      const told = (answer: Effect.Effect.Success<typeof list>) => [
        answer.status,
        at(answer.json, "code"),
        at(answer.json, "provider.message")
      ]
      const tooLarge = [502, "PROVIDER_ERROR", "it answered more than 4 MiB"]
      assert.deepStrictEqual(told(yield* list), tooLarge)
      const calls = 24
      const lists = yield* Effect.forEach(
        Array.from({ length: calls }, (_, n) => `listing-${n}`),
        connected
      )
      const before = yield* service.memory
      const takenBefore = taken()
      for (const answer of yield* Effect.all(lists, { concurrency: "unbounded" })) {
        assert.deepStrictEqual(told(answer), tooLarge)
      }
      assert.isBelow(taken() - takenBefore, calls * 12 * mebibyte)
      assert.isBelow((yield* service.memory) - before, 250 * mebibyte)

      const refreshing = yield* call(service, caller, "POST", "/connections", {
        endUserId: "refreshing",
        provider: "hubspot",
        credentials: { accessToken: "old", refreshToken: "refresh", expiresAt: "2020-01-01T00:00:00Z" }
      })
      assert.strictEqual(refreshing.status, 201)
      const refused = yield* call(service, { key, endUser: "refreshing" }, "GET", "/crm/contact?provider=hubspot")
      assert.deepStrictEqual(told(refused), [502, "PROVIDER_ERROR", "its token endpoint answered too much"])
    })
  )
})
