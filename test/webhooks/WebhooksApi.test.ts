import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import { eventTypes } from "../../src/events/Event.ts"
import {
  type Caller,
  errorsOf,
  failureOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplicationAt
} from "../support/SandboxApplication.ts"
import { receiver, verified } from "./Receiver.ts"

const url = "https://198.51.100.7/hooks"
const application = sandboxApplicationAt(Date.now())({ ALLOW_PRIVATE_HOSTS: "127.0.0.1,198.51.100.0/24" })

const someone = Effect.flatMap(SandboxApplication, ({ caller }) => caller([]))

const types = ["connection.created", "connection.removed"]

const make = ({ call }: Caller, more: object = {}) =>
  Effect.map(call("POST", "/webhooks", { body: { url, types, ...more } }), recordOf)

layer(application, { timeout: "60 seconds" })("webhooks", (it) => {
  it.effect("are made with a secret that is shown once", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      const { secret, ...webhook } = yield* make(caller, { types: [...types, ...types] })
      assert.match(String(secret), /^whsec_[A-Za-z0-9+/]{43}=$/)
      assert.deepInclude(webhook, {
        url,
        types,
        include_record: false,
        environment: "sandbox",
        status: "active",
        disabledAt: null,
        disabledReason: null
      })
      assert.deepStrictEqual(recordOf(yield* caller.call("GET", `/webhooks/${String(webhook.id)}`)), webhook)
      assert.deepStrictEqual(pageOf(yield* caller.call("GET", "/webhooks")).data, [webhook])
    })
  )

  it.effect("are listed newest first, page by page", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      const made: Array<unknown> = []
      for (let i = 0; i < 5; i += 1) made.unshift((yield* make(caller)).id)
      const first = pageOf(yield* caller.call("GET", "/webhooks?limit=3"))
      const cursor = encodeURIComponent(String(first.pagination.cursor))
      const second = pageOf(yield* caller.call("GET", `/webhooks?limit=3&cursor=${cursor}`))
      assert.deepStrictEqual(
        [...first.data, ...second.data].map(({ id }) => id),
        made
      )
      assert.deepInclude(second.pagination, { hasMore: false, cursor: null })
    })
  )

  it.effect("change in what is sent", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      const { secret: _, ...webhook } = yield* make(caller)
      const path = `/webhooks/${String(webhook.id)}`
      const changes = { types: ["record.deleted"], include_record: true }
      const changed = recordOf(yield* caller.call("PATCH", path, { body: changes }))
      assert.deepStrictEqual(changed, { ...webhook, ...changes })
      const off = recordOf(yield* caller.call("PATCH", path, { body: { status: "disabled" } }))
      assert.deepInclude(off, { ...webhook, ...changes, status: "disabled", disabledAt: off.disabledAt })
      assert.isString(off.disabledAt)
      assert.deepStrictEqual(recordOf(yield* caller.call("PATCH", path, { body: { status: "active" } })), changed)
      assert.deepStrictEqual(recordOf(yield* caller.call("PATCH", path, { body: {} })), changed)
      assert.deepStrictEqual(recordOf(yield* caller.call("DELETE", path)), { id: webhook.id })
      assert.deepStrictEqual(refusalOf(yield* caller.call("GET", path)), [404, "WEBHOOK_NOT_FOUND"])
    })
  )

  it.effect("refuse what they cannot be, by name", () =>
    Effect.gen(function* () {
      const { call } = yield* someone
      const errors = (body: unknown) => Effect.map(call("POST", "/webhooks", { body }), errorsOf)
      assert.deepStrictEqual(yield* errors({}), { url: "is required", types: "is required" })
      assert.deepStrictEqual(yield* errors({ url, types: [] }), {
        types: `must name at least one of ${eventTypes.join(", ")}`
      })
      assert.deepStrictEqual(yield* errors({ url, types: ["record.create"], include_record: "yes", include: 1 }), {
        "types.0": `must be one of ${eventTypes.join(", ")}`,
        include_record: "must be true or false",
        include: "is not known here"
      })
      for (const wrong of [
        "app.example.com",
        "ftp://app.example.com",
        "https://user:word@app.example.com/",
        "https://app.example.com/#here",
        `https://app.example.com/${"a".repeat(2000)}`
      ]) {
        assert.match(String((yield* errors({ url: wrong, types })).url), /^must be an address such as https:/)
      }
      for (const [refused, why] of [
        ["http://1.1.1.1/hooks", /^must begin with https:/],
        ["https://10.0.0.1/", /private network.*ALLOW_PRIVATE_HOSTS/],
        ["https://192.168.1.1/", /private network/],
        ["https://169.254.169.254/", /private network/],
        ["https://[::1]/", /private network/],
        ["https://no-such-host.invalid/", /^there is no host no-such-host.invalid/]
      ] as const) {
        assert.match(String((yield* errors({ url: refused, types })).url), why, refused)
      }
      // and a change to it
      const made = recordOf(yield* call("POST", "/webhooks", { body: { url, types } }))
      const path = `/webhooks/${String(made.id)}`
      assert.property(errorsOf(yield* call("PATCH", path, { body: { url: "https://10.0.0.1/" } })), "url")
      assert.deepStrictEqual(errorsOf(yield* call("PATCH", path, { body: { status: "paused" } })), {
        status: "must be active or disabled"
      })
      assert.deepInclude(recordOf(yield* call("GET", path)), { url, status: "active" })
    })
  )

  it.effect("carry records for nobody who may not read them", () =>
    Effect.gen(function* () {
      const { call } = yield* someone
      const body = { name: "n", scopes: ["webhooks"] }
      const authorization = `Bearer ${String(recordOf(yield* call("POST", "/api-keys", { body })).key)}`
      const limited = (method: string, path: string, body: object) =>
        Effect.map(call(method, path, { body, headers: { authorization } }), refusalOf)
      const forbidden = [403, "FORBIDDEN"] as const
      assert.deepStrictEqual(yield* limited("POST", "/webhooks", { url, types, include_record: true }), forbidden)
      const path = `/webhooks/${String(recordOf(yield* call("POST", "/webhooks", { body: { url, types, include_record: true } })).id)}`
      assert.deepStrictEqual(yield* limited("PATCH", path, { url: `${url}/mine` }), forbidden)
      assert.strictEqual(
        (yield* call("PATCH", path, { body: { include_record: false }, headers: { authorization } })).status,
        200
      )
      assert.deepStrictEqual(yield* limited("PATCH", path, { include_record: true }), forbidden)
    })
  )

  it.effect("hold in production as in the sandbox", () =>
    Effect.gen(function* () {
      const { caller } = yield* SandboxApplication
      const live = yield* caller([], { environment: "production" })
      assert.deepInclude(yield* make(live), { environment: "production" })
      const refused = yield* live.call("POST", "/webhooks", { body: { url: "https://10.0.0.1/", types } })
      assert.property(errorsOf(refused), "url")
    })
  )

  it.effect("are not there for another organisation or environment", () =>
    Effect.gen(function* () {
      const { caller } = yield* SandboxApplication
      const owner = yield* caller([])
      const { id, secret: _ } = yield* make(owner)
      const others = [
        yield* caller([]),
        yield* caller([], {
          environment: "production",
          tenancy: yield* Effect.map(caller([], { environment: "production" }), ({ tenancy }) => tenancy)
        })
      ]
      for (const { call } of others) {
        assert.deepStrictEqual(pageOf(yield* call("GET", "/webhooks")).data, [])
        for (const [method, path, body] of [
          ["GET", "", undefined],
          ["PATCH", "", { status: "disabled" }],
          ["DELETE", "", undefined],
          ["POST", "/rotate-secret", undefined],
          ["POST", "/test", undefined],
          ["GET", "/deliveries", undefined],
          ["POST", "/deliveries/1/redeliver", undefined]
        ] as const) {
          const answer = yield* call(method, `/webhooks/${String(id)}${path}`, body === undefined ? {} : { body })
          assert.deepStrictEqual(refusalOf(answer), [404, "WEBHOOK_NOT_FOUND"], `${method} ${path}`)
        }
      }
      assert.deepInclude(recordOf(yield* owner.call("GET", `/webhooks/${String(id)}`)), { status: "active" })
      for (const unknown of [randomUUID(), "none"]) {
        const failure = failureOf(yield* owner.call("GET", `/webhooks/${unknown}`))
        assert.include(failure.message, unknown)
      }
    })
  )

  it.scoped("are tested with what the endpoint says", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      const endpoint = yield* receiver((_, count) =>
        count === 1 ? { body: "thanks" } : { status: 418, body: "é".repeat(3000) }
      )
      const { id, secret } = yield* make(caller, { url: endpoint.url })
      const path = `/webhooks/${String(id)}`
      const tested = recordOf(yield* caller.call("POST", `${path}/test`))
      assert.deepInclude(tested, { delivered: true, responseStatus: 200, response: "thanks", error: null })
      const received = yield* endpoint.next
      assert.deepInclude(verified(received, secret), { type: "webhook.test", data: { webhookId: id } })
      assert.match(String(received.headers["user-agent"]), /^Tributary\//)
      assert.strictEqual(received.headers["content-type"], "application/json")

      // a disabled one too
      yield* caller.call("PATCH", path, { body: { status: "disabled" } })
      const refused = recordOf(yield* caller.call("POST", `${path}/test`))
      assert.deepInclude(refused, {
        delivered: false,
        responseStatus: 418,
        response: "é".repeat(1000),
        error: "answered 418"
      })
      assert.deepStrictEqual(pageOf(yield* caller.call("GET", `${path}/deliveries`)).data, [])
    })
  )

  it.scoped("sign with the secret before as well for a day after it was rotated", () =>
    Effect.gen(function* () {
      const caller = yield* someone
      const endpoint = yield* receiver()
      const { id, secret: first } = yield* make(caller, { url: endpoint.url })
      const path = `/webhooks/${String(id)}`
      const rotate = Effect.map(caller.call("POST", `${path}/rotate-secret`), recordOf)
      const { secret: second } = yield* rotate
      assert.notStrictEqual(second, first)
      yield* caller.call("POST", `${path}/test`)
      const both = yield* endpoint.next
      for (const secret of [first, second]) assert.property(verified(both, secret), "type")
      const { secret: third } = yield* rotate
      yield* caller.call("POST", `${path}/test`)
      const later = yield* endpoint.next
      for (const secret of [second, third]) assert.property(verified(later, secret), "type")
      assert.throws(() => verified(later, first))

      const sql = yield* SqlClient.SqlClient
      yield* sql`update webhooks set previous_until = previous_until - interval '24 hours' where id = ${String(id)}`
      yield* caller.call("POST", `${path}/test`)
      const alone = yield* endpoint.next
      assert.property(verified(alone, third), "type")
      assert.throws(() => verified(alone, second))
    })
  )
})
