import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { InProcess } from "../../src/InProcess.ts"
import { encodingFor } from "../../src/platform/Documents.ts"
import { SandboxApplication, sandboxApplication } from "../support/SandboxApplication.ts"
import { full } from "../support/Full.ts"

/** An answer with its body as it is sent. */
const get = (path: string, headers: { readonly [name: string]: string } = {}) =>
  Effect.flatMap(InProcess, ({ handle }) =>
    Effect.promise(async () => {
      const answer = await handle(new Request(`http://localhost${path}`, { headers }))
      return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) }
    })
  )

describe("Accept-Encoding", () => {
  it("is followed by what it prefers", () => {
    const cases: ReadonlyArray<readonly [accepted: string | undefined, encoding: string]> = [
      [undefined, "identity"],
      ["", "identity"],
      ["gzip, deflate, br, zstd", "br"],
      ["gzip", "gzip"],
      ["X-GZip", "gzip"],
      ["br;q=0.5, gzip;q=0.9", "gzip"],
      ["gzip; q=0, br; q=0", "identity"],
      ["br;q=0, *", "gzip"],
      ["identity, gzip;q=0.5", "identity"],
      ["gzip;q=1.0, identity; q=0.5, *;q=0", "gzip"],
      ["identity;q=0, *;q=0", "identity"],
      ["deflate", "identity"],
      ["gzip;q=nonsense", "identity"]
    ]
    for (const [accepted, encoding] of cases) assert.strictEqual(encodingFor(accepted), encoding, accepted)
  })
})

describe("the documents", () => {
  layer(sandboxApplication())((it) => {
    full(it).effect("are compressed for those who take them so, and not sent to those who have them", () =>
      Effect.gen(function* () {
        for (const path of ["/docs", "/api/v1/openapi.json"]) {
          const plain = yield* get(path)
          assert.isNull(plain.headers.get("content-encoding"))
          const tags = new Set([plain.headers.get("etag")])
          for (const [encoding, decompress] of [
            ["gzip", gunzipSync],
            ["br", brotliDecompressSync]
          ] as const) {
            const small = yield* get(path, { "accept-encoding": encoding })
            assert.strictEqual(small.status, 200)
            assert.strictEqual(small.headers.get("content-encoding"), encoding)
            assert.strictEqual(small.headers.get("vary"), "accept-encoding")
            assert.isBelow(small.body.length, plain.body.length / 4)
            assert.isTrue(decompress(small.body).equals(plain.body), `${path} ${encoding}`)
            const tag = small.headers.get("etag") ?? ""
            assert.match(tag, /^"[\w-]+"$/)
            tags.add(tag)
            for (const known of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
              const same = yield* get(path, { "accept-encoding": encoding, "if-none-match": known })
              assert.deepStrictEqual([same.status, same.body.length, same.headers.get("etag")], [304, 0, tag], known)
            }
            const stale = yield* get(path, { "accept-encoding": encoding, "if-none-match": '"other"' })
            assert.strictEqual(stale.status, 200)
          }
          assert.strictEqual(tags.size, 3)
          assert.strictEqual(plain.headers.get("cache-control"), "no-cache")
        }
      })
    )

    full(it).effect("may run nothing but their own scripts, and reach nobody but the service", () =>
      Effect.gen(function* () {
        const policy = (yield* get("/docs")).headers.get("content-security-policy") ?? ""
        assert.include(policy, "default-src 'none'")
        assert.include(policy, "connect-src 'self'")
        assert.match(policy, /script-src( 'sha256-[\w+/=]{44}'){2} 'wasm-unsafe-eval';/)
        assert.notMatch(policy, /https?:|\*|script-src[^;]*('unsafe-inline'|'unsafe-eval')/)
      })
    )
  })
})

describe("answers", () => {
  layer(sandboxApplication())((it) => {
    full(it).effect("are not to be kept, except for what everybody gets alike", () =>
      Effect.gen(function* () {
        const app = yield* SandboxApplication
        const { call } = yield* app.caller(["hubspot"])
        const answers = [
          yield* call("GET", "/crm/contact?limit=1"),
          yield* call("POST", "/crm/contact?provider=hubspot", { body: { last_name: "Kept" } }),
          yield* call("POST", "/crm/contact?provider=hubspot", { body: { nonsense: 1 } }),
          yield* call("GET", "/crm/contact/unknown?provider=hubspot"),
          yield* call("GET", "/connections"),
          yield* call("POST", "/connect/token", { body: { endUserId: "u" } }),
          yield* app.send("GET", "/api/v1/providers"),
          yield* app.send("GET", "/console"),
          yield* app.send("GET", "/console/sign-in"),
          yield* app.send("GET", "/connect/go?state=x")
        ]
        assert.deepStrictEqual(
          answers.map(({ headers }) => headers.get("cache-control")),
          answers.map(() => "no-store")
        )
        assert.strictEqual((yield* app.send("GET", "/docs")).headers.get("cache-control"), "no-cache")
      })
    )
  })
})
