import { HttpLayerRouter, HttpServerResponse } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, type Scope } from "effect"
import * as Metrics from "./Metrics.ts"

/** Whether this process can answer requests now, and if not, which part it needs is away. */
export interface Readiness {
  readonly ready: boolean
  readonly checks: Record<string, "ok" | "failing">
}

/**
 * Readiness: parts that requests cannot do without register a check. What the service can do without (Redis, the
 * telemetry collector) has none, or an outage of it would take every instance out of the load balancer.
 */
export class Health extends Context.Tag("tributary/platform/Health")<
  Health,
  {
    /** Adds a check until the scope closes. A check that fails, or does not answer within 1 s, is failing. */
    readonly register: <E>(name: string, check: Effect.Effect<void, E>) => Effect.Effect<void, never, Scope.Scope>
    readonly ready: Effect.Effect<Readiness>
  }
>() {
  static readonly layer = Layer.sync(Health, () => {
    const checks = new Map<string, Effect.Effect<"ok" | "failing">>()

    return Health.of({
      register: (name, check) => {
        let last: "ok" | "failing" = "ok"
        const run = check.pipe(
          // Disconnected, so that a check that cannot be interrupted does not outlast its second.
          Effect.disconnect,
          Effect.timeout("1 second"),
          Effect.matchCauseEffect({
            onSuccess: () => Effect.succeed("ok" as const),
            onFailure: (cause) =>
              Effect.as(
                last === "ok" ? Effect.logWarning(`Not ready: ${name} is failing`, cause) : Effect.void,
                "failing" as const
              )
          }),
          Effect.tap((status) => {
            last = status
          }),
          Effect.withTracerEnabled(false)
        )
        return Effect.acquireRelease(
          Effect.sync(() => checks.set(name, run)),
          () => Effect.sync(() => checks.delete(name))
        )
      },
      ready: Effect.suspend(() => Effect.all(Object.fromEntries(checks), { concurrency: "unbounded" })).pipe(
        Effect.map((checks) => ({ ready: Object.values(checks).every((status) => status === "ok"), checks }))
      )
    })
  })
}

/** The service is not ready while its database does not answer. */
export const databaseCheck: Layer.Layer<never, never, Health | SqlClient.SqlClient> = Layer.scopedDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* (yield* Health).register("database", Effect.asVoid(sql`select 1`))
  })
)

/** `GET /health/live` (always 200), `/health/ready` (200 or 503) and `/metrics`. Asked often: never cached or traced. */
export const routes: Layer.Layer<never, never, HttpLayerRouter.HttpRouter | Health> = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    const health = yield* Health
    const headers = { "cache-control": "no-store" }
    yield* router.add("GET", "/health/live", HttpServerResponse.unsafeJson({ live: true }, { headers }))
    yield* router.add(
      "GET",
      "/health/ready",
      Effect.map(health.ready, (readiness) =>
        HttpServerResponse.unsafeJson(readiness, { headers, status: readiness.ready ? 200 : 503 })
      )
    )
    yield* router.add(
      "GET",
      "/metrics",
      Effect.map(Metrics.render, (text) =>
        HttpServerResponse.text(text, { headers, contentType: "text/plain; version=0.0.4; charset=utf-8" })
      )
    )
  })
)
