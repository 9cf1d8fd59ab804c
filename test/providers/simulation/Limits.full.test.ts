import { assert, describe, it } from "@effect/vitest"
import { HttpClientRequest } from "@effect/platform"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { simulator as attio } from "../../../src/providers/attio/simulator/AttioSimulator.ts"
import { simulator as hubspot } from "../../../src/providers/hubspot/simulator/HubSpotSimulator.ts"
import { simulator as netsuite } from "../../../src/providers/netsuite/simulator/NetSuiteSimulator.ts"
import { simulator as pipedrive } from "../../../src/providers/pipedrive/simulator/PipedriveSimulator.ts"
import { simulator as quickbooks } from "../../../src/providers/quickbooks/simulator/QuickBooksSimulator.ts"
import { simulator as salesforce } from "../../../src/providers/salesforce/simulator/SalesforceSimulator.ts"
import { Faults } from "../../../src/providers/simulation/Faults.ts"
import { isWithout } from "../../../src/providers/simulation/Features.ts"
import { Strictness } from "../../../src/providers/simulation/Limits.ts"
import { SimulationStore } from "../../../src/providers/simulation/SimulationStore.ts"
import { client, connect, type Simulator } from "../../../src/providers/simulation/Simulator.ts"
import { accountHeader } from "../../../src/providers/Transport.ts"
import { simulator as xero } from "../../../src/providers/xero/simulator/XeroSimulator.ts"
import { simulator as zohoBooks } from "../../../src/providers/zohobooks/simulator/ZohoBooksSimulator.ts"
import { simulator as zohocrm } from "../../../src/providers/zohocrm/simulator/ZohoCrmSimulator.ts"

interface Provider {
  readonly simulator: Simulator
  /** A cheap request. */
  readonly path: string
  readonly headers?: (values: { readonly [name: string]: string }) => { readonly [name: string]: string }
  readonly scheme?: string
}

const providers = {
  hubspot: { simulator: hubspot, path: "/crm/v3/owners" },
  "hubspot, searches": { simulator: hubspot, path: "/crm/v3/objects/contacts/search" },
  salesforce: { simulator: salesforce, path: "/services/data/v59.0/limits" },
  pipedrive: { simulator: pipedrive, path: "/api/v2/pipelines" },
  "pipedrive, searches": { simulator: pipedrive, path: "/api/v2/persons/search?term=an" },
  zohocrm: { simulator: zohocrm, path: "/crm/v8/org", scheme: "Zoho-oauthtoken" },
  quickbooks: { simulator: quickbooks, path: "/v3/company/1/preferences" },
  "quickbooks, batches": { simulator: quickbooks, path: "/v3/company/1/batch" },
  xero: {
    simulator: xero,
    path: "/api.xro/2.0/Organisation",
    headers: ({ tenantId = "" }) => ({ "xero-tenant-id": tenantId })
  },
  attio: { simulator: attio, path: "/v2/objects" },
  zohoBooks: { simulator: zohoBooks, path: "/books/v3/organizations", scheme: "Zoho-oauthtoken" },
  netsuite: { simulator: netsuite, path: "/services/rest/record/v1/metadata-catalog/customer" }
} satisfies { readonly [name: string]: Provider }

const posts = { search: "{}", batch: "{}" }

/** Sends the cheap request of a provider to a simulator of it. */
const caller = ({ headers, path, scheme = "Bearer", simulator }: Provider, isStrict = true) =>
  Effect.gen(function* () {
    const http = yield* client(simulator).pipe(Effect.provideService(Strictness, { isStrict, duration: 0 }))
    const tokens = yield* connect(simulator, "acme", 1_000_000)
    const body = Object.entries(posts).find(([end]) => path.endsWith(`/${end}`))?.[1]
    const plain = HttpClientRequest.make(body === undefined ? "GET" : "POST")(`https://provider.example${path}`, {
      headers: {
        authorization: `${scheme} ${tokens.accessToken}`,
        ...headers?.(simulator.values?.("acme") ?? {})
      }
    })
    const request = body === undefined ? plain : HttpClientRequest.bodyText(plain, body, "application/json")
    return Effect.flatMap(http.execute(request), (response) =>
      Effect.map(response.text, (text): Answered => ({ status: response.status, headers: response.headers, text }))
    )
  })

interface Answered {
  readonly status: number
  readonly headers: { readonly [name: string]: string | undefined }
  readonly text: string
}

/** A provider of whose limit, by its name, only some calls are left. */
const tight = (provider: Provider, name: string, most: number): Provider => ({
  ...provider,
  simulator: {
    ...provider.simulator,
    limits: {
      windows: (provider.simulator.limits?.windows ?? []).map((one) => (one.name === name ? { ...one, most } : one))
    }
  }
})

const test = Effect.provide(Layer.merge(SimulationStore.layerMemory, Faults.layer))

/** The refusals of calls beyond a window's limit, as documented. */
const refusals: ReadonlyArray<
  readonly [
    provider: keyof typeof providers,
    limit: string,
    seconds: number,
    status: number,
    words: RegExp,
    headers: { readonly [name: string]: string }
  ]
> = [
  ["hubspot", "burst", 10, 429, /"policyName":"TEN_SECONDLY_ROLLING"/, { "x-hubspot-ratelimit-remaining": "0" }],
  ["hubspot, searches", "search", 1, 429, /"message":"You have reached your secondly limit."/, {}],
  ["salesforce", "daily", 86_400, 403, /REQUEST_LIMIT_EXCEEDED/, { "sforce-limit-info": "api-usage=15000/15000" }],
  ["pipedrive", "burst", 2, 429, /Rate limit exceeded/, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "2" }],
  ["pipedrive, searches", "search", 2, 429, /Rate limit exceeded/, { "x-ratelimit-reset": "2" }],
  ["zohocrm", "credits", 86_400, 429, /TOO_MANY_REQUESTS/, { "x-api-credits-remaining": "0" }],
  ["quickbooks", "minute", 60, 429, /ThrottleExceeded; errorCode=003001; statusCode=429/, {}],
  ["quickbooks, batches", "batches", 60, 429, /ThrottleExceeded/, {}],
  ["xero", "minute", 60, 429, /^$/, { "x-rate-limit-problem": "minute", "retry-after": "60" }],
  ["xero", "day", 86_400, 429, /^$/, { "x-rate-limit-problem": "day", "retry-after": "86400" }],
  ["attio", "reads", 1, 429, /rate_limit_exceeded/, { "retry-after": "1" }],
  ["zohoBooks", "minute", 60, 429, /"code":44/, {}],
  ["xero", "app", 60, 429, /^$/, { "x-rate-limit-problem": "appminute", "retry-after": "60" }]
]

describe("limits in strict mode", () => {
  it.effect.each(refusals)("%s: %s", ([name, limit, seconds, status, words, headers]) =>
    Effect.gen(function* () {
      const call = yield* caller(tight(providers[name], limit, 2))
      const answered = [yield* call, yield* call]
      assert.isTrue(answered.every((one) => one.status < 429 && one.status !== 403))
      const refused = yield* call
      assert.strictEqual(refused.status, status)
      assert.match(refused.text, words)
      assert.deepInclude(refused.headers, headers)
      yield* TestClock.adjust((seconds - 1) * 1000)
      assert.strictEqual((yield* call).status, status)
      yield* TestClock.adjust(1000)
      assert.strictEqual((yield* call).status, answered[0]?.status)
    }).pipe(test)
  )

  it.effect("tokens of a day come back at midnight, and cost what each request costs", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 20, 23, 59, 30))
      // a list costs ten tokens
      const call = yield* caller(tight({ ...providers.pipedrive, path: "/api/v2/deals?limit=1" }, "tokens", 25))
      assert.strictEqual((yield* call).headers["x-daily-ratelimit-token-remaining"], "15")
      yield* call
      const refused = yield* call
      assert.strictEqual(refused.status, 429)
      assert.deepInclude(refused.headers, { "x-daily-ratelimit-token-remaining": "0" })
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual((yield* call).status, 200)
    }).pipe(test)
  )

  it.effect("of 150 rapid calls Xero answers 60, and says how many are left", () =>
    Effect.gen(function* () {
      const call = yield* caller(providers.xero)
      const answers = yield* Effect.replicateEffect(call, 150)
      const [first] = answers
      assert.deepInclude(first?.headers, { "x-minlimit-remaining": "59", "x-daylimit-remaining": "4999" })
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 60)
      assert.isTrue(answers.slice(60).every(({ status }) => status === 429))
      assert.strictEqual(answers.at(-1)?.headers["x-minlimit-remaining"], "0")
    }).pipe(test)
  )

  it.effect("a window rolls: calls come back one by one", () =>
    Effect.gen(function* () {
      const call = yield* caller(tight(providers.xero, "minute", 2))
      yield* call
      yield* TestClock.adjust("40 seconds")
      yield* call
      assert.strictEqual((yield* call).headers["retry-after"], "20")
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* call).status, 200)
      assert.strictEqual((yield* call).headers["retry-after"], "40")
    }).pipe(test)
  )

  it.effect.each([
    ["xero", 5, 429, /^$/, { "x-rate-limit-problem": "concurrent" }],
    ["quickbooks", 10, 429, /ThrottleExceeded/, {}],
    ["zohocrm", 20, 429, /TOO_MANY_REQUESTS/, {}],
    ["netsuite", 5, 429, /CONCURRENCY_LIMIT_EXCEEDED/, {}]
  ] as const)("%s answers %d calls at a time", ([name, most, status, words, headers]) =>
    Effect.gen(function* () {
      const call = yield* caller(providers[name])
      const faults = yield* Faults
      yield* faults.add({
        provider: providers[name].simulator.slug,
        does: { kind: "latency", milliseconds: 500 },
        times: most
      })
      const running = yield* Effect.fork(
        Effect.all(
          Array.from({ length: most }, () => call),
          { concurrency: most }
        )
      )
      yield* TestClock.adjust(100)
      const refused = yield* call
      assert.strictEqual(refused.status, status)
      assert.match(refused.text, words)
      assert.deepInclude(refused.headers, headers)
      yield* TestClock.adjust(400)
      assert.isTrue((yield* Fiber.join(running)).every((one) => one.status === 200))
      assert.strictEqual((yield* call).status, 200)
    }).pipe(test)
  )

  it.effect("in Salesforce only calls that run for twenty seconds count", () =>
    Effect.gen(function* () {
      const call = yield* caller(providers.salesforce)
      const faults = yield* Faults
      yield* faults.add({ provider: "salesforce", does: { kind: "latency", milliseconds: 30_000 }, times: 5 })
      const running = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 5 }, () => call),
          { concurrency: 5 }
        )
      )
      yield* TestClock.adjust("19 seconds")
      assert.strictEqual((yield* call).status, 200)
      yield* TestClock.adjust("1 second")
      const refused = yield* call
      assert.strictEqual(refused.status, 403)
      assert.include(refused.text, "ConcurrentRequests")
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(running)
      assert.strictEqual((yield* call).status, 200)
    }).pipe(test)
  )

  it.effect("HubSpot's searches do not find what was written a moment ago", () =>
    Effect.gen(function* () {
      const http = yield* client(hubspot).pipe(Effect.provideService(Strictness, { isStrict: true, duration: 0 }))
      const { accessToken } = yield* connect(hubspot, "acme")
      const send = (method: "GET" | "POST", path: string, body?: unknown) =>
        HttpClientRequest.make(method)(`https://provider.example/crm/v3/objects/contacts${path}`, {
          headers: { authorization: `Bearer ${accessToken}` }
        }).pipe(
          (request) => (body === undefined ? request : HttpClientRequest.bodyUnsafeJson(request, body)),
          (request) => Effect.flatMap(http.execute(request), (response) => response.text)
        )
      const search = send("POST", "/search", {
        filterGroups: [{ filters: [{ propertyName: "email", operator: "EQ", value: "new@example.com" }] }]
      })
      assert.include(yield* search, '"total":0')
      const made = yield* send("POST", "", { properties: { email: "new@example.com" } })
      const id = /"id":"(\d+)"/.exec(made)?.[1] ?? ""
      assert.include(yield* search, '"total":0')
      assert.include(yield* send("GET", `/${id}?properties=email`), "new@example.com")
      yield* TestClock.adjust("5 seconds")
      assert.include(yield* search, '"total":1')
    }).pipe(test)
  )

  const pages: ReadonlyArray<readonly [simulator: Simulator, page: string]> = [
    [hubspot, "/oauth/authorize"],
    [salesforce, "/services/oauth2/authorize"],
    [pipedrive, "/oauth/authorize"],
    [zohocrm, "/oauth/v2/auth"],
    [quickbooks, "/connect/oauth2"],
    [xero, "/identity/connect/authorize"],
    [netsuite, "/app/login/oauth2/authorize.nl"]
  ]
  it.effect.each(pages)("$0.slug: one account in ten that is consented to lacks something", ([simulator, page]) =>
    Effect.gen(function* () {
      const store = yield* SimulationStore
      const http = yield* client(simulator).pipe(Effect.provideService(Strictness, { isStrict: true, duration: 0 }))
      const query = new URLSearchParams({
        response_type: "code",
        client_id: "app",
        redirect_uri: "https://app.example.com/back"
      }).toString()
      const names = Array.from({ length: 200 }, (_, i) => `account ${i}`)
      const lacking = yield* Effect.filter(names, (name) =>
        Effect.gen(function* () {
          yield* HttpClientRequest.post(`https://provider.example${page}?${query}`, {
            headers: { [accountHeader]: name }
          }).pipe(HttpClientRequest.bodyUrlParams({ decision: "allow" }), http.execute)
          const lacks = yield* store.run(simulator.slug, name, (account) =>
            (simulator.features ?? []).filter((feature) => isWithout(account, feature))
          )
          assert.isAtMost(lacks?.length ?? 0, 1)
          return lacks?.length === 1
        })
      )
      assert.isTrue(lacking.length >= 10 && lacking.length <= 30, String(lacking.length))
    }).pipe(test)
  )

  it.effect("without strict mode none is enforced, and nothing seems used up", () =>
    Effect.gen(function* () {
      const call = yield* caller(providers.xero, false)
      const answers = yield* Effect.replicateEffect(call, 150)
      assert.isTrue(answers.every(({ status }) => status === 200))
      assert.strictEqual(answers.at(-1)?.headers["x-minlimit-remaining"], "15")
    }).pipe(test)
  )
})
