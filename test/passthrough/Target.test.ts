import { assert, describe, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { type Asked, targetOf } from "../../src/passthrough/Target.ts"
import type { NativeApi } from "../../src/providers/NativeApi.ts"

const api: NativeApi = {
  call: () => Effect.dieMessage("nobody is called"),
  root: "https://api.acme.example",
  closed: ["/oauth", "/admin/tokens"]
}

const sent = (path: string, more: Partial<Asked> = {}, of = api, values: { readonly [name: string]: string } = {}) =>
  Either.mapLeft(targetOf(of, values, { path, query: "", headers: {}, ...more }), ({ message, status }) => ({
    status,
    message
  }))

describe("what a call of a caller's own is sent to", () => {
  it("is what the caller wrote, as it was written", () => {
    for (const path of [
      "/",
      "/v3/objects/contacts",
      "/v1/lead/lead_1/",
      "/contact/email/ada@engine.example/profile",
      "/people/Ada%20Lovelace",
      "/files/a%2Fb.pdf",
      "/discount/100%25",
      "/twice/%2541",
      "/search;lang=en/x",
      "/v1/documents:batch",
      "/at/2026-11-20T09:00:00Z",
      "/...",
      "/.well-known/x",
      "/names/%F0%9F%98%80",
      "/oauths",
      "/v1/oauth"
    ]) {
      assert.deepStrictEqual(sent(path), Either.right(path))
    }
    const query = "a=1&a=2&q=x%20y+z&empty=&%5B%5D=~"
    assert.deepStrictEqual(sent("/v3", { query }), Either.right(`/v3?${query}`))
  })

  it.each([
    ["/../x", "."],
    ["/v3/..", "."],
    ["/v3/./x", "."],
    ["/v3/%2e%2e/x", "."],
    ["/v3/.%2E/x", "."],
    ["/v3/%252e%252e/x", "."],
    ["/v3/..;x/y", "."],
    ["/v3/..%3Bx/y", "."],
    ["/v3/..%20/y", "."],
    ["/v3/a%2f..%2fb", "."],
    ["/v3/a%252f..%252fb", "."],
    ["//evil.example/x", "names a host"],
    ["///evil.example/x", "names a host"],
    ["/%2Fevil.example/x", "names a host"],
    ["/%252fevil.example/x", "names a host"],
    ["/https://evil.example/x", "absolute URL"],
    ["/https:%2F%2Fevil.example/x", "absolute URL"],
    ["/https%3A%2F%2Fevil.example", "absolute URL"],
    ["/javascript:", "absolute URL"],
    ["/v3//x", "empty segment"],
    ["/v3/%2F/x", "empty segment"],
    ["/v3\\..\\x", "backslash"],
    ["/v3/%5C..%5Cx", "backslash"],
    ["/%5c%5cevil.example", "backslash"],
    ["/v3/x%0d%0aHost:%20evil.example", "control character"],
    ["/v3/%250a", "control character"],
    ["/v3/%7F", "control character"],
    ["/v3/a b", "percent-encoded"],
    ["/v3/caf\u00E9", "percent-encoded"],
    ["/v3/x#y", "percent-encoded"],
    ["/v3/%c0%ae%c0%ae/x", "UTF-8"],
    ["/v3/%zz", "UTF-8"],
    ["/v3/%", "UTF-8"]
  ])("is refused by name: %s", (path, words) => {
    const refused = Either.getOrThrow(Either.flip(sent(path)))
    assert.strictEqual(refused.status, 400)
    assert.match(refused.message, /^path: /)
    assert.include(refused.message, words)
  })

  it("has no blanks and fragments in its query either", () => {
    for (const query of ["q=a b", "q=a#b", "q=\u00E9"]) {
      assert.strictEqual(Either.getOrThrow(Either.flip(sent("/v3", { query }))).status, 400)
    }
  })

  it.each([
    "/oauth",
    "/oauth/",
    "/oauth/v1/token",
    "/OAuth/v1/token",
    "/oauth;x=1/v1/token",
    "/oauth%20/v1",
    "/%6fauth/token",
    "/%256Fauth/token",
    "/oauth%2Ftoken",
    "/admin%2ftokens",
    "/admin/tokens/1"
  ])("is never what is closed: %s", (path) => {
    const refused = Either.getOrThrow(Either.flip(sent(path)))
    assert.strictEqual(refused.status, 403)
    assert.match(refused.message, /^path: https:\/\/api\.acme\.example\/(oauth|admin\/tokens) /)
  })

  it("brings no credential in its query", () => {
    const marked: NativeApi = { ...api, credentials: ["api_token"] }
    for (const query of [
      "api_token=x",
      "a=1&API_TOKEN=x",
      "api%5Ftoken=x",
      "a=1;api_token=x",
      "api.token=x",
      "api_token[]=x",
      "+api+token=x",
      "access_token=",
      "oauth_token=x"
    ]) {
      const refused = Either.getOrThrow(Either.flip(sent("/v3", { query }, marked)))
      assert.strictEqual(refused.status, 403, query)
      assert.match(refused.message, /^(api|access|oauth)_token: carries a credential/)
    }
    for (const query of ["token=x", "api_tokens=1", "q=api_token", "x_api_token=1"]) {
      assert.deepStrictEqual(sent("/v3", { query }, marked), Either.right(`/v3?${query}`))
    }
    assert.deepStrictEqual(sent("/v3", { query: "api_token=x" }), Either.right("/v3?api_token=x"))
  })

  it("names the connection's account, wherever the provider looks for it", () => {
    const marked: NativeApi = {
      ...api,
      account: { path: "/v3/company/:realm", headers: { "acme-tenant": "tenant" }, query: { org: "org" } }
    }
    const values = { realm: "42", tenant: "a-b", org: "7" }
    const own = (path: string, more: Partial<Asked> = {}) => sent(path, more, marked, values)
    assert.deepStrictEqual(own("/v3/company/42/query"), Either.right("/v3/company/42/query?org=7"))
    assert.deepStrictEqual(own("/v3/company/:realm/query"), Either.right("/v3/company/42/query?org=7"))
    assert.deepStrictEqual(own("/v3/company/42", { query: "a=1&b=2" }), Either.right("/v3/company/42?org=7&a=1&b=2"))
    assert.deepStrictEqual(own("/v3/company/42", { query: "a=1&org=7" }), Either.right("/v3/company/42?a=1&org=7"))
    assert.isTrue(Either.isRight(own("/v3/company/42", { headers: { "acme-tenant": "A-B" } })))
    for (const [path, more] of [
      ["/v3/company/421/query", {}],
      ["/v3/company/4", {}],
      ["/v3/Company/42/query", {}],
      ["/v3/company%2F42/query", {}],
      ["/v4/anything", {}],
      ["/v3/company/42", { query: "org=8" }],
      ["/v3/company/42", { query: "org=7&org=8" }],
      ["/v3/company/42", { query: "org=7;org=8" }],
      ["/v3/company/42", { query: "o%72g=8" }],
      ["/v3/company/42", { query: "Org=8" }],
      ["/v3/company/42", { query: "org[]=8" }],
      ["/v3/company/42", { headers: { "acme-tenant": "a-c" } }],
      ["/v3/company/42", { headers: { "acme-tenant": "a-b, a-c" } }]
    ] as const) {
      assert.strictEqual(Either.getOrThrow(Either.flip(own(path, more))).status, 403, path + JSON.stringify(more))
    }
    assert.isTrue(Either.isLeft(sent("/v3/company/:realm/query", {}, marked, {})), "credentials without one")
  })
})
