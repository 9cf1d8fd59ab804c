import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { simulator } from "../../../src/toolkits/linear/simulator/LinearSimulator.ts"
import { onPort } from "../../support/OnPort.ts"

const Tokens = Schema.decodeUnknownSync(
  Schema.Record({ key: Schema.String, value: Schema.Union(Schema.String, Schema.Number) })
)

const served = Effect.map(onPort(simulator), ({ accessToken, refreshToken, url }) => ({
  refreshToken,
  ask: (query: string, variables: object = {}, token = accessToken) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}/graphql`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ query, variables })
      })
      const body: unknown = await response.json()
      return { status: response.status, headers: response.headers, body, text: JSON.stringify(body) }
    }),
  token: (form: { readonly [name: string]: string }) =>
    Effect.promise(async () => {
      const body = new URLSearchParams({ client_id: "c", client_secret: "s", grant_type: "refresh_token", ...form })
      const response = await fetch(`${url}/oauth/token`, { method: "POST", body })
      return { status: response.status, body: Tokens(await response.json()) }
    })
}))

it.scopedLive("answers exactly what is asked for, with aliases, fragments and literals", () =>
  Effect.gen(function* () {
    const { ask } = yield* served
    const { body } = yield* ask(`
      # a comment
      query Names($first: Int = 1) {
        people: users(first: $first, filter: { name: { startsWith: "Mira" } }) { nodes { ...Name __typename } }
        team: teams(filter: { key: { in: ["OPS"] } }) { nodes { key states(first: 1) { pageInfo { hasNextPage } } } }
      }
      fragment Name on User { name isMe }
    `)
    assert.deepStrictEqual(body, {
      data: {
        people: { nodes: [{ name: "Mira Okafor", isMe: true, __typename: "User" }] },
        team: { nodes: [{ key: "OPS", states: { pageInfo: { hasNextPage: true } } }] }
      }
    })
  })
)

it.scopedLive("refuses what its schema does not have, before anything runs", () =>
  Effect.gen(function* () {
    const { ask } = yield* served
    const refusals: ReadonlyArray<readonly [query: string, words: string, variables?: object]> = [
      ["{ viewer { id ", "Syntax Error: Expected Name, found <EOF>."],
      ["{ viewer { shoeSize } }", 'Cannot query field "shoeSize" on type "User".'],
      ["{ viewer }", 'Field "viewer" of type "User!" must have a selection of subfields.'],
      ["{ viewer { id { x } } }", 'Field "id" must not have a selection'],
      ["{ issues(colour: 1) { nodes { id } } }", 'Unknown argument "colour" on field "Query.issues".'],
      ["{ issue { id } }", 'argument "id" of type "String!" is required'],
      ["{ issue(id: $id) { id } }", 'Variable "$id" is not defined.'],
      [
        "query($id: Int!) { issue(id: $id) { id } }",
        'Variable "$id" of type "Int!" used in position expecting type "String!".'
      ],
      ["query($id: String!) { issue(id: $id) { id } }", 'Variable "$id" of required type "String!" was not provided.'],
      [
        "query($f: IssueFilter) { issues(filter: $f) { nodes { id } } }",
        'Field \\"colour\\" is not defined by type \\"IssueFilter\\".',
        { f: { colour: 1 } }
      ],
      [
        "mutation($i: IssueCreateInput!) { issueCreate(input: $i) { success } }",
        'Field \\"teamId\\" of required type \\"String!\\" was not provided.',
        { i: { title: "x" } }
      ],
      ["{ a: viewer { ...Loop } } fragment Loop on User { ...Loop }", 'Cannot spread fragment "Loop" within itself.'],
      ["subscription { issues { id } }", "Schema is not configured to execute subscription operation."],
      ["{ __schema { types { name } } }", "introspection has been disabled"],
      [
        `{ viewer ${"{ assignedIssues { nodes { assignee ".repeat(5)}{ id }${" } } }".repeat(5)} }`,
        "Query is too complex"
      ],
      ["query A { viewer { id } } query B { viewer { id } }", "Must provide operation name"]
    ]
    for (const [query, words, variables] of refusals) {
      const { status, text } = yield* ask(query, variables)
      assert.strictEqual(status, 400, query)
      assert.include(
        text.replaceAll('\\\\\\"', '\\"'),
        words.includes('\\"') ? words : words.replaceAll('"', '\\"'),
        query
      )
      assert.include(text, "GRAPHQL_VALIDATION_FAILED", query)
    }
  })
)

it.scopedLive("counts the points of what is asked for, as documented", () =>
  Effect.gen(function* () {
    const { ask } = yield* served
    const issues = "assignedIssues { nodes { id title createdAt } }"
    for (const [query, points, variables] of [
      ["{ viewer { name } }", 2],
      [`{ viewer { ${issues} } }`, 66],
      [`{ viewer { ${issues.replace("{", "(first: 10) {")} } }`, 14],
      [`query($n: Int) { viewer { ${issues.replace("{", "(first: $n) {")} } }`, 14, { n: 10 }],
      ["{ viewer { ...Named ... on User { email } } } fragment Named on User { name }", 2],
      ["query A { viewer { name } }", 2]
    ] as const) {
      const { headers, status } = yield* ask(query, variables)
      assert.deepStrictEqual([status, headers.get("x-complexity")], [200, String(points)], query)
      assert.strictEqual(headers.get("x-ratelimit-complexity-limit"), "2000000")
    }
  })
)

it.scopedLive("tells what fails while it runs with status 200, and a bad token with 401", () =>
  Effect.gen(function* () {
    const { ask } = yield* served
    const missing = yield* ask('{ issue(id: "HAR-9999") { id } }')
    assert.strictEqual(missing.status, 200)
    assert.include(missing.text, '"data":null')
    const stranger = yield* ask("{ viewer { id } }", {}, "made.up")
    assert.deepStrictEqual([stranger.status, stranger.text.includes("AUTHENTICATION_ERROR")], [401, true])
  })
)

it.scopedLive("gives new tokens for a refresh token", () =>
  Effect.gen(function* () {
    const { ask, refreshToken, token } = yield* served
    const fresh = yield* token({ refresh_token: refreshToken })
    assert.containsAllKeys(fresh.body, ["access_token", "refresh_token", "expires_in"])
    assert.strictEqual((yield* ask("{ viewer { id } }", {}, String(fresh.body["access_token"]))).status, 200)
    const wrong = yield* token({ refresh_token: "made.up" })
    assert.deepStrictEqual([wrong.status, wrong.body["error"]], [400, "invalid_grant"])
  })
)
