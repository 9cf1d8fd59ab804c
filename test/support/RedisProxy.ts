import { Effect } from "effect"
import { connect, createServer, type Socket } from "node:net"

/**
 * A way to the real Redis that can be cut, restored and silenced. Stalled, it passes commands on and keeps the answers
 * until it goes on.
 */
export const redisProxy = Effect.gen(function* () {
  const target = new URL(process.env.REDIS_URL ?? "redis://127.0.0.1:6379")
  const sockets = new Set<Socket>()
  const answers = new Set<Socket>()
  let silent = false
  const server = createServer((near) => {
    const far = connect(Number(target.port) || 6379, target.hostname)
    answers.add(far)
    for (const [from, to] of [
      [near, far],
      [far, near]
    ] as const) {
      sockets.add(from)
      from.on("data", (data) => silent || to.write(data))
      from.on("error", () => to.destroy())
      from.on("close", () => to.destroy())
    }
  })
  const listen = (port: number) =>
    Effect.async<number>((resume) => {
      server.listen(port, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(address !== null && typeof address === "object" ? address.port : 0))
      })
    })
  const stop = Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
    for (const socket of sockets) socket.destroy()
    sockets.clear()
    answers.clear()
  })
  const port = yield* Effect.acquireRelease(listen(0), () => stop)
  return {
    url: `redis://127.0.0.1:${port}`,
    stop,
    start: Effect.zipRight(
      Effect.sync(() => (silent = false)),
      listen(port)
    ),
    silence: Effect.sync(() => (silent = true)),
    stall: Effect.sync(() => answers.forEach((socket) => socket.pause())),
    goOn: Effect.sync(() => answers.forEach((socket) => socket.resume()))
  }
})
