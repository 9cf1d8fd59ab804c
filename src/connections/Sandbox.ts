import { Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { randomUUID } from "node:crypto"
import { type Conflict, NotFound, Unprocessable } from "../platform/Errors.ts"
import { nameOf, type Requirement } from "../providers/Requirement.ts"
import { SimulationStore } from "../providers/simulation/SimulationStore.ts"
import type { Environment } from "../providers/ConnectionRef.ts"
import { certify } from "../providers/simulation/Certificates.ts"
import { accountIn, connect, type SimulatorSource } from "../providers/simulation/Simulator.ts"
import type { EndUser } from "../tenancy/EndUsers.ts"
import type { Connection } from "./Connection.ts"
import { Connections, type Removed } from "./Connections.ts"
import { type Integration, Integrations } from "./Integrations.ts"
import type { StoredCredentials } from "./StoredCredentials.ts"

/** Connects end users of the sandbox to simulated accounts. */
export class Sandbox extends Context.Tag("tributary/connections/Sandbox")<
  Sandbox,
  {
    /**
     * Makes a simulated account, named by the new connection's id, and connects it like any other: its token expires and
     * is refreshed.
     */
    readonly connect: (
      endUser: EndUser,
      provider: string,
      made?: {
        readonly accountName?: string | undefined
        /** Requirements that the account lacks. */
        readonly lacks?: ReadonlyArray<Requirement> | undefined
      }
    ) => Effect.Effect<Connection, NotFound | Conflict>
    /**
     * Credentials that open a simulated account. The account is made if there is none of that name, and erased with the end
     * user whose UUID is `owner`.
     */
    readonly open: (provider: string, account: string, owner: string) => Effect.Effect<StoredCredentials, NotFound>
    /**
     * Fails for an integration without a simulator, which the sandbox cannot reach, and for requirements that its simulated
     * accounts cannot lack.
     */
    readonly check: (
      integration: Integration,
      lacks?: ReadonlyArray<Requirement>
    ) => Effect.Effect<void, NotFound | Unprocessable>
    /** Erases the simulated account of a removed connection, unless another connection uses it. */
    readonly close: (removed: Removed) => Effect.Effect<void>
  }
>() {
  static readonly layer = (simulators: ReadonlyArray<SimulatorSource>) =>
    Layer.effect(
      Sandbox,
      Effect.gen(function* () {
        const connections = yield* Connections
        const integrations = yield* Integrations
        const store = yield* SimulationStore

        /** The simulator of an integration; undefined for a database, which needs none. */
        const sourceOf = Effect.fnUntraced(function* ({ authorization, slug }: Integration) {
          if (authorization.kind === "connectionString") return undefined
          return simulators.find((source) => source.slug === slug) ?? (yield* noSimulator(slug))
        })

        const open = Effect.fn("Sandbox.open")(function* (
          provider: string,
          account: string,
          owner: string,
          lacks: ReadonlyArray<Requirement> = []
        ): Effect.fn.Return<StoredCredentials, NotFound> {
          const integration = integrations.get(provider)
          if (integration === undefined) return yield* unknown(provider)
          const source = yield* sourceOf(integration)
          if (source === undefined) return sandboxString
          const simulator = yield* source.load
          const now = yield* Clock.currentTimeMillis
          const { kind } = integration.authorization
          const isKey = kind === "key"
          const inStore = Effect.provideService(SimulationStore, store)
          const tokens = yield* inStore(connect(simulator, account, isKey ? keyLifetime : tokenLifetime, owner, lacks))
          const values = simulator.values?.(account) ?? {}
          const opened = { secret: Redacted.make(tokens.accessToken), expiresAt: now + tokens.expiresIn * 1000 }
          if (kind === "certificate") {
            const { privateKey, ...ids } = yield* inStore(certify(simulator, account, owner))
            return { ...opened, kind: "privateKey", refreshToken: undefined, privateKey, values: { ...values, ...ids } }
          }
          return isKey
            ? { ...opened, kind: "apiKey", refreshToken: undefined, expiresAt: undefined, values }
            : { ...opened, kind: "accessToken", refreshToken: Redacted.make(tokens.refreshToken), values }
        })

        /** A simulated account's id and the scopes of its tokens, as its provider states them. */
        const toldOf = Effect.fnUntraced(function* (provider: string, account: string) {
          const source = simulators.find(({ slug }) => slug === provider)
          const { accountId, scopes } = source === undefined ? {} : yield* source.load
          return {
            accountId: accountId?.(account),
            scopes: scopes === undefined ? undefined : yield* store.make(provider, account, scopes)
          }
        })

        return Sandbox.of({
          open,

          check: Effect.fn("Sandbox.check")(function* (integration, lacks = []) {
            const source = yield* sourceOf(integration)
            if (lacks.length === 0) return
            const features = source === undefined ? [] : ((yield* source.load).features ?? [])
            const known = features.map(nameOf)
            const unknown = lacks.flatMap((one, i) => (known.includes(nameOf(one)) ? [] : [i]))
            if (unknown.length === 0) return
            return yield* new Unprocessable({
              errors: Object.fromEntries(
                unknown.map((i) => [
                  `sandbox.lacks.${i}`,
                  known.length === 0
                    ? `${integration.slug} has nothing here that an account could lack`
                    : `must be one of ${known.join(", ")}`
                ])
              )
            })
          }),

          close: Effect.fn("Sandbox.close")(function* ({ credentials, id, provider }) {
            const opened = credentials === undefined ? "" : accountIn(Redacted.value(credentials.secret))
            const isTaken = opened !== id && (yield* connections.isThere(opened))
            yield* store.remove(provider, opened === "" || isTaken ? [id] : [id, opened])
          }),

          connect: Effect.fn("Sandbox.connect")(function* (endUser, provider, { accountName, lacks } = {}) {
            const id = randomUUID()
            const credentials = yield* open(provider, id, endUser.id, lacks)
            return yield* connections.create({
              id,
              organisation: endUser.organisation,
              environment: "sandbox",
              endUser: endUser.id,
              provider,
              accountName: accountName ?? `${integrations.get(provider)?.name ?? provider} sandbox`,
              ...(yield* toldOf(provider, id)),
              credentials
            })
          })
        })
      })
    )
}

/** Fails, in the sandbox, for an integration without a simulator. */
export const reachable = (environment: Environment, integration: Integration) =>
  environment === "production"
    ? Effect.void
    : Effect.flatMap(
        Effect.serviceOption(Sandbox),
        Option.match({ onNone: () => Effect.void, onSome: (sandbox) => sandbox.check(integration) })
      )

/** Value that an end user of the sandbox enters instead of a key or a connection string. */
export const sandboxKey = "sandbox"

/** Databases are not simulated over HTTP; the sandbox's own is reached without an address. */
const sandboxString: StoredCredentials = {
  kind: "connectionString",
  secret: Redacted.make(sandboxKey),
  refreshToken: undefined,
  expiresAt: undefined,
  values: {}
}

/** Seconds that a simulated account's first token lives; later ones live as long as the simulator says. */
const tokenLifetime = 3600

/** Keys do not expire; a simulator's live for a century. */
const keyLifetime = 100 * 365 * 24 * 3600

/** Failure for a provider that only a live key reaches. */
const noSimulator = (provider: string) =>
  new NotFound({ code: "PROVIDER_NOT_FOUND", message: `${provider} has no simulator; connect it with a live key` })

const unknown = (provider: string) =>
  new NotFound({ code: "PROVIDER_NOT_FOUND", message: `The sandbox has no provider "${provider}".` })
