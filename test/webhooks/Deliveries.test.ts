import { SqlClient } from "@effect/sql"
import { assert, layer } from "@effect/vitest"
import { Effect, Queue, TestClock } from "effect"
import type { NewEvent } from "../../src/events/Event.ts"
import { Events } from "../../src/events/Events.ts"
import {
  type Caller,
  type Doc,
  pageOf,
  recordOf,
  refusalOf,
  SandboxApplication,
  sandboxApplicationAt
} from "../support/SandboxApplication.ts"
import { type Received, receiver, type Reply, verified } from "./Receiver.ts"
import { soon } from "./Soon.ts"
import { full } from "../support/Full.ts"

const application = sandboxApplicationAt(Date.now())({ ALLOW_PRIVATE_HOSTS: "127.0.0.1" })

const someone = (providers: ReadonlyArray<string> = []) =>
  Effect.flatMap(SandboxApplication, ({ caller }) => caller(providers))

/** A webhook of a caller's to an endpoint that answers so. */
const subscribed = Effect.fnUntraced(function* (
  caller: Caller,
  types: ReadonlyArray<string>,
  reply?: (count: number) => Reply,
  more: object = {}
) {
  const endpoint = yield* receiver(reply === undefined ? undefined : (_, count) => reply(count))
  const { id, secret } = recordOf(
    yield* caller.call("POST", "/webhooks", { body: { url: endpoint.url, types, ...more } })
  )
  const path = `/webhooks/${String(id)}`
  return {
    ...endpoint,
    id,
    path,
    secret,
    webhook: Effect.map(caller.call("GET", path), recordOf),
    deliveries: Effect.map(caller.call("GET", `${path}/deliveries`), (answer) => pageOf(answer).data)
  }
})

const connect = ({ call, endUser }: Caller) =>
  Effect.map(
    call("POST", "/connections", { body: { endUserId: endUser, provider: "hubspot", sandbox: {} } }),
    (answer) => String(recordOf(answer).id)
  )

const publish = ({ tenancy }: Caller, ...events: ReadonlyArray<NewEvent>) =>
  Effect.flatMap(Events, (all) => all.publish(tenancy, events))

const told = (endUserId: string): NewEvent => ({
  type: "connection.restored",
  data: { connectionId: "00000000-0000-4000-8000-000000000000", provider: "hubspot", endUserId }
})

/** Lets the pause before the next attempt pass. */
const wait = Effect.fnUntraced(function* (id: unknown) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update webhook_deliveries set next_at = now() where webhook_id = ${String(id)} and lease is null`
  yield* Queue.offer((yield* Events).due, undefined)
})

/** Seconds from the last attempt to the next. */
const pauseOf = (delivery: Doc | undefined) =>
  Math.round((Date.parse(String(delivery?.nextAttemptAt)) - Date.parse(String(delivery?.attemptedAt))) / 1000)

layer(application, { timeout: "60 seconds" })("deliveries", (it) => {
  it.scoped("bring what happens from then on, signed and thin", () =>
    Effect.gen(function* () {
      const caller = yield* someone()
      yield* connect(caller)
      const endpoint = yield* subscribed(caller, ["connection.created", "connection.removed"])
      const connection = yield* connect(caller)
      const first = yield* endpoint.next
      const [event] = pageOf(yield* caller.call("GET", "/events?types=connection.created")).data.slice(-1)
      assert.deepStrictEqual(verified(first, endpoint.secret), {
        type: "connection.created",
        timestamp: event?.timestamp,
        data: { connectionId: connection, provider: "hubspot", endUserId: caller.endUser }
      })
      assert.strictEqual(first.headers["webhook-id"], event?.id)
      yield* caller.call("DELETE", `/connections/${connection}`)
      assert.deepInclude(verified(yield* endpoint.next, endpoint.secret), { type: "connection.removed" })
      assert.lengthOf(endpoint.all, 2)

      const [removed, created] = yield* soon(endpoint.deliveries, (all) =>
        all.every((one) => one.status === "delivered")
      )
      assert.deepInclude(created, {
        event,
        attempts: 1,
        nextAttemptAt: null,
        responseStatus: 200,
        response: "",
        error: null
      })
      assert.deepInclude(removed?.event, { type: "connection.removed" })
    })
  )

  it.scoped("bring nothing of other types, organisations and environments", () =>
    Effect.gen(function* () {
      const app = yield* SandboxApplication
      const caller = yield* someone()
      const endpoint = yield* subscribed(caller, ["connection.created"])
      const other = yield* someone()
      yield* connect(other)
      yield* publish(yield* app.caller([], { environment: "production" }), told("u"))
      yield* publish(caller, told("u"))
      const connection = yield* connect(caller)
      yield* endpoint.next
      const all = yield* endpoint.deliveries
      assert.deepStrictEqual(
        all.map(({ event }) => event),
        [...pageOf(yield* caller.call("GET", "/events?types=connection.created")).data]
      )
      assert.include(endpoint.all[0]?.text, connection)
    })
  )

  full(it).scoped("are tried again on schedule, and disable the webhook after the last time", () =>
    Effect.gen(function* () {
      const caller = yield* someone()
      const watching = yield* subscribed(caller, ["webhook.disabled"])
      const endpoint = yield* subscribed(caller, ["connection.restored"], () => ({ status: 500, body: "out of order" }))
      yield* publish(caller, told("u"))
      const pauses: Array<number> = []
      for (let attempts = 1; attempts <= 13; attempts += 1) {
        const [delivery] = yield* soon(endpoint.deliveries, ([one]) => one?.attempts === attempts)
        assert.deepInclude(delivery, {
          status: "pending",
          responseStatus: 500,
          response: "out of order",
          error: "answered 500"
        })
        pauses.push(pauseOf(delivery))
        yield* wait(endpoint.id)
      }
      const hour = 3600
      assert.deepStrictEqual(pauses, [
        1,
        5,
        15,
        60,
        300,
        1800,
        2 * hour,
        6 * hour,
        12 * hour,
        12 * hour,
        12 * hour,
        12 * hour,
        12 * hour
      ])
      const [last] = yield* soon(endpoint.deliveries, ([one]) => one?.status === "failed")
      assert.deepInclude(last, { attempts: 14, nextAttemptAt: null })
      assert.strictEqual(new Set(endpoint.all.map(({ headers }) => headers["webhook-id"])).size, 1)
      assert.deepInclude(yield* endpoint.webhook, {
        status: "disabled",
        disabledReason: "No attempt succeeded; the last one: answered 500"
      })
      const about = ({ text }: Received) => text.includes(String(endpoint.id))
      const all = yield* soon(
        Effect.sync(() => watching.all.filter(about)),
        ({ length }) => length > 0
      )
      for (const one of all) {
        assert.deepInclude(verified(one, watching.secret), {
          type: "webhook.disabled",
          data: { webhookId: endpoint.id }
        })
      }
      // nothing more is kept for it
      yield* publish(caller, told("u"))
      assert.lengthOf(yield* endpoint.deliveries, 1)
    })
  )

  it.scoped("that fail for good leave a webhook alone that others reach", () =>
    Effect.gen(function* () {
      const caller = yield* someone()
      const endpoint = yield* subscribed(caller, ["connection.restored"], (count) => ({
        status: count === 2 ? 200 : 500
      }))
      yield* publish(caller, told("never"))
      yield* soon(endpoint.deliveries, ([one]) => one?.attempts === 1)
      yield* publish(caller, told("u"))
      yield* soon(endpoint.deliveries, ([one]) => one?.status === "delivered")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update webhook_deliveries set attempts = 13 where webhook_id = ${String(endpoint.id)} and status = 'pending'`
      yield* wait(endpoint.id)
      const [, failed] = yield* soon(endpoint.deliveries, ([, one]) => one?.status === "failed")
      assert.deepInclude(failed, { attempts: 14 })
      assert.deepInclude(yield* endpoint.webhook, { status: "active" })
    })
  )

  it.scoped("go on when a disabled webhook is enabled, and can be asked for again", () =>
    Effect.gen(function* () {
      const caller = yield* someone()
      const endpoint = yield* subscribed(caller, ["connection.restored"], (count) => ({
        status: count === 1 ? 500 : 200
      }))
      yield* publish(caller, told("u"))
      yield* soon(endpoint.deliveries, ([one]) => one?.attempts === 1)
      yield* caller.call("PATCH", endpoint.path, { body: { status: "disabled" } })
      yield* wait(endpoint.id)
      const [delivery] = yield* endpoint.deliveries
      const redeliver = caller.call("POST", `${endpoint.path}/deliveries/${String(delivery?.id)}/redeliver`)
      assert.deepStrictEqual(refusalOf(yield* redeliver), [409, "CONFLICT"])
      assert.lengthOf(endpoint.all, 1)

      yield* caller.call("PATCH", endpoint.path, { body: { status: "active" } })
      yield* soon(endpoint.deliveries, ([one]) => one?.status === "delivered")
      assert.deepInclude(recordOf(yield* redeliver), { status: "pending", attempts: 0 })
      yield* soon(endpoint.deliveries, ([one]) => one?.status === "delivered")
      assert.deepStrictEqual(
        endpoint.all.map(({ headers }) => headers["webhook-id"]),
        Array.from({ length: 3 }, () => endpoint.all[0]?.headers["webhook-id"])
      )

      for (const unknown of ["99999", "none"]) {
        const missing = yield* caller.call("POST", `${endpoint.path}/deliveries/${unknown}/redeliver`)
        assert.deepStrictEqual(refusalOf(missing), [404, "DELIVERY_NOT_FOUND"])
      }
      // an event that is not kept any more
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from events where organisation_id = ${caller.tenancy.organisation}`
      assert.deepStrictEqual(refusalOf(yield* redeliver), [404, "DELIVERY_NOT_FOUND"])
    })
  )

  it.scoped("end at once where the endpoint is gone", () =>
    Effect.gen(function* () {
      const caller = yield* someone()
      const endpoint = yield* subscribed(caller, ["connection.restored"], () => ({ status: 410 }))
      yield* publish(caller, told("u"))
      yield* soon(endpoint.deliveries, ([one]) => one?.status === "failed")
      assert.deepInclude(yield* endpoint.webhook, {
        status: "disabled",
        disabledReason: "It answered 410: it is gone for good"
      })
    })
  )

  it.scoped("follow no redirect, and wait for as long as they are asked to", () =>
    Effect.gen(function* () {
      const caller = yield* someone()
      const endpoint = yield* subscribed(caller, ["connection.restored"], (count) =>
        count === 1
          ? { status: 302, headers: { location: "/elsewhere" } }
          : { status: 429, headers: { "retry-after": "120" } }
      )
      yield* publish(caller, told("u"))
      const [redirected] = yield* soon(endpoint.deliveries, ([one]) => one?.attempts === 1)
      assert.deepInclude(redirected, { error: "answered 302, and redirects are not followed" })
      yield* wait(endpoint.id)
      const [limited] = yield* soon(endpoint.deliveries, ([one]) => one?.attempts === 2)
      assert.strictEqual(pauseOf(limited), 120)
      assert.deepStrictEqual([...new Set(endpoint.all.map(({ path }) => path))], ["/hooks"])
    })
  )

  it.scoped("give an endpoint ten seconds", () =>
    Effect.gen(function* () {
      const caller = yield* someone()
      const endpoint = yield* subscribed(caller, ["connection.restored"], () => ({ hang: true }))
      yield* publish(caller, told("u"))
      yield* endpoint.next
      yield* TestClock.adjust("9 seconds")
      assert.deepInclude((yield* endpoint.deliveries)[0], { attempts: 0 })
      yield* TestClock.adjust("1 second")
      const [late] = yield* soon(endpoint.deliveries, ([one]) => one?.attempts === 1)
      assert.deepInclude(late, { status: "pending", responseStatus: null, error: "no answer within 10 seconds" })
    })
  )

  it.scoped("say why there was no answer, without the address", () =>
    Effect.gen(function* () {
      const caller = yield* someone()
      const endpoint = yield* subscribed(caller, ["connection.restored"])
      const sql = yield* SqlClient.SqlClient
      const move = (url: string) => sql`update webhooks set url = ${url} where id = ${String(endpoint.id)}`
      yield* move("http://127.0.0.1:1/secret")
      yield* publish(caller, told("u"))
      const [refused] = yield* soon(endpoint.deliveries, ([one]) => one?.attempts === 1)
      assert.deepInclude(refused, {
        responseStatus: null,
        response: null,
        error: "could not be reached (ECONNREFUSED)"
      })
      // what it leads to may have changed since it was made
      yield* move("https://10.0.0.1/secret")
      yield* wait(endpoint.id)
      const [inside] = yield* soon(endpoint.deliveries, ([one]) => one?.attempts === 2)
      assert.match(String(inside?.error), /private network/)
    })
  )

  it.scoped("carry the record where that is asked for, or why it cannot be read", () =>
    Effect.gen(function* () {
      const caller = yield* someone(["hubspot"])
      const types = ["record.created", "record.updated", "record.deleted"]
      const endpoint = yield* subscribed(caller, types, () => ({ body: "echo" }), { include_record: true })
      const thin = yield* subscribed(caller, types)
      const made = recordOf(
        yield* caller.call("POST", "/crm/contact?provider=hubspot", {
          body: { first_name: "Ada", last_name: "Lovelace" }
        })
      )
      const of = (type: "record.created" | "record.updated" | "record.deleted", remote_id: string): NewEvent => ({
        type,
        data: {
          category: "crm",
          resource: "contact",
          provider: "hubspot",
          connectionId: caller.connections.hubspot ?? "",
          endUserId: caller.endUser,
          id: String(made.id),
          remote_id,
          modified_at: null
        }
      })
      const dataOf = (received: Received, of: { readonly secret: unknown } = endpoint) =>
        (verified(received, of.secret) as { readonly data: Doc }).data

      yield* publish(caller, of("record.created", String(made.remote_id)))
      const got = recordOf(yield* caller.call("GET", `/crm/contact/${String(made.remote_id)}?provider=hubspot`))
      assert.deepStrictEqual(dataOf(yield* endpoint.next).record, got)
      assert.notProperty(dataOf(yield* thin.next, thin), "record")

      yield* publish(caller, of("record.updated", "0"))
      assert.deepInclude(dataOf(yield* endpoint.next), { record: null, record_error: "CONTACT_NOT_FOUND" })
      yield* publish(caller, of("record.deleted", "0"))
      assert.notProperty(dataOf(yield* endpoint.next), "record")

      // an endpoint may answer with what it was sent
      const all = yield* soon(endpoint.deliveries, (some) => some.every(({ status }) => status === "delivered"))
      assert.deepStrictEqual(
        all.map(({ response }) => response),
        [null, null, null]
      )
      const sql = yield* SqlClient.SqlClient
      const stored = yield* sql`select e.data::text, d.* from events e join webhook_deliveries d on d.event_id = e.id`
      assert.notInclude(JSON.stringify(stored), "Lovelace")
    })
  )

  full(it).scoped("are erased with the end user, and with the webhook", () =>
    Effect.gen(function* () {
      const caller = yield* someone()
      const endpoint = yield* subscribed(caller, ["connection.restored"])
      yield* publish(caller, told(caller.endUser), told("somebody else"))
      yield* soon(endpoint.deliveries, (all) => all.length === 2 && all.every(({ status }) => status === "delivered"))
      const stored = recordOf(yield* caller.call("GET", `/end-users/${caller.endUser}`)).stored
      assert.deepInclude(stored, { webhookDeliveries: 1 })
      const erased = recordOf(yield* caller.call("DELETE", `/end-users/${caller.endUser}`)).erased
      assert.deepInclude(erased, { webhookDeliveries: 1 })
      const left = yield* endpoint.deliveries
      assert.lengthOf(left, 1)
      assert.include(JSON.stringify(left), "somebody else")

      yield* caller.call("DELETE", endpoint.path)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select 1 from webhook_deliveries where webhook_id = ${String(endpoint.id)}`, [])
    })
  )
})
