import { assert, describe, layer } from "@effect/vitest"
import { HttpClientRequest } from "@effect/platform"
import { Effect, Layer, Redacted, Schema } from "effect"
import { bearer, header, identify } from "../../src/providers/base/Authorization.ts"
import { Down, Invalid, ProviderError, TimedOut } from "../../src/providers/ProviderError.ts"
import { provider } from "../../src/providers/Providers.ts"
import { dailySample } from "../../src/providers/simulation/DailySample.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { type Reply, type Simulator } from "../../src/providers/simulation/Simulator.ts"
import { toolkit } from "../../src/toolkits/Toolkits.ts"
import { session } from "../support/Connecting.ts"
import {
  type Doc,
  errorsOf,
  failureOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"

/** A provider that is opened with a key. */
const Ledgerly = provider(
  Effect.succeed({
    slug: "ledgerly",
    name: "Ledgerly",
    category: "accounting",
    authorization: {
      kind: "key",
      help: "Under Settings, API.",
      fields: [{ name: "region", label: "Region", options: [{ value: "eu", label: "Europe" }], optional: true }],
      identify: identify(
        () => HttpClientRequest.get("https://api.ledgerly.example/me"),
        Schema.Struct({ account: Schema.String }),
        ({ account }) => [{ id: account, name: `Books of ${account}` }]
      ),
      apply: header("x-key")
    },
    resources: {},
    lookups: {}
  })
)

/** A provider that nobody wrote a simulator of. */
const Close = provider(
  Effect.succeed({
    slug: "close",
    name: "Close",
    category: "crm",
    authorization: { kind: "key", help: "Under Settings, API.", apply: bearer },
    resources: {},
    lookups: {}
  })
)

/** A database. */
const Tables = toolkit(
  Effect.succeed({
    slug: "tables",
    name: "Tables",
    description: "Reads tables.",
    authorization: {
      kind: "connectionString",
      help: "postgresql://user:password@host/database",
      check: (given) => {
        const said = Redacted.value(given)
        const fail = (reason: ProviderError["reason"], detail?: string) =>
          Effect.fail(
            new ProviderError({
              provider: "tables",
              operation: "check",
              reason,
              ...(detail === undefined ? {} : { detail })
            })
          )
        if (said === "slow") return fail(new TimedOut())
        if (said === "away") return fail(new Down())
        return said === "good"
          ? Effect.succeed({ id: "db", name: "db at host" })
          : fail(new Invalid({ fields: {} }), "The password is wrong.")
      }
    },
    tools: []
  })
)

const refused: Reply = { status: 401, body: { error: "bad key" } }

const simulator: Simulator = {
  slug: "ledgerly",
  routes: [{ method: "GET", path: "/me", handle: (_, account) => ({ status: 200, body: { account: account.name } }) }],
  tokenOf: ({ headers }) => headers["x-key"],
  sample: dailySample(() => {}),
  failures: {
    unauthorized: refused,
    notFound: () => ({ status: 404 }),
    methodNotAllowed: () => ({ status: 405 }),
    rateLimited: () => ({ status: 429 }),
    broken: (status) => ({ status })
  }
}

const application = sandboxApplication({}, Layer.mergeAll(Ledgerly, Close, Tables), [
  { slug: "ledgerly", load: Effect.succeed(simulator) }
])

const own = Effect.gen(function* () {
  const { caller: make } = yield* SandboxApplication
  const caller = yield* make([])
  const opened = yield* session(caller)
  const enter = (slug: string, fields: Doc, connectionId?: string) =>
    opened.call("POST", `/${slug}/credentials`, { fields, connectionId })
  const held = Effect.map(caller.call("GET", "/connections"), (answer) => pageOf(answer).data)
  return { caller, enter, held, opened }
})

describe("keys and connection strings", () => {
  layer(application)((it) => {
    it.effect("open nothing in the sandbox for a provider without a simulator", () =>
      Effect.gen(function* () {
        const { caller, enter } = yield* own
        const body = { endUserId: caller.endUser, provider: "close", credentials: { apiKey: "k" } }
        const imported = yield* caller.call("POST", "/connections", { body })
        for (const answer of [imported, yield* enter("close", { apiKey: "k" })]) {
          assert.strictEqual(answer.status, 404)
          assert.strictEqual(failureOf(answer).message, "close has no simulator; connect it with a live key")
        }
        const link = yield* caller.call("POST", "/connect/token", {
          body: { endUserId: caller.endUser, integrations: ["ledgerly", "close"] }
        })
        assert.strictEqual(link.status, 422)
        assert.deepStrictEqual(failureOf(link).errors, {
          "integrations.1": "close has no simulator; connect it with a live key"
        })
      })
    )

    it.effect("are asked for with help, and the secret as one, where the sandbox can be reached", () =>
      Effect.gen(function* () {
        const { opened } = yield* own
        const shown = recordOf(yield* opened.call("GET", "")).integrations as ReadonlyArray<Doc>
        assert.deepStrictEqual(
          shown.map(({ category, fields, help, kind, slug }) => ({ slug, category, kind, help, fields })),
          [
            {
              slug: "ledgerly",
              category: "accounting",
              kind: "key",
              help: "Under Settings, API. In the sandbox, “sandbox” opens a simulated account.",
              fields: [
                {
                  name: "apiKey",
                  label: "API key",
                  help: null,
                  placeholder: null,
                  required: true,
                  options: null,
                  secret: true,
                  multiline: false
                },
                {
                  name: "region",
                  label: "Region",
                  help: null,
                  placeholder: null,
                  required: false,
                  options: [{ value: "eu", label: "Europe" }],
                  secret: false,
                  multiline: false
                }
              ]
            },
            {
              slug: "tables",
              category: "toolkit",
              kind: "connectionString",
              help: "postgresql://user:password@host/database In the sandbox, “sandbox” opens a simulated account.",
              fields: [
                {
                  name: "connectionString",
                  label: "Connection string",
                  help: null,
                  placeholder: null,
                  required: true,
                  options: null,
                  secret: true,
                  multiline: false
                }
              ]
            }
          ]
        )
      })
    )

    it.effect("connect when they work", () =>
      Effect.gen(function* () {
        const { enter, held } = yield* own
        const answer = yield* enter("ledgerly", { apiKey: " sandbox ", region: "eu" })
        assert.strictEqual(answer.status, 201)
        const { accountName, connectionId } = recordOf(answer)
        assert.strictEqual(accountName, `Books of ${String(connectionId)}`)
        const string = recordOf(yield* enter("tables", { connectionString: "good" }))
        assert.strictEqual(string.accountName, "db at host")
        assert.deepStrictEqual(
          (yield* held).map(({ id }) => id),
          [connectionId, string.connectionId]
        )
      })
    )

    const wrong: ReadonlyArray<readonly [slug: string, fields: Doc, errors: Doc]> = [
      ["ledgerly", {}, { "fields.apiKey": "is required" }],
      ["ledgerly", { apiKey: "  " }, { "fields.apiKey": "is required" }],
      ["ledgerly", { apiKey: "hush" }, { "fields.apiKey": "Ledgerly does not accept this key." }],
      [
        "ledgerly",
        { apiKey: "hush\r\nx-other: 1" },
        { "fields.apiKey": "must be letters, digits and signs without spaces or line breaks" }
      ],
      [
        "ledgerly",
        { apiKey: "hush", region: "us", extra: "x" },
        { "fields.extra": "is not known here", "fields.region": "must be one of eu" }
      ],
      ["tables", { connectionString: "hush" }, { "fields.connectionString": "The password is wrong." }]
    ]
    for (const [slug, fields, errors] of wrong) {
      it.effect(`${slug} refuses ${JSON.stringify(fields)}, and nothing is kept`, () =>
        Effect.gen(function* () {
          const { enter, held } = yield* own
          const answer = yield* enter(slug, fields)
          assert.deepStrictEqual(errorsOf(answer), errors)
          assert.notInclude(JSON.stringify(answer.body), "hush")
          assert.deepStrictEqual(yield* held, [])
        })
      )
    }

    it.effect("are not kept while nobody can say whether they work", () =>
      Effect.gen(function* () {
        const { enter, held } = yield* own
        const faults = yield* Faults
        for (const [does, status] of [
          [{ kind: "status", status: 503 }, 502],
          [{ kind: "drop" }, 502],
          [{ kind: "html", status: 200 }, 502],
          [{ kind: "limit", retryAfter: 5 }, 429]
        ] as const) {
          yield* faults.add({ provider: "ledgerly", does })
          assert.strictEqual((yield* enter("ledgerly", { apiKey: "sandbox" })).status, status)
        }
        assert.deepStrictEqual(refusalOf(yield* enter("tables", { connectionString: "away" })), [502, "PROVIDER_ERROR"])
        assert.deepStrictEqual(refusalOf(yield* enter("tables", { connectionString: "slow" })), [
          504,
          "PROVIDER_TIMEOUT"
        ])
        assert.deepStrictEqual(yield* held, [])
      })
    )

    it.effect("renew a connection, which keeps its id, and only with the same account", () =>
      Effect.gen(function* () {
        const { enter, held } = yield* own
        const { connectionId } = recordOf(yield* enter("ledgerly", { apiKey: "sandbox" }))
        const other = recordOf(yield* enter("ledgerly", { apiKey: "sandbox" }))
        const again = yield* enter("ledgerly", { apiKey: "sandbox" }, String(connectionId))
        assert.deepInclude(recordOf(again), { connectionId })
        assert.lengthOf(yield* held, 2)

        const { caller: make } = yield* SandboxApplication
        const stranger = yield* session(yield* make([]))
        const theirs = yield* stranger.call("POST", "/ledgerly/credentials", {
          fields: { apiKey: "sandbox" },
          connectionId: other.connectionId
        })
        assert.deepStrictEqual(refusalOf(theirs), [404, "CONNECTION_NOT_FOUND"])
      })
    )

    it.effect("keep the connection of what is connected already, of this end user", () =>
      Effect.gen(function* () {
        const { caller, enter, held } = yield* own
        const enterGood = Effect.map(enter("tables", { connectionString: "good" }), recordOf)
        const { connectionId } = yield* enterGood
        const more = yield* Effect.all([enterGood, enterGood, enterGood], { concurrency: "unbounded" })
        assert.deepStrictEqual(new Set(more.map((one) => one.connectionId)), new Set([connectionId]))
        const imported = yield* caller.call("POST", "/connections", {
          body: { endUserId: caller.endUser, provider: "tables", credentials: { connectionString: "good" } }
        })
        assert.strictEqual(recordOf(imported).id, connectionId)
        assert.lengthOf(yield* held, 1)

        const neighbour = yield* caller.call("POST", "/connections", {
          body: { endUserId: "neighbour", provider: "tables", credentials: { connectionString: "good" } }
        })
        assert.notStrictEqual(recordOf(neighbour).id, connectionId)
        assert.lengthOf(yield* held, 2)
      })
    )

    it.effect("from elsewhere are tried as well", () =>
      Effect.gen(function* () {
        const { caller, held } = yield* own
        const give = (provider: string, credentials: Doc) =>
          caller.call("POST", "/connections", { body: { endUserId: caller.endUser, provider, credentials } })
        assert.deepStrictEqual(errorsOf(yield* give("tables", { connectionString: "hush" })), {
          "credentials.connectionString": "The password is wrong."
        })
        assert.deepStrictEqual(errorsOf(yield* give("ledgerly", { apiKey: "hush" })), {
          "credentials.apiKey": "Ledgerly does not accept this key."
        })
        assert.deepStrictEqual(refusalOf(yield* give("tables", { connectionString: "away" })), [502, "PROVIDER_ERROR"])
        assert.deepStrictEqual(refusalOf(yield* give("tables", { connectionString: "slow" })), [
          504,
          "PROVIDER_TIMEOUT"
        ])
        assert.deepStrictEqual(yield* held, [])
        assert.deepInclude(recordOf(yield* give("tables", { connectionString: "good" })), {
          status: "active",
          accountName: "db at host"
        })
      })
    )

    it.effect("are not for what is connected by consent, and the other way round", () =>
      Effect.gen(function* () {
        const { opened } = yield* own
        assert.deepStrictEqual(refusalOf(yield* opened.call("POST", "/ledgerly/authorize", {})), [
          400,
          "INVALID_PARAMETER"
        ])
      })
    )
  })
})
