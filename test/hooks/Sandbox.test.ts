import { HttpClientRequest } from "@effect/platform"
import { Signature } from "@hubspot/api-client"
import { assert, describe, it as test, layer } from "@effect/vitest"
import { Effect, Queue, Ref, TestClock } from "effect"
import { Keeper } from "../../src/hooks/Keeper.ts"
import type { ConnectionRef } from "../../src/providers/ConnectionRef.ts"
import { Credentials } from "../../src/providers/Credentials.ts"
import type { Changed } from "../../src/providers/simulation/Pushes.ts"
import { open, empty } from "../../src/providers/simulation/Account.ts"
import { pushes } from "../../src/providers/hubspot/simulator/Push.ts"
import { ask, hooks, Noted, shown, simulated } from "./Support.ts"

/** Makes a contact at each provider, in its own words. */
const makers: {
  readonly [provider: string]: (values: { readonly [name: string]: string }) => HttpClientRequest.HttpClientRequest
} = {
  hubspot: ({ name = "" }) =>
    HttpClientRequest.post("https://api.hubapi.com/crm/v3/objects/contacts").pipe(
      HttpClientRequest.bodyUnsafeJson({ properties: { email: `${name}@example.com`, lastname: name } })
    ),
  pipedrive: ({ apiDomain = "", name = "" }) =>
    HttpClientRequest.post(`${apiDomain}/api/v2/persons`).pipe(HttpClientRequest.bodyUnsafeJson({ name })),
  zoho_crm: ({ apiDomain = "", name = "" }) =>
    HttpClientRequest.post(`${apiDomain}/crm/v8/Contacts`).pipe(
      HttpClientRequest.bodyUnsafeJson({ data: [{ Last_Name: name }] })
    ),
  quickbooks: ({ name = "", realmId = "" }) =>
    HttpClientRequest.post(`https://quickbooks.api.intuit.com/v3/company/${realmId}/customer`).pipe(
      HttpClientRequest.bodyUnsafeJson({ DisplayName: name })
    ),
  xero: ({ name = "", tenantId = "" }) =>
    HttpClientRequest.put("https://api.xero.com/api.xro/2.0/Contacts").pipe(
      HttpClientRequest.setHeader("xero-tenant-id", tenantId),
      HttpClientRequest.bodyUnsafeJson({ Name: name })
    )
}

const makeContact = (connection: ConnectionRef, name = "New") =>
  Effect.gen(function* () {
    const { values } = yield* Effect.orDie(Effect.flatMap(Credentials, (held) => held.current(connection)))
    const request = makers[connection.provider]?.({ ...values, name })
    if (request === undefined) return yield* Effect.dieMessage(`nothing makes a contact at ${connection.provider}`)
    return yield* ask(connection, HttpClientRequest.setHeader(request, "accept", "application/json"))
  })

const watch = (watched: ReadonlyArray<ConnectionRef>) =>
  Effect.gen(function* () {
    const noted = yield* Noted
    yield* Ref.set(
      noted.watched,
      watched.map((connection) => ({ connection, resources: ["contact"] }))
    )
    yield* (yield* Keeper).keep
  })

describe("the sandbox", () => {
  for (const provider of Object.keys(makers)) {
    layer(hooks())((it) => {
      it.effect(`pushes what is changed at ${provider} to whoever watches it`, () =>
        Effect.gen(function* () {
          const { polled } = yield* Noted
          const connection = yield* simulated(provider)
          const other = yield* simulated(provider)

          // nobody watches yet
          assert.isBelow((yield* makeContact(connection)).status, 300)

          yield* watch([connection])
          // for a second it is not asked again whether anyone watches
          yield* TestClock.adjust("1 second")
          assert.isBelow((yield* makeContact(other)).status, 300)
          assert.isBelow((yield* makeContact(connection, "Newer")).status, 300)
          let found = shown(yield* Queue.take(polled))
          while (found.connection !== connection.id) {
            // an application hears of every account, and has the one looked at that is meant
            assert.strictEqual(found.connection, other.id)
            found = shown(yield* Queue.take(polled))
          }
          assert.match(found.named[0] ?? "", /^(crm|accounting)\/contact [\w-]+$/)
        })
      )
    })
  }

  test("signs HubSpot's pushes as HubSpot's own library reads them", () => {
    const now = Date.now()
    const { account } = open("account", empty, now, new Map())
    const changed: ReadonlyArray<Changed> = [
      {
        type: "contacts",
        id: "7",
        before: { id: "7", properties: { email: "a@example.com" } },
        after: { id: "7", properties: { email: "b@example.com" } }
      }
    ]
    const [push] = pushes(account, changed, { url: "https://api.example.com/hooks/hubspot/x", secret: "s" })
    assert.isTrue(
      Signature.isValid({
        signatureVersion: "v3",
        method: "POST",
        url: push?.url ?? "",
        requestBody: push?.body ?? "",
        clientSecret: "s",
        signature: push?.headers["x-hubspot-signature-v3"] ?? "",
        timestamp: Number(push?.headers["x-hubspot-request-timestamp"])
      })
    )
  })
})
