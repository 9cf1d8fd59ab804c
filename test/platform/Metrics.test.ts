import { HttpClient, HttpLayerRouter } from "@effect/platform"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Logger, Metric, Ref, Scope, TestClock } from "effect"
import { Health, routes } from "../../src/platform/Health.ts"
import * as Metrics from "../../src/platform/Metrics.ts"
import { full } from "../support/Full.ts"

// Counters belong to the process, which other files may share: what is counted here has names of its own.
describe("Metrics", () => {
  full(it).effect("counts requests by route and times them in seconds", () =>
    Effect.gen(function* () {
      const request = { method: "GET", route: "/counted", status: 200 }
      yield* Metrics.httpRequest({ ...request, seconds: 0.004 })
      yield* Metrics.httpRequest({ ...request, seconds: 0.3 })
      yield* Metrics.httpRequest({ ...request, status: 429, seconds: 45 })
      yield* Metrics.httpRequest({ ...request, method: "BREW", route: "/uncounted", status: 404, seconds: 0.001 })

      const { samples, types } = parse(yield* Metrics.render)
      const route = { method: "GET", route: "/counted" }
      const value = (name: string, labels: Record<string, string>) => samples.get(id(name, labels))
      assert.strictEqual(types.get("http_requests_total"), "counter")
      assert.strictEqual(value("http_requests_total", { ...route, status: "200" }), 2)
      assert.strictEqual(value("http_requests_total", { ...route, status: "429" }), 1)
      assert.strictEqual(value("http_requests_total", { method: "OTHER", route: "/uncounted", status: "404" }), 1)

      assert.strictEqual(types.get("http_request_duration_seconds"), "histogram")
      const bucket = (le: string) => value("http_request_duration_seconds_bucket", { ...route, le })
      assert.deepStrictEqual(["0.005", "0.25", "0.5", "30", "+Inf"].map(bucket), [1, 1, 2, 2, 3])
      assert.strictEqual(value("http_request_duration_seconds_count", route), 3)
      assert.closeTo(value("http_request_duration_seconds_sum", route) ?? 0, 45.304, 1e-9)
    })
  )

  full(it).effect("counts providers, refreshes and limits", () =>
    Effect.gen(function* () {
      yield* Metrics.providerRequest({
        provider: "counted_alone",
        operation: "invoice.list",
        status: "timeout",
        seconds: 20
      })
      yield* Metrics.tokenRefresh("counted_alone", "refused")
      yield* Metrics.rateLimited("counted here alone")
      const { samples } = parse(yield* Metrics.render)
      const operation = { provider: "counted_alone", operation: "invoice.list" }
      assert.strictEqual(samples.get(id("provider_requests_total", { ...operation, status: "timeout" })), 1)
      assert.strictEqual(samples.get(id("provider_request_duration_seconds_sum", operation)), 20)
      assert.strictEqual(samples.get(id("token_refreshes_total", { provider: "counted_alone", outcome: "refused" })), 1)
      assert.strictEqual(samples.get(id("rate_limited_total", { policy: "counted here alone" })), 1)
    })
  )

  full(it).effect(
    "tells what alerts stand on: connections, budgets, waits, caches, tools and how late the event loop is",
    () =>
      Effect.gen(function* () {
        yield* Metrics.providerError("counted_alone", "TimedOut")
        Metrics.budgetLeft("counted_alone", "daily", 9, 1_000)
        Metrics.budgetLeft("counted_alone", "daily", 70, 2_000)
        yield* Metrics.slotWaited("counted_alone", 250)
        Metrics.poolHas({ idle: 3, used: 7, waiting: 2 })
        Metrics.cacheRead("counted_alone", true)
        yield* Metrics.toolCall({ toolkit: "counted_alone", outcome: "failed", seconds: 1 })
        const value = (name: string, labels: Record<string, string>) =>
          Effect.map(Metrics.render, (text) => parse(text).samples.get(id(name, labels)))
        const provider = "counted_alone"
        assert.strictEqual(yield* value("provider_errors_total", { provider, reason: "timed_out" }), 1)
        assert.strictEqual(yield* value("provider_budget_remaining", { provider, limit: "daily" }), 9)
        Metrics.budgetLeft(provider, "daily", 70, 62_000)
        assert.strictEqual(yield* value("provider_budget_remaining", { provider, limit: "daily" }), 70)
        assert.strictEqual(yield* value("provider_slot_wait_seconds_sum", { provider }), 0.25)
        assert.strictEqual(yield* value("database_pool_connections", { state: "waiting" }), 2)
        assert.strictEqual(yield* value("cache_reads_total", { cache: "counted_alone", outcome: "hit" }), 1)
        assert.strictEqual(yield* value("tool_calls_total", { toolkit: "counted_alone", outcome: "failed" }), 1)
        assert.isAtLeast((yield* value("nodejs_event_loop_delay_seconds", { quantile: "0.99" })) ?? -1, 0)

        const connections = (status: string) => value("connections", { provider, status })
        yield* Metrics.connectionsCounted([{ provider, status: "active", count: 2 }])
        assert.strictEqual(yield* connections("active"), 2)
        yield* Metrics.connectionsCounted([{ provider, status: "needs_reauth", count: 2 }])
        assert.deepStrictEqual([yield* connections("active"), yield* connections("needs_reauth")], [0, 2])
      })
  )

  it.effect("escapes labels and help, describes the process, and leaves out the runtime's own metrics", () =>
    Effect.gen(function* () {
      const odd = 'a "quoted" \\ back\nline'
      yield* Metric.increment(Metric.tagged(Metric.counter("odd.name", { description: odd }), "label", odd))
      yield* Metric.increment(Metric.counter("effect_fiber_started"))
      const text = yield* Metrics.render
      const { samples, types } = parse(text)
      assert.strictEqual(samples.get(id("odd_name", { label: odd })), 1)
      assert.isAbove(samples.get(id("process_resident_memory_bytes", {})) ?? 0, 1e6)
      assert.isAbove(samples.get(id("process_cpu_seconds_total", {})) ?? 0, 0)
      assert.strictEqual(types.get("nodejs_event_loop_active_seconds_total"), "counter")
      assert.notInclude(text, "effect_fiber")
    })
  )
})

describe("health routes", () => {
  full(it).scoped("is live always, and ready while every check passes", () =>
    Effect.gen(function* () {
      const health = yield* Health
      const get = (path: string) =>
        HttpClient.get(path).pipe(Effect.flatMap((r) => Effect.map(r.json, (body) => ({ status: r.status, body }))))
      const failing = yield* Ref.make(false)
      const scope = yield* Scope.make()
      yield* health.register("database", Effect.void)
      yield* health
        .register("queue", Effect.whenEffect(Effect.fail("gone"), Ref.get(failing)).pipe(Effect.asVoid))
        .pipe(Scope.extend(scope))

      assert.deepStrictEqual(yield* get("/health/ready"), {
        status: 200,
        body: { ready: true, checks: { database: "ok", queue: "ok" } }
      })
      yield* Ref.set(failing, true)
      assert.deepStrictEqual(yield* get("/health/ready"), {
        status: 503,
        body: { ready: false, checks: { database: "ok", queue: "failing" } }
      })
      assert.strictEqual((yield* get("/health/live")).status, 200)
      yield* Scope.close(scope, yield* Effect.exit(Effect.void))
      assert.deepStrictEqual((yield* get("/health/ready")).body, { ready: true, checks: { database: "ok" } })

      const scrape = yield* HttpClient.get("/metrics")
      assert.strictEqual(scrape.headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
      assert.isAbove(parse(yield* scrape.text).samples.size, 5)
    }).pipe(Effect.provide(served))
  )

  it.scoped("does not wait longer than a second for a check, even one that cannot be interrupted", () =>
    Effect.gen(function* () {
      const health = yield* Health
      const started = yield* Deferred.make<void>()
      yield* health.register(
        "stuck",
        Effect.zipRight(Deferred.succeed(started, undefined), Effect.uninterruptible(Effect.sleep("1 hour")))
      )
      const ready = yield* Effect.fork(health.ready)
      yield* Deferred.await(started)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(ready), { ready: false, checks: { stuck: "failing" } })
      yield* TestClock.adjust("1 hour")
    }).pipe(Effect.provide(Health.layer), Effect.provide(quiet))
  )
})

const quiet = Logger.remove(Logger.defaultLogger)

const served = HttpLayerRouter.serve(routes, { disableListenLog: true, disableLogger: true }).pipe(
  Layer.provideMerge(Health.layer),
  Layer.provideMerge(NodeHttpServer.layerTest),
  Layer.provide(quiet)
)

/** Identity of a series, whatever the order of its labels. */
const id = (name: string, labels: Record<string, string>) =>
  JSON.stringify([name, ...Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))])

/** Reads the Prometheus text format strictly: every line must be of it, each family described before its samples. */
const parse = (text: string) => {
  const samples = new Map<string, number>()
  const types = new Map<string, string>()
  assert.isTrue(text.endsWith("\n"))
  for (const line of text.slice(0, -1).split("\n")) {
    if (line.startsWith("# HELP ")) continue
    const type = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram)$/.exec(line)
    if (type?.[1] !== undefined && type[2] !== undefined) {
      assert.isFalse(types.has(type[1]), `${type[1]} is described twice`)
      types.set(type[1], type[2])
      continue
    }
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? ([-+.\deE]+|[+-]Inf|NaN)$/.exec(line)
    assert.isNotNull(sample, line)
    const [, name = "", labels = "", value = ""] = sample ?? []
    assert.isTrue(types.has(name) || types.has(name.replace(/_(bucket|sum|count)$/, "")), line)
    const pairs = [...labels.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/g)]
    assert.strictEqual(pairs.map(([pair]) => pair).join(""), labels, line)
    const unescaped = pairs.map(([, key = "", value = ""]) => [
      key,
      value.replace(/\\(.)/g, (_, c) => (c === "n" ? "\n" : c))
    ])
    const key = id(name, Object.fromEntries(unescaped))
    assert.isFalse(samples.has(key), `${line} comes twice`)
    samples.set(key, Number(value.replace("Inf", "Infinity")))
  }
  return { samples, types }
}
