/**
 * Stands between the service and PostgreSQL and keeps the text of every statement that is executed.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
import { connect, createServer } from "node:net"

const sslRequest = 80_877_103

/** Cuts what a client sends into messages and hands each on: `("", body)` for those of the start, which have no type. */
const reader = (onMessage) => {
  let held = Buffer.alloc(0)
  let started = false
  return (chunk) => {
    held = Buffer.concat([held, chunk])
    for (;;) {
      const at = started ? 1 : 0
      if (held.length < at + 4) return
      const end = at + held.readInt32BE(at)
      if (held.length < end) return
      const body = held.subarray(at + 4, end)
      if (started) onMessage(String.fromCodePoint(held[0]), body)
      else started = body.readInt32BE(0) !== sslRequest
      held = held.subarray(end)
    }
  }
}

const textAt = (body, from) => body.toString("utf8", from, body.indexOf(0, from))

/** Listens on a port of its own in front of `host:port`. `statements` grows as they are executed. */
export const sqlProxy = (host, port) =>
  new Promise((resolve) => {
    const statements = []
    const sockets = new Set()
    const server = createServer((client) => {
      const database = connect(port, host)
      const prepared = new Map()
      const portals = new Map()
      const read = reader((type, body) => {
        const name = textAt(body, 0)
        const after = Buffer.byteLength(name) + 1
        if (type === "Q") statements.push(name)
        if (type === "P") prepared.set(name, textAt(body, after))
        if (type === "B") portals.set(name, prepared.get(textAt(body, after)))
        if (type === "E") statements.push(portals.get(name) ?? "")
      })
      client.on("data", read)
      client.pipe(database).pipe(client)
      for (const [socket, other] of [
        [client, database],
        [database, client]
      ]) {
        sockets.add(socket)
        socket.on("error", () => other.destroy())
        socket.on("close", () => sockets.delete(socket))
      }
    })
    const close = () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
    server.listen(0, "127.0.0.1", () => resolve({ port: server.address().port, statements, close }))
  })
