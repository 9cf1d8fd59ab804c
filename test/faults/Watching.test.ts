import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { createDatabase } from "../support/TestDatabase.ts"
import { at, call, type Caller, command, type ServiceProcess, type Settings, start } from "./ServiceProcess.ts"

/** A provider's clock is behind the service's by more than its lists lag. */
const behind = 600_000

interface Contact {
  readonly name: string
  readonly made: number
  readonly changed: number
}

const pageSize = 100

/** HubSpot's contacts, of which it lists a page at a time; it keeps the calls waiting that it is told to. */
const provider = Effect.acquireRelease(
  Effect.async<{
    readonly address: string
    readonly contacts: Map<number, Contact>
    readonly now: () => number
    /** Keeps waiting those for which it holds, from now on; gives how many wait. */
    readonly hold: (which: (path: string) => boolean) => () => number
    readonly release: () => void
    readonly close: () => void
  }>((resume) => {
    const contacts = new Map<number, Contact>()
    const now = () => Date.now() - behind
    let isHeld: (path: string) => boolean = () => false
    let held: Array<() => void> = []

    const shown = ([id, { changed, made, name }]: [number, Contact]) => {
      const stamps = { createdate: new Date(made).toISOString(), lastmodifieddate: new Date(changed).toISOString() }
      return {
        id: String(id),
        properties: { lastname: name, ...stamps },
        createdAt: stamps.createdate,
        updatedAt: stamps.lastmodifieddate,
        archived: false
      }
    }

    const listed = (after: number, isMeant: (contact: Contact) => boolean) => {
      const found = [...contacts].filter(([id, contact]) => id > after && isMeant(contact))
      const results = found.slice(0, pageSize)
      const last = results.at(-1)?.[0]
      return {
        total: found.length,
        results: results.map(shown),
        ...(found.length > pageSize ? { paging: { next: { after: String(last) } } } : {})
      }
    }

    const valueIn = (body: string, property: string) =>
      Number(new RegExp(`"propertyName":"${property}","operator":"\\w+","value":"(\\d+)"`).exec(body)?.[1] ?? 0)

    const answer = async (request: IncomingMessage) => {
      const body = await text(request)
      const url = new URL(request.url ?? "/", "http://localhost")
      if (url.pathname.endsWith("/contacts/search")) {
        const since = valueIn(body, "lastmodifieddate")
        return listed(valueIn(body, "hs_object_id"), ({ changed }) => changed >= since)
      }
      if (!url.pathname.endsWith("/contacts") || url.searchParams.get("archived") === "true") return { results: [] }
      return listed(Number(url.searchParams.get("after") ?? 0), () => true)
    }

    const serve = async (request: IncomingMessage, response: ServerResponse) => {
      const found = JSON.stringify(await answer(request))
      const headers = { "content-type": "application/json", date: new Date(now()).toUTCString() }
      const reply = () => response.writeHead(200, headers).end(found)
      if (isHeld(`${request.method} ${request.url}`)) held.push(reply)
      else reply()
    }

    const server = createServer((request, response) => void serve(request, response))
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(
        Effect.succeed({
          address: `http://127.0.0.1:${port}`,
          contacts,
          now,
          hold: (which) => {
            isHeld = which
            return () => held.length
          },
          release: () => {
            isHeld = () => false
            for (const reply of held) reply()
            held = []
          },
          close: () => {
            server.closeAllConnections()
            server.close()
          }
        })
      )
    })
  }),
  ({ close }) => Effect.sync(close)
)

const until = <E, R>(holds: Effect.Effect<boolean, E, R>) =>
  holds.pipe(Effect.delay("50 millis"), Effect.repeat({ until: (is) => is }), Effect.timeout("90 seconds"))

const killed = (service: ServiceProcess) =>
  Effect.zipRight(
    Effect.sync(() => service.signal("SIGKILL")),
    Effect.promise(() => service.ended)
  )

/** Reads the whole feed: each change of a record, as often as it was told. */
const told = (service: ServiceProcess, caller: Caller) =>
  Effect.map(
    call(service, caller, "GET", "/events?types=record.created,record.updated,record.deleted&limit=100"),
    ({ json }) => {
      const events = at(json, "data.data")
      assert(Array.isArray(events), "the feed")
      return events.map((event: unknown) => `${String(at(event, "type"))} ${String(at(event, "data.remote_id"))}`)
    }
  )

const server = process.env["TEST_DATABASE_URL"]

describe.runIf(server !== undefined)("a process that is killed while it watches", () => {
  it.scopedLive("loses no change, in a walk nor between", () =>
    Effect.gen(function* () {
      const hubspot = yield* provider
      const set = (id: number, name: string) => {
        const changed = hubspot.now()
        hubspot.contacts.set(id, { name, made: hubspot.contacts.get(id)?.made ?? changed, changed })
      }
      const url = yield* createDatabase(Redacted.make(server ?? ""))
      const settings: Settings = {
        DATABASE_URL: Redacted.value(url),
        ENCRYPTION_KEYS: `k1:${randomBytes(32).toString("base64")}`,
        RATE_LIMIT: "0",
        PROVIDER_HUBSPOT_BASE_URL: hubspot.address
      }
      const first = yield* start(settings)
      yield* command(settings, "organisations", "create", "--name", "Acme")
      const made = yield* command(settings, "keys", "create", "--organisation", "Acme", "--environment", "live")
      const caller: Caller = { key: String(at(made, "key")), endUser: "ann" }
      const body = { endUserId: "ann", provider: "hubspot", credentials: { accessToken: "token" } }
      assert.strictEqual((yield* call(first, caller, "POST", "/connections", body)).status, 201)
      for (let id = 1; id <= 2.5 * pageSize; id += 1) {
        hubspot.contacts.set(id, {
          name: `Old ${id}`,
          made: hubspot.now() - 86_400_000,
          changed: hubspot.now() - 3_600_000
        })
      }
      const wish = { resources: ["crm/contact"], interval: 5 }

      const inWalk = hubspot.hold((path) => path.startsWith("GET ") && path.includes(`after=${pageSize}`))
      assert.strictEqual((yield* call(first, caller, "PUT", "/watches", wish)).status, 200)
      yield* until(Effect.sync(() => inWalk() > 0))
      // of a page that was read, of one that is being read, and new
      set(1, "Changed")
      set(pageSize + 1, "Changed")
      set(1001, "New")
      yield* killed(first)
      hubspot.release()
      const expected = ["record.created 1001", "record.updated 1", `record.updated ${pageSize + 1}`]

      const second = yield* start(settings)
      yield* until(Effect.map(told(second, caller), (all) => expected.every((one) => all.includes(one))))
      const inChanges = hubspot.hold((path) => path.endsWith("/contacts/search"))
      set(2, "Changed")
      set(1002, "New")
      expected.push("record.updated 2", "record.created 1002")
      yield* until(Effect.sync(() => inChanges() > 0))
      set(3, "Changed")
      expected.push("record.updated 3")
      yield* killed(second)
      hubspot.release()

      const third = yield* start(settings)
      yield* until(Effect.map(told(third, caller), (all) => expected.every((one) => all.includes(one))))
      const followed = call(third, caller, "GET", "/watches/connections")
      yield* until(Effect.map(followed, ({ json }) => at(json, "data.data.0.state") === "following"))
      assert.sameMembers([...new Set(yield* told(third, caller))], expected, "and nothing else")
    })
  )
})
