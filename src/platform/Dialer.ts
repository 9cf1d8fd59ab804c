import { Config, Context, Effect, Either, Layer, Schema } from "effect"
import { lookup } from "node:dns/promises"
import { BlockList, isIP } from "node:net"

/** The host that a user named is not one to connect to; `message` says why. */
export class HostRefused extends Schema.TaggedError<HostRefused>()("HostRefused", { message: Schema.String }) {}

/** The name of a host leads nowhere now. */
export class HostUnknown extends Schema.TaggedError<HostUnknown>()("HostUnknown", { message: Schema.String }) {}

/** `10.0.0.0/8`, or one address. */
interface Range {
  readonly address: string
  readonly prefix: number
  readonly family: "ipv4" | "ipv6"
}

const rangeOf = (text: string): Range | undefined => {
  const [address = "", prefix, ...more] = text.split("/")
  const family = isIP(address)
  const bits = family === 4 ? 32 : 128
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : Number.NaN
  return family === 0 || more.length > 0 || !(length <= bits)
    ? undefined
    : { address, prefix: length, family: family === 4 ? "ipv4" : "ipv6" }
}

const blockList = (ranges: ReadonlyArray<string | Range>): BlockList => {
  const list = new BlockList()
  for (const one of ranges) {
    const range = typeof one === "string" ? rangeOf(one) : one
    if (range !== undefined) list.addSubnet(range.address, range.prefix, range.family)
  }
  return list
}

/** Not of the public internet: https://www.iana.org/assignments/iana-ipv4-special-registry */
const specialV4 = blockList([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4"
])

/**
 * All but 2000::/3, and in that what leads elsewhere: Teredo, documentation, 6to4.
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const specialV6 = blockList(["::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"])

/** Where clouds tell machines their own credentials: nobody's host. */
const metadata = blockList(["169.254.169.254", "fd00:ec2::254"])

const familyOf = (address: string) => (isIP(address) === 4 ? "ipv4" : "ipv6")

/** The addresses and ranges of a setting of the operator's; none where it is not set. */
export const ranges = (setting: string) =>
  Config.string().pipe(
    Config.map((text) =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "")
    ),
    Config.validate({
      message: "Expected addresses and ranges such as 10.0.0.0/8,192.168.1.20",
      validation: (parts) => parts.every((part) => rangeOf(part) !== undefined)
    }),
    // named last, or the message would not say which setting it is about
    Config.nested(setting),
    Config.withDefault([]),
    Config.map(blockList)
  )

/** The host in the one way of writing it: `0x7f.1` is `127.0.0.1`. */
const plain = (host: string): Either.Either<string, HostRefused> =>
  Either.mapLeft(
    Either.try(() => new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, "")),
    () => new HostRefused({ message: "the host must be a name or an address, such as db.example.com" })
  )

/** The way to hosts that users name: only public ones, and those that the operator allows. */
export class Dialer extends Context.Tag("tributary/platform/Dialer")<
  Dialer,
  {
    /**
     * The address to connect to, which was checked: connecting to the name instead would ask again, and could be told
     * another one. An IPv6 literal stands in brackets.
     */
    readonly resolve: (host: string) => Effect.Effect<string, HostRefused | HostUnknown>
    /** Whether the operator names an address. */
    readonly isAllowed: (address: string) => boolean
  }
>() {
  /** `ALLOW_PRIVATE_HOSTS`: private addresses and ranges that may be reached, in the operator's network. */
  static readonly layer = Layer.effect(
    Dialer,
    Effect.map(ranges("ALLOW_PRIVATE_HOSTS"), (open) => {
      const isBlocked = (address: string) => {
        const family = familyOf(address)
        if (metadata.check(address, family)) return true
        if (open.check(address, family)) return false
        return family === "ipv4" ? specialV4.check(address, family) : specialV6.check(address, family)
      }
      return {
        isAllowed: (address) => isIP(address) !== 0 && open.check(address, familyOf(address)),
        resolve: Effect.fn("Dialer.resolve")(function* (host) {
          const name = yield* plain(host)
          const found =
            isIP(name) === 0
              ? yield* Effect.tryPromise({
                  try: () => lookup(name, { all: true }),
                  catch: () => new HostUnknown({ message: `there is no host ${name}` })
                })
              : [{ address: name }]
          const [first] = found
          if (first === undefined) return yield* new HostUnknown({ message: `there is no host ${name}` })
          if (found.some(({ address }) => isBlocked(address))) {
            return yield* new HostRefused({
              message:
                "the host is in a private network, which this service does not reach into; its operator can allow it with ALLOW_PRIVATE_HOSTS"
            })
          }
          return first.address
        })
      }
    })
  )
}
