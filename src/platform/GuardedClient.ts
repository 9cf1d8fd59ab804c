import type { HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { Context, Effect, Layer } from "effect"
import { isIP, type LookupFunction } from "node:net"
import { answerLimit } from "./AnswerLimit.ts"
import { Dialer, HostRefused, type HostUnknown } from "./Dialer.ts"
import * as Network from "./Network.ts"

type Refused = HostRefused | HostUnknown

/** Calls to addresses that users name: to public hosts by https, to those that the operator allows also by http. */
export class GuardedClient extends Context.Tag("tributary/platform/GuardedClient")<
  GuardedClient,
  {
    /** Fails when the address is not one to call now, and says why. */
    readonly check: (url: URL) => Effect.Effect<void, Refused>
    /** Calls the host that was checked, whatever its name leads to a moment later. Redirects are not followed. */
    readonly send: (
      request: HttpClientRequest.HttpClientRequest
    ) => Effect.Effect<HttpClientResponse.HttpClientResponse, Refused | HttpClientError.HttpClientError>
  }
>() {
  static readonly layer = Layer.scoped(
    GuardedClient,
    Effect.gen(function* () {
      const dialer = yield* Dialer
      /** Addresses that hosts were found to have, each one checked. */
      const checked = new Map<string, string>()

      const check = Effect.fn("GuardedClient.check")(function* ({ hostname, protocol }: URL) {
        const address = yield* dialer.resolve(hostname)
        const isSafe = protocol === "https:" || (protocol === "http:" && dialer.isAllowed(address))
        if (!isSafe) return yield* new HostRefused({ message: "must begin with https://" })
        checked.delete(hostname)
        checked.set(hostname, address)
        const [oldest] = checked.keys()
        if (checked.size > capacity && oldest !== undefined) checked.delete(oldest)
      })

      const lookup: LookupFunction = (hostname, { all }, answer) => {
        const address = checked.get(hostname)
        if (address === undefined) return answer(new Error("the host was not checked"), "", 4)
        const family = isIP(address)
        return all === true ? answer(null, [{ address, family }]) : answer(null, address, family)
      }
      const agent = yield* Network.agentOf({
        connections: perHost,
        keepAliveTimeout: 10_000,
        connect: { timeout: 5_000, lookup }
      })
      const client = Network.clientOf(agent, yield* answerLimit)

      return {
        check,
        send: (request) => Effect.zipRight(check(new URL(request.url)), client.execute(request))
      }
    })
  ).pipe(Layer.provide(Dialer.layer))
}

/** Hosts that are remembered. */
const capacity = 10_000

/** Connections to one host, which is often that of many organisations: more than a process makes attempts at a time. */
const perHost = 512
