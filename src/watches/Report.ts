import { Effect } from "effect"
import type { ProviderAdapter } from "../providers/ProviderAdapter.ts"
import { Providers } from "../providers/Providers.ts"
import type { Tenant } from "../tenancy/CurrentCaller.ts"
import type { FollowedConnection, WatchRecord } from "./Api.ts"
import { intervalsOf } from "./Intervals.ts"
import { planOf } from "./Plan.ts"
import type { Followed, Watch } from "./Watches.ts"
import { Watcher } from "./Watcher.ts"

/** The time up to which all was told, in milliseconds. */
const toldUpTo = ({ progress: { isFirst, since, swept, watermark } }: Followed) =>
  watermark > since || isFirst ? watermark : swept

/** How far a resource of a connection was followed, at a time in milliseconds since 1970. */
export const followedOf = (one: Followed, now: number): FollowedConnection => {
  const { isFirst, since } = one.progress
  return {
    connectionId: one.connection,
    endUserId: one.endUserId,
    provider: one.provider,
    resource: one.resource,
    state: one.status === "needs_reauth" ? "paused" : isFirst ? "first_walk" : "following",
    since: new Date(since).toISOString(),
    lag: Math.max(0, Math.ceil((now - toldUpTo(one)) / 1000)),
    polledAt: one.polledAt?.toISOString() ?? null,
    dueAt: one.dueAt.toISOString(),
    error: one.error
  }
}

/** Gives what tells what a tenant watches, undefined for nothing, and how each provider is followed. */
export const watchRecords = Effect.gen(function* () {
  const watcher = yield* Watcher
  const providers = yield* Providers

  const followingOf = Effect.fnUntraced(function* (
    adapter: ProviderAdapter,
    { interval, resources }: Watch,
    { environment }: Tenant
  ) {
    const wanted = Object.keys(resources).filter((name) => name.startsWith(`${adapter.category}/`))
    const plans = wanted.flatMap((name) => planOf(adapter, name) ?? [])
    const load = {
      environment,
      wish: interval,
      resources: plans.length,
      connections: yield* watcher.count(adapter.slug)
    }
    return {
      provider: adapter.slug,
      resources: plans.map((plan) => {
        const { idle, poll, sweep } = intervalsOf(plan, load)
        return {
          resource: plan.name,
          how: plan.how,
          interval: poll,
          idleInterval: idle,
          deletions: plan.deletions === undefined ? ("swept" as const) : ("told" as const),
          deletionsInterval: sweep ?? poll
        }
      }),
      lacks: wanted.filter((name) => !plans.some((plan) => plan.name === name))
    }
  })

  return Effect.fnUntraced(function* (tenant: Tenant, watch: Watch | undefined) {
    const resources = Object.entries(watch?.resources ?? {}).map(([resource, since]) => ({
      resource,
      since: since.toISOString()
    }))
    const categories = new Set(resources.map(({ resource }) => resource.split("/", 1)[0]))
    const adapters = providers
      .all()
      .filter(({ category, slug }) => categories.has(category) && watch?.providers?.includes(slug) !== false)
    return {
      resources,
      providers: watch?.providers ?? null,
      interval: watch?.interval ?? null,
      following:
        watch === undefined ? [] : yield* Effect.forEach(adapters, (adapter) => followingOf(adapter, watch, tenant))
    } satisfies typeof WatchRecord.Type
  })
})
