import { assert, layer } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { All } from "../../../src/providers/All.ts"
import { simulators } from "../../../src/providers/Simulators.ts"
import type { Simulator } from "../../../src/providers/simulation/Simulator.ts"
import { simulator } from "../../../src/providers/xero/simulator/XeroSimulator.ts"
import {
  failureOf,
  pageOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication
} from "../../support/SandboxApplication.ts"

/** Headers with the remaining calls, if answers have any, and the number of calls received. */
const told: { left: { readonly [header: string]: string }; calls: number } = { left: {}, calls: 0 }

const limited: Simulator = {
  ...simulator,
  routes: simulator.routes.map((route) => ({
    ...route,
    handle: (request, account, features) => {
      told.calls += 1
      const reply = route.handle(request, account, features)
      return { ...reply, headers: { ...reply.headers, ...told.left } }
    }
  }))
}

const sources = simulators.map((source) =>
  source.slug === "xero" ? { slug: "xero", load: Effect.succeed(limited) } : source
)

layer(sandboxApplication({}, All, sources), { timeout: "60 seconds" })("Xero's limits", (it) => {
  it.effect.each([
    ["minute", "x-minlimit-remaining"],
    ["day", "x-daylimit-remaining"]
  ] as const)("when the last call of a %s is made, Xero is left alone until there are more", ([, header]) =>
    Effect.gen(function* () {
      const { call } = yield* (yield* SandboxApplication).caller(["xero"])
      const read = call("GET", "/accounting/tax_rate?provider=xero&limit=1")
      // what lookups are asked for is known from now on
      yield* read
      told.left = { [header]: "0" }
      const first = yield* read
      assert.strictEqual(pageOf(first).data.length, 1)
      assert.match(first.headers.get("provider-ratelimit") ?? "", /"xero\.(?:minute|day)";r=0/)
      const before = told.calls
      const refused = yield* read
      assert.deepStrictEqual(refusalOf(refused), [429, "RATE_LIMITED"])
      assert.strictEqual(failureOf(refused).provider?.slug, "xero")
      const wait = Number(refused.headers.get("retry-after"))
      assert.isTrue(wait > 0 && wait <= 60, String(wait))
      assert.strictEqual(told.calls, before)
      told.left = {}
      yield* TestClock.adjust(`${wait} seconds`)
      assert.strictEqual((yield* read).status, 200)
    })
  )
})
