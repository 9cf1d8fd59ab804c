import { Clock, Config, Context, Effect, Layer, Option, Redacted } from "effect"
import { Connections } from "../connections/Connections.ts"
import { NotFound } from "../platform/Errors.ts"
import * as Metrics from "../platform/Metrics.ts"
import type { ConnectionRef, Environment } from "../providers/ConnectionRef.ts"
import type { ProviderAdapter } from "../providers/ProviderAdapter.ts"
import { Providers } from "../providers/Providers.ts"
import type { ApplicationPush, ConnectionPush, Delivery, Told } from "../providers/Push.ts"
import { makeAddresses } from "./Addresses.ts"
import { EarlyPoll } from "./EarlyPoll.ts"
import { Subscriptions } from "./Subscriptions.ts"
import { namedBy } from "./Types.ts"

/** A request to an address of pushes. */
export interface Incoming<E = never> extends Omit<Delivery, "url" | "now" | "body"> {
  /** Read once the address is known to be one. */
  readonly body: Effect.Effect<Delivery["body"], E>
  /** Slug. */
  readonly provider: string
  /** The end of the address. */
  readonly secret: string
  /** Path and query, as they were asked for. */
  readonly target: string
}

/** A push that was found to be the provider's, and whom it is about. */
interface Verified {
  readonly adapter: ProviderAdapter
  readonly about: ReadonlyArray<{ readonly connection: ConnectionRef; readonly told: ReadonlyArray<Told> }>
  readonly hasTold: boolean
}

/** The variable with the secret that an application's pushes are signed with. */
export const variableOf = (slug: string) => `PROVIDER_${slug.toUpperCase()}_WEBHOOK_SECRET`

/** An empty setting counts as none: anyone could sign with it. */
const secretAt = (name: string) =>
  Config.redacted(name).pipe(Config.option, Config.map(Option.filter((secret) => Redacted.value(secret) !== "")))

/** The secret that an application's pushes are signed with; none where the operator has set none. */
export const signingSecret = (slug: string, { signsWithClientSecret }: ApplicationPush) =>
  Config.all([
    secretAt(variableOf(slug)),
    signsWithClientSecret === true
      ? secretAt(`PROVIDER_${slug.toUpperCase()}_CLIENT_SECRET`)
      : Config.succeed(Option.none<Redacted.Redacted>())
  ]).pipe(Config.map(([own, client]) => Option.orElse(own, () => client)))

const nowhere = ({ target }: Pick<Incoming, "target">) =>
  new NotFound({ code: "NOT_FOUND", message: `There is nothing at ${target.split("?", 1)[0] ?? target}.` })

/** Takes what providers push, and has what it names looked at before its time. */
export class Hooks extends Context.Tag("tributary/hooks/Hooks")<
  Hooks,
  {
    /**
     * `rejected`: not the provider's, or too old, and nothing happens. Where there is no such address, or no secret to know its
     * pushes by, nothing is there. A push is a hint: one that comes twice, or of an account that nobody has connected, is as
     * well received as any.
     */
    readonly receive: <E>(incoming: Incoming<E>) => Effect.Effect<"accepted" | "rejected", NotFound | E>
  }
>() {
  static readonly layer = Layer.effect(
    Hooks,
    Effect.gen(function* () {
      const providers = yield* Providers
      const connections = yield* Connections
      const subscriptions = yield* Subscriptions
      const early = yield* EarlyPoll
      const addresses = yield* makeAddresses

      const secretIn = (environment: Environment, slug: string, push: ApplicationPush) =>
        environment === "sandbox"
          ? Effect.succeedSome(addresses.sandboxSecret(slug))
          : Effect.orDie(signingSecret(slug, push))

      /** Of all accounts that have connected the application: each of their connections, whichever tenant's. */
      const ofApplication = Effect.fnUntraced(function* <E>(
        incoming: Incoming<E>,
        delivery: Effect.Effect<Delivery, E>,
        push: ApplicationPush
      ) {
        const { provider, secret: end } = incoming
        const environment = addresses.environmentOf(provider, end)
        const secret = environment && (yield* secretIn(environment, provider, push))
        if (environment === undefined || secret === undefined || Option.isNone(secret)) return yield* nowhere(incoming)
        const told = Option.getOrUndefined(push.verify(yield* delivery, secret.value))
        if (told === undefined) return undefined
        const accountIds = [...new Set(told.flatMap(({ account }) => account ?? []))]
        const found =
          accountIds.length === 0 ? [] : yield* connections.toAccounts({ provider, environment, accountIds })
        return {
          hasTold: told.length > 0,
          about: found.map((connection) => ({
            connection,
            told: told.filter(({ account }) => account === connection.accountId)
          }))
        }
      })

      const ofConnection = Effect.fnUntraced(function* <E>(
        incoming: Incoming<E>,
        delivery: Effect.Effect<Delivery, E>,
        push: ConnectionPush
      ) {
        const held = yield* subscriptions.at(incoming.provider, incoming.secret)
        if (Option.isNone(held)) return yield* nowhere(incoming)
        const { connection, secret } = held.value
        return Option.getOrUndefined(
          Option.map(push.verify(yield* delivery, secret), (told) => ({ hasTold: true, about: [{ connection, told }] }))
        )
      })

      const verified = Effect.fnUntraced(function* <E>(incoming: Incoming<E>) {
        const { provider, secret: _secret, target, body, ...rest } = incoming
        const adapter = providers.get(provider)
        const push = adapter?.push
        if (adapter === undefined || push === undefined) return yield* nowhere(incoming)
        const url = addresses.calledAs(target)
        const delivery = Effect.zipWith(body, Clock.currentTimeMillis, (body, now) => ({ ...rest, url, body, now }))
        const found =
          push.kind === "application"
            ? yield* ofApplication(incoming, delivery, push)
            : yield* ofConnection(incoming, delivery, push)
        return found && ({ adapter, ...found } satisfies Verified)
      })

      return Hooks.of({
        receive: Effect.fn("Hooks.receive")(function* <E>(incoming: Incoming<E>) {
          const push = yield* verified(incoming)
          yield* Effect.annotateCurrentSpan({ provider: incoming.provider })
          if (push === undefined) {
            yield* Metrics.pushed(incoming.provider, "rejected")
            return "rejected"
          }
          const { about, adapter, hasTold } = push
          yield* Effect.forEach(about, ({ connection, told }) => early.poll(connection, namedBy(adapter, told)), {
            discard: true
          })
          yield* Metrics.pushed(incoming.provider, hasTold && about.length === 0 ? "unknown" : "accepted")
          return "accepted"
        })
      })
    })
  )
}
