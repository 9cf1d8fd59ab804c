import { assert, describe, it } from "@effect/vitest"
import { Command } from "@effect/cli"
import { NodeContext } from "@effect/platform-node"
import { Deferred, Effect, Schema } from "effect"
import { get } from "node:http"
import { simulate } from "../../src/providers/simulation/Commands.ts"
import { simulators } from "../../src/Simulators.ts"

const Printed = Schema.decodeUnknownSync(
  Schema.parseJson(
    Schema.Struct({
      url: Schema.String,
      accessToken: Schema.String,
      tenantId: Schema.optionalWith(Schema.String, { default: () => "" })
    })
  )
)

/** Serves a provider with `simulate` until the scope ends. */
const printedBy = (provider: string, ...options: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const printed = yield* Deferred.make<string>()
    const given = yield* Effect.console
    yield* Command.run(simulate(simulators), { name: "Tributary", version: "0" })([
      ...["node", "cli.js", provider, "--port", "0"],
      ...options
    ]).pipe(
      Effect.withConsole({ ...given, log: (text: unknown) => Deferred.succeed(printed, String(text)) }),
      Effect.provide(NodeContext.layer),
      Effect.forkScoped
    )
    return Printed(yield* Deferred.await(printed))
  })

/** The status of a request with just these headers: `fetch` would add its own. */
const statusOf = (url: string, headers: { readonly [name: string]: string }) =>
  Effect.async<number, Error>((resume) => {
    get(url, { headers }, (answer) => {
      answer.resume()
      resume(Effect.succeed(answer.statusCode ?? 0))
    }).on("error", (error) => resume(Effect.fail(error)))
  })

/** Serves Xero, and gives a call to it. */
const served = (...options: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { accessToken, tenantId, url } = yield* printedBy("xero", ...options)
    return Effect.promise(async () => {
      const headers = { authorization: `Bearer ${accessToken}`, "xero-tenant-id": tenantId }
      const answer = await fetch(`${url}/api.xro/2.0/Organisation`, { headers })
      await answer.arrayBuffer()
      return { status: answer.status, problem: answer.headers.get("x-rate-limit-problem") }
    })
  })

const atOnce = <A>(call: Effect.Effect<A>) =>
  Effect.all(
    Array.from({ length: 8 }, () => call),
    { concurrency: 8 }
  )

describe("simulate", () => {
  it.scopedLive("refuses calls beyond the provider's limits with --strict", () =>
    Effect.gen(function* () {
      const call = yield* served("--strict")
      const answers = yield* atOnce(call)
      assert.strictEqual(answers.filter(({ status }) => status === 200).length, 5)
      const refused = answers.filter(({ status }) => status === 429)
      assert.deepStrictEqual(
        refused.map(({ problem }) => problem),
        ["concurrent", "concurrent", "concurrent"]
      )
      assert.strictEqual((yield* call).status, 200)
    })
  )

  it.scopedLive("refuses calls that do not say who makes them with --strict, where the provider does", () =>
    Effect.gen(function* () {
      for (const [provider, path, strict, nameless] of [
        ["github", "/user", 403, 200],
        ["hubspot", "/crm/v3/owners", 200, 200]
      ] as const) {
        for (const [options, status] of [[["--strict"], strict] as const, [[], nameless] as const]) {
          const { accessToken, url } = yield* printedBy(provider, ...options)
          const authorization = `Bearer ${accessToken}`
          assert.strictEqual(yield* statusOf(url + path, { authorization }), status, `${provider} ${options.join(" ")}`)
          assert.strictEqual(yield* statusOf(url + path, { authorization, "user-agent": "App/1" }), 200, provider)
        }
      }
    })
  )

  it.scopedLive("refuses none without it", () =>
    Effect.gen(function* () {
      const answers = yield* atOnce(yield* served())
      assert.isTrue(answers.every(({ status }) => status === 200))
    })
  )
})
