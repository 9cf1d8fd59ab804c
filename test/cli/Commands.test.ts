import { assert, describe, layer } from "@effect/vitest"
import { Command } from "@effect/cli"
import { SqlClient } from "@effect/sql"
import { HttpClient } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { Effect, Layer, Redacted } from "effect"
import { ToolCalls } from "../../src/audit/ToolCalls.ts"
import { ChatSessions } from "../../src/agent/ChatSessions.ts"
import { SessionContexts } from "../../src/agent/SessionContexts.ts"
import { beforeRemoval, erasing } from "../../src/Application.ts"
import { Approvals } from "../../src/approvals/Approvals.ts"
import { ConnectAttempts } from "../../src/connections/ConnectAttempts.ts"
import { deleteOrganisation } from "../../src/endusers/Commands.ts"
import { importConnection, listConnections } from "../../src/connections/Commands.ts"
import { Connections } from "../../src/connections/Connections.ts"
import { Integrations } from "../../src/connections/Integrations.ts"
import { Sandbox } from "../../src/connections/Sandbox.ts"
import * as TokenRefresh from "../../src/connections/TokenRefresh.ts"
import { CredentialCheckLimits } from "../../src/connections/CredentialCheckLimits.ts"
import { OAuthRecords } from "../../src/authorization/OAuthRecords.ts"
import { removeSignIn, setSignIn, showSignIn } from "../../src/authorization/Commands.ts"
import { SignInAddresses } from "../../src/authorization/SignInAddresses.ts"
import { ConsoleSessions } from "../../src/console/ConsoleSessions.ts"
import { Events } from "../../src/events/Events.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import { All } from "../../src/All.ts"
import { RateLimiter } from "../../src/platform/RateLimiter.ts"
import { Budget } from "../../src/providers/base/Budget.ts"
import * as Calls from "../../src/providers/base/Calls.ts"
import { KeptValues } from "../../src/providers/KeptValues.ts"
import { Providers } from "../../src/providers/Providers.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { Idempotency } from "../../src/records/Idempotency.ts"
import { rotateEncryption } from "../../src/RotateEncryption.ts"
import { simulators } from "../../src/Simulators.ts"
import { Transport } from "../../src/providers/Transport.ts"
import { AllowedOrigins } from "../../src/tenancy/AllowedOrigins.ts"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import {
  createKey,
  createOrganisation,
  listKeys,
  listOrganisations,
  revokeKey,
  setOrigins,
  showOrigins,
  updateOrganisation
} from "../../src/tenancy/Commands.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import { Toolkits } from "../../src/toolkits/Toolkits.ts"
import { Watches } from "../../src/watches/Watches.ts"
import { Deliveries } from "../../src/webhooks/Deliveries.ts"
import { Webhooks } from "../../src/webhooks/Webhooks.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const services = Layer.mergeAll(
  All,
  Sandbox.layer(simulators),
  ApiKeys.layer,
  SessionContexts.layer,
  ChatSessions.layer,
  Layer.provide(Approvals.layer, Events.layer),
  ToolCalls.layer,
  ConnectAttempts.layer,
  Idempotency.layer,
  ConsoleSessions.layer,
  OAuthRecords.layer,
  SignInAddresses.layer,
  Webhooks.layer,
  Deliveries.layer,
  Watches.layer,
  erasing
).pipe(
  Layer.provideMerge(beforeRemoval),
  Layer.provideMerge(Layer.mergeAll(EndUsers.layer, Organisations.layer, AllowedOrigins.layer, Events.layer)),
  Layer.provide(Layer.merge(Calls.layer, KeptValues.layerMemory)),
  Layer.provide(TokenRefresh.layer),
  Layer.provideMerge(Integrations.layer),
  Layer.provideMerge(Layer.mergeAll(Connections.layer, Providers.layer, Toolkits.layer, Transport.layer, Budget.layer)),
  Layer.provideMerge(Layer.provide(CredentialCheckLimits.layer, RateLimiter.layerMemory)),
  Layer.provide(SimulationStore.layerSql),
  Layer.provideMerge(Encryption.layerTest),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(
    Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make(() => Effect.dieMessage("a command called the network"))
    )
  ),
  Layer.merge(NodeContext.layer)
)

const command = Command.make("tributary").pipe(
  Command.withSubcommands([
    Command.make("organisations").pipe(
      Command.withSubcommands([createOrganisation, listOrganisations, updateOrganisation, deleteOrganisation])
    ),
    Command.make("allowed-origins").pipe(Command.withSubcommands([showOrigins, setOrigins])),
    Command.make("keys").pipe(Command.withSubcommands([createKey, listKeys, revokeKey, rotateEncryption])),
    Command.make("connections").pipe(Command.withSubcommands([importConnection, listConnections])),
    Command.make("sign-in").pipe(Command.withSubcommands([showSignIn, setSignIn, removeSignIn]))
  ])
)

/** Runs a command line and gives what it printed, which must be one JSON value. */
const cli = (...args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const printed: Array<unknown> = []
    const given = yield* Effect.console
    yield* Command.run(command, { name: "Tributary", version: "0" })(["node", "cli.js", ...args]).pipe(
      Effect.withConsole({
        ...given,
        log: (text: unknown) => Effect.sync(() => void printed.push(text)),
        error: () => Effect.void
      })
    )
    assert.lengthOf(printed, 1)
    return JSON.parse(String(printed[0]))
  })

const refusal = (...args: ReadonlyArray<string>) =>
  Effect.map(Effect.flip(cli(...args)), (error) => JSON.stringify(error))

describe("the command line", () => {
  layer(services)((it) => {
    it.effect("makes an organisation and keys that work, and revokes one", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const acme = yield* cli("organisations", "create", "--name", "Acme", "--json")
        assert.deepStrictEqual([acme.name, acme.allowedOrigins], ["Acme", []])

        const test = yield* cli("keys", "create", "--organisation", "Acme", "--environment", "sandbox", "--json")
        assert.sameMembers(Object.keys(test), ["id", "key", "prefix", "environment", "name", "scopes", "expiresAt"])
        assert.strictEqual(test.environment, "sandbox")
        const live = yield* cli("keys", "create", "--organisation", acme.id, "--environment", "live")
        assert.strictEqual(live.environment, "production")
        assert.match(live.key, /^sk_live_/)
        assert.isDefined(yield* keys.authenticate(Redacted.make(live.key)))

        yield* cli("keys", "revoke", live.id, "--json")
        yield* Effect.flip(keys.authenticate(Redacted.make(live.key)))
        assert.isDefined(yield* keys.authenticate(Redacted.make(test.key)))
        const listed = yield* cli("keys", "list", "--organisation", "Acme")
        assert.sameMembers(
          listed.map((one: { id: string }) => one.id),
          [test.id, live.id]
        )
        assert.notInclude(JSON.stringify(listed), test.key)
      })
    )

    it.effect("says where an organisation's application signs its users in, for each environment", () =>
      Effect.gen(function* () {
        yield* cli("organisations", "create", "--name", "Signing")
        const signIn = (verb: string, environment: string, ...more: ReadonlyArray<string>) =>
          ["sign-in", verb, "--organisation", "Signing", "--environment", environment, ...more] as const
        const url = "https://app.example.com/sign-in"
        assert.deepStrictEqual(yield* cli(...signIn("show", "live")), { url: null })
        assert.deepStrictEqual(yield* cli(...signIn("set", "live", "--url", url)), { url })
        assert.deepStrictEqual(yield* cli(...signIn("show", "live")), { url })
        assert.deepStrictEqual(yield* cli(...signIn("show", "sandbox")), { url: null })
        const local = "http://localhost:4200/sign-in"
        assert.match(yield* refusal(...signIn("set", "live", "--url", local)), /https/)
        assert.deepStrictEqual(yield* cli(...signIn("set", "sandbox", "--url", local)), { url: local })
        assert.deepStrictEqual(yield* cli(...signIn("remove", "live")), { url: null })
        assert.deepStrictEqual(yield* cli(...signIn("show", "live")), { url: null })
        assert.deepStrictEqual(yield* cli(...signIn("show", "sandbox")), { url: local })
      })
    )

    it.effect("makes keys with a name, scopes and an expiry, and revokes what a key made with it", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const { id } = yield* cli("organisations", "create", "--name", "Scoped")
        const create = ["keys", "create", "--organisation", "Scoped", "--environment", "sandbox"]
        const expiresAt = "2199-12-31T00:00:00.000Z"
        const parent = yield* cli(
          ...create,
          ...[
            "--name",
            "Server",
            "--scope",
            "admin",
            "--scope",
            "records:read",
            "--expires",
            "2199-12-31T01:00:00+01:00"
          ]
        )
        assert.deepInclude(parent, { name: "Server", scopes: ["admin", "records:read"], expiresAt })
        const all = yield* cli(...create)
        assert.deepInclude(all, { name: null, scopes: null, expiresAt: null })

        const by = yield* keys.authenticate(Redacted.make(parent.key))
        const child = yield* keys.createWith(by, { name: "Child", scopes: ["records:read"] })
        const listed = yield* cli("keys", "list", "--organisation", "Scoped")
        assert.deepInclude(listed[0], { organisation: id, name: "Child", createdBy: parent.id, expiresAt })
        const revoked = yield* cli("keys", "revoke", parent.id)
        assert.deepInclude(revoked, { id: parent.id, name: "Server", alsoRevoked: 1 })
        yield* Effect.flip(keys.authenticate(child.key))
        yield* keys.authenticate(Redacted.make(all.key))

        assert.include(yield* refusal(...create, "--scope", "records:rule"), "must be one of records:read, ")
        assert.include(yield* refusal(...create, "--expires", "tomorrow"), "2027-01-31T09:30:00Z")
        assert.include(yield* refusal(...create, "--expires", "2020-01-01T00:00:00Z"), "must be in the future")
        assert.include(yield* refusal(...create, "--name", " "), "1 to 100 characters")
      })
    )

    it.effect("changes the origins that may embed the widget", () =>
      Effect.gen(function* () {
        yield* cli("organisations", "create", "--name", "Origins")
        const update = ["organisations", "update", "--organisation", "Origins"]
        const both = yield* cli(...update, "--allow-origin", "https://a.example", "--allow-origin", "https://b.example")
        assert.deepStrictEqual(both.allowedOrigins, ["https://a.example", "https://b.example"])
        const one = yield* cli(...update, "--disallow-origin", "https://a.example")
        assert.deepStrictEqual(one.allowedOrigins, ["https://b.example"])

        const of = (environment: string) => ["--organisation", "Origins", "--environment", environment]
        const set = yield* cli("allowed-origins", "set", ...of("live"), "--origin", "https://c.example")
        assert.deepStrictEqual(set, { origins: ["https://c.example"], organisationOrigins: ["https://b.example"] })
        assert.deepStrictEqual(yield* cli("allowed-origins", "show", ...of("live")), set)
        assert.deepStrictEqual((yield* cli("allowed-origins", "show", ...of("sandbox"))).origins, [])
        const wrong = refusal("allowed-origins", "set", ...of("live"), "--origin", "http://c.example")
        assert.include(yield* wrong, "must be https://, such as https://c.example")
      })
    )

    it.effect("imports connections of real and of simulated accounts, and lists them", () =>
      Effect.gen(function* () {
        yield* cli("organisations", "create", "--name", "Importer")
        const to = (environment: string, provider: string) => [
          ...["connections", "import", "--organisation", "Importer", "--environment", environment],
          ...["--end-user", "u1", "--provider", provider]
        ]
        const real = yield* cli(
          ...to("live", "hubspot"),
          "--credentials",
          '{"accessToken":"hush","refreshToken":"hush"}'
        )
        assert.deepInclude(real, { endUserId: "u1", provider: "hubspot", environment: "production", status: "active" })
        const simulated = yield* cli(...to("sandbox", "quickbooks"), "--json")
        assert.strictEqual(simulated.environment, "sandbox")
        const less = (name: string) =>
          refusal(...to("sandbox", "quickbooks"), "--lacks", "edition:Plus", "--lacks", name)
        assert.include(yield* less("module:Moon"), "must be one of edition:Plus")
        assert.include(yield* less("Plus"), "--lacks")

        const list = ["connections", "list", "--organisation", "Importer"]
        assert.deepStrictEqual(yield* cli(...list), [simulated, real])
        assert.deepStrictEqual(yield* cli(...list, "--environment", "live"), [real])
        assert.deepStrictEqual(yield* cli(...list, "--provider", "quickbooks", "--end-user", "u1"), [simulated])
        const nothing = { rotated: 0, remaining: [] }
        assert.deepStrictEqual(yield* cli("keys", "rotate-encryption"), {
          authorizations: nothing,
          connections: nothing,
          connectAttempts: nothing,
          sessionContexts: nothing,
          chatSessions: nothing,
          approvals: nothing,
          toolCalls: nothing,
          idempotencyAnswers: nothing,
          consoleNotices: nothing,
          pushSubscriptions: nothing,
          webhookSecrets: nothing,
          webhookAnswers: nothing,
          watches: nothing
        })
      })
    )

    it.effect("deletes an organisation with all that is stored of it, when told twice", () =>
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const gone = yield* cli("organisations", "create", "--name", "Gone")
        const stays = yield* cli("organisations", "create", "--name", "Stays")
        for (const organisation of ["Gone", "Stays"]) {
          for (const provider of ["hubspot", "github"]) {
            const to = ["--organisation", organisation, "--environment", "sandbox", "--end-user", "u1"]
            yield* cli("connections", "import", ...to, "--provider", provider)
          }
        }
        const { key } = yield* cli("keys", "create", "--organisation", "Gone", "--environment", "live")
        const sql = yield* SqlClient.SqlClient
        const accounts = sql`
          select c.organisation_id from simulated_accounts a left join connections c on c.id::text = a.account`
        const before = yield* accounts
        const asked = yield* refusal("organisations", "delete", "--organisation", "Gone")
        assert.include(asked, "--yes")
        assert.include(asked, `${gone.id}) for good, with 1 endUsers, 2 connections, 1 apiKeys`)
        for (const name of ["gone", "Gon", "Gone%"]) {
          assert.include(
            yield* refusal("organisations", "delete", "--organisation", name, "--yes"),
            "ORGANISATION_NOT_FOUND"
          )
        }
        assert.isDefined(yield* keys.authenticate(Redacted.make(key)))

        assert.deepStrictEqual(yield* cli("organisations", "delete", "--organisation", gone.id, "--yes"), {
          id: gone.id,
          name: "Gone",
          erased: { endUsers: 1, connections: 2, apiKeys: 1, workspaces: 0, chats: 0 },
          notRevoked: []
        })
        const tables = yield* sql<{ name: string }>`
          select table_name as name from information_schema.columns where column_name = 'organisation_id'`
        for (const { name } of tables) {
          assert.isEmpty(yield* sql`select 1 from ${sql(name)} where organisation_id = ${gone.id}`, name)
        }
        const left = yield* accounts
        assert.strictEqual(left.length, before.length - 2)
        assert.lengthOf(
          left.filter((row) => row["organisation_id"] === stays.id),
          2
        )
      })
    )

    it.effect("says what is wrong", () =>
      Effect.gen(function* () {
        yield* cli("organisations", "create", "--name", "Wrong")
        const to = (provider: string, ...more: ReadonlyArray<string>) =>
          refusal(
            ...["connections", "import", "--organisation", "Wrong", "--environment", "live", "--end-user", "u1"],
            ...["--provider", provider, ...more]
          )
        assert.include(yield* refusal("organisations", "create", "--name", "Wrong"), "already")
        assert.include(yield* refusal("keys", "create", "--organisation", "Nobody", "--environment", "live"), "Nobody")
        assert.include(
          yield* refusal("keys", "create", "--organisation", "Wrong", "--environment", "x"),
          "sandbox or live"
        )
        assert.include(yield* refusal("keys", "create", "--organisation", "Wrong"), "--environment")
        assert.include(yield* refusal("keys", "revoke", "x"), "API_KEY_NOT_FOUND")
        assert.include(yield* refusal("keys", "list", "--organisation", "Wrong", "--all"), "--all")
        assert.include(yield* to("nobody", "--credentials", "{}"), "hubspot, ")
        assert.include(yield* to("hubspot"), "must be given")
        assert.include(yield* to("hubspot", "--credentials", '{"apiKey":"hush"}'), "must hold accessToken")
        assert.include(
          yield* to("xero", "--credentials", '{"accessToken":"hush"}'),
          "must be the id of an organisation"
        )
        for (const endUser of ["", "x".repeat(256)]) {
          const given = ["--organisation", "Wrong", "--environment", "sandbox", "--provider", "hubspot"]
          const refused = yield* refusal("connections", "import", ...given, "--end-user", endUser)
          assert.include(refused, "1 to 255 characters")
        }
        const malformed = yield* to("hubspot", "--credentials", '{"accessToken":"hush"')
        assert.include(malformed, "must be JSON")
        assert.notInclude(malformed, "hush")
      })
    )
  })
})
