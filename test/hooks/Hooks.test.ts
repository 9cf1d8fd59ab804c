import { Signature } from "@hubspot/api-client"
import { assert, describe, layer } from "@effect/vitest"
import { Cause, ConfigProvider, Effect, Exit, Layer } from "effect"
import { createHmac } from "node:crypto"
import { everything } from "../../src/All.ts"
import { Connections } from "../../src/connections/Connections.ts"
import { declarations } from "../../src/Declarations.ts"
import { makeAddresses } from "../../src/hooks/Addresses.ts"
import { EarlyPoll } from "../../src/hooks/EarlyPoll.ts"
import { Hooks } from "../../src/hooks/Hooks.ts"
import { Subscriptions } from "../../src/hooks/Subscriptions.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import * as Metrics from "../../src/platform/Metrics.ts"
import { connected, hooks, polledNow, publicUrl, secrets, today } from "./Support.ts"

interface Sent {
  readonly url: string
  readonly body: string
  readonly secret: string
  readonly now: number
}

/** A provider whose application gets the pushes of all accounts, with one that tells of two records of an account. */
interface Case {
  readonly name: string
  readonly provider: keyof typeof secrets
  readonly sign: (sent: Sent) => { readonly [header: string]: string }
  readonly body: (account: string) => unknown
  readonly account: string
  readonly named: ReadonlyArray<string>
}

/** As Intuit's and Xero's pages show it. */
const base64 = ({ body, secret }: Sent) => createHmac("sha256", secret).update(body).digest("base64")

const cloudEvent = (account: string, type: string, id: string) => ({
  specversion: "1.0",
  id: "88cd52aa-33b6-4351-9aa4-47572edbd068",
  source: "intuit.dsnBgbseACLLRZNxo2dfc4evmEJdxde58xeeYcZliOU=",
  type,
  datacontenttype: "application/json",
  time: "2026-11-20T08:59:58Z",
  intuitentityid: id,
  intuitaccountid: account,
  data: {}
})

const xeroEvent = (account: string, eventCategory: string, resourceId: string) => ({
  resourceUrl: `https://api.xero.com/api.xro/2.0/Contacts/${resourceId}`,
  resourceId,
  eventDateUtc: "2026-11-20T08:59:58.902",
  eventType: "UPDATE",
  eventCategory,
  tenantId: account,
  tenantType: "ORGANISATION"
})

const cases: ReadonlyArray<Case> = [
  {
    name: "HubSpot",
    provider: "hubspot",
    // the library of HubSpot's own
    sign: ({ body, now, secret, url }) => ({
      "x-hubspot-signature-v3": Signature.getSignature("POST", "v3", {
        signature: "",
        clientSecret: secret,
        requestBody: body,
        url,
        timestamp: now
      }),
      "x-hubspot-request-timestamp": String(now)
    }),
    body: (account) => [
      { portalId: Number(account), subscriptionType: "contact.propertyChange", objectId: 7, propertyName: "email" },
      { portalId: Number(account), subscriptionType: "object.creation", objectTypeId: "0-47", objectId: 8 }
    ],
    account: "62515",
    named: ["crm/contact 7", "crm/meeting 8", "crm/activity 8"]
  },
  {
    name: "QuickBooks",
    provider: "quickbooks",
    sign: (sent) => ({ "intuit-signature": base64(sent) }),
    body: (account) => [
      cloudEvent(account, "qbo.invoice.updated.v1", "130"),
      cloudEvent(account, "qbo.vendor.created.v1", "9")
    ],
    account: "9341453050298464",
    named: ["accounting/invoice 130", "accounting/contact 9"]
  },
  {
    name: "QuickBooks, in the older form",
    provider: "quickbooks",
    sign: (sent) => ({ "intuit-signature": base64(sent) }),
    body: (account) => ({
      eventNotifications: [
        {
          realmId: account,
          dataChangeEvent: {
            entities: [
              { name: "Invoice", id: "130", operation: "Update", lastUpdated: "2026-11-20T08:59:58.000Z" },
              { name: "Vendor", id: "9", operation: "Merge", lastUpdated: "2026-11-20T08:59:58.000Z", deletedId: "10" }
            ]
          }
        }
      ]
    }),
    account: "9341453050298465",
    named: ["accounting/invoice 130", "accounting/contact 9 10"]
  },
  {
    name: "Xero",
    provider: "xero",
    sign: (sent) => ({ "x-xero-signature": base64(sent) }),
    body: (account) => ({
      events: [xeroEvent(account, "INVOICE", "i1"), xeroEvent(account, "CONTACT", "c1")],
      firstEventSequence: 1,
      lastEventSequence: 2,
      entropy: "S0m3r4ndomt3xt"
    }),
    account: "c2cc9b6e-9458-4c7d-93cc-f02b81b0594f",
    named: ["accounting/contact c1", "accounting/invoice i1"]
  }
]

/** Sends a push as it is asked, to the application's address unless another is given. */
const push = (
  one: Case,
  {
    account = one.account,
    at = today,
    end,
    headers,
    query = "",
    sent,
    signed,
    secret = secrets[one.provider]
  }: {
    readonly account?: string
    readonly at?: number
    readonly end?: string
    readonly headers?: { readonly [name: string]: string }
    readonly query?: string
    /** The body that is sent, and the one that is signed. */
    readonly sent?: unknown
    readonly signed?: unknown
    readonly secret?: string
  } = {}
) =>
  Effect.gen(function* () {
    const address = (yield* Effect.orDie(makeAddresses)).ofApplication("production", one.provider)
    const own = address.slice(`${publicUrl}/hooks/${one.provider}/`.length)
    const body = JSON.stringify(sent ?? one.body(account))
    const url = `${publicUrl}/hooks/${one.provider}/${end ?? own}${query}`
    const text = signed === undefined ? body : JSON.stringify(signed)
    return yield* (yield* Hooks).receive({
      provider: one.provider,
      secret: end ?? own,
      method: "POST",
      target: url.slice(publicUrl.length),
      headers: headers ?? one.sign({ url, body: text, secret, now: at }),
      body: Effect.succeed(new TextEncoder().encode(body))
    })
  })

const byName = (named: ReadonlyArray<string>) => named.toSorted()

const count = (provider: string, outcome: string) =>
  Effect.map(Metrics.render, (text) =>
    Number(
      new RegExp(`^pushes_total\\{[^}]*provider="${provider}",outcome="${outcome}"\\} (\\d+)`, "m").exec(text)?.[1] ?? 0
    )
  )

describe("pushes to applications", () => {
  layer(hooks())((it) => {
    for (const one of cases) {
      it.effect(`${one.name}: has what a push names looked at, of every connection to the account`, () =>
        Effect.gen(function* () {
          const first = yield* connected(one.provider, one.account)
          const second = yield* connected(one.provider, one.account)
          const removed = yield* connected(one.provider, one.account)
          yield* (yield* Connections).remove(removed, removed.id)
          yield* connected(one.provider, one.account, "sandbox")
          yield* connected(one.provider, `${one.account}1`)

          assert.strictEqual(yield* push(one), "accepted")
          const polled = yield* polledNow
          assert.sameMembers(
            polled.map(({ connection }) => connection),
            [first.id, second.id]
          )
          for (const { named } of polled) assert.includeMembers(byName(named), byName(one.named))

          // a push is a hint, so that one that comes again does no harm
          assert.strictEqual(yield* push(one), "accepted")
          assert.lengthOf(yield* polledNow, 2)
        })
      )

      it.effect(`${one.name}: refuses what is not its own`, () =>
        Effect.gen(function* () {
          yield* connected(one.provider, one.account)
          const before = yield* count(one.provider, "rejected")
          const wrong: ReadonlyArray<NonNullable<Parameters<typeof push>[1]>> = [
            { secret: "another secret" },
            { signed: one.body("1") },
            { headers: {} },
            ...cases
              .filter(({ provider }) => provider !== one.provider)
              .map(({ sign }) => ({
                headers: sign({
                  url: publicUrl,
                  body: JSON.stringify(one.body(one.account)),
                  now: today,
                  secret: secrets[one.provider]
                })
              }))
          ]
          for (const options of wrong) assert.strictEqual(yield* push(one, options), "rejected")
          assert.deepStrictEqual(yield* polledNow, [])
          assert.strictEqual((yield* count(one.provider, "rejected")) - before, wrong.length)
        })
      )

      it.effect(`${one.name}: takes well what nobody has connected, and what it does not know`, () =>
        Effect.gen(function* () {
          const before = yield* count(one.provider, "unknown")
          assert.strictEqual(yield* push(one, { account: "404" }), "accepted")
          assert.strictEqual((yield* count(one.provider, "unknown")) - before, 1)
          assert.strictEqual(yield* push(one, { sent: { something: "else" } }), "accepted")
          assert.deepStrictEqual(yield* polledNow, [])
        })
      )

      it.effect(`${one.name}: has nothing at another address`, () =>
        Effect.gen(function* () {
          const other =
            (yield* Effect.orDie(makeAddresses)).ofApplication("production", "netsuite").split("/").at(-1) ?? ""
          for (const end of ["", "guess", other]) {
            const error = yield* Effect.flip(push(one, { end }))
            assert.strictEqual(error.message, `There is nothing at /hooks/${one.provider}/${end}.`)
          }
        })
      )
    }

    const [hubSpot, , , xero] = cases
    if (hubSpot === undefined || xero === undefined) throw new Error("there are such cases")

    it.effect("HubSpot: refuses what is older than five minutes, or as far ahead", () =>
      Effect.gen(function* () {
        assert.strictEqual(yield* push(hubSpot, { at: today - 300_000 }), "accepted")
        assert.strictEqual(yield* push(hubSpot, { at: today - 300_001 }), "rejected")
        assert.strictEqual(yield* push(hubSpot, { at: today + 300_001 }), "rejected")
      })
    )

    it.effect("HubSpot: signs an address of which some characters are decoded", () =>
      Effect.gen(function* () {
        const sign: Case["sign"] = (sent) => hubSpot.sign({ ...sent, url: sent.url.replace("%3A%20", ":%20") })
        assert.strictEqual(yield* push({ ...hubSpot, sign }, { query: "?a=b%3A%20c" }), "accepted")
      })
    )

    it.effect("Xero: proves that it checks signatures", () =>
      Effect.gen(function* () {
        const sent = { events: [], firstEventSequence: 0, lastEventSequence: 0, entropy: "S0m3r4ndomt3xt" }
        assert.strictEqual(yield* push(xero, { sent }), "accepted")
        assert.strictEqual(yield* push(xero, { sent, secret: "another" }), "rejected")
      })
    )

    it.effect("has no place for providers that push nothing", () =>
      Effect.gen(function* () {
        const incoming = {
          secret: "x",
          method: "POST",
          target: "/hooks/netsuite/x",
          headers: {},
          body: Effect.succeed(new Uint8Array())
        }
        const receive = (yield* Hooks).receive
        assert.strictEqual((yield* Effect.flip(receive({ ...incoming, provider: "netsuite" }))).status, 404)
        assert.strictEqual((yield* Effect.flip(receive({ ...incoming, provider: "nobody" }))).status, 404)
      })
    )
  })

  layer(hooks({ PROVIDER_HUBSPOT_WEBHOOK_SECRET: "a secret of its own", PROVIDER_XERO_WEBHOOK_SECRET: "" }))((it) => {
    const [hubSpot] = cases
    if (hubSpot === undefined) throw new Error("there is such a case")

    it.effect("are signed with the secret that is set, in place of the client's", () =>
      Effect.gen(function* () {
        yield* connected("hubspot", hubSpot.account)
        assert.strictEqual(yield* push(hubSpot, { secret: "a secret of its own" }), "accepted")
        assert.lengthOf(yield* polledNow, 1)
        assert.strictEqual(yield* push(hubSpot), "rejected")
      })
    )

    it.effect("have no address without a secret to know them by", () =>
      Effect.gen(function* () {
        const [, , , xero] = cases
        if (xero === undefined) return
        for (const secret of ["", secrets.xero]) {
          assert.strictEqual((yield* Effect.flip(push(xero, { secret }))).status, 404)
        }
      })
    )
  })

  const withoutDatabase = Hooks.layer.pipe(
    Layer.provide(
      Layer.mergeAll(
        Layer.mock(Connections, { toAccounts: () => Effect.dieMessage("the database is away") }),
        Layer.mock(Subscriptions, {}),
        EarlyPoll.layerNone,
        declarations(everything)
      )
    ),
    Layer.provideMerge(Encryption.layerTest),
    Layer.provide(
      Layer.setConfigProvider(
        ConfigProvider.fromMap(
          new Map([
            ["PUBLIC_URL", publicUrl],
            ["PROVIDER_XERO_WEBHOOK_SECRET", secrets.xero]
          ])
        )
      )
    )
  )

  layer(withoutDatabase)((it) => {
    it.effect("are known without the database, and fail where it is needed, so that they are sent again", () =>
      Effect.gen(function* () {
        const xero = cases.find(({ provider }) => provider === "xero")
        if (xero === undefined) return
        assert.strictEqual(yield* push(xero, { at: 0, secret: "another" }), "rejected")
        const exit = yield* Effect.exit(push(xero, { at: 0 }))
        assert.isTrue(Exit.isFailure(exit) && Cause.isDie(exit.cause))
      })
    )
  })
})
