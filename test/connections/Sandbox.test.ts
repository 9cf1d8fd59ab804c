import { assert, describe, layer } from "@effect/vitest"
import { HttpClient } from "@effect/platform"
import { Effect, Layer, TestClock } from "effect"
import { find } from "../../src/canonical/Catalogue.ts"
import { Connections } from "../../src/connections/Connections.ts"
import { Integrations } from "../../src/connections/Integrations.ts"
import { Sandbox } from "../../src/connections/Sandbox.ts"
import * as TokenRefresh from "../../src/connections/TokenRefresh.ts"
import { compile } from "../../src/mapping/Compile.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import { All } from "../../src/providers/All.ts"
import { Budget } from "../../src/providers/base/Budget.ts"
import * as Calls from "../../src/providers/base/Calls.ts"
import { Credentials } from "../../src/providers/Credentials.ts"
import { KeptValues } from "../../src/providers/KeptValues.ts"
import { Providers } from "../../src/providers/Providers.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { takeAllBack } from "../../src/providers/simulation/Certificates.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { layer as simulatorLayer } from "../../src/providers/simulation/Simulator.ts"
import { simulators } from "../../src/providers/Simulators.ts"
import { Transport } from "../../src/providers/Transport.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import { Toolkits } from "../../src/toolkits/Toolkits.ts"
import * as TestDatabase from "../support/TestDatabase.ts"
import { firstOf } from "../support/Full.ts"

const noNetwork = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make(() => Effect.dieMessage("the sandbox called the network"))
)

const services = Layer.mergeAll(
  All,
  ...simulators.map(simulatorLayer),
  Sandbox.layer(simulators),
  EndUsers.layer,
  Organisations.layer
).pipe(
  Layer.provide(Layer.merge(Calls.layer, KeptValues.layerMemory)),
  Layer.provideMerge(TokenRefresh.layer),
  Layer.provideMerge(Integrations.layer),
  Layer.provideMerge(Layer.mergeAll(Connections.layer, Providers.layer, Toolkits.layer, Transport.layer, Budget.layer)),
  Layer.provideMerge(Layer.mergeAll(SimulationStore.layerSql, Faults.layer, Encryption.layerTest)),
  Layer.provideMerge(TestDatabase.layer),
  Layer.provide(noNetwork)
)

const connected = (provider: string) =>
  Effect.gen(function* () {
    const { id } = yield* (yield* Organisations).create(`${provider} ${crypto.randomUUID()}`)
    const endUser = yield* (yield* EndUsers).ensure(id, "sandbox", "u1")
    return { endUser, connection: yield* (yield* Sandbox).connect(endUser, provider) }
  })

/** Reads something of the account through the provider's adapter. */
const useAccount = (provider: string, connection: Effect.Effect.Success<ReturnType<typeof connected>>["connection"]) =>
  Effect.gen(function* () {
    const adapter = (yield* Providers).get(provider)
    const contact = adapter?.resources.contact
    const resource = find(adapter?.category ?? "crm", "contact")
    assert.isDefined(contact?.list)
    assert.isDefined(resource)
    const mapping = compile(provider, resource, contact.mapping)
    yield* contact.list({
      connection,
      mapping,
      position: null,
      limit: 1,
      wanted: {}
    })
  })

describe("Sandbox", () => {
  layer(services)((it) => {
    for (const { slug } of firstOf(simulators)) {
      it.effect(`${slug}: a connection works, and goes on when its token expires`, () =>
        Effect.gen(function* () {
          const credentials = yield* Credentials
          const { connection, endUser } = yield* connected(slug)
          assert.deepStrictEqual(yield* (yield* Connections).ofEndUser(endUser, endUser.externalId), [connection])
          yield* useAccount(slug, connection)

          const before = yield* credentials.current(connection)
          yield* TestClock.adjust("2 hours")
          yield* useAccount(slug, connection)
          const after = yield* credentials.current(connection)
          // a key does not expire
          const renewals = (yield* Providers).get(slug)?.authorization.kind === "key" ? 0 : 1
          assert.strictEqual(after.version, before.version + renewals)
          assert.deepStrictEqual(Object.keys(after.values), Object.keys(before.values))

          yield* useAccount(slug, connection)
          assert.strictEqual((yield* credentials.current(connection)).version, after.version)
        })
      )

      it.effect(`${slug}: an account that takes its consent back needs connecting again`, () =>
        Effect.gen(function* () {
          const { connection, endUser } = yield* connected(slug)
          yield* (yield* SimulationStore).run(slug, connection.id, takeAllBack)
          const error = yield* Effect.flip(useAccount(slug, connection))
          assert.strictEqual(error.reason._tag, "Unauthenticated")
          const found = yield* (yield* Connections).ofEndUser(endUser, endUser.externalId)
          assert.strictEqual(found?.[0]?.status, "needs_reauth")
        })
      )
    }

    it.effect("connects to what it simulates, for end users of the sandbox", () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        const { id } = yield* (yield* Organisations).create("production")
        const endUser = yield* (yield* EndUsers).ensure(id, "production", "u1")
        assert.strictEqual((yield* Effect.flip(sandbox.connect(endUser, "hubspot"))).code, "END_USER_NOT_FOUND")
        assert.strictEqual((yield* Effect.flip(sandbox.connect(endUser, "nobody"))).code, "PROVIDER_NOT_FOUND")
      })
    )
  })
})
