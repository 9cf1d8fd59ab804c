import { SqlClient } from "@effect/sql"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, type Duration, Effect, Fiber, Ref, TestClock } from "effect"
import { BeforeRemoval } from "../../src/connections/BeforeRemoval.ts"
import { Connections } from "../../src/connections/Connections.ts"
import { Hooks } from "../../src/hooks/Hooks.ts"
import { Keeper } from "../../src/hooks/Keeper.ts"
import { Subscriptions } from "../../src/hooks/Subscriptions.ts"
import type { ConnectionRef } from "../../src/providers/ConnectionRef.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { whileTimePasses } from "../support/SandboxApplication.ts"
import { soon } from "../webhooks/Soon.ts"
import { hooks, Noted, polledNow, publicUrl, simulated } from "./Support.ts"

/** Subscriptions that a simulated account holds. */
const held = (connection: ConnectionRef) =>
  Effect.gen(function* () {
    const type = connection.provider === "pipedrive" ? "webhooks" : "channels"
    const store = yield* SimulationStore
    const all = yield* store.run(connection.provider, connection.id, (account) => account.all(type))
    return all ?? []
  })

/** Subject of each: `person`, `Contacts.all`. */
const about = (connection: ConnectionRef) =>
  Effect.map(held(connection), (all) =>
    all.map(({ event_object, events }) => String(event_object ?? events)).toSorted()
  )

const watch = (...watched: ReadonlyArray<readonly [ConnectionRef, ...ReadonlyArray<string>]>) =>
  Effect.flatMap(Noted, (noted) =>
    Ref.set(
      noted.watched,
      watched.map(([connection, ...resources]) => ({ connection, resources }))
    )
  )

const keep = Effect.flatMap(Keeper, ({ keep }) => keep)

/** Waits until somebody sleeps for so many milliseconds. */
const sleepsFor = (milliseconds: number) =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    soon(TestClock.sleeps(), (all) => [...all].includes(now + milliseconds))
  )

/**
 * Sees to what is due, as far as it comes while what is made at a provider takes so many milliseconds, for which nothing else
 * may sleep.
 */
const keepingFor = (provider: (typeof both)[number], milliseconds: number, times = 1) =>
  Effect.gen(function* () {
    yield* (yield* Faults).add({ provider, method: "POST", does: { kind: "latency", milliseconds }, times })
    const keeping = yield* Effect.fork(keep)
    const now = yield* Clock.currentTimeMillis
    yield* soon(TestClock.sleeps(), (all) => [...all].filter((end) => end === now + milliseconds).length === times)
    return keeping
  })

/** Lets time pass, and what has to be done meanwhile be done. */
const after = (time: Duration.DurationInput) => Effect.zipRight(TestClock.adjust(time), keep)

const both = ["pipedrive", "zoho_crm"] as const

/** Sends a request to an address with the credentials that the provider was given. */
const send = (
  provider: (typeof both)[number],
  subscription: { readonly [name: string]: unknown },
  forged: { readonly secret?: string; readonly address?: string } = {}
) =>
  Effect.gen(function* () {
    const address = String(forged.address ?? subscription["subscription_url"] ?? subscription["url"])
    const isPipedrive = provider === "pipedrive"
    const password = forged.secret ?? String(subscription["http_auth_password"])
    const body = isPipedrive
      ? { meta: { entity: "person", entity_id: "7", action: "change" }, data: {}, previous: {} }
      : { module: "Contacts", ids: ["7"], operation: "update", token: forged.secret ?? subscription["token"] }
    return yield* (yield* Hooks).receive({
      provider,
      secret: address.split("/").at(-1) ?? "",
      method: "POST",
      target: new URL(address).pathname,
      headers: isPipedrive ? { authorization: `Basic ${Buffer.from(`tributary:${password}`).toString("base64")}` } : {},
      body: Effect.succeed(new TextEncoder().encode(JSON.stringify(body)))
    })
  })

describe("subscriptions of connections", () => {
  layer(hooks())((it) => {
    it.effect("are made as a watch needs them, once, and end with it", () =>
      Effect.gen(function* () {
        const pipedrive = yield* simulated("pipedrive")
        const zoho = yield* simulated("zoho_crm")
        const hubSpot = yield* simulated("hubspot")
        yield* watch(
          [pipedrive, "contact", "task", "note"],
          [zoho, "contact", "note", "activity"],
          [hubSpot, "contact"]
        )
        yield* keep
        assert.deepStrictEqual(yield* about(pipedrive), ["activity", "note", "person"])
        // Zoho tells nothing of notes
        assert.deepStrictEqual(yield* about(zoho), ["Calls.all", "Contacts.all", "Events.all"])
        for (const { subscription_url } of yield* held(pipedrive)) {
          assert.match(String(subscription_url), new RegExp(`^${publicUrl}/hooks/pipedrive/[\\w-]{75}$`))
        }

        const [first, second] = [yield* held(pipedrive), yield* held(zoho)]
        yield* Effect.all([keep, keep], { concurrency: 2 })
        assert.deepStrictEqual([yield* held(pipedrive), yield* held(zoho)], [first, second])

        yield* watch([pipedrive, "contact"])
        yield* keep
        assert.deepStrictEqual(yield* about(pipedrive), ["person"])
        assert.deepStrictEqual(yield* about(zoho), [])
        yield* watch()
        yield* keep
        assert.deepStrictEqual(yield* about(pipedrive), [])
      })
    )

    it.effect("last as long as they are wanted", () =>
      Effect.gen(function* () {
        const zoho = yield* simulated("zoho_crm")
        yield* watch([zoho, "contact"])
        yield* keep
        const ends = Effect.map(held(zoho), ([channel]) => Number(channel?.["expiresAt"]))
        const day = 86_400_000
        for (let passed = 0; passed < 30; passed += 1) {
          yield* after("1 day")
          const left = (yield* ends) - (yield* Clock.currentTimeMillis)
          assert.isAbove(left, 2 * day)
          assert.isAtMost(left, 7 * day)
        }
        const [before] = yield* held(zoho)
        // nobody was there to have it last
        yield* TestClock.adjust("20 days")
        yield* keep
        const [again] = yield* held(zoho)
        assert.strictEqual(again?.["id"], before?.["id"])
        assert.isAbove((yield* ends) - (yield* Clock.currentTimeMillis), 6 * day)
      })
    )

    it.effect("are made again where a provider has dropped them", () =>
      Effect.gen(function* () {
        const pipedrive = yield* simulated("pipedrive")
        yield* watch([pipedrive, "deal"])
        yield* keep
        const store = yield* SimulationStore
        yield* store.run("pipedrive", pipedrive.id, (account) => {
          for (const [id] of account.entries("webhooks")) account.remove("webhooks", id)
        })
        yield* after("25 hours")
        assert.deepStrictEqual(yield* about(pipedrive), ["deal"])
      })
    )

    it.effect("are tried again later when a provider refuses them", () =>
      Effect.gen(function* () {
        const faults = yield* Faults
        const pipedrive = yield* simulated("pipedrive")
        yield* watch([pipedrive, "contact"])
        yield* faults.add({ provider: "pipedrive", does: { kind: "status", status: 403 }, times: 2 })
        yield* keep
        assert.deepStrictEqual(yield* about(pipedrive), [])
        yield* after("30 seconds")
        assert.deepStrictEqual(yield* about(pipedrive), [])
        yield* after("1 minute")
        yield* after("3 minutes")
        assert.deepStrictEqual(yield* about(pipedrive), ["person"])
        yield* faults.clear
      })
    )

    it.effect("end before their connection is removed", () =>
      Effect.gen(function* () {
        for (const provider of both) {
          const connection = yield* simulated(provider)
          const other = yield* simulated(provider)
          yield* watch([connection, "contact"], [other, "contact"])
          yield* keep
          const [subscription] = yield* held(connection)
          assert.isDefined(subscription)
          yield* (yield* BeforeRemoval)([connection])
          assert.deepStrictEqual(yield* about(connection), [])
          yield* (yield* Connections).remove(connection, connection.id)
          assert.deepStrictEqual(yield* (yield* Subscriptions).ofConnections([connection.id]), [])
          assert.lengthOf(yield* about(other), 1)
          // what still comes leads nowhere
          assert.strictEqual((yield* Effect.flip(send(provider, subscription ?? {}))).status, 404)
        }
      })
    )

    it.effect("do not outlive a connection that is removed while they are made", () =>
      Effect.gen(function* () {
        for (const provider of both) {
          const connection = yield* simulated(provider)
          yield* watch([connection, "contact"])
          const keeping = yield* keepingFor(provider, 2345)
          yield* (yield* Connections).remove(connection, connection.id)
          yield* TestClock.adjust("2345 millis")
          yield* Fiber.join(keeping)
          assert.deepStrictEqual(yield* about(connection), [])
        }
      })
    )

    it.effect("are waited for by a removal while they are made", () =>
      Effect.gen(function* () {
        for (const provider of both) {
          const connection = yield* simulated(provider)
          yield* watch([connection, "contact"])
          const keeping = yield* keepingFor(provider, 2345)
          const removing = yield* Effect.fork(Effect.flatMap(BeforeRemoval, (end) => end([connection])))
          yield* sleepsFor(200)
          yield* TestClock.adjust("2345 millis")
          yield* Fiber.join(keeping)
          // it may look once more before it sees that they are made
          yield* Fiber.join(removing).pipe(whileTimePasses(200))
          assert.deepStrictEqual(yield* about(connection), [])
          yield* watch()
          yield* keep
        }
      })
    )

    it.effect("are taken a few at a time, for ten seconds from when they were held on to last", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const all = yield* Effect.forEach(Array.from({ length: 5 }), () => simulated("pipedrive"))
        yield* watch(...all.map((connection) => [connection, "contact"] as const))
        const leases = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const rows = yield* sql<{ readonly due_at: Date }>`
            select due_at from push_subscriptions
            where connection_id = any(${all.map(({ id }) => id)}::uuid[]) and due_at > ${new Date(now)}`
          return rows.map(({ due_at }) => due_at.getTime() - now)
        })
        const keeping = yield* keepingFor("pipedrive", 4321, 4)
        const whole = Array.from({ length: 4 }, () => 10_000)
        assert.deepStrictEqual(yield* leases, whole)
        yield* TestClock.adjust("3 seconds")
        yield* soon(leases, (left) => left.every((one) => one === 10_000))
        yield* TestClock.adjust("1321 millis")
        yield* Fiber.join(keeping)
        assert.lengthOf((yield* Effect.forEach(all, about)).flat(), 5)
      })
    )

    it.effect("wait while their connection needs to be connected again", () =>
      Effect.gen(function* () {
        const pipedrive = yield* simulated("pipedrive")
        yield* watch([pipedrive, "contact"])
        yield* (yield* Connections).markNeedsReauth(pipedrive, pipedrive.version ?? 0, "refused")
        yield* keep
        assert.deepStrictEqual(yield* about(pipedrive), [])
      })
    )

    for (const provider of both) {
      it.effect(`${provider}: have what a push names looked at, of their connection alone`, () =>
        Effect.gen(function* () {
          const connection = yield* simulated(provider)
          const other = yield* simulated(provider)
          yield* watch([connection, "contact"], [other, "contact"])
          yield* keep
          const [own = {}] = yield* held(connection)
          const [others = {}] = yield* held(other)
          yield* polledNow

          assert.strictEqual(yield* send(provider, own), "accepted")
          assert.deepStrictEqual(yield* polledNow, [{ connection: connection.id, named: ["crm/contact 7"] }])

          assert.strictEqual(yield* send(provider, own, { secret: "guess" }), "rejected")
          // the credential of another one
          const address = String(own["subscription_url"] ?? own["url"])
          assert.strictEqual(yield* send(provider, others, { address }), "rejected")
          for (const end of ["guess", `${address.split("/").at(-1)?.slice(0, -1)}A!`]) {
            const guessed = `${publicUrl}/hooks/${provider}/${end}`
            assert.strictEqual((yield* Effect.flip(send(provider, own, { address: guessed }))).status, 404)
          }
          const [elsewhere] = both.filter((one) => one !== provider)
          if (elsewhere !== undefined) {
            assert.strictEqual((yield* Effect.flip(send(elsewhere, own, { address }))).status, 404)
          }
          assert.deepStrictEqual(yield* polledNow, [])
        })
      )
    }

    it.effect("are kept without what would let anyone push", () =>
      Effect.gen(function* () {
        const zoho = yield* simulated("zoho_crm")
        yield* watch([zoho, "contact"])
        yield* keep
        const [channel = {}] = yield* held(zoho)
        assert.isAtMost(String(channel["token"]).length, 50)
        const sql = yield* SqlClient.SqlClient
        const rows = JSON.stringify(yield* sql`select * from push_subscriptions where connection_id = ${zoho.id}`)
        assert.include(rows, "Contacts")
        assert.notInclude(rows, String(channel["token"]))
        assert.notInclude(rows, String(channel["url"]).slice(-43))
      })
    )
  })
})
