import { HttpLayerRouter, HttpServerResponse } from "@effect/platform"
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option, Cause, Schema, type Scope } from "effect"
import * as Metrics from "./Metrics.ts"

/** Whether this process can answer requests now, and if not, which part it needs is away. */
export interface Readiness {
  readonly ready: boolean
  readonly checks: Record<string, "ok" | "failing">
  /** One sentence for whoever looks after the service, where a failing check gives one. */
  readonly reason?: string
}

/** How a check fails that knows why. */
export class NotReady extends Schema.TaggedError<NotReady>()("NotReady", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
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
    const checks = new Map<string, Effect.Effect<Outcome>>()

    return Health.of({
      register: (name, check) => {
        let last: Outcome["status"] = "ok"
        const run = check.pipe(
          // Disconnected, so that a check that cannot be interrupted does not outlast its second.
          Effect.disconnect,
          Effect.timeout("1 second"),
          Effect.matchCauseEffect({
            onSuccess: () => Effect.succeed<Outcome>({ status: "ok" }),
            onFailure: (cause) => {
              const { reason } = Option.getOrElse(Option.filter(Cause.failureOption(cause), isNotReady), () => ({
                reason: undefined
              }))
              const outcome: Outcome = reason === undefined ? { status: "failing" } : { status: "failing", reason }
              // whoever knows the reason says so
              const isSaid = last === "failing" || reason !== undefined
              return Effect.as(
                isSaid ? Effect.void : Effect.logWarning(`Not ready: ${name} is failing`, cause),
                outcome
              )
            }
          }),
          Effect.tap(({ status }) => {
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
        Effect.map((outcomes) => {
          const all = Object.entries(outcomes)
          const reason = all.find(([, outcome]) => outcome.reason !== undefined)?.[1].reason
          return {
            ready: all.every(([, { status }]) => status === "ok"),
            checks: Object.fromEntries(all.map(([name, { status }]) => [name, status])),
            ...(reason === undefined ? {} : { reason })
          }
        })
      )
    })
  })
}

/** How a check ended. */
interface Outcome {
  readonly status: "ok" | "failing"
  readonly reason?: string
}

const isNotReady = Schema.is(NotReady)

/** The service is not ready while its database does not answer. */
export const databaseCheck: Layer.Layer<never, never, Health | SqlClient.SqlClient> = Layer.scopedDiscard(
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* (yield* Health).register("database", Effect.asVoid(sql`select 1`))
  })
)

const headers = { "cache-control": "no-store" }

/** `GET /health/live` (always 200) and `/health/ready` (200 or 503). */
const probes = (router: HttpLayerRouter.HttpRouter) =>
  Effect.gen(function* () {
    const health = yield* Health
    yield* router.add("GET", "/health/live", HttpServerResponse.unsafeJson({ live: true }, { headers }))
    yield* router.add(
      "GET",
      "/health/ready",
      Effect.map(health.ready, (readiness) =>
        HttpServerResponse.unsafeJson(readiness, { headers, status: readiness.ready ? 200 : 503 })
      )
    )
  })

/** `GET /metrics`. */
const metrics = (router: HttpLayerRouter.HttpRouter) =>
  router.add(
    "GET",
    "/metrics",
    Effect.map(Effect.zipRight(Metrics.look, Metrics.render), (text) =>
      HttpServerResponse.text(text, { headers, contentType: "text/plain; version=0.0.4; charset=utf-8" })
    )
  )

/** The probes, and the metrics unless they have a listener of their own. Asked often: never cached or traced. */
export const routes = HttpLayerRouter.use((router) =>
  Effect.gen(function* () {
    yield* probes(router)
    if (yield* Metrics.areServedBeside) yield* metrics(router)
  })
)

/** The routes of the `METRICS_PORT` listener: the metrics and the probes. */
export const ownRoutes = HttpLayerRouter.use((router) => Effect.zipRight(probes(router), metrics(router)))
