import { Context, Effect, Layer } from "effect"
import { createServer, type Server, type ServerResponse } from "node:http"
import { Server as NetServer } from "node:net"

/**
 * Longer than load balancers keep idle connections, most of them 60 s: they must be the ones who end them, or a request goes out
 * on a connection that ends at that moment. The headers' time also runs for a connection on which nothing was sent yet.
 */
const idleLimit = 65_000

/** Files may take five minutes to come in; JSON bodies have a limit of their own. */
const limits = { requestTimeout: 300_000, headersTimeout: idleLimit + 1_000, keepAliveTimeout: idleLimit }

/** Passes of the event loop in which connections may still come in before the listener closes all the same. */
const patience = 1_000

/**
 * Node's HTTP server, and what ends it without failing a request. Node's own `close` also destroys every connection
 * whose answer has been handed over, even when the client has not yet received all of it.
 */
export class HttpListener extends Context.Tag("tributary/platform/HttpListener")<
  HttpListener,
  {
    readonly node: Server
    /** From now on answers say `Connection: close`, those to requests under way too, and their connections end with them. */
    readonly closeAfterAnswers: Effect.Effect<void>
    /** Takes no new connections. Requests on the open ones are answered. */
    readonly stopListening: Effect.Effect<void>
    /** Waits until no request is under way. */
    readonly answered: Effect.Effect<void>
    /** Ends every connection; gives the number of requests that this cuts short. */
    readonly endConnections: Effect.Effect<number>
  }
>() {
  static readonly layer = Layer.sync(HttpListener, () => {
    const node = createServer(limits)
    const open = new Set<ServerResponse>()
    const waiting = new Set<() => void>()
    let connections = 0
    let closesAfterAnswers = false

    const close = (response: ServerResponse) => {
      if (!response.headersSent) response.setHeader("connection", "close")
    }

    node.on("connection", () => (connections += 1))
    // before the service's own listener, which answers
    node.on("request", (_request, response) => {
      open.add(response)
      if (closesAfterAnswers) close(response)
      response.once("close", () => {
        open.delete(response)
        if (open.size === 0) for (const resume of waiting) resume()
      })
    })

    return {
      node,
      closeAfterAnswers: Effect.sync(() => {
        closesAfterAnswers = true
        open.forEach(close)
      }),
      // The system completes connections that Node has yet to take, one in each pass of the event loop: closing resets those.
      stopListening: Effect.async((resume) => {
        const pass = (left: number) => {
          const known = connections
          setImmediate(() => {
            if (connections > known && left > 0) return pass(left - 1)
            NetServer.prototype.close.call(node)
            resume(Effect.void)
          })
        }
        pass(patience)
      }),
      answered: Effect.async((resume) => {
        if (open.size === 0) return resume(Effect.void)
        const done = () => resume(Effect.void)
        waiting.add(done)
        return Effect.sync(() => waiting.delete(done))
      }),
      endConnections: Effect.sync(() => {
        const cut = open.size
        node.closeAllConnections()
        return cut
      })
    }
  })
}
