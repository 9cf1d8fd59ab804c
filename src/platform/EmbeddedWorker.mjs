/**
 * The embedded database's thread: PGlite behind a unix socket that speaks the PostgreSQL protocol.
 * Plain JavaScript, because Node starts a worker from the file itself, in tests as well as from the build.
 *
 * PGlite is one backend session. Clients take turns: a client that has sent something holds the backend until the
 * backend is idle again, outside a transaction and with no half-sent batch, so neither transactions nor
 * Parse/Bind/Execute sequences of two clients mix. (`@electric-sql/pglite-socket` 0.2 takes turns by message, which
 * mixes the latter: https://github.com/electric-sql/pglite/issues/1046.)
 *
 * Started with `{socket, dataDir, snapshot}`. It listens at once and says `listening`; clients wait. On `open` it
 * opens the database and says `ready`, or `failed` with a message. On `close` it closes the database and ends.
 */
import { PGlite } from "@electric-sql/pglite"
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { parentPort, workerData } from "node:worker_threads"
import { extract } from "tar"

const { socket: path, dataDir, snapshot } = workerData
const idleInTransactionMillis = 30_000

/** @type {PGlite | undefined} */
let database
/** @type {Client | undefined} */
let holder
/** Clients with something to run, in order of arrival. */
const waiting = new Set()
const clients = new Set()
let running = false

const int32 = (n) => {
  const buffer = Buffer.alloc(4)
  buffer.writeInt32BE(n)
  return buffer
}
const message = (type, body) => Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
const fatal = (code, text) => message("E", Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`))
// Sync first: after an error in a batch the backend ignores everything up to the next Sync.
const abandon = Buffer.concat([message("S", Buffer.alloc(0)), message("Q", Buffer.from("ROLLBACK\0"))])

const request = { ssl: 80877103, gssapi: 80877104, cancel: 80877102 }
const type = { terminate: 0x58, readyForQuery: 0x5a, notification: 0x41 }
const idle = 0x49

class Client {
  started = false
  gone = false
  input = Buffer.alloc(0)
  /** Whole messages that have not run yet. */
  pending = []

  constructor(socket) {
    this.socket = socket
    clients.add(this)
    socket.on("data", (chunk) => this.receive(chunk))
    socket.on("error", () => {})
    socket.on("close", () => {
      this.gone = true
      clients.delete(this)
      waiting.delete(this)
      void run()
    })
  }

  receive(chunk) {
    this.input = this.input.length === 0 ? chunk : Buffer.concat([this.input, chunk])
    for (;;) {
      const lengthAt = this.started ? 1 : 0
      if (this.input.length < lengthAt + 4) break
      const length = lengthAt + this.input.readInt32BE(lengthAt)
      if (length < lengthAt + 4) return this.socket.destroy()
      if (this.input.length < length) break
      const whole = this.input.subarray(0, length)
      this.input = this.input.subarray(length)
      if (!this.started && this.negotiate(whole)) continue
      if (whole[0] === type.terminate) return this.socket.end()
      this.started = true
      this.pending.push(whole)
    }
    if (this.pending.length === 0) return
    if (holder !== this) waiting.add(this)
    void run()
  }

  /** Encryption is declined and cancelling does nothing: there is no other process to signal. */
  negotiate(whole) {
    const code = whole.length >= 8 ? whole.readInt32BE(4) : undefined
    if (code === request.ssl || code === request.gssapi) this.socket.write("N")
    else if (code === request.cancel) this.socket.end()
    else return false
    return true
  }

  take() {
    const batch = Buffer.concat(this.pending)
    this.pending = []
    return batch
  }
}

const execute = async (batch) => {
  const output = []
  await database.execProtocolRawStream(batch, {
    onRawData: (bytes) => void output.push(Buffer.from(bytes))
  })
  return Buffer.concat(output)
}

/** Sends the answer and tells whether the backend is idle; notifications also go to everybody else. */
const deliver = (client, output) => {
  client.socket.write(output)
  let isIdle = false
  for (let at = 0; at + 5 <= output.length;) {
    const end = at + 1 + output.readInt32BE(at + 1)
    isIdle = output[at] === type.readyForQuery && output[at + 5] === idle
    if (output[at] === type.notification) {
      for (const other of clients) if (other !== client && other.started) other.socket.write(output.subarray(at, end))
    }
    at = end
  }
  return isIdle
}

const run = async () => {
  if (running || database === undefined) return
  running = true
  for (;;) {
    if (holder === undefined) {
      ;[holder] = waiting
      if (holder === undefined) break
      waiting.delete(holder)
    }
    clearTimeout(holder.timer)
    if (holder.gone) {
      await execute(abandon)
      holder = undefined
    } else if (holder.pending.length > 0) {
      const client = holder
      if (deliver(client, await execute(client.take()))) {
        holder = undefined
        if (client.pending.length > 0) waiting.add(client)
      }
    } else {
      const client = holder
      client.timer = setTimeout(() => {
        const answer = fatal("25P03", "terminating connection due to idle-in-transaction timeout")
        client.socket.end(answer, () => client.socket.destroy())
      }, idleInTransactionMillis)
      break
    }
  }
  running = false
}

/** The defaults reserve 128 MB; a database of this size does well with less. */
const settings = { postgresqlconf: ["shared_buffers = '16MB'"] }

/** Made beside its place and moved there whole: a process killed in between leaves nothing half-made. */
const create = async () => {
  const fresh = `${dataDir}.new`
  rmSync(fresh, { recursive: true, force: true })
  if (existsSync(snapshot)) {
    mkdirSync(fresh)
    extract({ file: snapshot, cwd: fresh, sync: true })
  } else await (await PGlite.create({ dataDir: fresh, ...settings })).close()
  renameSync(fresh, dataDir)
}

const open = async () => {
  try {
    if (!existsSync(join(dataDir, "PG_VERSION"))) await create()
    database = await PGlite.create({ dataDir, ...settings })
    parentPort.postMessage({ type: "ready" })
    void run()
  } catch (error) {
    parentPort.postMessage({ type: "failed", message: String(error instanceof Error ? error.message : error) })
  }
}

const close = async () => {
  running = true
  server.close()
  for (const client of clients) client.socket.destroy()
  if (holder !== undefined) await execute(abandon)
  await database?.close()
  process.exit()
}

const server = createServer((socket) => new Client(socket))
server.on("error", (error) => {
  parentPort.postMessage({ type: "failed", message: error.message })
})
server.listen(path, () => parentPort.postMessage({ type: "listening" }))
parentPort.on("message", (command) => void (command === "open" ? open() : close()))
