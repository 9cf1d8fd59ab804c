import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"

const item = /^"([a-z_]+)\.([a-z]+)";r=\d+(;t=\d+)?$/

layer(sandboxApplication(), { timeout: "60 seconds" })("limits of providers", (it) => {
  const limitsOf = (header: string | null) =>
    (header ?? "")
      .split(", ")
      .filter((one) => one !== "")
      .map((one) => {
        const [, provider, name] = item.exec(one) ?? []
        assert.isDefined(provider, one)
        return `${provider}.${name}`
      })

  it.effect("are shown with every answer that a provider had a part in", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller(["hubspot", "salesforce", "pipedrive"])
      const all = yield* call("GET", "/crm/contact?limit=3")
      assert.deepStrictEqual(limitsOf(all.headers.get("provider-ratelimit")).sort(), [
        "hubspot.burst",
        "pipedrive.burst",
        "pipedrive.daily",
        "salesforce.daily"
      ])
      const one = yield* call("POST", "/crm/contact?provider=hubspot", { body: { last_name: "Lovelace" } })
      assert.strictEqual(one.status, 201)
      assert.deepStrictEqual(limitsOf(one.headers.get("provider-ratelimit")), ["hubspot.burst"])
      const refused = yield* call("GET", "/crm/contact/1?provider=pipedrive&include_remote_data=maybe")
      assert.strictEqual(refused.status, 400)
      assert.isNull(refused.headers.get("provider-ratelimit"))
      const missing = yield* call("GET", "/crm/contact/99999999?provider=hubspot")
      assert.strictEqual(missing.status, 404)
      assert.deepStrictEqual(limitsOf(missing.headers.get("provider-ratelimit")), ["hubspot.burst"])
    })
  )

  it.effect("are not made up where none was asked, or none said", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const { call } = yield* app.caller(["quickbooks"])
      for (const path of ["/accounting/item", "/crm/contact?provider=nowhere", "/providers"]) {
        assert.isNull((yield* call("GET", path)).headers.get("provider-ratelimit"), path)
      }
    })
  )
})
