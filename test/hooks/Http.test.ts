import { assert, layer } from "@effect/vitest"
import { Effect, Redacted, TestClock } from "effect"
import { createHmac } from "node:crypto"
import { makeAddresses } from "../../src/hooks/Addresses.ts"
import * as Metrics from "../../src/platform/Metrics.ts"
import { sandboxApplication, SandboxApplication } from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

const body = JSON.stringify({ events: [], firstEventSequence: 0, lastEventSequence: 0, entropy: "S0m3r4ndomt3xt" })

layer(sandboxApplication({ PUBLIC_URL: "https://api.example.com" }))("the addresses that providers push to", (it) => {
  const sent = Effect.gen(function* () {
    const addresses = yield* makeAddresses
    const path = new URL(addresses.ofApplication("sandbox", "xero")).pathname
    const signature = createHmac("sha256", Redacted.value(addresses.sandboxSecret("xero")))
      .update(body)
      .digest("base64")
    const { send } = yield* SandboxApplication
    const post = (path: string, signature: string, text: string = body) =>
      send("POST", path, { body: text, headers: { "x-xero-signature": signature } })
    return { path, signature, post, send }
  })

  it.effect("answer without a body, and need no key", () =>
    Effect.gen(function* () {
      const { path, post, signature } = yield* sent
      const accepted = yield* post(path, signature)
      assert.deepStrictEqual([accepted.status, accepted.body], [200, ""])
      assert.isNull(accepted.headers.get("set-cookie"))
      for (const refused of [yield* post(path, "wrong"), yield* post(path, signature, `${body} `)]) {
        assert.deepStrictEqual([refused.status, refused.body], [401, ""])
        assert.isNull(refused.headers.get("set-cookie"))
      }
    })
  )

  it.effect("are nowhere else, and take no more than a body may be", () =>
    Effect.gen(function* () {
      const { path, post, send, signature } = yield* sent
      const elsewhere = yield* post(`${path.slice(0, -1)}!`, signature)
      assert.strictEqual(elsewhere.status, 404)
      assert.strictEqual((yield* post("/hooks/xero", signature)).status, 404)
      assert.strictEqual((yield* send("GET", path)).status, 405)
      assert.strictEqual((yield* post(path, signature, "x".repeat(1024 * 1024 + 1))).status, 413)
    })
  )

  it.effect("are looked at before what is sent to them", () =>
    Effect.gen(function* () {
      const { post, signature } = yield* sent
      const large = "x".repeat(1024 * 1024 + 1)
      for (const path of [
        "/hooks/xero/guess",
        "/hooks/hubspot/guess",
        "/hooks/pipedrive/guess",
        "/hooks/nobody/guess"
      ]) {
        assert.strictEqual((yield* post(path, signature, large)).status, 404, path)
      }
    })
  )

  it.effect("are told to nobody by what is measured", () =>
    Effect.gen(function* () {
      const { path, post, signature } = yield* sent
      yield* post(path, signature)
      const text = yield* Metrics.render
      assert.include(text, 'route="/hooks/:provider/:secret"')
      assert.include(text, 'pushes_total{provider="xero",outcome="accepted"}')
      assert.notInclude(text, path.split("/").at(-1) ?? "")
    })
  )

  full(it).effect("are guessed, and signed wrongly, no more often than keys are", () =>
    Effect.gen(function* () {
      const { path, post, signature } = yield* sent
      for (const guess of [() => post("/hooks/xero/guess", signature), () => post(path, "wrong")]) {
        yield* TestClock.adjust("2 minutes")
        const statuses = yield* Effect.forEach(Array.from({ length: 32 }), guess)
        assert.deepStrictEqual(
          [0, 29, 30, 31].map((index) => statuses[index]?.status),
          [statuses[0]?.status, statuses[0]?.status, 429, 429]
        )
        assert.isDefined(statuses[31]?.headers.get("retry-after"))
        assert.strictEqual((yield* post(path, signature)).status, 200)
      }
    })
  )
})
