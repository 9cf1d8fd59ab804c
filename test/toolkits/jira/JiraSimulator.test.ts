import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { cloudIdOf } from "../../../src/toolkits/jira/simulator/Answers.ts"
import { simulator } from "../../../src/toolkits/jira/simulator/JiraSimulator.ts"
import { onPort } from "../../support/OnPort.ts"

const Tokens = Schema.decodeUnknownSync(
  Schema.Struct({ access_token: Schema.String, refresh_token: Schema.String, expires_in: Schema.Number })
)

const served = Effect.map(onPort(simulator), ({ accessToken, refreshToken, url }) => ({
  refreshToken,
  send: (method: string, path: string, body?: unknown, token = accessToken) =>
    Effect.promise(async () => {
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      return { status: response.status, text, body: text === "" ? undefined : (JSON.parse(text) as unknown) }
    })
}))

const root = `/ex/jira/${cloudIdOf("acme")}/rest/api/3`

it.scopedLive("refuses what the description does not have, in Jira's words", () =>
  Effect.gen(function* () {
    const { send } = yield* served
    assert.include((yield* send("GET", `${root}/project/search?colour=red`)).text, "Unknown query parameter 'colour'.")
    const unknown = yield* send("POST", `${root}/search/jql`, { jql: "project = WEB", colour: "red" })
    assert.deepStrictEqual(unknown, {
      status: 400,
      text: unknown.text,
      body: { errorMessages: ['Unrecognized field "colour"'], errors: {} }
    })
    const document = yield* send("POST", `${root}/issue/HARBOR-1/comment`, { body: "plain text" })
    assert.deepStrictEqual(document.body, { errorMessages: [], errors: { comment: "Comment body is not valid!" } })
    // the old search is gone
    assert.strictEqual((yield* send("GET", `${root}/search?jql=project=WEB`)).status, 404)
  })
)

it.scopedLive("answers for its own site only, which it names", () =>
  Effect.gen(function* () {
    const { send } = yield* served
    const sites = yield* send("GET", "/oauth/token/accessible-resources")
    assert.include(sites.text, cloudIdOf("acme"))
    assert.strictEqual((yield* send("GET", `${root}/myself`)).status, 200)
    assert.strictEqual((yield* send("GET", `/ex/jira/${cloudIdOf("other")}/rest/api/3/myself`)).status, 404)
    assert.strictEqual((yield* send("GET", `${root}/myself`, undefined, "made.up")).status, 401)
  })
)

it.scopedLive("gives new tokens for a refresh token in JSON, and refuses one that is made up", () =>
  Effect.gen(function* () {
    const { refreshToken, send } = yield* served
    const ask = (token: string) =>
      send("POST", "/oauth/token", {
        grant_type: "refresh_token",
        client_id: "c",
        client_secret: "s",
        refresh_token: token
      })
    const { access_token, expires_in, refresh_token } = Tokens((yield* ask(refreshToken)).body)
    assert.strictEqual(expires_in, 3600)
    assert.notStrictEqual(refresh_token, refreshToken)
    assert.strictEqual((yield* send("GET", `${root}/myself`, undefined, access_token)).status, 200)
    const refused = yield* ask("acme.made-up")
    assert.deepStrictEqual([refused.status, refused.text.includes("unauthorized_client")], [403, true])
  })
)
