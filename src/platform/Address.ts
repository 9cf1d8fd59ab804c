import { Config, ConfigProvider, Effect, Layer, Option } from "effect"
import { createServer } from "node:net"

/** `HOST`: the address that the service listens on. */
export const host = Config.string("HOST").pipe(Config.withDefault("127.0.0.1"))

/** `PORT`: the port that it listens on. */
export const port = Config.integer().pipe(
  Config.validate({ message: "Expected a port: 0 (any free one) to 65535", validation: (n) => n >= 0 && n <= 65535 }),
  Config.nested("PORT"),
  Config.withDefault(3000)
)

/** Addresses that mean all of this machine's, which no browser can go to. */
const everywhere = ["0.0.0.0", "::", ""]

/** Tells a machine's own names, as addresses hold them. */
export const isLoopback = (hostname: string) => /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)

const bracketed = (name: string) => (name.includes(":") ? `[${name}]` : name)

/** `PUBLIC_URL` as it is set, without a slash at the end. */
export const configuredUrl = Config.url().pipe(
  Config.validate({
    message: "Expected the http:// or https:// address under which browsers reach the service: https://api.example.com",
    validation: ({ hash, password, protocol, search, username }) =>
      /^https?:$/.test(protocol) && username + password + search + hash === ""
  }),
  Config.map(({ href }) => href.replace(/\/+$/, "")),
  Config.nested("PUBLIC_URL"),
  Config.option
)

/**
 * `PUBLIC_URL`: where browsers and providers' redirects reach the service, without a slash at the end; absent, where it
 * listens. It may have a path, for a proxy that takes it off.
 */
export const publicUrl = Config.all({ configuredUrl, host, port }).pipe(
  Config.map(({ configuredUrl, host, port }) =>
    Option.getOrElse(configuredUrl, () => `http://${everywhere.includes(host) ? "localhost" : bracketed(host)}:${port}`)
  )
)

/** A port that is free just now; none where nothing can listen. */
const freePort = (at: string) =>
  Effect.async<number | undefined>((resume) => {
    const server = createServer()
    server.on("error", () => resume(Effect.succeed(undefined)))
    server.listen(0, at, () => {
      const address = server.address()
      const found = typeof address === "object" ? address?.port : undefined
      server.close(() => resume(Effect.succeed(found)))
    })
  })

/**
 * Settles `PORT=0` to a free port before anything is built: addresses with the port in them are made, and kept, before
 * anything listens. Should another process take it meanwhile, the service says that it cannot listen, and does not start.
 */
export const settled = Layer.unwrapEffect(
  Effect.gen(function* () {
    const found = (yield* port) === 0 ? yield* freePort(yield* host) : undefined
    if (found === undefined) return Layer.empty
    const own = ConfigProvider.fromMap(new Map([["PORT", String(found)]]))
    return yield* Effect.configProviderWith((given) =>
      Effect.succeed(Layer.setConfigProvider(ConfigProvider.orElse(own, () => given)))
    )
  })
)
