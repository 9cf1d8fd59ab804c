import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Redacted, TestClock } from "effect"
import { Connections } from "../../src/connections/Connections.ts"
import type { StoredCredentials } from "../../src/connections/StoredCredentials.ts"
import type { NewEvent } from "../../src/events/Event.ts"
import { Events, type FeedPosition } from "../../src/events/Events.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import type { Tenant } from "../../src/tenancy/CurrentCaller.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

const services = Layer.mergeAll(Connections.layer, EndUsers.layer, Organisations.layer, Events.layer).pipe(
  Layer.provideMerge(Encryption.layerTest),
  Layer.provideMerge(TestDatabase.layer)
)

const credentials: StoredCredentials = {
  kind: "accessToken",
  secret: Redacted.make("access-token-of-the-account"),
  refreshToken: undefined,
  expiresAt: undefined,
  values: {}
}

/** A connection of an end user of a new organisation. */
const connected = (organisation: string) =>
  Effect.gen(function* () {
    const { id } = yield* (yield* Organisations).create(organisation)
    const endUser = yield* (yield* EndUsers).ensure(id, "sandbox", "u1")
    const tenant: Tenant = { organisation: id, environment: "sandbox" }
    const connection = yield* (yield* Connections).create({
      ...tenant,
      endUser: endUser.id,
      provider: "hubspot",
      credentials
    })
    return { tenant, endUser, connection }
  })

const contact = (connectionId: string, remote_id: string): NewEvent => ({
  type: "record.updated",
  data: {
    category: "crm",
    resource: "contact",
    provider: "hubspot",
    connectionId,
    endUserId: "u1",
    id: remote_id,
    remote_id,
    modified_at: null
  }
})

const read = (tenant: Tenant, after?: FeedPosition) =>
  Effect.gen(function* () {
    const found = yield* (yield* Events).feed(tenant, { after, take: 100 })
    return {
      shown: found.map(({ event }) => ("remote_id" in event.data ? event.data.remote_id : event.type)),
      last: found.at(-1)?.position ?? after
    }
  })

describe("Events", () => {
  layer(services)((it) => {
    it.effect("are told of connections when they are made, refused, restored and removed", () =>
      Effect.gen(function* () {
        const connections = yield* Connections
        const { connection, endUser, tenant } = yield* connected("told")
        const again = (isReconnect: boolean) =>
          connections.connect(
            { ...tenant, connectionId: connection.id, isReconnect, endUser: endUser.id, integration: "hubspot" },
            { credentials }
          )
        const renewed = yield* again(true)
        assert.deepStrictEqual((yield* read(tenant)).shown, ["connection.created"], "nothing was wrong with it")
        yield* connections.markNeedsReauth(connection, connection.version ?? 0, "stale")
        yield* connections.markNeedsReauth(connection, renewed.version ?? 0, "refused")
        yield* again(true)
        yield* connections.remove(tenant, connection.id)
        const told = yield* (yield* Events).feed(tenant, { take: 100 })
        assert.deepStrictEqual(
          told.map(({ event }) => event.type),
          ["connection.created", "connection.needs_reauth", "connection.restored", "connection.removed"]
        )
        for (const { event } of told) {
          assert.deepStrictEqual<unknown>(event.data, {
            connectionId: connection.id,
            provider: "hubspot",
            endUserId: "u1"
          })
          assert.deepInclude(event, { environment: "sandbox", timestamp: "1970-01-01T00:00:00.000Z" })
        }
      })
    )

    it.effect("are not told of what was undone, nor of records whose connection was removed", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const events = yield* Events
        const { connection, tenant } = yield* connected("undone")
        yield* events
          .publish(tenant, [contact(connection.id, "undone")])
          .pipe(Effect.zipRight(Effect.fail("undo")), sql.withTransaction, Effect.ignore)
        const { tenant: stranger } = yield* connected("undone by a stranger")
        yield* events.publish(stranger, [contact(connection.id, "of another organisation")])
        yield* events.publish({ ...tenant, environment: "production" }, [
          contact(connection.id, "of another environment")
        ])
        yield* events.publish(tenant, [contact(connection.id, "told")])
        yield* (yield* Connections).remove(tenant, connection.id)
        yield* events.publish(tenant, [contact(connection.id, "late")])
        assert.deepStrictEqual((yield* read(tenant)).shown, ["connection.created", "told", "connection.removed"])
        assert.deepStrictEqual((yield* read(stranger)).shown, ["connection.created"])
        assert.deepStrictEqual((yield* read({ ...tenant, environment: "production" })).shown, [])
      })
    )

    it.effect("keep their order, and a reader passes none by that was begun before and told after another", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const events = yield* Events
        const { connection, tenant } = yield* connected("in order")
        const { last } = yield* read(tenant)
        const names = Array.from({ length: 50 }, (_, at) => `first ${at}`)
        // the embedded database runs one transaction after the other, PostgreSQL both at once
        const begun = yield* Deferred.make<void>()
        const slow = yield* events
          .publish(
            tenant,
            names.map((name) => contact(connection.id, name))
          )
          .pipe(
            Effect.zipRight(Deferred.succeed(begun, undefined)),
            Effect.zipRight(Effect.sleep("100 millis")),
            sql.withTransaction,
            Effect.withClock(Clock.make()),
            Effect.fork
          )
        yield* Deferred.await(begun)
        yield* events.publish(tenant, [contact(connection.id, "second")])
        const early = yield* read(tenant, last)
        yield* Fiber.join(slow)
        const late = yield* read(tenant, early.last)
        const met = [...early.shown, ...late.shown]
        assert.deepStrictEqual(
          met.filter((name) => name !== "second"),
          names
        )
        assert.lengthOf(met, names.length + 1)
        assert.deepStrictEqual((yield* read(tenant, last)).shown, met, "in the same order for whoever reads it later")
      })
    )

    it.effect("are met once each by readers that follow while many tell", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const events = yield* Events
        const { connection, tenant } = yield* connected("followed")
        const { last } = yield* read(tenant)
        const names = Array.from({ length: 60 }, (_, at) => `event ${at}`)
        const telling = Effect.forEach(
          names,
          (name, at) =>
            events.publish(tenant, [contact(connection.id, name)]).pipe(
              // those that were told first commit last
              Effect.zipLeft(Effect.sleep(`${(names.length - at) % 7} millis`)),
              sql.withTransaction
            ),
          { concurrency: 6, discard: true }
        )
        const following = Effect.gen(function* () {
          const met: Array<string> = []
          let after = last
          for (let looks = 0; looks < 2000 && met.length < names.length; looks += 1) {
            const found = yield* read(tenant, after)
            met.push(...found.shown)
            after = found.last
          }
          return met
        })
        const [, first, second] = yield* Effect.all([telling, following, following], {
          concurrency: "unbounded"
        }).pipe(Effect.withClock(Clock.make()))
        assert.deepStrictEqual(first.toSorted(), names.toSorted())
        assert.deepStrictEqual(second, first)
      })
    )

    it.effect("are kept for 30 days", () =>
      Effect.gen(function* () {
        const { connection, tenant } = yield* connected("kept")
        yield* TestClock.adjust("29 days")
        yield* (yield* Events).publish(tenant, [contact(connection.id, "new")])
        assert.lengthOf((yield* read(tenant)).shown, 2)
        yield* TestClock.adjust("26 hours")
        // the deletion runs beside the clock, which may pass it by
        const later = Effect.withClock(Effect.delay(read(tenant), "50 millis"), Clock.make())
        const { shown } = yield* Effect.zipRight(TestClock.adjust("1 hour"), later).pipe(
          Effect.repeat({ until: ({ shown }) => shown.length < 2, times: 100 })
        )
        assert.deepStrictEqual(shown, ["new"])
      })
    )
  })
})
