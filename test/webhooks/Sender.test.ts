import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Queue, Scope } from "effect"
import { randomUUID } from "node:crypto"
import { Events } from "../../src/events/Events.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import { GuardedClient } from "../../src/platform/GuardedClient.ts"
import { Records } from "../../src/records/Records.ts"
import type { Tenant } from "../../src/tenancy/CurrentCaller.ts"
import { Attempts } from "../../src/webhooks/Attempts.ts"
import { Deliveries } from "../../src/webhooks/Deliveries.ts"
import { Outbox } from "../../src/webhooks/Outbox.ts"
import * as Sender from "../../src/webhooks/Sender.ts"
import { Webhooks } from "../../src/webhooks/Webhooks.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { withSettings } from "./Settings.ts"
import { receiver } from "./Receiver.ts"
import { soon } from "./Soon.ts"
import { full } from "../support/Full.ts"

const shared = Layer.merge(Webhooks.layer, Deliveries.layer).pipe(
  Layer.provide(Events.layer),
  Layer.provideMerge(Layer.merge(Encryption.layerTest, TestDatabase.layer))
)

/** Services that each instance has of its own. */
const own = Layer.fresh(
  Sender.layer.pipe(
    Layer.provideMerge(Layer.merge(Outbox.layer, Attempts.layer)),
    Layer.provideMerge(Layer.merge(Events.layer, GuardedClient.layer)),
    Layer.provide(Layer.mock(Records, { repeatsCreates: () => false }))
  )
)

/** An instance of the service over the database that all share; gives what it publishes with, and stops it. */
const instance = Effect.gen(function* () {
  const scope = yield* Effect.acquireRelease(Scope.make(), (open, exit) => Scope.close(open, exit))
  const services = yield* Layer.buildWithScope(withSettings({ ALLOW_PRIVATE_HOSTS: "127.0.0.1" })(own), scope)
  return { events: Context.get(services, Events), stop: Scope.close(scope, Exit.void) }
})

const newTenant = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const organisation = randomUUID()
  yield* sql`insert into organisations (id, name) values (${organisation}, ${organisation})`
  return { organisation, environment: "production" } satisfies Tenant
})

const subscribe = (tenant: Tenant, url: string) =>
  Effect.flatMap(Webhooks, (webhooks) =>
    webhooks.create({ ...tenant, scopes: null }, { url, types: ["connection.created"] })
  ).pipe(Effect.map(({ webhook }) => webhook))

const happenings = (count: number) =>
  Array.from({ length: count }, () => ({
    type: "connection.created" as const,
    data: { connectionId: randomUUID(), provider: "hubspot", endUserId: "u" }
  }))

const ids = (all: ReadonlyArray<{ readonly headers: { readonly [name: string]: unknown } }>) =>
  all.map(({ headers }) => String(headers["webhook-id"]))

/** How many deliveries of a webhook have each status. */
const statuses = (webhook: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<{ readonly status: string; readonly count: number }>`
      select status, count(*)::int as count from webhook_deliveries where webhook_id = ${webhook}
      group by status order by status`
  )

/** Services of a process that looks for no deliveries itself. */
const looking = withSettings({})(
  Layer.fresh(Layer.mergeAll(Outbox.layer, Webhooks.layer, Deliveries.layer).pipe(Layer.provideMerge(Events.layer)))
)

layer(shared, { timeout: "60 seconds" })("the sender", (it) => {
  it.effect("is told when there is something to do, and when there is no webhook to do it for", () =>
    Effect.gen(function* () {
      const [sql, events, outbox] = [yield* SqlClient.SqlClient, yield* Events, yield* Outbox]
      const tenant = yield* newTenant
      yield* events.publish(tenant, happenings(1))
      assert.strictEqual(yield* Queue.size(events.due), 0)
      assert.deepStrictEqual(yield* outbox.look(16), { waiting: [], next: null, isAny: false })

      const { id } = yield* subscribe(tenant, "https://app.example.com")
      assert.deepStrictEqual(yield* outbox.look(16), { waiting: [], next: null, isAny: true })
      yield* events.publish(tenant, happenings(3))
      assert.strictEqual(yield* Queue.size(events.due), 1)
      yield* sql`
        update webhook_deliveries set next_at = now() + interval '1 minute'
        where id = (select max(id) from webhook_deliveries where webhook_id = ${id})`
      const { next, waiting } = yield* outbox.look(16)
      assert.deepStrictEqual(waiting, [{ webhook: id, organisation: tenant.organisation, due: 2 }])
      assert.isTrue(next !== null && next > 30_000 && next <= 60_000)

      yield* Queue.takeAll(events.due)
      const [webhooks, deliveries] = [yield* Webhooks, yield* Deliveries]
      const webhook = yield* webhooks.update({ ...tenant, scopes: null }, id, { status: "active" })
      assert.strictEqual((yield* Queue.takeAll(events.due)).length, 1)
      const [delivery] = yield* deliveries.list(webhook, { after: undefined, take: 1 })
      yield* deliveries.redeliver(webhook, delivery?.id ?? "")
      assert.strictEqual((yield* Queue.takeAll(events.due)).length, 1)
      yield* sql`delete from webhooks where id = ${id}`
    }).pipe(Effect.provide(looking))
  )

  full(it).scoped("makes each delivery once, on however many instances", () =>
    Effect.gen(function* () {
      const tenant = yield* newTenant
      const endpoint = yield* receiver(() => ({ after: 5 }))
      const { id } = yield* subscribe(tenant, endpoint.url)
      const [one, two] = [yield* instance, yield* instance]
      yield* one.events.publish(tenant, happenings(150))
      yield* two.events.publish(tenant, happenings(150))
      yield* soon(statuses(id), ([first, ...more]) => first?.status === "delivered" && more.length === 0)
      assert.lengthOf(endpoint.all, 300)
      assert.lengthOf(new Set(ids(endpoint.all)), 300)
    })
  )

  it.scoped("takes over what a killed process held, once its lease ended", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tenant = yield* newTenant
      const endpoint = yield* receiver()
      const { id } = yield* subscribe(tenant, endpoint.url)
      const events = yield* Events
      yield* events.publish(tenant, happenings(1))
      // as a process leaves it that took it and is gone
      const outbox = yield* Outbox
      const [held] = yield* outbox.take([{ webhook: id, take: 1 }])
      const other = yield* instance
      const [row] = yield* sql<{ readonly left: number }>`
        select extract(epoch from next_at - now())::float8 as left from webhook_deliveries where webhook_id = ${id}`
      assert.isAtMost(row?.left ?? Infinity, 10)
      assert.lengthOf(endpoint.all, 0)
      yield* sql`update webhook_deliveries set next_at = now() where webhook_id = ${id}`
      yield* Queue.offer(other.events.due, undefined)
      assert.deepStrictEqual(ids([yield* endpoint.next]), [held?.event.id])
      yield* soon(statuses(id), ([first]) => first?.status === "delivered")

      // the one that was taken for dead changes nothing any more
      if (held === undefined) return assert.fail("nothing was taken")
      yield* outbox.settle(held, {
        isDelivered: false,
        status: 500,
        answer: null,
        error: "late",
        pause: 0,
        milliseconds: 1
      })
      assert.deepStrictEqual(yield* statuses(id), [{ status: "delivered", count: 1 }])
      yield* other.stop
    }).pipe(Effect.provide(looking))
  )

  full(it).scoped("keeps its lease for as long as an endpoint takes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const tenant = yield* newTenant
      const endpoint = yield* receiver(() => ({ after: 4500 }))
      const { id } = yield* subscribe(tenant, endpoint.url)
      const { events } = yield* instance
      yield* instance
      yield* events.publish(tenant, happenings(1))
      yield* endpoint.next
      // all but three seconds of the lease pass at once
      yield* sql`update webhook_deliveries set next_at = now() + interval '3.5 seconds' where webhook_id = ${id}`
      yield* soon(statuses(id), ([first]) => first?.status === "delivered")
      assert.lengthOf(endpoint.all, 1)
    })
  )

  full(it).scoped("finishes what is under way when it stops, and loses nothing", () =>
    Effect.gen(function* () {
      const tenant = yield* newTenant
      const endpoint = yield* receiver(() => ({ after: 200 }))
      const { id } = yield* subscribe(tenant, endpoint.url)
      const first = yield* instance
      yield* first.events.publish(tenant, happenings(40))
      yield* endpoint.next
      yield* first.stop
      const found = yield* statuses(id)
      assert.deepStrictEqual(
        found.map(({ status }) => status),
        ["delivered", "pending"]
      )
      yield* instance
      yield* soon(statuses(id), ([one, ...more]) => one?.status === "delivered" && more.length === 0)
      assert.lengthOf(endpoint.all, 40)
    })
  )

  full(it).scoped("delays nobody's because 10,000 wait for an endpoint that hangs", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [slow, quick] = [yield* newTenant, yield* newTenant]
      const hanging = yield* receiver(() => ({ hang: true }))
      const endpoint = yield* receiver()
      const stuck = yield* subscribe(slow, hanging.url)
      const { id } = yield* subscribe(quick, endpoint.url)
      const { events } = yield* instance
      yield* Effect.forEach(Array.from({ length: 10 }), () => events.publish(slow, happenings(1000)), { discard: true })
      yield* soon(Effect.sync(hanging.most), (count) => count === 16)

      const started = performance.now()
      yield* events.publish(quick, happenings(50))
      yield* soon(statuses(id), ([one, ...more]) => one?.status === "delivered" && more.length === 0)
      // none of those that hang has ended by then
      assert.isBelow(performance.now() - started, 10_000)
      assert.lengthOf(endpoint.all, 50)
      assert.strictEqual(hanging.most(), 16)
      yield* sql`delete from webhooks where id = ${stuck.id}`
    })
  )

  full(it).scoped("delays nobody's because others hang at the same host", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [slow, quick] = [yield* newTenant, yield* newTenant]
      const host = yield* receiver(({ path }) => ({ hang: path.endsWith("/hanging") }))
      const stuck = yield* Effect.forEach(Array.from({ length: 5 }), () => subscribe(slow, `${host.url}/hanging`))
      const { id } = yield* subscribe(quick, host.url)
      const { events } = yield* instance
      yield* events.publish(slow, happenings(50))
      // a quarter of what a process attempts
      yield* soon(Effect.sync(host.most), (count) => count === 64)

      const started = performance.now()
      yield* events.publish(quick, happenings(10))
      yield* soon(statuses(id), ([one, ...more]) => one?.status === "delivered" && more.length === 0)
      // none of those that hang has ended by then
      assert.isBelow(performance.now() - started, 10_000)
      yield* sql`delete from webhooks where id = any(${stuck.map((one) => one.id)}::uuid[])`
    })
  )
})
