import { assert, describe, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Logger, TestClock } from "effect"
import { generateKeyPairSync } from "node:crypto"
import { SignJWT } from "jose"
import { HttpClientRequest } from "@effect/platform"
import { warn } from "../../src/connections/ReauthWarnings.ts"
import { Transport } from "../../src/providers/Transport.ts"
import { NetSuite } from "../../src/providers/netsuite/NetSuite.ts"
import { QuickBooks } from "../../src/providers/quickbooks/QuickBooks.ts"
import { accountId } from "../../src/providers/netsuite/simulator/Fields.ts"
import { mapCertificate } from "../../src/providers/simulation/Certificates.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { expireAccessTokens } from "../../src/providers/simulation/Simulator.ts"
import { simulators } from "../../src/Simulators.ts"
import { consent, session } from "../support/Connecting.ts"
import {
  type Doc,
  errorsOf,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../support/SandboxApplication.ts"

const warnings: Array<string> = []
const noted = Logger.add(
  Logger.make(({ logLevel, message }) => {
    if (logLevel._tag === "Warning") warnings.push(String(message))
  })
)

const application = sandboxApplication({}, Layer.mergeAll(NetSuite, QuickBooks), simulators).pipe(
  Layer.provideMerge(noted)
)

const pem = { type: "pkcs8", format: "pem" } as const
const rsa = generateKeyPairSync("rsa", { modulusLength: 3072 })
const weak = generateKeyPairSync("rsa", { modulusLength: 2048 })
const ec = generateKeyPairSync("ec", { namedCurve: "P-384" })
const pemOf = (pair: typeof rsa) => pair.privateKey.export(pem).toString()

const simulated = "halcyon"
const clientId = "1c343a716c1dceb60e7fc149fa673592"

/** Credentials whose certificate the simulated account has. */
const mapped = (pair: typeof rsa) =>
  Effect.flatMap(SimulationStore, (store) =>
    store.make("netsuite", simulated, (account) => ({
      accountId: accountId(simulated),
      clientId,
      certificateId: mapCertificate(
        account,
        clientId,
        pair.publicKey.export({ type: "spki", format: "pem" }).toString()
      ),
      privateKey: pemOf(pair)
    }))
  )

const someone = Effect.flatMap(SandboxApplication, ({ caller }) => caller([]))
const listed = { headers: {} }

describe("a certificate", () => {
  layer(application)((it) => {
    it.effect("connects by what is imported or entered, and signs for tokens as they run out", () =>
      Effect.gen(function* () {
        const caller = yield* someone
        const own = yield* mapped(rsa)
        const body = (credentials: Doc) => ({ endUserId: caller.endUser, provider: "netsuite", credentials })
        const made = recordOf(yield* caller.call("POST", "/connections", { body: body(own) }))
        assert.include(made, { status: "active", accountName: `NetSuite ${own.accountId}`, reauthBy: null })
        const list = () => caller.call("GET", "/accounting/invoice?provider=netsuite&limit=1", listed)
        assert.lengthOf(pageOf(yield* list()).data, 1)
        // the token of an hour is replaced before it is over, and one that is refused is replaced as well
        yield* TestClock.adjust("2 hours")
        assert.strictEqual((yield* list()).status, 200)
        const store = yield* SimulationStore
        yield* store.run("netsuite", simulated, expireAccessTokens)
        assert.strictEqual((yield* list()).status, 200)

        // another curve, another way in, line breaks lost on the way: the same account, so the same connection
        const opened = yield* session(caller)
        const other = yield* mapped(ec)
        const fields = { ...other, privateKey: other.privateKey.replaceAll("\n", " ") }
        const entered = yield* opened.call("POST", "/netsuite/credentials", { fields })
        assert.strictEqual(recordOf(entered).connectionId, made.id)
        assert.deepStrictEqual((yield* caller.call("GET", `/connections/${String(made.id)}`)).status, 200)

        // it is revoked
        yield* store.run("netsuite", simulated, (account) => {
          account.remove("oauth_certificate", other.certificateId)
          expireAccessTokens(account)
        })
        assert.deepStrictEqual(refusalOf(yield* list()), [409, "CONNECTION_NEEDS_REAUTH"])
        const again = yield* opened.call("POST", "/netsuite/credentials", { fields: own, connectionId: made.id })
        assert.strictEqual(again.status, 201)
        assert.strictEqual((yield* list()).status, 200)
        assert.strictEqual((yield* caller.call("DELETE", `/connections/${String(made.id)}`)).status, 200)
      })
    )

    it.effect("is refused by field, in words that repeat nothing of it", () =>
      Effect.gen(function* () {
        const caller = yield* someone
        const opened = yield* session(caller)
        const own = yield* mapped(rsa)
        const publicKey = rsa.publicKey.export({ type: "spki", format: "pem" }).toString()
        const encrypted = ec.privateKey.export({ ...pem, cipher: "aes-256-cbc", passphrase: "hush" }).toString()
        const [head = "", , ...rest] = own.privateKey.split("\n")
        const cut = [head, ...rest].join("\n")
        const ed = generateKeyPairSync("ed25519").privateKey.export(pem).toString()
        const wrong: ReadonlyArray<readonly [change: Doc, field: string, words: RegExp]> = [
          [{ privateKey: "hush" }, "privateKey", /must be a private key in PEM/],
          [{ privateKey: publicKey }, "privateKey", /this is the public one/],
          [
            { privateKey: "-----BEGIN CERTIFICATE-----\naHVzaA==\n-----END CERTIFICATE-----" },
            "privateKey",
            /this is the certificate/
          ],
          [{ privateKey: encrypted }, "privateKey", /must not be encrypted/],
          [{ privateKey: cut }, "privateKey", /cannot be read: copy the whole/],
          [{ privateKey: pemOf(weak) }, "privateKey", /This one is RSA of 2048 bits/],
          [
            { privateKey: ed },
            "privateKey",
            /RSA of 3072 or 4096 bits; or EC P-256, P-384, P-521. This one is ed25519/
          ],
          [{ privateKey: pemOf(ec) }, "privateKey", /gives no access for it \(invalid_grant\)/],
          [{ clientId: "another-client" }, "privateKey", /invalid_client/],
          [{ certificateId: "no-such-certificate" }, "privateKey", /invalid_client/],
          [{ accountId: "9999999" }, "privateKey", /invalid_grant/],
          [{ accountId: "evil.example/" }, "accountId", /must be an account id/],
          [{ clientId: "" }, "clientId", /is required|must be the client id/],
          [{ certificateId: "a b" }, "certificateId", /must be the certificate id/]
        ]
        for (const [change, field, words] of wrong) {
          const given = { ...own, ...change }
          const entered = yield* opened.call("POST", "/netsuite/credentials", { fields: given })
          const imported = yield* caller.call("POST", "/connections", {
            body: { endUserId: caller.endUser, provider: "netsuite", credentials: given }
          })
          for (const [answer, place] of [
            [entered, "fields"],
            [imported, "credentials"]
          ] as const) {
            assert.strictEqual(answer.status, 422, String(words))
            assert.match(String(errorsOf(answer)[`${place}.${field}`]), words)
            const { privateKey } = given
            const inner = privateKey.split("\n")[1] ?? "hush"
            assert.notInclude(JSON.stringify(answer.body), inner)
          }
          yield* TestClock.adjust("2 minutes")
        }
        const without = { endUserId: caller.endUser, provider: "netsuite", credentials: { apiKey: "k" } }
        assert.deepStrictEqual(errorsOf(yield* caller.call("POST", "/connections", { body: without })), {
          credentials: "must hold privateKey or accessToken for netsuite"
        })
        assert.deepStrictEqual(pageOf(yield* caller.call("GET", "/connections")).data, [])
      })
    )

    it.effect("is the way that is offered first; in the sandbox one is made", () =>
      Effect.gen(function* () {
        const caller = yield* someone
        const opened = yield* session(caller, { integrations: ["netsuite"] })
        const [shown] = recordOf(yield* opened.call("GET", "")).integrations as ReadonlyArray<Doc>
        assert.deepInclude(shown, { kind: "certificate" })
        assert.deepStrictEqual(
          ((shown?.fields ?? []) as ReadonlyArray<Doc>).map(({ multiline, name, required }) => [
            name,
            required,
            multiline
          ]),
          [
            ["privateKey", true, true],
            ["accountId", false, false],
            ["clientId", false, false],
            ["certificateId", false, false]
          ]
        )
        assert.deepInclude(shown?.other, { kind: "oauth2" })
        const provider = recordOf(yield* caller.call("GET", "/providers/netsuite"))
        assert.deepStrictEqual(provider.authorizations, ["certificate", "oauth2"])
        const entered = yield* opened.call("POST", "/netsuite/credentials", { fields: { privateKey: "sandbox" } })
        assert.strictEqual(entered.status, 201)
        yield* TestClock.adjust("2 hours")
        const list = yield* caller.call("GET", "/accounting/account?provider=netsuite&limit=1")
        assert.lengthOf(pageOf(list).data, 1)
      })
    )

    it.effect("must sign what NetSuite asks for: another algorithm, audience or time is refused", () =>
      Effect.gen(function* () {
        const own = yield* mapped(rsa)
        const client = (yield* Transport).to("sandbox", "netsuite") ?? assert.fail("no simulator")
        const host = `https://${own.accountId}.suitetalk.api.netsuite.com`
        const url = `${host}/services/rest/auth/oauth2/v1/token`
        const now = Math.floor((yield* TestClock.currentTimeMillis) / 1000)
        const ask = (
          alg: string,
          aud: string,
          iat: number,
          exp: number,
          type = "jwt-bearer",
          scope = "rest_webservices"
        ) =>
          Effect.gen(function* () {
            const assertion = yield* Effect.promise(() =>
              new SignJWT({ scope, iss: clientId, aud, iat, exp })
                .setProtectedHeader({ alg, kid: own.certificateId, typ: "JWT" })
                .sign(rsa.privateKey)
            )
            const request = HttpClientRequest.post(url).pipe(
              HttpClientRequest.bodyUrlParams({
                grant_type: "client_credentials",
                client_assertion_type: `urn:ietf:params:oauth:client-assertion-type:${type}`,
                client_assertion: assertion
              })
            )
            const response = yield* client.execute(request)
            const { access_token, error, refresh_token } = (yield* response.json) as Doc
            return [response.status, error ?? (access_token === undefined ? "none" : "token"), refresh_token ?? null]
          })
        const grant = [400, "invalid_grant", null]
        assert.deepStrictEqual(yield* ask("PS256", url, now, now + 3600), [200, "token", null])
        assert.deepStrictEqual(yield* ask("PS512", url, now, now + 60), [200, "token", null])
        assert.deepStrictEqual(yield* ask("RS256", url, now, now + 60), grant)
        assert.deepStrictEqual(yield* ask("PS256", host, now, now + 60), grant)
        assert.deepStrictEqual(yield* ask("PS256", url, now - 120, now - 60), grant)
        assert.deepStrictEqual(yield* ask("PS256", url, now, now + 3601), grant)
        assert.deepStrictEqual(yield* ask("PS256", url, now, now + 60, "jwt-bearer", "everything"), grant)
        assert.deepStrictEqual(yield* ask("PS256", url, now, now + 60, "saml"), [400, "invalid_request", null])
      })
    )
  })
})

describe("a refresh token that ends", () => {
  layer(application)((it) => {
    it.effect("shows when, is told of before, and ends", () =>
      Effect.gen(function* () {
        const caller = yield* someone
        const start = yield* TestClock.currentTimeMillis
        const made = yield* consent(yield* session(caller), "netsuite", { fields: { accountId: "1234567" } })
        const id = String(made.connectionId)
        const shown = Effect.map(caller.call("GET", `/connections/${id}`), (answer) => recordOf(answer))
        const { reauthBy: end, status } = yield* shown
        assert.strictEqual(status, "active")
        // the tokens were given some seconds later
        assert.closeTo(Date.parse(String(end)) - start, 7 * 86_400_000, 60_000)
        const [row] = pageOf(yield* caller.call("GET", "/connections")).data
        assert.strictEqual(row?.reauthBy, end)

        // a refresh brings no other end
        const list = () => caller.call("GET", "/accounting/account?provider=netsuite&limit=1")
        yield* TestClock.adjust("2 hours")
        assert.strictEqual((yield* list()).status, 200)
        assert.include(yield* shown, { reauthBy: end, status: "active" })

        // a week before is when it was made; a day before is news, once
        const told = () => warnings.filter((one) => one.includes(id))
        assert.deepStrictEqual(told(), [])
        const sql = yield* SqlClient.SqlClient
        const soon = new Date((yield* TestClock.currentTimeMillis) + 12 * 3_600_000)
        yield* sql`update connections set reauth_by = ${soon} where id = ${id}`
        for (const _ of ["an hour", "the next"]) {
          yield* warn
          assert.lengthOf(told(), 1)
        }
        assert.include(told()[0], soon.toISOString())

        // where nobody connects again
        yield* (yield* SimulationStore).run("netsuite", id, (account) => {
          for (const [token, { kind }] of account.entries("oauth_token")) {
            account.put("oauth_token", token, { kind, expiresAt: account.now })
          }
        })
        assert.deepStrictEqual(refusalOf(yield* list()), [409, "CONNECTION_NEEDS_REAUTH"])
        assert.include(yield* shown, { status: "needs_reauth" })
      })
    )

    it.effect("is renewed in time where each use extends it", () =>
      Effect.gen(function* () {
        const caller = yield* someone
        const start = yield* TestClock.currentTimeMillis
        const made = yield* consent(yield* session(caller), "quickbooks")
        const id = String(made.connectionId)
        const endOf = Effect.map(caller.call("GET", `/connections/${id}`), (answer) =>
          Date.parse(String(recordOf(answer).reauthBy))
        )
        assert.closeTo((yield* endOf) - start, 100 * 86_400_000, 2 * 86_400_000)
        // as if nobody had called for three months
        const soon = new Date(start + 3 * 86_400_000)
        const sql = yield* SqlClient.SqlClient
        yield* sql`update connections set reauth_by = ${soon}, reauth_warned = null where id = ${id}`
        yield* warn
        assert.isAbove((yield* endOf) - start, 90 * 86_400_000)
        assert.deepStrictEqual(
          warnings.filter((one) => one.includes(id)),
          []
        )
      })
    )
  })
})
