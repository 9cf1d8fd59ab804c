import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { HubSpot } from "../../src/index.ts"
import { simulators } from "../../src/Simulators.ts"
import {
  Faults,
  mockProvider,
  startTestApplication,
  TestApplication,
  testApplication,
  type TestParts
} from "../../src/testing.ts"

const Mock = mockProvider("hubspot", { contact: [{ first_name: "Ada" }] })
const hubspot = simulators.filter(({ slug }) => slug === "hubspot")

const status = (path: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(TestApplication, (app) =>
    Effect.map(
      Effect.promise(() => app.fetch(path, { headers })),
      (response) => response.status
    )
  )

const contacts = "/api/v1/crm/contact?provider=hubspot"

describe("a test application", () => {
  it.effect("goes by the settings that it is given, and by no others", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Effect.all([status(contacts), status(contacts), status(contacts)]), [200, 200, 429])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* status(contacts), 200)
    }).pipe(Effect.provide(testApplication({ providers: [Mock], config: { RATE_LIMIT: "2" } })))
  )

  it.effect("connects its end users to simulators, whose tokens expire by the clock of the test", () =>
    Effect.gen(function* () {
      const faults = yield* Faults
      yield* faults.add({ provider: "hubspot", path: "/oauth/", does: { kind: "status", status: 503 } })
      assert.strictEqual(yield* status(contacts), 200)
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(yield* status(contacts), 502)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* status(contacts), 200)
    }).pipe(Effect.provide(testApplication({ providers: [HubSpot], simulators: hubspot })))
  )

  it.effect("says which call would have gone to the network", () =>
    Effect.gen(function* () {
      const app = yield* TestApplication
      const caller = yield* app.caller({ environment: "production" })
      const response = yield* Effect.promise(() => caller.fetch(contacts))
      assert.strictEqual(response.status, 500)
      assert.include(
        yield* Effect.promise(() => response.text()),
        "calls no network, but GET https://api.hubapi.com was asked for"
      )
    }).pipe(Effect.provide(testApplication({ providers: [HubSpot] })))
  )

  it.effect("has callers of its own organisation and of others, none of whom sees another's", () =>
    Effect.gen(function* () {
      const app = yield* TestApplication
      const stranger = yield* app.caller()
      const colleague = yield* app.caller({ beside: app, connected: [] })
      assert.notStrictEqual(stranger.organisation, app.organisation)
      assert.strictEqual(colleague.organisation, app.organisation)
      assert.strictEqual(yield* status(contacts, { "x-end-user-id": stranger.endUser }), 404)
      assert.strictEqual(yield* status(contacts, { "x-end-user-id": colleague.endUser }), 404)
      yield* app.connect(colleague, "hubspot")
      assert.strictEqual(yield* status(contacts, { "x-end-user-id": colleague.endUser }), 200)
      assert.strictEqual(yield* status(contacts, { authorization: "Bearer sk_test_unknown" }), 401)
    }).pipe(Effect.provide(testApplication({ providers: [Mock] })))
  )
})

describe("test applications without Effect", () => {
  const parts: TestParts = { providers: [Mock] }

  it("answer calls, and end", async () => {
    const app = await startTestApplication(parts)
    const response = await app.fetch("/api/v1/crm/contact")
    assert.strictEqual(response.status, 200)
    assert.include(await response.text(), '"first_name":"Ada"')
    const request = new Request("http://localhost/api/v1/crm/contact", {
      headers: { authorization: `Bearer ${app.key}`, "x-end-user-id": app.endUser }
    })
    assert.strictEqual((await app.handle(request)).status, 200)
    const other = await app.caller({ beside: app, endUser: "grace", connected: [] })
    assert.strictEqual((await other.fetch(contacts)).status, 404)
    await app.connect(other, "hubspot")
    assert.strictEqual((await other.fetch(contacts)).status, 200)
    await app.close()
  })

  it("are refused with the mistake of a part", async () => {
    const refusalOf = (parts: TestParts) => startTestApplication(parts).then(() => undefined, String)
    // @ts-expect-error a misspelt field
    const misspelt = mockProvider("hubspot", { contact: [{ lastname: "x" }] })
    assert.deepStrictEqual(
      await Promise.all([
        refusalOf({ providers: [misspelt] }),
        refusalOf({ providers: [Mock, Mock] }),
        // @ts-expect-error no Layer
        refusalOf({ providers: [undefined] }),
        refusalOf({ config: { RATE_LIMIT: "many" } })
      ]),
      [
        'InvalidPart: mock hubspot: contact[0].lastname is not a field of crm/contact; did you mean "last_name"?',
        "InvalidPart: provider hubspot: the slug is taken by another provider; each needs one of its own and is given once",
        "InvalidPart: providers[0] is not a Layer: give it what provider, toolkit or mockProvider made",
        'Error: (Invalid data at RATE_LIMIT: "Expected an integer value but received "many"")'
      ]
    )
  })

  it("see nothing of one another, at the same time and after", async () => {
    const [one, two] = await Promise.all([startTestApplication(parts), startTestApplication(parts)])
    const made = {
      method: "POST",
      body: JSON.stringify({ last_name: "Hopper" }),
      headers: { "content-type": "application/json" }
    }
    assert.strictEqual((await one.fetch(contacts, made)).status, 201)
    const held = async (app: typeof one) => (await (await app.fetch(contacts)).text()).includes("Hopper")
    assert.deepStrictEqual([await held(one), await held(two)], [true, false])
    const withKeyOfOne = { headers: { authorization: `Bearer ${one.key}` } }
    assert.strictEqual((await two.fetch(contacts, withKeyOfOne)).status, 401)
    await Promise.all([one.close(), two.close()])

    const three = await startTestApplication(parts)
    assert.isFalse(await held(three))
    assert.strictEqual((await three.fetch(contacts, withKeyOfOne)).status, 401)
    await three.close()
  })
})
