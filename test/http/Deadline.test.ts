import { HttpClient, HttpClientResponse } from "@effect/platform"
import { assert, describe, it as test, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { ConfigProvider, Deferred, Effect, Fiber, Layer, TestClock } from "effect"
import { All } from "../../src/All.ts"
import { InProcess } from "../../src/InProcess.ts"
import { requestTimeout } from "../../src/platform/Deadline.ts"
import { simulators } from "../../src/Simulators.ts"
import {
  type Answer,
  type Caller,
  failureOf,
  type Options,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

/** A call that reached the provider, with its access token. */
interface Sent {
  readonly token: string
  readonly method: string
}

/** A provider that keeps calls waiting so many milliseconds, by the method and the access token of the call. */
const provider = { sent: new Array<Sent>(), waits: new Map<string, number>() }

const contact = (id: string, last_name: string) => ({
  id,
  properties: {
    lastname: last_name,
    createdate: "2026-01-01T00:00:00.000Z",
    lastmodifieddate: "2026-01-01T00:00:00.000Z"
  },
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  archived: false
})

const network = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request, url) => {
    const token = (request.headers["authorization"] ?? "").replace("Bearer ", "")
    const { method } = request
    provider.sent.push({ token, method })
    const isList = method === "GET" && url.pathname.endsWith("/contacts")
    const body = isList ? { results: [contact("1", `of ${token}`)] } : contact("7", "As held")
    const answer = new Response(JSON.stringify(body), { status: 200, headers: { "content-type": "application/json" } })
    return Effect.as(
      Effect.sleep(provider.waits.get(`${method} ${token}`) ?? 0),
      HttpClientResponse.fromWeb(request, answer)
    )
  })
)

const contacts = "/crm/contact?provider=hubspot"

const tick = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 2)))

const settings = {
  REQUEST_TIMEOUT: "10",
  PROVIDER_HUBSPOT_CLIENT_ID: "client",
  PROVIDER_HUBSPOT_CLIENT_SECRET: "secret"
}

layer(sandboxApplication(settings, All, simulators, network), { timeout: "60 seconds" })(
  "the deadline of a request",
  (it) => {
    let made = 0
    /** Someone with a production connection, whose calls carry an access token that nobody else's do. */
    const someone = Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { connect } = yield* InProcess
      const caller = yield* app.caller([], { environment: "production" })
      made += 1
      const token = `token-${made}`
      yield* connect(caller.tenancy, caller.endUser, "hubspot", token)
      return { ...caller, token }
    })

    const sentBy = (token: string, method?: string) =>
      provider.sent.filter((one) => one.token === token && (method === undefined || one.method === method)).length

    const reached = (token: string, count: number, method?: string) =>
      Effect.repeat(tick, { until: () => sentBy(token, method) >= count })

    const send = (caller: Caller, method: string, path: string, options: Options = {}) =>
      Effect.fork(caller.call(method, path, { ...options, timeStands: true }))

    /** Lets a caller's requests come as far as they come while time stands. */
    const settled = Effect.repeatN(tick, 100)

    const retryAfter = (answer: Answer) => Number(answer.headers.get("retry-after"))
    const slugOf = (answer: Answer) => (failureOf(answer) as { provider?: { slug: string } }).provider?.slug

    const create = (last_name: string, key?: string): Options => ({
      body: { last_name },
      headers: { "idempotency-key": key }
    })

    it.effect("holds for thirty callers of one connection whose provider does not answer", () =>
      Effect.gen(function* () {
        const one = yield* someone
        provider.waits.set(`GET ${one.token}`, 3_600_000)
        const fibers = yield* Effect.replicateEffect(send(one, "GET", contacts), 30)
        yield* reached(one.token, 8)
        yield* settled
        yield* TestClock.adjust("9 seconds")
        yield* settled
        assert.lengthOf(
          (yield* Effect.forEach(fibers, Fiber.poll)).filter(({ _tag }) => _tag === "Some"),
          0
        )
        yield* TestClock.adjust("1 seconds")
        const answers = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
        const sent = answers.filter(({ status }) => status === 504)
        const queued = answers.filter(({ status }) => status === 503)
        assert.deepStrictEqual([sent.length, queued.length], [8, 22])
        assert.strictEqual(sentBy(one.token), 8)
        for (const answer of sent) assert.deepStrictEqual(refusalOf(answer), [504, "PROVIDER_TIMEOUT"])
        for (const answer of queued) assert.deepStrictEqual(refusalOf(answer), [503, "UNAVAILABLE"])
        for (const answer of answers) {
          assert.strictEqual(slugOf(answer), "hubspot")
          assert.isAtLeast(retryAfter(answer), 1)
        }
      })
    )

    it.effect("answers a fan-out with what came in, and following the cursor gets the rest", () =>
      Effect.gen(function* () {
        const one = yield* someone
        const { connect } = yield* InProcess
        const slow = `${one.token}-slow`
        const slowId = yield* connect(one.tenancy, one.endUser, "hubspot", slow)
        provider.waits.set(`GET ${slow}`, 3_600_000)
        const fiber = yield* send(one, "GET", "/crm/contact?limit=10")
        yield* reached(slow, 1)
        yield* settled
        yield* TestClock.adjust("10 seconds")
        const page = pageOf(yield* Fiber.join(fiber))
        assert.deepStrictEqual(
          page.data.map(({ last_name }) => last_name),
          [`of ${one.token}`]
        )
        assert.lengthOf(page.errors ?? [], 1)
        assert.deepInclude(page.errors?.[0], { connectionId: slowId, code: "PROVIDER_TIMEOUT", retryable: true })
        assert.isTrue(page.pagination.hasMore)
        provider.waits.delete(`GET ${slow}`)
        const cursor = encodeURIComponent(String(page.pagination.cursor))
        const rest = pageOf(yield* one.call("GET", `/crm/contact?limit=10&cursor=${cursor}`))
        assert.deepStrictEqual(
          rest.data.map(({ last_name }) => last_name),
          [`of ${slow}`]
        )
        assert.isUndefined(rest.errors)
      })
    )

    it.effect("is over for a fan-out too, of which a part still waited for its turn", () =>
      Effect.gen(function* () {
        const one = yield* someone
        const { connect } = yield* InProcess
        provider.waits.set(`GET ${one.token}`, 3_600_000)
        yield* Effect.replicateEffect(send(one, "GET", contacts), 8)
        yield* reached(one.token, 8)
        const slow = `${one.token}-slow`
        yield* connect(one.tenancy, one.endUser, "hubspot", slow)
        provider.waits.set(`GET ${slow}`, 3_600_000)
        const fiber = yield* send(one, "GET", "/crm/contact")
        yield* reached(slow, 1)
        yield* settled
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(refusalOf(yield* Fiber.join(fiber)), [504, "PROVIDER_TIMEOUT"])
        assert.strictEqual(sentBy(one.token), 8)
      })
    )

    full(it).effect("a write that waited for its turn is never sent later, and its key runs again at once", () =>
      Effect.gen(function* () {
        const one = yield* someone
        provider.waits.set(`GET ${one.token}`, 3_600_000)
        const reads = yield* Effect.replicateEffect(send(one, "GET", contacts), 8)
        yield* reached(one.token, 8)
        const write = yield* send(one, "POST", contacts, create("Late", "late"))
        yield* settled
        // calls end half a second earlier, which is what the refusal takes to be noted for its key
        yield* TestClock.adjust("9500 millis")
        const refused = yield* Fiber.join(write)
        assert.deepStrictEqual(refusalOf(refused), [503, "UNAVAILABLE"])
        assert.strictEqual(slugOf(refused), "hubspot")
        yield* TestClock.adjust("500 millis")
        yield* Effect.forEach(reads, (fiber) => Fiber.join(fiber))
        yield* TestClock.adjust("5 minutes")
        yield* settled
        assert.strictEqual(sentBy(one.token, "POST"), 0)
        provider.waits.delete(`GET ${one.token}`)
        const again = yield* one.call("POST", contacts, create("Late", "late"))
        assert.strictEqual(again.status, 201)
        assert.isNull(again.headers.get("idempotency-replayed"))
        assert.strictEqual(sentBy(one.token, "POST"), 1)
      })
    )

    it.effect("a write that was sent is finished and kept for its key", () =>
      Effect.gen(function* () {
        const one = yield* someone
        provider.waits.set(`POST ${one.token}`, 15_000)
        const write = yield* send(one, "POST", contacts, create("Slow", "slow"))
        yield* reached(one.token, 1, "POST")
        yield* TestClock.adjust("10 seconds")
        const late = yield* Fiber.join(write)
        assert.deepStrictEqual(refusalOf(late), [504, "PROVIDER_TIMEOUT"])
        assert.strictEqual(slugOf(late), "hubspot")
        assert.isAtLeast(retryAfter(late), 1)
        const meanwhile = yield* Fiber.join(yield* send(one, "POST", contacts, create("Slow", "slow")))
        assert.deepStrictEqual(refusalOf(meanwhile), [409, "IDEMPOTENCY_CONFLICT"])
        yield* TestClock.adjust("5 seconds")
        yield* settled
        const again = yield* one.call("POST", contacts, create("Slow", "slow"))
        assert.strictEqual(again.status, 201)
        assert.strictEqual(again.headers.get("idempotency-replayed"), "true")
        assert.deepInclude(recordOf(again), { remote_id: "7", last_name: "Slow" })
        assert.strictEqual(sentBy(one.token, "POST"), 1)
      })
    )

    it.effect("does not wait for a read back: what was written is answered as it was sent", () =>
      Effect.gen(function* () {
        const one = yield* someone
        provider.waits.set(`GET ${one.token}`, 3_600_000)
        const write = yield* send(one, "POST", contacts, create("Blind"))
        yield* reached(one.token, 1, "GET")
        yield* TestClock.adjust("10 seconds")
        const answer = yield* Fiber.join(write)
        assert.strictEqual(answer.status, 201)
        assert.deepInclude(recordOf(answer), { remote_id: "7", last_name: "Blind" })
      })
    )

    full(it).effect("does not end an erasure, and the answer says that it goes on", () =>
      Effect.gen(function* () {
        const one = yield* someone
        const { connect } = yield* InProcess
        // as many as make it take three rounds of revocations of 5 s each
        yield* Effect.replicateEffect(connect(one.tenancy, one.endUser, "hubspot", one.token), 16)
        // tokens are taken back without an access token
        provider.waits.set("POST ", 3_600_000)
        const before = sentBy("", "POST")
        const path = `/end-users/${one.endUser}`
        const erasing = yield* send(one, "DELETE", path)
        yield* reached("", before + 8, "POST")
        yield* TestClock.adjust("5 seconds")
        yield* reached("", before + 16, "POST")
        yield* TestClock.adjust("5 seconds")
        const late = yield* Fiber.join(erasing)
        assert.deepStrictEqual(refusalOf(late), [504, "REQUEST_TIMEOUT"])
        assert.include(failureOf(late).message, "It was begun and is being finished")
        yield* reached("", before + 17, "POST")
        provider.waits.delete("POST ")
        yield* TestClock.adjust("5 seconds")
        yield* settled
        assert.deepStrictEqual(refusalOf(yield* one.call("GET", path)), [404, "END_USER_NOT_FOUND"])
      })
    )

    it.effect("tells of what was broken off only what is known", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const one = yield* someone
        const isLocked = yield* Deferred.make<void>()
        const path = "/mcp/workspaces"
        const locking = yield* sql`lock table workspaces`.pipe(
          Effect.zipRight(Deferred.succeed(isLocked, undefined)),
          Effect.zipRight(Effect.never),
          sql.withTransaction,
          Effect.fork
        )
        yield* Deferred.await(isLocked)
        const reading = yield* send(one, "GET", path)
        const making = yield* send(one, "POST", path, { body: { name: "Late" } })
        yield* settled
        yield* TestClock.adjust("10 seconds")
        const [read, made] = [yield* Fiber.join(reading), yield* Fiber.join(making)]
        yield* Fiber.interrupt(locking)
        assert.deepStrictEqual(refusalOf(read), [503, "UNAVAILABLE"])
        assert.strictEqual(failureOf(read).message, "The request had no answer within 10 seconds.")
        assert.deepStrictEqual(refusalOf(made), [504, "REQUEST_TIMEOUT"])
        assert.include(failureOf(made).message, "It may have been done all the same")
        for (const late of [read, made]) assert.isAtLeast(retryAfter(late), 1)
      })
    )

    full(it).effect("covers the refresh of an access token", () =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const one = yield* app.caller([], { environment: "production" })
        const credentials = { accessToken: "old", refreshToken: "r", expiresAt: "2026-01-01T00:00:00Z" }
        const body = { endUserId: one.endUser, provider: "hubspot", credentials }
        assert.strictEqual((yield* one.call("POST", "/connections", { body })).status, 201)
        // the token endpoint's own limit is as long as the request's
        provider.waits.set("POST ", 3_600_000)
        yield* TestClock.adjust("1 hour")
        const waiting = yield* send(one, "GET", contacts)
        yield* reached("", 1, "POST")
        yield* TestClock.adjust("9500 millis")
        const answer = yield* Fiber.join(waiting)
        assert.deepStrictEqual(refusalOf(answer), [503, "UNAVAILABLE"])
        assert.strictEqual(slugOf(answer), "hubspot")
        assert.strictEqual(sentBy("old"), 0)
        yield* TestClock.adjust("1 minute")
      })
    )

    it.effect("is not that of tool calls, which have one of their own", () =>
      Effect.gen(function* () {
        const one = yield* someone
        const made = yield* one.call("POST", "/mcp/workspaces", { body: { name: "Tools" } })
        provider.waits.set(`GET ${one.token}`, 12_000)
        const params = { name: "crm_list_contacts", arguments: {} }
        const calling = yield* send(one, "POST", `/mcp/${String(recordOf(made).id)}`, {
          body: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
          headers: { accept: "application/json, text/event-stream" }
        })
        yield* reached(one.token, 1)
        yield* TestClock.adjust("12 seconds")
        const answer = yield* Fiber.join(calling)
        assert.strictEqual(answer.status, 200)
        assert.include(JSON.stringify(answer.body), `of ${one.token}`)
      })
    )

    it.effect("is five minutes for a request that carries a file", () =>
      Effect.gen(function* () {
        const one = yield* someone
        provider.waits.set(`POST ${one.token}`, 3_600_000)
        const body = { file: "x".repeat(1_100_000) }
        const sending = yield* send(one, "POST", "/passthrough/hubspot/files/v3/files", {
          body,
          headers: { "content-length": String(JSON.stringify(body).length) }
        })
        yield* reached(one.token, 1, "POST")
        yield* TestClock.adjust("299 seconds")
        yield* settled
        assert.strictEqual((yield* Fiber.poll(sending))._tag, "None")
        yield* TestClock.adjust("1 seconds")
        assert.strictEqual((yield* Fiber.join(sending)).status, 504)
        yield* TestClock.adjust("5 minutes")
      })
    )

    it.effect("is no failure of a provider that had no fair time left for its answer", () =>
      Effect.gen(function* () {
        const one = yield* someone
        provider.waits.set(`GET ${one.token}`, 8_000)
        const fibers = yield* Effect.replicateEffect(send(one, "GET", contacts), 16)
        yield* reached(one.token, 8)
        yield* settled
        yield* TestClock.adjust("8 seconds")
        yield* reached(one.token, 16)
        yield* TestClock.adjust("2 seconds")
        const statuses = yield* Effect.forEach(fibers, (fiber) => Effect.map(Fiber.join(fiber), ({ status }) => status))
        assert.lengthOf(
          statuses.filter((status) => status === 504),
          8
        )
        provider.waits.delete(`GET ${one.token}`)
        assert.strictEqual((yield* one.call("GET", contacts)).status, 200)
        provider.waits.set(`GET ${one.token}`, 3_600_000)
        const hanging = yield* Effect.replicateEffect(send(one, "GET", contacts), 8)
        yield* reached(one.token, 25)
        yield* TestClock.adjust("10 seconds")
        for (const fiber of hanging) assert.strictEqual((yield* Fiber.join(fiber)).status, 504)
        assert.deepStrictEqual(refusalOf(yield* one.call("GET", contacts)), [503, "UNAVAILABLE"])
      })
    )

    it.effect("a provider's own limit counts from when its call is sent", () =>
      Effect.gen(function* () {
        const one = yield* someone
        provider.waits.set(`GET ${one.token}`, 6_000)
        const first = yield* Effect.replicateEffect(send(one, "GET", contacts), 8)
        yield* reached(one.token, 8)
        yield* TestClock.adjust("5 seconds")
        const second = yield* send(one, "GET", contacts)
        yield* settled
        yield* TestClock.adjust("1 seconds")
        yield* reached(one.token, 9)
        yield* TestClock.adjust("6 seconds")
        const answers = yield* Effect.forEach([...first, second], (fiber) => Fiber.join(fiber))
        assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200])
      })
    )
  }
)

describe("REQUEST_TIMEOUT", () => {
  const read = (value: string) =>
    Effect.withConfigProvider(requestTimeout, ConfigProvider.fromMap(new Map([["REQUEST_TIMEOUT", value]])))

  test.effect.each(["0", "-1", "3601", "soon", "1.5"])("%s is refused by name", (value) =>
    Effect.gen(function* () {
      assert.include(String(yield* Effect.flip(read(value))), "REQUEST_TIMEOUT")
    })
  )

  test.effect("is 30 seconds when it is not set", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* read("45"), 45)
      const unset = Effect.withConfigProvider(requestTimeout, ConfigProvider.fromMap(new Map()))
      assert.strictEqual(yield* unset, 30)
    })
  )
})
