import { assert, describe, it } from "@effect/vitest"
import { Command } from "@effect/cli"
import { NodeContext } from "@effect/platform-node"
import { Array as Arr, Deferred, Effect, Schema } from "effect"
import { createHmac } from "node:crypto"
import { createServer, get } from "node:http"
import { simulate } from "../../src/providers/simulation/Commands.ts"
import { simulators } from "../../src/Simulators.ts"
import { full } from "../support/Full.ts"

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

/** A server that takes one request, and gives its headers and its body. */
const listening = Effect.gen(function* () {
  const received = yield* Deferred.make<{ readonly signature: unknown; readonly body: string }>()
  const url = yield* Effect.acquireRelease(
    Effect.async<{ readonly close: () => void; readonly url: string }>((resume) => {
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => void chunks.push(chunk))
        request.on("end", () => {
          response.end()
          const signature = request.headers["x-xero-signature"]
          Effect.runSync(Deferred.succeed(received, { signature, body: Buffer.concat(chunks).toString() }))
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = typeof address === "object" ? (address?.port ?? 0) : 0
        resume(Effect.succeed({ close: () => void server.close(), url: `http://127.0.0.1:${port}/hook` }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )
  return { url: url.url, received: Deferred.await(received) }
})

describe("simulate", () => {
  full(it).scopedLive("pushes what is changed to --push-url, signed with --push-secret", () =>
    Effect.gen(function* () {
      const hook = yield* listening
      const pushing = ["--push-url", hook.url, "--push-secret", "webhook-key"]
      const { accessToken, tenantId, url } = yield* printedBy("xero", ...pushing)
      const made = yield* Effect.promise(() =>
        fetch(`${url}/api.xro/2.0/Contacts`, {
          method: "PUT",
          headers: {
            authorization: `Bearer ${accessToken}`,
            "xero-tenant-id": tenantId,
            "content-type": "application/json",
            accept: "application/json"
          },
          body: JSON.stringify({ Name: "New" })
        })
      )
      assert.strictEqual(made.status, 200)
      const { body, signature } = yield* hook.received
      assert.strictEqual(signature, createHmac("sha256", "webhook-key").update(body).digest("base64"))
      assert.include(body, tenantId)
    })
  )

  it.scopedLive("refuses calls beyond the provider's limits with --strict", () =>
    Effect.gen(function* () {
      const call = yield* served("--strict")
      // on a machine that is busy they may come one after the other; six times eight are within the limit of a minute
      const answers = yield* Effect.repeat(atOnce(call), {
        until: (answers) => answers.some(({ status }) => status !== 200),
        times: 5
      })
      const [taken, refused] = Arr.partition(answers, ({ status }) => status !== 200)
      assert.isAtLeast(taken.length, 5)
      assert.isNotEmpty(refused)
      for (const { problem, status } of refused) assert.deepStrictEqual([status, problem], [429, "concurrent"])
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
