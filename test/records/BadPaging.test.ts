import { HttpClient, HttpClientResponse } from "@effect/platform"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { All } from "../../src/All.ts"
import { simulators } from "../../src/Simulators.ts"
import {
  type Call,
  failureOf,
  pageOf,
  refusalOf,
  SandboxApplication,
  sandboxApplication,
  walk
} from "../support/SandboxApplication.ts"

interface Reply {
  readonly status?: number
  readonly type?: string
  readonly body: string
}

const json = (body: unknown): Reply => ({ body: JSON.stringify(body) })

const contactOf = (id: number) => ({
  id: String(id),
  properties: { lastname: `Number ${id}` },
  createdAt: "2026-01-01T00:00:00Z",
  updatedAt: "2026-01-01T00:00:00Z"
})

const pageOfHubSpot = (ids: ReadonlyArray<number>, after?: string) =>
  json({ results: ids.map(contactOf), ...(after === undefined ? {} : { paging: { next: { after } } }) })

/** HubSpot's answer from a position on, by the number of calls. */
let hubspot: (after: string | null, asked: number) => Reply = () => pageOfHubSpot([])
let asked = 0

/** Pipedrive has six persons, one on each page. */
const pipedrive = (cursor: string | null) => {
  const id = Number(cursor) + 1
  const at = "2026-01-01T00:00:00Z"
  return json({
    success: true,
    data: [{ id, name: `Person ${id}`, add_time: at, update_time: at }],
    additional_data: { next_cursor: id < 6 ? String(id) : null }
  })
}

const network = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request, url) =>
    Effect.sync(() => {
      const {
        body,
        status = 200,
        type = "application/json"
      } = url.hostname.includes("hub")
        ? hubspot(url.searchParams.get("after"), (asked += 1))
        : pipedrive(url.searchParams.get("cursor"))
      return HttpClientResponse.fromWeb(request, new Response(body, { status, headers: { "content-type": type } }))
    })
  )
)

layer(sandboxApplication({ PROVIDER_PIPEDRIVE_BASE_URL: "https://pipedrive.test" }, All, simulators, network), {
  timeout: "60 seconds"
})("a list of a provider that pages badly", (it) => {
  const caller = (providers: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      asked = 0
      return yield* app.caller(providers, { environment: "production" })
    })

  const next = (call: Call, path: string, cursor: string | null) =>
    call("GET", cursor === null ? path : `${path}&cursor=${encodeURIComponent(cursor)}`)

  it.effect("ends where the same position comes again", () =>
    Effect.gen(function* () {
      const { call } = yield* caller(["hubspot"])
      hubspot = (after) => pageOfHubSpot(after === null ? [1, 2] : [3, 4], "7")
      const path = "/crm/contact?provider=hubspot&limit=2"
      const first = pageOf(yield* next(call, path, null))
      const second = pageOf(yield* next(call, path, first.pagination.cursor))
      assert.deepStrictEqual(
        [...first.data, ...second.data].map(({ remote_id }) => remote_id),
        ["1", "2", "3", "4"]
      )
      const third = yield* next(call, path, second.pagination.cursor)
      assert.deepStrictEqual(refusalOf(third), [502, "PROVIDER_ERROR"])
      assert.include(failureOf(third).message, "a position in the list that it had given before")
      assert.strictEqual(failureOf(third).provider?.slug, "hubspot")
    })
  )

  it.effect("goes on without it where there are others", () =>
    Effect.gen(function* () {
      const { call, connections } = yield* caller(["hubspot", "pipedrive"])
      hubspot = (after) => pageOfHubSpot([], String(Number(after) + 1))
      const path = "/crm/contact?limit=10"
      const seen: Array<unknown> = []
      const errors: Array<unknown> = []
      let cursor: string | null = null
      for (let i = 0; i === 0 || cursor !== null; i += 1) {
        assert.isBelow(i, 10)
        const page: ReturnType<typeof pageOf> = pageOf(yield* next(call, path, cursor))
        seen.push(...page.data.map(({ remote_id }) => remote_id))
        errors.push(...(page.errors ?? []))
        cursor = page.pagination.cursor
      }
      assert.deepStrictEqual(seen, ["1", "2", "3", "4", "5", "6"])
      assert.lengthOf(errors, 1)
      assert.deepInclude(errors[0], {
        connectionId: connections.hubspot,
        provider: "hubspot",
        code: "PROVIDER_ERROR",
        retryable: false
      })
      assert.isAtMost(asked, 20)
    })
  )

  it.effect("gives all of a page larger than asked for, never more than `limit` at a time", () =>
    Effect.gen(function* () {
      const { call } = yield* caller(["hubspot"])
      const ids = Array.from({ length: 60 }, (_, i) => i + 1)
      hubspot = (after) => (after === null ? pageOfHubSpot(ids, "61") : pageOfHubSpot([61, 62, 60]))
      const { records, sizes } = yield* walk(call, "/crm/contact?provider=hubspot", 25)
      assert.deepStrictEqual(
        records.map(({ remote_id }) => Number(remote_id)),
        [...ids, 61, 62]
      )
      assert.isTrue(sizes.every((size) => size <= 25))
    })
  )

  it.effect("tries again after a firewall's page, and never takes it for a refusal of the account", () =>
    Effect.gen(function* () {
      const { call, connections } = yield* caller(["hubspot", "pipedrive"])
      const page = { type: "text/html", body: "<html><body>Access denied</body></html>" }
      hubspot = (after, count) =>
        after === null
          ? pageOfHubSpot([1, 2], "2")
          : count <= 3
            ? { ...page, status: count === 2 ? 403 : 401 }
            : count === 4
              ? { status: 403, type: "text/plain", body: "error code: 1020" }
              : pageOfHubSpot([3])
      const path = "/crm/contact?limit=4"
      let cursor = pageOf(yield* next(call, path, null)).pagination.cursor
      for (let i = 0; i < 3; i += 1) {
        const between: ReturnType<typeof pageOf> = pageOf(yield* next(call, path, cursor))
        assert.lengthOf(between.data, 1)
        assert.deepInclude(between.errors?.[0], { provider: "hubspot", code: "PROVIDER_ERROR", retryable: true })
        cursor = between.pagination.cursor
      }
      const last = pageOf(yield* next(call, path, cursor))
      assert.deepStrictEqual(
        last.data.map(({ remote_id }) => remote_id),
        ["3", "5"]
      )
      hubspot = () => ({ ...page, status: 403 })
      const one = yield* call("GET", "/crm/contact/1?provider=hubspot")
      assert.deepStrictEqual(refusalOf(one), [502, "PROVIDER_ERROR"])
      const held = yield* call("GET", `/connections/${String(connections.hubspot)}`)
      assert.include(JSON.stringify(held.body), '"active"')
    })
  )
})
