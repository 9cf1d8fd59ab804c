import type { HttpClientRequest } from "@effect/platform"
import { ConfigProvider, Context, Effect, Layer, Queue, Redacted, Ref, TestClock } from "effect"
import { All } from "../../src/All.ts"
import { beforeRemoval } from "../../src/Application.ts"
import { Connections } from "../../src/connections/Connections.ts"
import { Integrations } from "../../src/connections/Integrations.ts"
import { Sandbox } from "../../src/connections/Sandbox.ts"
import * as TokenRefresh from "../../src/connections/TokenRefresh.ts"
import { EarlyPoll, type Named } from "../../src/hooks/EarlyPoll.ts"
import { Hooks } from "../../src/hooks/Hooks.ts"
import { Keeper } from "../../src/hooks/Keeper.ts"
import { WatchNeeds } from "../../src/hooks/WatchNeeds.ts"
import { Encryption } from "../../src/platform/Encryption.ts"
import { Budget } from "../../src/providers/base/Budget.ts"
import * as Calls from "../../src/providers/base/Calls.ts"
import type { ConnectionRef, Environment } from "../../src/providers/ConnectionRef.ts"
import { Credentials } from "../../src/providers/Credentials.ts"
import { KeptValues } from "../../src/providers/KeptValues.ts"
import { Providers } from "../../src/providers/Providers.ts"
import { Faults } from "../../src/providers/simulation/Faults.ts"
import { layer as simulatorLayer } from "../../src/providers/simulation/Simulator.ts"
import { SimulationStore } from "../../src/providers/simulation/SimulationStore.ts"
import { Transport } from "../../src/providers/Transport.ts"
import * as SandboxPushes from "../../src/SandboxPushes.ts"
import { simulators } from "../../src/Simulators.ts"
import { EndUsers } from "../../src/tenancy/EndUsers.ts"
import { Organisations } from "../../src/tenancy/Organisations.ts"
import { noNetwork } from "../../src/testing/contract/SandboxApplication.ts"
import { Toolkits } from "../../src/toolkits/Toolkits.ts"
import * as TestDatabase from "../support/TestDatabase.ts"

/** The day that these tests are about. */
export const today = Date.UTC(2026, 10, 20, 9)

export const publicUrl = "https://api.example.com/base"

/** The secrets that providers sign with; Xero's comes from nowhere else, HubSpot's is its client's. */
export const secrets = {
  hubspot: "client-secret-of-hubspot",
  quickbooks: "verifier-token",
  xero: "webhook-key"
} as const

/** An early poll that was asked for. */
export interface Polled {
  readonly connection: string
  readonly named: ReadonlyArray<Named>
}

/** Notes early polls that were asked for, and what is watched. */
export class Noted extends Context.Tag("test/hooks/Noted")<
  Noted,
  {
    readonly polled: Queue.Queue<Polled>
    readonly watched: Ref.Ref<
      ReadonlyArray<{ readonly connection: ConnectionRef; readonly resources: ReadonlyArray<string> }>
    >
  }
>() {}

const noted = Layer.effect(
  Noted,
  Effect.all({
    polled: Queue.unbounded<Polled>(),
    watched: Ref.make<ReadonlyArray<{ connection: ConnectionRef; resources: ReadonlyArray<string> }>>([])
  })
)

const watches = Layer.merge(
  Layer.effect(
    EarlyPoll,
    Effect.map(Noted, ({ polled }) => ({
      poll: (connection, named) => Effect.asVoid(polled.offer({ connection: connection.id, named }))
    }))
  ),
  Layer.effect(
    WatchNeeds,
    Effect.map(Noted, ({ watched }) => ({
      page: (slugs, { after = "", take }) =>
        Effect.map(Ref.get(watched), (all) =>
          all
            .filter(({ connection: { id, provider } }) => slugs.includes(provider) && id > after)
            .toSorted((a, b) => (a.connection.id < b.connection.id ? -1 : 1))
            .slice(0, take)
        ),
      isAny: (provider, environment) =>
        Effect.map(Ref.get(watched), (all) =>
          all.some(({ connection }) => connection.provider === provider && connection.environment === environment)
        )
    }))
  )
)

/** Hooks over all providers and their simulators, which push to them. */
export const hooks = (config: { readonly [name: string]: string } = {}) =>
  Layer.mergeAll(Sandbox.layer(simulators), ...simulators.map(simulatorLayer)).pipe(
    Layer.provide(SandboxPushes.layer),
    Layer.provideMerge(Layer.mergeAll(Hooks.layer, Keeper.layer)),
    Layer.provideMerge(beforeRemoval),
    Layer.provideMerge(All),
    Layer.provideMerge(Calls.layer),
    Layer.provideMerge(TokenRefresh.layer),
    Layer.provideMerge(Layer.mergeAll(Connections.layer, Integrations.layer, Transport.layer, Budget.layer)),
    Layer.provideMerge(Layer.mergeAll(Providers.layer, Toolkits.layer, EndUsers.layer, Organisations.layer)),
    Layer.provideMerge(watches),
    Layer.provideMerge(noted),
    Layer.provideMerge(
      Layer.mergeAll(SimulationStore.layerMemory, Faults.layer, Encryption.layerTest, KeptValues.layerMemory)
    ),
    Layer.provideMerge(TestDatabase.layer),
    Layer.provide(noNetwork),
    Layer.provide(
      Layer.setConfigProvider(
        ConfigProvider.fromMap(
          new Map(
            Object.entries({
              PUBLIC_URL: `${publicUrl}/`,
              PROVIDER_HUBSPOT_CLIENT_SECRET: secrets.hubspot,
              PROVIDER_QUICKBOOKS_WEBHOOK_SECRET: secrets.quickbooks,
              PROVIDER_XERO_WEBHOOK_SECRET: secrets.xero,
              ...config
            })
          )
        ).pipe(ConfigProvider.orElse(() => ConfigProvider.fromEnv()))
      )
    ),
    Layer.provide(Layer.effectDiscard(TestClock.setTime(today)))
  )

let made = 0

/** An end user of a new organisation. */
export const endUser = (environment: Environment) =>
  Effect.gen(function* () {
    made += 1
    const { id } = yield* (yield* Organisations).create(`Organisation ${made}`)
    return yield* (yield* EndUsers).ensure(id, environment, "ada")
  })

/** A connection to an account of production, of a new organisation. */
export const connected = (provider: string, accountId: string, environment: Environment = "production") =>
  Effect.gen(function* () {
    const { id, organisation } = yield* endUser(environment)
    return yield* (yield* Connections).create({
      organisation,
      environment,
      endUser: id,
      provider,
      accountId,
      credentials: {
        kind: "accessToken",
        secret: Redacted.make("token"),
        refreshToken: undefined,
        expiresAt: undefined,
        values: {}
      }
    })
  })

/** A connection to a new simulated account, of a new organisation. */
export const simulated = (provider: string) =>
  Effect.gen(function* () {
    return yield* (yield* Sandbox).connect(yield* endUser("sandbox"), provider)
  })

/** All that was polled since it was asked for last, by connection: `crm/contact 7`. */
export const polledNow = Effect.gen(function* () {
  const { polled } = yield* Noted
  const all = yield* Queue.takeAll(polled)
  return [...all].map(shown)
})

export const shown = ({ connection, named }: Polled) => ({
  connection,
  named: named.map(({ category, remoteIds, resource }) => [`${category}/${resource}`, ...remoteIds].join(" "))
})

/** Sends a request to a provider's simulator as the client of a connection. */
export const ask = (connection: ConnectionRef, request: HttpClientRequest.HttpClientRequest) =>
  Effect.gen(function* () {
    const client = (yield* Transport).to(connection.environment, connection.provider)
    const integration = (yield* Integrations).get(connection.provider)
    if (client === undefined || integration?.authorization.kind !== "oauth2") {
      return yield* Effect.dieMessage(`${connection.provider} has no simulator`)
    }
    const held = yield* (yield* Credentials).current(connection)
    const response = yield* client.execute(integration.authorization.apply(request, held))
    return { status: response.status, text: yield* response.text }
  }).pipe(Effect.scoped, Effect.orDie)
