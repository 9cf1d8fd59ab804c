import type { HttpServerRequest } from "@effect/platform"
import { Effect, Option } from "effect"
import { isIP } from "node:net"
import { ranges } from "./Dialer.ts"

/** IPv4 as it is, also where a socket of IPv6 took it. */
const plain = (address: string) => address.replace(/^::ffff:(?=\d+\.)/i, "")

/**
 * `TRUSTED_PROXIES`: addresses and ranges of proxies in front of the service. What they say in `X-Forwarded-For` of who asks
 * is believed; what anybody else says there is not. Gives the address that a request comes from.
 */
export const clientAddress = Effect.map(
  ranges("TRUSTED_PROXIES"),
  (trusted) =>
    ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): string => {
      const isTrusted = (address: string) =>
        isIP(address) !== 0 && trusted.check(address, isIP(address) === 4 ? "ipv4" : "ipv6")
      const said = (headers["x-forwarded-for"] ?? "").split(",").map((one) => plain(one.trim()))
      const nearestFirst = [
        ...said.filter((one) => one !== ""),
        plain(Option.getOrElse(remoteAddress, () => "unknown"))
      ]
      const [first = "unknown"] = nearestFirst
      return nearestFirst.toReversed().find((address) => !isTrusted(address)) ?? first
    }
)
