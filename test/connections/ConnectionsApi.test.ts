import { assert, describe, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { Effect, Fiber, Layer, TestClock } from "effect"
import { InProcess } from "../../src/InProcess.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { All } from "../../src/All.ts"
import { simulators } from "../../src/Simulators.ts"
import {
  type Answer,
  type Caller,
  type Doc,
  errorsOf,
  inProduction,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../support/SandboxApplication.ts"

const listOf = (answer: Answer) => pageOf(answer).data

/** A caller of production, with nothing connected. */
const liveCaller = Effect.flatMap(SandboxApplication, ({ caller }) => caller([], { environment: "production" }))

const create = (caller: Caller, body: Doc) => caller.call("POST", "/connections", { body })

/** Everything that production called, and what it was answered. */
const calls: Array<{ readonly method: string; readonly url: string }> = []
const network = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request, url) => {
    calls.push({ method: request.method, url: url.href })
    return url.pathname.endsWith("/revoke")
      ? Effect.never
      : Effect.succeed(
          HttpClientResponse.fromWeb(
            request,
            new Response("{}", { status: url.host === "refused.pipedrive.com" ? 401 : 500 })
          )
        )
  })
)

describe("connections", () => {
  layer(sandboxApplication())((it) => {
    it.effect("are listed, oldest first, by end user, provider and status", () =>
      Effect.gen(function* () {
        const { caller: make } = yield* SandboxApplication
        const ann = yield* make(["hubspot", "xero"])
        const bob = yield* make(["hubspot"], { tenancy: ann.tenancy, endUser: "bob & co" })
        const ids = (path: string) =>
          Effect.map(ann.call("GET", `/connections${path}`), (answer) => listOf(answer).map(({ id }) => id))
        const [hubspot, xero, bobs] = [ann.connections.hubspot, ann.connections.xero, bob.connections.hubspot]
        assert.deepStrictEqual(yield* ids(""), [hubspot, xero, bobs])
        assert.deepStrictEqual(yield* ids("?endUserId=bob%20%26%20co"), [bobs])
        assert.deepStrictEqual(yield* ids("?endUserId=nobody"), [])
        assert.deepStrictEqual(yield* ids("?provider=hubspot"), [hubspot, bobs])
        assert.deepStrictEqual(yield* ids("?status=needs_reauth"), [])
        for (const wrong of ["?status=broken", "?enduserid=x"]) {
          assert.deepStrictEqual(refusalOf(yield* ann.call("GET", `/connections${wrong}`)), [400, "INVALID_PARAMETER"])
        }
      })
    )

    it.effect("are listed in pages, whatever is removed on the way", () =>
      Effect.gen(function* () {
        const { caller: make } = yield* SandboxApplication
        const ann = yield* make(["hubspot", "xero", "pipedrive", "quickbooks", "zoho_crm"])
        const bob = yield* make(["hubspot"])
        const all = Object.values(ann.connections)
        const { records, sizes } = yield* walk(ann.call, "/connections", 2)
        assert.deepStrictEqual(
          records.map(({ id }) => id),
          all
        )
        assert.deepStrictEqual(sizes, [2, 2, 1])
        assert.deepStrictEqual((yield* walk(ann.call, "/connections?provider=xero", 1)).sizes, [1])

        const first = pageOf(yield* ann.call("GET", "/connections?limit=2"))
        const after = `/connections?limit=100&cursor=${encodeURIComponent(first.pagination.cursor ?? "")}`
        yield* ann.call("DELETE", `/connections/${all[1]}`)
        assert.deepStrictEqual(
          listOf(yield* ann.call("GET", after)).map(({ id }) => id),
          all.slice(2)
        )
        for (const wrong of [
          ann.call("GET", `${after}x`),
          ann.call("GET", `${after}&provider=hubspot`),
          bob.call("GET", after)
        ]) {
          assert.deepStrictEqual(refusalOf(yield* wrong), [400, "INVALID_CURSOR"])
        }
        for (const limit of ["0", "101", "x"]) {
          const refused = yield* ann.call("GET", `/connections?limit=${limit}`)
          assert.deepStrictEqual(refusalOf(refused), [400, "INVALID_PARAMETER"])
        }
      })
    )

    it.effect("say what can be done through them", () =>
      Effect.gen(function* () {
        const { caller: make } = yield* SandboxApplication
        const caller = yield* make(["pipedrive"])
        const found = recordOf(yield* caller.call("GET", `/connections/${caller.connections.pipedrive}`))
        assert.deepInclude(found, {
          provider: "pipedrive",
          environment: "sandbox",
          endUserId: caller.endUser,
          status: "active",
          statusReason: null,
          accountName: "Pipedrive sandbox",
          scopes: [
            "base",
            "deals:full",
            "contacts:full",
            "leads:full",
            "activities:full",
            "users:read",
            "webhooks:full",
            "admin"
          ]
        })
        const requires = [{ kind: "scope", name: "users:read", held: true }]
        assert.deepInclude(found.resources, { resource: "owner", requires, operations: ["list", "get"] })
      })
    )

    it.effect("of others, and of the other environment, are not there", () =>
      Effect.gen(function* () {
        const { caller: make } = yield* SandboxApplication
        const app = yield* InProcess
        const caller = yield* make(["hubspot"])
        const stranger = yield* make([])
        const id = caller.connections.hubspot ?? ""
        const live = yield* inProduction(caller)
        const liveId = yield* app.connect(live.tenancy, live.endUser, "hubspot")
        for (const [who, path] of [
          [stranger, id],
          [live, id],
          [caller, liveId],
          [caller, "x"]
        ] as const) {
          for (const [method, more] of [
            ["GET", ""],
            ["DELETE", ""],
            ["POST", "/reconnect"]
          ] as const) {
            assert.deepStrictEqual(refusalOf(yield* who.call(method, `/connections/${path}${more}`)), [
              404,
              "CONNECTION_NOT_FOUND"
            ])
          }
        }
        assert.deepStrictEqual(listOf(yield* stranger.call("GET", "/connections")), [])
      })
    )

    it.effect("that are removed are gone at once, here and at the provider", () =>
      Effect.gen(function* () {
        const { caller: make } = yield* SandboxApplication
        const sql = yield* SqlClient.SqlClient
        const caller = yield* make(["hubspot"])
        const id = caller.connections.hubspot ?? ""
        pageOf(yield* caller.call("GET", "/crm/contact?limit=1"))
        assert.deepStrictEqual(recordOf(yield* caller.call("DELETE", `/connections/${id}`)), { id })
        assert.deepStrictEqual(refusalOf(yield* caller.call("DELETE", `/connections/${id}`)), [
          404,
          "CONNECTION_NOT_FOUND"
        ])
        assert.deepStrictEqual(refusalOf(yield* caller.call("GET", "/crm/contact?provider=hubspot")), [
          404,
          "PROVIDER_NOT_CONNECTED"
        ])
        assert.deepStrictEqual(yield* sql`select status, credentials from connections where id = ${id}`, [
          { status: "revoked", credentials: "" }
        ])
        assert.isUndefined(yield* (yield* SimulationStore).run("hubspot", id, ({ name }) => name))
      })
    )

    it.effect("are removed also while the provider is away", () =>
      Effect.gen(function* () {
        const { caller: make } = yield* SandboxApplication
        const caller = yield* make(["pipedrive"])
        yield* (yield* Faults).add({ provider: "pipedrive", path: "/oauth/revoke", does: { kind: "drop" } })
        assert.strictEqual((yield* caller.call("DELETE", `/connections/${caller.connections.pipedrive}`)).status, 200)
      })
    )
  })
})

describe("credentials from elsewhere", () => {
  layer(
    sandboxApplication(
      { PROVIDER_PIPEDRIVE_CLIENT_ID: "client", PROVIDER_PIPEDRIVE_CLIENT_SECRET: "secret" },
      All,
      simulators,
      network
    )
  )((it) => {
    it.effect("may be a simulated account's in the sandbox", () =>
      Effect.gen(function* () {
        const caller = yield* Effect.flatMap(SandboxApplication, (app) => app.caller([]))
        const answer = yield* create(caller, { endUserId: "new one", provider: "hubspot", sandbox: {} })
        assert.deepInclude(recordOf(answer), { endUserId: "new one", environment: "sandbox", status: "active" })
      })
    )

    it.effect("make a connection", () =>
      Effect.gen(function* () {
        const caller = yield* liveCaller
        const answer = yield* create(caller, {
          endUserId: "new one",
          provider: "salesforce",
          accountName: "Acme",
          credentials: {
            accessToken: "hush",
            refreshToken: "hush too",
            expiresAt: "2030-01-31T12:00:00Z",
            instanceUrl: "https://acme.my.salesforce.com"
          }
        })
        assert.strictEqual(answer.status, 201)
        const made = recordOf(answer)
        assert.deepInclude(made, {
          endUserId: "new one",
          provider: "salesforce",
          environment: "production",
          status: "active",
          accountName: "Acme"
        })
        assert.notInclude(JSON.stringify(answer.body), "hush")
        const found = yield* caller.call("GET", `/connections/${String(made.id)}`)
        assert.notInclude(JSON.stringify(found.body), "hush")
      })
    )

    const wrong: ReadonlyArray<readonly [what: string, body: Doc, fields: ReadonlyArray<string>]> = [
      ["no body to speak of", {}, ["endUserId", "provider"]],
      ["no end user", { provider: "hubspot", credentials: { accessToken: "x" } }, ["endUserId"]],
      [
        "credentials of another kind",
        { endUserId: "u", provider: "hubspot", credentials: { apiKey: "x" } },
        ["credentials"]
      ],
      ["no credentials", { endUserId: "u", provider: "hubspot", credentials: {} }, ["credentials"]],
      ["a text", { endUserId: "u", provider: "hubspot", credentials: "hush" }, ["credentials"]],
      [
        "a number for a value",
        { endUserId: "u", provider: "quickbooks", credentials: { accessToken: "x", realmId: 1 } },
        ["credentials.realmId"]
      ],
      [
        "what no call can do without",
        { endUserId: "u", provider: "quickbooks", credentials: { accessToken: "x" } },
        ["credentials.realmId"]
      ],
      ...[
        "http://169.254.169.254",
        "https://evil.example",
        "https://a.my.salesforce.com.evil.example",
        "https://evil.example/.salesforce.com"
      ].map(
        (instanceUrl) =>
          [
            `the host ${instanceUrl}`,
            { endUserId: "u", provider: "salesforce", credentials: { accessToken: "x", instanceUrl } },
            ["credentials.instanceUrl"]
          ] as const
      ),
      [
        "the host http://localhost",
        { endUserId: "u", provider: "pipedrive", credentials: { accessToken: "x", apiDomain: "http://localhost" } },
        ["credentials.apiDomain"]
      ],
      [
        "an account that is a host",
        { endUserId: "u", provider: "netsuite", credentials: { accessToken: "x", accountId: "evil.example/" } },
        ["credentials.accountId"]
      ]
    ]
    for (const [what, body, fields] of wrong) {
      it.effect(`are refused with ${what}`, () =>
        Effect.gen(function* () {
          const caller = yield* liveCaller
          const refused = yield* create(caller, body)
          assert.deepStrictEqual(Object.keys(errorsOf(refused)), fields)
          assert.notInclude(JSON.stringify(refused.body), "hush")
          assert.deepStrictEqual(listOf(yield* caller.call("GET", "/connections")), [])
        })
      )
    }

    it.effect("that the provider refuses need connecting again from the first call on", () =>
      Effect.gen(function* () {
        const caller = yield* liveCaller
        const credentials = { accessToken: "expired", apiDomain: "https://refused.pipedrive.com" }
        const { id } = recordOf(
          yield* create(caller, { endUserId: caller.endUser, provider: "pipedrive", credentials })
        )
        assert.deepStrictEqual(refusalOf(yield* caller.call("GET", "/crm/contact?provider=pipedrive")), [
          409,
          "CONNECTION_NEEDS_REAUTH"
        ])
        const found = recordOf(yield* caller.call("GET", `/connections/${String(id)}`))
        assert.deepInclude(found, { status: "needs_reauth", statusReason: "pipedrive refuses the credentials." })
      })
    )

    it.effect("are refused for what is not there", () =>
      Effect.gen(function* () {
        const caller = yield* liveCaller
        const body = { endUserId: "u", provider: "nothing", credentials: { accessToken: "x" } }
        assert.deepStrictEqual(refusalOf(yield* create(caller, body)), [404, "PROVIDER_NOT_FOUND"])
      })
    )

    it.effect("are taken back within seconds where the provider does not answer", () =>
      Effect.gen(function* () {
        const caller = yield* liveCaller
        const made = recordOf(
          yield* create(caller, {
            endUserId: "u",
            provider: "pipedrive",
            credentials: { accessToken: "a", refreshToken: "r", apiDomain: "https://acme.pipedrive.com" }
          })
        )
        const removing = yield* Effect.fork(
          caller.call("DELETE", `/connections/${String(made.id)}`, { timeStands: true })
        )
        yield* passing(removing)
        assert.strictEqual((yield* Fiber.join(removing)).status, 200)
        assert.deepInclude(calls, { method: "POST", url: "https://oauth.pipedrive.com/oauth/revoke" })
      })
    )
  })
})

/** Lets time pass until a fiber is done; it must not take more than ten seconds. */
const passing = (fiber: Fiber.RuntimeFiber<unknown, unknown>) =>
  Effect.gen(function* () {
    for (let seconds = 0; seconds < 10 && (yield* Fiber.poll(fiber))._tag === "None"; seconds += 1) {
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))
      yield* TestClock.adjust("1 second")
    }
  })
