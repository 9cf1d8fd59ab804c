import { assert, it, vi } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { Sandbox } from "../../src/connections/Sandbox.ts"
import * as Telemetry from "../../src/platform/Telemetry.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import * as Sender from "../../src/webhooks/Sender.ts"
import { collector } from "../support/Collector.ts"
import { served } from "../support/Served.ts"

const variables = (values: Record<string, string>) =>
  Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(values))))

/** A caller's request to the service, until its fault; gives whose it was. */
const asked = Effect.fnUntraced(function* (service: string, endpoint: string) {
  const faults = yield* Faults
  const { id: organisation } = yield* (yield* Organisations).create("Collected")
  const { key } = yield* (yield* ApiKeys).create(organisation, "sandbox")
  const endUser = yield* (yield* EndUsers).ensure(organisation, "sandbox", "ann")
  const connection = yield* (yield* Sandbox).connect(endUser, "hubspot")
  const call = (path: string, body?: unknown) =>
    Effect.promise(() =>
      fetch(`${service}/api/v1${path}`, {
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
        headers: {
          authorization: `Bearer ${Redacted.value(key)}`,
          "x-end-user-id": "ann",
          "content-type": "application/json"
        }
      }).then((answer) => answer.text())
    )
  yield* call("/webhooks", { url: endpoint, types: ["connection.created"] })
  yield* call("/connections", { endUserId: "bob", provider: "hubspot", sandbox: {} })
  yield* call("/crm/contact?limit=1")
  yield* call("/crm/contact/nowhere?provider=hubspot")
  yield* faults.add({ provider: "hubspot", does: { kind: "status", status: 500 }, times: 9 })
  yield* call("/crm/deal/77?provider=hubspot")
  yield* faults.clear
  // the first of these finds its token worthless; they share what renews it
  yield* faults.add({ provider: "hubspot", does: { kind: "expire" } })
  yield* Effect.all(
    Array.from({ length: 6 }, () => call("/crm/owner?provider=hubspot&limit=1")),
    { concurrency: "unbounded" }
  )
  return { organisation, connection: connection.id }
})

it.live(
  "a collector is told of requests by the conventions: whose they are, what they called, and which of them are faults",
  () =>
    Effect.gen(function* () {
      vi.spyOn(console, "log").mockImplementation(() => {})
      const received = yield* collector
      let mine = { organisation: "", connection: "" }
      const application = served(
        (service) =>
          asked(service, `${received.url}/endpoint`).pipe(
            Effect.tap((found) => void (mine = found)),
            Effect.zipRight(
              Effect.promise(() => vi.waitFor(() => assert.isNotEmpty(received.bodies("/endpoint")), 45_000))
            ),
            Layer.effectDiscard,
            Layer.provide(Sender.layer)
          ),
        Layer.empty,
        { ALLOW_PRIVATE_HOSTS: "127.0.0.1" }
      )
      yield* Effect.scoped(
        Layer.build(
          application.pipe(
            Layer.provide(Telemetry.layer),
            Layer.provide(
              variables({
                OTEL_EXPORTER_OTLP_ENDPOINT: received.url,
                // all at the end: what is under way when the service stops may be lost
                OTEL_BSP_SCHEDULE_DELAY: "600000",
                LOG_FORMAT: "json"
              })
            )
          )
        )
      )

      const spans = received.spans()
      const roots = spans.filter(({ kind }) => kind === 2)
      const whole = (route: string, status: number) => {
        const root = roots.find(
          ({ attributes }) => attributes["http.route"] === route && attributes["http.response.status_code"] === status
        )
        return { root, all: spans.filter(({ traceId }) => traceId === root?.traceId) }
      }
      const common = {
        "tributary.organisation.id": mine.organisation,
        "tributary.environment": "sandbox",
        "tributary.end_user.id": "ann",
        "tributary.provider": "hubspot",
        "tributary.connection.id": mine.connection
      }

      const listed = whole("/api/v1/crm/contact", 200)
      assert.strictEqual(listed.root?.name, "GET /api/v1/crm/contact")
      assert.deepInclude(listed.root?.attributes, {
        ...common,
        "tributary.resource": "crm/contact",
        "tributary.operation": "list",
        "http.request.method": "GET",
        "url.scheme": "http",
        "url.path": "/api/v1/crm/contact"
      })
      assert.deepStrictEqual(listed.root?.status, { code: 0 })
      const called = listed.all.find(({ name }) => name === "hubspot contacts.list")
      assert.strictEqual(called?.kind, 3)
      assert.deepInclude(called?.attributes, {
        "server.address": "api.hubapi.com",
        "server.port": 443,
        "url.full": "https://api.hubapi.com/crm/v3/objects/contacts",
        "url.template": "/crm/v3/objects/contacts"
      })
      const queried = spans.find(({ name }) => name === "SELECT connections")
      assert.strictEqual(queried?.kind, 3)
      assert.deepInclude(queried?.attributes, {
        "db.system.name": "postgresql",
        "db.operation.name": "SELECT",
        "db.collection.name": "connections"
      })
      assert.include(String(queried?.attributes["db.query.text"]), "$1")
      assert.isFalse(spans.some(({ name }) => name === "sql.execute"))

      const none = whole("/api/v1/crm/contact/:id", 404)
      assert.deepInclude(none.root?.attributes, {
        ...common,
        "tributary.record.id": "nowhere",
        "tributary.error.code": "CONTACT_NOT_FOUND"
      })
      assert.notProperty(none.root?.attributes, "error.type")
      assert.isEmpty(
        none.all.filter(({ kind, status }) => kind !== 3 && status.code === 2),
        "what is refused is no fault of ours"
      )

      const failed = whole("/api/v1/crm/deal/:id", 502)
      assert.deepStrictEqual(failed.root?.status, { code: 2, message: "PROVIDER_ERROR" })
      assert.deepInclude(failed.root?.attributes, {
        "error.type": "PROVIDER_ERROR",
        "tributary.error.code": "PROVIDER_ERROR"
      })
      const away = failed.all.find(({ kind, name }) => kind === 3 && name.startsWith("hubspot "))
      assert.strictEqual(away?.status.code, 2)
      assert.strictEqual(away?.attributes["error.type"], "500")

      const token = spans.find(({ name }) => name === "OAuth.exchange")
      assert.strictEqual(token?.kind, 3)
      assert.deepInclude(token?.attributes, {
        "http.request.method": "POST",
        "http.response.status_code": 200,
        "server.address": "api.hubapi.com",
        "url.full": "https://api.hubapi.com/oauth/2026-03/token"
      })
      const refresh = spans.filter(({ name }) => name === "TokenRefresh.renew").map(({ spanId }) => spanId)
      assert.lengthOf(refresh, 1)
      const links = spans.flatMap(({ links: all, traceId }) => all.map((link) => ({ ...link, from: traceId })))
      const posted = roots.find(({ attributes }) => attributes["http.route"] === "/api/v1/connections")
      const producers = spans.filter(({ name }) => name === "publish events")
      const producer = producers.find(({ traceId }) => traceId === posted?.traceId)
      const consumer = spans.find(
        ({ links: all, name }) => name === "deliver events" && all.some(({ spanId }) => spanId === producer?.spanId)
      )
      assert.deepStrictEqual([producer?.kind, consumer?.kind], [4, 5])
      const destination = { "messaging.system": "tributary", "messaging.destination.name": "events" }
      assert.deepInclude(producer?.attributes, {
        ...destination,
        "messaging.operation.name": "publish",
        "messaging.operation.type": "send",
        "messaging.batch.message_count": 1
      })
      assert.deepInclude(consumer?.attributes, {
        ...destination,
        "messaging.operation.name": "deliver",
        "messaging.operation.type": "process",
        "http.response.status_code": 200
      })
      assert.isUndefined(consumer?.parentSpanId)
      const told = consumer?.links.map(({ spanId, traceId }) => ({ spanId, traceId }))
      assert.deepStrictEqual(told, [{ spanId: producer?.spanId, traceId: producer?.traceId }])

      const shared = links.filter(({ spanId }) => !producers.some((one) => one.spanId === spanId))
      assert.isNotEmpty(shared)
      for (const { from, spanId, traceId } of shared) {
        assert.include(refresh, spanId)
        assert.notStrictEqual(from, traceId)
      }

      assert.notInclude(received.bodies("/v1/traces").join(), "nterrupted")
    }).pipe(Effect.scoped),
  90_000
)
