import { assert, describe, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted } from "effect"
import { execFileSync } from "node:child_process"
import { type EventEmitter } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { TLSSocket } from "node:tls"
import * as RequestDeadline from "../../../src/platform/Deadline.ts"
import { Budget } from "../../../src/providers/base/Budget.ts"
import { Credentials } from "../../../src/providers/Credentials.ts"
import { PostgresAccess } from "../../../src/toolkits/postgres/PostgresAccess.ts"
import * as TestDatabase from "../../support/TestDatabase.ts"

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A message of the protocol; `length` in place of its true one. */
const message = (type: string, body: Buffer | string, length?: number) => {
  const bytes = Buffer.from(body)
  return Buffer.concat([Buffer.from(type), int32(length ?? bytes.length + 4), bytes])
}

const authenticated = message("R", int32(0))
const ready = message("Z", "I")
const notice = message("N", `SNOTICE\0M${"x".repeat(8000)}\0\0`)
const setting = message("S", `a\0${"x".repeat(8000)}\0`)
const rows = Buffer.concat(Array.from({ length: 5000 }, () => message("D", Buffer.from([0, 0]))))
const filler = Buffer.alloc(64 * 1024, "x")
const gigabyte = 1_000_000_000

/** More than any of this may be read; who gets there gives up. */
const most = 512 * 1024 * 1024

/** Waits for an event, whatever errors come before it. */
const happens = (emitter: EventEmitter, event: string) =>
  new Promise<void>((resolve) => emitter.once(event, () => resolve()))

/** Sends the same again and again, as fast as it is taken. */
const flood = async (socket: Socket, chunk: Buffer) => {
  while (!socket.destroyed && socket.bytesWritten < most) {
    if (!socket.write(chunk)) await Promise.race([happens(socket, "drain"), happens(socket, "close")])
  }
  socket.destroy()
}

type Behaviour = (socket: Socket) => unknown

/** A server that behaves so once somebody has asked to be let in; gives its port and the bytes that it got rid of. */
const server = (behave: Behaviour) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      const listening = createServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => {})
        socket.once("data", () => void behave(socket))
      }).listen(0, "127.0.0.1")
      await happens(listening, "listening")
      return {
        port: (listening.address() as AddressInfo).port,
        sent: () =>
          [...sockets].reduce((sum, { bytesWritten, writableLength }) => sum + bytesWritten - writableLength, 0),
        ended: () =>
          Promise.all([...sockets].filter(({ closed }) => !closed).map((socket) => happens(socket, "close"))),
        close: () => {
          for (const socket of sockets) socket.destroy()
          listening.close()
        }
      }
    }),
    ({ close }) => Effect.sync(close)
  )

/** Lets somebody in, and behaves so when they ask the first question. */
const afterwards =
  (behave: Behaviour): Behaviour =>
  (socket) => {
    socket.write(Buffer.concat([authenticated, ready]))
    socket.once("data", () => void behave(socket))
  }

const connectionString = (port: number) => Redacted.make(`postgresql://a:hush@127.0.0.1:${port}/c?sslmode=disable`)

/** Connections whose ids are the ports of their servers. */
const credentials = Layer.mock(Credentials, {
  current: ({ id }) =>
    Effect.succeed({ version: 1, secret: connectionString(Number(id)), values: { allowWrites: "true" } })
})

const services = PostgresAccess.layer.pipe(
  Layer.provide(Layer.mergeAll(credentials, Budget.layerMemory, TestDatabase.layer)),
  Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(new Map([["ALLOW_PRIVATE_HOSTS", "127.0.0.0/8"]]))))
)

/** A certificate that nobody signed, with its key. */
const certificate = () => {
  const pem = execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"].concat([
      ...["-subj", "/CN=hostile", "-keyout", "-", "-out", "-"]
    ]),
    { stdio: ["ignore", "pipe", "ignore"] }
  )
  return { key: pem, cert: pem }
}

/** Bytes that the operating system holds for both ends of a connection, at most. */
const buffered = 16 * 1024 * 1024

const talkative = "the server sends more than 64 kB before it lets anyone in, as PostgreSQL never does"
const tooLarge = "the rows are too large: ask for fewer columns, or for parts of long ones with left()"

const cases: ReadonlyArray<readonly [what: string, behave: Behaviour, says: string]> = [
  ["notices without end before authentication", (socket) => flood(socket, notice), talkative],
  [
    "an error of a gigabyte before authentication",
    (socket) => {
      socket.write(message("E", "SFATAL\0M", gigabyte))
      return flood(socket, filler)
    },
    talkative
  ],
  [
    "questions for the password without end",
    (socket) => socket.write(message("R", int32(3))) && socket.on("data", () => socket.write(message("R", int32(3)))),
    talkative
  ],
  [
    "settings without end after authentication",
    (socket) => {
      socket.write(authenticated)
      return flood(socket, setting)
    },
    talkative
  ],
  [
    "a row of a gigabyte",
    afterwards((socket) => {
      socket.write(message("D", Buffer.from([0, 1]), gigabyte))
      return flood(socket, filler)
    }),
    tooLarge
  ],
  ["rows without end", afterwards((socket) => flood(socket, rows)), tooLarge],
  [
    "an error of a gigabyte",
    afterwards((socket) => {
      socket.write(message("E", "SERROR\0M", gigabyte))
      return flood(socket, filler)
    }),
    tooLarge
  ],
  ["notices without end instead of an answer", afterwards((socket) => flood(socket, notice)), tooLarge]
]

describe("a hostile database server", () => {
  layer(services, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    for (const [what, behave, says] of cases) {
      it.scoped(`is read no further: ${what}`, () =>
        Effect.gen(function* () {
          const { ended, port, sent } = yield* server(behave)
          const { check } = yield* PostgresAccess
          const before = process.memoryUsage().arrayBuffers
          const error = yield* Effect.flip(check(connectionString(port), "production"))
          assert.strictEqual(error.detail, says)
          yield* Effect.promise(ended)
          assert.isBelow(sent(), 8 * 1024 * 1024 + buffered)
          assert.isBelow(process.memoryUsage().arrayBuffers - before, 64 * 1024 * 1024)
        })
      )
    }

    it.scoped("is read no further behind TLS either", () =>
      Effect.gen(function* () {
        const { ended, port, sent } = yield* server((socket) => {
          socket.write("S")
          const secured = new TLSSocket(socket, { isServer: true, ...certificate() })
          secured.on("error", () => {})
          secured.once("data", () => void flood(secured, notice))
        })
        const { check } = yield* PostgresAccess
        const text = Redacted.make(`postgresql://a:hush@127.0.0.1:${port}/c?sslmode=require`)
        assert.strictEqual((yield* Effect.flip(check(text, "production"))).detail, talkative)
        yield* Effect.promise(ended)
        assert.isBelow(sent(), buffered)
      })
    )

    it.scoped("does not keep a connection that nobody needs any more", () =>
      Effect.gen(function* () {
        // answers every question with an error, then goes on for ever and does not read
        const { ended, port, sent } = yield* server(
          afterwards((socket) => {
            socket.write(Buffer.concat([message("E", "SERROR\0C42501\0Mno\0\0"), ready]))
            socket.pause()
            setTimeout(() => void flood(socket, notice), 50)
          })
        )
        const { check } = yield* PostgresAccess
        assert.strictEqual((yield* Effect.flip(check(connectionString(port), "production"))).detail, "no")
        yield* Effect.promise(ended)
        assert.isBelow(sent(), buffered)
      })
    )

    it.scoped("is left alone for a while when it lets nobody in, by reads and writes", () =>
      Effect.gen(function* () {
        let asked = 0
        const { port } = yield* server((socket) => {
          asked += 1
          socket.destroy()
        })
        const { read, write } = yield* PostgresAccess
        const connection = {
          id: String(port),
          provider: "postgres",
          environment: "production",
          organisation: "o"
        } as const
        const reason = (call: typeof read) =>
          Effect.map(Effect.flip(call(connection, "query", () => Effect.void)), ({ reason }) => reason._tag)
        for (let i = 0; i < 5; i += 1) assert.strictEqual(yield* reason(i % 2 === 0 ? read : write), "Down")
        const begun = yield* RequestDeadline.after(30)
        for (const call of [read, write]) {
          assert.strictEqual(yield* Effect.locally(reason(call), RequestDeadline.current, { ...begun }), "Busy")
        }
        assert.strictEqual(asked, 5)
      })
    )
  })
})
