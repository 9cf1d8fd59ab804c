import { Effect } from "effect"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"

/** A way to a server that can be told to stop passing bytes, as when the server hangs or a cable is cut. */
export interface TcpProxy {
  readonly port: number
  /** Passes nothing on in either direction, and closes nothing; connections are still accepted. */
  readonly silence: () => void
  /** Passes on what is sent from now on, and what has been held back. */
  readonly speak: () => void
}

/** Listens on 127.0.0.1 in front of a server until the scope closes. */
export const proxyTo = (target: { readonly host: string; readonly port: number }) =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    let isSilent = false
    const join = (from: Socket, to: Socket) => {
      sockets.add(from)
      from.on("data", (bytes) => to.write(bytes))
      from.on("error", () => to.destroy())
      from.on("close", () => {
        sockets.delete(from)
        to.destroy()
      })
      if (isSilent) from.pause()
    }
    const server = createServer((near) => {
      const far = connect(target)
      join(near, far)
      join(far, near)
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.sync(() => {
          server.close()
          for (const socket of sockets) socket.destroy()
        })
    )
    return {
      port: (server.address() as AddressInfo).port,
      silence: () => {
        isSilent = true
        for (const socket of sockets) socket.pause()
      },
      speak: () => {
        isSilent = false
        for (const socket of sockets) socket.resume()
      }
    } satisfies TcpProxy
  })
