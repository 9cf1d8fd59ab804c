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
 *
 * Started with `{snapshot}` alone, the database is in memory. On `open` it answers in the same way. Clients come as
 * `{port, schema}`: their protocol runs over the message port, and their unqualified names are of that schema.
 *
 * The backend ends itself when it cannot extend its log on a full disk. Clients are told so until there is room, and a new
 * backend goes on from what is stored.
 */
import { PGlite } from "@electric-sql/pglite"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statfsSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { Duplex } from "node:stream"
import { setFlagsFromString } from "node:v8"
import { parentPort, workerData } from "node:worker_threads"
import { brotliDecompressSync } from "node:zlib"
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
/** The backend has ended itself. */
let isLost = false
/** Schema that the backend looks for names in; undefined as long as it was told none. */
let schema

const int32 = (n) => {
  const buffer = Buffer.alloc(4)
  buffer.writeInt32BE(n)
  return buffer
}
const message = (type, body) => Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
const fatal = (code, text) => message("E", Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${text}\0\0`))
// Sync first: after an error in a batch the backend ignores everything up to the next Sync.
const abandon = Buffer.concat([message("S", Buffer.alloc(0)), message("Q", Buffer.from("ROLLBACK\0"))])
const lookIn = (name) => message("Q", Buffer.from(`SET search_path TO "${name}"\0`))

const noRoom = fatal("53100", "the embedded database waits for room on its disk: No space left on device")

const request = { ssl: 80877103, gssapi: 80877104, cancel: 80877102 }
const type = { terminate: 0x58, readyForQuery: 0x5a, notification: 0x41, error: 0x45 }
const idle = 0x49

/** The end of a message port that a client is at. */
class PortStream extends Duplex {
  constructor(port) {
    super()
    this.port = port
    port.on("message", (chunk) => this.push(Buffer.from(chunk)))
    port.on("close", () => this.destroy())
  }

  _read() {}

  _write(chunk, _, done) {
    this.port.postMessage(chunk)
    done()
  }

  _final(done) {
    this.port.close()
    done()
  }

  _destroy(error, done) {
    this.port.close()
    done(error)
  }
}

class Client {
  started = false
  gone = false
  input = Buffer.alloc(0)
  /** Whole messages that have not run yet. */
  pending = []

  constructor(socket, schema) {
    this.socket = socket
    this.schema = schema
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
    if (isLost) return this.socket.end(noRoom)
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
    if (output[at] === type.error && output.toString("latin1", at + 5, at + 12) === "SPANIC\0") isLost = true
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
      deliver(holder, await execute(abandon))
      if (isLost) return lose()
      holder = undefined
    } else if (holder.pending.length > 0) {
      const client = holder
      if (client.schema !== schema) {
        schema = client.schema
        await execute(lookIn(schema))
      }
      const isIdle = deliver(client, await execute(client.take()))
      if (isLost) return lose()
      if (isIdle) {
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

/** Bytes that a new backend needs: its log grows by 16 MiB at a time. */
const room = 48 * 1024 * 1024

const lose = () => {
  database = undefined
  holder = undefined
  waiting.clear()
  for (const client of clients) client.socket.end()
  void reopen()
}

const reopen = async () => {
  const { bavail, bsize } = statfsSync(dataDir)
  try {
    if (bavail * bsize >= room) {
      database = await PGlite.create({ dataDir, ...settings })
      running = isLost = false
      return void run()
    }
  } catch {
    // the room went to something else meanwhile
  }
  setTimeout(() => void reopen(), 1000)
}

/** Made beside its place and moved there whole: a process killed in between leaves nothing half-made. */
const create = async () => {
  const fresh = `${dataDir}.new`
  rmSync(fresh, { recursive: true, force: true })
  if (existsSync(snapshot)) {
    mkdirSync(fresh)
    // said, since tar guesses by the first bytes, and takes some compressed archives for plain ones
    extract({ file: snapshot, brotli: snapshot.endsWith(".br"), cwd: fresh, sync: true })
  } else await (await PGlite.create({ dataDir: fresh, ...settings })).close()
  renameSync(fresh, dataDir)
}

/** Nothing outlives the process, so nothing is made sure of: tables are made and filled in half the time. */
const forgetful = [
  "fsync = off",
  "synchronous_commit = off",
  "full_page_writes = off",
  "wal_level = minimal",
  "max_wal_senders = 0"
]

const inMemory = () => {
  // Compiling again what runs often costs more than the little that runs here can save.
  setFlagsFromString("--liftoff-only")
  const archive = readFileSync(snapshot)
  const folder = new Blob([snapshot.endsWith(".br") ? brotliDecompressSync(archive) : archive])
  return PGlite.create({ loadDataDir: folder, postgresqlconf: [...settings.postgresqlconf, ...forgetful] })
}

const onDisk = async () => {
  if (!existsSync(join(dataDir, "PG_VERSION"))) await create()
  return PGlite.create({ dataDir, ...settings })
}

const open = async () => {
  try {
    database = await (dataDir === undefined ? inMemory() : onDisk())
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

const accept = (socket, schema) => new Client(socket, schema)

const server = createServer((socket) => accept(socket))
server.on("error", (error) => {
  parentPort.postMessage({ type: "failed", message: error.message })
})
if (path !== undefined) server.listen(path, () => parentPort.postMessage({ type: "listening" }))
parentPort.on("message", (command) => {
  if (command === "open") void open()
  else if (command === "close") void close()
  else accept(new PortStream(command.port), command.schema)
})
