import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { Sandbox } from "../../src/connections/Sandbox.ts"
import type { UpstreamCall } from "../../src/platform/RequestNotes.ts"
import { RequestLog } from "../../src/requests/RequestLog.ts"
import { ApiKeys } from "../../src/tenancy/ApiKeys.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import { loggedRequest } from "../support/LoggedRequests.ts"
import { served } from "../support/Served.ts"

/** The real application on a port, with organisations whose operators visit the console. */
export class ConsoleApplication extends Context.Tag("tributary/test/ConsoleApplication")<
  ConsoleApplication,
  {
    /** Origin of the service. */
    readonly service: string
    /** A new organisation; gives a key. */
    readonly newcomer: (name: string) => Promise<string>
    /** A new organisation that has been busy for an hour: end users, connections, one of them stale, requests. */
    readonly busy: (name: string) => Promise<string>
    /** Sends a request to the API; returns the answer's status. */
    readonly call: (key: string, path: string, endUser?: string) => Promise<number>
  }
>() {}

const people = [
  ["acme-ltd", "Acme Ltd", "ops@acme.example", ["hubspot", "xero"]],
  ["bright-co", "Bright & Co", "it@bright.example", ["salesforce", "quickbooks", "hubspot"]],
  ["customer_0193", null, null, ["pipedrive"]],
  ["fjord-shipping", "Fjord Shipping AS", "post@fjord.example", ["hubspot", "xero"]],
  ["new-user", "Nobody Yet", null, []]
] as const

const routes = [
  ["GET", "/api/v1/crm/contact", ["hubspot", "salesforce"], 84],
  ["GET", "/api/v1/accounting/invoice", ["xero"], 212],
  ["POST", "/api/v1/crm/deal", ["hubspot"], 340],
  ["GET", "/api/v1/crm/company/:id", ["pipedrive"], 65],
  ["PATCH", "/api/v1/accounting/purchase_order/:id", ["quickbooks"], 480],
  ["GET", "/api/v1/connections", [], 4]
] as const

const notFound = { code: "CONTACT_NOT_FOUND", message: "contact 27410002331 was not found.", record: "27410002331" }
const away = { code: "PROVIDER_ERROR", message: "xero is not available.", idempotencyKey: "order-4711" }

const callsOf = (provider: string, connection: string, status: number, after: number): ReadonlyArray<UpstreamCall> => {
  const call = { provider, connection, operation: "contacts.list", method: "GET", after, milliseconds: 61 }
  return status === 502
    ? [
        { ...call, status: 503, outcome: "answered" },
        { ...call, after: after + 300, status: null, outcome: "timeout" }
      ]
    : [{ ...call, status: status === 404 ? 404 : 200, outcome: "answered" }]
}

/** A number between 0 and 1 that looks like chance and is always the same. */
const chance = (seed: number) => {
  const value = Math.sin(seed * 12.9898) * 43758.5453
  return value - Math.floor(value)
}

const make = (service: string) =>
  Effect.gen(function* () {
    const organisations = yield* Organisations
    const keys = yield* ApiKeys
    const endUsers = yield* EndUsers
    const sandbox = yield* Sandbox
    const log = yield* RequestLog
    const sql = yield* SqlClient.SqlClient
    const run = Effect.runPromise

    const organisation = Effect.fnUntraced(function* (name: string) {
      const { id } = yield* organisations.create(name)
      const key = yield* keys.create(id, "sandbox")
      return { tenant: { organisation: id, environment: "sandbox" }, key } as const
    })

    const busy = Effect.fnUntraced(function* (name: string) {
      const { key, tenant } = yield* organisation(name)
      for (const [externalId, displayName, email, providers] of people) {
        const user = yield* endUsers.ensure(tenant.organisation, tenant.environment, externalId, {
          ...(displayName === null ? {} : { displayName }),
          ...(email === null ? {} : { email })
        })
        for (const provider of providers) yield* sandbox.connect(user, provider)
      }
      yield* sql`
        update connections set status = 'needs_reauth', status_reason = 'The provider refused the refresh token.'
        where organisation_id = ${tenant.organisation} and provider = 'xero' and end_user_id in (
          select id from end_users where external_id = 'fjord-shipping')`
      const now = yield* Clock.currentTimeMillis
      for (let at = 0; at < 60 * 14; at += 1) {
        const [method, route, providers, usual] = routes[Math.floor(chance(at) * routes.length)] ?? routes[0]
        const minute = Math.floor(at / 14)
        if (chance(at + 0.3) > 0.55 + 0.4 * Math.sin(minute / 9)) continue
        const luck = chance(at + 0.5)
        const status = luck > 0.985 ? 502 : luck > 0.95 ? 404 : method === "POST" ? 201 : 200
        yield* log.note(
          tenant,
          loggedRequest({
            at: now - 3_600_000 + minute * 60_000 + (at % 14) * 4000,
            method,
            route,
            status,
            providers,
            milliseconds: Math.round(usual * (0.6 + chance(at + 0.7)) + (luck > 0.97 ? 900 : 0)),
            traceId: Math.round(chance(at + 0.1) * 1e15)
              .toString(16)
              .padStart(32, "4bf92f3577b34da6a3ce929d0e0e4736"),
            requestId: `0b6ffaa2-8a3f-4f52-9c71-${String(at).padStart(12, "0")}`,
            key: key.id,
            endUser: "acme-ltd",
            ...(status < 400 ? {} : status === 404 ? notFound : away),
            connections: [key.id],
            calls: providers.flatMap((provider, n) => callsOf(provider, key.id, status, n * 30 + 4)),
            callsMade: providers.length
          })
        )
      }
      return Redacted.value(key.key)
    })

    return ConsoleApplication.of({
      service,
      newcomer: (name) => run(Effect.map(organisation(name), ({ key }) => Redacted.value(key.key))),
      busy: (name) => run(busy(name)),
      call: async (key, path, endUser = "acme-ltd") => {
        const headers = { authorization: `Bearer ${key}`, "x-end-user-id": endUser }
        return (await fetch(`${service}/api/v1${path}`, { headers })).status
      }
    })
  })

export const layer = served((service) => Layer.scoped(ConsoleApplication, make(service)), Layer.empty)
