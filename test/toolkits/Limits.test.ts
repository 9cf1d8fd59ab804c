import { HttpClientRequest } from "@effect/platform"
import { assert, describe, it, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Fiber, Layer, TestClock } from "effect"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { Strictness } from "../../src/providers/simulation/Limits.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { client, connect, type Simulator } from "../../src/providers/simulation/Simulator.ts"
import { GitHub } from "../../src/toolkits/github/GitHub.ts"
import { simulator as github } from "../../src/toolkits/github/simulator/GitHubSimulator.ts"
import { Gmail } from "../../src/toolkits/gmail/Gmail.ts"
import { simulator as gmail } from "../../src/toolkits/gmail/simulator/GmailSimulator.ts"
import { Jira } from "../../src/toolkits/jira/Jira.ts"
import { cloudIdOf } from "../../src/toolkits/jira/simulator/Answers.ts"
import { simulator as jira } from "../../src/toolkits/jira/simulator/JiraSimulator.ts"
import { Linear } from "../../src/toolkits/linear/Linear.ts"
import { simulator as linear } from "../../src/toolkits/linear/simulator/LinearSimulator.ts"
import { Notion } from "../../src/toolkits/notion/Notion.ts"
import { simulator as notion } from "../../src/toolkits/notion/simulator/NotionSimulator.ts"
import { toolbox, tools } from "../support/Toolbox.ts"

/** Budgets in memory: the test's clock is not Redis's. */
const inMemory = Layer.setConfigProvider(
  ConfigProvider.fromEnv().pipe(
    ConfigProvider.mapInputPath((path) => (path === "REDIS_URL" ? "REDIS_URL_OF_NO_TEST" : path))
  )
)

const strict = Layer.succeed(Strictness, { isStrict: true, duration: 0 })

/** A simulator that answers only so many calls of a limit, named, and tells how many it got. */
const tight = (simulator: Simulator, name: string, most: number) => {
  const told = { calls: 0 }
  return {
    told,
    simulator: {
      ...simulator,
      limits: {
        ...simulator.limits,
        windows: (simulator.limits?.windows ?? []).map((one) => ({
          ...one,
          ...(one.name === name ? { most } : {}),
          cost: (request, ofRoute) => {
            if (one.name === name) told.calls += 1
            return one.cost?.(request, ofRoute) ?? 1
          }
        }))
      }
    } satisfies Simulator
  }
}

const site = `/ex/jira/${cloudIdOf("acme")}/rest/api/3`

const viewer = JSON.stringify({ query: "{ viewer { id } }" })

/** A cheap request of each, with a body where it is a POST. */
const requests: { readonly [name: string]: readonly [simulator: Simulator, path: string, body?: string] } = {
  github: [github, "/user"],
  "github, searches": [github, "/search/issues?q=is%3Aissue+port"],
  "github, code": [github, "/search/code?q=port"],
  gmail: [gmail, "/gmail/v1/users/me/labels"],
  "gmail, threads": [gmail, "/gmail/v1/users/me/threads"],
  jira: [jira, `${site}/project/search`],
  linear: [linear, "/graphql", viewer],
  "linear, points": [linear, "/graphql", viewer],
  notion: [notion, "/v1/users/me"]
}

const send = ([simulator, path, body]: (typeof requests)[string], method?: "PUT") =>
  Effect.gen(function* () {
    const http = yield* client(simulator)
    const { accessToken } = yield* connect(simulator, "acme", 1_000_000)
    const plain = HttpClientRequest.make(method ?? (body === undefined ? "GET" : "POST"))(
      `https://toolkit.example${path}`,
      {
        headers: { authorization: `Bearer ${accessToken}`, "user-agent": "test", "notion-version": "2025-09-03" }
      }
    )
    const request = body === undefined ? plain : HttpClientRequest.bodyText(plain, body, "application/json")
    return Effect.flatMap(http.execute(request), ({ headers, status, text }) =>
      Effect.map(text, (text) => ({ status, headers, text }))
    )
  })

/** The refusals of calls beyond a window's limit of which two calls are left, as documented. */
const refusals: ReadonlyArray<
  readonly [
    name: string,
    limit: string,
    units: number,
    seconds: number,
    status: number,
    words: RegExp,
    headers: { readonly [name: string]: string }
  ]
> = [
  ["github", "core", 1, 3600, 403, /API rate limit exceeded/, { "x-ratelimit-remaining": "0" }],
  ["github", "points", 1, 60, 403, /secondary rate limit/, { "retry-after": "60" }],
  ["github, searches", "search", 1, 60, 403, /API rate limit/, { "x-ratelimit-resource": "search" }],
  ["github, code", "code_search", 1, 60, 403, /API rate limit/, { "x-ratelimit-reset": "60" }],
  ["gmail", "user", 1, 60, 403, /"reason":"userRateLimitExceeded"/, {}],
  ["gmail, threads", "project", 10, 60, 403, /"reason":"rateLimitExceeded"/, {}],
  ["jira", "points", 1, 3600, 429, /Rate limit/, { "ratelimit-reason": "jira-quota-global-based" }],
  ["jira", "burst of GET", 1, 1, 429, /Rate/, { "x-ratelimit-limit": "100", "ratelimit-reason": "jira-burst-based" }],
  ["linear", "requests", 1, 3600, 400, /"code":"RATELIMITED"/, { "x-ratelimit-requests-remaining": "0" }],
  ["linear, points", "complexity", 2, 3600, 400, /complexity points/, { "x-ratelimit-complexity-remaining": "0" }],
  ["notion", "minute", 1, 60, 429, /"code":"rate_limited"/, { "retry-after": "60" }]
]

const test = Effect.provide(Layer.mergeAll(SimulationStore.layerMemory, Faults.layer, strict))

describe("limits of the toolkits' simulators in strict mode", () => {
  it.effect.each(refusals)("%s: %s", ([name, limit, units, seconds, status, words, headers]) =>
    Effect.gen(function* () {
      const [simulator, ...request] = requests[name] ?? [github, ""]
      const call = yield* send([tight(simulator, limit, 2 * units).simulator, ...request])
      assert.deepStrictEqual([(yield* call).status, (yield* call).status], [200, 200])
      const refused = yield* call
      assert.strictEqual(refused.status, status)
      assert.match(refused.text, words)
      assert.deepInclude(refused.headers, headers)
      yield* TestClock.adjust((seconds - 1) * 1000)
      assert.strictEqual((yield* call).status, status)
      yield* TestClock.adjust(1000)
      assert.strictEqual((yield* call).status, 200)
    }).pipe(test)
  )

  it.effect("Jira counts writes to one issue apart from those to others", () =>
    Effect.gen(function* () {
      const write = (issue: string) => send([jira, `${site}/issue/${issue}/assignee`, "{}"], "PUT")
      const [one, other] = [yield* write("HARBOR-1"), yield* write("HARBOR-2")]
      for (let i = 0; i < 20; i += 1) assert.notStrictEqual((yield* one).status, 429)
      const refused = yield* one
      assert.deepInclude(refused, { status: 429 })
      assert.deepInclude(refused.headers, { "ratelimit-reason": "jira-per-issue-on-write", "retry-after": "2" })
      assert.notStrictEqual((yield* other).status, 429)
      yield* TestClock.adjust("2 seconds")
      assert.notStrictEqual((yield* one).status, 429)
    }).pipe(test)
  )

  it.effect("none is enforced otherwise", () =>
    Effect.gen(function* () {
      const call = yield* send(requests["notion"] ?? [notion, ""])
      assert.isTrue((yield* Effect.replicateEffect(call, 200)).every(({ status }) => status === 200))
    }).pipe(Effect.provide(Layer.mergeAll(SimulationStore.layerMemory, Faults.layer)))
  )
})

/** A tool that takes one call, and the first limit of its toolkit with its window in seconds. */
const tooled = [
  { ...tight(github, "core", 3), toolkit: GitHub, tool: "github_get_me", seconds: 3600 },
  { ...tight(gmail, "user", 3), toolkit: Gmail, tool: "gmail_list_labels", seconds: 60 },
  { ...tight(jira, "points", 3), toolkit: Jira, tool: "jira_list_projects", seconds: 3600 },
  { ...tight(linear, "requests", 3), toolkit: Linear, tool: "linear_get_me", seconds: 3600 },
  { ...tight(notion, "minute", 3), toolkit: Notion, tool: "notion_get_me", seconds: 60 }
]

for (const { seconds, simulator, told, tool, toolkit } of tooled) {
  const { call, refusal } = tools(simulator.slug)
  const values = simulator.slug === "jira" ? { cloudId: cloudIdOf("acme") } : {}
  layer(toolbox(toolkit, simulator, values).pipe(Layer.provide(strict), Layer.provide(inMemory)))(
    `${simulator.slug}: backoff`,
    (it) => {
      it.effect("a used-up limit is met once at most, and left alone until it is back", () =>
        Effect.gen(function* () {
          for (let i = 0; i < 3; i += 1) yield* call(tool)
          assert.strictEqual(told.calls, 3)
          const { reason } = yield* refusal(tool)
          assert.strictEqual(reason._tag, "LimitReached")
          const spent = told.calls
          assert.isAtMost(spent, 4)
          assert.strictEqual((yield* refusal(tool)).reason._tag, "LimitReached")
          assert.strictEqual(told.calls, spent)
          yield* TestClock.adjust(seconds * 1000)
          yield* call(tool)
          assert.strictEqual(told.calls, spent + 1)
        })
      )
    }
  )
}

const burst = tight(jira, "burst of GET", 1)

layer(
  toolbox(Jira, burst.simulator, { cloudId: cloudIdOf("acme") }).pipe(Layer.provide(strict), Layer.provide(inMemory))
)("jira: a burst", (it) => {
  it.effect("is waited out by the service itself", () =>
    Effect.gen(function* () {
      const { call } = tools("jira")
      yield* call("jira_list_projects")
      const second = yield* Effect.fork(call("jira_list_projects"))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(second)
      assert.strictEqual(burst.told.calls, 3)
    })
  )
})
