import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { simulator } from "../../../src/toolkits/github/simulator/GitHubSimulator.ts"
import { onPort } from "../../support/OnPort.ts"

const served = Effect.map(onPort(simulator), ({ accessToken, refreshToken, url }) => ({
  refreshToken,
  send: (method: string, path: string, body?: unknown, token = accessToken) =>
    Effect.promise(async () => {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body: body instanceof URLSearchParams ? body : JSON.stringify(body) })
      })
      return { status: response.status, headers: response.headers, body: await response.json() }
    })
}))

const grant = (parameters: { readonly [name: string]: string }) =>
  new URLSearchParams({ client_id: "c", client_secret: "s", grant_type: "refresh_token", ...parameters })

it.scopedLive("refuses what the description does not have, in GitHub's words", () =>
  Effect.gen(function* () {
    const { send } = yield* served
    const repository = "/repos/larkspur-labs/harbor-api"
    const query = yield* send("GET", `${repository}/issues?colour=red`)
    assert.deepInclude(query, { status: 422 })
    assert.include(JSON.stringify(query.body), 'colour\\" is not a permitted key.')
    const body = yield* send("POST", `${repository}/issues`, { labels: 5, colour: "red" })
    const said = JSON.stringify(body.body)
    for (const words of ["title", "labels", "colour"]) assert.include(said, words)
    assert.strictEqual((yield* send("GET", `${repository}/nothing`)).status, 404)
    assert.deepInclude(yield* send("GET", "/user", undefined, "made.up"), {
      status: 401,
      body: {
        message: "Bad credentials",
        documentation_url: "https://docs.github.com/rest",
        status: "401"
      }
    })
  })
)

it.scopedLive("says where a list goes on as GitHub does, and takes paths with and without escapes", () =>
  Effect.gen(function* () {
    const { send } = yield* served
    const first = yield* send("GET", "/repos/larkspur-labs/harbor-api/issues?state=all&per_page=20")
    assert.strictEqual(
      first.headers.get("link"),
      '<https://api.github.com/repos/larkspur-labs/harbor-api/issues?state=all&per_page=20&page=2>; rel="next", ' +
        '<https://api.github.com/repos/larkspur-labs/harbor-api/issues?state=all&per_page=20&page=4>; rel="last"'
    )
    assert.strictEqual(first.headers.get("x-ratelimit-resource"), "core")
    for (const path of ["src/carriers/post.ts", "src%2Fcarriers%2Fpost.ts"]) {
      assert.strictEqual((yield* send("GET", `/repos/Larkspur-Labs/Harbor-API/contents/${path}`)).status, 200)
    }
  })
)

it.scopedLive("replaces the refresh token each time, and answers errors with 200", () =>
  Effect.gen(function* () {
    const { refreshToken, send } = yield* served
    const path = "/login/oauth/access_token"
    const fresh = yield* send("POST", path, grant({ refresh_token: refreshToken }))
    assert.containsAllKeys(fresh.body, ["access_token", "expires_in", "refresh_token", "refresh_token_expires_in"])
    const again = yield* send("POST", path, grant({ refresh_token: refreshToken }))
    assert.strictEqual(again.status, 200)
    assert.include(JSON.stringify(again.body), "bad_refresh_token")
    const code = yield* send("POST", path, grant({ grant_type: "authorization_code", code: "made.up" }))
    assert.include(JSON.stringify(code.body), "bad_verification_code")
  })
)
