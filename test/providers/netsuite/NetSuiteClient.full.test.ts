import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { createRequire } from "node:module"
import { simulator } from "../../../src/providers/netsuite/simulator/NetSuiteSimulator.ts"
import { onPort } from "../../support/OnPort.ts"
import type { Json } from "./simulated.ts"

// A client library of NetSuite's REST services, which signs its requests, judges the simulator. It has no types, and loses
// the headers of answers: what was created is found by a query.

interface Client {
  readonly request: (call: {
    readonly path: string
    readonly method?: string
    readonly body?: string
  }) => Promise<{ readonly statusCode: number; readonly data: Json }>
}

const isClass = Schema.is(
  Schema.declare((u): u is new (options: { readonly [name: string]: string }) => Client => typeof u === "function")
)

const account = Effect.gen(function* () {
  const { accessToken, url } = yield* onPort(simulator)
  const library: unknown = createRequire(import.meta.url)("netsuite-rest")
  if (!isClass(library)) return yield* Effect.dieMessage("netsuite-rest is no class")
  const client = new library({
    consumer_key: "consumer",
    consumer_secret_key: "consumer secret",
    token: accessToken,
    token_secret: "token secret",
    realm: "7",
    base_url: url
  })
  const send = (method: string, path: string, body?: Json) =>
    Effect.tryPromise({
      try: () => client.request({ method, path, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
      catch: (thrown): Json => thrown
    })
  const query = (q: string, page = "") => Effect.map(send("POST", `query/v1/suiteql${page}`, { q }), ({ data }) => data)
  return { send, query }
})

it.scopedLive("netsuite-rest creates, reads, changes, lists and deletes", () =>
  Effect.gen(function* () {
    const { query, send } = yield* account
    const made = yield* send("POST", "record/v1/customer", {
      companyName: "Fjordline Tackle",
      subsidiary: { id: "1" },
      email: "orders@fjordline.example"
    })
    assert.strictEqual(made.statusCode, 204)

    const found = yield* query("SELECT id, email FROM customer WHERE companyname = 'Fjordline Tackle'")
    assert.strictEqual(found.count, 1)
    const path = `record/v1/customer/${found.items[0].id}`
    assert.strictEqual((yield* send("GET", path)).data.email, "orders@fjordline.example")

    assert.strictEqual((yield* send("PATCH", path, { email: "sales@fjordline.example" })).statusCode, 204)
    assert.strictEqual((yield* send("GET", path)).data.email, "sales@fjordline.example")

    const ids: Array<string> = []
    for (let hasMore = true, offset = 0; hasMore; offset += 50) {
      const page = yield* query("SELECT id FROM customer ORDER BY id", `?limit=50&offset=${offset}`)
      ids.push(...page.items.map((row: Json) => row.id))
      hasMore = page.hasMore
    }
    assert.isAbove(ids.length, 50)
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.include(ids, found.items[0].id)

    assert.strictEqual((yield* send("DELETE", path)).statusCode, 204)
    const gone = yield* Effect.flip(send("GET", path))
    assert.strictEqual(gone.response.statusCode, 404)
  })
)
