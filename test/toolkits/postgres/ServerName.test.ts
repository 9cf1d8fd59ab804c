import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { type AddressInfo, createServer } from "node:net"
import { TLSSocket } from "node:tls"
import { Budget } from "../../../src/providers/base/Budget.ts"
import { Credentials } from "../../../src/providers/Credentials.ts"
import { PostgresAccess } from "../../../src/toolkits/postgres/PostgresAccess.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

/** A server that agrees to TLS and has no certificate; `names` are what its callers asked for. */
const server = Effect.acquireRelease(
  Effect.async<{ readonly port: number; readonly names: ReadonlyArray<string>; readonly close: () => void }>(
    (resume) => {
      const names: Array<string> = []
      const listening = createServer((socket) => {
        socket.on("error", () => {})
        socket.once("data", () => {
          socket.write("S")
          new TLSSocket(socket, {
            isServer: true,
            SNICallback: (name, done) => {
              names.push(name)
              done(null)
            }
          }).on("error", () => {})
        })
      })
      listening.listen(0, "127.0.0.1", () => {
        const { port } = listening.address() as AddressInfo
        resume(Effect.succeed({ port, names, close: () => listening.close() }))
      })
    }
  ),
  ({ close }) => Effect.sync(close)
)

const services = PostgresAccess.layer.pipe(
  Layer.provide(Layer.mergeAll(Layer.mock(Credentials, {}), Budget.layerMemory, TestDatabase.layer)),
  Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["ALLOW_PRIVATE_HOSTS", "127.0.0.0/8"]]))))
)

describe("TLS", () => {
  it.scoped(
    "asks for the name that was written, at the address that was checked",
    () =>
      Effect.gen(function* () {
        const { names, port } = yield* server
        const { check } = yield* PostgresAccess
        for (const mode of ["verify-full", "require", "verify-ca"]) {
          const text = Redacted.make(`postgresql://a:hush@localhost:${port}/c?sslmode=${mode}`)
          const error = yield* Effect.flip(check(text, "production"))
          assert.notInclude(JSON.stringify(error), "hush")
        }
        assert.deepStrictEqual(names, ["localhost", "localhost", "localhost"])
        yield* Effect.flip(check(Redacted.make(`postgresql://a:hush@127.0.0.1:${port}/c`), "production"))
        assert.lengthOf(names, 3)
      }).pipe(Effect.provide(services)),
    30_000
  )
})
