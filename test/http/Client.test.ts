import { FetchHttpClient, HttpApiClient, HttpClient, HttpClientRequest } from "@effect/platform"
import { assert, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Api, NotFound, Unauthorized, Unprocessable } from "../../src/client.ts"
import { InProcess } from "../../src/InProcess.ts"
import { type Caller, SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

layer(sandboxApplication(), { timeout: "60 seconds" })("the typed client", (it) => {
  /** The client anyone has, with the application in place of the network. */
  const clientOf = (caller: Caller) =>
    Effect.gen(function* () {
      const app = yield* InProcess
      return yield* HttpApiClient.make(Api, {
        baseUrl: "http://localhost",
        transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(Redacted.value(caller.tenancy.key)))
      }).pipe(
        Effect.provide(FetchHttpClient.layer),
        Effect.provideService(FetchHttpClient.Fetch, (input, init) => app.handle(new Request(input, init)))
      )
    })

  full(it).effect("lists, creates, patches and deletes records of their own types", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["hubspot", "quickbooks"])
      const client = yield* clientOf(caller)
      const headers = { "x-end-user-id": caller.endUser }

      const listed = yield* client.crm_contact.list({ headers, urlParams: { provider: "hubspot", limit: 3 } })
      assert.strictEqual(listed.data.data.length, 3)
      const [first] = listed.data.data
      assert.isString(first?.email_addresses?.[0]?.email_address)

      const some = yield* client.crm_contact.list({
        headers,
        urlParams: { provider: "hubspot", limit: 3, fields: ["email_addresses"] }
      })
      assert.deepStrictEqual(some.data.data[0]?.email_addresses, first?.email_addresses)
      assert.notProperty(some.data.data[0], "first_name")

      const urlParams = { provider: "hubspot" }
      const made = yield* client.crm_contact.create({
        headers: { ...headers, "idempotency-key": "one" },
        urlParams,
        payload: { last_name: "Lovelace", phone_numbers: [{ phone_number: "1", phone_number_type: "WORK" }] }
      })
      assert.deepStrictEqual([made.statusCode, made.data.last_name], [201, "Lovelace"])
      const path = { id: made.data.remote_id ?? "" }
      const patched = yield* client.crm_contact.patch({ headers, path, urlParams, payload: { first_name: "Ada" } })
      assert.deepStrictEqual([patched.data.first_name, patched.data.last_name], ["Ada", "Lovelace"])
      assert.strictEqual((yield* client.crm_contact.get({ headers, path, urlParams })).data.first_name, "Ada")
      assert.strictEqual((yield* client.crm_contact.remove({ headers, path, urlParams })).data.remote_id, path.id)

      const batch = yield* client.crm_contact.batch({
        headers,
        urlParams,
        payload: { records: [{ last_name: "Byron" }, { first_name: "" }] }
      })
      assert.deepStrictEqual(
        batch.data.map(({ code, status }) => [status, code]),
        [
          [201, undefined],
          [422, "VALIDATION_FAILED"]
        ]
      )
      const [byron] = batch.data
      const changes = [{ id: byron?.data?.remote_id ?? "", first_name: "Annabella" }]
      const payload = { operation: "update", records: changes } as const
      const [changed] = (yield* client.crm_contact.batch({ headers, urlParams, payload })).data
      assert.strictEqual(changed?.status, 200)

      const invoices = yield* client.accounting_invoice.list({ headers, urlParams: { created_after: "2025-01-01" } })
      assert.isAbove(invoices.data.data[0]?.line_items?.length ?? 0, 0)
      assert.isTrue((yield* client.providers.list({ urlParams: {} })).data.some(({ slug }) => slug === "hubspot"))
    })
  )

  it.effect("reaches the rest of a provider's API", () =>
    Effect.gen(function* () {
      const caller = yield* (yield* SandboxApplication).caller(["close"])
      const client = yield* clientOf(caller)
      const headers = { "x-end-user-id": caller.endUser }
      const path = { provider: "close", path: "api/v1/contact/?_limit=1" }
      const [answer, response] = yield* client.passthrough.get({ headers, path, withResponse: true })
      assert.strictEqual(response.headers["provider-status"], "200")
      assert.nestedProperty(answer, "data[0].id")
    })
  )

  it.effect("gives failures back as the classes they are", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* app.caller(["hubspot"])
      const client = yield* clientOf(caller)
      const headers = { "x-end-user-id": caller.endUser }
      const urlParams = { provider: "hubspot" }

      const missing = yield* Effect.flip(client.crm_contact.get({ headers, path: { id: "1" }, urlParams }))
      assert.isTrue(missing instanceof NotFound)
      if (missing instanceof NotFound) assert.strictEqual(missing.code, "CONTACT_NOT_FOUND")

      const wrong = yield* Effect.flip(
        client.crm_contact.create({ headers, urlParams, payload: { last_name: "x", owner: "nobody" } })
      )
      assert.isTrue(wrong instanceof Unprocessable, String(wrong))
      if (wrong instanceof Unprocessable) {
        assert.deepStrictEqual(Object.keys(wrong.errors), ["owner"])
        assert.strictEqual(wrong.provider?.slug, "hubspot")
      }

      const stranger = yield* clientOf({ ...caller, tenancy: { ...caller.tenancy, key: Redacted.make("sk_test_x") } })
      const refused = yield* Effect.flip(stranger.crm_contact.list({ headers, urlParams: {} }))
      assert.isTrue(refused instanceof Unauthorized)

      const nobody = { "x-end-user-id": "nobody" }
      const unknown = yield* Effect.flip(client.crm_contact.list({ headers: nobody, urlParams: {} }))
      assert.isTrue(unknown instanceof NotFound)
    })
  )
})
