import type { HttpServerRequest } from "@effect/platform"
import { Config, ConfigError, Effect, Either, Option } from "effect"
import { BlockList, isIP } from "node:net"

/** Ranges by the names that Express has for them. */
const named: { readonly [name: string]: ReadonlyArray<string> } = {
  loopback: ["127.0.0.0/8", "::1/128"],
  linklocal: ["169.254.0.0/16", "fe80::/10"],
  uniquelocal: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]
}

const familyOf = (address: string) => (isIP(address) === 6 ? "ipv6" : "ipv4")

const add = (list: BlockList, range: string): boolean => {
  const [address = "", prefix] = range.split("/", 2)
  const bits = prefix === undefined ? undefined : Number(prefix)
  const most = isIP(address) === 6 ? 128 : 32
  if (isIP(address) === 0) return false
  if (bits === undefined) list.addAddress(address, familyOf(address))
  else if (/^\d{1,3}$/.test(prefix ?? "") && bits <= most) list.addSubnet(address, bits, familyOf(address))
  else return false
  return true
}

/** `TRUSTED_PROXIES`: who is believed when it says where a request comes from; none unless it is set. */
const trusted = Config.string("TRUSTED_PROXIES").pipe(
  Config.withDefault(""),
  Config.mapOrFail((text) => {
    const list = new BlockList()
    const ranges = text
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "")
      .flatMap((name) => named[name] ?? [name])
    const wrong = ranges.find((range) => !add(list, range))
    return wrong === undefined
      ? Either.right(list)
      : Either.left(
          ConfigError.InvalidData(
            ["TRUSTED_PROXIES"],
            `Expected addresses, ranges such as 10.0.0.0/8, or loopback, linklocal, uniquelocal, separated by commas; not "${wrong}"`
          )
        )
  })
)

/** An IPv4 address in the form of an IPv6 one is what it stands for. */
const plain = (address: string) => address.trim().replace(/^::ffff:(?=\d+\.)/i, "")

/**
 * The address that a request comes from. A proxy that is trusted says it in `X-Forwarded-For`, at whose end it puts who asked
 * it: the last address there that is no trusted proxy. Clients can write into it what they like, but only in front.
 */
export const clientAddress = Effect.map(trusted, (list) => (request: HttpServerRequest.HttpServerRequest): string => {
  const peer = plain(Option.getOrElse(request.remoteAddress, () => "unknown"))
  const isTrusted = (address: string) => isIP(address) !== 0 && list.check(address, familyOf(address))
  if (!isTrusted(peer)) return peer
  const said = (request.headers["x-forwarded-for"] ?? "").split(",").map(plain)
  const client = said.findLast((address) => isIP(address) !== 0 && !isTrusted(address))
  return client ?? peer
})
